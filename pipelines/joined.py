"""Words of a question that may be one joined name: "redis exporter" for redis-exporter or RedisExporter."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Literal

from ..store import english, names_code

# So many words may be one name.
WORDS = 4
# Of Chinese written with spaces, so much of a run may belong to the name.
HAN_CHARS = 4
KINDS = ("thing", "symbol")

_PART = re.compile(r"[A-Za-z][A-Za-z0-9]*|\d+|[\u4e00-\u9fff]{2,}", re.ASCII)
_BETWEEN = re.compile(r"[ \t]{1,2}")
# What a name is not part of.
_AROUND = re.compile(r"[\w./@-]", re.ASCII)
_TOKEN = re.compile(r"[A-Za-z0-9]+(?:[-_.][A-Za-z0-9]+)*", re.ASCII)
_HUMP = re.compile(r"[A-Z]+(?![a-z])\d*|[A-Z]?[a-z]+\d*|\d+")
_NUMBER = re.compile(r"v?\d+")
Window = tuple[tuple[str, ...], int, int]


def windows(text: str) -> Iterator[Window]:
    """
    Words that stand side by side, and where they begin and end. Of everyday words alone no name is made here: they are
    said for what they mean.
    """
    parts = [part for part in _PART.finditer(text) if _is_word(text, part)]
    everyday = [part.group().isascii() and names_code.common(part.group()) for part in parts]
    for first in range(len(parts)):
        for last in range(first + 1, min(first + WORDS, len(parts))):
            if not _BETWEEN.fullmatch(text, parts[last - 1].end(), parts[last].start()):
                break
            if not all(everyday[first : last + 1]):
                yield from _within(parts[first : last + 1])


def _is_word(text: str, part: re.Match[str]) -> bool:
    around = text[max(0, part.start() - 1) : part.start()] + text[part.end() : part.end() + 1]
    return not part.group().isascii() or _AROUND.search(around) is None


def _within(parts: Sequence[re.Match[str]]) -> Iterator[Window]:
    """The windows of some parts: of Chinese at its ends, each length that may belong to the name."""
    first, last = parts[0].group(), parts[-1].group()
    if first.isdigit() or not english.STOP.isdisjoint(part.group().casefold() for part in parts):
        return
    middle = [part.group() for part in parts[1:-1]]
    for head in _ends(first, at_end=True):
        for tail in _ends(last, at_end=False):
            words = (head, *middle, tail)
            yield words, parts[0].end() - len(head), parts[-1].start() + len(tail)


def _ends(word: str, *, at_end: bool) -> list[str]:
    if word.isascii():
        return [word]
    sizes = range(2, min(HAN_CHARS, len(word)) + 1)
    return [word[-size:] if at_end else word[:size] for size in sizes]


def ways(kind: str, words: Sequence[str]) -> list[str]:
    """How a name of that kind may be joined of those words."""
    if kind == "thing":
        return ["-".join(words), "".join(words), ".".join(words)]
    return ["_".join(words), "".join(words), ".".join(words)]


def told(words: Sequence[str], text: str) -> Literal["same", "alike"] | None:
    """
    What a text says of a name that is joined of those words (in small letters): "same", where it says it in any way;
    "alike", where it says another that shares a word with it.
    """
    whole = "".join(words)
    found: Literal["alike"] | None = None
    spaced = r"[ \t]+".join(map(re.escape, words))
    if re.search(rf"(?<!\w){spaced}(?!\w)", text.casefold()):
        return "same"
    telling = {word for word in words if not _NUMBER.fullmatch(word)}
    for token in _TOKEN.finditer(text):
        parts = [part.casefold() for part in _HUMP.findall(token.group())]
        if "".join(parts) == whole:
            return "same"
        if len(parts) > 1 and not telling.isdisjoint(parts):
            found = "alike"
    return found
