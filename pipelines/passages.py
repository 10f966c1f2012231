"""Whether a text stands in another, word for word or nearly: in one passage of it, however it is written."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache

from ..store import english, folded

_stem = lru_cache(16_384)(english.stem)

# A text stands nearly in a passage that holds so much of what it says; of a short text, all of it.
NEARLY, SHORT = 0.8, 4
# A passage is so many times as long as the text, since it may say it with more words around.
LONGER, PASSAGE_LEAST = 2, 12
# Of a text, so much is compared: what begins as a page does was taken from it.
COMPARED_CHARS = 2_000
# A stem begins as its word does, so far at least.
STEM_CHARS = 3

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
    return _in_passage(wanted, _pieces(text), need, len(sought))


def _in_passage(wanted: frozenset[str], source: Sequence[str], need: float, length: int) -> bool:
    size = max(PASSAGE_LEAST, LONGER * length) if len(wanted) > SHORT else length + 2
    held: Counter[str] = Counter()
    for at, piece in enumerate(source):
        if piece in wanted:
            held[piece] += 1
        if at >= size and (gone := source[at - size]) in wanted:
            held[gone] -= 1
            if not held[gone]:
                del held[gone]
        if len(held) >= need:
            return True
    return False
