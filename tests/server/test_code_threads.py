"""Which thread an edit goes on with, in real repositories: overloads, moves by two calls, conflicts, half functions."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from .coding_agent import Agent, Git

JAVA = """class A {
    int add(int a) {
        return a + 100;
    }

    int add(int a, int b) {
        return a + b + 200;
    }
}
"""
NONE = "class A {\n    int add() {\n        return 0;\n    }\n\n"
SUM = (
    "def total(items):\n    found = 0\n    for item in items:\n        found += item * 2\n    return found\n"
)
OTHER = "def other():\n    return 1\n"
STEPS = "def step(x):\n    y = x + 1\n    z = y * 2\n    return z\n\n\ndef other():\n    return 2\n"


@pytest.fixture
def java(repo: Path, git: Git) -> Path:
    (repo / "A.java").write_text(JAVA)
    git(repo, "add", "-A")
    git(repo, "commit", "-qm", "overloads")
    return repo / "A.java"


def told(agent: Agent) -> dict[str, list[tuple[str | None, str]]]:
    """Of each thread, by its name, the words and status of its versions."""
    code = agent.code()
    return {
        one.thread.name: [(version.round.words, version.round.status) for version in one.versions]
        for one in code.find(code.asked, limit=500)
        if one.thread.kind == "symbol"
    }


def test_overloads_stay_threads_of_their_own_when_one_is_put_before_them(agent: Agent, java: Path) -> None:
    agent.asks("Change the one with two")
    agent.edits("A.java", "200", "201")
    agent.asks("Add one without any")
    agent.writes("A.java", java.read_text().replace("class A {\n", NONE))
    agent.asks("Change the one with one")
    agent.edits("A.java", "100", "101")
    agent.asks("Change the one with two again")
    agent.edits("A.java", "201", "202")
    agent.ends()
    assert told(agent) == {
        "A.java::A.add#3": [
            ("Change the one with two", "modified"),
            ("Change the one with two again", "modified"),
        ],
        "A.java::A.add": [("Add one without any", "added")],
        "A.java::A.add#2": [("Change the one with one", "modified")],
    }
    # Which of them it was is a matter of counting: there is no version for that.
    assert agent.texts("A.java::A.add#3") == [
        f"    int add(int a, int b) {{\n        return a + b + {n};\n    }}" for n in (201, 202)
    ]


def test_overloads_that_change_places_take_their_threads_along(
    agent: Agent, java: Path, repo: Path, git: Git
) -> None:
    agent.asks("Change both")
    agent.edits("A.java", "100", "101")
    agent.edits("A.java", "200", "201")
    agent.asks("Swap them")
    one, two = java.read_text()[len("class A {\n") : -2].split("\n\n")
    agent.writes("A.java", "class A {\n" + two.rstrip("\n") + "\n\n" + one + "\n}\n")
    agent.asks("Change the one with two")
    agent.edits("A.java", "201", "202")
    agent.runs("git commit", lambda: git(repo, "commit", "-qam", "all"))
    agent.ends()
    agent.imports()
    commit = git(repo, "rev-parse", "HEAD").strip()
    words = {name: [one for one, _ in versions] for name, versions in told(agent).items()}
    assert words["A.java::A.add"] == ["overloads", "Change both", "Change the one with two"]
    assert words["A.java::A.add#2"] == ["overloads", "Change both"]
    last = [agent.versions(f"A.java::A.add{n}")[-1].round.commits for n in ("", "#2")]
    assert last == [(commit,), (commit,)]


def test_another_branch_counts_overloads_for_itself(agent: Agent, java: Path, repo: Path, git: Git) -> None:
    git(repo, "branch", "side")
    agent.asks("Change the one with two")
    agent.edits("A.java", "200", "201")
    agent.runs("git commit", lambda: git(repo, "commit", "-qam", "two"))
    agent.asks("Add one without any")
    agent.writes("A.java", java.read_text().replace("class A {\n", NONE))
    agent.edits("A.java", "100", "101")
    agent.runs("git commit", lambda: git(repo, "commit", "-qam", "none"))
    agent.runs("git checkout side", lambda: git(repo, "checkout", "-q", "side"))
    agent.asks("Change the one with two, beside")
    agent.edits("A.java", "200", "209")
    agent.asks("Change the one with one, beside")
    agent.edits("A.java", "100", "109")
    agent.runs("git commit", lambda: git(repo, "commit", "-qam", "beside"))
    agent.runs("git checkout main", lambda: git(repo, "checkout", "-q", "main"))
    agent.asks("On main again")
    agent.edits("A.java", "201", "202")
    agent.edits("A.java", "101", "102")
    agent.ends()
    threads = {name: [words for words, _ in versions] for name, versions in told(agent).items()}
    assert threads["A.java::A.add#3"] == ["Change the one with two", "On main again"]
    assert threads["A.java::A.add#2"] == ["Add one without any", "On main again"]
    assert len(threads) == 3


def test_a_new_function_by_the_name_that_another_had_is_another(agent: Agent, repo: Path) -> None:
    agent.asks("Call it load")
    agent.edits("pay.py", "def fetch(url)", "def load(url)")
    agent.asks("And a fetch that is something else")
    agent.writes("pay.py", (repo / "pay.py").read_text() + "\n\ndef fetch(a, b, c):\n    yield a\n")
    agent.edits("pay.py", "return get(url)", "return get(url, 3)")
    agent.ends()
    assert told(agent) == {
        "pay.py::fetch": [("And a fetch that is something else", "added")],
        "pay.py::load": [("Call it load", "renamed"), ("And a fetch that is something else", "modified")],
    }


def moves(agent: Agent, repo: Path) -> dict[str, Callable[[], None]]:
    """The steps of moving `total` from pay.py to sums.py; each is a call of a tool."""
    return {
        "cut": lambda: agent.writes("pay.py", (repo / "pay.py").read_text().replace("\n\n" + SUM, "")),
        "paste": lambda: agent.writes("sums.py", OTHER + "\n\n" + SUM.replace("* 2", "* 3")),
    }


@pytest.mark.parametrize("order", [("cut", "paste"), ("paste", "cut")])
def test_a_function_moved_by_two_calls_keeps_its_thread(
    agent: Agent, repo: Path, git: Git, order: tuple[str, str]
) -> None:
    (repo / "sums.py").write_text(OTHER)
    git(repo, "add", "-A")
    git(repo, "commit", "-qm", "sums")
    agent.asks("Add a total")
    agent.writes("pay.py", (repo / "pay.py").read_text() + "\n\n" + SUM)
    agent.asks("Move it to sums.py")
    for step in order:
        moves(agent, repo)[step]()
    agent.asks("Times nine")
    agent.edits("sums.py", "* 3", "* 9")
    agent.runs("git commit", lambda: git(repo, "commit", "-qam", "total"))
    agent.ends()
    agent.imports()
    assert [
        (one.round.path, one.round.n, one.round.status, one.round.words)
        for one in agent.versions("sums.py::total")
    ] == [
        ("pay.py", 1, "added", "Add a total"),
        ("sums.py", 2, "moved", "Move it to sums.py"),
        ("sums.py", 3, "modified", "Times nine"),
    ]
    commit = git(repo, "rev-parse", "HEAD").strip()
    assert agent.versions("sums.py::total")[-1].round.commits == (commit,)
    assert "pay.py::total" not in agent.names()


@pytest.mark.parametrize("first", ["write", "remove"])
def test_a_file_written_anew_and_removed_keeps_its_threads(
    agent: Agent, repo: Path, git: Git, first: str
) -> None:
    text = (repo / "pay.py").read_text() + "\n\n" + SUM
    agent.asks("Add a total")
    agent.writes("pay.py", text)
    agent.asks("Call the file money.py")
    if first == "remove":
        agent.runs("git rm", lambda: git(repo, "rm", "-qf", "pay.py"))
    agent.writes("money.py", text)
    if first == "write":
        agent.runs("git rm", lambda: git(repo, "rm", "-qf", "pay.py"))
    agent.ends()
    assert told(agent) == {
        "money.py::other": [("Call the file money.py", "moved")],
        "money.py::fetch": [("Call the file money.py", "moved")],
        "money.py::total": [("Add a total", "added"), ("Call the file money.py", "moved")],
    }


def test_a_copy_is_no_move_and_neither_is_what_goes_in_another_turn(agent: Agent, repo: Path) -> None:
    agent.asks("Add a total")
    agent.writes("pay.py", (repo / "pay.py").read_text() + "\n\n" + SUM)
    agent.asks("Copy it to sums.py")
    moves(agent, repo)["paste"]()
    agent.asks("Now the old one can go")
    moves(agent, repo)["cut"]()
    agent.ends()
    threads = told(agent)
    assert threads["sums.py::total"] == [("Copy it to sums.py", "added")]
    assert threads["pay.py::total"] == [("Add a total", "added"), ("Now the old one can go", "deleted")]


def test_what_comes_back_has_its_thread_although_a_copy_came_with_it(agent: Agent, repo: Path) -> None:
    text = (repo / "pay.py").read_text()
    agent.asks("Add a total")
    agent.writes("pay.py", text + "\n\n" + SUM)
    agent.asks("Take it out, then have it twice")
    agent.writes("pay.py", text)

    def both() -> None:
        (repo / "pay.py").write_text(text + "\n\n" + SUM)
        (repo / "copy.py").write_text(SUM)

    agent.runs("restore", both)
    agent.ends()
    assert {name: [status for _, status in versions] for name, versions in told(agent).items()} == {
        "pay.py::total": ["added", "deleted", "added"],
        "copy.py::total": ["added"],
    }


def test_what_moves_there_and_back_stays_one_thread(agent: Agent, repo: Path) -> None:
    text = (repo / "pay.py").read_text()
    agent.asks("Add a total")
    agent.writes("pay.py", text + "\n\n" + SUM)
    agent.asks("To sums.py, and back")
    agent.writes("sums.py", SUM)
    agent.writes("pay.py", text)
    agent.runs("rm sums.py", (repo / "sums.py").unlink)
    agent.writes("pay.py", text + "\n\n" + SUM)
    agent.ends()
    assert told(agent) == {
        "pay.py::total": [
            ("Add a total", "added"), ("To sums.py, and back", "moved"), ("To sums.py, and back", "moved")
        ]
    }  # fmt: skip


def test_a_conflict_resolved_by_taking_their_lines_is_a_version(agent: Agent, repo: Path, git: Git) -> None:
    (repo / "step.py").write_text(STEPS)
    git(repo, "add", "-A")
    git(repo, "commit", "-qm", "step")
    git(repo, "checkout", "-qb", "side")
    (repo / "step.py").write_text(STEPS.replace("y * 2", "y * 5"))
    git(repo, "commit", "-qam", "five")
    git(repo, "checkout", "-q", "main")
    agent.asks("Times three")
    agent.edits("step.py", "y * 2", "y * 3")
    agent.edits("step.py", "return 2", "return 20")
    agent.runs("git commit", lambda: git(repo, "commit", "-qam", "three"))

    def merge() -> None:
        with pytest.raises(Exception, match="merge"):
            git(repo, "merge", "side")

    agent.asks("Merge, with their lines")
    agent.runs("git merge side", merge)
    marked = (repo / "step.py").read_text()
    agent.edits("step.py", marked[marked.index("<<<<<<<") : marked.index("    return z")], "    z = y * 5\n")
    agent.ends()
    assert agent.texts("step.py::step") == [
        f"def step(x):\n    y = x + 1\n    z = y * {n}\n    return z" for n in (3, 5)
    ]
    assert [one.round.confidence for one in agent.versions("step.py::step")] == ["high", "low"]
    assert agent.chain("step.py::step").now == "current"
    assert agent.names() == ["step.py::other", "step.py::step"]


def test_a_conflict_of_a_stash_is_a_version_of_its_function_and_so_is_its_solution(
    agent: Agent, repo: Path, git: Git
) -> None:
    (repo / "step.py").write_text("def step():\n    return 1\n\n\ndef other():\n    return 2\n")
    git(repo, "add", "-A")
    git(repo, "commit", "-qm", "step")
    agent.asks("Ten")
    agent.edits("step.py", "return 1", "return 10")
    agent.runs("git stash", lambda: git(repo, "stash", "-q"))
    agent.edits("step.py", "return 1", "return 11")
    agent.runs("git commit", lambda: git(repo, "commit", "-qam", "eleven"))

    def pop() -> None:
        with pytest.raises(Exception, match="stash"):
            git(repo, "stash", "pop")

    agent.runs("git stash pop", pop)
    agent.asks("Take the ten")
    agent.runs("git checkout --theirs", lambda: git(repo, "checkout", "--theirs", "step.py"))
    agent.ends()
    last = agent.texts("step.py::step")[-2:]
    assert last[0] is not None
    assert [line[:7] for line in last[0].split("\n")[1::2]] == ["<<<<<<<", "=======", ">>>>>>>"]
    assert last[1] == "def step():\n    return 10"
    assert agent.names() == ["step.py::step"]


def test_the_last_line_of_a_function_that_is_half_written_stays_its_own(agent: Agent, repo: Path) -> None:
    (repo / "pay.py").write_text(SUM)
    agent.asks("Wrap it")
    agent.edits("pay.py", "in items:", "in (items:")
    agent.edits("pay.py", "in (items:", "in (items):")
    agent.ends()
    half, whole = agent.texts("pay.py::total")
    assert (half, whole) == (
        SUM.replace("in items", "in (items").rstrip("\n"), SUM.replace("in items", "in (items)").rstrip("\n")
    )  # fmt: skip
    assert {one.round.confidence for one in agent.versions("pay.py::total")} == {"low"}


def test_an_edit_of_a_minified_file_is_filed_under_none_of_its_functions(
    agent: Agent, repo: Path, git: Git
) -> None:
    line = "var a=function(){return 1+1};" + ";".join(f"function f{n}(){{return {n}}}" for n in range(300))
    (repo / "a.min.js").write_text(line + "\n")
    git(repo, "add", "-A")
    git(repo, "commit", "-qm", "minified")
    agent.asks("One more")
    agent.edits("a.min.js", "1+1", "1+2")
    agent.ends()
    assert agent.names() == ["a.min.js"]
    assert agent.versions("a.min.js")[0].round.confidence == "low"
