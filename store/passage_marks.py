"""
Passages that were forgotten, known again inside longer texts, however they are written and whatever stands round them.

A mark is the hash of a passage's words, a long one's of each of its pieces, and says how many words they are: for each
number of words that there are marks of, every run of so many in a text is hashed and looked for, and counts where it
stands whole. A mark tells when it was forgotten, for what is said later is said anew, and whether someone asked for
just these words. Marks outlast a release: whoever changes what a word is, or how words are joined, forgets less.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

import apsw

from . import settings
from .folded import Folded, fold, with_places
from .rows import fetch, first
from .tombstones import Span, Tombstone, every, gone_at, hash_of, hashes_of, put
from .wording import is_whole

# A passage is known again by pieces of so many words; a Chinese character counts as one.
PIECE = 12
_CJK = "\u2e80-\u9fff\uac00-\ud7af\U00020000-\U0003ffff"
_WORD = re.compile(rf"[{_CJK}]|[^\W_{_CJK}]+")
# Marks of passages by their salt (hex) and number of words: the hash of each, and when it was forgotten.
Marked = Mapping[tuple[str, int], Mapping[str, int]]


def bury_passages(con: apsw.Connection, texts: Iterable[str], *, now: int, asked: bool = False) -> None:
    """
    Mark passages that are to be known again inside longer texts; a long one piece by piece. `asked`: someone asked for
    just these words.
    """
    salt = settings.salt(con)
    for text in texts:
        for piece in _pieces(_words(fold(text))):
            mark = hash_of(salt, _joined(piece))
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


def passage_gone_at(con: apsw.Connection, text: str) -> int | None:
    """When that passage was forgotten, as `passages` finds it."""
    return gone_at(con, "content", hashes_of(con, "content", _joined(_words(fold(text)))))


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


def _known(con: apsw.Connection, marks: Sequence[str], before: int | None) -> set[str]:
    found = fetch(
        con,
        """
        select value from tombstone
        where kind = 'content' and value in (select value from json_each(?)) and created_at > ?""",
        (json.dumps(marks), -1 if before is None else before),
    )
    return {mark for (mark,) in found}


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
        hashed = {one: hash_of(key, one) for one in set(told)}
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
