"""The stories of what is said twice: one memory where it is the same, two where one atom differs."""

from __future__ import annotations

import pytest

from .stories import Story


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Deploys need three approvals.", "Deploys need 4 approvals."),
        ("上线需要三个人审批。", "上线需要 4 个人审批。"),
    ],
    ids=["en", "zh"],
)
def test_another_number_is_another_value_and_the_first_one_is_history(
    story: Story, one: str, other: str
) -> None:
    first = story.on("2026-03-02").adds(one)
    answer = story.on("2026-05-03").tool("memory_add", content=other)
    assert answer.startswith("stored ")
    assert f"it takes the place of {first}, which stays in the history" in answer
    assert story.on("2026-06-01").lists() == [other]
    assert story.lists(as_of="2026-04-01") == [one]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The invoice service retries v1.2 calls.", "The invoice service retries v1.3 calls."),
        ("Bug 12 hides timeouts.", "Bug 13 hides timeouts."),
        ("修复在 v1.2", "修复在 v1.3"),
    ],
)
def test_what_another_number_names_is_another_memory(story: Story, one: str, other: str) -> None:
    story.on("2026-03-02").adds(one)
    story.on("2026-03-03").adds(other)
    assert sorted(story.on("2026-04-01").lists()) == sorted([one, other])


@pytest.mark.parametrize(
    ("one", "other", "question"),
    [
        (
            "The parser keeps comments.",
            "The parser does not keep comments.",
            "does the parser keep comments?",
        ),
        ("解析器会保留注释。", "解析器不会保留注释。", "解析器 保留 注释"),
    ],
    ids=["en", "zh"],
)
def test_of_a_statement_and_its_opposite_the_newer_is_current(
    story: Story, one: str, other: str, question: str
) -> None:
    story.on("2026-03-02").adds(one)
    story.on("2026-05-02").adds(other)
    story.on("2026-06-01")
    assert story.lists() == [other]
    assert story.finds(question) == [other]
    assert story.lists(as_of="2026-04-01") == [one]
