"""The values of code history, as they pass from one step to the next. Lines are counted from 1, both ends included."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from ..store.models import Actor, Confidence

Status = Literal["added", "modified", "deleted", "renamed", "mode", "submodule"]
SymbolStatus = Literal["added", "modified", "deleted", "renamed", "moved"]
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


@dataclass(frozen=True, slots=True)
class SymbolEdit:
    """
    What an edit did to one symbol. `symbol` is its qualified name ("Class.method") in the image after, or before
    where it is deleted; `old_symbol`, `old_path` where it was called otherwise, or lay elsewhere, before. Bodies are
    the whole symbol with its decorators and doc comment, byte for byte. `patch` holds the hunks that touch it.
    """

    path: str
    symbol: str
    kind: str
    status: SymbolStatus
    before: bytes | None
    after: bytes | None
    patch: bytes
    start: int
    end: int
    old_symbol: str | None = None
    old_path: str | None = None
    confidence: Confidence = "high"


@dataclass(frozen=True, slots=True)
class LooseEdit:
    """
    Lines of an edit that lie in no symbol: `old_start` to `old_end` of the image before became `start` to `end` of
    the image after (an empty side has end = start - 1). `label` names the nearest heading or name, where there is one.
    """

    path: str
    old_start: int
    old_end: int
    start: int
    end: int
    patch: bytes
    label: str = ""
    confidence: Confidence = "high"


@dataclass(frozen=True, slots=True)
class Parts:
    """
    What one file's edit touched. `renumbered`: the symbols that it left alone and that got another number among those
    of their name: what "add" was is "add#2" now, and its bytes.
    """

    symbols: tuple[SymbolEdit, ...] = ()
    loose: tuple[LooseEdit, ...] = ()
    language: str | None = None
    renumbered: tuple[tuple[str, str, bytes], ...] = ()


@dataclass(frozen=True, slots=True)
class Change:
    """
    What lies between two moments of a worktree: who did it, in which turn, on which branch and commit, and what
    became of which files. `bulk` where it was over the limits: `files` is then empty and `count` says how many.
    """

    actor: Actor
    at: int
    worktree: str
    branch: str | None
    head_before: str | None
    head_after: str | None
    files: tuple[FileEdit, ...] = ()
    turn: int | None = None
    event: int | None = None
    bulk: bool = False
    count: int = 0


@dataclass(frozen=True, slots=True)
class By:
    """Who made what a look finds: in which turn, by which event."""

    actor: Actor
    turn: int | None = None
    event: int | None = None
