"""The worker: every memory gets its vector, whatever fails or changes meanwhile."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import replace

import apsw
import pytest
from backstory.pipelines import embedding
from backstory.pipelines.embed_hash import HashEmbedder
from backstory.pipelines.embedding import Found, Progress
from backstory.store import jobs, memories, turns, vector_indexes, vectors, words
from backstory.store.db import Database
from backstory.store.jobs import JobCounts

from ..shelf import T0, shelve, take_turn
from .working import Clock, Moody, embedded, finish, found, in_step, states, worker


def test_every_memory_gets_its_vector_and_the_lease_is_given_back(db: Database) -> None:
    ids = db.write(shelve, [f"the answer to question {n}" for n in range(30)])
    embedder, clock = Moody(), Clock()
    doing = worker(db, embedder, clock)
    assert doing.step() is Found.WORK
    assert db.read(jobs.holder, embedding.LEASE, now=clock()) is not None
    assert finish(doing) == Progress("working", "hash-16", 30)
    doing.let_go()
    assert doing.progress == Progress("idle", "hash-16", 30)
    assert db.read(jobs.holder, embedding.LEASE, now=clock()) is None
    assert found(db, embedder, "the answer to question 7")[0] == ids[7]
    assert max(map(len, embedder.calls)) == 4
    assert db.read(in_step)


def test_the_latest_memories_come_first_and_new_ones_before_a_backlog(
    db: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(embedding, "WINDOW", 4)
    db.write(shelve, [f"old {n}" for n in range(20)])
    embedder, clock = Moody(batch=4), Clock()
    doing = worker(db, embedder, clock)
    while len(embedder.calls) < 2:
        doing.step()
    db.write(shelve, ["new"])
    while len(embedder.calls) < 3:
        doing.step()
    assert embedder.calls[0] == ["old 19", "old 18", "old 17", "old 16"]
    assert embedder.calls[2] == ["new"]
    finish(doing)
    assert db.read(in_step)


def test_a_turn_is_embedded_when_it_is_over_and_again_when_its_words_change(db: Database) -> None:
    embedder, clock = Moody(), Clock()
    doing = worker(db, embedder, clock)
    turn, memory = db.write(take_turn, "why does the parser fail?")
    assert finish(doing).embedded == 0
    db.write(turns.end_turn, turn, "done", at=T0)
    assert finish(doing).embedded == 1

    def reply(con: apsw.Connection) -> None:
        row = memories.as_new(memories.by_id(con, memory))
        text = row.text + " Because of comments."
        new = replace(memories.as_new(memories.by_id(con, memory)), text=text, line=None)
        memories.mirror_turn(con, new, words.index(text, None), now=T0, evidence=[])

    db.write(reply)
    assert found(db, embedder, "parser") == [memory]  # by its old words, until then
    assert finish(doing).embedded == 2
    assert embedder.calls == [
        ["why does the parser fail?"],
        ["why does the parser fail? Because of comments."],
    ]
    assert db.read(in_step)


def test_a_turn_left_open_is_embedded_after_half_an_hour(db: Database) -> None:
    embedder, clock = Moody(), Clock()
    doing = worker(db, embedder, clock)
    db.write(take_turn, "never answered")
    assert finish(doing).embedded == 0
    clock.move(vectors.OPEN_TURN_S + 1)
    assert finish(doing).embedded == 1


def test_retired_memories_lose_their_vectors(db: Database) -> None:
    ids = db.write(shelve, [f"memory {n}" for n in range(10)])
    embedder, clock = Moody(), Clock()
    doing = worker(db, embedder, clock)
    finish(doing)
    for id_ in ids[:4]:
        db.write(memories.retire, id_, why="test", now=T0)
    finish(doing)
    assert db.read(in_step)
    assert db.read(embedded) == 6


def test_an_embedder_that_is_down_is_named_and_tried_again_ever_more_slowly(
    db: Database, caplog: pytest.LogCaptureFixture
) -> None:
    db.write(shelve, ["one", "two"])
    embedder, clock = Moody(), Clock()
    embedder.down = "the endpoint is down"
    doing = worker(db, embedder, clock)
    with caplog.at_level(logging.WARNING):
        assert finish(doing) == Progress("resting", "hash-16", trouble="the endpoint is down")
    assert "the endpoint is down" in caplog.text
    finish(doing)
    assert len(embedder.calls) == 1
    for rest in (5, 10, 20):
        clock.move(rest - 1)
        finish(doing)
        clock.move(1)
        finish(doing)
    assert len(embedder.calls) == 4
    embedder.down = None
    clock.move(embedding.LAST_REST_S)
    assert finish(doing) == Progress("working", "hash-16", 2)


def test_a_text_that_is_refused_does_not_hold_up_the_others(db: Database) -> None:
    ids = db.write(shelve, ["fine", "naughty words", "fine too", "also fine"])
    embedder, clock = Moody(), Clock()
    embedder.refuses = "naughty"
    doing = worker(db, embedder, clock)
    assert finish(doing) == Progress("working", "hash-16", 3, 1)
    for rest in jobs.BACKOFF_S:
        clock.move(rest)
        finish(doing)
    assert db.read(jobs.counts)[vectors.STRUCK] == JobCounts(failed=1)
    assert db.read(jobs.failures)[0].key == str(ids[1])
    asked = len(embedder.calls)
    clock.move(10_000)
    finish(doing)
    assert len(embedder.calls) == asked
    embedder.refuses = ""
    db.write(jobs.retry, "embed")
    finish(doing)
    assert (db.read(in_step), db.read(jobs.counts).get(vectors.STRUCK)) == (True, None)


def test_while_a_new_model_is_built_the_old_one_serves_and_leaves_when_it_is_done(
    db: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(embedding, "WINDOW", 8)
    monkeypatch.setattr(embedding, "LEAVING", 10)
    ids = db.write(shelve, [f"about subject {n}" for n in range(40)])
    old, new, clock = Moody(16), Moody(32), Clock()
    before = worker(db, old, clock)
    finish(before)
    before.let_go()
    doing = worker(db, new, clock, owner="b")
    halfway = False
    while states(db).get(new.name) != "serving":
        assert doing.step() is not Found.ROUND_OVER
        if states(db)[old.name] == "serving":
            assert set(found(db, old, "about subject 3", 40)) == set(ids)
            halfway = halfway or 0 < db.read(embedded) - 40 < 40
    assert halfway
    finish(doing)
    assert states(db) == {new.name: "serving"}
    assert found(db, new, "about subject 3")[0] == ids[3]
    assert db.read(in_step)


def test_a_new_model_does_not_serve_while_its_embedder_is_down(db: Database) -> None:
    db.write(shelve, [f"memory {n}" for n in range(8)])
    old, new, clock = Moody(16), Moody(32), Clock()
    finish(worker(db, old, clock))
    new.down = "no key"
    doing = worker(db, new, clock)
    finish(doing)
    assert states(db) == {old.name: "serving", new.name: "building"}
    new.down = None
    clock.move(embedding.LAST_REST_S)
    finish(doing)
    assert states(db) == {new.name: "serving"}


def test_going_back_to_the_old_model_ends_the_change(db: Database) -> None:
    db.write(shelve, ["one"])
    old, new, clock = Moody(16), Moody(32), Clock()
    finish(worker(db, old, clock))
    new.down = "no key"
    finish(worker(db, new, clock))
    finish(worker(db, old, clock))
    assert states(db) == {old.name: "serving"}


def test_an_embedder_whose_length_is_not_known_begins_with_its_first_answer(db: Database) -> None:
    class Unknown:
        name, weight, batch, native = "endpoint:x", 0.5, 2, False
        dim: int | None = None

        def queries(self, texts: Sequence[str]) -> list[bytes]:
            return HashEmbedder(16).queries(texts)

        def passages(self, texts: Sequence[str]) -> list[bytes]:
            return HashEmbedder(16).passages(texts)

    clock = Clock()
    doing = worker(db, Unknown(), clock)
    finish(doing)
    assert states(db) == {}
    db.write(shelve, ["one"])
    assert finish(doing).embedded == 1
    assert [index.dim for index in db.read(vector_indexes.every)] == [16]


def test_an_answer_of_another_length_than_the_index_is_trouble_not_a_crash(db: Database) -> None:
    clock, same_name = Clock(), Moody(32)
    db.write(shelve, ["one"])
    finish(worker(db, Moody(16), clock))
    same_name.name = "hash-16"
    db.write(shelve, ["two"])
    progress = finish(worker(db, same_name, clock))
    assert progress.state == "resting"
    assert progress.trouble is not None
    assert "another name" in progress.trouble


def test_without_an_embedder_the_rest_is_still_kept_in_order(db: Database) -> None:
    ids = db.write(shelve, ["one", "two"])
    clock = Clock()
    finish(worker(db, Moody(), clock))
    db.write(memories.retire, ids[0], why="test", now=T0)
    assert finish(worker(db, None, clock)) == Progress("off", None, trouble="none is set")
    assert db.read(in_step)


def test_a_second_worker_stands_by_until_the_first_ones_lease_runs_out(db: Database) -> None:
    db.write(shelve, [f"memory {n}" for n in range(8)])
    clock = Clock()
    first, second = worker(db, Moody(), clock), worker(db, Moody(), clock, owner="b")
    first.step()
    assert finish(second) == Progress("elsewhere", "hash-16")
    clock.move(embedding.LEASE_S + 1)
    assert second.step() is Found.WORK
    assert second.progress.state == "working"


def test_a_worker_that_lost_its_lease_while_embedding_keeps_nothing(db: Database) -> None:
    db.write(shelve, ["one"])
    clock = Clock()

    class Slow(Moody):
        def passages(self, texts: Sequence[str]) -> list[bytes]:
            clock.move(embedding.LEASE_S + 1)
            assert db.write(jobs.take, embedding.LEASE, "another", now=clock(), for_s=60)
            return super().passages(texts)

    assert finish(worker(db, Slow(), clock)).embedded == 0
    assert db.read(embedded) == 0
