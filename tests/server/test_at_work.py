from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest
from backstory.pipelines.code.symbol_edits import By
from backstory.server.at_work import ROOTS, SESSIONS, SILENT_S, AtWork

A, B, C = (("claude-code", name) for name in "abc")
HUMAN = By("human")


class Clock:
    now_s = 0.0

    def __call__(self) -> float:
        return self.now_s


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def work(clock: Clock) -> AtWork:
    return AtWork(clock)


def begin(work: AtWork, session: tuple[str, str], turn: int, root: str = "/r") -> None:
    work.reaches(session, [root])
    work.begins(session, turn)


def test_what_is_found_is_a_persons_where_no_session_is_at_work(work: AtWork) -> None:
    assert work.found("/r") == HUMAN
    begin(work, A, 1)
    assert (work.found("/r"), work.found("/other")) == (By("agent", 1), HUMAN)
    work.ends(A)
    assert (work.found("/r"), work.is_any("/r")) == (HUMAN, False)


def test_of_several_sessions_at_work_none_is_named(work: AtWork) -> None:
    begin(work, A, 1)
    begin(work, B, 2)
    assert work.found("/r") == By("agent")
    assert work.found_at_end(C, "/r", 3) == By("agent")
    assert work.found_at_end(A, "/r", 1) == By("agent", 2)


def test_a_session_that_is_silent_for_long_is_not_at_work_and_any_sign_of_life_counts(
    work: AtWork, clock: Clock
) -> None:
    begin(work, A, 1)
    clock.now_s = SILENT_S - 1
    work.breathes(A)
    clock.now_s += SILENT_S - 1
    assert work.is_any("/r")
    work.uses(A, 1, changing=False, helper=True)
    clock.now_s += SILENT_S - 1
    assert work.found("/r") == By("agent", 1)
    clock.now_s += 1
    assert (work.is_any("/r"), work.found("/r")) == (False, HUMAN)


def test_at_its_end_a_turn_has_done_what_is_found_if_it_used_a_tool_that_changes(work: AtWork) -> None:
    begin(work, A, 1)
    work.uses(A, 1, changing=False)
    assert work.found_at_end(A, "/r", 1) == HUMAN
    work.uses(A, 1, changing=True)
    assert work.found_at_end(A, "/r", 1) == By("agent", 1)
    assert work.found_at_end(A, "/r", None) == By("agent", 1)  # the session's end, which names no turn
    work.ends(A)
    assert work.found_at_end(A, "/r", 1) == HUMAN


def test_what_a_turn_left_is_its_own_until_somebody_has_looked(work: AtWork) -> None:
    begin(work, A, 1)
    work.leaves(["/r", "/s", "/t", "/u"], 1)
    work.ends(A)
    begin(work, B, 2)
    assert work.found_between(B, "/r", 2) == By("agent", 1)
    assert [work.found("/r"), work.found("/r")] == [By("agent", 1), By("agent", 2)]
    assert [work.found_at_end(B, "/s", 2), work.found_at_end(B, "/s", 2)] == [By("agent", 1), HUMAN]
    assert work.found_after(B, "/t") is None
    assert work.found_after(A, "/r") == By("agent", 2)
    assert (work.found_between(A, "/t", 3), work.found_between(A, "/u", 3)) == (HUMAN, By("agent", 1))
    assert work.found_between(A, "/r", 3) == By("agent", 2)


def test_between_two_edits_of_a_turn_a_person_may_have_saved_but_for_its_subagents(work: AtWork) -> None:
    begin(work, A, 1)
    assert work.found_between(A, "/r", 1) == HUMAN
    work.uses(A, 1, changing=True, helper=True)
    assert work.found_between(A, "/r", 1) == By("agent", 1)
    work.begins(A, 2)
    assert work.found_between(A, "/r", 2) == HUMAN


def test_an_end_that_comes_late_ends_its_own_turn_alone(work: AtWork) -> None:
    begin(work, A, 2)
    work.ends(A, 1)
    assert work.is_any("/r")
    work.ends(A, 2)
    assert not work.is_any("/r")


def test_a_tool_of_another_turn_begins_that_turn(work: AtWork) -> None:
    begin(work, A, 1)
    work.uses(A, 1, changing=True)
    work.uses(A, 2, changing=False)
    assert (work.found("/r"), work.found_at_end(A, "/r", 2)) == (By("agent", 2), HUMAN)


def test_the_latest_worktrees_and_sessions_are_remembered(work: AtWork) -> None:
    roots = [f"/{n}" for n in range(ROOTS + 3)]
    work.reaches(A, roots)
    work.reaches(A, ["/5"])
    assert work.roots(A) == ["/5", *(root for root in reversed(roots[3:]) if root != "/5")]
    for n in range(SESSIONS):
        begin(work, ("cursor", str(n)), n)
    assert (work.roots(A), work.roots(("cursor", "0"))) == ([], ["/r"])
    work.goes(("cursor", "0"))
    assert work.roots(("cursor", "0")) == []


def test_it_can_be_told_and_asked_from_many_threads(work: AtWork) -> None:
    def busy(n: int) -> None:
        for turn in range(200):
            begin(work, ("cursor", str(n)), turn)
            work.leaves(["/r"], turn)
            work.found("/r")
            work.is_any("/r")
            work.goes(("cursor", str(n)))

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(busy, range(8))) == [None] * 8
    assert work.found("/r") == HUMAN
