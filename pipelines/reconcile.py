"""What a draft is to what is known already: one slot has one current value, and nothing is destroyed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from ..store.models import Memory, NewMemory

Verb = Literal["add", "update", "past", "skip"]
Relation = Literal["override", "supplement", "temporal", "negate", "conflict"]


@dataclass(frozen=True, slots=True)
class Decision:
    """
    What is to be done with a draft. "update": it takes the place of `old`; "past": `old` stays current and the new
    one is what was true before; "skip": `old` says it already and gains the evidence.
    """

    verb: Verb
    reason: str
    old: Memory | None = None
    relation: Relation | None = None


def decide(new: NewMemory, *, same: Memory | None, holder: Memory | None) -> Decision:
    """
    By rule, without a model.

    Args:
        same: the live memory of the same text in the same place.
        holder: the live memory that has the slot of the new one.
    """
    if same is not None:
        return Decision("skip", "the same text is known already", same)
    if holder is None:
        return Decision("add", "nothing was known of it")
    value, known = new.data.get("value"), holder.data.get("value")
    opposite = new.data.get("polarity") != holder.data.get("polarity")
    if value == known and not opposite:
        return Decision("skip", "it says the same in other words", holder)
    if new.valid_from is not None and holder.valid_from is not None and new.valid_from < holder.valid_from:
        return Decision("past", "it was true before what is current", holder, "temporal")
    if value == known:
        return Decision(
            "update", "the opposite of what was said before; the newer is current", holder, "negate"
        )
    return Decision("update", "another value of the same thing; the newer is current", holder, "override")
