"""A copy of the file while others write, and the copy put back without what was forgotten since."""

from __future__ import annotations

import gzip
import os
import re
import sqlite3
import threading
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from backstory import Memory
from backstory.pipelines.exchange.carry_out import carry_out
from backstory.store import copies, tombstones
from backstory.store.db import APPLICATION_ID, Database
from backstory.store.errors import BadInput, StoreBusy, StoreDamaged, StoreTooNew
from backstory.store.migrations import LATEST, MIGRATIONS
from backstory.store.rows import fetch

from .exchanging import state


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A home with two memories."""
    with Memory.open(tmp_path / "home" / "backstory.db", embedder="none") as memory:
        memory.add("Releases are cut on Thursdays.")
        memory.add("缓存三秒后变热。")
    return tmp_path / "home"


def opened(home: Path) -> Memory:
    return Memory.open(home / "backstory.db", embedder="none")


def texts(home: Path) -> list[str]:
    with opened(home) as memory:
        return sorted(one.text for one in memory.list(workspace="all").memories)


def test_a_backup_is_a_file_of_its_own_that_is_known_of(home: Path) -> None:
    with opened(home) as memory:
        done = memory.backup()
        again = memory.backup()
        assert memory.db.read(copies.known) == [str(done.path), str(again.path)]
    assert done.path.parent == home / "backups"
    assert (done.path.stat().st_mode & 0o777, done.path.parent.stat().st_mode & 0o777) == (0o600, 0o700)
    assert sorted(path.name for path in done.path.parent.iterdir()) == sorted(
        [done.path.name, again.path.name]
    )
    with Memory.open(done.path, embedder="none") as copy, opened(home) as memory:
        assert state(copy.db) == state(memory.db)


def test_a_name_that_is_taken_is_refused(home: Path, tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("something")
    with opened(home) as memory, pytest.raises(BadInput, match="exists already"):
        memory.backup(tmp_path / "taken")
    assert (tmp_path / "taken").read_text() == "something"


def test_a_backup_is_of_one_moment_while_others_write(home: Path, tmp_path: Path) -> None:
    stop = threading.Event()

    def write() -> None:
        with opened(home) as other:
            n = 0
            while not stop.is_set():
                n += 1
                other.add(f"Number {n} was written meanwhile.")

    busy = threading.Thread(target=write)
    busy.start()
    try:
        with opened(home) as memory:
            done = [memory.backup(tmp_path / f"copy{n}") for n in range(3)]
    finally:
        stop.set()
        busy.join()
    for one in done:
        with closing(Database.open(one.path)) as copy:
            rows = copy.read(
                fetch,
                "select (select count(*) from event), (select count(*) from memory), (select count(*) from terms)",
            )
            assert len(set(rows[0])) == 1
            assert copy.read(fetch, "pragma foreign_key_check") == []


def test_a_backup_takes_the_place_of_the_file_which_is_kept(home: Path) -> None:
    with opened(home) as memory:
        saved = memory.backup().path
        memory.add("Said after the backup.")
    done = Memory.restore(saved, home / "backstory.db")
    assert texts(home) == ["Releases are cut on Thursdays.", "缓存三秒后变热。"]
    assert done.aside is not None
    con = sqlite3.connect(done.aside)
    assert con.execute("select count(*) from memory").fetchone() == (3,)
    con.close()
    assert {(home / name).stat().st_mode & 0o777 for name in ("backstory.db", done.aside.name)} == {0o600}
    # Nothing of the way there is left, and the copy knows of itself.
    assert sorted(path.name for path in home.iterdir()) == sorted(
        ["backstory.db", "backups", done.aside.name]
    )
    with opened(home) as memory:
        assert memory.db.read(copies.known) == [str(saved)]


def test_a_backup_is_put_where_there_is_no_file_yet(home: Path, tmp_path: Path) -> None:
    with opened(home) as memory:
        saved = memory.backup().path
    assert Memory.restore(saved, tmp_path / "new" / "backstory.db").aside is None
    assert texts(tmp_path / "new") == texts(home)


def test_what_was_forgotten_since_does_not_come_back(home: Path) -> None:
    with opened(home) as memory:
        saved = memory.backup().path
        ((event, said),) = memory.db.read(
            fetch, "select ulid, content from event where content like 'Releases%'"
        )

        def forget(con: Any) -> None:
            tombstones.bury_rows(con, [event], now=memory.now())
            tombstones.bury_contents(con, [said], now=memory.now())
            carry_out(con, tombstones.every(con), now=memory.now(), cut=None)

        memory.db.write(forget)
    done = Memory.restore(saved, home / "backstory.db")
    assert done.forgotten == 2
    assert texts(home) == ["缓存三秒后变热。"]
    raw = (home / "backstory.db").read_bytes()
    assert said.encode() not in raw
    assert "缓存三秒后变热。".encode() in raw
    with opened(home) as memory:
        assert memory.db.read(tombstones.row_gone_at, event) is not None


def test_a_file_that_a_server_has_open_is_not_replaced(home: Path) -> None:
    with opened(home) as memory:
        saved = memory.backup().path
        memory.add("Said after the backup.")
        with pytest.raises(StoreBusy, match="open in another process"):
            Memory.restore(saved, home / "backstory.db")
        memory.add("And it goes on.")
    assert len(texts(home)) == 4
    assert Memory.restore(saved, home / "backstory.db").forgotten == 0


def test_what_is_no_backup_is_refused(home: Path, tmp_path: Path) -> None:
    with opened(home) as memory:
        saved = memory.backup().path
        memory.export(tmp_path / "out.jsonl")
    other = tmp_path / "other.db"
    con = sqlite3.connect(other)
    con.execute("create table theirs(x)")
    con.close()
    newer = tmp_path / "newer.db"
    newer.write_bytes(saved.read_bytes())
    con = sqlite3.connect(newer)
    con.execute(f"pragma user_version = {LATEST + 1}")
    con.close()
    broken = tmp_path / "broken.db"
    raw = bytearray(saved.read_bytes())
    raw[8192:200_000] = os.urandom(200_000 - 8192)
    broken.write_bytes(raw)
    before = (home / "backstory.db").read_bytes()
    for file, error, said in (
        (tmp_path / "nowhere", BadInput, "no file"),
        (tmp_path / "out.jsonl", BadInput, "backstory import"),
        (other, BadInput, "another program"),
        (newer, StoreTooNew, "newer"),
        (broken, StoreDamaged, "damaged"),
        (home / "backstory.db", BadInput, "the file itself"),
    ):
        with pytest.raises(error, match=said):
            Memory.restore(file, home / "backstory.db")
    assert (home / "backstory.db").read_bytes() == before


def _spoiled(folder: Path, saved: Path) -> dict[str, Path]:
    """Files that somebody may take for a backup, by what is wrong with them."""
    raw = saved.read_bytes()
    made = {
        "empty": b"", "short": raw[:5000], "nearly whole": raw[:-4096], "header": raw[:50],
        "packed": gzip.compress(raw), "encrypted": os.urandom(9000), "of no version": raw,
    }  # fmt: skip
    found = {}
    for name, content in made.items():
        found[name] = folder / f"{name}.db"
        found[name].write_bytes(content)
    con = sqlite3.connect(found["of no version"])
    con.execute("pragma user_version = 0")
    con.close()
    found["without its log"] = folder / "log.db"
    con = sqlite3.connect(found["without its log"])
    con.execute("pragma journal_mode = wal")
    con.execute("create table memory(x)")
    lone = folder / "lone.db"
    lone.write_bytes(found["without its log"].read_bytes())
    con.close()
    found["without its log"] = lone
    found["log alone"] = folder / "alone.db"
    (folder / "alone.db-wal").write_bytes(b"left")
    found["folder"] = folder
    return found


def test_each_damaged_backup_is_said_to_be_what_it_is_and_hurts_nothing(home: Path, tmp_path: Path) -> None:
    with opened(home) as memory:
        saved = memory.backup().path
    whole = saved.stat().st_size
    said = {
        "empty": "is empty", "short": f"5,000 of {whole:,} bytes",
        "nearly whole": f"{whole - 4096:,} of {whole:,} bytes",
        "header": "cut short: 50 bytes",
        "packed": "gunzip", "encrypted": "may be encrypted",
        "of no version": "tables of a memory are missing", "without its log": "without its log lone.db-wal",
        "log alone": "only its log alone.db-wal", "folder": "is a folder",
    }  # fmt: skip
    before = (home / "backstory.db").read_bytes()
    for what, file in _spoiled(tmp_path, saved).items():
        with pytest.raises((BadInput, StoreDamaged), match=re.escape(said[what])):
            Memory.restore(file, home / "backstory.db")
    assert (home / "backstory.db").read_bytes() == before
    assert sorted(path.name for path in home.iterdir()) == ["backstory.db", "backups"]


@pytest.mark.parametrize(
    ("where", "why"),
    [("nowhere/x", "There is no folder"), (".", "is a folder"), ("taken/x", "There is no folder")],
)
def test_where_nothing_can_be_written_is_said(home: Path, tmp_path: Path, where: str, why: str) -> None:
    (tmp_path / "taken").write_text("a file, no folder")
    with opened(home) as memory:
        for write in (memory.backup, memory.export):
            with pytest.raises(BadInput, match=why):
                write(tmp_path / where)
        assert memory.db.read(copies.known) == []
    assert sorted(path.name for path in tmp_path.iterdir()) == ["home", "taken"]


@pytest.mark.parametrize("kind", ["the memory", "a backup", "a text"])
def test_an_export_is_not_written_over_something_else(home: Path, tmp_path: Path, kind: str) -> None:
    with opened(home) as memory:
        saved = memory.backup(tmp_path / "saved.db").path
        text = tmp_path / "notes.txt"
        text.write_text("mine")
        file = {"the memory": home / "backstory.db", "a backup": saved, "a text": text}[kind]
        before = file.read_bytes()
        with pytest.raises(BadInput, match="holds something else"):
            memory.export(file)
        assert file.read_bytes() == before
        for name in ("out.jsonl", "out.jsonl.gz"):
            memory.export(tmp_path / name)
            memory.export(tmp_path / name)


def test_a_backup_of_the_first_version_is_brought_up_to_date(home: Path, tmp_path: Path) -> None:
    old = tmp_path / "old.db"
    import apsw

    con = apsw.Connection(str(old))
    con.execute(MIGRATIONS[0].sql)
    con.pragma("user_version", 1)
    con.pragma("application_id", APPLICATION_ID)
    con.close()
    Memory.restore(old, home / "backstory.db")
    assert texts(home) == []
    assert not list(tmp_path.glob("*.bak")) and not list(home.glob("*.bak"))


def test_a_damaged_file_is_put_aside_with_its_log(home: Path) -> None:
    with opened(home) as memory:
        saved = memory.backup().path
    (home / "backstory.db").write_bytes(b"SQLite format 3\0" + os.urandom(9000))
    (home / "backstory.db-wal").write_bytes(b"left over")
    done = Memory.restore(saved, home / "backstory.db")
    assert done.unread
    assert len(texts(home)) == 2
    assert (
        not (home / "backstory.db-wal").exists() or (home / "backstory.db-wal").read_bytes() != b"left over"
    )


def test_a_server_that_still_had_the_old_file_says_so(home: Path) -> None:
    with opened(home) as memory:
        saved = memory.backup().path
    copy = home / "moved.db"
    with opened(home) as memory:
        (home / "backstory.db").rename(copy)
        Memory.restore(saved, home / "backstory.db")
        with pytest.raises(StoreDamaged, match="replaced"):
            memory.add("Too late.")
