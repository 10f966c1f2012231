"""A statement that a model found, beside what the rules found in the same words and what is known already."""

from __future__ import annotations

from dataclasses import replace

import apsw

from ..store import fts, memories, slots, words, work, workspaces
from ..store.cutter import Cut
from ..store.filters import Filter
from ..store.memories import Quote
from ..store.models import KEYS, Event, Memory, NewMemory, Turn
from . import admitting, said
from .extract.drafts import Draft
from .extract.model_results import Taken
from .placing import Placed, place
from .plan import telling
from .reconcile import Decision

# What a statement may be weighed against: so many memories that share so many telling words with it.
NEIGHBOURS, COMMON = 8, 2


def statement(
    con: apsw.Connection,
    turn: Turn,
    event: Event,
    taken: Taken,
    *,
    weighed: Decision | None = None,
    cut: Cut | None,
    now: int,
) -> list[Placed]:
    """What became of it, in the caller's transaction. `weighed`: what a model says it is to what is known."""
    draft = taken.draft
    if taken.origin == "user" and draft.asks == "forget":
        return said.keep(con, turn, event, draft, cut=cut, now=now)
    quote = Quote(event.id, draft.start, draft.end)
    known = said.drawn_before(con, event, draft)
    if known is not None:
        if not draft.data.get(KEYS) or known.data.get(KEYS) or known.retired_at is not None:
            return [Placed(Decision("skip", "it was drawn from these words before", known), known.id)]
        told = replace(memories.as_new(known), data={**known.data, KEYS: draft.data[KEYS]})
        return [place(con, told, [quote], cut=cut, now=now, holder=known)]
    if weighed is not None and (weighed.old is None or _is_live(con, weighed.old)):
        admitted = admitting.drawn(con, turn, event, draft, origin=taken.origin, now=now)
        if admitted is None or (weighed.old is not None and not admitted.overrides(weighed.old.origin)):
            return []
        new = admitting.with_authority(said.memory_of(turn, event, draft), admitted)
        return [place(con, new, [quote], cut=cut, now=now, decision=weighed)]
    return said.keep(con, turn, event, draft, cut=cut, now=now, origin=taken.origin)


def _is_live(con: apsw.Connection, memory: Memory) -> bool:
    return memories.by_id(con, memory.id).retired_at is None


def undecided(
    con: apsw.Connection, turn: Turn, event: Event, taken: Taken, cut: Cut | None, *, now: int
) -> tuple[NewMemory, list[Memory]] | None:
    """A statement that no rule can place beside its neighbours, and those; None where a rule can, or there are none."""
    draft = taken.draft
    if taken.origin != "user" or draft.asks == "forget" or said.drawn_before(con, event, draft) is not None:
        return None
    new = said.memory_of(turn, event, draft)
    if new.slot and slots.holder(con, new.scope, new.slot) is not None:
        return None
    found = neighbours(con, turn, draft, cut, now=now)
    return (new, found) if found else None


def neighbours(con: apsw.Connection, turn: Turn, draft: Draft, cut: Cut | None, *, now: int) -> list[Memory]:
    """What is known that may be about the same thing, likest first; none where few words are shared."""
    query = words.query(draft.text, cut)
    expression = words.match_any(query)
    if not expression:
        return []
    scope = turn.scope
    family = () if scope.workspace is None else tuple(workspaces.family(con, scope.workspace))
    wanted = Filter(scope.user, now, family, kinds=("profile", "fact", "intention"))
    found = memories.by_ids(con, [id_ for id_, _ in fts.search(con, expression, wanted, k=NEIGHBOURS)])
    mine = telling(draft.text, cut)
    return [
        one
        for one in found.values()
        if one.turn != turn.id
        and not (one.slot or "").startswith(work.DID)
        and len(mine & telling(one.text, cut)) >= COMMON
    ]
