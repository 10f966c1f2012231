"""Passages of texts: where they stand, and the text with them blanked, of the same length."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from typing import Any

from ..store.tombstones import EDGES, FILLER, Span
from ..store.wording import Words

# What is kept inside a blanked passage: the lines of a text, and NUL, at which SQLite ends its count of characters.
KEPT = "\n\r\0"
# A passage says enough to be looked for elsewhere from so many letters on; a Chinese character weighs three.
TELLING, WIDE = 12, 3


def blanked(text: str, spans: Iterable[Span]) -> str:
    """The text with those passages blanked; every other character keeps its place."""
    letters = list(text)
    for start, end in spans:
        for at in range(max(start, 0), min(end, len(letters))):
            if letters[at] not in KEPT:
                letters[at] = FILLER
    return "".join(letters)


def without(text: str, words: Words) -> str:
    """The text with those words blanked where they stand whole."""
    found = words.spans(text)
    return blanked(text, found) if found else text


def each_text(value: Any, change: Callable[[str], str], *, names: bool = False) -> Any:
    """Any JSON value with each of its texts changed; with `names`, the names of members too."""
    match value:
        case str():
            return change(value)
        case dict():
            return {
                change(name) if names else name: each_text(item, change, names=names)
                for name, item in value.items()
            }
        case list() | tuple():
            return [each_text(item, change, names=names) for item in value]
    return value


def all_blank_json(text: str) -> str:
    """JSON with all of its texts blanked; its members keep their names."""
    done = each_text(json.loads(text), lambda one: blanked(one, [(0, len(one))]))
    return json.dumps(done, ensure_ascii=False)


def json_changed(text: str, change: Callable[[str], str]) -> str:
    """JSON with each of its texts changed, names of members too; as it is where none is."""
    value = json.loads(text)
    done = each_text(value, change, names=True)
    return text if done == value else json.dumps(done, ensure_ascii=False)


def bytes_changed(raw: bytes, change: Callable[[str], str]) -> bytes:
    """The bytes of a file or patch changed as the text that they are in UTF-8."""
    # Bytes that are no UTF-8 come back as they were.
    return change(raw.decode("utf-8", "surrogateescape")).encode("utf-8", "surrogateescape")


def all_blank_bytes(raw: bytes) -> bytes:
    """The bytes of a file or patch with all that is no space blanked."""
    text = raw.decode("utf-8", "replace")
    return "".join(letter if letter.isspace() or letter == "\0" else FILLER for letter in text).encode()


def telling(texts: Iterable[str]) -> list[str]:
    """Of some passages those that say enough to be looked for word for word, each once, without marks at their ends."""
    trimmed = dict.fromkeys(text.strip(EDGES) for text in texts)
    return [text for text in trimmed if _weight(text) >= TELLING]


def _weight(text: str) -> int:
    return sum(WIDE if letter > "\u2e7f" else 1 for letter in text if letter.isalnum())
