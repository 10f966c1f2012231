"""How well a memory answers a question, and whether well enough to be given at all."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from ..store import everyday
from ..store.fts import Held
from ..store.words import Query, Word, is_cjk

T = TypeVar("T")

# All of these were fitted together on devmembench, locomo-dev, crosslingual, commits-dev, and on questions of
# each set asked of the others; docs/decisions.md has the figures.

# An idea of language at large, as if there were so many more memories, in which one in seven holds each
# everyday word. Without it a word that a small file happens to lack weighs as much as a rare one, and one that
# half of five memories hold weighs nothing.
AT_LARGE, EVERYDAY_SHARE = 300, 0.15
# bm25's own constants, and a length that stands for all: what counts is how a text compares with any other.
K1, B, TYPICAL_TOKENS = 1.2, 0.75, 100
# A memory that holds all parts of a name or word, but not in one piece.
IN_PARTS = 0.9
# How much of a question counts at most, in nats: a long prompt says many things, of which a memory answers one.
ENOUGH = 45.0
# Words of a question that the index is asked for, the rarest: a prompt may have a hundred, and every common one
# costs as much as all rare ones together.
SEARCHED_WORDS = 16
# The rows that it may go through for them, one for each word that a row holds: a microsecond each. The rarest words
# come first; of words and of CJK grams the first ones are looked for however common they are.
SEARCHED_ROWS, SURE = 12_000, 2
# The standard deviation by which a cosine stands out, beside the share of bm25; times the embedder's weight.
HEIGHT = 0.16
# The highest of n unrelated cosines stands sqrt(2 ln n) deviations out; from `RISE` below that it counts, at so
# much a deviation; times the embedder's weight.
RISE, LIFT = 0.2, 0.6
# Among fewer memories than this chance is taken for no less: one alone may well be near anything.
FEWEST = 8


@dataclass(frozen=True, slots=True)
class Floor:
    """
    What the best memory must show for anything to be given (`gate`), and each other one (`keep`).

    `foreign` is how far, in deviations beyond chance, a cosine must stand out where hardly any memory is in the
    script of the question, so that words cannot speak for it.
    """

    gate: float
    keep: float
    foreign: float


# Memory was asked: it answers unless it has nothing. Somebody spoke to an agent: it stays silent unless it has
# something.
ASKED = Floor(gate=0.26, keep=0.08, foreign=-0.8)
PROMPTED = Floor(gate=0.32, keep=0.12, foreign=math.inf)
# A script of which less than this share of memories is, is foreign to them.
FOREIGN = 0.05


@dataclass(frozen=True, slots=True)
class Candidate:
    """
    A memory that some arm found: its `bm25` (0 where the words did not), what it holds, and its `height` (how
    many deviations its cosine stands out; None where it has no vector, or nothing to compare it with). `linked`:
    it names what the question names.
    """

    memory: int
    bm25: float
    held: Held
    height: float | None = None
    linked: bool = False


@dataclass(frozen=True, slots=True)
class Judged:
    """A candidate with its `score` for the order, and the `evidence` that it is about the question."""

    memory: int
    score: float
    evidence: float
    beyond: float


def weights(query: Query, memories: int, frequencies: Mapping[str, int]) -> dict[str, float]:
    """The weight in nats of every token of a question, by how many of the memories hold it."""
    common = everyday.tokens()

    def weight(token: str) -> float:
        at_large = AT_LARGE * EVERYDAY_SHARE if token in common else 0.0
        return math.log((memories + AT_LARGE + 1) / (frequencies.get(token, 0) + at_large + 0.5))

    return {token: weight(token) for token in tokens(query)}


def tokens(query: Query) -> Iterable[str]:
    """Every token that a question is judged by."""
    return dict.fromkeys([*(token for word in query.words for token in word.tokens), *query.grams])


def telling(query: Query, weight: Mapping[str, float], frequencies: Mapping[str, int]) -> Query:
    """The question without what no memory holds, and of a long one only the words that tell most."""

    def cost(tokens: Iterable[str]) -> int:
        return sum(frequencies.get(token, 0) for token in tokens)

    def rarity(tokens: Iterable[str]) -> float:
        return max(weight[token] for token in tokens if frequencies.get(token))

    def affordable(
        every: Iterable[T], tokens: Callable[[T], Iterable[str]], left: int
    ) -> tuple[list[T], int]:
        found = [one for one in every if cost(tokens(one))]
        found.sort(key=lambda one: -rarity(tokens(one)))
        taken: list[T] = []
        for one in found[:SEARCHED_WORDS]:
            left -= cost(tokens(one))
            if left < 0 and len(taken) >= SURE:
                break
            taken.append(one)
        return taken, left

    words, left = affordable(query.words, lambda word: word.tokens, SEARCHED_ROWS)
    grams, _ = affordable(query.grams, lambda gram: (gram,), left)
    return query._replace(words=tuple(words), grams=tuple(grams))


def judge(
    query: Query,
    candidates: Sequence[Candidate],
    weight: Mapping[str, float],
    *,
    extent: int,
    trust: float,
) -> list[Judged]:
    """
    The candidates, best first.

    Args:
        weight: of `weights`.
        extent: among how many memories these were found.
        trust: the embedder's weight.
    """
    asked = query.words or tuple(map(Word, query.grams))
    whole = math.fsum(max(weight[token] for token in word.tokens) for word in asked) or 1.0
    chance = math.sqrt(2 * math.log(max(extent, FEWEST)))
    known = [one.height for one in candidates if one.height is not None and one.bm25 > 0]
    # A memory that has no vector yet stands among those that have, as high as they do on average.
    usual = math.fsum(known) / len(known) if known else 0.0
    lowest = min((one.bm25 for one in candidates if one.bm25 > 0), default=math.inf)
    judged: list[Judged] = []
    for one in candidates:
        beyond = -math.inf if one.height is None else one.height - chance
        share = covered(asked, one.held, weight)
        height = usual if one.height is None else one.height
        # The words would have found it, did it hold more of them than the last that they did find.
        bm25 = min(lowest, share * whole) if one.linked and not one.bm25 else one.bm25
        score = bm25 / whole + HEIGHT * trust * height
        evidence = share + LIFT * trust * max(0.0, beyond + RISE)
        judged.append(Judged(one.memory, score, evidence, beyond))
    return sorted(judged, key=lambda one: (-one.score, -one.memory))


def relevant(judged: Sequence[Judged], floor: Floor, *, foreign: bool) -> list[Judged]:
    """Those that are about the question, in the same order; none is a normal answer."""

    def stands_out(one: Judged) -> bool:
        return foreign and one.beyond >= floor.foreign

    if not any(one.evidence >= floor.gate or stands_out(one) for one in judged):
        return []
    return [one for one in judged if one.evidence >= floor.keep or stands_out(one)]


def covered(asked: Sequence[Word], held: Held, weight: Mapping[str, float]) -> float:
    """The share of a question, by weight, that a memory holds; in a long memory a mention counts for less."""
    damping = K1 * (1 - B + B * held.length / TYPICAL_TOKENS)

    def presence(times: int) -> float:
        return min(1.0, times * (K1 + 1) / (times + damping))

    found = whole = 0.0
    for word in asked:
        whole += weight[word.text]
        found += weight[word.text] * _present(word, held, weight, presence)
    return found / min(whole, ENOUGH) if whole else 0.0


def _present(word: Word, held: Held, weight: Mapping[str, float], presence: Callable[[int], float]) -> float:
    """How much of a word a memory holds; a part of it says less than its share, since it has other meanings."""
    if times := held.tokens[word.text]:
        return presence(times)
    if word.text in held.grams:
        return presence(1)
    pairs = [word.text[i : i + 2] for i in range(len(word.text) - 1)] if is_cjk(word.text) else []
    if len(pairs) > 1:
        return IN_PARTS * presence(1) * (sum(pair in held.grams for pair in pairs) / len(pairs)) ** 2
    if word.parts:
        whole = math.fsum(weight[part] for part in word.parts) or 1.0
        there = math.fsum(weight[part] * presence(held.tokens[part]) for part in word.parts)
        return IN_PARTS * (there / whole) ** 2
    return 0.0
