"""A plain sentence that an agent keeps is read as the statement it makes, of the user, in either person."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from backstory.pipelines.extract.permissions import Permission, permission
from backstory.pipelines.extract.plain import statement
from backstory.store.ids import derived_ulid

# A Wednesday.
AT = int(datetime(2026, 8, 12, 2, tzinfo=UTC).timestamp()) * 1_000_000
MAY = int(datetime(2026, 5, 1, tzinfo=UTC).timestamp()) * 1_000_000


@pytest.mark.parametrize(
    ("first", "third"),
    [
        ("I prefer dark mode", "The user prefers dark mode."),
        ("I prefer light mode", "User prefers light mode"),
        ("I live in Hangzhou", "The user lives in Hangzhou"),
        ("I've lived in Beijing since May", "The user has lived in Beijing since May."),
        ("Since May I have lived in Beijing", "Since May the user has lived in Beijing"),
        ("I moved to Berlin in March", "The user moved to Berlin in March"),
        ("My name is Bo", "The user's name is Bo"),
        ("I use neovim", "The user uses neovim"),
        ("I work at Acme", "The user works at Acme"),
        ("I no longer live in Paris", "The user no longer lives in Paris"),
        ("I don't like dark mode", "The user doesn't like dark mode"),
        ("I prefer short answers", "The user wants short answers"),
        ("我喜欢深色模式", "用户喜欢深色模式"),
        ("我住在杭州", "该用户住在杭州"),
        ("我五月份就搬到北京了", "用户五月份就搬到北京了"),
        ("我叫小波", "用户叫小波"),
        ("我喜欢简短的回答", "用户想要简短的回答"),
    ],
)
def test_what_an_agent_says_of_the_user_is_what_the_user_would_say(first: str, third: str) -> None:
    mine, theirs = (statement(text, at=AT, utc_offset_s=0) for text in (first, third))
    assert mine is not None
    assert theirs is not None
    assert (mine.slot, mine.data["value"], mine.polarity, mine.valid_from) == (
        theirs.slot, theirs.data["value"], theirs.polarity, theirs.valid_from,
    )  # fmt: skip


@pytest.mark.parametrize(
    "text",
    [
        "The user prefers dark mode and hates meetings.",
        "The user prefers dark mode. They also use vim.",
        "用户喜欢深色模式，而且讨厌开会。",
        "Releases are cut on Thursdays",
        "The parser keeps comments",
        "Does the user prefer dark mode?",
        "用户喜欢深色模式吗？",
        "",
    ],
)
def test_what_says_more_or_nothing_of_the_kind_is_kept_as_it_is(text: str) -> None:
    assert statement(text, at=AT, utc_offset_s=0) is None


@pytest.mark.parametrize(
    "text",
    [
        "I've lived in Beijing since May.",
        "Since May I've been living in Beijing",
        "I've been in Beijing since early May",
        "I moved to Beijing in May.",
        "In May I moved to Beijing.",
        "我五月份就搬到北京了",
        "从五月起我住在北京。",
        "我从五月开始一直住在北京",
        "五月以来我一直住在北京",
    ],
)
def test_late_news_say_since_when(text: str) -> None:
    draft = statement(text, at=AT, utc_offset_s=0)
    assert draft is not None
    assert (draft.slot, draft.valid_from, draft.data["value"]) == (
        "lives:city", MAY, "Beijing" if text.isascii() else "北京",
    )  # fmt: skip


@pytest.mark.parametrize("text", ["I've lived in Paris.", "I've been in Paris", "I have preferred dark mode"])
def test_what_was_once_is_nothing_that_is(text: str) -> None:
    assert statement(text, at=AT, utc_offset_s=0) is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Force pushes to main are allowed.", ("force pushes to main", "allowed", "affirmed")),
        ("Force pushes to main are no longer allowed", ("force pushes to main", "allowed", "negated")),
        ("Force pushes to main are forbidden now", ("force pushes to main", "allowed", "negated")),
        ("Debug mode is disabled in production", ("debug mode in production", "enabled", "negated")),
        ("允许强制推送到 main", ("强制推送到 main", "allowed", "affirmed")),
        ("禁止强制推送到 main。", ("强制推送到 main", "allowed", "negated")),
        ("生产环境已停用调试模式", ("生产环境调试模式", "enabled", "negated")),
    ],
)
def test_allowed_and_not_allowed_are_one_statement(text: str, expected: tuple[str, str, str]) -> None:
    assert permission(text) == Permission(*expected)  # type: ignore[arg-type]


@pytest.mark.parametrize("text", ["Is force pushing allowed?", "Releases are on Thursday", "允许"])
def test_what_allows_nothing_is_no_permission(text: str) -> None:
    assert permission(text) is None


def test_a_derived_id_follows_from_its_moment_and_its_parts() -> None:
    one = derived_ulid(AT, "timeline", "x", 1, None)
    assert one == derived_ulid(AT, "timeline", "x", 1, None)
    assert (
        len(
            {
                one,
                derived_ulid(AT, "timeline", "x", None, 1),
                derived_ulid(AT + 1000, "timeline", "x", 1, None),
            }
        )
        == 3
    )
    assert one[:10] < derived_ulid(AT + 1000, "a")[:10]
