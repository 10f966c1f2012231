"""The doorway's socket: where it lies, who can reach it, and the file in the home that says where."""

from __future__ import annotations

import hashlib
import os
import socket
import stat
import tempfile
from pathlib import Path
from typing import Self

# The protocol's number, so that two versions never share a socket.
NAME = "door1.sock"
# Above about 100 bytes the path of a socket is refused.
PATH_BYTES = 100


class Listener:
    """The listening socket, and the file in the home that says where it is."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.sockets: list[socket.socket] = []
        self.path: str | None = None

    def __enter__(self) -> Self:
        if not hasattr(socket, "AF_UNIX"):
            return self  # The lock still says who drains the spool.
        self.path = _place(self.home)
        Path(self.path).unlink(missing_ok=True)
        listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sockets = [listener]
        try:
            listener.bind(self.path)
            Path(self.path).chmod(0o600)
            listener.listen(128)
            listener.setblocking(False)
            partial = self.home / "run" / f".door.{os.getpid()}"
            partial.write_bytes(os.fsencode(self.path))
            partial.chmod(0o600)
            partial.replace(self.home / "run" / "door")
        except OSError:
            listener.close()
            raise
        return self

    def stands(self) -> bool:
        """Whether callers can still find it: temporary folders are swept by others."""
        if self.path is None:
            return (self.home / "run").is_dir()
        try:
            told = (self.home / "run" / "door").read_bytes()
            return told == os.fsencode(self.path) and Path(self.path).is_socket()
        except OSError:
            return False

    def __exit__(self, *_: object) -> None:
        for listener in self.sockets:
            listener.close()
        if self.path is not None:
            Path(self.path).unlink(missing_ok=True)


def _place(home: Path) -> str:
    """Where the socket lies: the user's runtime folder, else a private folder among the temporary files."""
    name = hashlib.sha256(os.fsencode(os.path.realpath(home))).hexdigest()[:8]
    uid = os.getuid()
    runtime = f"/run/user/{uid}"
    for folder in (
        f"{runtime}/backstory/{name}",
        f"{tempfile.gettempdir()}/backstory-{uid}/{name}",
        f"/tmp/backstory-{uid}/{name}",  # noqa: S108 - where the named one is too long; made private below
    ):
        path = f"{folder}/{NAME}"
        if folder.startswith(runtime) and not _is_private(runtime):
            continue
        if (
            len(os.fsencode(path)) < PATH_BYTES
            and _make_private(str(Path(folder).parent))
            and _make_private(folder)
        ):
            return path
    # Someone else has taken our names.
    return f"{tempfile.mkdtemp(prefix='backstory-', dir='/tmp')}/{NAME}"


def _make_private(folder: str) -> bool:
    try:
        Path(folder).mkdir(0o700)
    except FileExistsError:
        pass
    except OSError:
        return False
    return _is_private(folder)


def _is_private(folder: str) -> bool:
    try:
        found = os.lstat(folder)
    except OSError:
        return False
    return stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid() and not found.st_mode & 0o077
