"""What a statement answers, typed as the schema has it: the driver cannot know what is never null."""

# Hooks without a server read with the standard library's driver; they carry a copy of this file.

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    import sqlite3
    from typing import Any

    import apsw

    # What can be read from, by either driver.
    Reading = apsw.Connection | sqlite3.Connection


def fetch(con: Reading, sql: str, values: Any = ()) -> list[tuple[Any, ...]]:
    """All rows, read at once: an open cursor would keep the log from being written back."""
    return con.execute(sql, values).fetchall()


def first(con: Reading, sql: str, values: Any = ()) -> tuple[Any, ...] | None:
    """The first row, or None."""
    row: tuple[Any, ...] | None = con.execute(sql, values).fetchone()
    return row


def value(con: Reading, sql: str, values: Any = ()) -> Any:
    """The only value of the only row; None where there is no row."""
    row = first(con, sql, values)
    return row[0] if row else None
