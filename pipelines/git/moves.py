"""What git did to a worktree since a snapshot: read from HEAD and its log, without a process."""

# ruff: noqa: PTH112, PTH116, PTH118, PTH123  os.path: bytes that are no text stay what they are, for a third of pathlib's cost

from __future__ import annotations

import itertools
import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from ...store.clock import SECOND_US
from ...store.folder_key import read
from .git_files import HEX, Where
from .moments import Snapshot

Kind = Literal[
    "checkout", "commit", "amend", "rebase", "reset", "merge", "cherry-pick", "revert", "pull", "am", "clone",
    "stash", "unknown",
]  # fmt: skip
# Those that write files; the others record what was on disk already, or put it away.
WRITING: frozenset[Kind] = frozenset(
    ("checkout", "rebase", "reset", "merge", "cherry-pick", "revert", "pull", "am", "clone", "unknown")
)
LINE = re.compile(rb"([0-9a-f]{40,64}) ([0-9a-f]{40,64}) (?:[^\t]*> )?(\d+) [+-]\d{4}(?:\t(.*))?", re.DOTALL)
# How the log's message begins, as git writes it, and what it tells; else its first word is the kind.
MESSAGES: tuple[tuple[str, Kind], ...] = (
    ("commit (amend)", "amend"),
    ("commit (merge)", "merge"),
    ("commit (cherry-pick)", "cherry-pick"),
    ("initial pull", "pull"),
)
WORDS: dict[str, Kind] = {kind: kind for kind in (*WRITING - {"unknown"}, "commit")}
MOVING = re.compile(r"checkout: moving from (\S+) to ")
# The branch got another name: HEAD goes to nothing and back.
RENAMED = "Branch: renamed"
# More of a log than this since the last snapshot is not read: HEAD alone is compared.
LOG_BYTES = 4 << 20
UNDER_WAY = (
    ("merge", "MERGE_HEAD"),
    ("cherry-pick", "CHERRY_PICK_HEAD"),
    ("revert", "REVERT_HEAD"),
    ("rebase", "REBASE_HEAD"),
)


@dataclass(frozen=True, slots=True)
class Move:
    """
    One thing that git did. `old` and `new` are commits, None for none: HEAD's, or the stash's, before and after.
    They are the same where HEAD stayed, as with `git reset --hard`.
    """

    kind: Kind
    old: str | None
    new: str | None
    message: str
    at: int

    @property
    def writes(self) -> bool:
        """Whether HEAD went elsewhere and the files with it."""
        return self.kind in WRITING and self.old != self.new


def position(where: Where) -> tuple[int, int]:
    """How long the logs of HEAD and of the stash are; -1 where there is none."""
    return _size(_head_log(where)), _size(_stash_log(where))


def under_way(where: Where) -> str | None:
    """What git has begun and not finished, and with which commit: "merge:<id>"."""
    for kind, name in UNDER_WAY:
        head = read(os.path.join(where.git_dir or "", name)).split()
        if head and HEX.fullmatch(head[0]) and (kind != "rebase" or _is_rebasing(where)):
            return f"{kind}:{head[0]}"
    return None


def _is_rebasing(where: Where) -> bool:
    """Whether a rebase is under way: git leaves the name of the commit that it stopped at after one that it skipped."""
    folders = (os.path.join(where.git_dir or "", name) for name in ("rebase-merge", "rebase-apply"))
    return any(os.path.isdir(folder) for folder in folders)


def lock(where: Where) -> tuple[int, int] | None:
    """
    What tells the lock that git holds on the user's index from any other: while it is there git seems to be writing
    files, and it is better to wait a little. A lock may be left over.
    """
    try:
        status = os.lstat(os.path.join(where.git_dir or "", "index.lock"))
    except OSError:
        return None
    return status.st_mtime_ns, status.st_ino


def moves(where: Where, since: Snapshot) -> list[Move]:
    """
    What happened since the snapshot, in order; `where` is the worktree as it is now.

    Where the log of HEAD does not lead from there to here (it is off, was cut or written anew), it is one move of
    the kind "unknown", or none where HEAD is the same.
    """
    found = _since(_head_log(where), since.reflog[0], since.head) or []
    if any(two.old != one.new for one, two in itertools.pairwise(found)):
        found = []
    while found and found[-1].new != where.head and any(move.new == where.head for move in found):
        found.pop()  # came after HEAD was read
    reached = found[-1].new if found else since.head
    if reached != where.head:
        at = found[-1].at if found else since.at
        found = [*found, Move("unknown", reached, where.head, "", at)]
    return found + _stashed(where, since)


def branch_at(found: Sequence[Move], n: int, now: str | None) -> str | None:
    """The branch that HEAD was on before the move `n` of those, `now` being the one that it is on after the last."""
    left = (MOVING.match(move.message) for move in found[n:])
    name = next((one[1] for one in left if one), now)
    return None if name is None or HEX.fullmatch(name) else name


def _stashed(where: Where, since: Snapshot) -> list[Move]:
    size = _size(_stash_log(where))
    pushed = _since(_stash_log(where), since.reflog[1], None)
    if pushed:
        return [Move("stash", move.old, move.new, move.message, move.at) for move in pushed]
    if size == since.reflog[1]:
        return []
    # Popped or dropped: git cuts the log, or writes it anew.
    return [Move("stash", None, None, "", since.at)]


def _since(path: str, start: int, head: str | None) -> list[Move] | None:
    """The moves that a log tells from that position on; None where it is no longer the same log."""
    size = _size(path)
    if size < max(start, 0) or size - max(start, 0) > LOG_BYTES:
        return None
    if size == start or size < 0:
        return []
    try:
        with open(path, "rb") as file:
            file.seek(max(start - 1, 0))
            # With the end of the line before, so that it is seen when this is not where a line begins.
            content = file.read(LOG_BYTES + 1)
    except OSError:
        return None
    if start > 0:
        if not content.startswith(b"\n"):
            return None
        content = content[1:]
    # What follows the last line feed is being written.
    found = [LINE.fullmatch(line) for line in content.split(b"\n")[:-1]]
    if not all(found):
        return None
    told = [move for move in (_move(line) for line in found if line) if not move.message.startswith(RENAMED)]
    return None if told and head is not None and told[0].old != head else told


def _move(line: re.Match[bytes]) -> Move:
    old, new, at, message = line.groups()
    text = (message or b"").decode("utf-8", "surrogateescape")
    word = WORDS.get(re.split("[ :(]", text, maxsplit=1)[0], "unknown")
    kind = next((kind for begins, kind in MESSAGES if text.startswith(begins)), word)
    return Move(kind, _commit(old), _commit(new), text, int(at) * SECOND_US)


def _commit(name: bytes) -> str | None:
    return name.decode() if name.strip(b"0") else None


def _head_log(where: Where) -> str:
    return os.path.join(where.git_dir or "", "logs", "HEAD")


def _stash_log(where: Where) -> str:
    return os.path.join(where.common_dir or "", "logs", "refs", "stash")


def _size(path: str) -> int:
    try:
        return os.stat(path).st_size
    except OSError:
        return -1


def net(found: Sequence[Move]) -> list[tuple[str | None, str | None, set[str]]]:
    """
    From which commit to which git wrote files, and by what kinds of moves: those that follow one another are one;
    commits stand between.
    """
    runs: list[tuple[str | None, str | None, set[str]]] = []
    joined = False
    for move in found:
        if move.writes and joined:
            old, _, kinds = runs[-1]
            runs[-1] = (old, move.new, kinds | {move.kind})
        elif move.writes:
            runs.append((move.old, move.new, {move.kind}))
        joined = move.writes or (joined and move.old == move.new)
    return [run for run in runs if run[0] != run[1]]
