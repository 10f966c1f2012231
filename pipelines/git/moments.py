"""A moment of a worktree as a value, and what is said instead of too large a change."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field

from .edits import Named

# More files, or bytes of patches, than this between two moments are counted, not taken apart.
MAX_EDITS = 500
MAX_PATCH_BYTES = 2 << 20


@dataclass(frozen=True, slots=True)
class Mark:
    """A file that is only named: why, and a text that is another one when the file has changed (size and time)."""

    kind: Named
    fingerprint: str


@dataclass(frozen=True, slots=True)
class Snapshot:
    """
    A worktree as it was at a moment.

    Args:
        tree: git's id of all files, as they were on disk; readable with the `Snapshots` that took it. Links stand in
            it as their text, submodules and nested repositories as the commit that they are at.
        at: UTC microseconds, as the caller gave them.
        reflog: how long the logs of HEAD and of the stash were: where `moves` reads on. -1 where there was none.
        doing: what was under way with which commit ("merge:<id>", "cherry-pick:<id>" …); None for nothing.
        named: the files that are not in the tree because only their names may be known.
        bulk: more changed since the snapshot before than is taken apart; `count` says how much.
    """

    tree: str
    head: str | None
    branch: str | None
    at: int
    reflog: tuple[int, int] = (-1, -1)
    doing: str | None = None
    named: Mapping[str, Mark] = field(default_factory=dict, hash=False)
    bulk: bool = False
    count: int = 0

    def dumped(self) -> str:
        """The snapshot as JSON in ASCII, for `loaded`."""
        marks = {path: [mark.kind, mark.fingerprint] for path, mark in self.named.items()}
        return json.dumps(
            [
                self.tree,
                self.head,
                self.branch,
                self.at,
                self.reflog,
                self.doing,
                marks,
                self.bulk,
                self.count,
            ]
        )


def loaded(text: str) -> Snapshot:
    """
    The snapshot that was dumped.

    Raises:
        ValueError: it is not one.
    """
    try:
        tree, head, branch, at, reflog, doing, marks, bulk, count = json.loads(text)
        named = {path: Mark(*mark) for path, mark in marks.items()}
        return Snapshot(tree, head, branch, at, (reflog[0], reflog[1]), doing, named, bulk, count)
    except (TypeError, AttributeError, IndexError) as e:
        raise ValueError("That is no snapshot.") from e


@dataclass(frozen=True, slots=True)
class Bulk:
    """So many files changed that they are only counted."""

    count: int
