"""The promises, held by the whole: a real server, the real hook client, a real repository."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import apsw
import pytest
from backstory import Memory
from backstory.server import doorway, hook_line, install
from backstory.tests.conftest import Git
from backstory.tests.pipelines.secret_shapes import shapes
from backstory.tests.server.serving import INITIALIZE, INITIALIZED, hear, say, serving

FACT = "We deploy the payments service with fly, from the release branch and never from main."
QUESTION = "How do we deploy the payments service?"


class Client:
    """A client of one home: its hooks are real processes unless a test asks for the bare doorway."""

    def __init__(self, home: Path, folder: Path) -> None:
        self.home, self.folder, self.number = home, folder, 0
        install.lay_hook_files(home)

    def payload(self, **more: Any) -> dict[str, Any]:
        self.number += 1
        return {"session_id": "s", "prompt_id": f"p{self.number}", "cwd": str(self.folder), **more}

    def start(self, event: str, **payload: Any) -> subprocess.Popen[bytes]:
        command = hook_line.command(sys.executable, self.home, "claude-code", event)
        process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            env={"PATH": os.environ["PATH"], "CLAUDE_PROJECT_DIR": str(self.folder)},
        )  # fmt: skip
        assert process.stdin
        process.stdin.write(json.dumps(self.payload(**payload)).encode())
        process.stdin.close()
        process.stdin = None
        return process

    def hook(self, event: str, **payload: Any) -> str:
        process = self.start(event, **payload)
        out, err = process.communicate(timeout=30)
        assert (process.returncode, err) == (0, b"")
        return out.decode()

    def knock(self, event: str, **payload: Any) -> bytes | None:
        """The event at the doorway, without a process of its own."""
        env = json.dumps({"cwd": str(self.folder), "project": str(self.folder), "cursor": None})
        frame = env.encode() + b"\n" + json.dumps(self.payload(**payload)).encode()
        return doorway.ask(self.home, f"hook claude-code {event}", frame, 30.0)


@contextmanager
def server(home: Path, folder: Path) -> Iterator[subprocess.Popen[str]]:
    """A real server that has answered its client and holds the door."""
    with serving(home, "--client", "claude-code", "--workspace", str(folder)) as process:
        say(process, INITIALIZE)
        hear(process)
        say(process, INITIALIZED)
        yield process


@pytest.fixture
def repo(tmp_path: Path, git: Git) -> Path:
    folder = tmp_path / "repo"
    folder.mkdir()
    git(folder, "init", "-q", "-b", "main")
    (folder / "app.py").write_text("x = 1\n")
    git(folder, "add", "app.py")
    git(folder, "commit", "-q", "-m", "first")
    return folder


@pytest.fixture
def client(tmp_path: Path, repo: Path) -> Client:
    return Client(tmp_path / "home", repo)


def rest(client: Client) -> None:
    """Until what hooks left is in the file."""
    with Memory.open(client.home / "backstory.db", embedder="none") as memory:
        memory.drain()


def test_sixty_planted_secrets_leave_no_byte_anywhere(client: Client) -> None:
    planted = shapes(seed=7)
    assert len(planted) >= 60
    with server(client.home, client.folder):
        for shape in planted:
            client.knock("UserPromptSubmit", prompt=f"Please use this: {shape.text}")
            used = {
                "tool_input": {"command": "deploy", "description": shape.text},
                "tool_use_id": f"t{client.number}",
            }
            client.knock(
                "PostToolUse", tool_name="Bash", tool_response={"stdout": shape.text, "stderr": ""}, **used
            )
            client.knock("Stop", last_assistant_message=f"Done with {shape.text}")
    # And by hooks on their own, into the spool.
    for shape in planted[::6]:
        client.hook("UserPromptSubmit", prompt=f"Please use this: {shape.text}")
    rest(client)
    left = {
        (shape.name, path.name)
        for path in client.home.rglob("*")
        if path.is_file() and "hook" not in path.parts
        for shape in planted
        for part in shape.parts
        if part.encode() in path.read_bytes()
    }
    assert left == set()


def tree(folder: Path) -> dict[str, tuple[bytes, int]]:
    """Every file below a folder: its bytes and its mode."""
    return {
        str(path.relative_to(folder)): (path.read_bytes(), path.stat().st_mode)
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


@pytest.mark.parametrize("writable", [True, False], ids=["writable", "read-only"])
def test_two_hundred_events_leave_the_repository_as_it_was(
    client: Client, repo: Path, *, writable: bool
) -> None:
    before = tree(repo)
    if not writable:
        (repo / ".git").chmod(0o555)
    try:
        with server(client.home, repo):
            client.knock("SessionStart", source="startup")
            for number in range(66):
                client.knock("UserPromptSubmit", prompt=f"Change number {number} of the payments service")
                client.knock("PostToolUse", tool_name="Edit", tool_use_id=f"t{number}", tool_response={},
                             tool_input={"file_path": str(repo / "app.py")})  # fmt: skip
                client.knock("Stop", last_assistant_message="Done.")
            client.knock("SessionEnd", reason="other")
    finally:
        (repo / ".git").chmod(0o755)
    assert tree(repo) == before
    with Memory.open(client.home / "backstory.db", folder=repo, embedder="none") as memory:
        # What a hook could not hand over in time lies in the spool, perhaps a moment after its client was let go.
        ends = time.monotonic() + 10
        while memory.list(kind="turn", limit=1).total < 66 and time.monotonic() < ends:
            memory.drain()
        assert memory.list(kind="turn", limit=1).total == 66


def test_what_one_process_has_kept_another_finds_at_once(tmp_path: Path) -> None:
    path = tmp_path / "home/backstory.db"
    find = (
        "import sys; from backstory import Memory; memory = Memory.open(sys.argv[1], embedder='none'); "
        "print(len(memory.search(sys.argv[2]).hits))"
    )
    with Memory.open(path, embedder="none") as memory:
        for number in range(3):
            memory.add(f"The gateway{number} listens on port 80{number}0.")
            found = subprocess.run(
                [sys.executable, "-c", find, str(path), f"which port does gateway{number} listen on"],
                capture_output=True, text=True, check=True,
            )  # fmt: skip
            assert int(found.stdout) >= 1


def test_twenty_prompts_against_a_locked_file_are_all_answered_and_all_kept(client: Client) -> None:
    with server(client.home, client.folder):
        client.hook("UserPromptSubmit", prompt=FACT)
        client.hook("Stop", last_assistant_message="Noted.")
        other = apsw.Connection(str(client.home / "backstory.db"))
        other.set_busy_timeout(10_000)
        other.execute("begin immediate")
        for number in range(20):
            client.hook("UserPromptSubmit", prompt=f"{QUESTION} ({number})")
        other.execute("rollback")
        other.close()
    asked = sorted(f"{QUESTION} ({number})" for number in range(20))
    ends, kept = time.monotonic() + 20, list[str]()
    while kept != asked and time.monotonic() < ends:
        rest(client)  # a hook that was out of time leaves its event from a process that outlives it
        with Memory.open(client.home / "backstory.db", folder=client.folder, embedder="none") as memory:
            kept = sorted(m.text for m in memory.list(limit=50).memories if m.text.startswith(QUESTION))
    assert kept == asked


def test_two_thousand_events_leave_no_process_and_little_memory_behind(client: Client) -> None:
    def resident_kb(pid: int) -> int:
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
        return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS"))

    with server(client.home, client.folder) as process:
        for number in range(200):
            client.knock("UserPromptSubmit", prompt=f"Look at module number {number} of the billing export.")
        settled = resident_kb(process.pid)
        for number in range(1800):
            client.knock(
                "UserPromptSubmit" if number % 2 else "Stop",
                prompt=f"Look at module {number}.",
                last_assistant_message="ok",
            )
        assert resident_kb(process.pid) - settled < 40_000
        children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
        assert children == []
