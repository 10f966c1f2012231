"""The bytes of what was forgotten: whether a wipe is wanting, indexes closed up, the file scanned and vacuumed."""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import apsw

from . import settings, standing
from .rows import fetch, first

if TYPE_CHECKING:
    from .db import Database

PENDING = "wipe"
# Read in pieces of this size, each with the end of the one before: small enough to stay near the processor while one
# needle after the other is looked for (12 of them in 248 MB: 0.63 s of CPU, against 0.97 s by 32 MB).
PIECE = 256 << 10
# Readers of other processes are done in milliseconds; whoever holds the log for longer is not waited for.
PATIENCE_S = 2.0
STEP_S = 0.02
# So many bytes of a vector are looked for, and so many of its numbers there are not zero.
VECTOR, NUMBERS = 256, 4
# VACUUM writes the file anew into the log, beside what SQLite keeps while it does.
ROOM = 2.2


def want(con: apsw.Connection, *, now: int) -> None:
    """Note that something was forgotten whose bytes are not known to be gone yet."""
    settings.put(con, PENDING, json.dumps({"since": now, "why": "not begun"}))


def pending(con: apsw.Connection) -> tuple[int, str] | None:
    """Since when a wipe is wanting (UTC microseconds), and why it was not finished; None where none is."""
    kept = settings.get(con, PENDING)
    if kept is None:
        return None
    told = json.loads(kept)
    return int(told["since"]), str(told["why"])


def put_off(con: apsw.Connection, why: str) -> None:
    """Say why the wipe was not finished."""
    found = pending(con)
    if found is not None:
        settings.put(con, PENDING, json.dumps({"since": found[0], "why": why}))


def done(con: apsw.Connection) -> None:
    """Note that no wipe is wanting any more."""
    settings.put(con, PENDING, None)


def close_up(con: apsw.Connection) -> None:
    """Write the full-text indexes anew: words of rows that are gone stand in their older parts until then."""
    for index in ("terms_fts", "past_fts"):
        con.execute(f"insert into {index}({index}) values ('optimize')")


def cut_log(db: Database, *, patience_s: float = PATIENCE_S) -> bool:
    """Write the log back and cut it to nothing; False where a reader held it for all that time."""
    ends = time.monotonic() + patience_s
    while not db.checkpoint():
        if time.monotonic() >= ends:
            return False
        time.sleep(STEP_S)
    return True


def scan(path: Path, needles: Collection[bytes]) -> set[bytes]:
    """Those of the needles that stand in the file's bytes or its log's."""
    left = set(needles)
    for name, flags in (
        (path, apsw.SQLITE_OPEN_MAIN_DB),
        (path.with_name(path.name + "-wal"), apsw.SQLITE_OPEN_WAL),
    ):
        if left and name.exists():
            left -= _scan(name, flags, left)
    return set(needles) - left


def _scan(path: Path, flags: int, needles: Collection[bytes]) -> set[bytes]:
    found = set[bytes]()
    for piece in _pieces(path, flags, overlap=max(map(len, needles)) - 1):
        found |= {needle for needle in needles if needle not in found and needle in piece}
    return found


def _pieces(path: Path, flags: int, *, overlap: int) -> Iterator[bytes]:
    # By SQLite's own hand: when a process closes a file that it has opened beside SQLite, all its locks on it are gone.
    file = apsw.VFSFile("", str(path), [flags | apsw.SQLITE_OPEN_READONLY, 0])
    try:
        size, at = file.xFileSize(), 0
        while at < size:
            read = file.xRead(min(PIECE, size - at), at)
            yield read
            at += max(len(read) - overlap, 1) if at + len(read) < size else len(read)
    finally:
        file.xClose()


def still_kept(con: apsw.Connection, needles: Collection[bytes]) -> set[bytes]:
    """Those of the needles that rows hold which are kept: the words of others, or the same vector."""
    return {needle for needle in needles if _kept(con, needle)}


def _kept(con: apsw.Connection, needle: bytes) -> bool:
    # Where it is most likely, first.
    if first(con, "select 1 from embedding where substr(v, 1, ?1) = ?2 limit 1", (len(needle), needle)):
        return True
    try:
        words = needle.decode()
    except UnicodeDecodeError:
        words = None
    places = ("event", "content"), ("terms", "main"), ("memory", "text"), ("event", "data")
    if words is not None and any(
        first(con, f"select 1 from {table} where instr({column}, ?) > 0 limit 1", (words,))
        for table, column in places
    ):
        return True
    return first(con, "select 1 from embedding where instr(v, ?) > 0 limit 1", (needle,)) is not None


def kept_anywhere(con: apsw.Connection, needles: Collection[bytes]) -> set[bytes]:
    """As `still_kept`, looking into every column that holds text."""
    return {needle for needle in needles if standing.left(con, [needle.decode("utf-8", "replace")])}


def vacuum(db: Database) -> bool:
    """Write the whole file anew, without the gaps in which old bytes lie; False where the disk has no room for that."""
    size = db.path.stat().st_size
    if shutil.disk_usage(db.path.parent).free < ROOM * size:
        return False
    db.alone(_vacuum)
    return True


def _vacuum(con: apsw.Connection) -> None:
    # The copy that is made meanwhile may be as large as the file: not in memory.
    con.pragma("temp_store", "file")
    try:
        con.execute("vacuum")
    finally:
        con.pragma("temp_store", "memory")


def samples(con: apsw.Connection, memories: Sequence[int]) -> tuple[list[str], list[bytes]]:
    """The search tokens of memories, and the beginnings of their vectors."""
    listed = json.dumps(list(memories))
    tokens = fetch(
        con,
        """
        select main from terms where memory in (select value from json_each(:ids))
        union all select main from past_terms where memory in (select value from json_each(:ids)) limit 20""",
        {"ids": listed},
    )
    vectors = fetch(
        con,
        "select substr(v, 1, ?) from embedding where memory in (select value from json_each(?)) limit 20",
        (VECTOR, listed),
    )
    return [str(main) for (main,) in tokens], [bytes(v) for (v,) in vectors if _is_telling(v)]


def _is_telling(v: bytes) -> bool:
    """Whether the beginning of a vector is like no other's: one that is nearly all zero stands anywhere."""
    return sum(any(v[at : at + 4]) for at in range(0, len(v), 4)) >= NUMBERS
