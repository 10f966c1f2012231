"""Search indexes made anew: by order, or because the tokenizer has changed."""

from __future__ import annotations

import threading

import apsw
import pytest
from backstory.pipelines import embedding, reindex, tend
from backstory.pipelines.embed_hash import HashEmbedder
from backstory.pipelines.reindex import Reindexed
from backstory.store import cutter, fts, jobs, memories, terms, vector_indexes, vectors, words
from backstory.store.db import Database
from backstory.store.filters import Filter

from ..shelf import T0, shelve

CUT = cutter.load()


def hits(db: Database, text: str, status: str = "live") -> set[int]:
    wanted = Filter("me", T0, None, status=status)  # type: ignore[arg-type]
    expressions = words.match(words.query(text, CUT))
    return {
        memory for expression in expressions for memory, _ in db.read(fts.search, expression, wanted, k=99)
    }


def spoil(con: apsw.Connection) -> None:
    """Tokens as another version of the tokenizer might have left them."""
    for table in ("terms", "past_terms"):
        rows = con.execute(f"select memory from {table}").fetchall()
        con.execute(f"delete from {table}")
        for (memory,) in rows:
            con.execute(
                f"insert into {table}(memory, main, sub, grams, version) values (?, 'old', '', '', 0)",
                (memory,),
            )


@pytest.fixture
def shelf(db: Database, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Three memories of parsers; the last one is retired."""
    monkeypatch.setattr(reindex, "BREATH_S", 0)
    monkeypatch.setattr(tend, "BREATH_S", 0)
    ids = db.write(shelve, ["the parser keeps comments", "数据库连接池改成了只读", "parser of old"])
    db.write(memories.retire, ids[2], why="test", now=T0)
    return ids


def test_tokens_of_an_older_tokenizer_are_made_anew(db: Database, shelf: list[int]) -> None:
    db.write(spoil)
    assert (hits(db, "parser"), hits(db, "old")) == (set(), {shelf[0], shelf[1]})
    assert reindex.retokenize(db, CUT, stop=threading.Event()) == 3
    assert (hits(db, "parser"), hits(db, "连接池"), hits(db, "old")) == ({shelf[0]}, {shelf[1]}, set())
    assert hits(db, "parser", "all") == {shelf[0], shelf[2]}
    assert reindex.retokenize(db, CUT, stop=threading.Event()) == 0


def test_an_interrupted_one_is_gone_on_with(
    db: Database, shelf: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reindex, "BATCH", 1)
    db.write(spoil)
    stop = threading.Event()
    assert reindex.retokenize(db, CUT, stop=stop, progress=lambda _done, _of: stop.set()) == 1
    assert db.read(terms.outdated, after=0, upto=99, limit=9) != []
    tend.once(db, None, cut=CUT)
    assert db.read(terms.outdated, after=0, upto=99, limit=9) == []
    assert hits(db, "parser", "all") == {shelf[0], shelf[2]}


def test_tokens_are_not_given_to_a_memory_that_has_other_words_by_now(db: Database, shelf: list[int]) -> None:
    assert not db.write(terms.renew, shelf[0], "other words", words.index("other words", None))
    assert hits(db, "parser") == {shelf[0]}


def test_reindex_mends_damaged_indexes_from_the_rows(db: Database, shelf: list[int]) -> None:
    embedder = HashEmbedder(16)
    tend.once(db, embedder, cut=CUT)
    (index,) = db.read(vector_indexes.answering)

    def damage(con: apsw.Connection) -> None:
        con.execute("insert into terms_fts(terms_fts) values ('delete-all')")
        con.execute(f"delete from vector_{index.id}")

    db.write(damage)
    assert hits(db, "parser") == set()
    told: list[tuple[int, int]] = []
    done = reindex.reindex(db, CUT, progress=lambda n, of: told.append((n, of)))
    assert done == Reindexed(words=3, vectors=2, named=3)
    assert told[-1] == (3, 3)
    assert hits(db, "parser") == {shelf[0]}
    query = embedder.queries(["parser"])[0]
    wanted = Filter("me", T0, None)
    assert len(db.read(vectors.nearest, query, index=index.id, wanted=wanted, k=9)) == 2


@pytest.mark.parametrize(
    "damage",
    [
        "insert into terms_fts(terms_fts) values ('delete-all')",
        "insert into past_fts(past_fts) values ('delete-all')",
        "update terms_fts_data set block = zeroblob(8) where id > 10",
    ],
)
def test_an_index_is_told_to_be_damaged_and_mended(db: Database, shelf: list[int], damage: str) -> None:
    assert db.read(terms.sound)
    db.write(lambda con: con.execute(damage))
    assert not db.read(terms.sound)
    reindex.reindex(db, CUT)
    assert db.read(terms.sound)
    assert hits(db, "parser", "all") == {shelf[0], shelf[2]}


def test_a_sound_index_is_renewed_in_steps_that_hold_nobody_up(
    db: Database, shelf: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    db.write(spoil)
    monkeypatch.setattr(terms, "rebuild", lambda _: pytest.fail("the file was held for all of it"))
    assert reindex.reindex(db, CUT).words == 3
    assert (hits(db, "parser"), hits(db, "old")) == ({shelf[0]}, set())


def test_a_memory_whose_vector_was_given_up_is_tried_again(db: Database, shelf: list[int]) -> None:
    for _ in range(jobs.MAX_TRIES):
        db.write(jobs.strike, vectors.STRUCK, str(shelf[0]), "refused", now=T0)
    assert tend.once(db, HashEmbedder(16), cut=CUT).embedded == 1
    reindex.reindex(db, CUT)
    assert tend.once(db, HashEmbedder(16), cut=CUT).embedded == 1
    assert db.read(jobs.counts) == {}


def test_vectors_lost_by_an_interrupted_reindex_are_put_back_by_the_worker(
    db: Database, shelf: list[int]
) -> None:
    embedder = HashEmbedder(16)
    tend.once(db, embedder, cut=CUT)
    (index,) = db.read(vector_indexes.answering)
    db.write(vector_indexes.rebuild, index.id)
    done = tend.once(db, embedder, cut=CUT)
    assert (done.embedded, done.state) == (0, "idle")
    assert db.read(vector_indexes.adrift, index.id, after=0, upto=99) == []
    assert db.read(lambda con: con.execute(f"select count(*) from vector_{index.id}").get) == 2
    assert embedding.WINDOW > 99
