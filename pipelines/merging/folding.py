"""Which of the hits of one answer say the same, or one what the other says and more."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from ...store import likeness
from ...store.cutter import Cut
from ...store.models import Hit, Memory
from ...store.work import DID
from . import pieces
from .compare import held_against
from .reading import Reading, read

# So many of the best hits are held against each other: what an answer shows, and what may move up into it.
BEST = 40
# Texts that share less of the shorter one's words are not read: most pairs of an answer share next to nothing.
SHARED = 0.5
_WORD = re.compile(r"[a-z0-9]+|[\u3400-\u9fff]")
# What names one thing: a number of three digits or more, a name in code, a path.
_MARK = re.compile(r"\d{3,}|[a-z]\w*(?:[_/.][a-z0-9]\w*)+", re.ASCII)
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")


def groups(hits: Sequence[Hit], cut: Cut | None) -> list[list[Hit]]:
    """
    Of the best hits those that are one for a reader, each group in the order of the hits, its best first; hits that
    stand alone are left out. Opposites are never one, nor what two turns did.
    """
    among = [hit for hit in hits[:BEST] if _folds(hit.memory)]
    words = [words_of(hit.memory.text) for hit in among]
    marks = [marks_of(hit.memory.text) for hit in among]
    readings: dict[int, Reading] = {}

    def reading(at: int) -> Reading:
        if at not in readings:
            readings[at] = read(among[at].memory.text, cut)
        return readings[at]

    found: list[list[Hit]] = []
    taken: set[int] = set()
    for at, hit in enumerate(among):
        if at in taken:
            continue
        group = [hit]
        for other in range(at + 1, len(among)):
            if other in taken or not overlap(words[at], words[other]) or apart(marks[at], marks[other]):
                continue
            if _says_as_much(reading(at), reading(other)) and _may_be_one(hit.memory, among[other].memory):
                group.append(among[other])
                taken.add(other)
        if len(group) > 1:
            found.append(group)
    return found


def fullest(group: Sequence[Hit], cut: Cut | None) -> Hit:
    """The hit of a group that says all that the others say; of several that do, the best."""
    return max(group, key=lambda hit: len(read(hit.memory.text, cut).units))


def _folds(memory: Memory) -> bool:
    current = memory.retired_at is None and memory.valid_to is None
    return current and memory.kind in likeness.COMPARED and not (memory.slot or "").startswith(DID)


# A memory that answers one question is often found by the next.
@lru_cache(1024)
def words_of(text: str) -> frozenset[str]:
    """The words and Chinese characters of a text, roughly: enough to see that two are of different matters."""
    return frozenset(_WORD.findall(pieces.normal(text).casefold()))


@lru_cache(1024)
def marks_of(text: str) -> frozenset[str]:
    """The long numbers, names in code and paths of a text, roughly."""
    return frozenset(_MARK.findall(_THOUSANDS.sub("", pieces.normal(text).casefold())))


def apart(one: frozenset[str], other: frozenset[str]) -> bool:
    """Whether each of two texts names something that the other does not: then neither says what the other says."""
    return not (one <= other or other <= one)


def overlap(one: frozenset[str], other: frozenset[str]) -> bool:
    """Whether two texts share enough words to be read."""
    return len(one & other) >= SHARED * min(len(one), len(other))


def _says_as_much(one: Reading, other: Reading) -> bool:
    """Whether two texts say the same, or the longer one more of it."""
    less, more = (one, other) if len(one.units) <= len(other.units) else (other, one)
    # Most that share words are told apart by one of them; the comparison costs ten times as much as this.
    return less.names <= more.names and held_against(less, more).kind in ("same", "near")


def _may_be_one(one: Memory, other: Memory) -> bool:
    """Whether two memories are of the same user and place, and end at the same time."""
    if len({one.scope.workspace, other.scope.workspace} - {None}) > 1:
        return False
    return one.scope.user == other.scope.user and one.expires_at == other.expires_at
