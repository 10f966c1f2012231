"""Claude Code begins, Cursor goes on: one line of work, one current preference, found from either."""

from __future__ import annotations

from typing import Any

import pytest
from backstory.pipelines import tend
from backstory.server import explain
from backstory.server.memory import Memory, locate
from backstory.store import clock, cutter
from backstory.store.models import Memory as Row
from backstory.store.models import Scope
from backstory.store.rows import fetch

from .coding_agent import Agent, Git


@pytest.fixture
def opened(agent: Agent) -> Memory:
    at = locate(agent.db, str(agent.folder), Scope("me", None, None, "test"), now=clock.now())
    later = clock.now() + 60_000_000
    return Memory(agent.db, home=agent.home, options=agent.desk.options, at=at, now=lambda: later)


def worked(agent: Agent, git: Git) -> None:
    git(agent.folder, "checkout", "-q", "-b", "feat/retry")
    agent.asks("Add a retry loop to the fetch function. I prefer dark mode, by the way.")
    agent.edits("pay.py", "return get(url)", "return get(url) or get(url)")
    agent.ends()
    told = {"prompt": "The retry loop should back off. I prefer light mode now."}
    agent.cursor("beforeSubmitPrompt", **told)
    path = agent.folder / "pay.py"
    path.write_text(path.read_text().replace("or get(url)", "or later(get, url)"))
    edit = {"old_string": "or get(url)", "new_string": "or later(get, url)"}
    agent.cursor("afterFileEdit", file_path=str(path), edits=[edit])
    agent.cursor("afterAgentResponse", text="It backs off now.")
    agent.cursor("stop", status="completed")
    # Half a minute later, when code history has seen what the turns did.
    tend.once(agent.db, None, cut=cutter.load(), clock=lambda: clock.now() + 30_000_000)


def facts(memory: Memory, **more: Any) -> list[Row]:
    return [
        m for m in memory.list(kind="fact", limit=20, **more).memories if (m.slot or "").startswith("did:")
    ]


def test_the_same_task_is_one_line(agent: Agent, git: Git, opened: Memory) -> None:
    worked(agent, git)
    after, before = facts(opened)
    assert (before.scope.source, after.scope.source) == ("claude-code", "cursor")
    assert agent.db.read(fetch, "select source, target from link where kind = 'same_task'", ()) == [
        (after.id, before.id)
    ]
    assert after.data["line"]["n"] == 2
    assert "fetch" in before.data["symbols"]


def test_sources_filter_both_ways(agent: Agent, git: Git, opened: Memory) -> None:
    worked(agent, git)
    assert [m.scope.source for m in facts(opened, sources=["cursor"])] == ["cursor"]
    found = opened.search("retry loop", sources=["claude-code"]).hits
    assert {hit.memory.scope.source for hit in found} == {"claude-code"}
    found = opened.search("retry loop").hits
    assert {hit.memory.scope.source for hit in found} == {"claude-code", "cursor"}


def test_a_preference_changed_in_the_other_client_is_the_current_one(
    agent: Agent, git: Git, opened: Memory
) -> None:
    worked(agent, git)
    current = opened.list(kind="profile").memories
    assert [(m.scope.source, m.data["value"]) for m in current] == [("cursor", "light mode")]
    past = opened.list(kind="profile", status="retired").memories
    assert "dark mode" in {m.data["value"] for m in past}


def test_what_a_turn_left_is_explained(agent: Agent, git: Git, opened: Memory) -> None:
    worked(agent, git)
    after, _ = facts(opened)
    told = explain.answer(opened, after.short)
    assert "The retry loop should back off" in told
    assert "line" in told
