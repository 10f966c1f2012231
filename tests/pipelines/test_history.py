"""What a reader is shown of a thread: by branch and ancestry, and what each version is now."""

from __future__ import annotations

from pathlib import Path

import pytest
from backstory.pipelines.code import history
from backstory.pipelines.code.history import Away
from backstory.pipelines.code.names import Named, named
from backstory.store import chains, rounds
from backstory.store.db import Database

from .coded import Repo, repo_at

V0 = "def fetch(url):\n    return get(url)\n"
V1 = "def fetch(url):\n    for _ in range(3):\n        return get(url)\n"
V2 = "def fetch(url):\n    for _ in range(9):\n        return get(url, timeout=2)\n"


@pytest.fixture
def repo(db: Database, tmp_path: Path) -> Repo:
    return repo_at(db, tmp_path / "repo")


def standing(chain: history.Chain) -> list[tuple[int, int | None, bool, bool]]:
    """Of each version: its number, what it went back to, whether it is undone, whether it is current."""
    return [(one.round.n, one.back_to, one.undone, one.current) for one in chain.versions]


def test_what_was_tried_and_undone_is_told_from_what_is_there(repo: Repo) -> None:
    for text in (V0, V1, V2, V0):
        repo.writes("pay.py", text)
    chain = repo.chain("pay.py::fetch")
    assert standing(chain) == [
        (1, None, False, False),
        (2, None, True, False),
        (3, None, True, False),
        (4, 1, False, True),
    ]
    assert chain.now == "current"


def test_an_undoing_that_nobody_saw_is_seen_when_it_is_read(repo: Repo) -> None:
    repo.writes("pay.py", V0)
    repo.writes("pay.py", V1)
    (repo.folder / "pay.py").write_text(V0)
    assert standing(repo.chain("pay.py::fetch")) == [(1, None, False, True), (2, None, True, False)]


def test_versions_of_a_function_that_is_gone_again_are_undone(repo: Repo) -> None:
    repo.writes("pay.py", "X = 1\n")
    repo.writes("pay.py", "X = 1\n\n\n" + V1)
    repo.writes("pay.py", "X = 1\n\n\n" + V2)
    (repo.folder / "pay.py").write_text("X = 1\n")
    chain = repo.chain("pay.py::fetch")
    assert (chain.now, [one.undone for one in chain.versions]) == ("gone", [True, True])


def test_code_changed_since_makes_no_version_undone(repo: Repo) -> None:
    repo.writes("pay.py", V0)
    repo.writes("pay.py", V1)
    (repo.folder / "pay.py").write_text(V2)
    chain = repo.chain("pay.py::fetch")
    assert (chain.now, standing(chain)) == (
        "changed since",
        [(1, None, False, False), (2, None, False, False)],
    )


def test_a_plain_step_forward_undoes_nothing(repo: Repo) -> None:
    for text in (V0, V1, V2):
        repo.writes("pay.py", text)
    assert [one.undone for one in repo.chain("pay.py::fetch").versions] == [False, False, False]


def test_line_ends_alone_do_not_hide_the_current_version(repo: Repo) -> None:
    repo.writes("pay.py", V0)
    (repo.folder / "pay.py").write_bytes(V0.replace("\n", "\r\n").encode())
    assert repo.chain("pay.py::fetch").now == "current"


def test_a_living_branch_is_counted_and_a_deleted_one_is_shown(repo: Repo) -> None:
    repo.writes("pay.py", V0)
    repo.branch, repo.head = "fix/x", "b" * 40
    repo.writes("pay.py", V1)
    alive = repo.chain("pay.py::fetch", repo.here("main", "fix/x", head="a" * 40))
    assert ([one.round.n for one in alive.versions], alive.elsewhere) == ([1], {"fix/x": 1})
    gone = repo.chain("pay.py::fetch", repo.here("main", head="a" * 40))
    assert [one.away for one in gone.versions] == [None, Away("deleted", "fix/x")]


def test_a_round_whose_commit_is_in_the_history_is_shown_wherever_it_was_made(repo: Repo) -> None:
    repo.branch = "fix/x"
    made = repo.writes("pay.py", V1)
    commit, head = "c" * 40, "d" * 40
    repo.db.write(chains.commits_hold, made.rounds, commit)
    here = repo.here("main", "fix/x", head=head)
    assert repo.chain("pay.py::fetch", here).versions == ()
    repo.db.write(rounds.note_reachable, head, {commit: True})
    assert [one.away for one in repo.chain("pay.py::fetch", here).versions] == [Away("merged", "fix/x")]


def test_never_committed_rounds_on_a_detached_head_hang_on_their_base(repo: Repo) -> None:
    repo.branch, repo.head = None, "b" * 40
    repo.writes("pay.py", V1)
    head = "d" * 40
    here = repo.here("main", head=head)
    (lost,) = repo.chain("pay.py::fetch", here).versions
    assert lost.away == Away("elsewhere", None)
    repo.db.write(rounds.note_reachable, head, {"b" * 40: True})
    assert [one.away for one in repo.chain("pay.py::fetch", here).versions] == [Away("uncommitted", None)]


def test_numbers_are_those_of_the_thread_whatever_is_shown(repo: Repo) -> None:
    repo.writes("pay.py", V0)
    repo.branch = "fix/x"
    repo.writes("pay.py", V1)
    repo.branch = "main"
    repo.files["pay.py"] = V0.encode()
    repo.writes("pay.py", V2)
    chain = repo.chain("pay.py::fetch", repo.here("main", "fix/x"))
    assert [one.round.n for one in chain.versions] == [1, 3]


def test_a_full_path_is_matched_and_a_base_name_only_where_it_is_the_only_one(repo: Repo) -> None:
    repo.writes("src/pay.py", V0)
    repo.writes("src/util.py", "def a():\n    pass\n")
    repo.writes("lib/util.py", "def a():\n    pass\n")
    assert [one.thread.name for one in repo.chains(path="pay.py")] == ["src/pay.py::fetch"]
    assert repo.chains(path="util.py") == []
    assert [one.thread.name for one in repo.chains(path="lib/util.py")] == ["lib/util.py::a"]
    assert {one.thread.path for one in repo.chains(path="src")} == {"src/pay.py", "src/util.py"}
    assert repo.chains(path="README.md") == []


@pytest.mark.parametrize(
    ("question", "found"),
    [
        ("What did we try in src/pay.py::fetch?", ["src/pay.py::fetch"]),
        ("what did we try in the function fetch and why did we drop it", ["src/pay.py::fetch"]),
        ("we tried the retry loop in fetch() twice", ["src/pay.py::fetch"]),
        ("src/pay.py 里的 fetch 为什么撤掉了？", ["src/pay.py::fetch"]),
        ("`Client.send` 之前的版本是什么？", ["src/net.py::Client.send"]),
        ("why does send() hang?", ["src/net.py::Client.send"]),
        ("how is the payments service deployed?", []),
        ("please fetch the latest numbers", []),
        ("look at docs/README.md", []),
        ("fix the typo in other/pay.py", []),
    ],
)
def test_a_question_that_names_code_finds_its_history(repo: Repo, question: str, found: list[str]) -> None:
    repo.writes("src/pay.py", V0)
    repo.writes("src/net.py", "class Client:\n    def send(self):\n        pass\n")
    asked = rounds.Asked("me", (repo.workspace,))
    threads = repo.db.read(history.named_in, named(question), asked)
    assert [one.name for one in threads] == found


def test_a_question_without_names_names_nothing() -> None:
    assert not named("How do we deploy the payments service?")
    assert named("see src/a.py and b.c()") == Named((), ("src/a.py",), ("b.c",), ())


def test_threads_are_found_by_branch_commit_and_time(repo: Repo) -> None:
    repo.writes("a.py", V0)
    first_at = repo.at
    repo.branch = "fix/x"
    made = repo.writes("b.py", V1)
    repo.db.write(chains.commits_hold, made.rounds, "c0ffee" + "0" * 34)
    assert [one.thread.path for one in repo.chains(branch="fix/x")] == ["b.py"]
    assert [one.thread.path for one in repo.chains(commit="c0ffee")] == ["b.py"]
    assert [one.thread.path for one in repo.chains(since=first_at + 1)] == ["b.py"]
    assert [one.thread.path for one in repo.chains(until=first_at)] == ["a.py"]


def test_another_users_and_another_workspaces_code_is_not_found(repo: Repo, tmp_path: Path) -> None:
    repo.writes("pay.py", V0)
    other = repo_at(repo.db, tmp_path / "other")
    assert other.chains(path="pay.py") == []
    threads = repo.db.read(rounds.threads, rounds.Asked("somebody", (repo.workspace,)), limit=9)
    assert threads == []
