"""Standing orders that are withdrawn or turned: which of them a statement ends, by the act it speaks of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import apsw

from ..store import likeness
from ..store.cutter import Cut
from ..store.memories import Quote
from ..store.models import Kind, Memory, NewMemory
from .merging import funnel
from .merging.compare import held_against
from .merging.reading import Reading, read
from .placing import Placed, place
from .reconcile import Decision
from .statements import NEGATED

if TYPE_CHECKING:
    from .extract.acts import Act

# What orders are kept as; so many of one key are compared.
ORDERS: tuple[Kind, ...] = ("profile", "fact")
CANDIDATES = 20
# Words that stand in an order beside the act and count in its key.
_BESIDE = ("", "stop ", "ever ", "allow ", "forbid ")
ONE_TIME = "it may be allowed for one time only; both stand"


def against(con: apsw.Connection, new: NewMemory, *, cut: Cut | None, now: int) -> Memory | None:
    """The live order, of the same place, that a statement withdraws or turns; None where it does neither."""
    from .extract.acts import ENDS, act  # patterns that only this needs

    mine = act(new.text)
    if mine is None:
        return None
    reading = read(mine.words, cut)
    funnel.keep_up(con, cut, limit=funnel.CATCH_UP)
    for known in _alike(con, new, mine.words, reading, cut=cut, now=now):
        theirs = _act_of(known, reading, cut)
        if theirs is not None and theirs.force in ENDS[mine.force]:
            said = read(theirs.words, cut)
            if held_against(said, reading).kind == "same":
                return known
    return None


def end(
    con: apsw.Connection, new: NewMemory, quotes: Sequence[Quote], *, cut: Cut | None, now: int
) -> list[Placed]:
    """
    Let an order end by a statement that only says so, here or for everywhere; nothing where no order stands. What may
    be meant for one time stands beside the order, in conflict.
    """
    from .extract.acts import act  # as above

    mine = act(new.text)
    everywhere = replace(new, scope=replace(new.scope, workspace=None, branch=None))
    for one in (new, everywhere) if new.scope.workspace is not None else (new,):
        known = against(con, one, cut=cut, now=now)
        if known is None or mine is None:
            continue
        told = replace(one, kind=known.kind, scope=known.scope, importance=known.importance)
        decision = Decision("update", NEGATED, known, "negate")
        if mine.force in ("may", "need not") and not mine.lasting:
            # It has no slot, so that it stands beside the order.
            told, decision = replace(told, slot=None), Decision("add", ONE_TIME, known, "conflict")
        return [place(con, told, quotes, cut=cut, now=now, decision=decision)]
    return []


def _alike(
    con: apsw.Connection, new: NewMemory, act: str, reading: Reading, *, cut: Cut | None, now: int
) -> list[Memory]:
    keys = dict.fromkeys(read(f"{more}{act}", cut).key for more in _BESIDE) if reading.key else {}
    found: dict[int, Memory] = {}
    for key in keys:
        for kind in ORDERS:
            for one in likeness.alike(con, key, kind=kind, scope=new.scope, now=now, limit=CANDIDATES):
                if one.valid_to is None:
                    found.setdefault(one.id, one)
    return list(found.values())


def _act_of(known: Memory, reading: Reading, cut: Cut | None) -> Act | None:
    """The act that a memory orders, by its text; else by its value, where that is all that it says."""
    from .extract.acts import Act, act  # as above

    if known.data.get("predicate") not in ("asks for", "is", None):
        return None
    found = act(known.text)
    value = str(known.data.get("value") or "")
    if found is not None or known.data.get("predicate") != "asks for" or read(value, cut).key != reading.key:
        return found
    denied = known.data.get("polarity") == "negated"
    ended = bool(known.data.get("qualifiers", {}).get("ended"))
    return Act(value, "need not" if denied and ended else "must not" if denied else "must")
