from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from backstory.store.db import Database

Git = Callable[..., str]
WHO = {
    f"GIT_{role}_{what}": "tester@example.invalid"
    for role in ("AUTHOR", "COMMITTER")
    for what in ("NAME", "EMAIL")
}


@pytest.fixture(autouse=True)
def _no_settings_of_this_machine(
    monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> None:
    for name in [name for name in os.environ if name.startswith("BACKSTORY_")]:
        monkeypatch.delenv(name)
    # Only for tests that need a folder is one made: it takes as long as hundreds of the others do.
    has_folder = "tmp_path" in request.fixturenames
    folder = request.getfixturevalue("tmp_path") if has_folder else tmp_path_factory.getbasetemp() / "none"
    monkeypatch.setenv("BACKSTORY_HOME", str(folder / "home"))


@pytest.fixture
def db(tmp_path: Path) -> Iterator[Database]:
    opened = Database.open(tmp_path / "backstory.db")
    yield opened
    opened.close()


@pytest.fixture
def git(tmp_path: Path) -> Git:
    """Run git in a folder, as nobody in particular, untouched by this machine's configuration."""

    def run(folder: Path, *args: str) -> str:
        env = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "GIT_CONFIG_NOSYSTEM": "1", **WHO}
        return subprocess.run(
            ["git", *args], cwd=folder, env=env, check=True, capture_output=True, text=True
        ).stdout

    return run
