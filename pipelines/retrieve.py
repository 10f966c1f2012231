"""The arms of a search, fused."""

from __future__ import annotations

from collections.abc import Sequence

import apsw

from ..store import fts, memories, vectors, words
from ..store.filters import Filter
from ..store.models import Hit
from .embed import Asked
from .plan import Plan

C = 10
POOL = 50


def find(
    con: apsw.Connection, planned: Plan, wanted: Filter, asked: Sequence[Asked], degraded: dict[str, str]
) -> list[Hit]:
    """The memories that answer, best first."""
    score: dict[int, float] = {}
    why: dict[int, list[str]] = {}
    for expression in words.match(planned.query)[:2]:
        ranked = fts.search(con, expression, wanted, k=POOL)
        if ranked:
            for place, (id_, _) in enumerate(ranked):
                score[id_] = score.get(id_, 0) + 1 / (C + place + 1)
                why.setdefault(id_, []).append("words")
            break
    for one in asked:
        for place, (id_, _) in enumerate(vectors.nearest(con, one.vector, index=one.index.id, wanted=wanted, k=POOL)):
            score[id_] = score.get(id_, 0) + one.weight / (C + place + 1)
            why.setdefault(id_, []).append("vectors")
    found = memories.by_ids(con, list(score))
    order = sorted(found, key=lambda i: -score[i])
    return [Hit(found[i], score[i], tuple(why[i])) for i in order]
