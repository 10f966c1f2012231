"""The breaker by itself: who may ask when, with a clock and a chance that are given."""

from __future__ import annotations

import threading
from typing import Any

import pytest
from backstory.pipelines import llm_breaker as breaker
from backstory.pipelines.llm_breaker import OPENS_AFTER, REST_S, Rest
from backstory.store import settings
from backstory.store.clock import DAY_US
from backstory.store.db import Database
from backstory.tests.model_server import Reply, Request, is_silent, refuses, says
from backstory.tests.pipelines.asking_a_model import CHAT, NOW, SECOND, rig


def fail(db: Database, *, now: int = NOW, chance: float = 0.5, **more: Any) -> Rest:
    return db.write(breaker.failed, "m", now=now, why="It is down.", chance=lambda: chance, **more)


def admit(db: Database, *, now: int = NOW, probe_s: float = 30) -> Rest | None:
    return db.write(breaker.admit, "m", now=now, probe_s=probe_s)


def test_what_never_failed_leaves_no_row_and_writes_none(db: Database) -> None:
    assert admit(db) is None
    db.write(breaker.answered, "m")
    assert db.read(breaker.look, "m") is None


def test_rests_are_spread_so_that_processes_do_not_come_back_together(db: Database) -> None:
    ends = []
    for chance in (0.0, 0.5, 0.999):
        for _ in range(OPENS_AFTER):
            rest = fail(db, chance=chance)
        ends.append((rest.until - NOW) / SECOND)
        db.write(breaker.answered, "m")
    assert ends == pytest.approx([0.75 * REST_S, REST_S, 1.25 * REST_S], rel=0.01)


def test_failures_of_requests_that_were_under_way_together_count_once(db: Database) -> None:
    for _ in range(OPENS_AFTER):
        first = fail(db)
    assert [fail(db) for _ in range(5)] == [first] * 5


def test_a_longer_rest_that_is_asked_for_wins_over_a_shorter(db: Database) -> None:
    long = fail(db, rest_s=600)
    assert fail(db, rest_s=5).until == long.until
    assert fail(db, rest_s=900).until == NOW + 900 * SECOND


def test_one_probe_at_a_time_and_another_when_it_was_lost(db: Database) -> None:
    rest = fail(db, rest_s=10)
    assert admit(db) == rest
    after = NOW + 11 * SECOND
    assert admit(db, now=after, probe_s=30) is None
    assert admit(db, now=after + SECOND) is not None
    assert admit(db, now=after + 31 * SECOND) is None


def test_a_rest_that_a_wrong_clock_made_does_not_last(db: Database) -> None:
    fail(db, now=NOW + 400 * DAY_US, rest_s=60)
    assert admit(db, now=NOW) is None


@pytest.mark.parametrize("kept", ["", "{}", "[]", "nonsense", '{"failures": 1, "other": 2}'])
def test_a_row_of_another_version_is_as_none(db: Database, kept: str) -> None:
    db.write(settings.put, "model_rest:m", kept)
    assert admit(db) is None
    assert fail(db).failures == 1


def test_while_a_probe_is_under_way_the_others_rest(db: Database) -> None:
    with rig(db, [refuses(429, retry_after="5")]) as at:
        assert at.why() == "failed"
        asked, answer = threading.Event(), threading.Event()

        def slow(_request: Request) -> Reply:
            asked.set()
            assert answer.wait(20)
            return says(CHAT)

        at.server.script = slow
        after = NOW + 10 * SECOND
        outcomes: list[str] = []
        probe = threading.Thread(target=lambda: outcomes.append(at.why(now=after, deadline_s=30)))
        probe.start()
        assert asked.wait(20)
        assert at.why(now=after) == "resting"
        answer.set()
        probe.join(30)
        assert outcomes == ["answered"]
        assert at.why(now=after) == "answered"


def test_a_probe_that_hangs_costs_one_request(db: Database) -> None:
    with rig(db, [refuses(429, retry_after="5"), is_silent()]) as at:
        assert at.why() == "failed"
        after = NOW + 10 * SECOND
        assert [at.why(now=after, deadline_s=0.5), at.why(now=after)] == ["late", "resting"]
        assert len(at.server.asked) == 2


def test_a_probe_whose_text_is_refused_shows_that_the_endpoint_is_well(db: Database) -> None:
    with rig(db, [refuses(429, retry_after="5"), refuses(400, "content policy"), says(CHAT)]) as at:
        assert at.why() == "failed"
        after = NOW + 10 * SECOND
        assert [at.why(now=after), at.why(now=after)] == ["refused", "answered"]
