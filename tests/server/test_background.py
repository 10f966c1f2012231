"""The work beside answering: begun after the first answer, by the holder of the doorway alone, and ended in time."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from backstory import configs
from backstory.server.background import Background
from backstory.server.memory import Memory
from backstory.server.vectors import Vectors
from backstory.store.errors import StoreBusy

PATIENCE_S = 20.0


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with Memory.open(tmp_path / "home" / "backstory.db", embedder="hash") as opened:
        yield opened


@pytest.fixture
def background(memory: Memory) -> Iterator[Background]:
    options = configs.load(memory.home, embedder="hash")
    made = Background(memory.db, Vectors(memory.db, memory.home, options, lazily=False))
    yield made
    assert made.stop()


class Drain:
    """Counts its calls, and says when the first and the next have come."""

    def __init__(self, *, raising: Exception | None = None) -> None:
        self.calls = 0
        self.called = threading.Event()
        self.raising = raising

    def __call__(self) -> int:
        self.calls += 1
        self.called.set()
        if self.raising:
            raise self.raising
        return 2


def test_nothing_begins_before_the_first_answer(background: Background) -> None:
    drain = Drain()
    background.start(drain)
    background.held(True)
    assert background.stop()
    assert drain.calls == 0


def test_the_holder_drains_and_embeds(background: Background, memory: Memory) -> None:
    memory.add("The quay has nine bollards.")
    drain = Drain()
    background.start(drain)
    background.answered()
    background.held(True)
    assert drain.called.wait(PATIENCE_S)
    embedded = threading.Event()

    def watch() -> None:
        while not background.status()["embedding"].get("embedded"):
            if embedded.wait(0.01):
                return
        embedded.set()

    threading.Thread(target=watch, daemon=True).start()
    assert embedded.wait(PATIENCE_S)
    status = background.status()
    assert (status["holding"], status["drained"], status["trouble"]) == (True, 2, None)
    assert status["embedding"]["waiting"] == 0
    assert background.health() is None


def test_a_server_without_the_doorway_loads_no_embedder(background: Background, memory: Memory) -> None:
    drain = Drain()
    background.start(drain)
    background.answered()
    assert background.status()["embedding"]["state"] == "elsewhere"
    assert background.stop()
    assert drain.calls == 0


def test_trouble_is_said_once_in_a_sentence_and_the_work_goes_on(memory: Memory) -> None:
    drain = Drain(raising=StoreBusy("The memory file is locked by another process; try again in a moment."))
    background = Background(memory.db, memory.vectors)
    background.start(drain)
    background.answered()
    background.held(True)
    assert drain.called.wait(PATIENCE_S)
    assert background.stop()
    assert background.health() == f"Backstory: {drain.raising}"


def test_it_stops_though_it_never_began(memory: Memory) -> None:
    assert Background(memory.db, memory.vectors).stop()
    waiting = Background(memory.db, memory.vectors)
    waiting.start(Drain())
    assert waiting.stop()
    assert waiting.stop()


def test_what_settles_once_does_so_whoever_holds_the_doorway(background: Background) -> None:
    settled: list[int] = []
    done = threading.Event()

    def settle() -> None:
        settled.append(1)
        done.set()

    background.start(Drain(), settle)
    background.answered()
    assert done.wait(PATIENCE_S)
    background.held(True)
    assert background.stop()
    assert settled == [1]
