"""A file as it comes in: unpacked, line by line, some at a time; what cannot be taken is noted with its number."""

from __future__ import annotations

import gzip
import sys
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, cast

from ...store.errors import BadInput
from . import lines
from .checks import Line
from .imported import Imported
from .lines import Damaged

# What one transaction takes in: a few tens of milliseconds, nobody waits long behind it.
PIECE_LINES, PIECE_BYTES = 200, 2 << 20
_GZIP = b"\x1f\x8b"
# By its first bytes, what is no export though somebody may take it for one; what to do instead.
_OTHERS: tuple[tuple[bytes, str], ...] = (
    (b"SQLite format 3\0", "it is a database; a backup is put back by: backstory restore"),
    (b"PK\x03\x04", "it is a zip archive; unpack it, and import what is in it"),
    (b"\x28\xb5\x2f\xfd", "it is packed by zstd; unpack it, and import what is in it"),
    (b"\xfd7zXZ\0", "it is packed by xz; unpack it, and import what is in it"),
    (b"BZh", "it is packed by bzip2; unpack it, and import what is in it"),
    (b"\xff\xfe", "it is UTF-16 text; save it as UTF-8"),
    (b"\xfe\xff", "it is UTF-16 text; save it as UTF-8"),
)


@dataclass(frozen=True, slots=True)
class Source:
    """An export that is being read: its header, the bytes behind it, and how far it was read of how much."""

    head: Line
    raw: IO[bytes]
    place: Callable[[], int]
    size: int


@contextmanager
def opened(file: Path | None) -> Iterator[Source]:
    """
    The file, unpacked, up to behind its header; None: standard input.

    Raises:
        BadInput: it cannot be read, or is no export, or a newer one.
    """
    if file is None:
        raw = sys.stdin.buffer
        yield Source(_header(raw, None), raw, lambda: 0, 0)
        return
    try:
        packed = file.open("rb")
    except IsADirectoryError as e:
        raise BadInput(f"{file} is a folder; name the export in it.") from e
    except OSError as e:
        raise BadInput(f"{file} cannot be read ({e.strerror or e}).") from e
    with packed:
        is_packed = packed.peek(2)[:2] == _GZIP
        raw = cast("IO[bytes]", gzip.GzipFile(fileobj=packed)) if is_packed else packed
        yield Source(_header(raw, file), raw, packed.tell, max(1, file.stat().st_size))


def _header(raw: IO[bytes], file: Path | None) -> Line:
    name = file or "The input"
    try:
        text = raw.readline(lines.LINE_BYTES + 1)
        if not text:
            raise Damaged("it is empty")
        for begins, what in _OTHERS:
            if text.startswith(begins):
                raise Damaged(what)
        return lines.header(text)
    except Damaged as e:
        raise BadInput(f"{name} cannot be imported: {e}.") from e
    except (OSError, EOFError, zlib.error) as e:
        raise BadInput(f"{name} cannot be imported: it is damaged ({e}).") from e


def pieces(source: Source, done: Imported, *, now: int) -> Iterator[list[tuple[int, Line]]]:
    """The lines that can be taken, some at a time; what is wrong with the others is noted."""
    piece: list[tuple[int, Line]] = []
    size = seen = 0
    # By numbers, not by texts: there may be a million of them.
    met: dict[int, int] = {}
    for n, text in _lines(source.raw, done):
        try:
            line = lines.read(text, now=now)
            if "ulid" in line and met.setdefault(hash((line["type"], line["ulid"])), hash(text)) != hash(
                text
            ):
                raise Damaged(f"{line['type']}: its id stands in the file before, with something else")
        except Damaged as e:
            done.refuse(n, str(e))
            continue
        if line["type"] == "end":
            done.whole = line["lines"] == seen
            continue
        seen += 1
        piece.append((n, line))
        size += len(text)
        if len(piece) >= PIECE_LINES or size >= PIECE_BYTES:
            yield piece
            piece, size = [], 0
    yield piece


def _lines(raw: IO[bytes], done: Imported) -> Iterator[tuple[int, bytes]]:
    n = 1
    while True:
        n += 1
        try:
            text = raw.readline(lines.LINE_BYTES + 1)
            if len(text) > lines.LINE_BYTES:
                done.refuse(n, "it is too long")
                while text and not text.endswith(b"\n"):
                    text = raw.readline(lines.LINE_BYTES)
                continue
        except (OSError, EOFError, zlib.error):  # a packed file that was cut off, or is none further on
            done.refuse(n, "the packed file ends here, or is damaged from here on")
            return
        if not text:
            return
        if text.strip():
            yield n, text
