"""`report`: what each step did, took and cost, by day; what waits; what agents were handed, as far as it is known."""

from __future__ import annotations

import json
import re
import textwrap
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any
from unicodedata import east_asian_width

from ..store import runs, vector_indexes
from ..store.clock import SECOND_US
from ..store.errors import BadInput
from . import answers, instants, spool
from .report import CHARS_A_TOKEN, tokens

if TYPE_CHECKING:
    import apsw

    from ..store.runs import Figures, Given, ModelUse
    from .memory import Memory

MOST_DAYS = 3650
# Of a line, and of a column: names of steps and models are the log's own.
WIDTH, COLUMN = 100, 24
FIGURE = re.compile(r"-|[\d,.]+(?: m?s)?")
# In which ways memories are handed to a session unasked, or asked for; what it added itself is not handed to it.
HANDED = {"hook": "with prompts", "digest": "at a session's start", "tool": "by tools, asked for"}
# What the figures of what was handed do not say, so that nobody reads more out of them.
NOT_COUNTED = (
    "Tokens are estimated from the memories' words: 4 characters of English or 1.5 of Chinese to one.",
    "They are the least there were: a note ends with its session's context, or after a month of silence.",
    "Not measured: what tools answered, and code history that came without a memory.",
    "What was saved is not known: what a session had already is not handed again, and no count of it is kept.",
)


def answer(memory: Memory, *, days: int, as_json: bool = False) -> str:
    """
    The report of so many days, today included, as text or as a JSON document.

    Raises:
        BadInput: `days` is no number of days.
    """
    if not 1 <= days <= MOST_DAYS:
        raise BadInput(f"--days is a number from 1 to {MOST_DAYS:,}.")
    found = report(memory, days=days)
    return json.dumps(found, ensure_ascii=False) if as_json else report_text(found, now=memory.now())


def report(memory: Memory, *, days: int) -> dict[str, Any]:
    """
    The published form; days are those of this machine's clock, instants ISO 8601 in UTC.

        since, days, log_days
        steps       [{step, count, failed, verdicts, timed, median_us, p95_us, calls, tokens_in, tokens_out}] in all
        by_day      the same of each day, with `day`, the latest first
        models      [{day, step, model, calls, failed, tokens_in, tokens_out}]
        queue       [{kind, waiting, running, failed, oldest_waiting_at, error}]; error is the latest
        vectors     {model: how many memories wait for theirs}
        spool       {waiting, oldest_at, quarantined}
        handed      [{how, sessions, memories, characters, tokens}]; null where it is not measured
        not_counted sentences: what these figures do not say
    """
    now = memory.now()
    since = _midnight(now, days - 1)
    waiting = spool.count(memory.home)
    return {
        "format": answers.FORMAT,
        "since": answers.iso(since),
        "days": days,
        "log_days": memory.options.log_days,
        **memory.db.read(_of_the_file, since),
        "spool": {
            "waiting": waiting.waiting,
            "oldest_at": answers.iso(waiting.oldest_at),
            "quarantined": waiting.quarantined,
        },
        "not_counted": list(NOT_COUNTED),
    }


def _midnight(now: int, days_ago: int) -> int:
    day = datetime.fromtimestamp(now / SECOND_US, UTC).astimezone().date() - timedelta(days=days_ago)
    return instants.parse(day.isoformat(), "start")


def _of_the_file(con: apsw.Connection, since: int) -> dict[str, Any]:
    figures, asked = runs.figures(con, since=since), runs.model_use(con, since=since)
    return {
        "steps": _rows([one for one in figures if not one.day], asked, by_day=False),
        "by_day": _rows([one for one in figures if one.day], asked, by_day=True),
        "models": [
            {
                "day": use.day, "step": use.step, "model": use.model, "calls": use.calls, "failed": use.failed,
                "tokens_in": use.tokens_in, "tokens_out": use.tokens_out,
            }
            for use in asked
        ],
        "queue": [
            {
                "kind": queue.kind, "waiting": queue.waiting, "running": queue.running, "failed": queue.failed,
                "oldest_waiting_at": answers.iso(queue.oldest_at), "error": queue.error,
            }
            for queue in runs.queues(con)
        ],
        "vectors": {one.index.model: max(0, one.live - one.embedded) for one in vector_indexes.counts(con)},
        "handed": list(_handed(con, since)),
    }  # fmt: skip


def _rows(figures: Sequence[Figures], asked: Sequence[ModelUse], *, by_day: bool) -> list[dict[str, Any]]:
    """The figures of each step with its calls of models; a step that only asked a model has a row, too."""
    uses: dict[tuple[str, str], list[ModelUse]] = defaultdict(list)
    for use in asked:
        uses[use.day if by_day else "", use.step].append(use)
    of = {(one.day, one.step): one for one in figures}
    # By step, then by day with the latest first: the second sorting keeps the order of the first.
    places = sorted(
        sorted({*of, *uses}, key=lambda place: place[1]), key=lambda place: place[0], reverse=True
    )
    return [_row(of.get((day, step)) or runs.Figures(day, step), uses[day, step]) for day, step in places]


def _row(one: Figures, uses: Sequence[ModelUse]) -> dict[str, Any]:
    return {
        **({"day": one.day} if one.day else {}), "step": one.step, "count": one.count, "failed": one.failed,
        "verdicts": dict(one.verdicts), "timed": one.timed, "median_us": one.median_us, "p95_us": one.p95_us,
        "calls": sum(use.calls for use in uses), "tokens_in": sum(use.tokens_in for use in uses),
        "tokens_out": sum(use.tokens_out for use in uses),
    }  # fmt: skip


def _handed(con: apsw.Connection, since: int) -> Iterator[dict[str, Any]]:
    given = runs.given(con, since=since)
    for how in HANDED:
        these = [one for one in given if one.how == how]
        measured = how != "tool"
        yield {
            "how": how, "sessions": len({one.session for one in these}), "memories": len(these),
            "characters": sum(one.chars for one in these) if measured else None,
            "tokens": round(sum(map(_tokens, these))) if measured else None,
        }  # fmt: skip


def _tokens(given: Given) -> float:
    # What was handed is this memory, or a part of it, and our words around it.
    text = given.text
    return given.chars * (tokens(text) / len(text) if text else 1 / CHARS_A_TOKEN)


def report_text(found: Mapping[str, Any], *, now: int) -> str:
    """The report for a person, no line wider than `WIDTH`."""
    days = f"the last {found['days']} days" if found["days"] > 1 else "today"
    parts = [f"What was logged in {days}; the log is kept for {found['log_days']} days.", ""]
    if found["steps"]:
        parts += [*_figures_table(found["steps"]), "", *_figures_table(found["by_day"]), ""]
    else:
        parts += ["No step was logged.", ""]
    parts += [*_models_table(found["models"]), "", *_waiting(found, now), ""]
    handed = [
        [
            HANDED[one["how"]],
            *(_count(one[name]) for name in ("memories", "sessions", "characters", "tokens")),
        ]
        for one in found["handed"]
    ]
    parts += [*_table(["handed", "memories", "sessions", "characters", "tokens"], handed), ""]
    for said in found["not_counted"]:
        parts += textwrap.wrap(said, WIDTH)
    return "\n".join(parts)


def _figures_table(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    dated = "day" in rows[0]
    return _table(
        [*(["day"] if dated else []), "step", "rows", "failed", "median", "p95", "verdicts"],
        [
            [
                *([row["day"]] if dated else []), row["step"], _count(row["count"]), _count(row["failed"]),
                _span(row["median_us"]), _span(row["p95_us"]),
                ", ".join(f"{verdict} {n:,}" for verdict, n in row["verdicts"].items()),
            ]
            for row in rows
        ],
    )  # fmt: skip


def _models_table(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    if not rows:
        return ["No model was asked."]
    return _table(
        ["day", "step", "model", "calls", "failed", "tokens in", "tokens out"],
        [
            [
                row["day"],
                row["step"],
                row["model"],
                *(_count(row[n]) for n in ("calls", "failed", "tokens_in", "tokens_out")),
            ]
            for row in rows
        ],
    )


def _waiting(found: Mapping[str, Any], now: int) -> Iterator[str]:
    """A line a thing that waits; what went wrong follows on its own."""
    for one in found["queue"]:
        oldest = _age(one["oldest_waiting_at"], now)
        yield (
            f"queue     {one['kind']}: {one['waiting']:,} waiting{oldest}, {one['running']:,} running, "
            f"{one['failed']:,} failed"
        )
        if one["error"]:
            yield _cut(f"          last error: {one['error']}")
    if not found["queue"]:
        yield "queue     empty"
    for model, n in found["vectors"].items():
        yield _cut(f"vectors   {n:,} memories wait for one of {model}")
    spooled = found["spool"]
    aside = (
        f", {spooled['quarantined']:,} set aside: see `backstory doctor`" if spooled["quarantined"] else ""
    )
    yield f"spool     {spooled['waiting']:,} waiting{_age(spooled['oldest_at'], now)}{aside}"


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """Columns of equal width, those of figures to the right; the last is cut at the end of the line, others before."""
    columns = [list(column) for column in zip(head, *rows, strict=True)]
    laid = []
    for name, *cells in columns[:-1]:
        width = min(COLUMN, max(map(_width, (name, *cells))))
        figures = all(map(FIGURE.fullmatch, cells))
        laid.append([_pad(_cut(cell, width), width, right=figures) for cell in (name, *cells)])
    last = columns[-1]
    if all(map(FIGURE.fullmatch, last[1:])):
        last = [_pad(cell, max(map(_width, last)), right=True) for cell in last]
    return [_cut("  ".join(cells).rstrip()) for cells in zip(*laid, last, strict=True)]


def _width(text: str) -> int:
    """How many columns of a terminal a text takes: a Han character takes two."""
    return len(text) + sum(east_asian_width(c) in "WF" for c in text)


def _pad(text: str, width: int, *, right: bool) -> str:
    space = " " * (width - _width(text))
    return space + text if right else text + space


def _cut(text: str, width: int = WIDTH) -> str:
    line = " ".join(text.split("\n"))
    if _width(line) <= width:
        return line
    while _width(line) > width - 1:
        line = line[:-1]
    return line + "…"


def _count(n: int | None) -> str:
    return "-" if n is None else f"{n:,}"


def _span(us: int | None) -> str:
    if us is None:
        return "-"
    return f"{us / 1000:,.1f} ms" if us < SECOND_US else f"{us / SECOND_US:,.1f} s"


def _age(since: str | None, now: int) -> str:
    if since is None:
        return ""
    minutes = (now / SECOND_US - datetime.fromisoformat(since).timestamp()) / 60
    for unit, size in (("days", 1440), ("hours", 60), ("minutes", 1)):
        if minutes >= 2 * size:
            return f", the oldest for {minutes / size:,.0f} {unit}"
    return ", the oldest for a moment"
