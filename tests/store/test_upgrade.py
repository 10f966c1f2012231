"""A file of the first schema, opened by what came after: nothing of it is lost, and a copy lies beside it."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import apsw
import pytest
from backstory.server.memory import Memory
from backstory.store import memories
from backstory.store.db import APPLICATION_ID, Database
from backstory.store.migrations import FIRST, LATEST

T0 = 1_760_000_000_000_000
ROWS = f"""
insert into setting values ('salt', '00ff');
insert into turn(id, ulid, user, source, session, prompt_id, status, started_at)
  values (7, 'T7', 'me', 'claude-code', 's1', 'p1', 'done', {T0});
insert into event(id, ulid, turn, seq, key, role, kind, content, origin, hash, occurred_at, recorded_at)
  values (9, 'E9', 7, 1, 'prompt', 'user', 'prompt', 'I prefer dark mode', 'user', 'h', {T0}, {T0});
insert into memory(id, ulid, root, turn, scene, kind, user, origin, text, slot, trust, recorded_at, hash)
  values (3, 'M3', 'M3', 7, 'chat', 'profile', 'me', 'user', 'I prefer dark mode', 'theme', 0.5, {T0}, 'h');
insert into memory(id, ulid, root, scene, kind, user, origin, text, recorded_at, retired_at, retired_why, hash)
  values (2, 'M2', 'M2', 'chat', 'fact', 'me', 'agent', 'The old port was 8000', {T0}, {T0 + 1}, 'corrected', 'g');
insert into terms values (3, 'prefer dark mode', '', '', 1);
insert into past_terms values (2, 'old port 8000', '', '', 1);
insert into evidence(memory, event, start, end) values (3, 9, 0, 18);
"""


@pytest.fixture
def first_schema(tmp_path: Path) -> Path:
    path = tmp_path / "backstory.db"
    con = apsw.Connection(str(path))
    con.pragma("journal_mode", "wal")
    con.execute(FIRST + ROWS)
    con.pragma("application_id", APPLICATION_ID)
    con.pragma("user_version", 1)
    con.close()
    return path


def dump(path: Path, table: str, columns: str) -> list[tuple[object, ...]]:
    with closing(sqlite3.connect(path)) as con:
        return con.execute(f"select {columns} from {table} order by 1").fetchall()


BEFORE = {
    "memory": "id, ulid, root, turn, text, slot, trust, recorded_at, retired_at, retired_why, hash",
    "event": "id, ulid, turn, seq, key, content, hash",
    "evidence": "id, memory, event, start, end",
    "terms": "memory, main",
    "past_terms": "memory, main",
}


def test_an_upgrade_keeps_every_row_and_a_copy_of_the_file(first_schema: Path) -> None:
    before = {table: dump(first_schema, table, columns) for table, columns in BEFORE.items()}
    Database.open(first_schema).close()
    assert {table: dump(first_schema, table, columns) for table, columns in BEFORE.items()} == before
    copy = first_schema.with_name("backstory.db.1.bak")
    assert {table: dump(copy, table, columns) for table, columns in BEFORE.items()} == before
    assert copy.stat().st_mode & 0o777 == 0o600
    with closing(sqlite3.connect(first_schema)) as con:
        assert con.execute("pragma user_version").fetchone() == (LATEST,)
        assert con.execute("pragma integrity_check").fetchone() == ("ok",)


def test_what_was_kept_before_is_found_corrected_and_retired_after(first_schema: Path) -> None:
    with Memory.open(first_schema, embedder="none") as memory:
        hits = memory.search("dark mode").hits
        assert [hit.memory.text for hit in hits] == ["I prefer dark mode"]
        assert memory.get("m2").memory.retired_why == "corrected"
        updated = memory.update("m3", content="I prefer light mode")
        assert [one.text for one in memory.get(updated.id).versions] == [
            "I prefer dark mode", "I prefer light mode",
        ]  # fmt: skip


def test_an_event_cannot_be_changed_but_for_quotes_that_are_blanked(first_schema: Path) -> None:
    db = Database.open(first_schema)
    with pytest.raises(apsw.ConstraintError, match="an event is never changed"):
        db.write(lambda con: con.execute("update event set content = 'I prefer lite mode'"))
    with pytest.raises(apsw.ConstraintError, match="an event is never changed"):
        db.write(lambda con: con.execute("update event set content = 'other', blanked_at = 5"))
    db.write(lambda con: con.execute("update event set content = 'I prefer ████ mode', blanked_at = 5"))
    assert db.read(memories.evidence, 3)[0].quote == "I prefer ████ mode"
    db.close()
