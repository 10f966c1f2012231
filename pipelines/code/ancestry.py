"""Which commits are in the history of which: asked of git once for each HEAD, where nobody waits."""

from __future__ import annotations

from collections.abc import Sequence

from ...store import rounds
from ...store.db import Database
from ..git.git_files import Where
from ..git.worktree import run


def fill(db: Database, where: Where, workspaces: Sequence[int]) -> int:
    """How many commits that code history knows were looked up in the history of HEAD; its answers never change."""
    if where.head is None:
        return 0
    asked = db.read(rounds.commits_known, workspaces, where.head)
    if asked:
        db.write(rounds.note_reachable, where.head, reachable(where, asked))
    return len(asked)


def reachable(where: Where, commits: Sequence[str]) -> dict[str, bool]:
    """
    Whether each commit is in the history of HEAD; one that the repository no longer has is not.

    Raises:
        GitFailed: git cannot read the repository.
    """
    lines = "".join(f"{commit}\n" for commit in commits).encode()
    kinds = run(where, ["cat-file", "--batch-check=%(objecttype)"], stdin=lines).decode().split("\n")
    here = [commit for commit, kind in zip(commits, kinds, strict=False) if kind == "commit"]
    # What they reach and HEAD does not: a commit that is in HEAD's history is not among it.
    asked = "".join(f"{commit}\n" for commit in [*here, f"^{where.head}"]).encode()
    outside = set(run(where, ["rev-list", "--stdin"], stdin=asked).decode().split())
    return {commit: commit in here and commit not in outside for commit in commits}
