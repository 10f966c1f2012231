"""Conductor of late merging: what was written before it could be held against its neighbours, a piece at a time."""

from __future__ import annotations

import apsw

from ...store import conflicts, likeness, memories, runs, slots, vector_indexes, vectors
from ...store.cutter import Cut
from ...store.db import Database
from ...store.models import Memory
from .. import due, placing
from . import folding
from .compare import held_against
from .funnel import CANDIDATES
from .funnel import keep_up as make_keys
from .reading import VERSION, read

# Neighbours by vector that a memory is held against.
NEAREST = 8
# A look for neighbours by vector reads the vectors of a whole workspace: 0.75 ms CPU for a thousand. In a file of more
# memories than this it would take longer than a job may, and the keys alone tell: what says the same has the same key.
SCANNED = 10_000
# Keys made in one transaction: a few milliseconds, nobody waits behind them.
KEYS = 20
LEASE_S = 60
AT_ONCE = 1


def step(db: Database, owner: str, *, cut: Cut | None, now: int) -> bool:
    """
    Do one bounded piece: keys that are lacking, else one memory held against what lies near it. Whether there was any.
    """
    if db.readonly:
        return False
    if keep_up(db, cut):
        return True
    done = due.each(
        db, vectors.NEIGHBOURS, owner,
        lambda job: db.write(settle, int(job.key), cut=cut, now=now),
        now=now, lease_s=LEASE_S, limit=AT_ONCE,
    )  # fmt: skip
    return done > 0


def keep_up(db: Database, cut: Cut | None) -> int:
    """Make some of the keys that are lacking, or were made by other rules; how many."""
    if not db.read(likeness.lacks, version=VERSION):
        return 0
    return db.write(make_keys, cut, limit=KEYS)


def settle(con: apsw.Connection, id_: int, *, cut: Cut | None, now: int) -> None:
    """Hold a memory against its neighbours: what says the same becomes one, what says the opposite is history."""
    memory = memories.by_ids(con, [id_]).get(id_)
    if memory is None or not likeness.comparable(con, [id_], kind=memory.kind, scope=memory.scope, now=now):
        return
    reading = read(memory.text, cut)
    disputed = {one.id for one in conflicts.against(con, [id_], now=now).get(id_, ())}
    for other in _neighbours(con, memory, reading.key, now=now):
        if other.root == memory.root or (memory.slot and memory.slot == other.slot):
            continue  # its slot says which is so when
        verdict = held_against(reading, read(other.text, cut))
        if verdict.kind == "same" and not reading.deictic and memory.expires_at == other.expires_at:
            kept, gone = which_stays(memory, other)
            if kept is not None and gone is not None:
                unite(con, kept, gone, verdict.reason, now=now)
                if gone.id == memory.id:
                    return
        elif verdict.kind == "opposed" and other.id not in disputed and not _outranks(memory, other):
            newer, older = sorted((memory, other), key=_age, reverse=True)
            supersede(con, newer, older, why=verdict.reason, cut=cut, now=now)
            if older.id == memory.id:
                return


def _neighbours(con: apsw.Connection, memory: Memory, key: str, *, now: int) -> list[Memory]:
    """What lies near a memory, by its key and by its vector: live, in the same place, itself left out."""
    near = [
        id_
        for index in vector_indexes.answering(con)[: vector_indexes.newest(con) <= SCANNED]
        for id_ in vectors.near(con, memory.id, index=index.id, k=NEAREST)
    ]
    by_key = (
        likeness.alike(con, key, kind=memory.kind, scope=memory.scope, now=now, limit=CANDIDATES)
        if key
        else []
    )
    by_vector = likeness.comparable(con, near, kind=memory.kind, scope=memory.scope, now=now)
    ours = folding.words_of(memory.text)
    near_by = [one for one in by_vector if folding.overlap(ours, folding.words_of(one.text))]
    found = {one.id: one for one in (*by_key, *near_by) if one.id != memory.id}
    return list(found.values())


def which_stays(one: Memory, other: Memory) -> tuple[Memory | None, Memory | None]:
    """Of two that say the same: the one that stays, and the one that goes; none where each has a slot of its own."""
    older, younger = sorted((one, other), key=_age)
    if slots.is_named(older.slot) and slots.is_named(younger.slot):
        return None, None
    if slots.is_named(younger.slot) or (
        younger.origin == "user" != older.origin and not slots.is_named(older.slot)
    ):
        return younger, older
    return older, younger


def unite(
    con: apsw.Connection, kept: Memory, gone: Memory, why: str, *, now: int, supported: bool = True
) -> None:
    """
    One memory in place of two that say the same, with the evidence of both where what goes is `supported`; that is
    retired, and leads to it.
    """
    if supported:
        memories.inherit(con, kept.id, gone.id)
    memories.retire(con, gone.id, why=f"{why} as {kept.short}", now=now)
    memories.link(con, kept.id, gone.id, "supersedes", now=now, data={"relation": "supplement"})
    runs.log(con, runs.Run("merge", "same", why, gone.turn, (kept.id, gone.id)), at=now)


def supersede(con: apsw.Connection, new: Memory, old: Memory, *, why: str, cut: Cut | None, now: int) -> None:
    """Of two that say the opposite, the newer is current; the older is history, true until the newer was."""
    why = f"{why}; the newer is current"
    placing.close(con, old, until=_age(new)[0], why=why, cut=cut, now=now)
    memories.link(con, new.id, old.id, "supersedes", now=now, data={"relation": "negate"})
    runs.log(con, runs.Run("merge", "opposed", why, new.turn, (new.id, old.id)), at=now)


def _outranks(one: Memory, other: Memory) -> bool:
    """Whether one is the user's word and the other from elsewhere: neither makes the other history."""
    origins = {one.origin, other.origin}
    return "user" in origins and bool(origins & {"external", "tool"})


def _age(memory: Memory) -> tuple[int, int]:
    return memory.true_from, memory.id
