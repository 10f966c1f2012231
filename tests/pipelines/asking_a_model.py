"""A model behind a scripted endpoint, and what the ledger has of it, for the tests of the model boundary."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Literal

import apsw
from backstory import configs
from backstory.pipelines.llm import Answered, Asked, Declined, Model
from backstory.store.db import Database
from backstory.store.rows import fetch
from backstory.tests.model_server import ModelServer, Script
from pydantic import BaseModel

# A Monday in 2026, twelve o'clock UTC.
NOW = 1_767_614_400_000_000
SECOND = 1_000_000
KEY = "sk-test-4f9a1c7be2d84d06a5c3"


class Verdict(BaseModel):
    """What the questions of these tests ask for."""

    label: Literal["chat", "working", "coding"]
    sure: float = 0.5


CHAT = {"label": "chat", "sure": 0.9}
ASKED = Asked("judge", "Say which scene this turn belongs to.", "What is the capital of France?", 50)


def settings(url: str, **more: Any) -> configs.Settings:
    """Settings that ask the endpoint at `url`, with a key that is named."""
    flags = {"mode": "pro", "model": "small", "model_url": url, "model_key_variable": "TEST_KEY"} | more
    return configs.Settings.model_validate({**configs.defaults(), **flags})


class Rig:
    """A server that plays a script, and a model that asks it."""

    def __init__(self, server: ModelServer, db: Database, model: Model) -> None:
        self.server = server
        self.db = db
        self.model = model

    def ask(self, asked: Asked = ASKED, *, now: int = NOW, **more: Any) -> Answered[Verdict] | Declined:
        """The outcome of one question; answers of this machine come within the five seconds it gets."""
        return self.model.ask(asked, Verdict, now=now, **{"deadline_s": 5, **more})

    def why(self, **more: Any) -> str:
        """Why a question was declined; "answered" if it was not."""
        outcome = self.ask(**more)
        return outcome.why if isinstance(outcome, Declined) else "answered"

    def ledger(self) -> list[tuple[str, int, int, bool, str]]:
        """State, tokens in and out, whether they are estimated, and verdict of each request."""
        return self.db.read(_ledger)


@contextmanager
def rig(db: Database, script: Script, *, key: str | None = KEY, **more: Any) -> Iterator[Rig]:
    """A model over `db` and the endpoint that it asks; `more` are settings, and `chance`."""
    chance: Callable[[], float] = more.pop("chance", lambda: 0.5)
    with ModelServer(script) as server:
        model = Model(settings(server.url, **more), db, key=key, chance=chance)
        try:
            yield Rig(server, db, model)
        finally:
            model.close()


def _ledger(con: apsw.Connection) -> list[tuple[str, int, int, bool, str]]:
    sql = "select state, tokens_in, tokens_out, estimated, verdict from model_call order by id"
    return [
        (state, came, went, bool(about), verdict) for state, came, went, about, verdict in fetch(con, sql)
    ]
