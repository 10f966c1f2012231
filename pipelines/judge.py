"""Which scene a turn belongs to, asked of a model that sees a bounded view of it: one label, else chat."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from pydantic import BaseModel

from .. import prompts
from .extract.model_fence import Fence, Nonce, fence, fresh
from .extract.work_trace import Trace
from .llm import Answered, Asked, Declined, Model, Spent
from .route import Glance, Verdict, view

MAX_TOKENS = 60
# In the name of a tool, which stands in a tag of ours.
_ODD = re.compile(r"[^\w:./-]")


class Label(BaseModel):
    """The scene of the last turn."""

    scene: Literal["chat", "working", "coding"]


@dataclass(frozen=True, slots=True)
class Judged:
    """The verdict, and what asking for it came to; `spent` None where nothing was sent."""

    verdict: Verdict
    spent: Spent | None
    declined: Declined | None = None


def judge(
    model: Model, turns: Sequence[Trace], *, now: int, deadline_s: float | None = None, nonce: Nonce = fresh
) -> Judged:
    """The scene of the last of those turns; chat where the model gives none."""
    answer = model.ask(question(turns, nonce), Label, now=now, deadline_s=deadline_s)
    if isinstance(answer, Answered):
        verdict = Verdict(answer.value.scene, decisive=True, reason="a model judged it so")
        return Judged(verdict, answer.spent)
    reason = f"no model judged it ({answer.why})"
    return Judged(Verdict("chat", decisive=True, reason=reason), answer.spent, answer)


def question(turns: Sequence[Trace], nonce: Nonce = fresh) -> Asked:
    """What is asked about the last of those turns: the user's words, cut, and names of tools, no tool's content."""
    shown, left_out = view(turns)
    fenced = fence((text for turn in shown if turn for text in (turn.words, *turn.tools)), nonce)
    blocks = [
        _block(turn, fenced, last=at == len(shown) - 1, left_out=left_out) for at, turn in enumerate(shown)
    ]
    system = prompts.load("judge", boundary=prompts.load("boundary"), nonce=fenced.nonce)
    return Asked("judge", system, "\n".join(blocks), MAX_TOKENS)


def _block(turn: Glance | None, fenced: Fence, *, last: bool, left_out: int) -> str:
    if turn is None:
        return f"({left_out} turns left out)"
    tools = ", ".join(_ODD.sub("_", name) for name in turn.tools) or "none"
    return fenced.block("last-turn" if last else "turn", turn.words, tools=tools)
