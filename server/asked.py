"""What a call to `Memory` names, checked, and what it gets back beside packets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..store.conflicts import Against
from ..store.errors import BadInput
from ..store.evidence import Step
from ..store.memories import Support
from ..store.models import Memory as Row
from ..store.ratings import Verdict
from . import shapes

STATUSES = ("live", "retired", "archived", "all")
LIMIT = 200


@dataclass(frozen=True, slots=True)
class Listing:
    """
    One page of a listing, latest first; `total` counts all pages. `true_at`, `known_at`: the moments of the past that
    it was asked for, as in `Packet`.
    """

    memories: tuple[Row, ...]
    total: int
    page: int
    as_of_at: int = 0
    true_at: int | None = None
    known_at: int | None = None

    @property
    def of_the_past(self) -> bool:
        """Whether it lists what was, and not what is in recall now."""
        return self.true_at is not None or self.known_at is not None


@dataclass(frozen=True, slots=True)
class Source:
    """A memory that another was drawn from, with the first of the words behind it and how many more there are."""

    step: Step
    evidence: tuple[Support, ...]
    more: int


@dataclass(frozen=True, slots=True)
class Detail:
    """
    One memory with what it rests on (words, and memories that it was drawn from, nearest first) and every version of
    it, oldest first. `line`: what else is held of its slot, of other times, in order; `against`: what stands against
    it; `read_at` is the moment of the reading.
    """

    memory: Row
    evidence: tuple[Support, ...]
    versions: tuple[Row, ...]
    line: tuple[Row, ...] = ()
    against: tuple[Against, ...] = ()
    read_at: int = 0
    drawn_from: tuple[Source, ...] = ()


@dataclass(frozen=True, slots=True)
class Updated:
    """
    A correction: the new version's id and that of the version it replaces; the same where none was written. `rated` is
    the verdict that was kept, `revived` tells that it had faded and is recalled again.
    """

    id: int
    short: str
    was: str
    rated: Verdict | None = None
    revived: bool = False


@dataclass(frozen=True, slots=True)
class Deleted:
    """A retirement; the row stays readable by its id. `fell`: what rested on it alone, and went with it."""

    id: int
    short: str
    fell: tuple[str, ...] = ()


def short_id(given: str | int) -> int:
    """The row id in `m42`. Raises BadInput for anything else."""
    text = str(given).strip()
    number = text[1:] if text[:1] in ("m", "M") else text
    if number.isascii() and number.isdigit() and len(number) <= 15:
        return int(number)
    raise BadInput(f"{text[:40]!r} is no memory's id; ids look like m42, as a search shows them.")


def known(name: str, given: Sequence[Any], known: Sequence[str]) -> None:
    for value in given:
        if value not in known:
            raise BadInput(f"There is no {name} {value!r}; use one of {', '.join(known)}.")


def bounded(limit: int, page: int) -> int:
    shapes.check(limit=limit, page=page)
    if not 1 <= limit <= LIMIT:
        raise BadInput(f"limit is a number from 1 to {LIMIT}.")
    if not 1 <= page <= 100_000:
        raise BadInput("page is a number from 1.")
    return limit


# The years 0001 to 9999, in UTC microseconds.
FIRST_AT, LAST_AT = -62_135_596_800_000_000, 253_402_300_799_999_999


def check_moments(**moments: object) -> None:
    """Refuse what is no instant. Instants are UTC microseconds; tools and commands read dates before this."""
    for name, value in moments.items():
        if value is None:
            continue
        if not isinstance(value, int) or isinstance(value, bool) or not FIRST_AT <= value <= LAST_AT:
            raise BadInput(f"{name} is a moment in UTC microseconds since 1970, as a whole number.")
