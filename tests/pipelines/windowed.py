"""Turns as extraction by a model reads them."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from itertools import count
from typing import Any

from backstory.pipelines.extract.model_windows import Spoken, WindowTurn
from backstory.pipelines.extract.work_trace import Step

# A Wednesday, in Berlin.
AT, ZONE_S = int(datetime.fromisoformat("2026-03-11T10:00+01:00").timestamp()) * 1_000_000, 3_600


def day(text: str) -> int:
    """The instant at which that day begins in Berlin's winter, UTC microseconds."""
    return int(datetime.fromisoformat(f"{text}T00:00+01:00").timestamp()) * 1_000_000


def turn(prompt: str, reply: str = "", *, key: int = 1, **more: Any) -> WindowTurn:
    """A turn of that moment: the prompt is event 10 × key + 1, the reply 10 × key + 2."""
    said = [Spoken(10 * key + 1, "user", prompt)]
    if reply:
        said.append(Spoken(10 * key + 2, "agent", reply))
    return WindowTurn(key, AT, ZONE_S, tuple(said), **more)


def ran(command: str, said: str = "", *, ok: bool | None = True, event: int = 7) -> Step:
    """A command that was run."""
    return Step("run", "Bash", (), command, ok, said, AT, event)


def edited(*paths: str, event: int = 8) -> Step:
    """Files that were edited."""
    return Step("edit", "Edit", paths, None, True, "", AT, event)


def nonces(*names: str) -> Callable[[], str]:
    """Names for fences, one after the other, then numbered ones."""
    more = (f"nonce{number}" for number in count())
    given = iter(names)
    return lambda: next(given, None) or next(more)
