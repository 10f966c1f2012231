"""Search tokens that lag behind: made by another version of the tokenizer, or never made."""

from __future__ import annotations

import json

import apsw

from . import fts
from .models import searched
from .rows import fetch, value
from .words import VERSION, Tokens


def outdated(
    con: apsw.Connection, *, after: int, upto: int, limit: int, everything: bool = False
) -> list[tuple[int, str, str]]:
    """
    Memories among `after` < id <= `upto` whose tokens are not of this tokenizer, in order: the row, its text, and what
    it is to be found by.

    `everything`: also those that are, as after a change of dictionary.
    """
    rows = fetch(
        con,
        """
        select memory.id, memory.text, json_extract(memory.data, '$.keys')
        from memory
        left join terms on terms.memory = memory.id
        left join past_terms on past_terms.memory = memory.id
        where memory.id > ? and memory.id <= ?
          and (? or iif(memory.retired_at is null and memory.archived_at is null,
                     terms.version, past_terms.version) is not ?)
        order by memory.id
        limit ?""",
        (after, upto, everything, VERSION, limit),
    )
    return [(int(id_), str(text), searched(text, json.loads(keys or "null"))) for id_, text, keys in rows]


def renew(con: apsw.Connection, memory: int, text: str, tokens: Tokens) -> bool:
    """Replace a memory's tokens by those of its `text`; False where it has another text by now."""
    retired = value(
        con,
        "select retired_at is not null or archived_at is not null from memory where id = ? and text = ?",
        (memory, text),
    )
    if retired is None:
        return False
    if not retired:
        fts.put(con, memory, tokens)
        return True
    # The index of the past follows insertions and deletions only.
    fts.drop(con, memory)
    con.execute(
        "insert into past_terms(memory, main, sub, grams, version) values (?, ?, ?, ?, ?)",
        (memory, *tokens, VERSION),
    )
    return True


def sound(con: apsw.Connection) -> bool:
    """Whether both full-text indexes hold together and know every memory that has tokens; reads all of them."""
    try:
        return all(_holds(con, index, kept) for index, kept in _INDEXES)
    except apsw.CorruptError:
        return False


_INDEXES = (("terms_fts", "terms"), ("past_fts", "past_terms"))


def _holds(con: apsw.Connection, index: str, kept: str) -> bool:
    # A question first: the check alone does not see that another connection has made the index anew.
    fetch(con, f"select rowid from {index} where {index} match 'a' limit 1")
    whole = value(con, f"pragma integrity_check({index})") == "ok"
    return whole and bool(
        value(con, f"select (select count(*) from {index}_docsize) = (select count(*) from {kept})")
    )


def rebuild(con: apsw.Connection) -> None:
    """
    Make both full-text indexes anew from the stored tokens: the cure for one that is damaged.

    Nobody else can write meanwhile: 5 s at 100,000 memories.
    """
    con.execute("insert into terms_fts(terms_fts) values ('rebuild')")
    con.execute("insert into past_fts(past_fts) values ('rebuild')")
