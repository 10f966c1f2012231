"""`backstory eval extract` as a person runs it: a real process, a real endpoint over HTTP, nothing kept."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from ..model_server import ModelServer, Reply, Request, refuses, says

TABS = "I prefer tabs over spaces, by the way."
SET = [
    {"prompt": TABS, "at": "2026-05-13T10:00+08:00", "drafts": [{"kind": "profile", "value": "tabs"}]},
    {"prompt": "这个函数为什么这么慢？", "at": "2026-05-13T10:05+08:00", "drafts": []},
    {
        "prompt": "我住在杭州。",
        "at": "2026-05-13T10:09+08:00",
        "drafts": [{"kind": "profile", "value": "杭州"}],
    },
]
FOUND = {
    "turn": 1, "quote": "I prefer tabs over spaces", "text": "I prefer tabs over spaces.", "kind": "profile",
    "predicate": "prefers", "value": "tabs",
}  # fmt: skip
INVENTED = {
    "turn": 2,
    "quote": "我讨厌慢函数",
    "text": "我讨厌慢函数。",
    "kind": "profile",
    "value": "慢函数",
}


@pytest.fixture
def labelled(tmp_path: Path) -> Path:
    path = tmp_path / "set.jsonl"
    path.write_text("\n".join(json.dumps(line, ensure_ascii=False) for line in SET), "utf-8")
    return path


@pytest.fixture
def server() -> Iterator[ModelServer]:
    def reply(request: Request) -> Reply:
        if "sk-right" not in request.headers.get("authorization", ""):
            return refuses(401, "bad key")
        return says({"statements": [FOUND, INVENTED]})

    with ModelServer(reply) as up:
        yield up


def run(home: Path, *arguments: str, key: str = "sk-right-key-of-a-test") -> subprocess.CompletedProcess[str]:
    environ = {**os.environ, "BACKSTORY_HOME": str(home), "TEST_MODEL_KEY": key}
    command = [
        sys.executable,
        "-m",
        "backstory",
        "eval",
        "extract",
        "--key-variable",
        "TEST_MODEL_KEY",
        *arguments,
    ]
    return subprocess.run(command, env=environ, capture_output=True, text=True, timeout=60, check=False)


def test_the_figures_are_those_of_the_labels(tmp_path: Path, labelled: Path, server: ModelServer) -> None:
    home = tmp_path / "home"
    done = run(home, "--endpoint", server.url, "--model", "small", "--set", str(labelled), "--json")
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    # Of two statements one stands in its source and is right; one of two labels was found.
    assert (told["turns"], told["right"], told["precision"], told["recall"]) == (3, 1, 1.0, 0.5)
    assert (told["proposed"], told["evidence"]) == (2, 0.5)
    assert (told["calls"], told["tokens_in"], told["tokens_out"]) == (len(server.asked), 100, 20)
    assert not (home / "backstory.db").exists()


def test_a_person_reads_a_table(tmp_path: Path, labelled: Path, server: ModelServer) -> None:
    done = run(tmp_path, "--endpoint", server.url, "--model", "small", "--set", str(labelled))
    assert done.returncode == 0, done.stderr
    assert "precision" in done.stdout
    assert "recall" in done.stdout


def test_an_endpoint_that_refuses_is_told_in_the_figures(
    tmp_path: Path, labelled: Path, server: ModelServer
) -> None:
    done = run(
        tmp_path, "--endpoint", server.url, "--model", "small", "--set", str(labelled), "--json", key="sk-no"
    )
    assert done.returncode == 1
    told = json.loads(done.stdout)
    assert told["declined"] == {"refused": 1}
    assert "key" in told["causes"][0]
    assert "sk-no" not in done.stdout + done.stderr


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("--endpoint", "ollama"), "No model is named"),
        (("--endpoint", "nowhere", "--model", "m"), "model_url"),
        (("--endpoint", "ollama", "--model", "m", "--set", "missing.jsonl"), "missing.jsonl"),
    ],
)
def test_what_cannot_be_done_is_refused_in_a_sentence(
    tmp_path: Path, arguments: tuple[str, ...], sentence: str
) -> None:
    done = run(tmp_path, *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert sentence in done.stderr
    assert "Traceback" not in done.stderr
