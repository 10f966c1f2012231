"""ULIDs: sortable ids that need no coordination (github.com/ulid/spec)."""

from __future__ import annotations

import hashlib
import json
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
    return _written(value)


def derived_ulid(at: int, *parts: str | int | None) -> str:
    """
    The ULID that follows from the moment `at` and what it is made from: the same wherever, and whenever, it is made.
    Rows that two files write for the same reason are one row when the files are put together.
    """
    made_from = hashlib.sha256(json.dumps(parts, ensure_ascii=False, separators=(",", ":")).encode()).digest()
    return _written(((at // 1000) << 80) | int.from_bytes(made_from[:10]))


def _written(value: int) -> str:
    return "".join(ALPHABET[(value >> shift) & 31] for shift in range(125, -1, -5))
