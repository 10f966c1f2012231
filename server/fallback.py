"""What a hook does without a server: read the file for an answer, and spool the event without its secrets."""

from __future__ import annotations

import json
import re
import time

from ..store.marks import strip
from . import spool
from .scrub import known_formats, without_secrets

TYPE_CHECKING = False
if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable
    from typing import Any

    from ..store.peek import Place, Row

# The reading is broken off here, counted from the hook's start, so that the answer comes before its end.
READ_BY_S = 0.3
LIMIT = 8
_SCAFFOLD = ("<task-notification", "<local-command", "<command-", "<bash-", "This session is being continued")
_REMINDER = re.compile(r"<system-reminder>.*?(?:</system-reminder>|\Z)", re.DOTALL)


def run(
    home: str,
    client: str,
    event: str,
    bits: bytes,
    raw: bytes,
    began: float,
    reply: Callable[[bytes], object],
) -> None:
    """
    Answer one event from the file, through `reply` and at most once, then put it into the spool.

    `began` is the hook's start on the monotonic clock; `bits` and `raw` are as in the doorway's frame.
    """
    at = time.time_ns() // 1000
    payload = json.loads(raw.decode("utf-8", "replace"))
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
    spool.put(home, spool.Record(client, event, known_formats(env, looked.salt), at, kept, given))


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

    def __init__(
        self, home: str, payload: dict[str, Any], env: dict[str, Any], at: int, within_s: float
    ) -> None:
        from ..store import peek

        self.paused = False
        self.salt = b""
        self._con: sqlite3.Connection | None = None
        self._place: Place | None = None
        try:
            con = peek.open_file(home, within_s=within_s)
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
        when=row.at, line=row.line, scene=row.scene, origin=row.origin,
        branch=row.branch, workspace=row.workspace,
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
