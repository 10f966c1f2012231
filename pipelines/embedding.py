"""One small piece of upkeep at a time: a vector to make, an index to mend, a model to take leave of."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from functools import partial
from typing import Literal

import apsw

from ..store import jobs, vector_indexes, vectors
from ..store.clock import SECOND_US
from ..store.db import Database
from ..store.errors import BadInput, EmbedderUnavailable, WrongDimension
from ..store.vector_indexes import Index
from ..store.vectors import Wanting
from .aside import aside
from .embed import Embedder

log = logging.getLogger(__name__)

# One worker a file, whoever it belongs to. A worker that was killed is followed after this long.
LEASE = "embed"
LEASE_S = 60
# Memories one look covers: 2 ms at any size of file, because ids are given in order.
WINDOW = 500
# Vectors taken out of an index in one transaction.
LEAVING = 100
# After the embedder as such has failed: the first rest, doubled up to the last.
FIRST_REST_S, LAST_REST_S = 5, 300


class Found(Enum):
    """What a step came upon: something to do, nothing here, or the end of a round with nothing left."""

    WORK = auto()
    NOTHING_HERE = auto()
    ROUND_OVER = auto()


@dataclass(frozen=True, slots=True)
class Progress:
    """
    What the worker is at. `embedded` counts since it began; `trouble` is the sentence for a person.

    off: no embedder. elsewhere: another process has the lease. resting: the embedder failed; tried later.
    """

    state: Literal["off", "idle", "working", "elsewhere", "resting"]
    model: str | None
    embedded: int = 0
    struck: int = 0
    trouble: str | None = None


class Worker:
    """
    Walks through the memories from the latest to the first, window by window, and does what each wants.

    There is no queue to fill when a memory is written: what lacks a vector is found by asking, so that an
    acknowledged write costs nothing more, and a new model, an import or a restored backup needs nobody to
    enqueue. The latest window is looked at each time, the others in turn.
    """

    def __init__(
        self,
        db: Database,
        embedder: Embedder | None,
        *,
        owner: str,
        clock: Callable[[], int],
        why_not: str = "",
        patient: bool = False,
    ) -> None:
        """
        `owner` names this worker in the lease, `why_not` says why there is no embedder.

        `patient`: nobody waits for it, so that it may compute at low priority.
        """
        self._db = db
        self._embedder = embedder
        self.owner = owner
        self._clock = clock
        self._patient = patient
        self._below: int | None = None
        self._missed = False
        self._leased_until = 0
        self._rests_until = 0
        self._rest_s = 0
        model = embedder.name if embedder else None
        self.progress = Progress("idle" if embedder else "off", model, trouble=why_not or None)

    def step(self) -> Found:
        """Look at the latest window and the next one, and do one piece of what they want."""
        newest = self._db.read(vector_indexes.newest)
        if self._below is None or self._below > newest:
            self._below, self._missed = newest, False
        windows = [(max(0, newest - WINDOW), newest)]
        if self._below < newest:
            windows.append((max(0, self._below - WINDOW), self._below))
        if self._embed(windows) or self._mend(windows) or self._take_leave():
            return Found.WORK
        self._below = max(0, self._below - WINDOW)
        if self._below > 0:
            return Found.NOTHING_HERE
        self._below = None
        return Found.WORK if self._close_round() else Found.ROUND_OVER

    def let_go(self) -> None:
        """Give the lease back, while there is nothing to do or for good."""
        if self._leased_until:
            self._leased_until = 0
            self._db.write(jobs.release, LEASE, self.owner)
        if self.progress.state == "working":
            self._report("idle")

    @property
    def rests_until(self) -> int:
        """When the embedder is tried again, if it failed; else a moment gone by."""
        return self._rests_until

    def _embed(self, windows: Sequence[tuple[int, int]]) -> bool:
        now = self._clock()
        embedder = self._embedder
        if embedder is None:
            return False
        index, begun = self._index(embedder)
        if not begun and embedder.dim is not None and self._lease(now):
            self._db.write(vector_indexes.begin, embedder.name, embedder.dim, now=now)
            return True
        batch: list[Wanting] = []
        for after, upto in windows:
            batch = batch or self._db.read(
                vectors.wanting,
                index.id if index else 0,
                after=after,
                upto=upto,
                now=now,
                limit=embedder.batch,
            )
        if not batch:
            return False
        if now < self._rests_until or not self._lease(now):
            self._missed = True
            return False
        self._report("working")
        try:
            make = partial(_make, embedder, batch)
            made, struck = aside(make) if self._patient and embedder.native else make()
            kept = self._db.write(self._shelve, made, struck, now=self._clock())
        except (EmbedderUnavailable, WrongDimension) as e:
            self._missed = True
            self._rest(str(e))
            return False
        self._rest_s = 0
        self._report("working", embedded=kept, struck=len(struck))
        return kept > 0 or bool(struck)

    def _shelve(
        self,
        con: apsw.Connection,
        made: Sequence[tuple[Wanting, bytes]],
        struck: Sequence[tuple[Wanting, str]],
        *,
        now: int,
    ) -> int:
        """Keep what was made, unless another worker has taken over meanwhile; how many were kept."""
        if self._embedder is None or not jobs.renew(con, LEASE, self.owner, now=now, for_s=LEASE_S):
            self._leased_until = 0
            return 0
        self._leased_until = now + LEASE_S * SECOND_US
        for wanting, error in struck:
            jobs.strike(con, vectors.STRUCK, str(wanting.memory), error, now=now)
        if not made:
            return 0
        index = vector_indexes.begin(con, self._embedder.name, len(made[0][1]) // 4, now=now)
        return sum(vectors.put(con, index.id, wanting, vector, now=now) for wanting, vector in made)

    def _mend(self, windows: Sequence[tuple[int, int]]) -> bool:
        for index in self._db.read(vector_indexes.answering):
            for after, upto in windows:
                drifted = self._db.read(vector_indexes.adrift, index.id, after=after, upto=upto)
                if drifted and self._lease(self._clock()):
                    self._db.write(vector_indexes.mend, index.id, drifted)
                    return True
        return False

    def _take_leave(self) -> bool:
        for index in self._db.read(vector_indexes.every):
            if index.state == "leaving" and self._lease(self._clock()):
                self._db.write(vector_indexes.dismantle, index.id, limit=LEAVING)
                return True
        return False

    def _close_round(self) -> bool:
        """At the end of a round: let a new model serve if every window had its vectors."""
        now = self._clock()
        known = self._db.read(vector_indexes.answering)
        for index in known:
            complete = self._embedder is not None and index.model == self._embedder.name and not self._missed
            if index.state == "building" and complete and self._lease(now):
                self._db.write(vector_indexes.promote, index.id)
                return True
        return False

    def _index(self, embedder: Embedder) -> tuple[Index | None, bool]:
        """The embedder's index, and whether it is the only one that is, or will be, its own successor."""
        known = self._db.read(vector_indexes.answering)
        own = next((index for index in known if index.model == embedder.name), None)
        strays = any(index.state == "building" and index != own for index in known)
        return own, own is not None and not strays

    def _lease(self, now: int) -> bool:
        if now < self._leased_until - LEASE_S * SECOND_US // 2:
            return True
        if self._db.write(jobs.take, LEASE, self.owner, now=now, for_s=LEASE_S):
            self._leased_until = now + LEASE_S * SECOND_US
            return True
        self._leased_until = 0
        self._report("elsewhere")
        return False

    def _rest(self, trouble: str) -> None:
        self._rest_s = min(max(FIRST_REST_S, 2 * self._rest_s), LAST_REST_S)
        self._rests_until = self._clock() + self._rest_s * SECOND_US
        log.warning("No vectors for %d s: %s", self._rest_s, trouble)
        self._report("resting", trouble=trouble)

    def _report(
        self,
        state: Literal["idle", "working", "elsewhere", "resting"],
        *,
        embedded: int = 0,
        struck: int = 0,
        trouble: str | None = None,
    ) -> None:
        was = self.progress
        if self._embedder is None:
            return
        self.progress = Progress(state, was.model, was.embedded + embedded, was.struck + struck, trouble)


def _make(
    embedder: Embedder, batch: Sequence[Wanting]
) -> tuple[list[tuple[Wanting, bytes]], list[tuple[Wanting, str]]]:
    """Vectors of a batch, and which of its texts the embedder refuses, with the reason."""
    try:
        made = embedder.passages([wanting.text for wanting in batch])
        return list(zip(batch, made, strict=True)), []
    except BadInput as refusal:
        if len(batch) == 1:
            return [], [(batch[0], str(refusal))]
    # One of them is at fault: each by itself.
    parts = [_make(embedder, [wanting]) for wanting in batch]
    return [pair for made, _ in parts for pair in made], [pair for _, struck in parts for pair in struck]
