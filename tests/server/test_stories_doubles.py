"""The stories of what comes to say what is known, by correcting, restoring or importing: still one memory says it."""

from __future__ import annotations

from pathlib import Path

import pytest
from backstory import Memory

from .stories import Story


@pytest.mark.parametrize(
    ("known", "other", "reworded"),
    [
        ("The worker port is 8080", "Retry is 5", "The worker port is 8080"),
        ("Deploys need three approvals.", "Retry is 5", "Deploys need 3 approvals."),
        ("上线需要三个人审批。", "缓存放在 Redis 里", "上线需要 3 个人审批。"),
        ("User lives in Hangzhou", "User prefers dark mode", "User lives in Hangzhou"),
        ("用户住在杭州", "用户喜欢深色模式", "用户住在杭州"),
    ],
)
def test_a_memory_that_is_updated_to_what_is_known_is_one_with_that(
    story: Story, known: str, other: str, reworded: str
) -> None:
    first = story.on("2026-03-02").adds(known)
    second = story.on("2026-03-03").adds(other)
    story.on("2026-04-02").tool("memory_update", id=second, content=reworded)
    assert story.on("2026-04-03").lists() == [known]
    assert story.lists(as_of="2026-03-20") == [known]
    assert other not in story.tool("memory_get", id=first, view="evidence")
    assert other in story.lists(known_as_of="2026-03-20")


@pytest.mark.parametrize(
    ("known", "other", "reworded"),
    [
        ("Deploys are allowed on Friday", "Retry is 5", "Deploys are not allowed on Friday"),
        ("The parser keeps comments.", "Retry is 5", "The parser does not keep comments."),
        ("允许强制推送到 main", "缓存放在 Redis 里", "禁止强制推送到 main"),
        ("解析器会保留注释。", "缓存放在 Redis 里", "解析器不会保留注释。"),
    ],
)
@pytest.mark.parametrize("older", ["known", "other"])
def test_a_memory_that_is_updated_to_the_opposite_of_another_makes_that_history(
    story: Story, known: str, other: str, reworded: str, older: str
) -> None:
    story.on("2026-03-02").adds(known if older == "known" else other)
    story.on("2026-03-03").adds(other if older == "known" else known)
    id_ = "m2" if older == "known" else "m1"
    story.on("2026-04-02").tool("memory_update", id=id_, content=reworded)
    assert story.on("2026-04-03").lists() == [reworded]
    assert story.lists(as_of="2026-03-20") == [known]


@pytest.mark.parametrize(
    ("text", "again"),
    [
        ("Deploys need 3 approvals", "Deploys need three approvals"),
        ("上线需要三个人审批。", "上线需要 3 个人审批。"),
        ("The worker port is 8080", "The worker port is 8080"),
        ("User lives in Hangzhou", "User lives in Hangzhou"),
    ],
)
def test_what_is_brought_back_is_one_with_what_was_said_again(story: Story, text: str, again: str) -> None:
    first = story.on("2026-03-02").adds(text)
    story.on("2026-03-04").tool("memory_delete", id=first)
    story.on("2026-03-05").adds(again)
    story.on("2026-04-02").tool("memory_update", id=first, restore=True)
    assert len(story.on("2026-04-03").lists()) == 1
    assert story.lists()[0] in (text, again)


@pytest.mark.parametrize(
    ("was", "reworded", "news", "left"),
    [
        ("User lives in Hangzhou", "User's laptop has 32 GB", "User lives in Beijing", 2),
        ("User prefers dark mode", "User prefers tea", "User prefers light mode", 2),
        ("用户住在杭州", "用户的电脑有 32 GB 内存", "用户住在北京", 2),
        # It speaks of the same, in words that no rule reads.
        (
            "User lives in Hangzhou",
            "User lives in Hangzhou with two cats and a dog",
            "User lives in Beijing",
            1,
        ),
        ("User prefers dark mode", "User prefers a dark theme, but a warm one", "User prefers light mode", 1),
        # It states something else that has a slot.
        ("Retry is 5", "User lives in Hangzhou", "User lives in Beijing", 1),
        ("User prefers dark mode", "User lives in Hangzhou", "User lives in Beijing", 1),
        ("缓存放在 Redis 里", "用户住在杭州", "用户住在北京", 1),
    ],
)
def test_a_memory_in_other_words_holds_the_slot_that_these_state(
    story: Story, was: str, reworded: str, news: str, left: int
) -> None:
    id_ = story.on("2026-03-02").adds(was)
    story.on("2026-04-02").tool("memory_update", id=id_, content=reworded)
    story.on("2026-04-10").adds(news)
    assert story.on("2026-05-01").lists() == [news, reworded][:left]


@pytest.mark.parametrize(
    ("one", "other", "stand"),
    [
        ("Deploys need 3 approvals.", "Deploys need three approvals.", 1),
        ("上线需要三个人审批。", "上线需要 3 个人审批。", 1),
        ("The parser keeps comments.", "The parser does not keep comments.", 1),
        ("解析器会保留注释。", "解析器不会保留注释。", 1),
        ("Deploys need three approvals.", "Deploys need 4 approvals.", 1),
        ("Bug 12 hides timeouts.", "Bug 13 hides timeouts.", 2),
    ],
)
def test_what_two_files_say_alike_is_one_without_any_vectors(
    tmp_path: Path, one: str, other: str, stand: int
) -> None:
    now = 1_790_000_000_000_000
    with (
        Memory.open(tmp_path / "a" / "m.db", embedder="none", now=lambda: now) as here,
        Memory.open(tmp_path / "b" / "m.db", embedder="none", now=lambda: now - 10**9) as there,
    ):
        here.add(one)
        there.add(other)
        there.export(tmp_path / "there.jsonl")
        here.import_(tmp_path / "there.jsonl")
        here.tend()
        assert len(here.list().memories) == stand
