"""A clock to move, an embedder with moods, and what a test asks of the background worker."""

from __future__ import annotations

from collections.abc import Sequence

import apsw
from backstory.pipelines.embed import Embedder
from backstory.pipelines.embed_hash import HashEmbedder
from backstory.pipelines.embedding import Found, Progress, Worker
from backstory.store import vector_indexes, vectors
from backstory.store.clock import SECOND_US
from backstory.store.db import Database
from backstory.store.errors import BadInput, EmbedderUnavailable
from backstory.store.filters import Filter

from ..shelf import T0

MINE = Filter("me", T0, None)


class Clock:
    """A clock that stands until it is moved."""

    def __init__(self) -> None:
        self.now = T0

    def __call__(self) -> int:
        return self.now

    def move(self, seconds: float) -> None:
        self.now += int(seconds * SECOND_US)


class Moody(HashEmbedder):
    """A hash embedder that is down when told, and refuses some texts."""

    def __init__(self, dim: int = 16, *, batch: int = 4) -> None:
        super().__init__(dim)
        self.batch = batch
        self.down: str | None = None
        self.refuses = ""
        self.calls: list[list[str]] = []

    def passages(self, texts: Sequence[str]) -> list[bytes]:
        self.calls.append(list(texts))
        if self.down:
            raise EmbedderUnavailable(self.down)
        if self.refuses and any(self.refuses in text for text in texts):
            raise BadInput(f"{self.refuses} is refused")
        return super().passages(texts)


def finish(worker: Worker) -> Progress:
    """Step until a round finds nothing."""
    for _ in range(1000):
        if worker.step() is Found.ROUND_OVER:
            return worker.progress
    raise AssertionError("the worker never comes to rest")


def worker(db: Database, embedder: Embedder | None, clock: Clock, owner: str = "a") -> Worker:
    return Worker(db, embedder, owner=owner, clock=clock, why_not="" if embedder else "none is set")


def found(db: Database, embedder: HashEmbedder, text: str, k: int = 5) -> list[int]:
    index = next(i for i in db.read(vector_indexes.answering) if i.model == embedder.name)
    query = embedder.queries([text])[0]
    return [m for m, _ in db.read(vectors.nearest, query, index=index.id, wanted=MINE, k=k)]


def states(db: Database) -> dict[str, str]:
    return {index.model: index.state for index in db.read(vector_indexes.every)}


def embedded(con: apsw.Connection) -> int:
    return int(con.execute("select count(*) from embedding").get)


def in_step(con: apsw.Connection) -> bool:
    """Rows, kept vectors and the index name the same memories."""
    live = {m for (m,) in con.execute("select id from memory where retired_at is null")}
    kept = {m for (m,) in con.execute("select memory from embedding")}
    (index,) = vector_indexes.every(con)
    placed = {m for (m,) in con.execute(f"select rowid from vector_{index.id}")}
    return live == kept == placed and con.pragma("integrity_check") == "ok"
