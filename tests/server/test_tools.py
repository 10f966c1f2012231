"""The five tools, driven by a real client in memory over a real file."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import anyio
import pytest
from backstory.server import mcp_server, tools
from backstory.server.memory import Memory, locate
from backstory.store.errors import StoreDamaged
from backstory.store.models import Scope
from mcp import Client
from mcp.types import CallToolResult

ERAS = [pytest.param({}, id="modern"), pytest.param({"mode": "legacy"}, id="legacy")]
# The estimate used throughout: four characters a token, no worse than 4 % off three tokenizers on this very text.
CHARS_PER_TOKEN = 4
Call = Callable[..., tuple[bool, str]]


def drive(memory: Callable[[], Memory], use: Callable[[Client], Awaitable[Any]], **mode: Any) -> Any:
    """What `use` returns, given a client of a server over `memory`."""

    async def run() -> Any:
        with anyio.fail_after(30):
            async with Client(mcp_server.build(memory, version="0"), raise_exceptions=True, **mode) as client:
                return await use(client)

    return anyio.run(run)


@pytest.fixture(params=ERAS)
def call(memory: Memory, request: pytest.FixtureRequest) -> Call:
    """Call a tool: whether it is an error, and its text."""

    def ask(tool: str, **arguments: Any) -> tuple[bool, str]:
        result: CallToolResult = drive(
            lambda: memory, lambda client: client.call_tool(tool, arguments), **request.param
        )
        (content,) = result.content
        assert result.structured_content is None
        return bool(result.is_error), content.text  # type: ignore[union-attr]

    return ask


def said(memory: Memory, tool: str, arguments: dict[str, Any]) -> str:
    """The text of a call that succeeds, made without a client: none can send what these arguments hold."""
    result = mcp_server.call(lambda: memory, tool, arguments)
    assert not result.is_error
    return result.content[0].text  # type: ignore[union-attr]


def kept(call: Call, content: str, **more: Any) -> str:
    failed, text = call("memory_add", content=content, **more)
    assert not failed
    return text.split()[1].rstrip(":")


@pytest.mark.parametrize("mode", ERAS)
def test_there_are_five_tools_that_say_when_to_call_them(memory: Memory, mode: dict[str, str]) -> None:
    listed = drive(lambda: memory, lambda client: client.list_tools(), **mode).tools
    assert {
        t.name: (t.annotations.read_only_hint, t.annotations.destructive_hint, t.annotations.idempotent_hint)
        for t in listed
    } == {
        "memory_search": (True, False, True),
        "memory_add": (False, False, False),
        "memory_get": (True, False, True),
        "memory_update": (False, False, True),
        "memory_delete": (False, True, True),
    }
    for tool in listed:
        assert tool.description.startswith("Call ")
        assert tool.meta == {"anthropic/alwaysLoad": True}
        assert tool.output_schema is None
        assert tool.input_schema["additionalProperties"] is False


def test_the_list_of_tools_costs_less_than_two_thousand_tokens() -> None:
    listed = mcp_server.catalogue().model_dump_json(by_alias=True, exclude_none=True)
    assert len(listed) / CHARS_PER_TOKEN < 2_000
    assert len(tools.INSTRUCTIONS) / CHARS_PER_TOKEN < 200


def test_what_is_kept_is_found_again_with_its_id_and_date(call: Call) -> None:
    short = kept(call, "The staging database listens on port 5433.", kind="fact", scene="coding")
    failed, text = call("memory_search", query="which port has the staging database?")
    assert not failed
    assert short in text
    assert "port 5433" in text
    assert (
        call("memory_search", query="staging port", kind="profile")[1] == "Nothing remembered bears on this."
    )


def test_the_same_text_twice_is_one_memory(call: Call) -> None:
    first = kept(call, "Deploys happen on Tuesdays.")
    failed, text = call("memory_add", content="Deploys happen on Tuesdays.")
    assert (failed, text.split()[:2]) == (False, ["same", first + ":"])


def test_messages_become_turns(call: Call) -> None:
    failed, text = call(
        "memory_add",
        messages=[
            {"role": "user", "content": "Which tea do the auditors drink?"},
            {"role": "assistant", "content": "They drink lapsang souchong."},
        ],
    )
    assert not failed
    assert text.startswith("stored m")
    assert "lapsang" in call("memory_search", query="auditors tea")[1]


def test_a_search_without_a_query_lists_the_latest_first(call: Call) -> None:
    ids = [kept(call, f"Fact number {n} about nothing.") for n in range(5)]
    failed, text = call("memory_search", limit=2, kind="fact")
    assert not failed
    lines = [line for line in text.splitlines() if line.startswith("- [")]
    assert [line[3:].split(" ")[0] for line in lines] == [ids[4], ids[3]]
    assert text.splitlines()[-1] == "2 of 5, page 1. memory_get shows one in full."
    assert ids[0] in call("memory_search", limit=2, page=3, kind=["fact"])[1]
    assert "Nothing on page 9" in call("memory_search", page=9, kind="fact")[1]


def test_a_search_for_a_program_is_one_json_document(call: Call) -> None:
    short = kept(call, "The invoice service retries 3 times.", scene="coding", meta={"ticket": "T-1"})
    found = json.loads(call("memory_search", query="invoice service retries", format="json")[1])
    assert set(found) == {
        "format",
        "query",
        "page",
        "omitted",
        "degraded",
        "notes",
        "as_of",
        "known_as_of",
        "chat",
        "working",
        "coding",
    }
    (fact,) = found["coding"]["facts"]
    assert (fact["id"], fact["meta"], fact["text"]) == (
        short,
        {"ticket": "T-1"},
        "The invoice service retries 3 times.",
    )
    assert found["coding"]["chain_block"] == ""
    listed = json.loads(call("memory_search", format="json")[1])
    assert short in [m["id"] for m in listed["memories"]]


def test_a_correction_is_a_new_version_and_the_old_one_stays(call: Call) -> None:
    first = kept(call, "The release is on Monday.")
    failed, text = call("memory_update", id=first, content="The release is on Friday.")
    assert not failed
    second = text.split()[1]
    assert text == f"updated: {second} replaces {first}, which stays in its history"
    found = call("memory_search", query="when is the release?")[1]
    assert "Friday" in found
    assert "Monday" not in found
    history = call("memory_get", id=second, view="history")[1]
    assert history.index("Monday") < history.index("Friday")


def test_a_retired_memory_is_not_found_until_it_is_restored(call: Call) -> None:
    short = kept(call, "The canary host is ibis-3.")
    failed, text = call("memory_delete", id=short)
    assert not failed
    assert "restore=true" in text
    assert "ibis-3" not in call("memory_search", query="canary host ibis-3")[1]
    assert "ibis-3" in call("memory_search", query="canary host ibis-3", status="retired")[1]
    assert not call("memory_update", id=short, restore=True)[0]
    assert "ibis-3" in call("memory_search", query="canary host ibis-3")[1]


def test_one_memory_is_shown_in_full_with_its_evidence_and_its_meta(call: Call) -> None:
    long = "A long story. " * 400 + "The end is lavender."
    short = kept(call, long, meta={"by": "hand"})
    text = call("memory_get", id=short)[1]
    assert "The end is lavender." in text
    assert 'meta: {"by": "hand"}' in text
    assert "- assistant, " in call("memory_get", id=short, view="evidence")[1]
    assert call("memory_get", id=short[1:])[1].splitlines()[1:] == text.splitlines()[1:]


def test_a_memory_is_explained_by_its_words_and_decisions_and_a_turn_by_what_it_left(call: Call) -> None:
    short = kept(call, "The canary host is ibis-3.")
    failed, text = call("memory_get", id=short, view="explain")
    assert not failed
    assert "“The canary host is ibis-3.”" in text
    assert "add said “stored”" in text
    failed, text = call("memory_get", id="t1", view="explain")
    assert (failed, f"It left {short}." in text) == (False, True)


def test_times_are_read_as_dates_spans_and_words(call: Call) -> None:
    kept(call, "The lighthouse was painted green.")
    for since in ("yesterday", "7d", "2020-01-01", "2020-01-01T10:00+08:00", "昨天"):
        assert "green" in call("memory_search", query="lighthouse painted", since=since)[1]
    assert "green" not in call("memory_search", query="lighthouse painted", until="2020-01-01")[1]


def test_an_update_that_changes_nothing_is_refused(call: Call) -> None:
    short = kept(call, "Unchanged.")
    failed, text = call("memory_update", id=short)
    assert failed
    assert "Say what to change" in text


def test_arguments_left_null_are_left_out(call: Call) -> None:
    kept(call, "The vault code is kept by Ada.", kind=None, scene=None, importance=None, meta=None)
    assert "Ada" in call("memory_search", query="vault code", since=None, kind=None, limit=None)[1]


def test_a_query_longer_than_any_question_is_searched_by_its_beginning(call: Call) -> None:
    kept(call, "The beacon blinks amber.")
    failed, text = call("memory_search", query="beacon blinks " + "x" * 200_000)
    assert not failed
    assert "first 10,000 characters" in text


def test_a_memory_of_another_workspace_is_found_when_asked_for_and_labelled(
    call: Call, memory: Memory, tmp_path: Path
) -> None:
    other = tmp_path / "elsewhere"
    other.mkdir()
    failed, sentence = call("memory_search", query="gate", workspace=str(other))
    assert failed
    assert "knows no workspace" in sentence
    locate(memory.db, str(other), Scope(), now=1)  # somebody worked there
    with Memory.open(tmp_path / "home" / "backstory.db", folder=other, embedder="none") as known:
        known.add("The elsewhere gate is made of oak.")
    kept(call, "The elsewhere gate opens at nine.", workspace=str(other))
    assert "nine" not in call("memory_search", query="elsewhere gate opens")[1]
    for place in ("all", str(other), "elsewhere"):
        text = call("memory_search", query="elsewhere gate opens", workspace=place)[1]
        assert "nine" in text
        assert "elsewhere ·" in text or "· elsewhere" in text


def test_what_no_file_can_hold_is_replaced(memory: Memory) -> None:
    text = said(memory, "memory_add", {"content": "before\0between\ud83dafter", "meta": {"\ud83d": "\0"}})
    shown = said(memory, "memory_get", {"id": text.split()[1]})
    assert "before" in shown
    assert "between\ufffdafter" in shown
    assert 'meta: {"\ufffd": "\ufffd"}' in shown


def test_a_file_that_cannot_be_opened_is_said_by_every_tool() -> None:
    def closed() -> Memory:
        raise StoreDamaged("The file cannot be opened; run `backstory doctor`.")

    for tool in tools.TOOLS:
        arguments = {} if tool in ("memory_search", "memory_add") else {"id": "m1"}
        result = mcp_server.call(closed, tool, arguments)
        assert result.is_error
        assert "backstory doctor" in result.content[0].text  # type: ignore[union-attr]


def test_what_nobody_expected_is_one_sentence_and_a_log_line(caplog: pytest.LogCaptureFixture) -> None:
    def broken() -> Memory:
        raise RuntimeError("secret words of a user")

    result = mcp_server.call(broken, "memory_search", {"query": "x"})
    assert result.is_error
    assert "secret words" not in result.content[0].text  # type: ignore[union-attr]
    assert "RuntimeError" in caplog.text


def test_an_unknown_tool_is_answered_with_the_names_of_the_five(call: Call) -> None:
    failed, text = call("memory_forget")
    assert failed
    assert all(name in text for name in tools.TOOLS)


def test_the_client_is_answered_before_any_pipeline_is_imported() -> None:
    """What reads memories compiles its patterns for 0.1 s, which every start would wait for."""
    check = (
        "import sys, backstory.server.mcp_server, backstory.server.transports; "
        "print([name for name in sys.modules if 'backstory.pipelines' in name])"
    )
    done = subprocess.run(
        [sys.executable, "-c", check], capture_output=True, text=True, check=True, timeout=30
    )
    assert done.stdout.strip() == "[]"
