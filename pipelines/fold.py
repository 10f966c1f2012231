"""What a search found without what it found twice: a turn under what was drawn from it, equivalents into one."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cache

import apsw

from ..store import fts, memories
from ..store.cutter import Cut
from ..store.models import Hit, Memory
from ..store.peek import FOLDS
from ..store.words import Query, Word, is_cjk
from . import rank
from .merging import folding


def equivalents(con: apsw.Connection, hits: Sequence[Hit], cut: Cut | None) -> list[Hit]:
    """
    The hits, best first, with those that say the same folded into one: the fullest of them, in the place of the best,
    which tells how often it was said.
    """
    found = folding.groups(hits, cut)
    if not found:
        return list(hits)
    said = memories.times_said(con, [[hit.memory.id for hit in group] for group in found])
    left = {hit.memory.id: hit for hit in hits}
    for group, times in zip(found, said, strict=True):
        stays = folding.fullest(group, cut)
        why = tuple(dict.fromkeys(arm for hit in group for arm in hit.why))
        for hit in group:
            del left[hit.memory.id]
        remark = stays.remark or _said(stays.memory, times)
        left[stays.memory.id] = Hit(stays.memory, group[0].score, why, remark)
    return sorted(left.values(), key=order)


def _said(memory: Memory, times: int) -> str | None:
    """In the words of the memory's own language; a plan has its date to show."""
    if times < 2 or memory.kind == "intention":
        return None
    return f"说过 {times} 次" if any(map(is_cjk, memory.text)) else f"said {times} times"


def folded(con: apsw.Connection, query: Query, hits: Sequence[Hit]) -> list[Hit]:
    """
    The hits, best first, with a turn folded under what was drawn from it where that holds what the question found in
    the turn; of those memories the one that holds most takes the better of both scores.

    A turn that says more to the question stays: a preference said while a bug was fixed does not stand for the bug.
    """
    drawn: dict[int, list[Hit]] = {}
    for hit in hits:
        if hit.memory.kind != "turn" and hit.memory.turn is not None:
            drawn.setdefault(hit.memory.turn, []).append(hit)
    told = [hit for hit in hits if hit.memory.kind == "turn" and hit.memory.turn in drawn]
    if not told:
        return list(hits)
    ids = [hit.memory.id for turn in told for hit in (turn, *drawn[turn.memory.turn or 0])]
    words_in = _words_in(con, query, ids)
    # A look into the index costs as much as the words are common, and mostly nothing has to be weighed.
    weights = cache(lambda: rank.weights(query, *fts.frequencies(con, rank.tokens(query))))
    left = {hit.memory.id: hit for hit in hits}
    for turn in told:
        ours = drawn[turn.memory.turn or 0]
        if over := _over(turn, ours, words_in, weights):
            del left[turn.memory.id]
            why = tuple(dict.fromkeys((*over.why, *turn.why)))
            left[over.memory.id] = replace(over, score=max(over.score, turn.score), why=why)
    return sorted(left.values(), key=order)


def _over(
    turn: Hit,
    drawn: Sequence[Hit],
    words_in: Mapping[int, set[str]],
    weights: Callable[[], Mapping[str, float]],
) -> Hit | None:
    """Which of the memories drawn from a turn it folds under; None where it is to stay."""
    said = words_in[turn.memory.id]
    if not said:  # found by its meaning alone, for which a memory of another matter does not stand
        return next((hit for hit in drawn if hit.memory.scene == turn.memory.scene), None)
    together = said.intersection(word for hit in drawn for word in words_in[hit.memory.id])
    if together != said:
        weight = weights()
        if math.fsum(map(weight.__getitem__, together)) < FOLDS * math.fsum(map(weight.__getitem__, said)):
            return None
    return max(drawn, key=lambda hit: len(said & words_in[hit.memory.id]))


def _words_in(con: apsw.Connection, query: Query, ids: Sequence[int]) -> dict[int, set[str]]:
    """The words of a question that stand in each of those memories."""
    asked = query.words or tuple(map(Word, query.grams))
    held = fts.held(con, ids)

    def stands(word: Word, its: fts.Held) -> bool:
        if word.text in its.tokens or word.text in its.grams:
            return True
        pairs = [word.text[i : i + 2] for i in range(len(word.text) - 1)] if is_cjk(word.text) else []
        return (len(pairs) > 1 and its.grams.issuperset(pairs)) or (
            bool(word.parts) and all(part in its.tokens for part in word.parts)
        )

    return {
        memory: {word.text for word in asked if memory in held and stands(word, held[memory])}
        for memory in ids
    }


def order(hit: Hit) -> tuple[float, int]:
    """For the order of hits, the best first."""
    return -hit.score, -hit.memory.id
