"""Conductor: what a session was about, once it is over: by rule what was asked, by a model some sentences."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

import apsw

from ..store import events, evidence, jobs, memories, runs, sessions, slots, work
from ..store.clock import SECOND_US
from ..store.cutter import Cut
from ..store.db import Database
from ..store.events import content_hash
from ..store.memories import Quote
from ..store.models import Event, Memory, NewMemory, Turn
from ..store.sessions import SUMMARY
from . import due, legs
from .extract.drafts import Draft
from .extract.model_summary import Summary, summarise
from .extract.model_windows import Spoken, WindowTurn
from .extract.work_text import asked, goes_on, language, narrow, width
from .llm import Model
from .llm_log import costed
from .placing import Placed, place
from .renewal import TOO_LITTLE

# A session is over when it says so, or when nothing was said in it for so long.
QUIET_US = 2 * 3_600 * SECOND_US
# Fewer requests than this are told by their turns; a model is asked about longer sessions.
REQUESTS, FOR_A_MODEL = 3, 4
TEXT_WIDTH, REQUEST_WIDTH, FILES, LEASE_S = 600, 90, 5, 120.0
_PHRASES = {
    "en": {
        "head": "Session of {n} turns: ", "join": "; ", "more": "{n} more", "files": " Files: {files}.", "stop": ".",
    },
    "zh": {"head": "会话（{n} 轮）：", "join": "；", "more": "另有 {n} 项", "files": "文件：{files}。", "stop": "。"},
}  # fmt: skip


@dataclass(frozen=True)
class Told:
    """A turn of a session: its prompt's event, what was asked in one line, what it left."""

    turn: Turn
    prompt: Event
    replies: tuple[Event, ...]
    asked: str
    start: int
    drawn: tuple[Memory, ...]


def step(db: Database, model: Model | None, owner: str, *, cut: Cut | None, now: int) -> bool:
    """Sum up one session that is over; False where none waits."""
    sum_up = partial(_sum_up, db, model, owner, cut=cut, now=now)
    return due.each(db, SUMMARY, owner, sum_up, now=now, lease_s=LEASE_S) > 0


def _sum_up(
    db: Database, model: Model | None, owner: str, job: jobs.Job, *, cut: Cut | None, now: int
) -> None:
    source, session = str(job.payload["source"]), str(job.payload["session"])
    quiet_at = db.read(sessions.quiet_at, source, session, after_us=QUIET_US)
    if quiet_at is not None and quiet_at > now:
        db.write(jobs.put_off, job.id, owner, until=quiet_at)
        return
    told = db.read(_session, source, session)
    draft = by_rule(told)
    summed = summarise(model, [_shown(one) for one in told], now=now) if model and _is_long(told) else None
    db.write(_keep, source, session, told, draft, summed, job.id, owner, cut=cut, now=now)


def _session(con: apsw.Connection, source: str, session: str) -> list[Told]:
    """The turns of a session in which something was asked, oldest first."""
    found = []
    for turn in sessions.turns_of(con, source, session):
        every = events.of_turn(con, turn.id)
        prompt = next((one for one in every if one.is_prompt), None)
        if prompt is None or goes_on(prompt.content) or work.taken_out(con, turn.id):
            continue
        said = asked(prompt.content)
        if evidence.wanted_gone(con, prompt.id, said.start, said.start + len(said.text)):
            continue
        replies = tuple(one for one in every if one.role == "assistant")
        if said.text:
            found.append(Told(turn, prompt, replies, said.text, said.start, tuple(work.drawn(con, turn.id))))
    return found


def by_rule(told: Sequence[Told]) -> Draft | None:
    """What was asked in a session, first and last things first; None for a short one."""
    if len(told) < REQUESTS:
        return None
    words = _PHRASES[language(told[0].asked)]
    requests = [narrow(one.asked.rstrip(" .。"), REQUEST_WIDTH) for one in told]
    files = Counter(path for one in told for memory in one.drawn for path in memory.data.get("files") or ())
    most = [path for path, _ in files.most_common(FILES)]
    ends = words["files"].format(files=", ".join(most)) if most else ""
    head = words["head"].format(n=len(told))
    left_out = 0
    while len(requests) > 2 and width(head + words["join"].join(requests) + ends) > TEXT_WIDTH:
        requests.pop(len(requests) // 2)
        left_out += 1
    if left_out:
        requests.insert((len(requests) + 1) // 2, words["more"].format(n=left_out))
    text = narrow(f"{head}{words['join'].join(requests)}{words['stop']}{ends}", TEXT_WIDTH)
    return Draft(
        "summary", text, told[0].asked, told[0].start, told[0].start + len(told[0].asked), line=narrow(text, 160),
        data={"turns": len(told), "files": most, "by": "rules"}, confidence=0.8,
    )  # fmt: skip


def _is_long(told: Sequence[Told]) -> bool:
    return len(told) >= FOR_A_MODEL


def _shown(one: Told) -> WindowTurn:
    said = [Spoken(one.prompt.id, "user", one.prompt.content)]
    said += [Spoken(reply.id, "agent", reply.content) for reply in one.replies]
    fact = next((memory for memory in one.drawn if (memory.slot or "").startswith(work.DID)), None)
    draft = Draft("fact", fact.text, "", 0, 0) if fact else None
    return WindowTurn(one.turn.id, one.turn.started_at, 0, tuple(said), fact=draft)


def _keep(
    con: apsw.Connection,
    source: str,
    session: str,
    told: Sequence[Told],
    draft: Draft | None,
    summed: Summary | None,
    job: int,
    owner: str,
    *,
    cut: Cut | None,
    now: int,
) -> Placed | None:
    if not jobs.done(con, job, owner):
        return None
    before = _before(con, source, session)
    if draft is None:
        if before is not None and before.renew_at is not None:
            legs.retire(con, [before], why=TOO_LITTLE, now=now, cut=cut)
        return None
    last = told[-1].turn
    if not events.stand(con, [event for one in told for event in (one.prompt, *one.replies)]):
        # Something of it was forgotten while it was summed up: again, from what is left.
        sessions.sum_up_later(con, last.scope.source, last.scope.session, now=now, not_before_at=now)
        return None
    quotes = [Quote(one.prompt.id, one.start, one.start + len(one.asked)) for one in told[:12]]
    if summed is not None:
        runs.log(con, _run(summed, last), at=now)
        if summed.taken is not None:
            taken = summed.taken
            draft = replace(taken.draft, data={**draft.data, **taken.draft.data, "by": "model"})
            if taken.event is not None:
                quotes = [Quote(taken.event, taken.draft.start, taken.draft.end), *quotes]
    scenes = Counter(one.turn.scene or "chat" for one in told)
    new = NewMemory(
        kind="summary", scene=scenes.most_common(1)[0][0], scope=last.scope, text=draft.text, origin="agent",
        line=draft.line, turn=None, slot=_slot(source, session), confidence=draft.confidence,
        valid_from=told[0].turn.started_at, data=draft.data,
    )  # fmt: skip
    placed = place(con, new, quotes, cut=cut, now=now)
    if placed.memory is not None:
        _rest_on(con, placed.memory, told, now=now)
        if before is not None and before.renew_at is not None:
            evidence.anew(con, placed.memory, quotes)
            evidence.renewed(con, placed.memory)
    return placed


def _slot(source: str, session: str) -> str:
    return "session:" + content_hash(f"{source}\0{session}")


def _before(con: apsw.Connection, source: str, session: str) -> Memory | None:
    """The session's summary as it stands."""
    latest = sessions.turns_of(con, source, session)[-1:]
    return slots.holder(con, latest[0].scope, _slot(source, session)) if latest else None


def _rest_on(con: apsw.Connection, summary: int, told: Sequence[Told], *, now: int) -> None:
    """Let a summary rest on the records of its turns, and on what was done in them."""
    for one in told:
        did = [memory.id for memory in one.drawn if (memory.slot or "").startswith(work.DID)]
        record = work.record(con, one.turn.id)
        for id_ in (*did, *([] if record is None else [record])):
            memories.link(con, summary, id_, "derived_from", now=now)


def _run(summed: Summary, turn: Turn) -> runs.Run:
    verdict = "declined" if summed.declined else "summed up" if summed.taken else "refused"
    return costed(runs.Run("summary", verdict, summed.why_not or "", turn.id), summed.spent)
