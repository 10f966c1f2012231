"""A call made in a thread of low priority, behind everything a person waits for."""

from __future__ import annotations

import contextlib
import os
import sys
import threading
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")

# Ten to one against everything else. At 19 a worker on two cores with eight busy processes made nothing in
# ten seconds, and `backstory try` or a test run waits for its vectors.
NICE = 10


def aside(call: Callable[[], T]) -> T:
    """
    What `call` returns, or raises.

    Only for a call that holds neither the interpreter nor the file's lock: on a busy machine its thread may
    be passed over for seconds, and would hold up everybody. A priority once given up is not given back, hence
    a thread for each call.
    """
    answers: list[T] = []
    troubles: list[BaseException] = []

    def run() -> None:
        # Linux gives each thread a priority of its own; elsewhere this would slow the whole process.
        if sys.platform == "linux":
            with contextlib.suppress(OSError):
                mine = threading.get_native_id()
                os.setpriority(os.PRIO_PROCESS, mine, max(NICE, os.getpriority(os.PRIO_PROCESS, mine)))
        try:
            answers.append(call())
        except BaseException as e:  # noqa: BLE001  raised again where the answer is waited for
            troubles.append(e)

    # A daemon: nobody waits for it at the end of the process.
    thread = threading.Thread(target=run, name="backstory-aside", daemon=True)
    thread.start()
    thread.join()
    if troubles:
        raise troubles[0]
    return answers[0]
