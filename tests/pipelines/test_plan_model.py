"""A question as a model rewrites it: bounded, adding nothing of its own, else the plain plan stands."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from backstory.pipelines.plan_model import Rewritten, question, rewrite
from backstory.store.db import Database
from backstory.tests.model_server import refuses, says
from backstory.tests.pipelines.asking_a_model import Rig, rig

from .windowed import AT, ZONE_S, day, nonces, one_model

DAY = 86_400_000_000


@pytest.fixture(scope="module")
def at(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Rig]:
    with one_model(tmp_path_factory.mktemp("asked")) as made:
        yield made


def rewritten(at: Rig, asked: str, **said: Any) -> Rewritten | None:
    at.server.script = [says({"queries": []} | said)]
    got = rewrite(at.model, asked, now=AT, utc_offset_s=ZONE_S, deadline_s=5)
    assert got.declined is None
    return got.rewritten


def test_a_question_comes_back_with_scene_wordings_and_days(at: Rig) -> None:
    got = rewritten(
        at, "why did we drop redis last week?", scene="coding",
        queries=["drop redis reason", "弃用 redis 原因"], since="2026-03-02", until="2026-03-08",
    )  # fmt: skip
    assert got == Rewritten(
        "coding", ("drop redis reason", "弃用 redis 原因"), day("2026-03-02"), day("2026-03-08") + DAY - 1
    )


def test_chinese_questions_are_rewritten_as_english_ones_are(at: Rig) -> None:
    got = rewritten(
        at, "上周为什么不用 redis 了？", scene="coding", queries=["弃用 redis 原因", "reason for dropping redis"],
        since="2026-03-02", until="2026-03-08",
    )  # fmt: skip
    assert got is not None
    assert got.queries == ("弃用 redis 原因", "reason for dropping redis")
    assert got.since == day("2026-03-02")


@pytest.mark.parametrize(
    ("asked", "query", "stands"),
    [
        ("which port has staging?", "staging port", True),
        ("which port has staging?", "staging port 5433", False),
        ("what broke in src/app.py?", "src/app.py broke", True),
        ("what broke in src/app.py?", "src/api.py broke", False),
        ("what about parse_row?", "parse_row error", True),
        ("what about parse_row?", "parse_col error", False),
        ("what did we decide?", "see https://evil.example", False),
        ("what did we decide?", "<|im_start|>", False),
        ("what did we decide?", "x" * 300, False),
        ("what did we decide?", " ", False),
        ("版本 3.11 有什么问题", "Python 3.11 问题", True),
        ("版本 3.11 有什么问题", "3.12 问题", False),
    ],
)
def test_a_wording_adds_no_name_and_no_number(at: Rig, asked: str, query: str, stands: bool) -> None:
    got = rewritten(at, asked, scene="chat", queries=[query])
    assert got is not None
    assert got.queries == ((query,) if stands else ())
    assert bool(got.dropped) != stands


def test_at_most_three_wordings_each_once_and_none_that_is_the_question(at: Rig) -> None:
    got = rewritten(at, "Tea or coffee?", queries=["tea or  coffee?", "tea", "Tea", "coffee", "茶", "咖啡"])
    assert got is not None
    assert got.queries == ("tea", "coffee", "茶")


@pytest.mark.parametrize(
    ("asked", "since", "until", "expected"),
    [
        ("what did we do last week?", "2026-03-02", "2026-03-08", ("2026-03-02", "2026-03-08")),
        ("what did we do since January?", "2026-01-01", None, ("2026-01-01", None)),
        ("一月以来做了什么", "2026-01-01", "", ("2026-01-01", None)),
        ("what did we do?", "2026-03-02", "2026-03-08", (None, None)),
        ("我喜欢喝什么", "2026-03-02", None, (None, None)),
        ("what did we do last week?", "2026-03-08", "2026-03-02", (None, None)),
        ("what did we do last week?", "2027-01-01", None, (None, None)),
        ("what did we do last week?", "last week", "0001-01-01", (None, None)),
        ("what did we do last week?", "9999-12-31", None, (None, None)),
    ],
)
def test_days_count_where_the_question_names_a_time(
    at: Rig, asked: str, since: str | None, until: str | None, expected: tuple[str | None, str | None]
) -> None:
    got = rewritten(at, asked, scene="chat", since=since, until=until)
    assert got is not None
    first, last = expected
    assert got.since == (day(first) if first else None)
    assert got.until == (day(last) + DAY - 1 if last else None)


@pytest.mark.parametrize("scene", ["gaming", "", None, 7])
def test_an_unknown_scene_is_none(at: Rig, scene: Any) -> None:
    got = rewritten(at, "tea?", scene=scene, queries=["tea"])
    assert got is not None
    assert got.scene is None


def test_where_nothing_holds_the_plain_plan_stands(at: Rig) -> None:
    assert rewritten(at, "what did we decide?", scene="", queries=["version 9.9"], since="2026-01-01") is None


@pytest.mark.parametrize(
    "reply", [refuses(500), refuses(429), says("The answer is tea."), says({"scene": "chat"})]
)
def test_without_an_answer_the_plain_plan_stands(db: Database, reply: Any) -> None:
    with rig(db, [reply]) as own:
        got = rewrite(own.model, "what did we decide?", now=AT, utc_offset_s=ZONE_S, deadline_s=5)
        assert got.rewritten is None
        assert got.declined is not None


def test_the_question_is_fenced_cut_and_dated() -> None:
    asked = question("q" * 5_000, nonces("n1"), now=AT, utc_offset_s=ZONE_S)
    assert len(asked.user) < 1_700
    assert asked.user.startswith("<question-n1>\nqqq")
    assert asked.user.endswith("qqq\n</question-n1>")
    assert "Today is 2026-03-11, a Wednesday." in asked.system
