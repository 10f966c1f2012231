"""What all migrations add up to, held against the text that was reviewed: `schema.sql` beside this file."""

from __future__ import annotations

import difflib
import re
from pathlib import Path

import apsw
import pytest
from backstory.store.db import Database
from backstory.store.migrations import LATEST, MIGRATIONS

REVIEWED = Path(__file__).with_name("schema.sql")
# Lines of a statement that stand as far left as its first.
OUTER = re.compile(r"\)|when\b|begin\b|end$")
AGAIN = "read the difference; if it is meant: python tests/store/test_schema.py"


def schema(con: apsw.Connection) -> str:
    """Every table in the order they were made, each followed by its indexes and triggers."""
    rows = con.execute("""
        select part.sql
        from sqlite_schema as part
        join sqlite_schema as whole on whole.name = part.tbl_name and whole.type = 'table'
        where part.sql is not null and part.name not glob 'sqlite_*'
          -- What FTS5 keeps its index in is its own affair.
          and part.tbl_name not in (select name from pragma_table_list where type = 'shadow')
        order by whole.rowid, part.type <> 'table', part.type, part.name""")
    return "\n".join(f"{normal(str(sql))};\n" for (sql,) in rows)


def normal(sql: str) -> str:
    """A statement line by line, without what is only spacing, and with its first words as we write them."""
    lines = (" ".join(line.split()) for line in sql.strip().splitlines())
    first, *rest = filter(None, lines)
    first = re.sub(r"^CREATE [A-Z ]+", lambda found: found[0].lower(), first)
    return "\n".join([first, *(line if OUTER.match(line) else f"  {line}" for line in rest)])


def made() -> str:
    db = Database.open(":memory:")
    try:
        return db.read(schema)
    finally:
        db.close()


def test_the_migrations_add_up_to_the_reviewed_schema() -> None:
    reviewed = REVIEWED.read_text("utf-8") if REVIEWED.exists() else ""
    found = made()
    between = difflib.unified_diff(
        reviewed.splitlines(), found.splitlines(), "schema.sql", "the migrations", lineterm=""
    )
    assert found == reviewed, "\n".join([AGAIN, *between])


def test_the_reviewed_schema_is_sql_that_makes_itself() -> None:
    con = apsw.Connection(":memory:")
    con.execute(REVIEWED.read_text("utf-8"))
    assert schema(con) == REVIEWED.read_text("utf-8")
    con.close()


def test_migrations_are_numbered_without_gaps() -> None:
    assert [step.number for step in MIGRATIONS] == list(range(1, LATEST + 1))
    assert len({step.name for step in MIGRATIONS}) == LATEST


def test_every_ordinary_table_is_strict() -> None:
    db = Database.open(":memory:")
    loose = (
        "select name from pragma_table_list where type = 'table' and not strict and name not glob 'sqlite_*'"
    )
    assert db.read(lambda con: con.execute(loose).fetchall()) == []
    db.close()


def test_every_foreign_key_has_an_index() -> None:
    # Without one, deleting a parent reads every child.
    con = apsw.Connection(":memory:")
    con.execute(REVIEWED.read_text("utf-8"))
    keys = con.execute("""
        select child.name, key."from"
        from pragma_table_list as child, pragma_foreign_key_list(child.name) as key
        where child.schema = 'main'""").fetchall()
    indexed = con.execute("""
        select child.name, part.name
        from pragma_table_list as child, pragma_index_list(child.name) as entry, pragma_index_info(entry.name) as part
        left join sqlite_schema as made on made.name = entry.name
        where part.seqno = 0 and (not entry.partial or made.sql like '% where ' || part.name || ' is not null')
        union
        select child.name, col.name
        from pragma_table_list as child, pragma_table_info(child.name) as col
        where col.pk = 1""").fetchall()
    assert len(keys) > 20
    assert set(keys) - set(indexed) == set()
    con.close()


@pytest.mark.parametrize(
    "broken", ["drop trigger memory_retires_once", "alter table run add column surprise text"]
)
def test_a_change_that_was_not_reviewed_is_seen(broken: str) -> None:
    con = apsw.Connection(":memory:")
    con.execute(REVIEWED.read_text("utf-8"))
    con.execute(broken)
    assert schema(con) != REVIEWED.read_text("utf-8")
    con.close()


if __name__ == "__main__":
    REVIEWED.write_text(made(), "utf-8")
