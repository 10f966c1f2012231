"""A prompt and a sentence of it as the rules read them, and the time that a statement speaks of."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from typing import Any

from . import calendars, dates, lasted
from .chat_chinese import chinese
from .chat_english import english
from .chat_rule import Language, Match, Span, until
from .dates import Period
from .drafts import Draft, DraftKind
from .qualifiers import lead_ends
from .sentences import STARTS_AT_MOST, starts

_HAN = re.compile("[\u4e00-\u9fff]")
_DATE_LEADS = re.compile(
    r"\s*(?:(?:on|by|in|since|from|starting|as of|until|before|自|从|自从|到|截至)\s?)?", re.IGNORECASE
)
_DATE_JOINS = re.compile(r"(?:\s?(?:起|开始|以来|之后|以后)|\s?on(?:wards)?\b)?[\s,，]{0,3}")
_MOVES = re.compile(
    r"moved|switched|changed|migrated|joined|relocated|returned"
    r"|\bleft\b|quit\b|resigned|departed|stopped|ditched|abandoned|gave up|laid off|let go|fired|redundant|lost"
    r"|no longer|any\s?more|any longer"
    r"|搬|换|迁|改用|入职|加入|转|离职|辞|离开|告别|跳槽|走人|退休|毕业|裁|优化|开除|丢了|失业|不再|不用|没再|不在|不住|又回",
    re.IGNORECASE,
)
_PAST_ONLY = re.compile(r"(?:since|from)\b|.*自从?\s?$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Prompt:
    """A prompt: its text as it is, and of the same length with all blanked that is not the user's words."""

    text: str
    words: str
    today: date
    utc_offset_s: int


@dataclass(frozen=True, slots=True)
class Said:
    """
    A sentence: its words, the mark that ends it, and its dates as those to come and as those that have been.

    Offsets in it count from `start`, where it stands in its prompt.
    """

    prompt: Prompt
    start: int
    words: str
    mark: str
    to_come: tuple[Period, ...]
    been: tuple[Period, ...]

    def text(self, start: int, end: int) -> str:
        """The user's own text at a span of the sentence."""
        return self.prompt.text[self.start + start : self.start + end]


def said(prompt: Prompt, start: int, end: int, mark: str = "") -> Said:
    """A part of a prompt as a sentence."""
    words = prompt.words[start:end]
    to_come = tuple(dates.periods(words, prompt.today))
    been = tuple(dates.periods(words, prompt.today, past=True)) if to_come else ()
    return Said(prompt, start, words, mark, to_come, been)


def drafted(sentence: Said, kind: DraftKind, span: Span, **more: Any) -> Draft:
    """A draft of what stands in a span of a sentence, told in its own words; `more`: its other fields."""
    quote = sentence.text(*span)
    start, end = (sentence.start + at for at in span)
    return Draft(kind, " ".join(quote.split()), quote, start, end, **more)


def languages(words: str) -> Iterator[Language]:
    """The languages whose rules may hold for some words, that of their script first."""
    if _HAN.search(words):
        yield chinese()
    yield english()


def beginnings(sentence: Said) -> list[tuple[int, str]]:
    """Where a statement may begin and what led to it, also after a date or a limit ("For this repo I use …")."""
    places = dict(starts(sentence.words))
    for place in tuple(places):
        if (after := lead_ends(sentence.words, place)) is not None and len(places) < 2 * STARTS_AT_MOST:
            places.setdefault(after, "")
        for language in languages(sentence.words):
            limited = language.limits.match(sentence.words, place)
            if limited and len(places) < 2 * STARTS_AT_MOST:
                places.setdefault(limited.end(), "")
    for period in sentence.to_come:
        if len(places) >= 2 * STARTS_AT_MOST:
            break
        led = any(
            _DATE_LEADS.fullmatch(sentence.words, place, period.start)
            for place in places
            if place <= period.start
        )
        joint = _DATE_JOINS.match(sentence.words, period.end)
        if led and joint:
            places.setdefault(joint.end(), "")
    return sorted(places.items())


def since(sentence: Said, match: Match) -> tuple[int, int] | None:
    """The instant from which a statement holds, and where the sentence says so; None where it does not."""
    end = clause_end(sentence.words, match.value[1])
    for period in sentence.been:
        if period.start >= end or period.first > sentence.prompt.today:
            continue
        before = match.language.since.search(sentence.words, max(period.start - 30, 0), period.start)
        led = _DATE_JOINS.fullmatch(sentence.words, period.end, match.start) is not None
        moved = (led or period.start >= match.start) and _MOVES.search(sentence.words, match.start, end)
        if moved or (
            (
                before
                or _PAST_ONLY.match(sentence.words, period.start, period.end)
                or match.language.since_after.match(sentence.words, period.end)
            )
            and _has_been(sentence, period)
        ):
            at = calendars.midnight(period.first, sentence.prompt.utc_offset_s)
            return at, before.start() if before else period.start
    if (
        begun := lasted.since(sentence.words, match.start, match.value[1], end, sentence.prompt.today)
    ) is not None:
        return calendars.midnight(begun[0], sentence.prompt.utc_offset_s), begun[1]
    return from_then(sentence, match)


def _has_been(sentence: Said, period: Period) -> bool:
    """Whether a day that something is so "from" is one that has been: that is nearer than the one to come."""
    today = sentence.prompt.today
    to_come = [one.first for one in sentence.to_come if one.start == period.start and one.first > today]
    led = sentence.words[max(period.start - 8, 0) : period.end + 3]
    return not to_come or _SINCE.search(led) is not None or today - period.first <= to_come[0] - today


_SINCE = re.compile(r"\bsince\b|自从|以来", re.IGNORECASE)


def is_since(sentence: Said, match: Match) -> bool:
    """Whether a clause says that something is so since a day, and not only that it became so on it."""
    end = clause_end(sentence.words, match.value[1])
    if lasted.since(sentence.words, match.start, match.value[1], end, sentence.prompt.today) is not None:
        return True
    return any(
        _SINCE.search(sentence.words, max(period.start - 8, 0), period.end + 3)
        or match.language.since.search(sentence.words, max(period.start - 30, 0), period.start)
        or match.language.since_after.match(sentence.words, period.end)
        for period in sentence.been
        if period.start < end
    )


def from_then(sentence: Said, match: Match) -> tuple[int, int] | None:
    """The instant to come from which a statement holds ("from next month"), as `since` tells what has been."""
    end = clause_end(sentence.words, match.value[1])
    could_be_past = {
        period.start
        for period in sentence.been
        if period.first <= sentence.prompt.today and _has_been(sentence, period)
    }
    for period in sentence.to_come:
        if period.start >= end or period.first <= sentence.prompt.today or period.start in could_be_past:
            continue
        if period.end <= match.start and not _DATE_JOINS.fullmatch(sentence.words, period.end, match.start):
            continue
        before = match.language.since.search(sentence.words, max(period.start - 30, 0), period.start)
        if before or match.language.since_after.match(sentence.words, period.end):
            at = calendars.midnight(period.first, sentence.prompt.utc_offset_s)
            return at, before.start() if before else period.start
    return None


def within(sentence: Said, match: Match) -> int | None:
    """
    The instant at which the time is over that a clause says something ended in; None where it names none, and for what
    is still to come the end of that.
    """
    end = clause_end(sentence.words, match.value[1])
    named = [
        period
        for period in sentence.been
        if period.start < end
        and (
            period.end > match.start
            or _DATE_JOINS.fullmatch(sentence.words, period.end, match.start) is not None
        )
    ]
    return calendars.after(named[0].last, sentence.prompt.utc_offset_s) if named else None


def is_ahead(sentence: Said, match: Match) -> bool:
    """Whether a clause names a day that is still to come, whichever way it is read."""
    end = clause_end(sentence.words, match.value[1])
    today = sentence.prompt.today
    return any(match.start <= one.start < end and one.first > today for one in sentence.been)


def due(sentence: Said, start: int, end: int) -> Period | None:
    """The time to come that a clause names, all of its dates together; None where none is ahead."""
    words = sentence.words
    named = [
        period
        for period in sentence.to_come
        if period.end <= end
        and (period.start >= start or not words[period.end : start].strip(" ,，起开始之后以"))
        and not _PAST_ONLY.match(words, max(period.start - 3, 0), period.end)
        and not words[period.start :].lower().startswith("since")
    ]
    if not named or max(period.last for period in named) < sentence.prompt.today:
        return None
    first, last = min(period.first for period in named), max(period.last for period in named)
    return Period(first, last, named[0].start, named[-1].end)


def expiry(sentence: Said, period: Period | None) -> int | None:
    """The instant at which a period is over."""
    return calendars.after(period.last, sentence.prompt.utc_offset_s) if period else None


def clause_end(words: str, at: int) -> int:
    """Where the clause around an offset ends."""
    return until(words, at, _CLAUSE_END)


_CLAUSE_END = re.compile(r"[,，;；:：]|\bbut\b|\band\b")


def alone(text: str, period: Period | None, subject: str = "") -> str:
    """A quote as a sentence that stands alone: its subject where it is left out, and the dates that it means."""
    text = " ".join(text.split())
    in_chinese = _HAN.search(text) is not None
    if subject and not (_SELF_CHINESE if in_chinese else _SELF).search(text):
        text = subject + text
    if period and period.first.isoformat() not in text:
        days = period.first.isoformat() if period.first == period.last else f"{period.first} – {period.last}"
        text += f"（{days}）" if in_chinese else f" ({days})"
    return text


_SELF = re.compile(r"\b(?:i|my|me|we|our|im)\b", re.IGNORECASE)
_SELF_CHINESE = re.compile("我|俺|本人|咱")
