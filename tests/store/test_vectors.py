"""Vectors: checked, kept in step with the rows, found by nearness within the reader's scope."""

from __future__ import annotations

import math
import random
import struct
from array import array

import apsw
import pytest
from backstory.store import jobs, memories, turns, vector_indexes, vectors
from backstory.store.db import Database
from backstory.store.errors import BadInput, WrongDimension
from backstory.store.filters import Filter
from backstory.store.models import Scope
from backstory.store.vector_indexes import Index
from backstory.store.vectors import Wanting
from hypothesis import given
from hypothesis import strategies as st

from ..shelf import T0, open_workspaces, shelve, take_turn

DIM = 16
MINE = Filter("me", T0, None)


def numbers(vector: bytes) -> list[float]:
    return list(array("f", vector))


def toward(angle: float) -> bytes:
    """A unit vector at that angle to `toward(0)`: its cosine is that of the angle."""
    return vectors.unit([math.cos(angle), math.sin(angle)] + [0.0] * (DIM - 2))


def begin(db: Database, model: str = "m", dim: int = DIM) -> Index:
    return db.write(vector_indexes.begin, model, dim, now=T0)


def put_all(con: apsw.Connection, index: int, made: dict[int, bytes]) -> int:
    wanted = vectors.wanting(con, index, after=0, upto=1 << 40, now=T0, limit=1 << 30)
    return sum(vectors.put(con, index, w, made[w.memory], now=T0) for w in wanted if w.memory in made)


def stocked(db: Database, angles: list[float], *, scope: Scope | None = None) -> tuple[Index, list[int]]:
    index = begin(db)
    ids = db.write(shelve, [f"memory {n}" for n in range(len(angles))], scope=scope)
    db.write(put_all, index.id, dict(zip(ids, map(toward, angles), strict=True)))
    return index, ids


@given(st.lists(st.floats(width=32), min_size=1, max_size=32))
def test_a_vector_is_of_unit_length_or_refused(given_numbers: list[float]) -> None:
    try:
        made = vectors.unit(given_numbers)
    except BadInput:
        assert not all(map(math.isfinite, given_numbers)) or math.hypot(*given_numbers) in (0, math.inf)
        return
    assert len(made) == 4 * len(given_numbers)
    assert math.hypot(*numbers(made)) == pytest.approx(1, abs=1e-5)


def test_a_unit_vector_is_kept_to_the_bit() -> None:
    made = vectors.unit([0.6, 0.8])
    assert vectors.unit(array("f", made)) == made == struct.pack("<2f", 0.6, 0.8)


def test_the_nearest_come_first_with_their_cosines(db: Database) -> None:
    index, ids = stocked(db, [1.2, 0.1, 2.0, 0.5])
    found = db.read(vectors.nearest, toward(0), index=index.id, wanted=MINE, k=3)
    assert [memory for memory, _ in found] == [ids[1], ids[3], ids[0]]
    assert [cosine for _, cosine in found] == pytest.approx([math.cos(a) for a in (0.1, 0.5, 1.2)], abs=1e-5)


def test_a_vector_of_another_model_is_refused_with_a_sentence(db: Database) -> None:
    index, ids = stocked(db, [0.1])
    short = vectors.unit([1.0] * (DIM - 1))
    with pytest.raises(WrongDimension, match="15 numbers and the index 16"):
        db.read(vectors.nearest, short, index=index.id, wanted=MINE, k=1)
    db.write(shelve, ["another"])
    (wanted,) = db.read(vectors.wanting, index.id, after=ids[0], upto=9, now=T0, limit=9)
    with pytest.raises(WrongDimension):
        db.write(vectors.put, index.id, wanted, short, now=T0)
    with pytest.raises(WrongDimension, match="no vector index 99"):
        db.read(vectors.nearest, toward(0), index=99, wanted=MINE, k=1)


def test_nobody_sees_anothers_memory_nor_another_workspaces(db: Database) -> None:
    db.write(open_workspaces, 3)
    index = begin(db)
    scopes = [
        Scope("me"),
        Scope("me", workspace=1),
        Scope("me", workspace=2),
        Scope("you"),
        Scope("you", workspace=1),
    ]
    ids = [db.write(shelve, [f"note {n}"], scope=scope)[0] for n, scope in enumerate(scopes)]
    db.write(put_all, index.id, dict.fromkeys(ids, toward(0.3)))

    def seen(user: str, workspaces: tuple[int, ...] | None) -> set[int]:
        wanted = Filter(user, T0, workspaces)
        return {
            memory for memory, _ in db.read(vectors.nearest, toward(0), index=index.id, wanted=wanted, k=9)
        }

    assert seen("me", None) == {ids[0], ids[1], ids[2]}
    assert seen("me", ()) == {ids[0]}
    assert seen("me", (1,)) == {ids[0], ids[1]}
    assert seen("me", (1, 2)) == {ids[0], ids[1], ids[2]}
    assert seen("you", (1, 3)) == {ids[3], ids[4]}
    assert seen("nobody", None) == set()


def test_a_small_workspace_is_not_crowded_out_by_a_large_one(db: Database) -> None:
    db.write(open_workspaces, 2)
    index = begin(db)
    crowd = db.write(shelve, [f"crowd {n}" for n in range(300)], scope=Scope("me", workspace=1))
    few = db.write(shelve, ["one", "two", "three"], scope=Scope("me", workspace=2))
    db.write(put_all, index.id, dict.fromkeys(crowd, toward(0.01)) | dict.fromkeys(few, toward(1.5)))
    found = db.read(vectors.nearest, toward(0), index=index.id, wanted=Filter("me", T0, (2,)), k=10)
    assert {memory for memory, _ in found} == set(few)


def test_a_rare_kind_is_found_behind_many_nearer_ones(db: Database) -> None:
    index = begin(db)
    near = db.write(shelve, [f"near {n}" for n in range(200)])
    rare = db.write(shelve, ["be brief", "answer in Chinese"], kind="profile")
    db.write(put_all, index.id, dict.fromkeys(near, toward(0.01)) | dict.fromkeys(rare, toward(1.0)))
    wanted = Filter("me", T0, (), kinds=("profile",))
    found = db.read(vectors.nearest, toward(0), index=index.id, wanted=wanted, k=5)
    assert {memory for memory, _ in found} == set(rare)


def test_ten_live_ones_are_found_after_nine_hundred_of_a_thousand_are_retired(db: Database) -> None:
    index, ids = stocked(db, [n / 1000 for n in range(1000)])
    gone = set(random.Random(1).sample(ids, 900)) | set(ids[:40])

    def retire(con: apsw.Connection) -> None:
        for id_ in gone:
            memories.retire(con, id_, why="test", now=T0)

    db.write(retire)
    live = [id_ for id_ in ids if id_ not in gone]

    def nearest() -> list[int]:
        return [id_ for id_, _ in db.read(vectors.nearest, toward(0), index=index.id, wanted=MINE, k=10)]

    # Before the index has followed, and after.
    assert nearest() == live[:10]
    while drifted := db.read(vector_indexes.adrift, index.id, after=0, upto=ids[-1]):
        db.write(vector_indexes.mend, index.id, drifted)
    assert nearest() == live[:10]
    assert db.read(lambda con: con.execute("select count(*) from embedding").get) == len(live)


def test_a_memory_that_changed_since_gets_no_vector(db: Database) -> None:
    index = begin(db)
    turn, memory = db.write(take_turn, "first words")
    db.write(turns.end_turn, turn, "done", at=T0)
    (old,) = db.read(vectors.wanting, index.id, after=0, upto=memory, now=T0, limit=9)
    db.write(take_turn, "first words")
    db.write(lambda con: con.execute("update memory set hash = 'other' where id = ?", (memory,)))
    assert not db.write(vectors.put, index.id, old, toward(0), now=T0)
    (new,) = db.read(vectors.wanting, index.id, after=0, upto=memory, now=T0, limit=9)
    assert db.write(vectors.put, index.id, new, toward(0), now=T0)
    assert db.read(vectors.wanting, index.id, after=0, upto=memory, now=T0, limit=9) == []


def test_a_turn_wants_its_vector_when_it_is_over_or_has_hung_for_long(db: Database) -> None:
    index = begin(db)
    turn, memory = db.write(take_turn, "please fix the parser")
    wanted = [Wanting(memory, db.read(memories.by_id, memory).hash, "please fix the parser")]

    def wanting(now: int) -> list[Wanting]:
        return db.read(vectors.wanting, index.id, after=0, upto=memory, now=now, limit=9)

    late = T0 + vectors.OPEN_TURN_S * 1_000_000 + 1
    assert [wanting(T0), wanting(late)] == [[], wanted]
    assert [db.read(vectors.waiting, index.id, now=now) for now in (T0, late)] == [0, 1]
    db.write(turns.end_turn, turn, "done", at=T0)
    assert wanting(T0) == wanted


def test_only_the_beginning_of_a_long_memory_is_embedded(db: Database) -> None:
    (memory,) = db.write(shelve, ["é" * 5000])
    (wanted,) = db.read(vectors.wanting, 0, after=0, upto=memory, now=T0, limit=9)
    assert wanted.text == "é" * vectors.MEMORY_CHARS


def test_a_struck_memory_rests_and_its_stroke_goes_with_its_vector(db: Database) -> None:
    index, (memory,) = begin(db), db.write(shelve, ["odd"])
    db.write(jobs.strike, vectors.STRUCK, str(memory), "refused", now=T0)
    later = T0 + jobs.BACKOFF_S[0] * 1_000_000
    assert db.read(vectors.wanting, index.id, after=0, upto=memory, now=T0, limit=9) == []
    (wanted,) = db.read(vectors.wanting, index.id, after=0, upto=memory, now=later, limit=9)
    assert db.write(vectors.put, index.id, wanted, toward(0), now=later)
    assert vectors.STRUCK not in db.read(jobs.counts)


def test_a_sample_is_the_same_each_time_and_moves_little_as_the_shelf_grows(db: Database) -> None:
    index, ids = stocked(db, [0.1] * 400)
    first = db.read(vectors.sample, index.id, 100)
    assert first == db.read(vectors.sample, index.id, 100)
    assert len(set(first)) == 100
    more = db.write(shelve, [f"more {n}" for n in range(40)])
    db.write(put_all, index.id, dict.fromkeys(more, toward(0.1)))
    grown = db.read(vectors.sample, index.id, 100)
    assert len(set(first) & set(grown)) >= 80
    assert set(grown) & set(more)
    assert max(first) - min(first) > 0.9 * len(ids)


def test_the_cosines_of_named_memories_are_told(db: Database) -> None:
    index, ids = stocked(db, [0.0, math.pi / 2, math.pi / 2, math.pi])
    cosines = db.read(vectors.cosines, toward(0), index=index.id, memories=[ids[3], ids[0], 999])
    assert cosines == pytest.approx({ids[0]: 1, ids[3]: -1}, abs=1e-5)


def test_thousands_asked_for_are_cut_to_what_the_index_gives(db: Database) -> None:
    index, ids = stocked(db, [0.1] * 50)
    assert len(db.read(vectors.nearest, toward(0), index=index.id, wanted=MINE, k=100_000)) == len(ids)
