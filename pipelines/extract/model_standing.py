"""Why what a quote says is not kept as it stands: for this task alone, over, or cut off from what turns it round."""

from __future__ import annotations

import re

from .drafts import DraftKind
from .model_atoms import denies
from .model_lasting import Tense, clause
from .model_slots import Predicate, ended
from .model_windows import Spoken, WindowTurn

# Of the words of a statement, so many must be those of a rule's for both to be one.
_SAME_WORDS = 0.5
_PRESENT = re.compile(r"\b(?:is|are|am|has|have)\b(?! been\b)", re.IGNORECASE)
_USED_TO = re.compile(r"\bused to\b", re.IGNORECASE)
# A thing that is spoken of, and no limit.
_NAMED_SO = re.compile("这个")
# Right before a value, and with nothing between that turns it round.
_NOT_JUST_BEFORE = re.compile(
    r"(?:\b(?:\w+n['’]t|not|never|no|dont|hate|dislike|stop|avoid|without|hardly|barely|rarely|seldom|stopped|quit"
    r"|nobody|no one|neither|none|refuse[sd]?|gave up|tired of|sick of)\b"
    r"(?:(?!\bbut\b|\bjust\b|\bonly\b)[^,.;，。；]){0,18}"
    r"|(?:不[要用再喜是]?|别再?|没有?|勿|讨厌|禁止|很少|几乎不|没人|拒绝|放弃|戒)(?:(?!而是|只)[^，。；,.;]){0,6})$",
    re.IGNORECASE,
)


def passing(
    of: Predicate, turn: WindowTurn, spoken: Spoken, start: int, end: int, kind: DraftKind
) -> str | None:
    """Why words that state something state it for this task alone; None where they last."""
    about = spoken.source.clause(start, end)
    if kind == "intention":
        return None
    order = of.slotted == "order" or about.is_order
    if (kind == "profile" or order) and about.limit:
        return "for this task only"
    if order and not about.is_standing and not _is_ruled(turn, spoken, start, end):
        return "an order for this task"
    if (kind == "profile" or order) and about.today:
        return "for this day only"
    return "not a sentence of the user's" if kind == "profile" and not about.words.strip() else None


def limit(spoken: Spoken, start: int, end: int, kind: DraftKind) -> str | None:
    """What limits a fact to the present, as it was said ("for now"); None where nothing does."""
    found = spoken.source.clause(start, end).limit if kind == "fact" else None
    return found if found and not _NAMED_SO.match(found) else None


def is_order_for_today(spoken: Spoken, start: int, end: int) -> bool:
    """Whether words tell somebody to do something on that very day."""
    about = spoken.source.clause(start, end)
    return about.is_order and about.today is not None


def tense(spoken: Spoken, start: int, quote: str, value: str) -> Tense:
    """Whether the words about a value tell what was; None for what is, and for what is said to have ended."""
    if ended(quote) and not _USED_TO.search(quote):
        return None
    at = start + max(quote.find(value), 0)
    return spoken.source.clause(at, at + len(value)).past


def is_state(of: Predicate, kind: DraftKind) -> bool:
    """Whether a statement is of what someone is, likes or does, and not of what happened once."""
    return kind == "profile" or (
        kind == "fact" and (of.slot is not None or of.slotted in ("prefers", "uses"))
    )


def unsaid(
    of: Predicate, spoken: Spoken, start: int, end: int, value: str, *, tense: Tense, state: bool, denied: bool
) -> str | None:  # fmt: skip
    """
    Why a quote does not say by itself what is drawn from it; None where it does.

    Args:
        tense: as the whole clause has it; of a `state` that is over, the quote must tell so.
        denied: whether the statement denies something.
    """
    quote = spoken.text[start:end]
    over = state and tense == "over"
    if state and (tense == "was" or (over and denied and denies(quote))):
        return "only said of the past"
    if state and not over and _is_uncertain(of, spoken, start, quote, value):
        return "not said for certain"
    if turned(spoken.source.clause(start, end).before) and not denies(quote):
        return "a quote without its “not”"
    if over:
        return None if clause(quote, 0, len(quote)).past else "a quote without its past"
    return "denied without a word that denies" if denied and not denies(quote) else None


def _is_uncertain(of: Predicate, spoken: Spoken, start: int, quote: str, value: str) -> bool:
    """Whether a value is only thought of: it may be so, or is yet to come."""
    at = start + max(quote.find(value), 0)
    now = of.slot is not None or of.slotted == "uses"
    return of.name != "has goal" and spoken.source.clause(at, at + len(value)).is_open(now=now)


def turned(before: str) -> bool:
    """Whether what stands before some words denies them."""
    return _NOT_JUST_BEFORE.search(before) is not None


def lost(past: Tense, text: str) -> bool:
    """Whether a text tells as being so what its words tell as having been so."""
    if past is None or clause(text, 0, len(text)).past:
        return False
    return past == "over" or _PRESENT.search(text) is not None


def _is_ruled(turn: WindowTurn, spoken: Spoken, start: int, end: int) -> bool:
    """Whether the rules find in the same words an order that stands, or what is to be remembered."""
    for draft in turn.ruled.get(spoken.event, ()):
        common = min(end, draft.end) - max(start, draft.start)
        longer, shorter = sorted((end - start, draft.end - draft.start), reverse=True)
        least = shorter if draft.data["predicate"] == "asks for" else longer
        if draft.asks != "forget" and common >= _SAME_WORDS * least:
            return True
    return False
