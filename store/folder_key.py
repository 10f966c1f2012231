"""The key a folder's workspace is filed under on this machine, read from git's own files by hooks."""

# pathlib takes 24 ms to import, which a hook does not have.
# ruff: noqa: PTH110, PTH112, PTH113, PTH118, PTH120, PTH121, PTH123

from __future__ import annotations

import os


def key(folder: str) -> str:
    """As pipelines/identity.py has it: the repository's common folder, else the folder itself."""
    folder = os.path.realpath(folder)
    at = folder
    while True:
        git = _git_folder(at)
        if git:
            shared = _read(os.path.join(git, "commondir")).strip()
            common = os.path.join(git, shared) if shared else git
            return f"common_dir:{_folded(os.path.realpath(common))}"
        if os.path.dirname(at) == at:
            return f"folder:{_folded(folder)}"
        at = os.path.dirname(at)


def _git_folder(folder: str) -> str | None:
    """The folder of git's own files, where a worktree begins in `folder` or a bare repository lies there."""
    git = os.path.join(folder, ".git")
    if not os.path.isdir(git):
        pointer = _read(git)
        if not pointer.startswith("gitdir:"):
            bare = all(
                os.path.exists(os.path.join(folder, name)) for name in ("HEAD", "objects", "refs", "config")
            )
            return folder if bare else None
        git = os.path.join(folder, pointer.removeprefix("gitdir:").strip())
    return git if os.path.isfile(os.path.join(git, "HEAD")) else None


def _folded(path: str) -> str:
    """The path, in small letters where the file system takes no note of them."""
    swapped = path.swapcase()
    try:
        same = swapped != path and os.path.samefile(path, swapped)
    except OSError:
        same = False
    return path.casefold() if same else path


def _read(path: str) -> str:
    try:
        with open(path, "rb") as file:
            return file.read(1 << 16).decode("utf-8", "surrogateescape")
    except OSError:
        return ""
