"""`backstory report`: figures by step and day, the queue, what was handed; nothing is claimed that is not known."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from backstory import Memory
from backstory.server import cli, report, spool, usage
from backstory.store import deliveries, jobs, memories, runs
from backstory.store.clock import DAY_US, SECOND_US
from backstory.store.errors import BadInput
from backstory.store.runs import Run
from backstory.tests.shelf import add

# 2025-10-09, 12:00 UTC.
NOON = 1_760_011_200 * SECOND_US


@dataclass
class Machine:
    """A memory on a machine whose clock stands at noon."""

    memory: Memory

    def log(self, step: str, verdict: str, *, days_ago: float = 0, **more: Any) -> None:
        self.memory.db.write(runs.log, Run(step, verdict, **more), at=NOON - int(days_ago * DAY_US))

    def give(
        self, text: str, how: deliveries.How, *, chars: int, session: str = "s1", days_ago: float = 0
    ) -> None:
        db = self.memory.db
        row = db.read(memories.by_id, add(db, text, at=NOON))
        at = NOON - int(days_ago * DAY_US)
        db.write(deliveries.give, "claude-code", session, [row], how=how, chars=chars, at=at)

    def report(self, days: int = 7) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(usage.answer(self.memory, days=days, as_json=True))
        return found

    def text(self, days: int = 7) -> str:
        return usage.answer(self.memory, days=days)


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Machine]:
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    path = tmp_path / "home" / "backstory.db"
    with Memory.open(path, embedder="none", now=lambda: NOON) as memory:
        yield Machine(memory)
    monkeypatch.undo()
    time.tzset()


def columns(text: str) -> int:
    return len(text) + sum("\u2e80" <= c <= "\uffef" for c in text)


def test_each_step_has_its_figures_in_all_and_by_day(machine: Machine) -> None:
    machine.log("route", "chat")
    machine.log("route", "coding", days_ago=1)
    machine.log("route", "coding", days_ago=1.2)
    for took in (1_000, 2_000, 30_000):
        machine.log("extract", "drafts", days_ago=1, took_us=took)
    machine.log("extract", "failed", days_ago=1, reason="it broke")
    found = machine.report()
    none = {"calls": 0, "tokens_in": 0, "tokens_out": 0}
    untimed = {"timed": 0, "median_us": None, "p95_us": None, **none}
    extract = {
        "step": "extract", "count": 4, "failed": 1, "verdicts": {"drafts": 3, "failed": 1},
        "timed": 3, "median_us": 2_000, "p95_us": 30_000, **none,
    }  # fmt: skip
    assert found["steps"] == [
        extract,
        {"step": "route", "count": 3, "failed": 0, "verdicts": {"coding": 2, "chat": 1}, **untimed},
    ]
    assert found["by_day"] == [
        {"day": "2025-10-09", "step": "route", "count": 1, "failed": 0, "verdicts": {"chat": 1}, **untimed},
        {"day": "2025-10-08", **extract},
        {"day": "2025-10-08", "step": "route", "count": 2, "failed": 0, "verdicts": {"coding": 2}, **untimed},
    ]
    lines = machine.text().splitlines()
    assert "extract     4       1  2.0 ms  30.0 ms  drafts 3, failed 1" in lines
    assert "2025-10-08  extract     4       1  2.0 ms  30.0 ms  drafts 3, failed 1" in lines


def test_days_are_whole_and_today_is_one_of_them(machine: Machine) -> None:
    for days_ago in (0.4, 0.6, 1.4, 1.6, 30):
        machine.log("route", "chat", days_ago=days_ago)

    def counted(days: int) -> list[tuple[str, int]]:
        return [(row["day"], row["count"]) for row in machine.report(days)["by_day"]]

    assert counted(1) == [("2025-10-09", 1)]
    assert counted(2) == [("2025-10-09", 1), ("2025-10-08", 2)]
    assert counted(60)[-1] == ("2025-09-09", 1)
    assert "today" in machine.text(1)
    assert "the last 2 days" in machine.text(2)


@pytest.mark.parametrize("days", [0, -1, 3_651])
def test_no_number_of_days_is_refused(machine: Machine, days: int) -> None:
    with pytest.raises(BadInput, match="--days is a number from 1 to 3,650"):
        machine.report(days)


def test_calls_of_models_are_counted_with_their_step_and_on_their_own(machine: Machine) -> None:
    machine.log("extract", "drafts", model="qwen-plus", tokens_in=1_800, tokens_out=40)
    machine.log("extract", "failed", model="qwen-plus", tokens_in=200)
    machine.log("extract", "drafts")
    found = machine.report()
    assert found["models"] == [
        {
            "day": "2025-10-09", "step": "extract", "model": "qwen-plus", "calls": 2, "failed": 1,
            "tokens_in": 2_000, "tokens_out": 40,
        }
    ]  # fmt: skip
    (row,) = found["steps"]
    assert (row["count"], row["calls"], row["tokens_in"], row["tokens_out"]) == (3, 2, 2_000, 40)
    assert (
        "2025-10-09  extract  qwen-plus      2       1      2,000          40" in machine.text().splitlines()
    )


def test_nothing_logged_is_said_in_words(machine: Machine) -> None:
    lines = machine.text().splitlines()
    assert lines[0] == "What was logged in the last 7 days; the log is kept for 90 days."
    assert {"No step was logged.", "No model was asked.", "queue     empty", "spool     0 waiting"} <= set(
        lines
    )


def test_the_queue_says_how_long_the_oldest_waits_and_what_went_wrong(machine: Machine) -> None:
    db = machine.memory.db
    for hours, key in ((3, "1"), (1, "2"), (0, "3")):
        db.write(jobs.enqueue, "distill", key, now=NOON - hours * 3_600 * SECOND_US)
    (job,) = db.write(jobs.claim, "distill", "me", now=NOON, lease_s=60)
    db.write(jobs.fail, job.id, "me", "KeyError: '词'\nat line 3 " + "x" * 200, now=NOON)
    db.write(jobs.claim, "distill", "me", now=NOON, lease_s=60)
    (queue,) = machine.report()["queue"]
    assert {name: queue[name] for name in ("kind", "waiting", "running", "failed")} == {
        "kind": "distill", "waiting": 2, "running": 1, "failed": 0,
    }  # fmt: skip
    assert queue["oldest_waiting_at"] == "2025-10-09T09:00:00+00:00"
    lines = machine.text().splitlines()
    assert "queue     distill: 2 waiting, the oldest for 3 hours, 1 running, 0 failed" in lines
    assert any(line.startswith("          last error: KeyError: '词' at line 3 xx") for line in lines)


def test_what_waits_in_the_spool_is_told(machine: Machine) -> None:
    record = spool.Record("claude-code", "Stop", {}, NOON - 5 * 60 * SECOND_US, {})
    spool.put(machine.memory.home, record)
    assert machine.report()["spool"] == {
        "waiting": 1, "oldest_at": "2025-10-09T11:55:00+00:00", "quarantined": 0,
    }  # fmt: skip
    assert "spool     1 waiting, the oldest for 5 minutes" in machine.text().splitlines()


def test_what_was_handed_is_counted_by_way_in_tokens_of_its_own_language(machine: Machine) -> None:
    machine.give("Releases are cut on Thursdays, at noon.", "hook", chars=400)
    machine.give("每周四中午发版本。", "hook", chars=90, session="s2")
    machine.give("The port is 5433.", "digest", chars=100)
    machine.give("The port was 5432.", "hook", chars=1_000, days_ago=8)
    machine.give("The host is ibis.", "tool", chars=0)
    machine.give("The host was heron.", "own", chars=0)
    hook, digest, tool = machine.report()["handed"]
    english, chinese = "Releases are cut on Thursdays, at noon.", "每周四中午发版本。"
    share = 400 * report.tokens(english) / len(english) + 90 * report.tokens(chinese) / len(chinese)
    assert hook == {"how": "hook", "sessions": 2, "memories": 2, "characters": 490, "tokens": round(share)}
    assert (digest["characters"], digest["memories"]) == (100, 1)
    assert tool == {"how": "tool", "sessions": 1, "memories": 1, "characters": None, "tokens": None}
    assert machine.report(30)["handed"][0]["characters"] == 1_490
    assert "with prompts                 2         2         490" in machine.text()
    assert "by tools, asked for          1         1           -       -" in machine.text()


def test_no_saving_is_claimed_that_nobody_counted(machine: Machine) -> None:
    machine.give("Releases are cut on Thursdays.", "hook", chars=400)
    found = machine.report()
    assert "saved" not in json.dumps({**found, "not_counted": []})
    assert found["not_counted"][-1].startswith("What was saved is not known: ")
    assert "What was saved is not known" in machine.text()


def test_no_line_is_wider_than_a_terminal_and_no_figure_is_cut(machine: Machine) -> None:
    for number in range(30):
        machine.log("extract", f"a verdict nobody foresaw, number {number}", took_us=number * 123_456_789)
    machine.log("a step with a name that goes on and on and on", "ok", model="a/model/of/" + "x" * 90)
    machine.log("提取", "失败原因很长" * 20)
    machine.memory.db.write(jobs.strike, "distill", "1", "错误" * 90, now=NOON)
    lines = machine.text().splitlines()
    assert max(map(columns, lines)) == 100
    # Han characters take two columns each; the figures after them stand under the same heads.
    for name, wide, figures in (
        ("extract", 0, "  30       0  1,851.9 s"),
        ("提取", 2, "   1       0          -"),
    ):
        assert any(line.startswith(name.ljust(24 - wide) + "  " + figures) for line in lines)


def test_the_command_prints_both_forms_and_refuses_like_every_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("BACKSTORY_EMBEDDER", "none")
    assert cli.main(["add", "Releases are cut on Thursdays."]) == 0
    capsys.readouterr()
    assert cli.main(["report"]) == 0
    assert "add " in capsys.readouterr().out
    assert cli.main(["report", "--days", "2", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert set(found) == {
        "format", "since", "days", "log_days", "steps", "by_day", "models", "queue", "vectors", "handed", "spool",
        "not_counted",
    }  # fmt: skip
    assert (found["days"], [row["step"] for row in found["steps"]]) == (
        2, ["add", "admit", "reconcile"],
    )  # fmt: skip
    assert cli.main(["report", "--days", "0"]) == 2
    assert capsys.readouterr().err.startswith("backstory: --days is a number")
