"""A question that names an entity is answered by what names it; look-alikes of another come after, or not at all."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from ..store import han, names, words
from ..store.fts import Held
from ..store.models import Hit
from ..store.words import Query, Word, is_cjk
from . import joined, rank
from .named import Sought
from .rank import Floor, Judged

# What a memory's score gains, as a share of what it could have, for the names of the question that it holds.
GAIN = 0.05
# A look-alike stands at most so far up to the last memory that names what is meant, so that no nudge lifts it over.
BELOW, FURTHER_BELOW = 0.5, 0.25
# A score from which others can be put below.
LEAST = 0.02
# Of a question without its names so much must stand in a look-alike for it to be given at all.
SOMETHING_ELSE = 0.15

# What a memory is to a question that names something: it names that and nothing like it, that beside another,
# nothing of the kind, or another only.
NAMES_IT, NAMES_BOTH, NAMES_NONE, NAMES_ANOTHER = range(4)


@dataclass(frozen=True, slots=True)
class Question:
    """
    A question that names something: its words, their weights, and what it names. `rest` are the words that are not
    of a name; of those that are, `shares` has how much of the question each name is.
    """

    query: Query
    weight: Mapping[str, float]
    sought: tuple[Sought, ...]
    rest: tuple[Word, ...]
    shares: tuple[float, ...]


def question(query: Query, weight: Mapping[str, float], sought: Sequence[Sought]) -> Question:
    """The question with what it names taken apart."""
    asked = query.words or tuple(map(Word, query.grams))
    whole = min(math.fsum(weight[word.text] for word in asked), rank.ENOUGH) or 1.0
    named = [_tokens(one.written) for one in sought]
    rest = tuple(
        word
        for word in asked
        if not any(_of(word, tokens, one.written) for tokens, one in zip(named, sought, strict=True))
    )
    shares = tuple(
        math.fsum(weight[word.text] for word in asked if _of(word, tokens, one.written)) / whole
        for tokens, one in zip(named, sought, strict=True)
    )
    return Question(query, weight, tuple(sought), rest, shares)


def _tokens(written: str) -> frozenset[str]:
    told = words.index(written, None)
    return frozenset((*told.main.split(), *told.sub.split(), *told.grams.split()))


def _of(word: Word, tokens: frozenset[str], written: str) -> bool:
    """Whether a word of the question is the name, or a part of it."""
    if word.text in tokens or (is_cjk(word.text) and word.text in han.normal(written)):
        return True
    return bool(word.parts) and all(part in tokens for part in word.parts)


def judged(
    asked: Question,
    found: Sequence[Judged],
    held: Mapping[int, Held],
    named: Mapping[int, Sequence[tuple[str, str]]],
    says: Callable[[Sequence[int]], Mapping[int, str]],
    floor: Floor,
) -> list[Judged]:
    """
    What was found, best first: what names the one that is meant gains by it; those of another stand below the last of
    these, and are left out where nothing else of the question is in them.

    Args:
        held: what each memory is found by; named: (kind, folded name) of what each names; says: their texts.
    """
    known = [one for one in asked.sought if one.known]
    meant = known or list(asked.sought)
    places = {one.memory: _place(meant, named.get(one.memory, ())) for one in found}
    doubtful = [memory for memory, place in places.items() if place == NAMES_ANOTHER]
    for memory, text in says(doubtful).items() if doubtful else ():
        if _stands(meant, han.normal(text).casefold()):
            places[memory] = NAMES_BOTH
    bar = SOMETHING_ELSE if known else floor.gate
    _by_words(known, places, says)
    _by_version(known, places, named)
    left = [
        _gained(one, asked, known, named.get(one.memory, ()))
        for one in found
        if places[one.memory] != NAMES_ANOTHER
        or rank.covered(asked.rest, held[one.memory], asked.weight) >= bar
    ]
    if not known:
        return left
    return sorted(_below(left, places, floor), key=lambda one: (-one.score, -one.memory))


def _by_words(
    known: Sequence[Sought], places: dict[int, int], says: Callable[[Sequence[int]], Mapping[int, str]]
) -> None:
    """Of a name that is asked for in several words: what a memory says that is not known for a name."""
    words = next((one.words for one in known if one.words), ())
    unnamed = [memory for memory, place in places.items() if place in (NAMES_NONE, NAMES_ANOTHER)]
    for memory, text in says(unnamed).items() if words and unnamed else ():
        told = joined.told(words, text)
        if told == "same":
            places[memory] = NAMES_BOTH if places[memory] == NAMES_ANOTHER else NAMES_IT
        elif told == "alike":
            places[memory] = NAMES_ANOTHER


def _by_version(
    known: Sequence[Sought], places: dict[int, int], named: Mapping[int, Sequence[tuple[str, str]]]
) -> None:
    """Of a thing in a version: what names the thing alone stands behind what names both."""
    versions = [one for one in known if one.kind == "version"]
    if not versions or not any(one.kind == "thing" for one in known):
        return
    of_it = {memory for memory, place in places.items() if place == NAMES_IT}
    numbered = {
        memory for memory in of_it if any("same" in _relations(one, named[memory]) for one in versions)
    }
    if any(any(kind == "thing" for kind, _ in named[memory]) for memory in numbered):
        places.update(dict.fromkeys(of_it - numbered, NAMES_BOTH))


def remarked(hits: Sequence[Hit], sought: Sequence[Sought]) -> list[Hit]:
    """The hits as they are; where nothing is known of what the question names, each that does not name it says so."""
    if not sought or any(one.known for one in sought):
        return list(hits)
    remark = f"does not name {', '.join(one.written for one in sought)}"
    return [
        hit
        if hit.remark or _stands(sought, han.normal(hit.memory.text).casefold())
        else replace(hit, remark=remark)
        for hit in hits
    ]


def _place(meant: Sequence[Sought], named: Sequence[tuple[str, str]]) -> int:
    """What a memory is to the question, by what it is linked to."""
    another: dict[str, bool] = {}
    matched = False
    for one in meant:
        relations = _relations(one, named)
        if one.plain:  # a word like others may mean more than the symbol
            relations.discard("alike")
        matched = matched or "same" in relations
        alike = "alike" in relations and relations.isdisjoint(("same", "vague"))
        another[one.kind] = another.get(one.kind, True) and alike
    if any(another.values()):
        return NAMES_BOTH if matched else NAMES_ANOTHER
    return NAMES_IT if matched else NAMES_NONE


def _relations(one: Sought, named: Sequence[tuple[str, str]]) -> set[str]:
    theirs = [name for kind, name in named if kind == one.kind]
    return {names.relation(one.kind, mine, name) for name in theirs for mine in one.names}


def _stands(meant: Sequence[Sought], text: str) -> bool:
    """Whether a name stands in a text in one piece, though it was not taken for one there."""
    for one in meant:
        for name in one.names:
            if is_cjk(name):
                if one.kind != "person" and name in text:
                    return True
            elif re.search(rf"(?<![\w/.-]){re.escape(name)}{_plural(one)}(?![\w/-])", text):
                return True
    return False


def _plural(one: Sought) -> str:
    return "s?" if one.plain or one.kind == "thing" else ""


def _gained(
    one: Judged, asked: Question, known: Sequence[Sought], named: Sequence[tuple[str, str]]
) -> Judged:
    """A memory with what it gains: the whole of a name's share where it says it by another name."""
    gained = 0.0
    for sought, share in zip(asked.sought, asked.shares, strict=True):
        if sought in known and "same" in _relations(sought, named):
            as_asked = any(
                kind == sought.kind and names.relation(kind, sought.names[0], name) == "same"
                for kind, name in named
            )
            gained += share * (GAIN if as_asked else 1.0)
    return (
        replace(one, score=max(one.score, LEAST) + gained, evidence=one.evidence + gained) if gained else one
    )


def _below(found: Sequence[Judged], places: Mapping[int, int], floor: Floor) -> list[Judged]:
    """Look-alikes put below the last memory that names what is meant and is about the question."""
    about = {places[one.memory] for one in found if one.evidence >= floor.keep}
    if NAMES_IT in about:
        own, behind = NAMES_IT, {NAMES_BOTH: BELOW, NAMES_ANOTHER: FURTHER_BELOW}
    elif NAMES_BOTH in about:
        own, behind = NAMES_BOTH, {NAMES_ANOTHER: BELOW}
    else:
        return list(found)
    # Far from the question by its meaning, a score lies below nothing: there is no room under it.
    raised = [
        replace(one, score=max(one.score, LEAST)) if places[one.memory] == own else one for one in found
    ]
    lowest = min(one.score for one in raised if places[one.memory] == own and one.evidence >= floor.keep)
    factors = {}
    for place, share in behind.items():
        highest = max((one.score for one in raised if places[one.memory] == place), default=0.0)
        factors[place] = share * lowest / highest if highest > lowest * share else 1.0
    return [
        replace(one, score=one.score * factors.get(places[one.memory], 1.0)) if one.score > 0 else one
        for one in raised
    ]
