"""Dates and spans, read in the user's own zone."""

import contextlib
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest
from backstory.server import instants
from backstory.store.errors import BadInput
from hypothesis import given
from hypothesis import strategies as st

SHANGHAI = ZoneInfo("Asia/Shanghai")
BERLIN = ZoneInfo("Europe/Berlin")
# Half past midnight in Shanghai, still the day before in UTC.
NOW = datetime(2026, 3, 10, 0, 30, tzinfo=SHANGHAI)


def micros(moment: datetime) -> int:
    return int(moment.timestamp()) * 1_000_000 + moment.microsecond


def read(text: str, reading: instants.Reading = "start", zone: ZoneInfo = SHANGHAI) -> datetime:
    at = instants.parse(text, reading, now_at=micros(NOW), zone=zone)
    return datetime.fromtimestamp(at // 1_000_000, zone).replace(microsecond=at % 1_000_000)


def test_a_date_is_its_first_moment_and_as_an_end_its_last() -> None:
    assert read("2026-05-01") == datetime(2026, 5, 1, tzinfo=SHANGHAI)
    assert read("2026-05-01", "end") == datetime(2026, 5, 1, 23, 59, 59, 999_999, tzinfo=SHANGHAI)
    assert read(" 2026-05-01 ", "ahead") == datetime(2026, 5, 1, 23, 59, 59, 999_999, tzinfo=SHANGHAI)


def test_a_time_without_zone_is_the_users_and_one_with_zone_is_its_own() -> None:
    assert read("2026-05-01T10:00") == datetime(2026, 5, 1, 10, tzinfo=SHANGHAI)
    assert read("2026-05-01 10:00:30") == datetime(2026, 5, 1, 10, 0, 30, tzinfo=SHANGHAI)
    assert read("2026-05-01T10:00Z", "end") == datetime(2026, 5, 1, 10, tzinfo=UTC)
    assert read("2026-05-01T10:00+02:00") == datetime(2026, 5, 1, 8, tzinfo=UTC)


def test_days_by_name_are_days_of_the_users_zone() -> None:
    for word in ("yesterday", "昨天", "Yesterday"):
        assert read(word) == datetime(2026, 3, 9, tzinfo=SHANGHAI)
    assert read("today") == datetime(2026, 3, 10, tzinfo=SHANGHAI)
    assert read("前天") == datetime(2026, 3, 8, tzinfo=SHANGHAI)
    assert read("明天", "ahead") == datetime(2026, 3, 11, 23, 59, 59, 999_999, tzinfo=SHANGHAI)
    assert read("now") == NOW


def test_a_day_on_which_the_clocks_change_has_its_own_length() -> None:
    start, end = (read("2026-03-29", reading, BERLIN) for reading in ("start", "end"))
    assert micros(end) - micros(start) + 1 == 23 * 3_600_000_000


def test_a_span_counts_back_or_ahead() -> None:
    assert micros(NOW) - micros(read("7d")) == 7 * 86_400_000_000
    assert micros(read("12 h", "ahead")) - micros(NOW) == 12 * 3_600_000_000
    assert micros(read("+2w", "ahead")) - micros(NOW) == 14 * 86_400_000_000


@pytest.mark.parametrize("text", ["", "soon", "2026-13-01", "2026-02-30", "7y", "9999-12-31", "昨", "-7d"])
def test_what_names_no_moment_is_refused_with_examples(text: str) -> None:
    with pytest.raises(BadInput, match="write 2026-05-01"):
        instants.parse(text, "end", now_at=micros(NOW), zone=SHANGHAI)


@given(st.text())
def test_any_text_is_a_moment_or_a_refusal(text: str) -> None:
    with contextlib.suppress(BadInput):
        assert isinstance(instants.parse(text, now_at=micros(NOW)), int)
