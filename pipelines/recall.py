"""Conductor: a question, or the start of a session, to what an agent is handed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import apsw

from ..store import deliveries, digests, events, settings, turns
from ..store.clock import DAY_US
from ..store.cutter import Cut
from ..store.db import Database
from ..store.filters import Filter
from ..store.models import Hit, Memory, Packet, Turn
from . import capture, plan, retrieve
from .embed import Asked

# A question's vector for each index that answers, and by arm why others cannot.
Ask = Callable[[str], tuple[list[Asked], dict[str, str]]]

# Candidates looked at for each memory wanted, since some were given already.
CANDIDATES = 4
# A memory shorter than this is no proof that the agent has seen it when its words turn up in a file.
SEEN_CHARS = 40
DIGEST_TURNS, DIGEST_PROFILE = 6, 12
ASKED_CHARS, RESULT_CHARS, EDITS = 600, 300, 12


@dataclass(frozen=True, slots=True)
class Unfinished:
    """A turn that never came to its end: what was asked, the files edited so far, the last thing that happened."""

    turn: Turn
    asked: str
    edited: tuple[str, ...]
    last: str


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
    planned = plan.plan(question, cut, prompted=prompted)
    if planned.empty:
        return Packet((), question, as_of_at=wanted.now_at)
    asked, degraded = ask(planned.text) if ask else ([], {})
    found = db.read(retrieve.find, planned, wanted, asked, degraded)
    hits = found[offset : offset + limit]
    return Packet(tuple(hits), question, degraded, max(0, len(found) - offset - len(hits)), wanted.now_at)


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
    fresh = db.read(_fresh, packet.hits, source, session)
    return Packet(tuple(fresh[:limit]), words, packet.degraded, max(0, len(fresh) - limit), packet.as_of_at)


def _fresh(con: apsw.Connection, hits: Sequence[Hit], source: str, session: str) -> list[Hit]:
    given = deliveries.given(con, source, session)
    since = turns.context_began_at(con, source, session) or 0
    return [
        hit
        for hit in hits
        if given.get(hit.memory.root) != hit.memory.hash
        and not _own(hit.memory, source, session, since)
        and not _seen(con, hit.memory, source, session, since)
    ]


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
    if how == "compact":
        # The same turn may be under way: what it was is what the compaction threatens to lose.
        last = turns.last_turn(con, source, session)
        turn = last if last and last.status == "open" else None
    else:
        turn = turns.latest_unfinished(con, user=user, workspace=workspace, since=since)
    given = deliveries.given(con, source, session)
    profile = digests.standing(con, user=user, workspace=workspace, now=now, limit=DIGEST_PROFILE)
    latest = digests.latest_turns(
        con, user=user, workspace=workspace, not_session=session, limit=DIGEST_TURNS
    )
    if how in ("resume", "fork"):  # the client has replayed what it was given
        profile = [m for m in profile if given.get(m.root) != m.hash]
        latest = [m for m in latest if given.get(m.root) not in (m.hash, deliveries.in_line(m))]
    return Digest(tuple(profile), tuple(latest), unfinished(con, turn) if turn else None)


def unfinished(con: apsw.Connection, turn: Turn) -> Unfinished | None:
    """The turn as one that should be gone on with; None where nothing was asked."""
    happened = events.of_turn(con, turn.id)
    asked = next((e.content for e in happened if e.kind == "prompt"), "")
    if not asked:
        return None
    edited = capture.touched([e for e in happened if e.kind == "edit"], turn.folder)
    tools = [e for e in happened if e.kind in ("tool", "edit", "subagent")]
    last = ""
    if tools:
        what = tools[-1].data.get("command") or ", ".join(tools[-1].data.get("paths", ())) or ""
        outcome = "failed" if tools[-1].ok is False else "done"
        last = f"{tools[-1].tool or tools[-1].kind} {capture.one_line(str(what))}: {outcome}".strip()
        if tools[-1].content:
            last += f"; {capture.one_line(tools[-1].content)[:RESULT_CHARS]}"
    return Unfinished(turn, asked[:ASKED_CHARS], tuple(edited[:EDITS]), last)
