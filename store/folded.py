"""A text as it is compared: whatever its case, width, script, composition, unseen characters and runs of spaces."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

from . import han
from .unseen import BEYOND, CLASS, UNSEEN

# Where letters stand that fold to others: between these are only Han, which `han` folds, and Hangul.
_BLOCKS = ((0x21, 0x7F), (0xA0, 0x3400), (0xA640, 0xAC00), (0xF900, 0x10000))
# Letters of old scripts, mathematical and enclosed ones, and more that is unseen: a text that has any is folded, since
# a class that holds them is slow to look for.
_RARE = re.compile(
    f"[{BEYOND}\U00010400-\U0001e943\U0001ee00-\U0001eeff\U0001f100-\U0001f2ff\U0001fbf0-\U0001fbf9"
    "\U0002f800-\U0002fa1d]"
)
# What joins the character before it to one: marks, the later parts of a Hangul syllable, halfwidth voice marks.
_JOINS = "\u0300-\u036f\u1160-\u11ff\u3099\u309a\uff9e\uff9f\uffa1-\uffdc"
_GAP = f"[\\s{CLASS}{_JOINS}]"
_IS_JOINED = re.compile(f"[{_JOINS}]")


def fold(text: str) -> str:
    """The text folded, one space for each run of them, none at its ends."""
    return " ".join(plain(text).split())


def plain(text: str) -> str:
    """The text folded, with its spaces as they are."""
    if not text.isascii():
        text = han.fold(unicodedata.normalize("NFKC", UNSEEN.sub("", text)))
    return text.casefold()


class Folded(NamedTuple):
    """A folded text, and of each of its characters where that which it came from begins and ends."""

    text: str
    starts: Sequence[int]
    ends: Sequence[int]

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Where those of its characters stand in the text that was folded."""
        return self.starts[start], self.ends[end - 1]


def with_places(text: str) -> Folded:
    """As `fold`, with places: ten times as slow."""
    found: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    for start, end in _clusters(text):
        for letter in plain(text[start:end]):
            if not letter.isspace():
                found.append(letter)
            elif found and found[-1] != " ":
                found.append(" ")
            else:
                continue
            starts.append(start)
            ends.append(end)
    if found and found[-1] == " ":
        found.pop()
    return Folded("".join(found), starts, ends)


def _clusters(text: str) -> list[tuple[int, int]]:
    """Characters, each with what is joined to it."""
    if text.isascii():
        return [(at, at + 1) for at in range(len(text))]
    found: list[tuple[int, int]] = []
    joined = False
    for at, letter in enumerate(text):
        if UNSEEN.match(letter):
            continue
        joined = bool(found) and (bool(_IS_JOINED.match(letter)) or unicodedata.combining(letter) > 0)
        found.append((found.pop()[0] if joined else at, at + 1))
    return found


def is_rare(text: str) -> bool:
    """Whether a text has letters of which `pattern` knows nothing."""
    # Whether there is any letter of its kind is seen in the length, thirty times as fast.
    return len(text.encode("utf-16-le", "surrogatepass")) > 2 * len(text) and _RARE.search(text) is not None


def pattern(folded: str) -> re.Pattern[str]:
    """
    What stands in every text in which that folded one stands, without a space in it; but for such as are `rare`, or
    have one of the `expanding`. Cheaper than to fold the text.
    """
    # It begins with a class, so that most places are passed over quickly.
    return re.compile(f"{_GAP}*".join(f"[{_class(letter)}]" for letter in folded))


def turning(letters: str) -> str:
    """
    A class of the characters that fold to one of those letters or to several of which it is one, are not seen, or are
    joined to what stands before: of a text without them, and not `rare`, small letters are all that folding changes.
    """
    own = {form for letter in letters for form in _forms(letter) if not form.isascii() and form != letter}
    return f"[{CLASS}{_JOINS}{re.escape(''.join(sorted(own)))}{re.escape(expanding(letters))}]"


def expanding(letters: str) -> str:
    """The characters that fold to several, of which one is among those."""
    return "".join(sorted(set().union(*(_wide().get(one, ()) for one in letters))))


def _class(letter: str) -> str:
    """The characters that one which is folded may come from, or begin with, as the inside of a pattern's class."""
    return "".join(map(re.escape, sorted(_forms(letter))))


def _forms(letter: str) -> set[str]:
    base = unicodedata.normalize("NFD", letter)[0]
    return {letter, base, *_narrow().get(letter, ()), *_narrow().get(base, ())}


@cache
def _single() -> list[tuple[str, str]]:
    """(character, what it folds to) where those differ."""
    letters = [chr(code) for first, end in _BLOCKS for code in range(first, end)]
    letters += han.traditional()
    return [(one, to) for one in letters if (to := fold(one)) != one and to]


@cache
def _narrow() -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for one, to in _single():
        found.setdefault(to[0], set()).add(one)
        # A capital that stands before its accent.
        found.setdefault(unicodedata.normalize("NFD", to)[0], set()).add(unicodedata.normalize("NFD", one)[0])
    return found


@cache
def _wide() -> dict[str, set[str]]:
    """By character, those that fold to several of which it is one."""
    found: dict[str, set[str]] = {}
    for one, to in _single():
        if len(to) > 1:
            for letter in to:
                found.setdefault(letter, set()).add(one)
    return found
