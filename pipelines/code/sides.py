"""Both sides of an edit: their lines with the symbols in them, and which line of the one is which of the other."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from ..git.edits import Hunk
from .outlines import Outline, Symbol
from .pieces import first_lines


@dataclass(frozen=True, slots=True)
class Image:
    """One side of an edit: its lines without their line feeds, and what they are, as its outline has it."""

    lines: list[bytes]
    symbols: tuple[Symbol, ...] = ()
    broken: bool = False
    crowded: tuple[int, ...] = ()

    def text(self, start: int, end: int) -> bytes:
        """The bytes of these lines, without the last line feed."""
        return b"\n".join(self.lines[start - 1 : end])


def image(content: bytes | None, made: Outline | None) -> Image:
    """That side, empty where the file was not there."""
    lines = content.split(b"\n") if content else []
    if lines and not lines[-1]:
        lines.pop()
    return Image(lines, made.symbols, made.broken, made.crowded) if made else Image(lines)


class Lines:
    """Which lines with text a patch takes out and puts in, and where those went that it leaves."""

    def __init__(self, hunks: Sequence[Hunk], count: int) -> None:
        self.minus: list[int] = []
        self.plus: list[int] = []
        self.moved_to: dict[int, int] = {}
        old, new = 1, 1
        for hunk in hunks:
            start, _ = first_lines(hunk)
            old, new = self._kept(old, new, start - old)
            for line in hunk.lines:
                if line[:1] == b"-":
                    if line[1:].strip():
                        self.minus.append(old)
                    old += 1
                elif line[:1] == b"+":
                    if line[1:].strip():
                        self.plus.append(new)
                    new += 1
                elif line[:1] != b"\\":
                    old, new = self._kept(old, new, 1)
        self._kept(old, new, count + 1 - old)
        self.came_from = {new: old for old, new in self.moved_to.items()}

    def _kept(self, old: int, new: int, count: int) -> tuple[int, int]:
        self.moved_to.update(zip(range(old, old + count), range(new, new + count), strict=True))
        return old + max(0, count), new + max(0, count)


def touched(lines: list[int], symbol: Symbol) -> bool:
    """Whether any of those lines, which are in order, lies in the symbol."""
    return bisect_left(lines, symbol.start) < bisect_right(lines, symbol.end)
