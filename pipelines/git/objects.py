"""Git objects of one snapshot folder, and of the user's repository behind it."""

from __future__ import annotations

import contextlib
import hashlib
import os
import tempfile
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Literal, Self

from .worktree import Talk

Kind = Literal["blob", "tree", "commit", "tag"]
# A larger object is passed over: nothing of that size is looked at.
LIMIT_BYTES = 16 << 20


class Objects:
    """
    Ours are written and read here, without a process. Git would do it, but where the user's repository has the
    object already it would set the time stamp of that file of theirs instead. Theirs are read by one
    `git cat-file --batch`, which starts with the first of them and ends with `close`.

    Ids are full ids in hex, of the repository's own hash.
    """

    def __init__(self, folder: Path, talk: Callable[[], Talk], *, sha256: bool) -> None:
        self._folder = folder
        self._talk = talk
        self._open: Talk | None = None
        self._hash = hashlib.sha256 if sha256 else hashlib.sha1

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def id_of(self, kind: Kind, content: bytes) -> str:
        """The id that the object has."""
        return self._hash(b"%s %d\0" % (kind.encode(), len(content)) + content).hexdigest()

    def put(self, kind: Kind, content: bytes) -> str:
        """Keep the object, where we do not have it yet; its id."""
        name = self.id_of(kind, content)
        if self.ours(name):
            return name
        target = self._path(name)
        target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        packed = zlib.compress(b"%s %d\0" % (kind.encode(), len(content)) + content, 1)
        fd, partial = tempfile.mkstemp(dir=self._folder, prefix="tmp_obj_")
        try:
            with os.fdopen(fd, "wb") as file:
                file.write(packed)
            Path(partial).replace(target)
        except OSError:
            with contextlib.suppress(OSError):
                Path(partial).unlink()
            raise
        return name

    def ours(self, name: str) -> bool:
        """Whether we keep that object ourselves."""
        try:
            return self._path(name).stat().st_size > 0
        except OSError:
            return False

    def get(self, name: str) -> tuple[Kind, bytes] | None:
        """The object; None where neither of us has it, or it is over the limit."""
        return self._own(name) or self._theirs(name)

    def blob(self, name: str) -> bytes | None:
        """The bytes of a blob."""
        found = self.get(name)
        return found[1] if found and found[0] == "blob" else None

    def close(self) -> None:
        """End what was started to read the user's objects."""
        if self._open:
            self._open.close()
            self._open = None

    def _path(self, name: str) -> Path:
        return self._folder / name[:2] / name[2:]

    def _own(self, name: str) -> tuple[Kind, bytes] | None:
        try:
            whole = zlib.decompress(self._path(name).read_bytes())
        except (OSError, zlib.error):
            return None
        head, _, content = whole.partition(b"\0")
        return _kind(head.split(b" ")[0]), content

    def _theirs(self, name: str) -> tuple[Kind, bytes] | None:
        if self._open is None:
            self._open = self._talk()
        answer = self._open.ask(name.encode()).split(b" ")
        if len(answer) != 3:  # "<id> missing"
            return None
        left = size = int(answer[2])
        content = b""
        while left:
            part = self._open.take(min(left, 1 << 20))
            left -= len(part)
            content += part if size <= LIMIT_BYTES else b""
        self._open.take(1)
        return (_kind(answer[1]), content) if size <= LIMIT_BYTES else None


def _kind(word: bytes) -> Kind:
    match word:
        case b"blob":
            return "blob"
        case b"tree":
            return "tree"
        case b"commit":
            return "commit"
        case _:
            return "tag"
