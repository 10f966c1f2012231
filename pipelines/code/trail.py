"""Conductor: the trail of one worktree: what it was when it was looked at last, and what is kept of each step on."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path

import apsw

from ...store import chains, followed, settings
from ...store.db import Database
from ..git import git_files
from ..git.edits import FileEdit
from ..git.git_files import Where
from ..git.git_log import history
from ..git.made_commits import committed
from ..git.moments import Bulk, Snapshot, loaded
from ..git.moves import Move, moves
from ..git.snapshots import Snapshots
from ..shown import HIDDEN, branch_name, shown, shown_name
from . import forgotten_code, observe
from .observe import Prepared, Whose
from .symbol_edits import By, Change

# Of the commits that came since the last look, the latest so many are met with what was seen being made.
COMMITS = 200


class Trail:
    """
    What has become of one worktree so far. What was seen last is kept in the file with the rounds that it led to, so
    that any process goes on where another ended. Branches have the names here under which they are kept.
    """

    def __init__(
        self, db: Database, home: Path, where: Where, whose: Whose, *, now: Callable[[], int]
    ) -> None:
        self.db, self.root, self.whose, self.now = db, where.root, whose, now
        self.snapshots = Snapshots(home, where)

    def last(self) -> Snapshot | None:
        """How the worktree was; None where nothing is remembered."""
        text = self.db.read(followed.get, self.root)
        try:
            return loaded(text) if text else None
        except ValueError:
            return None

    def take(self, paths: Iterable[str] | None = None, *, at: int) -> Snapshot:
        """As `Snapshots.take`."""
        seen = self.snapshots.take(paths, at=at)
        return replace(seen, branch=branch_name(seen.branch, settings.salt_of(self.db)))

    def renewed(self, last: Snapshot) -> Snapshot | None:
        """As `Snapshots.renewed`, for what was seen last."""
        seen = self.snapshots.renewed(last, at=last.at)
        return None if seen is None else replace(last, tree=seen.tree, named=seen.named)

    def step(
        self, last: Snapshot, seen: Snapshot, by: By, *, at: int, on: tuple[str | None, str | None] | None = None
    ) -> int:  # fmt: skip
        """
        How many rounds came of what lies between the two; what git wrote while it moved is git's, all else is `by`'s.

        Args:
            on: the branch and the commit that it was done on, where they are others than those that were seen.
        """
        if seen == last:
            return 0
        where = git_files.look(self.root)
        found = moves(where, last) if (seen.head, seen.reflog) != (last.head, last.reflog) else []
        split = self.snapshots.split(_as_on_disk(last, seen, settings.salt_of(self.db)), seen, found)
        prepared = []
        if split.by_git:
            prepared.append(self._change(By("git"), split.by_git, last, seen, at))
        if split.by_hand:
            branch, head = on or (seen.branch, seen.head)
            prepared.append(
                self._change(by, split.by_hand, last, replace(seen, branch=branch, head=head), at)
            )
        # Elsewhere the places lie as they did there: git puts them back when the branch is.
        brought = split.by_git if last.branch == seen.branch and not isinstance(split.by_git, Bulk) else []
        made = self.keep(seen, prepared, brought)
        self._stamp(where, found)
        return made

    def aside(self, last: Snapshot, before: Snapshot, after: Snapshot, by: By, *, at: int) -> int:
        """As `step` for what lies behind already: the worktree stays as it was seen last."""
        made = self.snapshots.changed(before, after)
        there = self.snapshots.changed(last, before)
        back = self.snapshots.changed(after, replace(last, bulk=False, count=0))
        if not made or isinstance(made, Bulk) or isinstance(there, Bulk) or isinstance(back, Bulk):
            return 0
        return self.keep(last, [self._change(by, made, before, after, at)], there, back)

    def keep(
        self,
        seen: Snapshot,
        prepared: Sequence[Prepared] = (),
        brought: Sequence[FileEdit] = (),
        put_back: Sequence[FileEdit] = (),
    ) -> int:
        """
        Remember that the worktree is so, with those changes that led to it; the number of their rounds.

        Args:
            brought: edits that are nobody's, before the changes; `put_back`: after them.
        """
        key = settings.salt_of(self.db)
        branch = seen.branch or ""

        def write(con: apsw.Connection) -> int:
            now = self.now()
            observe.carry(con, brought, self.whose, branch, key)
            made = sum(len(observe.write(con, one, self.whose, key, now=now).rounds) for one in prepared)
            observe.carry(con, put_back, self.whose, branch, key)
            followed.put(con, self.root, _as_kept(seen, key).dumped(), at=seen.at)
            return made

        return self.db.write(write)

    def _change(
        self, by: By, found: Sequence[FileEdit] | Bulk, last: Snapshot, seen: Snapshot, at: int
    ) -> Prepared:
        """The change as it is kept; what git did is only counted."""
        bulk = isinstance(found, Bulk)
        files = () if isinstance(found, Bulk) or by.actor == "git" else tuple(found)
        change = Change(
            by.actor, at, self.root, seen.branch, last.head if by.actor == "git" else seen.head, seen.head,
            files, by.turn, by.event, bulk=bulk, count=found.count if isinstance(found, Bulk) else len(found),
        )  # fmt: skip
        return observe.prepare(forgotten_code.of_now(self.db, change), self.whose, settings.salt_of(self.db))

    def _stamp(self, where: Where, found: Sequence[Move]) -> None:
        """Note which of the commits that came since hold what was seen being made."""
        key = settings.salt_of(self.db)
        branch = branch_name(where.branch, key)
        for commit in history(where, committed(where, found)[-COMMITS:]):
            change = Change("git", commit.at, self.root, branch, commit.parent, commit.id, commit.files)
            kept = forgotten_code.of_now(self.db, change)
            prepared = observe.prepare(kept, self.whose, key, commit=commit.id)
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
    if not any(HIDDEN.decode() in path for path in last.named):
        return last
    real = {shown_name(path, key): path for path in seen.named}
    return replace(last, named={real.get(path, path): mark for path, mark in last.named.items()})
