"""What a plan of forgetting comes to, counted and shown: what goes whole, what is blanked, what stands and why."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass

import apsw

from ..store import erasing_code, lineage
from ..store.tombstones import FILLER
from . import still_there
from .blanking import blanked
from .capture import one_line
from .forget_plan import Plan

# So many lines are shown of each part, and so much of each.
LINES, CHARS = 5, 120
# So many of the longer words that it is part of are named.
LONGER = 8


@dataclass(frozen=True, slots=True)
class Part:
    """How many of a kind, and a few of them as (id, line)."""

    count: int = 0
    some: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Preview:
    """`memories` and `events` go whole, with `code` versions; `blanked` events stay without the words."""

    memories: Part = Part()
    events: Part = Part()
    blanked: Part = Part()
    stands: Part = Part()
    turns: int = 0
    code: int = 0
    code_blanked: int = 0
    # What holds the words only inside longer ones and is left: memories, events, bodies of code; some such words.
    left: Part = Part()
    left_code: int = 0
    longer: tuple[str, ...] = ()
    # Of the user's own files those in which the forgotten code, or the words, still stand, and in how many places.
    on_disk: tuple[tuple[str, int], ...] = ()

    @property
    def empty(self) -> bool:
        """Whether nothing answers to what was asked."""
        return not (
            self.memories.count or self.events.count or self.blanked.count or self.turns or self.code
            or self.code_blanked
        )  # fmt: skip


def tell(con: apsw.Connection, plan: Plan) -> Preview:
    """The counts of a plan, and the first lines of each part."""
    blanks = {**dict.fromkeys(plan.blind, ((0, 0),)), **plan.blanks}
    shown = lineage.said(con, sorted(blanks)[:LINES])
    stands = lineage.kept(con, sorted(plan.stands)[:LINES])
    return Preview(
        memories=_memories(con, plan.memories),
        events=_events(con, plan.events),
        blanked=Part(
            len(blanks),
            tuple((f"e{one.id}", _around(one.content, list(blanks[one.id]))) for one in shown),
        ),
        stands=Part(
            len(plan.stands),
            tuple((f"m{one.id}", f"{one_line(one.text, CHARS)} ({plan.stands[one.id]})") for one in stands),
        ),
        turns=len(plan.turns),
        code=len(plan.code.rounds),
        code_blanked=len(plan.code.bodies | plan.code.patches),
        left=_left(con, plan),
        left_code=plan.left.code,
        longer=plan.left.longer[:LONGER],
        on_disk=still_there.look(erasing_code.lies_in(con, plan.code), plan.words),
    )


def _left(con: apsw.Connection, plan: Plan) -> Part:
    memories = lineage.kept(con, sorted(plan.left.memories)[:LINES])
    events = lineage.said(con, sorted(plan.left.events)[: LINES - len(memories)])
    some = [(f"m{one.id}", one_line(one.text, CHARS)) for one in memories]
    some += [(f"e{one.id}", f"{one.kind}: {one_line(one.content, CHARS)}") for one in events]
    return Part(len(plan.left.memories) + len(plan.left.events), tuple(some))


def _memories(con: apsw.Connection, ids: Collection[int]) -> Part:
    some = lineage.kept(con, sorted(ids)[:LINES])
    return Part(len(ids), tuple((f"m{one.id}", one_line(one.text, CHARS)) for one in some))


def _events(con: apsw.Connection, ids: Collection[int]) -> Part:
    some = lineage.said(con, sorted(ids)[:LINES])
    return Part(
        len(ids), tuple((f"e{one.id}", f"{one.kind}: {one_line(one.content, CHARS)}") for one in some)
    )


def _around(content: str, spans: Iterable[tuple[int, int]]) -> str:
    """What would be left of an event, from shortly before its first blank."""
    first = min((start for start, _ in spans), default=0)
    left = blanked(content, spans)[max(first - CHARS // 3, 0) :]
    return one_line(left.replace(FILLER * 8, FILLER), CHARS) if FILLER in left else "in what a tool was given"
