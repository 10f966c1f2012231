"""A model to ask: one question, one checked value, or the reason why rules must decide."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Callable, Mapping
from typing import TypeVar
from urllib.parse import urlsplit

import apsw
from pydantic import BaseModel

from ..configs import Settings
from ..store import clock, spending
from ..store.db import Database
from ..store.errors import BackstoryError
from ..store.settings import salt_made, salt_of
from . import llm_breaker as breaker
from .llm_calls import LOCK_S, Calls, Line
from .llm_dialect import Dialects
from .llm_question import Question
from .llm_values import STEPS, Answered, Asked, Declined, ModelState, Resting, Spent, Step
from .llm_wire import Wire

__all__ = [
    "Answered",
    "Asked",
    "Declined",
    "Model",
    "ModelState",
    "Resting",
    "Spent",
    "Step",
    "models_of",
    "open_model",
]

T = TypeVar("T", bound=BaseModel)


class Model:
    """An OpenAI-compatible endpoint, asked from any thread. Nothing is imported or sent before the first question."""

    def __init__(
        self,
        settings: Settings,
        db: Database,
        *,
        key: str | None,
        chance: Callable[[], float] = random.random,
    ) -> None:
        self._settings = settings
        self._db = db
        self._key = key
        self._chance = chance
        self._models = models_of(settings)
        self._host = urlsplit(settings.model_base_url).hostname or "(no host)"
        self._wire = Wire(settings.model_base_url, key)
        self._dialects = Dialects()
        self._closed = False

    def ask(
        self, asked: Asked, shape: type[T], *, now: int, deadline_s: float | None = None
    ) -> Answered[T] | Declined:
        """
        The model's answer as a `shape`, or why there is none; never raises for anything that an endpoint does.

        Args:
            now: the day that is billed, and the moment that rests are counted from.
            deadline_s: what it may take in all, second tries included; by default `model_timeout_s`.
        """
        if off := self._off(asked.step):
            return Declined("off", off, None)
        if not self._settings.model_tokens_a_day:
            return Declined("budget", "model_tokens_a_day is 0, so no model is asked.", None)
        try:
            salt = salt_of(self._db, within_s=LOCK_S)
        except BackstoryError as e:
            return Declined("failed", f"The request could not be counted, so it was not sent: {e}", None)
        line = self._line(self._models[asked.step], salt)
        whole_s = self._settings.model_timeout_s if deadline_s is None else deadline_s
        calls = Calls(line, asked.step, now=now, deadline_s=whole_s)
        return Question(asked, shape, line, calls, self._dialects, salt).answered()

    @property
    def state(self) -> ModelState:
        """How the model stands now, for `status`."""
        return self.state_at(clock.now())

    def state_at(self, now: int) -> ModelState:
        """How the model stands at that moment."""
        return self._db.read(self._state, now)

    def close(self) -> None:
        """Cut what is under way and let go of the connections. A second call does nothing."""
        self._closed = True
        self._wire.close()

    def _off(self, step: Step) -> str:
        if self._closed:
            return "The model is closed: this server is ending."
        if step not in self._models:
            return f"No model is set for the step {step!r}."
        name = self._settings.model_key_name
        if name and not self._key:
            return f"There is no key for the model: set the environment variable {name}."
        return ""

    def _line(self, model: str, salt: bytes) -> Line:
        return Line(
            wire=self._wire,
            db=self._db,
            host=self._host,
            model=model,
            name=self._name(model, salt),
            key_name=self._settings.model_key_name,
            budget=self._settings.model_tokens_a_day,
            chance=self._chance,
            keeps_text=self._settings.log_text,
        )

    def _name(self, model: str, salt: bytes) -> str:
        """By what the breaker knows the model. Another key, address or model is tried at once."""
        told = "\0".join((self._settings.model_base_url, model, self._key or ""))
        return hashlib.blake2s(told.encode("utf-8", "replace"), key=salt, digest_size=8).hexdigest()

    def _state(self, con: apsw.Connection, now: int) -> ModelState:
        salt = salt_made(con)
        resting = []
        names = {self._name(model, salt): model for model in self._models.values()}
        names |= {
            breaker.of_step(self._name(model, salt), step): model for step, model in self._models.items()
        }
        for name, model in names.items():
            rest = breaker.look(con, name)
            if rest is not None and breaker.resting(rest, now=now):
                resting.append(Resting(model, max(rest.until, rest.probe_until), rest.why))
        return ModelState(
            models=self._models,
            host=self._host,
            resting=resting,
            spent_today=spending.spent_today(con, now=now),
            budget=self._settings.model_tokens_a_day,
        )


def models_of(settings: Settings) -> dict[Step, str]:
    """The model that each step asks; a step that has none is not in it."""
    own: Mapping[Step, str] = {
        "judge": settings.model_judge,
        "extract": settings.model_extract,
        "reconcile": settings.model_reconcile,
        "plan": settings.model_plan,
    }
    named = {step: own.get(step) or settings.model for step in STEPS}
    return {step: name for step, name in named.items() if name}


def open_model(settings: Settings, db: Database, *, key: str | None) -> Model | None:
    """The configured model; None where the mode is lite or no model is named."""
    if settings.mode == "lite" or not models_of(settings):
        return None
    return Model(settings, db, key=key)
