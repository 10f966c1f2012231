"""What is asked of a model, and what comes back: a value, or why there is none."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Generic, Literal, TypeVar, get_args

from pydantic import BaseModel

T = TypeVar("T", bound=BaseModel)

Step = Literal["judge", "extract", "reconcile", "plan", "summary"]
STEPS: tuple[Step, ...] = get_args(Step)


@dataclass(frozen=True, slots=True)
class Asked:
    """A question: instructions, what they are about, and how many tokens the answer may take at most."""

    step: Step
    system: str = field(repr=False)
    user: str = field(repr=False)
    max_tokens: int


@dataclass(frozen=True, slots=True)
class Spent:
    """
    What a question came to. `calls` counts requests; a mended answer costs two. `estimated` where the endpoint gave
    no figures. The hashes are of the texts as they were sent first and came last.
    """

    model: str
    tokens_in: int
    tokens_out: int
    calls: int
    took_us: int
    estimated: bool
    prompt_hash: str
    prompt_chars: int
    answer_hash: str | None
    answer_chars: int
    # Both texts, redacted, where they are to be kept.
    prompt: str | None = field(default=None, repr=False)
    answer: str | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class Answered(Generic[T]):
    """A value that fits the shape asked for."""

    value: T
    spent: Spent


@dataclass(frozen=True, slots=True)
class Declined:
    """
    No value: rules take over. `reason` is a sentence for the log and `status`, without a secret or anybody's text.

    off: no model is set for the step, or it is closed. budget: the day's tokens do not reach. resting: it failed
    lately and is not asked. late: the deadline passed. refused: the endpoint would not take this text, key or
    model. failed: it is broken, or cannot be reached or counted. nonsense: twice no usable answer.
    """

    why: Literal["off", "budget", "resting", "late", "refused", "failed", "nonsense"]
    reason: str
    spent: Spent | None

    @property
    def is_of_the_moment(self) -> bool:
        """Whether it may be answered at another time; what was refused, or met with nonsense, is not asked again."""
        return self.why not in ("refused", "nonsense")


@dataclass(frozen=True, slots=True)
class Resting:
    """A model that is not asked until then."""

    model: str
    until: int
    why: str


@dataclass(frozen=True, slots=True)
class ModelState:
    """What `status` shows. `host` is all that is told of the endpoint's address."""

    models: Mapping[Step, str]
    host: str
    resting: Sequence[Resting]
    spent_today: int
    budget: int
