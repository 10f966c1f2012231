"""Whether a model may be asked now: after failures it rests, longer each time, for all who share the file."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass
from email.utils import parsedate_to_datetime

import apsw

from ..store import settings
from ..store.clock import DAY_US, SECOND_US

# Failures in a row that open it. One or two happen to everybody.
OPENS_AFTER = 3
# The first rest, doubled by each failure that follows, up to the longest.
REST_S = 30.0
LONGEST_REST_S = 1800.0
# What no waiting cures: a wrong key, a model that is not there, an account without money.
LONG_REST_S = 3600.0
# An endpoint may ask for a rest, but not for more than a day.
MOST_ASKED_S = 86_400.0
# A rest that ends later than this comes of a clock that was wrong.
BELIEVED_US = 2 * DAY_US


@dataclass(frozen=True, slots=True)
class Rest:
    """How a model stands: failures in a row, until when nobody asks it, why, and until when one is asking again."""

    failures: int
    until: int
    why: str
    probe_until: int = 0

    @property
    def opened(self) -> bool:
        """Whether it takes an answer to one probe before everybody may ask again."""
        return self.failures >= OPENS_AFTER or self.until > 0


def of_step(name: str, step: str) -> str:
    """By what a model is known for the time that one step gives it: a name of its own beside the model's."""
    return f"{name}:{step}"


def look(con: apsw.Connection, name: str) -> Rest | None:
    """How the model of that name stands; None where its last request was answered."""
    kept = settings.get(con, _key(name))
    try:
        return Rest(**json.loads(kept)) if kept else None
    except (TypeError, ValueError):  # another version's
        return None


def resting(rest: Rest | None, *, now: int) -> bool:
    """Whether nobody may ask now."""
    return rest is not None and any(now < end <= now + BELIEVED_US for end in (rest.until, rest.probe_until))


def admit(con: apsw.Connection, name: str, *, now: int, probe_s: float) -> Rest | None:
    """
    None if the model may be asked, else how it rests.

    After a rest one caller is let through, and for `probe_s` no other: its answer decides for all.
    """
    rest = look(con, name)
    if rest is None:
        return None
    if resting(rest, now=now):
        return rest
    if rest.opened:
        _keep(con, name, Rest(rest.failures, rest.until, rest.why, now + int(probe_s * SECOND_US)))
    return None


def answered(con: apsw.Connection, name: str) -> None:
    """Forget its failures."""
    if settings.get(con, _key(name)) is not None:
        settings.put(con, _key(name), None)


def failed(
    con: apsw.Connection,
    name: str,
    *,
    now: int,
    why: str,
    chance: Callable[[], float],
    rest_s: float | None = None,
    opens: bool = False,
) -> Rest:
    """
    Count a failure, and how the model stands then.

    Args:
        why: a sentence for `status`.
        chance: in [0, 1), so that processes do not come back all at once.
        rest_s: how long it rests, where that is known; opens it at once.
        opens: it rests at once, for the time that its failures so far make.
    """
    before = look(con, name)
    if before is not None and now < before.until <= now + BELIEVED_US and rest_s is None:
        # Requests that were under way together fail together: one failure, not five.
        return before
    failures = (before.failures if before else 0) + 1
    until = 0
    if rest_s is not None:
        until = now + int(rest_s * SECOND_US)
        if before is not None and before.until <= now + BELIEVED_US:
            until = max(until, before.until)
    elif opens or failures >= OPENS_AFTER or (before is not None and before.opened):
        doubled = REST_S * 2.0 ** min(max(failures - OPENS_AFTER, 0), 16)
        until = now + int(min(doubled, LONGEST_REST_S) * (0.75 + chance() / 2) * SECOND_US)
    rest = Rest(failures, until, why)
    _keep(con, name, rest)
    return rest


def retry_after_s(asked: str | None, *, now: int) -> float | None:
    """Seconds that a `Retry-After` header asks for, a number or a date; None where it says neither."""
    if not asked:
        return None
    try:
        seconds = float(asked)
    except ValueError:
        try:
            seconds = parsedate_to_datetime(asked).timestamp() - now / SECOND_US
        except (ValueError, TypeError, OverflowError):
            return None
    if seconds != seconds:  # noqa: PLR0124 - not a number
        return None
    return min(max(seconds, 1.0), MOST_ASKED_S)


def _key(name: str) -> str:
    return f"model_rest:{name}"


def _keep(con: apsw.Connection, name: str, rest: Rest) -> None:
    settings.put(con, _key(name), json.dumps(asdict(rest), ensure_ascii=False))
