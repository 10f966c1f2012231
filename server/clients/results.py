"""What a tool answered, as text: of a structured answer, what a reader would want of it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, TypeGuard

from .payload import DEPTH, exit_status, name, obj, parsed_json, sound, text, whole

# In answers of no known shape: a longer string is base64 or a copy of a file.
STRAY_CHARS = 2000


def result(value: Any) -> str:
    """The answer as text; a string that holds JSON of a known shape counts as that."""
    if isinstance(value, str):
        parsed = parsed_json(value)
        if isinstance(parsed, Mapping) and (
            "output" in parsed or "stdout" in parsed or _is_blocks(parsed.get("content"))
        ):
            return result(parsed)
        return _blocks(parsed) if _is_blocks(parsed) else whole(value)
    if isinstance(value, Mapping):
        return _structured(value)
    if isinstance(value, list | tuple):
        return _blocks(value)
    return "" if value is None else _compact(value)


def _structured(value: Mapping[str, Any]) -> str:
    if "filePath" in value and "structuredPatch" in value:
        return _patch(value)
    if isinstance(value.get("file"), Mapping):
        return _file(value["file"])
    if "stdout" in value or "stderr" in value or exit_status(value) is not None:
        return _printed(value)
    content = value.get("content")
    if _is_blocks(content):
        return _blocks(content)
    for key in ("content", "output", "result", "text", "message", "error", "new_source"):
        if isinstance(value.get(key), str):
            return whole(value[key])
    if isinstance(value.get("filenames"), list):
        return _blocks(value["filenames"])
    return _compact(value)


def _patch(value: Mapping[str, Any]) -> str:
    lines: list[str] = []
    hunks = value["structuredPatch"]
    for hunk in hunks if isinstance(hunks, list) else ():
        if isinstance(hunk, Mapping) and isinstance(hunk.get("lines"), list):
            at = [hunk.get(key) for key in ("oldStart", "oldLines", "newStart", "newLines")]
            lines.append(
                "@@ -{},{} +{},{} @@".format(
                    *(n if isinstance(n, int) and n.bit_length() <= 64 else "?" for n in at)
                )
            )
            lines += (whole(line) for line in hunk["lines"] if isinstance(line, str))
    if not lines:
        done = {"create": "created", "update": "rewrote"}.get(text(value.get("type")), "edited")
        lines.append(f"{done} {text(value['filePath'])}")
    if value.get("userModified") is True:
        lines.append("(changed by the user before it was applied)")
    if value.get("staged") is True:
        lines.append("(held for review; the file is unchanged)")
    return "\n".join(lines)


def _file(file: Mapping[str, Any]) -> str:
    if isinstance(file.get("content"), str):
        return whole(file["content"])
    if isinstance(file.get("cells"), list):
        cells = (result(cell.get("source")) for cell in file["cells"] if isinstance(cell, Mapping))
        return "\n\n".join(cell for cell in cells if cell)
    return f"[{text(file.get('type')) or 'a file without text'}]"


def _printed(value: Mapping[str, Any]) -> str:
    parts = [text(value.get(key)).strip("\n") for key in ("stdout", "output", "stderr")]
    parts.append(text(value.get("returnCodeInterpretation")))
    if value.get("interrupted") is True:
        parts.append("(interrupted)")
    if name(value.get("backgroundTaskId")):
        parts.append("(still running in the background)")
    if exit_status(value):
        parts.append(f"(exit status {exit_status(value)})")
    return "\n".join(part for part in parts if part)


def _is_blocks(value: Any) -> TypeGuard[list[Any]]:
    return (
        isinstance(value, list) and bool(value) and all(isinstance(b, Mapping) and "type" in b for b in value)
    )


def _blocks(items: Sequence[Any]) -> str:
    return "\n".join(part for part in map(_block, items) if part)


def _block(item: Any) -> str:
    if isinstance(item, str):
        return whole(item)
    if not isinstance(item, Mapping):
        return "" if item is None else _compact(item)
    if isinstance(item.get("text"), str):
        return whole(item["text"])
    match item.get("type"):
        case "image" | "audio" | "document" as kind:
            return f"[{kind}]"
        case "resource":
            held = obj(item.get("resource"))
            return text(held.get("text")) or text(held.get("uri"))
        case "resource_link":
            return text(item.get("uri"))
    return _compact(item)


def _compact(value: Any) -> str:
    return json.dumps(sound(_cut(value, DEPTH)), ensure_ascii=False, separators=(",", ":"))


def _cut(value: Any, depth: int) -> Any:
    if isinstance(value, str):
        return value if len(value) <= STRAY_CHARS else f"{value[:STRAY_CHARS]}…"
    if isinstance(value, Mapping) and depth:
        return {key: "…" if key == "base64" else _cut(item, depth - 1) for key, item in value.items()}
    if isinstance(value, list | tuple) and depth:
        return [_cut(item, depth - 1) for item in value]
    return value
