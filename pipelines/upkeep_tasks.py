"""The tasks of upkeep: what each does in one piece, how often, and with how much at once."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import apsw

from ..store import deliveries, fading, memories, runs, signs, soundness, spending, vector_indexes, wiping
from ..store.clock import DAY_US, SECOND_US
from ..store.cutter import Cut
from ..store.db import Database
from ..store.errors import BackstoryError, StoreDamaged
from ..store.fading import Worked
from ..store.models import Memory
from . import closing, rate, strength, weigh, wipe
from .merging import late

MINUTE_S, HOUR_S, DAY_S = 60, 3600, 86_400
# At once: what one transaction may take (about 50 ms of the lock at 100,000 memories), and what one reading may.
ARCHIVED, SWEPT, SESSIONS, LOOKED_AT = 10, 500, 50, 200
# What is younger does not fade, whatever happens to its code.
YOUNG_DAYS = 7
# A session that nobody came back to for so long may be given again what it was given.
GIVEN_DAYS = 30
# Snapshots are a cache; a worktree that is come back to later is followed anew.
SNAPSHOT_DAYS = 60
# So many memories are asked for each day, to see that search still finds them.
SAMPLE = 100


@dataclass(frozen=True, slots=True)
class Piece:
    """What one piece of work came to: rows touched, and whether more is left."""

    did: int = 0
    left_over: bool = False


@dataclass(frozen=True, slots=True)
class Workplace:
    """
    What tasks need beside the file. `home` is where snapshots lie; `stopped`: whether the end was asked for. `seen` is
    how far each task has come in this process (a round that is broken off begins again), `worked` what it goes by.
    """

    cut: Cut | None = None
    home: Path | None = None
    log_days: int = 90
    stopped: Callable[[], bool] = lambda: False
    seen: dict[str, int] = field(default_factory=dict)
    worked: list[Worked] = field(default_factory=list)


Work = Callable[[Database, Workplace, int], Piece]


@dataclass(frozen=True, slots=True)
class Task:
    """
    One task. `asked`: it is done whenever a person asks for upkeep, not only when it is due. `settled_s`: it is begun
    no sooner after this process was; a client that starts has better use for the processor.
    """

    name: str
    every_s: int
    work: Work
    asked: bool = True
    settled_s: int = 0


def _plans(db: Database, place: Workplace, now: int) -> Piece:
    """Plans whose day is over are facts of what was planned."""
    closed = closing.close_plans(db, cut=place.cut, now=now)
    return Piece(closed, closed == closing.AT_ONCE)


def _expiry(db: Database, _: Workplace, now: int) -> Piece:
    """What is no longer true or of use leaves the live indexes; readings of the past find it as before."""
    ids = db.read(fading.ended, now=now, limit=ARCHIVED)
    archived = db.write(memories.archive, ids, now=now) if ids else 0
    return Piece(archived, len(ids) == ARCHIVED and archived > 0)


def _likeness(db: Database, place: Workplace, now: int) -> Piece:
    """What was written before its neighbours could be seen is held against them, one memory at a time."""
    looked_at = late.step(db, "upkeep", cut=place.cut, now=now)
    return Piece(int(looked_at), left_over=looked_at)


def _fading(db: Database, place: Workplace, now: int) -> Piece:
    """What nothing has confirmed or used for long leaves recall; its text and its evidence stay."""
    after = place.seen.get("fading", 0)
    if after == 0 or not place.worked:
        place.worked[:] = [db.read(fading.worked)]
    looked_at, found = db.read(_faded, after, place.worked[0], now=now)
    archived = db.write(_archive, found, now=now) if found else 0
    if looked_at is None:
        place.seen.pop("fading", None)
        return Piece(archived)
    place.seen["fading"] = looked_at
    return Piece(archived, left_over=True)


def _faded(
    con: apsw.Connection, after: int, worked: Worked, *, now: int
) -> tuple[int | None, list[tuple[Memory, str]]]:
    """What has faded among the next memories, with the reason; and how far was looked, None at the end."""
    rules = weigh.rules(con)
    listed = fading.old(con, after=after, before_at=now - YOUNG_DAYS * DAY_US, limit=LOOKED_AT)
    known = signs.of(con, listed, busy=rules.loud_uses)
    found = []
    for one in listed:
        its = known[one.id]
        days = worked.since(one.scope.workspace, its.alive_at)
        if why := strength.faded(one, its, rules, now=now, worked=days):
            found.append((one, why))
            if len(found) == ARCHIVED:
                return one.id, found
    return (listed[-1].id if len(listed) == LOOKED_AT else None), found


def _archive(con: apsw.Connection, found: list[tuple[Memory, str]], *, now: int) -> int:
    archived = 0
    for one, why in found:
        if memories.archive(con, [one.id], now=now):
            archived += 1
            runs.log(con, runs.Run("fade", "archived", why, one.turn, (one.id,)), at=now)
    return archived


def _revival(db: Database, place: Workplace, _: int) -> Piece:
    """What shows a sign of life after it had faded is recalled again: said or rated in a file that was merged since."""
    listed, awake = db.read(_awake, place.seen.get("revival", 0))
    for id_ in awake:
        db.write(memories.revive, id_)
    if len(listed) < LOOKED_AT:
        place.seen.pop("revival", None)
        return Piece(len(awake))
    place.seen["revival"] = listed[-1]
    return Piece(len(awake), left_over=True)


def _awake(con: apsw.Connection, after: int) -> tuple[list[int], list[int]]:
    """The next memories that had faded, and those of them that have shown a sign of life since."""
    listed = fading.archived(con, after=after, limit=LOOKED_AT)
    known = signs.of(con, listed, busy=weigh.rules(con).loud_uses)
    return [one.id for one in listed], [
        one.id for one in listed if known[one.id].alive_at > (one.archived_at or 0)
    ]


def _trust(db: Database, place: Workplace, _: int) -> Piece:
    """Trust is made anew of what was said of memories, where the settings that it is made by have changed."""
    done, last = rate.fold(db, place.seen.get("trust", 0), limit=rate.AT_ONCE)
    if last is None:
        place.seen.pop("trust", None)
        return Piece(done)
    place.seen["trust"] = last
    return Piece(done, left_over=True)


def _wipe(db: Database, _: Workplace, now: int) -> Piece:
    """What was forgotten goes out of the file's bytes, where that could not be done at once or was broken off."""
    wanted = db.read(wiping.pending)
    if wanted is None:
        return Piece()
    if wipe.finish_wipe(db, clock=lambda: now):
        return Piece(1)
    why = db.read(wiping.pending)
    raise BackstoryError(f"What was forgotten may still lie in the file: {why[1] if why else wanted[1]}")


def _compaction(db: Database, _: Workplace, __: int) -> Piece:
    """Vectors that lie alone move together, so that a search reads fewer holes."""
    for index in db.read(vector_indexes.answering):
        if rows := db.read(vector_indexes.hollow, index.id, limit=ARCHIVED):
            db.write(vector_indexes.close_up, index.id, rows)
            return Piece(len(rows), left_over=True)
    return Piece()


def _checkpoint(db: Database, _: Workplace, __: int) -> Piece:
    """The write-ahead log goes into the file; readers may hold it, and then the next time."""
    waiting = db.log_bytes()
    return Piece(int(waiting > 0 and db.checkpoint()))


def _integrity(db: Database, place: Workplace, _: int) -> Piece:
    """Each table is read in full, through a connection of its own that holds nobody up."""
    if str(db.path) == ":memory:":
        return Piece()
    apart = Database.open(db.path, readonly=True)
    try:
        names = apart.read(soundness.tables)
        at = place.seen.get("integrity", 0)
        if at >= len(names):
            at = 0
        try:
            wrong = apart.read(soundness.damage, names[at], place.stopped)
        except apsw.InterruptError:
            return Piece(at, left_over=True)
    finally:
        apart.close()
    if wrong:
        place.seen.pop("integrity", None)
        raise StoreDamaged(f"{'; '.join(wrong)}. Run `backstory doctor`.")
    place.seen["integrity"] = at + 1
    return Piece(1, left_over=at + 1 < len(names))


def _search(db: Database, _: Workplace, now: int) -> Piece:
    """A sample of memories is looked for where search would look."""
    newest = db.read(soundness.newest)
    # Another sample each day, the same for whoever looks on that day.
    chance = random.Random(now // DAY_US)  # noqa: S311
    ids = db.read(soundness.from_on, [chance.randint(1, max(newest, 1)) for _ in range(SAMPLE)])
    if lost := db.read(soundness.lost, ids):
        some = ", ".join(f"m{id_}" for id_ in lost[:3])
        raise StoreDamaged(
            f"{len(lost)} of {len(ids)} memories are not where search looks for them ({some}); run `backstory reindex`."
        )
    return Piece(len(ids))


def _logs(db: Database, place: Workplace, now: int) -> Piece:
    """What the pipeline log, and the count of what models cost, have held for longer than the settings say."""
    swept = db.write(runs.sweep, now=now, days=place.log_days, limit=SWEPT)
    swept_calls = db.write(spending.sweep, now=now, days=place.log_days) if swept < SWEPT else 0
    return Piece(swept + swept_calls, swept == SWEPT)


def _deliveries(db: Database, _: Workplace, now: int) -> Piece:
    """What sessions were given that nobody came back to."""
    swept = db.write(deliveries.sweep, before=now - GIVEN_DAYS * DAY_US, sessions=SESSIONS)
    return Piece(swept, swept > 0)


def _snapshots(_: Database, place: Workplace, now: int) -> Piece:
    """Snapshots of worktrees that nobody came back to."""
    if place.home is None:
        return Piece()
    from .git import kept

    return Piece(kept.sweep(place.home, before_s=(now - SNAPSHOT_DAYS * DAY_US) / SECOND_US))


# In this order where several are due since the same moment.
TASKS: tuple[Task, ...] = (
    Task("wipe", MINUTE_S, _wipe),
    Task("plans", MINUTE_S, _plans),
    Task("expiry", HOUR_S, _expiry),
    Task("likeness", MINUTE_S, _likeness),
    Task("trust", MINUTE_S, _trust),
    Task("revival", DAY_S, _revival),
    Task("fading", DAY_S, _fading),
    Task("compaction", HOUR_S, _compaction),
    Task("deliveries", DAY_S, _deliveries),
    Task("logs", DAY_S, _logs),
    Task("snapshots", DAY_S, _snapshots),
    Task("search", DAY_S, _search),
    Task("integrity", 7 * DAY_S, _integrity, asked=False, settled_s=10 * MINUTE_S),
    Task("checkpoint", HOUR_S, _checkpoint),
)
