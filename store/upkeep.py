"""What upkeep did last, task by task: kept in the file, so that any process can tell."""

from __future__ import annotations

from dataclasses import dataclass

import apsw

from .rows import fetch


@dataclass(frozen=True, slots=True)
class Done:
    """
    The last round of one task.

    Attributes:
        took_us: how long it took, all pieces together.
        did: how many rows it touched.
        left_over: it stopped before its end, and goes on.
        error: what it failed of; None where it did not.
    """

    name: str
    ran_at: int
    took_us: int
    did: int
    left_over: bool = False
    error: str | None = None


def every(con: apsw.Connection) -> dict[str, Done]:
    """The last round of each task, by its name."""
    rows = fetch(con, "select name, ran_at, took_us, did, left_over, error from upkeep order by name")
    return {
        name: Done(name, ran_at, took_us, did, bool(left_over), error)
        for name, ran_at, took_us, did, left_over, error in rows
    }


def note(con: apsw.Connection, done: Done) -> None:
    """Keep what a task did in place of what it did before."""
    con.execute(
        """
        insert into upkeep(name, ran_at, took_us, did, left_over, error) values (?, ?, ?, ?, ?, ?)
        on conflict(name) do update set
          ran_at = excluded.ran_at, took_us = excluded.took_us, did = excluded.did,
          left_over = excluded.left_over, error = excluded.error""",
        (done.name, done.ran_at, done.took_us, done.did, done.left_over, done.error),
    )
