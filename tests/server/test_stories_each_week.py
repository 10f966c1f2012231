"""The stories of what holds on a day of each week, in both languages: no plan for the next one."""

from __future__ import annotations

import json

import pytest

from .stories import Story


def plans(story: Story) -> list[str]:
    """What is planned, as it is listed."""
    given = json.loads(story.tool("memory_search", format="json", kind="intention"))
    return [one["text"] for one in given["memories"]]


@pytest.mark.parametrize(
    "rule",
    [
        "Don't deploy on Fridays.",
        "No deploys on Fridays.",
        "Do not merge on weekends.",
        "No releases to production on Fridays, please.",
        "Please don't deploy on Fridays because nobody is around.",
        "Don't ship on Fridays or weekends.",
        "No meetings on Wednesdays.",
        "周五不许发布。",
        "周五不能上线。",
        "周末禁止合并代码。",
        "星期五不准推代码",
        "周六周日不得上线",
        "团队规定周五不允许发版",
        "周五不许发布，以免周末没人处理",
        "我们周五发布。",
        "我们一般周五发版",
        "周一到周五都要写日报。",
        "工作日每天都要打卡",
    ],
)
def test_what_holds_each_week_has_no_end(story: Story, rule: str) -> None:
    story.on("2026-03-04").says(rule)  # a Wednesday
    told = story.lists()
    assert len(told) == 1
    assert plans(story) == []
    story.on("2026-09-20").idles()
    assert story.lists() == told


@pytest.mark.parametrize(
    "words",
    [
        "Don't deploy this Friday.",
        "Don't deploy on Friday, I'm out.",
        "Don't deploy on Fridays until Bob is back.",
        "Don't deploy on Fridays this month.",
        "Don't show the banner on weekends.",
        "Don't run the cron on Fridays.",
        "Why are there no deploys on Fridays?",
        "Add a check: no deploys on Fridays.",
        "周五要发布",
        "这周五不发布",
        "这周五不许发布",
        "下周五不能上线",
        "周五不能来",
        "周五不能上线了",
        "周五不能上线，测试还没过",
        "周五不许发布吗？",
        "我们这周五发布",
        "我们周五要发布",
        "我们周五发布，你抓紧",
        "周一到周五都要开会",
        "脚本周末禁止运行",
    ],
)
def test_what_is_said_of_one_day_or_of_a_program_does_not_last(story: Story, words: str) -> None:
    story.on("2026-03-04").says(words)
    assert story.lists() == plans(story)
    assert story.on("2026-09-20").lists() == []


@pytest.mark.parametrize(
    ("rule", "over"),
    [
        ("Don't deploy on Fridays.", "You can deploy on Fridays again."),
        ("No deploys on Fridays.", "You can deploy on Fridays now."),
        ("周五不许发布。", "以后周五可以发布了"),
        ("周末禁止合并代码。", "以后周末可以合并代码了"),
    ],
)
def test_what_holds_each_week_is_lifted(story: Story, rule: str, over: str) -> None:
    story.on("2026-03-04").says(rule)
    (before,) = story.lists()
    story.on("2026-04-02").says(over)
    (now,) = story.lists()
    assert now != before


@pytest.mark.parametrize(
    ("rule", "other"),
    [
        ("No deploys on Fridays.", "You can merge on Fridays again."),
        ("Don't deploy on Fridays.", "You can deploy on Mondays again."),
        ("周五不许发布。", "以后周四可以发布了"),
        ("周末禁止合并代码。", "以后周末可以提交代码了"),
        ("每周二发布。", "我们周五发布。"),
    ],
)
def test_what_is_said_of_another_day_or_deed_leaves_it(story: Story, rule: str, other: str) -> None:
    story.on("2026-03-04").says(rule)
    (before,) = story.lists()
    story.on("2026-04-02").says(other)
    assert before in story.lists()


@pytest.mark.parametrize(
    ("first", "then"),
    [
        ("周五允许发布", "周五不允许发布"),
        ("周五不允许发布", "周五允许发布"),
        ("周末允许发布", "周末不允许发布"),
        ("周五可以发布", "周五不可以发布"),
        ("周五允许加班", "周五禁止加班"),
        ("生产环境允许发布", "生产环境不允许发布"),
        ("Deploys are allowed on Fridays", "Deploys are not allowed on Fridays"),
    ],
)
def test_of_what_an_agent_says_to_be_allowed_each_week_the_newer_is_current(
    story: Story, first: str, then: str
) -> None:
    story.on("2026-03-04").adds(first)
    story.on("2026-04-02").adds(then)
    assert story.lists() == [then]
    assert story.lists(as_of="2026-03-10") == [first]


@pytest.mark.parametrize("then", ["周六不允许发布", "这周五不允许发布", "4月3日不允许发布"])
def test_what_an_agent_says_of_another_day_leaves_what_is_allowed(story: Story, then: str) -> None:
    story.on("2026-03-04").adds("周五允许发布")
    story.on("2026-03-30").adds(then)
    assert "周五允许发布" in story.lists()


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Anna's birthday is June 1.", "Bob's birthday is June 2."),
        ("My mother's birthday is on the 5th of March.", "My birthday is March 6."),
        ("王伟的生日是 6 月 1 号", "李娜的生日是六月二号"),
        ("我老婆的生日是五月二十日", "我的生日是 3 月 5 日"),
    ],
)
def test_each_birthday_stands_and_is_no_plan(story: Story, one: str, other: str) -> None:
    story.on("2026-03-04").says(one)
    story.says(other)
    assert plans(story) == []
    story.on("2027-09-20").idles()
    assert sorted(story.lists()) == sorted(said.rstrip(".") for said in (one, other))
