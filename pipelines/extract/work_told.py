"""What may be told of a turn: names that do no harm within a sentence, nothing that is secret."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from ..redact import redact
from .drafts import Draft
from .work_text import narrow, width

# A tool's own name has no more than these characters, and a longer one tells nothing.
TOOL_CHARS = 60
_TOOL = re.compile(r"[\w.:/-]+")
# A file's or branch's name of these needs no backticks; one that looks like markup at its start does.
_NAME = re.compile(r"[\w.@~/\\+()\[\]$=%,&:-]*")
_MARKUP = re.compile(r"[-+=~:\[(]|\d+[.)]")
NAME_CHARS = 100
# A secret cut by a width may be longer once it is marked; so often a text is cut again before it is given up.
_TRIES = 6
# A name has whatever letters it has; only what is known to be a secret is one there.
_NAMES = frozenset(("files", "read", "symbols", "branch", "subject", "place"))
_QUOTES = str.maketrans({"“": "‘", "”": "’"})


def tool_name(name: str) -> str:
    """A tool's name without what no tool is called by, and bounded."""
    plain = _TOOL.match(name)
    kept = plain[0][:TOOL_CHARS] if plain else ""
    return kept if kept == name else f"{kept}…"


def named(name: str, most: int = NAME_CHARS) -> str:
    """A file's or a branch's name as it may stand in a sentence: on one line, bounded, in backticks where it is odd."""
    line = " ".join("".join(char if char.isprintable() else " " for char in name).split())
    line = line.replace("`", "'").replace("<", "‹").replace(">", "›")
    if len(line) > most:
        # The end of a path tells more than its beginning.
        line = f"…{line[1 - most :]}"
    plain = _NAME.fullmatch(line.removeprefix("…")) and not _MARKUP.match(line)
    return line if plain and line else f"`{line}`"


def quoted(text: str) -> str:
    """A text as it may stand between “ and ”."""
    return text.translate(_QUOTES)


def without_secrets(draft: Draft, text_width: int, line_width: int) -> Draft:
    """The draft with all that may be a secret marked as such, in its text, its line and its data."""
    return replace(
        draft,
        text=_marked(draft.text, text_width),
        line=None if draft.line is None else _marked(draft.line, line_width),
        data={key: _in_data(value, code=key in _NAMES) for key, value in draft.data.items()},
    )


def _marked(text: str, most: int) -> str:
    for _ in range(_TRIES):
        safe = redact(text)
        if safe == text:
            return text
        text = safe if width(safe) <= most else narrow(safe, most)
    return "…"


def _in_data(value: Any, *, code: bool) -> Any:
    if isinstance(value, str):
        return redact(value, code=code)
    if isinstance(value, list):
        return [_in_data(one, code=code) for one in value]
    if isinstance(value, Mapping):
        return {key: _in_data(one, code=code) for key, one in value.items()}
    return value
