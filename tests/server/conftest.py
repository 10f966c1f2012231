"""A memory that tools are called on, from a project's folder; a coding agent at work in a repository; a story told."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from backstory.server.memory import Memory
from backstory.store.db import Database

from .coding_agent import Agent, Git
from .shells import Shell
from .stories import Story


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    project = tmp_path / "project"
    project.mkdir()
    return project


@pytest.fixture
def memory(tmp_path: Path, folder: Path) -> Iterator[Memory]:
    with Memory.open(
        tmp_path / "home" / "backstory.db", folder=folder, source="test", embedder="none"
    ) as opened:
        yield opened


@pytest.fixture
def repo(tmp_path: Path, git: Git) -> Path:
    folder = tmp_path / "repo"
    folder.mkdir()
    git(folder, "init", "-q", "-b", "main")
    (folder / "pay.py").write_text("def other():\n    return 1\n\n\ndef fetch(url):\n    return get(url)\n")
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "base")
    return folder


@pytest.fixture
def agent(db: Database, tmp_path: Path, repo: Path) -> Iterator[Agent]:
    made = Agent(db, tmp_path / "home", repo)
    yield made
    made.following.stop()


@pytest.fixture
def story(db: Database, tmp_path: Path, folder: Path) -> Story:
    return Story(db, tmp_path / "home", folder)


@pytest.fixture
def shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Shell:
    home, folder = tmp_path / "home", tmp_path / "project"
    folder.mkdir()
    monkeypatch.setenv("BACKSTORY_HOME", str(home))
    monkeypatch.setenv("BACKSTORY_EMBEDDER", "none")
    monkeypatch.chdir(folder)
    return Shell(home, folder, capsys)
