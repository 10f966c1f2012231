"""The user's repository stays as it is, byte for byte; what git throws away is kept elsewhere, without secrets."""

from __future__ import annotations

import json
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from backstory.pipelines.code.history import Away
from backstory.server import code_answers
from backstory.server.memory import Memory
from backstory.store import clock
from backstory.store.db import Database
from backstory.store.rows import fetch

from ..pipelines.secret_shapes import Shape, shapes
from .coding_agent import Agent, Git, on_disk

FETCH = "def fetch(url):\n    return get(url)"
VERSIONS = [
    f"def fetch(url):\n    for _ in range({n}):\n        return get(url, timeout={n})" for n in (3, 5, 9)
]


class Watched(Agent):
    """An agent whose every hook is checked to leave all of the repository as it found it."""

    heard = 0

    def hook(self, event: str, *, late: bool = False, **payload: Any) -> str:
        before = on_disk(self.folder)
        said = super().hook(event, late=late, **payload)
        assert on_disk(self.folder) == before, event
        self.heard += 1
        return said


@pytest.fixture
def watched(db: Database, tmp_path: Path, repo: Path) -> Iterator[Watched]:
    made = Watched(db, tmp_path / "home", repo)
    yield made
    made.following.stop()


def test_a_session_of_edits_commits_branches_and_stashes_leaves_the_repository_alone(
    watched: Watched, repo: Path, git: Git
) -> None:
    for name in ("post-checkout", "post-commit", "post-index-change", "reference-transaction", "fsmonitor"):
        hook = repo / ".git" / "hooks" / name
        hook.write_text('#!/bin/sh\ndate +%s%N >> "$(git rev-parse --git-dir)/ran"\n')
        hook.chmod(0o755)
    git(repo, "config", "core.fsmonitor", ".git/hooks/fsmonitor")
    (repo / ".gitignore").write_text("*.log\n")
    (repo / "noise.log").write_text("x\n")
    watched.hook("SessionStart", source="startup")

    def on_a_branch(n: int) -> None:
        git(repo, "checkout", "-q", "-b", f"try/{n}")

    for n, version in enumerate(VERSIONS):
        watched.asks(f"Step {n}")
        watched.runs("git checkout -b", partial(on_a_branch, n))
        watched.edits("pay.py", FETCH, version)
        watched.writes(f"new{n}.py", "def new():\n    return 1\n")
        watched.runs("git add", lambda: git(repo, "add", "-A"))
        watched.runs("git commit", lambda: git(repo, "commit", "-qm", "step"))
        watched.edits("pay.py", version, version + "  # later")
        watched.runs("git stash", lambda: git(repo, "stash"))
        watched.runs("git stash pop", lambda: git(repo, "stash", "pop", "-q"))
        watched.runs("git commit --amend", lambda: git(repo, "commit", "-q", "--amend", "--no-edit", "-a"))
        watched.runs("git checkout main", lambda: git(repo, "checkout", "-q", "main"))
        watched.ends()
    watched.hook("SessionEnd", reason="exit")
    assert watched.heard == 2 + 3 * 12
    assert len(watched.db.read(fetch, "select id from change where actor = 'agent'")) >= 9
    before = on_disk(repo)
    with Memory.open(watched.db.path, folder=repo, embedder="none") as memory:
        memory.import_git()
        assert memory.code().get("pay.py::fetch")
    assert on_disk(repo) == before


@contextmanager
def read_only(folder: Path) -> Iterator[None]:
    """The folder as nobody may write into it (root may all the same: then only what is in it is compared)."""
    every = [folder, *folder.rglob("*")]
    modes = {path: stat.S_IMODE(path.lstat().st_mode) for path in every if not path.is_symlink()}
    for path in reversed(list(modes)):
        path.chmod(modes[path] & 0o555)
    try:
        yield
    finally:
        for path, mode in modes.items():
            path.chmod(mode)


def test_versions_are_kept_where_the_repository_may_only_be_read(watched: Watched, repo: Path) -> None:
    with read_only(repo / ".git"):
        for version, last in zip(VERSIONS, [FETCH, *VERSIONS], strict=False):
            watched.asks("Another")
            watched.edits("pay.py", last, version)
            watched.ends()
    assert watched.texts("pay.py::fetch") == VERSIONS


@pytest.mark.parametrize("lock", ["index.lock", "HEAD.lock", "refs/heads/main.lock"])
def test_versions_are_kept_while_git_holds_a_lock(watched: Watched, repo: Path, lock: str) -> None:
    (repo / ".git" / lock).write_bytes(b"")
    watched.asks("Another")
    watched.edits("pay.py", FETCH, VERSIONS[0])
    watched.runs("sed", lambda: (repo / "pay.py").write_text(VERSIONS[1] + "\n"))
    watched.ends()
    assert watched.texts("pay.py::fetch") == VERSIONS[:2]
    assert (repo / ".git" / lock).exists()


def lost_by_checkout(repo: Path, git: Git) -> None:
    git(repo, "checkout", "--", "pay.py")


def lost_in_a_stash(repo: Path, git: Git) -> None:
    git(repo, "stash")
    git(repo, "stash", "drop")


def lost_with_its_branch(repo: Path, git: Git) -> None:
    git(repo, "commit", "-qam", "nine")
    git(repo, "checkout", "-q", "main")
    git(repo, "branch", "-qD", "try")


@pytest.mark.parametrize("lose", [lost_by_checkout, lost_in_a_stash, lost_with_its_branch])
def test_versions_that_were_never_kept_by_git_are_read_by_symbol_with_time_branch_and_turn(
    agent: Agent, repo: Path, git: Git, lose: Callable[[Path, Git], None]
) -> None:
    git(repo, "checkout", "-qb", "try")
    asked = ["Three tries", "Five tries", "Nine tries"]
    began = clock.now()
    for words, version, last in zip(asked, VERSIONS, [FETCH, *VERSIONS], strict=False):
        agent.asks(words)
        agent.edits("pay.py", last, version)
        agent.ends()
    lose(repo, git)
    git(repo, "checkout", "-q", "main")
    if lose is not lost_with_its_branch:
        git(repo, "branch", "-qD", "try")
    git(repo, "reflog", "expire", "--expire=now", "--all")
    git(repo, "gc", "-q", "--prune=now")
    agent.asks("What now?")
    agent.ends()
    with Memory.open(agent.db.path, folder=repo, embedder="none") as memory:
        code = memory.code()
        (seen,) = code.get("pay.py::fetch")
        tried = seen.chain.versions[:3]
        assert [code.text(one) for one in tried] == VERSIONS
        assert [(one.round.words, one.round.branch) for one in tried] == [(words, "try") for words in asked]
        moments = [one.round.happened_at for one in tried]
        assert began <= moments[0] < moments[1] < moments[2] <= clock.now()
        turns = [one.round.turn for one in tried]
        rows = agent.db.read(fetch, "select id from turn order by id limit 3")
        assert turns == [row[0] for row in rows]
        assert [one.undone for one in tried] == [True] * 3
        assert tried[0].away == Away("deleted", "try")
        for n, version in enumerate(VERSIONS, start=1):
            said = code_answers.place_text(code, f"pay.py::fetch@{n}")
            assert version in said


PLANTED = shapes(seed=23)
SAFE_IN_NAMES = [shape for shape in PLANTED if shape.token and "/" not in shape.text]


def test_a_secret_in_code_in_a_commit_and_in_a_name_is_nowhere_but_on_the_users_disk(
    agent: Agent, repo: Path, git: Git
) -> None:
    code = "".join(f"def use{n}():\n    return '''{shape.text}'''\n\n\n" for n, shape in enumerate(PLANTED))
    loose = "\n\n\n\n\n".join(shape.text for shape in PLANTED)
    agent.asks("Write down what we have")
    agent.writes("keys.py", code)
    agent.writes("notes.txt", loose)
    agent.edits("keys.py", "def use0():", "def use_0():")

    def named() -> None:
        for n, shape in enumerate(SAFE_IN_NAMES):
            (repo / f"backup-{shape.text}.py").write_text(f"def held{n}():\n    return {n}\n")
            (repo / f"backup-{shape.text}.bin").write_bytes(b"\0\1")
            (repo / f"{shape.text}.txt").write_text("words\n")

    agent.runs("make backups", named)
    git(repo, "add", "-A")
    for shape in PLANTED:
        (repo / "pay.py").write_text(f"def fetch(url):\n    return {len(shape.name)}\n")
        git(
            repo,
            "commit",
            "-qam",
            f"fix: rotate credentials\n\nold value was {shape.text}\n",
            "--allow-empty",
        )
    agent.runs("git commit", lambda: None)
    agent.ends()
    agent.asks("And now?")
    agent.ends()
    with Memory.open(agent.db.path, folder=repo, embedder="none") as memory:
        memory.import_git()
        read = answers(memory)
    assert len(read) > 100_000
    assert "[redacted:" in read
    wal = agent.db.path.with_name(agent.db.path.name + "-wal")
    held = {"answers": read.encode(), "database": agent.db.path.read_bytes(), "wal": wal.read_bytes()}
    agent.db.checkpoint()
    held["database after"] = agent.db.path.read_bytes()
    assert leaks(PLANTED, held) == []


def test_a_file_whose_name_holds_a_secret_is_noted_each_time_that_it_changes(
    agent: Agent, repo: Path
) -> None:
    token = "gh" + "p_" + "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8"
    (repo / f"{token}.bin").write_bytes(b"\0\1")
    agent.asks("Make it longer")
    agent.runs("make", lambda: (repo / f"{token}.bin").write_bytes(b"\0" * 9))
    agent.ends()
    agent.asks("Is it there?")
    agent.ends()
    agent.asks("Now drop it")
    agent.runs("rm", (repo / f"{token}.bin").unlink)
    agent.ends()
    (chain,) = agent.code().find(agent.code().asked)
    assert [(one.round.words, one.round.status) for one in chain.versions] == [
        ("Make it longer", "modified"),
        ("Now drop it", "deleted"),
    ]
    assert agent.code().get(f"{token}.bin")[0].chain.thread == chain.thread


def answers(memory: Memory) -> str:
    """All that is told of any place, in every form."""
    code = memory.code()
    chains = code.find(code.asked, limit=1000)
    names = sorted({one.thread.name for one in chains})
    said = [code.block(chains, budget_chars=10_000_000, threads=1000).text]
    for name in names:
        said += [code_answers.place_text(code, name, full=True), code_answers.place_json(code, name)]
        if len(code.get(name)) == 1:
            first = code.get(name)[0].chain.versions[0].round.n
            said += [code_answers.place_text(code, f"{name}@{first}..now", full=True)]
            said += [code_answers.place_text(code, f"{name}@{first}", full=True)]
    return "\n".join(said)


def leaks(planted: list[Shape], held: dict[str, bytes]) -> list[tuple[str, str]]:
    """Where which secret still stands."""
    return [
        (place, shape.name)
        for place, content in held.items()
        for shape in planted
        if any(part.encode() in content or json.dumps(part)[1:-1].encode() in content for part in shape.parts)
    ]


def test_snapshots_are_for_their_owner_alone(agent: Agent) -> None:
    agent.asks("Another")
    agent.edits("pay.py", FETCH, VERSIONS[0])
    for path in (agent.home / "snapshots", *(agent.home / "snapshots").iterdir()):
        assert stat.S_IMODE(path.stat().st_mode) == 0o700
