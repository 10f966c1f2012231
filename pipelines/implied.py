"""What a user never said for good, but shows: the same correction twice is a wish, held with little confidence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import apsw

from ..store import evidence, memories, runs, words, work
from ..store.cutter import Cut
from ..store.events import content_hash
from ..store.memories import Quote
from ..store.models import Memory, NewMemory, Turn
from . import admitting
from .placing import Placed, place
from .plan import telling

# Two corrections are one where so much of the shorter one's telling words is in both, and at least so many.
SAME, COMMON = 0.6, 2
# How sure it is after two corrections, three, and more; what was said for good is surer than any of it.
CONFIDENCE = (0.4, 0.55, 0.7)
_PHRASES = {
    "en": "Seems to want: “{said}” (corrected so {n} times, never said for good)",
    "zh": "似乎希望：“{said}”（纠正过 {n} 次，未曾明说）",
}


def wish(
    con: apsw.Connection,
    turn: Turn,
    corrected: Memory,
    quotes: Sequence[Quote],
    *,
    cut: Cut | None,
    now: int,
) -> Placed | None:
    """A profile line for a correction that another turn has made before; None for the first of its kind."""
    alike = [one for one in work.corrections(con, turn.scope) if _same(one, corrected, cut)]
    turns = {one for memory in (corrected, *alike) for one in memories.turns_behind(con, memory.id)}
    if len(turns) < 2:
        return None
    oldest = min((corrected, *alike), key=lambda one: one.valid_from or one.recorded_at)
    said, n = str(corrected.data.get("solution") or corrected.text), len(turns)
    new = NewMemory(
        kind="profile", scene="chat", scope=replace(turn.scope, branch=None), origin="agent", turn=turn.id,
        text=_PHRASES[_language(said)].format(said=said, n=n), slot=f"implied:{content_hash(oldest.root)}",
        importance=0.5, confidence=_sure(n),
        valid_from=turn.started_at, data={"implied": True, "times": n, "turn": turn.ulid},
    )  # fmt: skip
    admitted = admitting.inferred(con, turn, new, now=now)
    if admitted is None:
        return None
    placed = place(con, admitted, quotes, cut=cut, now=now)
    if placed.memory is not None:
        for one in (corrected, *alike):
            memories.link(con, placed.memory, one.id, "derived_from", now=now)
    return placed


def recount(con: apsw.Connection, wish_: Memory, *, cut: Cut | None, now: int) -> bool:
    """Let a wish say how often it was shown by what is left; False where that is less than twice."""
    left = [one for one in evidence.drawn_from(con, wish_.root) if one.retired_at is None]
    n = len({turn for one in left for turn in memories.turns_behind(con, one.id)})
    if n < 2:
        return False
    oldest = min(left, key=lambda one: one.valid_from or one.recorded_at)
    said = str(oldest.data.get("solution") or oldest.text)
    new = replace(
        memories.as_new(wish_), text=_PHRASES[_language(said)].format(said=said, n=n), confidence=_sure(n),
        data={**wish_.data, "times": n},
    )  # fmt: skip
    id_ = memories.revise(con, wish_, new, words.index(new.searched, cut), why="recounted", now=now)
    kept = [quote for one in left for quote in evidence.quotes(con, one.id)]
    evidence.anew(con, id_, kept)
    runs.log(con, runs.Run("legs", "renewed", f"shown {n} times by what is left", wish_.turn, (id_,)), at=now)
    return True


def _language(said: str) -> str:
    from .extract.work_text import language

    return language(said)


def _sure(times: int) -> float:
    return CONFIDENCE[min(times, len(CONFIDENCE) + 1) - 2]


def _same(one: Memory, other: Memory, cut: Cut | None) -> bool:
    if one.id == other.id:
        return False
    mine, theirs = (telling(str(each.data.get("solution") or each.text), cut) for each in (one, other))
    common = len(mine & theirs)
    return common >= COMMON and common >= SAME * min(len(mine), len(theirs))
