"""What a workspace is like, as far as a quick look tells: languages, versions that its files name, the system."""

from __future__ import annotations

import os
import platform
import re
import time
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

from ..store.models import Packet
from .extract.conditions import Checked, Here, check, from_data
from .extract.work_files import languages

# A look goes so deep and over so many entries; a larger workspace may hold languages that it does not meet.
DEPTH, ENTRIES = 3, 2_000
# How long a look holds, and how much of a file that names a version is read.
HOLDS_S, READ_CHARS = 600, 2_000
_SKIPPED = frozenset(
    ("node_modules", "vendor", "target", "build", "dist", "venv", "__pycache__", "site-packages")
)
# Files that name the version of a tool, and where in them it stands.
_VERSION = re.compile(r"v?(\d+(?:\.\d+){0,3})")
_WHOLE: Mapping[str, str] = {
    ".python-version": "python", ".nvmrc": "node", ".node-version": "node", ".ruby-version": "ruby",
    ".java-version": "java", ".go-version": "go", "rust-toolchain": "rustc",
}  # fmt: skip
_WITHIN: Mapping[str, tuple[tuple[str, re.Pattern[str]], ...]] = {
    "go.mod": (("go", re.compile(r"^go\s+(\d[\d.]*)", re.MULTILINE)),),
    "rust-toolchain.toml": (("rustc", re.compile(r"channel\s*=\s*\"(\d[\d.]*)")),),
    ".tool-versions": tuple(
        (tool, re.compile(rf"^{name}\s+v?(\d[\d.]*)", re.MULTILINE))
        for name, tool in (
            ("python", "python"), ("nodejs", "node"), ("ruby", "ruby"), ("golang", "go"), ("rust", "rustc"),
        )
    ),
}  # fmt: skip


def fitting(packet: Packet, folder: str | None, *, asked: bool = False) -> Packet:
    """
    The packet without experiences whose boundary conditions are not met in a folder's workspace; where experiences are
    `asked` for they stay, with a remark.
    """
    hits = []
    for hit in packet.hits:
        found = (
            checked(hit.memory.data.get("conditions"), folder) if hit.memory.kind == "experience" else None
        )
        if found is None or found.met != "not_met":
            hits.append(hit)
        elif asked:
            hits.append(replace(hit, remark=found.reason))
    return replace(packet, hits=tuple(hits))


def checked(conditions: object, folder: str | None) -> Checked:
    """Whether the boundary conditions that an experience keeps are met in a folder's workspace, and why."""
    # Whether it is of this repository is a matter of scope, which the search has seen to.
    wanted = replace(from_data(conditions), repository=None)
    return check(wanted, here(folder))


def here(folder: str | None) -> Here:
    """The workspace of a folder. A look is remembered for ten minutes; an unreadable folder is one not looked at."""
    known = _look(folder, int(time.monotonic() // HOLDS_S)) if folder else Here()
    return replace(known, system=platform.system())


@lru_cache(64)
def _look(folder: str, _: int) -> Here:
    paths, whole = _files(folder)
    found = frozenset(languages(paths))
    return Here(languages=found if whole else None, versions=dict(_versions(Path(folder))))


def _files(folder: str) -> tuple[list[str], bool]:
    """The names of a folder's files, and whether these are all down to `DEPTH`."""
    found: list[str] = []
    waiting = [(folder, 0)]
    while waiting:
        at, depth = waiting.pop(0)
        try:
            entries = list(os.scandir(at))
        except OSError:
            return found, False
        for entry in entries:
            if len(found) >= ENTRIES:
                return found, False
            if entry.is_dir(follow_symlinks=False):
                if depth + 1 < DEPTH and not entry.name.startswith(".") and entry.name not in _SKIPPED:
                    waiting.append((entry.path, depth + 1))
            else:
                found.append(entry.name)
    return found, True


def _versions(folder: Path) -> Iterator[tuple[str, str]]:
    for name, tool in _WHOLE.items():
        if told := _VERSION.match(_read(folder / name).strip()):
            yield tool, told[1]
    for name, tools in _WITHIN.items():
        text = _read(folder / name)
        for tool, pattern in tools:
            if told := pattern.search(text):
                yield tool, told[1]


def _read(path: Path) -> str:
    try:
        with path.open(encoding="utf-8", errors="replace") as file:
            return file.read(READ_CHARS)
    except OSError:
        return ""
