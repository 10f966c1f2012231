"""Memories: versioned, immutable rows, and the tokens, evidence and links that belong to them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import apsw

from . import entities, fts, names, vector_indexes
from .errors import BadInput, NotFound
from .events import content_hash
from .filters import CONDITION, Filter
from .ids import new_ulid
from .models import Memory, NewMemory, Scene, Scope
from .rows import fetch, first, value
from .words import Tokens

COLUMNS = """
  memory.id, memory.ulid, memory.root, memory.kind, memory.scene,
  memory.user, memory.agent, memory.session, memory.source, memory.workspace, memory.branch,
  memory.text, memory.line, memory.turn, memory.origin, memory.slot,
  memory.importance, memory.confidence, memory.trust,
  memory.valid_from, memory.valid_to, memory.recorded_at, memory.retired_at, memory.retired_why,
  memory.expires_at, memory.archived_at, memory.renew_at, memory.uses, memory.used_at,
  memory.hash, memory.data, memory.meta"""


def from_row(row: Sequence[Any]) -> Memory:
    """The memory in a row of `COLUMNS`."""
    scope = Scope(*row[5:11])
    values: list[Any] = [*row[:5], scope, *row[11:-2], json.loads(row[-2]), json.loads(row[-1])]
    return Memory(*values)


@dataclass(frozen=True, slots=True)
class Quote:
    """The support of a memory: an event and the span of its content (or a quote that stands in it)."""

    event: int
    start: int
    end: int


def insert(
    con: apsw.Connection,
    new: NewMemory,
    tokens: Tokens,
    *,
    now: int,
    evidence: Iterable[Quote] = (),
    root: str | None = None,
    recorded_at: int | None = None,
    ulid: str | None = None,
) -> int:
    """The row id of a new memory, searchable by its tokens in the same transaction. `root` makes it a version."""
    ulid = ulid or new_ulid(now)
    scope = new.scope
    id_ = value(
        con,
        """
        insert into memory(ulid, root, turn, scene, kind, user, agent, session, source, workspace, branch, origin,
                           text, line, data, slot, importance, confidence, trust, valid_from, valid_to,
                           recorded_at, expires_at, hash, meta, named)
        values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        returning id""",
        (
            ulid, root or ulid, new.turn, new.scene, new.kind, scope.user, scope.agent, scope.session, scope.source,
            scope.workspace, scope.branch, new.origin, new.text, new.line, _json(new.data), new.slot,
            new.importance, new.confidence, new.trust, new.valid_from, new.valid_to,
            now if recorded_at is None else recorded_at, new.expires_at, content_hash(new.text), _json(new.meta),
            names.VERSION,
        ),
    )  # fmt: skip
    fts.put(con, id_, tokens)
    entities.put(con, id_, _named(new))
    support(con, id_, evidence)
    return int(id_)


def _named(new: NewMemory) -> names.Named:
    return names.named(new.text, new.data, new.scope.branch)


def support(con: apsw.Connection, memory: int, evidence: Iterable[Quote]) -> None:
    """Add evidence to a memory, each span once."""
    for quote in evidence:
        con.execute(
            """
            insert into evidence(memory, event, start, end)
            select ?1, ?2, ?3, ?4
            where not exists (select 1 from evidence where memory = ?1 and event = ?2 and start = ?3 and end = ?4)""",
            (memory, quote.event, quote.start, quote.end),
        )
        if con.changes():  # told again: what it has lost is made good
            con.execute("update memory set renew_at = null where id = ? and renew_at is not null", (memory,))


def inherit(con: apsw.Connection, memory: int, other: int) -> None:
    """Let a memory rest on what another rests on, too, each span once."""
    con.execute(
        """
        insert into evidence(memory, event, quote, start, end)
        select ?1, event, quote, start, end from evidence theirs
        where memory = ?2 and not exists (
          select 1 from evidence ours
          where ours.memory = ?1 and ours.event = theirs.event and ours.quote is theirs.quote
            and ours.start is theirs.start and ours.end is theirs.end)""",
        (memory, other),
    )


def mirror_turn(
    con: apsw.Connection, new: NewMemory, tokens: Tokens, *, now: int, evidence: Iterable[Quote]
) -> int:
    """The row id of the turn's one `turn` memory, made or brought up to date with its events."""
    row = first(
        con,
        "select id, hash, retired_at from memory where turn = ? and kind = 'turn' order by id desc limit 1",
        (new.turn,),
    )
    if row is None:
        return insert(con, new, tokens, now=now, evidence=evidence)
    id_, known, retired_at = row
    if retired_at is not None:  # taken out of recall by someone: a late event does not bring it back
        return int(id_)
    revive(con, id_)  # something more was said in it
    con.execute(
        """
        update memory set
          text = ?, line = ?, data = ?, hash = ?, scene = ?, workspace = ?, branch = ?, valid_from = ?, named = ?
        where id = ?""",
        (
            new.text, new.line, _json(new.data), content_hash(new.text), new.scene,
            new.scope.workspace, new.scope.branch, new.valid_from, names.VERSION, id_,
        ),
    )  # fmt: skip
    entities.put(con, id_, _named(new))
    if known != content_hash(new.text):
        fts.put(con, id_, tokens)
        con.execute("delete from embedding where memory = ?", (id_,))
    support(con, id_, evidence)
    return int(id_)


def set_scene_of_turn(con: apsw.Connection, turn: int, scene: Scene) -> None:
    """Let the turn's own memory stand in that scene."""
    con.execute(
        "update memory set scene = ? where turn = ? and kind = 'turn' and scene <> ?", (scene, turn, scene)
    )


def retire(con: apsw.Connection, id_: int, *, why: str, now: int) -> None:
    """Take a live memory out of recall; its row, its evidence and its past tokens stay."""
    con.execute(
        "update memory set retired_at = ?, retired_why = ? where id = ? and retired_at is null",
        (now, why, id_),
    )
    fts.retire(con, id_)


def archive(con: apsw.Connection, ids: Sequence[int], *, now: int) -> int:
    """
    Take faded memories out of recall, each of them once; how many it were.

    Their tokens are found by readings of the past, their vectors are dropped; row, slot and evidence stay.
    """
    archived = 0
    for id_ in ids:
        con.execute(
            "update memory set archived_at = ? where id = ? and retired_at is null and archived_at is null",
            (now, id_),
        )
        if con.changes():
            archived += 1
            fts.retire(con, id_)
            vector_indexes.drop(con, id_)
    return archived


def revive(con: apsw.Connection, id_: int) -> bool:
    """Bring an archived memory back into recall; a vector is made for it as for a new one. False where it was live."""
    con.execute(
        "update memory set archived_at = null where id = ? and retired_at is null and archived_at is not null",
        (id_,),
    )
    if not con.changes():
        return False
    fts.restore(con, id_)
    return True


def revise(con: apsw.Connection, old: Memory, new: NewMemory, tokens: Tokens, *, why: str, now: int) -> int:
    """The row id of a new version of `old`, which is retired in the same breath and keeps its evidence."""
    if old.retired_at is not None:
        raise BadInput(f"{old.short} is no longer current; look at its history and change the latest.")
    retire(con, old.id, why=why, now=now)
    return renew(con, old, new, tokens, now=now)


def renew(
    con: apsw.Connection,
    old: Memory,
    new: NewMemory,
    tokens: Tokens,
    *,
    now: int,
    recorded_at: int | None = None,
    ulid: str | None = None,
) -> int:
    """
    The row id of a new version that rests on what `old` rests on; none of its versions may be live. What names no day
    is true from when it was first recorded, whichever version says it.
    """
    if new.valid_from is None and (new.valid_to is None or old.true_from <= new.valid_to):
        new = replace(new, valid_from=old.true_from)
    id_ = insert(con, new, tokens, now=now, root=old.root, recorded_at=recorded_at, ulid=ulid)
    inherit(con, id_, old.id)
    link(con, id_, old.id, "supersedes", now=now)
    return id_


def link(
    con: apsw.Connection,
    source: int,
    target: int,
    kind: str,
    *,
    now: int,
    data: Mapping[str, Any] | None = None,
) -> None:
    """Join two memories; twice is once."""
    con.execute(
        "insert into link(source, target, kind, data, created_at) values (?, ?, ?, ?, ?) on conflict do nothing",
        (source, target, kind, _json(data or {}), now),
    )


def by_id(con: apsw.Connection, id_: int) -> Memory:
    """
    The memory with that row id, live or not.

    Raises:
        NotFound: there is none.
    """
    row = first(con, f"select {COLUMNS} from memory where id = ?", (id_,))
    if row is None:
        raise NotFound(_missing(con, id_))
    return from_row(row)


def _missing(con: apsw.Connection, id_: int) -> str:
    # Ids are given once and in order, and no row goes but by being forgotten.
    given = value(con, "select seq from sqlite_sequence where name = 'memory'")
    if 0 < id_ <= int(given or 0) and first(con, "select 1 from tombstone where kind = 'row' limit 1"):
        return f"m{id_} was forgotten: nothing of it is left, and it cannot be restored."
    return f"There is no memory m{id_}; a search lists ids."


def by_ids(con: apsw.Connection, ids: Sequence[int]) -> dict[int, Memory]:
    """The memories with those row ids, by id; missing ones are left out."""
    rows = fetch(
        con,
        f"select {COLUMNS} from memory where id in (select value from json_each(?))",
        (json.dumps(list(ids)),),
    )
    return {int(row[0]): from_row(row) for row in rows}


def versions(con: apsw.Connection, root: str) -> list[Memory]:
    """Every version of one memory, oldest first; a version's number is its place here, from 1."""
    rows = fetch(con, f"select {COLUMNS} from memory where root = ? order by recorded_at, id", (root,))
    return [from_row(row) for row in rows]


def same(con: apsw.Connection, new: NewMemory, *, now: int) -> int | None:
    """The live memory of the same text in the same place; what is no longer true or of use is not live."""
    row = first(
        con,
        """
        select id from memory indexed by memory_hash
        where hash = ? and retired_at is null and text = ? and kind = ? and user = ? and workspace is ?
          and (valid_to is null or valid_to > ?) and (expires_at is null or expires_at > ?)""",
        (content_hash(new.text), new.text, new.kind, new.scope.user, new.scope.workspace, now, now),
    )
    return int(row[0]) if row else None


def turns_behind(con: apsw.Connection, memory: int) -> list[int]:
    """The turns whose events a memory rests on."""
    rows = fetch(
        con,
        "select distinct event.turn from evidence join event on event.id = evidence.event where evidence.memory = ?",
        (memory,),
    )
    return [int(turn) for (turn,) in rows]


def times_said(con: apsw.Connection, groups: Sequence[Sequence[int]]) -> list[int]:
    """Of each group of memories, on how many events they rest together."""
    rows = fetch(
        con,
        """
        select count(distinct evidence.event)
        from json_each(?) asked left join evidence
          on evidence.memory in (select value from json_each(asked.value))
        group by asked.key
        order by asked.key""",
        (json.dumps([list(group) for group in groups]),),
    )
    return [int(times) for (times,) in rows]


@dataclass(frozen=True, slots=True)
class Support:
    """One piece of evidence as a person reads it."""

    event: int
    role: str
    kind: str
    origin: str
    quote: str
    occurred_at: int
    turn: int


def evidence(con: apsw.Connection, memory: int) -> list[Support]:
    """What a memory rests on, oldest first."""
    rows = fetch(
        con,
        """
        select event.id, event.role, event.kind, event.origin,
               coalesce(quote, substr(event.content, start + 1, end - start)),
               event.occurred_at, event.turn
        from evidence join event on event.id = evidence.event
        where evidence.memory = ?
        order by event.occurred_at, event.id""",
        (memory,),
    )
    return [Support(*row) for row in rows]


def used(con: apsw.Connection, ids: Sequence[int], *, now: int) -> None:
    """Note that memories were handed out."""
    con.execute(
        "update memory set uses = uses + 1, used_at = ? where id in (select value from json_each(?))",
        (now, json.dumps(list(ids))),
    )


def as_new(memory: Memory) -> NewMemory:
    """
    The memory as one that could be written again: the ground for a new version, true from when it was, though it is
    told later.
    """
    return NewMemory(
        kind=memory.kind, scene=memory.scene, scope=memory.scope, text=memory.text, origin=memory.origin,
        line=memory.line, turn=memory.turn, slot=memory.slot, importance=memory.importance,
        confidence=memory.confidence, trust=memory.trust, valid_from=memory.true_from,
        valid_to=memory.valid_to, expires_at=memory.expires_at, data=memory.data, meta=memory.meta,
    )  # fmt: skip


def _json(value: object) -> str:
    return json.dumps(dict(value) if not isinstance(value, dict) else value, ensure_ascii=False)  # type: ignore[call-overload]


def listing(con: apsw.Connection, wanted: Filter, *, limit: int, offset: int = 0) -> tuple[list[Memory], int]:
    """The memories that pass the filter, latest first, from `offset` on; and how many there are in all."""
    values = wanted.values()
    total = value(con, f"select count(*) from memory where {CONDITION}", values)
    rows = fetch(
        con,
        f"""
        select {COLUMNS} from memory
        where {CONDITION}
        order by coalesce(memory.valid_from, memory.recorded_at) desc, memory.id desc
        limit :limit offset :offset""",
        {**values, "limit": limit, "offset": offset},
    )
    return [from_row(row) for row in rows], int(total)


def counts(con: apsw.Connection, user: str) -> dict[str, int]:
    """Live memories of the user by kind, and how many are archived and retired."""
    rows = fetch(
        con,
        """
        select case when retired_at is not null then 'retired' when archived_at is not null then 'archived'
                    else kind end as what, count(*)
        from memory where user = ? group by what order by what""",
        (user,),
    )
    return {str(what): int(n) for what, n in rows}
