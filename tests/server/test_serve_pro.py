"""A real server in the mode pro: real hooks tell of turns, a real endpoint is asked, and what it says is found."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from backstory.server import doorway
from backstory.store.db import Database
from backstory.store.rows import fetch

from ..model_server import ModelServer, Reply, Request, refuses, says
from ..pipelines.asking_a_model import KEY
from .serving import INITIALIZE, environment, hear, say, serving

FLEET = (
    "Our whole fleet ended up in the Frankfurt region, mostly since the latency from Kraków is lower there."
)
FOUND = {
    "turn": 1, "quote": "Our whole fleet ended up in the Frankfurt region", "subject": "team", "kind": "fact",
    "text": "Our whole fleet ended up in the Frankfurt region.", "predicate": "runs in",
    "value": "the Frankfurt region", "keys_en": ["cloud region"], "keys_zh": ["云区域"],
}  # fmt: skip
WAIT_S = 40


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer([says({"statements": [FOUND]})]) as up:
        yield up


def pro(server: ModelServer) -> dict[str, str]:
    return {
        "BACKSTORY_MODE": "pro", "BACKSTORY_MODEL": "small", "BACKSTORY_MODEL_URL": server.url,
        "BACKSTORY_MODEL_KEY_VARIABLE": "TEST_KEY", "TEST_KEY": KEY,
    }  # fmt: skip


def hook(home: Path, environ: dict[str, str], event: str, number: int, **payload: Any) -> None:
    told = {"session_id": "s", "cwd": str(home.parent), "prompt_id": f"p{number}", "hook_event_name": event}
    done = subprocess.run(
        [sys.executable, "-P", "-m", "backstory", "hook", "claude-code", event],
        input=json.dumps({**told, **payload}), env=environment(home, **environ), cwd=home.parent, text=True,
        encoding="utf-8", capture_output=True, timeout=30, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")


def five_turns(home: Path, environ: dict[str, str]) -> None:
    """As many as make a window, which then waits for no more."""
    for number in range(1, 6):
        words = (
            FLEET if number == 1 else f"How would you name the {number}th of our staging machines over there?"
        )
        hook(home, environ, "UserPromptSubmit", number, prompt=words)
        hook(home, environ, "Stop", number, last_assistant_message="Noted.")


def eventually(true: Callable[[], bool]) -> bool:
    ends, tick = time.monotonic() + WAIT_S, threading.Event()
    while time.monotonic() < ends:
        if true():
            return True
        tick.wait(0.1)
    return False


def count(home: Path, sql: str) -> int:
    db = Database.open(home / "backstory.db")
    try:
        return int(db.read(fetch, sql, ())[0][0])
    finally:
        db.close()


def test_what_a_model_finds_is_there_in_the_other_language(tmp_path: Path, server: ModelServer) -> None:
    home, environ = tmp_path / "home", pro(server)
    with serving(home, **environ) as process:
        say(process, INITIALIZE)
        hear(process)
        assert eventually(lambda: doorway.ask(home, "status") is not None)
        five_turns(home, environ)
        found = "select count(*) from memory where kind = 'fact' and retired_at is null"
        assert eventually(lambda: count(home, found) == 1)
        assert process.stdin is not None
        process.stdin.close()
        process.wait(10)
    assert len(server.asked) == 1
    assert all(KEY not in request.text for request in server.asked)
    told = subprocess.run(
        [sys.executable, "-P", "-m", "backstory", "search", "云区域在哪里", "--json"],
        env=environment(home, **environ), cwd=home.parent, capture_output=True, text=True, encoding="utf-8",
        timeout=30, check=True,
    ).stdout  # fmt: skip
    assert "Our whole fleet ended up in the Frankfurt region." in told


def test_an_endpoint_that_is_down_is_told_by_status_and_costs_nothing_else(
    tmp_path: Path, server: ModelServer
) -> None:
    def down(_: Request) -> Reply:
        return refuses(503, "come back later", retry_after="600")

    server.script = down
    home, environ = tmp_path / "home", pro(server)
    with serving(home, **environ) as process:
        say(process, INITIALIZE)
        hear(process)
        assert eventually(lambda: doorway.ask(home, "status") is not None)
        five_turns(home, environ)
        declined = "select count(*) from run where step = 'extract' and verdict = 'declined'"
        assert eventually(lambda: count(home, declined) == 1)
        state = subprocess.run(
            [sys.executable, "-P", "-m", "backstory", "status"], env=environment(home, **environ),
            cwd=home.parent, capture_output=True, text=True, encoding="utf-8", timeout=30, check=True,
        ).stdout  # fmt: skip
    assert "small rests until" in state
    assert count(home, "select count(*) from memory where kind = 'turn'") == 5
    assert count(home, "select count(*) from job where kind = 'extract' and state = 'waiting'") == 5
