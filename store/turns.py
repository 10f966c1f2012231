"""Sessions and their turns."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, Literal

import apsw

from . import jobs
from .ids import new_ulid
from .models import Scene, Scope, Turn
from .rows import fetch, first

# The job of drawing from a turn what it leaves; its key is the turn's row.
DISTILL = "distill"

_COLUMNS = """
  id, ulid, user, agent, source, session, prompt_id, workspace, branch,
  status, started_at, ended_at, folder, head, scene"""


def _turn(row: Sequence[Any]) -> Turn:
    user, agent, source, session, prompt_id, workspace, branch = row[2:9]
    return Turn(row[0], row[1], Scope(user, agent, session, source, workspace, branch), prompt_id, *row[9:])


def start_session(con: apsw.Connection, scope: Scope, *, kind: str, at: int, fresh_context: bool) -> None:
    """Note that a session began or went on; `fresh_context` forgets what it was given before `at`."""
    con.execute(
        """
        insert into session(source, session, user, workspace, kind, started_at, context_at)
        values (?, ?, ?, ?, ?, ?, ?)
        on conflict(source, session) do update set
          workspace = coalesce(excluded.workspace, workspace),
          context_at = case when ? then excluded.context_at else context_at end,
          ended_at = null,
          end_reason = null""",
        (scope.source, scope.session, scope.user, scope.workspace, kind, at, at, fresh_context),
    )
    if fresh_context:
        con.execute("delete from delivery where source = ? and session = ?", (scope.source, scope.session))


def end_session(con: apsw.Connection, source: str, session: str, *, reason: str, at: int) -> None:
    """Note that a session is over."""
    con.execute(
        "update session set ended_at = ?, end_reason = ? where source = ? and session = ?",
        (at, reason, source, session),
    )


def context_began_at(con: apsw.Connection, source: str | None, session: str | None) -> int | None:
    """Since when the session's context has held what it holds now; None for an unknown session."""
    row = first(con, "select context_at from session where source = ? and session = ?", (source, session))
    return row[0] if row else None


def open_turn(
    con: apsw.Connection,
    scope: Scope,
    prompt_id: str,
    *,
    at: int,
    kind: str = "interactive",
    folder: str | None = None,
    head: str | None = None,
    utc_offset_s: int = 0,
) -> Turn | None:
    """The turn of that prompt, begun if need be; None where the prompt was one to be ignored."""
    alias = first(
        con,
        "select turn from turn_alias where source = ? and session = ? and prompt_id = ?",
        (scope.source, scope.session, prompt_id),
    )
    if alias:
        return turn(con, alias[0]) if alias[0] is not None else None
    con.execute(
        """
        insert into turn(ulid, user, agent, source, session, prompt_id, session_kind,
                         workspace, folder, branch, head, started_at, utc_offset_s)
        values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        on conflict(source, session, prompt_id) do nothing""",
        (
            new_ulid(at), scope.user, scope.agent, scope.source, scope.session, prompt_id, kind,
            scope.workspace, folder, scope.branch, head, at, utc_offset_s,
        ),
    )  # fmt: skip
    (row,) = fetch(
        con,
        f"select {_COLUMNS} from turn where source = ? and session = ? and prompt_id = ?",
        (scope.source, scope.session, prompt_id),
    )
    return _turn(row)


def alias_prompt(con: apsw.Connection, scope: Scope, prompt_id: str) -> None:
    """Let `prompt_id` lead to the session's last turn (to none, where it has none): it asks nothing of its own."""
    con.execute(
        """
        insert into turn_alias(source, session, prompt_id, turn)
        values (:source, :session, :prompt_id, (
          select id from turn where source = :source and session = :session order by started_at desc, id desc limit 1))
        on conflict do nothing""",
        {"source": scope.source, "session": scope.session, "prompt_id": prompt_id},
    )


def kind(con: apsw.Connection, id_: int) -> str | None:
    """The kind of session that a turn belongs to; None for no turn."""
    row = first(con, "select session_kind from turn where id = ?", (id_,))
    return row[0] if row else None


def utc_offset_s(con: apsw.Connection, id_: int) -> int:
    """How far the user's clock was ahead of UTC when the turn began."""
    row = first(con, "select utc_offset_s from turn where id = ?", (id_,))
    return int(row[0]) if row else 0


def latest(con: apsw.Connection, source: str, session: str, *, limit: int) -> list[Turn]:
    """The latest turns of a session, latest first."""
    rows = fetch(
        con,
        f"""
        select {_COLUMNS} from turn where source = ? and session = ?
        order by started_at desc, id desc limit ?""",
        (source, session, limit),
    )
    return [_turn(row) for row in rows]


def is_refined(con: apsw.Connection, id_: int) -> bool:
    """Whether a model has looked at the turn."""
    row = first(con, "select refined_at from turn where id = ?", (id_,))
    return row is not None and row[0] is not None


def refined(con: apsw.Connection, ids: Sequence[int], *, at: int) -> None:
    """Note that a model has looked at turns."""
    con.execute(
        "update turn set refined_at = ? where id in (select value from json_each(?))",
        (at, json.dumps(list(ids))),
    )


def before(con: apsw.Connection, turn: Turn, *, limit: int) -> list[Turn]:
    """The latest turns of the same session before that one, latest first."""
    rows = fetch(
        con,
        f"""
        select {_COLUMNS} from turn
        where source = ? and session = ? and (started_at, id) < (?, ?)
        order by started_at desc, id desc limit ?""",
        (turn.scope.source, turn.scope.session, turn.started_at, turn.id, limit),
    )
    return [_turn(row) for row in rows]


def before_here(con: apsw.Connection, turn: Turn) -> Turn | None:
    """The latest turn of the same user in the same place before that one, whichever session it was in."""
    row = first(
        con,
        f"""
        select {_COLUMNS} from turn indexed by turn_workspace
        where workspace is ? and user = ? and (started_at, id) < (?, ?)
        order by started_at desc, id desc limit 1""",
        (turn.scope.workspace, turn.scope.user, turn.started_at, turn.id),
    )
    return None if row is None else _turn(row)


def distill_later(con: apsw.Connection, id_: int, *, now: int, not_before_at: int = 0) -> None:
    """Let what a turn leaves be drawn from it, once it has ended."""
    row = first(con, "select 1 from turn where id = ? and status <> 'open'", (id_,))
    if row is not None:
        jobs.enqueue(con, DISTILL, str(id_), now=now, not_before_at=not_before_at)


def turn(con: apsw.Connection, id_: int) -> Turn | None:
    """The turn with that row id."""
    row = first(con, f"select {_COLUMNS} from turn where id = ?", (id_,))
    return _turn(row) if row else None


def last_turn(con: apsw.Connection, source: str | None, session: str | None) -> Turn | None:
    """The session's latest turn."""
    row = first(
        con,
        f"select {_COLUMNS} from turn where source = ? and session = ? order by started_at desc, id desc limit 1",
        (source, session),
    )
    return _turn(row) if row else None


def of_prompt(con: apsw.Connection, source: str, session: str, prompt_id: str | None) -> Turn | None:
    """The turn of that prompt, where it is known; else the session's latest."""
    row = first(
        con,
        f"""
        select {_COLUMNS} from turn
        where id = coalesce(
          (select turn from turn_alias where source = :source and session = :session and prompt_id = :prompt_id),
          (select id from turn where source = :source and session = :session and prompt_id = :prompt_id))""",
        {"source": source, "session": session, "prompt_id": prompt_id},
    )
    return _turn(row) if row else last_turn(con, source, session)


def of_session(con: apsw.Connection, source: str | None, session: str | None) -> frozenset[int | None]:
    """The row ids of a session's turns."""
    rows = fetch(con, "select id from turn where source = ? and session = ?", (source, session))
    return frozenset(int(id_) for (id_,) in rows)


def open_turns(
    con: apsw.Connection,
    *,
    source: str | None = None,
    session: str | None = None,
    workspace: int | None = None,
    since: int = 0,
) -> list[Turn]:
    """Turns not yet ended, latest first, of that source, session and workspace where they are named."""
    rows = fetch(
        con,
        f"""
        select {_COLUMNS} from turn
        where status = 'open' and started_at >= :since
          and (:source is null or source = :source)
          and (:session is null or session = :session)
          and (:workspace is null or workspace = :workspace)
        order by started_at desc, id desc""",
        {"source": source, "session": session, "workspace": workspace, "since": since},
    )
    return [_turn(row) for row in rows]


def latest_unfinished(
    con: apsw.Connection, *, user: str, workspaces: Sequence[int], since: int
) -> Turn | None:
    """The latest turn of those workspaces (global where there is none), if it never came to its end."""
    row = first(
        con,
        f"""
        select {_COLUMNS} from turn
        where user = :user and started_at >= :since and session_kind = 'interactive'
          and (workspace in (select value from json_each(:workspaces))
               or (workspace is null and :workspaces = '[]'))
        order by started_at desc, id desc
        limit 1""",
        {"user": user, "since": since, "workspaces": json.dumps(list(workspaces))},
    )
    found = _turn(row) if row else None
    return found if found and found.status != "done" else None


def end_turn(con: apsw.Connection, id_: int, status: Literal["done", "interrupted"], *, at: int) -> None:
    """End a turn; one that is done stays done."""
    con.execute(
        "update turn set status = ?, ended_at = ? where id = ? and status <> 'done'", (status, at, id_)
    )


def set_scene(con: apsw.Connection, id_: int, scene: Scene) -> None:
    """Say to which pipeline the turn belongs."""
    con.execute("update turn set scene = ? where id = ? and scene is not ?", (scene, id_, scene))


def locate(con: apsw.Connection, id_: int, scope: Scope, *, folder: str | None, head: str | None) -> None:
    """Complete where a turn is, when its first event could not say."""
    con.execute(
        """
        update turn set
          workspace = coalesce(workspace, ?), branch = coalesce(branch, ?),
          folder = coalesce(folder, ?), head = coalesce(head, ?)
        where id = ?""",
        (scope.workspace, scope.branch, folder, head, id_),
    )
