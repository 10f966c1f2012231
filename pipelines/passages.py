"""Whether a text stands in another, word for word or nearly: in one passage of it, however it is written."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache

from ..store import english, folded

_stem = lru_cache(16_384)(english.stem)

# A text stands nearly in a passage that holds so much of what it says; of a short text, all of it.
NEARLY, SHORT = 0.8, 4
# A passage is so many times as long as the text, since it may say it with more words around.
LONGER, PASSAGE_LEAST = 2, 12
# Who repeats another leaves out no word that tells something, but one in so many; the most stand in their order.
LEFT_OUT, IN_ORDER = 20, 0.8
# In fewer words nothing is said that could be another's.
STATED = 3
# Of a text, so much is compared: what begins as a page does was taken from it.
COMPARED_CHARS = 2_000
# A stem begins as its word does, so far at least.
STEM_CHARS = 3

_FUNCTION_WORDS = frozenset(
    str.split(
        "a an the of to in on at for from by with and or that this it its is are was were be been so as please"
    )
)
_PIECES = re.compile(r"[^\W_]+")
_WIDE = re.compile("[\u3400-\u9fff\uf900-\ufaff]")


def pieces(text: str) -> tuple[str, ...]:
    """
    What a text says, in order: stems of words, pairs of Chinese characters. Case, width, marks and what cannot be seen
    make no difference.
    """
    return _pieces(plain(text))


# What a session was told is asked for again with each text that is held against it.
@lru_cache(512)
def plain(text: str) -> str:
    """A text in small letters and one width, without what cannot be seen."""
    return folded.plain(text)


def _pieces(text: str) -> tuple[str, ...]:
    found: list[str] = []
    for run in _PIECES.findall(text):
        if run.isascii() or not _WIDE.search(run):
            found.append(_stem(run) if run.isalpha() else run)
            continue
        for part in re.findall("[\u3400-\u9fff\uf900-\ufaff]+|[^\u3400-\u9fff\uf900-\ufaff]+", run):
            if not _WIDE.match(part):
                found.append(_stem(part) if part.isalpha() else part)
            elif len(part) == 1:
                found.append(part)
            else:
                found += [part[at : at + 2] for at in range(len(part) - 1)]
    return tuple(found)


def stands(sought: Sequence[str], source: str) -> bool:
    """Whether the pieces of a text stand in one passage of a source, nearly all of them."""
    wanted = frozenset(sought)
    if not wanted:
        return False
    need = len(wanted) if len(wanted) <= SHORT else NEARLY * len(wanted)
    text = plain(source)
    # Most sources lack most of its words: cheaper seen so than cut in pieces.
    if sum(piece[:STEM_CHARS] in text for piece in wanted) < need:
        return False
    return any(_around(wanted, _pieces(text), need, len(sought)))


def repeats(sought: Sequence[str], source: str) -> bool:
    """
    Whether a text says again what one passage of a source says: all that tells something in it stands there, and in
    that order. A name or a figure that both have, or the same sentence of something else, makes no repetition.
    """
    wanted = frozenset(sought)
    telling = wanted - _function_words() or wanted
    need = len(telling) - len(telling) // LEFT_OUT
    text = plain(source)
    if len(wanted) < STATED or sum(piece[:STEM_CHARS] in text for piece in telling) < need:
        return False
    rank = {piece: at for at, piece in reversed(list(enumerate(sought)))}
    return any(
        _in_order([rank[piece] for piece in passage if piece in rank]) >= IN_ORDER * len(wanted)
        for passage in _around(telling, _pieces(text), need, len(sought))
    )


@lru_cache(1)
def _function_words() -> frozenset[str]:
    return frozenset(map(_stem, _FUNCTION_WORDS))


def _around(
    wanted: frozenset[str], source: Sequence[str], need: float, length: int
) -> Iterator[Sequence[str]]:
    """
    The passages, twice as long as the text, that hold so many of its pieces; of those that overlap so many that the
    text stands whole in one if it does in any.
    """
    size = max(PASSAGE_LEAST, LONGER * length) if len(wanted) > SHORT else length + 2
    next_ = 0
    held: Counter[str] = Counter()
    for at, piece in enumerate(source):
        if piece in wanted:
            held[piece] += 1
        if at >= size and (gone := source[at - size]) in wanted:
            held[gone] -= 1
            if not held[gone]:
                del held[gone]
        if at >= next_ and len(held) >= need:
            yield source[max(0, at - size + 1) : at + 1]
            next_ = at + max(1, (size - length) // 2)


def _in_order(ranks: Sequence[int]) -> int:
    """How many of them stand in rising order."""
    ends: list[int] = []
    for rank in ranks:
        at = bisect_left(ends, rank)
        ends[at : at + 1] = [rank]
    return len(ends)
