"""Cursor: what its hooks send, and how they are answered."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from ...pipelines.occasions import (
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
from .payload import (
    SHELLS,
    beginning,
    command,
    digest,
    failed,
    first,
    folder,
    is_editor,
    located,
    name,
    obj,
    paths,
    text,
)
from .results import result

SOURCE = "cursor"

# What a subagent's tools do to files is followed; of what it says its summary alone is kept.
SUBAGENTS_EVENTS = (
    "afterFileEdit",
    "afterShellExecution",
    "postToolUse",
    "postToolUseFailure",
    "subagentStop",
)

# `afterShellExecution` tells no outcome.
UNKNOWN = None

_ESCAPE = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
_MCP = re.compile(r"MCP:([^/\s]+)/(.+)")


def read(event: str, payload: Mapping[str, Any], env: Mapping[str, Any], at: int) -> Occasion:
    """What one hook call means. `env` is the hook's frame: `project`, `cursor`. Never raises."""
    if not isinstance(payload, Mapping):
        return Ignored("the payload is not an object")
    session = name(payload.get("conversation_id")) or name(payload.get("session_id"))
    if session is None:
        return Ignored("the payload names no conversation")
    parent = name(payload.get("parent_conversation_id"))
    if parent and event not in SUBAGENTS_EVENTS:
        return Ignored("a subagent's own event: one summary is kept of it")
    sender = Sender(
        source=SOURCE,
        session=session,
        prompt_id=name(payload.get("generation_id")) or name(payload.get("prompt_id")),
        # Not the hook's own folder: a user's hooks run in ~/.cursor.
        folder=folder(env.get("project"), first(payload.get("workspace_roots")), payload.get("cwd")),
        agent=None,
        at=at,
        kind="background" if payload.get("is_background_agent") is True else "interactive",
    )
    if parent and event != "subagentStop":
        # It works for the turn that its parent is in.
        sender = replace(sender, session=parent, prompt_id=None, agent=session)
    reader = READERS.get(event)
    return reader(sender, payload) if reader else Ignored(f"{event} is no event of ours")


def answer(event: str, context: str | None) -> bytes:
    """
    The exact stdout for that event: a prompt always goes on; context where there is some; else nothing.

    `additional_context` is documented for `sessionStart` and known to work in `beforeSubmitPrompt`.
    """
    reply: dict[str, Any] = {"continue": True} if event == "beforeSubmitPrompt" else {}
    if context and event in ("beforeSubmitPrompt", "sessionStart"):
        reply["additional_context"] = context
    return json.dumps(reply, ensure_ascii=False).encode("utf-8", "replace") if reply else b""


def _started(sender: Sender, payload: Mapping[str, Any]) -> Occasion:
    return SessionStarted(sender, beginning(payload.get("source")))


def _prompt(sender: Sender, payload: Mapping[str, Any]) -> Occasion:
    given = payload.get("prompt")
    words = text(given) if isinstance(given, str) else result(given) if isinstance(given, list) else ""
    if words.strip():
        return PromptSubmitted(sender, words)
    data = {"prompt_id": sender.prompt_id, "session": sender.session, "source": sender.source}
    return Ignored("an empty prompt", data)


# One edit or command reaches us twice: as itself (`afterFileEdit`, `afterShellExecution`), without an id, and
# as `postToolUse`. So both are named by what was done; where the two tell it differently, two events are kept
# rather than none. A failure keeps the client's id: it is never taken for its double that tells no outcome.


def _edit(sender: Sender, payload: Mapping[str, Any]) -> Occasion:
    path = name(payload.get("file_path"))
    if path is None:
        return Ignored("the payload names no file")
    given = {"file_path": path, "edits": obj({"edits": payload.get("edits")})["edits"]}
    return ToolUsed(
        sender,
        call_id=_edit_id(path, given, sender.folder),
        tool="Edit",
        input=given,
        result="",
        ok=True,
        paths=(located(path, sender.folder),),
        edits=True,
    )


def _shell(sender: Sender, payload: Mapping[str, Any]) -> Occasion:
    line = text(payload.get("command"))
    if not line.strip():
        return Ignored("the payload names no command")
    said = result(payload.get("output"))
    return ToolUsed(
        sender,
        call_id=_shell_id(line, said),
        tool="Shell",
        input={"command": line},
        result=said,
        ok=False if failed(payload) else UNKNOWN,
        command=line,
    )


def _used(sender: Sender, payload: Mapping[str, Any]) -> Occasion:
    return _tool(sender, payload, ok=True)


def _failed(sender: Sender, payload: Mapping[str, Any]) -> Occasion:
    return _tool(sender, payload, ok=False)


def _tool(sender: Sender, payload: Mapping[str, Any], *, ok: bool) -> Occasion:
    tool = name(payload.get("tool_name"))
    if tool is None:
        return Ignored("the payload names no tool")
    shell = tool.lower() in SHELLS
    if ok and shell and not {"tool_output", "tool_response"} & payload.keys():
        return Ignored("a command that still waits for its approval")
    if named := _MCP.fullmatch(tool):
        tool = f"mcp__{named[1]}__{named[2]}"
    given = obj(payload.get("tool_input"))
    response = payload.get("tool_output", payload.get("tool_response"))
    ok = ok and not failed(response)
    said = result(response) or text(payload.get("error_message")) or text(payload.get("error"))
    base = folder(payload.get("cwd"), sender.folder)
    touched = paths(tool, given, response, base)
    line = command(tool, given)
    call_id = name(payload.get("tool_use_id")) or f"by-content:{digest(tool, given, said, ok)}"
    if ok and line:
        call_id = _shell_id(line, said)
    elif ok and touched and is_editor(tool) and _changes(given):
        call_id = _edit_id(touched[0], given, base)
    return ToolUsed(sender, call_id, tool, given, said, ok, touched, line, is_editor(tool))


def _shell_id(line: str, said: str) -> str:
    return f"shell:{digest(line.strip(), _ESCAPE.sub('', said).split())}"


def _edit_id(path: str, given: Mapping[str, Any], base: str | None) -> str:
    return f"edit:{digest(located(path, base), _changes(given))}"


def _changes(given: Mapping[str, Any]) -> list[tuple[str, str]]:
    """The texts taken out and put in."""
    edits = given.get("edits")
    if not isinstance(edits, list):
        edits = [given]
    found = []
    for edit in edits:
        if isinstance(edit, Mapping):
            old = text(edit.get("old_string"))
            new = next((text(edit[key]) for key in ("new_string", "contents", "content") if key in edit), "")
            found += [(old, new)] if old or new else []
    return found


def _replied(sender: Sender, payload: Mapping[str, Any]) -> Occasion:
    words = text(payload.get("text"))
    return Replied(sender, words, ends=False) if words.strip() else Ignored("an empty reply")


def _subagent(sender: Sender, payload: Mapping[str, Any]) -> Occasion:
    words = (
        text(payload.get("summary"))
        or text(payload.get("result"))
        or text(payload.get("last_assistant_message"))
    )
    kind = name(payload.get("subagent_type")) or name(payload.get("agent_type")) or "subagent"
    if not words.strip():
        return Ignored("a subagent without a last word")
    agent = (
        name(payload.get("subagent_id"))
        or name(payload.get("agent_id"))
        or f"by-content:{digest(kind, words)}"
    )
    session = name(payload.get("parent_conversation_id")) or sender.session
    return SubagentFinished(replace(sender, session=session, agent=agent), kind, words)


def _stopped(sender: Sender, payload: Mapping[str, Any]) -> Occasion:
    return TurnEnded(sender, "interrupted" if payload.get("status") in ("aborted", "error") else "done")


def _compacting(sender: Sender, payload: Mapping[str, Any]) -> Occasion:
    return Compacting(sender, name(payload.get("trigger")) or "auto")


def _ended(sender: Sender, payload: Mapping[str, Any]) -> Occasion:
    return SessionEnded(sender, name(payload.get("reason")) or "other")


READERS: Mapping[str, Callable[[Sender, Mapping[str, Any]], Occasion]] = {
    "sessionStart": _started,
    "beforeSubmitPrompt": _prompt,
    "afterFileEdit": _edit,
    "afterShellExecution": _shell,
    "postToolUse": _used,
    "postToolUseFailure": _failed,
    "afterAgentResponse": _replied,
    "subagentStop": _subagent,
    "stop": _stopped,
    "preCompact": _compacting,
    "sessionEnd": _ended,
}
HOOK_EVENTS = tuple(READERS)
