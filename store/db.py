"""The file: how it is opened, read, written and brought up to date. Every pragma and extension is said here."""

from __future__ import annotations

import os
import shutil
import threading
import time
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Concatenate, ParamSpec, TypeVar

import apsw

from .errors import StoreBusy, StoreDamaged, StoreTooNew
from .migrations import LATEST, MIGRATIONS, Migration

P = ParamSpec("P")
T = TypeVar("T")

BUSY_MS = 10_000
# Halves a vector scan of 100,000 rows against the default 2 MB cache.
MMAP_BYTES = 1 << 30
CACHE_KIB = 4096
JOURNAL_LIMIT_BYTES = 16 << 20
APPLICATION_ID = 0x4241434B  # "BACK"


class Database:
    """
    One SQLite file, open in this process: a reading and a writing connection, each behind its own lock, so that
    a read never waits for a write. Callable from any thread.
    """

    def __init__(self, path: Path, reader: apsw.Connection, writer: apsw.Connection | None) -> None:
        self.path = path
        self._reader = reader
        self._writer = writer
        self._reading = threading.Lock()
        self._writing = threading.Lock()

    @classmethod
    def open(cls, path: Path | str, *, readonly: bool = False) -> Database:
        """
        The database at `path`, created and brought up to date where needed.

        Raises:
            StoreTooNew: never; a newer file is opened read-only, see `readonly`.
            StoreDamaged: the file is not a database, or not ours.
            StoreBusy: another process kept it locked for ten seconds.
        """
        path = Path(path)
        if str(path) == ":memory:":
            return cls._open_in_memory()
        try:
            if not readonly:
                _make_folder(path.parent)
                writer = _connect(path)
                if not migrate(writer, path):
                    writer.close()
                    readonly = True
            reader = _connect(path, readonly=True)
        except apsw.BusyError as e:
            raise StoreBusy(f"{path} is locked by another process; try again in a moment.") from e
        except (apsw.NotADBError, apsw.CorruptError) as e:
            raise StoreDamaged(
                f"{path} is not a readable Backstory file ({e}); run `backstory doctor`."
            ) from e
        except apsw.CantOpenError as e:
            raise StoreDamaged(
                f"{path} cannot be opened ({e}); check that it exists and its permissions."
            ) from e
        return cls(path, reader, None if readonly else writer)

    @classmethod
    def _open_in_memory(cls) -> Database:
        # One connection behind both names: an in-memory file has no second door.
        con = _connect(Path(":memory:"))
        migrate(con, None)
        db = cls(Path(":memory:"), con, con)
        db._reading = db._writing
        return db

    @property
    def readonly(self) -> bool:
        """Whether writes are refused, as for a file made by a newer version."""
        return self._writer is None

    def read(self, fn: Callable[Concatenate[apsw.Connection, P], T], *args: P.args, **kwargs: P.kwargs) -> T:
        """What `fn(connection, …)` returns, in one read transaction: one moment of the file."""
        with self._reading:
            con = self._reader
            con.execute("begin")
            try:
                return fn(con, *args, **kwargs)
            finally:
                con.execute("commit" if con.in_transaction else "select 1")

    def write(self, fn: Callable[Concatenate[apsw.Connection, P], T], *args: P.args, **kwargs: P.kwargs) -> T:
        """What `fn(connection, …)` returns, all of its writes or none. Waits up to ten seconds for the lock."""
        return self.write_within(BUSY_MS / 1000, fn, *args, **kwargs)

    def write_within(
        self,
        timeout_s: float,
        fn: Callable[Concatenate[apsw.Connection, P], T],
        *args: P.args,
        **kwargs: P.kwargs,
    ) -> T:
        """
        As `write`, waiting at most `timeout_s` for other writers, of this process or another.

        Raises:
            StoreBusy: the lock was not to be had in time; nothing was written.
            StoreTooNew: the file is open read-only, or another process has upgraded it since.
        """
        if self._writer is None:
            raise StoreTooNew(
                f"{self.path} was written by a newer Backstory (schema above {LATEST}); "
                "upgrade this one: memory is read-only until then."
            )
        ends = time.monotonic() + timeout_s
        if not self._writing.acquire(timeout=timeout_s):
            raise StoreBusy("The memory file is busy; try again in a moment.")
        try:
            self._writer.set_busy_timeout(max(1, int((ends - time.monotonic()) * 1000)))
            return _transact(self._writer, fn, *args, **kwargs)
        except apsw.BusyError as e:
            raise StoreBusy("The memory file is locked by another process; try again in a moment.") from e
        finally:
            self._writing.release()

    def checkpoint(self) -> bool:
        """Move the write-ahead log into the file and cut it to nothing; False while readers hold it."""
        if self._writer is None:
            return False
        with self._writing:
            self._writer.set_busy_timeout(0)
            try:
                busy, _, _ = next(iter(self._writer.execute("pragma wal_checkpoint(truncate)")))
            except apsw.BusyError:
                return False
            return not busy

    def close(self) -> None:
        """Let go of the file. A second call does nothing."""
        with self._reading:
            self._reader.close()
        if self._writer is not None and self._writer is not self._reader:
            with self._writing:
                self._writer.close()


def _transact(con: apsw.Connection, fn: Callable[..., T], *args: Any, **kwargs: Any) -> T:
    con.execute("begin immediate")
    try:
        version = con.pragma("user_version")
        if version > LATEST:
            raise StoreTooNew(
                "The memory file was upgraded by a newer Backstory; restart this one after upgrading."
            )
        value = fn(con, *args, **kwargs)
        con.execute("commit")
    except BaseException:
        if con.in_transaction:
            con.execute("rollback")
        raise
    return value


def _make_folder(folder: Path) -> None:
    if not folder.exists():
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)


def vec0_path() -> str:
    """Where sqlite-vec's extension lies. Importing the package would import numpy: 141 ms, 22 MB."""
    spec = find_spec("sqlite_vec")
    if spec is None or not spec.submodule_search_locations:
        raise StoreDamaged("The package sqlite-vec is missing; install Backstory again.")
    return str(Path(spec.submodule_search_locations[0]) / "vec0")


def _connect(path: Path, *, readonly: bool = False) -> apsw.Connection:
    flags = apsw.SQLITE_OPEN_READWRITE | (0 if readonly else apsw.SQLITE_OPEN_CREATE)
    new = str(path) != ":memory:" and not path.exists()
    if new:
        # Private from its first byte: the mode is set before anything is in it.
        os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))
    con = apsw.Connection(str(path), flags=flags)
    con.set_busy_timeout(BUSY_MS)
    con.enable_load_extension(True)
    con.load_extension(vec0_path())
    con.enable_load_extension(False)
    con.pragma("secure_delete", True)
    con.pragma("foreign_keys", True)
    con.pragma("mmap_size", MMAP_BYTES)
    con.pragma("cache_size", -CACHE_KIB)
    con.pragma("temp_store", "memory")
    if readonly:
        con.pragma("query_only", True)
        return con
    if con.pragma("journal_mode") != "wal":
        con.pragma("journal_mode", "wal")
    # An acknowledged write survives a power cut: about 2 ms each, and writes are few.
    con.pragma("synchronous", "full")
    con.pragma("journal_size_limit", JOURNAL_LIMIT_BYTES)
    con.wal_autocheckpoint(1000)
    return con


def migrate(con: apsw.Connection, path: Path | None) -> bool:
    """
    Bring the schema up to date, each step in one transaction; False where the file is newer than this program.

    The first change of an existing file is preceded by a copy beside it (`backstory.db.<version>.bak`).
    """
    version = con.pragma("user_version")
    if version > LATEST:
        return False
    if version == 0 and con.pragma("application_id") not in (0, APPLICATION_ID):
        raise StoreDamaged(f"{path} is a database of another program; name another file.")
    for step in MIGRATIONS:
        if step.number > version:
            _apply(con, path, step)
    return True


def _apply(con: apsw.Connection, path: Path | None, step: Migration) -> None:
    con.execute("begin immediate")
    try:
        # Another process may have done it while we waited for the lock.
        version = con.pragma("user_version")
        if version < step.number:
            if version == 0 and next(iter(con.execute("select count(*) from sqlite_schema")))[0]:
                raise StoreDamaged(f"{path} holds tables of another program; name another file.")
            if version and path is not None:
                _backup(path, version)
            con.execute(step.sql)
            con.pragma("application_id", APPLICATION_ID)
            con.pragma("user_version", step.number)
        con.execute("commit")
    except BaseException:
        if con.in_transaction:
            con.execute("rollback")
        raise


def _backup(path: Path, version: int) -> None:
    """A copy of the file as it is, made under the lock that the upgrade holds; an existing one stands."""
    target = path.with_name(f"{path.name}.{version}.bak")
    if target.exists():
        return
    partial = target.with_suffix(".part")
    if shutil.disk_usage(path.parent).free < 2 * path.stat().st_size:
        raise StoreDamaged(
            f"No room for a copy of {path} before its upgrade; free {path.stat().st_size:,} bytes."
        )
    partial.unlink(missing_ok=True)
    os.close(os.open(partial, os.O_CREAT | os.O_RDWR, 0o600))
    # From a connection of its own: the one that holds the lock cannot be read from.
    whole, copy = _connect(path, readonly=True), apsw.Connection(str(partial))
    try:
        with copy.backup("main", whole, "main") as backup:
            backup.step()
    finally:
        copy.close()
        whole.close()
    partial.replace(target)
