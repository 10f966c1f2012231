"""An event's payload as it may touch the disk: redacted, cut to size, and of a secret file only the name."""

from __future__ import annotations

import re

from ..pipelines.ends import ends, trimmed
from ..pipelines.redact import is_secret_file, redact, redact_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

# As in pipelines/capture.py: of a long text only what is near its ends is looked at, and half of that is
# kept, so that no secret is cut in two by the edge. Words of the user and the agent are kept much longer.
WINDOW = 16_384
WORDS_WINDOW = 65_536
WORDS = ("prompt", "last_assistant_message", "text")
# Identifiers are joined on and would pass for secrets; paths are looked at for known formats only.
IDS = (
    "session_id", "prompt_id", "tool_use_id", "agent_id",
    "conversation_id", "generation_id", "parent_conversation_id",
    "hook_event_name", "tool_name", "agent_type", "source", "reason", "trigger", "status",
)  # fmt: skip
PATHS = ("cwd", "workspace_roots", "transcript_path", "agent_transcript_path")
_ID = re.compile(r"[\w.:/@-]{1,200}")
# What one event may come to, in characters and in items of one list or object: a text that is full of words
# like "token" takes 6 microseconds a character to redact.
TOTAL, ITEMS = 1 << 18, 300


def without_secrets(payload: Mapping[str, Any], salt: bytes) -> dict[str, Any]:
    """The payload as it may touch the disk: short enough, redacted, and of a secret file only the name."""
    aside: dict[str, Any] = {}
    for name in IDS:
        value = payload.get(name)
        if isinstance(value, str) and _ID.fullmatch(value):
            aside[name] = known_formats(value, salt)
    for name in PATHS:
        if name in payload:
            aside[name] = known_formats(payload[name], salt)
    rest = {name: value for name, value in payload.items() if name not in aside}
    if any(is_secret_file(path) for path in _paths(rest)):
        rest = _withheld(rest)
    room = [TOTAL]
    shortened = {name: _shorten(value, _window(name), room) for name, value in rest.items()}
    redacted = redact_json(shortened, salt=salt)
    return {**{name: _cut(value, _window(name)) for name, value in redacted.items()}, **aside}


def known_formats(value: Any, salt: bytes) -> Any:
    """A path, or what holds paths, without secrets of known formats: other rules take folders for them."""
    if isinstance(value, dict):
        return {name: known_formats(item, salt) for name, item in value.items()}
    if isinstance(value, list):
        return [known_formats(item, salt) for item in value]
    return redact(value, code=True, salt=salt) if isinstance(value, str) else value


def _window(name: str) -> int:
    return WORDS_WINDOW if name in WORDS else WINDOW


def _paths(value: Any, key: str = "") -> Iterator[str]:
    """Every string under a key that names a path."""
    if isinstance(value, dict):
        for name, item in value.items():
            yield from _paths(item, str(name))
    elif isinstance(value, list):
        for item in value:
            yield from _paths(item, key)
    elif isinstance(value, str) and "path" in key.lower():
        yield value


def _withheld(value: Any, key: str = "") -> Any:
    """As the value, with its paths and without its texts."""
    if isinstance(value, dict):
        return {name: _withheld(item, str(name)) for name, item in value.items()}
    if isinstance(value, list):
        return [_withheld(item, key) for item in value]
    return "" if isinstance(value, str) and "path" not in key.lower() else value


def _shorten(value: Any, window: int, room: list[int]) -> Any:
    """The value with both ends alone of each long text and list in it, and nothing once `room` is used up."""
    if isinstance(value, dict):
        return {name: _shorten(item, window, room) for name, item in list(value.items())[:ITEMS]}
    if isinstance(value, list):
        few = value if len(value) <= ITEMS else value[: ITEMS // 2] + value[-ITEMS // 2 :]
        return [_shorten(item, window, room) for item in few]
    if not isinstance(value, str):
        return value
    text = ends(value, window)
    room[0] -= len(text)
    return text if room[0] >= 0 else ""


def _cut(value: Any, window: int) -> Any:
    """The value with what lay near the cuts of `ends` cut away."""
    if isinstance(value, dict):
        return {name: _cut(item, window) for name, item in value.items()}
    if isinstance(value, list):
        return [_cut(item, window) for item in value]
    return trimmed(value, window) if isinstance(value, str) else value
