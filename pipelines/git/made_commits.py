"""The commits that were made since a snapshot."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from .git_files import Where
from .moves import Move
from .worktree import run

MAKING = {"commit", "amend", "rebase", "merge", "cherry-pick", "revert", "pull", "am", "unknown"}
# HEAD only went to a commit that was there already.
ONLY_MOVED = re.compile(r"fast-forward|\((?:start|finish|abort)\)|returning to", re.IGNORECASE)


def committed(where: Where, moves: Sequence[Move]) -> list[str]:
    """
    The ids of the commits that these moves made and that are still there, in order, those of a rebase one by one. Not
    those that were fetched and moved to.

    Raises:
        GitFailed: git could not read them.
    """
    made = [move for move in moves if move.kind in MAKING and not ONLY_MOVED.search(_what(move))]
    olds = {move.new: move.old for move in made if move.new and move.kind == "unknown"}
    parents = _first_parents(where, dict.fromkeys(move.new for move in made if move.new))
    # Of what no log tells, only what goes on from where HEAD was.
    return [one for one, parent in parents.items() if one not in olds or olds[one] == parent]


def _what(move: Move) -> str:
    """The log's message without the subject, which is the user's."""
    return (
        move.message if move.kind in ("merge", "pull") else move.message.partition(": ")[0] + _forward(move)
    )


def _forward(move: Move) -> str:
    return " fast-forward" if move.message == "cherry-pick: fast-forward" else ""


def _first_parents(where: Where, names: Iterable[str]) -> dict[str, str | None]:
    """Each commit with its first parent, None for one without; those that are gone are left out."""
    wanted = "".join(f"{name}\n" for name in names)
    if not wanted:
        return {}
    listing = ["rev-list", "--no-walk=unsorted", "--parents", "--ignore-missing", "--stdin"]
    lines = [line.split() for line in run(where, listing, stdin=wanted.encode()).decode().splitlines()]
    return {one: parents[0] if parents else None for one, *parents in lines}
