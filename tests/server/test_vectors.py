"""How long what comes from an endpoint is waited for."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from backstory import configs
from backstory.server import vectors
from backstory.server.vectors import Vectors
from backstory.store.db import Database


@pytest.mark.parametrize(("set_to", "waits"), [("0.5", (0.5, 0.5)), ("30", (2.0, 30.0))])
def test_a_question_waits_no_longer_than_the_setting_and_two_seconds(
    db: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, set_to: str, waits: tuple[float, float]
) -> None:
    asked: list[Any] = []
    monkeypatch.setattr(vectors, "open_embedder", lambda *_, endpoint, **__: asked.append(endpoint))
    options = configs.load(tmp_path, {"BACKSTORY_EMBEDDING_TIMEOUT_S": set_to})
    Vectors(db, tmp_path, options, lazily=True).load()
    (endpoint,) = asked
    assert (endpoint.query_timeout_s, endpoint.passage_timeout_s) == waits
