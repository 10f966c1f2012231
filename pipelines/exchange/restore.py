"""Conductor: a backup in the place of the file, without what was forgotten since it was made."""

from __future__ import annotations

import os
import shutil
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import apsw

from ...store import clock, copies, cutter, sound_copies, tombstones
from ...store.db import connect, migrate
from ...store.driver_errors import told
from ...store.errors import BadInput, StoreBusy, StoreTooNew
from ...store.exchange import gone
from ...store.migrations import LATEST
from ...store.progress import Progress
from ...store.tombstones import Tombstone
from .carry_out import carry_out
from .part import begun, beside

SERVED = (
    "{} is open in another process, such as a server of a coding agent. End the agents (or `backstory serve`), then "
    "restore again; nothing was changed."
)


@dataclass(frozen=True, slots=True)
class Restored:
    """
    `aside`: where the file that was there lies now. `forgotten`: how many rows of the backup were left out because they
    have been forgotten since. `unread`: the file that was there is damaged, so that what it had forgotten is not known.
    """

    aside: Path | None
    forgotten: int
    unread: bool = False


@dataclass(frozen=True, slots=True)
class _Present:
    """What the file that is there says that a backup cannot know."""

    marks: tuple[Tombstone, ...]
    backups: tuple[str, ...]


def restore(backup: Path, path: Path, *, now: int, progress: Progress | None = None) -> Restored:
    """
    Let the file at `path` be what `backup` is. The one that was there is kept beside it; until the last step, which is
    one step, it is whole and in its place.

    Raises:
        BadInput, StoreDamaged, StoreTooNew: the backup is none of ours, damaged or newer; or nothing can be written.
        StoreBusy: a server has the file open.
    """
    path = path.resolve()  # of a link, what it leads to
    sound_copies.check(backup)
    if path.exists() and path.samefile(backup):
        raise BadInput(f"{backup} is the file itself; name a backup.")
    _made(path.parent)
    try:
        with begun(path, "restoring") as part:
            _sweep(path)
            _copy(backup, part, progress)
            return _replace(path, part, now=now)
    except apsw.Error as e:
        raise told(e, path) from e


def _made(folder: Path) -> None:
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as e:
        raise BadInput(f"{folder} cannot be made ({e.strerror or e}); see BACKSTORY_HOME.") from e


def _replace(path: Path, part: Path, *, now: int) -> Restored:
    held = _held(path)
    try:
        present = None if held is None else _present(held)
        forgotten = 0 if present is None else _carry_over(part, present, now=now)
        aside = _aside(path, now=now) if path.exists() else None
        _put(part, path)
    finally:
        if held is not None:
            held.close()
    return Restored(aside, forgotten, unread=aside is not None and present is None)


def _copy(backup: Path, part: Path, progress: Progress | None) -> None:
    whole = connect(backup, readonly=True)
    try:
        copies.copy(whole, part, progress=progress)
    finally:
        whole.close()
    con = connect(part)
    try:
        migrate(con, None)
        con.pragma("journal_mode", "delete")
    finally:
        con.close()


def _held(path: Path) -> apsw.Connection | None:
    """
    The file that is there, held so that nobody else reads or writes it, all of it in one file; None where there is
    none, or none that can be read.
    """
    if not path.exists() or not path.stat().st_size:
        return None
    try:
        con = connect(path)
    except (apsw.NotADBError, apsw.CorruptError):
        return None
    try:
        if con.pragma("user_version") > LATEST:
            raise StoreTooNew(f"{path} was written by a newer Backstory; upgrade this one first.")
        con.set_busy_timeout(1000)
        # To leave the write-ahead log is only granted to one who is alone with the file.
        if con.pragma("journal_mode", "delete") != "delete":
            raise StoreBusy(SERVED.format(path))
        copies.hold(con)
    except (apsw.BusyError, apsw.LockedError) as e:
        con.close()
        raise StoreBusy(SERVED.format(path)) from e
    except (apsw.NotADBError, apsw.CorruptError):
        con.close()
        return None
    except BaseException:
        con.close()
        raise
    return con


def _present(con: apsw.Connection) -> _Present | None:
    try:
        version = con.pragma("user_version")
        marks = tombstones.every(con) if version >= 2 else []
        return _Present(tuple(marks), tuple(copies.known(con)) if version else ())
    except (apsw.NotADBError, apsw.CorruptError, apsw.SQLError):
        return None


def _carry_over(part: Path, present: _Present, *, now: int) -> int:
    """What has been forgotten since the backup was made is taken out of it; how many rows."""
    con = connect(part)
    try:
        with con:
            gone.keep_marks(con, present.marks)
            # All of them: what was forgotten again later may stand in the backup, too.
            rows = carry_out(con, list(present.marks), now=now, cut=cutter.load() if present.marks else None)
            copies.note(con, list(present.backups))
        if present.marks:
            copies.compact(con)
        con.pragma("journal_mode", "delete")
    finally:
        con.close()
    return rows


def _aside(path: Path, *, now: int) -> Path:
    """A second name for the file that is there, beside it."""
    aside = _unused(path, clock.written(now))
    try:
        os.link(path, aside)
    except OSError:  # a file system without links
        shutil.copyfile(path, aside)
        aside.chmod(0o600)
    # Only a damaged file has a log left here; it belongs to that file, and SQLite would read it into the new one.
    for name in beside(path):
        with suppress(FileNotFoundError):
            name.replace(name.with_name(name.name.replace(path.name, aside.name)))
    return aside


def _put(part: Path, path: Path) -> None:
    copies.sync(part)
    part.replace(path)
    copies.sync(path)


def _unused(path: Path, date: str) -> Path:
    n, aside = 1, path.with_name(f"{path.name}.before-{date}")
    while aside.exists():
        n += 1
        aside = path.with_name(f"{path.name}.before-{date}-{n}")
    return aside


def _sweep(path: Path) -> None:
    """What a restore that was killed has left: the second name of a file that was not replaced after all."""
    for left in path.parent.glob(f"{path.name}.before-*"):
        if path.exists() and left.samefile(path):
            left.unlink()
