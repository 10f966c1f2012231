"""Where a reader of code history stands: the branch, the commit and the files of its worktree."""

# Hooks carry a copy: standard library only.
# pathlib takes 24 ms to import, which a hook does not have.
# ruff: noqa: PTH118, PTH123

from __future__ import annotations

import os
from functools import cache, partial
from typing import TYPE_CHECKING

from ..git import git_files
from ..shown import branch_name, shown_name
from .history import Here

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..git.git_files import Where

# As `edits.FILE_BYTES`: of a longer file there is no version.
FILE_BYTES = 1_000_000


def at(
    where: Where | None, key: bytes, body_in: Callable[[str, str, bytes], bytes | None] | None = None
) -> Here:
    """The place of a reader in that folder; None: in no worktree. `key` marks names; for `body_in` see `Here`."""
    if where is None:
        return Here(body_in=body_in)
    living = git_files.branches(where) if where.is_git else None
    named = None if living is None else {shown_name(branch, key): branch for branch in living}

    def tip(branch: str) -> str | None:
        return git_files.tip(where, named[branch]) if named and branch in named else None

    # Each file and branch once, however many threads there are of it.
    return Here(
        branch_name(where.branch, key), where.head, None if named is None else frozenset(named),
        cache(partial(read, where.root)), body_in, cache(tip), where.root,
    )  # fmt: skip


def read(root: str, path: str) -> bytes | None:
    """The first bytes of a file below `root`; None where there is none."""
    try:
        with open(os.path.join(root, path), "rb") as file:
            return file.read(FILE_BYTES)
    except (OSError, ValueError):
        return None
