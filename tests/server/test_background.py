"""The work beside answering: begun after the first answer, by the holder of the doorway alone, and ended in time."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from backstory.pipelines.upkeep_tasks import Workplace
from backstory.server.background import Background, Work
from backstory.server.memory import Memory
from backstory.store.errors import StoreBusy

PATIENCE_S = 20.0


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with Memory.open(tmp_path / "home" / "backstory.db", embedder="hash") as opened:
        yield opened


class Call:
    """Something to be called: counts, and says when it has come."""

    def __init__(self, *, raising: Exception | None = None) -> None:
        self.count = 0
        self.came = threading.Event()
        self.raising = raising

    def __call__(self) -> int:
        self.count += 1
        self.came.set()
        if self.raising:
            raise self.raising
        return 2


def background(memory: Memory, drain: Call, settle: Call | None = None) -> Background:
    """The background work of a server that would open `memory`."""
    return Background(
        lambda: Work(memory.db, memory.vectors, None, drain, settle or Call(), Call(), Workplace())
    )


def eventually(true: Callable[[], bool]) -> bool:
    """Whether it becomes true in time."""
    ends = time.monotonic() + PATIENCE_S
    while not true():
        if time.monotonic() > ends:
            return False
        time.sleep(0.01)
    return True


def test_nothing_begins_before_the_first_answer(memory: Memory) -> None:
    drain = Call()
    work = background(memory, drain)
    work.start()
    work.held(True)
    assert work.stop()
    assert drain.count == 0


def test_the_holder_drains_and_embeds(memory: Memory) -> None:
    memory.add("The quay has nine bollards.")
    work = background(memory, Call())
    work.start()
    work.answered()
    work.held(True)
    assert eventually(lambda: bool(work.status()["embedding"].get("embedded")))
    status = work.status()
    assert (status["holding"], status["trouble"], status["embedding"]["waiting"]) == (True, None, 0)
    assert status["drained"] >= 2
    assert work.health() is None
    assert work.stop()


def test_it_is_loading_until_it_has_looked_once_whatever_came_of_it(memory: Memory) -> None:
    def fails() -> Work:
        raise StoreBusy("not now")

    for work in (background(memory, Call()), Background(fails)):
        work.start()
        assert work.loading
        work.answered()
        assert eventually(lambda work=work: not work.loading)  # type: ignore[misc]
        assert work.stop()


def test_a_server_without_the_doorway_loads_no_embedder(memory: Memory) -> None:
    drain, settle = Call(), Call()
    work = background(memory, drain, settle)
    work.start()
    work.answered()
    assert settle.came.wait(PATIENCE_S)
    assert work.status()["embedding"]["state"] == "elsewhere"
    assert work.stop()
    assert drain.count == 0


def test_a_server_that_loses_the_doorway_leaves_the_file_to_the_next(memory: Memory) -> None:
    work = background(memory, Call())
    work.start()
    work.answered()
    work.held(True)
    assert eventually(lambda: work.status()["embedding"]["state"] == "idle")
    work.held(False)
    assert eventually(lambda: work.status()["embedding"]["state"] == "elsewhere")
    assert work.stop()


def test_trouble_is_said_in_a_sentence(memory: Memory) -> None:
    busy = StoreBusy("The memory file is locked by another process; try again in a moment.")
    drain = Call(raising=busy)
    work = background(memory, drain)
    work.start()
    work.answered()
    work.held(True)
    assert drain.came.wait(PATIENCE_S)
    assert work.stop()
    assert work.health() == f"Backstory: {busy}"
    assert work.status()["trouble"] == str(busy)


def test_a_trouble_that_stays_is_logged_once_and_so_is_its_end(
    memory: Memory, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO", logger="backstory")
    drain = Call(raising=ZeroDivisionError("nothing to divide by"))
    work = background(memory, drain)
    work.start()
    work.answered()

    def looks(n: int) -> bool:
        upto = drain.count + n

        def looked() -> bool:
            work.held(True)
            return drain.count >= upto

        return eventually(looked)

    assert looks(4)
    drain.raising = OSError("the disk is gone")
    assert looks(3)
    drain.raising = None
    assert looks(3)
    assert work.stop()
    ours = [r for r in caplog.records if r.name == "backstory.server.background"]
    assert [(r.levelname, r.exc_info is not None and r.exc_info[0]) for r in ours] == [
        ("WARNING", ZeroDivisionError),
        ("WARNING", OSError),
        ("INFO", False),
    ]


def test_a_file_that_does_not_open_is_trouble_too(memory: Memory) -> None:
    tried = Call(raising=StoreBusy("Locked."))

    def open_() -> Work:
        tried()
        raise AssertionError

    work = Background(open_)
    work.start()
    work.answered()
    assert tried.came.wait(PATIENCE_S)
    assert work.stop()
    assert work.health() == "Backstory: Locked."


def test_it_stops_though_it_never_began(memory: Memory) -> None:
    assert background(memory, Call()).stop()
    waiting = background(memory, Call())
    waiting.start()
    assert waiting.stop()
    assert waiting.stop()


def test_what_settles_does_so_once_whoever_holds_the_doorway(memory: Memory) -> None:
    drain, settle = Call(), Call()
    work = background(memory, drain, settle)
    work.start()
    work.answered()
    assert settle.came.wait(PATIENCE_S)
    work.held(True)
    assert drain.came.wait(PATIENCE_S)
    assert work.stop()
    assert settle.count == 1
