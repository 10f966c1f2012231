"""What extraction proposes: a draft is not yet a memory."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

DraftKind = Literal["profile", "fact", "intention", "summary", "experience"]
Polarity = Literal["affirmed", "negated"]
Reach = Literal["global", "workspace"]
Asks = Literal["keep", "forget", "correct", "end"]
# In a draft's data: what was said before of its slot was never so.
NEVER = "never"
# As well: it only names what is so and what is not, and may answer a question.
BARE = "bare"
# As well: when the time is over that something is said to have ended in ("in June").
WITHIN = "within"


@dataclass(frozen=True, slots=True)
class Draft:
    """
    One statement found in a source, with the words that support it.

    Args:
        text: one sentence that stands alone, in the user's language and as far as possible in their words.
        quote: the evidence, verbatim from the source, where it stands at [start:end].
        asks: what is to become of it. "forget": the user wants what `text` names forgotten. "correct": an
            earlier statement was wrong; `data["old"]` holds what was said then, where that is known. "end": an
            order or a plan is over by it, and without one it says nothing that lasts.
        line: the one-line form, where it is not `text`.
        slot: the key of what has one current value ("lives:city"); None where values stand beside each other.
        polarity: whether `data["value"]` is affirmed or denied; a dislike, a prohibition and what is no
            longer so are denied. One statement has the same predicate and value in both polarities.
        data: JSON-able: subject, predicate, value, and what limits it under qualifiers (why, context, ended).
        reach: "workspace" for what may hold in this project alone.
        became: it is told that it became so then ("In 2019 I moved"), not that it is so since.
        otherwise: what is kept where it ends nothing: the user asked for its words to be remembered.
    """

    kind: DraftKind
    text: str
    quote: str
    start: int
    end: int
    asks: Asks = "keep"
    line: str | None = None
    slot: str | None = None
    polarity: Polarity = "affirmed"
    # Left out of the hash so that the value as a whole has one.
    data: Mapping[str, Any] = field(default_factory=dict, hash=False)
    importance: float = 0.5
    confidence: float = 1.0
    valid_from: int | None = None
    valid_to: int | None = None
    expires_at: int | None = None
    reach: Reach = "workspace"
    became: bool = False
    otherwise: Draft | None = None
