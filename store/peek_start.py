"""What a session begins with, read by a hook that found no server. Standard library only; hooks carry a copy."""

# pathlib takes 24 ms to import, which a hook does not have.
# ruff: noqa: PTH117, PTH118

from __future__ import annotations

import json
import os

from .folder_key import read, real, repository
from .peek import COLUMNS, GIVEN, LIVE, WHOLE, Place, Row

TYPE_CHECKING = False
if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Sequence
    from typing import Any

DIGEST_TURNS, DIGEST_PROFILE, INTENTION_LIMIT = 6, 12, 5
# So many of the latest turns are looked at for where a workspace was left. Of the places for them these are for work on
# other branches than the one that is checked out, which may have been left long ago.
RECENT, ELSEWHERE = 300, 2
# Of an unfinished turn: how old it may be, and how much of it is told; its files are those of the latest events.
UNFINISHED_US, ASKED_CHARS, EDITS, EVENTS = 7 * 86_400_000_000, 600, 12, 300
# An open turn that another session has said nothing in for so long is no longer at work.
QUIET_US = 600_000_000

# Global is what belongs to no folder; a session in a folder that is not known yet has none of that.
HERE = "(workspace in (select value from json_each(:workspaces)) or (workspace is null and :nowhere))"
# As `deliveries.in_line`.
IN_LINE = GIVEN.format(hash="'line:' || memory.hash")


class Left:
    """
    A turn that never came to its end: what was asked, the files edited so far, and of the last step its tool, its
    command or files, whether it failed (0 for that), its result. `elsewhere`: another session may be at it still.
    """

    __slots__ = ("asked", "branch", "edited", "elsewhere", "session", "source", "started_at", "step", "turn")

    def __init__(
        self, turn: Sequence[Any], asked: str, edited: list[str], step: Sequence[Any] | None, *, elsewhere: bool
    ) -> None:  # fmt: skip
        self.turn, self.source, self.session, self.branch, self.started_at = turn
        self.asked, self.edited, self.step, self.elsewhere = asked, edited, step, elsewhere


class Begun:
    """What a session begins with: the `profile`, the open `intentions`, and where the workspace was left (`latest`)."""

    __slots__ = ("intentions", "latest", "profile")

    def __init__(self, profile: list[Row], intentions: list[Row], latest: list[Row]) -> None:
        self.profile, self.intentions, self.latest = profile, intentions, latest

    @property
    def rows(self) -> list[Row]:
        """All of it, in that order."""
        return [*self.profile, *self.intentions, *self.latest]


def digest(con: sqlite3.Connection, place: Place, *, forget_given: bool) -> Begun:
    """What a session begins with, without what it holds already; `forget_given`: it holds nothing."""

    def rows(sql: str, given: str) -> list[Row]:
        found = list(map(Row, con.execute(sql.format(columns=COLUMNS), place.values).fetchall()))
        held = set() if forget_given else _held(con, place, found, given)
        return [row for row in found if row.id not in held]

    return Begun(
        rows(_PROFILE, WHOLE), rows(_INTENTIONS, WHOLE), rows(LATEST, f"({WHOLE} or {IN_LINE})")
    )  # fmt: skip


def _held(con: sqlite3.Connection, place: Place, rows: list[Row], given: str) -> set[int]:
    """Those of the rows that the session was given, by their ids."""
    ids = json.dumps([row.id for row in rows])
    found = con.execute(
        f"select id from memory where id in (select value from json_each(:ids)) and {given}",
        {**place.values, "ids": ids},
    )
    return {id_ for (id_,) in found.fetchall()}


_PROFILE = f"""
select {{columns}} from memory
where {LIVE} and memory.kind = 'profile'
order by memory.importance desc, memory.recorded_at desc, memory.id desc
limit {DIGEST_PROFILE}"""
# Cross joins, here and below: the planner would go through all memories of the user. Each way to the index has to be
# told for itself.
_INTENTIONS = f"""
select {{columns}}
from (
  select id from memory where workspace is null and kind = 'intention'
  union all
  select id from memory
  where workspace in (select value from json_each(:workspaces)) and kind = 'intention') planned
cross join memory on memory.id = planned.id
where {LIVE}
order by memory.expires_at is null, memory.expires_at, memory.recorded_at desc, memory.id desc
limit {INTENTION_LIMIT}"""
# Of the latest turns those of this branch, with room for those of others; each as the fact that tells what was done in
# it, where there is one.
LATEST = f"""
with near as (
  select id from (
    select id, coalesce(valid_from, recorded_at) as at from memory
    where workspace in (select value from json_each(:workspaces)) and kind = 'turn'
    union all
    select id, coalesce(valid_from, recorded_at) from memory
    where workspace is null and kind = 'turn' and :nowhere)
  order by at desc, id desc
  limit {RECENT}),
recent as (
  select memory.id, memory.turn, memory.branch is :branch as here,
         coalesce(memory.valid_from, memory.recorded_at) as at
  from near cross join memory on memory.id = near.id
  where {LIVE} and memory.session is not :session),
placed as (
  select *, row_number() over (partition by here order by at desc, id desc) as place from recent),
chosen as (
  select * from placed
  order by iif(here, 2 * (place > {DIGEST_TURNS - ELSEWHERE}), 1 + 2 * (place > {ELSEWHERE})), at desc, id desc
  limit {DIGEST_TURNS})
select {{columns}}
from chosen cross join memory on memory.id = coalesce((
  select max(memory.id) from memory
  where memory.turn = chosen.turn and memory.kind = 'fact' and memory.slot glob 'did:*' and {LIVE}), chosen.id)
order by chosen.here desc, chosen.at desc, chosen.id desc"""


def branch(folder: str | None) -> str | None:
    """The branch that is checked out in a folder, as `git_files.look` has it, which takes 10 ms to import."""
    found = repository(real(folder)) if folder else None
    if found is None or found[1] is None:
        return None
    head = read(os.path.join(found[1], "HEAD")).strip()
    if head.startswith("ref:"):
        name = head.removeprefix("ref:").strip().removeprefix("refs/heads/")
        return None if name == ".invalid" else name  # a repository with reftables
    for state in ("rebase-merge", "rebase-apply"):
        name = read(os.path.join(found[1], state, "head-name")).strip()
        if name.startswith("refs/heads/"):
            return name.removeprefix("refs/heads/")
    return None


def unfinished(con: sqlite3.Connection, place: Place, *, compacted: bool) -> Left | None:
    """The place's latest turn if it never came to its end; after a compaction the session's own, if it is open."""
    which = _OWN if compacted else _LATEST
    turn = con.execute(which, {**place.values, "since": place.now - UNFINISHED_US}).fetchone()
    if turn is None or turn[5] == "done" or (compacted and turn[5] != "open"):
        return None
    id_, source, session, _, _, status, folder, last_at = turn
    asked = con.execute(_ASKED, (id_,)).fetchone()
    if asked is None or not asked[0]:
        return None
    edited = dict.fromkeys(_relative(path, folder) for (path,) in con.execute(_EDITED, (id_,)).fetchall())
    other = (source, session) != (place.source, place.session)
    return Left(
        turn[:5], asked[0], list(edited)[:EDITS], con.execute(_STEP, (id_,)).fetchone(),
        elsewhere=other and status == "open" and place.now - (last_at or 0) < QUIET_US,
    )  # fmt: skip


_TURN = """
select id, source, session, branch, started_at, status, folder,
  (select max(occurred_at) from event where event.turn = turn.id)
from turn
where {which}
order by started_at desc, id desc
limit 1"""
_OWN = _TURN.format(which="source = :source and session = :session")
_LATEST = _TURN.format(
    which=f"user = :user and started_at >= :since and session_kind = 'interactive' and {HERE}"
)
_ASKED = f"""
select substr(content, 1, {ASKED_CHARS}) from event
where turn = ? and role = 'user' and kind in ('prompt', 'message')
order by occurred_at, seq
limit 1"""
_EDITED = f"""
select path.value
from (select kind, ok, data, occurred_at, seq from event
      where turn = ? and kind in ('tool', 'edit') and data like '%"paths"%'
      order by seq desc
      limit {EVENTS}) touched
cross join json_each(touched.data, '$.paths') path
where touched.kind = 'edit' and touched.ok is not 0
order by touched.occurred_at, touched.seq, path.key"""
_STEP = """
select coalesce(nullif(tool, ''), kind),
  coalesce(nullif(json_extract(data, '$.command'), ''),
           (select group_concat(value, ', ') from json_each(event.data, '$.paths')), ''),
  ok, substr(content, 1, 2000)
from event
where turn = ? and kind in ('tool', 'edit', 'subagent')
order by occurred_at desc, seq desc
limit 1"""


def _relative(path: str, folder: str | None) -> str:
    """A path as `capture.relative` has it."""
    if not folder or not os.path.isabs(path):
        return path
    try:
        relative = os.path.relpath(path, folder)
    except ValueError:
        return path
    return path if relative.startswith("..") else relative
