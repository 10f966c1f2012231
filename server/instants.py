"""The moment that a date, a time or a few plain words name."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, tzinfo
from typing import Literal

from ..store import clock
from ..store.errors import BadInput

# Which way a bare span ("7d") points, and which end of a bare date is meant.
Reading = Literal["start", "end", "ahead"]

_SPAN = re.compile(r"\+?(\d{1,4})\s*([hdw])")
_HOURS = {"h": 1, "d": 24, "w": 168}
_DAYS = {
    "today": 0,
    "今天": 0,
    "yesterday": -1,
    "昨天": -1,
    "前天": -2,
    "tomorrow": 1,
    "明天": 1,
}
_DAY = timedelta(days=1)
_TICK = timedelta(microseconds=1)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def parse(
    text: str, reading: Reading = "start", *, now_at: int | None = None, zone: tzinfo | None = None
) -> int:
    """
    The UTC microseconds that `text` names.

    Args:
        text: `2026-05-01`, `2026-05-01T10:00` (with or without zone), `7d`, `12h`, `2w`, or a word
            (`yesterday`, `昨天`, `now`).
        reading: a date alone is the day's first moment (`start`) or its last (`end`, `ahead`); a span counts
            back from now, or forward (`ahead`).
        now_at: the moment of asking, UTC microseconds; None is now.
        zone: where a date without zone is meant; None is this machine's.

    Raises:
        BadInput: it names no moment, or one before year 1 or after 9999.
    """
    word = text.strip().casefold()
    now_at = clock.now() if now_at is None else now_at
    try:
        now = _EPOCH + timedelta(microseconds=now_at)
        if word in ("now", "现在"):
            return now_at
        if span := _SPAN.fullmatch(word):
            back = timedelta(hours=int(span[1]) * _HOURS[span[2]])
            return _micros(now + back if reading == "ahead" else now - back)
        if word in _DAYS:
            local = _local(now, zone)
            day = datetime(local.year, local.month, local.day) + timedelta(days=_DAYS[word])  # noqa: DTZ001
            return _edge(day, reading, zone)
        return _written(text.strip(), reading, zone)
    except (ValueError, OverflowError):
        shown = text if len(text) <= 40 else text[:40] + "…"
        raise BadInput(
            f"{shown!r} is not a date I can read; write 2026-05-01, 2026-05-01T10:00, 7d, 12h, 2w, yesterday"
        ) from None


def _written(text: str, reading: Reading, zone: tzinfo | None) -> int:
    moment = datetime.fromisoformat(text)
    if len(text) <= 10 and "T" not in text:
        return _edge(moment, reading, zone)
    if moment.tzinfo is None:
        moment = _place(moment, zone)
    return _micros(moment)


def _edge(day: datetime, reading: Reading, zone: tzinfo | None) -> int:
    if reading == "start":
        return _micros(_place(day, zone))
    return _micros(_place(day + _DAY, zone) - _TICK)


def _place(moment: datetime, zone: tzinfo | None) -> datetime:
    # Without a zone, the system's rules at that moment, so that a day in winter is read in winter time.
    return moment.astimezone() if zone is None else moment.replace(tzinfo=zone)


def _local(moment: datetime, zone: tzinfo | None) -> datetime:
    return moment.astimezone(zone)


def _micros(moment: datetime) -> int:
    return (moment - _EPOCH) // _TICK


def shown(at: int) -> str:
    """A moment for a person, to the minute, as this machine's clock tells it."""
    try:
        return (_EPOCH + timedelta(microseconds=at)).astimezone().strftime("%Y-%m-%d %H:%M")
    except (ValueError, OverflowError, OSError):
        return "the end of time"
