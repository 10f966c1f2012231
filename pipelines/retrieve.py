"""The arms of a search, each failing alone, brought together in one order."""

from __future__ import annotations

from collections.abc import Sequence

import apsw

from ..store import backdrop, fts, memories, vectors, words
from ..store.errors import BackstoryError
from ..store.filters import Filter
from ..store.models import Hit
from . import rank
from .embed import Asked
from .plan import Plan
from .rank import ASKED, FOREIGN, PROMPTED, Candidate

# How many memories an arm brings: more cost time and change nothing among the first ten.
POOL = 60


def find(
    con: apsw.Connection, planned: Plan, wanted: Filter, asked: Sequence[Asked], degraded: dict[str, str]
) -> list[Hit]:
    """
    The memories that answer, best first, after the relevance floor.

    Args:
        asked: the question's vector for each index that can be asked; without any, words alone answer.
        degraded: gets the name of each arm that could not answer, with the reason.
    """
    bm25 = _words(con, planned, wanted, degraded)
    near: dict[int, float] = {}
    extent = len(bm25)
    heights: dict[int, float] = {}
    ...
    raise NotImplementedError
