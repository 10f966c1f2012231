"""What is at a path of a worktree, and how much of it may be looked at."""

# ruff: noqa: PTH112, PTH114, PTH115, PTH118  os.path: bytes that are no text stay what they are, for a third of pathlib's cost

from __future__ import annotations

import os
import stat
from dataclasses import dataclass

from ..redact import is_secret_file
from .edits import FILE_BYTES
from .git_files import look
from .moments import Mark

# As git does, a file with a NUL in so many first bytes is no text.
SNIFFED_BYTES = 8_000


@dataclass(frozen=True, slots=True)
class Text:
    """A file that may be looked at, with git's mode of it."""

    mode: str
    content: bytes


@dataclass(frozen=True, slots=True)
class Link:
    """A symbolic link: where it leads, which is never followed."""

    content: bytes


@dataclass(frozen=True, slots=True)
class Nested:
    """A folder, and the commit that it is at where it is the top of another repository, a submodule or not."""

    head: str | None


Seen = Text | Link | Nested | Mark | None


def is_binary(content: bytes) -> bool:
    """Whether git would say so."""
    return b"\0" in content[:SNIFFED_BYTES]


class Disk:
    """One look over a worktree; what holds for a folder is found out once."""

    def __init__(self, root: str) -> None:
        self._root = root
        self._linked: dict[str, bool] = {"": False}
        self._nested: dict[str, bool] = {"": False}

    def look(self, path: str, known: Mark | None = None) -> Seen:
        """
        What is there; None for nothing, as for what lies below a link.

        Args:
            known: how the file was marked before; while size and time are the same it is not read again.
        """
        if self._below_link(path.rpartition("/")[0]):
            return None
        full = os.path.join(self._root, path)
        try:
            status = os.lstat(full)
            if stat.S_ISLNK(status.st_mode):
                return Link(os.fsencode(os.readlink(full)))
        except (OSError, ValueError):
            return None
        if stat.S_ISDIR(status.st_mode):
            return Nested(look(full).head if os.path.lexists(os.path.join(full, ".git")) else None)
        mark = Mark("unreadable", f"{status.st_size}:{status.st_mtime_ns}")
        if is_secret_file(path):
            return Mark("secret", mark.fingerprint)
        if not stat.S_ISREG(status.st_mode):
            return mark  # a pipe, a socket: opening it might wait for ever
        if known is not None and known.fingerprint == mark.fingerprint and known.kind in ("binary", "big"):
            return known
        if status.st_size > FILE_BYTES:
            return Mark("big", mark.fingerprint)
        return self._read(full, mark)

    @staticmethod
    def _read(full: str, mark: Mark) -> Seen:
        try:
            fd = os.open(full, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
            with os.fdopen(fd, "rb") as file:
                executable = os.fstat(fd).st_mode & stat.S_IXUSR
                content = file.read(FILE_BYTES + 1)
        except FileNotFoundError:
            return None
        except OSError:
            return mark
        if len(content) > FILE_BYTES:
            return Mark("big", mark.fingerprint)
        if is_binary(content):
            return Mark("binary", mark.fingerprint)
        return Text("100755" if executable else "100644", content)

    def place(self, path: str) -> str | None:
        """The path from the top of the worktree, whichever way it was given; None outside of it, "" for itself."""
        if "\0" in path:
            return None
        folder, name = os.path.split(os.path.join(self._root, path.rstrip("/")))
        place = os.path.relpath(os.path.join(os.path.realpath(folder), name), self._root).replace(os.sep, "/")
        if place.startswith("../") or place == ".." or ".git" in place.split("/"):
            return None
        return "" if place == "." else place

    def has(self, path: str) -> bool:
        """Whether anything is there."""
        return os.path.lexists(os.path.join(self._root, path))

    def is_folder(self, path: str) -> bool:
        """Whether a folder of this repository is there."""
        full = os.path.join(self._root, path)
        return os.path.isdir(full) and not os.path.islink(full) and not self.has(f"{path}/.git")

    def is_large(self, path: str) -> bool:
        """Whether the file is one that is only named, as far as that can be told without reading it."""
        try:
            return is_secret_file(path) or os.lstat(os.path.join(self._root, path)).st_size > FILE_BYTES
        except OSError:
            return False

    def of_another(self, path: str) -> bool:
        """Whether the path lies in a repository within this one."""
        folder = path.rpartition("/")[0]
        if folder not in self._nested:
            full = os.path.join(self._root, folder, ".git")
            self._nested[folder] = self.of_another(folder) or os.path.lexists(full)
        return self._nested[folder]

    def _below_link(self, folder: str) -> bool:
        if folder not in self._linked:
            above = self._below_link(folder.rpartition("/")[0])
            self._linked[folder] = above or os.path.islink(os.path.join(self._root, folder))
        return self._linked[folder]
