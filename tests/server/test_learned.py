"""What was tried and undone in a real repository is an experience, in the user's words."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from backstory.pipelines import tend
from backstory.server.memory import Memory
from backstory.store import clock, cutter, memories
from backstory.store.models import Located, Scope
from backstory.store.models import Memory as Row
from backstory.store.rows import fetch

from .coding_agent import Agent


def learned(agent: Agent) -> list[Row]:
    tend.once(agent.db, None, cut=cutter.load(), clock=lambda: clock.now() + 30_000_000)
    sql = f"select {memories.COLUMNS} from memory where kind = 'experience' and retired_at is null"
    return [memories.from_row(row) for row in agent.db.read(fetch, sql, ())]


@pytest.mark.parametrize(
    ("ask", "undo", "why"),
    [
        ("Add a retry loop to fetch.", "Undo the retry loop, it hid timeouts.", "it hid timeouts"),
        ("给 fetch 加一个重试循环。", "撤销重试循环，它掩盖了超时。", "它掩盖了超时"),
    ],
)
def test_a_way_that_was_tried_and_undone(agent: Agent, ask: str, undo: str, why: str) -> None:
    agent.asks(ask)
    agent.edits("pay.py", "return get(url)", "return get(url) or get(url)")
    agent.ends()
    assert learned(agent) == []
    agent.asks(undo)
    agent.edits("pay.py", "return get(url) or get(url)", "return get(url)")
    agent.ends()
    (made,) = learned(agent)
    assert made.data["place"] == "pay.py::fetch"
    assert ask.rstrip(".。") in made.text
    assert why in made.text
    assert why in agent.db.read(memories.evidence, made.id)[0].quote


def test_going_on_is_no_experience(agent: Agent) -> None:
    agent.asks("Add a retry loop to fetch.")
    agent.edits("pay.py", "return get(url)", "return get(url) or get(url)")
    agent.ends()
    agent.asks("Retry three times.")
    agent.edits("pay.py", "return get(url) or get(url)", "return get(url) or get(url) or get(url)")
    agent.ends()
    assert learned(agent) == []


def test_a_test_that_failed_and_passes_after_an_edit(agent: Agent) -> None:
    agent.asks("Make the payment tests pass.")
    failed: dict[str, Any] = {
        "error": "Exit code 1\nE   NameError: name 'get' is not defined\n1 failed in 0.1s"
    }
    agent.hook(
        "PostToolUseFailure", tool_name="Bash", tool_input={"command": "pytest tests/test_pay.py"},
        tool_use_id="f1", **failed,
    )  # fmt: skip
    agent.edits("pay.py", "def other()", "from web import get\n\n\ndef other()")
    agent.uses("Bash", {"command": "pytest tests/test_pay.py"}, {"stdout": "3 passed in 0.1s", "stderr": ""})
    agent.hook("Stop", last_assistant_message="`get` was never imported from web, so every call failed.")
    (made,) = learned(agent)
    assert "NameError: name 'get' is not defined" in made.text
    assert "never imported" in made.text
    assert made.data["conditions"]["languages"] == ["Python"]
    (quote,) = [s.quote for s in agent.db.read(memories.evidence, made.id)]
    assert "NameError" in quote


def test_what_was_learned_elsewhere_is_not_shown_where_it_does_not_hold(agent: Agent, tmp_path: Path) -> None:
    """An experience with Python is nothing for a folder of Go; asked for, it is shown with a remark."""
    agent.asks("Make the payment tests pass.")
    agent.hook(
        "PostToolUseFailure", tool_name="Bash", tool_input={"command": "pytest tests/test_pay.py"},
        tool_use_id="f1", error="Exit code 1\nE   NameError: name 'get' is not defined\n1 failed in 0.1s",
    )  # fmt: skip
    agent.edits("pay.py", "def other()", "from web import get\n\n\ndef other()")
    agent.uses("Bash", {"command": "pytest tests/test_pay.py"}, {"stdout": "3 passed in 0.1s", "stderr": ""})
    agent.hook("Stop", last_assistant_message="`get` was never imported from web, so every call failed.")
    (made,) = learned(agent)
    question = "NameError: name 'get' is not defined"

    def found(folder: Path, **more: Any) -> list[tuple[int, str | None]]:
        memory = Memory(
            agent.db, home=agent.home, options=agent.desk.options, at=Located(Scope(), str(folder))
        )
        hits = memory.search(question, workspace="all", **more).hits
        return [(hit.memory.id, hit.remark) for hit in hits if hit.memory.kind == "experience"]

    assert found(agent.folder) == [(made.id, None)]
    go = tmp_path / "go"
    go.mkdir()
    (go / "main.go").write_text("package main\n")
    assert found(go) == []
    ((id_, remark),) = found(go, kinds=["experience"])
    assert (id_, remark) == (made.id, "for Python, of which there is none here")
