"""Changes become rounds: one thread for the life of a symbol, whatever it is called and wherever it lies."""

from __future__ import annotations

from pathlib import Path

import apsw
import pytest
from backstory.store.clock import SECOND_US
from backstory.store.db import Database
from backstory.store.rows import fetch

from .coded import Repo, repo_at

FETCH = "def fetch(url):\n    return get(url)\n"
RETRY = "def fetch(url):\n    for _ in range(3):\n        return get(url)\n"
SUM = (
    "def total(items):\n    found = 0\n    for item in items:\n        found += item * 2\n    return found\n"
)
BIG = "".join(f"def f{n}():\n    return {n}\n\n\n" for n in range(40))


@pytest.fixture
def repo(db: Database, tmp_path: Path) -> Repo:
    return repo_at(db, tmp_path / "repo")


def test_every_version_reads_back_byte_for_byte(repo: Repo) -> None:
    for text in (FETCH, RETRY, FETCH, RETRY.replace("3", "9")):
        repo.writes("pay.py", text)
    chain = repo.chain("pay.py::fetch")
    assert [repo.body(chain, n) for n in (1, 2, 3, 4)] == [
        text.rstrip("\n").encode() for text in (FETCH, RETRY, FETCH, RETRY.replace("3", "9"))
    ]
    assert [one.round.parent is not None for one in chain.versions] == [False, True, True, True]


def test_bodies_are_kept_once(repo: Repo) -> None:
    for text in (FETCH, RETRY, FETCH, RETRY, FETCH):
        repo.writes("pay.py", text)
    assert len(repo.db.read(fetch, "select id from body")) == 2


def test_a_renamed_function_keeps_its_thread(repo: Repo) -> None:
    repo.writes("pay.py", RETRY)
    repo.writes("pay.py", RETRY.replace("fetch", "load"))
    repo.writes("pay.py", RETRY.replace("fetch", "load").replace("3", "5"))
    chain = repo.chain("pay.py::load")
    assert [(one.round.symbol, one.round.status) for one in chain.versions] == [
        ("fetch", "added"),
        ("load", "renamed"),
        ("load", "modified"),
    ]
    assert repo.chain("pay.py::fetch").thread.id == chain.thread.id


def test_a_moved_file_keeps_its_threads(repo: Repo) -> None:
    repo.writes("pay.py", BIG)
    repo.writes("lib/pay.py", BIG, old_path="pay.py")
    repo.writes("lib/pay.py", BIG.replace("return 7\n", "return 70\n"))
    chain = repo.chain("lib/pay.py::f7")
    assert [(one.round.path, one.round.status) for one in chain.versions] == [
        ("pay.py", "added"),
        ("lib/pay.py", "moved"),
        ("lib/pay.py", "modified"),
    ]


def test_a_function_moved_to_another_file_keeps_its_thread(repo: Repo) -> None:
    repo.writes("pay.py", BIG)
    without = BIG.replace("def f7():\n    return 7\n\n\n", "")
    from backstory.pipelines.code import observe
    from backstory.pipelines.code.symbol_edits import Change

    from .coded import edit

    both = (
        edit("pay.py", BIG.encode(), without.encode()),
        edit("seven.py", None, b"def f7():\n    return 7\n"),
    )
    change = Change("agent", repo.at + 1, str(repo.folder), "main", repo.head, repo.head, both)
    observe.record(change, repo.whose, db=repo.db, now=repo.at + 1)
    chain = repo.chain("seven.py::f7")
    assert [(one.round.path, one.round.status) for one in chain.versions] == [
        ("pay.py", "added"),
        ("seven.py", "moved"),
    ]


def test_a_deleted_function_ends_its_thread_and_one_that_comes_back_goes_on_with_it(repo: Repo) -> None:
    repo.writes("pay.py", FETCH)
    repo.writes("pay.py", "")
    repo.writes("pay.py", RETRY)
    chain = repo.chain("pay.py::fetch")
    assert [(one.round.status, one.round.after is None) for one in chain.versions] == [
        ("added", False),
        ("deleted", True),
        ("added", False),
    ]


def test_an_edit_of_one_function_leaves_the_others_alone(repo: Repo) -> None:
    repo.writes("many.py", BIG)
    made = repo.writes("many.py", BIG.replace("return 7\n", "return 70\n"))
    assert len(made.rounds) == 1
    assert len(repo.chain("many.py::f7").versions) == 2
    assert len(repo.chain("many.py::f8").versions) == 1


def events(repo: Repo, count: int) -> tuple[int, list[int]]:
    """A turn with that many events."""

    def make(con: apsw.Connection) -> tuple[int, list[int]]:
        turn = con.execute(
            """
            insert into turn(ulid, user, source, session, prompt_id, started_at) values ('t', 'me', 'c', 's', 'p', 1)
            returning id"""
        ).get
        made = [
            con.execute(
                """
                insert into event(ulid, turn, seq, key, role, kind, content, origin, hash, occurred_at, recorded_at)
                values (?, ?, ?, ?, 'tool', 'edit', '', 'tool', '', 1, 1) returning id""",
                (f"e{n}", turn, n, f"k{n}"),
            ).get
            for n in range(count)
        ]
        return turn, made

    return repo.db.write(make)


def test_an_event_is_recorded_once(repo: Repo) -> None:
    turn, (event,) = events(repo, 1)
    first = repo.writes("pay.py", FETCH, turn=turn, event=event)
    del repo.files["pay.py"]
    again = repo.writes("pay.py", FETCH, turn=turn, event=event)
    assert (len(first.rounds), again.rounds) == (1, ())


@pytest.mark.parametrize("order", [("cut", "paste"), ("paste", "cut")])
def test_the_halves_of_a_move_are_recorded_once(repo: Repo, order: tuple[str, str]) -> None:
    turn, made = events(repo, 2)
    repo.writes("pay.py", BIG + SUM)
    done = {"cut": ("pay.py", BIG), "paste": ("sums.py", SUM)}
    for step, event in zip(order, made, strict=True):
        repo.writes(*done[step], turn=turn, event=event)
    told = [(one.round.path, one.round.n, one.round.status) for one in repo.chain("sums.py::total").versions]
    assert told == [("pay.py", 1, "added"), ("sums.py", 2, "moved")]
    repo.files.pop("sums.py")
    repo.files["pay.py"] = (BIG + SUM).encode()
    for step, event in zip(order, made, strict=True):
        assert repo.writes(*done[step], turn=turn, event=event).rounds == ()


def writes_after(repo: Repo, seconds: int, path: str, text: str) -> None:
    """As `writes`, so long after the last."""
    repo.at += (seconds - 3600) * SECOND_US
    repo.writes(path, text, by="human")


@pytest.mark.parametrize(("seconds", "status"), [(60, "moved"), (3600, "added")])
def test_between_turns_what_goes_and_comes_within_minutes_was_moved(
    repo: Repo, seconds: int, status: str
) -> None:
    repo.writes("pay.py", BIG + SUM)
    writes_after(repo, 3600, "pay.py", BIG)
    writes_after(repo, seconds, "sums.py", SUM)
    chain = repo.chain("sums.py::total")
    assert chain.versions[-1].round.status == status
    assert len(chain.versions) == (2 if status == "moved" else 1)


def test_a_move_seen_from_its_end_takes_the_versions_made_since_along(repo: Repo) -> None:
    repo.writes("pay.py", BIG + SUM)
    repo.writes("pay.py", BIG + SUM.replace("* 2", "* 3"))
    writes_after(repo, 3600, "sums.py", SUM.replace("* 2", "* 3"))
    writes_after(repo, 60, "sums.py", SUM.replace("* 2", "* 4"))
    writes_after(repo, 60, "pay.py", BIG)
    writes_after(repo, 60, "sums.py", SUM.replace("* 2", "* 5"))
    versions = repo.chain("sums.py::total").versions
    assert [(one.round.path, one.round.n, one.round.status) for one in versions] == [
        ("pay.py", 1, "added"),
        ("pay.py", 2, "modified"),
        ("sums.py", 3, "moved"),
        ("sums.py", 4, "modified"),
        ("sums.py", 5, "modified"),
    ]
    # Each goes on from the one before it.
    assert [one.round.parent for one in versions[1:]] == [one.round.id for one in versions[:-1]]
    assert repo.db.read(fetch, "select count(*) from thread where kind = 'symbol'") == [(41,)]


def test_what_two_short_functions_have_in_common_is_no_move(repo: Repo) -> None:
    repo.writes("pay.py", BIG + "def one():\n    pass\n")
    writes_after(repo, 3600, "pay.py", BIG)
    writes_after(repo, 60, "sums.py", "def two():\n    pass\n")
    assert [one.round.status for one in repo.chain("sums.py::two").versions] == ["added"]
    assert [one.round.status for one in repo.chain("pay.py::one").versions] == ["added", "deleted"]


def test_a_name_that_was_given_up_is_free_and_one_that_git_put_back_is_not(repo: Repo) -> None:
    repo.writes("pay.py", RETRY)
    repo.writes("pay.py", RETRY.replace("fetch", "load"))
    thread = repo.chain("pay.py::load").thread.id
    # Git goes back to before it was renamed, and it is edited there.
    repo.files["pay.py"] = RETRY.encode()
    repo.writes("pay.py", RETRY.replace("3", "5"))
    assert repo.chain("pay.py::fetch").thread.id == thread
    repo.writes("pay.py", RETRY.replace("fetch", "load").replace("3", "5"))
    repo.writes("pay.py", RETRY.replace("fetch", "load").replace("3", "5") + "\n\n" + FETCH)
    assert [
        (one.thread.id == thread, [version.round.status for version in one.versions])
        for one in repo.chains(path="pay.py", symbol="fetch")
    ] == [(False, ["added"]), (True, ["added", "renamed", "modified", "renamed"])]


def test_a_secret_in_code_is_marked_in_the_body_the_patch_and_the_path(repo: Repo) -> None:
    token = "ghp_" + "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8"
    repo.writes("pay.py", f'def fetch(url):\n    return get(url, "{token}")\n')
    repo.writes("pay.py", f'def fetch(url):\n    return get(url, "{token}", 3)\n')
    chain = repo.chain("pay.py::fetch")
    assert token.encode() not in (repo.body(chain, 2) or b"")
    assert b"[redacted:" in (repo.body(chain, 2) or b"")
    repo.db.checkpoint()
    assert token.encode() not in repo.db.path.read_bytes()
    # They differ on disk, so they are two.
    assert chain.versions[0].round.after != chain.versions[1].round.after


def test_what_lies_in_no_symbol_is_followed_by_where_it_lies(repo: Repo) -> None:
    text = "".join(f"key{n} = {n}\n" for n in range(200))
    repo.writes("app.ini", text)
    repo.writes("app.ini", text.replace("key150 = 150", "key150 = 1"))
    repo.writes("app.ini", "new = 1\n" * 30 + text.replace("key150 = 150", "key150 = 1"))
    repo.writes("app.ini", "new = 1\n" * 30 + text.replace("key150 = 150", "key150 = 2"))
    regions = [one for one in repo.chains(path="app.ini") if any(v.round.n == 3 for v in one.versions)]
    assert len(regions) == 1
    assert b"key150 = 2" in (repo.body(regions[0], 3) or b"")
    sizes = [v.round.end - v.round.start + 1 for one in repo.chains(path="app.ini") for v in one.versions]
    assert max(sizes) <= 81


def test_a_file_that_may_only_be_named_is_named(repo: Repo) -> None:
    from backstory.pipelines.code import observe
    from backstory.pipelines.code.symbol_edits import Change
    from backstory.pipelines.git.edits import FileEdit

    change = Change(
        "agent", repo.at, "w", "main", None, None, (FileEdit(".env", "modified", named="secret"),)
    )
    observe.record(change, repo.whose, db=repo.db, now=repo.at)
    (chain,) = repo.chains(path=".env")
    assert (chain.thread.kind, chain.versions[0].round.after) == ("file", None)
    assert repo.db.read(fetch, "select path, named from change_file") == [(".env", "secret")]
