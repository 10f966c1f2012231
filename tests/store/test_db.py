"""The file: opening, upgrading, reading beside writing."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
import threading
from contextlib import closing
from pathlib import Path

import apsw
import pytest
from backstory.store import db as module
from backstory.store import migrations
from backstory.store.db import Database
from backstory.store.errors import StoreBusy, StoreDamaged, StoreTooNew
from backstory.store.migrations import LATEST, Migration


def put(con: apsw.Connection, name: str, value: str = "x") -> None:
    con.execute("insert into setting(name, value) values (?, ?)", (name, value))


def names(con: apsw.Connection) -> list[str]:
    return [row[0] for row in con.execute("select name from setting order by name")]


def test_the_file_and_its_folder_are_private(tmp_path: Path) -> None:
    Database.open(tmp_path / "home/backstory.db").close()
    assert (tmp_path / "home").stat().st_mode & 0o777 == 0o700
    assert (tmp_path / "home/backstory.db").stat().st_mode & 0o777 == 0o600


def test_all_writes_of_one_call_are_kept_or_none(db: Database) -> None:
    def half(con: apsw.Connection) -> None:
        put(con, "a")
        raise RuntimeError("halfway")

    with pytest.raises(RuntimeError, match="halfway"):
        db.write(half)
    assert db.read(names) == []
    db.write(put, "b")
    assert db.read(names) == ["b"]


def test_a_read_does_not_wait_for_a_write(db: Database) -> None:
    writing, read = threading.Event(), threading.Event()

    def slow(con: apsw.Connection) -> None:
        put(con, "slow")
        writing.set()
        assert read.wait(5)

    thread = threading.Thread(target=db.write, args=(slow,))
    thread.start()
    assert writing.wait(5)
    assert db.read(names) == []
    read.set()
    thread.join(5)
    assert db.read(names) == ["slow"]


def test_a_write_gives_up_in_time_while_another_process_holds_the_file(db: Database) -> None:
    # Through the same library: two SQLites in one process do not see each other's locks.
    other = apsw.Connection(str(db.path))
    other.execute("begin immediate")
    with pytest.raises(StoreBusy, match="try again"):
        db.write_within(0.05, put, "late")
    other.execute("rollback")
    other.close()
    db.write_within(0.05, put, "now")
    assert db.read(names) == ["now"]


def test_a_newer_file_is_read_and_not_written(tmp_path: Path) -> None:
    path = tmp_path / "backstory.db"
    with_rows = Database.open(path)
    with_rows.write(put, "kept")
    with_rows.write(lambda con: con.pragma("user_version", LATEST + 1))
    with_rows.close()
    old = Database.open(path)
    assert old.readonly
    assert old.read(names) == ["kept"]
    with pytest.raises(StoreTooNew, match="upgrade"):
        old.write(put, "lost")
    old.close()


def test_a_server_stops_writing_once_another_has_upgraded_the_file(db: Database) -> None:
    newer = sqlite3.connect(db.path, isolation_level=None)
    newer.execute(f"pragma user_version = {LATEST + 1}")
    newer.close()
    with pytest.raises(StoreTooNew, match="restart"):
        db.write(put, "lost")
    assert db.read(names) == []


@pytest.mark.parametrize(
    "content", [b"not a database, but long enough to be looked at" * 100, b"\x00" * 4096]
)
def test_a_file_that_is_no_database_is_refused_untouched(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "backstory.db"
    path.write_bytes(content)
    with pytest.raises(StoreDamaged, match="damaged"):
        Database.open(path)
    assert path.read_bytes() == content


def test_another_programs_database_is_refused_untouched(tmp_path: Path) -> None:
    path = tmp_path / "theirs.db"
    other = sqlite3.connect(path)
    other.execute("create table theirs(x)")
    other.commit()
    other.close()
    with pytest.raises(StoreDamaged, match="another program"):
        Database.open(path)
    tables = sqlite3.connect(path)
    assert tables.execute("select name from sqlite_master").fetchall() == [("theirs",)]
    tables.close()


STEP = Migration(LATEST + 1, "a column more", "alter table setting add column note text;")


@pytest.fixture
def an_upgrade(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MIGRATIONS", (*migrations.MIGRATIONS, STEP))
    monkeypatch.setattr(module, "LATEST", STEP.number)


def test_an_upgrade_keeps_every_row_and_a_copy_of_the_file_before_it(
    db: Database, request: pytest.FixtureRequest
) -> None:
    db.write(put, "kept")
    db.close()
    request.getfixturevalue("an_upgrade")
    upgraded = Database.open(db.path)
    assert upgraded.read(lambda con: con.execute("select name, note from setting").fetchall()) == [
        ("kept", None)
    ]
    upgraded.close()
    copy = sqlite3.connect(db.path.with_name(f"backstory.db.{LATEST}.bak"))
    assert copy.execute("select name from setting").fetchall() == [("kept",)]
    assert copy.execute("pragma user_version").fetchone() == (LATEST,)
    copy.close()


def test_an_upgrade_that_fails_leaves_the_file_as_it_was(
    db: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    db.write(put, "kept")
    db.close()
    broken = Migration(
        LATEST + 1, "broken", "alter table setting add column note text; select no_such_column from setting;"
    )
    monkeypatch.setattr(module, "MIGRATIONS", (*migrations.MIGRATIONS, broken))
    with monkeypatch.context() as m:
        m.setattr(module, "LATEST", broken.number)
        with pytest.raises(apsw.SQLError, match="no_such_column"):
            Database.open(db.path)
    monkeypatch.undo()
    same = Database.open(db.path)
    assert same.read(names) == ["kept"]
    same.close()


OPEN = """
import sys
from backstory.store import db
from backstory.store.migrations import Migration, LATEST
if sys.argv[2] == "upgrade":
    step = Migration(LATEST + 1, "a column more", "alter table setting add column note text;")
    db.MIGRATIONS = (*db.MIGRATIONS, step)
    db.LATEST = LATEST + 1
sys.stdin.readline()
opened = db.Database.open(sys.argv[1])
opened.write(lambda con: con.execute("insert into setting(name, value) values (hex(randomblob(8)), '')"))
print(opened.read(lambda con: con.pragma("user_version")), flush=True)
opened.close()
"""


@pytest.mark.parametrize("kind", ["create", "upgrade"])
def test_eight_processes_open_at_once_and_one_of_them_makes_the_schema(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "backstory.db"
    if kind == "upgrade":
        Database.open(path).close()
    started = [
        subprocess.Popen(
            [sys.executable, "-c", OPEN, str(path), kind], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True, env=os.environ.copy(),
        )
        for _ in range(8)
    ]  # fmt: skip
    for process in started:
        assert process.stdin
        process.stdin.write("go\n")
        process.stdin.flush()
    ended = [(process.communicate(timeout=30), process.returncode) for process in started]
    expected = LATEST + (kind == "upgrade")
    assert [(out.strip(), err, code) for (out, err), code in ended] == [(str(expected), "", 0)] * 8
    plain = sqlite3.connect(path)
    assert plain.execute("select count(*) from setting").fetchone() == (8,)
    plain.close()


def test_a_file_moved_away_while_open_is_written_no_more(db: Database) -> None:
    db.write(put, "kept")
    db.path.rename(db.path.with_name("away.db"))
    with pytest.raises(StoreDamaged, match="moved or replaced"):
        db.write(put, "lost")


def test_what_the_disk_says_is_a_sentence(db: Database) -> None:
    db.write(lambda con: con.pragma("max_page_count", con.pragma("page_count")))
    with pytest.raises(StoreDamaged, match="full"):
        db.write(put, "large", "x" * 1_000_000)
    assert db.read(names) == []


def test_the_log_is_cut_though_readers_overlap(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "JOURNAL_LIMIT_BYTES", 256 << 10)
    path, ended = tmp_path / "backstory.db", threading.Event()
    with closing(Database.open(path)) as db:
        db.write(lambda con: con.execute("create table filler(bytes blob)"))

        def read() -> None:
            with closing(Database.open(path, readonly=True)) as other:
                while not ended.is_set():
                    other.read(lambda con: con.execute("select sum(length(bytes)) from filler").fetchall())

        readers = [threading.Thread(target=read) for _ in range(2)]
        for reader in readers:
            reader.start()
        for _ in range(100):
            db.write(lambda con: con.execute("insert into filler values (randomblob(60000))"))
        ended.set()
        for reader in readers:
            reader.join()
        assert path.with_name("backstory.db-wal").stat().st_size < 3 << 20  # without it 6 MB and more
