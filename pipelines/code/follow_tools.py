"""Conductor: a folder without a repository, whose changes are known from what tools say that they did."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from ...store.db import Database
from ..git.edits import FILE_BYTES, FileEdit, Named, Status
from ..git.patches import between, parse
from ..occasions import Image
from ..redact import is_secret_file
from . import forgotten_code, observe
from .observe import Whose
from .symbol_edits import By, Change


class ToolFollower:
    """Keeps what tools report of one folder: only edits that succeeded, and whose outcome is, or was, on the disk."""

    def __init__(self, db: Database, root: str, whose: Whose, *, now: Callable[[], int]) -> None:
        self.db, self.root, self.whose, self._now = db, root, whose, now

    def used(self, given: Mapping[str, Any], paths: Sequence[str], by: By, *, at: int) -> int:
        """As `told`, for a call that says only which text it put in the place of which."""
        return self.told(list(from_disk(given, paths)), by, at=at)

    def told(self, images: Sequence[Image], by: By, *, at: int) -> int:
        """How many rounds came of what a tool did to those files."""
        files = tuple(edit for image in images if (edit := self._edit(image)) is not None)
        if not files:
            return 0
        change = Change(by.actor, at, self.root, None, None, None, files, by.turn, by.event)
        change = forgotten_code.of_now(self.db, change)
        return len(observe.record(change, self.whose, db=self.db, now=self._now()).rounds)

    def _edit(self, image: Image) -> FileEdit | None:
        try:
            path = Path(image.path).resolve().relative_to(self.root).as_posix()
        except (ValueError, OSError):
            return None
        before = None if image.before is None else image.before.encode("utf-8", "replace")
        after = image.after.encode("utf-8", "replace")
        if before == after:
            return None
        status: Status = "added" if before is None else "modified"
        named: Named | None = "secret" if is_secret_file(path) else "big" if len(after) > FILE_BYTES else None
        if named:
            return FileEdit(path, status, named=named)
        patch = between(path, before, after)
        return FileEdit(path, status, None, before, after, patch=patch, hunks=parse(patch)[0].hunks)


def from_disk(given: Mapping[str, Any], paths: Sequence[str]) -> Iterator[Image]:
    """
    The images of a call that says which text it put in the place of which, by what is on the disk now: its outcome
    must stand there. Cursor's `afterFileEdit`, and tools that take a path, an old and a new text.
    """
    edits = given.get("edits")
    pairs = [_pair(one) for one in (edits if isinstance(edits, list) else [given])]
    content = given.get("content", given.get("contents"))
    if len(paths) != 1 or (not all(pairs) and not isinstance(content, str)):
        return
    text = _read(paths[0])
    if text is None:
        return
    if isinstance(content, str) and "old_string" not in given:
        if text.replace("\r\n", "\n") == content.replace("\r\n", "\n"):
            yield Image(paths[0], None, text)
        return
    before = text
    for old, new in reversed([pair for pair in pairs if pair]):
        if not new or before.count(new) != 1:
            return  # not there, or it cannot be told which of them it was
        before = before.replace(new, old)
    yield Image(paths[0], before, text)


def _pair(one: Any) -> tuple[str, str] | None:
    if not isinstance(one, Mapping):
        return None
    old, new = one.get("old_string", one.get("old_str")), one.get("new_string", one.get("new_str"))
    return (old, new) if isinstance(old, str) and isinstance(new, str) else None


def _read(path: str) -> str | None:
    try:
        if os.path.getsize(path) > FILE_BYTES:
            return None
        with open(path, encoding="utf-8", newline="") as file:
            return file.read()
    except (OSError, ValueError):
        return None
