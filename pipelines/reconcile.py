"""What a draft is to what is known already: one slot has one current value, and nothing is destroyed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from ..store.models import KEYS, Memory, NewMemory

SOONER = "it is so already"

Verb = Literal["add", "update", "version", "past", "skip"]
Relation = Literal["override", "supplement", "temporal", "negate", "conflict"]


@dataclass(frozen=True, slots=True)
class Decision:
    """
    What is to be done with a draft, and what it is to `old`.

    "update": it takes the place of `old`, which becomes history; "version": it is `old`, told better; "past": `old`
    stays current and the new one is what was true before; "skip": `old` says it already and gains the evidence.
    """

    verb: Verb
    reason: str
    old: Memory | None = None
    relation: Relation | None = None


def decide(new: NewMemory, *, same: Memory | None, holder: Memory | None, now: int) -> Decision:
    """
    By rule, without a model, of what has no line in time, or stands in another than `holder` does.

    Args:
        same: the live memory of the same text in the same place.
        holder: the live memory that has the slot of the new one, or says its opposite.
        now: what claims to be from later was told by a clock that was wrong.
    """
    known = same or holder
    if known is not None and found_better(new, known):
        return Decision("version", "it can be found by more words now", known, "supplement")
    if same is not None and begins_sooner(new, same, now):
        return Decision("version", SOONER, same, "supplement")
    if same is not None and lasts_longer(new, same):
        return Decision("version", "it is to be kept for longer now", same, "supplement")
    if same is not None:
        return Decision("skip", "the same text is known already", same)
    if holder is None:
        return Decision("add", "nothing was known of it")
    if "value" not in new.data:
        if new.text == holder.text:
            return Decision("skip", "it is known just so", holder)
        return Decision("version", "more is known of it now", holder, "supplement")
    return _of_one_slot(new, holder, now)


def found_better(new: NewMemory, known: Memory) -> bool:
    """Whether it is what is known, with words to find it by that are not known."""
    return bool(new.data.get(KEYS) and not known.data.get(KEYS) and known.text == new.text)


def lasts_longer(new: NewMemory, known: Memory) -> bool:
    """Whether what was of use for a while only is said again for longer, or without an end; a plan is of its day."""
    ends = known.expires_at
    return ends is not None and new.kind != "intention" and (new.expires_at is None or new.expires_at > ends)


def begins_sooner(new: NewMemory, known: Memory, now: int) -> bool:
    """Whether what was said of a day to come is so by now."""
    return known.true_from > now and (now if new.valid_from is None else new.valid_from) < known.true_from


def _of_one_slot(new: NewMemory, holder: Memory, now: int) -> Decision:
    same_value = _plain(new.data.get("value")) == _plain(holder.data.get("value"))
    opposite = new.data.get("polarity") != holder.data.get("polarity")
    moved = new.kind == holder.kind == "intention" and new.expires_at != holder.expires_at
    if same_value and not opposite and not moved:
        return Decision("skip", "it says the same in other words", holder)
    if is_older(new, holder, now):
        return Decision("past", "it was true before what is current", holder, "temporal")
    if same_value and not moved:
        return Decision(
            "update", "the opposite of what was said before; the newer is current", holder, "negate"
        )
    return Decision("update", "another value of the same thing; the newer is current", holder, "override")


def is_older(new: NewMemory, holder: Memory, now: int) -> bool:
    """Whether a statement is of a time before what is current, which is not from a clock that was wrong."""
    if new.valid_from is None or holder.valid_from is None or new.valid_from >= holder.valid_from:
        return False
    return bool(holder.data.get("dated")) or holder.valid_from <= now


def _plain(value: object) -> object:
    return " ".join(value.casefold().split()) if isinstance(value, str) else value
