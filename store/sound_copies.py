"""Whether a file is a sound copy of a memory, and if not, what it is instead, in words that say what to do."""

from __future__ import annotations

from pathlib import Path

import apsw

from .db import APPLICATION_ID, connect
from .errors import BackstoryError, BadInput, StoreDamaged, StoreTooNew
from .migrations import LATEST
from .rows import fetch

MAGIC = b"SQLite format 3\0"
HEADER_BYTES = 100
# Tables that every version of a memory has.
TABLES = ("setting", "workspace", "turn", "event", "memory", "evidence")
ANOTHER = "take another backup"


def check(path: Path) -> int:
    """
    The version of a sound file of ours.

    Raises:
        BadInput: there is none, or it is something else.
        StoreDamaged: it is not whole, or SQLite finds it damaged.
        StoreTooNew: a newer Backstory wrote it.
    """
    _begins(path, _first_bytes(path))
    try:
        con = connect(path, readonly=True)
    except apsw.Error as e:
        raise _damaged(path, e) from e
    try:
        return _version(con, path)
    except apsw.Error as e:
        raise _damaged(path, e) from e
    finally:
        con.close()


def _first_bytes(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(HEADER_BYTES)
    except IsADirectoryError as e:
        raise BadInput(f"{path} is a folder; name a backup in it.") from e
    except FileNotFoundError as e:
        log = path.with_name(path.name + "-wal")
        if log.exists():
            raise BadInput(
                f"There is no file {path}, only its log {log.name}, which is nothing without it."
            ) from e
        raise BadInput(f"There is no file {path}; `backstory backup` makes one.") from e
    except OSError as e:
        raise BadInput(f"{path} cannot be read ({e.strerror or e}).") from e


def _begins(path: Path, head: bytes) -> None:
    """Refuse what cannot be a whole database by how it begins and how long it is."""
    if not head:
        raise BadInput(f"{path} is empty; {ANOTHER}.")
    if head[:2] == b"\x1f\x8b":
        raise BadInput(
            f"{path} is packed. A backup is to be unpacked first (gunzip); an export is imported as it is."
        )
    if head[:1] == b"{":
        raise BadInput(f"{path} is no backup of Backstory. An export is taken in by: backstory import {path}")
    if head[: len(MAGIC)] != MAGIC:
        raise BadInput(
            f"{path} is no backup of Backstory: it does not begin as a database does. It may be encrypted, or of "
            "another program."
        )
    size = path.stat().st_size
    page, pages = int.from_bytes(head[16:18]), int.from_bytes(head[28:32])
    whole = (65_536 if page == 1 else page) * pages
    is_told = len(head) == HEADER_BYTES and head[24:28] == head[92:96]
    if len(head) < HEADER_BYTES or (is_told and size < whole):
        of = f" of {whole:,}" if is_told else ""
        raise StoreDamaged(f"{path} is cut short: {size:,}{of} bytes are there. Copy it again, or {ANOTHER}.")
    is_wal, is_ours = head[18:20] == b"\2\2", int.from_bytes(head[68:72]) == APPLICATION_ID
    if is_wal and not is_ours and pages <= 1 and not path.with_name(path.name + "-wal").exists():
        raise StoreDamaged(
            f"{path} was copied without its log {path.name}-wal, which holds what was written last; `backstory backup` "
            "makes whole copies."
        )


def _version(con: apsw.Connection, path: Path) -> int:
    if con.pragma("application_id") != APPLICATION_ID:
        raise BadInput(f"{path} is a database of another program; name a backup of Backstory.")
    version = int(con.pragma("user_version"))
    if version > LATEST:
        raise StoreTooNew(f"{path} was written by a newer Backstory; upgrade this one first.")
    there = {str(name) for (name,) in fetch(con, "select name from sqlite_schema where type = 'table'")}
    if version < 1 or not there.issuperset(TABLES):
        raise StoreDamaged(f"{path} is damaged (tables of a memory are missing); {ANOTHER}.")
    found = " ".join(str(line) for (line,) in fetch(con, "pragma integrity_check(3)"))
    if found != "ok":
        raise StoreDamaged(f"{path} is damaged ({' '.join(found.split())[:200]}); {ANOTHER}.")
    return version


def _damaged(path: Path, e: apsw.Error) -> BackstoryError:
    if isinstance(e, apsw.BusyError | apsw.LockedError):
        return BadInput(
            f"{path} is being written by another program; end it, or take a backup: backstory backup"
        )
    return StoreDamaged(f"{path} is damaged ({e}); {ANOTHER}.")
