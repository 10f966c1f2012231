"""Conductor: a question, or the start of a session, to what an agent is handed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import apsw

from ..store import conflicts, deliveries, digests, events, settings, turns, workspaces
from ..store.clock import DAY_US, SECOND_US
from ..store.conflicts import Against
from ..store.cutter import Cut
from ..store.db import Database
from ..store.filters import Filter
from ..store.models import Hit, Memory, Packet, Scene, Turn
from ..store.peek_start import DIGEST_PROFILE, INTENTION_LIMIT
from ..store.words import Query
from . import capture, fold, plan, retrieve
from .embed import Asked
from .plan import Plan
from .redact import redact

# A question's vector for each index that answers, and by arm why others cannot.
Ask = Callable[[str], tuple[list[Asked], dict[str, str]]]

# Candidates looked at for each memory wanted, since some were given already.
CANDIDATES = 4
# So many news come with a prompt: what is due, and what became known of the user after the session was told.
NEWS = 3
# How much more a memory of the scene that is asked about weighs, told by the question's words or by a model.
BY_RULE, BY_MODEL = 1.1, 1.15
# A memory shorter than this is no proof that the agent has seen it when its words turn up in a file.
SEEN_CHARS = 40
ASKED_CHARS, RESULT_CHARS, EDITS = 600, 300, 12
# An open turn that another session has said nothing in for so long is no longer at work.
QUIET_US = 600 * SECOND_US


@dataclass(frozen=True, slots=True)
class Unfinished:
    """
    A turn that never came to its end: what was asked, the files edited so far, the last thing that happened.
    `elsewhere`: another session may be at it still.
    """

    turn: Turn
    asked: str
    edited: tuple[str, ...]
    last: str
    elsewhere: bool = False


@dataclass(frozen=True, slots=True)
class Digest:
    """
    What a session starts with; `latest` is where the workspace was left: turns, or the facts of what was done.
    `against`: by memory, what stands against it.
    """

    profile: tuple[Memory, ...] = ()
    intentions: tuple[Memory, ...] = ()
    latest: tuple[Memory, ...] = ()
    unfinished: Unfinished | None = None
    against: Mapping[int, tuple[Against, ...]] = field(default_factory=dict)


def recall(
    question: str,
    wanted: Filter,
    *,
    db: Database,
    ask: Ask | None,
    cut: Cut | None,
    limit: int,
    offset: int = 0,
    prompted: bool = False,
) -> Packet:
    """
    The memories that answer a question, best first, after the relevance floor; none is a normal answer.

    `prompted`: the words were said to an agent, not asked of memory; the floor is higher for them.
    """
    # A question may go to an embedder that is not on this machine, and into a log.
    question = redact(question, salt=b"")
    planned = plan.plan(question, cut, prompted=prompted)
    return _answer(planned, wanted, db=db, ask=ask, cut=cut, limit=limit, offset=offset)


def _answer(
    planned: Plan,
    wanted: Filter,
    *,
    db: Database,
    ask: Ask | None,
    cut: Cut | None,
    limit: int,
    offset: int = 0,
) -> Packet:
    if planned.empty:
        return _packet([], planned.text, wanted)
    asked, degraded = ask(planned.text) if ask else ([], {})
    found = db.read(_found, planned, wanted, asked, degraded, cut)
    if planned.scene is not None and wanted.scene is None:
        found = sorted((_toward(hit, planned.scene, BY_RULE) for hit in found), key=fold.order)
    hits = disputed(found[offset : offset + limit], wanted, db=db)
    left = max(0, len(found) - offset - len(hits))
    return _packet(hits, planned.text, wanted, degraded, left)


def disputed(hits: Sequence[Hit], wanted: Filter, *, db: Database) -> list[Hit]:
    """The hits, each with what stands against it at the time of the reading."""
    ids = [hit.memory.id for hit in hits]
    found = db.read(
        conflicts.against, ids, now=wanted.now_at, true_at=wanted.as_of, known_at=wanted.known_as_of
    )
    return [replace(hit, against=found.get(hit.memory.id, ())) for hit in hits]


def _packet(
    hits: Sequence[Hit],
    query: str,
    wanted: Filter,
    degraded: Mapping[str, str] | None = None,
    omitted: int = 0,
) -> Packet:
    return Packet(
        tuple(hits), query, degraded or {}, omitted, wanted.now_at, wanted.as_of, wanted.known_as_of
    )


def several(
    questions: Sequence[str],
    wanted: Filter,
    *,
    db: Database,
    ask: Ask | None,
    cut: Cut | None,
    limit: int,
    offset: int = 0,
    toward: Scene | None = None,
) -> Packet:
    """
    The memories that answer any of the questions, each with the best score that one of them gave it. What folds is
    settled for each question: what was drawn from a turn may answer the one and not the other.

    `toward`: the scene that is asked about, whose memories weigh a little more; those of others stay.
    """
    if len(questions) == 1 and toward is None:
        return recall(questions[0], wanted, db=db, ask=ask, cut=cut, limit=limit, offset=offset)
    packets = [recall(q, wanted, db=db, ask=ask, cut=cut, limit=offset + limit) for q in questions]
    best: dict[int, Hit] = {}
    for hit in (_toward(hit, toward, BY_MODEL) for packet in packets for hit in packet.hits):
        known = best.get(hit.memory.id)
        if known is None or hit.score > known.score:
            best[hit.memory.id] = hit
    ranked = sorted(best.values(), key=fold.order)
    degraded = {arm: why for packet in packets for arm, why in packet.degraded.items()}
    hits = ranked[offset : offset + limit]
    left = max(0, len(ranked) - offset - len(hits)) + sum(packet.omitted for packet in packets)
    return _packet(hits, "\n".join(questions), wanted, degraded, left)


def _toward(hit: Hit, scene: Scene | None, weight: float) -> Hit:
    """A hit of the scene that is asked about weighs a little more; a scene is no wall."""
    return replace(hit, score=hit.score * weight) if hit.memory.scene == scene and hit.score > 0 else hit


def _found(
    con: apsw.Connection,
    planned: Plan,
    wanted: Filter,
    asked: Sequence[Asked],
    degraded: dict[str, str],
    cut: Cut | None,
) -> list[Hit]:
    hits = retrieve.find(con, planned, wanted, asked, degraded)
    hits = fold.folded(con, Query() if "words" in degraded else planned.query, hits)
    return fold.equivalents(con, hits, cut)


def for_prompt(
    prompt: str,
    wanted: Filter,
    *,
    source: str,
    session: str,
    db: Database,
    ask: Ask | None,
    cut: Cut | None,
    limit: int,
) -> Packet:
    """
    What a prompt should be accompanied by, without what the session holds already: given before and unchanged,
    said or made in it, read by it. Nothing while memory is paused.

    With it, or alone, come news, once: plans that are due, and what became known of the user since the session began.
    """
    planned = plan.plan(redact(capture.clean(prompt), salt=b""), cut, prompted=True)
    packet = _answer(planned, wanted, db=db, ask=ask, cut=cut, limit=limit * CANDIDATES)
    if planned.empty:
        return packet  # a greeting or a nod is no moment for news either
    fresh, left = db.read(_fresh, packet.hits, wanted, source, session, limit=limit)
    fresh = disputed(fresh, wanted, db=db)
    return Packet(tuple(fresh), packet.query, packet.degraded, left + packet.omitted, packet.as_of_at)


def _fresh(
    con: apsw.Connection, hits: Sequence[Hit], wanted: Filter, source: str, session: str, *, limit: int
) -> tuple[list[Hit], int]:
    """
    The first `limit` hits that are new to the session, the news of which it was not told among them, and how many come
    after them.
    """
    given = deliveries.given(con, source, session)
    since = turns.context_began_at(con, source, session)
    known = {hit.memory.id for hit in hits}
    news = [
        Hit(memory, 0.0, ("profile" if memory.kind == "profile" else "intentions",))
        for memory in digests.news(
            con, wanted, source=source, session=session, since=since, limit=min(NEWS, limit)
        )
        if memory.id not in known
    ]
    found, left = _new(con, hits, given, source, session, since or 0, limit=limit - len(news))
    return [*found, *news], left


def _new(
    con: apsw.Connection,
    hits: Sequence[Hit],
    given: Mapping[str, str],
    source: str,
    session: str,
    since: int,
    *,
    limit: int,
) -> tuple[list[Hit], int]:
    new = [
        hit
        for hit in hits
        if given.get(hit.memory.root) != hit.memory.hash and not _own(hit.memory, source, session, since)
    ]
    fresh: list[Hit] = []
    for place, hit in enumerate(new):
        if len(fresh) == limit:
            return fresh, len(new) - place
        if not _seen(con, hit.memory, source, session, since):
            fresh.append(hit)
    return fresh, 0


def _own(memory: Memory, source: str, session: str, since: int) -> bool:
    same = memory.scope.source == source and memory.scope.session == session
    return same and memory.recorded_at >= since


def _seen(con: apsw.Connection, memory: Memory, source: str, session: str, since: int) -> bool:
    if memory.kind == "turn" or len(memory.text) < SEEN_CHARS:
        return False
    return events.seen_in_session(con, source, session, memory.text, since=since)


def fitting(packet: Packet, folder: str | None, *, asked: bool = False) -> Packet:
    """As `surroundings.fitting`, whose patterns take 0.1 s to make: only an experience among the hits needs them."""
    if packet.of_the_past or all(hit.memory.kind != "experience" for hit in packet.hits):
        return packet  # what fits here and now says nothing of what was held then
    from . import surroundings

    return surroundings.fitting(packet, folder, asked=asked)


def paused(db: Database, workspace: int | None, *, now: int) -> bool:
    """Whether memory is to say nothing here and now."""
    return db.read(settings.paused, workspace=workspace, now=now)


def digest(
    *,
    user: str,
    workspace: int | None,
    source: str,
    session: str,
    how: str,
    unfinished_days: int,
    db: Database,
    now: int,
    branch: str | None = None,
) -> Digest:
    """What a session that starts on `branch` (`how`: startup, resume, clear, compact or fork) is handed."""
    return db.read(
        _digest, user=user, workspace=workspace, branch=branch, source=source, session=session, how=how,
        since=now - unfinished_days * DAY_US, now=now,
    )  # fmt: skip


def _digest(
    con: apsw.Connection,
    *,
    user: str,
    workspace: int | None,
    branch: str | None,
    source: str,
    session: str,
    how: str,
    since: int,
    now: int,
) -> Digest:
    family = workspaces.family(con, workspace) if workspace is not None else []
    if how == "compact":
        # The same turn may be under way: what it was is what the compaction threatens to lose.
        last = turns.last_turn(con, source, session)
        turn = last if last and last.status == "open" else None
    else:
        turn = turns.latest_unfinished(con, user=user, workspaces=family, since=since)
    given = deliveries.given(con, source, session)
    wanted = Filter(user, now, tuple(family))
    profile = digests.standing(con, wanted, limit=DIGEST_PROFILE)
    intentions = digests.intentions(con, wanted, limit=INTENTION_LIMIT)
    latest = digests.latest_work(
        con, user=user, workspaces=family, branch=branch, not_session=session, now=now
    )
    if how in ("resume", "fork"):  # the client has replayed what it was given
        profile = [m for m in profile if given.get(m.root) != m.hash]
        intentions = [m for m in intentions if given.get(m.root) != m.hash]
        latest = [m for m in latest if given.get(m.root) not in (m.hash, deliveries.in_line(m))]
    left = unfinished(con, turn, source=source, session=session, now=now) if turn else None
    shown = [memory.id for memory in (*profile, *intentions, *latest)]
    against = conflicts.against(con, shown, now=now)
    return Digest(tuple(profile), tuple(intentions), tuple(latest), left, against)


def unfinished(con: apsw.Connection, turn: Turn, *, source: str, session: str, now: int) -> Unfinished | None:
    """The turn as one that should be gone on with; None where nothing was asked."""
    told = events.outline(con, turn.id)
    if told.prompt is None:
        return None
    edited = capture.relative(told.edited, turn.folder)
    step, last = events.last_work(con, turn.id), ""
    if step:
        what = step.data.get("command") or ", ".join(step.data.get("paths", ())) or ""
        outcome = "failed" if step.ok is False else "done"
        last = f"{step.tool or step.kind} {capture.one_line(str(what))}: {outcome}".strip()
        if step.content:
            last += f"; {' '.join(step.content[: RESULT_CHARS * 4].split())[:RESULT_CHARS]}"
    quiet_us = now - (events.last_at(con, turn.id) or 0)
    theirs = (turn.scope.source, turn.scope.session) != (source, session)
    elsewhere = turn.status == "open" and theirs and quiet_us < QUIET_US
    asked = told.prompt.content[:ASKED_CHARS]
    return Unfinished(turn, asked, tuple(edited[:EDITS]), last, elsewhere)
