"""A question to a model as the pipeline log has it: model and cost, both texts at least by length and hash."""

from __future__ import annotations

from dataclasses import replace

from ..store.runs import Run
from .llm import Spent


def costed(run: Run, spent: Spent | None) -> Run:
    """The run with what asking came to; as it is where nothing was sent."""
    if spent is None:
        return run
    return replace(
        run, took_us=spent.took_us, model=spent.model, tokens_in=spent.tokens_in, tokens_out=spent.tokens_out,
        prompt_hash=spent.prompt_hash, prompt_chars=spent.prompt_chars, answer_hash=spent.answer_hash,
        answer_chars=spent.answer_chars, prompt=spent.prompt, answer=spent.answer,
    )  # fmt: skip
