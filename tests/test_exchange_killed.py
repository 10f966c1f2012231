"""Killed at any moment: the file is whole, nothing is lost, and doing it again completes it."""

from __future__ import annotations

import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from backstory import Memory
from backstory.bench.filling import fill
from backstory.store.rows import fetch

from .exchanging import state

# As many as are worth their time here; bench/exchange.py does the same with more, on a larger file.
KILLS = 6
LIMIT_S = 60


def command(home: Path, *args: str) -> subprocess.Popen[bytes]:
    """The real command, begun."""
    env = {**os.environ, "BACKSTORY_HOME": str(home), "BACKSTORY_EMBEDDER": "none"}
    return subprocess.Popen(
        [sys.executable, "-m", "backstory", *args], env=env, cwd=home.parent, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )  # fmt: skip


def killed_when(process: subprocess.Popen[bytes], moment: Callable[[], bool]) -> bool:
    """Kill it when that moment has come; whether it was still at work."""
    ends = time.monotonic() + LIMIT_S
    while process.poll() is None and not moment():
        assert time.monotonic() < ends
        # Not a wait for anything in particular: so long it is let run before it is looked at again.
        time.sleep(0.002)
    alive = process.poll() is None
    if alive:
        os.kill(process.pid, signal.SIGKILL)
    process.communicate()
    return alive


def count(path: Path, sql: str) -> int:
    """A number from the file, as any program sees it; 0 where there is none yet."""
    try:
        con = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    except sqlite3.Error:
        return 0
    try:
        return int(con.execute(sql).fetchone()[0])
    except sqlite3.Error:
        return 0
    finally:
        con.close()


def reached(path: Path, sql: str, stop: float) -> bool:
    """Whether so many rows are there."""
    return count(path, sql) >= stop


def written(folder: Path, name: str, stop: float) -> bool:
    """Whether so much of a file is written."""
    return any(part.stat().st_size > stop for part in folder.glob(name))


def sound(path: Path) -> None:
    """The file holds together, and every row has what it stands on."""
    with Memory.open(path, embedder="none") as memory:
        assert memory.db.read(fetch, "pragma integrity_check") == [("ok",)]
        assert memory.db.read(fetch, "pragma foreign_key_check") == []


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The home of a memory with some of everything."""
    home = tmp_path_factory.mktemp("filled") / "home"
    with Memory.open(home / "backstory.db", embedder="none") as memory:
        fill(memory, 300)
        memory.export(home / "out.jsonl")
    return home


def test_an_import_that_is_killed_again_and_again_completes(filled: Path, tmp_path: Path) -> None:
    chance = random.Random(5)
    home = tmp_path / "home"
    home.mkdir()
    file = home / "backstory.db"
    tables = ("turn", "event", "memory", "evidence", "thread", "body", "change", "round_commit")
    rows = "select " + " + ".join(f"(select count(*) from {table})" for table in tables)
    whole = count(filled / "backstory.db", rows)
    kills = 0
    for n in range(KILLS):
        # At a moment of chance within the next part of it; the last stop is near the end.
        stop = whole * (n + chance.random()) / KILLS
        process = command(home, "import", str(filled / "out.jsonl"))
        killed = killed_when(process, partial(reached, file, rows, stop))
        kills += killed
        sound(file)
    assert kills >= KILLS - 1
    done = command(home, "import", str(filled / "out.jsonl"))
    _, said = done.communicate(timeout=LIMIT_S)
    assert (done.returncode, said) == (0, b"")
    with (
        Memory.open(file, embedder="none") as memory,
        Memory.open(filled / "backstory.db", embedder="none") as other,
    ):
        assert state(memory.db) == state(other.db)


@pytest.mark.parametrize("what", ["export", "backup"])
def test_a_copy_that_is_killed_leaves_none_or_a_whole_one(filled: Path, tmp_path: Path, what: str) -> None:
    chance = random.Random(what)
    target = tmp_path / "copy"
    size = (
        (filled / "out.jsonl").stat().st_size
        if what == "export"
        else (filled / "backstory.db").stat().st_size
    )
    for _ in range(3):
        stop = chance.random() * size
        process = command(filled, what, str(target))
        killed_when(process, partial(written, tmp_path, ".copy.*.part", stop))
        assert not target.exists() or process.returncode == 0
        target.unlink(missing_ok=True)
    done = command(filled, what, str(target))
    done.communicate(timeout=LIMIT_S)
    assert done.returncode == 0
    assert [path.name for path in tmp_path.iterdir()] == ["copy"]
    sound(filled / "backstory.db")


def test_a_restore_that_is_killed_leaves_the_file_or_the_backup(filled: Path, tmp_path: Path) -> None:
    chance = random.Random(3)
    home, saved = tmp_path / "home", tmp_path / "saved.db"
    home.mkdir()
    with Memory.open(filled / "backstory.db", embedder="none") as memory:
        memory.backup(saved)
    with Memory.open(home / "backstory.db", embedder="none") as memory:
        memory.add("What is here now.")
    backed_up = count(saved, "select count(*) from memory")
    for _ in range(4):
        stop = chance.random() * saved.stat().st_size
        process = command(home, "restore", str(saved), "--yes")
        killed_when(process, partial(written, home, ".backstory.db.*.restoring", stop))
        assert count(home / "backstory.db", "select count(*) from memory") in (1, backed_up)
        sound(home / "backstory.db")
    done = command(home, "restore", str(saved), "--yes")
    done.communicate(timeout=LIMIT_S)
    assert done.returncode == 0
    assert count(home / "backstory.db", "select count(*) from memory") == backed_up
    # The file that was there before the first that came to its end is beside it.
    assert 1 in {count(path, "select count(*) from memory") for path in home.glob("backstory.db.before-*")}
    assert not list(home.glob(".backstory.db.*"))
