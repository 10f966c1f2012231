"""What a session begins with, read by a hook that found no server. Standard library only; hooks carry a copy."""

# pathlib takes 24 ms to import, which a hook does not have.
# ruff: noqa: PTH117

from __future__ import annotations

import os

from .peek import COLUMNS, GIVEN, LIVE, WHOLE, Place, Row

TYPE_CHECKING = False
if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Sequence
    from typing import Any

DIGEST_TURNS, DIGEST_PROFILE = 6, 12
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


def digest(con: sqlite3.Connection, place: Place, *, forget_given: bool) -> list[Row]:
    """What a session begins with: the profile, then this workspace's latest turns of other sessions."""
    found: list[Row] = []
    for which, given in ((_PROFILE, WHOLE), (_TURNS, f"({WHOLE} or {IN_LINE})")):
        new = "1" if forget_given else f"not {given}"
        sql = f"select {COLUMNS} from memory where {LIVE} and {new} and {which}"
        found += map(Row, con.execute(sql, place.values).fetchall())
    return found


_PROFILE = f"""memory.kind = 'profile'
order by memory.importance desc, memory.recorded_at desc, memory.id desc
limit {DIGEST_PROFILE}"""
_TURNS = f"""memory.kind = 'turn' and memory.session is not :session and {HERE}
order by coalesce(memory.valid_from, memory.recorded_at) desc, memory.id desc
limit {DIGEST_TURNS}"""


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
