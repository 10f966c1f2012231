"""Sessions as a whole: when one is over, and its turns."""

from __future__ import annotations

import apsw

from . import jobs, turns
from .models import Turn
from .rows import first

# The job of summing a session up when it is over.
SUMMARY = "summary"


def sum_up_later(
    con: apsw.Connection, source: str | None, session: str | None, *, now: int, not_before_at: int
) -> None:
    """Let a session be summed up then, if it is over."""
    if source and session:
        payload = {"source": source, "session": session}
        jobs.enqueue(con, SUMMARY, f"{source}\n{session}", payload, now=now, not_before_at=not_before_at)


def sum_up_now(con: apsw.Connection, source: str, session: str, *, now: int, not_before_at: int) -> None:
    """Let a session that has ended be summed up then, however long it would have had to be quiet."""
    jobs.clear(con, SUMMARY, f"{source}\n{session}")
    sum_up_later(con, source, session, now=now, not_before_at=not_before_at)


def quiet_at(con: apsw.Connection, source: str, session: str, *, after_us: int) -> int | None:
    """When a session counts as over for want of turns; None where it has said so itself."""
    row = first(
        con,
        """
        select session.ended_at, (
          select max(coalesce(turn.ended_at, turn.started_at)) from turn
          where turn.source = session.source and turn.session = session.session)
        from session where source = ? and session = ?""",
        (source, session),
    )
    if row is None or row[1] is None or (row[0] is not None and row[0] >= row[1]):
        return None
    return int(row[1]) + after_us


def turns_of(con: apsw.Connection, source: str, session: str, *, limit: int = 500) -> list[Turn]:
    """The turns of a session, oldest first; of a very long one the latest."""
    found = turns.latest(con, source, session, limit=limit)
    return list(reversed(found))
