"""Conductor: memories that answer to a filter leave recall, all in one transaction; each can be restored."""

from __future__ import annotations

import apsw

from ..store import lineage, memories, runs, slots, standing
from ..store.cutter import Cut
from ..store.db import Database
from . import forget_closure, legs
from .capture import one_line
from .forget_plan import Wanted
from .forget_preview import CHARS, LINES

Lines = tuple[tuple[str, str], ...]


def retire(wanted: Wanted, *, db: Database, now: int, cut: Cut | None, preview: bool) -> tuple[int, Lines]:
    """How many live memories answer and left recall (with `preview`: would), and the first lines of some."""
    return db.read(_look, wanted) if preview else db.write(_retire, wanted, now=now, cut=cut)


def _look(con: apsw.Connection, wanted: Wanted) -> tuple[int, Lines]:
    return _told(con, _live(con, wanted))


def _retire(con: apsw.Connection, wanted: Wanted, *, now: int, cut: Cut | None) -> tuple[int, Lines]:
    found = _live(con, wanted)
    told = _told(con, found)
    legs.retire(con, list(memories.by_ids(con, found).values()), why=slots.ON_REQUEST, now=now, cut=cut)
    if found:
        runs.log(con, runs.Run("delete", "retired", "", None, tuple(found)), at=now)
    return told


def _live(con: apsw.Connection, wanted: Wanted) -> list[int]:
    if wanted.ids:
        found = set(wanted.ids) & lineage.memories_within(con, wanted.reach)
    elif wanted.query is not None or wanted.paths:
        found = set(standing.memories(con, forget_closure.words_of(con, wanted), wanted.reach).whole)
    else:
        found = lineage.memories_within(con, wanted.reach)
    return sorted(one.id for one in memories.by_ids(con, sorted(found)).values() if one.retired_at is None)


def _told(con: apsw.Connection, ids: list[int]) -> tuple[int, Lines]:
    return len(ids), tuple(
        (f"m{one.id}", one_line(one.text, CHARS)) for one in lineage.kept(con, ids[:LINES])
    )
