from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from backstory.pipelines.occasions import (
    Compacting,
    EditAhead,
    Ignored,
    Image,
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
from backstory.server.clients.claude_code import HOOK_EVENTS, answer, read
from hypothesis import given, settings
from hypothesis import strategies as st

RECORDED = [
    json.loads(line)
    for line in (Path(__file__).parents[2] / "data/claude_code_hooks.jsonl").read_text("utf-8").splitlines()
]
ENV = {"project": "/repo", "cwd": "/repo", "cursor": None}


def sender(prompt: str | None, agent: str | None = None) -> Sender:
    return Sender("claude-code", "session-1", prompt, "/repo", agent, 7)


def meaning(payload: dict[str, Any], **env: str | None) -> Occasion:
    return read(payload["hook_event_name"], payload, ENV | env, 7)


def tool(call: str, name: str, given: dict[str, Any], result: str, **more: Any) -> ToolUsed:
    return ToolUsed(sender("prompt-1"), call, name, given, result, **{"ok": True} | more)


CREATE = {"file_path": "/repo/new.py", "content": "x = 1\n"}
CHANGE = {
    "file_path": "/repo/app.py",
    "old_string": "return 1",
    "new_string": "return 2",
    "replace_all": False,
}
BASH = {"command": "echo hi && git status --short | head -3", "description": "say hi"}
AGENT = {"description": "sub", "prompt": "do it", "subagent_type": "general-purpose"}
NOTICE = {"prompt_id": "prompt-2", "session": "session-1", "source": "claude-code"}
SUB = "a subagent's own event: one summary is kept of it"
HELPER = "the client's own helper, such as compaction"


def launched() -> str:
    response = next(p for p in RECORDED if p.get("tool_name") == "Agent" and "tool_response" in p)[
        "tool_response"
    ]
    return json.dumps(response, separators=(",", ":"))


def test_a_whole_recorded_session_is_read() -> None:
    assert [meaning(payload) for payload in RECORDED] == [
        SessionStarted(sender(None), "startup"),
        Ignored("InstructionsLoaded is no event of ours"),
        PromptSubmitted(sender("prompt-1"), "Please now"),
        EditAhead(sender("prompt-1"), CREATE, ("/repo/new.py",)),
        tool(
            "toolu_01",
            "Write",
            CREATE,
            "created /repo/new.py",
            paths=("/repo/new.py",),
            edits=True,
            images=(Image("/repo/new.py", None, "x = 1\n"),),
            took_ms=6,
        ),
        Ignored("PostToolBatch is no event of ours"),
        tool(
            "toolu_02",
            "Read",
            {"file_path": "/repo/app.py"},
            "def f():\n    return 1\n",
            paths=("/repo/app.py",),
            took_ms=5,
        ),
        tool(
            "toolu_03",
            "Edit",
            CHANGE,
            "@@ -1,2 +1,2 @@\n def f():\n-    return 1\n+    return 2",
            paths=("/repo/app.py",),
            edits=True,
            images=(Image("/repo/app.py", "def f():\n    return 1\n", "def f():\n    return 2\n"),),
            took_ms=7,
        ),
        tool(
            "toolu_04",
            "Bash",
            BASH,
            "hi\n?? .claude/\n?? .mcp.json\n?? CLAUDE.md",
            command=BASH["command"],
            took_ms=58,
        ),
        tool(
            "toolu_05",
            "Bash",
            {"command": "false", "description": "fail on purpose"},
            "Exit code 1",
            ok=False,
            command="false",
            took_ms=16,
        ),
        tool(
            "toolu_06",
            "mcp__probe__recall",
            {"query": "from the model"},
            '{"hits":[{"id":"m1","text":"PROBE-RECALL from the model"}]}',
            took_ms=15,
        ),
        tool("toolu_07", "Agent", AGENT, launched(), took_ms=15),
        Ignored(SUB),
        SubagentFinished(sender("prompt-1", "agent-1"), "general-purpose", "Hello from the stub."),
        Replied(sender("prompt-1"), "All done: decided to use return 3.", ends=True),
        Ignored("the client's scaffolding", NOTICE),
        Replied(sender("prompt-2"), "STUB-OK", ends=True),
        SessionEnded(sender("prompt-2"), "other"),
        SessionStarted(sender(None), "resume"),
        PromptSubmitted(sender("prompt-3"), "second"),
        Replied(sender("prompt-3"), "Hello from the stub.", ends=True),
        SessionEnded(sender("prompt-3"), "other"),
        Compacting(sender("prompt-4"), "manual"),
        Ignored(HELPER),
        Ignored(HELPER),
        SessionStarted(sender("prompt-4"), "compact"),
        Ignored("PostCompact is no event of ours"),
        SessionEnded(sender("prompt-4"), "other"),
    ]


@pytest.mark.parametrize("source", ["startup", "resume", "clear", "compact", "fork"])
def test_all_five_beginnings_are_told_apart(source: Any) -> None:
    payload = {"session_id": "session-1", "source": source}
    assert read("SessionStart", payload, ENV, 7) == SessionStarted(sender(None), source)


def test_an_unknown_beginning_is_a_beginning() -> None:
    assert read("SessionStart", {"session_id": "session-1", "source": "teleport"}, ENV, 7) == SessionStarted(
        sender(None), "startup"
    )


def submitted(prompt: Any, **more: Any) -> Occasion:
    return read(
        "UserPromptSubmit", {"session_id": "session-1", "prompt_id": "p", "prompt": prompt, **more}, ENV, 7
    )


@pytest.mark.parametrize(
    "prompt",
    [
        "",
        "  \n",
        None,
        7,
        "<task-notification>\n<result>done</result>\n</task-notification>\nremember: deploy by hand",
        "<task-notification>cut off in the mid",
        "<local-command-caveat>The command below was run directly</local-command-caveat>",
        "<local-command-stdout>Compacted</local-command-stdout>",
        "<command-name>/compact</command-name>\n  <command-args></command-args>",
        "<command-message>init is running…</command-message>\n<command-name>/init</command-name>",
        "<bash-input>git status</bash-input>",
        "This session is being continued from a previous conversation that ran out of context. The summary below …",
        "Caveat: The messages below were generated by the user while running local commands. DO NOT respond …",
        "[Request interrupted by user]",
        "<system-reminder>Today is Monday.</system-reminder>\n",
    ],
)
def test_what_the_user_did_not_say_is_no_prompt(prompt: Any) -> None:
    occasion = submitted(prompt)
    assert isinstance(occasion, Ignored)
    assert occasion.data == {"prompt_id": "p", "session": "session-1", "source": "claude-code"}


@pytest.mark.parametrize("source", ["system", "poll_event"])
def test_a_prompt_the_client_made_is_no_prompt(source: str) -> None:
    assert isinstance(submitted("A peer says: ship it", source=source), Ignored)


@pytest.mark.parametrize(
    ("source", "kind"),
    [
        ("user", "interactive"),
        ("sdk", "interactive"),
        ("schedule_wakeup", "scheduled"),
        ("loop_wakeup", "scheduled"),
    ],
)
def test_a_scheduled_prompt_is_marked_so(source: str, kind: str) -> None:
    occasion = submitted("check the build", source=source)
    assert isinstance(occasion, PromptSubmitted)
    assert occasion.sender.kind == kind


@pytest.mark.parametrize(
    ("attended", "kind"), [("0", "background"), ("1", "interactive"), (None, "interactive")]
)
def test_a_run_that_nobody_attends_is_marked_so(attended: str | None, kind: str) -> None:
    # As its client says in the environment of each hook: "0" with `-p`, "1" in a terminal.
    for payload in RECORDED:
        occasion = meaning(payload, attended=attended)
        assert isinstance(occasion, Ignored) or occasion.sender.kind == kind


@pytest.mark.parametrize(
    ("sent", "kept"),
    [
        (
            "<command-name>/fix</command-name>\n  <command-args>the parser\nplease</command-args>",
            "/fix the parser\nplease",
        ),
        (
            "<command-message>fix</command-message><command-name>/fix</command-name><command-args>重试逻辑</command-args>",
            "/fix 重试逻辑",
        ),
        ("/fix the parser please", "/fix the parser please"),
        ("/usr/bin is slow", "/usr/bin is slow"),
        (
            "why does my hook get <task-notification> as a prompt?",
            "why does my hook get <task-notification> as a prompt?",
        ),
        ("<command-line> parsing is broken", "<command-line> parsing is broken"),
        (
            "<system-reminder>x</system-reminder>now the words",
            "<system-reminder>x</system-reminder>now the words",
        ),
        ("支付服务超时改成 30 秒", "支付服务超时改成 30 秒"),
        ("half an emoji \ud83d", "half an emoji \ufffd"),
        (
            [{"type": "text", "text": "look at this"}, {"type": "image", "source": {"data": "…"}}],
            "look at this\n[image]",
        ),
    ],
)
def test_the_users_words_are_kept(sent: Any, kept: str) -> None:
    assert submitted(sent) == PromptSubmitted(sender("p"), kept)


def test_the_clients_project_folder_wins_over_the_current_one() -> None:
    payload = {"session_id": "s", "source": "startup", "cwd": "/repo/sub"}
    envs: list[dict[str, str | None]] = [{"project": "/repo"}, {"project": None}, {}]
    assert [folder(payload, env) for env in envs] == ["/repo", "/repo/sub", "/repo/sub"]
    assert folder({"session_id": "s"}, {"cwd": "/here"}) == "/here"


def folder(payload: dict[str, Any], env: dict[str, str | None]) -> str | None:
    occasion = read("SessionStart", payload, env, 7)
    assert isinstance(occasion, SessionStarted)
    return occasion.sender.folder


def test_an_end_without_a_word_ends_the_turn() -> None:
    assert read(
        "Stop", {"session_id": "session-1", "prompt_id": "prompt-1", "cwd": "/repo"}, ENV, 7
    ) == TurnEnded(sender("prompt-1"), "done")


@pytest.mark.parametrize("event", [e for e in HOOK_EVENTS if e not in claude_code.SUBAGENTS_EVENTS])
def test_what_happens_inside_a_subagent_is_left_to_its_summary(event: str) -> None:
    assert read(
        event, {"session_id": "s", "agent_id": "a1", "prompt": "x", "tool_name": "Bash"}, ENV, 7
    ) == Ignored(SUB)


def test_what_a_subagents_tool_did_to_files_is_told() -> None:
    payload = next(p for p in RECORDED if p["hook_event_name"] == "PostToolUse" and p["tool_name"] == "Edit")
    used = meaning(payload)
    assert isinstance(used, ToolUsed)
    assert meaning({**payload, "agent_id": "a1"}) == replace(used, sender=sender("prompt-1", agent="a1"))


def test_a_call_that_the_user_broke_off_says_so() -> None:
    told = {"session_id": "s", "tool_name": "Bash", "tool_input": {}, "error": "stopped"}
    ends = [
        read("PostToolUseFailure", told | more, ENV, 7)
        for more in ({"is_interrupt": True}, {"is_interrupt": False}, {})
    ]
    assert [end.interrupted for end in ends if isinstance(end, ToolUsed)] == [True, False, False]


def test_a_session_run_as_an_agent_is_no_subagent() -> None:
    assert isinstance(submitted("hello there", agent_type="reviewer"), PromptSubmitted)


# Cursor running these hooks


def test_cursor_is_known_by_its_payload_or_its_environment() -> None:
    mine = {"session_id": "s", "transcript_path": "/home/me/.claude/projects/x.jsonl"}
    assert claude_code.is_cursor({"conversation_id": "c"}, {})
    assert claude_code.is_cursor({"session_id": "s", "cursor_version": "3.1"}, {})
    assert claude_code.is_cursor({"session_id": "s"}, {"cursor": "3.1"})
    assert not claude_code.is_cursor(mine, {"cursor": "3.1"})
    assert not claude_code.is_cursor({"session_id": "s", "prompt_id": "p"}, {"cursor": "3.1"})
    assert not claude_code.is_cursor({"session_id": "s"}, ENV)


# Any input at all

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(exclude_categories=())),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)
FIELDS = (
    "session_id",
    "conversation_id",
    "generation_id",
    "prompt_id",
    "agent_id",
    "agent_type",
    "prompt",
    "source",
    "cwd",
    "tool_name",
    "tool_input",
    "tool_response",
    "tool_output",
    "tool_use_id",
    "error",
    "last_assistant_message",
    "trigger",
    "reason",
    "workspace_roots",
    "file_path",
    "edits",
    "command",
    "output",
    "text",
    "status",
    "transcript_path",
    "cursor_version",
    "subagent_type",
    "result",
)
SHAPED = st.fixed_dictionaries({}, optional=dict.fromkeys(FIELDS, JSON)).map(
    lambda found: {"session_id": "s"} | found
)


ANY_ENV = st.fixed_dictionaries({}, optional={"project": JSON, "cwd": JSON, "cursor": JSON})


@settings(max_examples=100, deadline=None)
@given(st.sampled_from((*HOOK_EVENTS, "Odd")), JSON | SHAPED, ANY_ENV)
def test_no_payload_raises(event: str, payload: Any, env: dict[str, Any]) -> None:
    occasion = read(event, payload, env, 7)
    # What it holds can be written: no half characters.
    repr(occasion).encode("utf-8")
    if not isinstance(occasion, Ignored):
        assert occasion.sender.session
    if isinstance(occasion, ToolUsed):
        json.dumps(occasion.input).encode("utf-8")
        occasion.result.encode("utf-8")


# Answers


@pytest.mark.parametrize("event", ["SessionStart", "UserPromptSubmit"])
def test_context_is_answered_in_the_documented_shape(event: str) -> None:
    raw = answer(event, '记忆 <backstory-memory nonce="1">\n"quoted"\n')
    assert json.loads(raw) == {
        "hookSpecificOutput": {
            "hookEventName": event,
            "additionalContext": '记忆 <backstory-memory nonce="1">\n"quoted"\n',
        }
    }
    # Characters count once: an escaped Chinese text would be six times as long and be cut by the client.
    assert "记忆" in raw.decode("utf-8")


@pytest.mark.parametrize("event", HOOK_EVENTS)
def test_without_context_nothing_is_answered(event: str) -> None:
    assert answer(event, None) == answer(event, "") == b""


@pytest.mark.parametrize("event", [e for e in HOOK_EVENTS if e not in claude_code.ANSWERED])
def test_no_other_event_is_ever_answered(event: str) -> None:
    assert answer(event, "keeps the model going") == b""


@given(st.text(st.characters(exclude_categories=())))
def test_any_context_makes_one_json_object(context: str) -> None:
    raw = answer("UserPromptSubmit", context)
    assert not context or isinstance(json.loads(raw), dict)
