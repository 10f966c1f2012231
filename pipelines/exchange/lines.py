"""The export format: what each kind of line holds, and the check that a line is one. See docs/export-format.md."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from ...store.clock import DAY_US
from ...store.models import CONTENT_CHARS
from .checks import (
    BASE64,
    MOST,
    PART,
    TEXT_CHARS,
    TRUTH,
    Check,
    Fields,
    Line,
    in_order,
    list_of,
    matches,
    one_of,
    or_null,
    row,
    text,
    thing,
    whole,
    words,
)

FORMAT, VERSION = "export", 1
# A line that is longer is damaged: the largest change of code with all its patches stays far below.
LINE_BYTES = 64 << 20
NAME_CHARS = 100_000
# What is cut to size says so, in so many characters at most.
CUT_NOTE_CHARS = 1000
# Microseconds from the year 1 to the year 9999.
EARLIEST, LATEST = -62_135_596_800_000_000, 253_402_300_799_999_999
# Clocks are that far apart, at most.
CLOCKS_APART_US = DAY_US
# When something came to be known; nobody can have known it in a time to come.
_KNOWN_AT: Mapping[str, tuple[str, ...]] = {
    "memory": ("recorded_at", "imported_at", "retired_at", "used_at", "archived_at", "renew_at"),
    "event": ("recorded_at", "blanked_at"), "change": ("recorded_at",), "feedback": ("given_at",),
    "link": ("created_at",), "tombstone": ("created_at",), "workspace": ("created_at",),
}  # fmt: skip


class Damaged(Exception):
    """A line that cannot be taken: the message says what is wrong with it."""


ULID = matches(r"[0-7][0-9A-HJKMNP-TV-Z]{25}", "a ULID")
AT = whole(EARLIEST, LATEST, "a moment in microseconds since 1970, of the years 1 to 9999")
KNEW = whole(0, LATEST, "a moment in microseconds since 1970")
COUNT = whole(0, MOST, "a whole number from 0 on")
NAME, TEXT = text(NAME_CHARS), text(TEXT_CHARS, nul=True)
# What was said or printed, in which a NUL becomes a space, as when it is captured; and what is remembered of it.
SAID, TOLD = words(CONTENT_CHARS + CUT_NOTE_CHARS, nul=True), words(CONTENT_CHARS)
DATA = thing()
ORIGIN = one_of("user", "agent", "tool", "external", "import")
SCENE = one_of("chat", "working", "coding")
SESSION_KIND = one_of("interactive", "background", "subagent", "scheduled", "import")
HASH = matches(r"[0-9a-f]{2,128}", "a hash in hexadecimal digits")
# None was needed as yet where it is empty.
SALT = matches(r"(?:(?:[0-9a-f]{2}){8,64})?", "a salt in hexadecimal digits")
BODY = matches(r"[0-9a-f]{32}(?::[0-9a-f]{0,128})?", "the name of a body")
SPAN = Check(lambda value: row(COUNT, COUNT).holds(value) and value[0] <= value[1], "a start and an end")

_ROUND = Fields(
    {
        "thread": ULID, "n": whole(1, MOST), "path": NAME, "symbol": NAME,
        "status": one_of("added", "modified", "deleted", "moved", "renamed", "mode", "submodule"),
        "start": COUNT, "end": COUNT, "confidence": one_of("high", "low"),
    },
    {
        "k": COUNT, "workspace": ULID, "before": BODY, "after": BODY, "patch": TEXT, "patch_b64": BASE64,
        "patch_id": HASH,
    },
    lambda line: ("patch" in line) != ("patch_b64" in line),
)  # fmt: skip

ROUND = Check(lambda one: isinstance(one, dict) and _ROUND.wrong(one) is None, "a round")

KINDS: Mapping[str, Fields] = {
    "workspace": Fields(
        {
            "ulid": ULID, "name": NAME, "created_at": KNEW,
            "keys": list_of(row(NAME, one_of("remote", "common_dir", "folder"), AT)),
        },
        {"same_as": ULID},
    ),
    "session": Fields(
        {
            "source": NAME, "session": NAME, "user": NAME, "kind": SESSION_KIND, "started_at": AT, "context_at": AT,
        },
        {"workspace": ULID, "ended_at": AT, "end_reason": NAME},
    ),
    "turn": Fields(
        {
            "ulid": ULID, "user": NAME, "source": NAME, "session": NAME, "prompt_id": NAME,
            "session_kind": SESSION_KIND, "status": one_of("open", "done", "interrupted"), "started_at": AT,
            "utc_offset_s": whole(-86_400, 86_400),
        },
        {
            "agent": NAME, "workspace": ULID, "folder": NAME, "branch": NAME, "head": NAME, "scene": SCENE,
            "ended_at": AT, "refined_at": AT, "undrawn": TRUTH,
        },
    ),
    "alias": Fields({"source": NAME, "session": NAME, "prompt_id": NAME}, {"turn": ULID}),
    "event": Fields(
        {
            "ulid": ULID, "turn": ULID, "seq": whole(1, MOST), "key": NAME,
            "role": one_of("user", "assistant", "tool", "system"),
            "kind": one_of("prompt", "reply", "tool", "edit", "commit", "subagent", "message", "note"),
            "content": SAID, "origin": ORIGIN, "data": thing(nul=True), "occurred_at": AT, "recorded_at": KNEW,
        },
        {"tool": NAME, "ok": TRUTH, "blanked_at": KNEW},
    ),
    "memory": Fields(
        {
            "ulid": ULID, "root": ULID, "scene": SCENE,
            "kind": one_of("profile", "turn", "fact", "summary", "schema", "intention", "experience"),
            "user": NAME, "origin": ORIGIN, "text": words(CONTENT_CHARS, filled=True), "data": DATA, "importance": PART,
            "confidence": PART, "trust": PART, "recorded_at": KNEW, "uses": COUNT, "meta": DATA,
        },
        {
            "turn": ULID, "agent": NAME, "session": NAME, "source": NAME, "workspace": ULID, "branch": NAME,
            "line": TOLD, "slot": NAME, "valid_from": AT, "valid_to": AT, "imported_at": KNEW, "retired_at": KNEW,
            "retired_why": NAME, "expires_at": AT, "used_at": KNEW, "archived_at": KNEW, "renew_at": KNEW,
        },
        lambda line: in_order(line, "valid_from", "valid_to")
        and ("retired_at" in line) == ("retired_why" in line)
        and (line["kind"] != "turn" or "turn" in line),
    ),
    "evidence": Fields(
        {"memory": ULID, "event": ULID},
        {"quote": SAID, "start": COUNT, "end": COUNT},
        lambda line: ("start" in line) == ("end" in line)
        and ("quote" in line or "start" in line)
        and in_order(line, "start", "end"),
    ),
    "link": Fields({
        "from": ULID, "to": ULID, "data": DATA, "created_at": KNEW,
        "kind": one_of("supersedes", "derived_from", "part_of", "contradicts", "same_task"),
    }),
    "feedback": Fields(
        {"ulid": ULID, "root": ULID, "verdict": one_of("helpful", "unhelpful", "wrong"), "given_at": KNEW},
        {"source": NAME, "session": NAME},
    ),
    "body": Fields(
        {"ref": BODY, "size": COUNT},
        {"text": TEXT, "b64": BASE64},
        lambda line: ("text" in line) != ("b64" in line),
    ),
    "thread": Fields({
        "ulid": ULID, "user": NAME, "workspace": ULID, "kind": one_of("symbol", "region", "file"), "created_at": AT,
    }),
    "name": Fields({
        "thread": ULID, "branch": NAME, "workspace": ULID, "path": NAME, "symbol": NAME, "at": AT,
    }),
    "change": Fields(
        {
            "ulid": ULID, "user": NAME, "workspace": ULID, "worktree": NAME, "actor": one_of("agent", "human", "git"),
            "bulk": TRUTH, "count": COUNT, "happened_at": AT, "recorded_at": KNEW,
            "files": list_of(row(NAME, or_null(NAME), NAME, or_null(NAME), or_null(NAME), or_null(NAME))),
            "rounds": list_of(ROUND),
        },
        {"turn": ULID, "event": ULID, "words": TEXT, "branch": NAME, "head_before": NAME, "head_after": NAME},
    ),
    "parent": Fields(
        {"thread": ULID, "change": ULID, "of": ULID}, {"k": COUNT, "of_thread": ULID, "of_k": COUNT}
    ),
    "commit": Fields({"thread": ULID, "change": ULID, "commit": NAME}, {"k": COUNT}),
    "region": Fields({
        "thread": ULID, "branch": NAME, "path": NAME, "start": whole(-MOST, MOST), "end": whole(-MOST, MOST),
    }),
    "tombstone": Fields(
        {"kind": one_of("row", "key", "content", "blank"), "value": text(200), "created_at": KNEW},
        {"salt": SALT, "spans": list_of(SPAN), "words": COUNT, "asked": TRUTH, "code": TRUTH},
        lambda line: (line["kind"] == "blank") == ("spans" in line)
        and (line["kind"] not in ("key", "content") or bool(line.get("salt"))),
    ),
}  # fmt: skip

KINDS = {**KINDS, "end": Fields({"lines": COUNT})}

_HEADER = Fields(
    {"backstory": one_of(FORMAT), "version": COUNT, "exported_at": AT, "counts": DATA},
    {"tokenizer": COUNT, "salt": SALT, "schema": COUNT, "workspace": NAME, "since": AT,
     "users": list_of(NAME)},
)  # fmt: skip


def header(raw: bytes) -> Line:
    """
    The first line of an export.

    Raises:
        Damaged: it is none.
    """
    try:
        line = object_of(raw)
    except Damaged as e:
        raise Damaged(f"it is no export of Backstory; of its first line: {e}") from e
    if line.get("backstory") != FORMAT:
        raise Damaged("it is no export of Backstory")
    if type(line.get("version")) is int and line["version"] > VERSION:
        raise Damaged(
            f"it has version {line['version']} of the format; this Backstory reads {VERSION}, upgrade it"
        )
    if wrong := _HEADER.wrong(line):
        raise Damaged(f"its first line is damaged: {wrong}")
    return line


def read(raw: bytes, *, now: int) -> Line:
    """
    The line as it may be taken: of a known kind, every field of its type and within bounds, nothing known since a day
    to come.

    Raises:
        Damaged: it is not; the message says why.
    """
    line = object_of(raw)
    kind = line.get("type")
    if not isinstance(kind, str) or kind not in KINDS:
        raise Damaged("its type is none that this Backstory knows")
    if wrong := KINDS[kind].wrong(line):
        raise Damaged(f"{kind}: {wrong}")
    for name in _KNOWN_AT.get(kind, ()):
        if line.get(name, 0) > now + CLOCKS_APART_US:
            raise Damaged(
                f"{kind}: {name} lies in the future; the clock that wrote it, or the one here, is wrong"
            )
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
        raise Damaged("it is no UTF-8" if isinstance(e, UnicodeDecodeError) else "it is no JSON") from e
    if not isinstance(line, dict):
        raise Damaged("it is no JSON object")
    return line


def _refuse(what: str) -> Any:
    raise ValueError(what)
