"""Changes become rounds: one thread for the life of a symbol, whatever it is called and wherever it lies."""

from __future__ import annotations

from pathlib import Path

import pytest
from backstory.store.db import Database
from backstory.store.rows import fetch

from .coded import Repo, repo_at

FETCH = "def fetch(url):\n    return get(url)\n"
RETRY = "def fetch(url):\n    for _ in range(3):\n        return get(url)\n"
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
    from backstory.pipelines import observe
    from backstory.pipelines.edits import Change

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


def test_an_event_is_recorded_once(repo: Repo) -> None:
    turn = repo.db.write(
        lambda con: (
            con.execute(
                """
            insert into turn(ulid, user, source, session, prompt_id, started_at) values ('t', 'me', 'c', 's', 'p', 1)
            returning id"""
            ).get
        )
    )
    event = repo.db.write(
        lambda con: (
            con.execute(
                """
            insert into event(ulid, turn, seq, key, role, kind, content, origin, hash, occurred_at, recorded_at)
            values ('e', ?, 1, 'k', 'tool', 'edit', '', 'tool', '', 1, 1) returning id""",
                (turn,),
            ).get
        )
    )
    first = repo.writes("pay.py", FETCH, turn=turn, event=event)
    del repo.files["pay.py"]
    again = repo.writes("pay.py", FETCH, turn=turn, event=event)
    assert (len(first.rounds), again.rounds) == (1, ())


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
    from backstory.pipelines import observe
    from backstory.pipelines.edits import Change, FileEdit

    change = Change(
        "agent", repo.at, "w", "main", None, None, (FileEdit(".env", "modified", named="secret"),)
    )
    observe.record(change, repo.whose, db=repo.db, now=repo.at)
    (chain,) = repo.chains(path=".env")
    assert (chain.thread.kind, chain.versions[0].round.after) == ("file", None)
    assert repo.db.read(fetch, "select path, named from change_file") == [(".env", "secret")]
