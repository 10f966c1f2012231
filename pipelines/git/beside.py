"""
The repository of ours that stands beside the user's: same files, own index, own objects.

Git works on the user's worktree with a folder of ours in the place of `.git`. So nothing of theirs is locked or
written. Its attributes, which come before all others, turn every conversion and every filter off: git compares the
bytes that are on disk. Its index says which files have not been touched since we looked; what they held then is
said by the tree of the last snapshot. The user's objects are only visible to commands that write none: of an object
that is there already git would renew the time stamp.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from .git_files import Where
from .kept import clear
from .objects import Objects
from .records import RAW, Pair, pairs
from .their_settings import TheirSettings
from .trees import Entry
from .worktree import Talk, alternates, run, without_index

# The last lines name the languages that git can find the head of a function in and we have no grammar for.
ATTRIBUTES = """\
* -text !eol -ident -filter !working-tree-encoding !diff
*.rb diff=ruby
*.php diff=php
*.cs diff=csharp
*.kt diff=kotlin
*.css diff=css
*.html diff=html
*.sh diff=bash
*.pl diff=perl
*.ex diff=elixir
*.m diff=objc
*.tex diff=tex
*.scm diff=scheme
*.md diff=markdown
"""
SIZE = re.compile(r"\d+ ([0-9a-f]+) \d\t([^\0]+)\0(?:  [^\n]*\n)*?  size: (\d+)\t[^\n]*\n")
# So many names fit into one command everywhere.
AT_ONCE = 500
# A git that outlives whoever started it takes no longer than this to write an index.
ENDS_S = 0.5


class Beside:
    """Opens nothing; `ready` makes the folder where it is not there."""

    def __init__(self, folder: Path, where: Where) -> None:
        self.folder = folder
        self._theirs = where
        self.settings = TheirSettings(where)
        self._index = f"{where.git_dir}/index"
        self._where = where._replace(git_dir=str(folder), common_dir=str(folder))

    def ready(self) -> None:
        """Make the folder what git takes for a repository, and have in it which files the user's ignores."""
        form = "repositoryformatversion = 1\n[extensions]\n\tobjectFormat = sha256\n"
        config = "[core]\n\t" + (form if self.settings.sha256 else "repositoryformatversion = 0\n")
        if _read(self.folder / "config") != config.encode():
            clear(self.folder)
            for name in ("objects", "refs", "info"):
                (self.folder / name).mkdir(mode=0o700, exist_ok=True)
            (self.folder / "HEAD").write_text("ref: refs/heads/none\n")
            (self.folder / "config").write_text(config)
        theirs = _read(Path(f"{self._theirs.common_dir}/info/exclude"))
        for name, content in (("attributes", ATTRIBUTES.encode()), ("exclude", theirs)):
            if _read(self.folder / "info" / name) != content:
                (self.folder / "info" / name).write_bytes(content)
        # Only the holder of the folder's lock comes here: what still locks the index was left by one that was killed,
        # whose git may be about to end.
        lock, ends = self.folder / "index.lock", time.monotonic() + ENDS_S
        while lock.exists() and time.monotonic() < ends:
            time.sleep(0.01)
        lock.unlink(missing_ok=True)

    def objects(self) -> Objects:
        """The objects of both; to be closed."""
        return Objects(
            self.folder / "objects",
            lambda: Talk(self._where, ["cat-file", "--batch"], env=self._seeing()),
            sha256=self.settings.sha256,
        )

    def renew(self, tree: str) -> None:
        """
        Begin again with a copy of the user's index, which has found most files clean already; where there is none
        that can be copied, with that tree.
        """
        if not self._copied():
            (self.folder / "index").unlink(missing_ok=True)
            self._git(["read-tree", tree], seeing=True)
        listed = self._git(["ls-files", "-v", "-z"])
        unwatched = _named(rb"[a-z]", listed)
        if unwatched:
            # The user told git not to look at these; whether they are edited is for us to see all the same.
            self._git(["update-index", "--no-assume-unchanged", "-z", "--stdin"], stdin=unwatched)
        skipped = b"" if self.settings.sparse else _named(rb"S", listed)
        if skipped:
            self._git(["update-index", "--no-skip-worktree", "-z", "--stdin"], stdin=skipped)
        self._git(["update-index", "-q", "--unmerged", "--refresh", "--force-write-index"], passing=(0, 1))

    def _copied(self) -> bool:
        """Copy the index with its time, by which git knows which of its entries to trust."""
        theirs = Path(f"{self._theirs.git_dir}")
        try:
            content = (theirs / "index").read_bytes()
            if b"sdir" in content and self.settings.sparse:
                return False  # perhaps with whole folders as entries: to take these apart git writes objects
            for path in (theirs / "index", *theirs.glob("sharedindex.*")):
                status = path.stat()
                copy = self.folder / path.name
                copy.write_bytes(content if path.name == "index" else path.read_bytes())
                os.utime(copy, ns=(status.st_atime_ns, status.st_mtime_ns))
        except OSError:
            return False
        return True

    def staged(self, tree: str) -> list[Pair]:
        """Where the index is another one than the tree; "U" for what is in conflict."""
        out = self._git(["diff-index", "--cached", *RAW, "--no-renames", tree], seeing=True)
        return pairs(out)

    def scan(self, *, folders: bool) -> tuple[list[str], list[str]]:
        """
        The tracked files that may have changed or are gone, and the untracked ones that are not ignored.

        Args:
            folders: leave out what lies in folders without any tracked file.
        """
        what = ["-z", "-t", "--modified", "--deleted", "--others", "--exclude-standard"]
        # Files that a sparse checkout leaves out and that are there all the same are then looked at.
        settings = ("core.sparseCheckout=true",)
        out = self._git(["ls-files", *what, *(["--directory"] if folders else [])], settings=settings)
        tracked: dict[str, None] = {}
        untracked: dict[str, None] = {}
        for record in out.decode("utf-8", "surrogateescape").split("\0"):
            path = record[2:]
            if path.endswith("/"):
                path = path[:-1]
                if folders and not os.path.lexists(f"{self._where.root}/{path}/.git"):
                    continue
            if path:
                (untracked if record[0] == "?" else tracked)[path] = None
        return list(tracked), list(untracked)

    def tell(self, entries: Mapping[str, Entry | None]) -> None:
        """Have the index hold these, so that they are only seen again when they have changed again."""
        if not entries:
            return
        gone = "0" * len(self.settings.empty_tree)
        lines = [f"0 {gone}\t{path}\0" for path, entry in entries.items() if entry is None]
        lines += [f"{entry.mode} {entry.id}\t{path}\0" for path, entry in entries.items() if entry]
        stdin = "".join(lines).encode("utf-8", "surrogateescape")
        self._git(["update-index", "--add", "--remove", "--replace", "-z", "--index-info"], stdin=stdin)

    def absorb(self, paths: Iterable[str], tree: str) -> dict[str, Entry | None]:
        """
        Take in files of which there are too many to keep them: hashed, so that they can be told apart later, but not
        stored. What the tree lacks of them.
        """
        wanted = set(paths)
        stdin = b"".join(path.encode("utf-8", "surrogateescape") + b"\0" for path in sorted(wanted))
        add = ["update-index", "--add", "--remove", "--replace", "--info-only", "-z", "--stdin"]
        self._git(add, stdin=stdin, passing=(0, 128))
        return {pair.path: pair.after for pair in self.staged(tree) if pair.path in wanted}

    def leave_out(self, paths: Iterable[str]) -> None:
        """Have the index say that these are missing on purpose."""
        stdin = b"".join(path.encode("utf-8", "surrogateescape") + b"\0" for path in paths)
        self._git(["update-index", "--skip-worktree", "-z", "--stdin"], stdin=stdin)

    def left_out(self, paths: Iterable[str]) -> set[str]:
        """Those of the paths that the user's sparse checkout leaves out, so that they are not deleted."""
        if not self.settings.sparse:
            return set()
        env = {"GIT_INDEX_FILE": self._index}
        out = self._git(["ls-files", "--sparse", "-t", "-z"], env=env).decode("utf-8", "surrogateescape")
        out_of_it = {record[2:] for record in out.split("\0") if record.startswith("S ")}
        folders = tuple(name for name in out_of_it if name.endswith("/"))
        return {path for path in paths if path in out_of_it or path.startswith(folders)}

    def ignored(self, paths: Sequence[str]) -> set[str]:
        """Those of the paths that the user has git ignore and that are not tracked either."""
        if not paths:
            return set()
        # This command refuses to take names as they are; behind "./" none looks like a pattern of git's.
        stdin = "".join(f"./{path}\0" for path in paths).encode("utf-8", "surrogateescape")
        args = ["check-ignore", "--no-index", "-z", "--stdin"]
        out = self._git(args, env={"GIT_LITERAL_PATHSPECS": "0"}, stdin=stdin, passing=(0, 1))
        found = [path[2:] for path in out.decode("utf-8", "surrogateescape").split("\0") if path]
        if not found or self.settings.sparse or not Path(self._index).exists():
            return set(found)
        listed = self._git(["ls-files", "-z", "--", *found], env={"GIT_INDEX_FILE": self._index})
        return set(found) - set(listed.decode("utf-8", "surrogateescape").split("\0"))

    def unlisted(self, paths: Sequence[str]) -> set[str]:
        """Those of the paths that our index has not."""
        found = set(paths)
        for start in range(0, len(paths), AT_ONCE):
            out = self._git(["ls-files", "-z", "--", *paths[start : start + AT_ONCE]])
            found.difference_update(out.decode("utf-8", "surrogateescape").split("\0"))
        return found

    def sizes(self, paths: Sequence[str]) -> dict[tuple[str, str], int]:
        """
        How large a file was when git last found it to be what a blob became on disk, by path and blob; 0 where git
        did not note it.
        """
        # Git takes conversions into account where it keeps the user's index; in ours it notes nothing of such files.
        env = (
            {} if self.settings.sparse or not Path(self._index).exists() else {"GIT_INDEX_FILE": self._index}
        )
        found: dict[tuple[str, str], int] = {}
        for start in range(0, len(paths), AT_ONCE):
            out = self._git(
                ["ls-files", "--stage", "--debug", "-z", "--", *paths[start : start + AT_ONCE]], env=env
            )
            for name, path, size in SIZE.findall(out.decode("utf-8", "surrogateescape")):
                found[path, name] = int(size)
        return found

    def differing(self, before: str, after: str) -> list[Pair]:
        """Where two trees, or the trees of two commits, differ."""
        if before == after:
            return []
        args = ["diff-tree", *RAW, "--no-renames", before, after]
        return pairs(self._git(args, seeing=True, env=without_index(self._where)))

    def patches(self, before: str, after: str, paths: Sequence[str] = ()) -> bytes:
        """What `git diff-tree --raw -p -M` says of two trees, of these paths or of all."""
        form = ["-p", "-M", "-l1000", "--full-index", "-U3", "--no-color", "--no-ext-diff", "--no-textconv"]
        prefixes = ["--src-prefix=a/", "--dst-prefix=b/"]
        args = ["diff-tree", *RAW, *form, *prefixes, before, after, "--", *paths]
        return self._git(args, seeing=True, env=without_index(self._where))

    def _git(
        self,
        args: Sequence[str],
        *,
        seeing: bool = False,
        env: Mapping[str, str] | None = None,
        settings: Sequence[str] = (),
        stdin: bytes | None = None,
        passing: Sequence[int] = (0,),
    ) -> bytes:
        """Run git here; `seeing` the user's objects, for commands that write none."""
        given = self._seeing() if seeing else {"GIT_ATTR_SOURCE": self.settings.empty_tree}
        return run(
            self._where,
            args,
            env={**given, **(env or {})},
            settings=[*self.settings.given(), *settings],
            stdin=stdin,
            passing=passing,
        )

    def _seeing(self) -> dict[str, str]:
        return {
            "GIT_ALTERNATE_OBJECT_DIRECTORIES": alternates(f"{self._theirs.common_dir}/objects"),
            "GIT_ATTR_SOURCE": self.settings.empty_tree,
        }


def _named(letter: bytes, listed: bytes) -> bytes:
    """The names that `ls-files -v -z` lists with such a letter, as `--stdin -z` takes them."""
    return b"".join(name + b"\0" for name in re.findall(rb"(?:\A|(?<=\0))" + letter + rb" ([^\0]+)", listed))


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""
