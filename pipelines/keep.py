"""Conductor: what someone asks to be kept, in one transaction."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Literal

import apsw

from ..store import clock, deliveries, events, runs, settings, turns
from ..store.cutter import Cut
from ..store.db import Database
from ..store.errors import BadInput
from ..store.ids import new_ulid
from ..store.marks import strip
from ..store.memories import Quote
from ..store.models import (
    Kind,
    NewEvent,
    NewMemory,
    Role,
    Scope,
    Turn,
)
from . import admitting, capture, known_again, said
from .admission import PERSONAL, Refused, Stands
from .admitting import Session
from .merging import reading
from .placing import Placed, place
from .redact import redact
from .remember import end, mirror
from .request import ROLES, Request, check
from .statements import HOLDS

if TYPE_CHECKING:
    from .extract.drafts import Draft

# A turn that has been open for longer is no guess for "the turn we are in".
TURN_US = 3_600_000_000
# The source of what comes by a command line.
CLI = "cli"
# Of these kinds a plain text may state what has a slot; of no kind is what names none.
STATED: tuple[Kind | None, ...] = (None, "fact", "profile", "intention")


@dataclass(frozen=True, slots=True)
class Added:
    """What became of a request: the memory's row id, and whether it is new or known already."""

    id: int
    verdict: Literal["stored", "same"]
    reason: str = ""

    @property
    def short(self) -> str:
        """The id people and agents see."""
        return f"m{self.id}"


def keep(request: Request, *, db: Database, now: int, cut: Cut | None) -> list[Added]:
    """
    Keep a plain content as one memory, or messages as the turns they are.

    Raises:
        BadInput: it cannot be kept as asked (`request.check`), may not be by where its words stand, or was forgotten;
            nothing was written.
    """
    check(request, now=now)
    salt = settings.salt_of(db)
    # Redacted, read and held against the session before the lock is taken, so that nobody waits for that.
    said_at, sessions = db.read(_around, request, now=now)
    if request.messages is not None:
        told = _told(request, sessions, at=now if request.memory_at is None else request.memory_at, salt=salt)
        return db.write(_keep_messages, request, told, now=now, cut=cut)
    heard = _heard(request, sessions, said_at, salt=salt, cut=cut)
    kept = db.write(_keep_content, request, heard, now=now, cut=cut)
    if isinstance(kept, Refused):
        raise BadInput(kept.instead)
    return kept


@dataclass(frozen=True, slots=True)
class _Heard:
    """
    A plain content without secrets, when it was said, where its words stand in the session, and what it states of what
    has a slot.
    """

    text: str
    meta: Mapping[str, Any]
    said_at: int
    stands: Stands
    draft: Draft | None


def _heard(
    request: Request, sessions: Sequence[Session], said_at: int, *, salt: bytes, cut: Cut | None
) -> _Heard:
    text = redact(strip(request.content or "").strip(), salt=salt)
    reading.read(text, cut)  # it is held against what is known by this
    draft = None
    if request.kind in STATED and request.scene in (None, "chat"):
        from .extract.plain import statement  # 0.1 s of patterns that only this needs

        draft = statement(text, at=said_at, utc_offset_s=clock.utc_offset_s(said_at))
    kind = draft.kind if draft is not None and draft.kind in PERSONAL else request.kind or "fact"
    stands = admitting.where(text, sessions, kind, cut)
    return _Heard(text, capture.without_secrets(request.meta, salt=salt), said_at, stands, draft)


def _keep_content(
    con: apsw.Connection, request: Request, heard: _Heard, *, now: int, cut: Cut | None
) -> list[Added] | Refused:
    text, draft = heard.text, heard.draft
    _not_forgotten(con, request, [text])
    among = running(con, request.asker or request.scope, now=now)
    kind = request.kind or "fact"
    verdict = admitting.asked(con, text, kind, request.origin, heard.stands, among, now=now)
    if isinstance(verdict, Refused):
        return verdict
    turn = among[0] if len(among) == 1 else _own_turn(con, request.scope, now=now)
    new = NewMemory(
        kind=kind, scene=request.scene or "chat", scope=request.scope, text=text,
        origin=verdict.origin, line=capture.one_line(text), turn=turn.id,
        importance=0.5 if request.importance is None else request.importance,
        valid_from=request.memory_at, expires_at=request.expires_at,
        data={} if request.memory_at is None else {"dated": True}, meta=heard.meta,
    )  # fmt: skip
    key = f"add:{new_ulid(now)}"
    role: Role = "user" if request.origin == "user" else "assistant"
    # What is added of another time was not said again now.
    of_then = {} if request.memory_at is None else {"memory_at": request.memory_at}
    note = NewEvent(key, role, "note", text, new.origin, now, tool="memory_add", data=of_then)
    event, _ = events.append(con, turn.id, note, now=now)
    quote = Quote(event, 0, len(text))
    placed: Placed | None = None
    if draft is not None and admitting.may_state(
        con, text, draft.kind, kind, request.origin, heard.stands, among, admitted=verdict, now=now
    ):
        stated = _stated(new, draft, request, turn, said_at=heard.said_at, now=now)
        placed = said.asked(con, stated, draft, [quote], cut=cut, now=now)
    if placed is None:
        placed = place(con, new, [quote], cut=cut, now=now, asked=True)
    added = _added(placed)
    if added.verdict == "stored" and turn.scope.session and turn.scope.source:
        deliveries.give_ids(con, turn.scope.source, turn.scope.session, [added.id], how="own", at=now)
    runs.log(con, runs.Run("add", added.verdict, added.reason, turn.id, (added.id,)), at=now)
    return [added]


def _around(con: apsw.Connection, request: Request, *, now: int) -> tuple[int, list[Session]]:
    """When a request was said, and the sessions that an agent's words are held against."""
    among = running(con, request.asker or request.scope, now=now)
    return _said_at(con, among, now=now), admitting.sessions(con, among) if request.origin == "agent" else []


def _said_at(con: apsw.Connection, among: Sequence[Turn], *, now: int) -> int:
    """
    When what an agent adds was said: in a turn that goes on with the user's last prompt, which it writes down. So what
    the user says of the same in that prompt is not older news than the agent's word of it.
    """
    if len(among) != 1:
        return now
    prompts = [one.occurred_at for one in events.of_turn(con, among[0].id) if one.is_prompt]
    return prompts[-1] if prompts and now - TURN_US <= prompts[-1] <= now else now


def _stated(
    new: NewMemory, draft: Draft, request: Request, turn: Turn, *, said_at: int, now: int
) -> NewMemory:
    """A plain text as the statement that it makes, worded as it was given; what was asked for by name goes before."""
    whole = replace(draft, text=new.text, line=new.line)
    made = said.of_statement(whole, new.scope, turn, said_at=said_at, origin=new.origin)
    of_then = request.memory_at is not None
    data = {name: value for name, value in made.data.items() if not (of_then and name == HOLDS)}
    far = made.expires_at if made.expires_at is None or made.expires_at > now else None
    return replace(
        made,
        kind=request.kind or made.kind,
        scope=made.scope if request.anywhere else new.scope,
        importance=made.importance if request.importance is None else request.importance,
        valid_from=request.memory_at if of_then else made.valid_from,
        expires_at=far if request.expires_at is None else request.expires_at,
        data={**data, "dated": of_then or bool(data.get("dated"))},
        meta=new.meta,
    )


def _added(placed: Placed) -> Added:
    """What became of it, in words that tell an agent what else has changed."""
    verb, old, id_ = placed.decision.verb, placed.decision.old, placed.memory or 0
    if verb == "skip":
        return Added(id_, "same", "already known; the new mention was added to its evidence")
    if old is None or old.id == id_:
        return Added(id_, "stored")
    if placed.decision.relation == "conflict":
        return Added(
            id_, "stored", f"{old.short} says otherwise of the same time; both stand until one is corrected"
        )
    if verb == "past":
        return Added(id_, "stored", f"as history: {old.short} is current")
    return Added(id_, "stored", f"it takes the place of {old.short}, which stays in the history")


def _not_forgotten(con: apsw.Connection, request: Request, texts: Sequence[str]) -> None:
    """Refuse what was forgotten, unless a person asks for it, or has said it again since."""
    if request.origin == "user":
        return
    scope = request.scope
    for text in texts:
        gone_at = known_again.forgotten_at(con, text)
        if gone_at is not None and not known_again.said_again(con, scope, text, gone_at):
            day = datetime.fromtimestamp(gone_at / 1_000_000, UTC).date()
            raise BadInput(
                f"This was forgotten on {day}, so it is not kept again; if it is to be, the user says it in a prompt."
            )


def running(con: apsw.Connection, scope: Scope, *, now: int) -> list[Turn]:
    """The turn this request is part of: the session's; else those that are open here, of which it may be any."""
    if scope.session:
        last = turns.last_turn(con, scope.source, scope.session)
        return [last] if last is not None and last.scope.user == scope.user else []
    if not (scope.source and scope.workspace):
        return []
    # A command line is typed by whichever client is at work here.
    source = None if scope.source == CLI else scope.source
    found = turns.open_turns(con, source=source, workspace=scope.workspace, since=now - TURN_US)
    return [turn for turn in found if turn.scope.user == scope.user]


def _own_turn(con: apsw.Connection, scope: Scope, *, now: int) -> Turn:
    """A turn of its own, for a request that belongs to none."""
    own = replace(scope, source=scope.source or "api", session=scope.session or "added")
    turn = turns.open_turn(con, own, new_ulid(now), at=now)
    if turn is None:  # a fresh ULID cannot be an alias
        raise BadInput("The turn was set aside before.")
    turns.end_turn(con, turn.id, "done", at=now)
    return turn


def _told(request: Request, sessions: Sequence[Session], *, at: int, salt: bytes) -> list[NewEvent]:
    """The messages as events, without secrets and cut, each with whose words it is."""
    told = []
    for number, message in enumerate(request.messages or ()):
        role, origin = ROLES[message["role"]]
        text = redact(capture.clean(message["content"]), salt=salt) or "[nothing to keep]"
        if role == "user":
            origin = admitting.speaker(text, sessions)
        if role == "tool":
            text = capture.cut_bytes(text)
        elif role == "assistant":
            text = capture.cut(text, capture.REPLY_CHARS, capture.REPLY_HEAD, capture.REPLY_TAIL)
        told.append(NewEvent(f"message:{number}", role, "message", text, origin, at + number))
    return told


def _keep_messages(
    con: apsw.Connection, request: Request, told: Sequence[NewEvent], *, now: int, cut: Cut | None
) -> list[Added]:
    scope = replace(
        request.scope, source=request.scope.source or "api", session=request.scope.session or "added"
    )
    at = now if request.memory_at is None else request.memory_at
    _not_forgotten(con, request, [message["content"] for message in request.messages or ()])
    turns.start_session(con, scope, kind="interactive", at=at, fresh_context=False)
    added: list[Added] = []
    turn: Turn | None = None
    for event in told:
        if event.role == "user" or turn is None:
            added += _close(con, turn, at=at, now=now, cut=cut)
            turn = turns.open_turn(con, scope, new_ulid(now), at=event.occurred_at)
        if turn is not None:
            events.append(con, turn.id, event, now=now)
    return added + _close(con, turn, at=at, now=now, cut=cut)


def _close(con: apsw.Connection, turn: Turn | None, *, at: int, now: int, cut: Cut | None) -> list[Added]:
    if turn is None:
        return []
    end(con, turn, "done", at=at, now=now)
    id_ = mirror(con, turn, now=now, cut=cut)
    return [] if id_ is None else [Added(id_, "stored")]
