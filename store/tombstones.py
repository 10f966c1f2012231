"""What was forgotten: marks that keep it gone, ids and salted hashes, never text. Of passages see `passage_marks`."""

from __future__ import annotations

import hashlib
import hmac
import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import apsw

from . import settings, stated
from .folded import fold
from .rows import fetch, first

Kind = Literal["row", "key", "content", "blank"]
Span = tuple[int, int]
# What stands in the place of each character that was forgotten.
FILLER = "█"
# What at the ends of a text tells it from no other.
EDGES = " \t\r\n.,;:!?。，；：！？、\"'`“”‘’「」()（）"


@dataclass(frozen=True, slots=True)
class Tombstone:
    """
    One mark. `value`: for "row" and "blank" the ULID of what went, or of the event that stands without `spans`; for
    "key" and "content" a hash under `salt` (hex).
    """

    kind: Kind
    value: str
    created_at: int
    salt: str = ""
    spans: tuple[Span, ...] = ()
    # Of "content": how many words the text has, where it is also looked for inside longer ones.
    words: int = 0
    # Of a passage: whether someone asked for just these words; of a text: whether it is a body of code.
    asked: bool = False
    code: bool = False


def bury_rows(con: apsw.Connection, ulids: Iterable[str], *, now: int) -> None:
    """Mark rows as gone for good: an export that holds them does not bring them back."""
    for ulid in ulids:
        put(con, Tombstone("row", ulid, now))


def bury_keys(con: apsw.Connection, keys: Iterable[Sequence[str]], *, now: int) -> None:
    """Mark what a client would send again: (source, session, prompt id, event key)."""
    salt = settings.salt(con)
    for key in keys:
        put(con, Tombstone("key", hash_of(salt, "\0".join(key)), now, salt.hex()))


def bury_contents(con: apsw.Connection, texts: Iterable[str], *, now: int) -> None:
    """Mark texts, whoever says them: how they are written (case, width, spaces, closing marks) makes no difference."""
    salt = settings.salt(con)
    for text in texts:
        if plain := normalised(text):
            put(con, Tombstone("content", hash_of(salt, plain), now, salt.hex()))


def bury_bodies(con: apsw.Connection, kept: Iterable[bytes], *, now: int) -> None:
    """Mark bodies of code, by what is kept of them."""
    salt = settings.salt(con)
    for raw in kept:
        put(con, Tombstone("content", _code_mark(salt, raw), now, salt.hex(), code=True))


def _code_mark(salt: bytes, kept: bytes) -> str:
    # No text that is hashed begins so.
    return hmac.digest(salt, b"\x03" + kept, hashlib.sha256).hex()


# Marks of bodies by their salt (hex).
MarkedCode = Mapping[str, Collection[str]]


def of_code(marks: Iterable[Tombstone]) -> MarkedCode:
    """Those of the marks that are of bodies of code."""
    found: dict[str, set[str]] = {}
    for mark in marks:
        if mark.code:
            found.setdefault(mark.salt, set()).add(mark.value)
    return found


def is_body_gone(con: apsw.Connection, kept: bytes) -> bool:
    """Whether the body of code of which that is kept was forgotten."""
    return gone_at(con, "content", [_code_mark(salt, kept) for salt in _salts(con, "content")]) is not None


def is_code_gone(marks: MarkedCode, kept: bytes) -> bool:
    """Whether a body of which that is kept was forgotten."""
    return any(_code_mark(bytes.fromhex(salt), kept) in there for salt, there in marks.items())


def bury_statements(con: apsw.Connection, texts: Iterable[str], *, now: int) -> None:
    """Mark what texts state, sentence by sentence, whoever tells it: see `stated`."""
    salt = settings.salt(con)
    for text in texts:
        for one in _stated(text):
            put(con, Tombstone("content", hash_of(salt, one), now, salt.hex()))


# No other text that is hashed begins so.
_STATED = "\x02"


def _stated(text: str) -> set[str]:
    """What a text states, each as it is hashed."""
    forms = map(stated.form, stated.sentences(text))
    return {_STATED + one for one in forms if one is not None}


def statement_gone_at(con: apsw.Connection, text: str) -> int | None:
    """When the latest was forgotten of what a text states, in whichever words it is told."""
    if not any_of(con, "content"):
        return None
    return gone_at(con, "content", [mark for one in _stated(text) for mark in hashes_of(con, "content", one)])


def stated_again(con: apsw.Connection, text: str, said: Iterable[str]) -> bool:
    """Whether what was forgotten of that which a text states is stated by one of those that were said, all of it."""
    gone = {
        one for one in _stated(text) if gone_at(con, "content", hashes_of(con, "content", one)) is not None
    }
    return bool(gone) and gone <= set().union(*map(_stated, said))


def bury_spans(con: apsw.Connection, event: str, spans: Iterable[Span], *, now: int) -> None:
    """Mark passages of an event that stands, beside those that were marked before."""
    known = first(con, "select data from tombstone where kind = 'blank' and value = ?", (event,))
    before = {(start, end) for start, end in json.loads(known[0]).get("spans", ())} if known else set()
    put(con, Tombstone("blank", event, now, spans=tuple(sorted({*before, *spans}))))


def put(con: apsw.Connection, mark: Tombstone) -> None:
    """Keep a mark, as one that is made here or that comes from another file; the later one of the same thing stands."""
    told: dict[str, Any] = {"spans": mark.spans, "words": mark.words, "asked": mark.asked, "code": mark.code}
    data = json.dumps({name: value for name, value in told.items() if value})
    con.execute(
        """
        insert into tombstone(kind, value, salt, data, created_at) values (?, ?, ?, json(?), ?)
        on conflict(kind, value) do update set
          data = json_patch(data, excluded.data), created_at = excluded.created_at
        where excluded.created_at >= created_at""",
        (mark.kind, mark.value, mark.salt, data, mark.created_at),
    )


def any_of(con: apsw.Connection, *kinds: Kind) -> bool:
    """Whether there are marks of one of those kinds: mostly there are none, and nothing needs to be asked of them."""
    listed = json.dumps(kinds)
    return (
        first(
            con, "select 1 from tombstone where kind in (select value from json_each(?)) limit 1", (listed,)
        )
        is not None
    )


def row_at(con: apsw.Connection, kind: Kind, value: str) -> int:
    """When the row of that ULID was marked; 0 where it was not."""
    return gone_at(con, kind, [value]) or 0


def every(con: apsw.Connection) -> list[Tombstone]:
    """All marks, oldest first."""
    rows = fetch(
        con, "select kind, value, created_at, salt, data from tombstone order by created_at, kind, value"
    )
    return [
        Tombstone(
            kind,
            value,
            at,
            salt,
            tuple((start, end) for start, end in told.get("spans", ())),
            told.get("words", 0),
            told.get("asked", False),
            told.get("code", False),
        )
        for kind, value, at, salt, told in ((*row[:4], json.loads(row[4])) for row in rows)
    ]


def row_gone_at(con: apsw.Connection, ulid: str) -> int | None:
    """When the row of that ULID was forgotten; None where it was not."""
    return gone_at(con, "row", [ulid])


def key_gone_at(con: apsw.Connection, key: Sequence[str]) -> int | None:
    """When what a client sends under (source, session, prompt id, event key) was forgotten."""
    return gone_at(con, "key", hashes_of(con, "key", "\0".join(key)))


def content_gone_at(con: apsw.Connection, text: str) -> int | None:
    """When that text was forgotten, however it is written."""
    plain = normalised(text)
    return gone_at(con, "content", hashes_of(con, "content", plain)) if plain else None


def blanked(con: apsw.Connection, event: str) -> tuple[Span, ...]:
    """The passages of an event that are forgotten."""
    row = first(con, "select data from tombstone where kind = 'blank' and value = ?", (event,))
    return tuple((start, end) for start, end in json.loads(row[0]).get("spans", ())) if row else ()


def normalised(text: str) -> str:
    """A text without what does not tell it apart: case, width, runs of spaces, marks at its ends."""
    return fold(text).strip(EDGES)


def hashes_of(con: apsw.Connection, kind: Kind, text: str) -> list[str]:
    """The text's hash under each salt that marks of that kind were made with: other files' came with theirs."""
    return [hash_of(salt, text) for salt in _salts(con, kind)]


def _salts(con: apsw.Connection, kind: Kind) -> list[bytes]:
    # One after the other by the index of salts (the plus keeps it from the other): `distinct` reads every mark.
    found: list[str] = []
    while row := first(
        con,
        "select salt from tombstone where salt > ? and +kind = ? order by salt limit 1",
        (found[-1] if found else "", kind),
    ):
        found.append(row[0])
    return [bytes.fromhex(salt) for salt in found]


def hash_of(salt: bytes, text: str) -> str:
    """What a text is marked with under a salt."""
    return hmac.digest(salt, text.encode("utf-8", "replace"), hashlib.sha256).hex()


def gone_at(con: apsw.Connection, kind: Kind, values: Sequence[str]) -> int | None:
    """When the latest of those marks was made; None where there is none of them."""
    row = first(
        con,
        """
        select max(created_at) from tombstone
        where kind = ? and value in (select value from json_each(?))""",
        (kind, json.dumps(list(values))),
    )
    return row[0] if row else None
