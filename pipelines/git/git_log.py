"""The commits of a repository, streamed from one git process, each with its files as they were and became."""

from __future__ import annotations

import contextlib
import re
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from ...store.clock import SECOND_US
from ..redact import is_secret_file
from .edits import FILE_BYTES, FileEdit, Named
from .git_files import Where
from .moments import MAX_EDITS, MAX_PATCH_BYTES
from .patches import FilePatch, between, parse
from .worktree import Talk, run

# Between commits: no text that git shows holds it, and file names and messages cannot.
MARK = b"\0\0\0"
FORMAT = "%x00%x00%x00%H%x00%P%x00%at%x00%B%x00"
IDS = re.compile(rb"^index ([0-9a-f]{40,64})\.\.([0-9a-f]{40,64})", re.MULTILINE)
MERGED = re.compile(rb"^index ([0-9a-f]{40,64}),[0-9a-f,]+\.\.([0-9a-f]{40,64})", re.MULTILINE)
CHUNK_BYTES = 1 << 18
WHOLE_DAY_S = 24 * 3600.0


@dataclass(frozen=True, slots=True)
class Commit:
    """One commit: its author's time (UTC microseconds) and whole message. `bulk` where it was not taken apart."""

    id: str
    parent: str | None
    at: int
    message: str
    files: tuple[FileEdit, ...]
    count: int
    bulk: bool


def listed(where: Where, revisions: Sequence[str], *, since_s: int | None = None) -> list[str]:
    """The ids of the commits that `revisions` name, parents before children; from `since_s` on, in epoch seconds."""
    bounds = [] if since_s is None else [f"--max-age={since_s}"]
    order = ["rev-list", "--topo-order", "--reverse", *bounds, "--end-of-options", *revisions, "--"]
    return run(where, order).decode().split()


def history(where: Where, ids: Sequence[str]) -> Iterator[Commit]:
    """
    Those commits, in that order; of a merge only the files that it left as no parent had them, against the first.

    Raises:
        GitFailed: git ended before its last commit.
    """
    args = [
        "log", "--no-walk=unsorted", "--stdin", f"--format={FORMAT}", "--patch", "--full-index", "--find-renames",
        "-l500", "--cc", "--no-color", "--no-ext-diff", "--no-textconv", "--submodule=short", "--src-prefix=a/",
        "--dst-prefix=b/", "-U3",
    ]  # fmt: skip
    if not ids:
        return  # git would tell of HEAD
    blobs = _Blobs(where)
    with tempfile.TemporaryFile() as file:
        file.write("".join(f"{one}\n" for one in ids).encode())
        file.seek(0)
        with contextlib.closing(blobs), Talk(where, args, stdin=file, timeout_s=WHOLE_DAY_S) as talk:
            for record in _records(talk):
                yield _commit(record, blobs)


def _records(talk: Talk) -> Iterator[bytes]:
    """What stands between one mark and the next."""
    held = b""
    first = True
    for chunk in talk.rest(CHUNK_BYTES):
        *whole, held = (held + chunk).split(MARK)
        for record in whole:
            if not first:
                yield record
            first = False
    if not first:
        yield held


def _commit(record: bytes, blobs: _Blobs) -> Commit:
    id_, parents, at, message, diff = record.split(b"\0", 4)
    count = diff.count(b"\ndiff --git ") + diff.count(b"\ndiff --cc ")
    bulk = count > MAX_EDITS or len(diff) > MAX_PATCH_BYTES
    files = () if bulk else tuple(_file(patch, blobs) for patch in parse(diff))
    return Commit(
        id_.decode(), parents.split()[0].decode() if parents else None, int(at) * SECOND_US,
        message.decode("utf-8", "replace").strip(), files, count, bulk,
    )  # fmt: skip


def _file(patch: FilePatch, blobs: _Blobs) -> FileEdit:
    merged = patch.raw.startswith(b"diff --cc ")
    ids = (MERGED if merged else IDS).search(patch.raw)
    before_id, after_id = (_id(name.decode()) for name in ids.groups()) if ids else (None, None)
    named: Named | None = None
    if patch.status == "submodule":
        named = "submodule"
    elif patch.binary:
        named = "binary"
    elif is_secret_file(patch.path) or (patch.old_path and is_secret_file(patch.old_path)):
        named = "secret"
    elif "120000" in (patch.old_mode, patch.new_mode):
        named = "link"
    before = after = None
    if named is None and (patch.hunks or merged):
        before, after = blobs.read(before_id), blobs.read(after_id)
        if (before_id and before is None) or (after_id and after is None):
            named, before, after = "big", None, None
        elif merged:
            text = between(patch.path, before, after)
            found = parse(text)
            patch = replace(patch, raw=text, hunks=found[0].hunks if found else ())
    return FileEdit(
        patch.path, patch.status, patch.old_path, before, after, before_id, after_id,
        b"" if named else patch.raw, () if named else patch.hunks, named,
    )  # fmt: skip


def _id(name: str) -> str | None:
    return name if name.strip("0") else None


class _Blobs:
    """
    The repository's blobs, by one `git cat-file`. The last few are held: what one commit left, the next begins with.
    """

    def __init__(self, where: Where) -> None:
        self._where = where
        self._talk: Talk | None = None
        self._held: dict[str, bytes | None] = {}

    def read(self, name: str | None) -> bytes | None:
        """The bytes of a blob; None for no blob, one that is not there, and one that is too large."""
        if name is None:
            return None
        if name not in self._held:
            while len(self._held) >= 256:
                del self._held[next(iter(self._held))]
            self._held[name] = self._ask(name)
        return self._held[name]

    def _ask(self, name: str) -> bytes | None:
        if self._talk is None:
            self._talk = Talk(self._where, ["cat-file", "--batch"], timeout_s=WHOLE_DAY_S)
        answer = self._talk.ask(name.encode()).split()
        if len(answer) != 3:
            return None
        content = self._talk.take(int(answer[2]))
        self._talk.take(1)
        return content if answer[1] == b"blob" and len(content) <= FILE_BYTES else None

    def close(self) -> None:
        """End what was started."""
        if self._talk is not None:
            self._talk.close()
