"""Threads and rounds as they are written: the life of a symbol or region, version by version."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

import apsw

from . import bodies
from .ids import derived_ulid, new_ulid
from .models import Actor, Confidence, ThreadKind
from .rows import fetch, first
from .thread_names import place


@dataclass(frozen=True, slots=True)
class NewChange:
    """A change before it is stored; `words` are what asked for it where no turn of ours did (a commit's message)."""

    user: str
    workspace: int
    worktree: str
    actor: Actor
    branch: str | None
    head_before: str | None
    head_after: str | None
    happened_at: int
    files: int
    bulk: bool = False
    turn: int | None = None
    event: int | None = None
    words: str | None = None


@dataclass(frozen=True, slots=True)
class NewRound:
    """
    A round before it is stored. `before` and `after` are rows of `body`; `patch` is compressed; `branch` "" on a
    detached HEAD. Lines are those of the image after, of the image before where nothing is left.
    """

    path: str
    symbol: str
    branch: str
    status: str
    before: int | None
    after: int | None
    patch: bytes
    patch_id: bytes | None
    start: int
    end: int
    confidence: Confidence = "high"


@dataclass(frozen=True, slots=True)
class Region:
    """Where a region's thread lies in a file, lines counted from 1, both ends included."""

    thread: int
    start: int
    end: int


def add_change(
    con: apsw.Connection, new: NewChange, *, now: int, commit: tuple[str, str] | None = None
) -> tuple[int, str]:
    """
    The row of a new change, and its ULID. `commit`: the repository and the commit that it was read from; of those it
    has its ULID, so that whoever reads them makes the same change.
    """
    begun = max(0, new.happened_at)
    ulid = new_ulid(begun) if commit is None else _free(con, "change", begun, new.user, *commit)
    (row,) = fetch(
        con,
        """
        insert into change(ulid, user, workspace, worktree, actor, turn, event, words, branch, head_before, head_after,
                           bulk, files, happened_at, recorded_at)
        values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        returning id""",
        (
            ulid, new.user, new.workspace, new.worktree, new.actor, new.turn, new.event,
            new.words, new.branch, new.head_before, new.head_after, new.bulk, new.files, new.happened_at, now,
        ),
    )  # fmt: skip
    return int(row[0]), ulid


def _free(con: apsw.Connection, table: Literal["change", "thread"], at: int, *parts: str) -> str:
    """The ULID that follows from those; where it is taken (the same commit in a fork of its own), a new one."""
    ulid = derived_ulid(at, table, *parts)
    return new_ulid(at) if first(con, f"select 1 from {table} where ulid = ?", (ulid,)) else ulid


def add_file(
    con: apsw.Connection, change: int, path: str, status: str, *,
    old_path: str | None = None, named: str | None = None, before_id: str | None = None, after_id: str | None = None,
) -> None:  # fmt: skip
    """Note that a change touched a file; `named` says why its bytes were not looked at."""
    con.execute(
        """
        insert into change_file(change, path, old_path, status, named, before_id, after_id)
        values (?, ?, ?, ?, ?, ?, ?)""",
        (change, path, old_path, status, named, before_id, after_id),
    )


def of_event(con: apsw.Connection, event: int) -> set[tuple[str, str | None]]:
    """Path and symbol of every round that an event has made already, and with None every file that it touched."""
    rows = fetch(
        con,
        """
        select place.path, place.symbol
        from change join round on round.change = change.id join place on place.id = round.place
        where change.event = :event
        union
        select change_file.path, null
        from change join change_file on change_file.change = change.id
        where change.event = :event""",
        {"event": event},
    )
    return set(rows)


def open_thread(
    con: apsw.Connection,
    user: str,
    workspace: int,
    kind: ThreadKind,
    *,
    at: int,
    begins: tuple[int, str, str] | None = None,
) -> int:
    """
    The row of a new thread. `begins`: when, in which change that a commit was read to, and with what there; of those it
    has its ULID.
    """
    ulid = new_ulid(at) if begins is None else _free(con, "thread", max(0, begins[0]), kind, *begins[1:])
    (row,) = fetch(
        con,
        "insert into thread(ulid, user, workspace, kind, created_at) values (?, ?, ?, ?, ?) returning id",
        (ulid, user, workspace, kind, at),
    )
    return int(row[0])


def add_round(con: apsw.Connection, thread: int, change: int, workspace: int, new: NewRound) -> int:
    """
    The row of a new round, its number the next of its thread. Its parent is the thread's latest round whose body
    after is this one's before, of the same branch where there is one.
    """
    at = place(con, workspace, new.path, new.symbol)
    (row,) = fetch(
        con,
        """
        insert into round(thread, n, parent, change, place, status, before, after, patch, patch_id,
                          start_line, end_line, confidence)
        values (
          :thread,
          (select coalesce(max(n), 0) + 1 from round where thread = :thread),
          (select round.id from round join change on change.id = round.change
           where round.thread = :thread and round.after is :before
           order by coalesce(change.branch, '') = :branch desc, round.n desc limit 1),
          :change, :place, :status, :before, :after, :patch, :patch_id, :start, :end, :confidence)
        returning id""",
        {
            "thread": thread, "change": change, "place": at, "branch": new.branch, "status": new.status,
            "before": new.before, "after": new.after, "patch": new.patch, "patch_id": new.patch_id,
            "start": new.start, "end": new.end, "confidence": new.confidence,
        },
    )  # fmt: skip
    return int(row[0])


def same_round(
    con: apsw.Connection, thread: int, kind: ThreadKind, before: bytes | None, after: bytes | None,
    patch_id: bytes | None, status: str, *, commit: str, at: int,
) -> int | None:  # fmt: skip
    """
    The round that is the change of a commit already, made about then. It is noted of that commit; or of none yet, and
    left what the commit left (of a file of which no more is known: was made before); or it lies between the same
    bodies, or has the same patch unless the one goes on where the other ended, and is held by another commit and not
    undone later: what was undone was done once more.
    """
    row = first(
        con,
        """
        select round.id
        from round
          join change on change.id = round.change
          left join body was on was.id = round.before
          left join body is_ on is_.id = round.after
          left join round_commit held on held.round = round.id and held.commit_id = :commit
        where round.thread = :thread
          and (held.round is not null
               or not exists (select 1 from round_commit where round_commit.round = round.id)
                 and (:kind = 'file' and round.status = :status and change.happened_at < :at + 1000000
                      or :kind <> 'file' and (is_.hash is :after
                        or round.patch_id = :patch_id and is_.hash is not :before))
               or :kind <> 'file'
                 and (was.hash is :before and is_.hash is :after
                      or round.patch_id = :patch_id and is_.hash is not :before)
                 and not exists (
                   select 1 from round later join change made on made.id = later.change
                   where later.thread = :thread and later.after is round.before
                     and (made.happened_at, later.n) > (change.happened_at, round.n)))
        order by held.round is not null desc, was.hash is :before and is_.hash is :after desc, is_.hash is :after desc,
                 abs(change.happened_at - :at)
        limit 1""",
        {
            "thread": thread, "kind": kind, "before": before, "after": after, "patch_id": patch_id,
            "status": status, "commit": commit, "at": at,
        },
    )  # fmt: skip
    return int(row[0]) if row else None


def seen_regions(con: apsw.Connection, user: str, workspaces: Sequence[int], path: str) -> list[int]:
    """The threads of a file's regions, where one of those that lie there now was last seen being made."""
    rows = fetch(
        con,
        """
        select distinct round.thread
        from place
          join round on round.place = place.id
          join thread on thread.id = round.thread
        where place.workspace in (select value from json_each(:workspaces)) and place.path = :path
          and thread.user = :user and thread.kind = 'region'
          and exists (
            select 1
            from region
              join round newest on newest.thread = region.thread
              join change on change.id = newest.change
              join thread on thread.id = region.thread
            where region.path = :path and thread.user = :user and change.words is null
              and newest.n = (select max(n) from round where round.thread = region.thread))""",
        {"workspaces": json.dumps(list(workspaces)), "path": path, "user": user},
    )
    return [int(thread) for (thread,) in rows]


def commits_hold(con: apsw.Connection, rounds: Iterable[int], commit: str) -> None:
    """Note that a commit holds those rounds; twice is once."""
    con.executemany(
        "insert into round_commit(round, commit_id) values (?, ?) on conflict do nothing",
        [(one, commit) for one in rounds],
    )


def left_as(con: apsw.Connection, thread: int, after: bytes | None, patch_id: bytes | None) -> int | None:
    """The thread's latest round that left it with that body, None: with none; else the latest with that patch."""
    row = first(
        con,
        """
        select round.id
        from round left join body on body.id = round.after
        where round.thread = :thread
          and (body.hash is :after or :patch_id is not null and round.patch_id = :patch_id)
        order by body.hash is :after desc, round.n desc limit 1""",
        {"thread": thread, "after": after, "patch_id": patch_id},
    )
    return int(row[0]) if row else None


def loose_bodies(
    con: apsw.Connection, user: str, workspaces: Sequence[int], path: str, *, commit: str = ""
) -> list[tuple[int, bytes]]:
    """
    What the rounds of a file's regions left that no other commit holds yet, the latest first; without `commit` only
    the last one of each region.
    """
    rows = fetch(
        con,
        """
        select round.id, body.packed
        from place
          join round on round.place = place.id
          join thread on thread.id = round.thread
          join body on body.id = round.after
        where place.workspace in (select value from json_each(:workspaces)) and place.path = :path
          and thread.user = :user and thread.kind = 'region'
          and (:commit <> '' or round.n = (select max(n) from round last where last.thread = thread.id))
          and not exists (
            select 1 from round_commit where round_commit.round = round.id and round_commit.commit_id <> :commit)
        order by round.id desc""",
        {"workspaces": json.dumps(list(workspaces)), "path": path, "user": user, "commit": commit},
    )
    return [(int(id_), bodies.unpack(packed)) for id_, packed in rows]


def regions(
    con: apsw.Connection, user: str, workspaces: Sequence[int], path: str, branch: str
) -> list[Region]:
    """
    Where the regions of a file lie on that branch, in order of their lines; on a branch where none were met, as
    they lie where they were met last.
    """
    rows = fetch(
        con,
        """
        select region.thread, region.start_line, region.end_line, region.branch
        from region join thread on thread.id = region.thread
        where region.path = ? and thread.user = ? and thread.workspace in (select value from json_each(?))
        order by region.branch = ? desc, (select max(id) from round where round.thread = thread.id) desc""",
        (path, user, json.dumps(list(workspaces)), branch),
    )
    if not rows:
        return []
    found = [Region(int(thread), int(start), int(end)) for thread, start, end, on in rows if on == rows[0][3]]
    return sorted(found, key=lambda region: region.start)


def lay_regions(
    con: apsw.Connection, user: str, workspaces: Sequence[int], path: str, branch: str, laid: Iterable[Region]
) -> None:
    """Note where regions of a file lie now on that branch; one that is not named is gone from there."""
    con.execute(
        """
        delete from region
        where path = ? and branch = ? and exists (
          select 1 from thread
          where thread.id = region.thread and user = ? and workspace in (select value from json_each(?)))""",
        (path, branch, user, json.dumps(list(workspaces))),
    )
    con.executemany(
        """
        insert into region(thread, branch, path, start_line, end_line) values (?, ?, ?, ?, ?)
        on conflict(thread, branch) do update set
          path = excluded.path, start_line = excluded.start_line, end_line = excluded.end_line""",
        [(one.thread, branch, path, one.start, one.end) for one in laid],
    )
