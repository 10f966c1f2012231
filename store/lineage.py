"""What rests on what: the versions of memories, the events behind them, and what was drawn from either."""

from __future__ import annotations

import json
from collections.abc import Collection
from dataclasses import dataclass

import apsw

from .evidence import LEG
from .rows import fetch
from .standing import EVENTS, MEMORIES, TURNS, Reach


@dataclass(frozen=True, slots=True)
class Leg:
    """One piece of evidence: a memory (and its kind) on a passage of an event; the words that stand there."""

    memory: int
    kind: str
    event: int
    start: int
    end: int
    quote: str


@dataclass(frozen=True, slots=True)
class Said:
    """An event as forgetting sees it: its key as clients send it is (source, session, prompt id, key)."""

    id: int
    ulid: str
    turn: int
    kind: str
    key: str
    content: str
    data: str
    occurred_at: int
    source: str
    session: str
    prompt_id: str


@dataclass(frozen=True, slots=True)
class Kept:
    """A memory as forgetting sees it."""

    id: int
    ulid: str
    root: str
    turn: int | None
    kind: str
    text: str
    line: str | None


def versions(con: apsw.Connection, memories: Collection[int]) -> set[int]:
    """Every version of those memories."""
    rows = fetch(
        con,
        """
        select id from memory where root in (
          select root from memory where id in (select value from json_each(?)))""",
        (_listed(memories),),
    )
    return {int(id_) for (id_,) in rows}


def kept(con: apsw.Connection, memories: Collection[int]) -> list[Kept]:
    """Those memories, oldest first."""
    rows = fetch(
        con,
        """
        select id, ulid, root, turn, kind, text, line from memory
        where id in (select value from json_each(?)) order by id""",
        (_listed(memories),),
    )
    return [Kept(*row) for row in rows]


_LEGS = """
select memory.id, memory.kind, event.id, coalesce(evidence.start, max(instr(event.content, evidence.quote) - 1, 0)),
       coalesce(evidence.end, instr(event.content, evidence.quote) - 1 + length(evidence.quote)),
       coalesce(evidence.quote, substr(event.content, evidence.start + 1, evidence.end - evidence.start))
from evidence join memory on memory.id = evidence.memory join event on event.id = evidence.event
where {column} in (select value from json_each(?))"""


def legs_of(con: apsw.Connection, memories: Collection[int]) -> list[Leg]:
    """What those memories rest on."""
    return [Leg(*row) for row in fetch(con, _LEGS.format(column="evidence.memory"), (_listed(memories),))]


def legs_on(con: apsw.Connection, events: Collection[int]) -> list[Leg]:
    """What rests on those events."""
    return [Leg(*row) for row in fetch(con, _LEGS.format(column="evidence.event"), (_listed(events),))]


def holders(con: apsw.Connection, memories: Collection[int]) -> dict[int, set[int]]:
    """The memories that were drawn from those, each with all that it was drawn from."""
    rows = fetch(
        con,
        f"""
        select source, target from link
        where {LEG} and source in (
          select source from link where {LEG} and target in (select value from json_each(?)))""",
        (_listed(memories),),
    )
    found: dict[int, set[int]] = {}
    for source, target in rows:
        found.setdefault(int(source), set()).add(int(target))
    return found


def said(con: apsw.Connection, events: Collection[int]) -> list[Said]:
    """Those events, oldest first."""
    rows = fetch(
        con,
        """
        select event.id, event.ulid, event.turn, event.kind, event.key, event.content, event.data, event.occurred_at,
               turn.source, turn.session, turn.prompt_id
        from event join turn on turn.id = event.turn
        where event.id in (select value from json_each(?)) order by event.id""",
        (_listed(events),),
    )
    return [Said(*row) for row in rows]


def of_turns(con: apsw.Connection, turns: Collection[int]) -> set[int]:
    """The events of those turns."""
    rows = fetch(
        con, "select id from event where turn in (select value from json_each(?))", (_listed(turns),)
    )
    return {int(id_) for (id_,) in rows}


def turn_memories(con: apsw.Connection, turns: Collection[int]) -> set[int]:
    """The turns' own memories."""
    rows = fetch(
        con,
        "select id from memory where kind = 'turn' and turn in (select value from json_each(?))",
        (_listed(turns),),
    )
    return {int(id_) for (id_,) in rows}


def turns_within(con: apsw.Connection, reach: Reach) -> set[int]:
    """The turns that lie in a reach."""
    return {int(id_) for (id_,) in fetch(con, f"select id from turn where {TURNS}", reach.values())}


def events_within(con: apsw.Connection, reach: Reach) -> set[int]:
    """The events that lie in a reach, also of turns that began before it."""
    rows = fetch(
        con, f"select event.id from event join turn on turn.id = event.turn where {EVENTS}", reach.values()
    )
    return {int(id_) for (id_,) in rows}


def owned(con: apsw.Connection, ids: Collection[int], user: str) -> set[int]:
    """Those of the memories that are the user's."""
    rows = fetch(
        con,
        "select id from memory where user = ? and id in (select value from json_each(?))",
        (user, _listed(ids)),
    )
    return {int(id_) for (id_,) in rows}


def state(con: apsw.Connection) -> tuple[int, ...]:
    """What is another once anything was kept, drawn, changed or forgotten meanwhile: each leaves a row."""
    rows = fetch(
        con,
        """
        select max(id) from event union all select max(id) from memory union all select max(id) from evidence
        union all select max(id) from run union all select max(id) from round union all select max(id) from change""",
    )
    return tuple(int(last or 0) for (last,) in rows)


def memories_within(con: apsw.Connection, reach: Reach) -> set[int]:
    """The memories that lie in a reach."""
    return {int(id_) for (id_,) in fetch(con, f"select id from memory where {MEMORIES}", reach.values())}


def touching(con: apsw.Connection, paths: Collection[str], reach: Reach) -> set[int]:
    """The events of tools that name one of those files, or one below a folder of that name, as a path of theirs."""
    rows = fetch(
        con,
        f"""
        select distinct event.id
        from event join turn on turn.id = event.turn
          join json_each(event.data, '$.paths') named
          join json_each(:paths) path
            on named.value = path.value or substr(named.value, 1, length(path.value) + 1) = path.value || '/'
        where event.kind in ('tool', 'edit') and event.data like '%"paths"%' and {EVENTS}""",
        {**reach.values(), "paths": _listed(paths)},
    )
    return {int(id_) for (id_,) in rows}


def folders(con: apsw.Connection, workspaces: Collection[int]) -> set[str]:
    """The folders that those workspaces were worked on in."""
    rows = fetch(
        con,
        """
        select folder from turn where folder is not null and workspace in (select value from json_each(:ids))
        union
        select key from workspace_key where kind = 'folder' and workspace in (select value from json_each(:ids))
        union
        select worktree from change where workspace in (select value from json_each(:ids))""",
        {"ids": _listed(workspaces)},
    )
    return {str(folder) for (folder,) in rows}


def _listed(values: Collection[int] | Collection[str]) -> str:
    return json.dumps(list(values), ensure_ascii=False)
