"""A JSON text changed in place: what is not named stays as it was, comments and trailing commas too."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

Path = Sequence[str | int]

_TRIVIA = re.compile(r"(?:[ \t\r\n]+|//[^\n]*|/\*.*?\*/)*", re.DOTALL)
_STRING = re.compile(r'"(?:[^"\\]|\\.)*"', re.DOTALL)
# Deeper than any settings, and far from the interpreter's own limit.
DEPTH = 200


class NotJson(ValueError):
    """The text is not JSON, not even with comments; or not of the shape asked for."""


@dataclass(frozen=True, slots=True)
class Node:
    """A value, where it stands, and where its members or items stand; None where it can have none."""

    start: int
    end: int
    value: Any
    entries: tuple[Entry, ...] | None = None

    @property
    def is_object(self) -> bool:
        """Whether its entries have names."""
        return isinstance(self.value, dict)


@dataclass(frozen=True, slots=True)
class Entry:
    """A member (from its key on) or an item; where its value begins, and where the comma behind it stands."""

    key: str | int
    start: int
    inner: int
    end: int
    comma: int | None


def parse(text: str) -> Node:
    """The text's one value, with the places of its entries. Raises `NotJson` with the line."""
    node = _open(text, _skip(text, 0))
    if _skip(text, node.end) != len(text):
        _refuse(text, _skip(text, node.end))
    return node


def find(text: str, path: Path) -> Node | None:
    """The value at that path; None where there is none."""
    node = parse(text)
    for step in path:
        entry = _entry(node, step)
        if entry is None:
            return None
        node = _open(text, entry.inner)
    return node


def get(text: str, path: Path) -> Any:
    """What stands at that path, as `json.loads` would give it; None where nothing does."""
    node = find(text, path)
    return node.value if node else None


def put(text: str, path: Sequence[str], value: Any) -> str:
    """The text with `value` at that path of objects: replaced where it stands, else added last."""
    root = node = parse(text)
    for depth, step in enumerate(path):
        if not node.is_object:
            raise NotJson(f"{_name(path[:depth])} is not an object")
        entry = _entry(node, step)
        if entry is None:
            for outer in reversed(path[depth + 1 :]):
                value = {outer: value}
            return _add(text, root, node, depth, value, key=step)
        node = _open(text, entry.inner)
    if node.value == value:
        return text
    written = _write(text, root, value, len(path), inline="\n" not in text)
    return text[: node.start] + written + text[node.end :]


def append(text: str, path: Sequence[str], value: Any) -> str:
    """The text with `value` as the last item of the array at that path, which is made where it is missing."""
    root = parse(text)
    node = find(text, path)
    if node is None:
        return put(text, path, [value])
    if node.entries is None or node.is_object:
        raise NotJson(f"{_name(path)} is not a list")
    return _add(text, root, node, len(path), value)


def drop(text: str, path: Path) -> str:
    """The text without the entry at that path."""
    holder = find(text, path[:-1])
    entry = _entry(holder, path[-1]) if holder else None
    if holder is None or holder.entries is None or entry is None:
        raise NotJson(f"{_name(path)} is not there")
    at = holder.entries.index(entry)
    end = entry.end if entry.comma is None else entry.comma + 1
    start = entry.start
    before = len(text[:start].rstrip(" \t\r\n"))
    behind = re.compile(r"[ \t]*(\r?\n)?").match(text, end)
    assert behind is not None
    alone = len(holder.entries) == 1 and not text[holder.start + 1 : start].strip(" \t\r\n")
    if alone and not text[end : holder.end - 1].strip(" \t\r\n"):
        return text[: holder.start + 1] + text[holder.end - 1 :]
    if behind[1] or "\n" not in text[before:start]:
        # The line break behind it goes on dividing what stood before from what stands behind.
        start = before
    if start == entry.start or (at == 0 and entry.comma is not None and not behind[1]):
        end = behind.end()
    text = text[:start] + text[end:]
    if entry.comma is None and at and (comma := holder.entries[at - 1].comma) is not None:
        # The last one takes the comma before it along.
        text = text[:comma] + text[comma + 1 :]
    return text


# Reading


def _no_number(word: str) -> NoReturn:
    raise ValueError(word)


_PLAIN = json.JSONDecoder(parse_constant=_no_number)


def _open(text: str, start: int) -> Node:
    """The value that begins there, with the places of its own entries."""
    if text[start : start + 1] not in ("{", "["):
        value, end = _value(text, start, 0)
        return Node(start, end, value)
    entries, end = _entries(text, start, 0)
    held = [value for _, value in entries]
    places = tuple(entry for entry, _ in entries)
    value = {e.key: v for e, v in entries} if text[start] == "{" else held
    return Node(start, end, value, places)


def _value(text: str, at: int, depth: int) -> tuple[Any, int]:
    """The value that begins there, and where it ends."""
    try:
        # Plain JSON, as nearly all of it is, a hundred times as fast.
        return _PLAIN.raw_decode(text, at)
    except (ValueError, RecursionError):
        pass
    if depth > DEPTH:
        raise NotJson(f"it is nested deeper than {DEPTH} levels")
    if text[at : at + 1] in ("{", "["):
        entries, end = _entries(text, at, depth)
        held = {e.key: v for e, v in entries} if text[at] == "{" else [v for _, v in entries]
        return held, end
    if found := _STRING.match(text, at):
        return _string(text, found), found.end()
    return _refuse(text, at)


def _entries(text: str, start: int, depth: int) -> tuple[list[tuple[Entry, Any]], int]:
    is_object = text[start] == "{"
    closing = "}" if is_object else "]"
    entries: list[tuple[Entry, Any]] = []
    at = _skip(text, start + 1)
    while text[at : at + 1] != closing:
        if entries and entries[-1][0].comma is None:
            _refuse(text, at)
        began, key = at, len(entries)
        if is_object:
            found = _STRING.match(text, at)
            colon = _skip(text, found.end()) if found else at
            if found is None or text[colon : colon + 1] != ":":
                _refuse(text, colon)
            key, at = _string(text, found), _skip(text, colon + 1)
        inner = at
        value, end = _value(text, at, depth + 1)
        at = _skip(text, end)
        comma = at if text[at : at + 1] == "," else None
        entries.append((Entry(key, began, inner, end, comma), value))
        at = _skip(text, at + 1) if comma is not None else at
    return entries, at + 1


def _string(text: str, found: re.Match[str]) -> Any:
    try:
        return json.loads(found[0], strict=False)
    except ValueError:
        return _refuse(text, found.start())


def _skip(text: str, at: int) -> int:
    found = _TRIVIA.match(text, at)
    assert found is not None
    return found.end()


def _refuse(text: str, at: int) -> NoReturn:
    line = text.count("\n", 0, at) + 1
    raise NotJson(f"line {line} cannot be read as JSON")


def _entry(node: Node, step: str | int) -> Entry | None:
    # Of a key that stands twice, the last one counts, as for every reader of JSON.
    return next((entry for entry in reversed(node.entries or ()) if entry.key == step), None)


def _name(path: Path) -> str:
    return ".".join(map(str, path)) or "the whole"


# Writing


def _add(text: str, root: Node, node: Node, depth: int, value: Any, *, key: str | None = None) -> str:
    """The text with one more entry at the end of `node`, in the style of the text around it."""
    assert node.entries is not None
    inner = text[node.start : node.end]
    last = node.entries[-1] if node.entries else None
    inline = "\n" not in (inner if last else text) and (last is not None or node is not root)
    line = _newline(text)
    new = _write(text, root, value, depth + 1, inline=inline)
    if key is not None:
        new = json.dumps(key, ensure_ascii=False) + (":" if inline and ": " not in text else ": ") + new
    if not inline:
        new = line + _indent(text, root) * (depth + 1) + new
    elif last:
        new = (" " if ": " in text or ", " in inner else "") + new
    if last is None:
        comments = text[node.start + 1 : node.end - 1].rstrip(" \t\r\n")
        tail = "" if inline else line + _indent(text, root) * depth
        return text[: node.start + 1] + new + comments + tail + text[node.end - 1 :]
    # Behind the comments that follow the last entry, before the space that leads to the closing bracket.
    behind = text[last.end : node.end - 1]
    kept = behind.rstrip(" \t\r\n")
    rest = behind[len(kept) :]
    if last.comma is None:
        kept = f",{kept}"
    else:
        new += ","
    if not inline and "\n" not in rest:
        rest = line + _indent(text, root) * depth
    return text[: last.end] + kept + new + rest + text[node.end - 1 :]


def _write(text: str, root: Node, value: Any, depth: int, *, inline: bool) -> str:
    if inline:
        return json.dumps(value, ensure_ascii=False, separators=(",", ":") if ": " not in text else None)
    unit = _indent(text, root)
    written = json.dumps(value, ensure_ascii=False, indent=unit)
    return written.replace("\n", _newline(text) + unit * depth)


def _newline(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def _indent(text: str, root: Node) -> str:
    """What one level is indented by: what stands before the first entry, else two spaces."""
    for entry in root.entries or ():
        before = text[: entry.start]
        lead = before[len(before.rstrip(" \t")) :]
        if lead and before.rstrip(" \t").endswith("\n"):
            return lead
    return "  "
