"""
A window of turns of one session as a model is shown it: pieces of bounded size that leave nothing out.

    pieces(…) the window as pieces; a text longer than a piece is cut into parts that overlap
    body(…)   a piece as fenced text
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from functools import cached_property
from typing import Any, Literal

from . import calendars
from .chat_rules import drafts
from .drafts import Draft
from .model_fence import Fence, cut, one_line
from .model_quotes import Source
from .work_outcomes import error_line
from .work_text import WIDE, width
from .work_trace import Step, tests_of

# Of what the user said before, for pronouns.
EARLIER_TURNS, EARLIER_CHARS = 5, 300
# Widths, a Chinese character counted as two: about 3,000 tokens a piece in English, 4,000 in Chinese.
PIECE_WIDTH, PART_WIDTH, OVERLAP_WIDTH = 10_000, 6_000, 400
CHAT_REPLY, WORK_REPLY = (400, 200), (500, 700)
STEP_CHARS, STEPS_FIRST, STEPS_LAST = 200, 10, 25


@dataclass(frozen=True)
class Spoken:
    """Something said in a turn, as it is stored: its row and who said it."""

    event: int
    by: Literal["user", "agent"]
    text: str

    @cached_property
    def source(self) -> Source:
        """The text as one that may be quoted."""
        return Source(self.text)


@dataclass(frozen=True)
class WindowTurn:
    """
    One turn of a window.

    Args:
        key: the caller's own name for it.
        at: when it was said, UTC microseconds; dates are counted from there, in the zone of `utc_offset_s`.
        steps: what was done, of a turn of the working or the coding scene.
        fact, learned: what the rules say was done and learned there; a model may only tell it better.
        conditions: under which it was, as the rules put it into an experience's data.
    """

    key: int
    at: int
    utc_offset_s: int
    said: tuple[Spoken, ...]
    steps: tuple[Step, ...] = ()
    fact: Draft | None = None
    learned: tuple[Draft, ...] = ()
    conditions: Mapping[str, Any] = field(default_factory=dict)

    @property
    def today(self) -> date:
        """The local day."""
        return calendars.today(self.at, self.utc_offset_s)

    @cached_property
    def ruled(self) -> Mapping[int, tuple[Draft, ...]]:
        """What the rules find in the user's words, by the event they stand in."""
        return {one.event: rules_of(one.text, self) for one in self.said if one.by == "user"}

    @property
    def is_private(self) -> bool:
        """Whether the user asks in it that it is not remembered."""
        return any(map(asks_not_to_keep, self.ruled.values()))


@dataclass(frozen=True, slots=True)
class Part:
    """A text, or a stretch of one, of the turn with that number, as it is shown."""

    number: int
    name: Literal["user", "assistant", "steps"]
    text: str
    more: bool = False


def rules_of(text: str, turn: WindowTurn) -> tuple[Draft, ...]:
    """What the rules find in a text of that moment."""
    return drafts(text, at=turn.at, utc_offset_s=turn.utc_offset_s)


def asks_not_to_keep(found: Sequence[Draft]) -> bool:
    """Whether what the rules find in a text is that it is not to be remembered."""
    return any(one.asks == "forget" and one.data["qualifiers"].get("target") == "turn" for one in found)


def pieces(turns: Sequence[WindowTurn]) -> list[tuple[Part, ...]]:
    """
    The window as pieces no wider than `PIECE_WIDTH`, turns numbered from 1; none where nothing was said. A turn that
    the user asks not to remember is in none of them.
    """
    found: list[list[Part]] = []
    room = 0
    for number, turn in enumerate(turns, 1):
        for group in () if turn.is_private else _groups(number, turn):
            wide = sum(width(part.text) for part in group)
            if wide > room:
                found.append([])
                room = PIECE_WIDTH
            found[-1] += group
            room -= wide
    return [tuple(piece) for piece in found]


def body(piece: Sequence[Part], turns: Sequence[WindowTurn], earlier: Sequence[str], fenced: Fence) -> str:
    """A piece as fenced text, what the user said before it first; each turn with the local day it was on."""
    blocks = []
    if before := [one_line(text, EARLIER_CHARS) for text in earlier[-EARLIER_TURNS:] if text.strip()]:
        blocks.append(fenced.block("earlier", "\n".join(f"- {text}" for text in before)))
    for part in piece:
        turn = turns[part.number - 1]
        told: dict[str, object] = {"turn": part.number}
        if part.name == "user":
            told["day"] = turn.today.strftime("%Y-%m-%d %A")
        if part.more:
            told["part_of"] = "a longer text"
        blocks.append(fenced.block(part.name, part.text, **told))
    return "\n".join(blocks)


def step_lines(steps: Sequence[Step]) -> list[str]:
    """
    What was done, one line a step: commands with how they ended, how many tests passed, and the line that says what
    went wrong; files that were edited or read; names of other tools. Nothing else of what a tool printed.
    """
    lines = [_step_line(step) for step in steps]
    once = [line for at, line in enumerate(lines) if not at or line != lines[at - 1]]
    gap = len(once) - STEPS_FIRST - STEPS_LAST
    if gap > 0:
        return [*once[:STEPS_FIRST], f"[… {gap} more …]", *once[-STEPS_LAST:]]
    return once


def _step_line(step: Step) -> str:
    if step.kind == "run":
        ended = {None: "", True: " → exit 0", False: f" → exit {step.status or '?'}"}[step.ok]
        if counts := tests_of(step):
            ended += f" ({counts.passed} passed, {counts.failed} failed)"
        wrong = error_line(step.said) if step.ok is False else None
        return one_line(f"$ {step.command}", STEP_CHARS) + ended + (f": {wrong}" if wrong else "")
    failed = " (failed)" if step.ok is False else ""
    verb = {"edit": "edited", "read": "read"}.get(step.kind)
    if verb and step.paths:
        return one_line(f"{verb} {', '.join(step.paths[:4])}", STEP_CHARS) + failed
    return one_line(f"used {step.tool}", STEP_CHARS) + failed


def _groups(number: int, turn: WindowTurn) -> Iterator[list[Part]]:
    """What is shown of a turn, in groups that stay together: the user's words with what came of them."""
    told: list[Part] = []
    if turn.steps:
        told.append(Part(number, "steps", "\n".join(step_lines(turn.steps))))
    replies = [spoken.text for spoken in turn.said if spoken.by == "agent" and spoken.text.strip()]
    if replies:
        told.append(Part(number, "assistant", cut(replies[-1], *(WORK_REPLY if turn.steps else CHAT_REPLY))))
    said: list[Part] = []
    for spoken in turn.said:
        if spoken.by == "user" and spoken.source.shown:
            parts = overlapping(spoken.source.shown)
            said += [Part(number, "user", text, more=len(parts) > 1) for text in parts]
    for part in said[:-1]:
        yield [part]
    if group := [*said[-1:], *told]:
        yield group


def overlapping(text: str, most: int = PART_WIDTH, overlap: int = OVERLAP_WIDTH) -> list[str]:
    """A text in parts of that width at most; each begins with the last words of the one before."""
    parts: list[str] = []
    start = 0
    while start < len(text):
        end = _reach(text, start, most)
        if end < len(text):
            end = _at_a_stop(text, start, end)
        parts.append(text[start:end])
        if end >= len(text):
            break
        start = max(_back(text, end, overlap), start + 1)
    return parts


def _reach(text: str, start: int, most: int) -> int:
    """How far so much width goes from an offset."""
    if width(text[start : start + most]) <= most:
        return min(start + most, len(text))
    end = start
    while end < len(text) and most > 0:
        most -= 2 if WIDE.match(text[end]) else 1
        end += 1
    return end if most >= 0 else end - 1


def _back(text: str, end: int, most: int) -> int:
    while end > 0 and most > 0:
        end -= 1
        most -= 2 if WIDE.match(text[end]) else 1
    return end


def _at_a_stop(text: str, start: int, end: int) -> int:
    """Where a sentence or a line ends in the last fifth of a stretch; its end where none does."""
    least = end - (end - start) // 5
    found = max(
        text.rfind(mark, least, end) for mark in ("\n", ". ", "。", "！", "？", "! ", "? ", "; ", "；")
    )
    return found + 1 if found >= least else end
