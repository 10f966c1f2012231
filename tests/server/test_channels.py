"""An answer by scene and channel: what a program reads, what a chat is told unasked, and what comes with a prompt."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

import pytest
from backstory.server import inputs
from backstory.server.memory import Memory
from backstory.server.tool_calls import RUN
from backstory.store import clock, cutter, memories, turns, words
from backstory.store.clock import DAY_US
from backstory.store.models import Kind, NewMemory, Scene, Scope
from pydantic import BaseModel, ConfigDict

from .coding_agent import Agent

Moment = str | None


class Strict(BaseModel):
    """A part of the document: these fields and no others."""

    model_config = ConfigDict(extra="forbid", strict=True)


class Contradicting(Strict):
    """A memory that says otherwise."""

    id: str
    text: str
    origin: Literal["user", "agent", "tool", "external", "import"]
    source: str | None
    at: str


class Shown(Strict):
    """One memory."""

    id: str
    ulid: str
    kind: Literal["profile", "turn", "fact", "summary", "schema", "intention", "experience"]
    scene: Literal["chat", "working", "coding"]
    text: str
    origin: Literal["user", "agent", "tool", "external", "import"]
    importance: float
    confidence: float
    workspace: str | None
    branch: str | None
    source: str | None
    session: str | None
    recorded_at: str
    valid_from: Moment
    valid_to: Moment
    expires_at: Moment
    retired_at: Moment
    retired_why: str | None
    archived_at: Moment
    trust: float
    meta: dict[str, Any]
    score: float
    why: list[Literal["words", "vectors", "names", "profile", "intentions"]]
    remark: str | None
    contradicted_by: list[Contradicting]


class Chat(Strict):
    """Who it is with, what was found, what is planned."""

    profile: list[Shown]
    normal: list[Shown]
    proactive: list[Shown]


class Working(Strict):
    """What was done, and what was learned."""

    facts: list[Shown]
    experiences: list[Shown]


class Coding(Working):
    """The same of code, with its history."""

    chain_block: str
    chain_used: list[str]


class Answer(Strict):
    """The whole document."""

    format: Literal[1]
    query: str
    page: int
    omitted: int
    degraded: dict[str, str]
    notes: list[str]
    as_of: str
    known_as_of: str | None
    chat: Chat
    working: Working
    coding: Coding


DOCUMENT = Path(__file__).parents[2] / "docs" / "search-json.md"
Put = Callable[..., int]


@pytest.fixture
def put(memory: Memory) -> Put:
    """Something on the shelf of the project that tools are called from."""

    def put(text: str, kind: Kind = "fact", scene: Scene = "chat", **kw: Any) -> int:
        scope = kw.pop("scope", Scope(workspace=memory.at.scope.workspace, source="other", session="old"))
        new = NewMemory(kind, scene, scope, text, kw.pop("origin", "user"), **kw)
        return memory.db.write(memories.insert, new, words.index(text, cutter.load()), now=clock.now())

    return put


def search(memory: Memory, **given: Any) -> str:
    return RUN["memory_search"](memory, inputs.parse(inputs.Search, "memory_search", given))


def answer(memory: Memory, query: str, **given: Any) -> Answer:
    """What a program is answered; as it is published."""
    return Answer.model_validate_json(search(memory, query=query, format="json", **given))


def texts(shown: list[Shown]) -> list[str]:
    return [one.text for one in shown]


# ---- the published form


def test_the_document_shows_an_answer_of_that_form_and_names_every_field() -> None:
    page = DOCUMENT.read_text("utf-8")
    (example,) = re.findall(r"```json\n(.*?)```", page, re.DOTALL)
    Answer.model_validate_json(example)
    named = set(re.findall(r"`(\w+)`", page))
    assert {*Answer.model_fields, *Chat.model_fields, *Coding.model_fields} <= named
    assert set(Shown.model_fields) <= named


def test_an_answer_is_of_the_published_form_whatever_it_holds(memory: Memory, put: Put) -> None:
    for scene in ("chat", "working", "coding"):
        for kind in ("profile", "turn", "fact", "summary", "schema", "intention", "experience"):
            put(
                f"The parser of {scene} keeps a {kind}.",
                kind,
                scene,
                meta={"n": 1},
                valid_from=1,
                origin="agent",
            )
    found = answer(memory, "what does the parser keep", limit=40)
    assert len(found.chat.normal) == 5
    for work in (found.working, found.coding):
        assert [one.kind for one in work.experiences] == ["experience"]
        assert {one.kind for one in work.facts} == {"turn", "fact", "summary", "schema"}
    # Who the user is and what is planned belong to the chat, whatever they were said about.
    assert len(found.chat.profile) == len(found.chat.proactive) == 3
    assert all(one.why == ["words"] for one in found.chat.profile)
    for nothing in ("unheard-of zebras", "   ?  "):
        empty = answer(memory, nothing)
        assert (empty.working, empty.chat.normal) == (Working(facts=[], experiences=[]), [])
        assert (empty.coding.chain_block, empty.coding.chain_used) == ("", [])


# ---- who it is with, and what is planned


def test_the_profile_is_there_unasked_with_what_was_found_first(memory: Memory, put: Put) -> None:
    put("Lives in Hangzhou", "profile", importance=0.9)
    put("喜欢简短的回答", "profile", importance=0.7)
    put("Prefers tabs over spaces", "profile", importance=0.2)
    found = answer(memory, "tabs or spaces?").chat
    assert texts(found.profile) == ["Prefers tabs over spaces", "Lives in Hangzhou", "喜欢简短的回答"]
    assert [one.why for one in found.profile] == [["words"], ["profile"], ["profile"]]
    assert [one.score > 0 for one in found.profile] == [True, False, False]


def test_it_is_a_number_of_lines_and_no_hit_is_left_out_for_them(memory: Memory, put: Put) -> None:
    for n in range(20):
        put(f"Likes the colour {n}", "profile")
        put(f"Buy the colour {n}", "intention", expires_at=clock.now() + DAY_US + n)
    found = answer(memory, "an unheard-of zebra").chat
    assert (len(found.profile), len(found.proactive)) == (12, 5)
    assert texts(found.proactive) == [f"Buy the colour {n}" for n in range(5)]
    asked = answer(memory, "which colour", limit=40).chat
    assert (len(asked.profile), len(asked.proactive)) == (20, 20)


def test_what_is_planned_is_there_unasked_and_what_is_due_first(memory: Memory, put: Put) -> None:
    put("Write the release notes some day", "intention")
    put("Hand in the tax report", "intention", expires_at=clock.now() + 9 * DAY_US)
    put("给客户回电话", "intention", expires_at=clock.now() + DAY_US)
    put("Water the plants", "intention", expires_at=clock.now() - 1)
    found = answer(memory, "release notes").chat.proactive
    assert texts(found) == ["给客户回电话", "Hand in the tax report", "Write the release notes some day"]
    assert [one.why for one in found] == [["intentions"], ["intentions"], ["words"]]


@pytest.mark.parametrize(
    ("filters", "profile", "proactive"),
    [
        ({}, ["global", "here"], ["here"]),
        ({"workspace": "global"}, ["global"], []),
        ({"kind": "fact"}, [], []),
        ({"kind": ["profile"]}, ["global", "here"], []),
        ({"scene": "coding"}, [], []),
        ({"scene": "chat"}, ["global", "here"], ["here"]),
        ({"sources": ["cursor"]}, ["global"], []),
        ({"session": "old"}, ["here"], ["here"]),
        ({"until": "2001-01-01"}, [], []),
        ({"status": "retired"}, [], []),
        ({"page": 2}, [], []),
    ],
)
def test_the_filters_hold_for_what_is_there_unasked(
    memory: Memory, put: Put, filters: dict[str, Any], profile: list[str], proactive: list[str]
) -> None:
    put("here", "profile", importance=0.1)
    put("here", "intention")
    put("global", "profile", scope=Scope(source="cursor", session="s"))
    put("another user", "profile", scope=Scope("you"))
    memory.db.write(memories.retire, put("retired", "profile"), why="test", now=clock.now())
    found = answer(memory, "an unheard-of zebra", **filters).chat
    assert (texts(found.profile), texts(found.proactive)) == (profile, proactive)


# ---- in words


def test_a_chat_is_told_who_it_is_with_and_any_other_search_only_what_it_asked_for(
    memory: Memory, put: Put
) -> None:
    put("Prefers tabs over spaces", "profile")
    put("Hand in the tax report", "intention", expires_at=clock.now() + 9 * DAY_US)
    put("The invoice service retries 3 times.")
    plain = search(memory, query="how often does the invoice service retry?")
    assert "retries 3 times" in plain
    assert "tabs" not in plain
    assert "tax report" not in plain
    chat = search(memory, query="how often does the invoice service retry?", scene="chat")
    assert re.findall(r"## .*", chat) == ["## Profile", "## Plans", "## Facts"]
    assert re.search(r"· due \d{4}-\d\d-\d\d\] Hand in the tax report", chat)
    assert search(memory, query="an unheard-of zebra") == "Nothing remembered bears on this."
    nothing = search(memory, query="an unheard-of zebra", scene="chat")
    assert "Prefers tabs over spaces" in nothing
    assert nothing.endswith("Nothing remembered bears on this.")
    once = search(memory, query="tabs or spaces", scene="chat")
    assert once.count("Prefers tabs over spaces") == 1


# ---- code history under it


def test_the_facts_that_the_chain_block_shows_already_are_named(agent: Agent, repo: Path) -> None:
    agent.asks("Make fetch retry on a broken connection.")
    agent.edits("pay.py", "    return get(url)", "    return retry(get, url)")
    agent.ends()
    agent.asks("Explain to me how fetch meets a broken connection; change nothing.")
    agent.runs("ls", lambda: None)
    agent.ends()
    with Memory.open(agent.db.path, folder=repo, embedder="none") as memory:
        found = answer(memory, "pay.py::fetch on a broken connection")
        shown = {one.text.partition("\n")[0]: one.id for one in found.coding.facts}
        first = shown["Make fetch retry on a broken connection."]
        assert len(shown) == 2
        assert "## Code history\n`pay.py::fetch`: 1 version" in found.coding.chain_block
        assert found.coding.chain_used == [first]
        # A fact that was drawn from that turn stands for it.
        turn = memory.db.read(memories.by_id, int(first[1:])).turn
        assert turn is not None
        whole = memory.db.read(turns.turn, turn)
        assert whole is not None
        text = "Make fetch retry on a broken connection: edited pay.py. Outcome: done."
        new = NewMemory("fact", "coding", whole.scope, text, "agent", turn=turn, slot=f"did:{whole.ulid}")
        fact = memory.db.write(memories.insert, new, words.index(text, cutter.load()), now=clock.now())
        again = answer(memory, "pay.py::fetch on a broken connection")
        assert again.coding.chain_used == [f"m{fact}"]
        assert first not in [one.id for one in again.coding.facts]
