"""Turns that a model is to look at once more, a few of one session together."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

import apsw

from . import jobs
from .clock import DAY_US, SECOND_US
from .rows import fetch, first, value

# The job of one turn; its key is the turn's row.
EXTRACT = "extract"
# Turns of one session that go to a model together: this many, or what there is when the first has waited so long, or
# when the session has ended.
TURNS, WAIT_US = 5, 120 * SECOND_US
# A turn that no model could be asked about for so long is left as the rules have it.
GIVEN_UP_US = 7 * DAY_US


@dataclass(frozen=True, slots=True)
class Waiting:
    """One turn of a window: its job and its row."""

    job: int
    turn: int


def wait(con: apsw.Connection, turn: int, *, now: int) -> None:
    """Let a turn that has ended be part of its session's next window."""
    jobs.enqueue(con, EXTRACT, str(turn), now=now, not_before_at=now + WAIT_US)


def is_due(con: apsw.Connection, *, now: int) -> bool:
    """Whether a window may be taken."""
    return first(con, f"{_DUE} limit 1", {"now": now, "turns": TURNS}) is not None


def take(con: apsw.Connection, owner: str, *, now: int, lease_s: float) -> list[Waiting]:
    """The turns of one session that are due, oldest first, `owner`'s alone for that long; [] where none are."""
    due = first(con, f"{_DUE} order by first_at limit 1", {"now": now, "turns": TURNS})
    if due is None:
        return []
    source, session, *_ = due
    rows = fetch(
        con,
        """
        update job set state = 'running', owner = :owner, lease_until_at = :until, tries = tries + 1
        where id in (
          select job.id from job join turn on turn.id = cast(job.key as integer)
          where job.kind = 'extract' and turn.source = :source and turn.session = :session
            and (job.state = 'waiting' and (job.tries = 0 or job.not_before_at <= :now)
                 or job.state = 'running' and job.lease_until_at <= :now)
          order by turn.started_at, turn.id limit :turns)
        returning id, cast(key as integer)""",
        {
            "owner": owner, "until": now + int(lease_s * SECOND_US), "source": source, "session": session,
            "now": now, "turns": TURNS,
        },
    )  # fmt: skip
    return [Waiting(*row) for row in sorted(rows, key=lambda row: row[1])]


# Turns that were put back wait for their moment; they do not fill a window before.
_DUE = """
select source, session, first_at from (
  select turn.source, turn.session, min(job.not_before_at) as first_at, sum(job.tries = 0) as fresh,
         max(session.ended_at is not null and job.tries = 0) as ended
  from job
  join turn on turn.id = cast(job.key as integer)
  left join session on session.source = turn.source and session.session = turn.session
  where job.kind = 'extract' and (job.state = 'waiting' or job.state = 'running' and job.lease_until_at <= :now)
  group by turn.source, turn.session)
where first_at <= :now or fresh >= :turns or ended"""


def put_back(
    con: apsw.Connection, taken: Sequence[Waiting], owner: str, *, not_before_at: int, why: str, now: int
) -> None:
    """
    Let turns wait until then: the model could not be asked, which is not their fault. What has waited for too long is
    given up; rules have kept what they found.
    """
    ids = json.dumps([one.job for one in taken])
    mine = "id in (select value from json_each(:ids)) and state = 'running' and owner = :owner"
    values = {"ids": ids, "owner": owner, "then": not_before_at, "why": why, "before": now - GIVEN_UP_US}
    con.execute(f"delete from job where {mine} and created_at < :before", values)
    con.execute(
        f"""
        update job set state = 'waiting', owner = null, lease_until_at = null, tries = 1, error = :why,
                       not_before_at = :then
        where {mine}""",
        values,
    )


def done(con: apsw.Connection, taken: Sequence[Waiting], owner: str) -> bool:
    """Strike turns off, all of them; False where one is no longer `owner`'s: then nothing must be written."""
    values = {"ids": json.dumps([one.job for one in taken]), "owner": owner}
    mine = "id in (select value from json_each(:ids)) and state = 'running' and owner = :owner"
    if value(con, f"select count(*) from job where {mine}", values) != len(taken):
        return False
    con.execute(f"delete from job where {mine}", values)
    return True
