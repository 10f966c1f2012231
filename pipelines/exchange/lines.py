"""The export format: what each kind of line holds, and the check that a line is one. See docs/export-format.md."""

from __future__ import annotations

import base64
import binascii
import json
import re
from collections.abc import Callable, Mapping
from typing import Any

FORMAT, VERSION = "export", 1
# A line that is longer is damaged: the largest change of code with all its patches stays far below.
LINE_BYTES = 64 << 20
TEXT_CHARS = 8_000_000
NAME_CHARS = 100_000
LIST_ITEMS = 100_000
# Microseconds from the year 1 to the year 9999.
EARLIEST, LATEST = -62_135_596_800_000_000, 253_402_300_799_999_999
INT64 = 1 << 62

Line = dict[str, Any]
Check = Callable[[Any], bool]


class Damaged(Exception):
    """A line that cannot be taken: the message says what is wrong with it."""


def _text(most: int) -> Check:
    def check(value: Any) -> bool:
        if not isinstance(value, str) or len(value) > most:
            return False
        try:
            value.encode()
        except UnicodeEncodeError:
            return False
        return True

    return check


def _one_of(*values: str) -> Check:
    return lambda value: isinstance(value, str) and value in values


def _int(low: int, high: int) -> Check:
    return lambda value: type(value) is int and low <= value <= high


def _part(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= 1


def _bool(value: Any) -> bool:
    return isinstance(value, bool)


def _object(value: Any) -> bool:
    """A JSON object that SQLite's JSON reads too: finite numbers, no lone surrogates, not too deep."""
    if not isinstance(value, dict):
        return False
    try:
        return len(json.dumps(value, ensure_ascii=False, allow_nan=False).encode()) <= TEXT_CHARS
    except (ValueError, RecursionError):
        return False


def _list(item: Check) -> Check:
    return lambda value: isinstance(value, list) and len(value) <= LIST_ITEMS and all(map(item, value))


def _row(*items: Check) -> Check:
    return lambda value: (
        isinstance(value, list)
        and len(value) == len(items)
        and all(check(part) for check, part in zip(items, value, strict=True))
    )


def _or_null(check: Check) -> Check:
    return lambda value: value is None or check(value)


def _matches(pattern: str) -> Check:
    whole = re.compile(pattern)
    return lambda value: isinstance(value, str) and whole.fullmatch(value) is not None


def _base64(value: Any) -> bool:
    try:
        return isinstance(value, str) and bool(base64.b64decode(value, validate=True) or True)
    except (binascii.Error, ValueError):
        return False


ULID = _matches(r"[0-7][0-9A-HJKMNP-TV-Z]{25}")
AT = _int(EARLIEST, LATEST)
COUNT = _int(0, INT64)
NAME, TEXT = _text(NAME_CHARS), _text(TEXT_CHARS)
FILLED: Check = lambda value: TEXT(value) and value != ""  # noqa: E731
ORIGIN = _one_of("user", "agent", "tool", "external", "import")
SCENE = _one_of("chat", "working", "coding")
SESSION_KIND = _one_of("interactive", "background", "subagent", "scheduled", "import")
HASH = _matches(r"[0-9a-f]{2,128}")
BODY = _matches(r"[0-9a-f]{32}(?::[0-9a-f]{0,128})?")
SPAN: Check = lambda value: _row(COUNT, COUNT)(value) and value[0] <= value[1]  # noqa: E731

Shape = Mapping[str, Check]


class _Fields:
    """What a line must hold, and what it may hold beside."""

    def __init__(
        self, must: Shape, may: Shape | None = None, holds: Callable[[Line], bool] = lambda _: True
    ) -> None:
        self.must, self.may, self.holds = must, may or {}, holds

    def wrong(self, line: Line) -> str | None:
        """What is wrong with a line; None for nothing."""
        for name, check in self.must.items():
            if name not in line:
                return f"{name} is missing"
            if not check(line[name]):
                return f"{name} is not as it should be"
        for name, value in line.items():
            if name in self.must or name == "type":
                continue
            if name not in self.may:
                return f"{name[:40]!r} is no field of it"
            if not self.may[name](value):
                return f"{name} is not as it should be"
        return None if self.holds(line) else "its fields contradict each other"


def _in_order(line: Line, first: str, last: str) -> bool:
    return line.get(first) is None or line.get(last) is None or line[first] <= line[last]


_ROUND = _Fields(
    {
        "thread": ULID, "n": _int(1, INT64), "path": NAME, "symbol": NAME,
        "status": _one_of("added", "modified", "deleted", "moved", "renamed", "mode", "submodule"),
        "start": COUNT, "end": COUNT, "confidence": _one_of("high", "low"),
    },
    {
        "k": COUNT, "workspace": ULID, "before": BODY, "after": BODY, "patch": TEXT, "patch_b64": _base64,
        "patch_id": HASH,
    },
    lambda line: ("patch" in line) != ("patch_b64" in line),
)  # fmt: skip

KINDS: Mapping[str, _Fields] = {
    "workspace": _Fields(
        {
            "ulid": ULID, "name": NAME, "created_at": AT,
            "keys": _list(_row(NAME, _one_of("remote", "common_dir", "folder"), AT)),
        },
        {"same_as": ULID},
    ),
    "session": _Fields(
        {
            "source": NAME, "session": NAME, "user": NAME, "kind": SESSION_KIND, "started_at": AT, "context_at": AT,
        },
        {"workspace": ULID, "ended_at": AT, "end_reason": NAME},
    ),
    "turn": _Fields(
        {
            "ulid": ULID, "user": NAME, "source": NAME, "session": NAME, "prompt_id": NAME,
            "session_kind": SESSION_KIND, "status": _one_of("open", "done", "interrupted"), "started_at": AT,
            "utc_offset_s": _int(-86_400, 86_400),
        },
        {
            "agent": NAME, "workspace": ULID, "folder": NAME, "branch": NAME, "head": NAME, "scene": SCENE,
            "ended_at": AT, "refined_at": AT, "undrawn": _bool,
        },
    ),
    "alias": _Fields({"source": NAME, "session": NAME, "prompt_id": NAME}, {"turn": ULID}),
    "event": _Fields(
        {
            "ulid": ULID, "turn": ULID, "seq": _int(1, INT64), "key": NAME,
            "role": _one_of("user", "assistant", "tool", "system"),
            "kind": _one_of("prompt", "reply", "tool", "edit", "commit", "subagent", "message", "note"),
            "content": TEXT, "origin": ORIGIN, "data": _object, "occurred_at": AT, "recorded_at": AT,
        },
        {"tool": NAME, "ok": _bool, "blanked_at": AT},
    ),
    "memory": _Fields(
        {
            "ulid": ULID, "root": ULID, "scene": SCENE,
            "kind": _one_of("profile", "turn", "fact", "summary", "schema", "intention", "experience"),
            "user": NAME, "origin": ORIGIN, "text": FILLED, "data": _object, "importance": _part,
            "confidence": _part, "trust": _part, "recorded_at": AT, "uses": COUNT, "meta": _object,
        },
        {
            "turn": ULID, "agent": NAME, "session": NAME, "source": NAME, "workspace": ULID, "branch": NAME,
            "line": TEXT, "slot": NAME, "valid_from": AT, "valid_to": AT, "imported_at": AT, "retired_at": AT,
            "retired_why": NAME, "expires_at": AT, "used_at": AT, "archived_at": AT, "renew_at": AT,
        },
        lambda line: _in_order(line, "valid_from", "valid_to")
        and ("retired_at" in line) == ("retired_why" in line)
        and (line["kind"] != "turn" or "turn" in line),
    ),
    "evidence": _Fields(
        {"memory": ULID, "event": ULID},
        {"quote": TEXT, "start": COUNT, "end": COUNT},
        lambda line: ("quote" in line or ("start" in line and "end" in line)) and _in_order(line, "start", "end"),
    ),
    "link": _Fields({
        "from": ULID, "to": ULID, "data": _object, "created_at": AT,
        "kind": _one_of("supersedes", "derived_from", "part_of", "contradicts", "same_task"),
    }),
    "feedback": _Fields(
        {"ulid": ULID, "root": ULID, "verdict": _one_of("helpful", "unhelpful", "wrong"), "given_at": AT},
        {"source": NAME, "session": NAME},
    ),
    "body": _Fields(
        {"ref": BODY, "size": COUNT},
        {"text": TEXT, "b64": _base64},
        lambda line: ("text" in line) != ("b64" in line),
    ),
    "thread": _Fields({
        "ulid": ULID, "user": NAME, "workspace": ULID, "kind": _one_of("symbol", "region", "file"), "created_at": AT,
    }),
    "name": _Fields({
        "thread": ULID, "branch": NAME, "workspace": ULID, "path": NAME, "symbol": NAME, "at": AT,
    }),
    "change": _Fields(
        {
            "ulid": ULID, "user": NAME, "workspace": ULID, "worktree": NAME, "actor": _one_of("agent", "human", "git"),
            "bulk": _bool, "count": COUNT, "happened_at": AT, "recorded_at": AT,
            "files": _list(_row(NAME, _or_null(NAME), NAME, _or_null(NAME), _or_null(NAME), _or_null(NAME))),
            "rounds": _list(lambda one: isinstance(one, dict) and _ROUND.wrong(one) is None),
        },
        {"turn": ULID, "event": ULID, "words": TEXT, "branch": NAME, "head_before": NAME, "head_after": NAME},
    ),
    "parent": _Fields(
        {"thread": ULID, "change": ULID, "of": ULID}, {"k": COUNT, "of_thread": ULID, "of_k": COUNT}
    ),
    "commit": _Fields({"thread": ULID, "change": ULID, "commit": NAME}, {"k": COUNT}),
    "region": _Fields({
        "thread": ULID, "branch": NAME, "path": NAME, "start": _int(-INT64, INT64), "end": _int(-INT64, INT64),
    }),
    "tombstone": _Fields(
        {"kind": _one_of("row", "key", "content", "blank"), "value": _text(200), "created_at": AT},
        {
            "salt": _matches(r"(?:[0-9a-f]{2}){0,64}"), "spans": _list(SPAN), "words": COUNT, "asked": _bool,
            "code": _bool,
        },
        lambda line: (line["kind"] == "blank") == ("spans" in line)
        and (line["kind"] not in ("key", "content") or bool(line.get("salt"))),
    ),
}  # fmt: skip

KINDS = {**KINDS, "end": _Fields({"lines": COUNT})}

_HEADER = _Fields(
    {"backstory": _one_of(FORMAT), "version": COUNT, "exported_at": AT, "counts": _object},
    {"tokenizer": COUNT, "salt": _matches(r"(?:[0-9a-f]{2}){0,64}"), "schema": COUNT, "workspace": NAME, "since": AT,
     "users": _list(NAME)},
)  # fmt: skip


def header(raw: bytes) -> Line:
    """
    The first line of an export.

    Raises:
        Damaged: it is none.
    """
    line = object_of(raw)
    if line.get("backstory") != FORMAT:
        raise Damaged("it is no export of Backstory")
    if type(line.get("version")) is int and line["version"] > VERSION:
        raise Damaged(
            f"it has version {line['version']} of the format; this Backstory reads {VERSION}, upgrade it"
        )
    if wrong := _HEADER.wrong(line):
        raise Damaged(f"its first line is damaged: {wrong}")
    return line


def read(raw: bytes) -> Line:
    """
    The line as it may be taken: of a known kind, every field of its type and within bounds.

    Raises:
        Damaged: it is not; the message says why.
    """
    line = object_of(raw)
    kind = line.get("type")
    if not isinstance(kind, str) or kind not in KINDS:
        raise Damaged("its type is none that this Backstory knows")
    if wrong := KINDS[kind].wrong(line):
        raise Damaged(f"{kind}: {wrong}")
    return line


def written(line: Mapping[str, Any]) -> bytes:
    """A line as it is written: what is not known is left out, keys in order."""
    told = {name: value for name, value in line.items() if value is not None}
    return json.dumps(told, ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode() + b"\n"


def object_of(raw: bytes) -> Line:
    """The JSON object that some bytes are. Raises `Damaged` where they are none."""
    if len(raw) > LINE_BYTES:
        raise Damaged("it is too long")
    try:
        line = json.loads(raw, parse_constant=_refuse)
    except (ValueError, RecursionError) as e:
        raise Damaged("it is no JSON") from e
    if not isinstance(line, dict):
        raise Damaged("it is no JSON object")
    return line


def _refuse(what: str) -> Any:
    raise ValueError(what)
