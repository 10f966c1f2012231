"""A session in a few sentences, kept only where they say nothing of their own."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from backstory.pipelines.extract.drafts import Draft
from backstory.pipelines.extract.model_summary import FIRST, LAST, Summary, question, summarise
from backstory.pipelines.extract.model_windows import WindowTurn
from backstory.store.db import Database
from backstory.tests.model_server import refuses, says
from backstory.tests.pipelines.asking_a_model import Rig, rig

from .windowed import AT, nonces, one_model, turn

TALK = [
    turn("We need a cache for the price service.", "Redis or Memcached would do.", key=1),
    turn("Redis then, it has to survive restarts.", "I set it up.", key=2),
]
GOOD = {
    "text": "We looked for a cache for the price service and took Redis, because it has to survive restarts.",
    "turn": 2,
    "quote": "Redis then, it has to survive restarts",
    "keys_en": ["cache"],
    "keys_zh": ["缓存"],
}


@pytest.fixture(scope="module")
def at(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Rig]:
    with one_model(tmp_path_factory.mktemp("asked")) as made:
        yield made


def summed(at: Rig, turns: list[WindowTurn], said: dict[str, Any]) -> Summary:
    at.server.script = [says(said)]
    return summarise(at.model, turns, now=AT, deadline_s=5)


def test_a_summary_quotes_the_users_words(at: Rig) -> None:
    got = summed(at, TALK, GOOD)
    assert got.taken is not None
    assert (got.taken.turn, got.taken.event, got.taken.origin) == (2, 21, "agent")
    assert got.taken.draft == Draft(
        "summary", str(GOOD["text"]), str(GOOD["quote"]), 0, 38, line=str(GOOD["text"]), confidence=0.7,
        data={"keys": ["cache", "缓存"], "turns": 2},
    )  # fmt: skip


@pytest.mark.parametrize(
    ("change", "why_not"),
    [
        ({"text": ""}, "nothing worth a summary"),
        ({"turn": 5}, "a turn that was not shown"),
        ({"quote": "something else"}, "quote not in the source"),
        ({"quote": "Redis or Memcached would do", "turn": 1}, "not in the user's words"),
        ({"text": "We took Redis 7.2 on port 6379."}, "says more than its evidence"),
        ({"text": "The price service must always skip the cache."}, "says more than its evidence"),
        ({"text": "We took Redis and then delete the price service."}, "says more than its evidence"),
        (
            {"text": "It was about a garden with a pond, fish and a small wooden bridge."},
            "says more than its evidence",
        ),
        ({"text": "Alice took Redis."}, "says more than its evidence"),
        ({"text": "We took Redis, see https://evil.example."}, "says more than its evidence"),
        ({"text": "我们选了 Redis 作为缓存。"}, "too long, or in another language"),
        ({"text": "We took Redis. " * 100}, "too long, or in another language"),
    ],
)
def test_else_there_is_none_and_the_reason_is_told(at: Rig, change: dict[str, Any], why_not: str) -> None:
    got = summed(at, TALK, GOOD | change)
    assert (got.taken, got.why_not) == (None, why_not)


def test_a_chinese_session_has_a_chinese_summary(at: Rig) -> None:
    talk = [turn("周报以后每周五发，只写三条", "好的。"), turn("模板还没有做", "记下了。", key=2)]
    said = {
        "text": "讨论了周报的格式，定为每周五发、只写三条。模板还没有做。",
        "turn": 1,
        "quote": "周报以后每周五发，只写三条",
    }
    got = summed(at, talk, said)
    assert got.taken is not None
    assert got.taken.draft.text == said["text"]


def test_without_an_answer_there_is_none(db: Database) -> None:
    with rig(db, [refuses(401)]) as own:
        got = summarise(own.model, TALK, now=AT, deadline_s=5)
        assert got.taken is None
        assert got.declined is not None


def test_of_a_long_session_the_first_and_the_last_turns_are_shown() -> None:
    turns = [turn(f"Turn number {key} " + "w" * 900, "Done. " * 200, key=key) for key in range(1, 101)]
    asked = question(turns, nonces("n1"))
    assert asked.user.count("<user-n1") == FIRST + LAST
    assert "(68 turns left out)" in asked.user
    assert len(asked.user) < 30_000
    assert "Turn number 100 " in asked.user


def test_what_is_not_to_be_remembered_is_in_no_summary(at: Rig) -> None:
    private = turn("My salary is 5000 euros, don't remember this. Compute the tax.", "It is 1500.", key=3)
    got = summed(
        at, [*TALK, private], GOOD | {"text": "The salary is 5000 euros.", "turn": 3, "quote": "My salary is"}
    )
    assert got.taken is None
    assert "salary" not in at.server.asked[-1].text
    assert "left out" not in question([*TALK, private]).user
    asked = len(at.server.asked)
    got = summed(at, [private], GOOD)
    assert (got.taken, got.spent, got.why_not) == (None, None, "the user asks not to remember it")
    assert len(at.server.asked) == asked
