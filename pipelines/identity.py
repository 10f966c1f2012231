"""Which workspace a folder belongs to: its clones, worktrees, sub-folders and links are one."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator
from dataclasses import dataclass, replace

import apsw

from ..store import settings, workspaces
from ..store.db import Database
from ..store.folder_key import folded
from ..store.models import Located, Scope
from ..store.workspaces import Key
from .git.git_files import Where, local_path, look, look_at, normalised
from .shown import branch_name

log = logging.getLogger(__name__)

# For finding the first commit of a long history; it is done once, in the background.
GIT_S = 20.0
# Nothing asks, nothing is locked, nothing is fetched, nothing of the user's configuration for pagers runs.
QUIET = {
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_ALLOW_PROTOCOL": "none",
    "GIT_PAGER": "cat",
    "LC_ALL": "C",
}
# A clone of a clone of a clone on this machine is followed so far.
CLONES = 4


@dataclass(frozen=True, slots=True)
class Facts:
    """What takes a process of git: the remote as git resolves it, the first commit, the clone's origin here."""

    where: Where
    remote: str | None
    root: str | None
    origin: Facts | None


def locate(db: Database, folder: str, scope: Scope, *, now: int, within_s: float = 10.0) -> Located:
    """
    Where a folder is; the branch by the name under which it is kept. A repository not seen before is made known by its
    common dir at once; what takes a process of git (`settle`) is left for later, see `unsettled`.

    Raises:
        StoreBusy: the workspace, or the whole file, is new and the file stayed locked for `within_s`.
    """
    where = look(folder)
    workspace = db.read(workspaces.find, [*here(where), *_once_here(where)])
    if workspace is None and not db.readonly:
        workspace = db.write_within(within_s, _register, where, now=now)
    key = db.read(settings.salt_made) if db.readonly else settings.salt_of(db, within_s=within_s)
    branch = branch_name(where.branch, key)
    return Located(replace(scope, workspace=workspace, branch=branch), where.root, where.head)


def known(db: Database, folder: str) -> int | None:
    """The folder's workspace, where it has been seen before; nothing is written."""
    where = look(folder)
    return db.read(workspaces.find, [*here(where), *_once_here(where)])


def _register(con: apsw.Connection, where: Where, *, now: int) -> int:
    workspace = workspaces.register(con, here(where), name_of(where), now=now)
    workspaces.point(con, workspace, _top(where), now=now)
    return workspace


def keys(where: Where, remote: str | None, root: str | None) -> list[Key]:
    """All keys that lead to the folder's workspace, the most telling first."""
    known: list[Key] = [("remote", f"remote:{remote}#{root}")] if remote and root else []
    return [*known, *here(where), *_top(where)]


def here(where: Where) -> list[Key]:
    """The key that this machine knows the folder by: its repository's common dir, else the folder."""
    if where.common_dir:
        return [("common_dir", f"common_dir:{folded(where.common_dir)}")]
    return [("folder", f"folder:{folded(where.folder)}")]


def _top(where: Where) -> list[Key]:
    """What a worktree is found by when it has been removed while a session still speaks of it."""
    return [("folder", f"worktree:{folded(where.root)}")] if where.common_dir else []


def _once_here(where: Where) -> Iterator[Key]:
    """For a folder that is gone: the worktrees it may have been in, the nearest first."""
    at = where.folder
    while not where.common_dir and not os.path.isdir(where.folder):
        yield "folder", f"worktree:{folded(at)}"
        if os.path.dirname(at) == at:
            break
        at = os.path.dirname(at)


def name_of(where: Where) -> str:
    """What people call it: the last part of its remote, else of its folder."""
    url = _url(where)
    remote = normalised(url) if url else None
    return os.path.basename(remote or where.root) or where.root


def unsettled(db: Database, folder: str) -> bool:
    """
    Whether `settle` may find out more about the folder's repository than its workspace is known by.

    A few file reads and statements. True may last (a remote without commits): ask it once a server and folder.
    """
    where = look(folder)
    if where.git_dir is None:
        return False
    workspace = db.read(workspaces.find, here(where))
    if workspace is None:
        return True
    url = _url(where)
    remote = normalised(url) if url else None
    known = db.read(workspaces.remotes, workspace)
    if remote is not None:
        rooted = any(key.startswith(f"remote:{remote}#") for key in known)
        return not rooted and not (where.shallow and f"remote:{remote}" in known)
    origin = _origin(where, url) if url else None
    if origin is None:
        return bool(known)
    theirs = db.read(workspaces.find, here(origin))
    return theirs is None or workspace not in db.read(workspaces.family, theirs)


def settle(db: Database, folder: str, *, now: int) -> int | None:
    """
    The folder's workspace after its remote and its first commit have been looked up and met with those of others.

    Starts git where something is to be found out; call it where nobody waits.
    """
    where = look(folder)
    if not unsettled(db, folder):
        own = db.read(workspaces.find, [*here(where), *_once_here(where)])
        if where.git_dir is not None and db.read(workspaces.find, _top(where)) != own:
            db.write(_register, where, now=now)
        return own
    return db.write(_settle, gather(where), now=now)


def gather(where: Where, *, clones: int = CLONES) -> Facts:
    """What git has to be asked for a repository, and those it was cloned from on this machine."""
    url = _told_url(where) if where.git_dir else None
    remote = normalised(url) if url else None
    origin = _origin(where, url) if url and remote is None and clones else None
    return Facts(where, remote, root_commit(where), gather(origin, clones=clones - 1) if origin else None)


def _settle(con: apsw.Connection, facts: Facts, *, now: int) -> int:
    where, remote, root = facts.where, facts.remote, facts.root
    own = _register(con, where, now=now)
    if where.git_dir and _moved_in(workspaces.remotes(con, own), remote, root):
        own = workspaces.move_in(con, [*here(where), *_top(where)], name_of(where), now=now)
    if facts.origin is not None:
        return workspaces.unite(con, own, _settle(con, facts.origin, now=now))
    if remote is None:
        return own
    if root is not None:
        known = workspaces.find(con, [*keys(where, remote, root)[:1], ("remote", f"remote:{remote}")])
        workspaces.learn(con, own, keys(where, remote, root)[:1], now=now)
        return own if known is None else workspaces.unite(con, own, known)
    if where.shallow:
        known_ones = workspaces.with_remote(con, remote)
        if len(known_ones) == 1:
            return workspaces.unite(con, own, known_ones[0])
        if not known_ones:
            workspaces.learn(con, own, [("remote", f"remote:{remote}")], now=now)
    return own


def _moved_in(known: list[str], remote: str | None, root: str | None) -> bool:
    """Whether a path's repository is another one than its keys tell: neither remote nor first commit agree."""
    if root is None or not known or not all("#" in key for key in known):
        return False
    pairs = [key.removeprefix("remote:").rpartition("#") for key in known]
    return not any(known_remote == remote or known_root == root for known_remote, _, known_root in pairs)


def root_commit(where: Where) -> str | None:
    """The first commit of the default branch's first parents; None before there is one, or in a shallow clone."""
    if where.shallow or where.git_dir is None or where.common_dir is None:
        return None
    # The remote's default branch where it is known: the one checked out may have a beginning of its own.
    default = "refs/remotes/origin/HEAD"
    starts = (default, "HEAD") if os.path.exists(os.path.join(where.common_dir, default)) else ("HEAD",)
    for start in starts:
        lines = (_git(where, "rev-list", "--max-parents=0", "--first-parent", start, "--") or "").split()
        if lines:
            return lines[-1]
    return None


def _told_url(where: Where) -> str | None:
    """The remote's address as git would use it, after what the user's configuration puts in its place."""
    name = "origin" if "origin" in where.remotes else next(iter(where.remotes), None)
    if name is None:
        return None
    return (_git(where, "ls-remote", "--get-url", "--", name) or where.remotes[name]).strip()


def _git(where: Where, *args: str) -> str | None:
    """What git answers, None where it cannot. Given the repository by name it neither seeks one nor minds its owner."""
    try:
        import git

        command = ["git", f"--git-dir={where.git_dir}", "--no-pager", "--no-replace-objects", *args]
        done = git.Git(where.root).execute(
            command, env=QUIET, kill_after_timeout=GIT_S, with_extended_output=False
        )
    except ImportError:  # what GitPython raises where there is no git
        log.info("git was not found")
        return None
    except (git.exc.GitCommandError, git.exc.GitCommandNotFound, OSError, ValueError) as e:
        log.info("git %s failed: %s", args[0], type(e).__name__)
        return None
    return str(done)


def _url(where: Where) -> str | None:
    return where.remotes.get("origin") or next(iter(where.remotes.values()), None)


def _origin(where: Where, url: str) -> Where | None:
    """The repository on this machine that this one was cloned from."""
    path = local_path(url)
    if path is None:
        return None
    origin = look_at(os.path.join(where.root, os.path.expanduser(path)))
    return origin if origin and origin.common_dir != where.common_dir else None
