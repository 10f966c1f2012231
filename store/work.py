"""What work was done lately: the facts of turns with tool calls, by workspace, and what was drawn from a turn."""

from __future__ import annotations

import json
from collections.abc import Sequence

import apsw

from .memories import COLUMNS, from_row
from .models import Memory, Scope
from .rows import fetch, first

# The slots of what there is one of: what a turn did, and what was learned of one task.
DID, LEARNED = "did:", "learned:"


def lately(
    con: apsw.Connection, *, user: str, workspaces: Sequence[int], since: int, before: int, limit: int
) -> list[Memory]:
    """The live facts of turns that began in that time in those workspaces, latest first."""
    rows = fetch(
        con,
        f"""
        select {COLUMNS} from memory
        where user = :user and kind = 'fact' and retired_at is null and slot glob :did
          and coalesce(valid_from, recorded_at) >= :since and coalesce(valid_from, recorded_at) < :before
          and (workspace in (select value from json_each(:workspaces))
               or (workspace is null and :workspaces = '[]'))
        order by coalesce(valid_from, recorded_at) desc, id desc
        limit :limit""",
        {
            "user": user, "workspaces": json.dumps(list(workspaces)), "since": since, "before": before,
            "limit": limit, "did": f"{DID}*",
        },
    )  # fmt: skip
    return [from_row(row) for row in rows]


def drawn(con: apsw.Connection, turn: int) -> list[Memory]:
    """The live memories that were drawn from a turn, without the turn's own."""
    rows = fetch(
        con,
        f"select {COLUMNS} from memory where turn = ? and kind <> 'turn' and retired_at is null order by id",
        (turn,),
    )
    return [from_row(row) for row in rows]


def quoting(con: apsw.Connection, event: int, start: int, end: int) -> list[Memory]:
    """
    Memories, live or not, that rest on words of an event which overlap these by half of the shorter; the live first,
    then the latest. What a turn has left once is among them, whatever became of it.
    """
    rows = fetch(
        con,
        f"""
        select {COLUMNS} from memory
        where kind not in ('turn', 'summary') and id in (
          select memory from evidence
          where event = :event and start is not null
            and 2 * (min(end, :end) - max(start, :start)) >= min(end - start, :end - :start)
            and min(end, :end) > max(start, :start))
        order by retired_at is not null or valid_to is not null, id desc""",
        {"event": event, "start": start, "end": end},
    )
    return [from_row(row) for row in rows]


def record(con: apsw.Connection, turn: int) -> int | None:
    """The row of the turn's own memory; None where there is none in recall."""
    row = first(con, "select id from memory where turn = ? and kind = 'turn' and retired_at is null", (turn,))
    return int(row[0]) if row else None


def taken_out(con: apsw.Connection, turn: int) -> bool:
    """Whether someone has taken the turn's own memory out of recall: nothing is drawn from it."""
    row = first(
        con,
        "select retired_at from memory where turn = ? and kind = 'turn' order by id desc limit 1",
        (turn,),
    )
    return row is not None and row[0] is not None


def corrections(con: apsw.Connection, scope: Scope, *, limit: int = 50) -> list[Memory]:
    """The live experiences of a user's corrections in that workspace, latest first."""
    rows = fetch(
        con,
        f"""
        select {COLUMNS} from memory
        where user = ? and workspace is ? and kind = 'experience' and retired_at is null
          and json_extract(data, '$.from') = 'corrected'
        order by id desc limit ?""",
        (scope.user, scope.workspace, limit),
    )
    return [from_row(row) for row in rows]
