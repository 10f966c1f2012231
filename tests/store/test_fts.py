"""The words arm: who finds what, within whose scope, now and in the past, and how rare a word is."""

from __future__ import annotations

from dataclasses import replace

import apsw
import pytest
from backstory.store import cutter, fts, memories, words
from backstory.store.db import Database
from backstory.store.filters import Filter
from backstory.store.models import NewMemory, Scope
from hypothesis import given, settings
from hypothesis import strategies as st

from ..shelf import T0, open_workspaces, shelve

CUT = cutter.load()
MINE = Filter("me", T0, None)


def ask(db: Database, question: str, wanted: Filter = MINE, k: int = 10) -> list[int]:
    expression = words.match_any(words.query(question, CUT))
    return [memory for memory, _ in db.read(fts.search, expression, wanted, k=k)]


def test_the_best_match_comes_first_and_of_equals_the_latest(db: Database) -> None:
    ids = db.write(
        shelve, ["retry the upload", "upload", "the upload fails and we retry the upload", "cache", "upload"]
    )
    assert ask(db, "upload retry")[:2] == [ids[0], ids[2]]
    assert ask(db, "upload", k=2) == [ids[4], ids[1]]
    scores = [score for _, score in db.read(fts.search, '"upload"', MINE, k=10)]
    assert scores == sorted(scores, reverse=True)


def test_words_find_only_what_the_reader_may_see(db: Database) -> None:
    db.write(open_workspaces, 3)
    (everywhere,) = db.write(shelve, ["secret word"])
    here, there, theirs = (
        db.write(shelve, ["secret word"], scope=Scope(user=user, workspace=workspace))[0]
        for user, workspace in (("me", 1), ("me", 2), ("you", 1))
    )
    assert ask(db, "secret") == [there, here, everywhere]
    assert ask(db, "secret", Filter("me", T0, (1,))) == [here, everywhere]
    assert ask(db, "secret", Filter("me", T0, (1, 3))) == [here, everywhere]
    assert ask(db, "secret", Filter("me", T0, ())) == [everywhere]
    assert ask(db, "secret", Filter("you", T0, (1,))) == [theirs]
    assert ask(db, "secret", Filter("nobody", T0, None)) == []


@pytest.mark.parametrize(
    ("narrowed", "expected"),
    [
        ({"scene": "chat"}, ["chat"]),
        ({"kinds": ("experience", "profile")}, ["experience"]),
        ({"sources": ("cursor",)}, ["cursor"]),
        ({"session": "s9"}, ["session"]),
        ({"since": T0 + 5}, ["later"]),
        ({"until": T0 - 5}, ["earlier"]),
        ({"kinds": ()}, []),
    ],
)
def test_words_are_narrowed_by_what_is_asked_for(
    db: Database, narrowed: dict[str, object], expected: list[str]
) -> None:
    plain = NewMemory(kind="fact", scene="coding", scope=Scope(), text="", origin="user", valid_from=T0)
    kinds = {
        "plain": plain,
        "chat": replace(plain, scene="chat"),
        "experience": replace(plain, kind="experience"),
        "cursor": replace(plain, scope=Scope(source="cursor")),
        "session": replace(plain, scope=Scope(session="s9")),
        "later": replace(plain, valid_from=T0 + 9),
        "earlier": replace(plain, valid_from=T0 - 9),
    }

    def write(con: apsw.Connection) -> dict[int, str]:
        return {
            memories.insert(
                con, replace(new, text=f"needle {name}"), words.index(f"needle {name}", CUT), now=T0
            ): name
            for name, new in kinds.items()
        }

    names = db.write(write)
    wanted = replace(MINE, **narrowed)  # type: ignore[arg-type]
    assert [names[memory] for memory in ask(db, "needle", wanted)] == expected


def test_what_was_retired_is_found_in_the_past_only(db: Database) -> None:
    old, new = db.write(shelve, ["the port is 8080", "the port is 9090"])
    db.write(memories.retire, old, why="superseded", now=T0)
    assert ask(db, "port") == [new]
    assert ask(db, "port", replace(MINE, status="retired")) == [old]
    assert ask(db, "port", replace(MINE, status="all")) == [new, old]
    db.write(fts.drop, old)
    assert ask(db, "port", replace(MINE, status="all")) == [new]


def test_new_tokens_replace_old_ones_and_plain_sqlite_agrees(db: Database) -> None:
    (id_,) = db.write(shelve, ["about llamas"])
    db.write(fts.put, id_, words.index("about alpacas", CUT))
    assert ask(db, "llamas") == []
    assert ask(db, "alpacas") == [id_]
    db.write(lambda con: con.execute("insert into terms_fts(terms_fts, rank) values ('integrity-check', 1)"))


def test_a_word_is_counted_once_a_memory(db: Database) -> None:
    db.write(shelve, ["retry retry", "retry it", "cache 缓存", "缓存层"])
    rows, counts = db.read(fts.frequencies, ["retri", "cach", "缓存", "absent", "retri"])
    assert rows == 4
    assert counts == {"retri": 2, "cach": 1, "缓存": 2}
    assert db.read(fts.frequencies, []) == (4, {})


def test_what_a_memory_is_found_by_can_be_read_back(db: Database) -> None:
    first, second = db.write(shelve, ["getName name", "修复 cache 缓存穿透问题"])
    db.write(memories.retire, second, why="deleted", now=T0)
    read = db.read(fts.held, [first, second, 999])
    assert set(read) == {first, second}
    assert read[first].tokens == {"getnam": 1, "get": 1, "name": 2}
    assert (read[first].length, read[first].script, read[second].script) == (4, "letters", "cjk")
    assert {"缓存", "穿透", "修"} <= read[second].grams


@settings(max_examples=50)
@given(st.text(), st.text())
def test_any_text_is_stored_and_any_other_asked(text: str, question: str) -> None:
    db = Database.open(":memory:")
    db.write(lambda con: fts.put(con, shelve(con, ["x"])[0], words.index(text, CUT)))
    for expression in words.match(words.query(question, CUT)):
        db.read(fts.search, expression, MINE, k=3)
    db.close()
