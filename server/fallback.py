"""What a hook does without a server: read the file for an answer, and spool the event without its secrets."""

# pathlib takes 24 ms to import, which a hook does not have.
# ruff: noqa: PTH118, PTH123, PTH208

from __future__ import annotations

import json
import os
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

    from ..store.peek import Left, Place, Row
    from . import render

# The reading is broken off here, counted from the hook's start, so that the answer comes before its end.
READ_BY_S = 0.3
# So many of the latest events that wait in the spool are looked at: they tell what the file does not know yet.
LOOKED = 200
RESULT_CHARS, LINE_CHARS = 300, 160
# As `packing` has them, which the hook cannot carry.
LEAD = {
    "en": "Where this workspace was left, recalled by Backstory.",
    "zh": "Backstory 回忆：这个工作区上次进行到哪里。",
}
UNFINISHED = {
    "en": ("Asked: {}", "Edited so far: {}", "Last: {}"),
    "zh": ("要求：{}", "已修改：{}", "最后一步：{}"),
}
ELSEWHERE = {
    "en": "perhaps still going on in another session",
    "zh": "可能仍在另一个会话中进行",
}
STARTS, PROMPTS = ("SessionStart", "sessionStart"), ("UserPromptSubmit", "beforeSubmitPrompt")
STOPS, ENDS = ("Stop", "stop"), ("SessionEnd", "sessionEnd")
_TELLING = re.compile(rf'"event":"(?:{"|".join(STARTS + PROMPTS + STOPS + ENDS)})"'.encode())
_SCAFFOLD = (
    "<task-notification", "<local-command", "<command-", "<bash-", "<user-prompt-submit-hook",
    "This session is being continued", "Caveat: The messages below were generated", "[Request interrupted by user",
)  # fmt: skip
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
    looked = _Look(home, sender(client, payload, env), at, max(0.05, READ_BY_S - (time.monotonic() - began)))
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
    """A session that begins, or begins anew: startup, resume, clear, compact or fork."""

    __slots__ = ("how",)

    def __init__(self, how: object) -> None:
        self.how = how

    @property
    def fresh(self) -> bool:
        """Whether its context holds nothing that it was given."""
        return self.how not in ("resume", "fork")


def asks(event: str, payload: dict[str, Any]) -> str | Start | None:
    """The question in an event: a prompt's words, or that a session starts; None where nothing is asked."""
    if event in STARTS:
        return Start(payload.get("source"))
    prompt = payload.get("prompt")
    if (
        event not in PROMPTS
        or not isinstance(prompt, str)
        or payload.get("source") in ("system", "poll_event")
    ):
        return None
    words = _REMINDER.sub("", strip(prompt)).strip()
    return None if words.startswith(_SCAFFOLD) else words or None


class _Look:
    """The file as this event finds it; with no file, or none that can be read, an empty one."""

    def __init__(self, home: str, sent: tuple[str, str | None, str | None], at: int, within_s: float) -> None:
        from ..store import peek

        self.paused = False
        self.salt = b""
        self._home, self._at = home, at
        self._source, self._session, folder = sent
        self._nowhere = folder is None
        self._con: sqlite3.Connection | None = None
        self._user: str | None = None
        self._here: list[int] = []
        try:
            con = peek.open_file(home, within_s=within_s)
            self._here = peek.workspaces(con, folder)
            self.salt = peek.salt(con)
            self.paused = peek.paused(con, self._here, at)
            self._user = peek.user(con, self._source, self._session) if self._session else None
        except (peek.Error, ValueError):
            return
        self._con = con

    def recall(self, question: str | Start) -> tuple[str | None, list[list[str]]]:
        """The rendered block, if there is anything to say, and (root, hash) of what it shows."""
        from ..store import peek

        if self._con is None or self._user is None or self._session is None:
            return None, []
        waits = Waiting(self._home, self._source, self._session)
        place = peek.Place(
            self._user, self._here, self._source, self._session, self._at,
            nowhere=self._nowhere, given=[" ".join(pair) for pair in waits.given.items()], anew_at=waits.anew_at,
        )  # fmt: skip
        try:
            if isinstance(question, Start):
                return _at_start(self._con, place, question, waits)
            return _for_prompt(self._con, place, question)
        except (peek.Error, ValueError):
            return None, []


def _for_prompt(con: sqlite3.Connection, place: Place, question: str) -> tuple[str | None, list[list[str]]]:
    from ..store import peek
    from . import render

    numbers = peek.numbers(con)
    rows, omitted = peek.search(con, question, place, limit=numbers["hook_limit"])
    made = render.block(
        [_item(row) for row in rows],
        budget_chars=numbers["hook_chars"],
        now=place.now,
        language=render.language_of(question),
        omitted=omitted,
    )
    return made.text or None, _given(rows, made)


def _at_start(
    con: sqlite3.Connection, place: Place, start: Start, waits: Waiting
) -> tuple[str | None, list[list[str]]]:
    from ..store import peek
    from . import render

    budget = peek.numbers(con)["digest_chars"]
    if not budget:
        return None, []
    left = peek.unfinished(con, place, compacted=start.how == "compact")
    if left and (left.source, left.session) in waits.gone_on:
        left = None
    if left and (left.source, left.session) in waits.ended:
        left.elsewhere = False
    rows = peek.digest(con, place, forget_given=start.fresh)
    latest = [row for row in rows if row.kind == "turn"]
    language = render.language_of(left.asked if left else "".join(row.text[:80] for row in latest[:3]))
    items = [_unfinished(left, language)] if left else []
    items += [
        _item(row, line_only=row.kind == "turn")
        for row in rows
        if row.kind != "turn" or left is None or row.turn != left.turn
    ]
    made = render.block(items, budget_chars=budget, now=place.now, language=language, lead=LEAD[language])
    return made.text or None, _given(rows, made, in_line=latest)


def _given(rows: list[Row], made: render.Block, *, in_line: list[Row] | None = None) -> list[list[str]]:
    """What a block shows, as the spool has it; marked as by `deliveries.in_line` where it is one line only."""
    from . import render

    short = {row.id for row in in_line or [] if not render.tells_all(row.line, row.text)}
    short |= {row.id for row in rows if f"m{row.id}" in made.lines}
    return [
        [row.root, f"line:{row.hash}" if row.id in short else row.hash]
        for row in rows
        if f"m{row.id}" in made.shown
    ]


def _item(row: Row, *, line_only: bool = False) -> render.Item:
    from . import render

    text = (row.line or row.text) if line_only else row.text
    return render.Item(
        f"m{row.id}", row.kind, text,
        when=row.at, line=row.line, scene=row.scene, origin=row.origin, branch=row.branch,
    )  # fmt: skip


def _unfinished(left: Left, language: render.Language) -> render.Item:
    from . import render

    asked, edited, last = UNFINISHED[language]
    parts = [asked.format(left.asked)]
    if left.edited:
        parts.append(edited.format(", ".join(left.edited)))
    if left.step:
        tool, about, ok, result = left.step
        said = f"{tool} {_one_line(about, LINE_CHARS)}: {'failed' if ok == 0 else 'done'}"
        parts.append(last.format(f"{said}; {_one_line(result, RESULT_CHARS)}" if result else said))
    return render.Item(
        f"t{left.turn}", "unfinished", "\n".join(parts),
        when=left.started_at, branch=left.branch, flag=ELSEWHERE[language] if left.elsewhere else None,
    )  # fmt: skip


def _one_line(text: str, most: int) -> str:
    line = " ".join(text[: most * 4].split())
    return line if len(line) <= most else line[: most - 1].rstrip() + "…"


class Waiting:
    """
    What the spool knows before the file does: what the session was `given` (root to hash) since its context was made
    `anew_at`; the sessions that have `gone_on` to another prompt or to the end of one, and those that have `ended`.
    """

    def __init__(self, home: str, source: str, session: str) -> None:
        self.given: dict[str, str] = {}
        self.anew_at = 0
        self.gone_on: set[tuple[str, str]] = set()
        self.ended: set[tuple[str, str]] = set()
        folder = os.path.join(home, "spool")
        try:
            names = [name for name in os.listdir(folder) if name[:1].isdigit()]
        except OSError:
            return
        for name in sorted(names, reverse=True)[:LOOKED]:
            try:
                record = _telling(os.path.join(folder, name))
                if record:
                    self._take(record, (source, session))
            except (OSError, ValueError, KeyError, TypeError, AttributeError):
                continue  # gone, or not as we write it

    def _take(self, record: dict[str, Any], ours: tuple[str, str]) -> None:
        """Learn from one event; the latest come first."""
        source, session, _ = sender(record["client"], record["payload"], record["env"])
        if session is None:
            return
        if record["event"] in ENDS:
            self.ended.add((source, session))
        elif record["event"] not in STARTS:
            self.gone_on.add((source, session))
        if (source, session) != ours or self.anew_at:
            return
        for root, hash_ in record["given"]:
            self.given.setdefault(root, hash_)
        if record["event"] in STARTS and record["payload"].get("source") in ("compact", "clear"):
            self.anew_at = record["at"]


def _telling(path: str) -> dict[str, Any] | None:
    """The record in a file of the spool, where it may tell what `Waiting` wants to know; its head says so."""
    with open(path, "rb") as file:
        head = file.read(4096)
        record = json.loads(head + file.read()) if _TELLING.search(head) else None
    return record if record and record["v"] == spool.VERSION else None


def sender(client: str, payload: dict[str, Any], env: dict[str, Any]) -> tuple[str, str | None, str | None]:
    """
    Source, session and folder of an event, as `read` of server/clients gives them. The session is None where it is
    not named, and in a subagent, which is told nothing.
    """
    if client == "cursor" or _is_cursor(payload, env):
        roots = payload.get("workspace_roots")
        session = _name(payload.get("conversation_id")) or _name(payload.get("session_id"))
        within = payload.get("parent_conversation_id")
        # Not the hook's own folder: a user's hooks run in ~/.cursor.
        folders = [
            env.get("project"),
            roots[0] if isinstance(roots, list) and roots else None,
            payload.get("cwd"),
        ]
        source = "cursor"
    else:
        session, within = _name(payload.get("session_id")), payload.get("agent_id")
        folders = [env.get("project"), payload.get("cwd"), env.get("cwd")]
        source = "claude-code"
    folder = next(filter(None, map(_name, folders)), None)
    if folder and re.match(r"/[A-Za-z]:[\\/]", folder):
        folder = folder[1:]
    return source, None if _name(within) else session, folder


def _is_cursor(payload: dict[str, Any], env: dict[str, Any]) -> bool:
    """As `is_cursor` of server/clients/claude_code.py."""
    if payload.get("cursor_version") or payload.get("conversation_id"):
        return True
    marked = not {"prompt_id", "permission_mode", "effort"}.isdisjoint(payload)
    transcript = payload.get("transcript_path")
    ours = isinstance(transcript, str) and "/.claude/" in transcript
    return bool(env.get("cursor")) and not marked and not ours


def _name(value: object) -> str | None:
    """As `name` of server/clients/payload.py."""
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value) if value.bit_length() <= 64 else None
    if not isinstance(value, str):
        return None
    return value.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace").strip() or None
