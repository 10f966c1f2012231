"""
What a plain sentence states, as the chat rules have it: in the first person, or in the third as an agent tells it.

    statement("The user prefers dark mode", …) -> the draft that "I prefer dark mode" gives

Only where exactly one statement covers the whole of it: a sentence that says more is kept as it is said.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from .attributes import attribute
from .chat_chinese_orders import EACH_WEEK
from .chat_rules import drafts
from .drafts import Draft
from .permissions import permission
from .sentences import sentences

# A longer text says more than one thing.
PLAIN_CHARS = 300
# What is said in one may be rounded off in another ("Actually, no. …").
SENTENCES = 2

_USER = r"(?:the |this |our )?user"
_ENGLISH: tuple[tuple[str, str], ...] = (
    (rf"{_USER}(?:'s|s'|’s)\s", "My "),
    (rf"{_USER}\s(?:is|was)\s", "I am "),
    (rf"{_USER}\s(?:has|had)\s", "I have "),
    (rf"{_USER}\s(?:does not|doesn't|doesn’t|do not|don't|did not)\s", "I don't "),
    (rf"{_USER}\s(?:no longer)\s(?P<verb>[a-z]+?(?:ch|sh|ss|x|o))es\s", "I no longer {verb} "),
    (rf"{_USER}\s(?:no longer)\s(?P<verb>[a-z]+?)s\s", "I no longer {verb} "),
    (rf"{_USER}\salso\s(?P<verb>[a-z]+?)s\s", "I also {verb} "),
    (rf"{_USER}\s(?:now|currently|always|usually|really|strongly|generally|also)\s(?=\w)", "{user} "),
    (rf"{_USER}\s(?:goes)\s", "I go "),
    (rf"{_USER}\s(?:(?P<verb>[a-z]+?(?:ch|sh|ss|x|o))es)\s", "I {verb} "),
    (rf"{_USER}\s(?:(?P<verb>[a-z]+?)ies)\s", "I {verb}y "),
    (rf"{_USER}\s(?:(?P<verb>[a-z]{{2,}}?)s)\s", "I {verb} "),
    (rf"{_USER}\s(?P<verb>[a-z]+(?:ed|t|ve|will|would|must|should))\s", "I {verb} "),
)
_CHINESE: tuple[tuple[str, str], ...] = (
    (r"(?:该|这位|本)?(?:用户|使用者)的", "我的"),
    (r"(?:该|这位|本)?(?:用户|使用者)\s?", "我"),
)
_OF_THE_USER = re.compile(rf"(?:{_USER}|(?:该|这位|本)?(?:用户|使用者))", re.IGNORECASE)
_PRONOUNS = re.compile(r"(?<!/)\b(?:his|her|their)\b(?!/)", re.IGNORECASE)
# "wants" is a wish for good where an agent writes it down.
_WISHES = (
    (re.compile(r"I want (?!to\b)", re.IGNORECASE), "I prefer "),
    (re.compile("我(?:想要|希望|要求|更?想)"), "我喜欢"),
)
_FIRST = re.compile(
    rf"(?P<when>(?:since|as of|from|starting)\s[^,]{{2,30}}?|(?:in|at|on|for|during|when|while)\s[^,]{{2,40}}?),?\s"
    rf"(?=(?:{_USER})\b)|(?!(?:该|这位|本)?(?:用户|使用者))[^，,。；;我你他她]{{1,14}}?(?<!该)(?<!这位)(?<!本)[，,]?\s?(?=(?:该|这位|本)?(?:用户|使用者))",
    re.IGNORECASE,
)


def statement(text: str, *, at: int, utc_offset_s: int) -> Draft | None:
    """
    The one statement that a text makes; None where it makes none, several, or says more beside it.

    Its quote and its offsets count in the text as it would be said in the first person.
    """
    text = " ".join(text.split())
    if not text or len(text) > PLAIN_CHARS:
        return None
    if len(list(islice(sentences(text), SENTENCES + 1))) > SENTENCES:
        return _allowed(text)
    for words in _told(text):
        found = drafts(words, at=at, utc_offset_s=utc_offset_s)
        if found and (of_each_week := _of_each_week(text)):
            return of_each_week
        if len(found) == 1 and _states(found[0]) and _covers(found[0], words) and _is_one(found[0]):
            if found[0].data.get("predicate") == "notes" or _has_no_slot(found[0]):
                return _allowed(text) or (found[0] if found[0].data["predicate"] != "notes" else None)
            return found[0]
        if found:
            # What a thing was changed to is what it is.
            is_one = len(found) == 1 and found[0].data.get("predicate") == "is" and _covers(found[0], words)
            return _allowed(text) if is_one else None
    return _allowed(text)


def _allowed(text: str) -> Draft | None:
    """What a thing is, or is allowed to be or not, which no rule for a person's own words speaks of."""
    if (one := attribute(text)) is not None:
        data = {"subject": one.thing, "predicate": "is", "value": one.value, "qualifiers": {}}
        return Draft("fact", text, text, 0, len(text), slot=one.slot, data=data)
    found = permission(text)
    if found is None:
        return None
    data = {"subject": found.thing, "predicate": "is", "value": found.what, "qualifiers": {}}
    return Draft("fact", text, text, 0, len(text), polarity=found.polarity, data=data)


def _of_each_week(text: str) -> Draft | None:
    """What is allowed or not on a day of each week: no plan for the next one."""
    return _allowed(text) if EACH_WEEK.match(text) else None


def _told(text: str) -> Iterator[str]:
    """The text in the first person, in the ways that rules may know it."""
    first = _in_first_person(text)
    yield first
    for wish, instead in _WISHES:
        if wish.match(first) and first != text:
            yield wish.sub(instead, first, count=1)


def _in_first_person(text: str) -> str:
    when = _FIRST.match(text)
    lead, rest = (when.group(), text[when.end() :]) if when else ("", text)
    for _ in range(2):  # an adverb is dropped before the verb is read
        turned = _turned(rest)
        if turned == rest:
            break
        rest = turned
    if rest != text[len(lead) :]:
        rest = _PRONOUNS.sub("my", rest)
    return lead + rest


def _turned(text: str) -> str:
    if not _OF_THE_USER.match(text):
        return text
    for pattern, said in (*_ENGLISH, *_CHINESE):
        if found := re.match(pattern, text, re.IGNORECASE):
            named = {"user": "The user", **{name: it or "" for name, it in found.groupdict().items()}}
            return said.format(**named) + text[found.end() :]
    return text


def _states(draft: Draft) -> bool:
    """Whether a draft states something, or that a plan is over; orders end by the user's own words alone."""
    return draft.asks == "keep" or (draft.asks == "end" and draft.data.get("predicate") == "plans")


def _has_no_slot(draft: Draft) -> bool:
    return draft.asks == "keep" and draft.kind == "fact" and not draft.slot


def _is_one(draft: Draft) -> bool:
    """Whether the value of a slot is one, and not the beginning of more that is said."""
    value = str(draft.data["value"])
    return (
        not draft.slot
        or _MORE.search(value.replace(",", " ") if draft.slot == "has:address" else value) is None
    )


_MORE = re.compile(r"\b(?:and|but|while|or)\b|[,，;；]|并且?|而且|但", re.IGNORECASE)


def _covers(draft: Draft, words: str) -> bool:
    """Whether a statement, with the date it speaks of, is all that is said."""
    around = words[: draft.start] + " " + words[draft.end :]
    if draft.valid_from is not None or draft.expires_at is not None:
        around = _DATED.sub(" ", around)
    return not any(character.isalnum() for character in _ROUNDS_OFF.sub(" ", around))


_DATED = re.compile(
    r"\b(?:since|as of|from|starting|in|on|by|last|this|next|ago|early|late|mid|the|of|beginning|end|week|month|year|"
    r"day|days|weeks|months|years|two|three|four|yesterday|today|tomorrow|january|february|march|april|may|june|july|"
    r"august|september|october|november|december|jan|feb|mar|apr|jun|jul|aug|sep|oct|nov|dec|onwards?|on)\b"
    r"|\d{1,4}(?:st|nd|rd|th)?|[年月日号从自起了份初底就上下个这去今前]|开始|以来|[一二三四五六七八九十两]",
    re.IGNORECASE,
)
_ROUNDS_OFF = re.compile(
    r"\b(?:now|too|again|currently|actually|please|btw|by the way|anymore|any more|nowadays|these days)\b"
    r"|了|现在|目前|吧|的|(?:上班|工作|任职|办公)\s*$",
    re.IGNORECASE,
)
