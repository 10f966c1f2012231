"""What install changed in a client's files, so that uninstall can give back the very same bytes."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from difflib import SequenceMatcher
from pathlib import Path
from typing import Any

from ..store.errors import BackstoryError

VERSION = 1

# Where our text stands in a file, and what stood there before: enough to undo, without a copy of a file that
# may hold the user's keys.
Undo = tuple[int, int, str]


@dataclass(frozen=True, slots=True)
class Written:
    """One file as we left it. `undo` is None where we made the file; `made` names the containers we added."""

    path: str
    sha256: str
    undo: tuple[Undo, ...] | None
    made: tuple[tuple[str, ...], ...] = ()
    folders: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Rules:
    """A project whose rules file is kept up to date, by its user's wish; `files` are those we made in it."""

    project: str
    files: tuple[str, ...]
    folders: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Journal:
    """All that one client's registration changed."""

    client: str
    release: str
    files: tuple[Written, ...] = ()
    rules: tuple[Rules, ...] = ()
    v: int = field(default=VERSION)

    def of(self, path: Path) -> Written | None:
        """What we wrote at that path."""
        return next((written for written in self.files if written.path == str(path)), None)

    def encode(self) -> bytes:
        """As the journal's file holds it."""
        return json.dumps(asdict(self), ensure_ascii=False, indent=1).encode("utf-8", "surrogateescape")


def place(home: Path, client: str) -> Path:
    """Where that client's journal is kept."""
    return home / "install" / f"{client}.json"


def load(home: Path, client: str) -> Journal | None:
    """
    That client's journal; None where it was never registered from this home.

    Raises:
        BackstoryError: it is there and cannot be read.
    """
    path = place(home, client)
    try:
        raw = json.loads(path.read_bytes().decode("utf-8", "surrogateescape"))
        if raw["v"] > VERSION:
            raise BackstoryError(
                f"{path} was written by a newer Backstory; upgrade this one and run it again."
            )
        files = tuple(_written(item) for item in raw["files"])
        rules = tuple(Rules(r["project"], tuple(r["files"]), tuple(r["folders"])) for r in raw["rules"])
        return Journal(raw["client"], raw["release"], files, rules)
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, TypeError) as e:
        raise BackstoryError(
            f"{path} cannot be read ({e}); remove it and run the command again: "
            "our entries are then found by what they say."
        ) from e


def _written(item: dict[str, Any]) -> Written:
    undo = None if item["undo"] is None else tuple((int(a), int(b), str(old)) for a, b, old in item["undo"])
    made = tuple(tuple(path) for path in item["made"])
    return Written(item["path"], item["sha256"], undo, made, tuple(item["folders"]))


def digest(raw: bytes) -> str:
    """A file's content in 64 hex digits."""
    return hashlib.sha256(raw).hexdigest()


def undo_of(before: str, after: str) -> tuple[Undo, ...]:
    """What turns `after` into `before` again, last place first."""
    head = _same(before, after)
    tail = _same(before[head:][::-1], after[head:][::-1])
    old = before[head : len(before) - tail].splitlines(keepends=True)
    new = after[head : len(after) - tail].splitlines(keepends=True)
    places = list(_places(old, new, head))
    return tuple(reversed(places))


def _places(old: Sequence[str], new: Sequence[str], start: int) -> Iterator[Undo]:
    at = [start]
    for line in new:
        at.append(at[-1] + len(line))
    for kind, i1, i2, j1, j2 in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if kind != "equal":
            was, now = "".join(old[i1:i2]), "".join(new[j1:j2])
            same = _same(was, now)
            end = _same(was[same:][::-1], now[same:][::-1])
            yield at[j1] + same, at[j2] - end, was[same : len(was) - end]


def _same(one: str, other: str) -> int:
    """How many characters both begin with."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def undone(after: str, undo: Sequence[Undo]) -> str:
    """The text as it was before us."""
    for start, end, old in undo:
        after = after[:start] + old + after[end:]
    return after
