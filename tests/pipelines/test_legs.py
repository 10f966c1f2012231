"""What falls with a memory that is retired, what stands on other legs, and what comes back with it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from backstory.pipelines import correct, legs
from backstory.pipelines.legs import Fallen, decide
from backstory.store import cutter, events, evidence, memories, runs, slots, turns, words
from backstory.store.db import Database
from backstory.store.evidence import Lean
from backstory.store.memories import Quote
from backstory.store.models import Memory, NewEvent, NewMemory, Scope
from backstory.store.rows import fetch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

T0 = 1_790_000_000_000_000
SCOPE = Scope("me", None, "s1", "claude-code")
SAID = "Alpha is red. Beta is blue. Gamma is green. Delta is dark. Epsilon is empty."
SPANS = [(0, 13), (14, 27), (28, 43), (44, 58), (59, 76)]


class Shelf:
    """Memories that rest on each other, and on what was said in one turn."""

    def __init__(self, db: Database) -> None:
        self.db, self.now, self.made = db, T0, 0

        def said(con: Any) -> tuple[int, int]:
            turn = turns.open_turn(con, SCOPE, "p1", at=T0)
            assert turn is not None
            event, _ = events.append(
                con, turn.id, NewEvent("prompt", "user", "prompt", SAID, "user", T0), now=T0
            )
            return turn.id, event

        self.turn, self.event = db.write(said)

    def holds(self, text: str, *sources: int, spans: tuple[int, ...] = (), **more: Any) -> int:
        """A memory drawn from those, and from those sentences."""
        self.made += 1

        def put(con: Any) -> int:
            new = NewMemory("fact", "chat", SCOPE, text, "agent", turn=self.turn, **more)
            quotes = [Quote(self.event, *SPANS[one]) for one in spans]
            id_ = memories.insert(con, new, words.index(text, None), now=self.now, evidence=quotes)
            for source in sources:
                memories.link(con, id_, source, "derived_from", now=self.now)
            return id_

        return self.db.write(put)

    def links(self, source: int, target: int, kind: str = "derived_from", **data: Any) -> None:
        self.db.write(memories.link, source, target, kind, now=self.now, data=data)

    def retires(self, *ids: int) -> Fallen:
        self.now += 1_000_000
        going = [self.row(id_) for id_ in ids]
        return self.db.write(legs.retire, going, why=slots.ON_REQUEST, now=self.now)

    def restores(self, id_: int) -> int:
        self.now += 1_000_000
        return correct.correct(id_, scope=SCOPE, db=self.db, now=self.now, cut=cutter.load(), restore=True)[0]

    def row(self, id_: int) -> Memory:
        return self.db.read(memories.by_id, id_)

    def live(self) -> set[str]:
        rows = self.db.read(fetch, "select text from memory where retired_at is null")
        return {str(text) for (text,) in rows}

    def marked(self) -> set[str]:
        sql = "select text from memory where retired_at is null and renew_at is not null"
        return {str(text) for (text,) in self.db.read(fetch, sql)}


@pytest.fixture
def shelf(db: Database) -> Shelf:
    return Shelf(db)


def test_what_leaned_on_it_alone_falls_with_it_and_says_on_what(shelf: Shelf) -> None:
    fact = shelf.holds("fact", spans=(0,))
    derived = shelf.holds("derived", fact)
    further = shelf.holds("further", derived)
    assert shelf.retires(fact) == Fallen((derived, further))
    assert shelf.live() == set()
    whys = [shelf.row(one).retired_why for one in (derived, further)]
    assert whys == [f"it rested on m{fact} alone", f"it rested on m{derived} alone"]


def test_what_has_other_legs_stands_and_is_to_be_renewed(shelf: Shelf) -> None:
    fact, other = shelf.holds("fact", spans=(0,)), shelf.holds("other", spans=(1,))
    by_source = shelf.holds("by another source", fact, other)
    by_words = shelf.holds("by words of its own", fact, spans=(2,))
    by_same_words = shelf.holds("by the same words", fact, spans=(0,))
    assert shelf.retires(fact) == Fallen((by_same_words,), (by_source, by_words))
    assert shelf.marked() == {"by another source", "by words of its own"}


def test_what_is_told_again_or_revised_needs_no_renewal_any_more(shelf: Shelf) -> None:
    fact = shelf.holds("fact", spans=(0,))
    told, revised = shelf.holds("told", fact, spans=(1,)), shelf.holds("revised", fact, spans=(2,))
    shelf.retires(fact)
    shelf.db.write(memories.support, told, [Quote(shelf.event, *SPANS[3])])
    correct.correct(revised, scope=SCOPE, db=shelf.db, now=shelf.now, cut=None, content="Said anew")
    assert (shelf.marked(), shelf.live()) == (set(), {"told", "Said anew"})


def test_a_newer_value_is_no_loss_of_a_leg(shelf: Shelf) -> None:
    old = shelf.holds("lives in Hangzhou", spans=(0,), slot="lives:city")
    derived = shelf.holds("derived", old)
    shelf.db.write(memories.retire, old, why="another value of the same thing; the newer is current", now=T0)
    new = shelf.holds("lives in Beijing", spans=(1,), slot="lives:city")
    shelf.links(new, old, "supersedes")
    assert shelf.retires(new) == Fallen()
    assert shelf.row(derived).retired_at is None


def test_a_correction_keeps_what_rests_on_it_and_lets_it_be_renewed(shelf: Shelf) -> None:
    fact = shelf.holds("fact", spans=(0,))
    shelf.holds("derived", fact)
    correct.correct(fact, scope=SCOPE, db=shelf.db, now=T0 + 1, cut=None, content="The fact, put right")
    assert (shelf.live(), shelf.marked()) == ({"The fact, put right", "derived"}, {"derived"})


def test_the_corrected_version_is_the_leg_now(shelf: Shelf) -> None:
    fact = shelf.holds("fact", spans=(0,))
    derived = shelf.holds("derived", fact)
    new, _ = correct.correct(
        fact, scope=SCOPE, db=shelf.db, now=T0 + 1, cut=None, content="The fact, put right"
    )
    assert shelf.retires(new) == Fallen((derived,))


@pytest.mark.parametrize(("kind", "data"), [("same_task", {}), ("derived_from", {"relation": "supplement"})])
def test_what_only_bears_on_another_does_not_rest_on_it(
    shelf: Shelf, kind: str, data: dict[str, str]
) -> None:
    fact, other = shelf.holds("fact", spans=(0,)), shelf.holds("other", spans=(1,))
    shelf.links(other, fact, kind, **data)
    assert shelf.retires(fact) == Fallen()


def test_a_ring_that_holds_only_itself_falls(shelf: Shelf) -> None:
    fact = shelf.holds("fact", spans=(0,))
    one = shelf.holds("one", fact)
    two = shelf.holds("two", one)
    shelf.links(one, two)
    assert set(shelf.retires(fact).alone) == {one, two}


def test_a_restored_memory_brings_back_what_fell_with_it(shelf: Shelf) -> None:
    fact = shelf.holds("fact", spans=(0,))
    derived = shelf.holds("derived", fact)
    shelf.holds("further", derived)
    shelf.holds("standing", fact, spans=(1,))
    earlier = shelf.holds("retired before", fact)
    shelf.retires(earlier)
    shelf.retires(fact)
    assert (shelf.live(), shelf.marked()) == ({"standing"}, {"standing"})
    shelf.restores(fact)
    assert (shelf.live(), shelf.marked()) == ({"fact", "derived", "further", "standing"}, set())


def test_what_fell_does_not_come_back_where_something_else_took_its_place(shelf: Shelf) -> None:
    fact = shelf.holds("fact", spans=(0,))
    shelf.holds("a plan", fact, slot="plan:x")
    shelf.retires(fact)
    shelf.holds("another plan", spans=(1,), slot="plan:x")
    shelf.restores(fact)
    assert shelf.live() == {"fact", "another plan"}


def test_each_fall_is_logged_with_its_reason(shelf: Shelf) -> None:
    fact = shelf.holds("fact", spans=(0,))
    derived, standing = shelf.holds("derived", fact), shelf.holds("standing", fact, spans=(1,))
    shelf.retires(fact)
    steps = [(one.verdict, one.reason) for one in shelf.db.read(runs.naming, [derived, standing])]
    assert steps == [
        ("fell", f"it rested on m{fact} alone"),
        ("to renew", f"part of what this rests on is gone (m{fact}); it has other legs"),
    ]


roots = st.sampled_from("abcdefgh")
graphs = st.dictionaries(
    roots, st.tuples(st.frozensets(st.sampled_from("abcdefghxyz"), max_size=3), st.booleans()), min_size=1
)


@given(graphs, st.frozensets(st.sampled_from("abcxyz"), min_size=1))
def test_whatever_goes_nothing_is_left_that_stands_on_nothing(
    graph: dict[str, tuple[frozenset[str], bool]], going: frozenset[str]
) -> None:
    leans = [
        Lean(number, root, sources - going - {root}, sources & going, own)
        for number, (root, (sources, own)) in enumerate(graph.items())
        if root not in going
    ]
    found = decide(leans)
    left = {one.root: one for one in leans if one.memory not in found.alone}
    among = {one.root for one in leans}
    # Each that is left reaches the ground: words of its own, or a source that nothing happens to.
    for one in left.values():
        seen, waiting = set(), [one]
        while waiting and not (waiting[-1].own or waiting[-1].sources - among):
            top = waiting.pop()
            seen.add(top.root)
            waiting += [left[root] for root in top.sources if root in left and root not in seen]
        assert waiting, one
    # And what fell could not have stood.
    for one in leans:
        if one.memory in found.alone:
            assert not one.own
            assert not one.sources & (left.keys() | (one.sources - among))


memory = st.tuples(st.lists(st.integers(0, 7), max_size=3), st.lists(st.integers(0, 4), max_size=2))


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(memory, min_size=2, max_size=8),
    st.lists(st.lists(st.integers(0, 7), min_size=1, max_size=3), min_size=1, max_size=3),
)
def test_in_a_file_too_nothing_live_leans_on_nothing(
    held: list[tuple[list[int], list[int]]], rounds: list[list[int]]
) -> None:
    with_file = Database.open(":memory:")
    try:
        shelf = Shelf(with_file)
        ids = [shelf.holds(f"n{at}", spans=tuple(set(spans))) for at, (_, spans) in enumerate(held)]
        for at, (sources, spans) in enumerate(held):
            for source in sources:
                # What rests on nothing from the beginning is none of ours.
                if source < len(ids) and source != at:
                    shelf.links(ids[at], ids[source])
            if not spans and not any(one < len(ids) and one != at for one in sources):
                with_file.write(memories.support, ids[at], [Quote(shelf.event, *SPANS[at % 5])])
        grounded = _grounded(with_file)
        for going in rounds:
            now = [ids[one] for one in going if one < len(ids) and shelf.row(ids[one]).retired_at is None]
            if now:
                expected = decide(with_file.read(evidence.leans, now))
                fallen = shelf.retires(*dict.fromkeys(now))
                assert fallen == expected
            assert not (_grounded_lost(with_file) & grounded)
    finally:
        with_file.close()


def _grounded(db: Database) -> set[int]:
    """The live memories that reach words of an event, by themselves or through live sources."""
    live = {int(id_) for (id_,) in db.read(fetch, "select id from memory where retired_at is null")}
    found = {int(id_) for (id_,) in db.read(fetch, "select memory from evidence")} & live
    pairs = db.read(fetch, "select source, target from link where kind = 'derived_from'")
    grown = True
    while grown:
        more = {source for source, target in pairs if target in found and source in live} - found
        found |= more
        grown = bool(more)
    return found


def _grounded_lost(db: Database) -> set[int]:
    """The live memories that reach no words."""
    live = {int(id_) for (id_,) in db.read(fetch, "select id from memory where retired_at is null")}
    return live - _grounded(db)


def test_the_chain_of_what_something_was_drawn_from_is_bounded(shelf: Shelf) -> None:
    first = shelf.holds("0", spans=(0,))
    last = first
    for number in range(1, 8):
        last = shelf.holds(str(number), last)
    shelf.links(first, last)
    found = shelf.db.read(evidence.chain, shelf.row(last))
    assert [(one.depth, one.memory.text) for one in found] == [(1, "6"), (2, "5"), (3, "4"), (4, "3")]
    assert replace(found[0]).holder == last
