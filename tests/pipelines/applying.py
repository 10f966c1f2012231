"""A patch applied, so that a test can see that it says what happened."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from backstory.pipelines.git.compared import lines_of
from backstory.pipelines.git.edits import Hunk


class PatchMismatch(Exception):
    """A patch does not fit the bytes that it is applied to."""


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
