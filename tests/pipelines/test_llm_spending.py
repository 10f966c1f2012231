"""The day's budget and the ledger: never a request too many, by however many threads and processes."""

from __future__ import annotations

import subprocess
import sys
import threading
from pathlib import Path

import apsw
import pytest
from backstory.pipelines.llm import Answered, Asked, Declined
from backstory.pipelines.llm_tokens import estimate
from backstory.store import spending
from backstory.store.clock import DAY_US
from backstory.store.db import Database
from backstory.store.rows import value
from backstory.store.spending import Cost
from backstory.tests.model_server import is_silent, refuses, says
from backstory.tests.pipelines.asking_a_model import ASKED, CHAT, NOW, SECOND, rig

# The last second of a UTC day.
EVENING = NOW - NOW % DAY_US + DAY_US - SECOND


def reserve(
    con: apsw.Connection, tokens: int, *, budget: int = 1000, now: int = NOW, step: str = "judge"
) -> int | None:
    return spending.reserve(con, step=step, model="small", tokens=tokens, budget=budget, now=now)


def test_what_is_reserved_is_spent_until_it_is_settled(db: Database) -> None:
    call = db.write(reserve, 900)
    assert call is not None
    assert db.write(reserve, 101) is None
    assert db.read(spending.spent_today, now=NOW) == 900
    assert db.write(spending.settle, call, Cost(300, 50, estimated=False, took_us=7, verdict="answered"))
    assert db.read(spending.spent_today, now=NOW) == 350
    assert db.write(reserve, 650) is not None
    assert db.write(reserve, 1) is None


def test_a_request_is_settled_once(db: Database) -> None:
    call = db.write(reserve, 900)
    assert call is not None
    assert db.write(spending.settle, call, Cost(10, 1, estimated=False, took_us=7, verdict="answered"))
    assert not db.write(
        spending.settle, call, Cost(99, 9, estimated=True, took_us=9, verdict="late", failed=True)
    )
    assert db.read(spending.spent_today, now=NOW) == 11


def test_a_claim_beyond_belief_is_cut(db: Database) -> None:
    call = db.write(reserve, 900)
    assert call is not None
    db.write(spending.settle, call, Cost(10**30, 10**30, estimated=False, took_us=7, verdict="answered"))
    assert db.read(spending.spent_today, now=NOW) == 2 * spending.MOST_TOKENS


def test_a_reservation_whose_process_died_counts_until_its_day_ends(db: Database) -> None:
    assert db.write(reserve, 1000, now=EVENING) is not None
    assert db.write(reserve, 1, now=EVENING) is None
    assert db.write(reserve, 1000, now=EVENING + SECOND) is not None


def test_rows_of_days_long_gone_are_swept(db: Database) -> None:
    def fill(con: apsw.Connection) -> None:
        for step, now, cost in [
            ("judge", NOW, Cost(10, 1, estimated=False, took_us=5, verdict="answered")),
            ("judge", NOW, Cost(20, 2, estimated=True, took_us=6, verdict="late", failed=True)),
            ("extract", NOW, None),
            ("judge", NOW - DAY_US, Cost(30, 3, estimated=False, took_us=7, verdict="answered")),
            ("judge", NOW - 9 * DAY_US, Cost(40, 4, estimated=False, took_us=8, verdict="answered")),
        ]:
            call = reserve(con, 100, step=step, now=now)
            assert call is not None
            if cost is not None:
                spending.settle(con, call, cost)

    db.write(fill)
    assert db.write(spending.sweep, now=NOW, days=5) == 1
    assert db.write(spending.sweep, now=NOW, days=5) == 0


def test_two_processes_that_race_for_the_last_tokens_never_pass_the_budget(tmp_path: Path) -> None:
    Database.open(tmp_path / "backstory.db").close()
    code = (
        "import sys; from pathlib import Path\n"
        "from backstory.store.db import Database; from backstory.store import spending\n"
        "db = Database.open(Path(sys.argv[1])); print('ready', flush=True); sys.stdin.readline()\n"
        "had = [db.write(spending.reserve, step='judge', model='m', tokens=70, budget=1000, now=int(sys.argv[2]))\n"
        "       for _ in range(20)]\n"
        "print(sum(call is not None for call in had))\n"
    )
    racers = [
        subprocess.Popen(
            [sys.executable, "-c", code, str(tmp_path / "backstory.db"), str(NOW)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for _ in range(2)
    ]
    for racer in racers:
        assert racer.stdout is not None
        assert racer.stdout.readline() == "ready\n"
    for racer in racers:
        assert racer.stdin is not None
        racer.stdin.write("go\n")
        racer.stdin.flush()
    had = [int(racer.communicate(timeout=60)[0]) for racer in racers]
    assert sum(had) == 1000 // 70


def test_threads_that_race_for_the_last_tokens_send_one_request(db: Database) -> None:
    with rig(db, [says(CHAT)]) as at:
        at.ask()
        needed = int(db.read(value, "select reserved_tokens from model_call"))
    # A day on which exactly one such request has room, and takes all of it.
    used = {"prompt_tokens": needed - 20, "completion_tokens": 20}
    with rig(db, [says(CHAT, usage=used)], model_tokens_a_day=needed) as at:
        start = threading.Barrier(8)
        outcomes: list[str] = []

        def ask() -> None:
            start.wait(10)
            outcomes.append(at.why(now=NOW + DAY_US, deadline_s=20))

        threads = [threading.Thread(target=ask) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(30)
        assert sorted(outcomes) == ["answered", *["budget"] * 7]
        assert len(at.server.asked) == 1
        assert at.model.state_at(NOW + DAY_US).spent_today == needed


def test_when_the_day_is_spent_rules_take_over_until_midnight(db: Database) -> None:
    with rig(db, [says(CHAT)], model_tokens_a_day=400) as at:
        outcomes = [at.ask(now=EVENING) for _ in range(4)]
        answered = [outcome for outcome in outcomes if isinstance(outcome, Answered)]
        last = outcomes[-1]
        assert isinstance(last, Declined)
        assert (last.why, last.spent) == ("budget", None)
        assert last.reason.endswith(f"and {len(answered) * 120} of the day's 400 are spent.")
        assert len(at.server.asked) == len(answered) > 0
        assert at.why(now=EVENING + SECOND) == "answered"


def test_no_budget_means_no_request(db: Database) -> None:
    with rig(db, [says(CHAT)], model_tokens_a_day=0) as at:
        assert at.ask() == Declined("budget", "model_tokens_a_day is 0, so no model is asked.", None)
        assert at.server.asked == []
        assert at.ledger() == []


def test_a_question_too_long_for_the_budget_is_not_sent(db: Database) -> None:
    with rig(db, [says(CHAT)], model_tokens_a_day=2000) as at:
        assert at.why(asked=Asked("extract", "s", "字" * 3000, 50)) == "budget"
        assert at.why(asked=Asked("extract", "s", "word " * 1000, 1500)) == "budget"
        assert at.server.asked == []
        assert at.why() == "answered"


def test_a_second_try_needs_room_in_the_budget_too(db: Database) -> None:
    with rig(db, [says("nonsense", usage={"prompt_tokens": 250, "completion_tokens": 100})]) as at:
        at.model._settings = at.model._settings.model_copy(update={"model_tokens_a_day": 400})
        outcome = at.ask()
        assert isinstance(outcome, Declined)
        assert (outcome.why, outcome.spent and outcome.spent.calls) == ("budget", 1)
        assert len(at.server.asked) == 1


def test_what_was_cut_is_spent_in_full_and_what_was_refused_not_at_all(db: Database) -> None:
    with rig(db, [is_silent(), refuses(500)]) as at:
        late = at.ask(deadline_s=0.3)
        assert isinstance(late, Declined) and late.spent is not None
        assert (late.spent.tokens_out, late.spent.estimated) == (ASKED.max_tokens, True)
        refused = at.ask()
        assert isinstance(refused, Declined) and refused.spent is not None
        assert (refused.spent.tokens_in, refused.spent.tokens_out, refused.spent.estimated) == (0, 0, False)


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("", 0),
        ("abcd", 1),
        ("abcde", 2),
        ("三个字", 2),
        ("你好，世界", 4),
        ("用 pytest 跑测试", 5),
        ("カタカナ한국", 4),
    ],
)
def test_tokens_are_estimated_by_script(text: str, tokens: int) -> None:
    assert estimate(text) == tokens
