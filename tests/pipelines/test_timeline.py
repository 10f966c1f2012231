"""One slot's line in time: settled rows say what held when, whoever settles them and in whatever order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import permutations

import pytest
from backstory.pipelines.statements import HOLDS, RIVAL, STATED, Settled
from backstory.pipelines.timeline import settle
from backstory.store.models import Memory, Origin, Scope
from hypothesis import given
from hypothesis import strategies as st

JAN, FEB, MAR, APR, MAY, JUN, JUL, AUG, SEP = (n * 1_000_000_000 for n in range(1, 10))
Span = tuple[str, int | None, int | None]


def row(
    value: str,
    since: int | None,
    told: int,
    *,
    to: int | None = None,
    origin: Origin = "user",
    holds: int | None = None,
    root: str | None = None,
    polarity: str = "affirmed",
) -> Memory:
    ulid = f"{told:020d}{value}{since or 0}{to or 0}{root or ''}"
    data = {"value": value, "polarity": polarity, "dated": True, **({HOLDS: holds} if holds else {})}
    return Memory(
        id=1, ulid=ulid, root=root or ulid, kind="profile", scene="chat", scope=Scope(), text=f"I live in {value}",
        line=None, turn=None, origin=origin, slot="lives:city", importance=0.5, confidence=1.0, trust=0.5,
        valid_from=since, valid_to=to, recorded_at=told, retired_at=None, retired_why=None, expires_at=None,
        archived_at=None, renew_at=None, uses=0, used_at=None, hash="", data=data, meta={},
    )  # fmt: skip


def after(rows: Sequence[Memory], found: Settled | None = None) -> list[Memory]:
    """The rows that are not retired once that is carried out."""
    found = settle(rows) if found is None else found
    gone = {one.row.ulid for one in found.retired}
    return [one for one in rows if one.ulid not in gone] + [new for new, _ in found.written]


def spans(rows: Sequence[Memory]) -> list[Span]:
    return sorted(
        ((str(one.data["value"]), one.valid_from, one.valid_to) for one in rows),
        key=lambda it: (it[1] or 0, it[0]),
    )


def told_in_turn(*rows: Memory) -> list[Memory]:
    """What stands when each is told after the others were settled."""
    held: list[Memory] = []
    for one in rows:
        held = after([*held, one])
    return held


def test_one_alone_is_settled() -> None:
    assert settle([row("Hangzhou", MAR, MAR)]).nothing
    assert settle([]).nothing


def test_late_news_close_what_was_current_when_it_ended() -> None:
    march, august = row("Hangzhou", MAR, MAR), row("Beijing", MAY, AUG)
    found = settle([march, august])
    ((closed, of),) = found.written
    (gone,) = found.retired
    assert (gone.row, gone.at, of) == (march, AUG, march)
    assert gone.why == "another value of the same thing; the newer is current"
    assert (closed.valid_from, closed.valid_to, closed.recorded_at, closed.root) == (
        MAR,
        MAY,
        AUG,
        march.root,
    )


def test_what_is_denied_since_a_day_leaves_another_value_that_began_after_it() -> None:
    here, there = row("Google", MAR, MAR), row("Meta", JUL, JUL)
    left = row("Google", JUN, AUG, polarity="negated", holds=AUG)
    assert spans(told_in_turn(here, there, left)) == [
        ("Google", MAR, JUN), ("Google", JUN, JUL), ("Meta", JUL, None),
    ]  # fmt: skip
    # And what was said again of the value itself in that time was no more right.
    again = row("Google", JUL, JUL)
    assert spans(told_in_turn(here, again, left)) == [("Google", MAR, JUN), ("Google", JUN, None)]


def test_a_late_entry_shortens_what_was_before_and_ends_at_what_follows() -> None:
    held = told_in_turn(row("Hangzhou", MAR, MAR), row("Beijing", MAY, JUN), row("Suzhou", APR, AUG))
    assert spans(held) == [("Hangzhou", MAR, APR), ("Suzhou", APR, MAY), ("Beijing", MAY, None)]


def test_changed_and_changed_back_are_three_times() -> None:
    held = told_in_turn(row("dark", JAN, JAN), row("light", MAR, MAR), row("dark", MAY, MAY))
    assert spans(held) == [("dark", JAN, MAR), ("light", MAR, MAY), ("dark", MAY, None)]


def test_what_was_so_for_a_while_leaves_what_was_so_before_and_after() -> None:
    held = told_in_turn(row("Hangzhou", MAR, MAR), row("Paris", APR, AUG, to=MAY))
    assert spans(held) == [("Hangzhou", MAR, APR), ("Paris", APR, MAY), ("Hangzhou", MAY, None)]


def test_what_is_said_again_is_joined_to_what_holds() -> None:
    first, again = row("Hangzhou", MAR, MAR), row("hangzhou ", JUN, JUN)
    (gone,) = settle([first, again]).retired
    assert (gone.row, gone.by, gone.joined) == (again, (first.ulid,), True)


def test_what_has_been_so_for_longer_than_was_known_is_told_from_its_beginning() -> None:
    held = told_in_turn(row("Hangzhou", MAR, MAR), row("Beijing", JUN, JUN), row("Beijing", MAY, AUG))
    assert spans(held) == [("Hangzhou", MAR, MAY), ("Beijing", MAY, None)]


def test_a_date_that_is_corrected_moves_the_end_of_what_was_before() -> None:
    before = told_in_turn(row("Hangzhou", MAR, MAR), row("Beijing", MAY, AUG))
    beijing = next(one for one in before if one.data["value"] == "Beijing")
    others = [one for one in before if one is not beijing]
    held = after([*others, row("Beijing", JUL, SEP, root=beijing.root)])
    assert spans(held) == [("Hangzhou", MAR, JUL), ("Beijing", JUL, None)]


def test_what_is_taken_out_gives_nothing_back_to_what_it_replaced() -> None:
    held = told_in_turn(row("Hangzhou", MAR, MAR), row("Beijing", MAY, AUG))
    left = [one for one in held if one.data["value"] != "Beijing"]
    assert settle(left).nothing
    assert spans(after([*left, row("Pau", JUL, SEP)])) == [("Hangzhou", MAR, MAY), ("Pau", JUL, None)]


def test_a_word_about_the_whole_time_takes_the_place_of_what_was_said_in_it() -> None:
    held = told_in_turn(
        row("Hangzhou", MAR, MAR), row("Shanghai", JUN, JUN), row("Beijing", MAY, AUG, holds=AUG)
    )
    assert spans(held) == [("Hangzhou", MAR, MAY), ("Beijing", MAY, None)]
    held = after([*held, row("Shanghai", JUN, SEP, holds=SEP)])
    assert spans(held) == [("Hangzhou", MAR, MAY), ("Beijing", MAY, JUN), ("Shanghai", JUN, None)]


def test_what_was_said_again_after_a_late_entry_holds_again_from_then_on() -> None:
    dark, light = row("dark", JAN, JAN), row("light", MAR, AUG)
    found = settle([dark, light], {dark.ulid: [JAN, JUN]})
    held = after([dark, light], found)
    assert spans(held) == [("dark", JAN, MAR), ("light", MAR, JUN), ("dark", JUN, None)]
    assert settle(held).nothing


def test_the_later_word_stands_for_the_same_time() -> None:
    held = told_in_turn(row("Beijing", MAY, AUG), row("Shanghai", MAY, SEP))
    assert spans(held) == [("Shanghai", MAY, None)]
    assert settle([row("Beijing", MAY, AUG), row("Shanghai", MAY, SEP)]).retired[0].at == SEP


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (row("London", MAY, AUG), row("Paris", MAY, AUG)),
        (row("London", MAY, AUG, origin="import"), row("Paris", MAY, SEP)),
        (row("London", MAY, AUG), row("Paris", MAY, SEP, origin="agent")),
        (row("London", None, AUG, origin="import"), row("Paris", None, AUG, origin="import")),
    ],
    ids=["told at once", "imported", "an agent's word", "neither dated"],
)
def test_of_which_nobody_can_say_which_is_so_both_stay(one: Memory, other: Memory) -> None:
    held = after([one, other])
    assert {str(it.data["value"]) for it in held} == {"London", "Paris"}
    assert all(it.valid_to is None for it in held)
    assert sum(bool(it.data.get(RIVAL)) for it in held) == 1
    again = settle(held)
    assert again.nothing
    assert again.rivals == (tuple(sorted(it.ulid for it in held)),)
    # What is newer ends both.
    assert spans(after([*held, row("Ulm", SEP + 5, SEP + 5)]))[-1] == ("Ulm", SEP + 5, None)
    assert len(after([*held, row("Ulm", SEP + 5, SEP + 5)])) == 3


def test_the_users_own_word_stands_over_an_agents() -> None:
    held = told_in_turn(row("London", MAY, AUG, origin="agent"), row("Paris", MAY, SEP))
    assert spans(held) == [("Paris", MAY, None)]


def test_the_opposite_takes_the_place_and_says_so() -> None:
    allowed, denied = row("push", MAR, MAR), row("push", MAY, MAY, polarity="negated")
    (gone,) = settle([allowed, denied]).retired
    assert gone.why == "the opposite of what was said before; the newer is current"


def test_what_has_no_value_is_told_by_its_latest_telling() -> None:
    first, later = (replace(row("x", MAR, told), data={"files": [told]}) for told in (MAR, APR))
    (gone,) = settle([first, later]).retired
    assert (gone.row, gone.at, gone.by) == (first, APR, (later.ulid,))


def test_every_order_and_every_grouping_of_two_files_ends_the_same() -> None:
    rows = [
        row("Hangzhou", MAR, MAR),
        row("Beijing", MAY, AUG),
        row("Suzhou", APR, JUL),
        row("Hangzhou", JUN, SEP),
    ]
    expected = spans(after(rows))
    assert {tuple(spans(after(order))) for order in permutations(rows)} == {tuple(expected)}
    assert {tuple(sorted(one.ulid for one in after(order))) for order in permutations(rows)} == {
        tuple(sorted(one.ulid for one in after(rows)))
    }


VALUES, MOMENTS = st.sampled_from("abc"), st.integers(1, 9).map(lambda n: n * 1_000)


@st.composite
def said(draw: st.DrawFn) -> list[Memory]:
    """Statements of one slot, each told at a moment of its own, of then or of before, some of them of a while."""
    told = sorted(draw(st.sets(st.integers(10, 60), min_size=1, max_size=7)))
    rows = []
    for at in told:
        since = draw(MOMENTS)
        to = draw(st.none() | st.integers(since + 1, 12_000))
        rows.append(
            row(draw(VALUES), since, at * 1_000_000, to=to, origin=draw(st.sampled_from(["user", "agent"])))
        )
    return rows


def holds(rows: Sequence[Memory], moment: int) -> set[str]:
    return {
        str(one.data["value"])
        for one in rows
        if (one.valid_from or 0) <= moment and (one.valid_to is None or moment < one.valid_to)
    }


@given(said())
def test_settled_rows_have_nothing_to_settle_and_overlap_only_as_rivals(rows: list[Memory]) -> None:
    held = after(rows)
    again = settle(held)
    assert again.nothing
    rivals = {ulid for pair in again.rivals for ulid in pair}
    for one in held:
        for other in held:
            if one is not other and {one.ulid, other.ulid} - rivals:
                ends = [it.valid_to for it in (one, other) if it.valid_to is not None]
                assert not ends or max(one.valid_from or 0, other.valid_from or 0) >= min(ends)


@given(said())
def test_at_each_moment_that_holds_which_began_last_among_what_covers_it(rows: list[Memory]) -> None:
    held = after(rows)
    for moment in range(500, 13_000, 1_000):
        covering = [one for one in rows if holds([one], moment)]
        if not covering:
            assert holds(held, moment) == set()
            continue
        latest = max(one.valid_from or 0 for one in covering)
        assert holds(held, moment) <= {
            str(one.data["value"]) for one in covering if one.valid_from == latest
        } or (len({one.valid_from for one in rows}) < len(rows))


@given(said(), st.randoms(use_true_random=False))
def test_whichever_way_round_files_are_put_together_they_hold_the_same(
    rows: list[Memory], random: object
) -> None:
    mixed = list(rows)
    random.shuffle(mixed)  # type: ignore[attr-defined]
    half = len(mixed) // 2
    one, other = after(mixed[:half]), after(mixed[half:])
    together, reversed_ = after([*one, *other]), after([*other, *one])
    assert sorted((it.ulid, it.valid_from, it.valid_to) for it in together) == sorted(
        (it.ulid, it.valid_from, it.valid_to) for it in reversed_
    )
    assert settle(together).nothing


@given(said())
def test_what_is_told_in_turn_holds_as_if_it_were_told_at_once(rows: list[Memory]) -> None:
    # What is said again later, after it had been told of an earlier time, is joined: the same time, one row fewer.
    at_once, in_turn = after(rows), told_in_turn(*rows)
    if len({one.data["value"] for one in rows}) == len(rows) and len({one.valid_from for one in rows}) == len(
        rows
    ):
        assert spans(at_once) == spans(in_turn)


def test_a_piece_says_what_it_is_a_piece_of() -> None:
    held = told_in_turn(row("Hangzhou", MAR, MAR), row("Beijing", MAY, AUG))
    closed = next(one for one in held if one.valid_to == MAY)
    assert closed.data[STATED]["from"] == MAR
    assert closed.data[STATED]["to"] is None
