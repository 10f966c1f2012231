"""The pipeline log: what is kept of a step, how it is found again, and what the figures make of it."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise

import pytest
from backstory.store import deliveries, events, jobs, memories, runs, turns
from backstory.store.clock import DAY_US, SECOND_US
from backstory.store.db import Database
from backstory.store.memories import Quote
from backstory.store.models import NewEvent, Scope
from backstory.store.runs import Figures, Given, Held, Logged, ModelUse, Pending, Queue, Run
from backstory.tests.shelf import T0, add, take_turn

# 2025-10-09, 12:00 UTC.
NOON = 1_760_011_200 * SECOND_US


@pytest.fixture
def utc(monkeypatch: pytest.MonkeyPatch) -> Iterator[pytest.MonkeyPatch]:
    """This machine's clock shows UTC; by `setenv` and `tzset` it can be moved elsewhere."""
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    yield monkeypatch
    monkeypatch.undo()
    time.tzset()


def test_a_step_is_kept_whole_and_one_without_a_model_is_short(db: Database) -> None:
    turn, memory = db.write(take_turn, "Which port?")
    asked = Run(
        "extract", "drafts", "two drafts", turn, (memory,), 2_500, "qwen-plus", 812, 40, "aa", 3_000, "bb", 120,
        "prompt 提示", "answer 回答",
    )  # fmt: skip
    db.write(runs.log, Run("route", "chat", "no tool was used", turn), at=T0 + 1)
    db.write(runs.log, asked, at=T0)
    plain = Logged("route", "chat", "no tool was used", turn, id=1, ran_at=T0 + 1)
    full = Logged(
        "extract", "drafts", "two drafts", turn, (memory,), 2_500, "qwen-plus", 812, 40, "aa", 3_000, "bb", 120,
        "prompt 提示", "answer 回答", id=2, ran_at=T0,
    )  # fmt: skip
    assert db.read(runs.of_turn, turn) == [full, plain]
    assert db.read(runs.of_turn, turn + 1) == []


def test_the_steps_that_name_a_memory_are_found_whatever_their_turn(db: Database) -> None:
    turn, _ = db.write(take_turn, "Which port?")
    for at, ids in enumerate([(4, 42), (), (42,), (421, 2), (7,)]):
        db.write(runs.log, Run("reconcile", "add", turn=turn if at else None, memories=ids), at=T0 - at)

    def found(*ids: int) -> list[tuple[int, ...]]:
        return [step.memories for step in db.read(runs.naming, ids)]

    assert found(42) == [(42,), (4, 42)]
    assert found(42, 4, 7) == [(7,), (42,), (4, 42)]
    assert found(2) == [(421, 2)]
    assert found(1) == found() == []


def test_what_is_older_than_the_days_is_dropped_with_its_texts(db: Database) -> None:
    for days in (91, 90, 1):
        db.write(
            runs.log,
            Run("extract", "drafts", str(days), prompt_hash="a", prompt="words"),
            at=T0 - days * DAY_US,
        )
    assert db.write(runs.sweep, now=T0, days=90) == 1
    kept = db.read(lambda con: con.execute("select reason from run order by ran_at").fetchall())
    assert kept == [("90",), ("1",)]


def test_figures_count_verdicts_and_failures_and_take_the_nearest_rank(
    db: Database, utc: pytest.MonkeyPatch
) -> None:
    for took in range(1, 21):
        db.write(runs.log, Run("extract", "drafts" if took > 3 else "nothing", took_us=took * 100), at=NOON)
    db.write(runs.log, Run("extract", "failed", "it broke"), at=NOON)
    db.write(runs.log, Run("route", "chat"), at=NOON)
    db.write(runs.log, Run("route", "chat"), at=NOON - 1)
    figures = [
        Figures("", "extract", 21, 1, (("drafts", 17), ("nothing", 3), ("failed", 1)), 20, 1_000, 1_900),
        Figures("", "route", 1, 0, (("chat", 1),)),
    ]
    assert db.read(runs.figures, since=NOON) == [
        *figures,
        *(replace(one, day="2025-10-09") for one in figures),
    ]
    assert db.read(runs.figures, since=NOON + 1) == []


@pytest.mark.parametrize(("count", "median", "p95"), [(1, 1, 1), (2, 1, 2), (3, 2, 3), (100, 50, 95)])
def test_of_few_figures_none_is_made_up(db: Database, count: int, median: int, p95: int) -> None:
    for took in range(count, 0, -1):
        db.write(runs.log, Run("plan", "ok", took_us=took), at=T0)
    (found, _) = db.read(runs.figures, since=0)
    assert (found.timed, found.median_us, found.p95_us) == (count, median, p95)


def test_a_day_begins_at_midnight_where_the_user_is(db: Database, utc: pytest.MonkeyPatch) -> None:
    for hours in (-13, -1, 5, 11.5):
        db.write(runs.log, Run("route", "chat", model="m"), at=NOON + int(hours * 3600) * SECOND_US)

    def days() -> list[tuple[str, int]]:
        whole, *each = db.read(runs.figures, since=0)
        assert (whole.day, whole.count) == ("", 4)
        found = [(one.day, one.count) for one in each]
        assert [(use.day, use.calls) for use in db.read(runs.model_use, since=0)] == found
        return found

    assert days() == [("2025-10-09", 3), ("2025-10-08", 1)]
    utc.setenv("TZ", "Asia/Shanghai")
    time.tzset()
    assert days() == [("2025-10-10", 2), ("2025-10-09", 2)]


def test_the_calls_of_a_model_are_summed_by_step(db: Database, utc: pytest.MonkeyPatch) -> None:
    for step, verdict, model in (
        ("extract", "drafts", "a"), ("extract", "failed", "a"), ("extract", "drafts", "b"), ("judge", "chat", "a"),
        ("route", "chat", None),
    ):  # fmt: skip
        db.write(runs.log, Run(step, verdict, model=model, tokens_in=100, tokens_out=7), at=NOON)
    assert db.read(runs.model_use, since=NOON) == [
        ModelUse("2025-10-09", "extract", "a", 2, 1, 200, 14),
        ModelUse("2025-10-09", "extract", "b", 1, 0, 100, 7),
        ModelUse("2025-10-09", "judge", "a", 1, 0, 100, 7),
    ]
    assert db.read(runs.model_use, since=NOON + 1) == []


def test_links_are_found_from_both_ends_and_of_every_version(db: Database) -> None:
    old, new, third, other = (add(db, f"Port {n}.", at=T0) for n in range(4))
    db.write(memories.link, new, old, "supersedes", now=T0, data={"relation": "override"})
    db.write(memories.link, other, third, "contradicts", now=T0 + 1)
    db.write(memories.link, third, new, "supersedes", now=T0 + 2)

    def found(*ids: int) -> list[tuple[str, bool, int, int]]:
        return [(one.kind, one.outward, one.memory.id, one.created_at) for one in db.read(runs.joined, ids)]

    assert found(new) == [("supersedes", True, old, T0), ("supersedes", False, third, T0 + 2)]
    assert found(new, third) == [("supersedes", True, old, T0), ("contradicts", False, other, T0 + 1)]
    (of_old,) = db.read(runs.joined, [old])
    assert (of_old.outward, of_old.memory, of_old.data) == (
        False, db.read(memories.by_id, new), {"relation": "override"},
    )  # fmt: skip


def test_a_task_is_told_from_any_of_its_memories_and_ends_in_a_circle_too(db: Database) -> None:
    line = [add(db, f"Step {n}.", at=T0 + n) for n in range(4)]
    alone = add(db, "Something else.", at=T0)
    for earlier, later in pairwise(line):
        db.write(memories.link, later, earlier, "same_task", now=T0)
    db.write(memories.link, line[0], line[-1], "same_task", now=T0)
    db.write(memories.link, alone, line[0], "derived_from", now=T0)
    for one in line:
        others = [row.id for row in db.read(runs.task_line, [one], limit=50)]
        assert others == [other for other in line if other != one]
    assert [row.id for row in db.read(runs.task_line, line[:2], limit=50)] == line[2:]
    assert len(db.read(runs.task_line, [line[0]], limit=2)) == 2
    assert db.read(runs.task_line, [alone], limit=50) == []


def test_a_turn_holds_events_leaves_memories_and_supports_those_of_others(db: Database) -> None:
    first, own = db.write(take_turn, "Which port?")
    scope = Scope(source="claude-code", session="s1")
    second = db.write(turns.open_turn, scope, "again", at=T0)
    assert second is not None

    def say(turn: int, key: str, kind: str, ok: bool | None = None) -> int:
        event = NewEvent(key, "user", kind, "The port is 5433.", "user", T0, ok=ok)  # type: ignore[arg-type]
        return db.write(events.append, turn, event, now=T0)[0]

    said = say(first, "a", "prompt")
    for key, ok in (("b", True), ("c", False), ("d", None)):
        say(first, key, "tool", ok)
    again = say(second.id, "a", "prompt")
    drawn = add(db, "The port is 5433.", at=T0, turn=first)
    db.write(memories.support, drawn, [Quote(said, 0, 8), Quote(again, 0, 8), Quote(again, 4, 8)])
    assert db.read(runs.held, first) == [Held("prompt", 1, 0), Held("tool", 3, 1)]
    assert [row.id for row in db.read(runs.left, first)] == [own, drawn]
    assert db.read(runs.left, second.id) == db.read(runs.supported, first) == []
    assert [row.id for row in db.read(runs.supported, second.id)] == [drawn]
    assert [row.id for row in db.read(runs.resting, again)] == [drawn]
    found = db.read(runs.event, again)
    assert found is not None
    assert (found.event, found.turn, found.role, found.quote) == (
        again,
        second.id,
        "user",
        "The port is 5433.",
    )
    assert db.read(runs.event, again + 1) is None


def test_the_queue_tells_who_waits_since_when_and_what_went_wrong_last(db: Database) -> None:
    assert db.read(runs.queues) == []
    for at, key in enumerate("abcd"):
        db.write(jobs.enqueue, "distill", key, now=T0 + at)
    db.write(jobs.enqueue, "embed", "a", now=T0)
    (first, second) = db.write(jobs.claim, "distill", "me", now=T0 + 9, lease_s=60, limit=2)
    db.write(jobs.fail, first.id, "me", "it broke", now=T0 + 9)
    db.write(jobs.fail, second.id, "me", "the latest", now=T0 + 9)
    db.write(jobs.claim, "distill", "me", now=T0 + 9, lease_s=60)
    assert db.read(runs.queues) == [
        Queue("distill", 3, 1, 0, T0, "the latest"),
        Queue("embed", 1, 0, 0, T0, None),
    ]
    assert db.read(runs.pending, "distill", "a") == Pending(
        "waiting", 1, "it broke", T0, T0 + 9 + 30 * SECOND_US
    )
    assert db.read(runs.pending, "embed", "b") is None


def test_what_was_given_comes_with_the_words_of_the_memory_as_it_is_now(db: Database) -> None:
    old = db.read(memories.by_id, add(db, "The port is 5432.", at=T0))
    db.write(deliveries.give, "claude-code", "s1", [old], how="digest", chars=90, at=T0)
    db.write(deliveries.give_root, "claude-code", "s2", "place:pay.py", "3", at=T0)
    db.write(deliveries.give, "claude-code", "s1", [old], how="hook", chars=10, at=T0 + 1)
    assert set(db.read(runs.given, since=T0)) == {
        Given("hook", "claude-code s1", 100, "The port is 5432."),
        Given("hook", "claude-code s2", 0, ""),
    }
    db.write(memories.retire, old.id, why="wrong", now=T0)
    assert db.read(runs.given, since=T0 + 1) == [Given("hook", "claude-code s1", 100, "The port is 5432.")]
