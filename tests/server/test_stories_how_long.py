"""How long something has been so is since when it is so; one thing left for another is what is used now."""

from __future__ import annotations

import pytest

from .stories import Story

# What is said on 2 March 2026, what is kept of it, and a day before it and one within.
SINCE = [
    ("I have lived in Paris for six months.", "I have lived in Paris", "2025-08-30", "2025-09-10"),
    ("I've been living in Berlin for two years.", "I've been living in Berlin", "2024-02-25", "2024-03-10"),
    ("I have worked at Google for three years.", "I have worked at Google", "2023-02-25", "2023-03-10"),
    ("I have been using Zed for two months.", "I have been using Zed", "2025-12-30", "2026-01-10"),
    ("我在杭州住了三年了。", "我在杭州", "2023-02-25", "2023-03-10"),
    ("我住在杭州三年了。", "我住在杭州", "2023-02-25", "2023-03-10"),
    ("我用 Vim 已经五年多了。", "我用 Vim", "2021-02-25", "2021-03-10"),
    ("I've used Postgres for about a year.", "I've used Postgres", "2025-02-25", "2025-03-10"),
    ("We have been using Jira for two years.", "We have been using Jira", "2024-02-25", "2024-03-10"),
    ("我们用 Jira 两年了。", "我们用 Jira", "2024-02-25", "2024-03-10"),
    ("I have been using Vim for twenty years.", "I have been using Vim", "2006-02-25", "2006-03-10"),
    ("我用 Vim 二十多年了。", "我用 Vim", "2006-02-25", "2006-03-10"),
    ("我在上海半年了。", "我在上海", "2025-08-30", "2025-09-10"),
]


@pytest.mark.parametrize(("words", "kept", "before", "within"), SINCE)
def test_it_is_so_since_then(story: Story, words: str, kept: str, before: str, within: str) -> None:
    story.on("2026-03-02").says(words)
    story.on("2026-04-02")
    assert story.lists() == [kept]
    assert [story.lists(as_of=day) for day in (before, within, "2026-03-10")] == [[], [kept], [kept]]


@pytest.mark.parametrize(
    ("words", "kept"),
    [
        ("I have been using Vim for many years.", "I have been using Vim"),
        ("I have been using Vim for 200 years.", "I have been using Vim"),
        ("我用 Vim 几十年了。", "我用 Vim"),
        ("我用 Vim 很多年了。", "我用 Vim"),
    ],
)
def test_so_many_years_that_nobody_counts_are_no_day(story: Story, words: str, kept: str) -> None:
    story.on("2026-03-02").says(words)
    story.on("2026-04-02")
    assert (story.lists(), story.lists(as_of="2026-03-01")) == ([kept], [])


@pytest.mark.parametrize(
    "words",
    [
        "I lived in Paris for six months.",
        "I have worked at Google.",
        "I've been at the office for two hours.",
        "I've been with Anna for ten years.",
        "I use Zed for two months.",
        "我在杭州住了三年。",
        "我在北京出差三天了。",
        "We used Trello for two years.",
        "I have used Postgres before.",
    ],
)
def test_what_was_so_for_so_long_or_in_passing_says_nothing_of_now(story: Story, words: str) -> None:
    story.on("2026-03-02").says(words)
    assert story.lists() == []


@pytest.mark.parametrize(
    ("before", "words", "kept"),
    [
        ("I live in Berlin.", "I have lived in Paris for six months.", "I have lived in Paris"),
        ("我住在北京。", "我在杭州住了一个月了。", "我在杭州"),
        ("我用 Vim。", "我用 Helix 好几年了。", "我用 Helix"),
        ("我用 Vim。", "我不用 Vim 三年了。", "我不用 Vim 三年了"),
        ("我在阿里上班。", "我离职三个月了。", "我离职三个月了"),
    ],
)
def test_it_is_news_of_what_is_so_now(story: Story, before: str, words: str, kept: str) -> None:
    story.on("2026-03-02").says(before)
    story.on("2026-04-02").says(words)
    assert story.lists() == [kept]


@pytest.mark.parametrize(
    ("before", "words"),
    [
        ("I use Vim.", "I dropped Vim for Helix."),
        ("I use Vim.", "I've ditched Vim in favor of Neovim."),
        ("We use npm.", "We gave up on npm for pnpm."),
        ("We use Jenkins.", "We replaced Jenkins with Buildkite."),
    ],
)
def test_one_thing_left_for_another_takes_its_place(story: Story, before: str, words: str) -> None:
    story.on("2026-03-02").says(before)
    story.on("2026-04-02").says(words)
    assert story.lists() == [words.rstrip(".")]
    assert story.lists(as_of="2026-03-10") == [before.rstrip(".")]


@pytest.mark.parametrize(
    "words",
    [
        "I replaced Vim with Zed in the README.",
        "I swapped Vim for Helix to test it.",
        "I replaced the loop with Helix calls.",
        "I dropped the table for Postgres.",
        "I almost dropped Vim for Helix.",
    ],
)
def test_an_edit_or_a_try_leaves_what_is_used(story: Story, words: str) -> None:
    story.on("2026-03-02").says("I use Vim.")
    story.on("2026-04-02").says(words)
    assert "I use Vim" in story.lists()


@pytest.mark.parametrize(
    ("order", "lift"),
    [
        ("No deploys on Fridays.", "Deploys on Fridays are allowed now."),
        ("Never deploy on Fridays.", "Deploys on Fridays are fine again."),
        ("Never push to main.", "Pushes to main are allowed now."),
        ("Never force-push to main.", "Force pushes to main are allowed again."),
    ],
)
def test_deeds_that_are_allowed_lift_the_order(story: Story, order: str, lift: str) -> None:
    story.on("2026-03-02").says(order)
    story.on("2026-04-02").says(lift)
    assert story.lists() == [lift.rstrip(".")]


@pytest.mark.parametrize(
    "words",
    [
        "Deploys on Fridays are fine today.",
        "Deploys on Fridays are allowed if Anna agrees.",
        "Deploys to staging on Fridays are allowed.",
        "Releases on Fridays are slow.",
    ],
)
def test_one_deed_or_another_lifts_nothing(story: Story, words: str) -> None:
    story.on("2026-03-02").says("No deploys on Fridays.")
    story.on("2026-04-02").says(words)
    assert "No deploys on Fridays" in story.lists()
