"""What a folder is to git, read from git's own files: no process, nothing written."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import unquote, urlsplit

# More than any of these small files holds.
LIMIT_BYTES = 1 << 20
HEX = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
SECTION = re.compile(r'\[\s*remote\s+"((?:[^"\\]|\\.)*)"\s*\]', re.IGNORECASE)
SCP = re.compile(r"(?:[^@/\s]+@)?(?P<host>\[[^\]]+\]|[^:/\s]{2,}):(?P<path>(?!//).+)")
DEFAULT_PORTS = {"ssh": 22, "http": 80, "https": 443, "git": 9418}


@dataclass(frozen=True, slots=True)
class Where:
    """
    A folder: `root` is the top of its worktree (the folder itself without git), `common_dir` what all worktrees of
    the repository share. `branch` is None on a detached HEAD, `head` None before the first commit.
    """

    folder: str
    root: str
    git_dir: str | None = None
    common_dir: str | None = None
    branch: str | None = None
    head: str | None = None
    remotes: Mapping[str, str] = field(default_factory=dict)
    shallow: bool = False


def look(folder: str) -> Where:
    """What the folder is; one that is gone is where it was."""
    folder = os.path.realpath(folder)
    at = folder
    while True:
        git_dir = _git_dir(at)
        if git_dir:
            return _repository(folder, at, git_dir)
        parent = os.path.dirname(at)
        if parent == at:
            return Where(folder, folder)
        at = parent


def _git_dir(folder: str) -> str | None:
    entry = os.path.join(folder, ".git")
    if os.path.isdir(entry):
        return entry if os.path.isfile(os.path.join(entry, "HEAD")) else None
    pointer = _read(entry)
    if pointer.startswith("gitdir:"):
        target = os.path.realpath(os.path.join(folder, pointer.removeprefix("gitdir:").strip()))
        return target if os.path.isfile(os.path.join(target, "HEAD")) else None
    bare = all(os.path.exists(os.path.join(folder, name)) for name in ("HEAD", "objects", "refs", "config"))
    return folder if bare else None


def _repository(folder: str, root: str, git_dir: str) -> Where:
    shared = _read(os.path.join(git_dir, "commondir")).strip()
    common_dir = os.path.realpath(os.path.join(git_dir, shared)) if shared else os.path.realpath(git_dir)
    branch, head = _head(git_dir, common_dir)
    shallow = os.path.exists(os.path.join(common_dir, "shallow"))
    remotes = _remotes(_read(os.path.join(common_dir, "config")))
    return Where(folder, root, git_dir, common_dir, branch, head, remotes, shallow)


def _head(git_dir: str, common_dir: str) -> tuple[str | None, str | None]:
    content = _read(os.path.join(git_dir, "HEAD")).strip()
    if content.startswith("ref:"):
        ref = content.removeprefix("ref:").strip()
        branch = ref.removeprefix("refs/heads/")
        # A repository with reftables has this instead of a name.
        return (None if branch == ".invalid" else branch), _resolve(ref, git_dir, common_dir)
    head = content if HEX.fullmatch(content) else None
    for state in ("rebase-merge", "rebase-apply"):
        name = _read(os.path.join(git_dir, state, "head-name")).strip()
        if name.startswith("refs/heads/"):
            return name.removeprefix("refs/heads/"), head
    return None, head


def _resolve(ref: str, git_dir: str, common_dir: str) -> str | None:
    for folder in (git_dir, common_dir):
        loose = _read(os.path.join(folder, *ref.split("/"))).strip()
        if HEX.fullmatch(loose):
            return loose
    for line in _read(os.path.join(common_dir, "packed-refs")).splitlines():
        sha, _, name = line.partition(" ")
        if name == ref and HEX.fullmatch(sha):
            return sha
    return None


def _remotes(config: str) -> dict[str, str]:
    found: dict[str, str] = {}
    remote: str | None = None
    for raw in config.splitlines():
        line = raw.strip()
        if line.startswith("["):
            section = SECTION.match(line)
            remote = section[1].replace("\\", "") if section else None
            line = line[section.end() :].strip() if section else ""
        key, equals, value = line.partition("=")
        if remote is not None and equals and key.strip().lower() == "url":
            found.setdefault(remote, value.strip().strip('"'))
    return found


def normalised(url: str) -> str | None:
    """The remote as host and path, the same however it is reached; None for a path on this machine."""
    url = url.strip()
    if local_path(url) is not None:
        return None
    scp = None if "://" in url else SCP.fullmatch(url)
    if scp:
        host, path = scp["host"].strip("[]"), scp["path"]
    else:
        try:
            parts = urlsplit(url)
            host, path, port = parts.hostname or "", unquote(parts.path), parts.port
        except ValueError:
            return None
        if port and port != DEFAULT_PORTS.get(parts.scheme.lower().removeprefix("git+")):
            host = f"{host}:{port}"
    path = re.sub(r"/{2,}", "/", path).strip("/").removeprefix("~/")
    path = path.removesuffix(".git").rstrip("/")
    return f"{host.lower()}/{path}" if host and path else None


def local_path(url: str) -> str | None:
    """The path of a remote on this machine; None for any other."""
    if url.startswith("file://"):
        return unquote(urlsplit(url).path) or None
    if "://" in url:
        return None
    if os.path.isabs(url) or url.startswith(("./", "../", "~/")) or re.match(r"[A-Za-z]:[\\/]", url):
        return url
    return None if SCP.fullmatch(url) else url


def _read(path: str) -> str:
    try:
        with open(path, "rb") as file:
            return file.read(LIMIT_BYTES).decode("utf-8", "surrogateescape")
    except OSError:
        return ""
