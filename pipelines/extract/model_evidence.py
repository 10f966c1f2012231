"""Where in a window a quote stands, and in whose words."""

from __future__ import annotations

import re
from collections.abc import Sequence

from .model_windows import Spoken, WindowTurn
from .work_text import width

# Shorter evidence is a word that could stand for anything.
QUOTE_WIDTH = 6
_REDACTED = re.compile(r"\[redacted:|\[private\]")
# The number of the turn, what was said, and the span in it.
Place = tuple[int, Spoken, int, int]


def located(quote: str, number: int, turns: Sequence[WindowTurn], shown: frozenset[int]) -> Place | str:
    """
    Where a quote stands: in the turn it is said to be from, else as the user's own words in another one shown; or
    why it is no evidence.
    """
    if not quote.strip():
        return "no quote"
    if _REDACTED.search(quote):
        return "what it quotes was redacted"
    here = _places(quote, number, turns)
    theirs = [place for place in here if place[1].by == "user"]
    if own := next((place for place in theirs if place[1].source.is_own(*place[2:])), None):
        return _long_enough(*own)
    if theirs:
        return "pasted or quoted words, not the user's own"
    elsewhere = (place for other in sorted(shown - {number}) for place in _places(quote, other, turns))
    for place in elsewhere:
        if place[1].by == "user" and place[1].source.is_own(*place[2:]):
            return _long_enough(*place)
    return _long_enough(*here[0]) if here else "quote not in the source"


def _places(quote: str, number: int, turns: Sequence[WindowTurn]) -> list[Place]:
    """Where in what was said in a turn a quote stands."""
    found = ((spoken, spoken.source.find(quote)) for spoken in turns[number - 1].said)
    return [(number, spoken, *span) for spoken, span in found if span]


def _long_enough(number: int, spoken: Spoken, start: int, end: int) -> Place | str:
    letters = "".join(char for char in spoken.text[start:end] if char.isalnum())
    return (
        (number, spoken, start, end) if width(letters) >= QUOTE_WIDTH else "quote too short to say anything"
    )
