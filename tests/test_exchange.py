"""Out and in again, and several machines' files into one: nothing is lost, whatever the order."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from pathlib import Path

import pytest
from backstory.store.rows import fetch

from .exchanging import Machine, apart, origin, state

Make = Callable[[str], Machine]


@pytest.fixture
def machine(tmp_path: Path) -> Make:
    repository = origin(tmp_path / "origin")
    return lambda name: Machine(tmp_path, name, repository)


@pytest.mark.parametrize("seed", range(3))
def test_what_comes_out_goes_in_without_loss(machine: Make, seed: int) -> None:
    here, there = machine("here"), machine("there")
    here.lives(seed)
    done = there.takes(here.file())
    assert not done.refused and done.whole
    assert apart(state(there.db), state(here.db)) == []


@pytest.mark.parametrize("seed", range(4))
def test_two_files_become_the_same_in_either_order(machine: Make, seed: int) -> None:
    one, other = machine("one"), machine("other")
    one.lives(seed)
    other.lives(seed)
    first, second = one.file(), other.file()
    one.takes(second)
    other.takes(first)
    assert apart(state(one.db), state(other.db)) == []
    before = state(one.db)
    again = one.takes(second)
    assert not again.added
    assert apart(before, state(one.db)) == []


@pytest.mark.parametrize("seed", range(3))
def test_machines_that_met_once_and_went_on_become_the_same(machine: Make, seed: int) -> None:
    one, other = machine("one"), machine("other")
    one.lives(seed)
    other.takes(one.file())
    one.lives(seed + 100)
    other.lives(seed + 200)
    first, second = one.file("a"), other.file("b")
    one.takes(second)
    other.takes(first)
    assert apart(state(one.db), state(other.db)) == []


@pytest.mark.parametrize("seed", range(2))
def test_three_files_become_the_same_in_any_order(machine: Make, seed: int) -> None:
    machines = [machine(name) for name in ("a", "b", "c")]
    machines[0].lives(seed)
    shared = machines[0].file("shared.jsonl")
    for one in machines[1:]:
        one.takes(shared)
    for one in machines:
        one.lives(seed + 10, steps=8)
    files = [one.file() for one in machines]
    states = []
    for order in itertools.permutations(range(3)):
        fresh = machine("fresh" + "".join(map(str, order)))
        fresh.takes(*(files[n] for n in order))
        states.append(state(fresh.db))
    assert [apart(states[0], found) for found in states] == [[]] * 6


def test_of_one_slot_one_value_is_current_after_a_merge(machine: Make) -> None:
    one, other = machine("one"), machine("other")
    one.lives(1)
    other.lives(2)
    one.takes(other.file())
    rivals = one.db.read(
        fetch,
        """
        select memory.user, coalesce(workspace.same_as, workspace.id, 0) as place, slot, count(*)
        from memory left join workspace on workspace.id = memory.workspace
        where slot is not null and retired_at is null and valid_to is null
        group by 1, 2, 3 having count(*) > 1""",
    )
    assert rivals == []
