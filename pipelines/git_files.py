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
COMMENT = re.compile(r"\s[#;].*$")
SCP = re.compile(r"(?:[^@/\s]+@)?(?P<host>\[[^\]]+\]|[^:/\s]{2,}):(?P<path>(?!//).+)")
WORKTREE = re.compile(r"(.+)[/\\]worktrees[/\\][^/\\]+")
# Other doors of the same house, and houses where small and capital letters are one.
SAME_HOST = {
    "ssh.github.com": "github.com",
    "www.github.com": "github.com",
    "altssh.gitlab.com": "gitlab.com",
    "altssh.bitbucket.org": "bitbucket.org",
    "ssh.dev.azure.com": "dev.azure.com",
}
ANY_CASE = {"github.com", "gitlab.com", "bitbucket.org", "codeberg.org", "gitee.com", "dev.azure.com"}


@dataclass(frozen=True, slots=True)
class Where:
    """
    A folder: `root` is the top of its worktree (the folder itself without git), `common_dir` what all worktrees of
    the repository share. `branch` is None on a detached HEAD (but for a rebase, which has one), `head` None before
    the first commit. A worktree whose repository is gone has a `common_dir` and no `git_dir`.
    """

    folder: str
    root: str
    git_dir: str | None = None
    common_dir: str | None = None
    branch: str | None = None
    head: str | None = None
    remotes: Mapping[str, str] = field(default_factory=dict)
    shallow: bool = False

    @property
    def is_git(self) -> bool:
        """Whether the folder belongs to a repository."""
        return self.common_dir is not None


def look(folder: str) -> Where:
    """What the folder is; one that is gone is where it was."""
    folder = os.path.realpath(folder.partition("\0")[0])
    at = folder
    while True:
        git_dir = _git_dir(at)
        if git_dir:
            return _repository(folder, at, git_dir)
        lost = _lost(at)
        if lost:
            return Where(folder, at, None, lost)
        parent = os.path.dirname(at)
        if parent == at:
            return Where(folder, folder)
        at = parent


def repository_at(path: str) -> Where | None:
    """The repository at exactly that path, as git finds one to clone from: not one that the path lies in."""
    for exact in (path, f"{path}.git"):
        exact = os.path.realpath(exact)  # noqa: PLW2901 - the path as `look` would have it
        git_dir = _git_dir(exact)
        if git_dir:
            return _repository(exact, exact, git_dir)
    return None


def _git_dir(folder: str) -> str | None:
    entry = os.path.join(folder, ".git")
    if os.path.isdir(entry):
        return entry if os.path.lexists(os.path.join(entry, "HEAD")) else None
    target = _pointed(folder)
    if target:
        return target if os.path.lexists(os.path.join(target, "HEAD")) else None
    bare = all(os.path.lexists(os.path.join(folder, name)) for name in ("HEAD", "objects", "refs", "config"))
    return folder if bare else None


def _pointed(folder: str) -> str | None:
    """Where a `.git` file leads: the git folder of a linked worktree or submodule."""
    pointer = _read(os.path.join(folder, ".git"))
    if not pointer.startswith("gitdir:"):
        return None
    return os.path.realpath(os.path.join(folder, pointer.removeprefix("gitdir:").strip()))


def _lost(folder: str) -> str | None:
    """What a worktree shared with the others of its repository, where the repository is gone."""
    target = _pointed(folder)
    if target is None or os.path.isdir(target):
        return None
    worktree = WORKTREE.fullmatch(target)
    return worktree[1] if worktree else target


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


def _resolve(ref: str, git_dir: str, common_dir: str, hops: int = 5) -> str | None:
    for folder in (git_dir, common_dir):
        loose = _read(os.path.join(folder, *ref.split("/"))).strip()
        if HEX.fullmatch(loose):
            return loose
        if loose.startswith("ref:") and hops:
            return _resolve(loose.removeprefix("ref:").strip(), git_dir, common_dir, hops - 1)
    # Sought as bytes: there may be a hundred thousand lines.
    packed = _read_bytes(os.path.join(common_dir, "packed-refs"), 256 << 20)
    end = packed.find(f" {ref}\n".encode("utf-8", "surrogateescape"))
    sha = packed[packed.rfind(b"\n", 0, end) + 1 : end].decode("ascii", "replace") if end > 0 else ""
    return sha if HEX.fullmatch(sha) else None


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
            url = value.strip()
            found.setdefault(remote, url[1:].partition('"')[0] if url[:1] == '"' else COMMENT.sub("", url))
    return found


def normalised(url: str) -> str | None:
    """
    The remote as host and path, the same however it is reached: without scheme, user, port and `.git`.

    None for a path on this machine (`local_path`), and for what is no address.
    """
    url = url.strip()
    if local_path(url) is not None:
        return None
    scp = None if "://" in url else SCP.fullmatch(url)
    if scp:
        host, path = scp["host"].strip("[]"), scp["path"]
    else:
        try:
            parts = urlsplit(url)
            host, path = parts.hostname or "", unquote(parts.path)
        except ValueError:
            return None
    host = host.lower().rstrip(".")
    host = SAME_HOST.get(host, host)
    path = re.sub(r"/{2,}", "/", path).strip("/").removeprefix("~/")
    path = path.removesuffix(".git").rstrip("/")
    if host == "dev.azure.com":
        path = path.removeprefix("v3/").replace("/_git/", "/")
    if host in ANY_CASE:
        path = path.lower()
    return f"{host}/{path}" if host and path else None


def local_path(url: str) -> str | None:
    """The path of a remote on this machine; None for any other."""
    if url.startswith("file://"):
        return unquote(urlsplit(url).path) or None
    if "://" in url:
        return None
    if os.path.isabs(url) or url.startswith(("./", "../", "~/", "\\\\")) or re.match(r"[A-Za-z]:[\\/]", url):
        return url
    return None if SCP.fullmatch(url) else url or None


def _read(path: str) -> str:
    return _read_bytes(path, LIMIT_BYTES).decode("utf-8", "surrogateescape")


def _read_bytes(path: str, limit: int) -> bytes:
    try:
        with open(path, "rb") as file:
            return file.read(limit)
    except (OSError, ValueError):
        return b""
