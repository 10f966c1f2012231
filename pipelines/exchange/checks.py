"""What a field of a line may hold: small checks that can say what they want, and what is built of them."""

from __future__ import annotations

import base64
import binascii
import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

TEXT_CHARS = 8_000_000
LIST_ITEMS = 100_000
# What every program that reads JSON can count to.
MOST = 1 << 53
# Levels of JSON in one another; what is captured has at most 64 and what stands round it.
DEEPEST = 100
# What stands where a secret stood; it may be longer than that was.
_MARK = re.compile(r"\[redacted:[a-z0-9]{1,16}:[0-9a-f]{8}\]|\[private\]")

Line = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Check:
    """Whether a value may stand in a field, and what may: "is not" goes before it."""

    holds: Callable[[Any], bool]
    what: str

    def __call__(self, value: Any) -> bool:
        return self.holds(value)


Shape = Mapping[str, Check]


class Fields:
    """What a line must hold, and what it may hold beside."""

    def __init__(
        self, must: Shape, may: Shape | None = None, holds: Callable[[Line], bool] = lambda _: True
    ) -> None:
        self.must, self.may, self.holds = must, may or {}, holds

    def wrong(self, line: Line) -> str | None:
        """What is wrong with a line; None for nothing."""
        for name, check in self.must.items():
            if name not in line:
                return f"{name} is missing"
            if not check.holds(line[name]):
                return f"{name} is not {check.what}"
        for name, value in line.items():
            if name in self.must or name == "type":
                continue
            if name not in self.may:
                return f"{name[:40]!r} is no field of it"
            if not self.may[name].holds(value):
                return f"{name} is not {self.may[name].what}"
        return None if self.holds(line) else "its fields contradict each other"


def text(most: int, *, nul: bool = False) -> Check:
    """A text that a file can hold, of at most so many characters. A NUL ends it for much that reads files: none."""

    def holds(value: Any) -> bool:
        if not isinstance(value, str) or len(value) > most or ("\0" in value and not nul):
            return False
        return value.isascii() or _is_writable(value)

    return Check(holds, f"a text of at most {most:,} characters" + ("" if nul else " without NUL"))


def _is_writable(value: str) -> bool:
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True


def words(most: int, *, nul: bool = False, filled: bool = False) -> Check:
    """A text that somebody could have sent: a mark in the place of a secret counts as one character."""
    fits = text(TEXT_CHARS, nul=nul).holds

    def holds(value: Any) -> bool:
        if not fits(value) or (filled and not value.strip()):
            return False
        return len(value) <= most or len(_MARK.sub(".", value)) <= most

    kind = "a text that says something, of" if filled else "a text of"
    return Check(holds, f"{kind} at most {most:,} characters" + ("" if nul else " without NUL"))


def one_of(*values: str) -> Check:
    """One of those words."""
    return Check(lambda value: isinstance(value, str) and value in values, f"one of {', '.join(values)}")


def whole(low: int, high: int, what: str = "a whole number within bounds") -> Check:
    """A whole number within bounds; neither True nor 1.0 is one."""
    return Check(lambda value: type(value) is int and low <= value <= high, what)


def _is_part(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= 1


PART = Check(_is_part, "a number from 0 to 1")
TRUTH = Check(lambda value: isinstance(value, bool), "true or false")


def thing(*, nul: bool = False) -> Check:
    """A JSON object that SQLite's JSON reads too: finite numbers, no lone surrogates, not too deep."""

    def holds(value: Any) -> bool:
        if not isinstance(value, dict):
            return False
        if not value:
            return True
        try:
            told = json.dumps(value, ensure_ascii=False, allow_nan=False)
            if len(told.encode()) > TEXT_CHARS or told.count("{") + told.count("[") > DEEPEST < _depth(value):
                return False
            return nul or "\\u0000" not in told or not _has_nul(value)
        except (ValueError, RecursionError):
            return False

    return Check(holds, "an object that a file can hold")


def _depth(value: Any) -> int:
    match value:
        case dict():
            return 1 + max(map(_depth, value.values()), default=0)
        case list():
            return 1 + max(map(_depth, value), default=0)
    return 0


def _has_nul(value: Any) -> bool:
    match value:
        case str():
            return "\0" in value
        case dict():
            return any("\0" in key or _has_nul(one) for key, one in value.items())
        case list():
            return any(map(_has_nul, value))
    return False


def list_of(item: Check) -> Check:
    """A list of such values."""
    return Check(
        lambda value: isinstance(value, list) and len(value) <= LIST_ITEMS and all(map(item.holds, value)),
        f"a list of which each is {item.what}",
    )


def row(*items: Check) -> Check:
    """A list of exactly those values."""
    return Check(
        lambda value: (
            isinstance(value, list)
            and len(value) == len(items)
            and all(check.holds(part) for check, part in zip(items, value, strict=True))
        ),
        "a list of the right values",
    )


def or_null(check: Check) -> Check:
    """Such a value, or none."""
    return Check(lambda value: value is None or check.holds(value), f"{check.what}, or null")


def matches(pattern: str, what: str) -> Check:
    """A text that is as the pattern says."""
    wanted = re.compile(pattern)
    return Check(lambda value: isinstance(value, str) and wanted.fullmatch(value) is not None, what)


def _is_base64(value: Any) -> bool:
    try:
        return isinstance(value, str) and bool(base64.b64decode(value, validate=True) or True)
    except (binascii.Error, ValueError):
        return False


BASE64 = Check(_is_base64, "base64")


def in_order(line: Line, first: str, last: str) -> bool:
    """Whether the one field is not over the other, where both are there."""
    return line.get(first) is None or line.get(last) is None or bool(line[first] <= line[last])
