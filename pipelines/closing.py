"""Conductor of what time does to plans: one whose day is over is a fact of what was planned."""

from __future__ import annotations

from dataclasses import replace

import apsw

from ..store import memories, plans, runs, words
from ..store.cutter import Cut
from ..store.db import Database
from ..store.models import Memory

# So many plans are closed in one transaction; the rest in the next.
AT_ONCE = 50
# What was planned matters less than what is planned.
AFTERWARDS = 0.5


def close_plans(db: Database, *, cut: Cut | None, now: int) -> int:
    """Let plans whose time has passed be facts; how many did."""
    if db.readonly or not db.read(plans.passed, now=now, limit=1):
        return 0
    return db.write(_close, cut=cut, now=now)


def _close(con: apsw.Connection, *, cut: Cut | None, now: int) -> int:
    found = plans.passed(con, now=now, limit=AT_ONCE)
    for plan in found:
        id_ = _as_fact(con, plan, cut, now=now)
        run = runs.Run(
            "plan", "passed", "its time has passed; it is a fact from now on", plan.turn, (plan.id, id_)
        )
        runs.log(con, run, at=now)
    return len(found)


def _as_fact(con: apsw.Connection, plan: Memory, cut: Cut | None, *, now: int) -> int:
    fact = replace(
        memories.as_new(plan), kind="fact", expires_at=None, importance=plan.importance * AFTERWARDS,
        data={**plan.data, "planned_until": plan.expires_at},
    )  # fmt: skip
    return memories.revise(
        con, plan, fact, words.index(fact.searched, cut), why="its time has passed", now=now
    )
