"""Small facts about the file itself, kept in it: its salt, and whether memory is paused."""

from __future__ import annotations

import json
import secrets
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import apsw

from .rows import fetch, first

if TYPE_CHECKING:
    from .db import Database


def get(con: apsw.Connection, name: str) -> str | None:
    """The value kept under that name."""
    row = first(con, "select value from setting where name = ?", (name,))
    return str(row[0]) if row else None


def several(con: apsw.Connection, names: Sequence[str]) -> dict[str, str]:
    """Those of the names that a value is kept under."""
    rows = fetch(
        con,
        "select name, value from setting where name in (select value from json_each(?))",
        (json.dumps(list(names)),),
    )
    return {str(name): str(text) for name, text in rows}


def put(con: apsw.Connection, name: str, value: str | None) -> None:
    """Keep a value under that name; None drops it."""
    if value is None:
        con.execute("delete from setting where name = ?", (name,))
        return
    con.execute(
        "insert into setting(name, value) values (?, ?) on conflict(name) do update set value = excluded.value",
        (name, value),
    )


def put_all(con: apsw.Connection, values: Mapping[str, str | None]) -> None:
    """Keep several values under their names; None drops one."""
    for name, text in values.items():
        put(con, name, text)


def salt(con: apsw.Connection) -> bytes:
    """The file's own salt for keyed hashes, made when first asked for."""
    known = get(con, "salt")
    if known is None:
        known = secrets.token_hex(16)
        put(con, "salt", known)
    return bytes.fromhex(known)


def salt_of(db: Database, *, within_s: float = 10.0) -> bytes:
    """
    As `salt`, reading where it is made already.

    Raises:
        StoreBusy: it was to be made, and the file stayed locked for `within_s`.
    """
    known = db.read(get, "salt")
    return bytes.fromhex(known) if known else db.write_within(within_s, salt)


def salt_made(con: apsw.Connection) -> bytes:
    """The file's salt; empty where none was made yet."""
    return bytes.fromhex(get(con, "salt") or "")


def pause(con: apsw.Connection, *, workspace: int | None, until: int | None) -> None:
    """Keep and recall nothing (in that workspace, else anywhere) until then; `until` 0 has no end, None resumes."""
    put(con, _pause_name(workspace), None if until is None else str(until))


def resume(con: apsw.Connection) -> None:
    """End every pause, wherever it was made."""
    con.execute("delete from setting where name = 'paused' or name like 'paused:%'")


def paused(con: apsw.Connection, *, workspace: int | None, now: int) -> bool:
    """Whether memory is paused here and now."""
    names = {_pause_name(None), _pause_name(workspace)}
    values = [get(con, name) for name in names]
    return any(value is not None and (int(value) == 0 or int(value) > now) for value in values)


def _pause_name(workspace: int | None) -> str:
    return "paused" if workspace is None else f"paused:{workspace}"
