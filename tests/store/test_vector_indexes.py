"""One vec0 table a model: how it begins, serves and leaves, and what mends it."""

from __future__ import annotations

import apsw
import pytest
from backstory.store import memories, vector_indexes, vectors
from backstory.store.db import Database
from backstory.store.errors import WrongDimension
from backstory.store.filters import Filter
from backstory.store.models import Scope
from backstory.store.vector_indexes import Index

from ..shelf import T0, open_workspaces, shelve

MINE = Filter("me", T0, None)
VECTOR = vectors.unit([3.0, 4.0])


def begin(db: Database, model: str, dim: int = 2) -> Index:
    return db.write(vector_indexes.begin, model, dim, now=T0)


def fill(con: apsw.Connection, index: int) -> None:
    for wanted in vectors.wanting(con, index, after=0, upto=1 << 40, now=T0, limit=1 << 30):
        vectors.put(con, index, wanted, VECTOR, now=T0)


def states(db: Database) -> dict[str, str]:
    return {index.model: index.state for index in db.read(vector_indexes.every)}


def indexed(con: apsw.Connection, index: int) -> list[int]:
    return [id_ for (id_,) in con.execute(f"select rowid from vector_{index} order by rowid")]


def chunks(con: apsw.Connection, index: int) -> int:
    return int(con.execute(f"select count(*) from vector_{index}_chunks").get)


def found(db: Database, index: int, workspaces: tuple[int, ...] | None = None) -> set[int]:
    wanted = Filter("me", T0, workspaces)
    return {id_ for id_, _ in db.read(vectors.nearest, VECTOR, index=index, wanted=wanted, k=4000)}


def retire(con: apsw.Connection, ids: list[int]) -> None:
    for id_ in ids:
        memories.retire(con, id_, why="test", now=T0)


def mend_all(db: Database, index: int) -> None:
    while drifted := db.read(vector_indexes.adrift, index, after=0, upto=1 << 40):
        db.write(vector_indexes.mend, index, drifted)


def test_the_first_model_serves_at_once_and_the_next_builds_beside_it(db: Database) -> None:
    first = begin(db, "first")
    assert begin(db, "first") == first == Index(1, "first", 2, "serving")
    second = begin(db, "second", 3)
    assert db.read(vector_indexes.answering) == [first, second]
    db.write(vector_indexes.promote, second.id)
    assert states(db) == {"second": "serving", "first": "leaving"}


def test_a_model_that_was_building_leaves_when_another_is_chosen(db: Database) -> None:
    for model in ("first", "second", "third"):
        begin(db, model)
    assert states(db) == {"first": "serving", "third": "building", "second": "leaving"}
    begin(db, "first")
    assert states(db) == {"first": "serving", "second": "leaving", "third": "leaving"}
    begin(db, "second")
    assert states(db) == {"first": "serving", "second": "building", "third": "leaving"}


def test_a_model_whose_vectors_change_their_length_is_refused(db: Database) -> None:
    begin(db, "first", 2)
    with pytest.raises(WrongDimension, match="another name"):
        begin(db, "first", 3)


def test_a_leaving_index_is_taken_apart_in_pieces_and_the_serving_one_stays(db: Database) -> None:
    first = begin(db, "first")
    ids = db.write(shelve, [f"memory {n}" for n in range(25)])
    db.write(fill, first.id)
    second = begin(db, "second")
    db.write(fill, second.id)
    assert not db.write(vector_indexes.dismantle, first.id, limit=10)  # it serves
    db.write(vector_indexes.promote, second.id)
    pieces = [db.write(vector_indexes.dismantle, first.id, limit=10) for _ in range(3)]
    assert pieces == [False, False, True]
    tables = db.read(
        lambda con: [n for (n,) in con.execute("select name from sqlite_schema where name like 'vector_1%'")]
    )
    assert (tables, states(db)) == ([], {"second": "serving"})
    assert found(db, second.id) == set(ids)


def test_what_was_retired_moved_or_lost_is_adrift_and_mended(db: Database) -> None:
    db.write(open_workspaces, 2)
    index = begin(db, "m").id
    ids = db.write(shelve, ["one", "two", "three", "four"], scope=Scope("me", workspace=1))
    db.write(fill, index)

    def disturb(con: apsw.Connection) -> None:
        memories.retire(con, ids[0], why="test", now=T0)
        con.execute(f"delete from vector_{index} where rowid = ?", (ids[1],))
        con.execute("drop trigger memory_is_immutable")  # only a turn's memory may move
        con.execute("update memory set workspace = 2 where id = ?", (ids[2],))

    db.write(disturb)
    assert sorted(db.read(vector_indexes.adrift, index, after=0, upto=99)) == ids[:3]
    assert db.read(vector_indexes.adrift, index, after=ids[0], upto=ids[1]) == [ids[1]]
    mend_all(db, index)
    assert db.read(indexed, index) == ids[1:]
    assert (found(db, index, (1,)), found(db, index, (2,))) == ({ids[1], ids[3]}, {ids[2]})


def test_a_memory_whose_words_changed_keeps_its_place_until_it_is_embedded_again(db: Database) -> None:
    index = begin(db, "m").id
    ids = db.write(shelve, ["one"])
    db.write(fill, index)
    db.write(lambda con: con.execute("delete from embedding").get)
    assert db.read(vector_indexes.adrift, index, after=0, upto=99) == []
    db.write(vector_indexes.mend, index, ids)
    assert found(db, index) == set(ids)
    db.write(fill, index)
    assert (db.read(indexed, index), db.read(chunks, index)) == (ids, 1)


def test_a_rebuilt_index_finds_what_the_kept_vectors_say(db: Database) -> None:
    index = begin(db, "m").id
    ids = db.write(shelve, [f"memory {n}" for n in range(300)])
    db.write(fill, index)
    db.write(vector_indexes.rebuild, index)
    assert found(db, index) == set()
    mend_all(db, index)
    assert found(db, index) == set(ids)


def test_embedding_again_takes_no_more_room(db: Database) -> None:
    index = begin(db, "m").id
    db.write(shelve, [f"memory {n}" for n in range(100)])
    db.write(fill, index)
    before = db.read(chunks, index)
    for _ in range(3):
        db.write(lambda con: con.execute("delete from embedding").get)
        db.write(fill, index)
    assert db.read(chunks, index) == before


def test_an_index_full_of_holes_is_closed_up(db: Database) -> None:
    index = begin(db, "m").id
    ids = db.write(shelve, [f"memory {n}" for n in range(320)])
    db.write(fill, index)
    assert db.read(vector_indexes.hollow, index) == []
    db.write(retire, [id_ for id_ in ids if id_ % 8])
    mend_all(db, index)
    assert db.read(chunks, index) == 10
    while rows := db.read(vector_indexes.hollow, index, limit=10):
        db.write(vector_indexes.close_up, index, rows)
    assert db.read(chunks, index) <= 4
    assert found(db, index) == {id_ for id_ in ids if id_ % 8 == 0}


def test_the_counts_say_how_far_each_model_is(db: Database) -> None:
    first, ids = begin(db, "first"), db.write(shelve, ["one", "two", "three"])
    db.write(fill, first.id)
    second = begin(db, "second")
    db.write(retire, ids[:1])
    mend_all(db, first.id)
    told = [(c.index, c.embedded, c.live) for c in db.read(vector_indexes.counts)]
    assert told == [(first, 2, 2), (second, 0, 2)]
