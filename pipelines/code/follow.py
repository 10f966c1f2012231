"""Conductor: one worktree followed from look to look, each difference kept with whoever made it."""

# ruff: noqa: PTH118  os.path: bytes that are no text stay what they are

from __future__ import annotations

import contextlib
import logging
import os
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from ...store.db import Database
from ...store.errors import GitFailed, ObjectGone
from ..git import git_files
from ..git.git_files import Where
from ..git.moments import Snapshot
from ..git.moves import lock
from ..occasions import Image
from . import ancestry
from .observe import Whose
from .symbol_edits import By
from .telling import Telling
from .trail import Trail

log = logging.getLogger(__name__)

# So long is waited for git to let go of the user's index.
BUSY_S = 1.0
# The objects of a day's snapshots are some 5 MB; after so many turns it is looked how many there are.
OBJECT_BYTES, TIDY_EVERY = 100_000_000, 50


class Follower:
    """
    What happens in one worktree of a repository. Not for two threads at once. What was seen last is kept in the file
    with the rounds that it led to, so that any process goes on where another ended.
    """

    def __init__(
        self, db: Database, home: Path, where: Where, whose: Whose, *, now: Callable[[], int]
    ) -> None:
        self.db, self.whose = db, whose
        self._root = where.root
        self._trail = Trail(db, home, where, whose, now=now)
        # A lock of git's that was waited for in vain.
        self._left_over: tuple[int, int] | None = None
        self._fills = 0

    def look(
        self, by: By, *, at: int, paths: Iterable[str] | None = None, earlier: tuple[By, int] | None = None
    ) -> int:  # fmt: skip
        """
        How many rounds came of what has changed since the last look, made by `by`. The first look at a worktree only
        remembers how it is.

        Args:
            at: when it was made, UTC microseconds.
            paths: the only files that can have changed; None to find them.
            earlier: who made what was there already at that time.

        Raises:
            GitFailed: git could not read the worktree. StoreBusy: the file stayed locked; nothing was written.
        """
        last = self._trail.last()
        self._wait_for_git()
        seen = self._timed(self._trail.take(paths, at=at))
        if last is None:
            return self._trail.keep(seen)
        try:
            made = 0
            if earlier is not None:
                older = self._older(last, seen, earlier[1])
                made, last = self._trail.step(last, older, earlier[0], at=at), older
            return made + self._trail.step(last, seen, by, at=at)
        except (GitFailed, ObjectGone):
            if self._trail.snapshots.has(last):
                raise
            log.info("%s is not what it was; it is followed anew", self._root)
            return self._trail.keep(seen)

    def told(self, images: Sequence[Image], by: By, *, between: By, at: int) -> int:
        """
        As `look`, for what a tool says it did: each of its edits is kept with the very text that it left, also where
        the file has been changed again since. What had changed in these files before is `between`'s.
        """
        telling = Telling(self._trail, by, between, at=at)
        try:
            return telling.take_down(images)
        except (GitFailed, ObjectGone):
            last = self._trail.last()
            if last is None or self._trail.snapshots.has(last):
                raise
            telling.begin(images)
            return telling.take_down(images)

    def _older(self, last: Snapshot, seen: Snapshot, before: int) -> Snapshot:
        """The worktree as it was seen last, but for the files that are as they were at that time already."""
        if (seen.head, seen.reflog, seen.bulk) != (last.head, last.reflog, False):
            return last
        older = last
        for path in self._trail.snapshots.differing(last, seen):
            # The time of the last change of any kind, which no program sets: one that copies may set the other.
            with contextlib.suppress(OSError, ValueError):
                if os.lstat(os.path.join(self._root, path)).st_ctime_ns < before * 1_000:
                    older = self._trail.snapshots.with_file_of(older, seen, path)
        return older

    def look_and_fill(
        self, by: By, *, at: int, paths: Iterable[str] | None = None, earlier: tuple[By, int] | None = None
    ) -> None:
        """As `look`, and then as `fill`."""
        self.look(by, at=at, paths=paths, earlier=earlier)
        self.fill()

    def begin(self, *, at: int) -> None:
        """Remember how the worktree is, where nothing is remembered of it."""
        if self._trail.last() is None:
            self._trail.keep(self._timed(self._trail.take(None, at=at)))

    def fill(self) -> None:
        """Look up what reading needs to know of git, and tidy up, where nobody waits."""
        ancestry.fill(self.db, git_files.look(self._root), self.whose.family)
        self._fills += 1
        if self._fills % TIDY_EVERY == 0:
            self.tidy()

    def _timed(self, seen: Snapshot) -> Snapshot:
        """
        A snapshot with the time it was really taken, which may be long after it was asked for: an edit that is older
        lies in it already, whenever its hook tells of it.
        """
        return replace(seen, at=self._trail.now())

    def tidy(self, *, most_bytes: int = OBJECT_BYTES) -> None:
        """Let go of the objects of old snapshots, if they are many: what was in them is in the file."""
        last = self._trail.last()
        if last is None or self._trail.snapshots.size() <= most_bytes:
            return
        renewed = self._trail.renewed(last)
        if renewed is not None:
            self._trail.keep(renewed)

    def _wait_for_git(self) -> None:
        """Let git finish what it has begun: half a checkout would look like edits. A stale lock is waited for once."""
        ends = time.monotonic() + BUSY_S
        while held := lock(git_files.look(self._root)):
            if held == self._left_over or time.monotonic() >= ends:
                break
            time.sleep(0.02)
        self._left_over = held
