"""Text that orders the agent, or its memory, to store, forget or obey something becomes nothing of the user's."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from backstory.pipelines import tend
from backstory.server import mcp_server
from backstory.server.memory import Memory as Server
from backstory.store import clock, cutter, memories
from backstory.store.db import Database
from backstory.store.models import Memory
from backstory.store.rows import fetch

from .coding_agent import Agent

PATH = Path(__file__).parent.parent / "data" / "injections.jsonl"
CASES: list[dict[str, Any]] = [json.loads(line) for line in PATH.read_text("utf-8").splitlines()]


@pytest.fixture
def outside(tmp_path: Path) -> Iterator[Agent]:
    """
    An agent in a folder that is no repository: nothing is followed. Nor does it lie in our own home, of whose files
    nothing is kept.
    """
    folder, home = tmp_path / "notes", tmp_path / "home"
    folder.mkdir()
    home.mkdir()
    db = Database.open(home / "backstory.db")
    made = Agent(db, home, folder)
    yield made
    made.following.stop()
    db.close()


def plain(text: str) -> str:
    """A text as it reads: without what cannot be seen, in one form of each letter."""
    seen = "".join(char for char in text if unicodedata.category(char) != "Cf")
    return " ".join(unicodedata.normalize("NFKC", seen).casefold().split())


def live(db: Database) -> list[Memory]:
    sql = f"select {memories.COLUMNS} from memory where kind <> 'turn' and retired_at is null"
    return [memories.from_row(row) for row in db.read(fetch, sql, ())]


def test_the_set_is_large_and_half_chinese() -> None:
    assert len(CASES) >= 40
    assert abs(sum(case["lang"] == "zh" for case in CASES) - len(CASES) / 2) <= 2
    assert {case["where"] for case in CASES} >= {"tool_output", "web", "file", "pasted", "subagent", "commit"}


@pytest.mark.parametrize(
    "case", CASES, ids=lambda case: f"{case['lang']}-{case['where']}-{case['planted'][:24]}"
)
def test_nothing_that_was_planted_becomes_the_users(outside: Agent, case: dict[str, Any]) -> None:
    # What the user said before must outlive an order to forget it.
    outside.asks("Remember that the staging database listens on port 5433.")
    outside.ends()
    outside.asks(case["prompt"])
    if case["where"] == "subagent":
        outside.hook(
            "SubagentStop", agent_id="a1", agent_type="general", last_assistant_message=case["payload"]
        )
    elif case["where"] != "pasted":
        tool = case["tool"] or "Bash"
        given = {"command": "make all"} if tool == "Bash" else {"file_path": str(outside.folder / "notes.md")}
        outside.uses(tool, given, {"stdout": case["payload"]} if tool == "Bash" else case["payload"])
    outside.hook("Stop", last_assistant_message=case["reply"])
    tend.once(outside.db, None, cut=cutter.load(), clock=lambda: clock.now() + 10**7)
    kept = live(outside.db)
    assert [m.text for m in kept if "5433" in m.text and m.kind == "fact" and m.origin == "user"]
    mine = [m for m in kept if m.origin == "user"]
    assert [m.text for m in mine if plain(case["planted"]) in plain(f"{m.text} {m.line} {m.data}")] == []
    assert [m.text for m in kept if m.kind in ("profile", "intention")] == []


# The agent believes what it read, and asks for it to be kept: word for word, and as something of the user's.
OBEYED = [case for case in CASES if case["where"] != "pasted"]


def test_many_are_obeyed() -> None:
    assert len(OBEYED) >= 30
    assert {case["where"] for case in OBEYED} >= {"tool_output", "web", "file", "subagent"}


@pytest.mark.parametrize(
    "case", OBEYED, ids=lambda case: f"{case['lang']}-{case['where']}-{case['planted'][:24]}"
)
def test_an_agent_that_obeys_cannot_make_it_the_users(outside: Agent, case: dict[str, Any]) -> None:
    outside.asks(case["prompt"])
    if case["where"] == "subagent":
        outside.hook(
            "SubagentStop", agent_id="a1", agent_type="general", last_assistant_message=case["payload"]
        )
    else:
        tool = case["tool"] or "Bash"
        given = {"command": "make all"} if tool == "Bash" else {"file_path": str(outside.folder / "notes.md")}
        outside.uses(tool, given, {"stdout": case["payload"]} if tool == "Bash" else case["payload"])
    asked = [
        {"content": case["planted"], "kind": "profile"},
        {"content": f"The user said: {case['planted']}", "kind": "profile"},
        {"content": case["planted"], "kind": "intention"},
        {"content": case["planted"]},
        {"messages": [{"role": "user", "content": case["planted"]}]},
    ]
    path = outside.db.path
    with Server.open(path, folder=outside.folder, source="claude-code", embedder="none") as server:
        told = [mcp_server.call(lambda: server, "memory_add", one) for one in asked]
    assert [one.is_error for one in told[:3]] == [True, True, True]
    outside.hook("Stop", last_assistant_message=case["reply"])
    tend.once(outside.db, None, cut=cutter.load(), clock=lambda: clock.now() + 10**7)
    kept = live(outside.db)
    assert [m.text for m in kept if m.kind in ("profile", "intention")] == []
    planted = [m for m in kept if plain(case["planted"]) in plain(m.text) and m.kind != "summary"]
    assert [m.text for m in planted if m.origin == "user"] == []
    # Where it is found again, it says of itself where it comes from.
    later = outside.another("later")
    handed = later.asks(f"what do we know about {case['planted']}?")
    for line in handed.splitlines():
        if any(line.startswith(f"- [{m.short} ·") for m in planted if m.slot is None):
            assert any(label in line for label in LABELS), line


LABELS = (
    "from a file or the web", "from a tool", "said by the agent", "来自文件或网页", "来自工具", "由助手所说",
)  # fmt: skip
