"""What is known of where a memory came from, what was decided on the way, and why a turn left none."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..pipelines import correct
from ..store import events, evidence, jobs, memories, runs, settings, turns, workspaces
from ..store.clock import DAY_US
from ..store.errors import BadInput, NotFound
from . import instants
from .asked import Detail, Source

if TYPE_CHECKING:
    import apsw

    from ..store.memories import Support
    from ..store.models import Memory as Row
    from ..store.models import Scope, Turn
    from ..store.runs import Held, Joined, Logged, Pending

# A task that went on for longer is told by its beginning.
TASK_MEMORIES = 50
# Of what a memory was drawn from, so many quotes are shown each.
QUOTES = 3


@dataclass(frozen=True, slots=True)
class Told:
    """A turn as an explanation tells it. `waits` is what is still to be drawn from it; `paused` is memory here, now."""

    turn: Turn
    session_kind: str
    workspace: str | None
    words: str | None
    held: tuple[Held, ...]
    steps: tuple[Logged, ...]
    left: tuple[Row, ...]
    supported: tuple[Row, ...]
    waits: Pending | None
    paused: bool

    @property
    def why_scene(self) -> str | None:
        """The reason that the log gives for the turn's scene; None where it gives none."""
        return next((step.reason for step in reversed(self.steps) if step.step == "route"), None)


@dataclass(frozen=True, slots=True)
class Explained:
    """A memory, where it came from, what was decided on the way, and what became of it."""

    detail: Detail
    told: Told | None
    steps: tuple[Logged, ...]
    links: tuple[Joined, ...]
    task: tuple[Row, ...]


def detail(con: apsw.Connection, row: Row) -> Detail:
    """A memory with all that it rests on, and its versions."""
    sources = []
    for step in evidence.chain(con, row):
        said_ = memories.evidence(con, step.memory.id)
        sources.append(Source(step, tuple(said_[:QUOTES]), max(0, len(said_) - QUOTES)))
    versions = memories.versions(con, row.root)
    return Detail(row, tuple(memories.evidence(con, row.id)), tuple(versions), drawn_from=tuple(sources))


def of_memory(con: apsw.Connection, number: int, scope: Scope, *, now: int) -> Explained:
    """A memory with all that is known of how it came about. Raises NotFound."""
    row = correct.owned(con, number, scope)
    detail_ = detail(con, row)
    told = None if row.turn is None else _told(con, row.turn, scope, now=now)
    own = [version.id for version in detail_.versions]
    steps = {step.id: step for step in runs.naming(con, own)}
    # What was decided of its turn as a whole, before there was a memory that could be named.
    whole = told.steps if told else ()
    steps |= {step.id: step for step in whole if not step.memories and step.step != "capture"}
    links = [one for one in runs.joined(con, own) if one.memory.scope.user == scope.user]
    task = runs.task_line(con, own, limit=TASK_MEMORIES)
    in_order = sorted(steps.values(), key=lambda step: (step.ran_at, step.id))
    return Explained(detail_, told, tuple(in_order), tuple(links), tuple(task))


def of_turn(
    con: apsw.Connection, what: str, number: int, scope: Scope, *, now: int
) -> tuple[Told, Support | None, Sequence[Row]]:
    """
    The turn that an id leads to, and the event with what rests on it where it is an event's.

    Raises:
        BadInput: it is the id of a memory that belongs to no turn.
        NotFound: nothing of this user has that id.
    """
    if what == "e":
        event = runs.event(con, number)
        told = None if event is None else _told(con, event.turn, scope, now=now)
        if told is None:
            raise NotFound(f"There is no event e{number}; a memory's evidence names the events it rests on.")
        return told, event, runs.resting(con, number)
    turn: int | None = number
    if what == "m":
        row = correct.owned(con, number, scope)
        if (turn := row.turn) is None:
            raise BadInput(f"{row.short} belongs to no turn; explain {row.short} itself, not its turn.")
    told = None if turn is None else _told(con, turn, scope, now=now)
    if told is None:
        raise NotFound(
            f"There is no turn t{turn}; a memory's evidence names its turn. What is said while memory is paused or "
            "off leaves none."
        )
    return told, None, ()


def _told(con: apsw.Connection, turn: int, scope: Scope, *, now: int) -> Told | None:
    found = turns.turn(con, turn)
    if found is None or found.scope.user != scope.user:
        return None
    prompt = events.outline(con, turn).prompt
    workspace = found.scope.workspace
    return Told(
        turn=found,
        session_kind=turns.kind(con, turn) or "",
        workspace=None if workspace is None else workspaces.name(con, workspace),
        words=prompt.content if prompt else None,
        held=tuple(runs.held(con, turn)),
        steps=tuple(runs.of_turn(con, turn)),
        left=tuple(runs.left(con, turn)),
        supported=tuple(runs.supported(con, turn)),
        waits=runs.pending(con, turns.DISTILL, str(turn)),
        paused=settings.paused(con, workspace=workspace, now=now),
    )


FADED = (
    "It was archived on {}, since nothing had confirmed or used it for long, and is not recalled; its text and its "
    "evidence stay. To be said again, rated helpful or restored brings it back."
)


def state(row: Row, *, now: int) -> tuple[str, str, int | None]:
    """
    What has become of a memory: `live`, `retired`, `expired`, `past`, `archived` or `ahead`; the sentence; since when.
    """
    if row.retired_at is not None:
        return (
            "retired",
            f"It was retired on {instants.shown(row.retired_at)}: {row.retired_why}.",
            row.retired_at,
        )
    if row.expires_at is not None and row.expires_at <= now:
        return (
            "expired",
            f"It expired on {instants.shown(row.expires_at)} and is not recalled.",
            row.expires_at,
        )
    if row.valid_to is not None and row.valid_to <= now:
        return "past", f"It was true until {instants.shown(row.valid_to)}.", row.valid_to
    if row.archived_at is not None:
        return "archived", FADED.format(instants.shown(row.archived_at)), row.archived_at
    if row.valid_from is not None and row.valid_from > now:
        return "ahead", f"It will be true from {instants.shown(row.valid_from)}.", row.valid_from
    ends = [f"is true until {instants.shown(row.valid_to)}"] if row.valid_to is not None else []
    ends += [f"expires on {instants.shown(row.expires_at)}"] if row.expires_at is not None else []
    lost = [] if row.renew_at is None else [" Part of what it rested on is gone; it waits to be drawn anew."]
    return "live", "".join([" and ".join(["It is live", *ends]) + ".", *lost]), None


def why(told: Told, *, now: int, log_days: int) -> str:
    """What a turn left, or the reason that it left nothing, as far as it is known, in one sentence or two."""
    drawn = [row for row in told.left if row.kind != "turn"]
    waits = _waits(told)
    if drawn:
        proof = f"What it says is proof of {ids(told.supported)}, too." if told.supported else ""
        gone = [f"{row.short}: {state(row, now=now)[1]}" for row in drawn if row.retired_at is not None]
        more = f"More may come: {waits}." if waits else ""
        return " ".join(filter(None, [f"It left {ids(drawn)}.", *gone, proof, more]))
    beside = f"Beside {ids(told.left)}, which is the turn itself, it" if told.left else "It"
    return f"{beside} left no memory: {waits or _nothing(told, now, log_days)}."


def _waits(told: Told) -> str:
    """Why it is not yet known what a turn leaves; "" where it is."""
    if told.turn.status == "open":
        paused = "; memory is paused here, and does not hear of its end" if told.paused else ""
        return f"it is still open, and is drawn from when it has ended{paused}"
    match told.waits:
        case None:
            return ""
        case runs.Pending(state="failed", tries=tries, error=error):
            return f"drawing from it failed {tries} times, at last by “{error}”; `backstory status` lists such work"
        case runs.Pending(state="running"):
            return "it is being drawn from at this moment"
        case runs.Pending(tries=tries, error=error, not_before_at=at) if tries:
            tried = f"{tries} of {jobs.MAX_TRIES} tries"
            return f"drawing from it failed so far ({tried}, “{error}”); it is tried again from {instants.shown(at)}"
        case runs.Pending(created_at=at):
            return f"it waits in the queue since {instants.shown(at)}; `backstory tend` does what waits"


def _nothing(told: Told, now: int, log_days: int) -> str:
    own = {row.id for row in told.left}
    decided = [step for step in told.steps if step.step != "capture" and not own & set(step.memories)]
    known = f"what it says is known already and is proof of {ids(told.supported)}" if told.supported else ""
    if decided:
        last = decided[-1]
        reason = last.reason or f"{last.step} said “{last.verdict}”"
        told_so = f"{reason} ({said(last)}, {instants.shown(last.ran_at)})"
        return f"{known}: {told_so}" if known else told_so
    if told.session_kind != "interactive" and not known:
        return f"its session is a {told.session_kind} one, in which nobody speaks for themselves"
    return known or gap(told.turn.ended_at or told.turn.started_at, now=now, log_days=log_days)


def gap(at: int, *, now: int, log_days: int) -> str:
    """Why the log says nothing of what happened at that moment."""
    if at < now - log_days * DAY_US:
        return f"the log of that time is gone, since it is kept for {log_days} days (setting log_days)"
    return "the log says nothing of it"


def ids(rows: Sequence[Row]) -> str:
    """The memories by name: `m42, m43`."""
    return ", ".join(row.short for row in rows)


def said(step: Logged) -> str:
    """A step and its verdict in three words, whatever they are called."""
    return f"{step.step} failed" if step.verdict == runs.FAILED else f"{step.step} said “{step.verdict}”"
