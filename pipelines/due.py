"""Jobs that are due, carried out one by one: what fails is logged, and waits for its next try."""

from __future__ import annotations

import logging
from collections.abc import Callable

import apsw

from ..store import jobs, runs
from ..store.db import Database
from ..store.errors import BackstoryError
from ..store.jobs import Job

log = logging.getLogger(__name__)


def each(
    db: Database,
    kind: str,
    owner: str,
    carry_out: Callable[[Job], object],
    *,
    now: int,
    lease_s: float,
    limit: int = 1,
    turn_of: Callable[[Job], int | None] = lambda _: None,
) -> int:
    """
    How many jobs of that kind were taken, and are done or have failed. `turn_of`: what a failure is logged under.

    Raises:
        BackstoryError: as `carry_out`; the job is taken up again when its lease is over.
    """
    if db.readonly or not db.read(jobs.is_due, kind, now=now):
        return 0
    claimed = db.write(jobs.claim, kind, owner, now=now, lease_s=lease_s, limit=limit)
    for job in claimed:
        try:
            carry_out(job)
        except BackstoryError:
            raise
        except Exception as e:
            log.exception("the job %s failed", kind)
            why = f"{type(e).__name__}: {e}"[:300]
            db.write(_failed, job, owner, runs.Run(kind, runs.FAILED, why, turn_of(job)), now=now)
        else:
            db.write(jobs.done, job.id, owner)
    return len(claimed)


def _failed(con: apsw.Connection, job: Job, owner: str, run: runs.Run, *, now: int) -> None:
    jobs.fail(con, job.id, owner, run.reason, now=now)
    runs.log(con, run, at=now)
