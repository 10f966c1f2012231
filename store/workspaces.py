"""Workspaces: a repository or folder under one id, however many keys lead to it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import apsw

from .ids import new_ulid
from .rows import fetch, first, value

KeyKind = Literal["remote", "common_dir", "folder"]
Key = tuple[KeyKind, str]


def find(con: apsw.Connection, keys: Sequence[Key]) -> int | None:
    """The workspace that the first known key leads to."""
    for _, key in keys:
        row = first(
            con,
            """
            select coalesce(workspace.same_as, workspace.id)
            from workspace_key join workspace on workspace.id = workspace_key.workspace
            where workspace_key.key = ?""",
            (key,),
        )
        if row:
            return int(row[0])
    return None


def register(con: apsw.Connection, keys: Sequence[Key], name: str, *, now: int) -> int:
    """The workspace that one of the keys leads to, made if there is none; all keys lead to it from now on."""
    id_ = find(con, keys)
    if id_ is None:
        id_ = value(
            con,
            "insert into workspace(ulid, name, created_at) values (?, ?, ?) returning id",
            (new_ulid(now), name, now),
        )
    learn(con, id_, keys, now=now)
    return int(id_)


def learn(con: apsw.Connection, workspace: int, keys: Sequence[Key], *, now: int) -> None:
    """Let keys that lead nowhere yet lead to that workspace."""
    con.executemany(
        "insert into workspace_key(key, kind, workspace, created_at) values (?, ?, ?, ?) on conflict do nothing",
        [(key, kind, workspace, now) for kind, key in keys],
    )


def point(con: apsw.Connection, workspace: int, keys: Sequence[Key], *, now: int) -> None:
    """Let keys lead to that workspace, wherever they led before."""
    con.executemany(
        """
        insert into workspace_key(key, kind, workspace, created_at) values (?, ?, ?, ?)
        on conflict(key) do update set workspace = excluded.workspace""",
        [(key, kind, workspace, now) for kind, key in keys],
    )


def move_in(con: apsw.Connection, keys: Sequence[Key], name: str, *, now: int) -> int:
    """A new workspace that these keys lead to from now on: another repository lives at that path."""
    con.executemany("delete from workspace_key where key = ?", [(key,) for _, key in keys])
    return register(con, keys, name, now=now)


def unite(con: apsw.Connection, one: int, other: int) -> int:
    """The older of two workspaces, under which both are one from now on."""
    heads = sorted({_head(con, one), _head(con, other)})
    if len(heads) == 2:
        con.execute("update workspace set same_as = ?1 where id = ?2 or same_as = ?2", heads)
        con.execute("update workspace set same_as = null where id = ?", (heads[0],))
    return heads[0]


def family(con: apsw.Connection, workspace: int) -> list[int]:
    """All workspaces that are one with that one, the head first."""
    head = _head(con, workspace)
    rows = fetch(con, "select id from workspace where id = ?1 or same_as = ?1 order by id", (head,))
    return [int(row[0]) for row in rows]


def places(con: apsw.Connection, workspace: int | None) -> list[int]:
    """The workspaces that are one with that one; 0 alone for what is global, as `ifnull(workspace, 0)` has it."""
    return [0] if workspace is None else family(con, workspace)


def name(con: apsw.Connection, workspace: int) -> str | None:
    """What the workspace is called."""
    row = first(con, "select name from workspace where id = ?", (workspace,))
    return str(row[0]) if row else None


def named(con: apsw.Connection, wanted: str) -> list[int]:
    """The workspaces of that name, each family once."""
    rows = fetch(
        con, "select distinct coalesce(same_as, id) from workspace where name = ? order by 1", (wanted,)
    )
    return [int(row[0]) for row in rows]


def with_remote(con: apsw.Connection, remote: str) -> list[int]:
    """The workspaces known by that remote, whatever their root commit, each family once."""
    prefix = f"remote:{remote}#"
    rows = fetch(
        con,
        """
        select distinct coalesce(workspace.same_as, workspace.id)
        from workspace_key join workspace on workspace.id = workspace_key.workspace
        where workspace_key.key = ?1 or substr(workspace_key.key, 1, ?3) = ?2""",
        (f"remote:{remote}", prefix, len(prefix)),
    )
    return [int(row[0]) for row in rows]


def remotes(con: apsw.Connection, workspace: int) -> list[str]:
    """The remote keys that lead to a workspace or to one that is one with it."""
    rows = fetch(
        con,
        """
        select workspace_key.key
        from workspace join workspace_key on workspace_key.workspace = workspace.id
        where workspace_key.kind = 'remote' and coalesce(workspace.same_as, workspace.id) = ?
        order by workspace_key.key""",
        (_head(con, workspace),),
    )
    return [str(row[0]) for row in rows]


def elder(con: apsw.Connection, one: int, other: int) -> int:
    """The older of two workspaces; which that is, every file says alike."""
    row = first(
        con, "select id from workspace where id in (?, ?) order by created_at, ulid limit 1", (one, other)
    )
    return int(row[0]) if row else one


def known_by(con: apsw.Connection, workspace: int) -> str:
    """What a workspace is known by on every machine: its remote; where it has none, only its own id."""
    keys = remotes(con, workspace)
    return (
        keys[0]
        if keys
        else str(value(con, "select ulid from workspace where id = ?", (_head(con, workspace),)))
    )


def _head(con: apsw.Connection, workspace: int) -> int:
    row = first(con, "select coalesce(same_as, id) from workspace where id = ?", (workspace,))
    return int(row[0]) if row else workspace
