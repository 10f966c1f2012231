"""The values of code history, as they pass from one step to the next. Lines are counted from 1, both ends included."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from ...store.models import Actor, Confidence
from ..git.edits import FileEdit

SymbolStatus = Literal["added", "modified", "deleted", "renamed", "moved"]


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
