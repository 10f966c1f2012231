"""A worktree is followed from look to look: what git did is only counted, and git is waited for once."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest
from backstory.pipelines.code import follow
from backstory.pipelines.code.follow import Follower
from backstory.pipelines.code.observe import Whose
from backstory.pipelines.code.symbol_edits import By
from backstory.pipelines.git.moments import MAX_EDITS
from backstory.pipelines.git.moves import Move, branch_at, lock
from backstory.store import clock, workspaces
from backstory.store.db import Database
from backstory.store.rows import fetch

from .repos import Repo, started

WAIT_S = 20
HUMAN = By("human")


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    return started(tmp_path)


@pytest.fixture
def follower(db: Database, tmp_path: Path, repo: Repo) -> Follower:
    workspace = db.write(workspaces.register, [("folder", "folder:x")], "x", now=1)
    whose = Whose("me", workspace, (workspace,))
    made = Follower(db, tmp_path / "home", repo.where(), whose, now=clock.now)
    made.look(HUMAN, at=clock.now())
    return made


def changes(db: Database) -> list[tuple[str, int, int]]:
    return db.read(fetch, "select actor, bulk, files from change order by id")


def ahead(repo: Repo, files: int) -> None:
    repo.git("checkout", "-q", "-b", "ahead")
    for n in range(files):
        repo.write(f"new/{n}.txt", f"{n}\n")
    repo.commit("ahead")
    repo.git("checkout", "-q", "main")


@pytest.mark.parametrize(("files", "bulk"), [(1, 0), (MAX_EDITS + 1, 1)])
def test_what_git_did_is_counted_and_is_bulk_only_above_the_limit(
    db: Database, repo: Repo, follower: Follower, files: int, bulk: int
) -> None:
    ahead(repo, files)
    follower.look(HUMAN, at=clock.now())
    repo.git("merge", "-q", "ahead")
    follower.look(HUMAN, at=clock.now())
    assert changes(db) == [("git", bulk, files)]


def test_an_edit_is_no_bulk_and_very_many_are(db: Database, repo: Repo, follower: Follower) -> None:
    repo.write("lib/b.py", "def f():\n    return 2\n")
    follower.look(HUMAN, at=clock.now())
    for n in range(MAX_EDITS + 1):
        repo.write(f"new/{n}.txt", f"{n}\n")
    follower.look(HUMAN, at=clock.now())
    assert changes(db) == [("human", 0, 1), ("human", 1, MAX_EDITS + 1)]


def looks(follower: Follower) -> threading.Thread:
    looking = threading.Thread(target=follower.look, args=(HUMAN,), kwargs={"at": clock.now()}, daemon=True)
    looking.start()
    return looking


def test_a_lock_that_is_left_over_is_waited_for_once(
    repo: Repo, follower: Follower, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(follow, "BUSY_S", 0.0)
    left_over = repo.write(".git/index.lock", "")
    follower.look(HUMAN, at=clock.now())
    monkeypatch.setattr(follow, "BUSY_S", 3600.0)
    looking = looks(follower)
    looking.join(WAIT_S)
    assert not looking.is_alive()
    # Another one is git at work.
    os.utime(left_over, ns=(1, 1))
    looking = looks(follower)
    assert lock(repo.where()) == (1, left_over.stat().st_ino)
    left_over.unlink()
    looking.join(WAIT_S)
    assert (looking.is_alive(), lock(repo.where())) == (False, None)


def test_a_secret_in_the_name_of_a_branch_is_marked_before_anything_is_written(
    db: Database, repo: Repo, follower: Follower
) -> None:
    token = "ghp_" + "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8"
    repo.git("checkout", "-q", "-b", f"feat-{token}")
    repo.write("lib/b.py", "def f():\n    return 2\n")
    repo.write("notes.txt", "one\n")
    follower.look(HUMAN, at=clock.now())
    repo.commit("two")
    follower.look(HUMAN, at=clock.now())
    repo.git("checkout", "-q", "main")
    follower.look(HUMAN, at=clock.now())
    repo.git("checkout", "-q", "-")
    follower.look(HUMAN, at=clock.now())
    branches = {row[0] for row in db.read(fetch, "select branch from change where actor = 'human'")}
    assert len(branches) == 1
    assert branches.pop().startswith("feat-[redacted:")
    assert [told for told in everything(db) if token in told] == []
    assert any("feat-[redacted:" in told for told in everything(db))


def everything(db: Database) -> list[str]:
    """Every text and blob that the file holds in the clear."""
    found = []
    for (name,) in db.read(fetch, "select name from sqlite_master where type = 'table'"):
        if "_fts" not in name and not name.startswith("vec"):
            found += [str(value) for row in db.read(fetch, f'select * from "{name}"') for value in row]
    return found


def test_the_branch_of_a_moment_is_told_by_how_head_left_it() -> None:
    found = [
        Move("checkout", "1", "1", "checkout: moving from main to side", 0),
        Move("commit", "1", "2", "commit: moving from here to there", 0),
        Move("checkout", "2", "1", f"checkout: moving from side to {'a' * 40}", 0),
        Move("checkout", "1", "1", f"checkout: moving from {'a' * 40} to other", 0),
    ]
    assert [branch_at(found, n, "other") for n in range(5)] == ["main", "side", "side", None, "other"]
    assert branch_at([], 0, None) is None


def test_old_snapshots_are_let_go_of_and_nothing_is_missed(
    db: Database, repo: Repo, follower: Follower, tmp_path: Path
) -> None:
    objects = next((tmp_path / "home" / "snapshots").iterdir()) / "objects"

    def kept() -> int:
        return sum(1 for path in objects.rglob("*") if path.is_file())

    for n in range(30):
        repo.write("lib/b.py", f"def f():\n    return {n}\n")
        follower.look(HUMAN, at=clock.now())
    many = kept()
    follower.tidy(most_bytes=0)
    assert kept() < many / 5
    made = len(changes(db))
    follower.look(HUMAN, at=clock.now())
    assert len(changes(db)) == made
    repo.write("lib/b.py", "def f():\n    return 'next'\n")
    # What is not looked at yet is no reason to let go of what it has to be compared with.
    many = kept()
    follower.tidy(most_bytes=0)
    assert kept() >= many
    assert follower.look(HUMAN, at=clock.now()) == 1
