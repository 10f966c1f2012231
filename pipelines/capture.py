"""An occasion's words as events: cleaned of what is not the user's or the agent's, without secrets, cut to size."""

from __future__ import annotations

import json
import math
import os
import re
from collections.abc import Iterable, Mapping
from typing import Any

from ..store.events import Outline, content_hash
from ..store.marks import strip
from ..store.models import Event, NewEvent, Origin
from .ends import ends, trimmed
from .occasions import Replied, Sender, SubagentFinished, ToolUsed
from .redact import is_secret_file, redact, redact_json

# Tool results: enough to see what happened; whole ones would be most of the file.
RESULT_BYTES, RESULT_HEAD, RESULT_TAIL = 2048, 1024, 512
REPLY_CHARS, REPLY_HEAD, REPLY_TAIL = 6000, 4000, 1900
PROMPT_CHARS = 100_000
# A tool's input as a whole, and the members of one object or list in it.
INPUT_CHARS, INPUT_ITEMS = 8192, 100
# What is looked at on either side before a cut, so that a secret is never cut into an unknown half.
WINDOW = 4096
# Search text of a turn: whole replies cost 9 points of recall (docs/decisions.md).
TURN_PROMPT_CHARS, TURN_REPLY_CHARS, TURN_FILES = 2000, 800, 20
LINE_CHARS = 160

# Of what is cut out of a result, lines that speak to an agent or for its user are kept apart: an agent that obeys them
# is told from one that was asked by its user. So many lines, of so many characters each, of so much text.
SPEAKS = "speaks"
SPEAKING_LINES, SPEAKING_CHARS, SPEAKING_OF = 30, 240, 64_000
_SPEAKS = re.compile(
    r"\b(?:remember|memor(?:y|ies|i[sz]e)|assistants?|agents?|AI|LLM|claude|cursor|copilot|users?|from now on"
    r"|henceforth|always|never|I|[Mm]y)\b|记住|记忆|记下|助手|智能体|用户|以后|今后|从现在|从今|总是|一律|务必|我"
)

# What may be a path in a command, and a command of ours.
TOKEN = re.compile(r"[^\s'\"`;|&<>()=]+")
OURS = re.compile(r"(?:^|[;&|(\s/])backstory\s+(?:search|show|status|log|explain|export|serve)\b")
OUR_TOOLS = re.compile(
    r"^(?:mcp__(?:plugin_\w*?)?backstory\w*__|MCP:)?memory_(?:search|add|get|update|delete)$|backstory__memory_"
)
# A memory as our results label it, with its words behind: "[m42 · 2026-05-01] …".
LABEL = re.compile(r"\[m(\d{1,15}) · ")
# Scaffolding that clients put into the user's message; an unclosed one runs to the end.
SCAFFOLD = re.compile(
    r"<(system-reminder|task-notification|local-command-[\w-]+|command-(?:name|message|args|contents)|"
    r"user-prompt-submit-hook|ide_[\w-]+|hook_context|environment_context)\b[^>]*>.*?(?:</\1>|\Z)",
    re.DOTALL | re.IGNORECASE,
)
QUERY = re.compile(r"</?user_query>", re.IGNORECASE)
EXTERNAL_TOOLS = re.compile(
    r"^(?:Read|NotebookRead|WebFetch|WebSearch|Grep|Glob|LS|read_file|web_search|mcp__.*)$", re.IGNORECASE
)


def clean(text: str) -> str:
    """The person's own words: without our injected block and the client's scaffolding."""
    return QUERY.sub("", SCAFFOLD.sub("", strip(text))).strip()


def is_ours(tool: str) -> bool:
    """Whether a tool call is one of our own."""
    return OUR_TOOLS.search(tool) is not None


def ids_in(text: str) -> list[int]:
    """Row ids of the memories whose words a result of ours shows; one that is only named is not given."""
    return sorted({int(found) for found in LABEL.findall(text)})


def prompt_event(text: str, sender: Sender, *, salt: bytes) -> NewEvent | None:
    """The user's words as an event; None where nothing of theirs is left."""
    words = clean(text)
    if not words:
        return None
    words = trimmed(redact(ends(words, PROMPT_CHARS // 2), salt=salt), PROMPT_CHARS // 2)
    return NewEvent("prompt", "user", "prompt", words, "user", sender.at)


def reply_event(reply: Replied, *, salt: bytes) -> NewEvent | None:
    """The agent's reply as an event."""
    words = redact(clean(reply.text), salt=salt)
    if not words:
        return None
    words = cut(words, REPLY_CHARS, REPLY_HEAD, REPLY_TAIL)
    key = f"reply:{content_hash(words)[:12]}"
    return NewEvent(key, "assistant", "reply", words, "agent", reply.sender.at)


def subagent_event(done: SubagentFinished, *, salt: bytes) -> NewEvent | None:
    """A subagent's summary as an event: all that is kept of it."""
    words = redact(clean(done.text), salt=salt)
    if not words:
        return None
    words = cut(words, REPLY_CHARS, REPLY_HEAD, REPLY_TAIL)
    key = f"subagent:{done.sender.agent or content_hash(words)[:12]}"
    return NewEvent(
        key, "assistant", "subagent", words, "agent", done.sender.at, data={"type": done.agent_type}
    )


def tool_event(used: ToolUsed, *, salt: bytes, home: str) -> NewEvent:
    """A tool call and its result as one event; of a secret file, and of our own `home`, only the name."""
    why = _withheld(used, home)
    result = "" if why else cut_bytes(window(used.result, salt))
    data: dict[str, Any] = {"input": {} if why else trim(used.input, salt)}
    if used.paths:
        data["paths"] = [redact(path, code=True, salt=salt) for path in used.paths]
    if used.command:
        data["command"] = cut_bytes(window(used.command, salt))
    if why:
        data["withheld"] = why
    elif lines := _speaking(used.result, result, salt):
        data[SPEAKS] = lines
    return NewEvent(
        f"tool:{used.call_id}", "tool", "edit" if used.edits else "tool", result,
        origin_of(used.tool), used.sender.at, tool=used.tool[:200], ok=used.ok, data=data,
    )  # fmt: skip


def _speaking(whole: str, kept: str, salt: bytes) -> list[str]:
    """The lines of a result that speak to somebody and are not in what is kept of it."""
    if len(whole.encode("utf-8", "replace")) <= RESULT_BYTES:
        return []
    text, at = strip(whole[:SPEAKING_OF]), 0
    found: dict[str, None] = {}
    while len(found) < SPEAKING_LINES and (match := _SPEAKS.search(text, at)):
        start = max(text.rfind("\n", 0, match.start()) + 1, match.start() - SPEAKING_CHARS // 2)
        end = text.find("\n", match.end())
        at = min(end if end >= 0 else len(text), start + SPEAKING_CHARS)
        line = text[start:at].strip()
        if line not in kept:
            found[line] = None
    return redact("\n".join(found), salt=salt).splitlines()


def _withheld(used: ToolUsed, home: str) -> str | None:
    """Why nothing but the name of what a tool touched is kept; None where all may be."""
    command = used.command or ""
    named = [*used.paths, *TOKEN.findall(command)]
    if any(is_secret_file(path) for path in named):
        return "secret file"
    # What we keep must not come back to us as something new.
    if OURS.search(command) or (
        home and (home in command or any(path.startswith(home) for path in used.paths))
    ):
        return "our own memory"
    return None


def origin_of(tool: str) -> Origin:
    """What a file, the web or another server says is external; what a command prints is the tool's."""
    return "external" if EXTERNAL_TOOLS.match(tool) else "tool"


def window(text: str, salt: bytes, *, code: bool = False) -> str:
    """The text without secrets; of a very long one, both ends."""
    return trimmed(redact(ends(strip(text), WINDOW), code=code, salt=salt), WINDOW)


def trim(value: Any, salt: bytes) -> Any:
    """
    A tool's input without secrets, also those that only their key gives away; each string in it cut like a
    result, and all of it together bounded.
    """
    return _cut(redact_json(_short(value, [INPUT_CHARS]), salt=salt))


def _short(value: Any, room: list[int]) -> Any:
    if room[0] <= 0:
        return "[cut]"
    match value:
        case str():
            text = ends(strip(value), WINDOW)
            room[0] -= min(len(text), RESULT_BYTES)
            return text
        case Mapping():
            return {str(key)[:200]: _short(item, room) for key, item in list(value.items())[:INPUT_ITEMS]}
        case list() | tuple():
            return [_short(item, room) for item in value[:INPUT_ITEMS]]
        case float() if not math.isfinite(value):
            return str(value)
        case int() | float() | None:
            room[0] -= 8
            return value
        case _:
            return str(value)[:RESULT_BYTES]


def _cut(value: Any) -> Any:
    match value:
        case str():
            return cut_bytes(trimmed(value, WINDOW))
        case dict():
            return {key: _cut(item) for key, item in value.items()}
        case list():
            return [_cut(item) for item in value]
    return value


def cut(text: str, limit: int, head: int, tail: int) -> str:
    """The text, or its head and tail with a note of what was cut."""
    if len(text) <= limit:
        return text
    return f"{text[:head]}\n[… {len(text) - head - tail:,} characters cut …]\n{text[-tail:]}"


def cut_bytes(text: str) -> str:
    """As `cut`, by UTF-8 bytes, for tool results: at most 2,048, else the first 1,024 and the last 512."""
    raw = text.encode("utf-8", "replace")
    if len(raw) <= RESULT_BYTES:
        return text
    head = raw[:RESULT_HEAD].decode("utf-8", "ignore")
    tail = raw[-RESULT_TAIL:].decode("utf-8", "ignore")
    return f"{head}\n[… {len(raw) - RESULT_HEAD - RESULT_TAIL:,} bytes cut …]\n{tail}"


def turn_text(told: Outline, folder: str | None) -> tuple[str, str, list[Event]]:
    """
    What is searched of a turn, its one-line form, and the events it rests on.

    The prompt's first 2,000 characters, the last reply's first 800, and the names of the files touched.
    Empty where the user's words are not known.
    """
    if told.prompt is None:
        return "", "", []
    parts, support = [told.prompt.content[:TURN_PROMPT_CHARS]], [told.prompt]
    if told.reply:
        parts.append(told.reply.content[:TURN_REPLY_CHARS])
        support.append(told.reply)
    files = relative((*told.edited, *told.read), folder)
    if files:
        parts.append("Files: " + ", ".join(files[:TURN_FILES]))
    return "\n\n".join(parts), one_line(told.prompt.content), support


def relative(paths: Iterable[str], folder: str | None) -> list[str]:
    """The files, each once, by their path in the folder where they lie in it."""
    return list(dict.fromkeys(_relative(path, folder) for path in paths))


def _relative(path: str, folder: str | None) -> str:
    if folder and os.path.isabs(path):
        try:
            relative = os.path.relpath(path, folder)
        except ValueError:
            return path
        return path if relative.startswith("..") else relative
    return path


def one_line(text: str, most: int = LINE_CHARS) -> str:
    """The text's first words on one line, at most so many characters."""
    line = " ".join(text[: most * 4].split())
    return line if len(line) <= most else line[: most - 1].rstrip() + "…"


def without_secrets(value: Any, *, salt: bytes) -> Any:
    """Any JSON value without secrets, for `meta` and the like."""
    return json.loads(json.dumps(redact_json(value, salt=salt), ensure_ascii=False))
