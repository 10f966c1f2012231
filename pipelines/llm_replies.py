"""What a chat completion holds: the model's text, whether it is whole, and the tokens it took."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

from ..store.spending import MOST_TOKENS


@dataclass(frozen=True, slots=True)
class Written:
    """
    What the model wrote, and the tokens, None where the endpoint does not tell.

    `ended` False: the limit of its length stopped it. `declined`: it, or a filter, would not answer this text.
    """

    text: str = field(repr=False)
    tokens_in: int | None
    tokens_out: int | None
    ended: bool = True
    declined: bool = False


def opened(body: bytes) -> Written | str:
    """What stands in the body of an answer; else what it did, to go after "the model endpoint"."""
    try:
        answer = json.loads(body)
        choice = answer["choices"][0]
        message = choice["message"]
        text = _text(message.get("content"))
        refusal = message.get("refusal")
        used = answer.get("usage")
        how = choice.get("finish_reason")
    except (ValueError, TypeError, LookupError, AttributeError, RecursionError):
        return "answered with something else than a chat completion; check model_url"
    used = used if isinstance(used, dict) else {}
    return Written(
        text,
        _number(used.get("prompt_tokens")),
        _number(used.get("completion_tokens")),
        ended=how != "length",
        declined=how in ("content_filter", "sensitive") or bool(refusal and not text.strip()),
    )


def _text(content: Any) -> str:
    """The content as one text; some send it in parts."""
    if isinstance(content, list):
        content = "".join(
            part["text"] for part in content if isinstance(part, dict) and isinstance(part.get("text"), str)
        )
    # Half a surrogate pair can be written in JSON, and nowhere else.
    return content.encode("utf-8", "replace").decode() if isinstance(content, str) else ""


def _number(told: Any) -> int | None:
    if not isinstance(told, int) or isinstance(told, bool) or told < 0:
        return None
    return min(told, MOST_TOKENS)
