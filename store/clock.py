"""The time, as the file keeps it."""

from __future__ import annotations

import time

SECOND_US = 1_000_000
DAY_US = 86_400 * SECOND_US


def now() -> int:
    """This moment in UTC microseconds since the epoch."""
    return time.time_ns() // 1000


def utc_offset_s(at: int) -> int:
    """The local zone's offset from UTC at that moment, in seconds."""
    return time.localtime(at // SECOND_US).tm_gmtoff


def written(at: int) -> str:
    """That moment as part of a file's name, in UTC: 2026-11-30-164500."""
    return time.strftime("%Y-%m-%d-%H%M%S", time.gmtime(at // SECOND_US))
