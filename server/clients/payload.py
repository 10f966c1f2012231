"""What a client's JSON says, whatever shape it came in: text, ids, folders, and what a tool call names."""

from __future__ import annotations

import hashlib
import json
import ntpath
import posixpath
import re
from collections.abc import Iterator, Mapping
from typing import Any, Literal, TypeGuard

Beginning = Literal["startup", "resume", "clear", "compact", "fork"]

# Deeper than any tool's input; a bound, so that no payload can exhaust the stack.
DEPTH = 40
# Above it a string is not looked into for JSON.
JSON_CHARS = 1 << 20

SHELLS = frozenset(
    ("bash", "shell", "powershell", "run_terminal_cmd", "run_shell_command", "local_shell", "exec_command")
)
EDITORS = frozenset(
    (
        "write", "edit", "multiedit", "notebookedit", "apply_patch", "applypatch", "strreplace",
        "str_replace", "search_replace", "edit_file", "editnotebook", "edit_notebook", "delete",
        "delete_file", "write_file",
    )
)  # fmt: skip
# Their `path` is a folder to look in, not a file that was read.
SEARCHERS = frozenset(("grep", "glob", "ls", "list_dir", "codebase_search", "semanticsearch", "file_search"))
WAYS: tuple[Beginning, ...] = ("startup", "resume", "clear", "compact", "fork")
PATH_KEYS = ("file_path", "notebook_path", "filePath", "target_file", "target_notebook", "path")

_DRIVE = re.compile(r"[A-Za-z]:[\\/]")
_SLASHED_DRIVE = re.compile(r"/[A-Za-z]:[\\/]")
_PATCHED = re.compile(r"^\*\*\* (?:Add File|Update File|Delete File|Move to): (.+?)\s*$", re.MULTILINE)


def text(value: Any) -> str:
    """A string as sent, lone surrogates replaced; "" for anything else."""
    return whole(value) if isinstance(value, str) else ""


def name(value: Any) -> str | None:
    """An id, path or label: a string with something in it, or a number's digits; else None."""
    if isinstance(value, int) and not isinstance(value, bool):
        # A longer number's digits are refused by Python itself.
        return str(value) if value.bit_length() <= 64 else None
    return whole(value).strip() or None if isinstance(value, str) else None


def whole(string: str) -> str:
    """The string with each half of a broken surrogate pair replaced: nothing else of ours can write those."""
    if string.isascii():
        return string
    return string.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def obj(value: Any) -> Mapping[str, Any]:
    """An object, also one sent as a JSON string; a bare string as `{"input": …}`; else empty."""
    if isinstance(value, str):
        parsed = parsed_json(value)
        value = parsed if isinstance(parsed, Mapping) else {"input": value} if value.strip() else {}
    if not isinstance(value, Mapping):
        return {}
    safe = sound(value)
    assert isinstance(safe, dict)
    return safe


def sound(value: Any, depth: int = DEPTH) -> Any:
    """A JSON value that can be written again: whole strings, bounded depth, numbers of a sane size."""
    match value:
        case str():
            return whole(value)
        case Mapping() | list() | tuple() if depth == 0:
            return "…"
        case Mapping():
            return {whole(key): sound(item, depth - 1) for key, item in value.items() if isinstance(key, str)}
        case list() | tuple():
            return [sound(item, depth - 1) for item in value]
        case bool() | float() | None:
            return value
        case int() if value.bit_length() <= 64:
            return value
    return "…"


def parsed_json(string: str) -> Any:
    """What a string holds as JSON object or array; None where it does not."""
    if len(string) > JSON_CHARS or string.lstrip()[:1] not in ("{", "["):
        return None
    try:
        return json.loads(string)
    except (ValueError, RecursionError):
        return None


def digest(*parts: Any) -> str:
    """Twelve hex digits that are the same for the same parts."""
    joined = json.dumps(sound(parts), sort_keys=True)
    return hashlib.sha256(joined.encode("utf-8", "replace")).hexdigest()[:12]


# Where


def folder(*candidates: Any) -> str | None:
    """The first that names a folder; `/c:/x`, as editors write it on Windows, becomes `c:/x`."""
    for candidate in candidates:
        if found := name(candidate):
            return found[1:] if _SLASHED_DRIVE.match(found) else found
    return None


def first(value: Any) -> Any:
    """The first of a list; None of anything else."""
    return value[0] if isinstance(value, list | tuple) and value else None


def located(path: str, base: str | None) -> str:
    """The path, absolute where `base` allows it."""
    if path.startswith(("/", "~", "\\\\")) or _DRIVE.match(path):
        return path[1:] if _SLASHED_DRIVE.match(path) else path
    if base is None:
        return path
    if _DRIVE.match(base):
        return ntpath.normpath(ntpath.join(base, path))
    return posixpath.normpath(posixpath.join(base, path))


# When


def beginning(source: Any) -> Beginning:
    """How a session began; a way we do not know yet is a beginning like another."""
    for way in WAYS:
        if source == way:
            return way
    return "startup"


# Tools


def is_editor(tool: str) -> bool:
    """Whether the tool's purpose is to change files."""
    return tool.lower() in EDITORS


def command(tool: str, given: Mapping[str, Any]) -> str | None:
    """The command line of a shell tool's input; None for other tools."""
    if tool.lower() not in SHELLS:
        return None
    line = given.get("command", given.get("cmd"))
    if isinstance(line, list):
        return " ".join(whole(part) for part in line if isinstance(part, str)) or None
    return whole(line) if isinstance(line, str) and line.strip() else None


def paths(tool: str, given: Mapping[str, Any], response: Any, base: str | None) -> tuple[str, ...]:
    """The files that a call names, each once, in the order found."""
    found = list(_named(tool, given))
    if isinstance(response, Mapping):
        file = response.get("file")
        found += [response.get("filePath"), file.get("filePath") if isinstance(file, Mapping) else None]
    return tuple(dict.fromkeys(located(whole(path), base) for path in found if _is_path(path)))


def _is_path(value: Any) -> TypeGuard[str]:
    return isinstance(value, str) and 0 < len(value) < 4096 and "\n" not in value and "://" not in value


def _named(tool: str, given: Mapping[str, Any]) -> Iterator[Any]:
    for key in PATH_KEYS:
        if key == "path" and tool.lower() in SEARCHERS:
            continue
        yield given.get(key)
    if tool.lower() in ("apply_patch", "applypatch"):
        for key in ("input", "patch"):
            yield from _PATCHED.findall(text(given.get(key)))


def failed(response: Any) -> bool:
    """Whether a result that arrived as a success says of itself that it is none."""
    said = (
        response
        if isinstance(response, Mapping)
        else parsed_json(response)
        if isinstance(response, str)
        else None
    )
    if not isinstance(said, Mapping):
        return False
    code = exit_status(said)
    return code not in (None, 0) or any(
        said.get(key) is True for key in ("is_error", "isError", "interrupted")
    )


def exit_status(said: Mapping[str, Any]) -> int | None:
    """A command's exit status, where one is told."""
    for key in ("exitCode", "exit_code"):
        code = said.get(key)
        if isinstance(code, int) and not isinstance(code, bool):
            return code
    return None
