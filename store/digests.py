"""What a session begins with, and what stands in a chat whatever is asked: who it is with, and what is planned."""

from __future__ import annotations

import json
from collections.abc import Sequence

import apsw

from .filters import CONDITION, Filter
from .memories import COLUMNS, from_row
from .models import Memory
from .peek import DOUBTED
from .peek_start import LATEST
from .rows import fetch


def latest_work(
    con: apsw.Connection,
    *,
    user: str,
    workspaces: Sequence[int],
    branch: str | None,
    not_session: str | None,
    now: int,
) -> list[Memory]:
    """
    Where those workspaces were left by other sessions, global ones where there is none: the latest turns, this
    branch's first, each as the fact that tells what was done in it, where there is one.
    """
    rows = fetch(
        con,
        LATEST.format(columns=COLUMNS),
        {
            "user": user, "workspaces": json.dumps(list(workspaces)), "nowhere": not workspaces, "branch": branch,
            "session": not_session, "now": now,
        },
    )  # fmt: skip
    return [from_row(row) for row in rows]


def standing(con: apsw.Connection, wanted: Filter, *, limit: int) -> list[Memory]:
    """The user's profile as far as the reading may see it, of its time: the most important first."""
    sql = _STANDING.format(held="" if wanted.of_the_past else _HELD)
    rows = fetch(con, sql, {**wanted.values(), "limit": limit})
    return [from_row(row) for row in rows]


def intentions(con: apsw.Connection, wanted: Filter, *, limit: int) -> list[Memory]:
    """
    What is planned and still to come, as far as the reading may see it, at its time: by its day, what has none last.
    """
    sql = _INTENTIONS.format(held="" if wanted.of_the_past else _HELD)
    rows = fetch(con, sql, {**wanted.values(), "limit": limit})
    return [from_row(row) for row in rows]


def news(
    con: apsw.Connection, wanted: Filter, *, source: str, session: str, since: int | None, limit: int
) -> list[Memory]:
    """
    What a session was not told and should be: plans for which this is the last day, and what became known elsewhere of
    the user after it began at `since` (None: it begins only now, and was told nothing that could have changed).
    """
    here = {"to_source": source, "to_session": session, "began_at": since, "limit": limit}
    return [from_row(row) for row in fetch(con, _NEWS, {**wanted.values(), **here})]


_NEWS = f"""
select {COLUMNS}
from (
  select id from memory where user = :user and kind = 'profile' and retired_at is null and recorded_at > :began_at
  union all
  select id from memory where workspace is null and kind = 'intention'
  union all
  select id from memory
  where workspace in (select value from json_each(:workspaces)) and kind = 'intention') perhaps
cross join memory on memory.id = perhaps.id
where memory.retired_at is null and memory.trust >= {DOUBTED} and {CONDITION}
  and (memory.kind = 'profile'
       or date((memory.expires_at - 1) / 1000000, 'unixepoch', 'localtime')
          <= date(:now_at / 1000000, 'unixepoch', 'localtime'))
  and not (memory.source is :to_source and memory.session is :to_session
           and memory.recorded_at >= coalesce(:began_at, 0))
  and not exists (
    select 1 from delivery
    where delivery.source = :to_source and delivery.session = :to_session and delivery.root = memory.root
      and delivery.hash in (memory.hash, 'line:' || memory.hash))
order by memory.kind, memory.expires_at is null, memory.expires_at, memory.recorded_at desc, memory.id desc
limit :limit"""

# What the condition says of a living reading anyway, for the sake of its indexes.
_HELD = f"memory.retired_at is null and memory.trust >= {DOUBTED} and"
_STANDING = f"""
select {COLUMNS} from memory
where memory.kind = 'profile' and {{held}} {CONDITION}
order by memory.importance desc, memory.recorded_at desc, memory.id desc
limit :limit"""

# As in `peek_start`: each way to the index, and no other.
_INTENTIONS = f"""
select {COLUMNS}
from (
  select id from memory where kind = 'intention' and :workspaces is null
  union all
  select id from memory where workspace is null and kind = 'intention' and :workspaces is not null
  union all
  select id from memory
  where workspace in (select value from json_each(:workspaces)) and kind = 'intention') planned
cross join memory on memory.id = planned.id
where {{held}} {CONDITION}
order by memory.expires_at is null, memory.expires_at, memory.recorded_at desc, memory.id desc
limit :limit"""
