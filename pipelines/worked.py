"""What was done and learned in a turn, on the shelf: one fact in its line of work, and experiences linked to it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import apsw

from ..store import memories, runs, slots, work, workspaces
from ..store.cutter import Cut
from ..store.events import content_hash
from ..store.memories import Quote
from ..store.models import Event, NewMemory, Scene, Turn
from . import implied, task_lines
from .extract.conditions import Conditions
from .extract.drafts import Draft
from .extract.experiences import Undone, learned
from .extract.work_facts import Around, fact, gone_on_with
from .extract.work_trace import Trace
from .placing import Placed, place
from .task_lines import Doing, Line

# Of what an event says, so much is quoted where no words of it are.
SAID_CHARS = 400
By = Literal["rules", "model"]
# What a fact says of what was done; while it is the same, a model's telling of it stands.
COORDINATES = ("files", "commands", "symbols", "branch", "outcome")


@dataclass(frozen=True, slots=True)
class Code:
    """What a turn did to code: the symbols it changed; places it took back, with the words that had asked for them."""

    symbols: tuple[str, ...] = ()
    undone: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Work:
    """What is to be kept of a turn with tool calls, and the events that it may rest on."""

    scene: Scene
    fact: Draft
    learned: tuple[Draft, ...]
    events: tuple[Event, ...]
    conditions: Mapping[str, Any] = field(default_factory=dict)


def work_of(
    done: Trace,
    turn: Turn,
    scene: Scene,
    code: Code,
    earlier: Sequence[Trace],
    events: tuple[Event, ...],
    *,
    under: Conditions,
) -> Work | None:
    """The fact and the experiences of a turn; None where no tool was used."""
    if not done.steps:
        return None
    before = gone_on_with(done, earlier)
    interrupted = turn.status == "interrupted"
    did = fact(done, Around(scene, turn.scope.branch, code.symbols, interrupted, before))
    undone = [Undone(place_, tried, done.prompt or None) for place_, tried in code.undone]
    found = learned(done, under, undone=undone, earlier=earlier)
    return Work(scene, did, found, events, under.to_data())


def keep(
    con: apsw.Connection, turn: Turn, found: Work, *, cut: Cut | None, now: int, by: By = "rules"
) -> list[Placed]:
    """
    Write a turn's fact and experiences, linked both ways, in the caller's transaction. What a model has told better
    stays so when the rules come by again, unless more was done since.
    """
    line = _line(con, turn, found.fact, cut)
    data = {**found.fact.data, **({"line": dict(line.data)} if line else {}), "by": by}
    new = _memory(turn, found, found.fact, f"{work.DID}{turn.ulid}", data)
    told = slots.holder(con, new.scope, new.slot or "")
    if by == "rules" and told is not None and told.data.get("by") == "model" and _as_done(told.data, data):
        return []
    did = place(con, new, _proof(found, found.fact), cut=cut, now=now)
    placed = [did]
    if line is not None and did.memory is not None:
        memories.link(con, did.memory, line.latest.id, "same_task", now=now, data={"reason": line.reason})
        run = runs.Run("line", "same task", line.reason, turn.id, (did.memory, line.latest.id))
        runs.log(con, run, at=now)
    for one in found.learned:
        slot = f"{work.LEARNED}{content_hash(str(one.data['task_key']))}"
        held = place(con, _memory(turn, found, one, slot, one.data), _proof(found, one), cut=cut, now=now)
        if held.memory is not None and did.memory is not None:
            memories.link(con, held.memory, did.memory, "derived_from", now=now)
        placed.append(held)
        if held.memory is not None and one.data.get("from") == "corrected":
            corrected = memories.by_id(con, held.memory)
            shown = implied.wish(con, turn, corrected, _proof(found, one), cut=cut, now=now)
            placed += [shown] if shown else []
    return placed


def _as_done(known: Mapping[str, Any], data: Mapping[str, Any]) -> bool:
    return all(known.get(name) == data.get(name) for name in COORDINATES)


def _line(con: apsw.Connection, turn: Turn, did: Draft, cut: Cut | None) -> Line | None:
    scope = turn.scope
    family = [] if scope.workspace is None else workspaces.family(con, scope.workspace)
    files = frozenset(map(str, did.data.get("files") or ()))
    doing = Doing(scope, str(did.data.get("asked") or ""), files, turn.started_at)
    lately = work.lately(
        con, user=scope.user, workspaces=family, since=turn.started_at - task_lines.REST_US,
        before=turn.started_at, limit=task_lines.LATEST,
    )  # fmt: skip
    return task_lines.goes_on_with(doing, lately, cut)


def _memory(turn: Turn, found: Work, draft: Draft, slot: str, data: Mapping[str, Any]) -> NewMemory:
    return NewMemory(
        kind=draft.kind, scene=found.scene, scope=turn.scope, text=draft.text, origin="agent", line=draft.line,
        turn=turn.id, slot=slot, importance=draft.importance, confidence=draft.confidence,
        valid_from=turn.started_at, data={**data, "turn": turn.ulid},
    )  # fmt: skip


def _proof(found: Work, draft: Draft) -> list[Quote]:
    """Where the words stand that a draft rests on; the beginning of what a tool said, where they were made from it."""
    role = {"prompt": "user", "reply": "assistant"}.get(str(draft.data.get("quoted", "prompt")))
    among = [one for one in found.events if one.id == draft.data.get("event") or (role and one.role == role)]
    for one in among:
        if draft.quote and (at := one.content.find(draft.quote)) >= 0:
            return [Quote(one.id, at, at + len(draft.quote))]
    whole = among or [one for one in found.events if one.is_prompt] or list(found.events)
    return [Quote(one.id, 0, min(len(one.content), SAID_CHARS)) for one in whole[:1]]
