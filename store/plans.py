"""What a user intends: open until its time has passed, a plain fact from then on."""

from __future__ import annotations

import apsw

from .memories import COLUMNS, from_row
from .models import Memory
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
