"""What a user intends: open until its time has passed, a plain fact from then on."""

from __future__ import annotations

import json

import apsw

from . import workspaces
from .memories import COLUMNS, from_row
from .models import Memory, Scope
from .rows import fetch


def passed(con: apsw.Connection, *, now: int, limit: int) -> list[Memory]:
    """Intentions whose time has passed and which nobody has closed, the earliest first."""
    rows = fetch(
        con,
        f"""
        select {COLUMNS} from memory indexed by memory_intention
        where kind = 'intention' and retired_at is null and expires_at <= ?
        order by expires_at limit ?""",
        (now, limit),
    )
    return [from_row(row) for row in rows]


def open_ones(con: apsw.Connection, scope: Scope, *, now: int, limit: int) -> list[Memory]:
    """Plans of a user whose time has not passed, in that workspace or global, the soonest first."""
    family = [] if scope.workspace is None else list(workspaces.family(con, scope.workspace))
    rows = fetch(
        con,
        f"""
        select {COLUMNS} from memory indexed by memory_intention
        where kind = 'intention' and retired_at is null and expires_at > :now
          and user = :user and valid_to is null
          and (workspace is null or workspace in (select value from json_each(:family)))
        order by expires_at limit :limit""",
        {"now": now, "user": scope.user, "family": json.dumps(family), "limit": limit},
    )
    return [from_row(row) for row in rows]
