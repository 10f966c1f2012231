"""What git tells of an edit: hunks and files. Lines are counted from 1, both ends included."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

Status = Literal["added", "modified", "deleted", "renamed", "mode", "submodule"]
# Why the bytes of a file are not looked at: only that it changed is known.
Named = Literal["secret", "big", "binary", "link", "submodule", "unreadable"]
# A larger file is only named.
FILE_BYTES = 1_000_000


@dataclass(frozen=True, slots=True)
class Hunk:
    """One hunk of a unified diff; `lines` with their sign and without their line feed, as the patch has them."""

    old_start: int
    old_lines: int
    new_start: int
    new_lines: int
    section: bytes
    lines: tuple[bytes, ...]


@dataclass(frozen=True, slots=True)
class Run:
    """Lines that were put in the place of others: `old` of them from `old_start`, `new` from `start`."""

    old_start: int
    old: int
    start: int
    new: int


def runs(hunks: Iterable[Hunk]) -> Iterator[Run]:
    """What a patch replaces by what, in the order of the lines, without the context."""
    for hunk in hunks:
        # An empty side is named by the line before it.
        old = hunk.old_start + (hunk.old_lines == 0)
        new = hunk.new_start + (hunk.new_lines == 0)
        removed = added = 0
        for line in (*hunk.lines, b" "):
            sign = line[:1]
            if sign == b"-":
                removed += 1
            elif sign == b"+":
                added += 1
            elif sign != b"\\":
                if removed or added:
                    yield Run(old, removed, new, added)
                old, new, removed, added = old + removed + 1, new + added + 1, 0, 0


@dataclass(frozen=True, slots=True)
class FileEdit:
    """
    One file of a change. `before` and `after` are its bytes, None where it was not there or is only `named`;
    `before_id` and `after_id` are git's blob ids of them. Paths are relative to the top of the worktree, with `/`,
    and bytes of theirs that are no UTF-8 stand as surrogate escapes. `patch` is git's own text for this file.
    """

    path: str
    status: Status
    old_path: str | None = None
    before: bytes | None = None
    after: bytes | None = None
    before_id: str | None = None
    after_id: str | None = None
    patch: bytes = b""
    hunks: tuple[Hunk, ...] = ()
    named: Named | None = None
