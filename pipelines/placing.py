"""A new statement on the shelf beside what is known: in the caller's transaction, decided by rule, with its reason."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import apsw

from ..store import memories, runs, slots, words
from ..store.cutter import Cut
from ..store.memories import Quote
from ..store.models import Memory, NewMemory
from . import lines
from .merging import funnel, measures
from .reconcile import Decision, decide, found_better

GONE = "someone has taken it out of recall"
CORRECTED = "it was said to have been wrong"
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
    corrects: Memory | None = None,
    decision: Decision | None = None,
    asked: bool = False,
) -> Placed:
    """
    Write a statement where it belongs. `holder` is what it says the opposite of, or is told anew of, where the caller
    knows better than the slot does; `corrects` what was said before and was never so; `decision` what is to be done
    with it, where that is known. `asked`: someone wants it kept now, whatever was taken out before.
    """
    new = measures.placed(new, cut)
    if not asked and new.slot and slots.wanted_gone(con, new.scope, new.slot, turn=new.turn):
        runs.log(con, runs.Run("reconcile", "skip", GONE, new.turn), at=now)
        return Placed(Decision("skip", GONE), None)
    own = slots.holder(con, new.scope, new.slot) if new.slot else None
    found = funnel.find(con, new, cut=cut, now=now).beside(holder or own)
    if found.same is not None and found.same.true_from > now and new.valid_from is None:
        new = replace(new, valid_from=now)  # what was to come is so by now
    known = found.same if found.exact else None
    if corrects is not None:
        placed = _correct(con, new, corrects, quotes, known, cut=cut, now=now)
    elif decision is None and (settled := found.decision(new, now=now)) is not None:
        told = replace(new, valid_from=now) if settled.verb == "update" and new.valid_from is None else new
        placed = _beside(con, told, quotes, None, None, settled, cut=cut, now=now)
    elif has_line(new) and _is_of_line(new, known, holder, decision):
        joined = lines.join(con, new, quotes, cut=cut, now=now)
        placed = Placed(joined.decision, joined.memory)
    else:
        placed = _beside(con, new, quotes, known, holder, decision, cut=cut, now=now)
    old = placed.decision.old
    touched = tuple(dict.fromkeys(one for one in (placed.memory, old.id if old else None) if one))
    run = runs.Run("reconcile", placed.decision.verb, placed.decision.reason, new.turn, touched)
    runs.log(con, run, at=now)
    return placed


def has_line(new: NewMemory) -> bool:
    """Whether a statement has one value at a time: its slot then has a line in time."""
    return bool(new.slot) and "value" in new.data


def _is_of_line(
    new: NewMemory, known: Memory | None, holder: Memory | None, decision: Decision | None
) -> bool:
    """Whether its slot's line alone says what is to be done with a statement."""
    if any(one is not None and (one.slot != new.slot or found_better(new, one)) for one in (known, holder)):
        return False
    return decision is None or known is not None


def _correct(
    con: apsw.Connection,
    new: NewMemory,
    old: Memory,
    quotes: Sequence[Quote],
    known: Memory | None,
    *,
    cut: Cut | None,
    now: int,
) -> Placed:
    """
    What was never so gives way to what was meant, of the same time where no other is named: a version of it, if that is
    not known already.
    """
    if not new.data.get("dated"):
        new = replace(new, valid_from=old.valid_from, valid_to=old.valid_to)
    decision = Decision("update", CORRECTED, old, "override")
    for version in memories.versions(con, old.root):
        if version.retired_at is None:
            memories.retire(con, version.id, why=CORRECTED, now=now)
    if known is not None and known.root != old.root:
        memories.support(con, known.id, quotes)
        memories.link(con, known.id, old.id, "supersedes", now=now, data={"relation": "override"})
        return Placed(decision, known.id)
    if has_line(new):
        return Placed(decision, lines.join(con, new, quotes, cut=cut, now=now, version_of=old).memory)
    id_ = memories.renew(con, old, new, words.index(new.searched, cut), now=now)
    memories.support(con, id_, quotes)
    return Placed(decision, id_)


def _beside(
    con: apsw.Connection,
    new: NewMemory,
    quotes: Sequence[Quote],
    known: Memory | None,
    holder: Memory | None,
    decision: Decision | None,
    *,
    cut: Cut | None,
    now: int,
) -> Placed:
    """What has no line of its own, or is held against what stands on another."""
    every = slots.holders(con, new.scope, new.slot) if new.slot else []
    holder = holder or next(iter(every), None)
    for other in every:
        # What is told, and has no value, is told once; what has one is settled on its line.
        if not has_line(new) and holder is not None and other.id != holder.id and holder.slot == other.slot:
            memories.retire(con, other.id, why=ELSEWHERE, now=now)
    if decision is None or known is not None:
        decision = decide(new, same=known, holder=holder, now=now)
    old = decision.old
    if decision.verb == "skip" and old is not None:
        memories.support(con, old.id, quotes)
        memories.revive(con, old.id)  # said again
        return Placed(decision, old.id)
    if decision.verb == "version" and old is not None:
        if has_line(new) and not found_better(new, old):
            memories.retire(con, old.id, why=decision.reason, now=now)
            joined = lines.join(con, new, quotes, cut=cut, now=now, version_of=old)
            return Placed(decision, joined.memory)
        id_ = memories.revise(con, old, new, words.index(new.searched, cut), why=decision.reason, now=now)
        memories.support(con, id_, quotes)
        return Placed(decision, id_)
    if decision.verb == "past" and old is not None:
        new = replace(new, valid_to=old.valid_from)
    elif decision.verb == "update" and old is not None:
        until = now if new.valid_from is None else new.valid_from
        close(con, old, until=until, why=decision.reason, cut=cut, now=now)
    id_ = _insert(con, new, quotes, cut=cut, now=now)
    if old is not None:
        _relate(con, id_, old, decision, now=now)
    return Placed(decision, id_)


def _insert(
    con: apsw.Connection, new: NewMemory, quotes: Sequence[Quote], *, cut: Cut | None, now: int
) -> int:
    if has_line(new):
        return lines.join(con, new, quotes, cut=cut, now=now).memory
    return memories.insert(con, new, words.index(new.searched, cut), now=now, evidence=quotes)


def _relate(con: apsw.Connection, id_: int, old: Memory, decision: Decision, *, now: int) -> None:
    """How a new memory bears on what was known: it took its place, or both stay."""
    kinds = {
        "update": "supersedes",
        "add": "contradicts" if decision.relation == "conflict" else "derived_from",
    }
    if kind := kinds.get(decision.verb):
        memories.link(con, id_, old.id, kind, now=now, data={"relation": decision.relation})


def close(
    con: apsw.Connection, old: Memory, *, until: int | None, why: str, cut: Cut | None, now: int
) -> None:
    """What is no longer so is retired; where it is known until when it was so, a version of it says that."""
    memories.retire(con, old.id, why=why, now=now)
    if until is not None and old.true_from < until:
        closed = replace(memories.as_new(old), valid_from=old.true_from, valid_to=until)
        memories.renew(con, old, closed, words.index(closed.searched, cut), now=now)
