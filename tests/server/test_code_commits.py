"""
Commits and versions of code: what git does, and what a commit holds, is no version twice, in real repositories.

| row | where it is held |
|---|---|
| 13 merges | here: test_a_merge_is_no_edit_but_its_solution_is, test_of_a_merge_commit_its_solution_is_a_version |
| 14 amend, rebase | here: test_a_change_is_one_version_under_every_commit_that_holds_it, and the two after it |
| 15, 16 read, not written | here: test_looking_at_history_makes_no_version |
| 35 the moment | here: test_a_version_is_stamped_with_the_moment_that_it_was_made |
"""

from __future__ import annotations

from pathlib import Path

import pytest
from backstory.pipelines.code.history import Away
from backstory.server.memory import Memory
from backstory.store import clock
from backstory.store.rows import fetch

from .coding_agent import Agent, Git

FETCH = "def fetch(url):\n    return get(url)"
RETRY = "def fetch(url):\n    for _ in range(3):\n        return get(url)"
BIG = "".join(f"def f{n}():\n    return {n}\n\n\n" for n in range(9))


def test_a_merge_is_no_edit_but_its_solution_is(agent: Agent, repo: Path, git: Git) -> None:
    git(repo, "checkout", "-qb", "side")
    agent.asks("Three tries, on a branch")
    agent.edits("pay.py", FETCH, RETRY)
    agent.writes("extra.py", BIG)
    git(repo, "add", "-A")
    agent.runs("git commit", lambda: git(repo, "commit", "-qam", "three"))
    agent.runs("git checkout main", lambda: git(repo, "checkout", "-q", "main"))
    agent.asks("Nine tries on main")
    agent.edits("pay.py", FETCH, RETRY.replace("3", "9"))
    agent.runs("git commit", lambda: git(repo, "commit", "-qam", "nine"))
    before = agent.count()
    agent.asks("Merge the branch, seven tries")

    def merge() -> None:
        with pytest.raises(Exception, match="merge"):
            git(repo, "merge", "side")

    agent.runs("git merge side", merge)
    assert agent.count() == before  # its conflict marks are git's, and so is extra.py
    agent.writes("pay.py", "def other():\n    return 1\n\n\n" + RETRY.replace("3", "7") + "\n")
    git(repo, "add", "-A")
    agent.runs("git commit", lambda: git(repo, "commit", "-qm", "merged"))
    agent.ends()
    assert [(one.round.words, one.away, one.current) for one in agent.versions("pay.py::fetch")] == [
        ("Three tries, on a branch", Away("merged", "side"), False),
        ("Nine tries on main", None, False),
        ("Merge the branch, seven tries", None, True),
    ]
    assert len(agent.versions("extra.py::f1")) == 1


def test_of_a_merge_commit_its_solution_is_a_version(agent: Agent, repo: Path, git: Git) -> None:
    def commit(words: str, version: str) -> None:
        (repo / "pay.py").write_text(f"def other():\n    return 1\n\n\n{version}\n")
        (repo / f"{words}.py").write_text(f"def {words}():\n    return 1\n")
        git(repo, "add", "-A")
        git(repo, "commit", "-qm", words)

    git(repo, "checkout", "-qb", "side")
    commit("three", RETRY)
    git(repo, "checkout", "-q", "main")
    commit("nine", RETRY.replace("3", "9"))
    git(repo, "merge", "-q", "-s", "ours", "--no-commit", "side")
    commit("merged", RETRY.replace("3", "7"))
    agent.imports()
    words = [one.round.words for one in agent.versions("pay.py::fetch")]
    assert (words[0], sorted(map(str, words[1:3])), words[3:]) == ("base", ["nine", "three"], ["merged"])
    assert agent.texts("pay.py::fetch")[-1] == RETRY.replace("3", "7")
    for place in ("three.py::three", "nine.py::nine", "pay.py::other"):
        assert len(agent.versions(place)) == 1


@pytest.mark.parametrize("how", ["amend", "rebase", "cherry-pick"])
def test_a_change_is_one_version_under_every_commit_that_holds_it(
    agent: Agent, repo: Path, git: Git, how: str
) -> None:
    git(repo, "checkout", "-qb", "work")
    agent.asks("Add a retry loop")
    agent.edits("pay.py", FETCH, RETRY)
    agent.runs("git commit", lambda: git(repo, "commit", "-qam", "retry"))
    first = git(repo, "rev-parse", "HEAD").strip()
    git(repo, "checkout", "-q", "main")
    (repo / "new.py").write_text("X = 1\n")
    git(repo, "add", "-A")
    git(repo, "commit", "-qm", "another")
    git(repo, "checkout", "-q", "main" if how == "cherry-pick" else "work")
    agent.asks("Tidy the history")
    args = {
        "amend": ("commit", "--amend", "-qm", "retry, better said"),
        "rebase": ("rebase", "-q", "main"),
        "cherry-pick": ("cherry-pick", "work"),
    }[how]
    agent.runs(f"git {how}", lambda: git(repo, *args))
    agent.ends()
    agent.imports()
    base, version = agent.versions("pay.py::fetch")
    assert (base.round.words, version.round.words) == ("base", "Add a retry loop")
    assert set(version.round.commits) == {first, git(repo, "rev-parse", "HEAD").strip()}


@pytest.mark.parametrize("seen", [True, False], ids=["commit seen", "commit unseen"])
def test_what_was_seen_being_made_is_not_made_again_from_its_commit(
    agent: Agent, repo: Path, git: Git, seen: bool
) -> None:
    (repo / "NOTES.md").write_text("".join(f"line {n}\n" for n in range(60)))
    (repo / "logo.png").write_bytes(b"\0")
    git(repo, "add", "-A")
    git(repo, "commit", "-qm", "notes")
    agent.asks("Three tries")
    agent.edits("pay.py", FETCH, RETRY)
    agent.edits("NOTES.md", "line 30\n", "line thirty\n")
    agent.runs("draw", lambda: (repo / "logo.png").write_bytes(b"\0\0"))
    agent.asks("Nine tries")
    agent.edits("pay.py", "range(3)", "range(9)")
    agent.edits("NOTES.md", "line thirty\n", "LINE THIRTY\n")
    git(repo, "commit", "-qam", "all of it")
    if seen:
        agent.ends()
    agent.imports()
    agent.imports()
    commit = git(repo, "rev-parse", "HEAD").strip()
    told = [(one.round.words, one.round.commits) for one in agent.versions("pay.py::fetch")][1:]
    assert told == [("Three tries", ()), ("Nine tries", (commit,))]
    assert [one.round.words for one in agent.versions("logo.png")] == ["notes", "Three tries"]
    # The region goes on where it was, though it was a part of the whole file in the commit before.
    agent.asks("And lower case")
    agent.edits("NOTES.md", "LINE THIRTY\n", "line thirty\n")
    (words,) = [
        [one.round.words for one in seen.chain.versions]
        for seen in agent.code().get("NOTES.md")
        if seen.chain.versions[-1].round.words == "And lower case"
    ]
    assert words[-3:] == ["Three tries", "Nine tries", "And lower case"]
    assert "all of it" not in str([seen.chain.versions for seen in agent.code().get("NOTES.md")])


def test_each_commit_of_a_binary_file_and_of_equal_lines_is_a_version(
    agent: Agent, repo: Path, git: Git
) -> None:
    for n in range(1, 4):
        (repo / "logo.png").write_bytes(b"\0" * n)
        (repo / "add.py").write_text("def add(n):\n" + "    n += 1\n" * n)
        git(repo, "add", "-A")
        git(repo, "commit", "-qm", f"step {n}")
        before = agent.count()
        agent.imports()
        assert agent.count() > before
    before = agent.count()
    agent.imports()
    assert agent.count() == before
    assert len(agent.db.read(fetch, "select id from change")) == 4  # with the first of all
    for place in ("logo.png", "add.py::add"):
        assert [one.round.words for one in agent.versions(place)] == ["step 1", "step 2", "step 3"]


@pytest.mark.parametrize("command", [("diff",), ("show",), ("log", "-p"), ("stash", "list")])
def test_looking_at_history_makes_no_version(
    agent: Agent, repo: Path, git: Git, command: tuple[str, ...]
) -> None:
    agent.asks("Add a retry loop")
    agent.edits("pay.py", FETCH, RETRY)
    agent.asks("What has changed?")
    agent.calls += 1
    said = git(repo, *command)
    agent.hook(
        "PostToolUse", tool_name="Bash", tool_use_id="t9", tool_input={"command": f"git {' '.join(command)}"},
        tool_response={"stdout": said, "stderr": ""},
    )  # fmt: skip
    agent.ends()
    assert agent.count() == 1


def test_a_version_is_stamped_with_the_moment_that_it_was_made(agent: Agent, repo: Path, git: Git) -> None:
    stamp = "2024-02-03T04:05:06+08:00"
    (repo / "pay.py").write_text((repo / "pay.py").read_text().replace(FETCH, RETRY))
    git(repo, "-c", "user.name=x", "commit", "-qam", "retry", f"--date={stamp}")
    with Memory.open(agent.db.path, folder=repo, embedder="none") as memory:
        memory.import_git()
        at = 1_700_000_000_000_000
        (added,) = memory.add("We tried a retry loop in `fetch`.", scene="coding", memory_at=at)
        assert memory.get(added.id).memory.valid_from == at
    base, made = (one.round for one in agent.versions("pay.py::fetch"))
    assert base.happened_at >= made.happened_at == 1_706_904_306_000_000
    began = clock.now()
    agent.asks("Nine tries")
    agent.edits("pay.py", "range(3)", "range(9)")
    last = agent.versions("pay.py::fetch")[-1].round
    assert began <= last.happened_at <= clock.now()


def test_what_git_brings_moves_the_places_that_are_followed(agent: Agent, repo: Path, git: Git) -> None:
    notes = "".join(f"line {n}\n" for n in range(60))
    (repo / "NOTES.md").write_text(notes)
    git(repo, "add", "-A")
    git(repo, "commit", "-qm", "notes")
    git(repo, "checkout", "-qb", "side")
    (repo / "NOTES.md").write_text("".join(f"new {n}\n" for n in range(40)) + notes)
    git(repo, "commit", "-qam", "more notes")
    git(repo, "checkout", "-q", "main")
    agent.asks("In words")
    agent.edits("NOTES.md", "line 30\n", "line thirty\n")
    git(repo, "commit", "-qam", "words")
    agent.runs("git merge side", lambda: git(repo, "merge", "-q", "--no-edit", "side"))
    agent.asks("In capitals")
    agent.edits("NOTES.md", "line thirty\n", "LINE THIRTY\n")
    agent.asks("Elsewhere")
    agent.edits("NOTES.md", "new 30\n", "NEW 30\n")
    found = [[one.round.words for one in seen.chain.versions] for seen in agent.code().get("NOTES.md")]
    assert sorted(found) == [["Elsewhere"], ["In words", "In capitals"]]
