"""
Conductor: a question that a model puts in other words, in both languages and with the days it names, before memory is
asked. One call; where it fails the question stands as it was put.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from ..store import clock, runs
from ..store.cutter import Cut
from ..store.db import Database
from ..store.filters import Filter
from ..store.models import Packet
from . import recall
from .llm import Model
from .llm_log import costed
from .plan_model import Replanned, Rewritten, rewrite
from .recall import Ask

# The arm by which a packet tells that no model rewrote the question.
ARM = "model"


def several(
    questions: Sequence[str],
    wanted: Filter,
    *,
    model: Model | None,
    db: Database,
    ask: Ask | None,
    cut: Cut | None,
    limit: int,
    offset: int = 0,
) -> Packet:
    """As `recall.several`, of the questions and what a model makes of the first of them."""
    search = partial(recall.several, db=db, ask=ask, cut=cut, limit=limit, offset=offset)
    if model is None:
        return _as_put(search(questions, wanted), "no model is configured (mode lite)")
    now = wanted.now_at
    found = rewrite(model, questions[0], now=now, utc_offset_s=clock.utc_offset_s(now))
    _log(db, found, now=now)
    said = found.rewritten
    if said is None:
        why = found.declined.reason if found.declined else "its rewriting held nothing that could be used"
        return _as_put(search(questions, wanted), why)
    every = list(dict.fromkeys((*questions, *said.queries)))
    return replace(search(every, _within(wanted, said), toward=said.scene), query="\n".join(questions))


def _as_put(packet: Packet, why: str) -> Packet:
    return replace(packet, degraded={**packet.degraded, ARM: why})


def _within(wanted: Filter, said: Rewritten) -> Filter:
    """The reading's own days go before those that a model read from the question."""
    if wanted.since is not None or wanted.until is not None:
        return wanted
    return replace(wanted, since=said.since, until=said.until)


def _log(db: Database, found: Replanned, *, now: int) -> None:
    if db.readonly:
        return
    said = found.rewritten
    verdict = "declined" if found.declined else "rewritten" if said else "refused"
    reason = found.declined.reason if found.declined else f"{len(said.queries)} more wordings" if said else ""
    db.write(runs.log, costed(runs.Run("plan", verdict, reason), found.spent), at=now)
