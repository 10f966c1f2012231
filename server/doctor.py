"""What is wrong with this installation, and the cure: one small check after another."""

from __future__ import annotations

import logging
import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from .. import configs
from ..store import DATABASE, clock, health, wiping
from ..store.db import Database
from ..store.errors import BackstoryError
from . import doorway, files, spool
from .render import counted

log = logging.getLogger(__name__)

# Below it a migration's copy, or a day's work, may not fit.
FREE_BYTES = 200 << 20
# An event waits for a server that is up about two seconds.
WAITING_S = 600
NETWORK = frozenset(
    (
        "nfs",
        "nfs4",
        "cifs",
        "smb3",
        "smbfs",
        "afpfs",
        "ncpfs",
        "fuse.sshfs",
        "9p",
        "ceph",
        "glusterfs",
        "webdav",
    )
)
INSTALL_AGAIN = "pip install --force-reinstall backstory"


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing looked at: whether it is well, in a sentence, and what to do where it is not."""

    ok: bool
    what: str
    cure: str = ""


Check = Callable[[Path], Iterator[Finding]]


def examine(home: Path | None = None) -> list[Finding]:
    """All findings, in order. Never raises: a check that fails is a finding."""
    from .doctor_clients import registrations, servers

    home = (home or configs.home()).absolute()
    checks: tuple[Check, ...] = (
        interpreter, settings, folder, disk, database, forgotten, registrations, servers, queue, embedder, self_test,
    )  # fmt: skip
    return [finding for check in checks for finding in _safely(check, home)]


def _safely(check: Check, home: Path) -> Iterator[Finding]:
    try:
        yield from check(home)
    except BackstoryError as e:
        yield Finding(False, str(e), "do as the sentence says, then run `backstory doctor` again")
    except Exception as e:
        log.exception("the check %s failed", check.__name__)
        yield Finding(False, f"The check of {check.__name__} itself failed: {e!r}", "please report it")


def interpreter(_: Path) -> Iterator[Finding]:
    """Whether this Python has what we need."""
    import apsw

    from ..store.extension import vec0_path

    missing = "ENABLE_FTS5" not in apsw.compile_options
    found = any(Path(f"{vec0_path()}{suffix}").exists() for suffix in (".so", ".dylib", ".dll"))
    if missing or not found:
        yield Finding(False, f"{sys.executable} lacks {'FTS5' if missing else 'sqlite-vec'}", INSTALL_AGAIN)
    else:
        release = ".".join(map(str, sys.version_info[:3]))
        yield Finding(True, f"Python {release}, SQLite {apsw.sqlite_lib_version()} with FTS5 and sqlite-vec")


def settings(home: Path) -> Iterator[Finding]:
    """Whether the settings can be read; those that cannot say so in a sentence."""
    options = configs.load(home)
    yield Finding(True, f"Settings: mode {options.mode}, embedder {options.embedder}, user {options.user}")


def folder(home: Path) -> Iterator[Finding]:
    """Whether the home is ours alone, can be written to, and lies on a disk of this machine."""
    there = home if home.is_dir() else next(f for f in home.parents if f.is_dir())
    stands = files.ground(home)
    if not stands.is_dir():
        what = "There can be no home" if stands == home else f"There can be no home {home}"
        yield Finding(False, f"{what}: {stands} is no folder", "set BACKSTORY_HOME to a folder of yours")
    elif not os.access(there, os.W_OK | os.X_OK):
        yield Finding(
            False, f"{there} cannot be written to", "give yourself write permission, or set BACKSTORY_HOME"
        )
    elif there == home and hasattr(os, "getuid") and home.stat().st_mode & 0o077:
        yield Finding(False, f"Others of this machine can look into {home}", f"chmod 700 '{home}'")
    else:
        yield Finding(True, f"Home: {home}" + ("" if there == home else " (not made yet)"))
    kind = filesystem(there)
    if kind in NETWORK:
        yield Finding(
            False,
            f"{home} lies on a network file system ({kind}), where SQLite's locks cannot be relied on",
            "move it to a local disk and set BACKSTORY_HOME, then install again",
        )


def filesystem(place: Path) -> str | None:
    """The kind of file system that `place` lies on; None where the system does not tell."""
    mounts = Path("/proc/self/mounts")
    if not mounts.exists():
        return None
    best, kind = "", None
    real = os.path.realpath(place)
    for line in mounts.read_text("utf-8", "replace").splitlines():
        _, at, found, *_ = line.split(" ")
        at = at.replace("\\040", " ").replace("\\011", "\t").replace("\\134", "\\")
        inside = f"{real}/".startswith(f"{at.rstrip('/')}/")
        if inside and len(at) >= len(best):
            best, kind = at, found
    return kind


def disk(home: Path) -> Iterator[Finding]:
    """Whether there is room left."""
    there = home if home.is_dir() else next(f for f in home.parents if f.is_dir())
    free = shutil.disk_usage(there).free
    if free < FREE_BYTES:
        yield Finding(False, f"Only {free >> 20} MB are free where {home} lies", "make room on that disk")


def database(home: Path) -> Iterator[Finding]:
    """Whether the file is sound, of this version, and its words' index up to date."""
    path = home / DATABASE
    if not path.exists():
        yield Finding(True, "No memories yet: the file is made when the first one is kept")
        return
    backups = "restore a copy (*.bak beside it), or move it away to begin anew"
    db = Database.open(path, readonly=True)
    try:
        state = db.read(health.look)
    finally:
        db.close()
    if state.newer:
        yield Finding(False, f"{path} was written by a newer Backstory", "pip install --upgrade backstory")
    elif state.damage:
        # An index is made anew from the rows; only damaged rows want a copy.
        indexes = all(any(mark in line for mark in ("FTS5", "_fts", "vector_")) for line in state.damage)
        cure = "backstory reindex" if indexes else backups
        yield Finding(False, f"{path} is damaged: {'; '.join(state.damage)}", cure)
    elif state.schema == 0:
        yield Finding(False, f"{path} is not a Backstory file", backups)
    elif state.lagging:
        what = f"The word index is out of date for {state.lagging:,} of {state.memories:,} memories"
        yield Finding(False, what, "backstory reindex (a running server does it, too, bit by bit)")
    else:
        yield Finding(True, f"{path} is sound; {counted(state.memories, 'version')} of memories")


def forgotten(home: Path) -> Iterator[Finding]:
    """Whether bytes of what was forgotten are still to be wiped from the file."""
    path = home / DATABASE
    if not path.exists():
        return
    db = Database.open(path, readonly=True)
    try:
        pending = None if db.read(health.look).schema == 0 else db.read(wiping.pending)
    finally:
        db.close()
    if pending is not None:
        yield Finding(False, f"What was forgotten is not wiped yet: {pending[1]}", "backstory tend")


def queue(home: Path) -> Iterator[Finding]:
    """Whether events wait longer than they should, or were set aside."""
    waiting = spool.count(home)
    up = doorway.ask(home, "ping") is not None
    old = waiting.oldest_at is not None and clock.now() - waiting.oldest_at > WAITING_S * clock.SECOND_US
    if old and up:
        what = f"{waiting.waiting:,} events of hooks wait though a server is up"
        yield Finding(False, what, f"see {home / 'logs' / 'server.log'}; `backstory tend` takes them in now")
    elif waiting.waiting:
        yield Finding(True, f"{waiting.waiting:,} events of hooks wait for the next server")
    if waiting.quarantined:
        what = f"{waiting.quarantined:,} events could not be read and were set aside"
        yield Finding(False, what, f"look into {home / 'spool' / 'quarantine'}; delete what you do not need")


def embedder(home: Path) -> Iterator[Finding]:
    """Whether vectors are made, or why words answer alone."""
    import json

    if configs.load(home).embedder == "none":
        yield Finding(True, "Embedder: none, by your setting; words answer alone")
        return
    told = doorway.ask(home, "status")
    if told is None:
        yield Finding(
            True, "No server is up, so no embedder is loaded; your client starts one with a session"
        )
        return
    state = json.loads(told).get("embedding") or {}
    trouble, model = state.get("trouble"), state.get("model")
    if trouble or state.get("state") == "off":
        what = f"The embedder does not run: {trouble or 'there is none for this machine'}"
        yield Finding(False, what, "words answer alone meanwhile; `backstory status` shows more")
    else:
        yield Finding(
            True, f"Embedder: {model or 'being loaded'}, {state.get('waiting') or 0:,} memories wait for it"
        )


def self_test(_: Path) -> Iterator[Finding]:
    """Whether a memory can be kept, found and deleted, in a file of its own that is gone afterwards."""
    from .memory import Memory

    word = "kingfisher"
    with (
        tempfile.TemporaryDirectory(prefix="backstory-doctor-") as scratch,
        Memory.open(Path(scratch) / DATABASE, embedder="none") as memory,
    ):
        (kept,) = memory.add(f"The self-test's bird is the {word}.")
        found = [hit.memory.id for hit in memory.search(f"Which bird has the self-test, the {word}?").hits]
        memory.delete(kept.id)
        left = memory.search(word).hits
    if found == [kept.id] and not left:
        yield Finding(True, "Keeping, finding and deleting a memory works")
    else:
        yield Finding(
            False, "A memory that was kept is not found, or stays found when deleted", INSTALL_AGAIN
        )
