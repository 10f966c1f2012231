"""The arms of a search, each failing alone, brought together in one order."""

from __future__ import annotations

from collections.abc import Container, Sequence
from functools import partial

import apsw

from ..store import backdrop, entities, fts, memories, vectors, words
from ..store.errors import BackstoryError
from ..store.filters import Filter
from ..store.models import Hit
from ..store.words import Query
from . import lookalikes, named, rank, weigh
from .embed import Asked
from .named import Sought
from .plan import Plan
from .rank import ASKED, FOREIGN, PROMPTED, Candidate

# How many memories an arm brings: more cost time and change nothing among the first ten.
POOL = 40


def find(
    con: apsw.Connection, planned: Plan, wanted: Filter, asked: Sequence[Asked], degraded: dict[str, str]
) -> list[Hit]:
    """
    The memories that answer, best first, after the relevance floor; then by strength, as far as that may move them.

    Args:
        asked: the question's vector for each index that can be asked; without any, words alone answer.
        degraded: gets the name of each arm that could not answer, with the reason.
    """
    rows, frequencies = _frequencies(con, planned.query, degraded)
    weight = rank.weights(planned.query, rows, frequencies)
    # What the past holds is not counted: there every word is looked for.
    query = rank.telling(planned.query, weight, frequencies) if wanted.live else planned.query
    bm25 = _by_words(con, query, wanted, degraded)
    near = _by_vectors(con, wanted, asked, degraded)
    if asked and wanted.of_the_past:
        degraded.setdefault("vectors", _LIVE_ONLY)
    sought, linked = _by_names(con, planned, wanted, degraded)
    held = fts.held(con, list(dict.fromkeys([*bm25, *near, *linked])))
    heights, extent, foreign = _heights(con, planned, wanted, asked, held, degraded)
    candidates = [
        Candidate(memory, bm25.get(memory, 0.0), its, heights.get(memory), memory in linked)
        for memory, its in held.items()
    ]
    judged = rank.judge(
        planned.query, candidates, weight, extent=extent, trust=asked[0].weight if asked else 0.0
    )
    floor = PROMPTED if planned.prompted else ASKED
    if sought:
        question = lookalikes.question(planned.query, weight, sought)
        its_names = entities.of(con, list(held))
        judged = lookalikes.judged(question, judged, held, its_names, partial(entities.texts, con), floor)
    passed = rank.relevant(judged, floor, foreign=foreign)
    found = memories.by_ids(con, [one.memory for one in passed])
    hits = [
        Hit(found[one.memory], one.score, _why(one.memory, bm25, near, linked))
        for one in passed
        if one.memory in found
    ]
    if not planned.prompted:  # what an agent is told to do is mostly new
        hits = lookalikes.remarked(hits, sought)
    return weigh.weighed(con, hits, {one.memory: one.evidence for one in passed}, planned, wanted)


def _frequencies(con: apsw.Connection, query: Query, degraded: dict[str, str]) -> tuple[int, dict[str, int]]:
    try:
        return fts.frequencies(con, rank.tokens(query))
    except apsw.Error as e:
        degraded["words"] = _UNREADABLE.format(e)
        return 0, {}


_LIVE_ONLY = "they know only what is in recall now; what no longer is was looked for by its words"
_UNREADABLE = "the word index cannot be read ({}); run `backstory reindex`"


def _by_words(
    con: apsw.Connection, query: Query, wanted: Filter, degraded: dict[str, str]
) -> dict[int, float]:
    expression = words.match_any(query)
    if not expression:
        return {}
    try:
        return dict(fts.search(con, expression, wanted, k=POOL))
    except apsw.Error as e:
        degraded["words"] = _UNREADABLE.format(e)
        return {}


def _by_vectors(
    con: apsw.Connection, wanted: Filter, asked: Sequence[Asked], degraded: dict[str, str]
) -> dict[int, float]:
    near: dict[int, float] = {}
    for one in asked:
        try:
            found = vectors.nearest(con, one.vector, index=one.index.id, wanted=wanted, k=POOL)
        except (apsw.Error, BackstoryError) as e:
            degraded[one.index.model] = str(e)
            continue
        near = {**dict(found), **near}
    return near


def _by_names(
    con: apsw.Connection, planned: Plan, wanted: Filter, degraded: dict[str, str]
) -> tuple[list[Sought], set[int]]:
    try:
        sought, memories_ = named.sought(con, planned.names, wanted)
    except apsw.Error as e:
        degraded["names"] = str(e)
        return [], set()
    return sought, set(memories_)


def _heights(
    con: apsw.Connection,
    planned: Plan,
    wanted: Filter,
    asked: Sequence[Asked],
    held: dict[int, fts.Held],
    degraded: dict[str, str],
) -> tuple[dict[int, float], int, bool]:
    """How far memories stand out, among about how many, and whether theirs is another script."""
    scripts = {memory: its.script for memory, its in held.items()}
    heights: dict[int, float] = {}
    extent, foreign = len(held), False
    for one in asked:
        try:
            script = planned.query.script
            found = backdrop.heights(con, one.vector, index=one.index, script=script, scripts=scripts)
            heights = {**found, **heights}
            extent = max(extent, backdrop.extent(con, one.index.id, wanted))
            known = backdrop.before(con, one.index.id)
        except (apsw.Error, BackstoryError) as e:
            degraded[one.index.model] = str(e)
            continue
        enough = len(known.sample) >= backdrop.LEAST
        foreign = enough and script != "mixed" and known.scripts.get(script, 0) < FOREIGN * len(known.sample)
    return heights, extent, foreign


def _why(memory: int, *arms: Container[int]) -> tuple[str, ...]:
    return tuple(
        arm for arm, found in zip(("words", "vectors", "names"), arms, strict=True) if memory in found
    )
