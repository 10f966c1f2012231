"""The words arm: search tokens kept beside live and past memories, searched by FTS5, and how rare a token is."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import apsw

from .filters import CONDITION, Filter
from .rows import fetch, first, value
from .words import VERSION, Tokens, script

if TYPE_CHECKING:
    from .words import Script

# bm25 weights of main, sub and grams: see docs/decisions.md.
MAIN, SUB, GRAMS = 1.0, 1.0, 0.5
# So many times the wanted number are taken from the whole index before every row that answers is looked at.
FIRST = 8


def holds_han(con: apsw.Connection) -> bool:
    """Whether any live memory has a word in Han characters; the vocabulary is in order, so the answer is at hand."""
    return first(con, "select 1 from terms_vocab where term between '㐀' and '鿿' limit 1") is not None


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


def restore(con: apsw.Connection, memory: int) -> None:
    """Move a memory's tokens from the index of the past back to the live one."""
    con.execute(
        """
        insert into terms(memory, main, sub, grams, version)
        select memory, main, sub, grams, version from past_terms where memory = ?
        on conflict(memory) do nothing""",
        (memory,),
    )
    con.execute("delete from past_terms where memory = ?", (memory,))


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
    asked = {"match": expression, "main": MAIN, "sub": SUB, "grams": GRAMS}
    values = {**asked, **wanted.values(), "k": k}
    found = _best(con, asked, wanted, k=k) if wanted.live else None
    if found is None:
        found = fetch(con, _SEARCH.format(index="terms_fts"), values)
    if not wanted.live:
        found += fetch(con, _SEARCH.format(index="past_fts"), values)
    return sorted(((int(memory), -score) for memory, score in found), key=lambda hit: (-hit[1], -hit[0]))[:k]


def _best(
    con: apsw.Connection, asked: dict[str, Any], wanted: Filter, *, k: int
) -> list[tuple[Any, ...]] | None:
    """
    The best of the whole index that the reading may see; None where these are too few, and all have to be looked at.

    To look at every row that answers costs as much again as to find it; mostly the best are this reader's.
    """
    best = fetch(con, _FIRST, {**asked, "k": FIRST * k})
    ids = json.dumps([memory for memory, _ in best])
    seen = {memory for (memory,) in fetch(con, _SEEN, {**wanted.values(), "ids": ids})}
    found = [hit for hit in best if hit[0] in seen][:k]
    return found if len(found) == k or len(best) < FIRST * k else None


_FIRST = """
select rowid, bm25(terms_fts, :main, :sub, :grams) as score
from terms_fts
where terms_fts match :match
order by score, rowid desc
limit :k"""
_SEEN = f"""
select memory.id from memory
where memory.id in (select value from json_each(:ids)) and {CONDITION}"""
_SEARCH = f"""
select memory.id, bm25({{index}}, :main, :sub, :grams) as score
from {{index}} join memory on memory.id = {{index}}.rowid
where {{index}} match :match and {CONDITION}
order by score, memory.id desc
limit :k"""


def frequencies(con: apsw.Connection, tokens: Iterable[str]) -> tuple[int, dict[str, int]]:
    """How many live memories there are, and how many of them hold each of those tokens; none are left out."""
    # An upper bound of the rows, free of a scan: ids are given once and in order.
    rows = int(value(con, "select coalesce(max(memory), 0) from terms"))
    found = fetch(
        con,
        """
        select asked.value, terms_vocab.doc
        from json_each(?) asked join terms_vocab on terms_vocab.term = asked.value""",
        (json.dumps(list(dict.fromkeys(tokens))),),
    )
    return rows, {str(token): int(memories) for token, memories in found}


@dataclass(frozen=True, slots=True)
class Held:
    """What a memory is found by: its words and their parts with how often each, its CJK grams, its script."""

    tokens: Counter[str]
    grams: frozenset[str]
    length: int
    script: Script


def held(con: apsw.Connection, memories: Sequence[int]) -> dict[int, Held]:
    """What those memories are found by, live or past."""
    rows = fetch(
        con,
        """
        select memory, main, sub, grams from terms
        where memory in (select value from json_each(:ids))
        union all
        select memory, main, sub, grams from past_terms
        where memory in (select value from json_each(:ids))""",
        {"ids": json.dumps(list(memories))},
    )
    return {int(memory): held_from(main, sub, grams) for memory, main, sub, grams in rows}


def held_from(main: str, sub: str, grams: str) -> Held:
    """What a memory of those tokens is found by."""
    words = main.split()
    pairs = grams.split()
    # Of n characters in a run there are about n single ones and n pairs.
    others = sum(is_ascii for is_ascii in map(str.isascii, words)) if pairs else len(words)
    tokens = Counter(words)
    parts = sub.split()
    tokens.update(parts)
    return Held(tokens, frozenset(pairs), len(words) + len(parts), script(len(pairs) // 2, others))
