"""The key a folder's workspace is filed under on this machine, read from git's own files."""

# Hooks run this: pathlib takes 24 ms to import, which they do not have.

from __future__ import annotations

import os

# More than any of git's small files holds.
LIMIT_BYTES = 1 << 20


def key(folder: str) -> str:
    """The repository's common folder, which its worktrees share, else the folder itself."""
    folder = real(folder)
    found = repository(folder)
    if found:
        return f"common_dir:{folded(found[2])}"
    return f"folder:{folded(folder)}"


def real(folder: str) -> str:
    """The folder without links; one that is gone is where it was."""
    return os.path.realpath(folder.partition("\0")[0])


def repository(folder: str) -> tuple[str, str | None, str] | None:
    """
    For a real path in a repository: the top of its worktree, the folder of git's own files for that worktree, and
    what all worktrees of the repository share.

    Where the repository of a linked worktree is gone, the second is None and the third is where it was.
    """
    while True:
        found = repository_at(folder)
        parent = os.path.dirname(folder)
        if found or parent == folder:
            return found
        folder = parent


def repository_at(folder: str) -> tuple[str, str | None, str] | None:
    """As `repository`, where a worktree begins in exactly that folder, or a bare repository lies there."""
    git = os.path.join(folder, ".git")
    if not os.path.isdir(git):
        pointer = read(git)
        if not pointer.startswith("gitdir:"):
            names = ("HEAD", "objects", "refs", "config")
            bare = all(os.path.lexists(os.path.join(folder, name)) for name in names)
            return (folder, folder, folder) if bare else None
        git = os.path.realpath(os.path.join(folder, pointer.removeprefix("gitdir:").strip()))
        if not os.path.isdir(git):
            shared, worktrees, _ = git.rpartition(f"{os.sep}worktrees{os.sep}")
            return folder, None, shared if worktrees else git
    if not os.path.lexists(os.path.join(git, "HEAD")):
        return None
    shared = read(os.path.join(git, "commondir")).strip()
    return folder, git, os.path.realpath(os.path.join(git, shared) if shared else git)


def folded(path: str) -> str:
    """The path, in small letters where the file system takes no note of them."""
    swapped = path.swapcase()
    try:
        same = swapped != path and os.path.samefile(path, swapped)
    except (OSError, ValueError):
        same = False
    return path.casefold() if same else path


def read(path: str) -> str:
    """The text of a small file; "" where there is none."""
    return read_bytes(path, LIMIT_BYTES).decode("utf-8", "surrogateescape")


def read_bytes(path: str, limit: int) -> bytes:
    """The first bytes of a file; none where there is no such file."""
    try:
        with open(path, "rb") as file:
            return file.read(limit)
    except (OSError, ValueError):
        return b""
