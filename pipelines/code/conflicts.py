"""Conflict markers: what git leaves in a file that it could not merge."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

MARKED = re.compile(rb"^(?:<{7}|>{7}) ", re.MULTILINE)
OPENS, BASE, PARTS, CLOSES = b"<<<<<<< ", b"||||||| ", b"=======", b">>>>>>> "


@dataclass(frozen=True, slots=True)
class Conflict:
    """The lines of its first and last marker, and of the one where our side ends; counted from 1."""

    opens: int
    parts: int
    closes: int


def conflicts(content: bytes) -> tuple[Conflict, ...] | None:
    """The conflicts of a file in order, perhaps none where only a marker was left behind; None without any marker."""
    # Of all files that are read few have any: a plain search is much faster.
    if (OPENS not in content and CLOSES not in content) or not MARKED.search(content):
        return None
    found = []
    opens = parts = 0
    for number, line in enumerate(content.split(b"\n"), 1):
        if line.startswith(OPENS):
            opens, parts = number, 0
        elif opens and not parts and (line.startswith(BASE) or line.rstrip() == PARTS):
            parts = number
        elif line.startswith(CLOSES):
            if parts:
                found.append(Conflict(opens, parts, number))
            opens = parts = 0
    return tuple(found)


def one_side(content: bytes, among: Iterable[Conflict]) -> bytes:
    """The file as our side has it, to be parsed: markers and the other side are blank, no line is longer or shorter."""
    lines = content.split(b"\n")
    theirs = {number for one in among for number in range(one.parts, one.closes + 1)}
    for number, line in enumerate(lines, 1):
        if number in theirs or line.startswith((OPENS, CLOSES)):
            lines[number - 1] = b" " * len(line)
    return b"\n".join(lines)


def closed(lines: Sequence[bytes], start: int, end: int) -> int:
    """Where those lines of a file end, counted from 1, once they have all of a conflict that begins in them."""
    opened = False
    for number in range(start, len(lines) + 1):
        if number > end and not opened:
            break
        line = lines[number - 1]
        if line.startswith(OPENS):
            opened = True
        elif line.startswith(CLOSES) and opened:
            if number > end:
                return number
            opened = False
    return end
