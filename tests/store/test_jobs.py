"""Work that must happen once: claimed by one, tried three times, leased until it runs out."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from backstory.store import jobs
from backstory.store.clock import SECOND_US
from backstory.store.db import Database
from backstory.store.jobs import FailedJob, Job, JobCounts, Lease

T0 = 1_760_000_000_000_000
MINUTE = 60 * SECOND_US
WAIT_1, WAIT_2 = (s * SECOND_US for s in jobs.BACKOFF_S)


def claim(db: Database, owner: str = "a", *, now: int = T0, limit: int = 1) -> list[Job]:
    return db.write(jobs.claim, "extract", owner, now=now, lease_s=60, limit=limit)


def test_a_job_of_the_same_kind_and_key_is_enqueued_once(db: Database) -> None:
    first = db.write(jobs.enqueue, "extract", "t1", {"turn": 1}, now=T0)
    assert db.write(jobs.enqueue, "extract", "t1", {"turn": 2}, now=T0) == first
    db.write(jobs.enqueue, "decay", "t1", now=T0)
    assert db.read(jobs.counts) == {"decay": JobCounts(1), "extract": JobCounts(1)}
    assert claim(db) == [Job(first, "extract", "t1", {"turn": 1}, 1)]


def test_a_claimed_job_is_its_owners_alone_until_done(db: Database) -> None:
    for key in ("t1", "t2", "t3"):
        db.write(jobs.enqueue, "extract", key, now=T0)
    mine, theirs = claim(db, "a", limit=2), claim(db, "b", limit=2)
    assert [[job.key for job in some] for some in (mine, theirs)] == [["t1", "t2"], ["t3"]]
    assert not db.write(jobs.done, mine[0].id, "b")
    assert db.write(jobs.done, mine[0].id, "a")
    assert not db.write(jobs.done, mine[0].id, "a")
    assert db.read(jobs.counts) == {"extract": JobCounts(running=2)}


def test_a_job_waits_for_its_moment(db: Database) -> None:
    db.write(jobs.enqueue, "extract", "t1", now=T0, not_before_at=T0 + MINUTE)
    assert claim(db, now=T0 + MINUTE - 1) == []
    assert len(claim(db, now=T0 + MINUTE)) == 1


def test_a_failing_job_backs_off_and_is_quarantined_after_the_third_try(db: Database) -> None:
    db.write(jobs.enqueue, "extract", "t1", now=T0)
    now = T0
    for tried, wait in ((1, WAIT_1), (2, WAIT_2)):
        (job,) = claim(db, now=now)
        assert job.tries == tried
        assert db.write(jobs.fail, job.id, "a", f"failure {tried}", now=now)
        assert claim(db, now=now + wait - 1) == []
        now += wait
    (job,) = claim(db, now=now)
    assert db.write(jobs.fail, job.id, "a", "failure 3", now=now)
    assert claim(db, now=now + 1000 * MINUTE) == []
    assert db.read(jobs.failures) == [FailedJob("extract", "t1", 3, "failure 3")]
    assert db.write(jobs.retry) == 1
    assert claim(db, now=now)[0].tries == 1


def test_a_job_whose_worker_dies_is_claimed_again_and_quarantined_after_three_deaths(db: Database) -> None:
    db.write(jobs.enqueue, "extract", "t1", now=T0)
    owners = [claim(db, owner, now=T0 + n * MINUTE) for n, owner in enumerate("abcde")]
    assert [len(claimed) for claimed in owners] == [1, 1, 1, 0, 0]
    assert db.read(jobs.failures) == [FailedJob("extract", "t1", 3, "its worker ended before it did")]


def test_a_worker_that_was_overtaken_cannot_finish_the_job(db: Database) -> None:
    db.write(jobs.enqueue, "extract", "t1", now=T0)
    (slow,) = claim(db, "a")
    (taken,) = claim(db, "b", now=T0 + MINUTE)
    assert not db.write(jobs.done, slow.id, "a")
    assert not db.write(jobs.fail, slow.id, "a", "late", now=T0 + MINUTE)
    assert db.write(jobs.done, taken.id, "b")


def test_a_job_asked_for_again_while_it_runs_runs_again(db: Database) -> None:
    db.write(jobs.enqueue, "extract", "t1", {"v": 1}, now=T0)
    (running,) = claim(db)
    db.write(jobs.enqueue, "extract", "t1", {"v": 2}, now=T0)
    assert not db.write(jobs.done, running.id, "a")
    assert claim(db) == [Job(running.id, "extract", "t1", {"v": 2}, 1)]


def test_struck_work_rests_and_is_quarantined_at_the_third_stroke(db: Database) -> None:
    verdicts = [db.write(jobs.strike, "embed", "7", f"no {n}", now=T0) for n in (1, 2, 3)]
    assert verdicts == ["waiting", "waiting", "failed"]
    assert db.read(jobs.failures) == [FailedJob("embed", "7", 3, "no 3")]
    db.write(jobs.clear, "embed", "7")
    assert db.read(jobs.counts) == {}


def test_a_lease_is_held_by_one_until_it_runs_out_or_is_given_back(db: Database) -> None:
    def take(owner: str, now: int) -> bool:
        return db.write(jobs.take, "embed", owner, now=now, for_s=60)

    assert take("a", T0)
    assert not take("b", T0 + MINUTE - 1)
    assert db.read(jobs.holder, "embed", now=T0) == Lease("embed", "a", T0 + MINUTE)
    assert take("a", T0 + MINUTE - 1)
    assert take("b", T0 + 2 * MINUTE)
    assert not db.write(jobs.renew, "embed", "a", now=T0 + 2 * MINUTE, for_s=60)
    db.write(jobs.release, "embed", "a")
    assert db.read(jobs.holder, "embed", now=T0 + 2 * MINUTE) == Lease("embed", "b", T0 + 3 * MINUTE)
    db.write(jobs.release, "embed", "b")
    assert db.read(jobs.holder, "embed", now=T0 + 2 * MINUTE) is None
    assert take("c", T0 + 2 * MINUTE)


CONTENDER = """
import sys
from pathlib import Path
from backstory.store import jobs
from backstory.store.db import Database
db = Database.open(Path(sys.argv[1]))
print("ready", flush=True)
sys.stdin.readline()
print(db.write(jobs.take, "embed", sys.argv[2], now=int(sys.argv[3]), for_s=60), flush=True)
"""


@pytest.mark.parametrize("contenders", [4])
def test_of_several_processes_one_gets_the_lease(db: Database, contenders: int) -> None:
    children = [
        subprocess.Popen(
            [sys.executable, "-c", CONTENDER, str(db.path), f"owner{n}", str(T0)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=Path(db.path).parent,
        )
        for n in range(contenders)
    ]  # fmt: skip
    for child in children:
        assert child.stdout
        assert child.stdout.readline() == "ready\n"
    answers = [child.communicate("go\n", timeout=20)[0] for child in children]
    assert sorted(answers) == ["False\n"] * (contenders - 1) + ["True\n"]
    holder = db.read(jobs.holder, "embed", now=T0)
    assert holder is not None
    assert holder.owner == f"owner{answers.index('True' + chr(10))}"
