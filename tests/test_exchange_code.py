"""Machines that know the same code from the same commits: after a merge each symbol has one history."""

from __future__ import annotations

import itertools
import subprocess
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from backstory import Memory
from backstory.store.rows import fetch
from backstory.tests.conftest import WHO
from backstory.tests.server.coding_agent import Agent

from .exchanging import Machine, apart, git, origin, state

Make = Callable[[str], Machine]
DAY_S = 86_400
BEGAN_S = 1_780_000_000


def commit(folder: Path, day: int, pay: str, words: str) -> None:
    """A version of the file, committed on that day."""
    (folder / "pay.py").write_text(pay)
    date = f"{BEGAN_S + day * DAY_S} +0000"
    env = {"PATH": "/usr/bin:/bin:/usr/local/bin", "HOME": str(folder), **WHO}
    env |= {"GIT_COMMITTER_DATE": date, "GIT_AUTHOR_DATE": date}
    for args in (["add", "-A"], ["commit", "-qm", words]):
        subprocess.run(["git", *args], cwd=folder, env=env, check=True, capture_output=True)


def pay(n: int, name: str = "fetch") -> str:
    head = f"import os\n\n\ndef {name}(url):\n    return get(url, {n})\n\n\n"
    return head + f"def other():\n    return {n // 2}\n\n\nLIMIT = {n}\n"


@pytest.fixture
def machine(tmp_path: Path) -> Make:
    repository = origin(tmp_path / "origin")
    for day in range(1, 5):
        commit(repository, day, pay(day), f"Limit {day}. 上限 {day}")
    commit(repository, 5, pay(5, "load"), "Rename it. 改名")
    commit(repository, 6, pay(6, "load"), "Limit 6")
    return lambda name: Machine(tmp_path, name, repository)


def reads(one: Machine, since: str | None = None) -> None:
    with one.memory() as memory:
        memory.settle()
        memory.import_git(since=since)


def works(one: Machine, seed: str, *, commits: bool) -> None:
    """A turn that changes the code of the clone, and one that goes on."""
    agent = Agent(one.db, one.home, one.folder)
    agent.session = f"s-{seed}"
    try:
        agent.asks("Make the limit larger")
        agent.writes("pay.py", pay(10 + len(seed), "load"))
        agent.writes("pay.py", pay(20 + len(seed), "load"))
        if commits:
            agent.runs("git commit", lambda: git(one.folder, "commit", "-qam", f"By {seed}"))
        agent.ends()
        agent.asks("再大一点")
        agent.writes("pay.py", pay(30 + len(seed), "load"))
        agent.ends()
    finally:
        agent.following.stop()
    with one.memory() as memory:
        memory.tend()


def threads(one: Machine) -> Counter[tuple[str, str]]:
    """How many threads there are of each symbol that has one name all its life."""
    rows = one.db.read(
        fetch,
        """
        select path, symbol, count(distinct thread) from thread_name join place on place.id = thread_name.place
          join thread on thread.id = thread_name.thread where thread.kind = 'symbol' group by 1, 2""",
    )
    return Counter({(path, symbol): n for path, symbol, n in rows})


def doubled(one: Machine) -> list[Any]:
    """Rounds that say of one commit, at one place, the same as others."""
    return one.db.read(
        fetch,
        """
        select commit_id, place.path, place.symbol, after, count(*)
        from round_commit join round on round.id = round_commit.round join place on place.id = round.place
        where place.symbol <> '' group by 1, 2, 3, 4 having count(*) > 1""",
    )


def test_two_machines_that_read_the_same_commits_have_one_history(machine: Make) -> None:
    one, other = machine("one"), machine("other")
    reads(one)
    reads(other)
    before = threads(one)
    first, second = one.file(), other.file()
    done = one.takes(second)
    other.takes(first)
    assert done.refused == {}
    assert (done.added["change"], done.added["thread"]) == (0, 0)
    assert apart(state(one.db), state(other.db)) == []
    assert threads(one) == before
    assert doubled(one) == []


@pytest.mark.parametrize("what", ["a part", "lived", "lived and committed"])
def test_who_read_commits_and_who_saw_some_of_it_have_one_history(machine: Make, what: str) -> None:
    one, other = machine("one"), machine("other")
    reads(one, since=f"@{BEGAN_S + 4 * DAY_S - 60}" if what == "a part" else None)
    reads(other)
    if what != "a part":
        works(one, "one", commits=what == "lived and committed")
        git(other.folder, "pull", "-q", str(one.folder), "main")
        reads(other)
        works(other, "other", commits=what == "lived and committed")
    first, second = one.file(), other.file()
    assert one.takes(second).refused == {}
    assert other.takes(first).refused == {}
    assert apart(state(one.db), state(other.db)) == []
    assert threads(one)["pay.py", "load"] == threads(one)["pay.py", "other"] == 1
    assert doubled(one) == []
    before = state(one.db)
    again = one.takes(second, first)
    assert not again.added
    assert apart(before, state(one.db)) == []
    assert one.db.read(fetch, "pragma foreign_key_check") == []


def test_the_way_by_which_three_files_meet_makes_no_difference(machine: Make, tmp_path: Path) -> None:
    machines = [machine(name) for name in ("a", "b", "c")]
    reads(machines[0])
    reads(machines[1], since=f"@{BEGAN_S + 3 * DAY_S - 60}")
    works(machines[1], "b", commits=True)
    git(machines[2].folder, "pull", "-q", str(machines[1].folder), "main")
    reads(machines[2])
    with machines[0].memory() as memory:
        (added,) = memory.add("Releases are cut on Thursdays.")
        memory.update(added.short, content="Releases are cut on Fridays.")
    shared = machines[0].file("shared.jsonl")
    machines[2].takes(shared)
    with machines[2].memory() as memory:
        (hit,) = memory.search("when are releases cut", kinds=["fact"], workspace="all").hits
        memory.delete(hit.memory.short, forget=True)
        memory.add("缓存三秒后变热。")
    files = [one.file() for one in machines]
    states = []
    for order in itertools.permutations(range(3)):
        fresh = machine("fresh" + "".join(map(str, order)))
        fresh.takes(*(files[n] for n in order))
        states.append(state(fresh.db))
    # Two of them first, and what came of that into the third.
    middle = machine("middle")
    middle.takes(files[2], files[1])
    last = machine("last")
    with Memory.open(middle.db.path, embedder="none") as memory:
        memory.export(tmp_path / "middle.jsonl")
    last.takes(files[0], tmp_path / "middle.jsonl")
    states.append(state(last.db))
    for found in states:
        assert apart(states[0], found) == []
    assert not any("Fridays" in line for line in states[0])
