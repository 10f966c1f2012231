"""Whose hand it was: what of a change git wrote while it moved between commits, and what was done by hand."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from ...store.clock import SECOND_US
from .beside import Beside
from .checked_out import is_same
from .edits import FileEdit
from .moments import Bulk, Snapshot
from .moves import Move, net
from .objects import Objects
from .records import Pair
from .trees import Entry, Trees

# These write over what was on disk; the others stop, or merge, where it was no longer what the commit had.
FORCED = {"checkout", "reset", "clone", "unknown"}


@dataclass(frozen=True, slots=True)
class Split:
    """The two parts of a change, in this order: what git wrote, then what was done by hand."""

    by_git: list[FileEdit] | Bulk
    by_hand: list[FileEdit] | Bulk


class Hands:
    """Tells the two apart, between two snapshots of one worktree."""

    def __init__(self, beside: Beside, objects: Objects, before: Snapshot, after: Snapshot) -> None:
        self._beside = beside
        self._objects = objects
        self._trees = Trees(objects)
        self._before = before
        self._after = after

    def middle(self, moves: Sequence[Move]) -> Snapshot:
        """
        The worktree as it would be had git alone been at work between the two; as it was before, where it wrote
        nothing.

        File by file. Git's is what is now as the commit has it that git moved to, where that commit has something
        else there than the one that it came from. A commit moves nothing: what it records had been done by hand. Where
        the file is neither as it was nor as the commit has it, both have been at it: git wrote, then somebody went on.
        What went back to how HEAD had it all along was done by hand, whoever did it; but for what a merge or the like
        had written that was given up.
        """
        differing = {pair.path: pair for pair in self._beside.differing(self._before.tree, self._after.tree)}
        held = self._held_up(self._before)
        begun = self._held_up(self._after) if self._after.doing != self._before.doing else set[str]()
        written = {
            path: differing[path].after
            for path in begun
            if self._was_clean(differing.get(path)) or (path in held and path in differing)
        }
        written |= self._put_back(differing, held, moves)
        for path, (pair, forced) in self._touched(moves).items():
            if path in differing and path not in written:
                taken, entry = self._written(differing[path], pair, forced=forced)
                written |= {path: entry} if taken else {}
        if not written:
            return self._before
        named = {path: mark for path, mark in self._before.named.items() if path not in written}
        tree = self._trees.plant(self._before.tree, written)
        return replace(
            self._before,
            tree=tree,
            head=self._after.head,
            branch=self._after.branch,
            at=self._after.at,
            named=named,
        )

    def _touched(self, moves: Sequence[Move]) -> dict[str, tuple[Pair, bool]]:
        """What git wrote on its way, and whether over whatever was there: from the first state to the last."""
        touched: dict[str, tuple[Pair, bool]] = {}
        for old, new, kinds in net([move for move in moves if not self._is_commit(move)]):
            for pair in self._beside.differing(
                old or self._beside.settings.empty_tree, new or self._beside.settings.empty_tree
            ):
                first, forced = touched.get(pair.path, (pair, False))
                touched[pair.path] = (replace(pair, before=first.before), forced or bool(FORCED & kinds))
        return touched

    def _is_commit(self, move: Move) -> bool:
        """Whether what no log tells of is a commit made here since, as its parent and its time say."""
        if move.kind != "unknown" or move.old is None or move.new is None:
            return False
        found = self._objects.get(move.new)
        if found is None or found[0] != "commit":
            return False
        lines = found[1].partition(b"\n\n")[0].split(b"\n")
        at = next((int(line.split()[-2]) for line in lines if line.startswith(b"committer ")), 0)
        return self._first_parent(move.new) == move.old and (at + 1) * SECOND_US >= self._before.at

    def _written(self, on_disk: Pair, in_git: Pair, *, forced: bool) -> tuple[bool, Entry | None]:
        """Whether git wrote the file, and what."""
        if in_git.before == in_git.after:
            return False, None
        path, now = on_disk.path, on_disk.after
        clean = path not in self._before.named and self._same(on_disk.before, in_git.before)
        if path not in self._after.named and self._same(now, in_git.after):
            return clean or forced, now
        if clean and self._nearer(now, in_git.after, on_disk.before):
            return True, in_git.after
        return False, None

    def _held_up(self, snapshot: Snapshot) -> set[str]:
        """The files that a merge or the like touches which was under way then, having stopped, as at a conflict."""
        if snapshot.doing is None or snapshot.head is None:
            return set()
        kind, _, commit = snapshot.doing.partition(":")
        other: str | None = snapshot.head
        if kind != "merge":
            other = self._first_parent(commit) or self._beside.settings.empty_tree
        return {pair.path for pair in self._beside.differing(other or "", commit)}

    def _put_back(
        self, differing: Mapping[str, Pair], held: Iterable[str], moves: Sequence[Move]
    ) -> dict[str, Entry | None]:
        """
        Of the files that a merge or the like had touched those that are now as one of its two sides has them, or as
        the commit that git went back to: it was given up, or one side taken whole. Nobody wrote that. While it is under
        way still, only those that were in conflict.
        """
        over = self._after.doing != self._before.doing
        changed = [
            path for path in held if path in differing and (over or self._in_conflict(differing[path].before))
        ]
        if not changed or self._before.doing is None:
            return {}
        last = next((move for move in reversed(moves) if move.old != move.new), None)
        sides = [self._before.head, self._before.doing.partition(":")[2]]
        if last is None or not self._makes(last):
            sides.append(self._after.head)
        trees = [self._trees.of_commit(side) for side in dict.fromkeys(sides) if side]
        return {
            path: differing[path].after
            for path in changed
            if path not in self._after.named
            and any(self._same(differing[path].after, self._trees.find(tree, path)) for tree in trees)
        }

    def _in_conflict(self, entry: Entry | None) -> bool:
        """Whether the file holds both sides, between git's marks."""
        blob = b"\n" + (self._objects.blob(entry.id) or b"") if entry else b""
        return b"\n<<<<<<< " in blob and b"\n>>>>>>> " in blob

    def _makes(self, move: Move) -> bool:
        """Whether the move made the commit that it went to."""
        return move.kind in ("commit", "amend") or (
            move.old is not None and move.new is not None and self._first_parent(move.new) == move.old
        )

    def _first_parent(self, commit: str) -> str | None:
        found = self._objects.get(commit)
        lines = found[1].partition(b"\n\n")[0].split(b"\n") if found and found[0] == "commit" else []
        return next((line[7:].decode() for line in lines if line.startswith(b"parent ")), None)

    def _was_clean(self, on_disk: Pair | None) -> bool:
        """Whether the file, which has changed, was before as the commit had it."""
        if on_disk is None or on_disk.path in self._before.named or on_disk.path in self._after.named:
            return False
        head = self._trees.of_commit(self._before.head)
        return self._same(on_disk.before, self._trees.find(head, on_disk.path))

    def _same(self, on_disk: Entry | None, in_git: Entry | None) -> bool:
        if on_disk is None or in_git is None or on_disk.id == in_git.id:
            return on_disk == in_git or (on_disk is not None and in_git is not None)
        disk, blob = self._objects.blob(on_disk.id), self._objects.blob(in_git.id)
        return disk is not None and blob is not None and is_same(blob, disk)

    def _nearer(self, now: Entry | None, to: Entry | None, than: Entry | None) -> bool:
        """Whether the file has more lines of the one than of the other; told so that a reset of HEAD alone is seen."""
        lines, near, far = (self._lines(entry) for entry in (now, to, than))
        return not lines or (near & lines).total() >= (far & lines).total()

    def _lines(self, entry: Entry | None) -> Counter[bytes]:
        blob = self._objects.blob(entry.id) if entry else None
        return Counter((blob or b"").split())
