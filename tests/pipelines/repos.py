"""Git repositories of all kinds for the tests of code history, and what is seen of them from outside."""

from __future__ import annotations

import os
import stat
import subprocess
from pathlib import Path

from backstory.pipelines.git.git_files import Where, look
from backstory.pipelines.git.snapshots import Snapshots

WHO = {
    f"GIT_{role}_{what}": "tester@example.invalid"
    for role in ("AUTHOR", "COMMITTER")
    for what in ("NAME", "EMAIL")
}


class Repo:
    """A repository that has no more to do with this machine than its git."""

    def __init__(self, root: Path, home: Path | None = None, *options: str) -> None:
        self.root = root
        self.home = home or root.parent / "nobody"
        self.home.mkdir(exist_ok=True)
        root.mkdir(parents=True, exist_ok=True)
        if not (root / ".git").exists():
            self.git("init", "-q", "-b", "main", *options)

    def tried(self, *args: str, at: str = "") -> subprocess.CompletedProcess[bytes]:
        """What came of running git, as nobody in particular."""
        env = {"PATH": os.environ["PATH"], "HOME": str(self.home), "GIT_CONFIG_NOSYSTEM": "1", **WHO}
        if at:
            env |= {"GIT_AUTHOR_DATE": at, "GIT_COMMITTER_DATE": at}
        given = ["-c", "protocol.file.allow=always", "-c", "core.editor=true", "-c", "core.quotepath=off"]
        return subprocess.run(
            ["git", *given, *args], cwd=self.root, env=env, check=False, capture_output=True
        )

    def out(self, *args: str, code: int = 0, at: str = "") -> bytes:
        """What git prints."""
        done = self.tried(*args, at=at)
        assert done.returncode == code, (args, done.stdout, done.stderr)
        return done.stdout

    def git(self, *args: str, code: int = 0, at: str = "") -> str:
        """The same as text, without space around it."""
        return self.out(*args, code=code, at=at).decode("utf-8", "surrogateescape").strip()

    def write(self, path: str, content: str | bytes) -> Path:
        """A file of the worktree."""
        full = self.root / path
        full.parent.mkdir(parents=True, exist_ok=True)
        full.write_bytes(content.encode("utf-8") if isinstance(content, str) else content)
        return full

    def commit(self, message: str = "more", *, at: str = "") -> str:
        """All of the worktree committed; the commit."""
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", message, at=at)
        return self.head()

    def head(self) -> str:
        """Where HEAD is."""
        head = self.where().head
        assert head is not None
        return head

    def where(self) -> Where:
        """What the product takes it for."""
        return look(str(self.root))

    def snapshots(self, home: Path | None = None) -> Snapshots:
        """Its snapshots, kept beside it."""
        return Snapshots(home or self.home.parent / "backstory", self.where())

    def outside(self) -> dict[str, tuple[bytes, int, int, str]]:
        """Every file of it: bytes, mode, time of change, where it leads."""
        found = {}
        for path in sorted(self.root.rglob("*")):
            status = path.lstat()
            content = path.read_bytes() if stat.S_ISREG(status.st_mode) and os.access(path, os.R_OK) else b""
            link = str(path.readlink()) if path.is_symlink() else ""
            found[str(path.relative_to(self.root))] = (content, status.st_mode, status.st_mtime_ns, link)
        return found


def started(tmp_path: Path, *options: str) -> Repo:
    """A repository with a commit of two files."""
    repo = Repo(tmp_path / "repo", tmp_path / "nobody", *options)
    repo.write("a.py", "".join(f"line {n}\n" for n in range(1, 31)))
    repo.write("lib/b.py", "def f():\n    return 1\n")
    repo.write(".gitignore", "*.log\nbuild/\n")
    repo.commit("first")
    return repo
