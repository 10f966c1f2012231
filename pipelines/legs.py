"""
What becomes of memories whose legs go: what leaned on those alone falls, what has others stands, to be renewed.

A leg is a memory that another was drawn from (`derived_from`, `part_of`), or words of an event that are not those of
what went. A newer value that took a slot is no loss: what was drawn from the older one was so.

    decide(leans) -> Fallen                             pure: what falls with what goes, and what stands
    retire(con, memories, why=…, now=…) -> Fallen       take them out, in the caller's transaction
    stand_again(con, memory, …) -> ids                  bring back what fell with one that is restored
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import apsw

from ..store import evidence, memories, runs, slots, words
from ..store.cutter import Cut
from ..store.evidence import FELL, Lean
from ..store.models import Memory
from . import renewal

TO_RENEW = "part of what this rests on is gone"


@dataclass(frozen=True, slots=True)
class Fallen:
    """The row ids of what went with something, and of what stands on other legs and is to be renewed."""

    alone: tuple[int, ...] = ()
    standing: tuple[int, ...] = ()


def decide(leans: Sequence[Lean]) -> Fallen:
    """
    Which of those that lean on what goes fall, and which stand.

    One stands by words of its own, or by a source that stands; a ring of memories that hold only each other does not.
    """
    among = {one.root for one in leans}
    standing = {one.root for one in leans if one.own or one.sources - among}
    grown = True
    while grown:
        more = {one.root for one in leans if one.root not in standing and one.sources & standing}
        standing |= more
        grown = bool(more)
    hurt = {one.root for one in leans if one.gone or one.sources - standing & among}
    return Fallen(
        tuple(one.memory for one in leans if one.root not in standing),
        tuple(one.memory for one in leans if one.root in standing and one.root in hurt),
    )


def retire(
    con: apsw.Connection, going: Sequence[Memory], *, why: str, now: int, cut: Cut | None = None
) -> Fallen:
    """Take memories out of recall with what leaned on them alone, in the caller's transaction."""
    leans = evidence.leans(con, [one.id for one in going])
    found = decide(leans)
    for memory in going:
        memories.retire(con, memory.id, why=why, now=now)
    _fall(con, going, leans, found, now=now)
    _mark(con, [one.id for one in going], found.standing, now=now)
    too_little = renewal.begin(con, found.standing, cut=cut, now=now)
    if not too_little:
        return found
    more = retire(con, too_little, why=renewal.TOO_LITTLE, now=now, cut=cut)
    fell = (*found.alone, *(one.id for one in too_little), *more.alone)
    return Fallen(fell, tuple(one for one in (*found.standing, *more.standing) if one not in fell))


def shake(con: apsw.Connection, corrected: Memory, *, now: int, cut: Cut | None = None) -> tuple[int, ...]:
    """Let what rests on a memory be renewed, since its words were wrong; which those are. All of it stands."""
    direct = [one for one in evidence.leans(con, [corrected.id]) if corrected.root in one.gone]
    standing = tuple(one.memory for one in direct)
    _mark(con, [corrected.id], standing, now=now)
    renewal.begin(con, standing, cut=cut, now=now, counts=False)
    return standing


def stand_again(con: apsw.Connection, restored: Memory, *, cut: Cut | None, now: int) -> tuple[int, ...]:
    """
    Bring back what fell with a memory when it was retired, and what fell with that, where nothing else took its place;
    the new rows. `restored` is the version that was retired.
    """
    back: list[int] = []
    waiting, met = [restored], {restored.root}
    while waiting:
        source = waiting.pop()
        for fallen in evidence.fell_with(con, source.root, at=restored.retired_at):
            if fallen.root in met or (fallen.slot and _is_taken(con, fallen)):
                continue
            met.add(fallen.root)
            new = memories.as_new(fallen)
            id_ = memories.renew(con, fallen, new, words.index(new.searched, cut), now=now)
            run = runs.Run("legs", "stands again", f"{source.short} is back", fallen.turn, (fallen.id, id_))
            runs.log(con, run, at=now)
            back.append(id_)
            waiting.append(fallen)
    for root in met:
        evidence.whole_again(con, root)
    return tuple(back)


def _is_taken(con: apsw.Connection, fallen: Memory) -> bool:
    return slots.holder(con, fallen.scope, fallen.slot or "") is not None


def _fall(
    con: apsw.Connection, going: Sequence[Memory], leans: Sequence[Lean], found: Fallen, *, now: int
) -> None:
    """Retire what leaned on nothing else, each with the name of a source that it lost."""
    names = {one.root: one.short for one in going}
    names |= {one.root: f"m{one.memory}" for one in leans if one.memory in found.alone}
    rows = memories.by_ids(con, found.alone)
    for one in leans:
        if one.memory not in rows:
            continue
        lost = sorted(names[root] for root in one.gone | one.sources if root in names)
        why = f"{FELL}{' and '.join(lost[:3]) or 'what is gone'} alone"
        memories.retire(con, one.memory, why=why, now=now)
        runs.log(con, runs.Run("legs", "fell", why, rows[one.memory].turn, (one.memory,)), at=now)


def _mark(con: apsw.Connection, going: Sequence[int], standing: Sequence[int], *, now: int) -> None:
    evidence.to_renew(con, standing, now=now)
    gone = ", ".join(f"m{id_}" for id_ in going[:5])
    for id_, row in memories.by_ids(con, standing).items():
        why = f"{TO_RENEW} ({gone}); it has other legs"
        runs.log(con, runs.Run("legs", "to renew", why, row.turn, (id_,)), at=now)
