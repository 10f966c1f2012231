"""
The marks of what another file has forgotten, carried out here.

`carry_out` is the plain form: rows go by their ULID, words by key and content, passages are blanked, and with an event
goes what rests on it alone. It is one function so that a fuller closure can take its place; the wipe of the file's free
pages is its caller's.
"""

from __future__ import annotations

import hashlib
import hmac
import json
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import apsw

from .. import tombstones
from ..events import content_hash
from ..rows import fetch, first
from ..tombstones import Tombstone
from . import blanks

TABLES = ("memory", "event", "change", "thread", "feedback", "turn")


@dataclass(frozen=True, slots=True)
class Carried:
    """How many rows went, and the turns whose words were blanked or taken out, so that their memory is told anew."""

    rows: int
    turns: tuple[int, ...]


def keep_marks(con: apsw.Connection, marks: Iterable[Tombstone]) -> list[Tombstone]:
    """Keep marks that came from another file; those that say more than what was known here."""
    new = []
    for mark in marks:
        known = first(
            con,
            "select created_at, data from tombstone where kind = ? and value = ?",
            (mark.kind, mark.value),
        )
        spans = set(mark.spans)
        if known is not None:
            before = {(start, end) for start, end in json.loads(known[1]).get("spans", ())}
            if known[0] >= mark.created_at and spans <= before:
                continue
            spans |= before
        at = mark.created_at if known is None else max(mark.created_at, int(known[0]))
        united = Tombstone(mark.kind, mark.value, at, mark.salt, tuple(sorted(spans)))
        tombstones.put(con, united)
        new.append(united)
    return new


def carry_out(con: apsw.Connection, marks: Sequence[Tombstone]) -> Carried:
    """Take out what those marks name, and blank the passages that they name."""
    turns: set[int] = set()
    gone = 0
    for table in TABLES:
        ids = _named(con, table, [mark.value for mark in marks if mark.kind == "row"])
        if table == "event":
            ids |= _said(con, marks)
            turns |= _turns_of(con, ids)
        if table == "memory":
            ids |= _told(con, marks)
        gone += _remove(con, table, ids)
    for mark in marks:
        if mark.kind == "blank":
            turns |= _blank(con, mark)
    return Carried(gone, tuple(sorted(turns)))


def bereave(con: apsw.Connection, memories: Iterable[int]) -> int:
    """Take out those of the memories that no event supports any more; how many."""
    rows = fetch(
        con,
        """
        select id from memory
        where id in (select value from json_each(?)) and not exists (
          select 1 from evidence where evidence.memory = memory.id)""",
        (json.dumps(sorted(memories)),),
    )
    return _remove(con, "memory", {int(id_) for (id_,) in rows})


def _named(con: apsw.Connection, table: str, ulids: Sequence[str]) -> set[int]:
    rows = fetch(
        con, f"select id from {table} where ulid in (select value from json_each(?))", (json.dumps(ulids),)
    )
    return {int(id_) for (id_,) in rows}


def _turns_of(con: apsw.Connection, events: set[int]) -> set[int]:
    rows = fetch(
        con,
        "select distinct turn from event where id in (select value from json_each(?))",
        (json.dumps(sorted(events)),),
    )
    return {int(turn) for (turn,) in rows}


def _hashed(marks: Sequence[Tombstone], kind: str) -> dict[bytes, dict[str, int]]:
    """Marks of a kind by their salt: when what hashes to a value was forgotten."""
    by_salt: dict[bytes, dict[str, int]] = defaultdict(dict)
    for mark in marks:
        if mark.kind == kind:
            by_salt[bytes.fromhex(mark.salt)][mark.value] = mark.created_at
    return by_salt


def _is_gone(by_salt: dict[bytes, dict[str, int]], text: str, at: int) -> bool:
    raw = text.encode("utf-8", "replace")
    return any(
        at <= gone.get(hmac.new(salt, raw, hashlib.sha256).hexdigest(), at - 1)
        for salt, gone in by_salt.items()
    )


def _said(con: apsw.Connection, marks: Sequence[Tombstone]) -> set[int]:
    """Events that came under a forgotten key, or say what was forgotten, before it was."""
    keys, contents = _hashed(marks, "key"), _hashed(marks, "content")
    found: set[int] = set()
    if not keys and not contents:
        return found
    rows = con.execute(
        """
        select event.id, event.occurred_at, event.content, turn.source, turn.session, turn.prompt_id, event.key
        from event join turn on turn.id = event.turn"""
    )
    for id_, at, content, *key in rows:
        plain = tombstones.normalised(content) if contents else ""
        if _is_gone(keys, "\0".join(key), at) or (plain and _is_gone(contents, plain, at)):
            found.add(int(id_))
    return found


def _told(con: apsw.Connection, marks: Sequence[Tombstone]) -> set[int]:
    """Memories that say what was forgotten, recorded before it was."""
    contents = _hashed(marks, "content")
    if not contents:
        return set()
    rows = con.execute("select id, recorded_at, text from memory")
    return {
        int(id_)
        for id_, at, text in rows
        if (plain := tombstones.normalised(text)) and _is_gone(contents, plain, at)
    }


def _remove(con: apsw.Connection, table: str, ids: set[int]) -> int:
    if not ids:
        return 0
    listed = (json.dumps(sorted(ids)),)
    leaning: set[int] = set()
    if table == "event":
        rows = fetch(
            con,
            "select distinct memory from evidence where event in (select value from json_each(?))",
            listed,
        )
        leaning = {int(memory) for (memory,) in rows}
    for statement in _FIRST.get(table, ()):
        con.execute(statement, listed)
    before = con.total_changes()
    con.execute(f"delete from {table} where id in (select value from json_each(?))", listed)
    removed = int(con.total_changes() > before) and len(ids)
    return removed + (bereave(con, leaning) if leaning else 0)


# What leans on rows of a table and does not go by itself.
_FIRST = {
    "memory": (
        "delete from terms where memory in (select value from json_each(?))",
        "delete from past_terms where memory in (select value from json_each(?))",
    ),
    "event": (
        "delete from evidence where event in (select value from json_each(?))",
        "update change set event = null where event in (select value from json_each(?))",
    ),
    "change": ("delete from round where change in (select value from json_each(?))",),
    "turn": (
        "delete from turn_alias where turn in (select value from json_each(?))",
        "delete from memory where kind = 'turn' and turn in (select value from json_each(?))",
        "update change set turn = null where turn in (select value from json_each(?))",
        "update run set turn = null where turn in (select value from json_each(?))",
        "delete from evidence where event in (select id from event where turn in (select value from json_each(?)))",
        "delete from memory where turn in (select value from json_each(?))",
        """
        update change set event = null
        where event in (select id from event where turn in (select value from json_each(?)))""",
        "delete from event where turn in (select value from json_each(?))",
    ),
}


def _blank(con: apsw.Connection, mark: Tombstone) -> set[int]:
    row = first(con, "select id, turn, content, key from event where ulid = ?", (mark.value,))
    if row is None:
        return set()
    content = blanks.blanked(row[2], mark.spans)
    if content == row[2]:
        return set()
    con.execute(
        "update event set content = ?, hash = ?, blanked_at = ? where id = ?",
        (content, content_hash(content), mark.created_at, row[0]),
    )
    return {int(row[1])}
