"""
Conductor: what a turn that has ended leaves. Its scene is told, what the user said for good becomes profile, facts and
intentions, what was done becomes one fact, and what was learned an experience. By rule; a model may add to it later.
"""

from __future__ import annotations

import platform
from collections.abc import Sequence
from dataclasses import dataclass, replace

import apsw

from ..store import events, memories, runs, sessions, slots, turn_code, turns, windows, work, workspaces
from ..store.cutter import Cut
from ..store.db import Database
from ..store.models import Event, Scene, Turn
from . import due, legs, plan, route, said, sum_up, worked
from .extract.chat_rules import drafts
from .extract.conditions import Conditions
from .extract.drafts import Draft
from .extract.work_trace import Trace, trace
from .placing import Placed

# So many turns are claimed in one go, for so long; each is one transaction.
AT_ONCE, LEASE_S = 5, 60.0
# What is left of a prompt beside statements is a task from so many letters on.
TASK_CHARS = 6
# How many turns of the session before are looked at for what was begun in them.
EARLIER = 5


@dataclass(frozen=True, slots=True)
class Source:
    """A turn that has ended, as it lies in the file: its events and their trace, the turns before, its code."""

    turn: Turn
    kind: str
    utc_offset_s: int
    events: tuple[Event, ...]
    done: Trace
    earlier: tuple[Trace, ...]
    code: worked.Code
    repository: str | None


@dataclass(frozen=True, slots=True)
class Drawn:
    """What was drawn from a turn, before it is held against what is known."""

    scene: route.Verdict
    said: tuple[tuple[Event, Draft], ...]
    work: worked.Work | None

    @property
    def is_private(self) -> bool:
        """Whether the user asked that this turn be not remembered."""
        return any(draft.asks == "forget" and "target" in draft.data["qualifiers"] for _, draft in self.said)

    @property
    def placed_in(self) -> Scene:
        """The scene that the turn stands in."""
        return scene_of(self.scene)


def step(db: Database, owner: str, *, cut: Cut | None, now: int, refines: bool = False) -> int:
    """
    Distill the turns that wait; how many were done. One that fails waits for its next try. `refines`: a model is to
    look at them, too.
    """
    return due.each(
        db, turns.DISTILL, owner,
        lambda job: distill(int(job.key), db=db, cut=cut, now=now, refines=refines),
        now=now, lease_s=LEASE_S, limit=AT_ONCE, turn_of=lambda job: int(job.key),
    )  # fmt: skip


def distill(turn_id: int, *, db: Database, cut: Cut | None, now: int, refines: bool = False) -> list[Placed]:
    """What a turn leaves, by rule. Done again it leaves the same, or the same told better."""
    source = db.read(read, turn_id)
    if source is None or db.read(work.taken_out, turn_id):
        return []
    # Drawn before the lock is taken: a long turn takes some milliseconds.
    drawn = draw(source)
    return db.write(
        write, source, drawn, cut=cut, now=now, refines=refines and worth_asking(drawn, source, cut)
    )


def read(con: apsw.Connection, turn_id: int) -> Source | None:
    """The turn with what belongs to it; None where there is no such turn."""
    turn = turns.turn(con, turn_id)
    if turn is None:
        return None
    before = turns.before(con, turn, limit=EARLIER)
    earlier = tuple(trace(events.of_turn(con, one.id), one.folder) for one in reversed(before))
    workspace = turn.scope.workspace
    held = tuple(events.of_turn(con, turn_id))
    return Source(
        turn,
        turns.kind(con, turn_id) or "interactive",
        turns.utc_offset_s(con, turn_id),
        held,
        trace(held, turn.folder),
        earlier,
        _code(con, turn),
        None if workspace is None else workspaces.name(con, workspace),
    )


def _code(con: apsw.Connection, turn: Turn) -> worked.Code:
    back = turn_code.taken_back(con, turn.id)
    words = {one.turn: events.words_of(con, one.turn) for one in back}
    undone = tuple((f"{one.path}::{one.symbol}" if one.symbol else one.path, words[one.turn]) for one in back)
    return worked.Code(tuple(turn_code.symbols(con, turn.id)), undone)


def draw(source: Source, verdict: route.Verdict | None = None) -> Drawn:
    """What a turn holds, by rule and without the file; in the scene of that verdict, where it is told already."""
    done = source.done
    verdict = verdict or route.by_rule(done)
    said_ = [
        (event, draft)
        for event in _own_words(source)
        for draft in _ends_first(
            drafts(event.content, at=event.occurred_at, utc_offset_s=source.utc_offset_s)
        )
    ]
    lasts = [draft for _, draft in said_ if draft.asks not in ("forget", "end") or draft.otherwise]
    task = _without(lasts, done.prompt)
    under = Conditions(system=platform.system(), repository=source.repository)
    work_ = worked.work_of(
        replace(done, prompt=task),
        source.turn,
        scene_of(verdict),
        source.code,
        source.earlier,
        source.events,
        under=under,
    )
    return Drawn(verdict, tuple(said_), work_)


def _ends_first(found: Sequence[Draft]) -> list[Draft]:
    """The drafts in their order; what ends something before what the same words may say if nothing does."""
    return sorted(found, key=lambda draft: (draft.start, draft.asks != "end"))


def _without(drafts_: Sequence[Draft], prompt: str) -> str:
    """The prompt without what the user said for good in it, where a task is left: that is what the turn was about."""
    left = prompt
    for draft in drafts_:
        left = left.replace(draft.quote, " " * len(draft.quote))
    return left if sum(map(str.isalnum, left)) >= TASK_CHARS else prompt


def scene_of(verdict: route.Verdict) -> Scene:
    """The scene that a turn stands in: one that neither rule nor model can place is chat."""
    return verdict.scene if verdict.decisive else "chat"


def _own_words(source: Source) -> list[Event]:
    """What stands where a person's words do; whether any person speaks is for admission to say."""
    return [one for one in source.events if one.is_prompt and one.origin == "user"]


def worth_asking(drawn: Drawn, source: Source, cut: Cut | None) -> bool:
    """Whether a model may find more in a turn than rules did: not in thanks, nods and greetings."""
    if drawn.is_private:
        return False
    if drawn.work is not None:
        return True
    if source.kind != "interactive":
        return False
    return any(not plan.plan(one.content, cut, prompted=True).empty for one in _own_words(source))


def set_scene(con: apsw.Connection, turn: int, drawn: Drawn) -> None:
    """Let the turn and its own memory stand in the scene that was told."""
    turns.set_scene(con, turn, drawn.placed_in)
    memories.set_scene_of_turn(con, turn, drawn.placed_in)


def write(
    con: apsw.Connection, source: Source, drawn: Drawn, *, cut: Cut | None, now: int, refines: bool = False
) -> list[Placed]:
    """Put what was drawn beside what is known, in the caller's transaction, each decision with its reason."""
    turn = source.turn
    if not events.stand(con, source.events):
        # Something of it was forgotten while it was being drawn from: it is drawn from what is left.
        turns.distill_later(con, turn.id, now=now)
        return []
    set_scene(con, turn.id, drawn)
    sure = "" if drawn.scene.decisive else f"; it may be {drawn.scene.scene}, which no rule decides"
    runs.log(con, runs.Run("route", drawn.placed_in, drawn.scene.reason + sure, turn.id), at=now)
    if drawn.is_private:
        return _leave_out(con, turn, now=now)
    runs.log(con, _extracted(source, drawn), at=now)
    placed: list[Placed] = []
    for event, draft in drawn.said:
        placed += said.keep(con, turn, event, draft, cut=cut, now=now)
    if drawn.work is not None:
        placed += worked.keep(con, turn, drawn.work, cut=cut, now=now)
    if refines and (not turns.is_refined(con, turn.id) or _is_news(placed)):
        windows.wait(con, turn.id, now=now)
    if source.kind == "interactive":
        sessions.sum_up_later(
            con, turn.scope.source, turn.scope.session, now=now, not_before_at=now + sum_up.QUIET_US
        )
    return placed


def _leave_out(con: apsw.Connection, turn: Turn, *, now: int) -> list[Placed]:
    """Take a turn that is not to be remembered out of recall, and draw nothing from it."""
    record = work.record(con, turn.id)
    if record is not None:
        legs.retire(con, [memories.by_id(con, record)], why=slots.IN_WORDS, now=now)
    why = "the user asked that this be not remembered"
    runs.log(con, runs.Run("extract", "nothing", why, turn.id, (record,) if record else ()), at=now)
    return []


def _is_news(placed: Sequence[Placed]) -> bool:
    """Whether anything was written that was not there before."""
    return any(one.decision.verb != "skip" for one in placed)


def _extracted(source: Source, drawn: Drawn) -> runs.Run:
    parts = [f"{len(drawn.said)} of the user's statements"] if drawn.said else []
    if drawn.work is not None:
        parts.append("what was done")
        parts += [f"{len(drawn.work.learned)} learned"] if drawn.work.learned else []
    if parts:
        return runs.Run("extract", "drafts", ", ".join(parts), source.turn.id)
    why = (
        "no lasting statement in the user's words, and nothing was done"
        if source.kind == "interactive"
        else f"a {source.kind} session speaks for nobody, and nothing was done"
    )
    return runs.Run("extract", "nothing", why, source.turn.id)
