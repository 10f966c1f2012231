"""How much of what a sentence says stands in its evidence: English by stems, Chinese by characters in their order."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache

from ...store import english, han
from .model_atoms import PLAIN_HAN

# Of the telling words of a sentence, so many must be borne out.
MOSTLY = 0.5
# Longer words that begin alike are forms of one: "verify", "verification".
_BEGINNING = 6
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_WORD = re.compile(r"[a-z][a-z']+")
_RUN = re.compile(r"[\u3400-\u9fff]+")
# What any account of work is made of, beside what it tells.
_DEEDS = frozenset(
    english.stem(word)
    for word in str.split(
        "add added adding make made making edit change changed update updated fix fixed fixing write wrote written set"
        " use used using modify adjust implement create run ran need needed want wanted user agent assistant also now"
        " new work task turn get got put instead again still else file files code first once like prefer"
    )
)
_RESULTS = frozenset(
    english.stem(word)
    for word in str.split(
        "test tests pass passed passing fail failed failing failure success succeed succeeded successfully works worked"
        " working build built green done finished complete completed ok error result exit"
    )
)
_RESULT_HAN = re.compile("测试|通过|成功|失败|全部|正常|完成|没有|报错|部分|构建|结果")
_PARTICLES = frozenset(
    "的了在是和与时将把被就都也要会对以并先再后着过给让使为所而及其这那个上下里中之从到向还又可能"
)


@dataclass(frozen=True, slots=True)
class Words:
    """The words of a text, as others are looked for in it."""

    stems: frozenset[str]
    beginnings: frozenset[str]
    pairs: frozenset[str]
    chars: frozenset[str]


@lru_cache(maxsize=64)
def words(text: str) -> Words:
    """The words of an evidence."""
    latin, runs = _latin(text), _RUN.findall(han.normal(text))
    return Words(
        frozenset(map(english.stem, latin)),
        frozenset(word[:_BEGINNING] for word in latin if len(word) >= _BEGINNING),
        frozenset(run[at : at + 2] for run in runs for at in range(len(run) - 1)),
        frozenset("".join(runs)),
    )


def share(sentence: str, of: Words, *, outcome: bool = False) -> float | None:
    """
    The share of a sentence's telling words that an evidence has; None where the sentence has none.

    Args:
        outcome: the sentence says how something ended, and words like "passed" tell nothing in it.
    """
    beside = _DEEDS | _RESULTS if outcome else _DEEDS
    latin = {
        word: stemmed
        for word in _latin(sentence)
        if word not in english.STOP and (stemmed := english.stem(word)) not in beside
    }
    there = sum(stemmed in of.stems or word[:_BEGINNING] in of.beginnings for word, stemmed in latin.items())
    plain = PLAIN_HAN.sub(" ", han.normal(sentence))
    chars, found = _han(_RESULT_HAN.sub(" ", plain) if outcome else plain, of)
    # A word of Chinese is mostly one of two characters.
    every = len(latin) + chars / 2
    return (there + found / 2) / every if every else None


def mostly(sentence: str, of: Words) -> bool:
    """Whether an evidence has most of what a sentence tells."""
    found = share(sentence, of)
    return found is None or found >= MOSTLY


def telling(text: str) -> frozenset[str]:
    """The telling words of a text, stemmed, and its pairs of Chinese characters."""
    plain = PLAIN_HAN.sub(" ", han.normal(text))
    runs = ("".join(" " if char in _PARTICLES else char for char in plain)).split()
    pairs = {run[at : at + 2] for part in runs for run in _RUN.findall(part) for at in range(len(run) - 1)}
    latin = {english.stem(word) for word in _latin(text) if word not in english.STOP}
    return frozenset((latin - _DEEDS) | pairs)


def _han(plain: str, of: Words) -> tuple[int, float]:
    """How many characters tell something, and how many of them are there: by itself one is half a sign of it."""
    chars, found = 0, 0.0
    for run in _RUN.findall(plain):
        for at, char in enumerate(run):
            if char in _PARTICLES:
                continue
            chars += 1
            near = (run[at - 1 : at + 1], run[at : at + 2])
            found += 1 if any(pair in of.pairs for pair in near) else 0.5 if char in of.chars else 0
    return chars, found


def _latin(text: str) -> list[str]:
    plain = unicodedata.normalize("NFKC", text).replace("’", "'")
    return [
        found[0].removesuffix("'s")
        for found in _WORD.finditer(_CAMEL.sub(" ", plain).casefold().replace("_", " "))
    ]
