"""The stories of what is said of one place, time or purpose: another one's value leaves it alone, its own does not."""

from __future__ import annotations

import pytest

from .stories import Story


def told(story: Story, day: str, words: str) -> None:
    """The user says it; or an agent adds it, which speaks of "the user"."""
    story.on(day)
    if "user" in words.casefold() or "用户" in words or not words.endswith((".", "。")):
        story.adds(words)
    else:
        story.says(words)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("I prefer Postgres for analytics.", "I prefer MySQL for web apps."),
        ("I use macOS at home.", "I use Linux at work."),
        ("At home I use macOS.", "At work, I use Linux."),
        ("My work laptop is a MacBook.", "My home laptop is a ThinkPad."),
        ("I prefer dark mode when coding.", "I prefer light mode when reading."),
        ("We decided on Postgres for the billing service.", "We decided on MySQL for the blog."),
        ("Always answer in English in code reviews.", "Always answer in Chinese in chat."),
        ("I use Linux at work.", "I use macOS."),
        ("I use macOS.", "I use Linux at work."),
        ("We use Postgres in production.", "We use SQLite in tests."),
        ("On my Mac I use iTerm2.", "On Windows I use Windows Terminal."),
        ("When I write Go I use GoLand.", "When I write Python I use PyCharm."),
        ("User prefers tabs for indentation", "User prefers spaces for alignment"),
        ("User uses Jira with clients", "User uses Linear with the team"),
        ("User prefers light mode outdoors", "User prefers dark mode indoors"),
        ("User wants short answers for simple questions", "User wants detailed answers for design questions"),
        ("Always answer in English to clients", "Always answer in Chinese to the team"),
        ("我们线上用 Postgres。", "我们测试环境用 SQLite。"),
        ("用户写 Go 用 GoLand", "用户写 Python 用 PyCharm"),
        ("用户玩游戏用 Windows", "用户用 Linux"),
        ("以后跟客户都用英文沟通。", "以后跟同事都用中文沟通。"),
        ("User lives in Berlin in summer", "User lives in Lisbon in winter"),
        ("User lives in Berlin", "User lives in Lisbon in winter"),
        ("User uses Chrome for testing", "User uses Firefox for browsing"),
        ("User uses Linux on weekdays", "User uses macOS on weekends"),
        ("User prefers dark mode in VS Code", "User prefers light mode in Slack"),
        ("User prefers vim keybindings in the IDE", "User prefers emacs keybindings in the shell"),
        ("User's time zone is UTC+1 in winter", "User's time zone is UTC+2 in summer"),
        ("At home the user uses macOS", "At work, the user uses Linux"),
        ("Answer in English in code reviews", "Answer in Chinese in chat"),
        ("我在家用 Mac。", "我在公司用 Windows。"),
        ("在家我用 Mac。", "在公司，我用 Windows。"),
        ("我公司的电脑是 Mac。", "我家里的电脑是 Windows。"),
        ("我工作日用 Windows。", "我周末用 Mac。"),
        ("我晚上喜欢深色模式。", "我白天喜欢浅色模式。"),
        ("我夏天住在柏林。", "我冬天住在里斯本。"),
        ("我写后端喜欢用 Vim。", "我写脚本喜欢用 Emacs。"),
        ("我用 Vim 写后端。", "我用 VS Code 写前端。"),
        ("我在 VS Code 里喜欢深色模式。", "我在 Slack 里喜欢浅色模式。"),
        ("以后代码评审都用英文回答我。", "以后聊天都用中文回答我。"),
        ("我在公司用 Windows。", "我用 Mac。"),
        ("用户在家用 Mac", "用户在公司用 Windows"),
        ("用户写后端喜欢用 Go", "用户写脚本喜欢用 Python"),
        ("在家用户用 Mac", "工作日用户用 Windows"),
        ("I use macOS at home.", "I no longer use Windows."),
        ("I use macOS at home.", "I no longer use macOS at work."),
    ],
)
def test_what_holds_within_other_limits_stays(story: Story, one: str, other: str) -> None:
    told(story, "2026-03-02", one)
    told(story, "2026-05-02", other)
    shown = sorted(text.rstrip(".。") for text in (one, other))
    held = sorted(text for text in story.on("2026-06-01").lists())
    assert len(held) == 2, held
    assert [text.split(" no longer")[0] for text in held] == [text.split(" no longer")[0] for text in shown]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("I prefer Postgres for analytics.", "I prefer MySQL for analytics."),
        ("I use macOS at home.", "At home I use Linux."),
        ("User lives in Berlin in summer", "User lives in Lisbon in summer"),
        ("User prefers dark mode in VS Code", "User prefers light mode in VS Code"),
        ("Always answer in English in code reviews.", "Always answer in Chinese in code reviews."),
        ("我在家用 Mac。", "At home I use Windows."),
        ("At work I use Linux.", "我在公司用 Windows。"),
        ("用户在家用 Mac", "用户在家用 Windows"),
        ("我晚上喜欢深色模式。", "我晚上喜欢浅色模式。"),
        ("User prefers Vim over Emacs", "User prefers Emacs over Vim"),
        ("我平时用 Vim。", "我平时用 Emacs。"),
        ("I prefer dark mode in general.", "I prefer light mode."),
        ("用户在公司用 Mac", "用户工作时用 Windows"),
        ("I prefer Postgres for its extensions.", "I prefer MySQL."),
        ("I've been using Vim for years.", "I switched to Emacs."),
        ("I live in Berlin for now.", "I live in Lisbon."),
        ("Please respond in German from now on.", "Please respond in English from now on."),
        ("我用 Vim 写代码。", "我用 Emacs 写代码。"),
        ("I prefer Postgres for analytics.", "I prefer MySQL for everything now."),
        ("我在公司用 Windows。", "我到处都用 Mac。"),
        ("I use macOS at home.", "I no longer use macOS."),
        ("User uses Linux on weekdays", "User uses macOS everywhere"),
    ],
)
def test_another_value_within_the_same_limits_is_the_current_one(story: Story, one: str, other: str) -> None:
    told(story, "2026-03-02", one)
    told(story, "2026-05-02", other)
    held = story.on("2026-06-01").lists()
    assert len(held) == 1, held
    assert one.rstrip(".。") not in held
    assert len(story.lists(as_of="2026-04-01")) == 1
