"""A file under another name until it is whole, and what was left of those whose writer was killed."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ...store.driver_errors import full
from ...store.errors import BadInput


@contextmanager
def begun(file: Path, end: str = "part") -> Iterator[Path]:
    """
    The name beside `file` under which it is written; leftovers of writers that are no more are gone, and in the end
    this one, too.

    Raises:
        BadInput: nothing can be written there.
        StoreDamaged: there is no room for it.
    """
    if file.is_dir():
        raise BadInput(f"{file} is a folder; name a file in it.")
    if not file.parent.is_dir():
        raise BadInput(f"There is no folder {file.parent}; make it, or name another place.")
    part = file.with_name(f".{file.name}.{os.getpid()}.{end}")
    try:
        _sweep(file, end)
        try:
            yield part
        finally:
            for name in (part, *beside(part)):
                name.unlink(missing_ok=True)
    except OSError as e:
        raise _told(e, file) from e


def beside(path: Path) -> tuple[Path, ...]:
    """What SQLite may keep beside a file."""
    return tuple(path.with_name(path.name + end) for end in ("-wal", "-shm", "-journal"))


def _told(e: OSError, file: Path) -> Exception:
    if e.errno in (errno.ENOSPC, errno.EDQUOT):
        return full(file)
    return BadInput(
        f"{file} cannot be written ({e.strerror or e}); nothing was changed. Check permissions, or name another place."
    )


def _sweep(file: Path, end: str) -> None:
    for left in file.parent.glob(f".{file.name}.*.{end}*"):
        told = left.name.removeprefix(f".{file.name}.").split(".")[0]
        if told.isdigit() and not _lives(int(told)):
            left.unlink(missing_ok=True)


def _lives(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return process != os.getpid()
