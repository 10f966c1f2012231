"""Whether the file is sound, in pieces that hold nobody up: table by table, and by samples of what search goes by."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence

import apsw

from .rows import fetch, first, value

# Of one table, so many troubles are told; one is enough to act.
TROUBLES = 3


def tables(con: apsw.Connection) -> list[str]:
    """The tables that hold rows of their own, in the order of their names."""
    rows = fetch(
        con,
        """
        select name from pragma_table_list
        where schema = 'main' and type in ('table', 'shadow') and name not like 'sqlite_%'
        order by name""",
    )
    return [str(name) for (name,) in rows]


def damage(con: apsw.Connection, table: str, stopped: Callable[[], bool] = lambda: False) -> list[str]:
    """
    What is wrong with one table, in lines: its pages and indexes, and rows that point nowhere. Reads all of it.

    Raises:
        apsw.InterruptError: `stopped` said so.
    """
    name = '"' + table.replace('"', '""') + '"'
    con.set_progress_handler(stopped, 10_000)
    try:
        lines = [str(line) for (line,) in fetch(con, f"pragma quick_check({name})") if line != "ok"]
        loose = fetch(con, f"pragma foreign_key_check({name})")
    finally:
        con.set_progress_handler(None)
    lines += [f"row {row[1]} of {table} points to a row of {row[2]} that is not there" for row in loose]
    return lines[:TROUBLES]


def lost(con: apsw.Connection, ids: Sequence[int]) -> list[int]:
    """
    Those of the memories that search would miss, or find though they left recall: whose tokens lie in the wrong place,
    or of which the index does not know the word that its row begins with.
    """
    rows = fetch(
        con,
        """
        select memory.id, memory.retired_at is null and memory.archived_at is null,
               terms.memory is not null, past_terms.memory is not null,
               coalesce(terms.main, past_terms.main), coalesce(terms.grams, past_terms.grams)
        from memory
        left join terms on terms.memory = memory.id
        left join past_terms on past_terms.memory = memory.id
        where memory.id in (select value from json_each(?))
        order by memory.id""",
        (json.dumps(list(ids)),),
    )
    wrong: list[int] = []
    for memory, live, is_live, is_past, main, grams in rows:
        index = "terms_fts" if live else "past_fts"
        tokens = (main or "").split() or (grams or "").split()
        if (bool(is_live), bool(is_past)) != (bool(live), not live) or (
            tokens and not _found(con, index, memory, tokens[0])
        ):
            wrong.append(int(memory))
    return wrong


def _found(con: apsw.Connection, index: str, memory: int, token: str) -> bool:
    quoted = '"' + token.replace('"', '""') + '"'
    row = first(con, f"select 1 from {index} where {index} match ? and rowid = ?", (quoted, memory))
    return row is not None


def from_on(con: apsw.Connection, starts: Sequence[int]) -> list[int]:
    """Of each number the memory whose id is next to it from there on."""
    rows = fetch(
        con,
        """
        select distinct next from (
          select (select min(memory.id) from memory where memory.id >= asked.value) as next
          from json_each(?) asked)
        where next is not null""",
        (json.dumps(list(starts)),),
    )
    return sorted(int(id_) for (id_,) in rows)


def newest(con: apsw.Connection) -> int:
    """The id of the latest memory; 0 where there is none."""
    return int(value(con, "select coalesce(max(id), 0) from memory"))
