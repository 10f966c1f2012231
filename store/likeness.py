"""The keys by which what says the same, or the opposite, is found: made beside the memories, looked up at once."""

from __future__ import annotations

import json
from collections.abc import Sequence

import apsw

from . import workspaces
from .memories import COLUMNS, from_row
from .models import Kind, Memory, Scope
from .rows import fetch, first
from .vectors import NEIGHBOURS
from .work import DID

# What is compared; a turn's memory mirrors its events, a summary is of many things.
COMPARED: tuple[Kind, ...] = ("profile", "fact", "intention", "experience")
# What a turn did is its one fact, however much it resembles another turn's.
_OF_ONE_TURN = f"{DID}*"
# Of one key, so many of the latest rows are looked at, whoever they belong to.
LATEST = 200


def without(con: apsw.Connection, *, version: int, limit: int) -> list[tuple[int, str | None]]:
    """
    Memories that have no key yet, or one by other rules, in order: the row, and its text where it is compared.

    Two looks at an index, at any size of file: ids are given once and in order.
    """
    values = {"version": version, "limit": limit, "kinds": json.dumps(COMPARED), "own": _OF_ONE_TURN}
    new = fetch(
        con,
        f"""
        select id, {_TEXT} from memory
        where id > (select coalesce(max(memory), 0) from likeness)
        order by id
        limit :limit""",
        values,
    )
    old = fetch(
        con,
        f"""
        select id, {_TEXT} from memory
        where id in (
          select memory from likeness where version < :version
          union all select memory from likeness where version > :version limit :limit)
        order by id""",
        values,
    )
    return [(int(id_), text) for id_, text in (*new, *old)]


_TEXT = """
  iif(kind in (select value from json_each(:kinds)) and retired_at is null and ifnull(slot, '') not glob :own,
    text, null)"""


def lacks(con: apsw.Connection, *, version: int) -> bool:
    """Whether any memory has no key yet, or one by other rules."""
    row = first(
        con,
        """
        select (select coalesce(max(id), 0) from memory) > (select coalesce(max(memory), 0) from likeness)
          or (select min(version) from likeness) < ?1 or (select max(version) from likeness) > ?1""",
        (version,),
    )
    return row is not None and bool(row[0])


def put(con: apsw.Connection, keys: Sequence[tuple[int, str]], *, version: int) -> None:
    """
    Keep the keys of memories, made by the rules of that version. One that a live memory has already is looked at: the
    two may have come to stand beside each other by a way on which nobody compared them.
    """
    con.executemany(
        """
        insert into likeness(memory, key, version) values (?, ?, ?)
        on conflict(memory) do update set key = excluded.key, version = excluded.version""",
        [(memory, key, version) for memory, key in keys],
    )
    con.executemany(
        f"""
        insert into job(kind, key, created_at)
        select '{NEIGHBOURS}', cast(id as text), recorded_at from memory
        where id = :memory and retired_at is null and exists (
          select 1 from (select memory from likeness where key = :key and key <> '' order by memory desc limit {LATEST})
            one cross join memory other on other.id = one.memory
          where one.memory <> :memory and other.retired_at is null)
        on conflict(kind, key) do nothing""",
        [{"memory": memory, "key": key} for memory, key in keys if key],
    )


def alike(con: apsw.Connection, key: str, *, kind: Kind, scope: Scope, now: int, limit: int) -> list[Memory]:
    """
    Live memories of that key, kind and user, in that workspace (None: global) or one that is the same, the latest
    first. What has faded is live here: it still says what it says.
    """
    family = workspaces.places(con, scope.workspace)
    rows = fetch(
        con,
        f"""
        select {COLUMNS}
        from (select memory from likeness where key = :key and key <> '' order by memory desc limit {LATEST}) found
          cross join memory on memory.id = found.memory
        where {_COMPARABLE}
        order by memory.id desc
        limit :limit""",
        _bound(kind, scope, family, now, {"key": key, "limit": limit}),
    )
    return [from_row(row) for row in rows]


def comparable(
    con: apsw.Connection, ids: Sequence[int], *, kind: Kind, scope: Scope, now: int
) -> list[Memory]:
    """Those of the memories that `alike` would look at, by their rows."""
    family = workspaces.places(con, scope.workspace)
    rows = fetch(
        con,
        f"""
        select {COLUMNS} from json_each(:ids) given cross join memory on memory.id = given.value
        where {_COMPARABLE}
        order by memory.id desc""",
        _bound(kind, scope, family, now, {"ids": json.dumps(list(ids))}),
    )
    return [from_row(row) for row in rows]


_COMPARABLE = """
  memory.user = :user and memory.kind = :kind
  and ifnull(memory.workspace, 0) in (select value from json_each(:family))
  and memory.retired_at is null
  and (memory.valid_to is null or memory.valid_to > :now)
  and (memory.expires_at is null or memory.expires_at > :now)
  and ifnull(memory.slot, '') not glob :own"""


def _bound(
    kind: Kind, scope: Scope, family: Sequence[int], now: int, more: dict[str, str | int]
) -> dict[str, str | int]:
    return {
        "user": scope.user,
        "kind": kind,
        "family": json.dumps(family),
        "now": now,
        "own": _OF_ONE_TURN,
        **more,
    }
