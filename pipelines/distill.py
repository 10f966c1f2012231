"""
Conductor: what the user said for good in a turn that has ended becomes profile, facts and intentions, each in its slot.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass, replace

import apsw

from ..store import events, jobs, memories, runs, slots, turns, words
from ..store.cutter import Cut
from ..store.db import Database
from ..store.errors import BackstoryError
from ..store.memories import Quote
from ..store.models import Event, NewMemory, Turn
from .extract.chat_rules import drafts
from .extract.drafts import Draft
from .reconcile import Decision, decide
from .remember import DISTILL

log = logging.getLogger(__name__)

# So many turns are claimed in one go, for so long; each is one transaction.
AT_ONCE, LEASE_S = 5, 60.0
# Words that are to be forgotten are looked for in what was drawn; shorter ones would stand in too much of it.
FORGET_CHARS = 3


@dataclass(frozen=True, slots=True)
class Drawn:
    """What came of one draft: what was decided, and the memory that was made, or that gained the evidence."""

    decision: Decision
    memory: int | None


def step(db: Database, owner: str, *, cut: Cut | None, now: int) -> int:
    """Distill the turns that wait; how many were done. One that fails waits for its next try."""
    if db.readonly or not db.read(jobs.is_due, [DISTILL], now=now):
        return 0
    claimed = db.write(jobs.claim, [DISTILL], owner, now=now, lease_s=LEASE_S, limit=AT_ONCE)
    for job in claimed:
        try:
            db.write(distill, int(job.key), cut=cut, now=now)
        except BackstoryError:
            raise
        except Exception as e:
            log.exception("turn %s could not be distilled", job.key)
            db.write(jobs.fail, job.id, owner, f"{type(e).__name__}: {e}"[:300], now=now)
        else:
            db.write(jobs.done, job.id, owner)
    return len(claimed)


def distill(con: apsw.Connection, turn_id: int, *, cut: Cut | None, now: int) -> list[Drawn]:
    """What a turn leaves, by rule, within the caller's transaction. Done again it leaves the same."""
    turn = turns.turn(con, turn_id)
    if turn is None or turns.kind(con, turn_id) != "interactive":
        return []
    found: list[Drawn] = []
    for event in events.of_turn(con, turn_id):
        if event.role == "user" and event.origin == "user" and event.kind in ("prompt", "message"):
            found += _said(con, turn, event, cut=cut, now=now)
    if not found:
        runs.log(
            con, runs.Run("extract", "nothing", "no lasting statement in the user's words", turn.id), at=now
        )
    return found


def _said(con: apsw.Connection, turn: Turn, event: Event, *, cut: Cut | None, now: int) -> list[Drawn]:
    offset = turns.utc_offset_s(con, turn.id)
    made = []
    for draft in drafts(event.content, at=event.occurred_at, utc_offset_s=offset):
        if draft.asks == "forget":
            made += _forget(con, turn, draft, now=now)
        else:
            made.append(_keep(con, turn, event, draft, cut=cut, now=now))
    return made


def _keep(
    con: apsw.Connection, turn: Turn, event: Event, draft: Draft, *, cut: Cut | None, now: int
) -> Drawn:
    new = _memory(turn, draft)
    same = memories.same(con, new, now=now)
    holder = slots.holder(con, new.scope, new.slot) if new.slot else None
    if (
        holder is not None
        and draft.polarity == "negated"
        and holder.data.get("value") != draft.data.get("value")
    ):
        # It denies another value than the current one, which it says nothing of.
        new = replace(new, slot=statement(draft))
        holder = slots.holder(con, new.scope, new.slot or "")
    if holder is None and draft.asks == "correct" and (old := str(draft.data.get("old") or "")):
        holder = next(iter(slots.saying(con, new.scope, old)), None) if len(old) >= FORGET_CHARS else None
    decision = decide(new, same=memories.by_id(con, same) if same is not None else None, holder=holder)
    quote = Quote(event.id, draft.start, draft.end)
    memory = _write(con, new, decision, quote, cut=cut, now=now)
    touched = tuple(id_ for id_ in (memory, decision.old.id if decision.old else None) if id_ is not None)
    runs.log(con, runs.Run("reconcile", decision.verb, decision.reason, turn.id, touched), at=now)
    return Drawn(decision, memory)


def _write(
    con: apsw.Connection, new: NewMemory, decision: Decision, quote: Quote, *, cut: Cut | None, now: int
) -> int:
    old, tokens = decision.old, words.index(new.text, cut)
    if decision.verb == "skip" and old is not None:
        memories.support(con, old.id, [quote])
        return old.id
    if decision.verb == "past" and old is not None:
        return memories.insert(con, replace(new, valid_to=old.valid_from), tokens, now=now, evidence=[quote])
    if decision.verb == "update" and old is not None:
        memories.retire(con, old.id, why=decision.reason, now=now)
        id_ = memories.insert(con, new, tokens, now=now, evidence=[quote])
        memories.link(con, id_, old.id, "supersedes", now=now)
        return id_
    return memories.insert(con, new, tokens, now=now, evidence=[quote])


def _memory(turn: Turn, draft: Draft) -> NewMemory:
    scope = turn.scope if draft.reach == "workspace" else replace(turn.scope, workspace=None, branch=None)
    data = {**draft.data, "polarity": draft.polarity, "turn": turn.ulid}
    return NewMemory(
        kind=draft.kind, scene="chat", scope=scope, text=draft.text, origin="user", line=draft.line, turn=turn.id,
        slot=draft.slot or statement(draft), importance=draft.importance, confidence=draft.confidence,
        valid_from=draft.valid_from, valid_to=draft.valid_to, expires_at=draft.expires_at, data=data,
    )  # fmt: skip


def statement(draft: Draft) -> str:
    """The slot of what may stand beside others: one statement, whether it is affirmed or denied."""
    said = (draft.data.get("subject"), draft.data.get("predicate"), draft.data.get("value"))
    return "says:" + ":".join(" ".join(str(part or "").casefold().split()) for part in said)[:300]


def _forget(con: apsw.Connection, turn: Turn, draft: Draft, *, now: int) -> list[Drawn]:
    """Retire what the user wants forgotten; what is retired can be brought back, or forgotten for good by hand."""
    wanted = str(draft.data.get("value") or "").strip()
    found = slots.saying(con, turn.scope, wanted) if len(wanted) >= FORGET_CHARS else []
    for memory in found:
        memories.retire(con, memory.id, why="the user asked to forget it", now=now)
    ids = tuple(memory.id for memory in found)
    verdict = "retired" if found else "nothing"
    runs.log(
        con, runs.Run("forget", verdict, f"asked to forget, in {len(found)} memories", turn.id, ids), at=now
    )
    return [Drawn(Decision("skip", "the user asked to forget it", memory), memory.id) for memory in found]
