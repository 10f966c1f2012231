"""Conductor: the file, or a part of it, written as lines that another file can take in."""

from __future__ import annotations

import gzip
import os
import sys
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, cast

import apsw

from ...store import settings, words, workspaces
from ...store.db import Database
from ...store.errors import BadInput
from ...store.exchange import leaving, leaving_code, picked
from ...store.exchange.leaving import Line, Picked
from ...store.migrations import LATEST
from ...store.progress import Progress
from . import lines
from .part import begun

# The kinds of line that are counted beforehand, so that a bar can be shown.
COUNTED = frozenset(("workspace", "session", "turn", "event", "memory", "change", "thread", "body"))
TOLD_EVERY = 200
LEVEL = 6


@dataclass(frozen=True, slots=True)
class Exported:
    """How many lines of each kind were written, and how many bytes that took."""

    lines: dict[str, int]
    bytes: int


def export(
    db: Database,
    file: Path | None,
    *,
    user: str,
    now: int,
    workspace: int | None = None,
    since: int | None = None,
    progress: Progress | None = None,
) -> Exported:
    """
    Write all that the file holds, as it is at this moment, one object a line; None: to standard output. A name that
    ends in `.gz` is compressed. The file is whole or not there at all, and only its owner can read it.

    Args:
        user: who asks for it.
        workspace: only what belongs to it (and to those that are one with it).
        since: only what was recorded or happened then or later, with what that rests on.
    """
    with db.apart() as con:
        chosen = _chosen(con, workspace, since)
        counts = leaving_code.counts(con, chosen)
        head = {
            "backstory": lines.FORMAT, "version": lines.VERSION, "exported_at": now, "counts": dict(counts),
            "tokenizer": words.VERSION, "schema": LATEST, "salt": settings.salt_made(con).hex(), "since": since,
            "users": sorted({user, *leaving.users(con)}),
            "workspace": None if workspace is None else workspaces.name(con, workspace),
        }  # fmt: skip
        with _target(file) as out:
            return _write(out, head, _lines(con, chosen), sum(counts.values()), progress)


def _chosen(con: apsw.Connection, workspace: int | None, since: int | None) -> Picked:
    if workspace is None and since is None:
        return picked.everything()
    family: Sequence[int] = () if workspace is None else workspaces.family(con, workspace)
    return picked.some(con, family, since=since)


Rows = Callable[[apsw.Connection, Picked], Iterator[Line]]
_FIRST: tuple[tuple[str, Rows], ...] = (
    ("workspace", leaving.workspaces), ("session", leaving.sessions), ("turn", leaving.turns),
    ("alias", leaving.aliases), ("event", leaving.events), ("memory", leaving.memories),
    ("evidence", leaving.evidence), ("link", leaving.links), ("feedback", leaving.feedback),
    ("thread", leaving_code.threads), ("name", leaving_code.names),
)  # fmt: skip
_LAST: tuple[tuple[str, Rows], ...] = (
    ("parent", leaving_code.parents), ("commit", leaving_code.commits), ("region", leaving_code.regions),
    ("tombstone", leaving.tombstones),
)  # fmt: skip


def _lines(con: apsw.Connection, chosen: Picked) -> Iterator[tuple[str, Line]]:
    """All lines in their order: nothing is named before it has been told, but for a round's parent."""
    for kind, rows in _FIRST:
        for line in rows(con, chosen):
            yield kind, line
    called = leaving_code.refs(con, chosen)
    for kind, named in (("body", leaving_code.each_body), ("change", leaving_code.changes)):
        for line in named(con, chosen, called):
            yield kind, line
    for kind, rows in _LAST:
        for line in rows(con, chosen):
            yield kind, line


def _write(
    out: IO[bytes], head: Line, rows: Iterator[tuple[str, Line]], total: int, progress: Progress | None
) -> Exported:
    first = lines.written(head)
    out.write(first)
    written: dict[str, int] = {}
    size = len(first)
    done = 0
    for kind, line in rows:
        raw = lines.written({"type": kind, **line})
        out.write(raw)
        size += len(raw)
        written[kind] = written.get(kind, 0) + 1
        done += kind in COUNTED
        if progress and kind in COUNTED and done % TOLD_EVERY == 0:
            progress(min(done, total - 1), total)
    last = lines.written({"type": "end", "lines": sum(written.values())})
    out.write(last)
    if progress:
        progress(total, total)
    return Exported(written, size + len(last))


@contextmanager
def _target(file: Path | None) -> Iterator[IO[bytes]]:
    """What is written to, put in its place when all of it is on the disk."""
    if file is None:
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    if file.exists() and not _is_export(file):
        raise BadInput(f"{file} holds something else; delete it, or name another file.")
    with begun(file) as part:
        with os.fdopen(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as raw:
            if file.name.endswith(".gz"):
                # Without a date or a name in it: the same memory gives the same bytes.
                with gzip.GzipFile("", "wb", LEVEL, raw, mtime=0) as packed:
                    yield cast("IO[bytes]", packed)
            else:
                yield raw
            raw.flush()
            os.fsync(raw.fileno())
        part.replace(file)


def _is_export(file: Path) -> bool:
    """Whether a file is an earlier export, which may be written over, or a folder, of which `begun` will tell."""
    if file.is_dir():
        return True
    if not file.is_file():
        return False
    try:
        with file.open("rb") as raw:
            is_packed = raw.peek(2)[:2] == b"\x1f\x8b"
            first = (gzip.GzipFile(fileobj=raw) if is_packed else raw).read(64)
    except (OSError, EOFError, zlib.error):
        return False
    return not first or first.startswith(b'{"backstory":"export"')
