"""Copies of the whole file: made while others write, and kept track of. Whether one is sound: `sound_copies`."""

from __future__ import annotations

import json
import os
from pathlib import Path

import apsw

from . import settings, wiping
from .driver_errors import full
from .progress import Progress
from .rows import value

# Pages at a time: 4 MB, between which a bar is drawn.
STEP_PAGES = 1024
BACKUPS = "backups"


def copy(source: apsw.Connection, target: Path, *, progress: Progress | None = None) -> None:
    """
    The file that `source` has open, as it is at one moment, as a new file that only its owner can read. Others may
    write all the while: the reading that `source` is in holds the moment.

    Raises:
        StoreDamaged: there is no room for it.
    """
    os.close(os.open(target, os.O_CREAT | os.O_RDWR | os.O_TRUNC, 0o600))
    made = apsw.Connection(str(target))
    try:
        if not source.in_transaction:
            source.execute("begin")
        # A transaction sees its moment only from its first reading on.
        value(source, "select count(*) from sqlite_schema")
        with made.backup("main", source, "main") as backup:
            while not backup.done:
                backup.step(STEP_PAGES)
                if progress:
                    progress(backup.page_count - backup.remaining, backup.page_count)
        # One file, nothing beside it.
        made.pragma("journal_mode", "delete")
    except apsw.FullError as e:
        raise full(target) from e
    finally:
        made.close()
    sync(target)


def hold(con: apsw.Connection) -> None:
    """Keep everyone else out of the file, readers too, until the connection is closed."""
    con.execute("begin exclusive")


def compact(con: apsw.Connection) -> None:
    """Write the file anew, so that no byte is left of rows that are gone."""
    wiping.close_up(con)
    con.execute("vacuum")
    wiping.done(con)


def sync(path: Path) -> None:
    """Let a file, and its name, be on the disk."""
    for place in (path, path.parent):
        handle = os.open(place, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def known(con: apsw.Connection) -> list[str]:
    """Where backups lie that were made of this file, the oldest first."""
    listed = json.loads(settings.get(con, BACKUPS) or "[]")
    return [str(path) for path in listed]


def note(con: apsw.Connection, paths: list[str]) -> None:
    """Know of backups, beside those that were known before: what is forgotten still stands in them."""
    every = list(dict.fromkeys([*known(con), *paths]))
    settings.put(con, BACKUPS, json.dumps(every, ensure_ascii=False))
