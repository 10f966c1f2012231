"""Snapshots of one git worktree, taken without touching the user's repository."""

from __future__ import annotations

import contextlib
import hashlib
import os
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from ...store.errors import BadInput, GitFailed, ObjectGone
from . import changes, kept
from .beside import Beside
from .checked_out import UNKNOWN, Expansions
from .edits import FileEdit
from .git_files import Where, look
from .hands import Hands, Split
from .kept import Kept
from .looking import Looking
from .moments import Bulk, Snapshot
from .moves import Move, position, under_way
from .objects import Objects
from .on_disk import Disk, Text
from .taking import Take
from .trees import Trees


class Snapshots:
    """
    The snapshots of the worktree that `where` names, in a folder of ours below `home`, which the first take makes.

    Holds nothing open. Callable from any thread and process; takes wait for one another.

    Raises:
        BadInput: there is no worktree with a repository.
    """

    def __init__(self, home: Path, where: Where) -> None:
        if where.git_dir is None:
            raise BadInput(f"{where.root} is in no git repository; its edits are known from the tools alone.")
        if where.root == where.git_dir:
            raise BadInput(f"{where.root} is a bare repository; name one of its worktrees, which have files.")
        self._where = where
        key = hashlib.sha256(os.fsencode(f"{where.root}\n{where.git_dir}")).hexdigest()[:16]
        self.folder = home / "snapshots" / key
        self._beside = Beside(self.folder, where)

    def take(self, paths: Iterable[str] | None = None, *, at: int) -> Snapshot:
        """
        The worktree as it is now.

        Args:
            paths: the only files that can have changed since the last take, absolute or from the top of the
                worktree; None to find them. Where git has written files since then all are looked for.
            at: UTC microseconds.

        Raises:
            GitFailed: git could not read the worktree, or our folder cannot be written; the next take begins anew.
        """
        try:
            return self._take(paths, at)
        except OSError as e:
            raise GitFailed(f"{self.folder} cannot be written: {e.strerror or e}") from e

    def _take(self, paths: Iterable[str] | None, at: int) -> Snapshot:
        with kept.held(self.folder):
            self._beside.ready()
            reflog = position(self._where)
            where = self._here()
            last = kept.load(self.folder)
            with self._beside.objects() as objects:
                found = Take(self._beside, where, objects, last).found(paths)
            snapshot = Snapshot(
                found.tree, where.head, where.branch, at, reflog, under_way(where),
                found.looked.named, found.bulk, found.count if found.bulk else 0,
            )  # fmt: skip
            kept.save(self.folder, Kept(snapshot, found.looked.pending, folders=found.folders))
        return snapshot

    def changed(self, before: Snapshot, after: Snapshot) -> list[FileEdit] | Bulk:
        """
        What became of which files between two snapshots of this worktree, by path, with git's own patches; only how
        many, where they are too many to be taken apart.

        Raises:
            GitFailed: the repository no longer has what they are made of.
        """
        with self._beside.objects() as objects:
            return changes.changed(self._beside, objects, before, after)

    def split(self, before: Snapshot, after: Snapshot, moves: Sequence[Move]) -> Split:
        """
        As `changed`, with what git wrote apart from what was done by hand.

        Args:
            moves: what `moves.moves` tells of the time between the two.
        """
        with self._beside.objects() as objects:
            middle = Hands(self._beside, objects, before, after).middle(moves)
            by_git: list[FileEdit] | Bulk = []
            if middle != before:
                by_git = changes.changed(self._beside, objects, before, middle)
                after = replace(after, bulk=False, count=0)
            return Split(by_git, changes.changed(self._beside, objects, middle, after))

    def differing(self, before: Snapshot, after: Snapshot) -> list[str]:
        """The files that are not the same in the two; without those that are only named."""
        return [pair.path for pair in self._beside.differing(before.tree, after.tree)]

    def has(self, snapshot: Snapshot) -> bool:
        """Whether it can still be compared: its files and its commit are there; in another repository they are not."""
        with self._beside.objects() as objects:
            return all(objects.get(name) for name in (snapshot.tree, snapshot.head) if name)

    def holds(self, snapshot: Snapshot, path: str) -> bytes | None:
        """
        What the snapshot has at that path, as it was on disk where that is known; None for nothing, a folder, or what
        is only named.
        """
        with self._beside.objects() as objects:
            entry = Trees(objects).find(snapshot.tree, path)
            if entry is None or entry.is_tree:
                return None
            became = Expansions(self._beside.folder / "expansions").get(path, entry.id)
            return objects.blob(entry.id if became in (None, UNKNOWN) else became)

    def on_disk(self, path: str) -> bytes | None:
        """The bytes that are there now; None for no file, and for one that is only named."""
        seen = Disk(self._where.root).look(path)
        return seen.content if isinstance(seen, Text) else None

    def written(self, snapshot: Snapshot, path: str, content: bytes | None) -> Snapshot:
        """The snapshot as it would be with that file in it, None: without it; as a tool says it left the file."""
        with self._beside.objects() as objects:
            trees = Trees(objects)
            entry = trees.find(snapshot.tree, path)
            was = None if entry is None or entry.is_tree else entry
            made = None if content is None else self._looking(objects, trees).told(path, content, was)
            return replace(snapshot, tree=trees.plant(snapshot.tree, {path: made}), bulk=False, count=0)

    def with_file_of(self, snapshot: Snapshot, other: Snapshot, path: str) -> Snapshot:
        """The snapshot as it would be with that file as the other one has it."""
        with self._beside.objects() as objects:
            trees = Trees(objects)
            entry = trees.find(other.tree, path)
            return replace(snapshot, tree=trees.plant(snapshot.tree, {path: entry}), bulk=False, count=0)

    def ids(self, content: bytes | None) -> tuple[str | None, ...]:
        """The ids that edits may have of these bytes: as they are, and as git has them of a file that it converts."""
        if content is None:
            return (None,)
        with self._beside.objects() as objects:
            forms = dict.fromkeys([content, content.replace(b"\r\n", b"\n")])
            return tuple(objects.id_of("blob", form) for form in forms)

    def committed(self, commit: str, path: str) -> bytes | None:
        """What a commit has at that path; None for nothing, a folder, and a commit that is gone."""
        with self._beside.objects() as objects:
            trees = Trees(objects)
            try:
                entry = trees.find(trees.of_commit(commit), path)
            except ObjectGone:
                return None
            return None if entry is None or entry.is_tree else objects.blob(entry.id)

    def blob(self, name: str) -> bytes | None:
        """The bytes of a file by the id that an edit or a commit has of it; None where they are gone."""
        with self._beside.objects() as objects:
            return objects.blob(name)

    def size(self) -> int:
        """The bytes of the objects that are kept here."""
        found = (self.folder / "objects").rglob("*")
        with contextlib.suppress(OSError):
            return sum(path.stat().st_size for path in found if path.is_file())
        return 0

    def renewed(self, snapshot: Snapshot, *, at: int) -> Snapshot | None:
        """
        The same snapshot, with no objects kept but its own; None, and nothing done, where the worktree is no longer
        as it has it.
        """
        if self.take(at=at).tree != snapshot.tree:
            return None
        with kept.held(self.folder):
            kept.clear(self.folder)
        return self.take(at=at)

    def drop(self) -> None:
        """Remove all that is kept of this worktree. Its snapshots can no longer be compared."""
        kept.drop(self.folder)

    def _looking(self, objects: Objects, trees: Trees) -> Looking:
        expansions = Expansions(self._beside.folder / "expansions")
        return Looking(self._beside, self._where.root, objects, trees, expansions)

    def _here(self) -> Where:
        where = look(self._where.root)
        if (where.root, where.git_dir) != (self._where.root, self._where.git_dir):
            raise GitFailed(f"{self._where.root} is no longer the worktree that it was.")
        return where
