"""A lock on a file that ends with the process that holds it, however that ends."""

from __future__ import annotations

import os
import sys


def exclusive(path: str | os.PathLike[str]) -> int | None:
    """A descriptor that holds the lock until it is closed; None while there is another, in any process."""
    fd = os.open(path, os.O_CREAT | os.O_RDWR, 0o600)
    try:
        if sys.platform == "win32":
            import msvcrt

            msvcrt.locking(fd, msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(fd)
        return None
    return fd


def is_at(fd: int, path: str | os.PathLike[str]) -> bool:
    """Whether the file that `fd` has open is still the one at `path`."""
    try:
        return os.path.samestat(os.fstat(fd), os.stat(path))
    except OSError:
        return False
