"""What holds a slot now: of one thing one current value."""

from __future__ import annotations

import json
from collections.abc import Sequence

import apsw

from .memories import COLUMNS, from_row
from .models import Memory, Scope
from .rows import fetch, first


def holder(con: apsw.Connection, scope: Scope, slot: str) -> Memory | None:
    """The live memory that has the slot, of that user and in that workspace (None: global)."""
    row = first(
        con,
        f"""
        select {COLUMNS} from memory
        where user = ? and ifnull(workspace, 0) = ? and slot = ? and retired_at is null and valid_to is null""",
        (scope.user, scope.workspace or 0, slot),
    )
    return from_row(row) if row else None


def saying(con: apsw.Connection, scope: Scope, words: str, *, limit: int = 5) -> list[Memory]:
    """
    Live memories drawn from what the user said, in that workspace or global, in which those words stand, the latest
    first.
    """
    rows = fetch(
        con,
        f"""
        select {COLUMNS} from memory
        where user = ? and (workspace is null or workspace is ?) and kind in ('profile', 'fact', 'intention')
          and slot is not null and retired_at is null and origin = 'user'
          and instr(lower(text), lower(?)) > 0
        order by recorded_at desc, id desc limit ?""",
        (scope.user, scope.workspace, words, limit),
    )
    return [from_row(row) for row in rows]


def drawn(con: apsw.Connection, turns: Sequence[int]) -> int:
    """How many memories were drawn from those turns and are live."""
    row = first(
        con,
        """
        select count(*) from memory
        where turn in (select value from json_each(?)) and kind <> 'turn' and retired_at is null""",
        (json.dumps(list(turns)),),
    )
    return int(row[0]) if row else 0
