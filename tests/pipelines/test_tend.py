"""Work in the background: it survives kills, answers meanwhile, tells how far it is, and stops when asked."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Sequence
from pathlib import Path

import pytest
from backstory.pipelines import embedding, reindex, tend, upkeep_tasks
from backstory.pipelines.embed_hash import HashEmbedder
from backstory.pipelines.embedding import Progress
from backstory.pipelines.tend import Tender, once
from backstory.store import deliveries, jobs, workspaces
from backstory.store.clock import DAY_US
from backstory.store.db import Database
from backstory.store.rows import fetch

from ..shelf import T0, shelve
from .clients_at_work import Client
from .working import Clock, Moody, embedded, found, in_step

WAIT_S = 20
# Sooner than a file that nobody writes to is looked at by itself.
SOON_S = 15


@pytest.fixture(autouse=True)
def _no_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (tend, reindex):
        monkeypatch.setattr(module, "BREATH_S", 0)


HALF_DONE = """
import sys
from pathlib import Path
from backstory.pipelines import tend
from backstory.pipelines.embed_hash import HashEmbedder
from backstory.store.db import Database

class Telling(HashEmbedder):
    batch = 2
    def passages(self, texts):
        print("embedding", flush=True)
        if sys.stdin.readline() == "":
            raise SystemExit
        return super().passages(texts)

tend.once(Database.open(Path(sys.argv[1])), Telling(16), cut=None, clock=lambda: int(sys.argv[2]))
"""


def test_a_worker_killed_while_embedding_is_followed_by_another_that_goes_on(db: Database) -> None:
    db.write(shelve, [f"memory {n}" for n in range(20)])
    clock = Clock()
    child = subprocess.Popen(
        [sys.executable, "-c", HALF_DONE, str(db.path), str(clock())],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=db.path.parent,
    )  # fmt: skip
    assert child.stdout
    assert child.stdin
    for _ in range(4):
        assert child.stdout.readline() == "embedding\n"
        child.stdin.write("go on\n")
        child.stdin.flush()
    assert child.stdout.readline() == "embedding\n"
    child.kill()
    child.communicate(timeout=WAIT_S)
    assert db.read(embedded) == 8
    embedder = Moody()
    assert once(db, embedder, cut=None, clock=clock).state == "elsewhere"
    clock.move(embedding.LEASE_S + 1)
    assert once(db, embedder, cut=None, clock=clock) == Progress("idle", "hash-16", 12)
    assert db.read(in_step)


def test_once_does_all_that_waits_and_tells_how_far_it_is(db: Database) -> None:
    db.write(shelve, [f"memory {n}" for n in range(10)])
    told: list[tuple[int, int]] = []
    embedder = Moody()
    assert tend.waiting(db, embedder, now=T0) == 10
    done = once(db, embedder, cut=None, clock=Clock(), progress=lambda n, of: told.append((n, of)))
    assert done == Progress("idle", "hash-16", 10)
    assert (told[-1], tend.waiting(db, embedder, now=T0)) == ((10, 10), 0)
    assert once(db, embedder, cut=None, clock=Clock()).embedded == 0
    assert once(db, None, cut=None, clock=Clock(), why_not="none is set").state == "off"
    assert not Path(f"{db.path}-wal").stat().st_size


class Waited(HashEmbedder):
    """Lets a test wait for an embedding, and hold one up."""

    batch = 1

    def __init__(self) -> None:
        super().__init__(16)
        self.began, self.may_end, self.ended = (
            threading.Semaphore(0),
            threading.Event(),
            threading.Semaphore(0),
        )

    def passages(self, texts: Sequence[str]) -> list[bytes]:
        self.began.release()
        assert self.may_end.wait(WAIT_S)
        self.ended.release()
        return super().passages(texts)


def test_what_sessions_were_given_is_forgotten_a_month_after_they_fell_silent(db: Database) -> None:
    clock = Clock()
    month = upkeep_tasks.GIVEN_DAYS * DAY_US
    for name, at in (("old", clock() - month - DAY_US), ("young", clock() - month + DAY_US)):
        db.write(deliveries.give_root, "cursor", name, "root", "h", at=at)
    once(db, None, cut=None, clock=clock)
    assert db.read(fetch, "select session from delivery") == [("young",)]


def test_the_tender_embeds_what_is_written_and_stops(db: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tend, "POLL_S", 0.01)
    embedder = Waited()
    embedder.may_end.set()
    tender = Tender(db, embedder)
    tender.start()
    for n in range(3):
        db.write(shelve, [f"memory {n}"])
        assert embedder.ended.acquire(timeout=WAIT_S)
    assert tender.stop(WAIT_S)
    assert tender.progress == Progress("idle", "hash-16", 3)
    assert db.read(in_step)
    assert db.read(jobs.holder, embedding.LEASE, now=T0) is None


def test_what_an_edit_leaves_is_drawn_when_its_moment_comes_though_nobody_writes(
    db: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tend, "POLL_S", 0.01)
    workspace = db.write(workspaces.register, [("folder", "/repo")], "repo", now=1)
    client, clock, embedder = Client(db, workspace=workspace), Clock(), Waited()
    client.asks("Fix the flaky upload test.")
    client.edits("tests/test_upload.py")
    client.replies()
    clock.now = client.now
    embedder.may_end.set()
    tender = Tender(db, embedder, clock=clock)
    tender.start()
    assert embedder.ended.acquire(timeout=WAIT_S)  # the turn's own memory
    while tender.progress.state != "idle":
        assert not embedder.ended.acquire(timeout=0.01)
    # Let the tender come to rest.
    assert not embedder.ended.acquire(timeout=0.2)
    clock.move(5)
    assert embedder.ended.acquire(timeout=SOON_S)  # the fact that was drawn from it
    assert tender.stop(WAIT_S)
    assert db.read(fetch, "select kind from memory order by id", ()) == [("turn",), ("fact",)]


def test_the_tender_can_be_stopped_before_it_starts_while_idle_and_in_the_middle(db: Database) -> None:
    assert Tender(db, Waited()).stop(WAIT_S)
    idle = Tender(db, None)
    idle.start()
    assert idle.stop(WAIT_S)
    db.write(shelve, [f"memory {n}" for n in range(5)])
    embedder = Waited()
    busy = Tender(db, embedder)
    busy.start()
    assert embedder.began.acquire(timeout=WAIT_S)
    assert not busy.stop(0)
    embedder.may_end.set()
    assert busy.stop(WAIT_S)
    assert db.read(embedded) <= 1


def test_questions_are_answered_while_the_worker_embeds(db: Database) -> None:
    ids = db.write(shelve, [f"memory {n}" for n in range(3)])
    embedder = Waited()
    embedder.may_end.set()
    once(db, embedder, cut=None)
    embedder.may_end.clear()
    db.write(shelve, ["one more"])
    tender = Tender(db, embedder)
    tender.start()
    for _ in range(4):
        assert embedder.began.acquire(timeout=WAIT_S)
    assert found(db, embedder, "memory 1")[0] == ids[1]
    assert db.write(shelve, ["written meanwhile"])
    embedder.may_end.set()
    assert tender.stop(WAIT_S)


def test_a_failure_of_the_worker_itself_is_logged_once_and_it_goes_on(
    db: Database, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(tend, "UNCHANGED_S", 0)
    failed, recovered = threading.Event(), threading.Event()

    class Broken(HashEmbedder):
        def passages(self, texts: Sequence[str]) -> list[bytes]:
            if not failed.is_set():
                failed.set()
                raise RuntimeError("a bug")
            recovered.set()
            return super().passages(texts)

    db.write(shelve, ["one"])
    tender = Tender(db, Broken(16))
    tender.start()
    assert recovered.wait(WAIT_S)
    assert tender.stop(WAIT_S)
    assert caplog.text.count("RuntimeError: a bug") == 1
