"""Conductor: a copy of the file, made while servers write, sound before it counts."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from ...store import clock, copies
from ...store.copies import Progress
from ...store.db import Database
from ...store.errors import BadInput
from .part import begun

FOLDER = "backups"


@dataclass(frozen=True, slots=True)
class Backup:
    """Where the copy lies, and its size in bytes."""

    path: Path
    bytes: int


def backup(
    db: Database, file: Path | None, *, home: Path, now: int, progress: Progress | None = None
) -> Backup:
    """
    Copy the file, as it is at this moment, to `file`; None: into the home's folder of backups, under its date.

    Raises:
        BadInput: something has that name already.
    """
    if file is None:
        folder = home / FOLDER
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        file = _unused(folder, clock.written(now))
    file = file.absolute()
    if file.exists():
        raise BadInput(f"{file} exists already; give the backup another name.")
    part = begun(file)
    try:
        with db.apart() as con:
            copies.copy(con, part, progress=progress)
        copies.check(part)
        # Known of before it is there: what is forgotten later must never be in a backup that nobody names.
        db.write(copies.note, [str(file)])
        part.replace(file)
        copies.sync(file)
    finally:
        part.unlink(missing_ok=True)
    return Backup(file, file.stat().st_size)


def _unused(folder: Path, date: str) -> Path:
    for n in range(1, 1000):
        path = folder / (f"backstory-{date}.db" if n == 1 else f"backstory-{date}-{n}.db")
        if not path.exists():
            return path
    raise BadInput(f"{folder} is full of backups of this second; name a file.")
