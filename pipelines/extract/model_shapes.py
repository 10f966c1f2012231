"""The shapes in which a model answers extraction: an odd value is taken for one that was left out."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError, ValidationInfo, field_validator

from ...store.marks import harmless

ITEMS_AT_MOST = 40
# No field is ever taken at such a length; what is longer is not looked through.
TEXT_CHARS = 4_000
# What colours a terminal, and what takes no room on a page: letters that only a program sees.
_TERMINAL = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|.)?", re.DOTALL)
_UNSEEN = re.compile("[\u00ad\u200b\u2060-\u2064\ufeff\U000e0000-\U000e007f]")


class Forgiving(BaseModel):
    """A shape all of whose fields may be missing or wrong."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    @field_validator("*", mode="wrap")
    @classmethod
    def _odd_is_left_out(cls, value: Any, handler: Callable[[Any], Any], info: ValidationInfo) -> Any:
        field = cls.model_fields[info.field_name or ""]
        if isinstance(value, list):
            kind = str if field.annotation == list[str] else dict
            value = [one for one in value if isinstance(one, kind)][:ITEMS_AT_MOST]
            value = [_seen(one) if isinstance(one, str) else one for one in value]
        elif isinstance(value, str):
            value = _seen(value)
        try:
            return handler(value)
        except ValidationError:
            if field.is_required():  # without it, it is no answer to what was asked
                raise
            return field.get_default(call_default_factory=True)


def _seen(text: str) -> str:
    """A text as a person would read it: without what cannot be seen, and with no mark that one of our blocks has."""
    return harmless(_UNSEEN.sub("", _TERMINAL.sub("", text[:TEXT_CHARS])))


class Keyed(Forgiving):
    """Something about one turn, with its search words."""

    turn: int = 0
    keys_en: list[str] = Field(default_factory=list)
    keys_zh: list[str] = Field(default_factory=list)


class Statement(Keyed):
    """What the user stated, as the model read it."""

    quote: str = ""
    text: str = ""
    kind: str = "fact"
    asks: str = "keep"
    subject: str = "user"
    predicate: str = ""
    value: str = ""
    denied: bool = False
    old: str = ""
    why: str = ""
    context: str = ""
    topic: str = ""
    since: str = ""
    until: str = ""
    expires: str = ""
    implied: bool = False
    importance: float = 0.5
    confidence: float = 0.8


class Work(Keyed):
    """What was asked and done in a turn, in a sentence each; `why` is a quote."""

    asked: str = ""
    done: str = ""
    outcome: str = ""
    why: str = ""


class Lesson(Keyed):
    """What was learned in a turn."""

    task: str = ""
    solution: str = ""
    conditions: str = ""
    quote: str = ""
    confidence: float = 0.6


class Found(Forgiving):
    """All that one call finds in a piece of a window."""

    statements: list[Statement]
    work: list[Work] = Field(default_factory=list)
    experiences: list[Lesson] = Field(default_factory=list)


class Summed(Keyed):
    """A session in a few sentences, with the words that say best what it was about."""

    text: str
    quote: str = ""
