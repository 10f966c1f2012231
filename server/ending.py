"""How a server ends: asked by a signal, the end of its input or its parent's death; else by force."""

from __future__ import annotations

import logging
import os
import signal
import threading
from types import FrameType

log = logging.getLogger(__name__)

# The promise is five seconds from the end of input or the parent's death; what is left is the polling below.
GRACE_S = 4.0
PARENT_POLL_S = 0.5


class Ending:
    """One request to end, made from any thread, and the means to hear of it."""

    def __init__(self, *, grace_s: float = GRACE_S) -> None:
        self._asked = threading.Event()
        self._lock = threading.Lock()
        self._grace_s = grace_s
        self._force: threading.Timer | None = None
        self.reason = ""

    def ask(self, reason: str) -> None:
        """Ask for the end. The first reason stands; a process still here `grace_s` later is cut off."""
        with self._lock:
            if self._asked.is_set():
                return
            self.reason = reason
            self._force = threading.Timer(self._grace_s, _cut_off, (reason,))
            self._force.daemon = True
            self._force.start()
            self._asked.set()
        log.info("ending: %s", reason)

    def ended(self) -> None:
        """All is put away: the force is called off."""
        if self._force is not None:
            self._force.cancel()

    @property
    def asked(self) -> bool:
        """Whether the end was asked for."""
        return self._asked.is_set()

    def wait(self, timeout_s: float | None = None) -> bool:
        """Block until the end is asked for; False where `timeout_s` went by first."""
        return self._asked.wait(timeout_s)

    async def heard(self) -> None:
        """Return once the end is asked for."""
        import anyio.to_thread

        # A thread blocked on the event, not a loop's own event: signals, threads and tests may all ask.
        await anyio.to_thread.run_sync(self._asked.wait, abandon_on_cancel=True)

    def watch_parent(self, parent: int) -> threading.Thread:
        """
        Ask for the end when this process is no longer `parent`'s child; the thread ends with the asking.

        Stdin tells us the same unless a child of the client still holds its other end open.
        """

        def watch() -> None:
            while not self._asked.wait(PARENT_POLL_S):
                if os.getppid() != parent:
                    self.ask("the client has died")

        thread = threading.Thread(target=watch, name="backstory-parent", daemon=True)
        thread.start()
        return thread

    def catch_signals(self) -> None:
        """Let SIGTERM and SIGINT ask. Main thread only."""
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self._on_signal)

    def _on_signal(self, number: int, frame: FrameType | None) -> None:
        del frame
        # On a thread: the interrupted one may hold the very lock that asking takes.
        name = signal.Signals(number).name
        threading.Thread(target=self.ask, args=(name,), name="backstory-signal", daemon=True).start()


def _cut_off(reason: str) -> None:
    log.warning("still running %s s after being asked to end (%s); cut off", GRACE_S, reason)
    os._exit(1)
