"""Conductor: a copy of the file, made while servers write, sound before it counts."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from ...store import clock, copies, sound_copies
from ...store.db import Database
from ...store.errors import BadInput
from ...store.progress import Progress
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
        BadInput: something has that name already, or nothing can be written there.
        StoreDamaged: there is no room for it, or the file itself is damaged.
    """
    if file is None:
        folder = home / FOLDER
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as e:
            raise BadInput(f"{folder} cannot be made ({e.strerror or e}); name another place.") from e
        file = _unused(folder, clock.written(now))
    file = file.absolute()
    if file.exists() and not file.is_dir():
        raise BadInput(f"{file} exists already; give the backup another name.")
    with begun(file) as part:
        with db.apart() as con:
            copies.copy(con, part, progress=progress)
        sound_copies.check(part)
        # Known of before it is there: what is forgotten later must never be in a backup that nobody names.
        # In a file that cannot be written nothing is forgotten, either.
        if not db.readonly:
            db.write(copies.note, [str(file)])
        part.replace(file)
        copies.sync(file)
    return Backup(file, file.stat().st_size)


def _unused(folder: Path, date: str) -> Path:
    for n in range(1, 1000):
        path = folder / (f"backstory-{date}.db" if n == 1 else f"backstory-{date}-{n}.db")
        if not path.exists():
            return path
    raise BadInput(f"{folder} is full of backups of this second; name a file.")
