"""What two texts are to each other: the same, one in the other, opposed, or something else."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from ...store.cutter import Cut
from . import lexicon, opposites, particles, written
from .reading import UNDER, Reading, Unit, read

Kind = Literal["same", "near", "opposed", "other"]

# Of two texts of which one says all that the other says: so much of the longer one is in both. Less is another matter.
NEAR = 0.6
# Of a shorter sentence than this, nothing is only alike.
NEAR_UNITS = 3


@dataclass(frozen=True, slots=True)
class Verdict:
    """What two texts are to each other, and why in words for the log."""

    kind: Kind
    reason: str


SAME = Verdict("same", "it says the same in other words")
MOVED = Verdict("same", "it says the same in another order")
OTHER = Verdict("other", "they do not say the same of the same things")
OPPOSED = Verdict("opposed", "the same statement with the other polarity")


def compare(one: str, other: str, cut: Cut | None = None) -> Verdict:
    """What two texts are to each other, either way round. `cut` finds the words of Chinese that no table has."""
    return held_against(read(one, cut), read(other, cut))


def held_against(one: Reading, other: Reading) -> Verdict:
    """
    What two readings are to each other. They are the same only where every word that counts has its like in the other,
    each with the same number, name, polarity and place: a word that no table knows is like itself alone.
    """
    if one.text == other.text:
        return Verdict("same", "the same text")
    if not one.units or not other.units:
        return Verdict("other", "nothing that can be compared")
    if (apart := _apart(one, other)) is not None:
        return apart
    if len(one.units) == len(other.units) and one.cores == other.cores:
        if all(map(_same, one.units, other.units)) or _loosened(one, other):
            return SAME
        if not one.asks and _in_place(one.units, other.units):
            return OPPOSED
        if (moved := _moved(one, other)) is not None:
            if all(map(_same, moved, other.units)):
                return MOVED
            if not one.asks and _in_place(moved, other.units):
                return OPPOSED
    return _near(one, other) or OTHER


def _apart(one: Reading, other: Reading) -> Verdict | None:
    """What tells two sentences apart as wholes."""
    if one.asks != other.asks:
        return Verdict("other", "one asks, the other states")
    if {one.aspect, other.aspect} == {"due", "done"}:
        return Verdict("other", "one was done, the other is to be")
    return None


def _same(one: Unit, other: Unit) -> bool:
    return (
        ((one.name == other.name and one.bound == other.bound) or _complements(one, other))
        and one.joins == other.joins
        and _led_alike(one, other)
        and _of_one_voice(one, other)
        and written.alike(one.written, other.written)
    )


def _of_one_voice(one: Unit, other: Unit) -> bool:
    """Whether both are done to what stands before, or neither: "is created" is not "creates"."""
    if one.behind_be == other.behind_be:
        return True
    being, doing = (
        unit.written.text.casefold() for unit in ((one, other) if one.behind_be else (other, one))
    )
    if not being or not doing or being.endswith("ing"):
        return True
    return not lexicon.is_participle(being) or lexicon.is_participle(doing)


def _complements(one: Unit, other: Unit) -> bool:
    """Whether one says "not passing" where the other says "failing"."""
    return (
        one.core == other.core in opposites.COMPLEMENTS
        and one.name != other.name
        and sorted((one.bound, other.bound)) == [(), ("!not",)]
    )


def _loosened(one: Reading, other: Reading) -> bool:
    """Whether two sentences of one clause, in which nothing is denied, are the same but for where "always" stands."""
    if any(len(each.breaks) > 1 or any(map(_is_second, each.units)) for each in (one, other)):
        return False
    ours, theirs = (
        [part for unit in each.units for part in unit.bound if part in _ADVERBS] for each in (one, other)
    )
    return sorted(ours) == sorted(theirs) != [] and all(
        map(_same, map(_without_adverbs, one.units), map(_without_adverbs, other.units))
    )


def _is_second(unit: Unit) -> bool:
    return _denied(unit) or "and" in unit.soft or "or" in unit.joins


def _without_adverbs(unit: Unit) -> Unit:
    return replace(unit, bound=tuple(part for part in unit.bound if part not in _ADVERBS))


_ADVERBS = frozenset(("always", "usually", "often", "sometimes"))
# What is said with one of these is less than what is said without it: neither says the other.
_HEDGES = frozenset(map(lexicon.lemma, particles.HEDGES.split()))
# What is said with one of these does not hold of all that is said without.
_NARROWING = frozenset(("except", "unless", "iff", "onlyif", "until"))
# What leads a word in, and what it is called in both languages.
_LEADING = {"in": "in", "to": "to", "of": "of", "在": "in", "到": "to"}
# What English must say if the other does ("move to staging" is not "move staging"), and Chinese may leave out.
_ENGLISH, _LOOSE = frozenset(("in", "to", "of")), frozenset(("在", "到"))


def _led_alike(one: Unit, other: Unit) -> bool:
    """Whether both are led in, by the same of the small words, or neither is."""
    ours, theirs = ({_LEADING[name] for name in unit.soft if name in _LEADING} for unit in (one, other))
    if ours and theirs:
        return not ours.isdisjoint(theirs) or _anywhere(one)
    if (ours and "and" in other.soft) or (theirs and "and" in one.soft):
        return False
    if _ENGLISH.isdisjoint((*one.soft, *other.soft)) or _anywhere(one):
        return True
    return not _LOOSE.isdisjoint((*one.soft, *other.soft))


def _in_place(one: Sequence[Unit], other: Sequence[Unit]) -> bool:
    """Whether two sequences are of the same things in the same places, and an odd number of them is turned round."""
    turns = 0
    for at, (a, b) in enumerate(zip(one, other, strict=True), 1):
        if a.core != b.core or not written.alike(a.written, b.written) or _limits(a) != _limits(b):
            return False
        if a.joins != b.joins:  # before and after, with and without: each may be so
            return False
        if a.name != b.name and a.core not in _SWITCHES and at < len(one):
            return False  # of the public API and of the private one the same may be true
        turns += (a.name != b.name) + (_denied(a) != _denied(b))
    return turns % 2 == 1


# What is switched wherever it is said; of other opposites only what is said at the end, of the whole, is turned round.
_SWITCHES = frozenset(
    f"{name}~" for name in ("enable", "like", "support", "agree", "trust", "include", "possible")
)


def _limits(unit: Unit) -> list[str]:
    """What limits a unit, beside how binding it is and whether it is denied."""
    parts = (part.removesuffix(UNDER) for part in unit.bound if part[0] not in "?!")
    return [part for part in parts if part != "always"]


def _denied(unit: Unit) -> bool:
    # "Need not any more" denies once.
    once = {"!needless", "!nolonger"} <= set(unit.bound)
    return (sum(part[0] == "!" for part in unit.bound) - once) % 2 == 1


def _moved(one: Reading, other: Reading) -> list[Unit] | None:
    """
    `one` with a stretch moved so that the same things stand in the same places as in `other`; None where there is no
    such stretch. Only what has its join in front (where, when, with what), a time, or a clause may move: who does what
    to whom is told by the order of the rest.
    """
    a, b = one.units, other.units
    for middle in one.breaks:
        if (
            middle < len(a)
            and all(map(_alike, (*a[middle:], *a[:middle]), b))
            and _clauses(one, 0, middle, len(a))
        ):
            return [*a[middle:], *a[:middle]]
    start = 0
    while start < len(a) and _alike(a[start], b[start]):
        start += 1
    end = len(a)
    while end > start and _alike(a[end - 1], b[end - 1]):
        end -= 1
    for middle in range(start + 1, end):
        size = end - middle
        # a[start:middle] a[middle:end] against b[start:start+size] b[start+size:end].
        swapped = [*a[middle:end], *a[start:middle]]
        if all(map(_alike, swapped, b[start:end])):
            movable = (
                _may_move(a[start:middle])
                or _may_move(a[middle:end])
                or _clauses(one, start, middle, end)
                or _clauses(other, start, start + size, end)
            )
            return [*a[:start], *swapped, *a[end:]] if movable else None
    return None


def _alike(one: Unit, other: Unit) -> bool:
    return one.core == other.core and one.soft == other.soft and one.joins == other.joins


def _may_move(stretch: Sequence[Unit]) -> bool:
    first, last = stretch[0], stretch[-1]
    held = first.joins or set(first.soft) & {"in", "to", "在", "到"} or last.joins
    return bool(held) or all(_anywhere(unit) for unit in stretch)


def _anywhere(unit: Unit) -> bool:
    return unit.name in lexicon.ANYWHERE or unit.name.startswith(("date:", "time:"))


def _clauses(reading: Reading, start: int, middle: int, end: int) -> bool:
    """Whether two stretches are the clauses of a sentence that one joins to the other, or each says of its own day."""
    if start or middle not in reading.breaks or end < len(reading.units):
        return False
    first, second = reading.units[0], reading.units[middle]
    return bool(first.joins or second.joins) or (_anywhere(first) and _anywhere(second))


def _near(one: Reading, other: Reading) -> Verdict | None:
    """Whether one says all that the other says, in that order, and more that is no number, no name and no denial."""
    less, more = sorted((one, other), key=lambda reading: len(reading.units))
    if len(less.units) < NEAR_UNITS or len(less.units) < NEAR * len(more.units):
        return None
    at, extra = 0, []
    for unit in more.units:
        if at < len(less.units) and _same(less.units[at], unit):
            at += 1
        else:
            extra.append(unit)
    if at < len(less.units) or any(
        unit.protected or unit.bound or unit.core in _HEDGES or _NARROWING & set(unit.joins) for unit in extra
    ):
        return None
    return Verdict("near", "one says what the other says, and more")
