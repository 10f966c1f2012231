"""Changes that were found by looking before the tool that made them had told of them."""

from __future__ import annotations

from dataclasses import dataclass

import apsw

from .ids import new_ulid
from .rows import fetch, first

LATELY = 50


@dataclass(frozen=True, slots=True)
class Step:
    """One file's part of a change: git's ids before and after, and whether a tool told of it, or it was only found."""

    change: int
    at: int
    before: str | None
    after: str | None
    told: bool


def lately(con: apsw.Connection, worktree: str, path: str, *, since: int) -> list[Step]:
    """What a file of a worktree has gone through since then, without what git did, the latest first."""
    rows = fetch(
        con,
        """
        select change.id, change.happened_at, change_file.before_id, change_file.after_id,
               coalesce(event.kind = 'edit', 0)
        from change_file
          join change on change.id = change_file.change
          left join event on event.id = change.event
        where change_file.path = ? and change.worktree = ? and change.happened_at >= ? and change.actor <> 'git'
        order by change_file.id desc limit ?""",
        (path, worktree, since, LATELY),
    )
    return [Step(change, at, before, after, bool(told)) for change, at, before, after, told in rows]


def claim(
    con: apsw.Connection, step: Step, path: str, *, turn: int | None, event: int | None, now: int
) -> None:
    """Put a step down to the agent that tells of it; the other files of its change stay whose they are."""
    row = first(con, "select count(*) from change_file where change = ?", (step.change,))
    change = step.change
    if row is not None and row[0] > 1:
        change = _apart(con, step, path, now=now)
    con.execute("update change set actor = 'agent', turn = ?, event = ? where id = ?", (turn, event, change))


def _apart(con: apsw.Connection, step: Step, path: str, *, now: int) -> int:
    """The row of a change that has that file alone, taken out of the one that has it among others."""
    (row,) = fetch(
        con,
        """
        insert into change(ulid, user, workspace, worktree, actor, turn, event, words, branch, head_before, head_after,
                           bulk, files, happened_at, recorded_at)
        select ?, user, workspace, worktree, actor, turn, event, words, branch, head_before, head_after,
               bulk, 1, happened_at, ?
        from change where id = ?
        returning id""",
        (new_ulid(step.at), now, step.change),
    )
    given = {"new": int(row[0]), "old": step.change, "path": path}
    con.execute("update change_file set change = :new where change = :old and path = :path", given)
    con.execute(
        """
        update round set change = :new
        where change = :old and place in (select id from place where path = :path)""",
        given,
    )
    con.execute("update change set files = files - 1 where id = :old", {"old": step.change})
    return int(row[0])
