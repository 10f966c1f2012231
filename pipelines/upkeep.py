"""Conductor of upkeep: a table of tasks, each done now and then, piece by piece, so that nobody waits for one."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from ..store import jobs, upkeep
from ..store.clock import SECOND_US
from ..store.db import Database
from ..store.errors import BackstoryError, StoreBusy
from ..store.upkeep import Done
from .upkeep_tasks import TASKS, Piece, Task, Workplace

log = logging.getLogger(__name__)

# One process at a time; one that was killed is followed after this long.
LEASE, LEASE_S = "upkeep", 60
# What found nothing to do is noted no more often than this: a file that nobody writes to is to be left in peace.
NOTED_S = 3600
# What failed is tried again so soon, even where it is done rarely.
AGAIN_S = 3600
# The file was busy: others have work to do.
YIELD_S = 30


@dataclass(slots=True)
class _Round:
    """A task's round in this process: since when it goes, what it has done so far, when it is next due."""

    did: int = 0
    took_us: int = 0
    goes_on: bool = False
    ran_at: int | None = None
    not_before_at: int = 0


class Upkeep:
    """The tasks of one file, and who does them. Not for several threads at once."""

    def __init__(
        self,
        db: Database,
        place: Workplace,
        *,
        owner: str,
        clock: Callable[[], int],
        tasks: Sequence[Task] = TASKS,
    ) -> None:
        """`owner` names this worker in the lease."""
        self._db, self._place, self._owner, self._clock = db, place, owner, clock
        self._tasks = tasks
        self._rounds = {task.name: _Round() for task in tasks}
        self._leased_until = 0
        self._began_at = clock()

    def step(self) -> bool:
        """Do one piece of the task that has been due for longest; False where none is, or another process is at it."""
        if self._db.readonly:
            return False
        now = self._clock()
        known = self._db.read(upkeep.every)
        due = [(self._due_at(task, known.get(task.name), now), task) for task in self._tasks]
        due = [(at, task) for at, task in due if at <= now]
        if not due or not self._lease(now):
            return False
        _, task = min(due, key=lambda one: one[0])
        self._piece(task, known.get(task.name), now)
        return True

    def everything(self, stopped: Callable[[], bool] = lambda: False) -> dict[str, Done]:
        """Do all tasks to their ends, those that read the whole file only where they are due; what came of each."""
        if self._db.readonly or not self._lease(self._clock()):
            return {}
        came: dict[str, Done] = {}
        for task in self._tasks:
            known = self._db.read(upkeep.every).get(task.name)
            now = self._clock()
            if not task.asked and self._due_at(task, known, now) > now:
                continue
            while not stopped() and self._lease(self._clock()):
                came[task.name] = self._piece(task, known, self._clock(), noted=True)
                if not self._rounds[task.name].goes_on:
                    break
        self.let_go()
        return came

    def let_go(self) -> None:
        """Give the lease back."""
        if self._leased_until:
            self._leased_until = 0
            self._db.write(jobs.release, LEASE, self._owner)

    def _due_at(self, task: Task, known: Done | None, now: int) -> int:
        its = self._rounds[task.name]
        # A moment ahead of us was noted by a clock that has been put back since.
        moments = [at for at in (its.ran_at, known.ran_at if known else None) if at is not None and at <= now]
        if its.goes_on or (known is not None and known.left_over):
            at = max(moments, default=0)
        else:
            every_s = min(task.every_s, AGAIN_S) if known is not None and known.error else task.every_s
            at = max(moments) + every_s * SECOND_US if moments else 0
        waits = (its.not_before_at, self._began_at + task.settled_s * SECOND_US if task.settled_s else 0)
        return max([at, *(until for until in waits if until <= now + AGAIN_S * SECOND_US)])

    def _piece(self, task: Task, known: Done | None, now: int, *, noted: bool = False) -> Done:
        its = self._rounds[task.name]
        began_s, error = time.perf_counter(), None
        try:
            piece = task.work(self._db, self._place, now)
        except StoreBusy:
            its.not_before_at = now + YIELD_S * SECOND_US
            piece = Piece(left_over=its.goes_on)
        except Exception as e:
            # One task's failure is told in `status`, and stops no other.
            error = str(e) if isinstance(e, BackstoryError) else f"{type(e).__name__}: {e}"
            if known is None or known.error != error:
                log.exception("upkeep: %s failed", task.name)
            piece = Piece()
        took_us = int((time.perf_counter() - began_s) * 1e6)
        done = Done(
            task.name, now, (its.took_us if its.goes_on else 0) + took_us, (its.did if its.goes_on else 0) + piece.did,
            piece.left_over, error,
        )  # fmt: skip
        self._rounds[task.name] = replace(
            its, did=done.did, took_us=done.took_us, goes_on=piece.left_over, ran_at=now
        )
        if noted or _tells(done, known, now):
            self._db.write(upkeep.note, done)
        return done

    def _lease(self, now: int) -> bool:
        if now < self._leased_until - LEASE_S * SECOND_US // 2 <= now + LEASE_S * SECOND_US:
            return True
        if self._db.write(jobs.take, LEASE, self._owner, now=now, for_s=LEASE_S):
            self._leased_until = now + LEASE_S * SECOND_US
            return True
        self._leased_until = 0
        return False


def _tells(done: Done, known: Done | None, now: int) -> bool:
    """Whether what a piece came to is news to whoever looks."""
    if known is None or known.left_over or done.left_over or known.error != done.error:
        return True
    return done.did > 0 or not 0 <= now - known.ran_at < NOTED_S * SECOND_US
