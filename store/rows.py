"""What a statement answers, typed as the schema has it: the driver cannot know what is never null."""

from __future__ import annotations

from typing import Any

import apsw


def fetch(con: apsw.Connection, sql: str, values: apsw.Bindings = ()) -> list[tuple[Any, ...]]:
    """All rows, read at once: an open cursor would keep the log from being written back."""
    return con.execute(sql, values).fetchall()


def first(con: apsw.Connection, sql: str, values: apsw.Bindings = ()) -> tuple[Any, ...] | None:
    """The first row, or None."""
    return con.execute(sql, values).fetchone()


def value(con: apsw.Connection, sql: str, values: apsw.Bindings = ()) -> Any:
    """The only value of the only row; None where there is no row."""
    return con.execute(sql, values).get
