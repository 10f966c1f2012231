"""What another file has forgotten, taken out here as forgetting itself does it, without marks of our own."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from functools import cache, partial
from typing import Any

import apsw

from ...store import erasing_code, events, evidence, lineage, passage_marks, standing, tombstones
from ...store.cutter import Cut
from ...store.exchange import gone
from ...store.exchange.gone import Found
from ...store.tombstones import Tombstone
from ...store.wording import Words
from .. import again, forget_closure, forget_writes
from ..blanking import all_blank_json, blanked, each_text, telling
from ..forget_closure import Growing
from ..forget_plan import Plan, Renamed
from ..forget_writes import BLANKED, DROPPED, NULLED

# Names that an export tells, or that follow from what it tells; not the log.
NAMES = tuple(
    one for one in (*NULLED, *BLANKED, *DROPPED) if one[0] not in ("run", "job", "upkeep", "followed")
)


def carry_out(con: apsw.Connection, marks: list[Tombstone], *, now: int, cut: Cut | None) -> int:
    """Find what marks mean and take it out; how many rows went. For a file that nobody else has open."""
    return write(con, *find(con, marks), now=now, cut=cut)


def find(con: apsw.Connection, marks: Sequence[Tombstone]) -> tuple[Found, Renamed]:
    """The rows that marks mean, and the names that forgotten passages stand in."""
    found = gone.find(con, marks)
    if not found.asked:
        return found, {}
    said = cache(partial(events.prompts_since, con))

    def clean(name: str) -> str:
        return again.without(name, found.asked, said)

    def held(table: str, column: str) -> list[str]:
        return [one for one in standing.every(con, table, column) if clean(one) != one]

    at, rounds, files = erasing_code.named(con, held, None)
    code = replace(
        found.code, rounds=found.code.rounds | rounds, places=frozenset(at), files=frozenset(files)
    )
    renamed = {where: {name: clean(name) for name in names} for where in NAMES if (names := held(*where))}
    return replace(found, code=code), renamed


def write(con: apsw.Connection, found: Found, renamed: Renamed, *, now: int, cut: Cut | None) -> int:
    """Take out what was found, with what rested on it alone, and blank passages; how many rows went."""
    grown = Growing(
        memories=set(found.memories),
        events=set(found.events) | lineage.of_turns(con, found.turns),
        turns=set(found.turns),
        blanks={event: spans for event, (_, spans) in found.blanks.items()},
    )
    plan = forget_closure.settled(con, grown, Words(), code=found.code, names=False)
    plan = replace(
        plan, when={event: at for event, (at, _) in found.blanks.items()}, marks=found.marks, code_marks=found.asked,
        feedback=found.feedback, threads=found.threads, hidden=found.hidden, renamed=renamed,
    )  # fmt: skip
    rows = _write(con, plan, now=now, cut=cut)
    gone.carried(con)
    return rows


def bereft(con: apsw.Connection, memories: Collection[int], *, now: int, cut: Cut | None) -> int:
    """Take out those of the memories of which nothing arrived that they rest on, with what rests on them alone."""
    resting = {leg.memory for leg in lineage.legs_of(con, memories)}
    resting |= {id_ for id_, sources in evidence.rest_on(con, memories).items() if sources}
    grown = Growing(memories=set(memories) - resting)
    return _write(con, forget_closure.settled(con, grown, Words(), names=False), now=now, cut=cut)


def _write(con: apsw.Connection, plan: Plan, *, now: int, cut: Cut | None) -> int:
    if plan.empty:
        return 0
    forget_writes.write(con, plan, now=now, cut=cut, mark=False)
    return sum(map(len, (plan.memories, plan.events, plan.turns, plan.code.changes, plan.threads)))


def without_forgotten(con: apsw.Connection, line: Mapping[str, Any]) -> Mapping[str, Any]:
    """An event's line with the passages blanked that were forgotten here after it was said, and that event's spans."""
    said_at = line["occurred_at"]
    spans = tombstones.blanked(con, line["ulid"])
    at = tombstones.row_at(con, "blank", line["ulid"]) if spans else 0
    marks = passage_marks.marks_of(con) if passage_marks.later_than(con, said_at) else {}
    marked = passage_marks.marked(line["content"], marks, said_at=said_at)
    quotes = Words(telling(line["content"][start:end] for start, end in spans))

    def clean(text: str) -> str:
        there = (span for span, _ in passage_marks.marked(text, marks, said_at=said_at))
        return blanked(text, [*quotes.spans(text), *there])

    data = each_text(line["data"], clean, names=True) if marks or quotes else line["data"]
    if forget_writes.is_all(line["content"], spans):
        data = json.loads(all_blank_json(json.dumps(line["data"])))
    if not spans and not marked and data == line["data"]:
        return line
    hashed = forget_writes.is_hashed(line["key"], line.get("told", line["content"]))
    return {
        **line,
        "content": blanked(line["content"], [*spans, *(span for span, _ in marked)]),
        "data": data,
        "key": forget_writes.other_key(line["ulid"]) if hashed else line["key"],
        "told": line.get("told", line["content"]),
        "blanked_at": max([line.get("blanked_at") or 0, at, *(when for _, when in marked)]) or said_at,
    }
