"""Conductor: one worktree followed from look to look, each difference kept with whoever made it."""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path

import apsw

from ..store import chains, followed, settings
from ..store.db import Database
from . import ancestry, git_files, observe
from .edits import By, Change, FileEdit
from .git_files import Where
from .git_log import history
from .made_commits import committed
from .moments import Bulk, Snapshot, loaded
from .moves import Move, is_busy, moves
from .observe import Prepared, Whose
from .occasions import Image
from .shown import shown, shown_name
from .snapshots import Snapshots
from .trees import Missing
from .worktree import GitFailed

log = logging.getLogger(__name__)

# Of the commits that came since the last look, the latest so many are met with what was seen being made.
COMMITS = 200
# So long is waited for git to let go of the user's index.
BUSY_S = 1.0


class Follower:
    """
    What happens in one worktree of a repository. Not for two threads at once. What was seen last is kept in the file
    with the rounds that it led to, so that any process goes on where another ended.
    """

    def __init__(
        self, db: Database, home: Path, where: Where, whose: Whose, *, now: Callable[[], int]
    ) -> None:
        self.db, self.whose, self._now = db, whose, now
        self._root = where.root
        self._snapshots = Snapshots(home, where)

    def look(self, by: By, *, at: int, paths: Iterable[str] | None = None) -> int:
        """
        How many rounds came of what has changed since the last look, made by `by`. The first look at a worktree only
        remembers how it is.

        Args:
            at: when it was made, UTC microseconds.
            paths: the only files that can have changed; None to find them.

        Raises:
            GitFailed: git could not read the worktree. StoreBusy: the file stayed locked; nothing was written.
        """
        last = self._last()
        self._wait_for_git()
        seen = self._snapshots.take(paths, at=at)
        if last is None:
            self._keep([], seen)
            return 0
        try:
            return self._between(_as_on_disk(last, seen, settings.salt_of(self.db)), seen, by, at=at)
        except (GitFailed, Missing):
            if self._snapshots.has(last):
                raise
            log.info("%s is not what it was; it is followed anew", self._root)
            self._keep([], seen)
            return 0

    def told(self, images: Sequence[Image], by: By, *, between: By, at: int) -> int:
        """
        As `look`, for what a tool says it did: each of its edits is kept with the very text that it left, also where
        the file has been changed again since. What had changed in these files before is `between`'s.
        """
        try:
            return self._told(images, by, between, at)
        except (GitFailed, Missing):
            last = self._last()
            if last is None or self._snapshots.has(last):
                raise
            self._before(images, at=at)
            return self._told(images, by, between, at)

    def _told(self, images: Sequence[Image], by: By, between: By, at: int) -> int:
        made = 0
        last = self._last() or self._before(images, at=at)
        for n, image in enumerate(images):
            path = self._within(image.path)
            if path is None:
                continue
            seen = self._snapshots.take([path], at=at)
            if (seen.head, seen.reflog) != (last.head, last.reflog):
                # Git has been at work meanwhile, and that was no edit.
                found = self._without(images[n:], at=at)
                made += self._between(last, found, between, at=at)
                last = found
            known = self._snapshots.holds(last, path)
            if known is None and self._snapshots.holds(seen, path) is None:
                continue  # ignored, outside, or only named
            before, after = _bytes(image.before, known), _bytes(image.after, known)
            if before != known:
                found = self._snapshots.written(last, path, before)
                made += self._between(last, found, between, at=at)
                last = found
            left = self._snapshots.written(last, path, after)
            made += self._between(last, left, by, at=at)
            last = left
        return made

    def look_and_fill(self, by: By, *, at: int, paths: Iterable[str] | None = None) -> None:
        """As `look`, and then as `fill`."""
        self.look(by, at=at, paths=paths)
        self.fill()

    def begin(self, *, at: int) -> None:
        """Remember how the worktree is, where nothing is remembered of it."""
        if self._last() is None:
            self._keep([], self._snapshots.take(None, at=at))

    def _before(self, images: Sequence[Image], *, at: int) -> Snapshot:
        """A worktree not looked at yet, as it was before a tool's edits; it is remembered so."""
        last = self._without(images, at=at)
        self._keep([], last)
        return last

    def _without(self, images: Sequence[Image], *, at: int) -> Snapshot:
        """The worktree as it was before a tool's edits: their files had what the tool found there."""
        seen = self._snapshots.take(None, at=at)
        for image in reversed(images):
            path = self._within(image.path)
            known = None if path is None else self._snapshots.holds(seen, path)
            if path is not None and known is not None:
                seen = self._snapshots.written(seen, path, _bytes(image.before, known))
        return seen

    def fill(self) -> None:
        """Look up what reading needs to know of git, where nobody waits."""
        ancestry.fill(self.db, git_files.look(self._root), self.whose.family)

    def _last(self) -> Snapshot | None:
        text = self.db.read(followed.get, self._root)
        try:
            return loaded(text) if text else None
        except ValueError:
            return None

    def _wait_for_git(self) -> None:
        """Let git finish what it has begun: half a checkout would look like edits. A stale lock is passed over."""
        ends = time.monotonic() + BUSY_S
        while is_busy(git_files.look(self._root)) and time.monotonic() < ends:
            time.sleep(0.02)

    def _within(self, path: str) -> str | None:
        try:
            found = Path(path).resolve().relative_to(self._root).as_posix()
        except (ValueError, OSError):
            return None
        return None if found == "." or found.startswith(".git/") else found

    def _between(self, last: Snapshot, seen: Snapshot, by: By, *, at: int) -> int:
        if seen == last:
            return 0
        where = git_files.look(self._root)
        found = moves(where, last) if (seen.head, seen.reflog) != (last.head, last.reflog) else []
        split = self._snapshots.split(last, seen, found)
        prepared = []
        if split.by_git:
            prepared.append(self._change(By("git"), [], _count(split.by_git), last, seen, at))
        if split.by_hand:
            files = [] if isinstance(split.by_hand, Bulk) else split.by_hand
            prepared.append(self._change(by, files, _count(split.by_hand), last, seen, at))
        # Elsewhere the places lie as they did there: git puts them back when the branch is.
        brought = split.by_git if last.branch == seen.branch and not isinstance(split.by_git, Bulk) else []
        made = self._keep(prepared, seen, brought)
        self._stamp(where, found)
        return made

    def _change(
        self, by: By, files: Sequence[FileEdit], count: int, last: Snapshot, seen: Snapshot, at: int
    ) -> Prepared:
        change = Change(
            by.actor, at, self._root, seen.branch, seen.head if by.actor != "git" else last.head, seen.head,
            tuple(files), by.turn, by.event, bulk=not files, count=count,
        )  # fmt: skip
        return observe.prepare(change, self.whose, settings.salt_of(self.db))

    def _keep(self, prepared: Sequence[Prepared], seen: Snapshot, brought: Sequence[FileEdit] = ()) -> int:
        key = settings.salt_of(self.db)

        def write(con: apsw.Connection) -> int:
            now = self._now()
            observe.carry(con, brought, self.whose, seen.branch or "", key)
            made = sum(len(observe.write(con, one, self.whose, key, now=now).rounds) for one in prepared)
            followed.put(con, self._root, _as_kept(seen, key).dumped(), at=seen.at)
            return made

        return self.db.write(write)

    def _stamp(self, where: Where, found: Sequence[Move]) -> None:
        """Note which of the commits that came since hold what was seen being made."""
        new = [commit.id for commit in committed(where, found)][-COMMITS:]
        key = settings.salt_of(self.db)
        for commit in history(where, new):
            change = Change(
                "git", commit.at, self._root, where.branch, commit.parent, commit.id, commit.files
            )
            prepared = observe.prepare(change, self.whose, key, commit=commit.id)
            held = self.db.read(observe.held, prepared, self.whose, key)
            if held:
                self.db.write(chains.commits_hold, held, commit.id)


def _as_kept(seen: Snapshot, key: bytes) -> Snapshot:
    """The snapshot with known secrets marked in the names that it tells."""
    names = os.fsencode("\n".join(seen.named))
    if shown(names, key) == names:
        return seen
    return replace(seen, named={shown_name(path, key): mark for path, mark in seen.named.items()})


def _as_on_disk(last: Snapshot, seen: Snapshot, key: bytes) -> Snapshot:
    """A kept snapshot with its marked names as they are: those of files that are still there."""
    if not any("[redacted:" in path for path in last.named):
        return last
    real = {shown_name(path, key): path for path in seen.named}
    return replace(last, named={real.get(path, path): mark for path, mark in last.named.items()})


def _count(found: Sequence[FileEdit] | Bulk) -> int:
    return found.count if isinstance(found, Bulk) else len(found)


def _bytes(text: str | None, known: bytes | None) -> bytes | None:
    """A text that a tool tells, as it lies on disk: tools tell it with plain line feeds."""
    if text is None:
        return None
    raw = text.encode("utf-8", "surrogatepass")
    if known is None or b"\r\n" not in known or b"\r\n" in raw:
        return known if known is not None and _same(raw, known) else raw
    return raw.replace(b"\n", b"\r\n")


def _same(raw: bytes, known: bytes) -> bool:
    """Whether what a tool tells is what we know, but for a mark at its start."""
    return known.removeprefix(b"\xef\xbb\xbf") == raw
