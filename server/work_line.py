"""The work on one worktree: a queue, worked off in order by a thread that comes and goes."""

from __future__ import annotations

import logging
import threading
import time
from collections import deque
from collections.abc import Callable
from typing import Any

from ..store.errors import BackstoryError

log = logging.getLogger(__name__)


class WorkLine:
    """
    Jobs for whoever `open_` gives, which is called in the thread: what it takes to follow a worktree is imported there,
    and no hook waits for it.
    """

    def __init__(self, root: str, open_: Callable[[], Any]) -> None:
        self._root, self._open = root, open_
        self._follower: Any = None
        self._jobs: deque[tuple[str, dict[str, Any]]] = deque()
        self._changed = threading.Condition()
        self._working = False
        self._stopped = False
        self._trouble = ""
        self._took_s = 0.0
        self._begun = False

    @property
    def begun(self) -> bool:
        """Whether all was done once: until then it takes long, and may end with the process."""
        return self._begun

    def took_s(self) -> float:
        """How long the last job took."""
        return self._took_s

    def put(self, job: str, **given: Any) -> None:
        """Queue a call of the follower's method of that name."""
        with self._changed:
            if self._stopped:
                return
            self._jobs.append((job, given))
            if not self._working:
                self._working = True
                threading.Thread(target=self._run, name="backstory-follow", daemon=True).start()
            self._changed.notify_all()

    def wait(self, timeout_s: float) -> bool:
        """Whether nothing is left to do within that time."""
        with self._changed:
            return self._changed.wait_for(lambda: not self._jobs and not self._working, timeout_s)

    def close(self) -> None:
        """Take nothing more."""
        with self._changed:
            self._stopped = True

    def drop(self) -> None:
        """Forget what has not begun."""
        with self._changed:
            self._jobs.clear()
            self._changed.notify_all()

    def _run(self) -> None:
        while True:
            with self._changed:
                if not self._jobs:
                    self._working, self._begun = False, True
                    self._changed.notify_all()
                    return
                job, given = self._jobs.popleft()
            try:
                if self._follower is None:
                    self._follower = self._open()
                began = time.monotonic()
                getattr(self._follower, job)(**given)
                self._took_s, self._trouble = time.monotonic() - began, ""
            except (BackstoryError, OSError) as e:
                self._follower = None  # the next job finds out anew what is there
                trouble = (e.strerror if isinstance(e, OSError) else None) or str(e)
                if trouble != self._trouble:  # once, not at every event
                    self._trouble = trouble
                    log.warning("the code history of %s misses a step: %s", self._root, e)
            except Exception:
                self._follower = None
                log.exception("The code history of %s misses a step", self._root)
