"""What was forgotten is not kept again in other words of an agent's; another statement is, and the user may say it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from backstory import Memory
from backstory.store.db import Database
from backstory.store.errors import BadInput
from backstory.store.rows import fetch

from .stories import Story


@pytest.fixture
def memory(tmp_path: Path, repo: Path) -> Iterator[Memory]:
    with Memory.open(
        tmp_path / "home" / "backstory.db", folder=repo, source="claude-code", embedder="hash"
    ) as opened:
        yield opened


TOLD = [
    (
        "My wife is called Zorvanna",
        [
            "The user's wife is called Zorvanna",
            "User's wife: Zorvanna",
            "As I heard. Zorvanna is the user's wife.",
        ],
        [
            "Bob's wife is called Zorvanna",
            "The user's wife was called Zorvanna before",
            "The user's cat is called Zo",
        ],
    ),
    (
        "I'm allergic to peanuts",
        ["The user is allergic to peanuts.", "Note that the user is allergic to peanuts"],
        [
            "Bob is allergic to peanuts",
            "The user is not allergic to peanuts",
            "The user is allergic to pollen",
        ],
    ),
    (
        "我的妻子叫佐尔万娜",
        ["用户的妻子叫佐尔万娜。", "用户说他的妻子名叫佐爾萬娜", "另外一件事。佐尔万娜是用户的妻子"],
        ["李强的妻子叫佐尔万娜", "用户的姐姐叫佐尔万娜", "用户的妻子不叫佐尔万娜"],
    ),
    ("我对花生过敏", ["用户对花生过敏", "记住：该用户对花生过敏"], ["用户对花粉过敏", "李强对花生过敏"]),
]


@pytest.mark.parametrize(("told", "again", "others"), TOLD)
def test_an_agent_cannot_keep_it_again_in_other_words(
    memory: Memory, told: str, again: list[str], others: list[str]
) -> None:
    (added,) = memory.add(told, origin="user")
    memory.delete(added.short, forget=True)
    for text in again:
        with pytest.raises(BadInput, match="was forgotten on"):
            memory.add(text)
    for text in others:
        memory.add(text)


@pytest.mark.parametrize(
    ("told", "words", "again", "said"),
    [
        (
            "Remember that my wife is called Zorvanna.", "my wife is called Zorvanna",
            "The user's wife is called Zorvanna", "By the way, my wife's name is Zorvanna.",
        ),
        ("记住：我的妻子叫佐尔万娜。", "我的妻子叫佐尔万娜", "用户的妻子叫佐尔万娜", "对了，佐尔万娜是我的妻子。"),
    ],
    ids=["en", "zh"],
)  # fmt: skip
def test_the_user_who_says_it_again_lets_an_agent_keep_it_in_other_words(
    db: Database, tmp_path: Path, folder: Path, told: str, words: str, again: str, said: str
) -> None:
    story = Story(db, tmp_path / "home", folder).on("2026-03-02")
    story.says(told)
    story.tool("memory_delete", query=words, forget=True)
    story.on("2026-03-03")
    with pytest.raises(AssertionError, match="was forgotten on"):
        story.adds(again)
    story.says(said)
    assert story.adds(again, session=story.session)


def test_an_older_export_does_not_bring_it_back_in_other_words(memory: Memory, tmp_path: Path) -> None:
    file = tmp_path / "export.jsonl"
    with Memory.open(tmp_path / "other" / "backstory.db", source="claude-code", embedder="hash") as other:
        other.add("The user's wife is called Zorvanna")
        other.add("The user's cat is called Momo")
        other.export(file)
    (added,) = memory.add("My wife is called Zorvanna", origin="user")
    memory.delete(added.short, forget=True)
    memory.import_(file)
    assert [one.text for one in memory.list().memories if one.kind != "turn"] == [
        "The user's cat is called Momo"
    ]


def test_the_marks_hold_no_words(memory: Memory) -> None:
    (added,) = memory.add("My wife is called Zorvanna", origin="user")
    memory.delete(added.short, forget=True)
    kept = json.dumps(memory.db.read(fetch, "select * from tombstone"))
    assert "wife" not in kept.lower() and "zorv" not in kept.lower()
