"""How worktrees were when they were looked at last."""

from __future__ import annotations

import apsw

from .rows import first


def get(con: apsw.Connection, worktree: str) -> str | None:
    """The snapshot of a worktree as it was written; None for one that was not looked at yet."""
    row = first(con, "select snapshot from followed where worktree = ?", (worktree,))
    return str(row[0]) if row else None


def put(con: apsw.Connection, worktree: str, snapshot: str, *, at: int) -> None:
    """Remember how a worktree was."""
    con.execute(
        """
        insert into followed(worktree, snapshot, seen_at) values (?, ?, ?)
        on conflict(worktree) do update set snapshot = excluded.snapshot, seen_at = excluded.seen_at""",
        (worktree, snapshot, at),
    )
