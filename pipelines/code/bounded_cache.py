"""What was made last, bounded by how much there is of it: bytes of code differ in size too much to be counted only."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable, Iterator
from contextlib import contextmanager
from threading import Lock
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class BoundedCache(Generic[K, V]):
    """The values used last: at most `count` of them, of at most `size` together, but always one. From any thread."""

    def __init__(self, count: int, size: int) -> None:
        self._count, self._size, self._used = count, size, 0
        self._kept: OrderedDict[K, tuple[V, int]] = OrderedDict()
        self._lock = Lock()

    def get(self, key: K) -> V | None:
        """What is kept under this key, which is now the one used last; None for nothing."""
        with self._lock:
            found = self._kept.get(key)
            if found is None:
                return None
            self._kept.move_to_end(key)
            return found[0]

    def put(self, key: K, made: V, size: int) -> None:
        """Keep a value of that size, and let go of those that were not used for longest."""
        with self._lock:
            self._used += size - self._kept.pop(key, (None, 0))[1]
            self._kept[key] = made, size
            self._shrink()

    @contextmanager
    def holding(self, count: int, size: int) -> Iterator[None]:
        """Within it these are the bounds, unless they are lower."""
        before = self._count, self._size
        self._count, self._size = max(count, before[0]), max(size, before[1])
        try:
            yield
        finally:
            self._count, self._size = before
            with self._lock:
                self._shrink()

    def _shrink(self) -> None:
        while len(self._kept) > self._count or (self._used > self._size and len(self._kept) > 1):
            self._used -= self._kept.popitem(last=False)[1][1]
