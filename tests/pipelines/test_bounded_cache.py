"""What was made last is kept, by number and by size."""

from __future__ import annotations

from backstory.pipelines.code.bounded_cache import BoundedCache
from hypothesis import given
from hypothesis import strategies as st


def test_it_is_bounded_by_number_and_by_size() -> None:
    kept: BoundedCache[str, str] = BoundedCache(2, 100)
    for name in ("a", "b", "c"):
        kept.put(name, name.upper(), 10)
    assert [kept.get(name) for name in ("a", "b", "c")] == [None, "B", "C"]
    kept.get("b")
    kept.put("d", "D", 95)
    assert [kept.get(name) for name in ("b", "c", "d")] == [None, None, "D"]


def test_its_bounds_are_wider_for_a_while() -> None:
    kept: BoundedCache[int, int] = BoundedCache(1, 100)
    with kept.holding(3, 10):
        for n in range(4):
            kept.put(n, n, 20)
        assert [kept.get(n) for n in range(4)] == [None, 1, 2, 3]
    assert [kept.get(n) for n in range(4)] == [None, None, None, 3]


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 60)), max_size=60))
def test_what_was_used_last_is_there_and_all_of_it_fits(puts: list[tuple[int, int]]) -> None:
    kept: BoundedCache[int, int] = BoundedCache(4, 100)
    sizes: dict[int, int] = {}
    for key, size in puts:
        kept.put(key, size, size)
        sizes[key] = size
        assert kept.get(key) == size
    there = [key for key in sizes if kept.get(key) is not None]
    assert len(there) <= 4
    assert len(there) <= 1 or sum(sizes[key] for key in there) <= 100
