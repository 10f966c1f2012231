"""What a session was given, and what that cost it."""

from __future__ import annotations

import apsw
from backstory.store import deliveries, turns
from backstory.store.db import Database
from backstory.store.models import Scope
from backstory.store.rows import fetch
from backstory.tests.shelf import T0, shelve


def test_what_a_hook_named_costs_what_it_showed_and_nothing_when_replayed(db: Database) -> None:
    texts = ["Short.", "long " * 1000, "line " * 1000]
    short, long, line = db.write(shelve, texts)
    roots = dict(db.read(fetch, "select id, root from memory"))
    for _ in range(2):
        db.write(deliveries.give_root, "claude-code", "s1", roots[short], "h", at=T0)
        db.write(deliveries.give_root, "claude-code", "s1", roots[long], "h", at=T0)
        db.write(deliveries.give_root, "claude-code", "s1", roots[line], "line:h", at=T0)
        db.write(deliveries.give_root, "claude-code", "s1", "of nobody", "h", at=T0)
    cost = dict(db.read(fetch, "select root, chars from delivery"))
    assert cost == {roots[short]: 6, roots[long]: 2000, roots[line]: 300, "of nobody": 0}
    db.write(deliveries.give_root, "claude-code", "s1", roots[short], "h", at=T0 + 1)
    assert db.read(deliveries.characters_since, T0 + 1) == 12


def test_notes_of_sessions_that_are_long_over_or_silent_go(db: Database) -> None:
    def session(con: apsw.Connection, name: str, *, given: int, said: int | None, ended: int | None) -> None:
        scope = Scope(source="cursor", session=name)
        if said is not None:
            turns.start_session(con, scope, kind="interactive", at=said, fresh_context=False)
            turns.open_turn(con, scope, name, at=said)
        if ended is not None:
            turns.end_session(con, "cursor", name, reason="", at=ended)
        deliveries.give_root(con, "cursor", name, "root", "h", at=given)

    def fill(con: apsw.Connection) -> None:
        session(con, "ended long ago", given=10, said=10, ended=20)
        session(con, "silent", given=10, said=20, ended=None)
        session(con, "never met", given=10, said=None, ended=None)
        session(con, "given lately", given=100, said=10, ended=None)
        session(con, "spoken in lately", given=10, said=100, ended=None)
        session(con, "ended lately", given=10, said=10, ended=100)

    db.write(fill)
    assert db.write(deliveries.sweep, before=100) == 3
    kept = {name for (name,) in db.read(fetch, "select session from delivery")}
    assert kept == {"given lately", "spoken in lately", "ended lately"}
