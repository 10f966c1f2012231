"""A plan with a time to come, or what the user wants to be reminded of, as an intention that expires."""

from __future__ import annotations

import re
from dataclasses import replace

from .chat_chinese import states_a_plan
from .chat_events import cancelled, is_event, timed
from .chat_rule import Language, Span, trimmed
from .chat_sentence import Said, alone, due, expiry, languages
from .dates import Period
from .drafts import Draft

# "I'll fix this tomorrow" means nothing when it is read later.
_POINTS = re.compile(
    r"\b(?:this|that|these|it|them)\b(?! (?:week|weekend|month|quarter|year|summer|winter"
    r"|spring|fall|autumn|mon|tue|wed|thu|fri"
    r"|sat|sun|afternoon|evening|morning))|这个(?!月|周|季|星期|礼拜|项目|版本)|那个|这里|它",
    re.IGNORECASE,
)
# A date of the work at hand: of data, of a document, of a test.
_NO_PLAN = re.compile(
    r"\b(?:fixtures?|mock|sample|in the (?:test|example|template|config|roadmap|report|json"
    r"|screenshot|docs?|table|ui|logs?)"
    r"|according to|payload)\b|测试数据|示例|截图|报表里|日志里|文档里|配置里",
    re.IGNORECASE,
)
# "以后周五…" is said of every Friday.
_FROM_NOW_ON = re.compile("以后|今后|往后")
_LEAST_CHARS = 4


def plan(sentence: Said, at: int) -> Draft | None:
    """The plan that begins at a start of a sentence; None where there is none, or its time is past."""
    words = sentence.words
    language = next(languages(words))
    found = language.plans.match(words, at)
    if not found:
        return None
    reminder = bool(found["reminder"])
    chinese = language.subject == "我"
    end = _end(words, found, language, chinese=chinese)
    period = due(sentence, at, end)
    clause = words[at:end]
    if (not period and (chinese or not reminder)) or _POINTS.search(clause) or _FROM_NOW_ON.match(clause):
        return None
    if chinese and not states_a_plan(clause, reminder=reminder or "提醒我" in clause):
        return None
    start, end = trimmed(words, min(at, period.start) if period else at, end, polite=True)
    value = trimmed(words, found.start("value") if found.start("value") > at else start, end)
    event = timed(words, start, end, (period.start, period.end)) if period else None
    if end - start < _LEAST_CHARS or value[0] >= value[1] or _NO_PLAN.search(clause):
        return None
    if period and period.last == sentence.prompt.today and not (event or reminder):
        return None
    draft = _planned(sentence, (start, end), event[:2] if event else value, period)
    return replace(draft, slot=event.slot if event else None)


def off(sentence: Said, at: int) -> Draft | None:
    """That an event is cancelled, denied in the slot of its plan; None where none is at a start of a sentence."""
    found = cancelled(sentence.words, at)
    if not found:
        return None
    event, end = found
    return replace(
        _planned(sentence, (at, end), event[:2], None), slot=event.slot, polarity="negated", confidence=0.9
    )


def _planned(sentence: Said, span: Span, value: Span, period: Period | None) -> Draft:
    start, end = span
    quote = sentence.text(start, end)
    return Draft(
        "intention",
        alone(quote, period),
        quote,
        sentence.start + start,
        sentence.start + end,
        data={"subject": "user", "predicate": "plans", "value": sentence.text(*value), "qualifiers": {}},
        importance=0.7,
        confidence=0.9 if period else 0.7,
        expires_at=expiry(sentence, period),
    )


def _end(words: str, found: re.Match[str], language: Language, *, chinese: bool) -> int:
    """Where the clause of a plan ends; a date alone before a comma is no clause yet."""
    cut = language.long_end.search(words, found.start("value"), found.end())
    end = cut.start() if cut else found.end()
    at = found.start()
    # "The freeze is on Friday, plan around that": what follows the date is a command.
    if is_event(words, at):
        until = words.find(",", at, end)
        return until if until >= 0 else end
    for comma in re.finditer("[，,]", words[at:end]) if chinese else ():
        if states_a_plan(words[at : at + comma.start()], reminder=False):
            return at + comma.start()
    return end
