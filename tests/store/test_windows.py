"""Turns that wait for a model: five of one session, two minutes, or the session's end; put back, they wait alone."""

from __future__ import annotations

import apsw
import pytest
from backstory.store import turns, windows
from backstory.store.db import Database
from backstory.store.models import Scope
from backstory.store.rows import fetch

T0 = 1_790_000_000_000_000
SECOND = 1_000_000


def wait(con: apsw.Connection, count: int, *, session: str = "s") -> list[int]:
    """Turns of a session that wait since T0."""
    scope = Scope("me", None, session, "claude-code")
    turns.start_session(con, scope, kind="interactive", at=T0 - SECOND, fresh_context=False)
    made = []
    for number in range(count):
        turn = turns.open_turn(con, scope, f"p{number}", at=T0 + number)
        assert turn is not None
        windows.wait(con, turn.id, now=T0)
        made.append(turn.id)
    return made


def taken(db: Database, *, waited_s: float, owner: str = "me") -> list[int]:
    found = db.write(windows.take, owner, now=T0 + int(waited_s * SECOND), lease_s=60)
    return [one.turn for one in found]


@pytest.mark.parametrize(
    ("waited_s", "count", "over", "expected"),
    [
        (5, 2, False, 0), (119, 4, False, 0), (120, 4, False, 4), (5, 2, True, 2), (0, 5, False, 5), (300, 9, True, 5),
    ],
)  # fmt: skip
def test_a_window_is_five_turns_or_two_minutes_or_the_end_of_the_session(
    db: Database, waited_s: int, count: int, over: bool, expected: int
) -> None:
    waiting = db.write(wait, count)
    if over:
        db.write(turns.end_session, "claude-code", "s", reason="exit", at=T0 + SECOND)
    assert db.read(windows.is_due, now=T0 + waited_s * SECOND) is (expected > 0)
    assert taken(db, waited_s=waited_s) == waiting[:expected]


def test_sessions_are_not_mixed(db: Database) -> None:
    one, other = db.write(wait, 2, session="a"), db.write(wait, 2, session="b")
    assert taken(db, waited_s=130) == one
    assert taken(db, waited_s=130) == other
    assert taken(db, waited_s=130) == []


def test_what_is_in_hand_is_nobody_elses_until_its_lease_is_over(db: Database) -> None:
    waiting = db.write(wait, 2)
    assert taken(db, waited_s=130) == waiting
    assert taken(db, waited_s=189, owner="other") == []
    assert taken(db, waited_s=191, owner="other") == waiting


def test_what_was_put_back_waits_for_its_moment_and_fills_no_window(db: Database) -> None:
    db.write(wait, 5)
    found = db.write(windows.take, "me", now=T0, lease_s=60)
    later = T0 + 600 * SECOND
    db.write(windows.put_back, found, "me", not_before_at=later, why="it rests", now=T0)
    assert taken(db, waited_s=599) == []
    assert len(taken(db, waited_s=600)) == 5


def test_what_could_not_be_asked_for_a_week_is_given_up(db: Database) -> None:
    db.write(wait, 1)
    late = T0 + windows.GIVEN_UP_US + SECOND
    found = db.write(windows.take, "me", now=late, lease_s=60)
    db.write(windows.put_back, found, "me", not_before_at=late + 1, why="it rests", now=late)
    assert db.read(fetch, "select count(*) from job", ()) == [(0,)]


def test_who_has_lost_a_window_strikes_nothing_off(db: Database) -> None:
    db.write(wait, 2)
    found = db.write(windows.take, "me", now=T0 + 130 * SECOND, lease_s=60)
    taken(db, waited_s=191, owner="other")
    assert db.write(windows.done, found, "me") is False
    assert db.read(fetch, "select count(*) from job", ()) == [(2,)]
