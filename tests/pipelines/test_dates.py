"""Dates in English and Chinese, resolved from a day."""

from __future__ import annotations

from datetime import UTC, date, datetime
from itertools import pairwise

import pytest
from backstory.pipelines.extract import calendars
from backstory.pipelines.extract.chat_rules import drafts
from backstory.pipelines.extract.dates import periods
from backstory.pipelines.extract.dates_chinese import number_of
from hypothesis import given
from hypothesis import strategies as st

WEDNESDAY = date(2026, 3, 11)


def days(text: str, today: date = WEDNESDAY, *, past: bool = False) -> list[str]:
    return [
        str(period.first) if period.first == period.last else f"{period.first}/{period.last}"
        for period in periods(text, today, past=past)
    ]


@pytest.mark.parametrize(
    ("english", "chinese", "expected"),
    [
        ("today", "今天", "2026-03-11"),
        ("tomorrow", "明天", "2026-03-12"),
        ("the day after tomorrow", "后天", "2026-03-13"),
        ("on Friday", "周五", "2026-03-13"),
        ("on Wednesday", "星期三", "2026-03-11"),
        ("on Monday", "礼拜一", "2026-03-16"),
        ("next Tuesday", "下周二", "2026-03-17"),
        ("this week", "本周", "2026-03-09/2026-03-15"),
        ("next week", "下周", "2026-03-16/2026-03-22"),
        ("this weekend", "周末", "2026-03-14/2026-03-15"),
        ("next month", "下个月", "2026-04-01/2026-04-30"),
        ("end of the month", "月底", "2026-03-31"),
        ("end of next month", "下月底", "2026-04-30"),
        ("end of the year", "年底", "2026-12-31"),
        ("in three days", "三天后", "2026-03-14"),
        ("in two weeks", "两周后", "2026-03-25"),
        ("March 20th", "3月20号", "2026-03-20"),
        ("March 5", "三月五日", "2027-03-05"),
        ("April 1 2027", "2027年4月1日", "2027-04-01"),
        ("2026-04-01", "2026-04-01", "2026-04-01"),
        ("Q2", "二季度", "2026-04-01/2026-06-30"),
        ("in May", "五月", "2026-05-01/2026-05-31"),
    ],
)
def test_a_date_to_come(english: str, chinese: str, expected: str) -> None:
    assert days(english) == [expected]
    assert days(f"{chinese}要") == [expected]


@pytest.mark.parametrize(
    ("english", "chinese", "expected"),
    [
        ("since May", "五月起", "2025-05-01/2025-05-31"),
        ("since March", "三月起", "2026-03-01/2026-03-31"),
        ("last week", "上周", "2026-03-02/2026-03-08"),
        ("last month", "上个月", "2026-02-01/2026-02-28"),
        ("since 2024", "2024年起", "2024-01-01/2024-12-31"),
        ("two years ago", "两年前", "2024-03-11"),
        ("on Friday", "周五", "2026-03-06"),
    ],
)
def test_a_date_that_has_been(english: str, chinese: str, expected: str) -> None:
    assert days(english, past=True) == [expected]
    assert days(f"从{chinese}", past=True) == [expected]


@pytest.mark.parametrize(
    "text",
    [
        "every Monday", "each Friday", "every other Tuesday", "Mondays", "every week on Friday", "on Monday each week",
        "每周一", "每个周五", "每月5号", "每个月五号", "每年3月1日", "逢周三",
    ],
)  # fmt: skip
def test_what_comes_back_is_no_date(text: str) -> None:
    assert days(text) == []


def test_the_ends_of_months_and_leap_days() -> None:
    assert days("in one month", date(2026, 1, 31)) == ["2026-02-28"]
    assert days("一个月后", date(2028, 1, 31)) == ["2028-02-29"]
    assert days("end of the month", date(2028, 2, 10)) == ["2028-02-29"]
    assert days("2月29日") == ["2028-02-29"]
    assert days("February 29", date(2096, 3, 1)) == ["2104-02-29"]
    assert days("31号", date(2026, 4, 2)) == ["2026-05-31"]
    assert days("next week", date(2026, 12, 30)) == ["2027-01-04/2027-01-10"]


def test_a_day_that_does_not_exist_is_none() -> None:
    for text in ("2026-02-30", "2月30日", "February 31", "13月1日", "99号", "2026年13月1日"):
        assert days(text) == [] or "2026-02-30" not in days(text), text
    assert days("2026-02-30") == days("2月30日") == days("99号") == []


def test_a_range_does_not_end_before_it_begins() -> None:
    assert days("from Friday to Tuesday") == ["2026-03-13", "2026-03-17"]
    assert days("下下周一到周五") == ["2026-03-23", "2026-03-27"]
    assert days("from tomorrow until the end of the month") == ["2026-03-12", "2026-03-31"]


@pytest.mark.parametrize(
    "text",
    ["I may go", "12号楼", "一号线", "日期", "version 2026.1", "周期", "the second", "3/5", "每月", "星期几"],
)
def test_what_only_looks_like_a_date_is_none(text: str) -> None:
    assert days(text) == []


@pytest.mark.parametrize(
    ("text", "number"),
    [("三", 3), ("十", 10), ("十二", 12), ("二十", 20), ("三十一", 31), ("两", 2), ("07", 7), ("廿", 0)],
)
def test_chinese_numerals(text: str, number: int) -> None:
    assert number_of(text) == number


@pytest.mark.parametrize(
    ("zone_h", "expires"),
    [(8, "2026-03-11T16:00"), (0, "2026-03-12T00:00"), (-8, "2026-03-12T08:00"), (5.5, "2026-03-11T18:30")],
)
def test_a_plan_expires_when_its_day_is_over_where_the_user_is(zone_h: float, expires: str) -> None:
    at = int(datetime(2026, 3, 11, 12, tzinfo=UTC).timestamp()) * 1_000_000
    (draft,) = drafts("The demo is today.", at=at, utc_offset_s=int(zone_h * 3600))
    assert draft.expires_at == int(datetime.fromisoformat(expires + "+00:00").timestamp()) * 1_000_000


def test_the_day_is_the_users_and_not_that_of_utc() -> None:
    at = int(datetime(2026, 3, 11, 23, tzinfo=UTC).timestamp()) * 1_000_000
    east, west = (
        drafts("The demo is tomorrow.", at=at, utc_offset_s=hours * 3600)[0].text for hours in (9, -9)
    )
    assert (east, west) == ("The demo is tomorrow (2026-03-13)", "The demo is tomorrow (2026-03-12)")


def test_a_plan_that_is_past_is_none() -> None:
    at = int(datetime(2026, 3, 11, 12, tzinfo=UTC).timestamp()) * 1_000_000
    assert drafts("The demo was yesterday. 昨天要演示", at=at, utc_offset_s=0) == ()


@given(
    st.text(alphabet="0123456789 -/年月日号周下个上一二十底末MarchFridynextQ到"),
    st.dates(date(1970, 1, 1), date(2199, 12, 31)),
)
def test_any_text_names_periods_in_order(text: str, today: date) -> None:
    for past in (True, False):
        found = periods(text, today, past=past)
        assert all(period.first <= period.last for period in found)
        assert all(one.end <= other.start for one, other in pairwise(found))


@given(st.dates(date(1970, 1, 2), date(2199, 12, 30)), st.integers(-14 * 3600, 14 * 3600))
def test_midnight_and_today_are_each_others_inverse(day: date, offset_s: int) -> None:
    at = calendars.midnight(day, offset_s)
    assert calendars.today(at, offset_s) == day
    assert (calendars.today(at - 1, offset_s) - day).days == -1
