"""Git's raw records: where two trees, or a tree and an index, differ."""

from __future__ import annotations

import re
from dataclasses import dataclass

from .trees import Entry

RAW = ("-r", "--raw", "-z", "--no-abbrev", "--ignore-submodules=none")
RECORD = re.compile(r":(\d+) (\d+) ([0-9a-f]+) ([0-9a-f]+) (?:([A-QS-Z])\d*\0|(R)\d*\0([^\0]*)\0)([^\0]*)\0")


@dataclass(frozen=True, slots=True)
class Pair:
    """What two trees, or a tree and an index, have at a path; None for nothing. `status` is git's letter."""

    path: str
    before: Entry | None
    after: Entry | None
    status: str


def pairs(raw: bytes) -> list[Pair]:
    """Git's raw records, without renames."""
    return [pair for pair, _ in _records(raw)]


def pairs_and_patch(out: bytes) -> tuple[list[tuple[Pair, str | None]], bytes]:
    """Git's raw records, each with the path that it was renamed from, and the patch that follows them."""
    raw, _, patch = out.partition(b"\0\0")
    return _records(raw + b"\0"), patch


def _records(raw: bytes) -> list[tuple[Pair, str | None]]:
    text = raw.decode("utf-8", "surrogateescape")
    return [
        (Pair(path, _entry(old_mode, old), _entry(new_mode, new), letter or renamed), old_path or None)
        for old_mode, new_mode, old, new, letter, renamed, old_path, path in RECORD.findall(text)
    ]


def _entry(mode: str, name: str) -> Entry | None:
    return None if mode == "000000" else Entry(mode, name)
