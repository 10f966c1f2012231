"""Conductor: one occasion from the wire to the shelf, in one transaction, and what became of it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import apsw

from ..store import clock, deliveries, events, memories, runs, sessions, settings, turns, words
from ..store.cutter import Cut
from ..store.db import Database
from ..store.memories import Quote
from ..store.models import Located, Memory, NewEvent, NewMemory, Scene, Scope, Turn
from . import capture, known_again
from .occasions import (
    Compacting,
    EditAhead,
    Ignored,
    Occasion,
    PromptSubmitted,
    Replied,
    Sender,
    SessionEnded,
    SessionStarted,
    SubagentFinished,
    ToolUsed,
    TurnEnded,
)

# Prompts of one turn may come from a helper that finished: they are aliases, see store/turns.py.
IGNORED_PROMPT = "prompt_id"
# So long after its end code history has seen what a turn did to code; then what it leaves is drawn from it.
SETTLED_US = 3 * clock.SECOND_US
# A prompt without an id of its own that is told again within this time is the same.
TWICE_US = clock.SECOND_US


@dataclass(frozen=True, slots=True)
class Kept:
    """What was written: row ids; `event` is None where only a state changed, `new` False for a replay."""

    turn: int | None
    event: int | None = None
    memory: int | None = None
    new: bool = True


@dataclass(frozen=True, slots=True)
class Skipped:
    """Nothing was written, and why."""

    reason: str


@dataclass(frozen=True, slots=True)
class Handed:
    """
    What the session was given in answer to this occasion: the memories, how, and what they cost together. Of those
    in `lines` it saw one line only, and may be given the whole. `marks` are names and states of what else it saw.
    """

    memories: tuple[Memory, ...]
    how: deliveries.How
    chars: int
    lines: frozenset[int] = frozenset()
    marks: tuple[tuple[str, str], ...] = ()


Outcome = Kept | Skipped


def remember(
    occasion: Occasion,
    at: Located,
    *,
    db: Database,
    now: int,
    cut: Cut | None,
    within_s: float = 10.0,
) -> Outcome:
    """
    Carry one occasion from the wire to the shelf. Replays are absorbed by the events' keys.

    Raises:
        StoreBusy: the file stayed locked for `within_s`; nothing was written.
    """
    match occasion:
        case Ignored(reason, data) if not data.get(IGNORED_PROMPT):
            return Skipped(reason)
        case EditAhead():
            return Skipped("an edit that is only ahead")
        case Compacting():
            return Skipped("nothing to keep before a compaction: every event is on disk already")
    key = settings.salt_of(db, within_s=within_s)
    # Cleaned, redacted and cut before the lock is taken, so that nobody waits for that.
    event = _event(occasion, salt=key, home=str(db.path.parent))
    return db.write_within(within_s, _remember, occasion, event, at, now=now, cut=cut)


def note_handed(handed: Handed, scope: Scope, *, db: Database, now: int, within_s: float = 10.0) -> None:
    """
    Note what the session of `scope` was given. Call it when the agent has it: what did not arrive was not given.

    Raises:
        StoreBusy: the file stayed locked for `within_s`; it may be given once more.
    """
    if (handed.memories or handed.marks) and scope.source and scope.session:
        db.write_within(within_s, _note_handed, handed, scope.source, scope.session, now=now)


def _note_handed(con: apsw.Connection, handed: Handed, source: str, session: str, *, now: int) -> None:
    deliveries.give(
        con, source, session, handed.memories, how=handed.how, chars=handed.chars, lines=handed.lines, at=now
    )
    for name, state in handed.marks:
        deliveries.give_root(con, source, session, name, state, at=now)
    memories.used(con, [m.id for m in handed.memories], now=now)


def _event(occasion: Occasion, *, salt: bytes, home: str) -> NewEvent | None:
    match occasion:
        case PromptSubmitted(sender, prompt):
            return capture.prompt_event(prompt, sender, salt=salt)
        case ToolUsed() if not (capture.is_ours(occasion.tool) or occasion.sender.agent):
            return capture.tool_event(occasion, salt=salt, home="" if home == "." else home)
        case Replied():
            return capture.reply_event(occasion, salt=salt)
        case SubagentFinished():
            return capture.subagent_event(occasion, salt=salt)
    return None


def _remember(
    con: apsw.Connection,
    occasion: Occasion,
    event: NewEvent | None,
    at: Located,
    *,
    now: int,
    cut: Cut | None,
) -> Outcome:
    if settings.paused(con, workspace=at.scope.workspace, now=now):
        return Skipped("paused")
    if isinstance(occasion, ToolUsed) and occasion.sender.agent:
        return _of_subagent(con, occasion)
    allowed, event = known_again.let_in(con, occasion, event, at)
    if not allowed:
        return Skipped(known_again.FORGOTTEN)
    outcome = _keep(con, occasion, event, at, now=now, cut=cut)
    _log(con, occasion, outcome, now=now)
    return outcome


def _log(con: apsw.Connection, occasion: Occasion, outcome: Outcome, *, now: int) -> None:
    what = type(occasion).__name__
    match outcome:
        case Kept(turn, _, memory, new) if turn is not None:
            kept = runs.Run("capture", "kept" if new else "known", what, turn, (memory,) if memory else ())
            runs.log(con, kept, at=now)
        case Skipped(reason):
            runs.log(con, runs.Run("capture", "skipped", f"{what}: {reason}"), at=now)


def _keep(
    con: apsw.Connection,
    occasion: Occasion,
    event: NewEvent | None,
    at: Located,
    *,
    now: int,
    cut: Cut | None,
) -> Outcome:
    match occasion:
        case Ignored(reason, data):
            if at.scope.session:
                turns.alias_prompt(con, at.scope, str(data[IGNORED_PROMPT]))
            return Skipped(reason)
        case SessionStarted(sender, how):
            fresh = how in ("compact", "clear")
            turns.start_session(con, at.scope, kind=sender.kind, at=sender.at, fresh_context=fresh)
            return Kept(None)
        case SessionEnded(sender, reason):
            return _end_session(con, sender, reason, now=now, cut=cut)
        case PromptSubmitted(sender):
            return _keep_prompt(con, sender, event, at, now=now, cut=cut)
        case ToolUsed():
            return _keep_tool(con, occasion, event, at, now=now, cut=cut)
        case Replied(sender, _, ends):
            return _finish(con, sender, at, event, "done" if ends else None, now=now, cut=cut)
        case TurnEnded(sender, how):
            return _finish(con, sender, at, None, how, now=now, cut=cut)
        case SubagentFinished() | Compacting() | EditAhead():
            return _finish(con, occasion.sender, at, event, None, now=now, cut=cut)


def _keep_prompt(
    con: apsw.Connection, sender: Sender, event: NewEvent | None, at: Located, *, now: int, cut: Cut | None
) -> Outcome:
    prompt_id = sender.prompt_id or _told_before(con, sender, event) or f"at:{sender.at}"
    if event is None:
        turns.alias_prompt(con, at.scope, prompt_id)
        return Skipped("nothing of the user's own words in the prompt")
    _know_session(con, sender, at)
    turn = _turn(con, sender, at, prompt_id)
    if turn is None:
        return Skipped("the prompt was set aside before")
    for earlier in turns.open_turns(con, source=sender.source, session=sender.session):
        if earlier.id != turn.id and earlier.started_at <= sender.at:
            close_turn(con, earlier, "interrupted", at=sender.at, now=now, cut=cut)
    id_, new = events.append(con, turn.id, event, now=now)
    memory = mirror(con, turn, now=now, cut=cut) if new else None
    return Kept(turn.id, id_, memory, new)


def _told_before(con: apsw.Connection, sender: Sender, event: NewEvent | None) -> str | None:
    """
    The prompt without an id of its own that this one is once more: a hook that was not answered in time has put it
    aside, and the server has heard it all the same.
    """
    turn = turns.last_turn(con, sender.source, sender.session)
    if turn is None or event is None or not turn.prompt_id.startswith("at:"):
        return None
    near = abs(turn.started_at - sender.at) <= TWICE_US
    told = near and any(
        one.is_prompt and one.content == event.content for one in events.of_turn(con, turn.id)
    )
    return turn.prompt_id if told else None


def _keep_tool(
    con: apsw.Connection, used: ToolUsed, event: NewEvent | None, at: Located, *, now: int, cut: Cut | None
) -> Outcome:
    sender = used.sender
    if event is None:
        if sender.session:
            named = capture.ids_in(used.result)
            deliveries.give_ids(con, sender.source, sender.session, named, how="tool", at=sender.at)
        return Skipped("our own tool")
    turn = _current_turn(con, sender, at)
    if turn is None:
        return Skipped("no turn to belong to")
    id_, new = events.append(con, turn.id, event, now=now)
    # A turn that is over will hear no reply that would bring its memory up to date.
    late = new and turn.status != "open"
    if late:
        turns.distill_later(con, turn.id, now=now, not_before_at=_settled_at(con, turn, now=now))
    return Kept(turn.id, id_, mirror(con, turn, now=now, cut=cut) if late else None, new)


def _of_subagent(con: apsw.Connection, used: ToolUsed) -> Outcome:
    """The turn that a subagent works for. Nothing is kept of its tools: it leaves one summary."""
    if capture.is_ours(used.tool):
        return Skipped("our own tool")
    sender = used.sender
    turn = turns.of_prompt(con, sender.source, sender.session, sender.prompt_id)
    return Skipped("no turn to belong to") if turn is None else Kept(turn.id)


def _finish(
    con: apsw.Connection,
    sender: Sender,
    at: Located,
    event: NewEvent | None,
    how: Literal["done", "interrupted"] | None,
    *,
    now: int,
    cut: Cut | None,
) -> Outcome:
    turn = _current_turn(con, sender, at)
    if turn is None:
        return Skipped("no turn to belong to")
    id_, new = events.append(con, turn.id, event, now=now) if event else (None, True)
    if how:
        end(con, turn, how, at=sender.at, now=now)
    elif new:
        # What comes after the end of its turn may say more of it.
        turns.distill_later(con, turn.id, now=now)
    if not new and turn.status == "done":
        return Kept(turn.id, id_, None, new=False)
    memory = mirror(con, turn, now=now, cut=cut)
    return Kept(turn.id, id_, memory, new)


def _end_session(con: apsw.Connection, sender: Sender, reason: str, *, now: int, cut: Cut | None) -> Outcome:
    turns.end_session(con, sender.source, sender.session, reason=reason, at=sender.at)
    for turn in turns.open_turns(con, source=sender.source, session=sender.session):
        close_turn(con, turn, "interrupted", at=sender.at, now=now, cut=cut)
    if turns.last_turn(con, sender.source, sender.session) is not None:
        sessions.sum_up_now(con, sender.source, sender.session, now=now, not_before_at=now + 2 * SETTLED_US)
    return Kept(None)


def close_turn(
    con: apsw.Connection,
    turn: Turn,
    how: Literal["done", "interrupted"],
    *,
    at: int,
    now: int,
    cut: Cut | None,
) -> None:
    """End a turn that will hear no more, and bring its memory up to date with what it holds."""
    end(con, turn, how, at=at, now=now)
    mirror(con, turn, now=now, cut=cut)


def end(con: apsw.Connection, turn: Turn, how: Literal["done", "interrupted"], *, at: int, now: int) -> None:
    """A turn will hear no more: what is to be drawn from it can be."""
    turns.end_turn(con, turn.id, how, at=at)
    turns.distill_later(con, turn.id, now=now, not_before_at=_settled_at(con, turn, now=now))


def _settled_at(con: apsw.Connection, turn: Turn, *, now: int) -> int:
    return now + SETTLED_US if turn.scope.workspace is not None and events.has_edits(con, turn.id) else 0


def mirror(con: apsw.Connection, turn: Turn, *, now: int, cut: Cut | None) -> int | None:
    """The row id of the turn's searchable memory, made from its events; None before the user's words are known."""
    told = events.outline(con, turn.id)
    text, line, support = capture.turn_text(told, turn.folder)
    if not text:
        return None
    # The plain form of routing: coding where files were edited or commands run, else chat.
    scene: Scene = "coding" if told.worked else "chat"
    turns.set_scene(con, turn.id, scene)
    files = capture.relative((*told.edited, *told.read), turn.folder)[: capture.TURN_FILES]
    new = NewMemory(
        kind="turn", scene=scene, scope=turn.scope, text=text, origin=support[0].origin, line=line,
        turn=turn.id, valid_from=turn.started_at, data={"prompt": support[0].ulid, "files": files},
    )  # fmt: skip
    limits = (capture.TURN_PROMPT_CHARS, capture.TURN_REPLY_CHARS)
    quotes = [Quote(e.id, 0, min(len(e.content), limit)) for e, limit in zip(support, limits, strict=False)]
    return memories.mirror_turn(con, new, words.index(text, cut), now=now, evidence=quotes)


def _turn(con: apsw.Connection, sender: Sender, at: Located, prompt_id: str) -> Turn | None:
    turn = turns.open_turn(
        con, at.scope, prompt_id, at=sender.at, kind=sender.kind,
        folder=at.folder, head=at.head, utc_offset_s=clock.utc_offset_s(sender.at),
    )  # fmt: skip
    if turn and turn.scope.workspace is None and at.scope.workspace is not None:
        turns.locate(con, turn.id, at.scope, folder=at.folder, head=at.head)
        return replace(turn, scope=at.scope, folder=at.folder, head=at.head)
    return turn


def _current_turn(con: apsw.Connection, sender: Sender, at: Located) -> Turn | None:
    if sender.prompt_id:
        _know_session(con, sender, at)
        return _turn(con, sender, at, sender.prompt_id)
    return turns.last_turn(con, sender.source, sender.session)


def _know_session(con: apsw.Connection, sender: Sender, at: Located) -> None:
    turns.start_session(con, at.scope, kind=sender.kind, at=sender.at, fresh_context=False)
