from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from backstory.server import hook_line, jsonc, registration
from backstory.server.clients import CLIENTS, claude_code, cursor
from backstory.server.launch import absolute

from .registering import OTHERS, World, register, unregister


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> World:
    return World(tmp_path / "with space and 中文 'quote'", monkeypatch)


@pytest.fixture
def plain_world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> World:
    return World(tmp_path, monkeypatch)


def test_claude_code_is_told_of_our_server_and_hooks(world: World) -> None:
    world.put(".claude/settings.json", OTHERS.encode())
    register("claude-code")
    python, home = absolute(sys.executable), str(world.home)
    assert json.loads((world.user / ".claude.json").read_bytes())["mcpServers"] == {
        "backstory": {
            "type": "stdio",
            "command": python,
            "args": ["-I", "-m", "backstory", "serve", "--client", "claude-code"],
            "env": {"BACKSTORY_HOME": home},
            "alwaysLoad": True,
        }
    }
    hooks = jsonc.get((world.user / ".claude/settings.json").read_text("utf-8"), ["hooks"])
    assert set(hooks) == {*claude_code.HOOK_EVENTS, "PreToolUse"}
    assert hooks["Stop"][0] == {"matcher": "", "hooks": [{"type": "command", "command": "say done"}]}
    for event in claude_code.HOOK_EVENTS:
        command = [python, "-I", "-S", "-E", "-c", hook_line.LINE, home, "claude-code", event]
        asked = {"matcher": "Edit|MultiEdit|Write"} if event == "PreToolUse" else {}
        assert hooks[event][-1] == {
            **asked,
            "hooks": [{"type": "command", "command": command[0], "args": command[1:], "timeout": 5}],
        }


def test_claude_codes_own_folder_is_honoured(plain_world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = plain_world.user / "elsewhere"
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(folder))
    register("claude-code")
    assert sorted(plain_world.files()) == ["elsewhere/.claude.json", "elsewhere/settings.json"]
    # Also when it is another one by then.
    monkeypatch.delenv("CLAUDE_CONFIG_DIR")
    unregister("claude-code")
    assert (plain_world.files(), plain_world.folders()) == ({}, set())


def test_the_older_name_of_claude_codes_file_wins_where_it_is_there(plain_world: World) -> None:
    plain_world.put(".claude/.config.json", b'{"numStartups": 3}')
    register("claude-code")
    assert sorted(plain_world.files()) == [".claude/.config.json", ".claude/settings.json"]


def test_cursor_is_told_of_our_server_and_hooks(world: World) -> None:
    register("cursor")
    python, home = absolute(sys.executable), str(world.home)
    assert json.loads((world.user / ".cursor/mcp.json").read_bytes()) == {
        "mcpServers": {
            "backstory": {
                "command": python,
                "args": [
                    "-I",
                    "-m",
                    "backstory",
                    "serve",
                    "--client",
                    "cursor",
                    "--workspace",
                    "${workspaceFolder}",
                ],
                "env": {"BACKSTORY_HOME": home},
            }
        }
    }
    written = json.loads((world.user / ".cursor/hooks.json").read_bytes())
    assert (written["version"], set(written["hooks"])) == (1, set(cursor.HOOK_EVENTS))
    for event, (hook,) in written["hooks"].items():
        assert hook["timeout"] == 5
        assert shlex.split(hook["command"]) == [
            python,
            "-I",
            "-S",
            "-E",
            "-c",
            hook_line.LINE,
            home,
            "cursor",
            event,
        ]


def test_windows_words_are_quoted_for_its_shell() -> None:
    assert (
        registration.shell_line(["C:\\a b\\python.exe", "-c", "it's"], windows=True)
        == "& 'C:\\a b\\python.exe' '-c' 'it''s'"
    )


@pytest.mark.parametrize("home", ["there", "gone"])
def test_a_registered_hook_ends_well_whatever_becomes_of_the_home(world: World, home: str) -> None:
    register("cursor", fresh=True)
    command = json.loads((world.user / ".cursor/hooks.json").read_bytes())["hooks"]["stop"][0]["command"]
    if home == "gone":
        world.home.rename(world.home.with_name("away"))
    payload = json.dumps({"conversation_id": "c", "generation_id": "g", "status": "completed"}).encode()
    ran = subprocess.run(
        ["sh", "-c", command], input=payload, capture_output=True, timeout=30, check=False, cwd=world.user
    )
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, b"", b"")


@pytest.mark.parametrize("client", CLIENTS)
def test_a_project_cannot_pass_for_backstory(plain_world: World, client: str) -> None:
    register(client)
    name = ".claude.json" if client == "claude-code" else ".cursor/mcp.json"
    server = json.loads((plain_world.user / name).read_bytes())["mcpServers"]["backstory"]
    project = plain_world.user / "project"
    for trap in ("backstory", "server", "store", "pipelines"):
        (project / trap).mkdir(parents=True)
        (project / trap / "__init__.py").write_text("raise SystemExit('the project ran')")
        (project / trap / "__main__.py").write_text("raise SystemExit('the project ran')")
    args = server["args"][: server["args"].index("serve")]
    env = os.environ | {"PYTHONPATH": str(project)}
    ran = subprocess.run(
        [server["command"], *args, "--version"],
        cwd=project,
        env=env,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (ran.returncode, ran.stdout[:10]) == (0, "backstory "), ran.stderr
