"""What a snapshot folder keeps from one snapshot to the next, and the lock on it."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from .moments import Snapshot, loaded
from .trees import Entry

FILE = "last.json"


@dataclass(frozen=True, slots=True)
class Kept:
    """
    The last snapshot, and what the private index has not been told yet: where `pending` has a path, the index cannot
    say whether the file is still as the snapshot has it. `folders`: there are too many untracked files to list.
    `stale`: the index has begun anew, and the snapshot does not tell any more what its clean files hold.
    """

    snapshot: Snapshot
    pending: Mapping[str, Entry | None] = field(default_factory=dict)
    folders: bool = False
    stale: bool = False


def load(folder: Path) -> Kept | None:
    """What was kept; None where nothing was, or nothing readable."""
    try:
        snapshot, pending, folders, stale = json.loads((folder / FILE).read_text("ascii"))
        entries = {path: Entry(*entry) if entry else None for path, entry in pending.items()}
        return Kept(loaded(snapshot), entries, folders, stale)
    except (OSError, ValueError, TypeError, AttributeError):
        return None


def save(folder: Path, kept: Kept) -> None:
    """Keep it in the place of what was kept."""
    pending = {path: [entry.mode, entry.id] if entry else None for path, entry in kept.pending.items()}
    partial = folder / f"{FILE}.new"
    partial.write_text(json.dumps([kept.snapshot.dumped(), pending, kept.folders, kept.stale]), "ascii")
    partial.replace(folder / FILE)


def clear(folder: Path) -> None:
    """Remove all but the folder's lock, which the caller holds."""
    for path in folder.iterdir():
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        elif path.name != "lock":
            path.unlink()


def drop(folder: Path) -> None:
    """Remove the folder, once nobody holds it."""
    with held(folder):
        clear(folder)
        (folder / "lock").unlink(missing_ok=True)
        folder.rmdir()


def sweep(home: Path, *, before_s: float) -> int:
    """Drop the folders of worktrees that nobody has looked at since then (seconds of the epoch); how many went."""
    gone = 0
    for folder in (home / "snapshots").glob("*"):
        with contextlib.suppress(OSError):
            if (folder / FILE).stat().st_mtime < before_s:
                drop(folder)
                gone += 1
    return gone


@contextlib.contextmanager
def held(folder: Path) -> Iterator[None]:
    """The folder, made where it is not there, for this holder alone; waits for the one before."""
    while True:
        for one in (folder.parent, folder):
            one.mkdir(mode=0o700, parents=True, exist_ok=True)
        fd = os.open(folder / "lock", os.O_CREAT | os.O_RDWR, 0o600)
        try:
            _lock(fd)
            if _is_at(fd, folder / "lock"):
                yield
                return
        finally:
            os.close(fd)
        # The folder was dropped while we waited for it.


def _is_at(fd: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(fd), path.stat())
    except OSError:
        return False


def _lock(fd: int) -> None:
    if sys.platform == "win32":
        import msvcrt

        msvcrt.locking(fd, msvcrt.LK_LOCK, 1)
    else:
        import fcntl

        fcntl.flock(fd, fcntl.LOCK_EX)
