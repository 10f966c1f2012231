"""Conductor: what a tool tells of its edits, taken down on the trail of the worktree, in whatever order it arrives."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ...store import claims, settings
from ...store.clock import SECOND_US
from ..git import git_files
from ..git.checked_out import is_same
from ..git.moments import Snapshot
from ..git.moves import Move, branch_at, moves
from ..occasions import Image
from ..shown import branch_name, shown_name
from .symbol_edits import By
from .told import as_on_disk
from .trail import Trail

# An edit is on disk before its hook tells of it: what was found in so much time before may have been that edit.
OVERTAKEN_US = 60 * SECOND_US
# Moves that keep what was on disk.
RECORDING = ("commit", "amend")


@dataclass(frozen=True, slots=True)
class _Edit:
    """One image as bytes, with what we know to have been in the file, and what is in it now."""

    path: str
    before: bytes | None
    after: bytes | None
    known: bytes | None
    now: bytes | None


class Telling:
    """
    Takes down what one tool call tells.

    Args:
        between: who made what had changed in these files before.
        at: when the tool had done it, UTC microseconds.
    """

    def __init__(self, trail: Trail, by: By, between: By, *, at: int) -> None:
        self._trail, self._by, self._between, self._at = trail, by, between, at
        self._snapshots = trail.snapshots

    def take_down(self, images: Sequence[Image]) -> int:
        """How many rounds came of it."""
        made = 0
        last = self._trail.last() or self.begin(images)
        for n, image in enumerate(images):
            path = self._within(image.path)
            if path is None:
                continue
            seen = self._trail.take([path], at=self._at)
            if self._snapshots.holds(last, path) is None and self._snapshots.holds(seen, path) is None:
                continue  # ignored, outside, or only named
            edit, on = self._edit(image, path, last), None
            if (seen.head, seen.reflog) != (last.head, last.reflog):
                # Git has been at work meanwhile, and that was no edit.
                if edit.after == edit.now:
                    found = self._without(images[n:])
                    made += self._trail.step(last, found, self._between, at=self._at)
                    last, edit = found, self._edit(image, path, found)
                else:
                    on = self._back_then(last, seen, edit)
            if edit.before == edit.known == edit.after:
                continue
            overtaken = self._overtaken(last, edit)
            if overtaken is None:
                more, last = self._next(last, seen, edit, on)
                made += more
            else:
                made += overtaken
        return made

    def begin(self, images: Sequence[Image]) -> Snapshot:
        """A worktree not looked at yet, as it was before these edits; it is remembered so."""
        last = self._without(images)
        self._trail.keep(last)
        return last

    def _without(self, images: Sequence[Image]) -> Snapshot:
        """The worktree as it was before these edits: their files had what the tool found there."""
        seen = self._trail.take(None, at=self._at)
        for image in reversed(images):
            path = self._within(image.path)
            known = None if path is None else self._snapshots.holds(seen, path)
            if path is not None and known is not None:
                before = as_on_disk(image.before, known, self._snapshots.on_disk(path))
                seen = self._snapshots.written(seen, path, before)
        return seen

    def _edit(self, image: Image, path: str, last: Snapshot) -> _Edit:
        known, now = self._snapshots.holds(last, path), self._snapshots.on_disk(path)
        before, after = as_on_disk(image.before, known, now), as_on_disk(image.after, now, known)
        return _Edit(path, before, after, known, now)

    def _next(
        self, last: Snapshot, seen: Snapshot, edit: _Edit, on: tuple[str | None, str | None] | None
    ) -> tuple[int, Snapshot]:
        """An edit that goes on from what was seen last: the number of rounds, and how it left the worktree."""
        made = 0
        if edit.before != edit.known:
            found = self._snapshots.written(last, edit.path, edit.before)
            made += self._trail.step(last, found, self._between, at=self._at)
            last = found
        if edit.after == edit.now:
            left = self._snapshots.with_file_of(last, seen, edit.path)
        else:
            left = self._snapshots.written(last, edit.path, edit.after)
        return made + self._trail.step(last, left, self._by, at=self._at, on=on), left

    def _overtaken(self, last: Snapshot, edit: _Edit) -> int | None:
        """
        The rounds of an edit that lies behind already: a look, or the hook of a later edit, came before its own. Where
        the very same step was only found, it is put down to this edit. None where the edit goes on from what was seen
        last.
        """
        if edit.before != edit.known and edit.after == edit.now and edit.known != edit.after:
            return None
        trail, path = self._trail, shown_name(edit.path, settings.salt_of(self._trail.db))
        steps = trail.db.read(claims.lately, trail.root, path, since=self._at - OVERTAKEN_US)
        was, left = self._snapshots.ids(edit.before), self._snapshots.ids(edit.after)
        for step in steps:
            later = step.at >= self._at or edit.before != edit.known
            if later and step.before in was and step.after in left:
                if not step.told:
                    trail.db.write(
                        claims.claim, step, path, turn=self._by.turn, event=self._by.event, now=trail.now()
                    )
                return 0
        passed = {id_ for step in steps for id_ in (step.before, step.after)}
        if edit.before == edit.known or (passed.isdisjoint(was) and not self._was_met_late(last, edit)):
            return None
        before = self._snapshots.written(last, edit.path, edit.before)
        after = self._snapshots.written(before, edit.path, edit.after)
        return trail.aside(last, before, after, self._by, at=self._at)

    def _was_met_late(self, last: Snapshot, edit: _Edit) -> bool:
        """Whether the worktree was looked at for the first time when the edit had been made already."""
        if self._at < last.at:
            return True  # it waited in a spool meanwhile, and there may have been others after it
        if edit.known != edit.after or edit.after != edit.now:
            return False
        try:
            changed_ns = Path(self._trail.root, edit.path).lstat().st_ctime_ns
        except OSError:
            return False
        return changed_ns < last.at * 1_000

    def _back_then(self, last: Snapshot, seen: Snapshot, edit: _Edit) -> tuple[str | None, str | None]:
        """The branch and the commit that a text was left on which git has moved on from since."""
        found = moves(git_files.look(self._trail.root), last)
        # Before the commit that holds it; else to the second, as git's log tells the time.
        by_time = sum(move.at + SECOND_US <= self._at for move in found)
        n = next((n for n, move in enumerate(found) if self._holds(move, edit)), by_time)
        branch = branch_at(found, n, seen.branch)
        return branch_name(branch, settings.salt_of(self._trail.db)), found[n - 1].new if n else last.head

    def _holds(self, move: Move, edit: _Edit) -> bool:
        """Whether the move made a commit of what the edit left."""
        if move.kind not in RECORDING or move.new is None or edit.after is None:
            return False
        blob = self._snapshots.committed(move.new, edit.path)
        return blob is not None and is_same(blob, edit.after)

    def _within(self, path: str) -> str | None:
        try:
            found = Path(path).resolve().relative_to(self._trail.root).as_posix()
        except (ValueError, OSError):
            return None
        return None if found == "." or found.startswith(".git/") else found
