"""The stories of what is said of a day to come: it is not so until then, and what is so now stays until then."""

from __future__ import annotations

import pytest

from .stories import Story


@pytest.mark.parametrize(
    ("now_so", "then", "question", "how"),
    [
        ("The user lives in Hangzhou", "The user lives in Beijing", "where does the user live?", "at"),
        ("用户住在杭州", "用户住在北京", "用户住在哪里？", "at"),
        ("Deploys need two approvals", "Deploys need no approvals any more", "approvals of deploys", "alone"),
        ("I live in Hangzhou.", "From next month I live in Beijing.", "where do I live?", "said"),
        ("I work at Acme.", "As of next month I work at Globex.", "where do I work?", "said"),
        ("我住在杭州。", "下个月起我住在北京。", "我住在哪里？", "said"),
        ("我用 Vim。", "从下个月起，我用 Emacs。", "我用什么编辑器？", "said"),
        ("Always answer in English.", "From next month on, always answer in Chinese.", "language", "said"),
        (
            "The user lives in Hangzhou",
            "From next month the user lives in Beijing",
            "where does he live?",
            "added",
        ),
        ("用户住在杭州", "用户从下个月起住在北京", "用户住在哪里？", "added"),
    ],
)
def test_what_is_to_be_is_not_so_before(
    story: Story, now_so: str, then: str, question: str, how: str
) -> None:
    story.on("2026-03-02")
    if how == "said":
        story.says(now_so)
        story.on("2026-03-10").says(then)
    else:
        story.adds(now_so)
        day = {"memory_at": "2026-04-01"} if how in ("at", "alone") else {}
        story.on("2026-03-10").adds(then, **day)
    was, will = now_so.rstrip(".。"), then.rstrip(".。")
    story.on("2026-03-20").idles()
    assert story.lists() == [was]
    assert will not in story.finds(question)
    assert will in story.lists(as_of="2026-04-15")
    handed = story.hook("SessionStart", source="startup")
    assert will not in handed
    # The day comes; nobody says anything of it.
    story.on("2026-04-10").idles()
    assert story.lists() == ([will] if how != "alone" else [will, was])
    assert story.lists(as_of="2026-03-20") == [was]
    assert story.lists(known_as_of="2026-03-20") == [was]


@pytest.mark.parametrize(
    ("was", "will", "other"),
    [
        ("The user lives in Hangzhou", "The user lives in Beijing", "The user lives in Suzhou"),
        ("用户住在杭州", "用户住在北京", "用户住在苏州"),
    ],
    ids=["en", "zh"],
)
def test_news_before_that_day_hold_until_it(story: Story, was: str, will: str, other: str) -> None:
    story.on("2026-03-02").adds(was)
    story.on("2026-03-10").adds(will, memory_at="2026-05-01")
    story.on("2026-04-01").adds(other)
    assert story.lists() == [other]
    assert story.on("2026-05-02").lists() == [will]
    asked = [story.lists(as_of=day) for day in ("2026-03-20", "2026-04-20", "2026-05-02")]
    assert asked == [[was], [other], [will]]


@pytest.mark.parametrize(
    ("text", "again"),
    [
        ("Deploys need 3 approvals.", "Deploys need three approvals."),
        ("Deploys need 3 approvals.", "Deploys need 3 approvals."),
        ("上线需要三个人审批。", "上线需要 3 个人审批。"),
    ],
)
def test_what_is_so_sooner_than_was_said_is_so_from_then(story: Story, text: str, again: str) -> None:
    story.on("2026-03-02").adds(text, memory_at="2026-05-01")
    assert story.lists() == []
    story.on("2026-04-01").adds(again)
    assert story.on("2026-04-02").lists() == [again]
    assert story.lists(as_of="2026-03-20") == []


@pytest.mark.parametrize(
    ("was", "will", "left"),
    [
        ("I live in Hangzhou.", "From next month I live in Beijing.", "I no longer live in Hangzhou."),
        ("我用 Vim。", "从下个月起，我用 Emacs。", "我不再用 Vim 了。"),
    ],
    ids=["en", "zh"],
)
def test_what_is_left_before_that_day_is_left(story: Story, was: str, will: str, left: str) -> None:
    story.on("2026-03-02").says(was)
    story.on("2026-03-10").says(will)
    story.on("2026-03-20").says(left)
    held = story.on("2026-03-21").lists()
    assert was.rstrip(".。") not in held
    assert story.on("2026-04-02").lists() == [will.rstrip(".。")]
