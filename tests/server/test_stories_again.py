"""The stories of what is so again, of one employer left for another in one breath, and of what was not so but this."""

from __future__ import annotations

import pytest

from .stories import Story


@pytest.mark.parametrize(
    "told",
    [
        ("I use Vim.", "I no longer use Vim.", "I'm using Vim again."),
        ("I use Vim.", "I use Zed.", "I went back to Vim."),
        ("I live in Berlin.", "I live in Paris.", "I'm back in Berlin."),
        ("I work at Acme.", "I work at Globex.", "I'm back at Acme."),
        ("我用 Vim。", "我不用 Vim 了。", "我又用回 Vim 了。"),
        ("我用 Vim。", "我不用 Vim 了。", "我又用 Vim 了。"),
        ("我用 Vim。", "我改用 Zed 了。", "我又开始用 Vim 了。"),
        ("我在阿里工作。", "我离开阿里了。", "我又回阿里了。"),
        ("我在阿里工作。", "我在腾讯工作。", "我又回到阿里上班了。"),
    ],
)
def test_what_is_so_again_is_current_again(story: Story, told: tuple[str, str, str]) -> None:
    first, between, again = told
    story.on("2026-03-02").says(first)
    story.on("2026-05-02").says(between)
    (then,) = story.lists()
    story.on("2026-07-02").says(again)
    (now,) = story.lists()
    assert now != then
    assert next(name for name in ("Vim", "Berlin", "Acme", "阿里") if name in first) in now
    assert story.lists(as_of="2026-06-02") == [then]


@pytest.mark.parametrize(
    ("first", "then", "now"),
    [
        ("I work at Acme.", "I left Acme, I'm at Globex now.", "I'm at Globex"),
        ("I work at Acme.", "I left Acme and joined Globex.", "I joined Globex"),
        ("I work at Acme.", "I got a new job at Globex.", "I got a new job at Globex"),
        ("I work at Acme.", "I started at Globex.", "I started at Globex"),
        ("我们用 Jira。", "我们从 Jira 换到 Linear 了。", "我们从 Jira 换到 Linear"),
        ("团队用 Jira。", "团队把 Jira 换成 Linear 了。", "团队把 Jira 换成 Linear"),
        ("My manager is Zorvanna.", "Sorry, I meant Kemble.", "My manager is Kemble"),
        ("我的经理是李雷。", "说错了，是韩梅梅。", "我的经理是韩梅梅"),
        ("My manager is Ana.", "My manager is not Ana but Bob.", "My manager is not Ana but Bob"),
        ("我的经理是李雷。", "我的经理不是李雷而是韩梅梅。", "我的经理不是李雷而是韩梅梅"),
        ("My favourite colour is blue.", "My favourite colour is not blue but green.",
         "My favourite colour is not blue but green"),
        ("我最喜欢的颜色是蓝色。", "我最喜欢的颜色不是蓝色而是绿色。", "我最喜欢的颜色不是蓝色而是绿色"),
    ],
)  # fmt: skip
def test_the_one_that_follows_is_the_one_that_stands(story: Story, first: str, then: str, now: str) -> None:
    story.on("2026-03-02").says(first)
    before = story.lists()
    story.on("2026-05-02").says(then)
    assert len(before) == 1
    assert story.lists() == [now]


@pytest.mark.parametrize(
    "words",
    [
        "I'm not allergic to milk",
        "My favorite language is not Rust but Go",
        "I'm back at Acme",
        "我对牛奶不过敏",
        "我对猫毛过敏",
        "我在支付团队工作",
        "我最喜欢的语言不是 Rust 而是 Go",
    ],
)
def test_what_is_kept_is_not_cut(story: Story, words: str) -> None:
    end = "." if words.isascii() else "。"
    story.on("2026-03-02").says(words + end)
    assert story.lists() == [words]


@pytest.mark.parametrize(
    ("first", "then"),
    [
        ("I live in Paris.", "I'm back in Berlin for a week."),
        ("I work at Acme.", "I'm back at my desk."),
        ("I work at Acme.", "I'm at Globex now?"),
        ("I use Zed.", "I went back to the previous version."),
        ("我在阿里工作。", "我又回公司了。"),
        ("我用 Zed。", "我又用 Vim 打开了一遍。"),
        ("My manager is Zorvanna.", "Sorry, I meant the second one."),
        ("My manager is Zorvanna.", "Sorry, I meant 8080."),
        ("我的经理是李雷。", "说错了，是第二个。"),
    ],
)
def test_what_only_looks_like_it_changes_nothing(story: Story, first: str, then: str) -> None:
    story.on("2026-03-02").says(first)
    before = story.lists()
    story.on("2026-05-02").says(then)
    assert story.lists() == before != []
