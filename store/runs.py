"""The pipeline log: one row a step, so that "why is this here" and "why is that not" have an answer."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import apsw

from .clock import DAY_US
from .deliveries import FULL_CHARS
from .memories import COLUMNS, Support, from_row
from .models import Memory
from .rows import fetch, first

# The verdict of a step that could not be carried out, with what went wrong as its reason.
FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Run:
    """
    One step of one turn and what came of it.

    A step that asked a model names it, with the tokens it told of, and prompt and answer by hash and length; their
    words, redacted, only where they are to be kept.
    """

    step: str
    verdict: str
    reason: str = ""
    turn: int | None = None
    memories: tuple[int, ...] = ()
    took_us: int = 0
    model: str | None = None
    tokens_in: int = 0
    tokens_out: int = 0
    prompt_hash: str | None = None
    prompt_chars: int | None = None
    answer_hash: str | None = None
    answer_chars: int | None = None
    prompt: str | None = None
    answer: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Logged(Run):
    """A step as it stands in the log."""

    id: int
    ran_at: int


_COLUMNS = """
  run.id, run.ran_at, run.step, run.verdict, run.reason, run.turn, run.memories, run.took_us, run.model,
  run.tokens_in, run.tokens_out, run.prompt_hash, run.prompt_chars, run.answer_hash, run.answer_chars,
  run.prompt, run.answer"""


def _logged(row: Sequence[Any]) -> Logged:
    values: list[Any] = [*row[2:6], tuple(json.loads(row[6])), *row[7:]]
    return Logged(*values, id=row[0], ran_at=row[1])


def log(con: apsw.Connection, run: Run, *, at: int) -> None:
    """Keep one step."""
    con.execute(
        """
        insert into run(step, verdict, reason, turn, memories, took_us, model, tokens_in, tokens_out,
                        prompt_hash, prompt_chars, answer_hash, answer_chars, prompt, answer, ran_at)
        values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)""",
        (
            run.step, run.verdict, run.reason, run.turn, json.dumps(list(run.memories)), run.took_us,
            run.model, run.tokens_in, run.tokens_out, run.prompt_hash, run.prompt_chars,
            run.answer_hash, run.answer_chars, run.prompt, run.answer, at,
        ),
    )  # fmt: skip


def sweep(con: apsw.Connection, *, now: int, days: int, limit: int = -1) -> int:
    """Drop rows older than that many days, up to `limit`, the oldest first; how many went."""
    con.execute(
        "delete from run where id in (select id from run where ran_at < ? order by ran_at limit ?)",
        (now - days * DAY_US, limit),
    )
    return con.changes()


def of_turn(con: apsw.Connection, turn: int) -> list[Logged]:
    """Every step of a turn, in the order they were taken."""
    rows = fetch(con, f"select {_COLUMNS} from run where turn = ? order by ran_at, id", (turn,))
    return [_logged(row) for row in rows]


def naming(con: apsw.Connection, memories: Sequence[int]) -> list[Logged]:
    """Every step, of whichever turn, that names one of those memories, in the order they were taken."""
    rows = fetch(
        con,
        f"""
        select {_COLUMNS} from run indexed by run_memories
        where memories <> '[]' and exists (
          select 1 from json_each(run.memories) named
          where named.value in (select value from json_each(?)))
        order by ran_at, id""",
        (json.dumps(list(memories)),),
    )
    return [_logged(row) for row in rows]


@dataclass(frozen=True, slots=True)
class Figures:
    """
    What a step did on a day (of the whole time where `day` is ""): how often, with which verdicts, the most frequent
    first, how often it failed, and how long it took where that was measured, by the nearest rank.
    """

    day: str
    step: str
    count: int = 0
    failed: int = 0
    verdicts: tuple[tuple[str, int], ...] = ()
    timed: int = 0
    median_us: int | None = None
    p95_us: int | None = None


def figures(con: apsw.Connection, *, since: int) -> list[Figures]:
    """The figures of each step since then: of the whole time, then by day of this machine's clock, latest first."""
    rows = fetch(
        con,
        f"""
        select {_DAY} as day, step, verdict, count(*), group_concat(nullif(took_us, 0))
        from run where ran_at >= :since
        group by day, step, verdict""",
        {"since": since},
    )
    verdicts: dict[tuple[str, str], Counter[str]] = {}
    took: dict[tuple[str, str], list[int]] = {}
    for day, step, verdict, count, listed in rows:
        times = [int(one) for one in listed.split(",")] if listed else []
        for place in (("", step), (day, step)):
            verdicts.setdefault(place, Counter())[verdict] += count
            took.setdefault(place, []).extend(times)
    steps = sorted(verdicts, key=lambda place: place[1])
    return [
        _figures(*place, verdicts[place], sorted(took[place])) for place in sorted(steps, key=_latest_first)
    ]


_DAY = "date(ran_at / 1000000, 'unixepoch', 'localtime')"


def _latest_first(place: tuple[str, str]) -> int:
    # The whole time, which is no day, comes first.
    return -int(place[0].replace("-", "") or 99_999_999)


def _figures(day: str, step: str, verdicts: Counter[str], took: Sequence[int]) -> Figures:
    often = tuple(sorted(verdicts.items(), key=lambda one: (-one[1], one[0])))
    count = len(took)
    median, p95 = (took[-(-count * share // 100) - 1] if count else None for share in (50, 95))
    return Figures(day, step, verdicts.total(), verdicts[FAILED], often, count, median, p95)


@dataclass(frozen=True, slots=True)
class ModelUse:
    """What a model was asked in a step on a day, in calls and the tokens that it told of."""

    day: str
    step: str
    model: str
    calls: int
    failed: int
    tokens_in: int
    tokens_out: int


def model_use(con: apsw.Connection, *, since: int) -> list[ModelUse]:
    """The calls of each model by day of this machine's clock, the latest first, and step."""
    rows = fetch(
        con,
        f"""
        select {_DAY} as day, step, model, count(*), sum(verdict = :failed), sum(tokens_in), sum(tokens_out)
        from run where ran_at >= :since and model is not null
        group by day, step, model
        order by day desc, step, model""",
        {"since": since, "failed": FAILED},
    )
    return [ModelUse(*row) for row in rows]


# What stands around a step: an explanation reads it beside the log, and a report beside the figures.


@dataclass(frozen=True, slots=True)
class Joined:
    """Another memory that a link joins to one; `outward` where the link goes from the one to the other."""

    kind: str
    outward: bool
    memory: Memory
    created_at: int
    data: Mapping[str, Any]


def joined(con: apsw.Connection, memories: Sequence[int]) -> list[Joined]:
    """What those versions of a memory are linked with, either way, the oldest link first; not with one another."""
    rows = fetch(
        con,
        f"""
        with own(id) as (select value from json_each(?))
        select link.kind, link.outward, link.at, link.data, {COLUMNS}
        from (select kind, 1 as outward, target as other, created_at as at, data
              from own join link on source = own.id
              union
              select kind, 0, source, created_at, data
              from own join link on target = own.id) link
             join memory on memory.id = link.other
        where memory.id not in (select id from own)
        order by link.at, memory.id""",
        (json.dumps(list(memories)),),
    )
    return [Joined(row[0], bool(row[1]), from_row(row[4:]), row[2], json.loads(row[3])) for row in rows]


def task_line(con: apsw.Connection, memories: Sequence[int], *, limit: int) -> list[Memory]:
    """The other memories of the task of those versions of a memory, the oldest first."""
    rows = fetch(
        con,
        f"""
        with recursive line(id) as (
          select value from json_each(:own)
          union
          select target from line join link on source = line.id and kind = 'same_task'
          union
          select source from line join link on target = line.id and kind = 'same_task'
          limit :limit)
        select {COLUMNS} from line join memory on memory.id = line.id
        where memory.id not in (select value from json_each(:own))
        order by coalesce(memory.valid_from, memory.recorded_at), memory.id""",
        {"own": json.dumps(list(memories)), "limit": limit + len(memories)},
    )
    return [from_row(row) for row in rows]


def left(con: apsw.Connection, turn: int) -> list[Memory]:
    """The memories that a turn left, live or not, in the order they were made; its own `turn` memory among them."""
    rows = fetch(con, f"select {COLUMNS} from memory where turn = ? order by id", (turn,))
    return [from_row(row) for row in rows]


def supported(con: apsw.Connection, turn: int) -> list[Memory]:
    """Memories of other turns that rest on what was said in this one, too."""
    rows = fetch(
        con,
        f"""
        select distinct {COLUMNS}
        from event join evidence on evidence.event = event.id join memory on memory.id = evidence.memory
        where event.turn = ?1 and memory.turn is not ?1
        order by memory.id""",
        (turn,),
    )
    return [from_row(row) for row in rows]


@dataclass(frozen=True, slots=True)
class Held:
    """So many events of a kind in a turn, and how many of them failed."""

    kind: str
    count: int
    failed: int


def held(con: apsw.Connection, turn: int) -> list[Held]:
    """What a turn holds, in the order in which each kind of event first came."""
    rows = fetch(
        con,
        """
        select kind, count(*), sum(ok is 0) from event
        where turn = ?
        group by kind
        order by min(seq)""",
        (turn,),
    )
    return [Held(*row) for row in rows]


def event(con: apsw.Connection, id_: int) -> Support | None:
    """The event of that row id, in full."""
    row = first(
        con, "select id, role, kind, origin, content, occurred_at, turn from event where id = ?", (id_,)
    )
    return Support(*row) if row else None


def resting(con: apsw.Connection, event: int) -> list[Memory]:
    """The memories that rest on an event."""
    rows = fetch(
        con,
        f"""
        select distinct {COLUMNS} from evidence join memory on memory.id = evidence.memory
        where evidence.event = ?
        order by memory.id""",
        (event,),
    )
    return [from_row(row) for row in rows]


@dataclass(frozen=True, slots=True)
class Pending:
    """Work that is still to be done; `state` is waiting, running or failed (three times: it waits for a person)."""

    state: str
    tries: int
    error: str
    created_at: int
    not_before_at: int


def pending(con: apsw.Connection, kind: str, key: str) -> Pending | None:
    """The job of that kind and key; None where it is done, or was never asked for."""
    row = first(
        con,
        """
        select state, tries, coalesce(error, ''), created_at, not_before_at from job
        where kind = ? and key = ?""",
        (kind, key),
    )
    return Pending(*row) if row else None


@dataclass(frozen=True, slots=True)
class Queue:
    """The jobs of a kind: how many, since when the oldest waits, and the latest error that one of them met."""

    kind: str
    waiting: int
    running: int
    failed: int
    oldest_at: int | None
    error: str | None


def queues(con: apsw.Connection) -> list[Queue]:
    """The state of the queue, by kind of job."""
    rows = fetch(
        con,
        """
        select kind, sum(state = 'waiting'), sum(state = 'running'), sum(state = 'failed'),
               min(iif(state = 'waiting', created_at, null)),
               (select error from job met where met.kind = job.kind and error is not null order by id desc limit 1)
        from job
        group by kind
        order by kind""",
    )
    return [Queue(*row) for row in rows]


@dataclass(frozen=True, slots=True)
class Given:
    """One memory that a session was given: how, at what cost in characters, and its words as they are now."""

    how: str
    session: str
    chars: int
    text: str


def given(con: apsw.Connection, *, since: int) -> list[Given]:
    """What sessions were given since then, as far as it is noted still; code history has no text here."""
    rows = fetch(
        con,
        """
        select how, delivery.source || ' ' || delivery.session, chars, coalesce(
          (select substr(text, 1, :most) from memory
           where root = delivery.root and retired_at is null and valid_to is null),
          (select substr(text, 1, :most) from memory where ulid = delivery.root),
          '')
        from delivery
        where given_at >= :since""",
        {"since": since, "most": FULL_CHARS},
    )
    return [Given(*row) for row in rows]
