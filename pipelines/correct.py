"""Conductor: what someone asks to be corrected, rated, retired or brought back, each in one transaction."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import apsw

from ..store import clock, memories, runs, settings, slots, words
from ..store.cutter import Cut
from ..store.db import Database
from ..store.errors import BadInput, NotFound
from ..store.models import Memory, NewMemory, Origin, Scope
from ..store.ratings import Verdict
from . import admitting, capture, legs, rate, restated, strength
from .admission import Refused, Stands
from .admission import Verdict as Admission
from .admitting import Session
from .keep import running
from .merging import reading
from .placing import has_line
from .redact import redact
from .request import Request, check
from .statements import HOLDS, STATED, without_time

if TYPE_CHECKING:
    from .extract.drafts import Draft


def correct(
    id_: int,
    *,
    scope: Scope,
    db: Database,
    now: int,
    cut: Cut | None,
    content: str | None = None,
    importance: float | None = None,
    valid_to: int | None = None,
    feedback: Verdict | None = None,
    restore: bool = False,
) -> tuple[int, Memory]:
    """
    The row id of the new version, and the version it replaces, which stays, retired. A rating writes no version, nor
    does what brings back a memory that had faded: both are then the same.

    Raises:
        NotFound: no such memory of this user.
        BadInput: nothing to change, or a change that cannot be made; nothing was written.
    """
    if all(one is None for one in (content, importance, valid_to, feedback)) and not restore:
        raise BadInput("Say what to change: content, importance, valid_to, feedback, or restore=true.")
    if feedback is not None and feedback not in rate.VERDICTS:
        raise BadInput(f"feedback is one of {', '.join(rate.VERDICTS)}, not {feedback!r}.")
    if content is not None:
        check(Request(scope, content=content), now=now)
    if importance is not None and not 0 <= importance <= 1:
        raise BadInput("importance is a number from 0 to 1.")
    told = None
    if content is not None:
        told = _told(id_, scope, redact(content.strip(), salt=settings.salt_of(db)), db=db, now=now, cut=cut)
    return db.write(
        _correct, id_, scope, told, importance=importance, valid_to=valid_to, feedback=feedback, restore=restore,
        now=now, cut=cut,
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Told:
    """The new words, whose they are, and what they state of what has a slot."""

    text: str
    origin: Origin
    draft: Draft | None


def _told(id_: int, scope: Scope, text: str, *, db: Database, now: int, cut: Cut | None) -> _Told:
    """New words, read and admitted before anything is written."""
    from .extract.plain import statement  # 0.1 s of patterns that only this needs

    old, sessions = db.read(_to_correct, id_, scope, now=now)
    reading.read(text, cut)  # it is held against what is known by this
    draft = statement(text, at=old.true_from, utc_offset_s=clock.utc_offset_s(old.true_from))
    stands = admitting.where(text, sessions, old.kind, cut)
    verdict, may_state = db.write(_admitted, old, scope, text, draft, stands, now=now)
    if isinstance(verdict, Refused):
        raise BadInput(verdict.instead)
    return _Told(text, verdict.origin, draft if may_state else None)


def _to_correct(con: apsw.Connection, id_: int, scope: Scope, *, now: int) -> tuple[Memory, list[Session]]:
    """A memory, and the sessions that new words for it are held against."""
    return owned(con, id_, scope), admitting.sessions(con, running(con, scope, now=now))


def _admitted(
    con: apsw.Connection,
    old: Memory,
    scope: Scope,
    text: str,
    draft: Draft | None,
    stands: Stands,
    *,
    now: int,
) -> tuple[Admission, bool]:
    """
    Whether the new words may take the place of the old ones, and whether what they state may hold its slot; logged,
    also where they may not.
    """
    among, of = running(con, scope, now=now), (old.id,)
    verdict = admitting.asked(con, text, old.kind, "agent", stands, among, now=now, memories=of)
    if draft is None or isinstance(verdict, Refused):
        return verdict, False
    return verdict, admitting.may_state(
        con, text, draft.kind, old.kind, "agent", stands, among, admitted=verdict, now=now, memories=of
    )


def _correct(
    con: apsw.Connection,
    id_: int,
    scope: Scope,
    told: _Told | None,
    *,
    importance: float | None,
    valid_to: int | None,
    feedback: Verdict | None,
    restore: bool,
    now: int,
    cut: Cut | None,
) -> tuple[int, Memory]:
    old = owned(con, id_, scope)
    changed = any(one is not None for one in (told, importance, valid_to))
    if old.kind == "turn" and told is not None:
        raise BadInput(f"{old.short} is a record of what was said; add a fact that corrects it instead.")
    if old.retired_at is None:
        _rated(con, old, scope, feedback, restore=restore, now=now)
        if not changed:
            return old.id, old
    elif not restore:
        raise BadInput(
            f"{old.short} is retired; {current(con, old)} pass restore=true to bring this one back."
        )
    new = _changed(con, old, told, importance=importance, valid_to=valid_to, now=now)
    if old.retired_at is not None:
        return _restore(con, old, new, cut=cut, now=now), old
    if told is None and valid_to is None:  # it matters more or less; what is said is as it was
        again = replace(memories.as_new(old), importance=new.importance, trust=new.trust, data=_told_as(old))
        id_ = memories.revise(con, old, again, words.index(again.searched, cut), why="corrected", now=now)
    else:
        other = new.text != old.text
        id_ = restated.anew(con, old, new, why="corrected", cut=cut, now=now, other_words=other)
    if new.text != old.text:
        legs.shake(con, old, now=now, cut=cut)
    runs.log(con, runs.Run("update", "revised", "", old.turn, (old.id, id_)), at=now)
    return id_, old


def _rated(
    con: apsw.Connection, old: Memory, scope: Scope, feedback: Verdict | None, *, restore: bool, now: int
) -> None:
    """Rate a memory that is not retired; to ask for one again that had faded says that there is a use for it."""
    if restore and old.archived_at is None:
        raise BadInput(f"{old.short} is live already; there is nothing to restore.")
    if restore and any(end is not None and end <= now for end in (old.expires_at, old.valid_to)):
        raise BadInput(f"{old.short} is over: it was to hold until then. Add it again, as what holds now.")
    verdict = feedback or ("helpful" if restore else None)
    if verdict is not None:
        rate.said(con, old, verdict, scope, now=now)
    if restore:
        memories.revive(con, old.id)


def _changed(
    con: apsw.Connection,
    old: Memory,
    told: _Told | None,
    *,
    importance: float | None,
    valid_to: int | None,
    now: int,
) -> NewMemory:
    """The next version. Of another text nothing was said yet of how good it is."""
    new = replace(_whole(old), trust=memories.by_id(con, old.id).trust)
    if told is not None:
        new = replace(
            new,
            text=told.text,
            line=capture.one_line(told.text),
            origin=told.origin,
            trust=strength.NOTHING_SAID,
        )
        new = restated.restated(old, new, told.draft, now=now)
    if importance is not None:
        new = replace(new, importance=importance)
    if valid_to is not None:
        if new.valid_from is not None and valid_to < new.valid_from:
            raise BadInput("valid_to lies before the memory began to be true; give a later moment.")
        new = replace(new, valid_to=valid_to)
    return new


def _whole(old: Memory) -> NewMemory:
    """What a memory says, of all the time that it was said of, where others have cut it."""
    new, stated = memories.as_new(old), old.data.get(STATED)
    if isinstance(stated, Mapping):
        new = replace(new, valid_from=stated.get("from"), valid_to=stated.get("to"))
    return replace(new, data=without_time(new.data))


def _told_as(old: Memory) -> Mapping[str, Any]:
    """The data of a memory that goes on to count as told when it was told."""
    if not old.slot or "value" not in old.data or STATED in old.data:
        return old.data
    stated: dict[str, Any] = {
        "ulid": old.ulid, "from": old.valid_from, "to": old.valid_to, "at": old.recorded_at, "by": [], "said": [],
    }  # fmt: skip
    return {**old.data, STATED: stated}


def current(con: apsw.Connection, old: Memory) -> str:
    """What to turn to in place of a retired version, as part of a sentence."""
    live = [m.short for m in memories.versions(con, old.root) if m.retired_at is None]
    return f"the current version is {live[-1]}:" if live else "no version of it is current:"


def _restore(con: apsw.Connection, old: Memory, new: NewMemory, *, cut: Cut | None, now: int) -> int:
    why = f"replaced by restoring {old.short}"
    holder = slots.holder(con, new.scope, new.slot) if new.slot else None
    successor = holder if holder is not None and holder.root != old.root else None
    if successor is not None:
        if has_line(new):
            # What has taken its place was so meanwhile; what is brought back is so again from now on.
            new = replace(new, valid_from=now, valid_to=None, data=_undated(new.data))
        else:
            memories.retire(con, successor.id, why=why, now=now)
    id_ = restated.anew(
        con, old, new, why=why, cut=cut, now=now, other_words=new.text != old.text,
        keeps_past=successor is not None,
    )  # fmt: skip
    runs.log(con, runs.Run("update", "restored", "", old.turn, (old.id, id_)), at=now)
    legs.stand_again(con, old, cut=cut, now=now)
    return id_


def _undated(data: Mapping[str, Any]) -> Mapping[str, Any]:
    return {name: value for name, value in data.items() if name not in ("dated", HOLDS)}


def retire(id_: int, *, scope: Scope, db: Database, now: int, cut: Cut | None = None) -> Memory:
    """
    The memory as it was before it left recall, with what leaned on it alone. Its text and history stay readable by id.
    """
    return db.write(_retire, id_, scope, now=now, cut=cut)


def _retire(con: apsw.Connection, id_: int, scope: Scope, *, now: int, cut: Cut | None) -> Memory:
    old = owned(con, id_, scope)
    if old.retired_at is not None:
        raise BadInput(f"{old.short} is retired already ({old.retired_why}).")
    # What others have cut in two is one memory.
    going = [version for version in memories.versions(con, old.root) if version.retired_at is None]
    legs.retire(con, going, why=slots.ON_REQUEST, now=now, cut=cut)
    runs.log(con, runs.Run("delete", "retired", "", old.turn, (old.id,)), at=now)
    return old


def owned(con: apsw.Connection, id_: int, scope: Scope) -> Memory:
    """The memory, if it is this user's; another user's is not found."""
    memory = memories.by_id(con, id_)
    if memory.scope.user != scope.user:
        raise NotFound(f"There is no memory m{id_}; a search lists ids.")
    return memory
