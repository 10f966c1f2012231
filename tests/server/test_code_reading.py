"""Code history as it is asked for: from any branch, by any way of naming it, in the reader's language."""

from __future__ import annotations

from pathlib import Path

import pytest
from backstory.pipelines.code.history import Away
from backstory.pipelines.code.names import named
from backstory.server import code_answers
from backstory.store.errors import NotFound
from backstory.tests.conftest import Git
from backstory.tests.server.coding_agent import Agent

FETCH = "    return get(url)\n"
RETRY = "    for _ in range(3):\n        return get(url)\n"


def said(agent: Agent, place: str, **asked: str) -> str:
    return code_answers.place_text(agent.code(), place, **asked)  # type: ignore[arg-type]


def test_versions_of_a_detached_head_are_read_from_any_branch(agent: Agent, repo: Path, git: Git) -> None:
    git(repo, "checkout", "-q", "--detach")
    agent.asks("Three tries")
    agent.edits("pay.py", FETCH, RETRY)
    git(repo, "commit", "-qam", "tries")
    agent.ends()
    git(repo, "checkout", "-q", "main")
    assert [one.away for one in agent.versions("pay.py::fetch")] == [Away("elsewhere", None)]
    assert "on a detached HEAD" in said(agent, "pay.py::fetch")
    assert "for _ in range(3):" in said(agent, "pay.py::fetch@1")


def test_what_lies_on_a_living_branch_is_counted_and_read_by_its_number(
    agent: Agent, repo: Path, git: Git
) -> None:
    git(repo, "checkout", "-qb", "fix/x")
    agent.asks("Three tries")
    agent.edits("pay.py", FETCH, RETRY)
    git(repo, "commit", "-qam", "tries")
    tip = git(repo, "rev-parse", "HEAD").strip()
    agent.ends()
    git(repo, "checkout", "-q", "main")
    agent.asks("Now on main")
    told = said(agent, "pay.py::fetch")
    assert "no version on this branch" in told
    assert "1 more on fix/x" in told
    assert "for _ in range(3):" in said(agent, "pay.py::fetch@1")
    theirs = said(agent, "pay.py::fetch", branch="fix/x")
    assert "1 version\n" in theirs
    assert "back to" not in theirs
    code = agent.code()
    (found,) = code_answers.search(
        code, path=None, symbol="pay.py::fetch", branch=None, commit=tip[:10], since=None, until=None, limit=5
    )
    assert [one.away for one in found.versions] == [Away("elsewhere", "fix/x")]


def test_what_was_not_committed_comes_along_to_a_new_branch(agent: Agent, repo: Path, git: Git) -> None:
    agent.asks("Three tries")
    agent.edits("pay.py", FETCH, RETRY)
    git(repo, "checkout", "-qb", "feat")
    agent.asks("Nine")
    agent.edits("pay.py", "range(3)", "range(9)")
    assert [one.away for one in agent.versions("pay.py::fetch")] == [Away("uncommitted", "main"), None]


def test_a_file_that_is_only_named_claims_nothing_of_its_bytes(agent: Agent, repo: Path) -> None:
    for n in range(2):
        agent.asks(f"Logo {n}")
        agent.runs("draw", lambda n=n: (repo / "logo.png").write_bytes(b"\x89PNG\0" + bytes([n])))  # type: ignore[misc]
    told = said(agent, "logo.png")
    assert "2 versions" in told
    assert "back to" not in told


def test_a_folder_without_git_has_no_head(tmp_path: Path, agent: Agent) -> None:
    plain = tmp_path / "plain"
    plain.mkdir()
    (plain / "a.py").write_text("def f():\n    return 1\n")
    there = Agent(agent.db, agent.home, plain)
    there.session = "s2"
    there.asks("Two")
    there.edits("a.py", "return 1", "return 2")
    told = said(there, "a.py::f")
    assert "1 version" in told
    assert "HEAD" not in told


def test_who_asks_for_a_version_that_is_not_there_is_told_which_there_are(agent: Agent) -> None:
    agent.asks("Three tries")
    agent.edits("pay.py", FETCH, RETRY)
    with pytest.raises(NotFound, match="has no version 7; its versions are 1"):
        said(agent, "pay.py::fetch@7")


@pytest.mark.parametrize(
    ("question", "path", "symbol"),
    [
        ("What did we try in the function get and why did we drop it?", None, "get"),
        ("get 函数之前试过什么版本？", None, "get"),
        ("函数 open 为什么改了", None, "open"),
        ("Look at @src/Config.ts please", "src/Config.ts", None),
        ("see /home/me/repo/src/pay.py", "/home/me/repo/src/pay.py", None),
        (r"see src\Config.ts", "src/Config.ts", None),
        ("src/配置.py 之前试过什么？", "src/配置.py", None),
        ("看看src/pay.py之前的版本", "src/pay.py", None),
        ("what of `src/a b.py`?", "src/a b.py", None),
        ("`读取` 之前是什么样", None, "读取"),
        ("why did the Makefile change", "Makefile", None),
        ("What did we try in fetch?", None, "fetch"),
    ],
)
def test_a_question_names_what_it_means(question: str, path: str | None, symbol: str | None) -> None:
    found = named(question)
    if path is not None:
        assert path in found.paths
    if symbol is not None:
        assert symbol in (*found.symbols, *found.perhaps)


@pytest.mark.parametrize(
    "question",
    [
        "Run the test, then tell me the history of France",
        "Change the version in the test suite",
        "we tried the main thing",
        "把测试改一下",
    ],
)
def test_words_of_everyday_talk_name_no_code(question: str) -> None:
    found = named(question)
    assert not {"test", "main", "Run", "suite"} & {*found.symbols, *found.perhaps}


def test_an_absolute_path_finds_its_file(agent: Agent, repo: Path) -> None:
    agent.asks("Three tries")
    agent.edits("pay.py", FETCH, RETRY)
    (repo / "src").mkdir()
    (repo / "src" / "b.py").write_text("def g():\n    return 1\n")
    agent.asks("Two")
    agent.edits("src/b.py", "return 1", "return 2")
    found = agent.code().named(f"What was in {repo}/src/b.py?")
    assert {one.thread.path for one in found} == {"src/b.py"}
