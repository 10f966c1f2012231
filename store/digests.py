"""What a session begins with: where this workspace was left, and who it is with."""

from __future__ import annotations

import json
from collections.abc import Sequence

import apsw

from .memories import COLUMNS, from_row
from .models import Memory
from .rows import fetch


def latest_turns(
    con: apsw.Connection, *, user: str, workspaces: Sequence[int], not_session: str | None, limit: int
) -> list[Memory]:
    """The latest turns of those workspaces from other sessions, latest first; global ones where there is none."""
    rows = fetch(
        con,
        f"""
        select {COLUMNS} from memory
        where user = :user and kind = 'turn' and retired_at is null and session is not :session
          and (workspace in (select value from json_each(:workspaces))
               or (workspace is null and :workspaces = '[]'))
        order by coalesce(valid_from, recorded_at) desc, id desc
        limit :limit""",
        {"user": user, "workspaces": json.dumps(list(workspaces)), "session": not_session, "limit": limit},
    )
    return [from_row(row) for row in rows]


def standing(
    con: apsw.Connection, *, user: str, workspaces: Sequence[int], now: int, limit: int
) -> list[Memory]:
    """The user's profile, here and everywhere: the most important first."""
    rows = fetch(
        con,
        f"""
        select {COLUMNS} from memory
        where user = :user and kind = 'profile' and retired_at is null
          and (workspace is null or workspace in (select value from json_each(:workspaces)))
          and (valid_to is null or valid_to > :now) and (expires_at is null or expires_at > :now)
        order by importance desc, recorded_at desc, id desc
        limit :limit""",
        {"user": user, "workspaces": json.dumps(list(workspaces)), "now": now, "limit": limit},
    )
    return [from_row(row) for row in rows]
