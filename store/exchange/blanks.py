"""Forgotten passages of events that stand: how they are blanked, so that all offsets in the text stay as they are."""

from __future__ import annotations

from collections.abc import Iterable

import apsw

from .. import fts
from ..events import content_hash
from ..rows import fetch, value
from ..words import VERSION, Tokens

BLANK = "█"


def blanked(text: str, spans: Iterable[tuple[int, int]]) -> str:
    """The text with those passages blanked; as long as before."""
    letters = list(text)
    for start, end in spans:
        for at in range(max(0, start), min(end, len(letters))):
            letters[at] = BLANK
    return "".join(letters)


def blanked_at(con: apsw.Connection, event: str) -> int:
    """When passages of that event were forgotten, the last time."""
    return int(value(con, "select created_at from tombstone where kind = 'blank' and value = ?", (event,)))


def tell_turn(con: apsw.Connection, turn: int, text: str, line: str | None, tokens: Tokens) -> None:
    """Let the memory of a turn say what is left of its words; where none are, it goes."""
    for (id_,) in fetch(con, "select id from memory where turn = ? and kind = 'turn'", (turn,)):
        if not text:
            con.execute("delete from terms where memory = ?", (id_,))
            con.execute("delete from past_terms where memory = ?", (id_,))
            con.execute("delete from memory where id = ?", (id_,))
            continue
        con.execute(
            "update memory set text = ?, line = ?, hash = ? where id = ?",
            (text, line, content_hash(text), id_),
        )
        con.execute("delete from embedding where memory = ?", (id_,))
        if fetch(con, "select 1 from terms where memory = ?", (id_,)):
            fts.put(con, id_, tokens)
        else:
            con.execute("delete from past_terms where memory = ?", (id_,))
            con.execute(
                "insert into past_terms(memory, main, sub, grams, version) values (?, ?, ?, ?, ?)",
                (id_, *tokens, VERSION),
            )
