"""Why a memory is there, and why a turn left none: told in sentences, and as JSON."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Any

from ..pipelines.capture import one_line
from ..store.errors import BadInput
from ..store.marks import harmless, marked
from . import answers, instants, lineage

if TYPE_CHECKING:
    from ..store.memories import Support
    from ..store.models import Memory as Row
    from ..store.runs import Held, Logged
    from .lineage import Explained, Told
    from .memory import Memory

ID = re.compile(r"\s*([mte]?)([0-9]{1,15})\s*", re.IGNORECASE)
# Of the user's words and of an event; of another memory, which can be asked for by its id.
WORDS_CHARS, LINE_CHARS = 600, 160
# What a link says of a memory and the one it goes to, and of a memory and the one it comes from; by the rows' words.
LINKED = {
    "supersedes": ("It took the place of {}", "{} took its place"),
    "contradicts": ("It contradicts {}", "{} contradicts it"),
    "derived_from": ("It was drawn from {}", "{} was drawn from it"),
    "part_of": ("It is part of {}", "{} is part of it"),
}
EVENTS = {"reply": ("reply", "replies"), "tool": ("tool call", "tool calls")}


def answer(memory: Memory, given: str, *, turn: bool = False, as_json: bool = False) -> str:
    """
    The explanation of a memory (m42), a turn (t7) or an event (e310), as text or as a JSON document.

    Args:
        turn: the turn of what is named is asked about; a bare number is a turn's, else a memory's.

    Raises:
        BadInput: it is no id, or the memory belongs to no turn.
        NotFound: nothing of this user has that id.
    """
    what, number = _id(given, turn=turn)
    now, days = memory.now(), memory.options.log_days
    if what == "m" and not turn:
        found = memory.db.read(lineage.of_memory, number, memory.at.scope, now=now)
        if as_json:
            return _dump(memory_json(found, memory, now=now))
        return memory_text(found, now=now, log_days=days)
    told, event, resting = memory.db.read(lineage.of_turn, what, number, memory.at.scope, now=now)
    if as_json:
        return _dump(turn_json(told, event, resting, now=now, log_days=days))
    return turn_text(told, event, resting, now=now, log_days=days)


def _id(given: str, *, turn: bool) -> tuple[str, int]:
    found = ID.fullmatch(given)
    if found is None:
        code = "; the versions of code are told by `backstory log`" if "::" in given or "/" in given else ""
        raise BadInput(
            f"{given.strip()[:40]!r} is no id; give a memory's (m42), a turn's (t7) or an event's (e310), as a search "
            f"and a memory's evidence show them{code}."
        )
    return found[1].lower() or ("t" if turn else "m"), int(found[2])


# As text.


def memory_text(found: Explained, *, now: int, log_days: int) -> str:
    """The explanation of a memory for a reader."""
    row, told = found.detail.memory, found.told
    parts = [
        f"{row.short}: {row.kind}, scene {row.scene}, by {row.origin}, kept {instants.shown(row.recorded_at)}. "
        + lineage.state(row, now=now)[1],
        row.text,
        "\nRests on:",
        *([_quote(one) for one in found.detail.evidence] or ["- no evidence is recorded"]),
    ]
    if told is not None:
        parts += ["\nComes from:", *_turn(told)]
    steps = list(_steps(found.steps)) or [f"- {lineage.gap(row.recorded_at, now=now, log_days=log_days)}"]
    parts += ["\nDecided on the way:", *steps]
    if around := list(_around(found)):
        parts += ["\nWhat it replaced, what replaced it, what goes with it:", *around]
    return marked(harmless("\n".join(parts)))


def turn_text(told: Told, event: Support | None, resting: Sequence[Row], *, now: int, log_days: int) -> str:
    """The explanation of a turn for a reader; of an event, what rests on it comes first."""
    parts = []
    if event is not None:
        rests = f"What rests on it: {lineage.ids(resting)}." if resting else "No memory rests on it."
        parts += [_quote(event).removeprefix("- "), rests, ""]
    at = told.turn.ended_at or told.turn.started_at
    steps = list(_steps(told.steps)) or [f"- {lineage.gap(at, now=now, log_days=log_days)}"]
    parts += [
        *_turn(told),
        "\nDecided on the way:",
        *steps,
        "\n" + lineage.why(told, now=now, log_days=log_days),
    ]
    parts += [f"- {_named(row)}" for row in told.left]
    return marked(harmless("\n".join(parts)))


def _quote(support: Support) -> str:
    when = instants.shown(support.occurred_at)
    return f"- {support.role}, {when} (e{support.event}, t{support.turn}): “{one_line(support.quote, WORDS_CHARS)}”"


def _turn(told: Told) -> Iterator[str]:
    turn, scope = told.turn, told.turn.scope
    ended = "still open" if turn.ended_at is None else f"{turn.status} {instants.shown(turn.ended_at)}"
    where = [
        scope.source, f"session {scope.session}",
        None if told.session_kind == "interactive" else told.session_kind,
        f"workspace {told.workspace}" if told.workspace else "no workspace",
        f"branch {scope.branch}" if scope.branch else None,
    ]  # fmt: skip
    yield f"t{turn.id}, begun {instants.shown(turn.started_at)}, {ended}: {', '.join(filter(None, where))}."
    if told.words is not None:
        yield f"The user said: “{one_line(told.words, WORDS_CHARS)}”"
    if turn.scene is not None:
        because = "; the log gives no reason for it" if told.why_scene is None else f": {told.why_scene}"
        yield f"Its scene is {turn.scene}{because}."
    yield f"It holds {', '.join(map(_counted, told.held)) or 'nothing'}."


def _counted(held: Held) -> str:
    one, many = EVENTS.get(held.kind, (held.kind, f"{held.kind}s"))
    failed = f" ({held.failed:,} failed)" if held.failed else ""
    return f"{held.count:,} {one if held.count == 1 else many}{failed}"


def _steps(steps: Sequence[Logged]) -> Iterator[str]:
    """A sentence a step; what is said several times in a row is said once, with how often."""
    for _, group in groupby(
        steps, key=lambda one: (one.step, one.verdict, one.reason, one.memories, one.model)
    ):
        yield _sentence(list(group))


def _sentence(same: Sequence[Logged]) -> str:
    step, last = same[0], same[-1]
    said = f"- {instants.shown(step.ran_at)} {lineage.said(step)}"
    if step.reason:
        said += f": {_reason(step)}"
    if step.memories:
        said += f" ({', '.join(f'm{id_}' for id_ in step.memories)})"
    if step.model is not None:
        tokens_in, tokens_out = sum(one.tokens_in for one in same), sum(one.tokens_out for one in same)
        said += f"; asked {step.model}, {tokens_in:,} tokens in and {tokens_out:,} out"
    if took_us := sum(one.took_us for one in same):
        said += f"; took {took_us / 1000:,.1f} ms"
    return f"{said}; {len(same)} times until {instants.shown(last.ran_at)}" if len(same) > 1 else said


def _reason(step: Logged) -> str:
    # What was captured is logged by the name of its type.
    return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", step.reason).lower() if step.step == "capture" else step.reason


def _around(found: Explained) -> Iterator[str]:
    row, versions = found.detail.memory, found.detail.versions
    if len(versions) > 1:
        number = [version.id for version in versions].index(row.id) + 1
        yield f"- Version {number} of {len(versions)}: {lineage.ids(versions)}, the oldest first."
    for one in found.links:
        if one.kind == "same_task" and found.task:
            continue
        way = LINKED.get(
            one.kind, (f"It is linked to {{}} ({one.kind})", f"{{}} is linked to it ({one.kind})")
        )
        relation = f" ({one.data['relation']})" if one.data.get("relation") else ""
        yield f"- {way[not one.outward].format(_named(one.memory))}, {instants.shown(one.created_at)}{relation}"
    if found.task:
        yield f"- Of the same task, the oldest first: {lineage.ids(found.task)}."
    linked = {one.memory.id for one in found.links} | {version.id for version in versions}
    for other in found.told.left if found.told else ():
        if other.id not in linked:
            yield f"- Of the same turn: {_named(other)}"


def _named(row: Row) -> str:
    gone = ", retired" if row.retired_at is not None else ""
    return f"{row.short} ({row.kind}{gone}: “{one_line(row.line or row.text, LINE_CHARS)}”)"


# As JSON.


def memory_json(found: Explained, memory: Memory, *, now: int) -> dict[str, Any]:
    """
    The published form: `memory`, `evidence` and `versions` as `show` gives them, and

        state       {is: live, retired, expired, past, archived or ahead, says, at}
        turn        as of `turn_json`, without its steps; null where it belongs to none
        steps       [{at, step, verdict, reason, turn, memories, took_us, model, tokens_in, tokens_out,
                    prompt and answer: {hash, characters, text} or null}], oldest first
        links       [{kind, to or from: id, since, data}]; replaces, replaced_by: ids among them
        same_task, same_turn    ids
        log_days    for how long steps are kept
    """
    row, told = found.detail.memory, found.told
    is_, says, at = lineage.state(row, now=now)
    superseding = [one for one in found.links if one.kind == "supersedes"]
    return {
        **answers.detail_object(found.detail, memory.workspace_name),
        "state": {"is": is_, "says": says, "at": answers.iso(at)},
        "turn": None if told is None else _turn_object(told),
        "steps": [_step_object(step) for step in found.steps],
        "links": [
            {"kind": one.kind, "to" if one.outward else "from": one.memory.short, "since": answers.iso(one.created_at),
             "data": dict(one.data)}
            for one in found.links
        ],
        "replaces": [one.memory.short for one in superseding if one.outward],
        "replaced_by": [one.memory.short for one in superseding if not one.outward],
        "same_task": [one.short for one in found.task],
        "same_turn": [one.short for one in told.left if one.id != row.id] if told else [],
        "log_days": memory.options.log_days,
    }  # fmt: skip


def turn_json(
    told: Told, event: Support | None, resting: Sequence[Row], *, now: int, log_days: int
) -> dict[str, Any]:
    """
    The published form: `turn` {id, status, started_at, ended_at, source, session, session_kind, workspace, branch,
    scene, why_scene, words, events: {kind: {count, failed}}}, `steps` as of `memory_json`, `left` and `supports` (ids),
    `why` (the sentence), `waiting` (the job or null), `event` {id, role, kind, text, memories} or null, `log_days`.
    """
    waits = told.waits
    return {
        "format": answers.FORMAT,
        "turn": _turn_object(told),
        "steps": [_step_object(step) for step in told.steps],
        "left": [row.short for row in told.left],
        "supports": [row.short for row in told.supported],
        "why": lineage.why(told, now=now, log_days=log_days),
        "waiting": waits and {"state": waits.state, "tries": waits.tries, "error": waits.error or None},
        "event": event and {
            "id": f"e{event.event}", "role": event.role, "kind": event.kind, "text": event.quote,
            "memories": [row.short for row in resting],
        },
        "log_days": log_days,
    }  # fmt: skip


def _turn_object(told: Told) -> dict[str, Any]:
    turn, scope = told.turn, told.turn.scope
    return {
        "id": f"t{turn.id}", "status": turn.status, "started_at": answers.iso(turn.started_at),
        "ended_at": answers.iso(turn.ended_at), "source": scope.source, "session": scope.session,
        "session_kind": told.session_kind, "workspace": told.workspace, "branch": scope.branch, "scene": turn.scene,
        "why_scene": told.why_scene, "words": told.words,
        "events": {one.kind: {"count": one.count, "failed": one.failed} for one in told.held},
    }  # fmt: skip


def _step_object(step: Logged) -> dict[str, Any]:
    def said(hash_: str | None, characters: int | None, text: str | None) -> dict[str, Any] | None:
        return None if hash_ is None else {"hash": hash_, "characters": characters, "text": text}

    return {
        "at": answers.iso(step.ran_at), "step": step.step, "verdict": step.verdict, "reason": step.reason,
        "turn": None if step.turn is None else f"t{step.turn}", "memories": [f"m{id_}" for id_ in step.memories],
        "took_us": step.took_us, "model": step.model, "tokens_in": step.tokens_in, "tokens_out": step.tokens_out,
        "prompt": said(step.prompt_hash, step.prompt_chars, step.prompt),
        "answer": said(step.answer_hash, step.answer_chars, step.answer),
    }  # fmt: skip


def _dump(value: dict[str, Any]) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
