"""Whose event it is, read as the modules of server/clients do it, by a hook that does not carry them."""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# The names of the events, of Claude Code and of Cursor.
STARTS, PROMPTS = ("SessionStart", "sessionStart"), ("UserPromptSubmit", "beforeSubmitPrompt")
STOPS, ENDS = ("Stop", "stop"), ("SessionEnd", "sessionEnd")


def sender(client: str, payload: dict[str, Any], env: dict[str, Any]) -> tuple[str, str | None, str | None]:
    """
    Source, session and folder of an event, as `read` of server/clients gives them. The session is None where it is
    not named, and in a subagent, which is told nothing.
    """
    if client == "cursor" or _is_cursor(payload, env):
        roots = payload.get("workspace_roots")
        session = _name(payload.get("conversation_id")) or _name(payload.get("session_id"))
        within = payload.get("parent_conversation_id")
        # Not the hook's own folder: a user's hooks run in ~/.cursor.
        folders = [
            env.get("project"),
            roots[0] if isinstance(roots, list) and roots else None,
            payload.get("cwd"),
        ]
        source = "cursor"
    else:
        session, within = _name(payload.get("session_id")), payload.get("agent_id")
        folders = [env.get("project"), payload.get("cwd"), env.get("cwd")]
        source = "claude-code"
    folder = next(filter(None, map(_name, folders)), None)
    if folder and re.match(r"/[A-Za-z]:[\\/]", folder):
        folder = folder[1:]
    return source, None if _name(within) else session, folder


def _is_cursor(payload: dict[str, Any], env: dict[str, Any]) -> bool:
    """As `is_cursor` of server/clients/claude_code.py."""
    if payload.get("cursor_version") or payload.get("conversation_id"):
        return True
    marked = not {"prompt_id", "permission_mode", "effort"}.isdisjoint(payload)
    transcript = payload.get("transcript_path")
    ours = isinstance(transcript, str) and "/.claude/" in transcript
    return bool(env.get("cursor")) and not marked and not ours


def _name(value: object) -> str | None:
    """As `name` of server/clients/payload.py."""
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value) if value.bit_length() <= 64 else None
    if not isinstance(value, str):
        return None
    return value.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace").strip() or None
