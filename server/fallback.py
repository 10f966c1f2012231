"""What a hook does without a server: read the file for an answer, and spool the event without its secrets."""

from __future__ import annotations

import json
import re
import time

from ..store.marks import strip
from . import spool
from .scrub import known_formats, without_secrets
from .sender import PROMPTS, STARTS, sender

TYPE_CHECKING = False
if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Iterator, Sequence
    from typing import Any

    from ..store.conflicts import Against
    from ..store.peek import Place, Row
    from ..store.peek_start import Left
    from . import render
    from .waiting import Waiting

    # A block, None for nothing, and (root, hash) of what it shows.
    Said = tuple[str | None, list[list[str]]]

# The reading is broken off here, counted from the hook's start, so that the answer comes before its end; that of code
# history, which is read when all else has been said, a little before that end.
READ_BY_S, CODE_BY_S = 0.3, 0.37
AHEAD = "PreToolUse"
RESULT_CHARS, LINE_CHARS = 300, 160
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
    Answer one event from the file, through `reply`, then put it into the spool.

    A second answer holds the first one, and is sent as soon as it is known; `reply` returns False where the client
    is gone. `began` is the hook's start on the monotonic clock; `bits` and `raw` are as in the doorway's frame.
    """
    if event == AHEAD:
        return  # nothing has happened, and what could be said takes a parser
    at = time.time_ns() // 1000
    payload = json.loads(raw.decode("utf-8", "replace"))
    if not isinstance(payload, dict):
        return
    env = json.loads(bits.decode("utf-8", "surrogateescape"))
    with _Look(home, sender(client, payload, env), at, began) as looked:
        if looked.paused:
            return
        given: list[list[str]] = []
        if question := asks(event, payload):
            for context, shown in looked.recall(question):
                said = answer(client, event, context)
                # What nobody waited for was not given.
                if said and reply(said) is not False:
                    given = shown
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
    elif context and event in ("UserPromptSubmit", "SessionStart", AHEAD):
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

    def __init__(self, home: str, sent: tuple[str, str | None, str | None], at: int, began: float) -> None:
        from ..store import peek

        self.paused = False
        self.salt = b""
        self._home, self._at, self._began = home, at, began
        self._source, self._session, self._folder = sent
        self._con: sqlite3.Connection | None = None
        self._user: str | None = None
        self._here: list[int] = []
        con = None
        try:
            con = peek.open_file(home, within_s=max(0.05, began + READ_BY_S - time.monotonic()))
            self._here = peek.workspaces(con, self._folder)
            self.salt = peek.salt(con)
            self.paused = peek.paused(con, self._here, at)
            self._user = peek.user(con, self._source, self._session) if self._session else None
        except (peek.Error, ValueError):
            if con is not None:
                con.close()
            return
        self._con = con

    def __enter__(self) -> _Look:
        return self

    def __exit__(self, *_: object) -> None:
        if self._con is not None:
            self._con.close()

    def recall(self, question: str | Start) -> Iterator[Said]:
        """What there is to say; of a prompt that names code first what is known without looking into that."""
        from ..store import peek
        from .waiting import Waiting

        if self._con is None or self._user is None or self._session is None:
            yield None, []
            return
        waits = Waiting(self._home, self._source, self._session)
        place = peek.Place(
            self._user, self._here, self._source, self._session, self._at, nowhere=self._folder is None,
            branch=self._branch() if isinstance(question, Start) else None,
            given=[" ".join(pair) for pair in waits.given.items()], anew_at=waits.anew_at,
        )  # fmt: skip
        try:
            if isinstance(question, Start):
                yield _at_start(self._con, place, question, waits)
            else:
                yield from _for_prompt(
                    self._con, place, question, lambda n: self._code(place, question, waits, n)
                )
        except (peek.Error, ValueError):
            yield None, []

    def _branch(self) -> str | None:
        """The branch that is checked out where the session begins, by the name under which it is kept."""
        from ..pipelines.shown import branch_name
        from ..store import peek_start

        return branch_name(peek_start.branch(self._folder), self.salt)

    def _code(
        self, place: Place, question: str, waits: Waiting, budget_chars: int
    ) -> tuple[str, list[list[str]]]:
        """As `Desk._code`; nothing where it would come too late."""
        from ..store import peek
        from . import fallback_code

        left_s = self._began + CODE_BY_S - time.monotonic()
        if self._con is None or self._folder is None or left_s <= 0:
            return "", []
        try:
            peek.limit(self._con, within_s=left_s)
            return fallback_code.told(
                self._con, place, question, self._folder,
                given=waits.given, key=self.salt, budget_chars=budget_chars,
            )  # fmt: skip
        except Exception:  # noqa: BLE001 - the rest has been said, and the event is still to be kept
            return "", []


def _for_prompt(
    con: sqlite3.Connection, place: Place, question: str, code: Callable[[int], tuple[str, list[list[str]]]]
) -> Iterator[Said]:
    from ..store import conflicts, peek
    from . import render

    numbers = peek.numbers(con)
    language = render.language_of(question)
    rows, omitted = peek.search(con, question, place, limit=numbers["hook_limit"])
    against = conflicts.against(con, [row.id for row in rows], now=place.now)
    items = [_item(row, language, place.now, against=against.get(row.id, ())) for row in rows]

    def made(extra: str) -> render.Block:  # as `packing.prompt_block`
        return render.block(
            items,
            budget_chars=min(numbers["hook_chars"], render.MOST_CHARS - render.width(extra)),
            now=place.now,
            language=language,
            omitted=omitted,
            extra=extra,
        )

    block = made("")
    yield block.text or None, _given(rows, block)
    extra, marks = code(numbers["hook_code_chars"])
    if extra:
        block = made(extra)
        yield block.text, [*_given(rows, block), *marks]


def _at_start(con: sqlite3.Connection, place: Place, start: Start, waits: Waiting) -> Said:
    from ..store import conflicts, peek, peek_start
    from . import render

    budget = peek.numbers(con)["digest_chars"]
    if not budget:
        return None, []
    left = peek_start.unfinished(con, place, compacted=start.how == "compact")
    if left and (left.source, left.session) in waits.gone_on:
        left = None
    if left and (left.source, left.session) in waits.ended:
        left.elsewhere = False
    begun = peek_start.digest(con, place, forget_given=start.fresh)
    told = begun.latest or begun.intentions or begun.profile
    language = render.language_of(left.asked if left else "".join(row.text[:80] for row in told[:3]))
    items = [_unfinished(left, language)] if left else []
    against = conflicts.against(con, [row.id for row in begun.rows], now=place.now)
    profile, planned = (
        [_item(row, language, place.now, against=against.get(row.id, ())) for row in rows]
        for rows in (begun.profile, begun.intentions)
    )
    latest = [
        _item(
            row,
            language,
            place.now,
            kind="latest",
            line_only=row.kind == "turn",
            against=against.get(row.id, ()),
        )
        for row in begun.latest
        if left is None or row.turn != left.turn
    ]
    items += render.by_need(profile, planned, latest)
    made = render.block(
        items, budget_chars=budget, now=place.now, language=language, lead=render.LEAD[language]
    )
    lines = [row for row in begun.latest if row.kind == "turn"]
    return made.text or None, _given(begun.rows, made, in_line=lines)


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


def _item(
    row: Row,
    language: render.Language,
    now: int,
    *,
    kind: str = "",
    line_only: bool = False,
    against: Sequence[Against] = (),
) -> render.Item:
    """As `packing.item`."""
    from . import render

    due = render.due(row.expires_at, now, language) if row.kind == "intention" else None
    text = (row.line or row.text) if line_only else row.text
    return render.Item(
        f"m{row.id}", kind or row.kind, text,
        when=row.at, line=row.line, scene=row.scene, origin=row.origin, branch=row.branch, confidence=row.confidence,
        flag=render.remarks(due, render.against(against, language)),
    )  # fmt: skip


def _unfinished(left: Left, language: render.Language) -> render.Item:
    from . import render

    asked, edited, last = render.UNFINISHED[language]
    parts = [asked.format(left.asked)]
    if left.edited:
        parts.append(edited.format(", ".join(left.edited)))
    if left.step:
        tool, about, ok, result = left.step
        said = f"{tool} {_one_line(about, LINE_CHARS)}: {'failed' if ok == 0 else 'done'}"
        parts.append(last.format(f"{said}; {_one_line(result, RESULT_CHARS)}" if result else said))
    return render.Item(
        f"t{left.turn}", "unfinished", "\n".join(parts),
        when=left.started_at, branch=left.branch, flag=render.ELSEWHERE[language] if left.elsewhere else None,
    )  # fmt: skip


def _one_line(text: str, most: int) -> str:
    line = " ".join(text[: most * 4].split())
    return line if len(line) <= most else line[: most - 1].rstrip() + "…"
