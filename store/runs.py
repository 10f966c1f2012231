"""The pipeline log: one row a step, so that "why is this here" and "why is that not" have an answer."""

from __future__ import annotations

import json
from dataclasses import dataclass

import apsw

from .clock import DAY_US


@dataclass(frozen=True, slots=True)
class Run:
    """One step of one turn and what came of it."""

    step: str
    verdict: str
    reason: str = ""
    turn: int | None = None
    memories: tuple[int, ...] = ()
    took_us: int = 0


def log(con: apsw.Connection, run: Run, *, at: int) -> None:
    """Keep one step."""
    con.execute(
        "insert into run(turn, step, verdict, reason, memories, took_us, ran_at) values (?, ?, ?, ?, ?, ?, ?)",
        (run.turn, run.step, run.verdict, run.reason, json.dumps(list(run.memories)), run.took_us, at),
    )


def sweep(con: apsw.Connection, *, now: int, days: int) -> int:
    """Drop rows older than that many days; how many went."""
    con.execute("delete from run where ran_at < ?", (now - days * DAY_US,))
    return con.changes()
