"""Days, weeks, months and years as pairs of dates: first and last day, both within. Weeks begin on Monday."""

from __future__ import annotations

import calendar
from datetime import UTC, date, datetime, timedelta, timezone

Days = tuple[date, date]

_DAY_S, _SECOND_US = 86_400, 1_000_000
_EPOCH = date(1970, 1, 1)
# Outside these a number is no year, or arithmetic would leave the calendar.
FIRST_YEAR, LAST_YEAR = 1970, 2199


def today(at: int, utc_offset_s: int) -> date:
    """The local day at an instant; `ValueError` outside the years that are told of."""
    seconds = at // _SECOND_US + utc_offset_s
    day = _EPOCH + timedelta(days=max(min(seconds // _DAY_S, 100_000), -1))
    if not FIRST_YEAR <= day.year <= LAST_YEAR:
        raise ValueError(f"{at} is no instant between {FIRST_YEAR} and {LAST_YEAR}.")
    return day


def midnight(day: date, utc_offset_s: int) -> int:
    """The instant at which a local day begins, in UTC microseconds."""
    zone = timezone(timedelta(seconds=utc_offset_s)) if utc_offset_s else UTC
    return int(datetime(day.year, day.month, day.day, tzinfo=zone).timestamp()) * _SECOND_US


def after(day: date, utc_offset_s: int) -> int:
    """The instant at which a local day is over, in UTC microseconds."""
    return midnight(day + timedelta(days=1), utc_offset_s)


def one(day: date) -> Days:
    """One day."""
    return day, day


def days_from(day: date, count: int) -> Days:
    """The day so many days later, or earlier."""
    return one(day + timedelta(days=count))


def week(day: date, count: int = 0) -> Days:
    """The week of a day, or the one so many weeks later."""
    monday = day - timedelta(days=day.weekday()) + timedelta(weeks=count)
    return monday, monday + timedelta(days=6)


def weekend(day: date, count: int = 0) -> Days:
    """Saturday and Sunday of the week of a day, or of one so many weeks later."""
    monday, sunday = week(day, count)
    return monday + timedelta(days=5), sunday


def weekday(day: date, which: int, count: int | None = None) -> Days:
    """
    A day of the week, 0 for Monday: of the week `count` weeks from now; without, the next to come, today
    among them.
    """
    if count is None:
        return days_from(day, (which - day.weekday()) % 7)
    return days_from(week(day, count)[0], which)


def month(day: date, count: int = 0) -> Days:
    """The month of a day, or the one so many months later."""
    index = day.year * 12 + day.month - 1 + count
    return whole_month(index // 12, index % 12 + 1)


def whole_month(year: int, number: int) -> Days:
    """A month by year and number."""
    return date(year, number, 1), date(year, number, calendar.monthrange(year, number)[1])


def quarter(year: int, number: int) -> Days:
    """A quarter of a year, 1 to 4."""
    return date(year, number * 3 - 2, 1), whole_month(year, number * 3)[1]


def named_quarter(day: date, number: int, *, past: bool) -> Days:
    """A quarter by its number: the nearest to come, or the nearest that began."""
    found = quarter(day.year, number)
    if past:
        return quarter(day.year - 1, number) if found[0] > day else found
    return quarter(day.year + 1, number) if found[1] < day else found


def year_of(day: date, count: int = 0) -> Days:
    """The year of a day, or the one so many years later."""
    return date(day.year + count, 1, 1), date(day.year + count, 12, 31)


def months_later(day: date, count: int) -> Days:
    """The same day so many months later, or the last of that month where it has no such day."""
    first, last = month(day, count)
    return one(min(first + timedelta(days=day.day - 1), last))


def named_month(day: date, number: int, *, past: bool, year: int | None = None) -> Days:
    """A month by its number: of the year that is said, else the nearest to come, or the nearest that began."""
    if year is not None:
        return whole_month(year, number)
    if past:
        return whole_month(day.year - (number > day.month), number)
    return whole_month(day.year + (number < day.month), number)


def named_day(day: date, number: int, of_month: int, *, past: bool, year: int | None = None) -> Days | None:
    """A day by month and number, in the direction that is asked for; None where there is no such day."""
    if year is not None:
        return _day(year, number, of_month)
    # Eight years hold a leap day even around the turn of a century.
    for step in range(9):
        found = _day(day.year + (-step if past else step), number, of_month)
        if found and ((found[0] <= day) if past else (found[0] >= day)):
            return found
    return None


def day_of_month(day: date, of_month: int, *, past: bool) -> Days | None:
    """The nearest such day of a month that is to come, or that has been; today is both."""
    for step in range(4):
        first, last = month(day, -step if past else step)
        if 1 <= of_month <= last.day:
            found = first.replace(day=of_month)
            if (found <= day) if past else (found >= day):
                return one(found)
    return None


def _day(year: int, number: int, of_month: int) -> Days | None:
    if not FIRST_YEAR <= year <= LAST_YEAR:
        return None
    try:
        return one(date(year, number, of_month))
    except ValueError:
        return None
