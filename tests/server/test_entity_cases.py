"""A named entity among look-alikes: its memories come first, whatever is like them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import apsw
import pytest
from backstory.server import mcp_server
from backstory.server.memory import Memory
from backstory.store import cutter, memories, words
from backstory.store.models import NewMemory, Scope

from ..pipelines import topics
from ..shelf import T0

FILE = Path(__file__).parent.parent / "data" / "entity_cases.jsonl"
CASES: list[dict[str, Any]] = [json.loads(line) for line in FILE.read_text("utf-8").splitlines()]
# Of which no case speaks.
NOISE = topics.turns(each=3)[:50]
FIRST = 5


@pytest.fixture(params=["none", "hash"])
def opened(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Memory]:
    with Memory.open(tmp_path / "backstory.db", embedder=request.param) as memory:
        yield memory


def fill(memory: Memory, case: dict[str, Any]) -> tuple[set[int], set[int]]:
    """The memories of what is named, and those of its look-alikes, which are the later ones."""
    said = case["said"]
    others = [
        said[(n + more) % len(said)].replace("{x}", other)
        for n, other in enumerate(case["others"])
        for more in (0, 1)
    ]
    texts = [*NOISE, *case["memories"], *others]
    ids = memory.db.write(_put, texts)
    assert len(NOISE) == 50
    assert len(case["others"]) >= 10
    memory.tend()
    until = len(NOISE) + len(case["memories"])
    return set(ids[len(NOISE) : until]), set(ids[until:])


def _put(con: apsw.Connection, texts: Sequence[str]) -> list[int]:
    """As `Memory.add` does, in one transaction: eight thousand of their own would take a minute."""
    return [
        memories.insert(
            con, NewMemory("fact", "chat", Scope(), text, "agent"), words.index(text, cutter.load()), now=T0
        )
        for text in texts
    ]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["case"])
def test_what_is_named_comes_first(opened: Memory, case: dict[str, Any]) -> None:
    named, others = fill(opened, case)
    for question in case["asks"]:
        found = [hit.memory.id for hit in opened.search(question, limit=20).hits]
        assert named <= set(found[:FIRST]), [opened.get(id_).memory.text for id_ in found[:FIRST]]
        last = max(found.index(id_) for id_ in named)
        assert not others & set(found[:last])


def test_there_are_forty_cases_half_of_them_chinese() -> None:
    assert len(CASES) >= 40
    assert sum(case["language"] == "zh" for case in CASES) >= 20
    assert {case["kind"] for case in CASES} == {"symbol", "file", "branch", "version", "person", "thing"}


@pytest.mark.parametrize("case", CASES[::5], ids=lambda case: case["case"])
def test_the_tool_lists_them_in_that_order(opened: Memory, case: dict[str, Any]) -> None:
    named, others = fill(opened, case)
    told = mcp_server.call(lambda: opened, "memory_search", {"query": case["asks"][0], "limit": 20})
    shown = told.content[0].text  # type: ignore[union-attr]
    places = [shown.index(f"m{id_} ") for id_ in named]
    behind = [shown.index(f"m{id_} ") for id_ in others if f"m{id_} " in shown]
    assert max(places) < min(behind, default=len(shown))
