"""
What a blob of git's became when git wrote it to disk.

Snapshots hold the bytes that are on disk. A file that nobody has edited stands in them as the blob that git has of
it; where git converts line ends on checkout, or Git LFS puts content in the place of a pointer, those are not the
bytes on disk. Nothing comes of it until the file is edited: then its first edit would seem to change every line. So
at that edit we work out what was on disk before, keep it as a blob of ours, and note that it is what git's blob
became (`Expansions`); a comparison takes it in the place of git's. Whether git had converted the file is told by the
size that git noted for it when it last found it clean, so that no attribute has to be read and no filter run.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import re
from pathlib import Path

from .compared import changed_blocks, lines_of

LONE_FEED = re.compile(rb"(?<!\r)\n")
POINTER = re.compile(
    rb"version https://git-lfs\.github\.com/spec/v1\n(?:[a-z0-9.-]+ [^\n]*\n)*?oid sha256:([0-9a-f]{64})\nsize \d+\n"
)
# In the place of an id: nobody knows what was on disk.
UNKNOWN = "-"


def expanded(blob: bytes) -> bytes:
    """The blob with each line ended by carriage return and line feed."""
    return LONE_FEED.sub(b"\r\n", blob)


def was_written_as(blob: bytes, disk: bytes, size: int | None) -> bytes | None:
    """
    What lay on disk of git's blob before an edit made it `disk`; None where that cannot be known.

    Args:
        size: of the file when git last found it clean; None or 0 where git did not note it.
    """
    if POINTER.fullmatch(blob):
        return blob if POINTER.fullmatch(disk) else None
    if b"\r\n" not in disk or size == len(blob):
        return blob
    whole = expanded(blob)
    return whole if size == len(whole) else _with_ends_of(disk, blob)


def _with_ends_of(disk: bytes, blob: bytes) -> bytes:
    """The blob, its lines ended as the same lines are on disk, where ends of both kinds stood."""
    old, new = lines_of(blob), lines_of(disk)
    blocks = changed_blocks(_bare(old), _bare(new))
    out: list[bytes] = []
    at = 0
    for i1, i2, j1, j2 in [*blocks, (len(old), len(old), len(new), len(new))]:
        out += new[at:j1]
        out += [expanded(line) for line in old[i1:i2]]
        at = j2
    return b"".join(out)


def _bare(lines: list[bytes]) -> list[bytes]:
    return [line.replace(b"\r\n", b"\n") for line in lines]


def is_same(blob: bytes, disk: bytes) -> bool:
    """Whether `disk` may be what git wrote for its blob."""
    pointer = POINTER.fullmatch(blob)
    if pointer:
        return disk == blob or hashlib.sha256(disk).hexdigest().encode() == pointer[1]
    return disk == blob or disk.replace(b"\r\n", b"\n") == blob


class Expansions:
    """Which blob of ours is what git's blob of a file was on disk; `UNKNOWN` where no one can say."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._known: dict[tuple[str, str], str] | None = None

    def get(self, path: str, name: str) -> str | None:
        """The blob that it became at that path."""
        return self._all().get((path, name))

    def note(self, path: str, name: str, became: str) -> None:
        """Keep what a blob became."""
        if self._all().get((path, name)) != became:
            self._all()[path, name] = became
            with self._file.open("a", encoding="ascii") as file:
                file.write(json.dumps([path, name, became]) + "\n")

    def _all(self) -> dict[tuple[str, str], str]:
        if self._known is None:
            self._known = {}
            with contextlib.suppress(OSError, ValueError):
                for line in self._file.read_text("ascii").splitlines():
                    path, name, became = json.loads(line)
                    self._known[path, name] = became
        return self._known
