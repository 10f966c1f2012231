"""Dates as Chinese says them: a table of expressions, and the days that each means."""

from __future__ import annotations

import re
from datetime import date
from functools import cache

from .calendars import (
    FIRST_YEAR,
    LAST_YEAR,
    Days,
    day_of_month,
    days_from,
    month,
    months_later,
    named_day,
    named_month,
    named_quarter,
    one,
    week,
    weekday,
    weekend,
    year_of,
)

_DIGITS = {digit: value for value, digit in enumerate("〇一二三四五六七八九")} | {"零": 0, "两": 2}
NUMBER = r"(?:\d{1,3}|[一二两三四五六七八九十]{1,3})"
_DAYS = {"大前": -3, "前": -2, "昨": -1, "今": 0, "明": 1, "后": 2, "大后": 3}
_WEEK = r"(?:周|星期|礼拜)"
# Longer ways before their own beginnings; 个 may stand in each.
_WAYS = {"上上": -2, "上": -1, "这": 0, "本": 0, "当": 0, "下下": 2, "下": 1}
_WAY = rf"(?:{'|'.join(_WAYS)})个?"
_YEARS = {"前": -2, "去": -1, "今": 0, "本": 0, "明": 1, "后": 2}

_EXPRESSION = rf"""
    (?P<iso>(?:19[7-9]|20|21)\d\d[-/]\d{{1,2}}[-/]\d{{1,2}})(?!\d)
  | (?:(?P<full_year>(?:19[7-9]|20|21)\d\d|[一二〇零][一二三四五六七八九〇零]{{3}}|[去今明后]年?)年?\s?)?
        (?P<month_day>{NUMBER})\ ?月(?:份)?\ ?(?P<day_of>{NUMBER})\ ?[日号]
  | (?:(?P<end_year>(?:19[7-9]|20|21)\d\d|[去今明后])年\s?)?(?P<end_month>{NUMBER})月(?:底|末)
  | (?:(?P<month_year>(?:19[7-9]|20|21)\d\d|[去今明后])年\s?)?(?P<month>{NUMBER})\ ?月(?:份|初|中旬|里)?(?![a-z0-9])
  | (?P<rel_day>大前|大后|前|昨|今|明|后)(?:天|日(?!期)|晚(?!上线))
  | (?P<weekday_way>{_WAY})?{_WEEK}(?P<weekday>[一二三四五六日天])(?![一二三四五六七八九十期])
  | (?P<weekend_way>{_WAY})?{_WEEK}末
  | (?P<week_way>{_WAY}){_WEEK}(?!期)
  | (?P<month_end_way>{_WAY})?月(?:底|末)(?!座)
  | (?P<month_way>{_WAY})月(?!份?[一二三四五六七八九十])
  | (?P<year_end>[今明本]?年)(?:底|末|终)(?!奖)
  | (?P<quarter>[一二三四1-4])季度 | q(?P<quarter_letter>[1-4])(?![a-z0-9])
  | (?P<later>{NUMBER})\ ?个?(?P<later_unit>天|日|周|星期|礼拜|月|年)(?:之?后|以后|过后|内|之内|以内)
  | (?P<ago>{NUMBER})\ ?个?(?P<ago_unit>天|日|周|星期|礼拜|月|年)(?:之?前|以前)
  | (?P<year>(?:19[7-9]|20|21)\d\d)\ ?年(?!代)
  | (?P<rel_year>[前去今明后])年
  | (?<![\d.:/第一二三四五六七八九十])(?P<day_number>{NUMBER})\ ?[日号](?![楼线店位机院服库码房门桌])
"""


@cache
def pattern() -> re.Pattern[str]:
    """Every expression that `days` knows, as alternatives of one pattern."""
    return re.compile(_EXPRESSION, re.VERBOSE | re.IGNORECASE)


def days(found: re.Match[str], day: date, *, past: bool) -> Days | None:
    """The days that an expression means on a day; None where there are none. `past`: the last, not the next."""
    said = {name: text for name, text in found.groupdict().items() if text}
    match found.lastgroup:
        case "iso" | "day_of":
            return _date(said, day, past=past)
        case "end_month":
            ends = _month(said["end_month"], said.get("end_year"), day, past=past)
            return one(ends[1]) if ends else None
        case "month":
            return _month(said["month"], said.get("month_year"), day, past=past)
        case "rel_day":
            return days_from(day, _DAYS[said["rel_day"]])
        case "later_unit":
            return moved(said["later_unit"], number_of(said["later"]), day)
        case "ago_unit":
            return moved(said["ago_unit"], -number_of(said["ago"]), day)
        case "year" | "rel_year":
            return _whole_year(said, day)
        case "day_number":
            return day_of_month(day, number_of(said["day_number"]), past=past)
        case "quarter" | "quarter_letter":
            number = number_of(said.get("quarter") or said["quarter_letter"])
            return named_quarter(day, number, past=past)
    return _week_or_month(found.group(), said, day, past=past)


def _date(said: dict[str, str], day: date, *, past: bool) -> Days | None:
    if "iso" in said:
        year, number, of_month = map(int, re.split("[-/]", said["iso"]))
        return named_day(day, number, of_month, past=past, year=year)
    month_number, of_month = number_of(said["month_day"]), number_of(said["day_of"])
    return named_day(day, month_number, of_month, past=past, year=_year(said.get("full_year"), day))


def _week_or_month(text: str, said: dict[str, str], day: date, *, past: bool) -> Days | None:
    if "weekday" in said:
        which = "一二三四五六日".find(said["weekday"].replace("天", "日"))
        if "weekday_way" in said:
            return weekday(day, which, _way(said["weekday_way"]))
        return days_from(day, -((day.weekday() - which) % 7)) if past else weekday(day, which)
    if text.endswith("末") and not text.endswith(("月末", "年末")):
        return weekend(day, _way(said.get("weekend_way")))
    if "week_way" in said:
        return week(day, _way(said["week_way"]))
    if "month_way" in said:
        return month(day, _way(said["month_way"]))
    if "year_end" in said:
        return one(year_of(day, _YEARS.get(said["year_end"][0], 0))[1])
    return one(month(day, _way(said.get("month_end_way")))[1])


def number_of(text: str) -> int:
    """A number up to 99 in Chinese numerals, or any in digits; 0 where it is none."""
    if text.isascii() and text.isdigit():
        return int(text)
    tens, ten, ones = text.partition("十")
    if not ten:
        return _DIGITS.get(text, 0)
    return _DIGITS.get(tens, 1) * 10 + _DIGITS.get(ones, 0)


def _way(text: str | None) -> int:
    return _WAYS[text.removesuffix("个")] if text else 0


def _year(text: str | None, day: date) -> int | None:
    if not text:
        return None
    if text[0] in _YEARS:
        return day.year + _YEARS[text[0]]
    digits = "".join(str(_DIGITS.get(digit, digit)) for digit in text)
    return int(digits) if digits.isdigit() and FIRST_YEAR <= int(digits) <= LAST_YEAR else None


def _month(number: str, year: str | None, day: date, *, past: bool) -> Days | None:
    if not 1 <= number_of(number) <= 12:
        return None
    return named_month(day, number_of(number), past=past, year=_year(year, day))


def _whole_year(said: dict[str, str], day: date) -> Days:
    if "year" in said:
        return date(int(said["year"]), 1, 1), date(int(said["year"]), 12, 31)
    return year_of(day, _YEARS[said["rel_year"]])


def moved(unit: str, count: int, day: date) -> Days:
    """The day so many days, weeks, months or years (天, 周, 月, 年) later, or earlier."""
    if unit in ("天", "日"):
        return days_from(day, count)
    if unit in ("周", "星期", "礼拜"):
        return days_from(day, count * 7)
    return months_later(day, max(min(count * (12 if unit == "年" else 1), 1200), -1200))
