"""One take of a snapshot: which files are looked at, and from what it goes on."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from ...store.errors import GitFailed, ObjectGone
from . import kept
from .beside import AT_ONCE, Beside
from .checked_out import Expansions
from .git_files import Where
from .kept import Kept
from .looking import Looked, Looking
from .moments import Mark
from .moves import moves
from .objects import Objects
from .trees import Entry, Trees

log = logging.getLogger(__name__)

# More files than this are not read one by one.
MAX_FILES = 2_000


@dataclass(slots=True)
class Found:
    """What a take came to, before it is a snapshot."""

    tree: str
    looked: Looked
    count: int
    bulk: bool = False
    folders: bool = False


class Take:
    """One take, with what is open for it."""

    def __init__(self, beside: Beside, where: Where, objects: Objects, last: Kept | None) -> None:
        self._beside = beside
        self._where = where
        self._objects = objects
        self._last = last
        self._trees = Trees(objects)
        expansions = Expansions(beside.folder / "expansions")
        self._looking = Looking(beside, where.root, objects, self._trees, expansions)

    def found(self, paths: Iterable[str] | None) -> Found:
        """
        Go on from the last snapshot. Begin again from the user's index where there is none, or git has written files
        since: what git wrote is then clean in it, and is neither read nor kept.
        """
        last = self._last
        try:
            if last and not last.stale and not any(move.writes for move in moves(self._where, last.snapshot)):
                going_on = self._going_on(last, self._asked(paths, last) if paths is not None else None)
                if going_on:
                    return going_on
        except (GitFailed, ObjectGone) as e:
            log.info("a snapshot folder is begun anew: %s", type(e).__name__)
        try:
            return self._beginning(last)
        except (GitFailed, ObjectGone):
            if last is None:
                raise
            return self._beginning(None)

    def _asked(self, paths: Iterable[str], last: Kept) -> list[str] | None:
        """The paths from the top of the worktree; None where all have to be looked for, as for a folder."""
        asked: dict[str, None] = {}
        for path in paths:
            place = self._looking.disk.place(path)
            if place is None:
                continue
            entry = self._trees.find(last.snapshot.tree, place) if place else None
            if (
                not place
                or (entry and entry.is_tree)
                or (entry is None and self._looking.disk.is_folder(place))
            ):
                return None
            asked[place] = None
        return list(asked) if len(asked) <= AT_ONCE else None

    def _going_on(self, last: Kept, asked: list[str] | None) -> Found | None:
        """From the last snapshot on; None where too much has changed for that."""
        tree, named, folders, overflow = last.snapshot.tree, last.snapshot.named, last.folders, False
        self._trees.check(tree)
        pending = dict(last.pending)
        if asked is None:
            # In an untracked folder that is left out, one file that git knew would bring in all the others.
            loose = self._beside.unlisted(list(pending)) if folders else set()
            self._beside.tell({path: entry for path, entry in pending.items() if path not in loose})
            pending = {path: pending[path] for path in loose}
            tracked, untracked, folders = self._scanned(folders=folders)
            overflow = folders and not last.folders
            if len(tracked) > MAX_FILES:
                return None
            paths = [*dict.fromkeys([*tracked, *untracked, *named, *pending])]
        else:
            new = [path for path in asked if path not in named and not self._trees.find(tree, path)]
            ignored = self._beside.ignored([path for path in new if self._looking.disk.has(path)])
            paths = [path for path in asked if path not in ignored]
        looked = self._looking.look(paths, tree, named=named)
        looked.pending = pending | looked.pending
        count = len(looked.changes) + _differing(named, looked.named)
        planted = self._trees.plant(tree, looked.changes)
        return Found(planted, looked, count, overflow or count > MAX_FILES, folders)

    def _beginning(self, last: Kept | None) -> Found:
        """From the user's index on."""
        if last:
            kept.save(self._beside.folder, replace(last, stale=True))
        head = self._trees.of_commit(self._where.head)
        self._beside.renew(head)
        staged = self._beside.staged(head)
        base = self._trees.plant(head, {pair.path: pair.after for pair in staged if pair.status != "U"})
        tracked, untracked, folders = self._scanned(folders=False)
        absorbed: dict[str, Entry | None] = {}
        if len(tracked) > MAX_FILES:
            large = {path for path in tracked if self._looking.disk.is_large(path)}
            absorbed = self._beside.absorb(set(tracked) - large, base)
            tracked = sorted(large)
        paths = dict.fromkeys([*tracked, *untracked, *(pair.path for pair in staged if pair.status == "U")])
        before = last.snapshot if last else None
        looked = self._looking.look(paths, base, before.tree if before else None)
        looked.changes = absorbed | looked.changes
        count = 0
        if before:
            pairs = self._beside.differing(before.tree, base)
            count = len(pairs) + len(looked.changes)
            others = {pair.path for pair in pairs if pair.before} | set(before.named)
            same = self._looking.unchanged(others - set(paths), before.tree, before.named)
            self._keep(looked, same, base)
            self._looking.rewritten(
                {
                    pair.path: (pair.before, pair.after)
                    for pair in pairs
                    if looked.changes.get(pair.path, pair.after) == pair.after
                }
            )
        planted = self._trees.plant(base, looked.changes)
        return Found(planted, looked, count, count > MAX_FILES, folders)

    def _keep(self, looked: Looked, same: Looked, base: str) -> None:
        """Have what is on disk as it was in the last snapshot stay as it was there, whatever git has of it now."""
        looked.changes |= same.changes
        for path, entry in same.changes.items():
            if self._trees.find(base, path) is None:
                looked.pending[path] = entry  # no longer in the user's index: ours has to say when it goes
        for path, mark in same.named.items():
            looked.named[path] = mark
            if self._trees.find(base, path):
                looked.changes[path] = None

    def _scanned(self, *, folders: bool) -> tuple[list[str], list[str], bool]:
        """As `Beside.scan`, without whole untracked folders where they hold too many files."""
        tracked, untracked = self._beside.scan(folders=folders)
        if len(untracked) > MAX_FILES and not folders:
            folders = True
            tracked, untracked = self._beside.scan(folders=True)
        return tracked, untracked[:MAX_FILES], folders


def _differing(before: Mapping[str, Mark], after: Mapping[str, Mark]) -> int:
    return sum(before.get(path) != after.get(path) for path in before.keys() | after.keys())
