"""What a clause says has become of a plan, in both languages, and which plan it is about."""

from __future__ import annotations

import pytest
from backstory.pipelines.extract.plan_words import about, is_moved, outcome, speaks_of


@pytest.mark.parametrize(
    ("clause", "became", "sort", "names"),
    [
        ("The meeting with Anna is cancelled", "off", "meet", ("Anna",)),
        ("I cancelled the meeting with Anna", "off", "meet", ("Anna",)),
        ("I'm not going to Berlin after all", "off", "go", ("Berlin",)),
        ("We won't be meeting Anna", "off", "meet", ("Anna",)),
        ("I met Anna", "over", "meet", ("Anna",)),
        ("I'm back from Berlin", "over", "go", ("Berlin",)),
        ("The demo went well", "over", "talk", ()),
        ("取消了跟安娜的会", "off", "meet", ("安娜",)),
        ("柏林不去了", "off", "go", ("柏林",)),
        ("不跟安娜开会了", "off", "meet", ("安娜",)),
        ("去不了柏林了", "off", "go", ("柏林",)),
        ("跟安娜见过面了", "over", "meet", ("安娜",)),
        ("从柏林回来了", "over", "go", ("柏林",)),
        ("演示取消了", "off", "talk", ()),
    ],
)
def test_what_has_become_of_a_plan(clause: str, became: str, sort: str, names: tuple[str, ...]) -> None:
    found = outcome(clause)
    assert found is not None
    assert (found.became, found.sort, found.names) == (became, sort, names)


@pytest.mark.parametrize(
    "clause",
    [
        "The light is off", "Retry is off", "The job is done", "cancel the meeting with Anna",
        "The meeting is on Friday", "We cancelled the order", "订单取消了", "去掉了", "取消按钮不见了", "跟安娜开会",
    ],
)  # fmt: skip
def test_what_is_no_plans_end(clause: str) -> None:
    assert outcome(clause) is None


@pytest.mark.parametrize(
    ("plan", "what", "is_it"),
    [
        ("I'm meeting Anna on Friday (2026-03-06)", "the meeting with Anna", True),
        ("I'm meeting Anna on Friday (2026-03-06)", "the meeting with Ann", False),
        ("I'm meeting Anna on Friday (2026-03-06)", "the call with Anna", False),
        ("I'm meeting Anna on Friday (2026-03-06)", "the meeting", False),
        ("I'm flying to Berlin next Tuesday", "the trip to Berlin", True),
        ("The demo is on Friday (2026-03-06)", "the demo", True),
        ("周五我要跟安娜开会（2026-03-06）", "跟安娜的会", True),
        ("周五我要跟安娜开会（2026-03-06）", "跟安娜的饭局", False),
        ("周五我要跟安娜开会（2026-03-06）", "会", False),
        ("下周二我要去柏林出差", "柏林之行", True),
    ],
)
def test_a_plan_is_meant_by_its_sort_and_every_name(plan: str, what: str, is_it: bool) -> None:
    assert speaks_of(plan, about(what)) is is_it


def test_what_is_put_off_says_so() -> None:
    assert all(
        map(is_moved, ("moved to Monday", "I'm meeting Anna on Monday instead", "改到周一", "推迟到下周"))
    )
    assert not any(map(is_moved, ("I'm meeting Anna on Monday", "周一跟安娜开会")))
