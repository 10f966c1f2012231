"""Files of ours beside the database, where forgotten words may stand: spool, logs, snapshots, what was left behind."""

from __future__ import annotations

import contextlib
import os
import zlib
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from ..store import standing
from ..store.errors import BackstoryError
from ..store.wording import Words
from .git import git_files, kept
from .git.snapshots import Snapshots

# Put in the place of forgotten bytes of a log, one for one: the server that writes it goes on at the end.
STARS = b"*"
# No file of ours beside the database and its copies comes near it.
MOST_BYTES = 64 << 20
# Of more passages than this (a whole session, a month) not each is looked for: what may hold one is taken for it.
MANY = 300


def drop_spooled(home: Path, *words: Words) -> int:
    """Take out spooled events that hold any of those words, also such as were set aside; how many."""
    gone = 0
    for path in _files(home / "spool"):
        text = _text(_read(path))
        if any(one.whole_in(text) for one in words):
            with contextlib.suppress(OSError):
                path.unlink()
                gone += 1
    return gone


def blank_logs(home: Path, words: Words) -> None:
    """Overwrite those words in the logs, in place; where there are very many, all that the logs hold."""
    for path in _files(home / "logs"):
        raw = _read(path)
        many = len(words.given) > MANY
        if spans := [(at, len(line)) for at, line in _lines(raw)] if many else _spans(raw, words):
            with contextlib.suppress(OSError), path.open("r+b") as file:
                for at, length in spans:
                    file.seek(at)
                    file.write(STARS * length)
                file.flush()
                os.fsync(file.fileno())


def _spans(raw: bytes, words: Words) -> list[tuple[int, int]]:
    """Where words stand in the bytes of a log, and how long they are: in a line; over several, or escaped, as given."""
    found = []
    for at, line in _lines(raw):
        text = line.decode("utf-8", "surrogateescape")
        for start, end in words.spans(text):
            before, there = (
                part.encode("utf-8", "surrogateescape") for part in (text[:start], text[start:end])
            )
            found.append((at + len(before), len(there)))
    low = raw.lower()
    for form in standing.forms(words.given):
        if "\\" in form or "\n" in form:
            there = form.encode("utf-8", "replace")
            found += [(at, len(there)) for at in _places(low, there)]
    return found


def drop_snapshots(home: Path, words: Words, worktrees: Iterable[str], *, everything: bool) -> None:
    """Drop the snapshots of those worktrees, and such as hold any of those words, also in longer ones: a cache."""
    everything = everything or len(words.given) > MANY
    named = {folder for worktree in worktrees if (folder := _snapshots_of(home, worktree))}
    for folder in sorted((home / "snapshots").glob("*")):
        if everything or folder in named or _snapshot_holds(folder, words):
            with contextlib.suppress(OSError):
                kept.drop(folder)


def _snapshots_of(home: Path, worktree: str) -> Path | None:
    try:
        where = git_files.look(worktree)
        return None if where is None else Snapshots(home, where).folder
    except (BackstoryError, OSError):
        return None


def _snapshot_holds(folder: Path, words: Words) -> bool:
    return any(words.stand(_text(_unpacked(path))) for path in _files(folder))


def _unpacked(path: Path) -> bytes:
    """A file's bytes; of an object of git's what it holds."""
    raw = _read(path)
    try:
        return zlib.decompress(raw)
    except zlib.error:
        return raw


def holding(home: Path, words: Words) -> tuple[str, ...]:
    """Other files of ours that hold any of those words: not the database, its log, or copies of it."""
    return tuple(str(path) for path in _others(home) if words.whole_in(_text(_read(path))))


def _others(home: Path) -> Iterator[Path]:
    for path in _files(home):
        if ".db" not in path.name and path.parent.name != "run":
            yield path


def backups(
    home: Path, database: Path, listed: Iterable[str], words: Words, *, packed: bool
) -> tuple[str, ...]:
    """
    The copies of the file that hold any of those words. `packed`: code was forgotten, which a copy holds compressed;
    then all are named.
    """
    beside = {*home.glob(f"{database.name}*.bak"), *home.glob(f"{database.name}*.part")}
    packed = packed or len(words.given) > MANY
    found = sorted({*beside, *(Path(one) for one in listed if one)})
    return tuple(str(path) for path in found if path.is_file() and (packed or _file_holds(path, words.given)))


def _file_holds(path: Path, words: Sequence[str]) -> bool:
    forms = _forms(words)
    if not forms:
        return False
    overlap = max(map(len, forms)) - 1
    tail = b""
    with contextlib.suppress(OSError), path.open("rb") as file:
        while piece := file.read(MOST_BYTES):
            raw = (tail + piece).lower()
            if any(form in raw for form in forms):
                return True
            tail = piece[-overlap:] if overlap else b""
    return False


def _files(folder: Path) -> list[Path]:
    return [path for path in sorted(folder.rglob("*")) if path.is_file() and not path.is_symlink()]


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes() if path.stat().st_size <= MOST_BYTES else b""
    except OSError:
        return b""


def _text(raw: bytes) -> str:
    return raw.decode("utf-8", "replace")


def _lines(raw: bytes) -> Iterator[tuple[int, bytes]]:
    at = 0
    for line in raw.split(b"\n"):
        yield at, line
        at += len(line) + 1


def _forms(words: Sequence[str]) -> list[bytes]:
    return [form.encode("utf-8", "replace") for form in standing.forms(words)]


def _places(raw: bytes, form: bytes) -> Iterator[int]:
    at = raw.find(form)
    while at >= 0:
        yield at
        at = raw.find(form, at + len(form))
