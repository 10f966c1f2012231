"""The watch over a worktree and the hooks outlive whatever becomes of repository, disk and process."""

from __future__ import annotations

import contextlib
import itertools
import logging
import os
import random
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from backstory.pipelines.code.follow import Follower
from backstory.pipelines.code.observe import Whose
from backstory.pipelines.code.symbol_edits import By
from backstory.pipelines.git import worktree
from backstory.pipelines.git.git_files import look
from backstory.server.watching import Watcher
from backstory.store import bodies, clock, workspaces
from backstory.store.db import Database
from backstory.store.rows import fetch

from .coding_agent import WAIT_S, Agent, Git

BASE = "def other():\n    return 1\n\n\ndef fetch(url):\n    return get(url)\n"
KILLS = 15
# Git processes that one look may take, however many files there are: each takes its time from the user's machine.
PROCESSES = 40


def text(n: int) -> str:
    return BASE.replace("get(url)", f"get(url, {n})")


def versions(db: Database) -> list[tuple[str, str]]:
    """Place and actor of every round."""
    return db.read(
        fetch,
        """
        select place.path || '::' || place.symbol, change.actor
        from round join change on change.id = round.change join place on place.id = round.place
        order by round.id""",
    )


def left(db: Database) -> list[str]:
    """What each version of `fetch` left."""
    rows = db.read(
        fetch,
        """
        select body.packed from round join place on place.id = round.place join body on body.id = round.after
        where place.symbol = 'fetch' order by round.id""",
    )
    return [bodies.unpack(packed).decode() for (packed,) in rows]


def made(folder: Path, git: Git, content: str = BASE) -> None:
    """A repository with one commit in that folder."""
    folder.mkdir(parents=True, exist_ok=True)
    git(folder, "init", "-q", "-b", "main")
    (folder / "pay.py").write_text(content)
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "another base")


@pytest.fixture
def at_work(agent: Agent) -> Agent:
    """In its second turn, with one version made."""
    agent.asks("Make it one")
    agent.writes("pay.py", text(1))
    agent.ends()
    agent.asks("Go on")
    assert versions(agent.db) == [("pay.py::fetch", "agent")]
    return agent


def goes_on(agent: Agent, n: int = 7) -> None:
    """An edit in the next turn is one version, right after one that the tool wrote and one that a command did."""
    agent.asks("And now?")
    before = len(versions(agent.db))
    agent.writes("pay.py", text(n))
    agent.runs("sed", lambda: (agent.folder / "pay.py").write_text(text(n + 1)))
    agent.ends()
    assert versions(agent.db)[before:] == [("pay.py::fetch", "agent")] * 2
    assert left(agent.db)[-2:] == [f"def fetch(url):\n    return get(url, {one})" for one in (n, n + 1)]


# ---- the repository


@pytest.mark.parametrize("what", ["folder", ".git"])
def test_a_repository_that_is_deleted_stops_nothing(
    at_work: Agent, repo: Path, git: Git, what: str, caplog: pytest.LogCaptureFixture
) -> None:
    shutil.rmtree(repo if what == "folder" else repo / ".git")
    for _ in range(2):
        at_work.runs("rm -rf", lambda: None)
        at_work.ends()
        at_work.asks("Where is it?")
    assert [one for one in caplog.records if one.levelno >= logging.ERROR] == []
    assert len(versions(at_work.db)) == 1
    shutil.rmtree(repo, ignore_errors=True)
    made(repo, git, BASE + "\n\ndef quite():\n    return 'another'\n")
    at_work.asks("It is another one now")
    assert len(versions(at_work.db)) == 1
    goes_on_in_another(at_work)


def goes_on_in_another(agent: Agent) -> None:
    """What is now in the folder of the first repository has its own history."""
    before = len(versions(agent.db))
    agent.writes("pay.py", text(7))
    agent.ends()
    assert versions(agent.db)[before:] == [("pay.py::fetch", "agent"), ("pay.py::quite", "agent")]


def test_a_repository_without_its_git_folder_is_followed_as_a_plain_folder(
    at_work: Agent, repo: Path
) -> None:
    shutil.rmtree(repo / ".git")
    at_work.asks("No more git")
    at_work.writes("pay.py", text(2))
    at_work.ends()
    assert versions(at_work.db)[1:] == [("pay.py::fetch", "agent")]


def test_a_folder_that_becomes_a_repository_is_followed_from_then_on(
    db: Database, tmp_path: Path, git: Git
) -> None:
    folder = tmp_path / "new"
    folder.mkdir()
    agent = Agent(db, tmp_path / "home", folder)
    agent.asks("Begin")
    agent.runs("git init", lambda: made(folder, git))
    agent.ends()
    agent.asks("Make it two")
    agent.runs("sed", lambda: (folder / "pay.py").write_text(text(2)))
    agent.ends()
    assert versions(db) == [("pay.py::fetch", "agent")]
    agent.following.stop()


def test_a_repository_that_is_moved_goes_on_where_it_is(at_work: Agent, repo: Path) -> None:
    there = repo.parent / "elsewhere"
    repo.rename(there)
    at_work.runs("mv", lambda: None)
    at_work.folder = there
    goes_on(at_work)


@pytest.mark.parametrize("asked", [True, False])
def test_another_repository_moved_into_the_place_of_one_is_another(
    at_work: Agent, repo: Path, git: Git, asked: bool
) -> None:
    repo.rename(repo.parent / "first")
    made(repo.parent / "second", git, BASE + "\n\ndef quite():\n    return 'another'\n")
    (repo.parent / "second").rename(repo)
    if asked:
        at_work.asks("And now?")
        assert len(versions(at_work.db)) == 1
    goes_on_in_another(at_work)


def test_a_repository_whose_objects_are_gone_is_begun_anew(at_work: Agent, repo: Path, git: Git) -> None:
    shutil.rmtree(at_work.home / "snapshots")
    (repo / "pay.py").write_text(text(2))
    git(repo, "commit", "-qam", "two")
    git(repo, "reset", "-q", "--hard", "HEAD~1")
    git(repo, "reflog", "expire", "--expire=now", "--all")
    git(repo, "gc", "-q", "--prune=now")
    goes_on(at_work)


def test_a_switch_behind_the_agents_back_is_no_edit_and_the_next_one_is_of_that_branch(
    at_work: Agent, repo: Path, git: Git
) -> None:
    git(repo, "commit", "-qam", "one")
    git(repo, "checkout", "-q", "-b", "other", "HEAD~1")
    (repo / "pay.py").write_text(BASE.replace("return 1", "return 2"))
    (repo / "more.py").write_text("def more():\n    return 1\n")
    git(repo, "add", "-A")
    git(repo, "commit", "-qm", "others")
    git(repo, "checkout", "-q", "main")
    at_work.asks("Make it eight")
    git(repo, "checkout", "-q", "other")
    at_work.writes("pay.py", BASE.replace("return 1", "return 2").replace("get(url)", "get(url, 8)"))
    at_work.ends()
    rows = at_work.db.read(
        fetch,
        """
        select place.symbol, change.actor, change.branch
        from round join change on change.id = round.change join place on place.id = round.place
        order by round.id""",
    )
    assert rows == [("fetch", "agent", "main"), ("fetch", "agent", "other")]


@pytest.mark.parametrize("lock", ["index.lock", "HEAD.lock", "refs/heads/main.lock", "config.lock"])
def test_a_lock_of_gits_stops_nothing(at_work: Agent, repo: Path, lock: str) -> None:
    (repo / ".git" / lock).write_bytes(b"")
    goes_on(at_work)
    assert (repo / ".git" / lock).exists()


# ---- the disk


@pytest.fixture
def small(at_work: Agent) -> Iterator[Callable[[], contextlib.AbstractContextManager[None]]]:
    """The disk of the snapshots, which can be made full for a while."""
    folder = at_work.home / "snapshots"
    command = ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(folder)]
    try:
        done = subprocess.run(command, check=False, capture_output=True).returncode
    except OSError:
        done = 1
    if done != 0:
        pytest.skip("no disk can be mounted here")

    @contextlib.contextmanager
    def full() -> Iterator[None]:
        ballast = folder / "ballast"
        with contextlib.suppress(OSError), ballast.open("wb", buffering=0) as file:
            while file.write(b"x" * 4096):
                pass
        yield
        ballast.unlink()

    yield full
    subprocess.run(["umount", "-l", str(folder)], check=True)


def test_a_full_disk_costs_no_more_than_what_happened_meanwhile(
    at_work: Agent, repo: Path, small: Callable[[], contextlib.AbstractContextManager[None]],
    caplog: pytest.LogCaptureFixture,
) -> None:  # fmt: skip
    goes_on(at_work, 20)
    before = len(versions(at_work.db))
    with small():
        for n in (30, 31, 32):
            at_work.asks("And now?")
            at_work.runs("sed", lambda n=n: (repo / "pay.py").write_text(text(n) + "# long\n" * 3000))  # type: ignore[misc]
            at_work.ends()
        (repo / "pay.py").write_text(text(33))
        assert len(versions(at_work.db)) == before
        told = [one for one in caplog.records if one.levelno >= logging.WARNING]
        assert len(told) == 1, "it is said once"
    goes_on(at_work, 40)


def test_snapshots_that_cannot_be_written_stop_nothing(at_work: Agent, repo: Path) -> None:
    folder = at_work.home / "snapshots"
    folder.rename(folder.with_name("away"))
    folder.write_text("no folder")
    at_work.writes("pay.py", text(2))
    at_work.ends()
    folder.unlink()
    folder.with_name("away").rename(folder)
    goes_on(at_work)


# ---- many files


@pytest.fixture
def processes(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The git commands that were run."""
    ran: list[str] = []
    quietly = worktree._command

    def command(settings: tuple[str, ...], args: list[str]) -> list[str]:
        ran.append(args[0])
        return quietly(settings, args)

    monkeypatch.setattr(worktree, "_command", command)
    return ran


def many(repo: Path, count: int, value: int) -> None:
    for n in range(count):
        path = repo / f"d{n % 50}" / f"m{n}.py"
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"def f{n}():\n    return {value}\n")


def committed(repo: Path, branches: dict[str, int], count: int) -> None:
    """Commits of that many files, each branch with another value in them, made without a worktree."""
    told = b""
    for branch, value in branches.items():
        told += (
            b"commit refs/heads/%s\ncommitter T <t@example.invalid> 1760000000 +0000\ndata 0\n"
            % branch.encode()
        )
        told += b"from refs/heads/main^0\n"
        for n in range(count):
            content = b"def f%d():\n    return %d\n" % (n, value)
            told += b"M 644 inline d%d/m%d.py\ndata %d\n%s\n" % (n % 50, n, len(content), content)
    subprocess.run(["git", "fast-import", "--quiet", "--force"], cwd=repo, input=told, check=True)


def test_a_switch_between_ten_thousand_files_is_gits_and_no_edit(
    agent: Agent, repo: Path, git: Git, processes: list[str]
) -> None:
    committed(repo, {"main": 1, "other": 2}, 10_000)
    git(repo, "reset", "-q", "--hard", "main")
    agent.asks("Switch")
    processes.clear()
    agent.runs("git checkout other", lambda: git(repo, "checkout", "-q", "other"))
    assert len(processes) < PROCESSES
    assert versions(agent.db) == []
    assert agent.db.read(fetch, "select actor, files, bulk from change") == [("git", 10_000, 1)]
    goes_on(agent)


def test_three_thousand_files_that_a_command_edits_are_one_bulk_change(
    agent: Agent, repo: Path, git: Git, processes: list[str]
) -> None:
    many(repo, 3_000, 1)
    git(repo, "add", "-A")
    git(repo, "commit", "-qm", "many")
    agent.asks("Format it all")
    processes.clear()
    agent.runs("fmt", lambda: many(repo, 3_000, 2))
    assert len(processes) < PROCESSES
    assert versions(agent.db) == []
    assert agent.db.read(fetch, "select actor, files, bulk from change") == [("agent", 3_000, 1)]
    goes_on(agent)
    agent.asks("One of those")
    for n in (7, 8):
        agent.runs("sed", lambda n=n: (repo / "d7" / "m7.py").write_text(f"def f7():\n    return {n}\n"))  # type: ignore[misc]
    # How so many files were is not kept: of the next edit only the fact is known.
    assert versions(agent.db)[-2:] == [("d7/m7.py::", "agent"), ("d7/m7.py::f7", "agent")]


# ---- kill -9


LOOKING = """
import os
import sys
from pathlib import Path
from backstory.pipelines.code.symbol_edits import By
from backstory.pipelines.code.follow import Follower
from backstory.pipelines.git.git_files import look
from backstory.pipelines.code.observe import Whose
from backstory.store import clock
from backstory.store.db import Database

root, home, file, workspace = sys.argv[1:]
db = Database.open(Path(file))
whose = Whose("me", int(workspace), (int(workspace),))
follower = Follower(db, Path(home), look(root), whose, now=clock.now)


def write(name, content):
    # Whole or not at all: killed between the two halves of write_text, it would leave an empty file,
    # and that other() came back would be a true round.
    beside = Path(root).parent / "beside"
    beside.write_text(content)
    os.replace(beside, Path(root, name))


n = int(Path(root, "pay.py").read_text().rpartition(", ")[2].partition(")")[0])
while True:
    n += 1
    write("pay.py", "def other():\\n    return 1\\n\\n\\ndef fetch(url):\\n    return get(url, %d)\\n" % n)
    write(f"new{n % 5}.py", "def f():\\n    return %d\\n" % n)
    print(n, flush=True)
    follower.look(By("agent"), at=clock.now())
"""


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")
def test_a_server_killed_at_any_moment_leaves_nothing_wrong(
    db: Database, tmp_path: Path, repo: Path, git: Git
) -> None:
    home, chance = tmp_path / "home", random.Random(15)
    (repo / "pay.py").write_text(text(0))
    key: workspaces.Key = ("folder", f"folder:{repo}")
    workspace = db.write(workspaces.register, [key], "repo", now=1)
    whose = Whose("me", workspace, (workspace,))

    def follower() -> Follower:
        return Follower(db, home, look(str(repo)), whose, now=clock.now)

    def looks_right(n: int) -> None:
        before = len(versions(db))
        (repo / "pay.py").write_text(text(n))
        made = follower().look(By("human"), at=clock.now())
        assert versions(db)[before:] == [("pay.py::fetch", "human")]
        assert made == 1
        assert left(db)[-1] == f"def fetch(url):\n    return get(url, {n})"

    follower().begin(at=clock.now())
    command = [sys.executable, "-c", LOOKING, str(repo), str(home), str(db.path), str(workspace)]
    for turn in range(KILLS):
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as child:
            assert child.stdout is not None
            for _ in range(chance.randint(1, 3)):
                assert child.stdout.readline()
            with contextlib.suppress(subprocess.TimeoutExpired):
                child.wait(chance.random() * 0.15)
            child.kill()
        follower().look(By("agent"), at=clock.now())  # goes on where the other was
        looks_right(1_000_000 * (turn + 1))
    assert db.read(fetch, "pragma integrity_check") == [("ok",)]
    assert db.read(fetch, "pragma foreign_key_check") == []
    rows = db.read(fetch, 'select thread, n, before, "after" from round order by thread, n')
    for (thread, n, *sides), (thread_, n_, *next_sides) in itertools.pairwise(rows):
        if thread == thread_:
            assert n_ == n + 1
            assert sides != next_sides, "the same version twice"
            assert sides[1] == next_sides[0], "a version is missing in between"
    assert len({row[1] for row in rows}) > KILLS


# ---- the watch


def test_a_watch_over_a_folder_that_is_deleted_ends_quietly(
    repo: Path, caplog: pytest.LogCaptureFixture
) -> None:
    watcher = Watcher(str(repo), lambda paths: None)
    watcher.start()
    assert watcher.ready.wait(WAIT_S)
    shutil.rmtree(repo)
    watcher._thread.join(WAIT_S)
    assert not watcher._thread.is_alive()
    assert [one for one in caplog.records if one.levelno >= logging.WARNING] == []


def test_a_folder_that_goes_and_comes_back_is_watched_again(
    db: Database, tmp_path: Path, repo: Path, git: Git
) -> None:
    (repo / "lib").mkdir()
    (repo / "lib" / "pay.py").write_text(BASE)
    git(repo, "add", "-A")
    git(repo, "commit", "-qm", "more")
    agent = Agent(db, tmp_path / "home", repo, watch=True)
    agent.asks("Hello")
    agent.ends()
    (watcher,) = agent.following._watchers
    assert watcher.ready.wait(WAIT_S)
    shutil.rmtree(repo / "lib")
    _until(agent, 2)
    (repo / "lib").mkdir()
    (repo / "lib" / "pay.py").write_text(BASE)
    _until(agent, 4)
    (repo / "lib" / "pay.py").write_text(text(3))
    _until(agent, 5)
    agent.following.stop()
    assert versions(db)[-1] == ("lib/pay.py::fetch", "human")


def _until(agent: Agent, count: int) -> None:
    """Wait for so many rounds that the watch alone led to."""
    ends = clock.now() + WAIT_S * clock.SECOND_US
    while len(versions(agent.db)) < count and clock.now() < ends:
        agent.following.settle(0.05)
    assert len(versions(agent.db)) == count, versions(agent.db)


def test_a_repository_that_comes_back_is_watched_again(
    db: Database, tmp_path: Path, repo: Path, git: Git
) -> None:
    agent = Agent(db, tmp_path / "home", repo, watch=True)
    agent.asks("Hello")
    agent.ends()
    (watcher,) = agent.following._watchers
    assert watcher.ready.wait(WAIT_S)
    shutil.rmtree(repo)
    watcher._thread.join(WAIT_S)
    made(repo, git)
    agent.asks("Hello again")
    agent.ends()
    (watcher,) = agent.following._watchers
    assert watcher.ready.wait(WAIT_S)
    (repo / "pay.py").write_text(text(1))
    _until(agent, 1)
    agent.following.stop()
    assert os.path.isdir(repo)


# A client's one turn, of which the server hears the edits, and is ended before it has looked at the worktree.
CUT_OFF = """
import json, os, sys
from pathlib import Path
from backstory.store.db import Database
from backstory.tests.server.coding_agent import Agent

home, repo = map(Path, sys.argv[1:3])
agent = Agent(Database.open(home / "backstory.db"), home, repo)
path = repo / "pay.py"
turn = {"session_id": "s0", "cwd": str(repo), "prompt_id": "s0-1"}

def hook(event, **told):
    raw = json.dumps({**turn, **told}).encode()
    agent.desk.answer("claude-code", event, {"project": str(repo)}, raw)

for n in range(int(sys.argv[3])):
    before, old, new = path.read_text(), "get(url" + f", {n}" * (n > 0) + ")", f"get(url, {n + 1})"
    path.write_text(before.replace(old, new))
    hook(
        "PostToolUse", tool_name="Edit", tool_use_id=f"t{n}",
        tool_input={"file_path": str(path), "old_string": old, "new_string": new},
        tool_response={"filePath": str(path), "originalFile": before, "structuredPatch": []},
    )
hook("UserPromptSubmit", prompt="Pass numbers")
os._exit(0)
"""


@pytest.mark.parametrize("edits", [1, 2, 3])
def test_edits_that_were_told_to_a_server_cut_off_at_once_are_followed_by_the_next(
    db: Database, tmp_path: Path, repo: Path, edits: int
) -> None:
    home = tmp_path / "home"
    command = [sys.executable, "-c", CUT_OFF, str(home), str(repo), str(edits)]
    subprocess.run(command, check=True, timeout=60)
    agent = Agent(db, home, repo)
    try:
        agent.asks("One more")
        agent.edits("pay.py", f"get(url, {edits})", f"get(url, {edits + 1})")
        agent.ends()
        made = agent.chain("pay.py::fetch").versions
        bodies_ = [text(n + 1).split("\n\n\n")[1].rstrip("\n") for n in range(edits + 1)]
        assert left(db) == bodies_
        turns = [one.round.turn for one in made]
        assert len(turns) == edits + 1 and None not in turns
        assert len({*turns[:edits]}) == 1 and turns[-1] != turns[0]
        assert list((home / "spool").glob("*.json")) == []
    finally:
        agent.following.stop()
