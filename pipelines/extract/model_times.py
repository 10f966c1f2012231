"""The days that a model reads in a statement, as instants: only where the words name a time, and within reason."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date, timedelta

from . import calendars, dates
from .dates import Period

# How far from the day on which it was said a date may lie.
_BACK, _AHEAD = timedelta(days=366 * 80), timedelta(days=366 * 5)
# What names a time, where the rules know no day for it ("at the end of the sprint", "中秋之后").
_TIME = re.compile(
    r"\d{4}|\d ?(?:am|pm|st|nd|rd|th)\b|\b(?:today|tonight|tomorrow|yesterday|day|week|weekend|month|quarter|year"
    r"|morning|evening|spring|summer|autumn|fall|winter|christmas|easter|deadline|sprint|mon|tues?|wednes|thurs?|fri"
    r"|satur|sun|january|february|march|april|june|july|august|september|october|november|december)(?:s|days?)?\b"
    r"|[今明后昨前]天|[今明去前]年|[上下本这]个?[周月季]|[\d一二三四五六七八九十][周日月年号天]|[周月季年]末"
    r"|[月年]底|星期|礼拜|假期|春节|国庆|元旦|中秋",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Times:
    """From when a statement holds, until when, and when a plan is over; the days that were meant."""

    valid_from: int | None = None
    valid_to: int | None = None
    expires_at: int | None = None
    days: tuple[date, ...] = ()
    due: Period | None = None


def times(
    words: str, *, today: date, utc_offset_s: int, since: str = "", until: str = "", expires: str = ""
) -> Times:
    """
    What a model's days come to. A day that the rules read in the words goes before the model's own, and a model's
    day counts only where the words name some time.
    """
    named = dates.periods(words, today)
    been = dates.periods(words, today, past=True)
    said = bool(named or been or _TIME.search(words))
    first = _day(since, today) if said else None
    last = _day(until, today) if said else None
    due = _due(named, _day(expires, today) if said else None, today) if expires else None
    if first and been and not any(one.first <= first <= one.last for one in (*been, *named)):
        first = min((period.first for period in been if period.first <= today), default=None)
    if first and last and last < first:
        first = last = None
    found = [day for day in (first, last, *((due.first, due.last) if due else ())) if day]
    return Times(
        calendars.midnight(first, utc_offset_s) if first else None,
        calendars.after(last, utc_offset_s) if last else None,
        calendars.after(due.last, utc_offset_s) if due else None,
        (*found, *(day for period in (*named, *been) for day in (period.first, period.last))),
        due,
    )


def _due(named: list[Period], given: date | None, today: date) -> Period | None:
    ahead = [period for period in named if period.last >= today]
    if ahead:
        return Period(min(one.first for one in ahead), max(one.last for one in ahead), 0, 0)
    return Period(given, given, 0, 0) if given and given >= today else None


def _day(text: str, today: date) -> date | None:
    """A day as a model writes it; None where it is none or lies out of reach."""
    try:
        found = date.fromisoformat(text.strip()[:10])
    except ValueError:
        return None
    in_reach = today - _BACK <= found <= today + _AHEAD
    return found if in_reach and calendars.FIRST_YEAR <= found.year <= calendars.LAST_YEAR else None
