"""`mode="agentic"`: a model puts the question in other words and reads its days; else the question stands."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from backstory import configs
from backstory.pipelines.llm import Model
from backstory.server.memory import Memory
from backstory.store.clock import DAY_US
from backstory.store.rows import fetch

from ..model_server import ModelServer, Reply, refuses, says
from ..pipelines.asking_a_model import KEY, settings

NOW = 1_790_000_000_000_000
Opens = Callable[..., tuple[Memory, ModelServer]]


@pytest.fixture
def opens(tmp_path: Path) -> Iterator[Opens]:
    made: list[tuple[Memory, ModelServer]] = []

    def make(*replies: Reply, **flags: Any) -> tuple[Memory, ModelServer]:
        server = ModelServer(list(replies)).start()
        memory = Memory.open(tmp_path / "backstory.db", embedder="none", now=lambda: NOW)
        memory.model = Model(settings(server.url, **flags), memory.db, key=KEY)
        made.append((memory, server))
        return made[-1]

    yield make
    for memory, server in made:
        memory.close()
        server.stop()


def test_what_only_other_words_find_is_found(opens: Opens) -> None:
    memory, server = opens(says({"scene": "chat", "queries": ["数据库端口", "database port"]}))
    memory.add("预发环境的数据库端口是 5433。")
    assert memory.search("Where does staging listen?").hits == ()
    (hit,) = memory.search("Where does staging listen?", mode="agentic").hits
    assert "5433" in hit.memory.text
    assert len(server.asked) == 1


def test_the_days_that_a_question_names_limit_what_is_found(opens: Opens) -> None:
    memory, _ = opens(says({"queries": ["deploy"], "since": "2026-09-14", "until": "2026-09-20"}))
    memory.add("We deploy with fly.", memory_at=NOW - 2 * DAY_US)
    memory.add("We deploy with heroku.", memory_at=NOW - 60 * DAY_US)
    found = memory.search("How did we deploy last week?", mode="agentic")
    assert [hit.memory.text for hit in found.hits] == ["We deploy with fly."]


def test_an_explicit_scene_asks_nothing(opens: Opens) -> None:
    memory, server = opens(says({"queries": []}))
    memory.add("We deploy with fly.")
    assert memory.search("deploy with fly", mode="agentic", scene="chat").hits
    assert server.asked == []


@pytest.mark.parametrize("reply", [refuses(500), refuses(401), says("no idea"), says({"queries": [""]})])
def test_where_the_model_fails_the_question_stands_and_says_so(opens: Opens, reply: Reply) -> None:
    memory, _ = opens(reply)
    memory.add("We deploy with fly.")
    found = memory.search("How do we deploy with fly?", mode="agentic")
    assert [hit.memory.text for hit in found.hits] == ["We deploy with fly."]
    assert "model" in found.degraded


def test_without_a_model_it_says_so(tmp_path: Path) -> None:
    with Memory.open(tmp_path / "backstory.db", embedder="none") as memory:
        memory.add("We deploy with fly.")
        found = memory.search("deploy with fly", mode="agentic")
        assert found.hits
        assert "lite" in found.degraded["model"]


def test_the_call_is_in_the_log(opens: Opens) -> None:
    memory, _ = opens(says({"queries": ["fly deployment"]}))
    memory.search("How do we deploy?", mode="agentic")
    assert memory.db.read(fetch, "select step, verdict, tokens_in from run where model is not null", ()) == [
        ("plan", "rewritten", 100)
    ]


def test_lite_is_what_a_file_is_opened_in(tmp_path: Path) -> None:
    with Memory.open(tmp_path / "backstory.db", options=configs.load(tmp_path, embedder="none")) as memory:
        assert memory.model is None
