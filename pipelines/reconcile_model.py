"""
What a new statement is to its neighbours, asked of a model that sees them under small numbers.

It can name only what it was shown, and destroys nothing: what would put an old memory away is done only where the new
one is in the user's own words, of the relations that end something, and another value of the same thing, or its end;
else both stay.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal

from pydantic import Field

from .. import prompts
from ..store.clock import SECOND_US
from ..store.models import Memory, NewMemory
from .extract.model_atoms import denies, names, numbers
from .extract.model_fence import Nonce, fence, fresh, one_line
from .extract.model_shapes import Forgiving
from .extract.model_telling import mostly, telling, words
from .extract.topics import context, topic
from .llm import Answered, Asked, Declined, Model, Spent
from .reconcile import Decision, Relation

MAX_TOKENS = 150
NEIGHBOURS, TEXT_CHARS, REASON_CHARS = 8, 300, 120

Said = Literal["override", "supplement", "temporal", "negate", "conflict", ""]
# Predicates of free text, which have no one value that another could take the place of.
_FREE = ("notes", "plans", "asks for", "decided", "means", "has goal", "has habit", "has", None, "")
_FIGURE = re.compile(r"[A-Za-z_.-]*\d[\w.,:/-]*|[零〇一二两三四五六七八九十百千万]+", re.ASCII)
# What tells one of a kind from another: "shard A".
_LETTER = re.compile(r"(?<=\s)[A-HJ-Z]\b")
NOT_COMPARABLE = "not another value of what it would end"


class Opinion(Forgiving):
    """What a model says of a new statement; `number` names the old one."""

    verb: Literal["add", "update", "retire", "skip"]
    number: int | None = None
    relation: Said | None = None
    reason: str = Field(default="")


@dataclass(frozen=True, slots=True)
class Weighed:
    """
    The decision that stands; None where the model gave none and the rules decide. `kept_back` says what of the model's
    opinion was not followed.
    """

    decision: Decision | None
    spent: Spent | None
    kept_back: str | None = None
    declined: Declined | None = None


def weigh(
    model: Model, new: NewMemory, neighbours: Sequence[Memory], *, now: int, deadline_s: float | None = None,
    nonce: Nonce = fresh,
) -> Weighed:  # fmt: skip
    """What `new` is to up to eight neighbours, nearest first."""
    near = tuple(neighbours[:NEIGHBOURS])
    answer = model.ask(question(new, near, nonce, now=now), Opinion, now=now, deadline_s=deadline_s)
    if not isinstance(answer, Answered):
        return Weighed(None, answer.spent, declined=answer)
    decision, kept_back = decided(answer.value, new, near)
    return Weighed(decision, answer.spent, kept_back)


def question(new: NewMemory, neighbours: Sequence[Memory], nonce: Nonce = fresh, *, now: int) -> Asked:
    """What is asked: the new statement and its neighbours, numbered from 1, each with its day."""
    fenced = fence((new.text, *(one.text for one in neighbours)), nonce)
    blocks = [
        fenced.block("old", one_line(one.text, TEXT_CHARS), number=number, day=_day(one.valid_from or one.recorded_at))
        for number, one in enumerate(neighbours, 1)
    ]  # fmt: skip
    blocks.append(fenced.block("new", one_line(new.text, TEXT_CHARS), day=_day(new.valid_from or now)))
    return Asked("reconcile", prompts.load("reconcile", nonce=fenced.nonce), "\n".join(blocks), MAX_TOKENS)


def decided(
    said: Opinion, new: NewMemory, neighbours: Sequence[Memory]
) -> tuple[Decision | None, str | None]:
    """The decision that an opinion comes to, and what of it was not followed; None for one that names the unshown."""
    reason = one_line(said.reason, REASON_CHARS) or f"a model says {said.verb}"
    old = neighbours[said.number - 1] if said.number and 1 <= said.number <= len(neighbours) else None
    if said.number and old is None:
        return None, f"{said.verb} of number {said.number}, which was not shown"
    if said.verb == "add":
        relation: Relation | None = (
            said.relation if old and said.relation in ("supplement", "conflict") else None
        )
        return Decision("add", reason, old if relation else None, relation), None
    if old is None:
        return None, f"{said.verb} without a number"
    if said.verb == "skip":
        if missing := _missing(new, old):
            return _both(reason, old, "supplement"), f"skip of what the old one does not say: {missing}"
        return Decision("skip", reason, old), None
    ends: Relation | None = said.relation if said.relation in ("override", "negate", "temporal") else None
    if said.verb == "retire":
        ends = (
            "negate"
            if ends in ("negate", None) and denies(new.text)
            else ends
            if ends == "override"
            else None
        )
    if why_not := _keeps(new, old, ends):
        beside = said.relation == "supplement" or why_not == NOT_COMPARABLE
        return _both(reason, old, "supplement" if beside else "conflict"), why_not
    return Decision("update", reason, old, ends), None


def _both(reason: str, old: Memory, relation: Relation) -> Decision:
    return Decision("add", f"both stay: {reason}", old, relation)


def _keeps(new: NewMemory, old: Memory, ends: Relation | None) -> str | None:
    """Why an old memory is not put away on this word; None where it may be."""
    if ends is None:
        return "no relation that ends the old one"
    if new.origin != "user":
        return "not in the user's own words"
    if (new.scope.user, new.scope.workspace) != (old.scope.user, old.scope.workspace):
        return "not of the same place"
    if {new.kind, old.kind} - {"profile", "fact"} and new.kind != old.kind:
        return f"a {new.kind} ends no {old.kind}"
    if new.confidence < 0.5:
        return "only implied"
    if new.valid_from is not None and old.valid_from is not None and new.valid_from < old.valid_from:
        return "older than what it would end"
    return None if _comparable(new, old) else NOT_COMPARABLE


def _comparable(new: NewMemory, old: Memory) -> bool:
    """Whether one can be true in place of the other: another value of the same thing, or the end of that value."""
    if new.slot and new.slot == old.slot:
        return True
    if _ends_just_that(new, old):
        return True
    predicate = new.data.get("predicate")
    if not _same_subject(new, old) or predicate != old.data.get("predicate") or predicate in _FREE:
        return _differ_in_figures(new.text, old.text)
    one, other = _value(new), _value(old)
    about = topic(one)
    return (about is not None and about == topic(other)) or _differ_in_figures(one, other)


def _ends_just_that(new: NewMemory, old: Memory) -> bool:
    """Whether the new one denies all that the old one says, in its words."""
    if _polarity(old) == "negated" or not (denies(new.text) or _polarity(new) == "negated"):
        return False
    if denies(old.text) or context(new.text) != context(old.text):
        return False
    # "I live in Rome, not in Berlin" says nothing against living in Rome.
    value = _value(old).casefold()
    affirmed = _polarity(new) == "affirmed" and value in str(new.data.get("value", "")).casefold()
    said = telling(old.text)
    return bool(said) and said <= telling(new.text) and not affirmed


def _differ_in_figures(one: str, other: str) -> bool:
    """Whether two texts say the same of one other figure: "port 5433", "port 5434"."""
    mine, theirs = numbers(one), numbers(other)
    if len(mine - theirs) != 1 or len(theirs - mine) != 1 or _LETTER.findall(one) != _LETTER.findall(other):
        return False
    known = telling(_FIGURE.sub(" ", other))
    return bool(known) and telling(_FIGURE.sub(" ", one)) == known


def _same_subject(new: NewMemory, old: Memory) -> bool:
    one, other = (str(held.data.get("subject") or "").casefold().split() for held in (new, old))
    return bool(one) and one == other


def _polarity(held: NewMemory | Memory) -> str:
    return str(held.data.get("polarity", "affirmed"))


def _value(held: NewMemory | Memory) -> str:
    return str(held.data.get("value") or held.text)


def _missing(new: NewMemory, old: Memory) -> str | None:
    """What the new text says that the old one does not, so that to leave it out would lose it."""
    if denies(new.text) != denies(old.text) or _polarity(new) != _polarity(old):
        return "its “not”"
    lost = (numbers(new.text) - numbers(old.text)) | (names(new.text) - names(old.text))
    if lost:
        return min(lost)
    if not mostly(new.text, words(old.text)):
        return "most of its words"
    if new.expires_at and new.expires_at != old.expires_at:
        return "its day"
    return None


def _day(at: int) -> str:
    return datetime.fromtimestamp(at // SECOND_US, UTC).date().isoformat()
