"""A wipe that is killed, or that another process stands in the way of, is finished by whoever comes next."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from backstory.pipelines.forget import Forgotten
from backstory.server.memory import Memory

from .forgetting import nowhere
from .serving import environment

SECRET = "Quillfeather-77"
# Ends itself, as by kill -9, when so many steps are done.
KILLED = """
import os, signal, sys
from backstory import Memory
from backstory.server import forgetting
def kill():
    os.kill(os.getpid(), signal.SIGKILL)
def step(done, of):
    if done == min(int(sys.argv[3]), 3):
        # At 4: in the midst of what SQLite does next, which is to write the index anew.
        kill() if int(sys.argv[3]) < 4 else memory.db.alone(lambda con: con.set_progress_handler(kill, 5))
with Memory.open(sys.argv[1], embedder="hash") as memory:
    forgetting.delete(memory, sys.argv[2], forget=True, preview=False, progress=step)
"""
# Holds one moment of the file until its stdin ends.
READS = """
import sqlite3, sys
con = sqlite3.connect(sys.argv[1])
con.execute("begin")
con.execute("select count(*) from memory").fetchone()
print("reading", flush=True)
sys.stdin.read()
"""
# Has the file open, as a server does.
OPEN = """
import sys
from backstory import Memory
with Memory.open(sys.argv[1], embedder="none") as memory:
    print(len(memory.list().memories), flush=True)
    sys.stdin.readline()
    print(len(memory.search("herons").hits), len(memory.search("vault").hits), flush=True)
    memory.add("And pelicans.")
"""


def kept(home: Path) -> str:
    """The id of a memory in a new file, among others."""
    with Memory.open(home / "backstory.db", embedder="hash") as memory:
        memory.add("I like herons.")
        (added,) = memory.add(f"The vault opens with {SECRET} and nothing else.")
        memory.add(
            messages=[{"role": "user", "content": f"The vault opens with {SECRET} and nothing else, right?"}]
        )
        memory.tend()
        return added.short


def command(*args: str, home: Path, **more: str) -> str:
    done = subprocess.run(
        [sys.executable, "-P", "-m", "backstory", *args],
        env=environment(home, **more), cwd=home.parent, capture_output=True, text=True, check=True,
    )  # fmt: skip
    return done.stdout


@pytest.mark.parametrize("step", [1, 2, 3, 4])
def test_a_wipe_that_was_killed_is_finished_by_the_next_start(tmp_path: Path, step: int) -> None:
    home = tmp_path / "home"
    id_ = kept(home)
    file = str(home / "backstory.db")
    killed = subprocess.run([sys.executable, "-c", KILLED, file, id_, str(step)], check=False)
    assert killed.returncode == -signal.SIGKILL

    pending = json.loads(command("status", "--json", home=home))["wipe_pending"]
    if step < 3:  # nothing was acknowledged, and nothing is half gone
        assert pending is None
        assert SECRET in command("show", id_, home=home)
        return
    assert pending["why"] == "not begun"
    command("tend", home=home, BACKSTORY_EMBEDDER="hash")

    assert json.loads(command("status", "--json", home=home))["wipe_pending"] is None
    with Memory.open(file, embedder="none") as memory:
        assert nowhere(memory.db, home, SECRET)
        assert len(memory.search("herons").hits) == 1


def test_a_reader_that_does_not_let_go_puts_the_wipe_off_and_it_is_said(tmp_path: Path) -> None:
    home = tmp_path / "home"
    id_ = kept(home)
    file = home / "backstory.db"
    reader = subprocess.Popen(
        [sys.executable, "-c", READS, str(file)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    try:
        assert reader.stdout is not None
        assert reader.stdout.readline() == "reading\n"
        with Memory.open(file, embedder="none") as memory:
            done = memory.delete(id_, forget=True)
            assert isinstance(done, Forgotten)
            assert done.wiped.pending is not None
            assert memory.status()["wipe_pending"]["why"] == done.wiped.pending
            reader.communicate("")
            memory.tend()
            assert memory.status()["wipe_pending"] is None
            assert nowhere(memory.db, home, SECRET)
    finally:
        reader.kill()
        reader.wait()


def test_another_process_that_has_the_file_open_goes_on(tmp_path: Path) -> None:
    home = tmp_path / "home"
    id_ = kept(home)
    file = home / "backstory.db"
    other = subprocess.Popen(
        [sys.executable, "-c", OPEN, str(file)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    try:
        assert other.stdout is not None
        assert other.stdout.readline() == "3\n"
        answer = command("forget", id_, "--yes", home=home)
        assert "No byte of it is left" in answer
        with Memory.open(file, embedder="none") as memory:
            assert nowhere(memory.db, home, SECRET)
        out, _ = other.communicate("go\n")
        assert out == "1 0\n"
        with Memory.open(file, embedder="none") as memory:
            assert [m.text for m in memory.list().memories if "pelicans" in m.text]
            assert nowhere(memory.db, home, SECRET)
    finally:
        other.kill()
        other.wait()


def test_the_command_shows_asks_and_refuses_without_a_terminal(tmp_path: Path) -> None:
    home = tmp_path / "home"
    id_ = kept(home)
    run = [sys.executable, "-P", "-m", "backstory", "forget"]
    refused = subprocess.run(
        [*run, id_], env=environment(home), cwd=tmp_path, capture_output=True, text=True, check=False,
        stdin=subprocess.DEVNULL,
    )  # fmt: skip
    assert refused.returncode == 2
    assert "--preview" in refused.stderr
    assert "--yes" in refused.stderr
    shown = json.loads(command("forget", "--query", SECRET.lower(), "--preview", "--json", home=home))
    assert shown["done"] == "nothing"
    assert shown["memories"]["count"] == 1
    assert SECRET in command("show", id_, home=home)
    done = json.loads(command("forget", "--query", SECRET.lower(), "--yes", "--json", home=home))
    assert done["done"] == "forgotten"
    assert done["wipe"] == {"vacuumed": done["wipe"]["vacuumed"], "pending": None, "left": [], "backups": []}
    with Memory.open(home / "backstory.db", embedder="none") as memory:
        assert nowhere(memory.db, home, SECRET)
