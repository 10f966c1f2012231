from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import apsw
import pytest
from backstory import version
from backstory.server import doctor, doctor_clients, doorway, hook_line, install, journal, spool
from backstory.server.doctor import Finding
from backstory.server.memory import Memory
from backstory.store import DATABASE
from backstory.store.db import Database
from backstory.store.migrations import LATEST


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path / "user"))
    monkeypatch.setenv("USERPROFILE", str(tmp_path / "user"))
    monkeypatch.delenv("CLAUDE_CONFIG_DIR", raising=False)
    folder = tmp_path / "home"
    folder.mkdir(mode=0o700)
    return folder


def only(check: Callable[[Path], Any], home: Path) -> Finding:
    (finding,) = check(home)
    assert isinstance(finding, Finding)
    return finding


def bad(check: Callable[[Path], Any], home: Path) -> list[Finding]:
    return [finding for finding in check(home) if not finding.ok]


def edited(path: Path, change: Callable[[Any], None]) -> None:
    content = json.loads(path.read_bytes())
    change(content)
    path.write_text(json.dumps(content))


def test_a_sound_installation_has_no_finding(home: Path) -> None:
    install.apply(install.plan("cursor"))
    with Memory.open(home / DATABASE, embedder="none") as memory:
        memory.add("Deploys run from main.")
    findings = doctor.examine(home)
    assert [finding for finding in findings if not finding.ok] == []
    said = "\n".join(finding.what for finding in findings)
    for part in (
        "FTS5",
        "Settings:",
        "is sound; 1 version of",
        "Cursor is registered",
        "Hooks run",
        "The server starts",
        "deleting a memory works",
    ):
        assert part in said


def test_no_check_can_end_the_examination(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (home / "config.toml").write_text("mode = ")
    (home / DATABASE).write_bytes(b"not a database" * 100)
    monkeypatch.setattr(doctor, "disk", lambda _: 1 / 0)
    monkeypatch.setattr(doctor_clients, "servers", lambda _: iter(()))
    wrong = [finding for finding in doctor.examine(home) if not finding.ok]
    assert all(finding.cure for finding in wrong)
    said = "\n".join(finding.what for finding in wrong)
    for part in (
        "config.toml cannot be read",
        "is damaged",
        "ZeroDivisionError",
        "No client is registered",
    ):
        assert part in said


# The home


def test_a_home_that_others_can_read_is_told(home: Path) -> None:
    assert only(doctor.folder, home).ok
    home.chmod(0o755)
    assert only(doctor.folder, home) == Finding(
        False, f"Others of this machine can look into {home}", f"chmod 700 '{home}'"
    )


@pytest.mark.parametrize("below", ["", "x", "x/y"])
def test_a_home_where_a_file_stands_is_told(tmp_path: Path, below: str) -> None:
    (tmp_path / "hosts").write_text("127.0.0.1")
    finding = bad(doctor.folder, tmp_path / "hosts" / below)[0]
    assert finding.what.endswith(f"{tmp_path / 'hosts'} is no folder")
    assert finding.cure == "set BACKSTORY_HOME to a folder of yours"


def test_a_network_file_system_is_told(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "filesystem", lambda _: "nfs4")
    assert "network file system (nfs4)" in bad(doctor.folder, home)[0].what


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells")
def test_the_file_system_is_that_of_the_innermost_mount() -> None:
    assert doctor.filesystem(Path("/proc/self")) == "proc"
    assert doctor.filesystem(Path("/processes")) != "proc"


def test_a_full_disk_is_told(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert list(doctor.disk(home)) == []
    monkeypatch.setattr(doctor, "FREE_BYTES", 1 << 62)
    assert "MB are free" in only(doctor.disk, home).what


# The file


def test_no_file_yet_is_well(home: Path) -> None:
    assert only(doctor.database, home).ok
    assert not (home / DATABASE).exists()


def test_an_index_of_another_tokenizer_is_told(home: Path) -> None:
    path = home / DATABASE
    with Memory.open(path, embedder="none") as memory:
        first = memory.add("Deploys run from main.")[0]
        memory.add("Tests run on every push.")
        memory.update(first.id, content="Deploys run from a tag.")
    con = apsw.Connection(str(path))
    con.execute("update terms set version = 0 where memory = 2; update past_terms set version = 0")
    con.close()
    finding = only(doctor.database, home)
    assert (finding.ok, finding.what) == (False, "The word index is out of date for 2 of 3 memories")
    assert "backstory reindex" in finding.cure


@pytest.mark.parametrize(
    ("version_", "said"), [(LATEST + 1, "written by a newer"), (0, "is not a Backstory file")]
)
def test_a_file_of_another_schema_is_told(home: Path, version_: int, said: str) -> None:
    Database.open(home / DATABASE).close()
    con = apsw.Connection(str(home / DATABASE))
    con.pragma("user_version", version_)
    con.close()
    assert said in only(doctor.database, home).what


def test_damage_is_told(home: Path) -> None:
    path = home / DATABASE
    with Memory.open(path, embedder="none") as memory:
        for number in range(200):
            memory.add(f"Note {number} about service {number * 7} and its owner.")
        memory.db.checkpoint()
    raw = bytearray(path.read_bytes())
    for page in range(40, len(raw) // 4096 - 1):
        raw[page * 4096 : page * 4096 + 64] = b"\xff" * 64
    path.write_bytes(raw)
    wrong = [f for f in doctor._safely(doctor.database, home) if not f.ok]
    assert wrong
    assert wrong[0].cure


# What waits


def event(home: Path, at: int) -> None:
    spool.put(home, spool.Record("claude-code", "Stop", {}, at, {}))


def test_events_that_wait_though_a_server_is_up_are_told(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert list(doctor.queue(home)) == []
    event(home, 1)
    assert only(doctor.queue, home) == Finding(True, "1 events of hooks wait for the next server")
    monkeypatch.setattr(doorway, "ask", lambda *_: b"pong")
    assert "wait though a server is up" in only(doctor.queue, home).what


def test_events_set_aside_are_told(home: Path) -> None:
    event(home, 1)

    def poisoned(_: object) -> None:
        raise ValueError

    for _ in range(spool.TRIES):
        spool.drain(home, poisoned)
    assert "1 events could not be read" in bad(doctor.queue, home)[0].what


@pytest.mark.parametrize(
    ("told", "ok", "said"),
    [
        (None, True, "No server is up"),
        ({"state": "working", "model": "e5", "waiting": 3}, True, "Embedder: e5, 3 memories wait"),
        ({"state": "loading", "model": None, "waiting": None}, True, "Embedder: being loaded"),
        (
            {"state": "resting", "model": "e5", "trouble": "the endpoint refuses"},
            False,
            "does not run: the endpoint refuses",
        ),
        ({"state": "off", "model": None}, False, "there is none for this machine"),
    ],
)
def test_an_embedder_that_does_not_run_is_told(
    home: Path, monkeypatch: pytest.MonkeyPatch, told: Any, ok: bool, said: str
) -> None:
    monkeypatch.setattr(doorway, "ask", lambda *_: told and json.dumps({"embedding": told}).encode())
    finding = only(doctor.embedder, home)
    assert (finding.ok, said in finding.what) == (ok, True)


def test_no_embedder_by_setting_is_well(home: Path) -> None:
    (home / "config.toml").write_text('embedder = "none"')
    assert "by your setting" in only(doctor.embedder, home).what


# Clients


@pytest.fixture
def settings(home: Path, tmp_path: Path) -> Path:
    install.apply(install.plan("claude-code"))
    assert bad(doctor_clients.registrations, home) == []
    return tmp_path / "user/.claude/settings.json"


@pytest.fixture
def servers(settings: Path, tmp_path: Path) -> Path:
    return tmp_path / "user/.claude.json"


def test_an_interpreter_that_is_gone_is_told(home: Path, servers: Path) -> None:
    edited(servers, lambda c: c["mcpServers"]["backstory"].update(command="/gone/python"))
    (finding,) = bad(doctor_clients.registrations, home)
    assert (finding.what, finding.cure) == (
        "Claude Code starts us with /gone/python, which is gone",
        "backstory install claude-code",
    )


def test_missing_hooks_are_told(home: Path, settings: Path) -> None:
    edited(settings, lambda c: c["hooks"].pop("Stop"))
    assert "lacks some of our hooks" in bad(doctor_clients.registrations, home)[0].what


def test_hooks_of_another_release_are_told(home: Path, settings: Path) -> None:
    text = settings.read_text()
    settings.write_text(text.replace("hook.main()", "hook.run()", 1))
    assert "those of another release" in bad(doctor_clients.registrations, home)[0].what


def test_a_missing_server_is_told(home: Path, servers: Path) -> None:
    servers.write_text("{}")
    assert "not our server" in bad(doctor_clients.registrations, home)[0].what


def test_another_way_to_start_is_told(home: Path, servers: Path) -> None:
    edited(servers, lambda c: c["mcpServers"]["backstory"].pop("alwaysLoad"))
    assert "not this release's" in bad(doctor_clients.registrations, home)[0].what


def test_another_home_is_told(home: Path, settings: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    assert f"keeps its memories in {home}, not in {other}" in bad(doctor_clients.registrations, other)[0].what


def test_settings_nobody_can_read_are_told(home: Path, settings: Path) -> None:
    settings.write_text("{")
    assert "cannot be edited safely" in bad(doctor_clients.registrations, home)[0].what


def test_hook_files_of_another_release_are_told(home: Path, settings: Path) -> None:
    (home / "hook" / "hook.py").write_text("def main(): pass\n")
    assert "of another release" in bad(doctor_clients.registrations, home)[0].what
    install.apply(install.plan("claude-code"))
    assert bad(doctor_clients.registrations, home) == []


def test_a_client_known_without_a_journal_is_known(home: Path, settings: Path) -> None:
    journal.place(home, "claude-code").unlink()
    assert bad(doctor_clients.registrations, home) == []


# Starting


def script(tmp_path: Path, code: str) -> list[str]:
    path = tmp_path / "server.py"
    path.write_text(code)
    return [sys.executable, str(path)]


ANSWER = """
import json, sys
sys.stdin.readline()
print(json.dumps({"result": {"serverInfo": {"name": "x", "version": VERSION}}}), flush=True)
sys.stdin.read()
"""


@pytest.mark.parametrize(
    ("code", "said"),
    [
        (ANSWER.replace("VERSION", repr(version())), "The server starts"),
        (ANSWER.replace("VERSION", "'0.0.1'"), f"is 0.0.1, this is {version()}"),
        ("raise SystemExit('no such module')", "does not answer within 20 s: no such module"),
        ("print('hello', flush=True); import sys; sys.stdin.read()", "answers oddly: hello"),
        ("import time; time.sleep(60)", "does not answer within 1 s"),
    ],
)
def test_a_start_that_fails_is_told(home: Path, tmp_path: Path, code: str, said: str) -> None:
    finding = doctor_clients.started(script(tmp_path, code), home, "cure", 1.0 if "sleep" in code else 20.0)
    assert said in finding.what
    assert (finding.ok, finding.cure) == ((True, "") if "starts" in said else (False, "cure"))


def test_a_program_that_is_not_there_is_told(home: Path) -> None:
    assert "does not start" in doctor_clients.started([os.devnull, "serve"], home, "cure").what


def test_the_hooks_line_is_the_one_that_is_registered(home: Path, settings: Path) -> None:
    hooks = json.loads(settings.read_bytes())["hooks"]
    assert {hook["args"][4] for groups in hooks.values() for group in groups for hook in group["hooks"]} == {
        hook_line.LINE
    }
