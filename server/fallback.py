"""What a hook does without a server: read the file for an answer, and spool the event without its secrets."""

from __future__ import annotations

import json
import re
import time

from ..pipelines.redact import is_secret_file, redact, redact_json
from ..store.marks import strip
from . import spool

TYPE_CHECKING = False
if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Iterator
    from typing import Any

    from ..store.peek import Place, Row

# The reading is broken off here, counted from the hook's start, so that the answer comes before its end.
READ_BY_S = 0.3
LIMIT = 8
# As in pipelines/capture.py: of a long text only what is near its ends is looked at, and half of that is kept, so that
# no secret is cut in two by the edge. Words of the user and the agent are kept much longer.
WINDOW = 16_384
WORDS_WINDOW = 131_072
WORDS = ("prompt", "last_assistant_message", "text")
# Identifiers are joined on and would pass for secrets; paths are looked at for known formats only.
IDS = (
    "session_id", "prompt_id", "tool_use_id", "agent_id", "conversation_id", "generation_id", "parent_conversation_id",
    "hook_event_name", "tool_name", "agent_type", "source", "reason", "trigger", "status",
)  # fmt: skip
PATHS = ("cwd", "workspace_roots", "transcript_path", "agent_transcript_path")
_ID = re.compile(r"[\w.:/@-]{1,200}")
_PRIVATE = re.compile(r"<\s{0,4}/?\s{0,4}private", re.IGNORECASE)
# The private-use character tells our own note from one in the text, until the cut is made.
_NOTE = "\ue000\n[… {n:,} characters cut …]\n"
_CUT = re.compile(r"\ue000(\n\[… [\d,]+ characters cut …\]\n)")
# What one event may come to, in characters and in items of one list or object: redaction takes time.
TOTAL, ITEMS = 1 << 20, 300

_SCAFFOLD = ("<task-notification", "<local-command", "<command-", "<bash-", "This session is being continued")
_REMINDER = re.compile(r"<system-reminder>.*?(?:</system-reminder>|\Z)", re.DOTALL)


def run(
    home: str, client: str, event: str, bits: bytes, raw: bytes, began: float, reply: Callable[[bytes], object]
) -> None:
    """
    Answer one event from the file, through `reply` and at most once, then put it into the spool.

    `began` is the hook's start on the monotonic clock; `bits` and `raw` are as in the doorway's frame.
    """
    at = time.time_ns() // 1000
    payload = json.loads(raw)
    if not isinstance(payload, dict):
        return
    env = json.loads(bits.decode("utf-8", "surrogateescape"))
    looked = _Look(home, payload, env, at, max(0.05, READ_BY_S - (time.monotonic() - began)))
    if looked.paused:
        return
    given: list[list[str]] = []
    if question := asks(event, payload):
        context, given = looked.recall(question)
        said = answer(client, event, context)
        if said:
            reply(said)
    kept = without_secrets(payload, looked.salt)
    spool.put(home, spool.Record(client, event, env, at, kept, given))


def answer(client: str, event: str, context: str | None) -> bytes:
    """The client's exact stdout, as `answer` of server/clients gives it."""
    said: dict[str, Any] = {}
    if client == "cursor":
        if event == "beforeSubmitPrompt":
            said["continue"] = True
        if context and event in ("beforeSubmitPrompt", "sessionStart"):
            said["additional_context"] = context
    elif context and event in ("UserPromptSubmit", "SessionStart"):
        said["hookSpecificOutput"] = {"hookEventName": event, "additionalContext": context}
    return json.dumps(said, ensure_ascii=False).encode("utf-8", "replace") if said else b""


class Start:
    """A session that begins; `fresh` where its context holds nothing that it was given."""

    __slots__ = ("fresh",)

    def __init__(self, *, fresh: bool) -> None:
        self.fresh = fresh


def asks(event: str, payload: dict[str, Any]) -> str | Start | None:
    """The question in an event: a prompt's words, or that a session starts; None where nothing is asked."""
    if event in ("SessionStart", "sessionStart"):
        return Start(fresh=payload.get("source") not in ("resume", "fork"))
    prompt = payload.get("prompt")
    if event not in ("UserPromptSubmit", "beforeSubmitPrompt") or not isinstance(prompt, str):
        return None
    words = _REMINDER.sub("", strip(prompt)).strip()
    return None if words.startswith(_SCAFFOLD) else words or None


class _Look:
    """The file as this event finds it; with no file, or none that can be read, an empty one."""

    def __init__(self, home: str, payload: dict[str, Any], env: dict[str, Any], at: int, within_s: float) -> None:
        from ..store import peek

        self.paused = False
        self.salt = b""
        self._con: sqlite3.Connection | None = None
        self._place: Place | None = None
        con = peek.open_file(home, within_s=within_s)
        if con is None:
            return
        try:
            source, session = _sender(payload, env)
            here = peek.workspaces(con, _folder(payload, env))
            self.salt = peek.salt(con)
            self.paused = peek.paused(con, here, at)
            user = peek.user(con, source, session)
        except (peek.Error, ValueError):
            return
        self._con = con
        self._place = peek.Place(user, here, source, session, at) if user else None

    def recall(self, question: str | Start) -> tuple[str | None, list[list[str]]]:
        """The rendered block, if there is anything to say, and (root, hash) of what it shows."""
        from ..store import peek
        from . import render

        if self._con is None or self._place is None:
            return None, []
        try:
            if isinstance(question, Start):
                rows, omitted = peek.digest(self._con, self._place, forget_given=question.fresh), 0
                script = " ".join(row.text[:200] for row in rows)
            else:
                rows, omitted = peek.search(self._con, question, self._place, limit=LIMIT)
                script = question
        except (peek.Error, ValueError):
            return None, []
        made = render.block(
            [_item(row) for row in rows],
            now=self._place.now,
            language=render.language_of(script),
            omitted=omitted,
        )
        shown = [[row.root, row.hash] for row in rows if f"m{row.id}" in made.shown]
        return made.text or None, shown


def _item(row: Row) -> Any:
    from . import render

    return render.Item(
        f"m{row.id}", row.kind, row.text,
        when=row.at, line=row.line, scene=row.scene, origin=row.origin, branch=row.branch, workspace=row.workspace,
    )  # fmt: skip


def _sender(payload: dict[str, Any], env: dict[str, Any]) -> tuple[str, str]:
    conversation = payload.get("conversation_id")
    cursor = env.get("cursor") or payload.get("cursor_version") or conversation
    session = (conversation if cursor else None) or payload.get("session_id") or ""
    return ("cursor" if cursor else "claude-code"), str(session)


def _folder(payload: dict[str, Any], env: dict[str, Any]) -> str | None:
    roots = payload.get("workspace_roots")
    root = roots[0] if isinstance(roots, list) and roots else None
    found = env.get("project") or root or payload.get("cwd") or env.get("cwd")
    return found if isinstance(found, str) else None


def without_secrets(payload: dict[str, Any], salt: bytes) -> Any:
    """The payload as it may touch the disk: short enough, redacted, and of a secret file only the name."""
    aside: dict[str, Any] = {}
    for name in IDS:
        value = payload.get(name)
        if isinstance(value, str) and _ID.fullmatch(value):
            aside[name] = value
    for name in PATHS:
        if name in payload:
            aside[name] = _known_formats(payload[name], salt)
    rest = {name: value for name, value in payload.items() if name not in aside}
    if any(is_secret_file(path) for path in _paths(rest)):
        rest = _withheld(rest)
    room = [TOTAL]
    shortened = {name: _shorten(value, _window(name), room) for name, value in rest.items()}
    redacted = redact_json(shortened, salt=salt)
    return {**{name: _cut(value, _window(name)) for name, value in redacted.items()}, **aside}


def _window(name: str) -> int:
    return WORDS_WINDOW if name in WORDS else WINDOW


def _known_formats(value: Any, salt: bytes) -> Any:
    if isinstance(value, list):
        return [_known_formats(item, salt) for item in value]
    return redact(value, code=True, salt=salt) if isinstance(value, str) else None


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
    text = value if len(value) <= 2 * window else _ends(value, window)
    room[0] -= len(text)
    return text if room[0] >= 0 else ""


def _ends(text: str, window: int) -> str:
    """Both ends of a long text; its private passages go before anything is cut."""
    tags = list(_PRIVATE.finditer(text))
    if tags:
        # From the first tag to the last closing one: more than was asked for, never less.
        end = text.find(">", tags[-1].start()) + 1 if "/" in tags[-1][0] else 0
        text = f"{text[: tags[0].start()]}[private]{text[end:] if end else ''}"
    return text[:window] + _NOTE.format(n=len(text) - window) + text[-window:] if len(text) > 2 * window else text


def _cut(value: Any, window: int) -> Any:
    """The value with what lay near the cuts of `_ends` cut away."""
    if isinstance(value, dict):
        return {name: _cut(item, window) for name, item in value.items()}
    if isinstance(value, list):
        return [_cut(item, window) for item in value]
    note = _CUT.search(value) if isinstance(value, str) else None
    if note is None:
        return value
    head, tail = value[: note.start()], value[note.end() :]
    return head[: window // 2] + note[1] + tail[-window // 2 :]
