"""A new statement on the shelf beside what is known: in the caller's transaction, decided by rule, with its reason."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import apsw

from ..store import memories, runs, slots, words
from ..store.cutter import Cut
from ..store.memories import Quote
from ..store.models import Memory, NewMemory
from .merging import funnel
from .reconcile import Decision, decide

GONE = "someone has taken it out of recall"
ELSEWHERE = "another workspace, found to be the same, has a newer one"


@dataclass(frozen=True, slots=True)
class Placed:
    """What was decided of a draft, and the memory that was made, or that gained the evidence."""

    decision: Decision
    memory: int | None


def place(
    con: apsw.Connection,
    new: NewMemory,
    quotes: Sequence[Quote],
    *,
    cut: Cut | None,
    now: int,
    holder: Memory | None = None,
    decision: Decision | None = None,
) -> Placed:
    """
    Write a statement where it belongs. `holder` is what it corrects, where the caller knows better than the slot does;
    `decision` what is to be done with it, where that is known.
    """
    if new.slot and slots.wanted_gone(con, new.scope, new.slot, turn=new.turn):
        runs.log(con, runs.Run("reconcile", "skip", GONE, new.turn), at=now)
        return Placed(Decision("skip", GONE), None)
    every = slots.holders(con, new.scope, new.slot) if new.slot else []
    holder = holder or next(iter(every), None)
    found = funnel.find(con, new, cut=cut, now=now).beside(holder)
    known = found.same
    for other in every:
        if holder is not None and other.id != holder.id and holder.slot == other.slot:
            memories.retire(con, other.id, why=ELSEWHERE, now=now)
    if decision is None or known is not None:
        decision = found.decision(new, now=now) or decide(new, same=known, holder=holder, now=now)
    if decision.verb in ("add", "past") and new.slot and slots.holder(con, new.scope, new.slot) is not None:
        # What holds the slot stays there; the new one stands beside it.
        new = replace(new, slot=None)
    memory = _write(con, new, decision, quotes, cut=cut, now=now)
    touched = tuple(dict.fromkeys(one for one in (memory, decision.old.id if decision.old else None) if one))
    run = runs.Run("reconcile", decision.verb, decision.reason, new.turn, touched)
    runs.log(con, run, at=now)
    return Placed(decision, memory)


def _write(
    con: apsw.Connection,
    new: NewMemory,
    decision: Decision,
    quotes: Sequence[Quote],
    *,
    cut: Cut | None,
    now: int,
) -> int:
    old, tokens = decision.old, words.index(new.searched, cut)
    if old is None or decision.verb == "add":
        id_ = memories.insert(con, new, tokens, now=now, evidence=quotes)
        if old is not None:
            _relate(con, id_, old, decision, now=now)
        return id_
    if decision.verb == "skip":
        memories.support(con, old.id, quotes)
        return old.id
    if decision.verb == "past":
        return memories.insert(con, replace(new, valid_to=old.valid_from), tokens, now=now, evidence=quotes)
    if decision.verb == "version":
        id_ = memories.revise(con, old, new, tokens, why=decision.reason, now=now)
        memories.support(con, id_, quotes)
        return id_
    _close(con, old, until=new.valid_from, why=decision.reason, cut=cut, now=now)
    id_ = memories.insert(con, new, tokens, now=now, evidence=quotes)
    memories.link(con, id_, old.id, "supersedes", now=now, data={"relation": decision.relation})
    return id_


def _relate(con: apsw.Connection, id_: int, old: Memory, decision: Decision, *, now: int) -> None:
    """Both stay, and are known to bear on each other."""
    kind = "contradicts" if decision.relation == "conflict" else "derived_from"
    memories.link(con, id_, old.id, kind, now=now, data={"relation": decision.relation})


def _close(
    con: apsw.Connection, old: Memory, *, until: int | None, why: str, cut: Cut | None, now: int
) -> None:
    """What is no longer so is retired; where it is known until when it was so, a version of it says that."""
    memories.retire(con, old.id, why=why, now=now)
    if until is not None and old.valid_from is not None and old.valid_from < until:
        closed = replace(memories.as_new(old), valid_to=until)
        memories.renew(con, old, closed, words.index(closed.searched, cut), now=now)
