"""What was said once of a slot, from the rows that say it; and what `timeline` finds is to be done with rows."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ..store import slots
from ..store.models import Memory

# In `memory.data`: the statement that a row is a piece of; that it holds a slot beside others; that its words spoke of
# the whole time up to a moment.
STATED, RIVAL, HOLDS = "stated", "rival", "holds_at"
BETTER = "it is known better now when it was so"
OTHERWISE, NEGATED = (
    "another value of the same thing; the newer is current",
    "the opposite of what was said before; the newer is current",
)
CORRECTED = "told otherwise later, of the same time"
JOINED = "it says the same; what supports it was joined"


@dataclass(frozen=True, slots=True)
class Retired:
    """
    A row that no longer says what is known, from when and why. `by`: the ULIDs of the rows that stand in its place;
    `joined`: what supports it supports them from now on.
    """

    row: Memory
    at: int
    why: str
    by: tuple[str, ...] = ()
    joined: bool = False


@dataclass(frozen=True, slots=True)
class Settled:
    """
    What is to be done, retirements first: two that hold one slot would clash.

    Args:
        written: rows as they are to be written, each with the row that it is a version of, whose evidence it has.
        rivals: pairs of ULIDs, of rows that stay or are written, of which nobody can say which is so.
    """

    retired: tuple[Retired, ...] = ()
    written: tuple[tuple[Memory, Memory], ...] = ()
    rivals: tuple[tuple[str, str], ...] = ()

    @property
    def nothing(self) -> bool:
        """Whether the rows are settled already."""
        return not self.retired and not self.written


@dataclass(slots=True, eq=False)
class Statement:
    """What was said once, with the rows that say it, and what becomes of it."""

    ulid: str
    rows: list[Memory]
    begun: int | None
    ended: int | None
    told: int
    anchors: list[int] = field(default_factory=list)
    # What it gave way to, and how; None while it stands.
    gone: tuple[Statement, str] | None = None
    rivals: list[Statement] = field(default_factory=list)

    @property
    def row(self) -> Memory:
        """The latest row that says it."""
        return max(self.rows, key=lambda row: (row.recorded_at, row.ulid))

    @property
    def start(self) -> int:
        """From when it holds."""
        return self.told if self.begun is None else self.begun

    @property
    def weight(self) -> bool:
        """Whether it is the user's own word."""
        return self.row.origin == "user"

    @property
    def stands(self) -> bool:
        """Whether nothing has taken its place."""
        return self.gone is None

    def covers(self, moment: int) -> bool:
        """Whether it speaks of that moment."""
        return self.start <= moment and (self.ended is None or moment < self.ended)


def same_thing(row: Memory, other: Memory) -> bool:
    """Whether two rows of a slot say the same of it; a plan for another day is another."""
    return says(row) == says(other)


def says(row: Memory) -> tuple[object, ...]:
    value = row.data.get("value", row.text)
    plain = " ".join(value.casefold().split()) if isinstance(value, str) else value
    return plain, row.data.get("polarity") or "affirmed", row.expires_at if row.kind == "intention" else None


def key(subject: object, predicate: object, value: object) -> str:
    """The slot of what may stand beside others: one statement, whether it is affirmed or denied."""
    said = (subject, predicate, value)
    return slots.SAYS + ":".join(" ".join(str(part or "").casefold().split()) for part in said)[:300]


def without_time(data: Mapping[str, Any]) -> dict[str, Any]:
    """What a row says, and not of when: without what tells that it is a piece of a statement, or has rivals."""
    return {name: value for name, value in data.items() if name not in (STATED, RIVAL)}


def order(one: Statement) -> tuple[int, int, str]:
    return one.start, one.told, one.ulid


def stated(row: Memory) -> Mapping[str, Any]:
    found = row.data.get(STATED)
    return found if isinstance(found, Mapping) else {}


class Said:
    """When statements began or were said again, in order: what holds at a moment is found from there backwards."""

    def __init__(self) -> None:
        self._when: list[tuple[int, tuple[int, int, str]]] = []
        self._what: list[Statement] = []

    def add(self, one: Statement, moments: Iterable[int]) -> None:
        for at in moments:
            place = bisect_right(self._when, (at, order(one)))
            self._when.insert(place, (at, order(one)))
            self._what.insert(place, one)

    def in_force(self, moment: int) -> list[Statement]:
        """What holds at a moment: one, or rivals, or nothing."""
        last = bisect_right(self._when, moment, key=lambda entry: entry[0])
        for place in range(last - 1, -1, -1):
            best = self._what[place]
            if best.covers(moment):
                return [best, *(one for one in best.rivals if one.stands and one.covers(moment))]
        return []
