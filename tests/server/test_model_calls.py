"""How often a model is asked, over the recorded sessions: never in lite, else no more than was promised."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from backstory import configs
from backstory.pipelines import distill, refine, sum_up
from backstory.pipelines.llm import Model
from backstory.server.desk import Desk
from backstory.store import clock, cutter
from backstory.store.db import Database
from backstory.store.rows import fetch

from ..model_server import ModelServer, Reply, Request, says
from ..pipelines.asking_a_model import KEY, settings

DATA = Path(__file__).parent.parent / "data"
SESSIONS = (("claude-code", "claude_code_hooks.jsonl"), ("cursor", "cursor_hooks.jsonl"))
# What is promised for a turn in the usual case, by scene.
PROMISED = {"chat": 1, "working": 2, "coding": 2}


def answers(request: Request) -> Reply:
    judging = "statements" not in json.dumps(request.body)
    return says({"scene": "coding"} if judging else {"statements": []})


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer(answers) as up:
        yield up


@pytest.fixture
def lived(db: Database, tmp_path: Path) -> Database:
    """The recorded sessions, told by their hooks."""
    (tmp_path / "repo").mkdir()
    desk = Desk(db, tmp_path, configs.load(tmp_path, embedder="none"))
    for client, name in SESSIONS:
        for line in (DATA / name).read_text("utf-8").splitlines():
            payload = json.loads(line.replace('"/repo', f'"{tmp_path}/repo'))
            desk.answer(client, payload["hook_event_name"], {}, json.dumps(payload).encode())
    return db


def think(db: Database, server: ModelServer, *, refines: bool) -> None:
    """All that waits is done, some hours later."""
    model = Model(settings(server.url), db, key=KEY)
    now = clock.now() + 10**10
    while distill.step(db, "me", cut=cutter.load(), now=now, refines=refines):
        pass
    now += 10**9
    while refine.step(db, model, "me", cut=cutter.load(), now=now):
        pass
    while sum_up.step(db, model if refines else None, "me", cut=cutter.load(), now=now + 10**10):
        pass
    model.close()


def test_without_pro_none_is_asked(lived: Database, server: ModelServer) -> None:
    think(lived, server, refines=False)
    assert server.asked == []


def test_a_turn_costs_no_more_than_was_promised(lived: Database, server: ModelServer) -> None:
    think(lived, server, refines=True)
    scenes = Counter(
        scene for (scene,) in lived.read(fetch, "select scene from turn where status <> 'open'", ())
    )
    assert sum(scenes.values()) >= 3
    assert 1 <= len(server.asked) <= sum(PROMISED[scene] * n for scene, n in scenes.items())
    # Turns of a session go together: mostly it is far less.
    assert len(server.asked) <= sum(scenes.values())


def test_each_turn_with_tool_calls_has_its_one_fact(lived: Database, server: ModelServer) -> None:
    think(lived, server, refines=True)
    worked = lived.read(fetch, "select distinct turn from event where kind in ('tool', 'edit')", ())
    facts = lived.read(
        fetch,
        "select turn, count(*) from memory where slot glob 'did:*' and retired_at is null group by turn",
        (),
    )
    ended = {turn for (turn,) in lived.read(fetch, "select id from turn where status <> 'open'", ())}
    assert facts == [(turn, 1) for (turn,) in sorted(worked) if turn in ended]
