"""Conductor: a question, or the start of a session, to what an agent is handed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import apsw

from ..store import deliveries, digests, events, settings, turns, workspaces
from ..store.clock import DAY_US, SECOND_US
from ..store.cutter import Cut
from ..store.db import Database
from ..store.filters import Filter
from ..store.models import Hit, Memory, Packet, Turn
from . import capture, plan, retrieve
from .embed import Asked
from .redact import redact

# A question's vector for each index that answers, and by arm why others cannot.
Ask = Callable[[str], tuple[list[Asked], dict[str, str]]]

# Candidates looked at for each memory wanted, since some were given already.
CANDIDATES = 4
# A memory shorter than this is no proof that the agent has seen it when its words turn up in a file.
SEEN_CHARS = 40
DIGEST_TURNS, DIGEST_PROFILE = 6, 12
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
    """What a session starts with."""

    profile: tuple[Memory, ...] = ()
    latest: tuple[Memory, ...] = ()
    unfinished: Unfinished | None = None


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
    if planned.empty:
        return Packet((), question, as_of_at=wanted.now_at)
    asked, degraded = ask(planned.text) if ask else ([], {})
    found = folded(db.read(retrieve.find, planned, wanted, asked, degraded))
    hits = found[offset : offset + limit]
    return Packet(tuple(hits), question, degraded, max(0, len(found) - offset - len(hits)), wanted.now_at)


def several(
    questions: Sequence[str],
    wanted: Filter,
    *,
    db: Database,
    ask: Ask | None,
    cut: Cut | None,
    limit: int,
    offset: int = 0,
) -> Packet:
    """The memories that answer any of the questions, each with the best score that one of them gave it."""
    if len(questions) == 1:
        return recall(questions[0], wanted, db=db, ask=ask, cut=cut, limit=limit, offset=offset)
    packets = [recall(q, wanted, db=db, ask=ask, cut=cut, limit=offset + limit) for q in questions]
    best: dict[int, Hit] = {}
    for hit in (hit for packet in packets for hit in packet.hits):
        known = best.get(hit.memory.id)
        if known is None or hit.score > known.score:
            best[hit.memory.id] = hit
    ranked = folded(sorted(best.values(), key=lambda hit: (-hit.score, -hit.memory.id)))
    degraded = {arm: why for packet in packets for arm, why in packet.degraded.items()}
    hits = tuple(ranked[offset : offset + limit])
    left = max(0, len(ranked) - offset - len(hits)) + sum(packet.omitted for packet in packets)
    return Packet(hits, "\n".join(questions), degraded, left, wanted.now_at)


def folded(hits: Sequence[Hit]) -> list[Hit]:
    """The hits without each turn whose drawn-from memories are among them: those say it, and rest on it."""
    drawn = {hit.memory.turn for hit in hits if hit.memory.kind != "turn"}
    return [hit for hit in hits if hit.memory.kind != "turn" or hit.memory.turn not in drawn]


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
    """
    words = capture.clean(prompt)
    packet = recall(words, wanted, db=db, ask=ask, cut=cut, limit=limit * CANDIDATES, prompted=True)
    if not packet.hits:
        return packet
    fresh, left = db.read(_fresh, packet.hits, source, session, limit=limit)
    return Packet(tuple(fresh), packet.query, packet.degraded, left + packet.omitted, packet.as_of_at)


def _fresh(
    con: apsw.Connection, hits: Sequence[Hit], source: str, session: str, *, limit: int
) -> tuple[list[Hit], int]:
    """The first `limit` hits that are new to the session, and how many come after them."""
    given = deliveries.given(con, source, session)
    since = turns.context_began_at(con, source, session) or 0
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
) -> Digest:
    """What a session that starts (`how`: startup, resume, clear, compact or fork) is handed."""
    return db.read(
        _digest, user=user, workspace=workspace, source=source, session=session, how=how,
        since=now - unfinished_days * DAY_US, now=now,
    )  # fmt: skip


def _digest(
    con: apsw.Connection,
    *,
    user: str,
    workspace: int | None,
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
    profile = digests.standing(con, user=user, workspaces=family, now=now, limit=DIGEST_PROFILE)
    latest = digests.latest_turns(con, user=user, workspaces=family, not_session=session, limit=DIGEST_TURNS)
    if how in ("resume", "fork"):  # the client has replayed what it was given
        profile = [m for m in profile if given.get(m.root) != m.hash]
        latest = [m for m in latest if given.get(m.root) not in (m.hash, deliveries.in_line(m))]
    left = unfinished(con, turn, source=source, session=session, now=now) if turn else None
    return Digest(tuple(profile), tuple(latest), left)


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
