"""Dates as English says them: a table of expressions, and the days that each means."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date
from functools import cache

from .calendars import (
    LAST_YEAR,
    Days,
    days_from,
    month,
    months_later,
    named_day,
    named_month,
    named_quarter,
    one,
    quarter,
    week,
    weekday,
    weekend,
    whole_month,
    year_of,
)

_WEEKDAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_WEEKDAY = r"(?:mon|tues?|wed(?:nes)?|thu(?:rs?)?|fri|sat(?:ur)?|sun)(?:day)?"
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?"
    r"|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)"
)
_NUMBERS = {
    "a": 1, "an": 1, "one": 1, "two": 2, "a couple of": 2, "three": 3, "a few": 4, "four": 4, "five": 5, "six": 6,
    "seven": 7, "eight": 8, "nine": 9, "ten": 10, "twelve": 12,
    "fifteen": 15, "twenty": 20, "thirty": 30,
}  # fmt: skip
NUMBER = rf"(?:\d{{1,3}}|{'|'.join(sorted(_NUMBERS, key=len, reverse=True))})"
_YEAR = r"(?:(?:19[7-9]|20|21)\d\d)"
# "may" and "mar" are words of their own: a month stands after a preposition or beside a day.
_EXPRESSION = rf"""
    \b(?P<iso>{_YEAR}-\d{{1,2}}-\d{{1,2}})\b
  | \b(?P<named>{_MONTH}\.?\ \d{{1,2}}(?:st|nd|rd|th)?|\d{{1,2}}(?:st|nd|rd|th)?(?:\ of)?\ {_MONTH})
        (?:,?\ (?P<named_year>{_YEAR}))?\b(?!\.\d)
  | \b(?P<day_after>(?:the\ )?day\ after\ tomorrow)\b
  | \b(?P<day>today|tonight|tomorrow|tmrw?|yesterday|eod|end\ of\ (?:the\ )?day)\b
  | \b(?P<end>(?:the\ )?end\ of\ (?:the\ |this\ )?|eo)(?P<end_of>week|month|year|quarter|w|m|q|y)\b
  | \b(?:the\ )?end\ of\ (?:(?P<end_next>next)\ (?P<end_unit>week|month|year)
        |(?P<end_month>{_MONTH})(?:\ (?P<end_year>{_YEAR}))?)\b
  | \b(?P<unit_way>this|next|last|the\ coming|coming|the\ following)\ (?P<unit>weekend|week|month|year|quarter)\b
  | \b(?:over|on|by|at|during|before)\ (?P<the_weekend>the\ weekend)\b
  | \b(?:(?P<weekday_way>this|next|last|coming)\ )?(?P<weekday>{_WEEKDAY})(?P<weekday_next>\ next\ week)?\b
  | \b(?:in|within)\ (?P<later>{NUMBER})\ (?:more\ )?(?P<later_unit>day|week|month|year)s?(?:'?\ time)?\b
  | \b(?P<ago>{NUMBER})\ (?P<ago_unit>day|week|month|year)s?\ ago\b
  | \b(?:in|by|since|until|till|from|before|of|around|during|for|this|next|last|early|mid|late)[\ -]
        (?P<month>{_MONTH})(?!\.?\ \d{{1,2}}(?:st|nd|rd|th)?\b)(?:\ (?P<month_year>{_YEAR}))?\b
  | \b(?:in|by|since|until|till|from|before|during|for)\ (?P<year>{_YEAR})\b(?![-.:/]\d)
  | \bq(?P<quarter>[1-4])(?:\ (?P<quarter_year>{_YEAR}))?\b
"""
_WAYS = {"this": 0, "next": 1, "last": -1, "the coming": 0, "coming": 0, "the following": 1}


@cache
def pattern() -> re.Pattern[str]:
    """Every expression that `days` knows, as alternatives of one pattern."""
    return re.compile(_EXPRESSION, re.VERBOSE | re.IGNORECASE)


def days(found: re.Match[str], day: date, *, past: bool) -> Days | None:
    """The days that an expression means on a day; None where there are none. `past`: the last, not the next."""
    said = {name: text.lower() for name, text in found.groupdict().items() if text}
    meaning = _MEANINGS.get(found.lastgroup or "")
    return meaning(said, day, past) if meaning else None


def _date(said: dict[str, str], day: date, past: bool) -> Days | None:
    year, number, of_month = map(int, said["iso"].split("-"))
    return named_day(day, number, of_month, past=past, year=year)


def _named(said: dict[str, str], day: date, past: bool) -> Days | None:
    text = said["named"]
    name = re.search("[a-z]{3}", re.sub(r"\d+(?:st|nd|rd|th)?(?: of)?", "", text))
    number = re.search(r"\d+", text)
    if not (name and number):
        return None
    year = int(said["named_year"]) if "named_year" in said else None
    return named_day(day, _month_number(name.group()), int(number.group()), past=past, year=year)


def _near(said: dict[str, str], day: date, _past: bool) -> Days:
    if "day_after" in said:
        return days_from(day, 2)
    return days_from(day, {"yesterday": -1}.get(said["day"], int(said["day"].startswith(("tom", "tm")))))


def _end(said: dict[str, str], day: date, past: bool) -> Days:
    if "end_of" in said:
        return one(_unit(said["end_of"], day, 0)[1])
    if "end_unit" in said:
        return one(_unit(said["end_unit"], day, 1)[1])
    year = int(said["end_year"]) if "end_year" in said else None
    return one(named_month(day, _month_number(said["end_month"]), past=past, year=year)[1])


def _week_or_longer(said: dict[str, str], day: date, _past: bool) -> Days:
    return weekend(day) if "the_weekend" in said else _unit(said["unit"], day, _WAYS[said["unit_way"]])


def _weekday(said: dict[str, str], day: date, past: bool) -> Days:
    which = _WEEKDAYS.index(said["weekday"][:3])
    if "weekday_next" in said:
        return weekday(day, which, 1)
    way = said.get("weekday_way")
    if way in ("next", "last"):
        return weekday(day, which, _WAYS[way])
    return days_from(day, -((day.weekday() - which) % 7)) if past else weekday(day, which)


def _distance(said: dict[str, str], day: date, _past: bool) -> Days:
    if "later" in said:
        return moved(said["later_unit"], number(said["later"]), day)
    return moved(said["ago_unit"], -number(said["ago"]), day)


def _month(said: dict[str, str], day: date, past: bool) -> Days:
    year = int(said["month_year"]) if "month_year" in said else None
    return named_month(day, _month_number(said["month"]), past=past, year=year)


def _year(said: dict[str, str], _day: date, _past: bool) -> Days:
    return date(int(said["year"]), 1, 1), date(int(said["year"]), 12, 31)


def _quarter(said: dict[str, str], day: date, past: bool) -> Days:
    number = int(said["quarter"])
    if "quarter_year" in said:
        return quarter(int(said["quarter_year"]), number)
    return named_quarter(day, number, past=past)


# By the last group of an expression that took part.
_MEANINGS: dict[str, Callable[[dict[str, str], date, bool], Days | None]] = {
    "iso": _date, "named": _named, "named_year": _named, "day_after": _near, "day": _near, "end_of": _end,
    "end_unit": _end, "end_month": _end, "end_year": _end, "unit": _week_or_longer, "the_weekend": _week_or_longer,
    "weekday": _weekday, "weekday_next": _weekday, "later_unit": _distance, "ago_unit": _distance, "month": _month,
    "month_year": _month, "year": _year, "quarter": _quarter, "quarter_year": _quarter,
}  # fmt: skip


def _unit(unit: str, day: date, count: int) -> Days:
    if unit == "weekend":
        return weekend(day, count)
    match unit[0]:
        case "w":
            return week(day, count)
        case "m":
            return month(day, count)
        case "q":
            index = day.year * 4 + (day.month - 1) // 3 + count
            return quarter(index // 4, index % 4 + 1)
        case _:
            return year_of(day, count)


def moved(unit: str, count: int, day: date) -> Days:
    """The day so many days, weeks, months or years later, or earlier."""
    if unit == "day":
        return days_from(day, count)
    if unit == "week":
        return days_from(day, count * 7)
    count = count * 12 if unit == "year" else count
    return whole_month(LAST_YEAR, 12) if abs(count) > 1200 else months_later(day, count)


def number(text: str) -> int:
    """A number in digits or as a word (`NUMBER`), as such."""
    return _NUMBERS[text] if text in _NUMBERS else int(text)


def _month_number(name: str) -> int:
    return _MONTHS.index(name[:3]) + 1
