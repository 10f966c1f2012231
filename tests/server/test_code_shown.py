"""
Which versions of code are shown, under which name and as what, in real repositories: the other rows of the list of
cases where a tool of this kind goes wrong. What becomes a version at all: `test_code_cases`.

| row | where it is held |
|---|---|
| 4 workspace of a remote | here: test_a_repository_with_a_remote_has_its_history_in_every_clone |
| 5 two branches | here: test_a_branch_is_asked_for_and_nobody_is_sent_to_another |
| 18 undone by git | here: test_what_git_took_back_is_undone |
| 19 a plain step forward | here: test_a_step_forward_undoes_nothing |
| 20 small functions | here: test_each_of_two_small_functions_has_its_own_edit; pipelines/test_symbols |
| 21, 22 languages | here: test_an_edit_is_found_by_its_symbol, …_without_a_grammar_…; pipelines/test_outlines |
| 23 methods of one name | here: test_methods_of_one_name_have_a_history_each |
| 24 lines above | here: test_two_hundred_lines_above_do_not_part_a_history |
| 25 a fact on a file | here: test_a_fact_about_another_file_has_no_code_under_it |
| 27 names of branches | here: test_a_branch_of_any_name_is_known |
| 28 detached HEAD | here: test_on_a_detached_head_versions_hang_on_their_commit |
| 30 worktrees | here: test_each_worktree_is_on_its_own_branch_of_one_history |
| 34 two workspaces | here: test_two_repositories_in_one_file_keep_apart |
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from backstory.pipelines.code.history import Away, Version
from backstory.server import code_answers
from backstory.server.memory import Memory
from backstory.store.db import Database
from backstory.store.rows import fetch

from .coding_agent import Agent, Git

FETCH = "def fetch(url):\n    return get(url)"
RETRY = "def fetch(url):\n    for _ in range(3):\n        return get(url)"


def standing(versions: tuple[Version, ...]) -> list[str]:
    """What each version is to the reader, in a word."""
    return ["current" if one.current else "undone" if one.undone else "past" for one in versions]


def test_a_repository_with_a_remote_has_its_history_in_every_clone(
    agent: Agent, repo: Path, tmp_path: Path, git: Git
) -> None:
    git(repo, "remote", "add", "origin", "git@github.com:o/r.git")
    agent.asks("Add a retry loop")
    agent.edits("pay.py", FETCH, RETRY)
    git(repo, "commit", "-qam", "retry")
    agent.ends()
    agent.desk.settle()  # as a server does at its start
    clone = tmp_path / "clone"
    git(tmp_path, "clone", "-q", str(repo), str(clone))
    git(clone, "remote", "set-url", "origin", "https://github.com/o/r")
    for folder in (repo, clone):
        with Memory.open(agent.db.path, folder=folder, embedder="none") as memory:
            memory.settle()
            (seen,) = memory.code().get("pay.py::fetch")
            assert [one.round.words for one in seen.chain.versions] == ["Add a retry loop"]
            packet = memory.search("What was tried in pay.py::fetch?")
            assert code_answers.attached(memory.code(), packet) == [seen.chain]


def test_a_branch_is_asked_for_and_nobody_is_sent_to_another(agent: Agent, repo: Path, git: Git) -> None:
    agent.asks("Nine tries on main")
    agent.edits("pay.py", FETCH, RETRY.replace("3", "9"))
    git(repo, "commit", "-qam", "nine")
    agent.runs("git checkout -b fix/x", lambda: git(repo, "checkout", "-qb", "fix/x", "HEAD~"))
    agent.asks("Three tries on the branch")
    agent.edits("pay.py", FETCH, RETRY)
    git(repo, "commit", "-qam", "three")
    agent.ends()
    for branch, words in (("main", "Nine tries on main"), ("fix/x", "Three tries on the branch")):
        assert [one.round.words for one in agent.versions("pay.py::fetch", branch=branch)] == [words]
        (found,) = code_answers.search(
            agent.code(), path="pay.py", symbol="fetch", branch=branch, commit=None, since=None, until=None, limit=9
        )  # fmt: skip
        assert [one.round.branch for one in found.versions] == [branch]
    told = agent.told("pay.py::fetch")
    assert "1 more on main" in told
    assert not {"checkout", "check out", "switch"} & set(told.lower().split())


def reverted(repo: Path, git: Git) -> None:
    git(repo, "commit", "-qam", "retry")
    git(repo, "revert", "--no-edit", "HEAD")


def reset(repo: Path, git: Git) -> None:
    git(repo, "commit", "-qam", "retry")
    git(repo, "reset", "-q", "--hard", "HEAD~")


@pytest.mark.parametrize(
    "undo",
    [
        reverted,
        reset,
        lambda repo, git: git(repo, "checkout", "--", "pay.py"),
        lambda repo, git: git(repo, "restore", "."),
        lambda repo, git: git(repo, "stash"),
        lambda repo, git: (git(repo, "stash"), git(repo, "stash", "drop")),
    ],
    ids=["revert", "reset --hard", "checkout --", "restore", "stash", "stash drop"],
)
@pytest.mark.parametrize("seen", [True, False], ids=["seen", "unseen"])
def test_what_git_took_back_is_undone(
    agent: Agent, repo: Path, git: Git, undo: Callable[[Path, Git], object], seen: bool
) -> None:
    agent.asks("Add a retry loop")
    agent.edits("pay.py", FETCH, RETRY)
    agent.asks("Undo it, it hides timeouts")
    if seen:
        agent.runs("git", lambda: undo(repo, git))
        agent.ends()
    else:
        undo(repo, git)
    assert standing(agent.versions("pay.py::fetch"))[0] == "undone"
    assert "tried and undone" in agent.told("pay.py::fetch")
    assert agent.texts("pay.py::fetch")[0] == RETRY


def test_what_a_stash_brings_back_is_current_again(agent: Agent, repo: Path, git: Git) -> None:
    agent.asks("Add a retry loop")
    agent.edits("pay.py", FETCH, RETRY)
    agent.runs("git stash", lambda: git(repo, "stash"))
    agent.runs("git stash pop", lambda: git(repo, "stash", "pop", "-q"))
    agent.ends()
    first, *_, last = agent.versions("pay.py::fetch")
    assert not first.undone
    assert (last.current, last.back_to) == (True, 1)


def test_a_step_forward_undoes_nothing(agent: Agent, repo: Path) -> None:
    agent.asks("Write it in C")
    agent.writes("wait.c", "int wait(int n) {\n    if (n) {\n        n++;\n    }\n    return 30;\n}\n")
    agent.asks("Sixty, please")
    agent.edits("wait.c", "return 30", "return 60")
    agent.asks("Without the branch")
    agent.edits("wait.c", "    if (n) {\n        n++;\n    }\n", "")
    assert standing(agent.versions("wait.c::wait")) == ["past", "past", "current"]
    assert "undone" not in agent.told("wait.c::wait")
    assert "back to" not in agent.told("wait.c::wait")


def test_each_of_two_small_functions_has_its_own_edit(agent: Agent) -> None:
    agent.asks("Write both")
    agent.writes("two.py", "def alpha():\n    return 1\n\n\ndef beta():\n    return 2\n")
    agent.asks("Beta is three")
    agent.edits("two.py", "return 2", "return 3")
    assert [one.round.words for one in agent.versions("two.py::alpha")] == ["Write both"]
    assert [one.round.words for one in agent.versions("two.py::beta")] == ["Write both", "Beta is three"]


LANGUAGES = [
    ("a.py", "class Till:\n    def pay(self):\n        return 1\n", "Till.pay"),
    ("A.java", "class Till {\n  int pay() {\n    return 1;\n  }\n}\n", "Till.pay"),
    ("a.rs", "impl Till {\n    fn pay(&self) -> i32 {\n        return 1;\n    }\n}\n", "Till.pay"),
    ("a.ts", "export const pay = (n: number) => {\n  return 1;\n};\n", "pay"),
    ("a.tsx", "export const Pay = () => {\n  return 1;\n};\n", "Pay"),
    ("a.js", "class Till {\n  pay() {\n    return 1;\n  }\n}\n", "Till.pay"),
    ("a.c", "int pay(void) {\n    return 1;\n}\n", "pay"),
    ("a.cpp", "int Till::pay() {\n    return 1;\n}\n", "Till.pay"),
    ("a.go", "package a\n\nfunc (t *Till) Pay() int {\n\treturn 1\n}\n", "Till.Pay"),
]


@pytest.mark.parametrize(("name", "text", "symbol"), LANGUAGES, ids=[name for name, *_ in LANGUAGES])
def test_an_edit_is_found_by_its_symbol(agent: Agent, name: str, text: str, symbol: str) -> None:
    agent.asks("Write it")
    agent.writes(name, text)
    agent.asks("Two, not one")
    agent.edits(name, "return 1", "return 2")
    (chain,) = [
        one.chain for one in agent.code().get(f"{name}::{symbol}") if one.chain.thread.symbol == symbol
    ]
    assert [one.round.words for one in chain.versions] == ["Write it", "Two, not one"]
    assert chain.thread.kind == "symbol"


STEPS = "".join(f"    step({n})\n" for n in range(6))
WITHOUT = [
    ("a.rb", f"class Till\n  def pay\n{STEPS}    return 1\n  end\nend\n", "def pay"),
    (
        "a.cs",
        f"class Till\n{{\n  public int Pay()\n  {{\n{STEPS}    return 1;\n  }}\n}}\n",
        "public int Pay()",
    ),
    ("a.kt", f"fun pay(): Int {{\n{STEPS}    return 1\n}}\n", "fun pay(): Int {"),
    ("a.vue", f"<script>\nfunction pay() {{\n{STEPS}  return 1\n}}\n</script>\n", "function pay() {"),
    ("a.sql", f"create function pay() returns int as $$\n{STEPS}  return 1\n$$;\n", "create function pay()"),
]


@pytest.mark.parametrize(("name", "text", "above"), WITHOUT, ids=[name for name, *_ in WITHOUT])
def test_an_edit_without_a_grammar_is_found_by_its_file_and_what_stands_above_it(
    agent: Agent, name: str, text: str, above: str
) -> None:
    agent.asks("Write it")
    agent.writes(name, text)
    agent.asks("Two, not one")
    agent.edits(name, "return 1", "return 2")
    (seen,) = agent.code().get(name)
    assert [one.round.words for one in seen.chain.versions] == ["Write it", "Two, not one"]
    assert seen.chain.thread.kind == "region"
    assert seen.chain.now == "current"
    assert seen.chain.thread.symbol.startswith(above)


def test_methods_of_one_name_have_a_history_each(agent: Agent) -> None:
    text = "class A:\n    def run(self):\n        return 'a'\n\n\nclass B:\n    def run(self):\n        return 'b'\n"
    agent.asks("Write both")
    agent.writes("ab.py", text)
    agent.asks("B goes further")
    agent.edits("ab.py", "return 'b'", "return 'bb'")
    assert [one.round.words for one in agent.versions("ab.py::A.run")] == ["Write both"]
    assert [one.round.words for one in agent.versions("ab.py::B.run")] == ["Write both", "B goes further"]
    found = agent.code().find(agent.code().asked._replace(symbol="run"))
    assert sorted(one.thread.symbol for one in found) == ["A.run", "B.run"]


def test_two_hundred_lines_above_do_not_part_a_history(agent: Agent, repo: Path) -> None:
    agent.asks("Three tries")
    agent.edits("pay.py", FETCH, RETRY)
    agent.asks("Write the constants")
    agent.writes("pay.py", "".join(f"C{n} = {n}\n" for n in range(200)) + (repo / "pay.py").read_text())
    agent.asks("Nine tries")
    agent.edits("pay.py", "range(3)", "range(9)")
    assert [one.round.words for one in agent.versions("pay.py::fetch")] == ["Three tries", "Nine tries"]


def test_a_fact_about_another_file_has_no_code_under_it(agent: Agent, repo: Path, git: Git) -> None:
    agent.asks("Add a retry loop")
    agent.edits("pay.py", FETCH, RETRY)
    agent.ends()
    (repo / "README.md").write_text("# Pay\n")
    with Memory.open(agent.db.path, folder=repo, embedder="none") as memory:
        memory.add("README.md names the ports of the staging servers.", scene="coding")
        packet = memory.search(
            "Which file names the ports of the staging servers, README.md?", kinds=["fact"]
        )
        assert [hit.memory.text for hit in packet.hits] == [
            "README.md names the ports of the staging servers."
        ]
        assert code_answers.attached(memory.code(), packet) == []


@pytest.mark.parametrize("branch", ["main", "master", "hotfix", "release", "JIRA-1", "中文", "a/b/c", "v1.0"])
def test_a_branch_of_any_name_is_known(agent: Agent, repo: Path, git: Git, branch: str) -> None:
    git(repo, "checkout", "-q", "-B", branch)
    agent.asks("Add a retry loop")
    agent.edits("pay.py", FETCH, RETRY)
    agent.runs("git commit", lambda: git(repo, "commit", "-qam", "retry"))
    assert [(one.round.branch, one.away) for one in agent.versions("pay.py::fetch", branch=branch)] == [
        (branch, None)
    ]
    assert [one.thread.name for one in agent.code().find(agent.code().asked._replace(branch=branch))] == [
        "pay.py::fetch"
    ]


def test_on_a_detached_head_versions_hang_on_their_commit(agent: Agent, repo: Path, git: Git) -> None:
    head = git(repo, "rev-parse", "HEAD").strip()
    git(repo, "checkout", "-q", "--detach")
    agent.asks("Add a retry loop")
    agent.edits("pay.py", FETCH, RETRY)
    agent.ends()
    (version,) = agent.versions("pay.py::fetch")
    assert (version.round.branch, version.round.base) == (None, head)
    git(repo, "checkout", "-q", "main")
    agent.asks("Are we on main?")
    agent.ends()
    (version,) = agent.versions("pay.py::fetch")
    assert version.away == Away("uncommitted", None)


def test_each_worktree_is_on_its_own_branch_of_one_history(
    agent: Agent, repo: Path, tmp_path: Path, git: Git
) -> None:
    tree = tmp_path / "tree"
    git(repo, "worktree", "add", "-q", str(tree), "-b", "side")
    agent.asks("Three tries on main")
    agent.edits("pay.py", FETCH, RETRY)
    there = Agent(agent.db, agent.home, tree)
    there.session = "s2"
    there.asks("Nine tries on the side")
    there.edits("pay.py", FETCH, RETRY.replace("3", "9"))
    there.following.stop()
    assert agent.db.read(fetch, "select count(*) from workspace") == [(1,)]
    assert [(one.round.branch, one.round.worktree) for one in agent.versions("pay.py::fetch")] == [
        ("main", str(repo))
    ]
    assert [(one.round.branch, one.round.worktree) for one in there.versions("pay.py::fetch")] == [
        ("side", str(tree))
    ]
    assert agent.chain("pay.py::fetch").elsewhere == {"side": 1}
    # The worktree goes, its branch too: what was tried there stays.
    git(repo, "worktree", "remove", "--force", str(tree))
    git(repo, "branch", "-qD", "side")
    assert [one.away for one in agent.versions("pay.py::fetch")] == [None, Away("deleted", "side")]


def test_two_repositories_in_one_file_keep_apart(
    agent: Agent, db: Database, tmp_path: Path, repo: Path, git: Git
) -> None:
    other = tmp_path / "other"
    other.mkdir()
    git(other, "init", "-q", "-b", "main")
    (other / "pay.py").write_text((repo / "pay.py").read_text())
    git(other, "add", "-A")
    git(other, "-c", "user.name=other", "commit", "-qm", "another beginning")
    there = Agent(db, agent.home, other)
    there.session = "s2"
    for n, one in enumerate((agent, there, agent, there)):
        one.asks(f"Step {n}")
        one.edits("pay.py", "get(url" if n < 2 else "get(url, 1", f"get(url, {n // 2 + 1}")
    there.following.stop()
    for folder, words in ((repo, ["Step 0", "Step 2"]), (other, ["Step 1", "Step 3"])):
        with Memory.open(db.path, folder=folder, embedder="none") as memory:
            (seen,) = memory.code().get("pay.py::fetch")
            assert [one.round.words for one in seen.chain.versions] == words
