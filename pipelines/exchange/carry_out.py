"""What another file has forgotten, taken out here as forgetting itself does it, without marks of our own."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import apsw

from ...store import erasing, erasing_code, evidence, lineage, tombstones, wiping
from ...store.cutter import Cut
from ...store.events import content_hash
from ...store.exchange import gone
from ...store.exchange.gone import Found
from ...store.tombstones import Tombstone
from ..blanking import blanked, each_text
from ..told_anew import tell_anew
from .settle import erase


def carry_out(con: apsw.Connection, marks: list[Tombstone], *, now: int, cut: Cut | None) -> int:
    """Find what marks mean and take it out; how many rows went. For a file that nobody else has open."""
    return write(con, gone.find(con, marks), now=now, cut=cut)


def write(con: apsw.Connection, found: Found, *, now: int, cut: Cut | None) -> int:
    """Take out what was found, with what rested on it alone, and blank passages; how many rows went."""
    con.pragma("defer_foreign_keys", True)
    told_anew = gone.said_in(con, found.events | set(found.blanks)) - found.turns
    events = found.events | lineage.of_turns(con, found.turns)
    leaning = gone.leaning_on(con, events)
    memories = found.memories | lineage.turn_memories(con, found.turns)
    for id_, (at, spans) in found.blanks.items():
        content, data = gone.event(con, id_)
        clean = blanked(content, spans)
        words = [content[start:end] for start, end in spans]
        gone.blank(con, id_, clean, _without(data, words), content_hash(clean), at=at)
    erase(con, memories)
    erasing.events(con, events)
    alone = gone.unsupported(con, leaning)
    erase(con, alone)
    evidence.to_renew(con, sorted(leaning - alone), now=now)
    if found.code.changes or found.threads:
        erasing_code.unfollow(con, erasing_code.worktrees(con, found.code))
        gone.erase(con, found)
        erasing_code.erase(con, found.code)
    elif found.feedback:
        gone.erase(con, found)
    erasing.stands_alone(con, found.turns, None)
    erasing.turns(con, found.turns)
    tell_anew(con, told_anew, now=now, cut=cut)
    gone.carried(con)
    rows = (
        len(memories)
        + len(events)
        + len(alone)
        + len(found.turns)
        + len(found.code.changes)
        + len(found.threads)
    )
    if rows or found.blanks:
        wiping.want(con, now=now)
    return rows


def _without(data: str, words: list[str]) -> str:
    kept = [word for word in words if word.strip()]
    if not kept:
        return data
    return json.dumps(each_text(json.loads(data), lambda text: _replaced(text, kept)), ensure_ascii=False)


def _replaced(text: str, words: list[str]) -> str:
    for word in words:
        text = text.replace(word, blanked(word, [(0, len(word))]))
    return text


def without_forgotten(con: apsw.Connection, line: Mapping[str, Any]) -> Mapping[str, Any]:
    """An event's line with the passages blanked that were forgotten here after it was said, and that event's spans."""
    said_at = line["occurred_at"]
    spans = tombstones.blanked(con, line["ulid"])
    at = tombstones.row_at(con, "blank", line["ulid"]) if spans else 0
    marked: list[tuple[tombstones.Span, int]] = []
    data = line["data"]
    if tombstones.later_than(con, said_at):
        marks = tombstones.marks_of(con)
        marked = tombstones.marked(line["content"], marks, said_at=said_at)
        data = each_text(
            data,
            lambda text: blanked(text, [span for span, _ in tombstones.marked(text, marks, said_at=said_at)]),
        )
    if not spans and not marked and data == line["data"]:
        return line
    words = [line["content"][start:end] for start, end in spans]
    return {
        **line,
        "content": blanked(line["content"], [*spans, *(span for span, _ in marked)]),
        "data": each_text(data, lambda text: _replaced(text, [word for word in words if word.strip()])),
        "told": line.get("told", line["content"]),
        "blanked_at": max([line.get("blanked_at") or 0, at, *(when for _, when in marked)]) or said_at,
    }
