"""Conductor of the work in the background: turns drawn from, vectors kept up, upkeep done, the log written back."""

from __future__ import annotations

import logging
import os
import socket
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from ..store import vector_indexes, vectors
from ..store.clock import SECOND_US
from ..store.clock import now as utc_now
from ..store.cutter import Cut
from ..store.db import Database
from ..store.errors import BackstoryError
from ..store.ids import new_ulid
from ..store.progress import Progress
from . import distill, reindex, sum_up
from .embed import Embedder
from .embedding import Found, Worker
from .embedding import Progress as Tended
from .merging import late
from .remember import SETTLED_US
from .upkeep import Upkeep
from .upkeep_tasks import Workplace

log = logging.getLogger(__name__)

# Between two pieces of work: a writer that never pauses starves the others, who look up to 100 ms apart.
BREATH_S = 0.02
# Between two looks while there is nothing to do; another process may have written.
POLL_S = 2.0
# A file nobody writes to still gets a look this often: a turn may have been open for long enough by then.
UNCHANGED_S = 60


def tend(
    db: Database,
    worker: Worker,
    *,
    cut: Cut | None,
    clock: Callable[[], int],
    stop: threading.Event,
    place: Workplace | None = None,
    refines: bool = False,
) -> None:
    """
    Do what waits, then watch for more, until `stop`. `place` is what upkeep needs beside the file; `refines`: a model
    is to look at turns that have ended.
    """
    kept_up = _upkeep(db, place, worker.owner, cut, clock, stop)
    reindex.retokenize(db, cut, stop=stop)
    reindex.name(db, stop=stop)
    looked_at: tuple[object, int] | None = None
    quick = True
    while not stop.is_set():
        file = _signature(db.path)
        # In every round, also of a file that nobody writes to: what an edit leaves waits for its moment.
        _drawn(db, worker.owner, cut, now=clock(), refines=refines)
        busy = kept_up.step()
        if looked_at is not None and looked_at[0] == file and clock() < looked_at[1]:
            found = Found.ROUND_OVER
        else:
            found = worker.step()
            # The first round goes through as fast as others let it, later ones a window at a time.
            quick = found is Found.WORK or (quick and found is Found.NOTHING_HERE)
            if found is Found.ROUND_OVER:
                now = clock()
                ends = now + UNCHANGED_S * SECOND_US
                looked_at = (file, min(ends, worker.rests_until) if worker.rests_until > now else ends)
        if quick or busy:
            stop.wait(BREATH_S)
            continue
        worker.let_go()
        kept_up.let_go()
        if _signature(db.path) == file and file is not None and db.log_bytes():
            db.checkpoint()
        stop.wait(POLL_S)
    worker.let_go()
    kept_up.let_go()


def once(
    db: Database,
    embedder: Embedder | None,
    *,
    cut: Cut | None,
    clock: Callable[[], int] = utc_now,
    stop: threading.Event | None = None,
    progress: Progress | None = None,
    why_not: str = "",
    place: Workplace | None = None,
    refines: bool = False,
) -> Tended:
    """
    Do everything that waits now, upkeep too, and say what was done; `progress` is told (done, of how many).

    Where the state is "elsewhere" a server is at it already; "resting" carries the embedder's trouble.
    """
    stop = stop or threading.Event()
    reindex.retokenize(db, cut, stop=stop)
    reindex.name(db, stop=stop)
    worker = Worker(db, embedder, owner=owner(clock()), clock=clock, why_not=why_not)
    total = waiting(db, embedder, now=clock())
    # Whoever asks for it now does not wait for code history to have seen what a turn did; it comes by again.
    while _drawn(db, worker.owner, cut, now=clock() + SETTLED_US, refines=refines):
        continue
    kept_up = _upkeep(db, place, worker.owner, cut, clock, stop)
    kept_up.everything()
    kept_up.let_go()
    while not stop.is_set():
        found = worker.step()
        if progress:
            progress(worker.progress.embedded, max(total, worker.progress.embedded))
        if found is Found.ROUND_OVER or worker.progress.state in ("elsewhere", "resting"):
            break
        if found is Found.WORK:
            stop.wait(BREATH_S)
    while not stop.is_set() and late.step(db, worker.owner, cut=cut, now=clock()):
        continue
    done = worker.progress
    worker.let_go()
    db.checkpoint()
    return replace(done, state="idle") if done.state == "working" else done


def _drawn(db: Database, owner_: str, cut: Cut | None, *, now: int, refines: bool) -> bool:
    """Whether anything was drawn from turns that have ended, or a session that is over."""
    if distill.step(db, owner_, cut=cut, now=now, refines=refines):
        return True
    # Where a model is asked, it is asked about sessions, too: not in this thread.
    return not refines and sum_up.step(db, None, owner_, cut=cut, now=now)


def _upkeep(
    db: Database,
    place: Workplace | None,
    owner_: str,
    cut: Cut | None,
    clock: Callable[[], int],
    stop: threading.Event,
) -> Upkeep:
    ours = replace(place or Workplace(), cut=cut, stopped=stop.is_set, seen={}, worked=[])
    return Upkeep(db, ours, owner=owner_, clock=clock)


def waiting(db: Database, embedder: Embedder | None, *, now: int) -> int:
    """How many memories are ready for a vector of this embedder."""
    if embedder is None:
        return 0
    indexes = db.read(vector_indexes.answering)
    index = next((index.id for index in indexes if index.model == embedder.name), 0)
    return db.read(vectors.waiting, index, now=now)


class Tender:
    """The thread that tends a file: started in the process that answers hooks; a lease holds off a second."""

    def __init__(
        self,
        db: Database,
        embedder: Embedder | None,
        *,
        cut: Cut | None = None,
        clock: Callable[[], int] = utc_now,
        why_not: str = "",
        place: Workplace | None = None,
        refines: bool = False,
    ) -> None:
        """Nothing runs before `start`; `why_not` says why there is no embedder, the rest is as in `tend`."""
        self._db = db
        self._place = place
        self._refines = refines
        self._worker = Worker(db, embedder, owner=owner(clock()), clock=clock, why_not=why_not, patient=True)
        self._cut = cut
        self._clock = clock
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="backstory-tend", daemon=True)

    @property
    def progress(self) -> Tended:
        """What the worker is at, at this moment."""
        return self._worker.progress

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def stop(self, timeout_s: float = 3.0) -> bool:
        """Ask for the end and wait for it; False where a text was still being embedded (it is a daemon)."""
        self._stop.set()
        if self._thread.ident is not None:
            self._thread.join(timeout_s)
        return not self._thread.is_alive()

    def _run(self) -> None:
        while not self._stop.is_set() and not self._db.readonly:
            try:
                tend(
                    self._db, self._worker, cut=self._cut, clock=self._clock, stop=self._stop,
                    place=self._place, refines=self._refines,
                )  # fmt: skip
            except BackstoryError as e:
                log.warning("Background work pauses: %s", e)
                self._stop.wait(UNCHANGED_S)
            except Exception:
                # The outer door of a background task: named once, then tried again slowly.
                log.exception("Background work failed")
                self._stop.wait(UNCHANGED_S)


def owner(now: int) -> str:
    """A name for this process that no other has: what a lease or a job is held by."""
    return f"{socket.gethostname()}:{os.getpid()}:{new_ulid(now)}"


def _signature(path: Path) -> tuple[tuple[int, int] | None, ...] | None:
    """What changes with every commit of any process; None for a file in memory."""
    if str(path) == ":memory:":
        return None
    return tuple(_stamp(name) for name in (path, path.with_name(path.name + "-wal")))


def _stamp(path: Path) -> tuple[int, int] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_size, found.st_mtime_ns
