"""Entities: what memories name, the names that lead to it, and which memories those are."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import apsw

from .filters import CONDITION, Filter
from .names import VERSION, Named
from .rows import fetch

# So many entities one name may lead to, and so many memories of an entity are looked through for those in reach.
LED_TO, LOOKED_THROUGH = 200, 2_000


@dataclass(frozen=True, slots=True)
class Known:
    """An entity that a name leads to: `asked` as it was looked up, `name` its own."""

    asked: str
    id: int
    kind: str
    name: str


def put(con: apsw.Connection, memory: int, names: Named) -> None:
    """Link a memory to what it names, and to nothing else; what no memory names any more is gone."""
    kept = json.dumps([(one.kind, one.name, one.forms) for one in names.entities], ensure_ascii=False)
    if names.entities:
        con.execute(
            """
            insert into entity(kind, name)
            select value ->> 0, value ->> 1 from json_each(?) where true on conflict do nothing""",
            (kept,),
        )
        con.execute(
            """
            insert into memory_entity(entity, memory)
            select entity.id, ?2 from json_each(?1) as given
              join entity on entity.kind = given.value ->> 0 and entity.name = given.value ->> 1
            where true on conflict do nothing""",
            (kept, memory),
        )
        if any(one.forms for one in names.entities):
            con.execute(
                """
                insert into entity_form(form, entity)
                select form.value, entity.id from json_each(?) as given
                  join entity on entity.kind = given.value ->> 0 and entity.name = given.value ->> 1
                  join json_each(given.value, '$[2]') as form
                where true on conflict do nothing""",
                (kept,),
            )
    con.execute(
        """
        delete from memory_entity
        where memory = ?2 and entity not in (
          select entity.id from json_each(?1) as given
            join entity on entity.kind = given.value ->> 0 and entity.name = given.value ->> 1)""",
        (kept, memory),
    )
    con.execute("delete from entity_alias where memory = ?", (memory,))
    for alias in names.aliases:
        con.execute(
            """
            insert into entity_alias(alias, entity, memory)
            select ?, id, ? from entity where kind = ? and name = ? on conflict do nothing""",
            (alias.alias, memory, alias.kind, alias.name),
        )


@dataclass(frozen=True, slots=True)
class Unread:
    """A memory to be read for what it names: its text, its data and the branch it was made on."""

    id: int
    text: str
    data: Mapping[str, Any]
    branch: str | None


def unread(con: apsw.Connection, *, limit: int, after: int | None = None) -> list[Unread]:
    """Memories that an older reading linked, or none did; with `after`, in their order, whichever did."""
    rows = fetch(
        con,
        "select id, text, data, branch from memory where named < ? order by named, id limit ?"
        if after is None
        else "select id, text, data, branch from memory where id > ? order by id limit ?",
        (VERSION if after is None else after, limit),
    )
    return [Unread(int(id_), text, json.loads(data), branch) for id_, text, data, branch in rows]


def renew(con: apsw.Connection, memory: int, text: str, names: Named) -> bool:
    """Link a memory anew to what its `text` names; False where it has another text by now."""
    con.execute("update memory set named = ? where id = ? and text = ?", (VERSION, memory, text))
    if not con.changes():
        return False
    put(con, memory, names)
    return True


def known(con: apsw.Connection, names: Iterable[tuple[str, str]]) -> list[Known]:
    """The entities that (kind, folded name) lead to, by their own name or a form of it; whoever's they are."""
    rows = fetch(
        con,
        f"""
        select asked.value ->> 1, entity.id, entity.kind, entity.name
        from json_each(:names) asked
          join entity on entity.kind = asked.value ->> 0 and entity.name = asked.value ->> 1
        union
        select * from (
          select asked.value ->> 1, entity.id, entity.kind, entity.name
          from json_each(:names) asked
            join entity_form on entity_form.form = asked.value ->> 1
            join entity on entity.id = entity_form.entity and entity.kind = asked.value ->> 0
          limit {LED_TO})""",
        {"names": json.dumps(list(names), ensure_ascii=False)},
    )
    return [Known(*row) for row in rows]


def own(con: apsw.Connection, names: Iterable[tuple[str, str]]) -> list[Known]:
    """The entities of exactly those (kind, folded name)."""
    rows = fetch(
        con,
        """
        select entity.name, entity.id, entity.kind, entity.name
        from json_each(?) asked
          join entity on entity.kind = asked.value ->> 0 and entity.name = asked.value ->> 1""",
        (json.dumps(list(names), ensure_ascii=False),),
    )
    return [Known(*row) for row in rows]


def said_aliases(
    con: apsw.Connection, kind: str, names: Sequence[str], wanted: Filter
) -> list[tuple[str, str]]:
    """(alias, name) of that kind that memories in reach say are one, where either is among `names`."""
    # The few pairs first: the condition alone would go through every memory.
    rows = fetch(
        con,
        f"""
        with pair(alias, entity, memory) as materialized (
          select alias, entity, memory from entity_alias
          where alias in (select value from json_each(:names))
          union
          select entity_alias.alias, entity_alias.entity, entity_alias.memory
          from json_each(:names) asked
            cross join entity on entity.kind = :kind and entity.name = asked.value
            cross join entity_alias on entity_alias.entity = entity.id)
        select distinct pair.alias, entity.name
        from pair
          cross join entity on entity.id = pair.entity and entity.kind = :kind
          cross join memory on memory.id = pair.memory
        where memory.retired_at is null and {CONDITION}""",
        {**wanted.values(), "kind": kind, "names": json.dumps(list(names), ensure_ascii=False)},
    )
    return [(str(alias), str(name)) for alias, name in rows]


def renamed(con: apsw.Connection, symbol: str, wanted: Filter) -> list[str]:
    """The other names, as written, of the one life in code history that went by this symbol's name."""
    rows = fetch(
        con,
        """
        with called(thread) as (
          select distinct thread_name.thread from place
            join thread_name on thread_name.place = place.id
            join thread on thread.id = thread_name.thread
          where place.symbol = :symbol and thread.user = :user and thread.kind = 'symbol'
            and (:workspaces is null or place.workspace in (select value from json_each(:workspaces))))
        select distinct place.symbol from called
          join thread_name on thread_name.thread = called.thread
          join place on place.id = thread_name.place
        where place.symbol <> :symbol and (select count(*) from called) = 1""",
        {"symbol": symbol, "user": wanted.user, "workspaces": wanted.values()["workspaces"]},
    )
    return [str(name) for (name,) in rows]


def moved(con: apsw.Connection, path: str, wanted: Filter) -> list[str]:
    """The other paths of a file that code history saw renamed, unless its old path was another file's later."""
    rows = fetch(
        con,
        """
        with renaming as (
          select change_file.id, change_file.old_path, change_file.path
          from change_file join change on change.id = change_file.change
          where (change_file.path = :path and change_file.old_path is not null or change_file.old_path = :path)
            and change.user = :user
            and (:workspaces is null or change.workspace in (select value from json_each(:workspaces))))
        select distinct iif(path = :path, old_path, path) from renaming
        where not exists (
            select 1 from change_file later
            where later.path = renaming.old_path and later.id > renaming.id)
          and (select count(distinct path) from renaming other where other.old_path = renaming.old_path) = 1""",
        {"path": path, "user": wanted.user, "workspaces": wanted.values()["workspaces"]},
    )
    return [str(other) for (other,) in rows if other]


def linked(con: apsw.Connection, ids: Sequence[int], wanted: Filter, *, k: int) -> list[int]:
    """The `k` latest memories that name one of those entities, among those the reading may see."""
    rows = fetch(
        con,
        f"""
        select memory.id from (
          select distinct memory from memory_entity
          where entity in (select value from json_each(:ids))
          order by memory desc limit {LOOKED_THROUGH}) as named
        cross join memory on memory.id = named.memory
        where {CONDITION}
        order by memory.id desc
        limit :k""",
        {**wanted.values(), "ids": json.dumps(list(ids)), "k": k},
    )
    return [int(memory) for (memory,) in rows]


def of(con: apsw.Connection, memories: Sequence[int]) -> dict[int, list[tuple[str, str]]]:
    """What each of those memories names: (kind, folded name)."""
    rows = fetch(
        con,
        """
        select memory_entity.memory, entity.kind, entity.name
        from memory_entity join entity on entity.id = memory_entity.entity
        where memory_entity.memory in (select value from json_each(?))
        order by entity.kind, entity.name""",
        (json.dumps(list(memories)),),
    )
    found: dict[int, list[tuple[str, str]]] = {}
    for memory, kind, name in rows:
        found.setdefault(int(memory), []).append((str(kind), str(name)))
    return found


def texts(con: apsw.Connection, memories: Sequence[int]) -> dict[int, str]:
    """What those memories say."""
    rows = fetch(
        con,
        "select id, text from memory where id in (select value from json_each(?))",
        (json.dumps(list(memories)),),
    )
    return {int(id_): str(text) for id_, text in rows}
