"""How a server hears that it should end, and what happens where it does not."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator

import anyio
import pytest
from backstory.server.ending import Ending

PATIENCE_S = 10.0


@pytest.fixture
def ending() -> Iterator[Ending]:
    """An ending whose force would come long after the test."""
    made = Ending(grace_s=600)
    yield made
    made.ask("the test is over")
    made.ended()


def test_the_first_reason_stands(ending: Ending) -> None:
    assert not ending.asked
    ending.ask("one")
    ending.ask("two")
    assert ending.asked
    assert ending.reason == "one"


def test_an_event_loop_hears_a_thread_ask(ending: Ending) -> None:
    async def hear() -> None:
        with anyio.fail_after(PATIENCE_S):
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(ending.heard)
                threading.Thread(target=ending.ask, args=("a thread",)).start()

    anyio.run(hear)
    assert ending.reason == "a thread"


def test_a_listener_that_is_cancelled_leaves_at_once(ending: Ending) -> None:
    async def cancel() -> None:
        with anyio.fail_after(PATIENCE_S), anyio.CancelScope() as scope:
            scope.cancel()
            await ending.heard()

    anyio.run(cancel)
    assert not ending.asked


def test_another_parent_than_at_the_start_means_that_the_client_has_died(ending: Ending) -> None:
    ending.watch_parent(os.getppid() + 1)
    assert ending.wait(PATIENCE_S)
    assert ending.reason == "the client has died"


def test_the_watch_over_the_parent_ends_with_the_asking(ending: Ending) -> None:
    watch = ending.watch_parent(os.getppid())
    ending.ask("enough")
    watch.join(PATIENCE_S)
    assert not watch.is_alive()


def test_a_signal_asks(ending: Ending) -> None:
    before = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT)}
    try:
        ending.catch_signals()
        signal.raise_signal(signal.SIGTERM)
        assert ending.wait(PATIENCE_S)
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    assert ending.reason == "SIGTERM"


HANGING = """
import threading
from backstory.server.ending import Ending
Ending(grace_s=0.1).ask("a test")
threading.Event().wait()
"""


def test_a_process_that_hangs_is_cut_off() -> None:
    done = subprocess.run(
        [sys.executable, "-c", HANGING], capture_output=True, timeout=PATIENCE_S, check=False
    )
    assert done.returncode == 1
    assert b"cut off" in done.stderr
