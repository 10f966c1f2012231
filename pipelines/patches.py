"""Git's unified diffs as values, in bytes throughout."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from ..store.errors import BackstoryError
from .compared import between, lines_of
from .edits import Hunk, Status
from .quoting import both, unquoted

__all__ = ["FilePatch", "PatchMismatch", "apply", "between", "landed", "parse", "patch_id"]

HUNK = re.compile(rb"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@ ?(.*)", re.DOTALL)


class PatchMismatch(BackstoryError):
    """A patch does not fit the bytes that it is applied to."""


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


def apply(before: bytes, hunks: Iterable[Hunk]) -> bytes:
    """
    What the hunks make of those bytes.

    Raises:
        PatchMismatch: a line that a hunk keeps or removes is another one there.
    """
    old = lines_of(before)
    out: list[bytes] = []
    at = 0
    for hunk in hunks:
        # A hunk that removes nothing says after which line it stands.
        start = hunk.old_start - (1 if hunk.old_lines else 0)
        if not at <= start <= len(old):
            raise PatchMismatch(f"The patch does not fit: it has a hunk at line {hunk.old_start}.")
        out += old[at:start]
        at = start
        for sign, line in _signed(hunk):
            if sign == b"+":
                out.append(line)
                continue
            if at >= len(old) or old[at] != line:
                raise PatchMismatch(f"The patch does not fit: line {at + 1} is another one.")
            if sign == b" ":
                out.append(line)
            at += 1
    return b"".join(out + old[at:])


def _signed(hunk: Hunk) -> Iterator[tuple[bytes, bytes]]:
    """The lines with their line ends."""
    for line, following in zip(hunk.lines, (*hunk.lines[1:], b""), strict=True):
        if not line.startswith(b"\\"):
            yield line[:1] or b" ", line[1:] + (b"" if following.startswith(b"\\") else b"\n")


def landed(line: int, hunks: Iterable[Hunk]) -> int | None:
    """Where a line of the image before lies after, both counted from 1; None where it is removed."""
    shift = 0
    for hunk in hunks:
        start = hunk.old_start + (0 if hunk.old_lines else 1)
        if line < start:
            break
        if line >= start + hunk.old_lines:
            shift += hunk.new_lines - hunk.old_lines
            continue
        old, new = start, hunk.new_start + (0 if hunk.new_lines else 1)
        for sign, _ in _signed(hunk):
            if sign == b"+":
                new += 1
            elif old == line:
                return new if sign == b" " else None
            else:
                old, new = old + 1, new + (sign == b" ")
        return None
    return line + shift


def patch_id(path: str, hunks: Iterable[Hunk], old_path: str | None = None) -> str:
    """
    What a patch of one file changes: the same wherever in the file it stands and however it is spaced, as in
    `git patch-id --stable`. Of a commit: the sum over its files is its set of these.
    """
    digest = hashlib.blake2b(digest_size=20)
    for name in (old_path or path, path):
        digest.update(b"".join(name.encode("utf-8", "surrogateescape").split()) + b"\n")
    for hunk in hunks:
        for line in hunk.lines:
            if not line.startswith(b"\\"):
                digest.update(b"".join(line.split()) + b"\n")
    return digest.hexdigest()
