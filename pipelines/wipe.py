"""Conductor: what was forgotten leaves no byte: the file is closed up, scanned, and vacuumed where it must be."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path

import apsw

from ..store import clock as clocks
from ..store import copies, erasing_code, jobs, lineage, wiping
from ..store.db import Database
from ..store.wording import Words
from . import our_files
from .blanking import telling
from .forget_plan import Plan

# Needles that the file is scanned for, the longest that one is, and the shortest that says anything.
NEEDLES, LONG, SHORT = 32, 48, 8
LEASE, LEASE_S = "wipe", 600
BUSY = "another process reads the file; the wipe is finished when it is done"
NO_ROOM = "the disk has no room to write the file anew; make some, then run `backstory tend`"


@dataclass(frozen=True, slots=True)
class Traces:
    """
    What the bytes of the forgotten would be known by: `words` as they were said, `needles` in the file. `worktrees`:
    whose snapshots hold versions that go; `all_snapshots`: of them all.
    """

    words: Words = field(default_factory=Words)
    needles: tuple[bytes, ...] = ()
    worktrees: tuple[str, ...] = ()
    all_snapshots: bool = False
    session: str | None = None


@dataclass(frozen=True, slots=True)
class Wiped:
    """
    How a wipe came out. `pending` says why it is not finished; `left` where bytes are that could not be taken out;
    `backups` are copies of the file that hold it, or may.
    """

    vacuumed: bool = False
    pending: str | None = None
    left: tuple[str, ...] = ()
    backups: tuple[str, ...] = ()


def traces(con: apsw.Connection, plan: Plan) -> Traces:
    """What to look for afterwards; to be asked before the rows are gone."""
    events = lineage.said(con, plan.events)
    memories = [one for one in lineage.kept(con, plan.memories) if one.kind != "turn"]
    stay = lineage.said(con, plan.blanks)
    quotes = [one.content[start:end] for one in stay for start, end in plan.blanks[one.id]]
    told = telling([*quotes, *(one.text for one in memories), *(one.content for one in events)])
    # As they were asked for, and as they are written where they stand.
    words = Words([*plan.words.given, *(quotes if plan.words else ()), *told])
    touched = {*plan.memories, *lineage.turn_memories(con, plan.mirrored)}
    tokens, vectors = wiping.samples(con, sorted(touched))
    # Tokens of what is told anew are for the most part those of what stays.
    gone = tokens if touched == set(plan.memories) else []
    needles = dict.fromkeys([*_samples(words.given), *_samples(gone), *vectors])
    return Traces(
        words, tuple(needles)[:NEEDLES],
        tuple(sorted(erasing_code.worktrees(con, plan.code))), bool(plan.code.changes), plan.session,
    )  # fmt: skip


def _samples(texts: Iterable[str]) -> list[bytes]:
    """A piece of each text, from its middle: what the file would hold of it in one place."""
    found = []
    for text in texts:
        line = max(text.replace('"', "\n").replace("\\", "\n").split("\n"), key=len).strip()
        start = max(0, (len(line) - LONG) // 2)
        raw = line[start : start + LONG].encode("utf-8", "replace")
        if len(raw) >= SHORT:
            found.append(raw)
    return found


def clear_files(home: Path, sought: Traces) -> tuple[str, ...]:
    """Take the forgotten out of the spool, the logs and the snapshots; the files of ours that still hold it."""
    session = Words([sought.session] if sought.session else ())
    our_files.drop_spooled(home, sought.words, session)
    our_files.blank_logs(home, sought.words)
    our_files.drop_snapshots(home, sought.words, sought.worktrees, everything=sought.all_snapshots)
    return our_files.holding(home, sought.words)


def wipe(db: Database, home: Path, sought: Traces, *, code: bool) -> Wiped:
    """Take the bytes of what was forgotten out of the file, and look whether any are left, here or in a backup."""
    left = clear_files(home, sought)
    backups = our_files.backups(home, db.path, db.read(copies.known), sought.words, packed=code)
    if str(db.path) == ":memory:":
        db.write(wiping.done)
        return Wiped(left=left, backups=backups)
    db.write(wiping.close_up)
    if not wiping.cut_log(db):
        return _later(db, BUSY, left, backups)
    if not found(db, sought.needles):
        db.write(wiping.done)
        return _cut(db, Wiped(left=left, backups=backups))
    if not wiping.vacuum(db):
        return _later(db, NO_ROOM, left, backups)
    if not wiping.cut_log(db):
        return _later(db, BUSY, left, backups)
    there = found(db, sought.needles)
    if there - db.read(wiping.kept_anywhere, there):
        left = (*left, str(db.path))
    db.write(wiping.done)
    return _cut(db, Wiped(vacuumed=True, left=left, backups=backups))


def _cut(db: Database, wiped: Wiped) -> Wiped:
    # That it is done says nothing of what was forgotten; its page may wait for the next checkpoint.
    db.checkpoint()
    return wiped


def found(db: Database, needles: Iterable[bytes]) -> set[bytes]:
    """Those of the needles that stand in the file's bytes, and in none of its rows."""
    there = wiping.scan(db.path, set(needles))
    return there - db.read(wiping.still_kept, there) if there else there


def _later(db: Database, why: str, left: tuple[str, ...], backups: tuple[str, ...]) -> Wiped:
    db.write(wiping.put_off, why)
    return Wiped(pending=why, left=left, backups=backups)


def finish_wipe(db: Database, *, clock: Callable[[], int] = clocks.now, owner: str = "wipe") -> bool:
    """
    Finish a wipe that could not be finished, or was killed: the file is written anew, whatever it holds. Whether none
    is wanting any more. Quick where none is.
    """
    if db.readonly or str(db.path) == ":memory:" or db.read(wiping.pending) is None:
        return True
    if not db.write(jobs.take, LEASE, owner, now=clock(), for_s=LEASE_S):
        return False
    try:
        db.write(wiping.close_up)
        if not wiping.vacuum(db):
            db.write(wiping.put_off, NO_ROOM)
            return False
        if not wiping.cut_log(db):
            db.write(wiping.put_off, BUSY)
            return False
        db.write(wiping.done)
        db.checkpoint()
    finally:
        db.write(jobs.release, LEASE, owner)
    return True
