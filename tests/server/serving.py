"""A real `backstory serve` for tests, and the means to see it end."""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

COMMAND = [sys.executable, "-P", "-m", "backstory", "serve"]
INITIALIZE: dict[str, Any] = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "0"},
    },
}
INITIALIZED = {"jsonrpc": "2.0", "method": "notifications/initialized"}


def environment(home: Path, **more: str) -> dict[str, str]:
    """The environment of a server with that home and no embedder."""
    return {**os.environ, "BACKSTORY_HOME": str(home), "BACKSTORY_EMBEDDER": "none", **more}


@contextmanager
def serving(home: Path, *args: str, **more: str) -> Iterator[subprocess.Popen[str]]:
    """A server process with pipes; it is killed if the test leaves it running."""
    process = subprocess.Popen(
        [*COMMAND, *args], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        env=environment(home, **more), cwd=home.parent, text=True, encoding="utf-8",
    )  # fmt: skip
    try:
        yield process
    finally:
        put_away(process)


def put_away(process: subprocess.Popen[str]) -> None:
    """Kill the process if it still runs, and close its pipes."""
    process.kill()
    process.wait()
    for pipe in (process.stdin, process.stdout, process.stderr):
        if pipe is not None:
            with suppress(BrokenPipeError):
                pipe.close()


def say(process: subprocess.Popen[str], *messages: dict[str, Any]) -> None:
    """Send messages to a server."""
    assert process.stdin is not None
    process.stdin.writelines(json.dumps(message) + "\n" for message in messages)
    process.stdin.flush()


def hear(process: subprocess.Popen[str]) -> dict[str, Any]:
    """The next message of a server."""
    assert process.stdout is not None
    answer = json.loads(process.stdout.readline())
    assert answer["jsonrpc"] == "2.0"
    return dict(answer)


def call(tool: str, number: int = 2, **arguments: Any) -> dict[str, Any]:
    """The request that calls a tool."""
    return {
        "jsonrpc": "2.0",
        "id": number,
        "method": "tools/call",
        "params": {"name": tool, "arguments": arguments},
    }


def ends_within(pid: int, timeout_s: float) -> bool:
    """Whether a process, anyone's child, has ended within that time."""
    try:
        watched = os.pidfd_open(pid)
    except ProcessLookupError:
        return True
    try:
        ready, _, _ = select.select([watched], [], [], timeout_s)
        return bool(ready)
    finally:
        os.close(watched)
