from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from backstory.pipelines.occasions import (
    Compacting,
    Ignored,
    Occasion,
    PromptSubmitted,
    Replied,
    Sender,
    SessionEnded,
    SessionStarted,
    SubagentFinished,
    ToolUsed,
    TurnEnded,
)
from backstory.server.clients import claude_code
from backstory.server.clients.cursor import HOOK_EVENTS, UNKNOWN, answer, read
from hypothesis import given, settings
from hypothesis import strategies as st

DOCUMENTED = [
    json.loads(line)
    for line in (Path(__file__).parents[2] / "data/cursor_hooks.jsonl").read_text("utf-8").splitlines()
]
# A user's hooks run in ~/.cursor.
ENV: dict[str, str | None] = {"project": "/repo", "cwd": "/home/me/.cursor", "cursor": "3.20.17"}


def sender(prompt: str = "gen-1", **more: Any) -> Sender:
    return Sender(
        **{
            "source": "cursor",
            "session": "conv-1",
            "prompt_id": prompt,
            "folder": "/repo",
            "agent": None,
            "at": 7,
        }
        | more
    )


def meaning(payload: dict[str, Any], **changed: Any) -> Occasion:
    return read(payload["hook_event_name"], payload | changed, ENV, 7)


def documented(event: str, tool: str | None = None) -> dict[str, Any]:
    return next(p for p in DOCUMENTED if p["hook_event_name"] == event and p.get("tool_name") == tool)


def ids(*occasions: Occasion) -> list[str]:
    return [occasion.call_id for occasion in occasions if isinstance(occasion, ToolUsed)]


def test_the_documented_payload_of_every_event_is_read() -> None:
    read_, changed, ran = (
        {"file_path": "/repo/app.py"},
        {"old_string": "return 1", "new_string": "return 2"},
        "pytest -q",
    )
    (edit,) = ids(meaning(documented("afterFileEdit")))
    (shell,) = ids(meaning(documented("afterShellExecution")))
    (agent,) = (
        o.sender.agent for o in [meaning(documented("subagentStop"))] if isinstance(o, SubagentFinished)
    )
    assert {p["hook_event_name"] for p in DOCUMENTED} == set(HOOK_EVENTS)
    assert [meaning(payload) for payload in DOCUMENTED] == [
        SessionStarted(sender("gen-0"), "startup"),
        PromptSubmitted(sender(), "Make f return 2 and test it"),
        ToolUsed(sender(), "tool-1", "Read", read_, '{"content_length":24}', True, ("/repo/app.py",)),
        ToolUsed(
            sender(),
            edit,
            "Edit",
            {"file_path": "/repo/app.py", "edits": [changed]},
            "",
            True,
            ("/repo/app.py",),
            edits=True,
        ),
        ToolUsed(
            sender(),
            edit,
            "StrReplace",
            {"path": "/repo/app.py", **changed},
            '{"success":true}',
            True,
            ("/repo/app.py",),
            edits=True,
        ),
        # Ran, with an outcome that is not told.
        ToolUsed(sender(), shell, "Shell", {"command": ran}, "1 passed\r\n", UNKNOWN, command=ran),
        ToolUsed(
            sender(),
            shell,
            "Shell",
            {"command": ran, "working_directory": "/repo"},
            "1 passed",
            True,
            command=ran,
        ),
        ToolUsed(
            sender(),
            "tool-4",
            "Shell",
            {"command": "make deploy"},
            "Command timed out after 30s",
            False,
            command="make deploy",
        ),
        ToolUsed(
            sender(),
            "tool-5",
            "mcp__backstory__memory_search",
            {"query": "deploy"},
            "m7 deploys run from main",
            True,
        ),
        SubagentFinished(sender(agent=agent), "explore", "f is called from one place only"),
        Replied(sender(), "Done: f returns 2, the test passes.", ends=False),
        TurnEnded(sender(), "done"),
        Compacting(sender(), "auto"),
        SessionEnded(sender(), "user_close"),
    ]


# One event for one deed


def test_one_edit_told_twice_has_one_id() -> None:
    told = meaning(documented("afterFileEdit")), meaning(documented("postToolUse", "StrReplace"))
    assert len(set(ids(*told))) == 1


def test_a_new_file_told_twice_has_one_id() -> None:
    once = meaning(
        documented("afterFileEdit"),
        file_path="/repo/new.py",
        edits=[{"old_string": "", "new_string": "x = 1\n"}],
    )
    again = meaning(
        documented("postToolUse", "StrReplace"),
        tool_name="Write",
        tool_input={"file_path": "new.py", "contents": "x = 1\n"},
    )
    assert len(set(ids(once, again))) == 1


def test_two_edits_of_one_file_have_two_ids() -> None:
    one, other = ({"old_string": old, "new_string": ""} for old in ("a", "b"))
    assert len(set(ids(*(meaning(documented("afterFileEdit"), edits=[edit]) for edit in (one, other))))) == 2


def test_one_command_told_twice_has_one_id() -> None:
    told = meaning(documented("afterShellExecution")), meaning(documented("postToolUse", "Shell"))
    coloured = meaning(documented("afterShellExecution"), output="\x1b[32m1 passed\x1b[0m\n")
    assert len(set(ids(*told, coloured))) == 1


def test_a_command_run_again_with_another_outcome_is_another_event() -> None:
    first = meaning(
        documented("postToolUse", "Shell"),
        tool_output='{"output":"1 failed","exitCode":1}',
        tool_use_id="tool-9",
    )
    assert isinstance(first, ToolUsed)
    assert (first.call_id, first.ok, first.result) == ("tool-9", False, "1 failed\n(exit status 1)")
    assert first.call_id not in ids(
        meaning(documented("postToolUse", "Shell")),
        meaning(documented("afterShellExecution"), output="1 failed"),
    )


def test_a_command_that_waits_for_approval_has_not_run() -> None:
    payload = {k: v for k, v in documented("postToolUse", "Shell").items() if k != "tool_output"}
    assert meaning(payload) == Ignored("a command that still waits for its approval")


@pytest.mark.parametrize("event", claude_code.HOOK_EVENTS)
def test_hooks_registered_for_claude_code_mean_the_same_in_cursor(event: str) -> None:
    own = claude_code.AS_CURSOR[event]
    for payload in (p for p in DOCUMENTED if p["hook_event_name"] == own):
        assert claude_code.read(event, payload, ENV, 7) == meaning(payload)


def test_claude_codes_own_field_names_are_read_in_cursor() -> None:
    payload = {
        "session_id": "conv-1",
        "prompt_id": "gen-1",
        "cursor_version": "3.20.17",
        "cwd": "/repo",
        "tool_name": "Shell",
        "tool_use_id": "tool-3",
        "tool_input": {"command": "ls"},
        "tool_response": {"stdout": "a", "stderr": "b"},
    }
    call = claude_code.read("PostToolUse", payload, ENV, 7)
    assert isinstance(call, ToolUsed)
    assert (call.sender, call.result) == (sender(), "a\nb")


# Sessions, prompts, ends


@pytest.mark.parametrize(
    ("status", "how"),
    [("completed", "done"), ("aborted", "interrupted"), ("error", "interrupted"), (None, "done")],
)
def test_a_stop_tells_how_the_turn_ended(status: str | None, how: Any) -> None:
    assert meaning(documented("stop"), status=status) == TurnEnded(sender(), how)


def test_a_background_agent_is_marked_so() -> None:
    for event in ("sessionStart", "sessionEnd"):
        occasion = meaning(documented(event), is_background_agent=True)
        assert isinstance(occasion, SessionStarted | SessionEnded)
        assert occasion.sender.kind == "background"


def test_the_folder_is_the_project_never_the_hooks_own() -> None:
    given: list[tuple[dict[str, Any], dict[str, str | None]]] = [
        ({}, ENV),
        ({}, {"project": None, "cwd": "/home/me/.cursor"}),
        ({"workspace_roots": ["/c:/src/app"]}, {}),
        ({"workspace_roots": []}, {"cwd": "/home/me/.cursor"}),
    ]
    ends = [read("stop", documented("stop") | changed, env, 7) for changed, env in given]
    folders = [end.sender.folder for end in ends if isinstance(end, TurnEnded)]
    assert folders == ["/repo", "/repo", "c:/src/app", None]


def test_an_empty_prompt_is_no_prompt() -> None:
    data = {"prompt_id": "gen-1", "session": "conv-1", "source": "cursor"}
    assert meaning(documented("beforeSubmitPrompt"), prompt=" \n") == Ignored("an empty prompt", data)


def test_what_happens_inside_a_subagent_is_left_to_its_summary() -> None:
    child = {"conversation_id": "conv-2", "parent_conversation_id": "conv-1"}
    assert isinstance(meaning(documented("beforeSubmitPrompt"), **child), Ignored)
    used = meaning(documented("postToolUse", "Read"), **child)
    assert isinstance(used, ToolUsed)  # what it does to files is followed, as its parent's doing
    assert used.sender == replace(sender(agent="conv-2"), prompt_id=None)
    done = meaning(
        documented("subagentStop"), **child, subagent_id="sub-1", result=None, summary="Found it", task="Look"
    )
    assert done == SubagentFinished(sender(agent="sub-1"), "explore", "Found it")


def test_an_edit_by_tab_completion_is_not_the_agents() -> None:
    assert read("afterTabFileEdit", documented("afterFileEdit"), ENV, 7) == Ignored(
        "afterTabFileEdit is no event of ours"
    )


@settings(max_examples=100, deadline=None)
@given(
    st.sampled_from(HOOK_EVENTS),
    st.dictionaries(
        st.sampled_from(sorted({k for p in DOCUMENTED for k in p})),
        st.none()
        | st.integers()
        | st.text()
        | st.lists(
            st.text()
            | st.dictionaries(
                st.sampled_from(["old_string", "new_string", "text", "type"]), st.text() | st.integers()
            )
        )
        | st.dictionaries(st.text(), st.text()),
    ),
)
def test_no_payload_raises(event: str, changed: dict[str, Any]) -> None:
    occasion = read(event, DOCUMENTED[1] | changed, ENV, 7)
    repr(occasion).encode("utf-8")


@pytest.mark.parametrize(
    "payload", [None, [], "x", 3, {}, {"conversation_id": ""}, {"conversation_id": None, "session_id": []}]
)
def test_what_is_no_event_is_ignored(payload: Any) -> None:
    assert isinstance(read("stop", payload, ENV, 7), Ignored)


# Answers


def test_a_prompt_always_goes_on() -> None:
    assert json.loads(answer("beforeSubmitPrompt", None)) == {"continue": True}
    assert json.loads(answer("beforeSubmitPrompt", "记忆 \ud83d")) == {
        "continue": True,
        "additional_context": "记忆 ?",
    }


def test_a_session_begins_with_context_where_there_is_some() -> None:
    assert json.loads(answer("sessionStart", "digest")) == {"additional_context": "digest"}
    assert answer("sessionStart", None) == b""


@pytest.mark.parametrize("event", [e for e in HOOK_EVENTS if e not in ("sessionStart", "beforeSubmitPrompt")])
def test_no_other_event_is_ever_answered(event: str) -> None:
    # On `stop`, a followup_message would be sent as the user's next prompt.
    assert answer(event, "anything") == b""
