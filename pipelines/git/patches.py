"""Git's unified diffs as values, in bytes throughout."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from .compared import between
from .edits import Hunk, Status
from .quoting import both, unquoted

__all__ = ["FilePatch", "between", "parse"]

HUNK = re.compile(rb"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@ ?(.*)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class FilePatch:
    """
    One file's section of a diff. `path` is where it lies after, or lay before where it is deleted; bytes that are no
    UTF-8 stand as surrogate escapes. `old_path` only where it lay elsewhere. `raw` is the section as git wrote it.
    """

    path: str
    status: Status
    old_path: str | None = None
    hunks: tuple[Hunk, ...] = ()
    binary: bool = False
    old_mode: str | None = None
    new_mode: str | None = None
    raw: bytes = b""


def parse(diff: bytes) -> list[FilePatch]:
    """
    The files of a diff, in its order. What stands between them, as `git log -p` has it, is passed over, and so are the
    hunks of combined diffs.

    Lines belong to a hunk by its counts alone, so that no line of a file is taken for a header.
    """
    lines = diff.split(b"\n")
    files: list[FilePatch] = []
    at = 0
    while at < len(lines):
        if lines[at].startswith((b"diff --git ", b"diff --cc ", b"diff --combined ")):
            section = _Section(lines[at])
            start, at = at, section.read(lines, at + 1)
            files.append(section.file(b"\n".join(lines[start:at]) + (b"\n" if at < len(lines) else b"")))
        else:
            at += 1
    return files


class _Section:
    """The section being read."""

    def __init__(self, first: bytes) -> None:
        self._combined = not first.startswith(b"diff --git ")
        self._names = (
            (unquoted(first.split(b" ", 2)[2]),) * 2
            if self._combined
            else both(first.removeprefix(b"diff --git "))
        )
        self._status: Status = "modified"
        self._modes: list[str | None] = [None, None]
        self._hunks: list[Hunk] = []
        self._moved: list[bytes | None] = [None, None]
        self._binary = False

    def read(self, lines: Sequence[bytes], at: int) -> int:
        """Read on to the next section; where that begins."""
        while at < len(lines) and not lines[at].startswith(b"diff --"):
            found = None if self._combined else HUNK.fullmatch(lines[at])
            if found:
                hunk, at = _hunk(found, lines, at + 1)
                self._hunks.append(hunk)
            elif self._hunks:
                # After the hunks nothing of the file comes: a message, the next commit.
                return at + 1 if at == len(lines) - 1 and not lines[at] else at
            else:
                self._header(lines[at])
                at += 1
        return at

    def _header(self, line: bytes) -> None:
        word, _, rest = line.partition(b" ")
        match word:
            case b"new" | b"deleted" if rest.startswith(b"file mode "):
                self._status = "added" if word == b"new" else "deleted"
                self._modes[word == b"new"] = rest.split()[-1].decode()
            case b"old" | b"new" if rest.startswith(b"mode "):
                self._modes[word == b"new"] = rest.split()[-1].decode()
            case b"rename" | b"copy":
                side, _, name = rest.partition(b" ")
                self._moved[side == b"to"] = unquoted(name)
                self._status = "renamed" if word == b"rename" else "added"
            case b"index":
                mode = rest.split()[-1]
                if b".." not in mode:
                    self._modes = [mode.decode()] * 2
            case b"---" | b"+++":
                name = unquoted(rest)
                if name != b"/dev/null":
                    # Of names that hold " b/" only this line tells where they end.
                    names = list(self._names)
                    names[word == b"+++"] = name[2:]
                    self._names = (names[0], names[1])
            case b"Binary" | b"GIT":
                self._binary = True
            case _:
                pass

    def file(self, raw: bytes) -> FilePatch:
        """The section as a value; `raw` is its text."""
        old = self._moved[0] or self._names[0]
        new = self._moved[1] or self._names[1]
        path = _text(old if self._status == "deleted" else new)
        status = self._status
        if "160000" in self._modes:
            status = "submodule"
        elif (
            status == "modified" and not self._hunks and not self._binary and self._modes[0] != self._modes[1]
        ):
            status = "mode"
        old_path = _text(old) if self._moved[0] is not None else None
        old_mode, new_mode = self._modes
        return FilePatch(path, status, old_path, tuple(self._hunks), self._binary, old_mode, new_mode, raw)


def _hunk(found: re.Match[bytes], lines: Sequence[bytes], at: int) -> tuple[Hunk, int]:
    old, new = int(found[2] or 1), int(found[4] or 1)
    taken: list[bytes] = []
    while at < len(lines):
        sign = lines[at][:1]
        if sign == b"\\" and taken:
            pass
        elif old <= 0 and new <= 0:
            break
        elif sign == b"-":
            old -= 1
        elif sign == b"+":
            new -= 1
        elif sign in (b" ", b""):  # without its blank under diff.suppressBlankEmpty
            old, new = old - 1, new - 1
        else:
            break
        taken.append(lines[at])
        at += 1
    return Hunk(
        int(found[1]), int(found[2] or 1), int(found[3]), int(found[4] or 1), found[5], tuple(taken)
    ), at


def _text(name: bytes) -> str:
    return name.decode("utf-8", "surrogateescape")
