"""The file: how it is opened, read, written and brought up to date. Every pragma and extension is said here."""

from __future__ import annotations

import os
import random
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Concatenate, ParamSpec, TypeVar

import apsw

from . import before_upgrade
from .driver_errors import told
from .errors import StoreBusy, StoreDamaged, StoreTooNew
from .extension import vec0_path
from .migrations import LATEST, MIGRATIONS

P = ParamSpec("P")
T = TypeVar("T")

BUSY_MS = 10_000
# Halves a vector scan of 100,000 rows against the default 2 MB cache.
MMAP_BYTES = 1 << 30
CACHE_KIB = 4096
JOURNAL_LIMIT_BYTES = 16 << 20
# A log over its limit is cut when it has grown by this since the last vain try, waiting so long for readers.
LOG_GROWS_BY = 1.25
CHECKPOINT_PATIENCE_S = 0.2
LONGEST_WAIT_S = 0.015
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
        self._file = identity(path)
        self._waits_until = 0.0
        self._log = path.with_name(path.name + "-wal")
        self._log_tried_at = 0
        if writer is not None:
            writer.set_busy_handler(self._wait)

    @classmethod
    def open(cls, path: Path | str, *, readonly: bool = False) -> Database:
        """
        The database at `path`, created and brought up to date where needed. A file that was written by a newer
        version, or that cannot be written to, is opened read-only: see `readonly`.

        Raises:
            StoreDamaged: the file is not a database, or not ours.
            StoreBusy: another process kept it locked for ten seconds.
            OSError: its folder cannot be made.
        """
        path = Path(path)
        if str(path) == ":memory:":
            return cls._open_in_memory()
        writer: apsw.Connection | None = None
        was = identity(path)
        try:
            if not readonly:
                writer = _writer(path)
            reader = connect(path, readonly=True)
        except apsw.Error as e:
            if writer is not None:
                writer.close()
            raise told(e, path) from e
        opened = cls(path, reader, writer)
        if was is not None and was != identity(path):
            opened.close()
            raise StoreBusy(f"{path} was replaced just now; try again.")
        return opened

    @classmethod
    def _open_in_memory(cls) -> Database:
        # One connection behind both names: an in-memory file has no second door.
        con = connect(Path(":memory:"))
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
            try:
                con.execute("begin")
                try:
                    return fn(con, *args, **kwargs)
                finally:
                    if con.in_transaction:
                        con.execute("commit")
            except apsw.Error as e:
                raise told(e, self.path) from e

    @contextmanager
    def apart(self) -> Iterator[apsw.Connection]:
        """
        A connection of its own at one moment of the file, for a reading that takes long; nobody waits for it. It may
        hold temporary tables, and writes nothing else.
        """
        if self._reader is self._writer:
            with self._reading:
                yield self._reader
            return
        try:
            con = connect(self.path, readonly=True)
        except apsw.Error as e:
            raise told(e, self.path) from e
        try:
            con.pragma("query_only", False)
            con.execute("begin")
            yield con
        except apsw.Error as e:
            raise told(e, self.path) from e
        finally:
            con.close()

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
                f"{self.path} is read-only: a newer Backstory wrote it (then upgrade this one), or its folder "
                "cannot be written to."
            )
        if identity(self.path) != self._file:
            # What is written now would go to a file that nobody will open again.
            raise StoreDamaged(f"{self.path} was moved or replaced while it was open; restart this server.")
        ends = time.monotonic() + timeout_s
        if not self._writing.acquire(timeout=timeout_s):
            raise StoreBusy("The memory file is busy; try again in a moment.")
        try:
            self._waits_until = ends
            value = _transact(self._writer, fn, *args, **kwargs)
            self._bound_log()
        except apsw.Error as e:
            raise told(e, self.path) from e
        else:
            return value
        finally:
            self._writing.release()

    def log_bytes(self) -> int:
        """How long the write-ahead log is."""
        try:
            return self._log.stat().st_size
        except OSError:
            return 0

    def alone(self, fn: Callable[[apsw.Connection], T]) -> T:
        """What `fn(connection)` returns, outside any transaction: for what SQLite does in none, as `vacuum`."""
        if self._writer is None:
            raise StoreTooNew(f"{self.path} is read-only.")
        with self._writing:
            self._waits_until = time.monotonic() + BUSY_MS / 1000
            try:
                return fn(self._writer)
            except apsw.Error as e:
                raise told(e, self.path) from e

    def checkpoint(self) -> bool:
        """Move the write-ahead log into the file and cut it to nothing; False while readers hold it."""
        if self._writer is None:
            return False
        with self._writing:
            return self._checkpoint(patience_s=0)

    def _checkpoint(self, *, patience_s: float) -> bool:
        assert self._writer is not None
        self._waits_until = time.monotonic() + patience_s
        try:
            busy, _, _ = next(iter(self._writer.execute("pragma wal_checkpoint(truncate)")))
        except apsw.Error:  # what was written stays written
            return False
        return not busy

    def _bound_log(self) -> None:
        """
        Cut the write-ahead log once it is over its limit. SQLite's own checkpoints never shorten it while readers
        overlap (335 MB after 4,000 writes); this one makes new readers do without the log until the old are done.
        """
        try:
            size = self._log.stat().st_size
        except OSError:
            return
        if size <= JOURNAL_LIMIT_BYTES:
            self._log_tried_at = 0
        elif size > self._log_tried_at * LOG_GROWS_BY:
            self._log_tried_at = 0 if self._checkpoint(patience_s=CHECKPOINT_PATIENCE_S) else size

    def _wait(self, tries: int) -> bool:
        """
        Sleep a moment and try again, until the write's time is up. SQLite's own waits grow to 100 ms, and of eight
        writers one starved for ten seconds beside those that wait less.
        """
        left_s = self._waits_until - time.monotonic()
        if left_s <= 0:
            return False
        longest_s = min(LONGEST_WAIT_S, 0.001 * (tries + 1), left_s)
        time.sleep(random.uniform(0.2, 1) * longest_s)  # noqa: S311 - so that two do not wait in step
        return True

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


def _writer(path: Path) -> apsw.Connection | None:
    """The writing connection; None where the file, or its folder, may be read only."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    _check_ours(path)
    try:
        writer = connect(path)
    except (apsw.CantOpenError, apsw.ReadOnlyError):
        if path.exists():
            return None
        raise
    try:
        if migrate(writer, path):
            return writer
    except apsw.ReadOnlyError:
        pass
    except BaseException:
        writer.close()
        raise
    writer.close()
    return None


def _check_ours(path: Path) -> None:
    """Refuse another program's database before a single pragma is set in it."""
    if not path.exists() or not path.stat().st_size:
        return
    con = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
    try:
        tables = next(iter(con.execute("select count(*) from sqlite_schema")))[0]
        if tables and con.pragma("application_id") != APPLICATION_ID:
            raise StoreDamaged(f"{path} is a database of another program; name another file.")
    except (apsw.CantOpenError, apsw.BusyError, apsw.ReadOnlyError):
        return  # what is really wrong is found out when it is opened for good
    finally:
        con.close()


def identity(path: Path) -> tuple[int, int] | None:
    """Which file lies there, by the file system's own count."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def connect(path: Path, *, readonly: bool = False) -> apsw.Connection:
    """A connection to the file as every one here is, which is made where it is not there and may be written to."""
    flags = apsw.SQLITE_OPEN_READWRITE | (0 if readonly else apsw.SQLITE_OPEN_CREATE)
    new = str(path) != ":memory:" and not path.exists()
    if new:
        # Private from its first byte: the mode is set before anything is in it.
        os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))
    name = str(path)
    if readonly and not path.with_name(path.name + "-wal").exists() and not os.access(path.parent, os.W_OK):
        # Nobody can write there, not even the log that a reader shares with writers: so the file will not change.
        name, flags = (
            f"{path.absolute().as_uri()}?immutable=1",
            apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI,
        )
    con = apsw.Connection(name, flags=flags)
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
    Bring the schema up to date, all steps that are wanting in one transaction; False where the file is newer than this
    program.

    The change of an existing file is preceded by a copy beside it (`backstory.db.<version>.bak`).
    """
    version = con.pragma("user_version")
    if version > LATEST:
        return False
    if version < LATEST:
        _upgrade(con, path)
    return True


def _upgrade(con: apsw.Connection, path: Path | None) -> None:
    con.execute("begin immediate")
    try:
        # Another process may have done it while we waited for the lock.
        version = con.pragma("user_version")
        if 0 < version < LATEST and path is not None:
            before_upgrade.keep(path, version, connect)
        for step in MIGRATIONS:
            if step.number > version:
                con.execute(step.sql)
                con.pragma("user_version", step.number)
        con.pragma("application_id", APPLICATION_ID)
        con.execute("commit")
    except BaseException:
        if con.in_transaction:
            con.execute("rollback")
        raise
