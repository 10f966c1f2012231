"""Rows that go for good: memories with all that hangs on them, events, turns, sessions, workspaces, log rows."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping

import apsw

from . import fts, sessions, vector_indexes
from .events import content_hash
from .rows import fetch
from .vector_indexes import table

# So few ids are looked for in the log one by one: to read each row's list costs ten times as much.
FEW = 20


def memories(con: apsw.Connection, ids: Collection[int]) -> None:
    """Take memories out with their evidence, links, tokens, vectors, jobs, log rows, and names that nobody else has."""
    listed = json.dumps(list(ids))
    roots = _roots(con, listed)
    named = fetch(
        con,
        "select distinct entity from memory_entity where memory in (select value from json_each(?))",
        (listed,),
    )
    vectors(con, ids)
    for statement in _OF_MEMORIES:
        con.execute(statement, (listed,))
    con.execute(
        """
        delete from entity
        where id in (select value from json_each(?))
          and not exists (select 1 from memory_entity where memory_entity.entity = entity.id)""",
        (json.dumps([entity for (entity,) in named]),),
    )
    _gone(con, [root for root in roots if root not in _still(con, roots)])
    _log(con, ids)


# The tokens first, whose triggers keep the full-text indexes in step.
_OF_MEMORIES = (
    "delete from terms where memory in (select value from json_each(?))",
    "delete from past_terms where memory in (select value from json_each(?))",
    "delete from evidence where memory in (select value from json_each(?))",
    "delete from memory where id in (select value from json_each(?))",
    "delete from job where kind = 'embed' and key in (select cast(value as text) from json_each(?))",
)


def _roots(con: apsw.Connection, listed: str) -> list[str]:
    rows = fetch(
        con, "select distinct root from memory where id in (select value from json_each(?))", (listed,)
    )
    return [str(root) for (root,) in rows]


def _still(con: apsw.Connection, roots: Collection[str]) -> set[str]:
    rows = fetch(
        con,
        "select root from memory where root in (select value from json_each(?))",
        (json.dumps(list(roots)),),
    )
    return {str(root) for (root,) in rows}


def _gone(con: apsw.Connection, roots: Collection[str]) -> None:
    listed = json.dumps(list(roots))
    con.execute("delete from delivery where root in (select value from json_each(?))", (listed,))
    con.execute("delete from feedback where root in (select value from json_each(?))", (listed,))


def undelivered(con: apsw.Connection, ids: Collection[int]) -> None:
    """Drop the notes of who was given those memories: they hold a hash of a text that has changed."""
    for root in _roots(con, json.dumps(list(ids))):
        con.execute("delete from delivery where root = ?", (root,))


def _log(con: apsw.Connection, ids: Collection[int]) -> None:
    if len(ids) <= FEW:
        for id_ in ids:
            con.execute(
                """
                delete from run
                where memories <> '[]'
                  and instr(', ' || substr(memories, 2, length(memories) - 2) || ', ', ', ' || ? || ', ') > 0""",
                (str(id_),),
            )
        return
    con.execute(
        """
        delete from run
        where memories <> '[]' and exists (
          select 1 from json_each(run.memories) named
          where named.value in (select value from json_each(?)))""",
        (json.dumps(list(ids)),),
    )


def vectors(con: apsw.Connection, ids: Collection[int]) -> None:
    """Take the vectors of memories out of every index, overwritten first."""
    for index in vector_indexes.every(con):
        nothing = bytes(4 * index.dim)
        for id_ in ids:
            con.execute(f"update {table(index.id)} set embedding = ? where rowid = ?", (nothing, id_))
            con.execute(f"delete from {table(index.id)} where rowid = ?", (id_,))
    con.execute(
        "delete from embedding where memory in (select value from json_each(?))", (json.dumps(list(ids)),)
    )


def events(con: apsw.Connection, ids: Collection[int]) -> None:
    """Take events out, with what rested on them."""
    listed = json.dumps(list(ids))
    con.execute("delete from evidence where event in (select value from json_each(?))", (listed,))
    con.execute("update change set event = null where event in (select value from json_each(?))", (listed,))
    con.execute("delete from event where id in (select value from json_each(?))", (listed,))


def blank(con: apsw.Connection, event: int, content: str, data: str, *, key: str | None, at: int) -> None:
    """
    Put blanked words of the same length in the place of an event's, as of the moment when they were forgotten; another
    key, where its own tells a hash of the old ones.
    """
    con.execute(
        """
        update event set content = ?, data = ?, hash = ?, key = coalesce(?, key),
                         blanked_at = max(ifnull(blanked_at, 0), ?)
        where id = ?""",
        (content, data, content_hash(content), key, at, event),
    )


def drop_rows(con: apsw.Connection, table_: str, ids: Collection[int]) -> None:
    """Take out feedback, or threads with their rounds, of which nothing else is known than their names."""
    con.execute(
        f"delete from {table_} where id in (select value from json_each(?))", (json.dumps(sorted(ids)),)
    )


def untell(con: apsw.Connection, ids: Collection[int]) -> list[int]:
    """
    Take the words out of turns' own memories, so that they can be told anew; the ids of those that are archived. What
    was retired stays so, and says no more.
    """
    listed = json.dumps(list(ids))
    for statement in _UNTELL:
        con.execute(statement, (listed,))
    rows = fetch(
        con,
        """
        select id from memory
        where id in (select value from json_each(?)) and archived_at is not null and retired_at is null""",
        (listed,),
    )
    return [int(id_) for (id_,) in rows]


_UNTELL = (
    "delete from terms where memory in (select value from json_each(?))",
    "delete from past_terms where memory in (select value from json_each(?))",
    "delete from evidence where memory in (select value from json_each(?))",
    """
    update memory set text = '[forgotten]', line = null, data = '{}', hash = ''
    where id in (select value from json_each(?)) and kind = 'turn'""",
)


def archive_again(con: apsw.Connection, ids: Collection[int]) -> None:
    """Put the tokens of archived memories that were told anew back to those of the past."""
    for id_ in ids:
        fts.retire(con, id_)


def stands_alone(con: apsw.Connection, turns: Collection[int], session: str | None) -> None:
    """Cut what stands loose from turns, and from a session, that go."""
    listed = json.dumps(list(turns))
    con.execute(
        """
        update memory set turn = null, session = iif(session = ?, null, session)
        where turn in (select value from json_each(?))""",
        (session, listed),
    )
    if session is not None:
        con.execute("update memory set session = null where session = ?", (session,))
        con.execute("update feedback set session = null where session = ?", (session,))
    con.execute("update change set turn = null where turn in (select value from json_each(?))", (listed,))


def turns(con: apsw.Connection, ids: Collection[int]) -> None:
    """Take turns out that have no events left, with their log rows and jobs; nothing may stand on them."""
    listed = json.dumps(list(ids))
    con.execute("delete from run where turn in (select value from json_each(?))", (listed,))
    con.execute(
        """
        delete from job
        where kind in ('distill', 'extract') and key in (select cast(value as text) from json_each(?))""",
        (listed,),
    )
    con.execute("delete from turn_alias where turn in (select value from json_each(?))", (listed,))
    con.execute("delete from turn where id in (select value from json_each(?))", (listed,))


def empty(con: apsw.Connection, turns_: Collection[int]) -> set[int]:
    """Those of the turns that hold no event any more, and made no change of code that is kept."""
    rows = fetch(
        con,
        """
        select id from turn
        where id in (select value from json_each(?))
          and not exists (select 1 from event where event.turn = turn.id)
          and not exists (select 1 from change where change.turn = turn.id)
          and not exists (select 1 from memory where memory.turn = turn.id)""",
        (json.dumps(list(turns_)),),
    )
    return {int(id_) for (id_,) in rows}


def quiet_log(con: apsw.Connection, turns_: Collection[int]) -> None:
    """Drop what a model was told of turns, and answered: it may say the same in other words."""
    con.execute(
        """
        update run set prompt = null, answer = null, prompt_hash = null, answer_hash = null
        where turn in (select value from json_each(?)) and (prompt_hash is not null or answer_hash is not null)""",
        (json.dumps(list(turns_)),),
    )


def empty_sessions(
    con: apsw.Connection, user: str, session: str | None, workspaces: Collection[int] | None
) -> int:
    """Take out the sessions that were named, or were in those workspaces, and have no turn left; how many."""
    rows = fetch(
        con,
        """
        select source, session from session
        where user = :user and (session = :session or workspace in (select value from json_each(:workspaces)))
          and not exists (
            select 1 from turn where turn.source = session.source and turn.session = session.session)""",
        {"user": user, "session": session, "workspaces": json.dumps(list(workspaces or ()))},
    )
    for source, name in rows:
        for statement in _OF_SESSION:
            con.execute(statement, (source, name))
        con.execute("delete from job where kind = ? and key = ?", (sessions.SUMMARY, f"{source}\n{name}"))
    return len(rows)


_OF_SESSION = (
    "delete from delivery where source = ? and session = ?",
    "delete from turn_alias where source = ? and session = ?",
    "delete from session where source = ? and session = ?",
)


def workspaces(con: apsw.Connection, ids: Collection[int]) -> None:
    """Take workspaces out, with the keys that lead to them; nothing may lie in them any more."""
    listed = json.dumps(list(ids))
    con.execute(
        "update session set workspace = null where workspace in (select value from json_each(?))", (listed,)
    )
    con.execute(
        "update workspace set same_as = null where same_as in (select value from json_each(?))", (listed,)
    )
    con.execute("delete from workspace_key where workspace in (select value from json_each(?))", (listed,))
    con.execute("delete from workspace where id in (select value from json_each(?))", (listed,))
    con.execute(
        """
        delete from setting
        where exists (
          select 1 from json_each(?) gone
          where name = 'paused:' || gone.value or name glob 'import:git:' || gone.value || ':*')""",
        (listed,),
    )


def replace(con: apsw.Connection, table_: str, column: str, values: Mapping[str, str | None]) -> int:
    """
    Put other values in the place of a column's, in every row that has them; how many. Where two rows become one name,
    one stands.
    """
    changed = 0
    for old, new in values.items():
        con.execute(f'update or replace "{table_}" set "{column}" = ? where "{column}" = ?', (new, old))
        changed += con.changes()
    return changed


def drop(con: apsw.Connection, table_: str, column: str, values: Collection[str]) -> int:
    """Take out the rows in which a column has one of those values; how many."""
    con.execute(
        f'delete from "{table_}" where "{column}" in (select value from json_each(?))',
        (json.dumps(list(values), ensure_ascii=False),),
    )
    return con.changes()
