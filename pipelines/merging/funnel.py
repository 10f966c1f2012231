"""What the shelf holds of a new statement already, in other words or with the other polarity: at once, by its key."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

import apsw

from ...store import likeness, memories, slots
from ...store.clock import SECOND_US
from ...store.cutter import Cut
from ...store.models import Memory, NewMemory
from ...store.work import DID
from ..reconcile import SOONER, Decision, begins_sooner, is_older, lasts_longer
from .compare import Verdict, held_against
from .reading import VERSION, Reading, read

# So many of those with the same key are compared: each costs some tens of microseconds once it is read.
CANDIDATES = 20
# Keys made on the way, of what was written since the last time; more of them are made in the background.
CATCH_UP = 16

EXACT = "the same text is known already"
OUTRANKED = "the user said the opposite; what comes from elsewhere stands beside it"


@dataclass(frozen=True, slots=True)
class Found:
    """
    What the shelf holds of a new statement: the memory that says the same, or what says the opposite; and why.

    `exact`: it says so in the same words.
    """

    same: Memory | None = None
    opposed: Memory | None = None
    reason: str = ""
    exact: bool = False

    def beside(self, holder: Memory | None) -> Found:
        """What counts where a slot has a holder: what becomes of the slot is told by its values."""
        return self if holder is None or self.exact else Found()

    def decision(self, new: NewMemory, *, now: int) -> Decision | None:
        """What is to be done with the new statement; None where its slot and its text tell."""
        if self.same is not None and not self.exact:
            if _better(new, self.same):
                return Decision("version", f"{self.reason}; it is told better now", self.same, "supplement")
            if begins_sooner(new, self.same, now):
                return Decision("version", SOONER, self.same, "supplement")
            if lasts_longer(new, self.same):
                return Decision(
                    "version", f"{self.reason}; it is to be kept for longer now", self.same, "supplement"
                )
            return Decision("skip", self.reason, self.same)
        if self.opposed is None:
            return None
        if _outranked(new, self.opposed):
            return Decision("add", OUTRANKED, self.opposed, "conflict")
        if is_older(new, self.opposed, now):
            return Decision("past", "it was true before what is current", self.opposed, "temporal")
        return Decision("update", f"{self.reason}; the newer is current", self.opposed, "negate")


def find(con: apsw.Connection, new: NewMemory, *, cut: Cut | None, now: int) -> Found:
    """
    What is known of a new statement, among what is live in its place: by its text, else by its key and a comparison
    with the few that have it. The cost does not grow with the file.
    """
    if new.kind not in likeness.COMPARED or (new.slot or "").startswith(DID):
        known = memories.same(con, new, now=now)
        return Found() if known is None else Found(memories.by_id(con, known), reason=EXACT, exact=True)
    reading = read(new.text, cut)
    keep_up(con, cut, limit=CATCH_UP)
    known = memories.same(con, new, now=now)
    if known is not None and _of_one_day(reading, new, memory := memories.by_id(con, known), now):
        return Found(memory, reason=EXACT, exact=True)
    among = likeness.alike(
        con, reading.key, kind=new.kind, scope=new.scope, now=now, limit=CANDIDATES
    ) if reading.key else []  # fmt: skip
    return judged(new, reading, among, cut=cut, now=now)


def judged(new: NewMemory, reading: Reading, among: Sequence[Memory], *, cut: Cut | None, now: int) -> Found:
    """The first of those memories that says the same; else the first that says the opposite."""
    opposed: tuple[Memory, Verdict] | None = None
    for memory in among:
        verdict = held_against(reading, read(memory.text, cut))
        if verdict.kind == "same" and _goes_with(new, memory) and _of_one_day(reading, new, memory, now):
            return Found(memory, reason=verdict.reason)
        if verdict.kind == "opposed" and opposed is None:
            opposed = memory, verdict
    return Found(opposed=opposed[0], reason=opposed[1].reason) if opposed else Found()


def keep_up(con: apsw.Connection, cut: Cut | None, *, limit: int) -> int:
    """Make the keys of memories that have none, or one by other rules; how many were made."""
    lacking = likeness.without(con, version=VERSION, limit=limit)
    keys = [(id_, read(text, cut).key if text else "") for id_, text in lacking]
    likeness.put(con, keys, version=VERSION)
    return len(keys)


def _goes_with(new: NewMemory, known: Memory) -> bool:
    """Whether two that say the same are one: a plan for another day is another plan."""
    return new.kind != "intention" or new.expires_at == known.expires_at


def _of_one_day(reading: Reading, new: NewMemory, known: Memory, now: int) -> bool:
    """Whether "tomorrow" is the same day in both."""
    return not reading.deictic or _day(now if new.valid_from is None else new.valid_from) == _day(
        known.true_from
    )


def _day(at: int) -> object:
    return datetime.fromtimestamp(at / SECOND_US, UTC).date()


def _better(new: NewMemory, known: Memory) -> bool:
    """Whether a new telling brings what the known one lacks: the user's own word, or the slot it belongs in."""
    if known.origin == "user" and new.origin != "user":
        return False
    placed = slots.is_named(new.slot) and not slots.is_named(known.slot)
    return placed or (new.origin == "user" != known.origin and not slots.is_named(known.slot))


def _outranked(new: NewMemory, known: Memory) -> bool:
    return known.origin == "user" and new.origin in ("external", "tool")
