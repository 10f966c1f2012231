"""A line without secrets, whatever program wrote it; what this one wrote comes out as it went in."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from ..redact import redact, redact_json
from ..shown import shown_name
from .checks import Line

# What holds source or what tools printed: looked through for known formats, as when it was kept.
_CODE_EVENTS = frozenset(("tool", "edit", "commit"))
# A longer text is seldom met twice.
SHORT_CHARS = 2000
_NAMES = ("path", "symbol", "branch", "folder", "worktree")


def cleaned(line: Line, salt: bytes) -> Line:
    """
    The line as it may be kept. Of an event whose content had to be changed, `told` is what it was, so that passages
    of it can be found again. Bodies and patches are looked at where they are unpacked.
    """
    kind = line["type"]
    done = {
        **line,
        **{name: shown_name(line[name], salt) for name in _NAMES if isinstance(line.get(name), str)},
    }
    match kind:
        case "event":
            code = line["kind"] in _CODE_EVENTS
            content = _redacted(line["content"], code, salt)
            done |= {"content": content, "data": redact_json(line["data"], salt=salt)}
            if content != line["content"]:
                done["told"] = line["content"]
        case "memory":
            code = line["scene"] != "chat" or line["kind"] == "turn"
            done |= _texts(line, ("text", "line", "retired_why"), salt, code=code)
            done |= {name: redact_json(line[name], salt=salt) for name in ("data", "meta")}
        case "evidence" | "change":
            done |= _texts(line, ("quote", "words"), salt, code=kind == "evidence")
        case "link":
            done["data"] = redact_json(line["data"], salt=salt)
        case "workspace":
            done |= _texts(line, ("name",), salt, code=True)
    if kind == "change":
        done["files"] = [
            [shown_name(path, salt), old and shown_name(old, salt), *rest]
            for path, old, *rest in line["files"]
        ]
        done["rounds"] = [
            {**one, "path": shown_name(one["path"], salt), "symbol": shown_name(one["symbol"], salt)}
            for one in line["rounds"]
        ]
    return done


def _texts(line: Line, names: tuple[str, ...], salt: bytes, *, code: bool) -> dict[str, Any]:
    return {name: _redacted(line[name], code, salt) for name in names if isinstance(line.get(name), str)}


def _redacted(text: str, code: bool, salt: bytes) -> str:
    return _short(text, code, salt) if len(text) <= SHORT_CHARS else _one(text, code, salt)


def _one(text: str, code: bool, salt: bytes) -> str:
    return redact(text.replace("\0", " "), code=code, salt=salt)


# The same words stand in an event, in what was drawn from it, and in its line.
_short = lru_cache(4096)(_one)
