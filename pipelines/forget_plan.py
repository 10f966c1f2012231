"""What is to be forgotten, and what follows from it: what goes whole, what is blanked, what stands and why. Pure."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from ..store.erasing_code import NO_CODE, CodeRows
from ..store.lineage import Leg
from ..store.passage_marks import Marked
from ..store.standing import Found, Reach
from ..store.tombstones import EDGES, FILLER, Span
from ..store.wording import Words, joined

NOTHING_LEFT = Found({}, {})
LEANS, OVERLAPS = "part of what it rests on goes", "words that it rests on are blanked"


@dataclass(frozen=True, slots=True)
class Wanted:
    """
    What someone wants forgotten: memories by row id, or all of a reach; of that, where `query` is given, these words
    wherever they stand, and where `paths` are, these files (from the repositories' top) of those `workspaces`.
    """

    reach: Reach
    ids: tuple[int, ...] = ()
    query: str | None = None
    paths: tuple[str, ...] = ()
    workspaces: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Left:
    """What holds the words only as part of longer ones: memories, events, bodies of code; and the longer words."""

    memories: frozenset[int] = frozenset()
    events: frozenset[int] = frozenset()
    code: int = 0
    longer: tuple[str, ...] = ()


# Names that words stand in, by (table, column), each as it is without them.
Renamed = Mapping[tuple[str, str], Mapping[str, str]]


@dataclass(frozen=True, slots=True)
class Plan:
    """
    Rows by id. `memories` and `events` go whole; of the events in `blanks` those spans are blanked, and `words` in
    their data and everywhere else; `blind` are those of which everything is. `turns` go as far as nothing of them is
    left; those in `mirrored` are told anew from what is. `stands`: memories that lose a leg, and how.
    """

    user: str = ""
    memories: frozenset[int] = frozenset()
    stands: Mapping[int, str] = field(default_factory=dict)
    events: frozenset[int] = frozenset()
    blanks: Mapping[int, tuple[Span, ...]] = field(default_factory=dict)
    blind: frozenset[int] = frozenset()
    words: Words = field(default_factory=Words)
    turns: frozenset[int] = frozenset()
    mirrored: frozenset[int] = frozenset()
    code: CodeRows = NO_CODE
    workspaces: frozenset[int] = frozenset()
    session: str | None = None
    # Whether names (branches, folders, keys, messages of commits) are looked through, too.
    names: bool = True
    left: Left = field(default_factory=Left)
    # Whether someone asked for just these words.
    asked: bool = False
    # Of what another file has forgotten: when, by event, else now; marks of its passages; rows that only have names.
    when: Mapping[int, int] = field(default_factory=dict)
    marks: Marked = field(default_factory=dict)
    code_marks: Marked = field(default_factory=dict)
    feedback: frozenset[int] = frozenset()
    threads: frozenset[int] = frozenset()
    # Bodies of code that are blanked whole, with the patches that lead to them and from them.
    hidden: frozenset[int] = frozenset()
    renamed: Renamed = field(default_factory=dict)

    @property
    def empty(self) -> bool:
        """Whether nothing of the kind is kept."""
        return not (
            self.memories or self.events or self.blanks or self.blind or self.code or self.turns
            or self.feedback or self.threads or self.hidden or self.renamed
        )  # fmt: skip


def with_left(plan: Plan, left: Left) -> Plan:
    """The plan of words that someone asked for, with what stays that holds them in longer ones."""
    return replace(plan, left=left, asked=True)


def spans_of(legs: Iterable[Leg], others: Sequence[Leg], copies: Iterable[Span]) -> tuple[Span, ...]:
    """
    What is blanked of an event: the passages that the forgotten rested on and copies of their words, save what others
    rest on within them: a quote that is part of a longer one is someone else's words.
    """
    gone = joined([*((leg.start, leg.end) for leg in legs), *copies])
    spared = [
        (other.start, other.end)
        for other in others
        if any(
            start <= other.start and other.end <= end and (other.start, other.end) != (start, end)
            for start, end in gone
        )
    ]
    return _minus(gone, spared)


def _minus(spans: Iterable[Span], spared: Iterable[Span]) -> tuple[Span, ...]:
    left = list(spans)
    for start, end in spared:
        left = [
            piece
            for one in left
            for piece in ((one[0], min(one[1], start)), (max(one[0], end), one[1]))
            if piece[0] < piece[1]
        ]
    return joined(left)


def says_nothing(content: str, spans: Iterable[Span]) -> bool:
    """Whether nothing but marks is left of a text when those passages are blanked."""
    letters = list(content)
    for start, end in spans:
        letters[start:end] = FILLER * (min(end, len(letters)) - start)
    return not "".join(letters).replace(FILLER, "").strip(EDGES)


def alone(legs: Sequence[Leg], gone: Collection[tuple[int, int, int]], events: Collection[int]) -> bool:
    """Whether a memory rests on nothing but what goes: those passages, those events."""
    return all(leg.event in events or (leg.event, leg.start, leg.end) in gone for leg in legs)


def leaning(
    legs: Iterable[Leg],
    memories: Collection[int],
    events: Collection[int],
    blanks: Mapping[int, Sequence[Span]],
) -> dict[int, str]:
    """The memories beside those that go which lose a leg, or words of one, and which of the two."""
    found: dict[int, str] = {}
    for leg in legs:
        if leg.memory in memories or leg.kind == "turn":
            continue
        if leg.event in events:
            found[leg.memory] = LEANS
        elif any(start < leg.end and leg.start < end for start, end in blanks.get(leg.event, ())):
            found.setdefault(leg.memory, OVERLAPS)
    return found
