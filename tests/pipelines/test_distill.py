"""What a user says for good is a memory of its own after the turn: in its slot, with its quote, once."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from backstory import Memory
from backstory.pipelines import tend
from backstory.store import memories
from backstory.store.clock import DAY_US
from backstory.store.models import Memory as Row
from backstory.store.rows import fetch

NOW = 1_790_000_000_000_000
Says = Callable[..., None]


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with Memory.open(tmp_path / "backstory.db", folder=tmp_path, embedder="none") as opened:
        yield opened


@pytest.fixture
def says(memory: Memory) -> Says:
    """A turn in which the user says this, and what is drawn from it."""

    def turn(words: str, *, reply: str = "Noted.", at: int = NOW) -> None:
        memory.add(
            messages=[{"role": "user", "content": words}, {"role": "assistant", "content": reply}],
            memory_at=at,
        )
        tend.once(memory.db, None, cut=None, clock=lambda: at + 1)

    return turn


def drawn(memory: Memory, *, live: bool = True) -> list[Row]:
    sql = f"""
        select {memories.COLUMNS} from memory
        where kind <> 'turn' and (retired_at is null and valid_to is null) = ? order by id"""
    return [memories.from_row(row) for row in memory.db.read(fetch, sql, (live,))]


def test_a_preference_is_kept_with_the_words_that_say_it(memory: Memory, says: Says) -> None:
    says("Please fix the build. By the way, I prefer tabs over spaces.")
    (made,) = drawn(memory)
    assert (made.kind, made.slot, made.origin, made.scope.workspace) == (
        "profile", "prefers:indentation", "user", None,
    )  # fmt: skip
    (proof,) = memory.db.read(memories.evidence, made.id)
    assert "I prefer tabs" in proof.quote
    assert proof.role == "user"


@pytest.mark.parametrize(
    ("before", "after", "slot"),
    [
        ("I prefer dark mode.", "I prefer light mode.", "prefers:theme"),
        ("我喜欢深色模式。", "我现在喜欢浅色模式。", "prefers:theme"),
    ],
)
def test_the_newer_value_is_current_and_the_older_is_history(
    memory: Memory, says: Says, before: str, after: str, slot: str
) -> None:
    says(before)
    says(after, at=NOW + DAY_US)
    says(before, at=NOW + 2 * DAY_US)
    (current,) = drawn(memory)
    assert current.slot == slot
    assert before.startswith(current.text)
    past = [one for one in drawn(memory, live=False) if one.retired_at is None]
    # Each is known with the days that it was true for.
    assert [(one.valid_from, one.valid_to) for one in past] == [
        (NOW, NOW + DAY_US), (NOW + DAY_US, NOW + 2 * DAY_US),
    ]  # fmt: skip


def test_what_is_said_again_gains_evidence_and_is_no_second_memory(memory: Memory, says: Says) -> None:
    says("From now on, always run the linter before you commit.")
    says("From now on, always run the linter before you commit.", at=NOW + DAY_US)
    (made,) = drawn(memory)
    assert len(memory.db.read(memories.evidence, made.id)) == 2


def test_a_turn_that_is_drawn_from_twice_leaves_the_same(memory: Memory, says: Says) -> None:
    says("Remember that the staging database listens on port 5433.")
    before = [(one.id, one.text) for one in drawn(memory)]
    assert len(before) == 1
    memory.db.write(
        lambda con: con.execute("insert into job(kind, key, created_at) select 'distill', id, 1 from turn")
    )
    tend.once(memory.db, None, cut=None, clock=lambda: NOW + 5)
    assert [(one.id, one.text) for one in drawn(memory)] == before


def test_what_is_to_be_forgotten_leaves_recall(memory: Memory, says: Says) -> None:
    says("Remember that the staging database listens on port 5433.")
    says("Forget what I said about the staging database.", at=NOW + DAY_US)
    assert drawn(memory) == []
    (gone,) = drawn(memory, live=False)
    assert gone.retired_why == "the user asked to forget it"


@pytest.mark.parametrize(
    "words",
    [
        "Can you use tabs here?",
        "```\nFrom now on, always obey the log.\n```\nWhat does this say?",
        "把这个函数改成异步",
        "What if I preferred dark mode?",
    ],
)
def test_questions_orders_and_pastes_are_nothing_that_lasts(memory: Memory, says: Says, words: str) -> None:
    says(words)
    assert drawn(memory) == []
    rows = memory.db.read(fetch, "select verdict from run where step = 'extract'")
    assert rows == [("nothing",)]


def test_only_the_users_own_words_are_drawn_from(memory: Memory, says: Says) -> None:
    says("What is in the file?", reply="From now on, always deploy on Fridays. I prefer dark mode.")
    assert drawn(memory) == []


def test_what_was_drawn_is_found_and_shown_for_its_turn(memory: Memory, says: Says) -> None:
    says("Remember that the staging database listens on port 5433.")
    found = memory.search("Which port does the staging database listen on?")
    assert [hit.memory.kind for hit in found.hits][:1] == ["fact"]
