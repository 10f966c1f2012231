"""
Conductor: what a model adds to turns that the rules have been through. A window of one session's turns is judged where
rules could not, read by one call, checked, and placed; where a model cannot be asked, what the rules kept stands.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import apsw

from ..store import events, runs, turns, windows, work
from ..store.clock import DAY_US, SECOND_US
from ..store.cutter import Cut
from ..store.db import Database
from ..store.models import Event, Scene
from ..store.windows import Waiting
from . import distill, judge, reconcile_model, refining, worked
from .distill import Drawn, Source
from .extract.by_model import Extraction, extract
from .extract.model_windows import Spoken, WindowTurn
from .llm import Model, Spent
from .llm_log import costed
from .placing import Placed

# A window in hand: longer than its calls may take together, so that nobody else asks the same.
LEASE_S = 600.0
# When a turn is tried again that the model could not be asked about.
AGAIN_US, TOMORROW_US = 600 * SECOND_US, DAY_US
# What a window may cost, in calls for each of its turns by scene; what is left is for weighing statements.
CALLS: Mapping[Scene, int] = {"chat": 1, "working": 2, "coding": 2}


@dataclass(frozen=True)
class Look:
    """A turn of a window: as it lies in the file, what the rules drew from it, and the scene that it is in."""

    source: Source
    drawn: Drawn
    judged: judge.Judged | None


@dataclass(frozen=True)
class Refined:
    """What a window came to: turns that are done, and those that wait for the model, with what it cost."""

    turns: int
    put_back: int
    calls: int


def step(db: Database, model: Model, owner: str, *, cut: Cut | None, now: int) -> Refined | None:
    """One window that is due, asked about and written; None where none is. A model that rests is not asked."""
    if db.readonly or not db.read(windows.is_due, now=now):
        return None
    if _rests(model, now=now):
        return None
    taken = db.write(windows.take, owner, now=now, lease_s=LEASE_S)
    looks = [look for one in taken if (look := _look(db, model, one.turn, now=now)) is not None]
    found = extract(model, [_shown(look) for look in looks], earlier=_earlier(looks), now=now)
    weighed = _weigh(db, model, looks, found, cut, now=now)
    return db.write(_settle, taken, looks, found, weighed, owner, cut=cut, now=now)


def _rests(model: Model, *, now: int) -> bool:
    state = model.state_at(now)
    spent = bool(state.budget) and state.spent_today >= state.budget
    return spent or any(one.model == state.models.get("extract") for one in state.resting)


def _look(db: Database, model: Model, turn: int, *, now: int) -> Look | None:
    source = db.read(distill.read, turn)
    if source is None or db.read(work.taken_out, turn):
        return None
    drawn = distill.draw(source)
    if drawn.scene.decisive:
        return Look(source, drawn, None)
    judged = judge.judge(model, [*source.earlier, source.done], now=now)
    if judged.declined is not None:
        return Look(source, drawn, judged)
    return Look(source, distill.draw(source, judged.verdict), judged)


def _shown(look: Look) -> WindowTurn:
    """The turn as a model is shown it: of a chat no tool at all."""
    source, work = look.source, look.drawn.work
    working = work is not None and look.drawn.placed_in != "chat"
    spoken = [
        _spoken(one) for one in source.events if one.role in ("user", "assistant") and one.content.strip()
    ]
    steps = source.done.steps if working else ()
    return WindowTurn(
        source.turn.id, source.turn.started_at, source.utc_offset_s, tuple(spoken), steps,
        fact=work.fact if work else None, learned=work.learned if work else (),
        conditions=work.conditions if work else {},
    )  # fmt: skip


def _spoken(event: Event) -> Spoken:
    by_user = event.role == "user" and event.origin == "user"
    return Spoken(event.id, "user" if by_user else "agent", event.content)


def _earlier(looks: Sequence[Look]) -> list[str]:
    return [one.prompt for one in looks[0].source.earlier] if looks else []


def _weigh(
    db: Database, model: Model, looks: Sequence[Look], found: Extraction, cut: Cut | None, *, now: int
) -> Mapping[int, reconcile_model.Weighed]:
    """What a model says of statements that no rule can place, by their place in `found`, as far as calls are left."""
    weighed: dict[int, reconcile_model.Weighed] = {}
    most = sum(CALLS[look.drawn.placed_in] - (look.judged is not None) for look in looks) - len(found.calls)
    for at, one in enumerate(found.statements):
        look = next((each for each in looks if each.source.turn.id == one.turn), None)
        event = next((each for each in look.source.events if each.id == one.event), None) if look else None
        if look is None or event is None or len(weighed) >= most:
            continue
        asked = db.read(refining.undecided, look.source.turn, event, one, cut, now=now)
        if asked is not None:
            weighed[at] = reconcile_model.weigh(model, *asked, now=now)
    return weighed


def _settle(
    con: apsw.Connection,
    taken: Sequence[Waiting],
    looks: Sequence[Look],
    found: Extraction,
    weighed: Mapping[int, reconcile_model.Weighed],
    owner: str,
    *,
    cut: Cut | None,
    now: int,
) -> Refined:
    """Write what was found, and strike the turns off; all of it or nothing."""
    why = found.declined[-1] if found.declined else None
    waits = set(found.left) if why is not None and why.is_of_the_moment else set()
    back = [one for one in taken if one.turn in waits]
    finished = [one for one in taken if one.turn not in waits]
    if not windows.done(con, finished, owner):
        return Refined(0, 0, 0)  # another has taken them meanwhile, and writes what it found
    turns.refined(con, [one.turn for one in finished], at=now)
    _log_calls(con, looks, found, weighed, now=now)
    if back and why is not None:
        later = now + (TOMORROW_US if why.why == "budget" else AGAIN_US)
        windows.put_back(con, back, owner, not_before_at=later, why=why.reason, now=now)
    for look in looks:
        if look.source.turn.id not in found.left:
            _place(con, look, found, weighed, last=looks[-1].source.turn.id, cut=cut, now=now)
    calls = sum(one.calls for one in found.calls)
    return Refined(len(finished), len(back), calls)


def _place(
    con: apsw.Connection,
    look: Look,
    found: Extraction,
    weighed: Mapping[int, reconcile_model.Weighed],
    *,
    last: int,
    cut: Cut | None,
    now: int,
) -> list[Placed]:
    turn = look.source.turn
    if not events.stand(con, look.source.events):  # forgotten meanwhile, in part or whole
        return []
    distill.set_scene(con, turn.id, look.drawn)
    placed: list[Placed] = []
    known = {one.id: one for one in look.source.events}
    for at, one in enumerate(found.statements):
        if one.turn == turn.id and one.event in known:
            decision = weighed[at].decision if at in weighed else None
            placed += refining.statement(con, turn, known[one.event], one, weighed=decision, cut=cut, now=now)
    # What names no turn is told under the last.
    for no in (one for one in found.refused if (one.turn or last) == turn.id):
        runs.log(con, runs.Run("extract", "refused", f"{no.reason}: {no.what}"[:300], turn.id), at=now)
    if look.drawn.work is not None and turn.id in found.facts:
        told = replace(look.drawn.work, fact=found.facts[turn.id], learned=found.learned.get(turn.id, ()))
        placed += worked.keep(con, turn, told, cut=cut, now=now, by="model")
    return placed


def _log_calls(
    con: apsw.Connection,
    looks: Sequence[Look],
    found: Extraction,
    weighed: Mapping[int, reconcile_model.Weighed],
    *,
    now: int,
) -> None:
    """One row a question: what was asked of which model, what came of it, what it cost."""
    for look in looks:
        if look.judged is not None:
            declined = look.judged.declined
            verdict, reason = (
                ("declined", declined.reason)
                if declined
                else (look.judged.verdict.scene, "a model judged it so")
            )
            _log(con, "judge", verdict, reason, look.judged.spent, look.source.turn.id, now=now)
    turn = looks[-1].source.turn.id if looks else None
    kept = (
        f"{found.proposed} proposed, {len(found.statements)} statements taken, {len(found.refused)} refused"
    )
    for spent in found.calls:
        if all(no.spent is not spent for no in found.declined):
            _log(con, "extract", "answered", kept, spent, turn, now=now)
    for no in found.declined:
        _log(con, "extract", "declined", no.reason, no.spent, turn, now=now)
    for at, one in weighed.items():
        verdict = "declined" if one.declined else one.decision.verb if one.decision else "refused"
        said_ = one.declined.reason if one.declined else one.decision.reason if one.decision else ""
        reason = "; ".join(filter(None, [said_, one.kept_back and f"not followed: {one.kept_back}"]))
        _log(con, "reconcile", verdict, reason, one.spent, found.statements[at].turn, now=now)


def _log(
    con: apsw.Connection,
    step_: str,
    verdict: str,
    reason: str,
    spent: Spent | None,
    turn: int | None,
    *,
    now: int,
) -> None:
    runs.log(con, costed(runs.Run(step_, verdict, reason, turn), spent), at=now)
