"""What a folder is to git, read from git's own files: no process, nothing written."""

# Hooks carry a copy: standard library only, and no dataclass, whose module takes 17 ms to import.

from __future__ import annotations

import os
import re
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from ...store.folder_key import read, read_bytes, real, repository, repository_at

if TYPE_CHECKING:
    from collections.abc import Mapping

HEX = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
SECTION = re.compile(r'\[\s*remote\s+"((?:[^"\\]|\\.)*)"\s*\]', re.IGNORECASE)
COMMENT = re.compile(r"\s+[#;].*$")
SCP = re.compile(r"(?:[^@/\s]+@)?(?P<host>\[[^\]]+\]|[^:/\s]{2,}):(?P<path>(?!//).+)")
# Other doors of the same house, and houses where small and capital letters are one.
SAME_HOST = {
    "ssh.github.com": "github.com",
    "www.github.com": "github.com",
    "altssh.gitlab.com": "gitlab.com",
    "altssh.bitbucket.org": "bitbucket.org",
    "ssh.dev.azure.com": "dev.azure.com",
}
ANY_CASE = {"github.com", "gitlab.com", "bitbucket.org", "codeberg.org", "gitee.com", "dev.azure.com"}


class Where(NamedTuple):
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
    remotes: Mapping[str, str] = MappingProxyType({})
    shallow: bool = False

    @property
    def is_git(self) -> bool:
        """Whether the folder belongs to a repository."""
        return self.common_dir is not None


def look(folder: str) -> Where:
    """What the folder is; one that is gone is where it was."""
    folder = real(folder)
    found = repository(folder)
    return _read(folder, found) if found else Where(folder, folder)


def look_at(path: str) -> Where | None:
    """The repository at exactly that path, as git finds one to clone from: not one that the path lies in."""
    for exact in (real(path), real(f"{path}.git")):
        found = repository_at(exact)
        if found:
            return _read(exact, found)
    return None


def _read(folder: str, found: tuple[str, str | None, str]) -> Where:
    root, git_dir, shared = found
    if git_dir is None:
        return Where(folder, root, None, shared)
    branch, head = _head(git_dir, shared)
    remotes = _remotes(read(os.path.join(shared, "config")))
    return Where(
        folder, root, git_dir, shared, branch, head, remotes, os.path.exists(os.path.join(shared, "shallow"))
    )


def _head(git_dir: str, common_dir: str) -> tuple[str | None, str | None]:
    content = read(os.path.join(git_dir, "HEAD")).strip()
    if content.startswith("ref:"):
        ref = content.removeprefix("ref:").strip()
        branch = ref.removeprefix("refs/heads/")
        # A repository with reftables has this instead of a name.
        return (None if branch == ".invalid" else branch), _resolve(ref, git_dir, common_dir)
    head = content if HEX.fullmatch(content) else None
    for state in ("rebase-merge", "rebase-apply"):
        name = read(os.path.join(git_dir, state, "head-name")).strip()
        if name.startswith("refs/heads/"):
            return name.removeprefix("refs/heads/"), head
    return None, head


def _resolve(ref: str, git_dir: str, common_dir: str, hops: int = 5) -> str | None:
    for folder in (git_dir, common_dir):
        loose = read(os.path.join(folder, *ref.split("/"))).strip()
        if HEX.fullmatch(loose):
            return loose
        if loose.startswith("ref:") and hops:
            return _resolve(loose.removeprefix("ref:").strip(), git_dir, common_dir, hops - 1)
    # Sought as bytes: there may be a hundred thousand lines.
    packed = read_bytes(os.path.join(common_dir, "packed-refs"), 256 << 20)
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
        from urllib.parse import unquote, urlsplit  # 8 ms that a hook does not have, which asks for no remote

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
        from urllib.parse import unquote, urlsplit

        return unquote(urlsplit(url).path) or None
    if "://" in url:
        return None
    if os.path.isabs(url) or url.startswith(("./", "../", "~/", "\\\\")) or re.match(r"[A-Za-z]:[\\/]", url):
        return url
    return None if SCP.fullmatch(url) else url or None


def tip(where: Where, branch: str) -> str | None:
    """The commit that a branch is at; None where it is not known."""
    if where.common_dir is None:
        return None
    return _resolve(f"refs/heads/{branch}", where.git_dir or where.common_dir, where.common_dir)


def branches(where: Where) -> frozenset[str] | None:
    """The names of the repository's own branches; None where git keeps them in a form that is not read here."""
    if where.common_dir is None or os.path.isdir(os.path.join(where.common_dir, "reftable")):
        return None
    heads = os.path.join(where.common_dir, "refs", "heads")
    found = set()
    for folder, _, names in os.walk(heads):
        for name in names:
            if not name.endswith(".lock"):
                found.add(os.path.relpath(os.path.join(folder, name), heads).replace(os.sep, "/"))
    packed = read_bytes(os.path.join(where.common_dir, "packed-refs"), 256 << 20)
    for line in packed.split(b"\n"):
        _, _, ref = line.partition(b" ")
        if ref.startswith(b"refs/heads/"):
            found.add(ref.removeprefix(b"refs/heads/").decode("utf-8", "surrogateescape"))
    return frozenset(found)
