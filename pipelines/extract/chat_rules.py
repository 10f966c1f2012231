"""
What a user's own words state that lasts, by rules in English and Chinese and without a model.

    drafts(text, at=…, utc_offset_s=…) -> tuple[Draft, ...]     in the order of the text

Only what is said plainly is taken: rules stand where a statement may begin, never in the middle of one, and
questions, suppositions, other people's words, jokes, pasted text and orders for this one task give nothing.
"""

from __future__ import annotations

from itertools import pairwise

from ...store import han
from . import calendars
from .chat_amends import amended
from .chat_requests import explicit, remembered
from .chat_sentence import Prompt, languages, said
from .chat_statements import stated
from .chat_switches import changed, switched
from .drafts import Draft
from .own_words import own_words
from .sentences import Sentence, sentences

# A longer prompt is a pasted document with a request before or after it.
HEAD_CHARS, TAIL_CHARS = 16_000, 4_000
DRAFTS_AT_MOST = 40
_HEADING_CHARS = 120


def drafts(text: str, *, at: int, utc_offset_s: int) -> tuple[Draft, ...]:
    """
    The statements in one prompt, each with its verbatim evidence; () for a moment outside 1970 to 2199.

    Args:
        at: when it was said, UTC microseconds: dates are resolved from there.
        utc_offset_s: the user's zone at that moment.
    """
    try:
        today = calendars.today(at, utc_offset_s)
    except ValueError:
        return ()
    prompt = Prompt(text, own_words(han.fold(_bounded(text))), today, utc_offset_s)
    found: list[Draft] = []
    listing = False
    for sentence, after in pairwise([*sentences(prompt.words), None]):
        if sentence is None or len(found) >= DRAFTS_AT_MOST:
            break
        listing = _in_list(prompt, sentence, listing=listing)
        found += _of(prompt, sentence, after, listed=listing)
    return _settled(found)


def _bounded(text: str) -> str:
    """The text, of a very long one its ends; what lies between is blanked, so that offsets hold."""
    gap = len(text) - HEAD_CHARS - TAIL_CHARS
    return text if gap <= 0 else text[:HEAD_CHARS] + "\n" * gap + text[-TAIL_CHARS:]


def _of(prompt: Prompt, sentence: Sentence, after: Sentence | None, *, listed: bool) -> list[Draft]:
    heard = said(prompt, sentence.start, sentence.end, sentence.mark)
    if not heard.words.strip():
        return []
    following = prompt.words[after.start : after.end] if after else ""
    asks = "?" in heard.mark or "？" in heard.mark
    if listed and (found := remembered(heard, following, led=not asks)):
        return found
    if (meant := amended(heard)) is not None:
        return [meant]
    if not asks and (since := changed(heard)) is not None:
        return [since]
    if found := explicit(heard, following) or stated(heard, following):
        return found
    told = None if asks else switched(heard)
    return [told] if told is not None else []


def _in_list(prompt: Prompt, sentence: Sentence, *, listing: bool) -> bool:
    """Whether a sentence is an item of a list that the user asked to remember; `listing`: the one before was."""
    line = prompt.words.rfind("\n", 0, sentence.start) + 1
    bullet = prompt.words[line : sentence.start].strip()
    if not bullet or not (bullet[0] in "-*•·" or bullet[0].isdigit()):
        return False
    heading = prompt.words[max(line - _HEADING_CHARS, 0) : line].rstrip().rpartition("\n")[2].strip()
    asked = any(language.remember.match(heading) for language in languages(heading))
    return listing or (asked and heading.endswith((":", "：")))


def _settled(found: list[Draft]) -> tuple[Draft, ...]:
    """Each statement once, in the order of the text; of a prompt that is not to be kept only that request."""
    if any(draft.asks == "forget" and "target" in draft.data["qualifiers"] for draft in found):
        found = [draft for draft in found if draft.asks == "forget"]
    once: dict[tuple[object, ...], Draft] = {}
    for draft in found:
        value = str(draft.data["value"]).casefold()
        once.setdefault((draft.asks, draft.data["predicate"], value, draft.polarity), draft)
    return tuple(sorted(once.values(), key=lambda draft: (draft.start, draft.end))[:DRAFTS_AT_MOST])
