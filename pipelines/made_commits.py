"""The commits that were made since a snapshot."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from ..store.clock import SECOND_US
from .git_files import Where
from .moves import Move
from .records import RAW, pairs
from .worktree import run, without_index

MAKING = {"commit", "amend", "rebase", "merge", "cherry-pick", "revert", "pull", "am", "unknown"}
# HEAD only went to a commit that was there already.
ONLY_MOVED = re.compile(r"fast-forward|\((?:start|finish|abort)\)|returning to", re.IGNORECASE)
PERSON = re.compile(rb"author .*> (\d+) [+-]\d{4}")


@dataclass(frozen=True, slots=True)
class Commit:
    """A commit; `files` has for each path that it changes, against its first parent, the blob, None for removed."""

    id: str
    parents: tuple[str, ...]
    author_at: int
    subject: str
    files: Mapping[str, str | None]


def committed(where: Where, moves: Sequence[Move]) -> list[Commit]:
    """
    The commits that these moves made, in order, those of a rebase one by one. Not those that were fetched and moved
    to.

    Raises:
        GitFailed: git could not read them.
    """
    made = [move for move in moves if move.kind in MAKING and not ONLY_MOVED.search(_what(move))]
    olds = {move.new: move.old for move in made if move.new and move.kind == "unknown"}
    found = _read(where, dict.fromkeys(move.new for move in made if move.new))
    # Of what no log tells, only what goes on from where HEAD was.
    own = [one for one in found if one.id not in olds or olds[one.id] in (one.parents[:1] or (None,))]
    files = _files(where, own)
    return [Commit(one.id, one.parents, one.author_at, one.subject, files.get(one.id, {})) for one in own]


def _what(move: Move) -> str:
    """The log's message without the subject, which is the user's."""
    return (
        move.message if move.kind in ("merge", "pull") else move.message.partition(": ")[0] + _forward(move)
    )


def _forward(move: Move) -> str:
    return " fast-forward" if move.message == "cherry-pick: fast-forward" else ""


def _read(where: Where, names: Iterable[str]) -> list[Commit]:
    """The commits, without their files; those that are gone are left out."""
    wanted = [name.encode() for name in names]
    if not wanted:
        return []
    out = run(where, ["cat-file", "--batch"], stdin=b"\n".join(wanted) + b"\n")
    found = []
    while out:
        head, _, out = out.partition(b"\n")
        name, _, rest = head.partition(b" ")
        kind, _, size = rest.partition(b" ")
        if kind == b"missing":
            continue
        content, out = out[: int(size)], out[int(size) + 1 :]
        if kind == b"commit":
            found.append(_commit(name.decode(), content))
    return found


def _commit(name: str, content: bytes) -> Commit:
    head, _, message = content.partition(b"\n\n")
    lines = head.split(b"\n")
    parents = tuple(line[7:].decode() for line in lines if line.startswith(b"parent "))
    author = next((found for line in lines if (found := PERSON.fullmatch(line))), None)
    encoding = next(
        (line[9:].decode("ascii", "replace") for line in lines if line.startswith(b"encoding ")), "utf-8"
    )
    subject = b" ".join(message.lstrip(b"\n").partition(b"\n\n")[0].split(b"\n")).strip()
    try:
        text = subject.decode(encoding, "replace")
    except LookupError:
        text = subject.decode("utf-8", "replace")
    return Commit(name, parents, int(author[1]) * SECOND_US if author else 0, text, {})


def _asked(commits: Iterable[Commit]) -> bytes:
    """Each against its first parent; what has none, against nothing."""
    return b"".join(" ".join((one.id, *one.parents[:1])).encode() + b"\n" for one in commits)


def _files(where: Where, commits: Sequence[Commit]) -> dict[str, dict[str, str | None]]:
    if not commits:
        return {}
    out = run(
        where,
        ["diff-tree", "--stdin", "--root", "--no-renames", *RAW],
        env=without_index(where),
        stdin=_asked(commits),
    )
    parts = _parts(out, commits, b"\0")
    return {
        name: {pair.path: pair.after.id if pair.after else None for pair in pairs(part)}
        for name, part in parts.items()
    }


def _parts(out: bytes, commits: Iterable[Commit], end: bytes) -> dict[str, bytes]:
    """What follows each commit's id, which stands alone between two ends."""
    names = b"|".join(re.escape(one.id.encode()) for one in commits)
    pieces = re.split(b"(?:\\A|(?<=" + re.escape(end) + b"))(" + names + b")" + re.escape(end), out)
    return {name.decode(): part for name, part in zip(pieces[1::2], pieces[2::2], strict=True)}
