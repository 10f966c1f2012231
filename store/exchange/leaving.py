"""What was said, done and remembered, row by row, as it leaves the file."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

import apsw

from ..turns import DISTILL

Line = dict[str, Any]
Picked = Mapping[str, str]


def workspaces(con: apsw.Connection, picked: Picked) -> Iterator[Line]:
    """Workspaces with their keys, the oldest first; `same_as` is the oldest of those that are one with it."""
    rows = con.execute(
        f"""
        select workspace.ulid, workspace.name, workspace.created_at, (
            select one.ulid from workspace one
            where coalesce(one.same_as, one.id) = coalesce(workspace.same_as, workspace.id)
            order by one.created_at, one.ulid limit 1),
          (select json_group_array(json_array(key, kind, created_at)) from (
            select key, kind, created_at from workspace_key
            where workspace_key.workspace = workspace.id order by key))
        from workspace where {picked["workspace"]}
        order by workspace.created_at, workspace.ulid"""
    )
    for ulid, name, created_at, same_as, keys in rows:
        yield {
            "ulid": ulid, "name": name, "created_at": created_at, "keys": json.loads(keys),
            "same_as": None if same_as == ulid else same_as,
        }  # fmt: skip


def sessions(con: apsw.Connection, picked: Picked) -> Iterator[Line]:
    """Sessions by their start."""
    rows = con.execute(
        f"""
        select session.source, session.session, session.user, workspace.ulid, session.kind, session.started_at,
               session.context_at, session.ended_at, session.end_reason
        from session left join workspace on workspace.id = session.workspace
        where {picked["session"]}
        order by session.started_at, session.source, session.session"""
    )
    names = (
        "source", "session", "user", "workspace", "kind", "started_at", "context_at", "ended_at", "end_reason",
    )  # fmt: skip
    return (dict(zip(names, row, strict=True)) for row in rows)


_TURN = (
    "ulid", "user", "agent", "source", "session", "prompt_id", "session_kind", "folder", "branch", "head", "scene",
    "status", "started_at", "ended_at", "refined_at", "utc_offset_s",
)  # fmt: skip


def turns(con: apsw.Connection, picked: Picked) -> Iterator[Line]:
    """Turns in the order they came; `undrawn` where what they leave is still to be drawn from them."""
    rows = con.execute(
        f"""
        select {", ".join(f"turn.{name}" for name in _TURN)}, workspace.ulid,
               exists (select 1 from job where job.kind = '{DISTILL}' and job.key = cast(turn.id as text))
        from turn left join workspace on workspace.id = turn.workspace
        where {picked["turn"]}
        order by turn.id"""
    )
    for *values, workspace, undrawn in rows:
        line = dict(zip(_TURN, values, strict=True))
        yield {**line, "workspace": workspace, "undrawn": True if undrawn else None}


def aliases(con: apsw.Connection, picked: Picked) -> Iterator[Line]:
    """Prompt ids that lead to another turn, or to none."""
    rows = con.execute(
        f"""
        select turn_alias.source, turn_alias.session, turn_alias.prompt_id, turn.ulid
        from turn_alias left join turn on turn.id = turn_alias.turn
        where turn.id is null and {picked["turn"] == "true"} or {picked["turn"]}
        order by turn_alias.source, turn_alias.session, turn_alias.prompt_id"""
    )
    return (dict(zip(("source", "session", "prompt_id", "turn"), row, strict=True)) for row in rows)


_EVENT = (
    "ulid", "seq", "key", "role", "kind", "content", "tool", "ok", "origin", "data", "occurred_at", "recorded_at",
    "blanked_at",
)  # fmt: skip


def events(con: apsw.Connection, picked: Picked) -> Iterator[Line]:
    """Events in the order they came."""
    rows = con.execute(
        f"""
        select {", ".join(f"event.{name}" for name in _EVENT)}, turn.ulid
        from event join turn on turn.id = event.turn
        where {picked["event"]}
        order by event.id"""
    )
    for *values, turn in rows:
        line = dict(zip(_EVENT, values, strict=True))
        ok = line["ok"]
        yield {**line, "turn": turn, "ok": None if ok is None else bool(ok), "data": json.loads(line["data"])}


_MEMORY = (
    "ulid", "root", "scene", "kind", "user", "agent", "session", "source", "branch", "origin", "text", "line", "data",
    "slot", "importance", "confidence", "trust", "valid_from", "valid_to", "recorded_at", "imported_at", "retired_at",
    "retired_why", "expires_at", "uses", "used_at", "meta", "archived_at", "renew_at",
)  # fmt: skip


def memories(con: apsw.Connection, picked: Picked) -> Iterator[Line]:
    """Every version of every memory, in the order they were written."""
    rows = con.execute(
        f"""
        select {", ".join(f"memory.{name}" for name in _MEMORY)}, turn.ulid, workspace.ulid
        from memory
          left join turn on turn.id = memory.turn
          left join workspace on workspace.id = memory.workspace
        where {picked["memory"]}
        order by memory.id"""
    )
    for *values, turn, workspace in rows:
        line = dict(zip(_MEMORY, values, strict=True))
        yield {
            **line, "turn": turn, "workspace": workspace,
            "data": json.loads(line["data"]), "meta": json.loads(line["meta"]),
        }  # fmt: skip


def evidence(con: apsw.Connection, picked: Picked) -> Iterator[Line]:
    """What memories rest on."""
    rows = con.execute(
        f"""
        select memory.ulid, event.ulid, evidence.quote, evidence.start, evidence.end
        from evidence join memory on memory.id = evidence.memory join event on event.id = evidence.event
        where {picked["memory"]}
        order by evidence.id"""
    )
    return (dict(zip(("memory", "event", "quote", "start", "end"), row, strict=True)) for row in rows)


def links(con: apsw.Connection, picked: Picked) -> Iterator[Line]:
    """What joins two memories that both leave."""
    rows = con.execute(
        f"""
        select one.ulid, other.ulid, link.kind, link.data, link.created_at
        from link join memory one on one.id = link.source join memory other on other.id = link.target
        where {picked["memory"].replace("memory.", "one.")} and {picked["memory"].replace("memory.", "other.")}
        order by link.source, link.target, link.kind"""
    )
    for source, target, kind, data, created_at in rows:
        # What contradicts has no direction: which is which row differs from file to file.
        one, other = sorted((source, target)) if kind == "contradicts" else (source, target)
        yield {"from": one, "to": other, "kind": kind, "data": json.loads(data), "created_at": created_at}


def feedback(con: apsw.Connection, picked: Picked) -> Iterator[Line]:
    """What people thought of memories, in the order they said so."""
    rows = con.execute(
        f"""
        select ulid, root, verdict, source, session, given_at from feedback
        where {picked["memory"] == "true"} or root in (select root from memory where {picked["memory"]})
        order by given_at, ulid"""
    )
    names = ("ulid", "root", "verdict", "source", "session", "given_at")
    return (dict(zip(names, row, strict=True)) for row in rows)


def users(con: apsw.Connection) -> list[str]:
    """Whose memory the file holds."""
    rows = con.execute(
        "select user from memory union select user from turn union select user from session order by 1"
    )
    return [str(user) for (user,) in rows.fetchall()]


def tombstones(con: apsw.Connection, _: Picked) -> Iterator[Line]:
    """The marks of what was forgotten; they leave with every export, so that what it says stays gone everywhere."""
    rows = con.execute(
        "select kind, value, salt, data, created_at from tombstone order by created_at, kind, value"
    )
    for kind, value, salt, told, created_at in rows:
        data = json.loads(told)
        yield {
            "kind": kind, "value": value, "salt": salt or None, "created_at": created_at,
            "spans": sorted(data.get("spans", ())) if kind == "blank" else None, "words": data.get("words"),
            "asked": data.get("asked"), "code": data.get("code"),
        }  # fmt: skip
