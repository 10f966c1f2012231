"""Conductor: what is forgotten for good. Its closure is found and taken out in one transaction; then it is wiped."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import apsw

from ..store import lineage, memories, runs
from ..store.cutter import Cut
from ..store.db import Database
from ..store.errors import BadInput, NotFound
from ..store.progress import Progress
from . import forget_closure, forget_preview, forget_writes, wipe
from .forget_plan import Plan, Wanted
from .forget_preview import Preview
from .wipe import Wiped

# What the bar counts: planned, files, rows, wiped.
STEPS = 4


@dataclass(frozen=True, slots=True)
class Forgotten:
    """What went, by the same counts as the preview's, and how the wipe came out."""

    what: Preview
    wiped: Wiped


def preview(wanted: Wanted, *, db: Database) -> Preview:
    """What would go, what would be blanked, what would stand and why. Changes nothing. Raises as `forget`."""
    return db.read(_preview, wanted)


def _preview(con: apsw.Connection, wanted: Wanted) -> Preview:
    return forget_preview.tell(con, _plan(con, wanted))


def forget(
    wanted: Wanted,
    *,
    db: Database,
    home: Path,
    now: int,
    cut: Cut | None,
    progress: Progress = lambda _done, _of: None,
) -> Forgotten:
    """
    Forget for good: no byte of it is left in the file, and nothing brings it back.

    Raises:
        BadInput: nothing was named. NotFound: no such memory. StoreBusy: the file stayed locked. Nothing was changed.
    """
    if db.readonly:
        db.write(lambda _: None)  # says why
    progress(0, STEPS)
    # Found beforehand, so that no lock is held for that, and for files no more than once.
    found = db.read(_find, wanted)
    progress(1, STEPS)
    wipe.clear_files(home, found.traces)
    progress(2, STEPS)
    done = db.write(_forget, wanted, found, now=now, cut=cut)
    progress(3, STEPS)
    wiped = wipe.wipe(db, home, done.traces, code=bool(done.plan.code))
    progress(STEPS, STEPS)
    return Forgotten(done.told, wiped)


@dataclass(frozen=True, slots=True)
class _Found:
    plan: Plan
    told: Preview
    traces: wipe.Traces
    state: tuple[int, ...]


def _find(con: apsw.Connection, wanted: Wanted) -> _Found:
    plan = _plan(con, wanted)
    return _Found(plan, forget_preview.tell(con, plan), wipe.traces(con, plan), lineage.state(con))


def _forget(con: apsw.Connection, wanted: Wanted, found: _Found, *, now: int, cut: Cut | None) -> _Found:
    if lineage.state(con) != found.state:  # something was kept in between, which may be part of it
        found = _find(con, wanted)
    if not found.plan.empty or found.plan.words:
        forget_writes.write(con, found.plan, now=now, cut=cut)
        told = found.told
        counts = f"{told.memories.count} memories, {told.events.count} events, {told.blanked.count} blanked"
        runs.log(con, runs.Run("forget", "forgotten", counts), at=now)
    return found


def _plan(con: apsw.Connection, wanted: Wanted) -> Plan:
    if wanted.ids:
        _check_owned(con, wanted)
        return forget_closure.of_memories(con, wanted)
    if wanted.query is not None or wanted.paths:
        return forget_closure.of_words(con, wanted)
    if wanted.reach.is_whole:
        raise BadInput("Say what to forget: an id, or query, file, session, workspace, since or until.")
    return forget_closure.of_reach(con, wanted)


def _check_owned(con: apsw.Connection, wanted: Wanted) -> None:
    owned = lineage.owned(con, wanted.ids, wanted.reach.user)
    for id_ in wanted.ids:
        if id_ not in owned:
            memories.by_id(con, id_)  # says so where it was forgotten
            raise NotFound(f"There is no memory m{id_}; a search lists ids.")
