"""What was forgotten: marks that keep it gone. They hold ids and salted hashes, never text."""

from __future__ import annotations

import hashlib
import hmac
import json
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import apsw

from . import settings, stated
from .folded import Folded, fold, with_places
from .rows import fetch, first
from .wording import is_whole

Kind = Literal["row", "key", "content", "blank"]
Span = tuple[int, int]
# What at the ends of a text tells it from no other.
EDGES = " \t\r\n.,;:!?。，；：！？、\"'`“”‘’「」()（）"

# A passage is known again by pieces of so many words; a Chinese character counts as one.
PIECE = 12


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
        put(con, Tombstone("key", _hash(salt, "\0".join(key)), now, salt.hex()))


def bury_contents(con: apsw.Connection, texts: Iterable[str], *, now: int) -> None:
    """Mark texts, whoever says them: how they are written (case, width, spaces, closing marks) makes no difference."""
    salt = settings.salt(con)
    for text in texts:
        if plain := normalised(text):
            put(con, Tombstone("content", _hash(salt, plain), now, salt.hex()))


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
    return _at(con, "content", [_code_mark(salt, kept) for salt in _salts(con, "content")]) is not None


def is_code_gone(marks: MarkedCode, kept: bytes) -> bool:
    """Whether a body of which that is kept was forgotten."""
    return any(_code_mark(bytes.fromhex(salt), kept) in there for salt, there in marks.items())


def bury_statements(con: apsw.Connection, texts: Iterable[str], *, now: int) -> None:
    """Mark what texts state, sentence by sentence, whoever tells it: see `stated`."""
    salt = settings.salt(con)
    for text in texts:
        for one in _stated(text):
            put(con, Tombstone("content", _hash(salt, one), now, salt.hex()))


def _stated(text: str) -> set[str]:
    """What a text states, each as it is hashed."""
    forms = map(stated.form, stated.sentences(text))
    return {_STATED + one for one in forms if one is not None}


def statement_gone_at(con: apsw.Connection, text: str) -> int | None:
    """When the latest was forgotten of what a text states, in whichever words it is told."""
    if not any_of(con, "content"):
        return None
    return _at(con, "content", [mark for one in _stated(text) for mark in _hashes(con, "content", one)])


def stated_again(con: apsw.Connection, text: str, said: Iterable[str]) -> bool:
    """Whether what was forgotten of that which a text states is stated by one of those that were said, all of it."""
    gone = {one for one in _stated(text) if _at(con, "content", _hashes(con, "content", one)) is not None}
    return bool(gone) and gone <= set().union(*map(_stated, said))


def bury_passages(con: apsw.Connection, texts: Iterable[str], *, now: int, asked: bool = False) -> None:
    """
    Mark passages that are to be known again inside longer texts; a long one piece by piece. `asked`: someone asked for
    just these words.
    """
    salt = settings.salt(con)
    for text in texts:
        for piece in _pieces(_words(fold(text))):
            mark = _hash(salt, _joined(piece))
            put(con, Tombstone("content", mark, now, salt.hex(), words=len(piece), asked=asked))


def passages(con: apsw.Connection, text: str, *, before: int | None = None) -> tuple[Span, ...]:
    """
    Where marked passages stand in a text; `before`: only what was forgotten after that moment, which is when it was
    said. However they are written, and whatever stands round them.
    """
    rows = fetch(
        con,
        """
        select distinct salt, json_extract(data, '$.words') from tombstone
        where kind = 'content' and data like '{"words"%' and created_at > ?""",
        (-1 if before is None else before,),
    )
    if not rows:
        return ()
    return tuple(sorted(_found(text, rows, lambda _, marks: _known(con, marks, before))))


def _known(con: apsw.Connection, marks: Sequence[str], before: int | None) -> set[str]:
    found = fetch(
        con,
        """
        select value from tombstone
        where kind = 'content' and value in (select value from json_each(?)) and created_at > ?""",
        (json.dumps(marks), -1 if before is None else before),
    )
    return {mark for (mark,) in found}


def _found(
    text: str,
    sizes: Iterable[tuple[str, int]],
    known: Callable[[tuple[str, int], Sequence[str]], Collection[str]],
) -> dict[Span, str]:
    """
    Where passages stand in a text, each with its mark. `sizes`: the salts (hex) and numbers of words that passages are
    marked with; `known` tells which marks there are among some.
    """
    plain = fold(text)
    words = list(_WORD.finditer(plain))
    found: dict[Span, str] = {}
    places: Folded | None = None
    for salt, size in sizes:
        key = bytes.fromhex(salt)
        runs = [words[at : at + size] for at in range(len(words) - size + 1)]
        told = [_joined([word[0] for word in run]) for run in runs]
        # What a text says again and again is hashed once.
        hashed = {one: _hash(key, one) for one in set(told)}
        there = known((salt, size), list(hashed.values())) if hashed else ()
        if not there:
            continue
        for run, mark in zip(runs, map(hashed.__getitem__, told), strict=True):
            if mark in there:
                # Only now: to know where each character came from takes ten times as long.
                places = places or with_places(text)
                if places.text != plain:  # joined otherwise, as a few rare letters are
                    found[0, len(text)] = mark
                # A piece of a longer passage may end within a word.
                elif size == PIECE or is_whole(places, text, run[0].start(), run[-1].end()):
                    found[places.span(run[0].start(), run[-1].end())] = mark
    return found


# No other text that is hashed begins so.
_STATED = "\x02"
_CJK = "\u2e80-\u9fff\uac00-\ud7af\U00020000-\U0003ffff"
_WORD = re.compile(rf"[{_CJK}]|[^\W_{_CJK}]+")


def _words(plain: str) -> list[str]:
    """The words of a folded text."""
    return _WORD.findall(plain)


def _pieces(words: Sequence[str]) -> list[Sequence[str]]:
    if len(words) <= PIECE:
        return [words] if words else []
    starts = [*range(0, len(words) - PIECE, PIECE), len(words) - PIECE]
    return [words[at : at + PIECE] for at in starts]


def _joined(words: Sequence[str]) -> str:
    # No text begins so: a passage and a whole text have different marks.
    return "\x01" + "\x1f".join(words)


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


# Marks of passages by their salt (hex) and number of words: the hash of each, and when it was forgotten.
Marked = Mapping[tuple[str, int], Mapping[str, int]]


def marks_of(con: apsw.Connection) -> Marked:
    """All marks of passages."""
    return of_passages(every(con))


def asked(con: apsw.Connection) -> Marked:
    """The marks of words that someone asked to have forgotten."""
    rows = fetch(
        con,
        """
        select value, created_at, salt, json_extract(data, '$.words')
        from tombstone where kind = 'content' and data like '{"words"%"asked"%'""",
    )
    return of_passages(Tombstone("content", mark, at, salt, words=words) for mark, at, salt, words in rows)


def of_passages(marks: Iterable[Tombstone]) -> Marked:
    """Those of the marks that are of passages."""
    found: dict[tuple[str, int], dict[str, int]] = {}
    for mark in marks:
        if mark.words:
            found.setdefault((mark.salt, mark.words), {})[mark.value] = mark.created_at
    return found


def marked(text: str, marks: Marked, *, said_at: int) -> list[tuple[Span, int]]:
    """As `passages`, by marks at hand: where those stand that were forgotten after the text was said, and when."""
    when: dict[str, int] = {}

    def later(of: tuple[str, int], there: Sequence[str]) -> Collection[str]:
        gone = {mark: marks[of][mark] for mark in there if marks[of].get(mark, said_at) > said_at}
        when.update(gone)
        return gone

    return sorted((span, when[mark]) for span, mark in _found(text, marks, later).items())


def row_at(con: apsw.Connection, kind: Kind, value: str) -> int:
    """When the row of that ULID was marked; 0 where it was not."""
    return _at(con, kind, [value]) or 0


def later_than(con: apsw.Connection, moment: int) -> bool:
    """Whether passages were forgotten after that moment."""
    return (
        first(
            con,
            """select 1 from tombstone where kind = 'content' and data like '{"words"%' and created_at > ? limit 1""",
            (moment,),
        )
        is not None
    )


def passage_gone_at(con: apsw.Connection, text: str) -> int | None:
    """When that passage was forgotten, as `passages` finds it."""
    return _at(con, "content", _hashes(con, "content", _joined(_words(fold(text)))))


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
    return _at(con, "row", [ulid])


def key_gone_at(con: apsw.Connection, key: Sequence[str]) -> int | None:
    """When what a client sends under (source, session, prompt id, event key) was forgotten."""
    return _at(con, "key", _hashes(con, "key", "\0".join(key)))


def content_gone_at(con: apsw.Connection, text: str) -> int | None:
    """When that text was forgotten, however it is written."""
    plain = normalised(text)
    return _at(con, "content", _hashes(con, "content", plain)) if plain else None


def blanked(con: apsw.Connection, event: str) -> tuple[Span, ...]:
    """The passages of an event that are forgotten."""
    row = first(con, "select data from tombstone where kind = 'blank' and value = ?", (event,))
    return tuple((start, end) for start, end in json.loads(row[0]).get("spans", ())) if row else ()


def normalised(text: str) -> str:
    """A text without what does not tell it apart: case, width, runs of spaces, marks at its ends."""
    return fold(text).strip(EDGES)


def _hashes(con: apsw.Connection, kind: Kind, text: str) -> list[str]:
    """The text's hash under each salt that marks of that kind were made with: other files' came with theirs."""
    return [_hash(salt, text) for salt in _salts(con, kind)]


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


def _hash(salt: bytes, text: str) -> str:
    return hmac.digest(salt, text.encode("utf-8", "replace"), hashlib.sha256).hex()


def _at(con: apsw.Connection, kind: Kind, values: Sequence[str]) -> int | None:
    row = first(
        con,
        """
        select max(created_at) from tombstone
        where kind = ? and value in (select value from json_each(?))""",
        (kind, json.dumps(list(values))),
    )
    return row[0] if row else None
