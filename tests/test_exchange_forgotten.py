"""What one file has forgotten and another one still tells, put together in either order."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from itertools import permutations
from pathlib import Path

import pytest
from backstory import Memory
from backstory.store.models import Kind

STATED: list[Kind] = ["profile", "fact", "intention"]
FORGET = "forget"


def at(day: str) -> Callable[[], int]:
    """A clock that begins at noon of a day; each look at it is a microsecond later."""
    moments = iter(range(int(datetime.fromisoformat(f"{day}T12:00+00:00").timestamp()) * 1_000_000, 1 << 62))
    return lambda: next(moments)


def lived(file: Path, days: Sequence[tuple[str, str]], *, since: str | None = None) -> Path:
    """The export of a file in which on each day something was said, or what was said before it was forgotten."""
    for day, words in days:
        with Memory.open(file, embedder="none", now=at(day)) as memory:
            if words == FORGET:
                (known,) = memory.list(kinds=STATED).memories
                memory.delete(known.id, forget=True)
            else:
                memory.add(messages=[{"role": "user", "content": words}])
                memory.tend()
    exported = file.with_suffix(".jsonl")
    with Memory.open(file, embedder="none", now=at("2026-04-25")) as memory:
        memory.export(exported, since=at(since)() if since else None)
    return exported


def together(file: Path, exports: Sequence[Path]) -> list[str]:
    """What is known in a new file that has taken those in, current or not."""
    with Memory.open(file, embedder="none", now=at("2026-04-26")) as memory:
        for one in exports:
            memory.import_(one)
        memory.tend()
        return sorted(one.text for one in memory.list(kinds=STATED, status="all").memories)


@pytest.mark.parametrize(
    ("words", "then", "left"),
    [
        ("My manager is Zorvanna.", "My manager is Bob.", ["My manager is Bob"]),
        (
            "Since January I live in Lyon.",
            "From next month I live in Madrid.",
            ["From next month I live in Madrid"],
        ),
        ("我住在上海。", "我搬到北京了。", ["我搬到北京"]),
        ("我住在上海。", "我喜欢深色模式。", ["我喜欢深色模式"]),
    ],
)
@pytest.mark.parametrize("since", [None, "2026-03-25"])
@pytest.mark.parametrize("changed_on", ["2026-03-20", "2026-03-26"])
def test_what_was_ended_after_it_was_forgotten_elsewhere_was_not_said_again(
    tmp_path: Path, words: str, then: str, left: list[str], changed_on: str, since: str | None
) -> None:
    exports = [
        lived(tmp_path / "one.db", [("2026-03-23", words), ("2026-03-24", FORGET)]),
        lived(tmp_path / "other.db", [("2026-03-13", words), (changed_on, then)], since=since),
    ]
    for n, order in enumerate(permutations(exports)):
        known = together(tmp_path / f"both{n}.db", order)
        assert known == (left if since is None or changed_on > since else [])
