"""What a server does beside answering; the holder of the doorway empties the spool, embeds and tends."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..store import clock, cutter
from ..store.errors import BackstoryError

if TYPE_CHECKING:
    from ..pipelines.llm import Model
    from ..pipelines.tend import Tender
    from ..pipelines.thinking import Thinker
    from ..pipelines.upkeep_tasks import Workplace
    from ..store.db import Database
    from .vectors import Vectors

log = logging.getLogger(__name__)

# A server that nobody speaks to may still hold the door for others: it does not wait longer for a first word.
FIRST_WORD_S = 5.0
# Between two looks at the spool; hooks write there only when the file was locked or no server was up.
SPOOL_S = 2.0
STOP_S = 1.0


@dataclass(frozen=True, slots=True)
class Work:
    """
    What there is to do, once the file is open.

    `drain` takes in what the spool holds, and says how many events that were; `settle` is for once, whoever holds
    the doorway, `settle_met` for every look. `place` is what upkeep needs beside the file.
    """

    db: Database
    vectors: Vectors
    model: Model | None
    drain: Callable[[], int]
    settle: Callable[[], object]
    settle_met: Callable[[], object]
    place: Workplace


class Background:
    """One thread, at work once the client has been answered; most of its work is the holder's of the doorway."""

    def __init__(self, open_: Callable[[], Work]) -> None:
        self._open = open_
        self._work: Work | None = None
        self._answered = threading.Event()
        self._loaded = threading.Event()
        self._wake = threading.Event()
        self._stopping = threading.Event()
        self._holding = False
        self._tender: Tender | None = None
        self._thinker: Thinker | None = None
        self._trouble: str | None = None
        self._drained = 0
        self._thread = threading.Thread(target=self._run, name="backstory-background", daemon=True)

    def start(self) -> None:
        """Begin to wait for the first answer."""
        self._thread.start()

    def answered(self) -> None:
        """The client has its first answer: loading may begin."""
        self._answered.set()

    def held(self, holding: bool) -> None:
        """The doorway was taken, or lost."""
        self._holding = holding
        self._wake.set()

    def stop(self) -> bool:
        """Ask for the end and wait `STOP_S` for it; False where something was still being loaded."""
        self._stopping.set()
        self._answered.set()
        self._wake.set()
        if self._thread.ident is not None:
            self._thread.join(STOP_S)
        return not self._thread.is_alive()

    @property
    def loading(self) -> bool:
        """Whether the dictionary, the parser or the embedder are still to be loaded for the first time."""
        return not self._loaded.is_set()

    def health(self) -> str | None:
        """What is wrong, in one line for the start of a session; None where all is well."""
        trouble, tender = self._trouble, self._tender
        if trouble is None and tender is not None and tender.progress.state == "resting":
            trouble = tender.progress.trouble
        return f"Backstory: {trouble}" if trouble else None

    def status(self) -> dict[str, Any]:
        """What this server's workers are at, for `backstory status`."""
        embedding = self._embedding()
        return {
            "holding": self._holding,
            "drained": self._drained,
            "trouble": self._trouble,
            "embedder": embedding["model"] or embedding["trouble"] or embedding["state"],
            "embedding": embedding,
        }

    def _embedding(self) -> dict[str, Any]:
        tender, work = self._tender, self._work
        if tender is None or work is None:
            state = "loading" if self._holding else "elsewhere"
            return {"state": state, "model": None, "waiting": None, "trouble": None}
        from ..pipelines.tend import waiting

        progress = tender.progress
        left = waiting(work.db, work.vectors.load(), now=clock.now())
        return {
            "state": progress.state, "model": progress.model, "waiting": left, "embedded": progress.embedded,
            "struck": progress.struck, "trouble": progress.trouble,
        }  # fmt: skip

    def _run(self) -> None:
        self._answered.wait(FIRST_WORD_S)
        while not self._stopping.is_set():
            self._wake.clear()
            try:
                self._look()
                self._say(None)
            except BackstoryError as e:
                self._say(str(e))
            except Exception as e:  # noqa: BLE001 - logged by `_say`, with its trace
                self._say(f"background work failed ({type(e).__name__}); the log has the trace.", trace=e)
            self._loaded.set()
            self._wake.wait(SPOOL_S)
        self._rest()

    def _look(self) -> None:
        work, new = self._work or self._open(), self._work is None
        self._work = work
        if self._holding and self._tender is None:
            _warm(work.db)
        if new:
            work.settle()
        if not self._holding:
            self._rest()
            return
        self._drained += work.drain()
        work.settle_met()
        if self._tender is None and not self._stopping.is_set():
            self._tender = _load(work)
            self._tender.start()
            self._thinker = _thinker(work)
            if self._thinker is not None:
                self._thinker.start()

    def _rest(self) -> None:
        """Leave the tending to the next holder; what is loaded stays."""
        thinker, self._thinker = self._thinker, None
        if thinker is not None:
            thinker.stop(0)  # it may be waiting for a model; what it has in hand is taken up again by another
        tender, self._tender = self._tender, None
        if tender is not None:
            tender.stop(STOP_S)

    def _say(self, trouble: str | None, *, trace: Exception | None = None) -> None:
        """Log a trouble once, not at every look, and its end."""
        if trouble != self._trouble:
            if trouble is None:
                log.info("background work goes on again")
            else:
                log.warning("background work: %s", trouble, exc_info=trace)
        self._trouble = trouble


def _warm(db: Database) -> None:
    """First: the prompt that follows the start may be Chinese. Where nothing kept is, it would find nothing."""
    from ..store import fts

    if db.read(fts.holds_han):
        cutter.warm()


def _load(work: Work) -> Tender:
    from ..pipelines.tend import Tender

    cut = cutter.load()
    embedder = work.vectors.load()
    why_not = "" if embedder else work.vectors.why_not
    return Tender(
        work.db, embedder, cut=cut, why_not=why_not, place=work.place, refines=work.model is not None
    )


def _thinker(work: Work) -> Thinker | None:
    """What asks the model about turns; None where none is configured."""
    if work.model is None:
        return None
    from ..pipelines.tend import owner
    from ..pipelines.thinking import Thinker

    return Thinker(work.db, work.model, owner=owner(clock.now()), cut=cutter.load())
