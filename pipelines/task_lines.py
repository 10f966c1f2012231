"""Whether a turn goes on with a task, and what the line of its turns has come to so far, in few words."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..store import everyday, words
from ..store.clock import DAY_US
from ..store.cutter import Cut
from ..store.models import Memory, Scope

# How long a task may rest, and how many of the latest turns are looked at for the one that it goes on with.
REST_US, LATEST = 14 * DAY_US, 40
# A task's line in few words.
SUMMARY_CHARS, STEP_CHARS = 300, 90
# The share of the shorter request's words that the other holds too: by words alone, and with a file in common.
BY_WORDS, BY_FILES = 0.6, 0.25
# Two requests have this many telling words in common before words alone join them.
COMMON_WORDS = 3
TRUNKS = frozenset(("main", "master", "trunk", "develop", "dev", "HEAD"))
# What says that it goes on, in the session where it was left, and from any other.
GOES_ON = re.compile(
    r"^\W*(?:(?:ok(?:ay)?|yes|yep|sure|great|good|now|and|please|好的?|行|嗯|可以)[\s,，。.!！]+)*"
    r"(?:continue|go on|go ahead|carry on|keep going|proceed|resume|try again|retry|next(?: step)?|do it"
    r"|继续|接着|往下|再试|重试|下一步)",
    re.IGNORECASE,
)
LEFT_OFF = re.compile(
    r"where (?:we|I|you) (?:left|stopped)|(?:continue|resume|pick up|finish|carry on)\b.{0,40}"
    r"\b(?:yesterday|earlier|last (?:time|session)|started|unfinished|left)"
    r"|(?:接着|继续)(?:上次|昨天|之前|刚才|前面)|上次(?:的|没|做到|停)|没(?:做|写|改)完",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Doing:
    """A turn's work as it is compared: where, at what, from when; `asked` in the user's words."""

    scope: Scope
    asked: str
    files: frozenset[str]
    at: int


@dataclass(frozen=True, slots=True)
class Line:
    """The line that a turn goes on with: its latest fact, why it is the same task, and what to keep of it."""

    latest: Memory
    reason: str
    data: Mapping[str, Any]


def goes_on_with(doing: Doing, lately: Sequence[Memory], cut: Cut | None) -> Line | None:
    """The line of work among the facts of late, latest first, that a turn goes on with; None for a new task."""
    said = _telling(doing.asked, cut)
    for known in lately[:LATEST]:
        if reason := _same_task(doing, said, known, cut):
            return Line(known, reason, _data(known))
    return None


def _same_task(doing: Doing, said: frozenset[str], known: Memory, cut: Cut | None) -> str | None:
    at = known.valid_from or known.recorded_at
    if at >= doing.at or doing.at - at > REST_US:
        return None
    here = (known.scope.source, known.scope.session) == (doing.scope.source, doing.scope.session)
    one_branch = known.scope.branch == doing.scope.branch
    if here and GOES_ON.search(doing.asked):
        return "the user said to go on"
    if one_branch and LEFT_OFF.search(doing.asked):
        return "the user said to go on with what was left"
    files = doing.files & frozenset(map(str, known.data.get("files") or ()))
    if files and here:
        return f"the same session went on with {min(files)}"
    if files and one_branch and doing.scope.branch and doing.scope.branch not in TRUNKS:
        return f"{min(files)} again, on {doing.scope.branch}"
    common = said & _telling(str(known.data.get("asked") or ""), cut)
    shorter = min(len(said), len(_telling(str(known.data.get("asked") or ""), cut))) or 1
    if files and len(common) / shorter >= BY_FILES:
        return f"{min(files)} again, and the words {', '.join(sorted(common)[:3])}"
    if len(common) >= COMMON_WORDS and len(common) / shorter >= BY_WORDS:
        return f"the words {', '.join(sorted(common)[:3])} again"
    return None


def _telling(asked: str, cut: Cut | None) -> frozenset[str]:
    """The words of a request that tell what it is about."""
    common = everyday.tokens()
    return frozenset(word.text for word in words.query(asked, cut).words if word.text not in common)


def _data(known: Memory) -> Mapping[str, Any]:
    """What a fact keeps of the line it goes on with: the first fact's root, its number, the way so far."""
    before = known.data.get("line") or {}
    steps = [*before.get("steps", ()), _step(known)]
    first, rest = steps[:1], steps[1:]
    while rest and sum(map(len, [*first, *rest])) > SUMMARY_CHARS:
        rest.pop(0)
    return {
        "first": before.get("first", known.root),
        "n": int(before.get("n", 1)) + 1,
        "steps": [*first, *rest],
    }


def _step(known: Memory) -> str:
    asked = " ".join(str(known.data.get("asked") or known.line or known.text).split())
    return asked if len(asked) <= STEP_CHARS else asked[: STEP_CHARS - 1].rstrip() + "…"
