"""A user's file replaced in one step: whole or not at all, with its mode, through its links."""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from ..store.errors import BadInput


@dataclass(frozen=True, slots=True)
class Change:
    """
    One file before and after; None where it is not there. `real` is where links lead.

    `folders`, ours, go with a file that goes, where they are empty then. `private` files may hold keys.
    """

    path: Path
    real: Path
    before: bytes | None
    after: bytes | None
    private: bool = False
    folders: tuple[Path, ...] = ()

    @classmethod
    def of(
        cls,
        path: Path,
        before: bytes | None,
        after: bytes | None,
        *,
        private: bool = False,
        folders: tuple[Path, ...] = (),
    ) -> Change:
        """The change of the file that `path` leads to."""
        return cls(path, Path(os.path.realpath(path)), before, after, private, folders)


def read(path: Path) -> bytes | None:
    """
    The file's bytes; None where there is none.

    Raises:
        BadInput: something is there that cannot be read as a file.
    """
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as e:
        raise BadInput(f"{path} cannot be read ({e.strerror or e}); nothing was written.") from e


def check_writable(change: Change) -> None:
    """Raise `BadInput` where the change could not be made, before anything is."""
    there = change.real if change.before is not None else nearest(change.real)
    for place in (there, nearest(change.real)):
        if not os.access(place, os.W_OK):
            raise BadInput(
                f"{place} is read-only; nothing was written. Make it writable and run the command again."
            )


def nearest(path: Path) -> Path:
    """The innermost folder above `path` that exists."""
    return next(folder for folder in path.parents if folder.is_dir())


def ground(path: Path) -> Path:
    """What exists of `path`: itself, else the innermost thing above it, which may be no folder."""
    return next(place for place in (path, *path.parents) if os.path.lexists(place))


def folders_to_make(path: Path) -> list[Path]:
    """The folders above `path` that are missing, innermost first."""
    return [folder for folder in path.parents if not folder.exists()]


def swap(change: Change) -> None:
    """
    Make the change. A new private file is for its owner alone, as is a new folder above it.

    Raises:
        OSError: it was not made.
    """
    if change.after is None:
        change.real.unlink(missing_ok=True)
        for folder in sorted(change.folders, key=lambda f: len(f.parts), reverse=True):
            _remove_empty(folder)
        return
    missing = folders_to_make(change.real)
    change.real.parent.mkdir(mode=0o700 if change.private else 0o777, parents=True, exist_ok=True)
    partial = change.real.with_name(f".{change.real.name}.{os.getpid()}.tmp")
    partial.unlink(missing_ok=True)
    try:
        fd = os.open(partial, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600 if change.private else 0o666)
        with os.fdopen(fd, "wb") as file:
            file.write(change.after)
            file.flush()
            os.fsync(file.fileno())
        _take_over(change.real, partial)
        partial.replace(change.real)
    except OSError:
        partial.unlink(missing_ok=True)
        for folder in missing:
            _remove_empty(folder)
        raise


def _take_over(old: Path, new: Path) -> None:
    """Give the new file the old one's mode and, where we may, its owner."""
    try:
        was = old.stat()
    except OSError:
        return
    if hasattr(os, "chown") and (was.st_uid, was.st_gid) != (os.geteuid(), os.getegid()):
        with suppress(OSError):
            os.chown(new, was.st_uid, was.st_gid)
    new.chmod(was.st_mode & 0o7777)


def _remove_empty(folder: Path) -> None:
    with suppress(OSError):
        folder.rmdir()
