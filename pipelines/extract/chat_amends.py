"""
A sentence that only says what was meant by something said before: it has no subject, and states nothing by itself.

    "Sorry, I meant Wuxi." / "No, I said Wuxi." / "Not Wuhan, Wuxi."
    "说错了，是无锡" / "我的意思是无锡" / "不是武汉，是无锡"

And whether a statement that is led to as a correction says that what was said before was never so.
"""

from __future__ import annotations

import re
from datetime import date
from functools import cache
from typing import Any

from . import calendars, chat_chinese_values, dates
from .chat_english_values import is_employer, is_known_place, is_name, is_place
from .chat_one_value import is_one
from .chat_rule import Match, trimmed
from .chat_sentence import Said, clause_end
from .drafts import BARE, Draft
from .topics import topic

# What leads to it in a sentence that says nothing else; by more words it is another kind of sentence.
_SORRY = (
    r"(?:(?:oh|oops|whoops|ah|hm+|no|nope|sorry|wait|apologies|actually|correction|my (?:bad|mistake)|i misspoke"
    r"|typo|that(?:'s|\sis| was) (?:wrong|not right)|not quite|scratch that|let me correct (?:that|myself))"
    r"[\s,.:;!–—-]{1,4})"
)
_VALUE = r"(?P<{}>[^\s,;:.!?\"'`()][^,;:!?\n\"`()]{{0,48}}?)"
_X, _Y = _VALUE.format("value"), _VALUE.format("old")
_RATHER = rf"(?:,?\s(?:and )?(?:not|instead of|rather than)\s{_Y})?"
_IT_IS = r"(?:i said|it(?:'s|\sis|\swas)|that should (?:be|have been|say)|make that|i should have said)"
_ENGLISH = (
    rf"{_SORRY}{{0,3}}(?:what )?i (?:meant(?: to say)?|mean)(?: is| was)?[:,]?\s{_X}{_RATHER}",
    rf"{_SORRY}{{1,3}}{_IT_IS}\s{_X}{_RATHER}",
    rf"{_SORRY}{{0,3}}not\s{_Y}(?:,?\sbut|,|\s[–—-]{{1,2}})\s{_X}",
    rf"{_SORRY}{{0,3}}{_X},\snot\s{_Y}",
    rf"{_SORRY}{{1,2}}{_X}",
)
_WRONG = (
    r"(?:(?:哦|噢|啊|呃|嗯|不好意思|抱歉|对不起|等等|等下|不|不对|不是|错了|(?:我|刚才|刚刚|刚|之前|上面|前面)*"
    r"(?:说|写|打|记|弄|搞)错了?|口误|手误|更正(?:一下)?|纠正(?:一下)?|应该是(?=[，,]))[\s，,。：:；;！!、]{0,3})"
)
_SHORT = r"(?P<{}>[^，,。；;！!？?\n是不]{{1,16}}?)"
_A, _B = _SHORT.format("value"), _SHORT.format("old")
_NOT_B, _TAIL = rf"(?:[，,]\s?(?:而)?不是\s?{_B})?", r"(?:啦|哈|啊|哦|的|才对)?"
_I_MEAN = r"我(?:的意思是|(?:想|要)?说的(?:其实)?是|指的是|想说的是|本来想说)\s?(?:说\s?)?"
_CHINESE = (
    rf"{_WRONG}{{0,4}}{_I_MEAN}{_A}{_NOT_B}{_TAIL}",
    rf"{_WRONG}{{1,4}}(?:应该|其实)?是(?:在)?\s?{_A}{_NOT_B}{_TAIL}",
    rf"{_WRONG}{{0,4}}(?:应该)?不是\s?{_B}[，,]\s?(?:而)?(?:应该)?是\s?{_A}{_TAIL}",
    rf"{_WRONG}{{0,4}}(?:应该)?是\s?{_A}[，,]?\s?(?:而)?不是\s?{_B}{_TAIL}",
)
# What points, asks or goes on is no name of what was meant.
_NO_VALUE = re.compile(
    r"(?:the\s)?(?:other|second|first|last|same|latter|former|one)\b|(?:this|that|it|to|for|in|on|when|what|how|why|where"
    r"|you|i|we|he|she|they|something|no|yes|not|is|a different|another|exactly|just|if|only|like|as|really|sure|maybe"
    r"|bad|good|because|there|here|never|always|by|with|from|can|could|will|would|should|do|does|let|have|fine|ok)\b"
    r"|这|那|你|他|她|它|我|上面|下面|刚才|第|另|说|想|要|让|怎么|什么|为什么|哪|因为|为了|没|有|可能|应该|真的|在说|的"
    r"|先|再|跑|做|改|看|用|加|把|去|来|写|等|测|请|对",
    re.IGNORECASE,
)
_WORDS_AT_MOST = 5
_HAN = re.compile("[\u4e00-\u9fff]")

# What leads to a correction of a fact in so many words; "actually" does so only where the fact is no choice.
_SURE = re.compile(
    r"(?:.*\b)?(?:no|nope|sorry|correction|my bad|my mistake|misspoke|oops|whoops|meant|wrong|not quite)\b"
    r"|.{0,4}(?:不对|不是(?=[，,：:的])|说错|错了|更正|纠正|记错|弄错|搞错|打错|口误|写错|应该是|哦不|改口|抱歉|不好意思|对不起)"
    r"|.{0,4}不是[^，,。这那我你他她它]{2,10}[，,]\s*$",
    re.IGNORECASE,
)
_MEANT = re.compile(r"\b(?:meant?|said)\b|意思|说的|指的|本来想说", re.IGNORECASE)
_ACTUALLY = re.compile(r"\bactually\b|其实|实际上|准确地?说", re.IGNORECASE)
# What has come to be is no mistake in what was said before.
_CHANGED = re.compile(
    r"\b(?:now|these days|nowadays|any\s?more|any longer|since|moved|switched|changed|joined|relocated|as of"
    r"|from now on|lately|recently|again|back|no longer|will|going to)\b"
    r"|现在|目前|如今|已经|搬|换|改|转|入职|加入|以后|今后|最近|刚|又|不再|了$",
    re.IGNORECASE,
)
# Of these there is one that is so, and none that is chosen anew each day.
_GIVEN = ("lives:", "works:", "is:")


@cache
def _sentences() -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(rf"\s*{one}\s*[.。!！]*\s*", re.IGNORECASE) for one in (*_CHINESE, *_ENGLISH))


@cache
def _led_to() -> re.Pattern[str]:
    return re.compile(rf"\s*(?:{_SORRY}{{1,3}}|not\s[^,;.!?\n]{{2,30}},\s)", re.IGNORECASE)


# "No deploys on Fridays" forbids and corrects nothing.
_NONE_OF = re.compile(
    r"[Nn]o\s(?:[a-z-]+\s)?[a-z]+s\s(?:[a-z]+\s){0,3}(?:on|over|during|before|after|without)\s"
)


def amended(sentence: Said) -> Draft | None:
    """What a sentence says was meant, with what was said instead where that is told; None where it says more."""
    if "?" in sentence.mark or "？" in sentence.mark:
        return None
    words = sentence.words
    if _NONE_OF.match(words):
        return None
    for pattern in _sentences():
        found = pattern.fullmatch(words)
        if found is None:
            continue
        value = trimmed(words, *found.span("value"), polite=True)
        old = trimmed(words, *found.span("old")) if "old" in pattern.groupindex and found["old"] else None
        if not _is_value(words[slice(*value)]) or (old and not _is_value(words[slice(*old)])):
            continue
        start, end = trimmed(words, 0, len(words))
        data: dict[str, Any] = {
            "subject": "user",
            "predicate": "means",
            "value": sentence.text(*value),
            "qualifiers": {},
        }
        data |= {"old": sentence.text(*old)} if old else {}
        data |= {} if _SURE.match(words) or _MEANT.search(words) else {BARE: True}
        text = sentence.text(value[0], max(value[1], old[1] if old else 0))
        quote = sentence.text(start, end)
        return Draft(
            "fact", text, quote, sentence.start + start, sentence.start + end, asks="correct", data=data, confidence=0.6
        )  # fmt: skip
    return None


def _is_value(words: str) -> bool:
    """Whether words may be a value: a name, a figure, something known, and in Chinese what begins with no verb."""
    if not words or len(words.split()) > _WORDS_AT_MOST or _NO_VALUE.match(words):
        return False
    known = re.search(r"[A-Z0-9]", words) is not None or topic(words) is not None or is_known_place(words)
    return known or _HAN.search(words) is not None


def was_never_so(sentence: Said, held: Match, lead: str) -> bool:
    """Whether a statement of what a slot holds says that what was said of it before was a mistake, and no change."""
    words = sentence.words
    if _CHANGED.search(words, held.start, clause_end(words, held.value[1])) or held.rule.ended:
        return False
    led = words[: held.start] if _HAN.search(words) else lead
    if _SURE.match(led) or _led_to().fullmatch(words, 0, held.start):
        return True
    within = words[held.start : held.value[0]]
    given = (held.rule.slot or "").startswith(_GIVEN)
    if given and held.old is not None:
        return True
    return given and (_ACTUALLY.search(led) is not None or _ACTUALLY.search(within) is not None)


def fits(slot: str, kind: str, old: str, meant: str) -> bool:
    """Whether what was meant is of the sort of what was said: a place for a place, an editor for an editor."""
    what, _, topic_ = slot.partition(":")
    known, in_han = topic(meant), _HAN.search(meant) is not None
    if what in ("uses", "prefers"):
        return known is not None and known.name == topic_.partition("@")[0]
    if what == "has":
        return is_one(slot, meant, in_chinese=in_han)
    if kind == "intention":
        return _day_of(meant) is not None
    if re.fullmatch(r"[\d.:/]+(?:\s?[a-z%]{1,12})?", meant, re.IGNORECASE):
        return re.fullmatch(r"[\d.:/]+(?:\s?[a-z%]{1,12})?", old, re.IGNORECASE) is not None
    if known is not None:
        return False
    if slot in ("lives:city", "lives:country"):
        # Of two characters almost anything may be a place.
        return chat_chinese_values.is_known_place(meant) if in_han else is_place(meant)
    is_city = is_known_place(meant) or chat_chinese_values.is_known_place(meant)
    if slot == "works:employer":
        return not is_city and (is_employer(meant) or chat_chinese_values.is_employer(meant))
    if slot in ("is:name", "is:nickname", "is:english name"):
        return not is_city and (
            (meant[:1].isupper() and is_name(meant)) or chat_chinese_values.is_name(meant)
        )
    return False


def on_another_day(text: str, meant: str, *, at: int, utc_offset_s: int) -> Draft | None:
    """A plan for another day than its text names; None where that is none, or the text names several."""
    from .chat_rules import drafts  # which asks this module what a sentence amends

    plain = _TOLD_DAYS.sub("", text)
    named = dates.periods(plain, calendars.today(at, utc_offset_s))
    if len(named) != 1 or _day_of(meant) is None:
        return None
    told = plain[: named[0].start] + meant + plain[named[0].end :]
    found = [one for one in drafts(told, at=at, utc_offset_s=utc_offset_s) if one.kind == "intention"]
    return found[0] if len(found) == 1 else None


# The days that a plan's text was given in figures.
_TOLD_DAYS = re.compile(r"\s?[(（]\d{4}-\d\d-\d\d(?: – \d{4}-\d\d-\d\d)?[)）]\Z")
_ANY_DAY = date(2026, 1, 1)


def _day_of(words: str) -> dates.Period | None:
    """The day that words name, and nothing else."""
    bare = re.sub(r"^(?:on|at|in|by)\s", "", words, flags=re.IGNORECASE)
    found = dates.periods(bare, _ANY_DAY)
    whole = len(found) == 1 and found[0].start == 0 and found[0].end == len(bare)
    return found[0] if whole else None
