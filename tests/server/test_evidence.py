"""Every memory reaches the words behind it: its own, or through what it was drawn from."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from backstory.pipelines import correct, tend
from backstory.server import mcp_server
from backstory.server.memory import Memory as Open
from backstory.store import clock, cutter, evidence, memories
from backstory.store.db import Database
from backstory.store.models import Memory, Scope
from backstory.store.rows import fetch

from .coding_agent import Agent

DATA = Path(__file__).parent.parent / "data"
Call = Callable[..., str]


@pytest.fixture
def session(agent: Agent) -> Agent:
    """A long session: recorded turns of talk and of work, in the order of their files, and its end."""
    for turn in _recorded("chat_turns.jsonl", every=45, key="prompt"):
        agent.asks(turn["prompt"])
        agent.ends()
    for number, turn in enumerate(_recorded("work_turns.jsonl", every=15, key="steps")):
        agent.asks(turn["prompt"])
        for step in turn["steps"]:
            _uses(agent, step, number)
        agent.hook("Stop", last_assistant_message=turn.get("reply") or "Done.")
    agent.hook("SessionEnd", reason="other")
    _settle(agent.db)
    return agent


def _recorded(name: str, *, every: int, key: str) -> list[dict[str, Any]]:
    lines = [json.loads(line) for line in (DATA / name).read_text("utf-8").splitlines()]
    return [one for one in lines if one.get(key)][::every]


def _uses(agent: Agent, step: dict[str, Any], number: int) -> None:
    if step.get("command"):
        given: dict[str, Any] = {"command": step["command"]}
    else:
        paths = step.get("paths") or [step.get("path") or f"src/part{number}.py"]
        given = {"file_path": str(agent.folder / paths[0])}
    said = step.get("said") or ""
    if step.get("ok") is False:
        agent.calls += 1
        agent.hook(
            "PostToolUseFailure",
            tool_name=step["tool"],
            tool_input=given,
            error=said,
            tool_use_id=f"t{agent.calls}",
        )
    else:
        agent.uses(step["tool"], given, {"stdout": said} if step.get("command") else said)


_MOMENTS = itertools.count(1)


def _later() -> int:
    """A moment after all that were before: work that waits for its time is done by then."""
    return clock.now() + next(_MOMENTS) * 60 * clock.SECOND_US


def _settle(db: Database) -> None:
    later = _later()
    for _ in range(20):
        tend.once(db, None, cut=cutter.load(), clock=lambda: later)


def _every(db: Database) -> list[Memory]:
    return [memories.from_row(row) for row in db.read(fetch, f"select {memories.COLUMNS} from memory")]


def _quotes(db: Database, memory: Memory) -> list[str]:
    """The quotes that stand in their events, of a memory and of all that it was drawn from."""
    behind = [memory, *(step.memory for step in db.read(evidence.chain, memory))]
    found = []
    for one in behind:
        for support in db.read(memories.evidence, one.id):
            content = db.read(fetch, "select content from event where id = ?", (support.event,))[0][0]
            if support.quote and support.quote in content:
                found.append(support.quote)
    return found


def test_every_memory_of_a_long_session_reaches_words_that_were_said(session: Agent) -> None:
    made = _every(session.db)
    kinds = {one.kind for one in made}
    assert kinds >= {"turn", "fact", "profile", "intention", "experience", "summary"}
    assert len(made) > 60
    assert [(one.short, one.kind, one.text) for one in made if not _quotes(session.db, one)] == []
    # A session's summary rests on its turns, and on what was done in them.
    (summary,) = [one for one in made if one.kind == "summary" and one.retired_at is None]
    below = session.db.read(evidence.drawn_from, summary.root)
    assert {one.kind for one in below} == {"turn", "fact"}


def test_whatever_goes_of_it_nothing_live_is_left_without_words(session: Agent) -> None:
    for memory in _every(session.db)[::7]:
        if memory.retired_at is None and session.db.read(memories.by_id, memory.id).retired_at is None:
            correct.retire(memory.id, scope=Scope(), db=session.db, now=_later(), cut=cutter.load())
    _settle(session.db)
    left = [one for one in _every(session.db) if one.retired_at is None]
    assert [one.text for one in left if not _quotes(session.db, one)] == []
    # What rules can draw anew has been drawn anew.
    assert [one.text for one in left if one.kind == "summary" and one.renew_at is not None] == []


def _asks_for(agent: Agent, *prompts: str) -> None:
    for prompt in prompts:
        agent.asks(prompt)
        agent.ends()


def _summary(db: Database) -> Memory | None:
    found = [one for one in _every(db) if one.kind == "summary" and one.retired_at is None]
    return found[0] if found else None


REQUESTS = (
    "add a retry to the payment client",
    "write a test for the currency parser",
    "document the webhook signature",
    "speed up the nightly import",
)


def test_a_summary_whose_turn_is_gone_is_drawn_anew_from_the_rest(agent: Agent) -> None:
    _asks_for(agent, *REQUESTS)
    agent.hook("SessionEnd", reason="other")
    _settle(agent.db)
    before = _summary(agent.db)
    assert before is not None
    assert all(request in before.text for request in REQUESTS)
    (turn,) = [one for one in _every(agent.db) if one.kind == "turn" and REQUESTS[1] in one.text]
    correct.retire(turn.id, scope=Scope(), db=agent.db, now=_later(), cut=cutter.load())
    marked = agent.db.read(memories.by_id, before.id)
    assert marked.renew_at is not None
    _settle(agent.db)
    after = _summary(agent.db)
    assert after is not None
    assert (after.root, after.renew_at) == (before.root, None)
    assert [request in after.text for request in REQUESTS] == [True, False, True, True]
    assert REQUESTS[1] not in " ".join(one.quote for one in agent.db.read(memories.evidence, after.id))


def test_a_summary_of_which_too_little_is_left_goes(agent: Agent) -> None:
    _asks_for(agent, *REQUESTS)
    agent.hook("SessionEnd", reason="other")
    _settle(agent.db)
    for turn in [one for one in _every(agent.db) if one.kind == "turn"][:2]:
        correct.retire(turn.id, scope=Scope(), db=agent.db, now=_later(), cut=cutter.load())
    _settle(agent.db)
    assert _summary(agent.db) is None


CORRECTED = (
    ("Install the date library.", "No, use pnpm, not npm."),
    ("Install the chart library.", "No, use pnpm instead of npm."),
    ("Install the test runner.", "That is wrong, you should use pnpm, not npm."),
)


def test_a_wish_that_was_only_shown_recounts_and_goes_when_it_was_shown_once(agent: Agent) -> None:
    for number, (task, correction) in enumerate(CORRECTED):
        another = agent.another(f"s{number}")
        another.asks(task)
        another.uses("Bash", {"command": "npm install dayjs"}, {"stdout": "added 1 package"})
        another.ends()
        another.asks(correction)
        another.uses("Bash", {"command": "pnpm add dayjs"}, {"stdout": "done"})
        another.ends()
    _settle(agent.db)
    assert [(one.data["times"], one.confidence) for one in _wishes(agent.db)] == [(3, 0.55)]
    (wish,) = _wishes(agent.db)
    first, second, _ = agent.db.read(evidence.drawn_from, wish.root)
    told = []
    for one in (first, second):
        correct.retire(one.id, scope=Scope(), db=agent.db, now=_later(), cut=cutter.load())
        told.append([(one.data["times"], one.confidence, one.renew_at) for one in _wishes(agent.db)])
    assert told == [[(2, 0.4, None)], []]
    # A second thought brings the correction back, and with it what it had shown.
    correct.correct(second.id, scope=Scope(), db=agent.db, now=_later(), cut=cutter.load(), restore=True)
    assert [one.data["times"] for one in _wishes(agent.db)] == [2]


def _wishes(db: Database) -> list[Memory]:
    return [one for one in _every(db) if one.data.get("implied") and one.retired_at is None]


def test_evidence_shows_what_a_memory_was_drawn_from_and_the_words_behind_that(memory: Open) -> None:
    (fact,) = memory.add("The gateway listens on port 8377.")
    (more,) = memory.add("Requests to 8377 come from the proxy alone.")
    memory.db.write(memories.link, more.id, fact.id, "derived_from", now=clock.now())
    text = mcp_server.call(lambda: memory, "memory_get", {"id": more.short, "view": "evidence"})
    said = str(text)
    assert f"drawn from [{fact.short} · fact" in said
    assert "which rests on:" in said
    assert said.count("The gateway listens on port 8377.") == 2


def test_deleting_tells_what_goes_with_it_and_restoring_brings_both_back(memory: Open) -> None:
    (fact,) = memory.add("The gateway listens on port 8377.")
    (more,) = memory.add("Only the proxy talks to it.")
    memory.db.write(memories.link, more.id, fact.id, "derived_from", now=clock.now())
    memory.db.write(lambda con: con.execute("delete from evidence where memory = ?", (more.id,)))
    said = str(mcp_server.call(lambda: memory, "memory_delete", {"id": fact.short}))
    assert f"With it went {more.short}, which rested on it alone." in said
    mcp_server.call(lambda: memory, "memory_update", {"id": fact.short, "restore": True})
    assert sorted(one.text for one in memory.list().memories) == [
        "Only the proxy talks to it.",
        "The gateway listens on port 8377.",
    ]


def test_what_waits_to_be_drawn_anew_says_so(memory: Open) -> None:
    (fact,) = memory.add("The gateway listens on port 8377.")
    (more,) = memory.add("The gateway at 8377 serves the proxy alone.")
    memory.db.write(memories.link, more.id, fact.id, "derived_from", now=clock.now())
    memory.delete(fact.id)
    found = str(mcp_server.call(lambda: memory, "memory_search", {"query": "gateway proxy"}))
    assert "part of what this rests on is gone" in found
