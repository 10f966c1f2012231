"""One question on its way to a value: how it is put, put otherwise, and its answer mended once."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Generic, TypeVar

from pydantic import BaseModel

from .llm_answers import Unusable, read
from .llm_calls import Calls, Line, NotHad
from .llm_dialect import Dialect, Dialects, after_refusal, stated
from .llm_replies import Written
from .llm_values import Answered, Asked, Declined, Spent
from .llm_wire import Refused
from .redact import redact

T = TypeVar("T", bound=BaseModel)

# Of a wrong answer, what is shown again with the request to mend it.
SHOWN_CHARS = 8000
# Refusals that can be about how a question is put. A router says 404 where no model behind it knows the format, a
# local server 500 where its grammar does.
ABOUT_HOW = (400, 404, 415, 422, 500, 501)
# Of these, the ones that are when they do not say so.
ABOUT_HOW_UNSAID = (400, 422)


class Question(Generic[T]):
    """One question on its way to a value: how it is put, put again, and its answer mended once."""

    def __init__(
        self, asked: Asked, shape: type[T], line: Line, calls: Calls, dialects: Dialects, salt: bytes
    ) -> None:
        self._dialects = dialects
        self._shape = shape
        self._line = line
        self._calls = calls
        self._salt = salt
        self._max_tokens = max(asked.max_tokens, 1)
        self._system = self._clean(asked.system)
        self._user = self._clean(asked.user)
        self._last: str | None = None

    def answered(self) -> Answered[T] | Declined:
        """The value, or why there is none."""
        user = {"role": "user", "content": self._user}
        written = self._written([user])
        if not isinstance(written, Written):
            return written
        value = read(written.text, self._shape)
        if isinstance(value, Unusable) and (written.ended or written.text.strip()):
            self._learn(written)
            shown = self._clean(written.text[:SHOWN_CHARS]) or "(empty)"
            again = self._again(value, written)
            written = self._written(
                [user, {"role": "assistant", "content": shown}, {"role": "user", "content": again}]
            )
            if not isinstance(written, Written):
                return written
            value = read(written.text, self._shape)
        if isinstance(value, Unusable):
            told = f"{self._line.model} gave no usable answer ({value.kind})."
            if not written.ended:
                told += f" It was cut off at {self._max_tokens:,} tokens; a model that thinks needs more."
            return Declined("nonsense", told, self._spent())
        return Answered(value, self._spent())

    def _written(self, turns: Sequence[Mapping[str, str]]) -> Written | Declined:
        """What the model wrote, asked in ways it takes."""
        known = self._dialects.get(self._line.model)
        dialect = known or Dialect()
        while True:
            system = {"role": "system", "content": dialect.system(self._system, self._shape)}
            options = dialect.options(self._shape, self._max_tokens)
            came = self._calls.send(
                [system, *turns],
                options,
                max_tokens=self._max_tokens,
                otherwise=partial(_otherwise, dialect, proven=known == dialect),
            )
            match came:
                case Dialect():
                    dialect = came
                case NotHad(why, reason):
                    return Declined(why, reason, self._spent() if self._calls.count else None)
                case Written():
                    self._last = came.text
                    self._dialects.keep(self._line.model, dialect)
                    if came.declined:
                        told = f"{self._line.model} would not answer this text."
                        return Declined("refused", told, self._spent())
                    return came

    def _learn(self, written: Written) -> None:
        """An endpoint that takes a schema and does not keep to it gets to read it from now on."""
        dialect = self._dialects.get(self._line.model)
        if dialect is not None and dialect.format == "schema" and written.ended:
            self._dialects.keep(self._line.model, replace(dialect, says_schema=True))

    def _again(self, unusable: Unusable, written: Written) -> str:
        cut = "" if written.ended else " It was cut off: be shorter."
        return (
            f"That answer cannot be used. {self._clean(unusable.problem)}{cut}\n"
            "Answer again, with the whole JSON object and nothing else. It must fit this JSON Schema:\n"
            f"{stated(self._shape)}"
        )

    def _clean(self, text: str) -> str:
        """The text as it may leave this machine. Callers have redacted it; this is the last door."""
        return redact(text.encode("utf-8", "replace").decode(), salt=self._salt)

    def _spent(self) -> Spent:
        calls = self._calls
        prompt = f"{self._system}\0{self._user}"
        return Spent(
            model=self._line.model,
            tokens_in=calls.tokens_in,
            tokens_out=calls.tokens_out,
            calls=calls.count,
            took_us=calls.took_us,
            estimated=calls.estimated,
            prompt_hash=_hash(prompt),
            prompt_chars=len(self._system) + len(self._user),
            answer_hash=None if self._last is None else _hash(self._last),
            answer_chars=len(self._last or ""),
            prompt=f"{self._system}\n\n{self._user}" if self._line.keeps_text else None,
            answer=self._clean(self._last) if self._line.keeps_text and self._last else None,
        )


def _otherwise(dialect: Dialect, refused: Refused, *, proven: bool) -> Dialect | None:
    """How to put the question instead, where that is what the endpoint refuses."""
    if refused.status not in ABOUT_HOW:
        return None
    return after_refusal(dialect, refused.said, proven=proven or refused.status not in ABOUT_HOW_UNSAID)


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:32]
