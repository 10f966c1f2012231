"""Events: immutable records of what was said and done, in the order of their turn."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import apsw

from .ids import new_ulid
from .models import Event, NewEvent
from .rows import fetch, first, value

_COLUMNS = """
  id, ulid, turn, seq, key, role, kind, content, origin, occurred_at, recorded_at, tool, ok, data"""


def _event(row: tuple[Any, ...]) -> Event:
    ok, data = row[12:]
    values: list[Any] = [*row[:12], None if ok is None else bool(ok), json.loads(data)]
    return Event(*values)


def content_hash(text: str) -> str:
    """The first 32 hex digits of the text's SHA-256."""
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:32]


def append(con: apsw.Connection, turn: int, event: NewEvent, *, now: int) -> tuple[int, bool]:
    """The event's row id, and whether it is new: an event of the same key in the same turn is the same event."""
    row = first(
        con,
        """
        insert into event(ulid, turn, seq, key, role, kind, content, tool, ok, origin, data, hash,
                          occurred_at, recorded_at)
        values (?, ?, (select coalesce(max(seq), 0) + 1 from event where turn = ?), ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        on conflict(turn, key) do nothing
        returning id""",
        (
            new_ulid(event.occurred_at), turn, turn, event.key, event.role, event.kind, event.content,
            event.tool, event.ok, event.origin, json.dumps(dict(event.data), ensure_ascii=False),
            content_hash(event.content), event.occurred_at, now,
        ),
    )  # fmt: skip
    if row:
        return int(row[0]), True
    return int(value(con, "select id from event where turn = ? and key = ?", (turn, event.key))), False


def of_turn(con: apsw.Connection, turn: int) -> list[Event]:
    """The turn's events in the order they happened, as far as the order of arrival agrees with the clock."""
    rows = fetch(
        con,
        f"select {_COLUMNS} from event where turn = ? order by occurred_at, seq",
        (turn,),
    )
    return [_event(row) for row in rows]


def stand(con: apsw.Connection, events: Sequence[Event]) -> bool:
    """Whether those events are still as they were read: not forgotten since, whole or in part."""
    rows = fetch(
        con,
        "select id, hash from event where id in (select value from json_each(?))",
        (json.dumps([one.id for one in events]),),
    )
    kept = dict(rows)
    return all(kept.get(one.id) == content_hash(one.content) for one in events)


@dataclass(frozen=True, slots=True)
class Outline:
    """What a turn amounts to: the user's words, the last reply, the files edited and read, whether anything was run."""

    prompt: Event | None
    reply: Event | None
    edited: tuple[str, ...]
    read: tuple[str, ...]
    worked: bool


# A turn may hold thousands of tool calls; its outline looks at the latest.
OUTLINE_EVENTS = 300


def outline(con: apsw.Connection, turn: int) -> Outline:
    """The turn in outline, however long it is."""
    prompt = first(con, _END.format(columns=_COLUMNS, role="user", kind="prompt", order="asc"), (turn,))
    reply = first(con, _END.format(columns=_COLUMNS, role="assistant", kind="reply", order="desc"), (turn,))
    paths = fetch(
        con,
        """
        select kind, ok, json_extract(data, '$.paths')
        from (select kind, ok, data, occurred_at, seq from event
              where turn = ? and kind in ('tool', 'edit') and data like '%"paths"%'
              order by seq desc limit ?)
        order by occurred_at, seq""",
        (turn, OUTLINE_EVENTS),
    )
    edited = [
        path for kind, ok, found in paths if kind == "edit" and ok != 0 for path in json.loads(found or "[]")
    ]
    read = [path for kind, _, found in paths if kind == "tool" for path in json.loads(found or "[]")]
    worked = value(
        con,
        """
        select exists (
          select 1 from event where turn = ? and (kind = 'edit' or (kind = 'tool' and data like '%"command"%')))""",
        (turn,),
    )
    return Outline(
        _event(prompt) if prompt else None,
        _event(reply) if reply else None,
        tuple(edited),
        tuple(read),
        bool(worked),
    )


_END = """
select {columns} from event
where turn = ? and role = '{role}' and kind in ('{kind}', 'message')
order by occurred_at {order}, seq {order}
limit 1"""


def words_of(con: apsw.Connection, turn: int) -> str:
    """The user's words that a turn began with; "" where they are not known."""
    row = first(con, _END.format(columns="content", role="user", kind="prompt", order="asc"), (turn,))
    return str(row[0]) if row else ""


def has_edits(con: apsw.Connection, turn: int) -> bool:
    """Whether anything was edited in the turn."""
    return bool(value(con, "select exists (select 1 from event where turn = ? and kind = 'edit')", (turn,)))


def last_work(con: apsw.Connection, turn: int) -> Event | None:
    """The turn's latest tool call or subagent."""
    row = first(
        con,
        f"""
        select {_COLUMNS} from event
        where turn = ? and kind in ('tool', 'edit', 'subagent')
        order by occurred_at desc, seq desc
        limit 1""",
        (turn,),
    )
    return _event(row) if row else None


def last_at(con: apsw.Connection, turn: int) -> int | None:
    """When the turn's latest event happened."""
    moment: int | None = value(con, "select max(occurred_at) from event where turn = ?", (turn,))
    return moment


# A session without end, as that of an API's own adds, would make every add a scan of all before it.
PROMPTED_TURNS = 500


def said_since(con: apsw.Connection, source: str | None, session: str | None, since: int) -> list[str]:
    """The prompts of a session's last `PROMPTED_TURNS` since then, the latest first."""
    rows = fetch(
        con,
        """
        select event.content
        from (select id from turn where source = ? and session = ? order by started_at desc limit ?) latest
             cross join event on event.turn = latest.id
        where event.kind = 'prompt' and event.occurred_at >= ?
        order by event.id desc""",
        (source, session, PROMPTED_TURNS, since),
    )
    return [str(content) for (content,) in rows]


def prompts_since(con: apsw.Connection, since: int) -> list[tuple[int, str]]:
    """(when, what) users have said after that moment, wherever."""
    rows = fetch(
        con,
        "select occurred_at, content from event where kind = 'prompt' and occurred_at > ?",
        (since,),
    )
    return [(int(at), str(content)) for at, content in rows]


def prompts(con: apsw.Connection, source: str | None, session: str | None, *, limit: int) -> list[str]:
    """What the user said in a session, the latest first; what passed for it and is another's is not among it."""
    rows = fetch(
        con,
        """
        select event.content
        from (select id, started_at from turn where source = ? and session = ? order by started_at desc limit ?) latest
             cross join event on event.turn = latest.id
        where event.role = 'user' and event.kind in ('prompt', 'message') and event.origin = 'user'
        order by event.id desc""",
        (source, session, limit),
    )
    return [str(content) for (content,) in rows]


def has_prompts(con: apsw.Connection, source: str | None, session: str | None) -> bool:
    """Whether a client has told of prompts in that session."""
    sql = """
      select exists (
        select 1 from turn join event on event.turn = turn.id
        where turn.source = ? and turn.session = ? and event.kind = 'prompt')"""
    return bool(value(con, sql, (source, session)))


def heard(con: apsw.Connection, source: str | None, session: str | None, *, limit: int) -> list[Event]:
    """What a session was told by tools, files, pages and subagents, the latest first."""
    rows = fetch(
        con,
        f"""
        select {_COLUMNS} from event
        where id in (
          select event.id from turn join event on event.turn = turn.id
          where turn.source = ? and turn.session = ?
            and (event.kind = 'subagent' or (event.kind <> 'note' and event.origin in ('tool', 'external')))
          order by event.id desc
          limit ?)
        order by id desc""",
        (source, session, limit),
    )
    return [_event(row) for row in rows]


# How far back in a session a text is looked for: it costs a scan of so many tool results.
SEEN_EVENTS = 200


def seen_in_session(
    con: apsw.Connection, source: str | None, session: str | None, text: str, *, since: int
) -> bool:
    """Whether the session's latest tool calls have shown or written exactly this text since `since`."""
    row = first(
        con,
        """
        select 1
        from (select event.content, event.data
              from turn join event on event.turn = turn.id
              where turn.source = :source and turn.session = :session and event.kind in ('tool', 'edit')
                and event.occurred_at >= :since
              order by event.id desc
              limit :latest)
        where instr(content, :text) > 0 or instr(data, :escaped) > 0
        limit 1""",
        {
            "source": source,
            "session": session,
            "since": since,
            "latest": SEEN_EVENTS,
            "text": text,
            "escaped": json.dumps(text, ensure_ascii=False)[1:-1],
        },
    )
    return row is not None
