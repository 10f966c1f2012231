"""The thread in which a model is asked about turns: apart from what tends the file, which does not wait for it."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable

from ..store.clock import now as utc_now
from ..store.cutter import Cut
from ..store.db import Database
from ..store.errors import BackstoryError
from . import refine, sum_up
from .llm import Model

log = logging.getLogger(__name__)

# Between two looks for a window that is due, and after something went wrong.
POLL_S, PAUSE_S = 2.0, 60.0


class Thinker:
    """Asks a model about one window after the other; several processes may, each window is one's alone."""

    def __init__(
        self,
        db: Database,
        model: Model,
        *,
        owner: str,
        cut: Cut | None = None,
        clock: Callable[[], int] = utc_now,
    ) -> None:
        """Nothing runs before `start`."""
        self._db, self._model, self._owner, self._cut, self._clock = db, model, owner, cut, clock
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="backstory-think", daemon=True)

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def stop(self, timeout_s: float = 3.0) -> bool:
        """Ask for the end and wait for it; False where a model was still being waited for (it is a daemon)."""
        self._stop.set()
        if self._thread.ident is not None:
            self._thread.join(timeout_s)
        return not self._thread.is_alive()

    def _run(self) -> None:
        while not self._stop.is_set():
            try:
                done = self._step()
            except BackstoryError as e:
                log.warning("What a model may add waits: %s", e)
                self._stop.wait(PAUSE_S)
            except Exception:
                # The outer door of a background task: named once, then tried again slowly.
                log.exception("Asking the model failed")
                self._stop.wait(PAUSE_S)
            else:
                if not done:
                    self._stop.wait(POLL_S)

    def _step(self) -> bool:
        now, cut = self._clock(), self._cut
        refined = refine.step(self._db, self._model, self._owner, cut=cut, now=now)
        return refined is not None or sum_up.step(self._db, self._model, self._owner, cut=cut, now=now)
