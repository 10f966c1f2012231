"""The dates that a text names, in English and Chinese, as days."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import date, timedelta

from . import dates_chinese, dates_english
from .calendars import Days

_JOINS = re.compile(r"\s{0,2}(?:,?\s?(?:to|until|till|through|thru)|[-–—~～]|到|至)\s{0,2}\Z", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Period:
    """Days that a text names, first and last within, and where it names them."""

    first: date
    last: date
    start: int
    end: int


def periods(text: str, today: date, *, past: bool = False) -> list[Period]:
    """
    The dates in a text, in order: those to come, or with `past` those that have been, where a name does not
    say which ("May", "Friday"). The end of a range is never before its beginning.
    """
    found: list[Period] = []
    for period in sorted(_named(text, today, past=past), key=lambda p: (p.start, -p.end)):
        if found and period.start < found[-1].end:
            continue
        if found and _JOINS.fullmatch(text[found[-1].end : period.start]):
            found.append(_not_before(period, found[-1].first))
        else:
            found.append(period)
    return found


def _named(text: str, today: date, *, past: bool) -> Iterator[Period]:
    for language in (dates_english, dates_chinese):
        if language is dates_chinese and text.isascii():
            continue
        for found in language.pattern().finditer(text):
            days: Days | None
            try:
                days = language.days(found, today, past=past)
            except (ValueError, OverflowError):  # a year that the calendar does not have
                continue
            if days and not _recurs(text, found):
                yield Period(days[0], days[1], found.start(), found.end())


# "Every Monday", "每周一", "每个月五号": no day of one week.
_EACH = re.compile(
    r"(?:\b(?:every|each)\s(?:other\s|second\s|single\s)?(?:(?:week|month|quarter|year)\s(?:on\s|at\s)?)?"
    r"|每(?:隔|个|一|逢)*(?:月|季度|年|周|星期)?(?:的)?|逢)\Z",
    re.IGNORECASE,
)
_EACH_AFTER = re.compile(r"\s?(?:of\s)?(?:every|each)\s(?:week|month|year)\b", re.IGNORECASE)


def _recurs(text: str, found: re.Match[str]) -> bool:
    """Whether a day is named that comes back."""
    before = text[max(found.start() - 24, 0) : found.start()]
    # The month of "每月五号" is read with its number, or by itself.
    return _EACH.search(before) is not None or _EACH_AFTER.match(text, found.end()) is not None


def _not_before(period: Period, first: date) -> Period:
    """The period, moved by whole weeks, or years, until it does not end before a day."""
    if period.last >= first:
        return period
    weeks = -((period.last - first).days // 7)
    if weeks > 6:  # no weekday, so a day of the next year
        return period
    step = timedelta(weeks=weeks)
    return replace(period, first=period.first + step, last=period.last + step)
