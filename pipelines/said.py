"""What a user said for good, on the shelf: profile, facts and intentions, each in its slot, with the words for it."""

from __future__ import annotations

from dataclasses import replace

import apsw

from ..store import memories, runs, slots
from ..store.cutter import Cut
from ..store.memories import Quote
from ..store.models import Event, Memory, NewMemory, Origin, Turn
from .extract.drafts import Draft
from .placing import Placed, place
from .reconcile import Decision

# Words that are to be forgotten are looked for in what was drawn; shorter ones would stand in too much of it.
FORGET_CHARS = 3


def keep(
    con: apsw.Connection,
    turn: Turn,
    event: Event,
    draft: Draft,
    *,
    cut: Cut | None,
    now: int,
    origin: Origin = "user",
) -> list[Placed]:
    """What became of one statement that was made in `event`, in the caller's transaction."""
    if draft.asks == "forget":
        return _forget(con, turn, draft, now=now)
    new = memory_of(turn, event, draft, origin=origin)
    holder = slots.holder(con, new.scope, new.slot) if new.slot else None
    if (
        holder is not None
        and draft.polarity == "negated"
        and holder.data.get("value") != new.data.get("value")
    ):
        # It denies another value than the current one, which it says nothing of.
        new, holder = replace(new, slot=statement(draft)), None
    if holder is None and draft.asks == "correct":
        holder = _corrected(con, new, draft)
    return [place(con, new, [Quote(event.id, draft.start, draft.end)], cut=cut, now=now, holder=holder)]


def memory_of(turn: Turn, event: Event, draft: Draft, *, origin: Origin = "user") -> NewMemory:
    """The statement as a memory of that turn; what names no day holds from when it was said."""
    scope = turn.scope if draft.reach == "workspace" else replace(turn.scope, workspace=None, branch=None)
    data = {**draft.data, "polarity": draft.polarity, "turn": turn.ulid}
    return NewMemory(
        kind=draft.kind, scene="chat", scope=scope, text=draft.text, origin=origin, line=draft.line, turn=turn.id,
        slot=draft.slot or statement(draft), importance=draft.importance, confidence=draft.confidence,
        valid_from=event.occurred_at if draft.valid_from is None else draft.valid_from,
        valid_to=draft.valid_to, expires_at=draft.expires_at, data=data,
    )  # fmt: skip


def statement(draft: Draft) -> str:
    """The slot of what may stand beside others: one statement, whether it is affirmed or denied."""
    said = (draft.data.get("subject"), draft.data.get("predicate"), draft.data.get("value"))
    return "says:" + ":".join(" ".join(str(part or "").casefold().split()) for part in said)[:300]


def _corrected(con: apsw.Connection, new: NewMemory, draft: Draft) -> Memory | None:
    """The latest statement that names what the user says was wrong."""
    old = str(draft.data.get("old") or "")
    return next(iter(slots.saying(con, new.scope, old)), None) if len(old) >= FORGET_CHARS else None


def _forget(con: apsw.Connection, turn: Turn, draft: Draft, *, now: int) -> list[Placed]:
    """Retire what the user wants forgotten; what is retired can be brought back, or forgotten for good by hand."""
    wanted = str(draft.data.get("value") or "").strip()
    found = slots.saying(con, turn.scope, wanted) if len(wanted) >= FORGET_CHARS else []
    for memory in found:
        memories.retire(con, memory.id, why="the user asked to forget it", now=now)
    ids = tuple(memory.id for memory in found)
    verdict = "retired" if found else "nothing"
    run = runs.Run("forget", verdict, f"asked to forget; {len(found)} memories say it", turn.id, ids)
    runs.log(con, run, at=now)
    return [Placed(Decision("skip", "the user asked to forget it", memory), memory.id) for memory in found]
