"""Turns as extraction by a model reads them, and a model that reads them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from itertools import count
from pathlib import Path
from typing import Any

from backstory.pipelines.extract.by_model import Extraction, extract
from backstory.pipelines.extract.model_results import Taken
from backstory.pipelines.extract.model_windows import Spoken, WindowTurn
from backstory.pipelines.extract.work_trace import Step
from backstory.store.db import Database
from backstory.tests.model_server import Reply, says
from backstory.tests.pipelines.asking_a_model import Rig, rig

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


@contextmanager
def one_model(folder: Path) -> Iterator[Rig]:
    """One model for the tests of a file: a client takes longer to make than an answer. No test may have it fail."""
    opened = Database.open(folder / "backstory.db")
    with rig(opened, [], model_tokens_a_day=1_000_000_000) as made:
        yield made
    opened.close()


def reading(at: Rig, turns: list[WindowTurn], answer: Any, **more: Any) -> Extraction:
    """What a window leaves where the model gives that answer: JSON, or a reply, or a function of the request."""
    at.server.asked.clear()
    at.server.script = answer if callable(answer) else [answer if isinstance(answer, Reply) else says(answer)]
    return extract(at.model, turns, now=AT, deadline_s=5, nonce=nonces(), **more)


def found(at: Rig, turns: list[WindowTurn], *statements: dict[str, Any], **more: Any) -> Extraction:
    """What a window leaves where the model finds those statements in it."""
    return reading(at, turns, {"statements": list(statements)}, **more)


def one(at: Rig, prompt: str, **said: Any) -> Taken:
    """The one draft that comes of one statement."""
    got = found(at, [turn(prompt)], {"turn": 1, **said})
    assert got.refused == ()
    (taken,) = got.statements
    return taken


def refusal(at: Rig, prompt: str, reply: str = "", **said: Any) -> str:
    """Why nothing came of one statement."""
    got = found(at, [turn(prompt, reply)], {"turn": 1, "kind": "profile", "predicate": "prefers", **said})
    assert got.statements == ()
    (refused,) = got.refused
    return refused.reason
