"""Conductor: what someone asks to be corrected, retired or brought back, each in one transaction."""

from __future__ import annotations

from dataclasses import replace

import apsw

from ..store import memories, runs, settings, slots, words
from ..store.cutter import Cut
from ..store.db import Database
from ..store.errors import BadInput, NotFound
from ..store.models import KEYS, Memory, NewMemory, Scope
from . import admitting, capture, legs
from .admission import Admitted, Refused, Verdict
from .keep import Request, check, running
from .redact import redact


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
    restore: bool = False,
) -> tuple[int, Memory]:
    """
    The row id of the new version, and the version it replaces. The old one stays, retired.

    Raises:
        NotFound: no such memory of this user.
        BadInput: nothing to change, or a change that cannot be made; nothing was written.
    """
    if content is None and importance is None and valid_to is None and not restore:
        raise BadInput("Say what to change: content, importance, valid_to, or restore=true.")
    if content is not None:
        check(Request(scope, content=content), now=now)
    if importance is not None and not 0 <= importance <= 1:
        raise BadInput("importance is a number from 0 to 1.")
    verdict = None if content is None else db.write(_admitted, id_, scope, content, now=now)
    if isinstance(verdict, Refused):
        raise BadInput(verdict.instead)
    return db.write(
        _correct, id_, scope, verdict, content=content, importance=importance, valid_to=valid_to, restore=restore,
        now=now, cut=cut,
    )  # fmt: skip


def _admitted(con: apsw.Connection, id_: int, scope: Scope, content: str, *, now: int) -> Verdict:
    """Whether the new words may take the place of the old ones; logged, also where they may not."""
    old = owned(con, id_, scope)
    text = redact(content.strip(), salt=settings.salt(con))
    return admitting.asked(
        con, text, old.kind, "agent", running(con, scope, now=now), now=now, memories=(id_,)
    )


def _correct(
    con: apsw.Connection,
    id_: int,
    scope: Scope,
    admitted: Admitted | None,
    *,
    content: str | None,
    importance: float | None,
    valid_to: int | None,
    restore: bool,
    now: int,
    cut: Cut | None,
) -> tuple[int, Memory]:
    old = owned(con, id_, scope)
    if old.kind == "turn" and content is not None:
        raise BadInput(f"{old.short} is a record of what was said; add a fact that corrects it instead.")
    new = memories.as_new(old)
    if content is not None and admitted is not None:
        text = redact(content.strip(), salt=settings.salt(con))
        # What the old text said of its value is not what the new one says.
        data = {name: value for name, value in new.data.items() if name not in (KEYS, "value", "polarity")}
        new = replace(
            admitting.with_authority(new, admitted), text=text, line=capture.one_line(text), data=data
        )
    if importance is not None:
        new = replace(new, importance=importance)
    if valid_to is not None:
        if old.valid_from is not None and valid_to < old.valid_from:
            raise BadInput("valid_to lies before the memory began to be true; give a later moment.")
        new = replace(new, valid_to=valid_to)
    tokens = words.index(new.searched, cut)
    if old.retired_at is not None:
        if not restore:
            raise BadInput(
                f"{old.short} is retired; {_current(con, old)} pass restore=true to bring this one back."
            )
        return _restore(con, old, new, tokens, now=now, cut=cut), old
    if restore:
        raise BadInput(f"{old.short} is live already; there is nothing to restore.")
    id_ = memories.revise(con, old, new, tokens, why="corrected", now=now)
    if new.text != old.text:
        legs.shake(con, old, now=now, cut=cut)
    runs.log(con, runs.Run("update", "revised", "", old.turn, (old.id, id_)), at=now)
    return id_, old


def _current(con: apsw.Connection, old: Memory) -> str:
    live = [m.short for m in memories.versions(con, old.root) if m.retired_at is None]
    return f"the current version is {live[-1]}:" if live else "no version of it is current:"


def _restore(
    con: apsw.Connection, old: Memory, new: NewMemory, tokens: words.Tokens, *, now: int, cut: Cut | None
) -> int:
    live = [m for m in memories.versions(con, old.root) if m.retired_at is None]
    for current in live:
        memories.retire(con, current.id, why=f"replaced by restoring {old.short}", now=now)
    id_ = memories.renew(con, old, new, tokens, now=now)
    runs.log(con, runs.Run("update", "restored", "", old.turn, (old.id, id_)), at=now)
    legs.stand_again(con, old, cut=cut, now=now)
    return id_


def retire(id_: int, *, scope: Scope, db: Database, now: int, cut: Cut | None = None) -> Memory:
    """
    The memory as it was before it left recall, with what leaned on it alone. Its text and history stay readable by id.
    """
    return db.write(_retire, id_, scope, now=now, cut=cut)


def _retire(con: apsw.Connection, id_: int, scope: Scope, *, now: int, cut: Cut | None) -> Memory:
    old = owned(con, id_, scope)
    if old.retired_at is not None:
        raise BadInput(f"{old.short} is retired already ({old.retired_why}).")
    legs.retire(con, [old], why=slots.ON_REQUEST, now=now, cut=cut)
    runs.log(con, runs.Run("delete", "retired", "", old.turn, (old.id,)), at=now)
    return old


def owned(con: apsw.Connection, id_: int, scope: Scope) -> Memory:
    """The memory, if it is this user's; another user's is not found."""
    memory = memories.by_id(con, id_)
    if memory.scope.user != scope.user:
        raise NotFound(f"There is no memory m{id_}; a search lists ids.")
    return memory
