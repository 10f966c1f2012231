"""What becomes of a model's proposals: taken as drafts, or refused with a reason for the log."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from .drafts import Draft


@dataclass(frozen=True, slots=True)
class Taken:
    """
    A draft from a model's answer, of the turn with that key.

    `event` is the row in which the draft's quote stands at its offsets; None where the rules' own evidence is kept.
    `origin` is whose words they are. `mended` says what of the proposal was not taken as it came.
    """

    turn: int
    event: int | None
    origin: Literal["user", "agent"]
    draft: Draft
    mended: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Refused:
    """A proposal that was not taken: why, and the beginning of what it said. `turn` None where it named no turn."""

    turn: int | None
    reason: str
    what: str
