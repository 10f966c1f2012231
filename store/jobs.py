"""Work that must happen once: jobs that are claimed, and leases on what only one process may do."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import apsw

from .clock import SECOND_US
from .rows import fetch, first, value

MAX_TRIES = 3
# Waits after the first and the second failure. What fails for a moment is over by then; what fails a third
# time would fail for ever, and waits for a person (`backstory doctor`).
BACKOFF_S = (30, 600)


@dataclass(frozen=True, slots=True)
class Job:
    """A piece of work in this worker's hands. `tries` counts this one."""

    id: int
    kind: str
    key: str
    payload: Mapping[str, Any]
    tries: int


@dataclass(frozen=True, slots=True)
class JobCounts:
    """How many jobs of a kind wait, run, and lie in quarantine."""

    waiting: int = 0
    running: int = 0
    failed: int = 0


@dataclass(frozen=True, slots=True)
class FailedJob:
    """A job in quarantine, with what went wrong the last time."""

    kind: str
    key: str
    tries: int
    error: str


@dataclass(frozen=True, slots=True)
class Lease:
    """Who may do a thing, and until when."""

    name: str
    owner: str
    until_at: int


def enqueue(
    con: apsw.Connection,
    kind: str,
    key: str,
    payload: Mapping[str, Any] | None = None,
    *,
    now: int,
    not_before_at: int = 0,
) -> int:
    """
    The job's row id. A job of that kind and key that waits already stays as it is.

    One that is running, or in quarantine, waits again with the new payload: what the worker has in its hands
    was asked for before this.
    """
    return int(
        value(
            con,
            """
        insert into job(kind, key, payload, not_before_at, created_at)
        values (?, ?, ?, ?, ?)
        on conflict(kind, key) do update set
          payload = case state when 'waiting' then payload else excluded.payload end,
          not_before_at = case state when 'waiting' then not_before_at else excluded.not_before_at end,
          tries = case state when 'waiting' then tries else 0 end,
          state = 'waiting', owner = null, lease_until_at = null
        returning id""",
            (kind, key, json.dumps(dict(payload or {}), ensure_ascii=False), not_before_at, now),
        )
    )


def claim(
    con: apsw.Connection, kind: str, owner: str, *, now: int, lease_s: float, limit: int = 1
) -> list[Job]:
    """
    Up to `limit` due jobs of that kind, oldest first, that are `owner`'s alone for `lease_s`. However many wait, it
    reads those it takes.

    A claim counts as a try, so that a job which kills its worker ends in quarantine like one that fails.
    """
    con.execute(
        """
        update job set
          state = 'failed', owner = null, lease_until_at = null,
          error = coalesce(error, 'its worker ended before it did')
        where kind = ? and state = 'running' and lease_until_at <= ? and tries >= ?""",
        (kind, now, MAX_TRIES),
    )
    rows = fetch(
        con,
        """
        update job set state = 'running', owner = :owner, lease_until_at = :until, tries = tries + 1
        where id in (
          select id from (
            select id from job where kind = :kind and state = 'waiting' and not_before_at <= :now
            order by not_before_at, id limit :limit)
          union all
          select id from job where kind = :kind and state = 'running' and lease_until_at <= :now
          order by id limit :limit)
        returning id, kind, key, payload, tries""",
        {
            "owner": owner, "until": now + int(lease_s * SECOND_US), "kind": kind, "now": now, "limit": limit,
        },
    )  # fmt: skip
    return [
        Job(id_, kind, key, json.loads(payload), tries) for id_, kind, key, payload, tries in sorted(rows)
    ]


def is_due(con: apsw.Connection, kind: str, *, now: int) -> bool:
    """Whether there is a job of that kind to claim."""
    row = first(
        con,
        """
        select 1 from job
        where kind = ? and (state = 'waiting' and not_before_at <= ? or state = 'running' and lease_until_at <= ?)
        limit 1""",
        (kind, now, now),
    )
    return row is not None


def done(con: apsw.Connection, id_: int, owner: str) -> bool:
    """Strike a finished job off; False where it is no longer `owner`'s."""
    con.execute("delete from job where id = ? and state = 'running' and owner = ?", (id_, owner))
    return con.changes() == 1


def put_off(con: apsw.Connection, id_: int, owner: str, *, until: int) -> None:
    """Let a job wait until then, as if it had not been tried."""
    con.execute(
        """
        update job set state = 'waiting', owner = null, lease_until_at = null, tries = 0, not_before_at = ?
        where id = ? and state = 'running' and owner = ?""",
        (until, id_, owner),
    )


def fail(con: apsw.Connection, id_: int, owner: str, error: str, *, now: int) -> bool:
    """Put a failed job back for later, the third time into quarantine; False where it is not `owner`'s."""
    con.execute(
        f"""
        update job set
          error = ?, owner = null, lease_until_at = null,
          state = iif(tries >= {MAX_TRIES}, 'failed', 'waiting'),
          not_before_at = ? + iif(tries <= 1, {BACKOFF_S[0]}, {BACKOFF_S[1]}) * {SECOND_US}
        where id = ? and state = 'running' and owner = ?""",
        (error, now, id_, owner),
    )
    return con.changes() == 1


def strike(
    con: apsw.Connection, kind: str, key: str, error: str, *, now: int
) -> Literal["waiting", "failed"]:
    """
    What becomes of work that was found by a query, not claimed, and failed: a job row from now on.

    It waits and is quarantined as a claimed one; whoever looks for such work passes it over until then.
    """
    state: Literal["waiting", "failed"] = value(
        con,
        f"""
        insert into job(kind, key, tries, error, not_before_at, created_at)
        values (:kind, :key, 1, :error, :now + {BACKOFF_S[0] * SECOND_US}, :now)
        on conflict(kind, key) do update set
          tries = tries + 1, error = excluded.error, owner = null, lease_until_at = null,
          state = iif(tries + 1 >= {MAX_TRIES}, 'failed', 'waiting'),
          not_before_at = :now + {BACKOFF_S[1] * SECOND_US}
        returning state""",
        {"kind": kind, "key": key, "error": error, "now": now},
    )
    return state


def clear(con: apsw.Connection, kind: str, key: str) -> None:
    """Forget that work was struck: it has been done, or is no longer wanted."""
    con.execute("delete from job where kind = ? and key = ?", (kind, key))


def retry(con: apsw.Connection, kind: str | None = None) -> int:
    """Let everything in quarantine (of that kind) wait again; how many."""
    con.execute(
        """
        update job set state = 'waiting', tries = 0, not_before_at = 0
        where state = 'failed' and (?1 is null or kind = ?1)""",
        (kind,),
    )
    return con.changes()


def counts(con: apsw.Connection) -> dict[str, JobCounts]:
    """The queue by kind of job."""
    rows = fetch(
        con,
        """
        select kind, sum(state = 'waiting'), sum(state = 'running'), sum(state = 'failed')
        from job
        group by kind""",
    )
    return {str(kind): JobCounts(waiting, running, failed) for kind, waiting, running, failed in rows}


def failures(con: apsw.Connection, *, limit: int = 20) -> list[FailedJob]:
    """What lies in quarantine, latest first."""
    rows = fetch(
        con,
        """
        select kind, key, tries, coalesce(error, '') from job
        where state = 'failed'
        order by id desc
        limit ?""",
        (limit,),
    )
    return [FailedJob(*row) for row in rows]


def take(con: apsw.Connection, name: str, owner: str, *, now: int, for_s: float) -> bool:
    """
    Whether the lease is `owner`'s now: it was free, had run out, or was `owner`'s before. One that lasts for longer
    than it is taken for was taken by a clock that has been put back since, and has run out, too.
    """
    until = now + int(for_s * SECOND_US)
    con.execute(
        """
        insert into lease(name, owner, until_at) values (:name, :owner, :until)
        on conflict(name) do update set owner = excluded.owner, until_at = excluded.until_at
        where owner = excluded.owner or until_at <= :now or until_at > :until""",
        {"name": name, "owner": owner, "until": until, "now": now},
    )
    return con.changes() == 1


def renew(con: apsw.Connection, name: str, owner: str, *, now: int, for_s: float) -> bool:
    """Hold the lease longer; False where another has taken it, and what is in hand must be dropped."""
    con.execute(
        "update lease set until_at = ? where name = ? and owner = ?",
        (now + int(for_s * SECOND_US), name, owner),
    )
    return con.changes() == 1


def release(con: apsw.Connection, name: str, owner: str) -> None:
    """Give the lease back; one that is another's stays."""
    con.execute("delete from lease where name = ? and owner = ?", (name, owner))


def holder(con: apsw.Connection, name: str, *, now: int) -> Lease | None:
    """Who holds the lease at this moment."""
    row = first(con, "select name, owner, until_at from lease where name = ? and until_at > ?", (name, now))
    return Lease(*row) if row else None
