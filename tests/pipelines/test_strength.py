"""Strength by itself: what makes a memory fade, what trust adds up to, and how little either may move an order."""

from __future__ import annotations

from dataclasses import replace
from itertools import permutations

import pytest
from backstory import configs
from backstory.configs.strength import Strength
from backstory.pipelines import strength
from backstory.store.clock import DAY_US
from backstory.store.models import KINDS, Kind, Memory, Origin, Scope
from backstory.store.ratings import Rating, Verdict
from backstory.store.signs import Signs
from hypothesis import given
from hypothesis import strategies as st

RULES = Strength.model_validate({name: configs.defaults()[name] for name in Strength.model_fields})
THEN = 1_760_000_000_000_000


def memory(kind: Kind = "fact", **given: object) -> Memory:
    """A memory of that kind, recorded then, of middling importance, by the user."""
    plain = Memory(
        id=1, ulid="U", root="U", kind=kind, scene="chat", scope=Scope(), text="a text", line=None, turn=None,
        origin="user", slot=None, importance=0.5, confidence=1.0, trust=0.5, valid_from=None, valid_to=None,
        recorded_at=THEN, retired_at=None, retired_why=None, expires_at=None, archived_at=None, renew_at=None, uses=0,
        used_at=None, hash="h", data={}, meta={},
    )  # fmt: skip
    return replace(plain, **given)  # type: ignore[arg-type]


def signs(**given: int) -> Signs:
    return replace(Signs(alive_at=THEN), **given)


def active(one: Memory, its: Signs, days: float) -> float:
    return strength.activation(one, its, RULES, now=THEN + int(days * DAY_US))


def days_in_recall(one: Memory, its: Signs) -> int | None:
    """After how many days of work it leaves recall; None where it stays for ten years."""
    for day in range(1, 3650):
        if strength.faded(one, its, RULES, now=THEN + day * DAY_US, worked=day):
            return day
    return None


def rating(verdict: Verdict, session: str | None = "s", at: int = 0, source: str = "cursor") -> Rating:
    return Rating(f"{at:026}", verdict, source, session, THEN + at)


# Activation.


def test_a_fact_is_half_as_present_after_its_half_life_and_fresh_at_once() -> None:
    assert active(memory(), signs(), 0) == 1
    assert active(memory(), signs(), 30) == pytest.approx(0.5)
    assert active(memory(), signs(), -10) == 1  # of a clock that was ahead


def test_profile_lasts_longest_and_what_was_only_said_goes_first() -> None:
    after = {kind: active(memory(kind), signs(), 30) for kind in KINDS}
    assert after["profile"] > after["intention"] > after["fact"] > after["turn"]
    assert after["experience"] > after["fact"]
    assert active(memory(data={"predicate": "asks for"}), signs(), 30) == after["profile"]


def test_what_is_confirmed_fades_slower_but_never_by_more_than_is_set() -> None:
    steps = [active(memory(), signs(confirmed=n), 60) for n in (0, 1, 3, 10)]
    assert steps == sorted(steps)
    most = RULES.half_life_fact_days * RULES.slower_at_most
    assert strength.half_life_days(memory(), signs(confirmed=10**9), RULES) == most


def test_confidence_has_no_part_in_it() -> None:
    sure, unsure = memory(confidence=1.0), memory(confidence=0.1)
    assert active(sure, signs(), 90) == active(unsure, signs(), 90)
    assert days_in_recall(sure, signs()) == days_in_recall(unsure, signs())


def test_changes_to_its_code_age_a_memory_up_to_a_number() -> None:
    touched = [strength.age_days(memory(), signs(touched=n), RULES, now=THEN) for n in (0, 3, 10**6)]
    assert touched == [0, 3 * RULES.touch_days, RULES.touches_at_most * RULES.touch_days]


def test_being_handed_out_makes_time_pass_slower_within_bounds() -> None:
    year = THEN + 365 * DAY_US
    lately = memory(uses=4, used_at=year - DAY_US)
    assert strength.age_days(lately, signs(), RULES, now=year) == 365 / RULES.slower_at_most
    assert strength.age_days(memory(), signs(), RULES, now=year) == 365


def test_what_is_handed_out_everywhere_gains_nothing_by_it() -> None:
    year = THEN + 365 * DAY_US
    loud = memory(uses=300, used_at=year)
    assert strength.is_loud(loud, signs(sessions=400), RULES)
    assert active(loud, signs(sessions=400), 365) == active(memory(), signs(), 365)
    assert strength.nudge(loud, signs(sessions=400), RULES, now=year) == strength.nudge(
        memory(), signs(), RULES, now=year
    )
    assert days_in_recall(loud, signs(sessions=400)) == days_in_recall(memory(), signs())


@pytest.mark.parametrize(
    ("one", "its"),
    [
        (memory(uses=300), signs(sessions=4000)),
        (memory(uses=300), signs(sessions=400, confirmed=1)),
        (memory("profile", uses=300), signs(sessions=400)),
        (memory(uses=3), signs(sessions=4)),
    ],
    ids=["in few of many sessions", "confirmed", "who the user is", "new"],
)
def test_what_is_not_loud(one: Memory, its: Signs) -> None:
    assert not strength.is_loud(one, its, RULES)


# Leaving recall.


def test_a_standing_order_never_leaves_recall_nor_a_plan_that_has_a_day() -> None:
    assert (
        days_in_recall(memory(importance=0, origin="agent", data={"predicate": "asks for"}), signs()) is None
    )
    assert days_in_recall(memory("intention", expires_at=THEN + DAY_US), signs()) is None


def test_importance_and_trust_keep_a_memory_in_recall_for_longer() -> None:
    days = [days_in_recall(memory(importance=importance), signs()) or 0 for importance in (0.1, 0.5, 0.9)]
    assert days == sorted(set(days))
    origins: tuple[Origin, ...] = ("external", "tool", "agent", "user")
    days = [days_in_recall(memory(origin=origin), signs()) or 0 for origin in origins]
    assert days == sorted(set(days))
    doubted = days_in_recall(memory(trust=0.1), signs()) or 0
    assert doubted < days[-1]


def test_an_agents_unimportant_note_is_temporary_unless_it_is_confirmed() -> None:
    note = memory(origin="agent", importance=0.3)
    assert days_in_recall(note, signs()) == RULES.temporary_days + 1
    assert (days_in_recall(note, signs(confirmed=1)) or 0) > 3 * RULES.temporary_days
    assert (days_in_recall(memory(importance=0.3), signs()) or 0) > 3 * RULES.temporary_days


def test_time_away_does_not_count() -> None:
    later = THEN + 1000 * DAY_US
    assert strength.faded(memory(), signs(), RULES, now=later, worked=1000)
    assert strength.faded(memory(), signs(), RULES, now=later, worked=3) is None
    assert strength.faded(memory(), signs(), RULES, now=later, worked=0) is None


def test_it_is_said_why_a_memory_left_recall() -> None:
    why = strength.faded(memory(), signs(touched=3), RULES, now=THEN + 400 * DAY_US, worked=400)
    assert why == (
        "faded: as if 406 days without a sign of life, its code changed 3 times; half-life 30 days, importance 0.5, "
        "trust 0.8"
    )


# Trust.


def test_a_wrong_memory_costs_far_more_than_a_right_one_helps() -> None:
    helpful = strength.earned([rating("helpful")], RULES) - 0.5
    wrong = 0.5 - strength.earned([rating("wrong")], RULES)
    unhelpful = 0.5 - strength.earned([rating("unhelpful")], RULES)
    assert wrong > 4 * unhelpful > 4 * helpful > 0
    back = [rating("wrong", "w"), *(rating("helpful", f"h{n}", n + 1) for n in range(7))]
    assert strength.earned(back, RULES) < 0.5


def test_each_session_counts_once_and_with_its_last_word() -> None:
    once = strength.earned([rating("helpful")], RULES)
    again = [rating("wrong", at=1), rating("helpful", at=2), rating("helpful", at=3)]
    assert strength.earned(again, RULES) == once
    others = [rating("helpful", at=1), rating("helpful", "other", 2), rating("helpful", at=3, source="cli")]
    assert strength.earned(others, RULES) > strength.earned(others[:2], RULES) > once


def test_without_a_session_a_clients_day_counts_once() -> None:
    hour = DAY_US // 24
    day = [rating("helpful", None, n * hour) for n in range(3)]
    assert strength.earned(day, RULES) == strength.earned(day[:1], RULES)
    assert strength.earned([*day, rating("helpful", None, DAY_US)], RULES) > strength.earned(day, RULES)


VERDICTS = st.sampled_from(["helpful", "unhelpful", "wrong"])


@given(st.lists(st.tuples(VERDICTS, st.sampled_from("abc"), st.integers(0, 9)), max_size=5))
def test_trust_is_the_same_in_whichever_order_files_met(said: list[tuple[Verdict, str, int]]) -> None:
    every = [Rating(f"{n:026}", verdict, "c", who, THEN + at) for n, (verdict, who, at) in enumerate(said)]
    in_order = sorted(every, key=lambda one: (one.given_at, one.ulid))
    expected = strength.earned(in_order, RULES)
    assert 0 < expected < 1
    for met in permutations(every):
        ordered = sorted(met, key=lambda one: (one.given_at, one.ulid))
        assert strength.earned(ordered, RULES) == expected


def test_unrated_trust_is_what_the_origin_is_worth() -> None:
    assert strength.trust(memory(), RULES) == pytest.approx(RULES.trust_user)
    assert strength.trust(memory(origin="import"), RULES) == pytest.approx(RULES.trust_outside)
    assert strength.trust(memory(trust=0.1), RULES) < RULES.trust_outside


# The order.


@given(
    kind=st.sampled_from(KINDS),
    importance=st.floats(0, 1),
    trust=st.floats(0.02, 0.98),
    uses=st.integers(0, 10**6),
    confirmed=st.integers(0, 10**6),
    touched=st.integers(0, 10**6),
    age=st.integers(-(10**4), 10**5),
    here=st.booleans(),
)
def test_a_nudge_stays_within_its_bounds(
    kind: Kind, importance: float, trust: float, uses: int, confirmed: int, touched: int, age: int, here: bool
) -> None:
    one = memory(
        kind, importance=importance, trust=trust, uses=uses, used_at=THEN, scope=Scope(branch="main"),
        data={"files": ["src/pay.py"]},
    )  # fmt: skip
    factor = strength.nudge(
        one, signs(confirmed=confirmed, touched=touched), RULES, now=THEN + age * DAY_US,
        branch="main" if here else None, names={"pay.py"},
    )  # fmt: skip
    assert RULES.nudge_least <= factor <= RULES.nudge_most * (1 + strength.TIE)


def test_fresh_important_trusted_and_near_comes_before_what_is_not() -> None:
    now = THEN + 90 * DAY_US

    def nudged(one: Memory, its: Signs = signs(), **where: object) -> float:  # noqa: B008
        return strength.nudge(one, its, RULES, now=now, **where)  # type: ignore[arg-type]

    plain = nudged(memory())
    assert nudged(memory(recorded_at=now), signs(alive_at=now)) > plain
    assert nudged(memory(importance=0.9)) > plain
    assert nudged(memory(trust=0.9)) > plain > nudged(memory(trust=0.1))
    assert nudged(memory(scope=Scope(branch="fix")), branch="fix") > plain
    coded = memory(data={"files": ["src/Pay.py"]})
    assert nudged(coded, names={"pay.py"}) == nudged(coded, names={"src/pay.py"}) > plain
    assert nudged(coded, names={"ay.py"}) == plain


def test_uses_only_break_ties() -> None:
    now = THEN + DAY_US
    handed = [strength.nudge(memory(uses=n), signs(confirmed=1), RULES, now=now) for n in (0, 2, 8, 800)]
    assert handed[0] < handed[1] < handed[2] == handed[3]
    assert handed[3] / handed[0] < 1.01
