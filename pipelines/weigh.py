"""Answers weighed by strength: after relevance, a little for what is fresh, important, trusted and near."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache

import apsw

from .. import configs
from ..configs.strength import Strength
from ..store import settings, signs
from ..store.filters import Filter
from ..store.models import Hit
from ..store.peek import DOUBTED
from . import fold, strength
from .plan import Plan
from .rank import PROMPTED

NAMES = tuple(Strength.model_fields)


def rules(con: apsw.Connection) -> Strength:
    """The settings of strength that hold for this file."""
    return _rules(tuple(sorted(settings.several(con, NAMES).items())))


@lru_cache(8)
def _rules(given: tuple[tuple[str, str], ...]) -> Strength:
    known = configs.defaults()
    return Strength.model_validate({name: known[name] for name in NAMES} | dict(given))


def weighed(
    con: apsw.Connection, hits: Sequence[Hit], evidence: Mapping[int, float], planned: Plan, wanted: Filter
) -> list[Hit]:
    """
    The hits in the order that strength gives them; of the past, as they are. None is added, and only to a prompt may
    one be refused: where it is doubted, or is handed out everywhere and does not answer by itself.

    Args:
        evidence: that a memory is about the question, by its id.
    """
    if not wanted.live or not hits:
        return list(hits)
    held = rules(con)
    known = signs.of(con, [hit.memory for hit in hits], busy=held.loud_uses)
    names = frozenset(word.text for word in planned.query.words if word.name)
    found: list[Hit] = []
    for hit in hits:
        memory, its = hit.memory, known[hit.memory.id]
        if planned.prompted and (
            memory.trust < DOUBTED
            or (evidence[memory.id] < PROMPTED.gate and strength.is_loud(memory, its, held))
        ):
            continue
        factor = strength.nudge(memory, its, held, now=wanted.now_at, branch=wanted.branch, names=names)
        # A score below nothing would rise when it is made smaller.
        found.append(replace(hit, score=hit.score * factor) if hit.score > 0 else hit)
    return sorted(found, key=fold.order)
