"""Memories put on a shelf by the dozen, for tests that need many."""

from __future__ import annotations

import time
from collections.abc import Iterable
from typing import Any

import apsw
from backstory.store import cutter, memories, turns, words
from backstory.store.db import Database
from backstory.store.models import Kind, NewMemory, Scope

T0 = 1_760_000_000_000_000


def shelve(
    con: apsw.Connection, texts: Iterable[str], *, scope: Scope | None = None, kind: Kind = "fact"
) -> list[int]:
    """The row ids of new memories with those texts."""
    return [
        memories.insert(
            con,
            NewMemory(kind=kind, scene="coding", scope=scope or Scope(), text=text, origin="user"),
            words.index(text, None),
            now=T0,
        )
        for text in texts
    ]


def add(
    db: Database,
    text: str,
    *,
    at: int | None = None,
    kind: Kind = "fact",
    scope: Scope | None = None,
    **kw: Any,
) -> int:
    """The row id of one new memory with the search tokens that a server gives it; recorded `at`, else now."""
    new = NewMemory(kind, "chat", scope or Scope(), text, "user", **kw)
    now = time.time_ns() // 1000 if at is None else at
    return db.write(memories.insert, new, words.index(text, cutter.load()), now=now)


def open_workspaces(con: apsw.Connection, n: int) -> None:
    """Workspaces 1 to `n`."""
    for id_ in range(1, n + 1):
        con.execute(
            "insert into workspace(id, ulid, name, created_at) values (?, ?, ?, ?)",
            (id_, f"W{id_}", f"w{id_}", T0),
        )


def take_turn(con: apsw.Connection, prompt: str, *, at: int = T0) -> tuple[int, int]:
    """An open turn and its memory."""
    scope = Scope(source="claude-code", session="s1")
    turn = turns.open_turn(con, scope, prompt, at=at)
    assert turn is not None
    new = NewMemory(kind="turn", scene="chat", scope=scope, text=prompt, origin="user", turn=turn.id)
    return turn.id, memories.mirror_turn(con, new, words.index(prompt, None), now=at, evidence=[])
