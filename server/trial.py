"""`backstory try`: the main job on real input, in a folder that is gone afterwards."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any

import anyio

from ..store import DATABASE
from ..store.errors import BackstoryError
from . import doorway, install, spool
from .hook_line import LINE

CLIENT = "claude-code"
ASKED = ("Why does fetch() have no retry loop?", "支付服务的超时时间是多少？")
WAIT_S = 30.0


def run(*, keep: bool) -> int:
    """Make a repository, start the server, live through a recorded session, and ask in another one."""
    if shutil.which("git") is None:
        raise BackstoryError("`backstory try` needs git; install it and run this again.")
    folder = Path(tempfile.mkdtemp(prefix="backstory-try-"))
    try:
        anyio.run(_live, folder)
    finally:
        if keep:
            print(f"\nKept: {folder}")
        else:
            shutil.rmtree(folder, ignore_errors=True)
            print("\nThe trial's folder is gone again.")
    print("Register Backstory in your own client:\n\n    backstory install claude-code      (or: cursor)\n")
    return 0


async def _live(folder: Path) -> None:
    from mcp import Client
    from mcp.client.stdio import StdioServerParameters

    home, repo = folder / "memory", folder / "repository"
    _repository(repo)
    install.lay_hook_files(home)
    server = StdioServerParameters(
        command=sys.executable,
        args=["-P", "-m", "backstory", "serve", "--client", CLIENT, "--workspace", str(repo)],
        env={**os.environ, "BACKSTORY_HOME": str(home)},
    )
    async with Client(server) as client:
        tools = await client.list_tools()
        print(f"A real stdio server is up, with {len(tools.tools)} tools; its file is {home / DATABASE}\n")
        await anyio.to_thread.run_sync(_session, home, repo)
        await _taken_in(home)
        for number, question in enumerate(ASKED):
            asked = {
                "event": "UserPromptSubmit",
                "payload": {"prompt": question, "prompt_id": f"ask-{number}"},
            }
            answer = await anyio.to_thread.run_sync(_hook, home, repo, asked, f"session-{number + 2}")
            print(f"\nA new session asks: {question}\nWhat its agent is handed:\n")
            print(_indented(_context(answer) or "(nothing)"))
    size = (home / DATABASE).stat().st_size
    print(f"\nOne file of {size / 1024:,.0f} KB holds it all; any sqlite3 can open it (see it with --keep).")


def _repository(repo: Path) -> None:
    repo.mkdir(parents=True)
    (repo / "client.py").write_text(
        "def fetch(url):\n    for _ in range(3):\n        return get(url)\n", "utf-8"
    )
    who = {
        f"GIT_{role}_{what}": "backstory@example.invalid"
        for role in ("AUTHOR", "COMMITTER")
        for what in ("NAME", "EMAIL")
    }
    for command in (
        ["init", "-q", "-b", "main"],
        ["add", "client.py"],
        ["commit", "-q", "-m", "Add the client"],
    ):
        subprocess.run(
            ["git", *command], cwd=repo, check=True, env={**os.environ, **who}, capture_output=True
        )


def _session(home: Path, repo: Path) -> None:
    for step in recorded():
        if edit := step.get("edit"):
            (repo / edit["path"]).write_text(edit["content"], "utf-8")
        _hook(home, repo, step, "session-1")
        if step["event"] == "UserPromptSubmit":
            print(f"The recorded session says: {step['payload']['prompt']}")


def recorded() -> Iterator[dict[str, Any]]:
    """The steps of the recorded session: each a hook event with its payload, and the edit that preceded it."""
    for line in files("backstory.server").joinpath("data/session.jsonl").read_text("utf-8").splitlines():
        yield json.loads(line)


def _hook(home: Path, repo: Path, step: dict[str, Any], session: str) -> str:
    """What the real hook client prints for one event."""
    payload = {"session_id": session, "cwd": str(repo), "hook_event_name": step["event"], **step["payload"]}
    text = json.dumps(payload, ensure_ascii=False).replace("{{REPO}}", json.dumps(str(repo))[1:-1])
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-E", "-c", LINE, str(home), CLIENT, step["event"]],
        input=text, capture_output=True, encoding="utf-8", cwd=repo, timeout=10, check=False,
        env={**os.environ, "CLAUDE_PROJECT_DIR": str(repo)},
    )  # fmt: skip
    if done.returncode:
        raise BackstoryError(f"The hook client ended with {done.returncode}: {done.stderr.strip()[-300:]}")
    return done.stdout


async def _taken_in(home: Path) -> None:
    """
    Wait until the server has taken in what hooks left while it was loading, and all of it has its vectors: as it will
    be in the user's next session, a minute or a day later.
    """
    with anyio.move_on_after(WAIT_S):
        while True:
            status = await anyio.to_thread.run_sync(lambda: doorway.ask(home, "status", b"", 1.0))
            embedding = json.loads(status).get("embedding", {}) if status else {}
            loaded = embedding.get("state") not in (None, "loading", "elsewhere")
            if loaded and not embedding.get("waiting") and not spool.count(home).waiting:
                return
            await anyio.sleep(0.1)


def _context(stdout: str) -> str | None:
    if not stdout:
        return None
    found = json.loads(stdout)["hookSpecificOutput"]["additionalContext"]
    return str(found)


def _indented(text: str) -> str:
    return "\n".join(f"    {line}" for line in text.splitlines())
