"""ULIDs: sortable ids that need no coordination (github.com/ulid/spec)."""

from __future__ import annotations

import os
import threading

ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_lock = threading.Lock()
_last = 0


def new_ulid(at: int) -> str:
    """A new ULID of the moment `at` (UTC microseconds); those made in one process ascend."""
    global _last  # noqa: PLW0603  monotonic within the process
    with _lock:
        value = ((at // 1000) << 80) | int.from_bytes(os.urandom(10))
        if value >> 80 == _last >> 80:
            value = max(value, _last + 1)
        _last = value
    return "".join(ALPHABET[(value >> shift) & 31] for shift in range(125, -1, -5))
