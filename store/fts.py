"""The words arm: search tokens kept beside live and past memories, searched by FTS5, and how rare a token is."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Sequence

import apsw

from .filters import CONDITION, Filter
from .words import VERSION, Tokens

# bm25 weights of main, sub and grams: see docs/decisions.md.
MAIN, SUB, GRAMS = 1.0, 1.0, 0.5


def put(con: apsw.Connection, memory: int, tokens: Tokens) -> None:
    """Make a live memory findable by these tokens, and by no others."""
    con.execute(
        """
        insert into terms(memory, main, sub, grams, version) values (?, ?, ?, ?, ?)
        on conflict(memory) do update set
          main = excluded.main, sub = excluded.sub, grams = excluded.grams, version = excluded.version""",
        (memory, *tokens, VERSION),
    )


def retire(con: apsw.Connection, memory: int) -> None:
    """Move a memory's tokens from the live index to that of the past."""
    con.execute(
        """
        insert into past_terms(memory, main, sub, grams, version)
        select memory, main, sub, grams, version from terms where memory = ?
        on conflict(memory) do nothing""",
        (memory,),
    )
    con.execute("delete from terms where memory = ?", (memory,))


def drop(con: apsw.Connection, memory: int) -> None:
    """Take a memory's tokens out of both indexes."""
    con.execute("delete from terms where memory = ?", (memory,))
    con.execute("delete from past_terms where memory = ?", (memory,))


def search(con: apsw.Connection, expression: str, wanted: Filter, *, k: int) -> list[tuple[int, float]]:
    """
    The `k` memories that answer an FTS5 expression best, among those the reading may see.

    Returns:
        (memory, bm25) with more for better, best first. The scores of past and live memories come from two
        indexes, so that they compare roughly.
    """
    values = {"match": expression, "main": MAIN, "sub": SUB, "grams": GRAMS, "k": k, **wanted.values()}
    found = con.execute(_SEARCH.format(index="terms_fts"), values).fetchall()
    if wanted.status != "live":
        found += con.execute(_SEARCH.format(index="past_fts"), values).fetchall()
    return sorted(((int(memory), -score) for memory, score in found), key=lambda hit: (-hit[1], -hit[0]))[:k]


_SEARCH = f"""
select memory.id, bm25({{index}}, :main, :sub, :grams) as score
from {{index}} join memory on memory.id = {{index}}.rowid
where {{index}} match :match and {CONDITION}
order by score, memory.id desc
limit :k"""


def rarity(con: apsw.Connection, tokens: Iterable[str]) -> dict[str, float]:
    """The inverse document frequency of each token, in nats: 0 where every live memory holds it."""
    asked = list(dict.fromkeys(tokens))
    # An upper bound of the rows, free of a scan: ids are given once and in order.
    rows = con.execute("select coalesce(max(memory), 0) from terms").get
    held = dict(
        con.execute(
            """
            select asked.value, terms_vocab.doc
            from json_each(?) asked join terms_vocab on terms_vocab.term = asked.value""",
            (json.dumps(asked),),
        ).fetchall()
    )
    return {token: math.log((rows + 1) / (held.get(token, 0) + 0.5)) for token in asked}


def tokens(con: apsw.Connection, memories: Sequence[int]) -> dict[int, frozenset[str]]:
    """Every token that those memories are found by."""
    rows = con.execute(
        """
        select memory, main || ' ' || sub || ' ' || grams from terms
        where memory in (select value from json_each(:ids))
        union all
        select memory, main || ' ' || sub || ' ' || grams from past_terms
        where memory in (select value from json_each(:ids))""",
        {"ids": json.dumps(list(memories))},
    ).fetchall()
    return {int(memory): frozenset(text.split(" ")) for memory, text in rows}
