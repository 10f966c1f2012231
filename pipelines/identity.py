"""Which workspace a folder belongs to: its clones, worktrees, sub-folders and links are one."""

from __future__ import annotations

import logging
import os
from dataclasses import replace

import apsw

from ..store import workspaces
from ..store.db import Database
from ..store.models import Located, Scope
from ..store.workspaces import Key
from .git_files import Where, local_path, look, normalised

log = logging.getLogger(__name__)

# For finding the first commit of a long history; it is done once, in the background.
GIT_S = 20.0
# Nothing asks, nothing is locked, nothing of the user's configuration for hooks or pagers runs.
QUIET = {"GIT_OPTIONAL_LOCKS": "0", "GIT_TERMINAL_PROMPT": "0", "GIT_PAGER": "cat", "LC_ALL": "C"}


def locate(db: Database, folder: str, scope: Scope, *, now: int, within_s: float = 10.0) -> Located:
    """
    Where a folder is. A repository not seen before is made known by its common dir at once; what takes a process of
    git (`settle`) is left for later.

    Raises:
        StoreBusy: the workspace is new and the file stayed locked for `within_s`.
    """
    where = look(folder)
    keys = here(where)
    workspace = db.read(workspaces.find, keys)
    if workspace is None and not db.readonly:
        workspace = db.write_within(within_s, workspaces.register, keys, name_of(where), now=now)
    branch = where.branch
    return Located(replace(scope, workspace=workspace, branch=branch), where.root, where.head)


def here(where: Where) -> list[Key]:
    """The key that this machine knows the folder by: its repository's common dir, else the folder."""
    if where.common_dir:
        return [("common_dir", f"common_dir:{folded(where.common_dir)}")]
    return [("folder", f"folder:{folded(where.folder)}")]


def name_of(where: Where) -> str:
    """What people call it: the last part of its remote, else of its folder."""
    remote = _remote(where)
    return os.path.basename(remote or where.root) or where.root


def folded(path: str) -> str:
    """The path, in small letters where the file system takes no note of them."""
    swapped = path.swapcase()
    try:
        same = swapped != path and os.path.samefile(path, swapped)
    except OSError:
        same = False
    return path.casefold() if same else path


def settle(db: Database, folder: str, *, now: int) -> int | None:
    """
    The folder's workspace after its remote and its first commit have been looked up and met with those of others.

    Starts git once; call it where nobody waits.
    """
    where = look(folder)
    if where.common_dir is None:
        return db.read(workspaces.find, here(where))
    remote = _remote(where)
    root = root_commit(where) if remote and not where.shallow else None
    origin = _local_origin(where)
    return db.write(_settle, where, remote, root, origin, now=now)


def _settle(
    con: apsw.Connection,
    where: Where,
    remote: str | None,
    root: str | None,
    origin: Where | None,
    *,
    now: int,
) -> int:
    own = workspaces.register(con, here(where), name_of(where), now=now)
    if origin is not None:
        theirs = workspaces.register(con, here(origin), name_of(origin), now=now)
        return workspaces.unite(con, own, theirs)
    if remote is None:
        return own
    if root is not None:
        key: Key = ("remote", f"remote:{remote}#{root}")
        known = workspaces.find(con, [key, ("remote", f"remote:{remote}")])
        workspaces.learn(con, own, [key], now=now)
        return own if known is None else workspaces.unite(con, known, own)
    if where.shallow:
        known_ones = workspaces.with_remote(con, remote)
        if len(known_ones) == 1:
            return workspaces.unite(con, known_ones[0], own)
        if not known_ones:
            workspaces.learn(con, own, [("remote", f"remote:{remote}")], now=now)
    return own


def root_commit(where: Where) -> str | None:
    """The first commit of HEAD's first parents; None before there is one, in a shallow clone, or without git."""
    if where.shallow or where.head is None:
        return None
    import git

    command = [
        "git",
        "-c",
        f"safe.directory={where.root}",
        "rev-list",
        "--max-parents=0",
        "--first-parent",
        "HEAD",
    ]
    try:
        done = git.Git(where.root).execute(
            command, env=QUIET, kill_after_timeout=GIT_S, with_extended_output=False
        )
    except (git.exc.GitCommandError, git.exc.GitCommandNotFound, OSError) as e:
        log.info("the first commit of %s was not found: %s", where.root, type(e).__name__)
        return None
    lines = str(done).split()
    return lines[-1] if lines else None


def _remote(where: Where) -> str | None:
    url = _url(where)
    return normalised(url) if url else None


def _url(where: Where) -> str | None:
    return where.remotes.get("origin") or next(iter(where.remotes.values()), None)


def _local_origin(where: Where) -> Where | None:
    """The repository on this machine that this one was cloned from."""
    url = _url(where)
    path = local_path(url) if url else None
    if path is None:
        return None
    origin = look(os.path.join(where.root, os.path.expanduser(path)))
    return origin if origin.common_dir and origin.common_dir != where.common_dir else None
