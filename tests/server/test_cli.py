"""Each command, as a person or a script types it: what it prints, its exit code, what it leaves behind."""

from __future__ import annotations

import re
import shlex
import sqlite3
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from backstory import Memory, version
from backstory.server import mcp_server, report, spool
from backstory.store import clock
from backstory.tests.conftest import Git
from backstory.tests.server.registering import OTHERS, World
from backstory.tests.server.serving import environment

from .shells import Ran, Shell

FACT = "Releases are cut on Thursdays."


@pytest.fixture
def shell(
    tmp_path: Path, git: Git, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Shell:
    folder = tmp_path / "app"
    folder.mkdir()
    git(folder, "init", "-q", "-b", "main")
    monkeypatch.chdir(folder)
    monkeypatch.setenv("BACKSTORY_EMBEDDER", "none")
    return Shell(tmp_path / "home", folder, capsys)


def process(home: Path, folder: Path, *args: str, **more: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-P", "-m", "backstory", *args], cwd=folder, env=environment(home, **more),
        capture_output=True, text=True, encoding="utf-8", check=False, timeout=60,
    )  # fmt: skip


# Every day


def test_what_is_added_is_found_and_shown_with_the_words_it_rests_on(shell: Shell) -> None:
    assert shell("add", "Releases are cut", "on Thursdays.") == Ran(0, "m1 stored\n", "")
    found = shell("search", "when", "are", "releases", "cut")
    assert (found.code, found.err) == (0, "")
    assert re.search(rf"^- \[m1 · .*\] {re.escape(FACT)}$", found.out, re.MULTILINE)
    shown = shell("show", "m1")
    assert (shown.code, shown.err) == (0, "")
    assert FACT in shown.out.splitlines()
    assert f'"{FACT}"' in shown.out.splitlines()[-2]


def test_a_rating_is_acknowledged(shell: Shell) -> None:
    shell("add", FACT)
    assert shell("show", "m1", "--rate", "helpful").out.startswith("rated helpful: m1\n")
    assert shell.json("show", "m1", "--rate", "unhelpful")["memory"]["id"] == "m1"


def test_the_same_sentence_twice_is_said_to_be_known(shell: Shell) -> None:
    shell("add", FACT)
    again = shell("add", FACT)
    assert (again.code, again.err) == (0, "")
    assert again.out.startswith("m1 same: ")


def test_a_search_without_a_query_lists_the_latest_first(shell: Shell) -> None:
    for number in range(3):
        shell("add", f"Fact number {number}.")
    listed = shell("search", "--limit", "2")
    assert re.findall(r"Fact number \d", listed.out) == ["Fact number 2", "Fact number 1"]
    assert "2 of 3, page 1" in listed.out
    assert re.findall(r"Fact number \d", shell("search", "--limit", "2", "--page", "2").out) == [
        "Fact number 0"
    ]


def test_what_is_said_at_a_terminal_names_commands_and_no_tools(shell: Shell) -> None:
    for number in range(3):
        shell("add", f"Release {number} was cut on a Thursday. " + "It was long. " * 200)
    said = [
        shell(*args)
        for args in (["search"], ["search", "--limit", "1", "release"], ["show", "m1"], ["show", "m9"])
    ]
    text = "\n".join(ran.out + ran.err for ran in said)
    assert "memory_" not in text
    assert "backstory show ID shows one in full" in text
    assert "more characters: backstory show m" in text
    assert "+2 more: search again with --page" in text


def test_a_search_is_narrowed_by_kind_time_and_place(shell: Shell, tmp_path: Path, monkeypatch: Any) -> None:
    shell("add", "The gateway of the app.")
    shell("add", "--kind", "intention", "The gateway shall move.")
    shell("add", "--everywhere", "The gateway of everyone.")

    def found(*args: str) -> list[str]:
        texts = re.findall(r"The gateway [\w ]+\.", shell("search", *args).out)
        assert sorted(texts) == sorted(
            re.findall(r"The gateway [\w ]+\.", shell("search", "gateway", *args).out)
        )
        return texts

    assert found("--kind", "intention") == ["The gateway shall move."]
    assert found("--workspace", "global") == ["The gateway of everyone."]
    assert found("--since", "tomorrow") == found("--until", "yesterday") == []
    assert len(found("--since", "1h", "--until", "now")) == 3
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.chdir(elsewhere)
    assert found() == ["The gateway of everyone."]
    assert sorted(found("--workspace", "app")) == sorted(found("--workspace", str(shell.folder)))
    assert "app" in shell("search", "gateway shall move", "--workspace", "all").out.replace("The gateway", "")


def test_what_is_retired_is_shown_when_asked_for(shell: Shell) -> None:
    shell("add", FACT)
    with Memory.open(shell.home / "backstory.db", embedder="none") as memory:
        memory.delete("m1")
    assert FACT not in shell("search", "when are releases cut").out + shell("search").out
    for args in (("when are releases cut",), ()):
        found = shell("search", *args, "--retired").out
        assert FACT in found
        assert "retired" in found


def test_json_is_json_with_ids_that_other_commands_take(shell: Shell) -> None:
    added = shell.json("add", "每周四发版。", "--importance", "0.9")
    assert added == {"id": "m1", "verdict": "stored", "reason": ""}
    packet = shell.json("search", "发版是周几")
    (hit,) = packet["chat"]["normal"]
    assert (packet["format"], hit["id"], hit["text"], hit["importance"]) == (1, "m1", "每周四发版。", 0.9)
    listing = shell.json("search")
    assert (listing["total"], [m["id"] for m in listing["memories"]]) == (1, ["m1"])
    detail = shell.json("show", "m1")
    assert detail["memory"] == listing["memories"][0] == detail["versions"][0]
    assert [e["quote"] for e in detail["evidence"]] == ["每周四发版。"]


def test_a_sentence_that_begins_like_an_option_can_be_added(shell: Shell) -> None:
    assert shell("add", "--", "--no-verify is never used here.").code == 0
    assert "--no-verify is never used here." in shell("search", "--", "--no-verify").out


def test_bytes_that_are_no_text_are_kept_as_far_as_they_can_be_read(shell: Shell) -> None:
    assert shell("add", "half a \udcff character") == Ran(0, "m1 stored\n", "")
    assert shell.json("show", "m1")["memory"]["text"] == "half a \ufffd character"
    assert "half a" in shell("search", "half a \udcff character").out


# Pause


@pytest.mark.parametrize("args", [[], ["2h"], ["--here"], ["--here", "1d"]], ids=" ".join)
def test_a_pause_lasts_until_the_command_that_it_names(shell: Shell, args: list[str]) -> None:
    paused = shell("pause", *args)
    assert (paused.code, paused.err) == (0, "")
    before = shell.kept()
    refused = shell("add", FACT)
    assert (refused.code, refused.out) == (2, "")
    assert "paused" in refused.err
    assert shell.kept() == before
    assert "PAUSED" in shell("status").out
    _, _, named = paused.out.strip().partition("Go on with: backstory ")
    assert shell(*shlex.split(named)).code == 0
    assert "PAUSED" not in shell("status").out
    assert shell("add", FACT).out == "m1 stored\n"


def test_a_pause_says_until_when(shell: Shell) -> None:
    assert shell("pause").out == "Memory is paused everywhere. Go on with: backstory pause --off\n"
    said = shell("pause", "2999-05-01T10:00").out
    assert said == "Memory is paused everywhere until 2999-05-01 10:00. Go on with: backstory pause --off\n"


@pytest.mark.parametrize("args", [[], ["--here"]], ids=" ".join)
def test_a_refusal_while_paused_names_the_command_that_helps(shell: Shell, args: list[str]) -> None:
    shell("pause", *args)
    (named,) = re.findall(r"`backstory ([^`]+)`", shell("add", FACT).err)
    assert shell(*shlex.split(named)).code == 0
    assert shell("add", FACT).code == 0


# The file


def test_reindex_makes_lost_search_words_anew(shell: Shell) -> None:
    shell("add", FACT)
    con = sqlite3.connect(shell.home / "backstory.db")
    con.execute("delete from terms")
    con.commit()
    con.close()
    assert FACT not in shell("search", "when are releases cut").out
    done = shell("reindex")
    assert done == Ran(0, "Search words of 1 memory and 0 vectors indexed anew.\n", "")
    assert FACT in shell("search", "when are releases cut").out


def test_tend_makes_the_vectors_that_are_waiting_once(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BACKSTORY_EMBEDDER", "hash")
    for number in range(3):
        shell("add", f"Fact number {number}.")
    assert shell("tend") == Ran(0, "3 memories embedded.\n", "")
    (vectors,) = shell.json("status")["vectors"]
    assert (vectors["embedded"], vectors["waiting"]) == (3, 0)
    again = shell("tend")
    assert (again.code, again.err) == (0, "")
    assert again.out.startswith("Nothing was waiting")


def test_status_says_what_is_kept_and_where(shell: Shell) -> None:
    shell("add", FACT)
    state = shell.json("status")
    assert (state["memories"], state["turns"]) == ({"fact": 1}, {"all": 1, "open": 0})
    assert state["workspace"] == {"name": "app", "branch": "main", "folder": str(shell.folder)}
    assert (state["home"], state["version"]) == (str(shell.home), version())
    assert state["paused"] is state["readonly"] is False
    text = shell("status")
    assert (text.code, text.err) == (0, "")
    for said in (str(shell.home), "1 fact", "app on main", "none is up"):
        assert said in text.out


def test_status_says_what_an_agent_carries_because_of_us(shell: Shell) -> None:
    listed = mcp_server.catalogue().model_dump_json(by_alias=True, exclude_none=True)
    cost = shell.json("status")["cost"]
    assert cost["tools_tokens"] == pytest.approx(len(listed) / report.CHARS_A_TOKEN, rel=0.02)
    assert (cost["instructions_tokens"] > 0, cost["digest_tokens"]) == (True, 0)
    shell("add", "The user's name is Ada.", "--kind", "profile", "--everywhere")
    after = shell.json("status")["cost"]
    assert 10 < after["digest_tokens"] < after["digest_characters_at_most"] / report.CHARS_A_TOKEN
    assert f"digest {after['digest_tokens']} now" in shell("status").out


def test_status_does_not_wait_for_the_sdk(shell: Shell) -> None:
    heavy = "{'mcp', 'mcp_types'} & {*sys.modules}"
    code = f"import sys; from backstory.server import cli; cli.main(['status']); print({heavy})"
    ran = subprocess.run(
        [sys.executable, "-P", "-c", code], cwd=shell.folder, env=environment(shell.home), capture_output=True,
        text=True, check=True, timeout=60,
    )  # fmt: skip
    assert ran.stdout.splitlines()[-1] == "set()"


def test_status_counts_what_hooks_without_a_server_handed_out(shell: Shell) -> None:
    shell("add", FACT)
    with Memory.open(shell.home / "backstory.db") as memory:
        row = memory.get("m1").memory
    payload = {"session_id": "s1", "cwd": str(shell.folder), "prompt_id": "p1", "prompt": "Hello?"}
    given = [[row.root, row.hash]]
    spool.put(shell.home, spool.Record("claude-code", "UserPromptSubmit", {}, clock.now(), payload, given))
    state = shell.json("status")
    assert state["cost"]["injected_characters_7_days"] == len(FACT)
    assert state["last_handed"] is not None


# The first minutes


@pytest.fixture
def world(shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> World:
    return World(tmp_path / "world", monkeypatch)


FILES = {"claude-code": ".claude/settings.json", "cursor": ".cursor/mcp.json"}


@pytest.mark.parametrize("client", FILES)
def test_a_dry_run_shows_the_change_and_makes_none(shell: Shell, world: World, client: str) -> None:
    path = world.put(FILES[client], b'{"theirs": {}}\n')
    before = world.files()
    shown = shell("install", client, "--dry-run")
    assert (shown.code, "Traceback" in shown.err) == (0, False)
    assert str(path) in shown.out
    added = [line for line in shown.out.splitlines() if line.startswith("+") and not line.startswith("+++")]
    assert any(str(world.home) in line for line in added)
    assert (world.files(), world.home.exists()) == (before, False)


@pytest.mark.parametrize("client", FILES)
def test_uninstall_gives_back_the_bytes_that_install_found(shell: Shell, world: World, client: str) -> None:
    world.put(FILES[client], OTHERS.encode() if client == "claude-code" else b'{"mcpServers": {}}')
    before, folders = world.files(), world.folders()
    done = shell("install", client)
    assert (done.code, "Traceback" in done.err) == (0, False)
    assert f"Backstory is registered in {client}." in done.out
    assert world.files() != before
    assert shell("install", client).out.endswith("It was so already.\n")
    planned = shell("uninstall", client, "--dry-run")
    assert (planned.code, "-" in planned.out) == (0, True)
    gone = shell("uninstall", client)
    assert (gone.code, gone.err) == (0, "")
    assert (world.files(), world.folders()) == (before, folders)
    again = shell("uninstall", client)
    assert (again.code, again.err) == (0, "")
    assert world.files() == before


# Refused

REFUSED: list[tuple[Sequence[str], str]] = [
    (["frobnicate"], "frobnicate"),
    (["search", "x", "--kind", "rumour"], "rumour"),
    (["search", "x", "--limit", "0"], "limit"),
    (["search", "x", "--limit", "many"], "many"),
    (["search", "x", "--page", "0"], "page"),
    (["search", "x", "--since", "soon"], "'soon' is not a date"),
    (["search", "--until", "32 May"], "'32 May' is not a date"),
    (["search", "x", "--since", "2026-02-01", "--until", "2026-01-01"], "after"),
    (["search", "x", "--workspace", "nowhere"], "nowhere"),
    (["search", "x", "--workspace", "\udcff"], "workspace"),
    (["search", "x", "--colour", "red"], "--colour"),
    (["show"], "id"),
    (["show", ""], "m42"),
    (["show", "src/app.py"], "m42"),
    (["show", "m999"], "no memory m999"),
    (["add"], "text"),
    (["add", ""], "empty"),
    (["add", " \n"], "empty"),
    (["add", "x" * 100_001], "100,000"),
    (["add", "x", "--kind", "turn"], "turn"),
    (["add", "x", "--kind", "rumour"], "rumour"),
    (["add", "x", "--importance", "7"], "importance"),
    (["add", "x", "--importance", "nan"], "importance"),
    (["add", "x", "--importance", "high"], "high"),
    (["pause", "soon"], "'soon'"),
    (["pause", "2h", "--off"], "not both"),
    (["pause", "0h"], "past"),
    (["pause", "yesterday"], "past"),
    (["pause", "2001-01-01"], "past"),
    (["pause", ""], "2h"),
    (["status", "all"], "all"),
    (["reindex", "now"], "now"),
    (["tend", "now"], "now"),
    (["install"], "client"),
    (["install", "vim"], "vim"),
    (["install", "claude-code", "--rules", "."], "Cursor"),
    (["uninstall", "vim"], "vim"),
    (["hook", "vim", "Stop"], "vim"),
]


@pytest.mark.parametrize(
    ("args", "said"), REFUSED, ids=[" ".join(a)[:40].encode("ascii", "replace").decode() for a, _ in REFUSED]
)
def test_bad_input_is_a_sentence_on_stderr_and_exit_code_two_and_nothing_is_written(
    shell: Shell, world: World, args: Sequence[str], said: str
) -> None:
    shell.home = world.home
    shell("add", "There is one memory.")
    before, files = shell.kept(), world.files()
    ran = shell(*args)
    assert (ran.code, ran.out) == (2, "")
    assert said in ran.err
    assert "Traceback" not in ran.err
    assert ran.err.splitlines()[-1].startswith("backstory")
    assert (shell.kept(), world.files()) == (before, files)


@pytest.mark.parametrize(
    "args",
    [args for args, _ in REFUSED] + [["show", "m1"], ["search", "x", "--workspace", "nowhere"]],
    ids=lambda args: " ".join(args)[:40].encode("ascii", "replace").decode(),
)
def test_what_is_refused_makes_no_home(shell: Shell, world: World, args: list[str]) -> None:
    shell.home = world.home
    assert not world.home.exists()
    assert shell(*args).code == 2
    assert not world.home.exists()


@pytest.mark.parametrize(
    "home", ["a file", "below a file", "a folder for a file", "no database", "another's database"]
)
@pytest.mark.parametrize(
    "args", ["search x", "search", "show m1", "add x", "pause", "status", "reindex", "tend"]
)
def test_a_home_that_cannot_be_used_is_a_sentence(
    shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, home: str, args: str
) -> None:
    path = tmp_path / "odd"
    match home:
        case "a file":
            path.write_bytes(b"x")
        case "below a file":
            path.write_bytes(b"x")
            path /= "home"
        case "a folder for a file":
            (path / "backstory.db").mkdir(parents=True)
        case "no database":
            path.mkdir()
            (path / "backstory.db").write_bytes(b"This is a letter, and no database at all.\n" * 40)
        case _:
            path.mkdir()
            con = sqlite3.connect(path / "backstory.db")
            con.execute("create table theirs(a)")
            con.close()
    monkeypatch.setenv("BACKSTORY_HOME", str(path))
    before = [p.read_bytes() for p in sorted(tmp_path.rglob("*")) if p.is_file()]
    ran = shell(*args.split())
    assert (ran.code, ran.out) == (1, "")
    assert re.fullmatch(rf"backstory: .*{re.escape(str(tmp_path / 'odd'))}.*\n", ran.err), ran.err
    assert [p.read_bytes() for p in sorted(tmp_path.rglob("*")) if p.is_file()] == before


@pytest.mark.parametrize("args", ["search x", "add x", "pause", "status", "reindex", "tend"])
def test_a_broken_setting_is_a_sentence_that_names_it(shell: Shell, args: str) -> None:
    shell.home.mkdir()
    (shell.home / "config.toml").write_text("hook_limit = 9999\n")
    ran = shell(*args.split())
    assert (ran.code, ran.out) == (2, "")
    assert "'hook_limit'" in ran.err
    assert not (shell.home / "backstory.db").exists()


# As a process of its own


def test_backstory_alone_prints_its_help(shell: Shell) -> None:
    alone = shell()
    asked = shell("--help")
    assert alone.out == asked.out
    assert (alone.err, asked.code) == ("", 0)
    for command in ("try", "install", "doctor", "search", "pause", "serve"):
        assert command in alone.out
    assert shell("--version").out == f"backstory {version()}\n"


def test_a_process_answers_in_utf_8_and_with_its_exit_code(shell: Shell) -> None:
    added = process(shell.home, shell.folder, "add", "每周四发版。")
    assert (added.returncode, added.stdout, added.stderr) == (0, "m1 stored\n", "")
    found = process(shell.home, shell.folder, "search", "发版是周几")
    assert (found.returncode, found.stderr, "每周四发版。" in found.stdout) == (0, "", True)
    refused = process(shell.home, shell.folder, "show", "m999")
    assert (refused.returncode, refused.stdout) == (2, "")
    assert refused.stderr == "backstory: There is no memory m999; a search lists ids.\n"


def test_a_terminal_that_knows_no_chinese_is_no_reason_to_fail(shell: Shell) -> None:
    shell("add", "每周四发版 v1.2.3")
    for args in (("search", "v1.2.3"), ("search",), ("show", "m1"), ("status",)):
        ran = process(shell.home, shell.folder, *args, PYTHONIOENCODING="ascii")
        assert (ran.returncode, ran.stderr) == (0, ""), args
    assert "v1.2.3" in process(shell.home, shell.folder, "show", "m1", PYTHONIOENCODING="ascii").stdout


def test_a_folder_that_is_gone_is_no_reason_to_fail(shell: Shell) -> None:
    shell("add", "--everywhere", FACT)
    gone = shell.folder / "gone"
    gone.mkdir()
    script = "import os, sys; os.rmdir(os.getcwd()); from backstory.server import cli; sys.exit(cli.main(sys.argv[1:]))"
    ran = subprocess.run(
        [sys.executable, "-P", "-c", script, "search", "when are releases cut"], cwd=gone,
        env=environment(shell.home), capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip
    assert "Traceback" not in ran.stderr
    assert (ran.returncode, FACT in ran.stdout) == (0, True)


def test_a_reader_that_stops_early_gets_no_traceback(shell: Shell) -> None:
    for number in range(30):
        shell("add", f"The gateway listens on port 8{number:03}. " + "It is described at length. " * 40)
    running = subprocess.Popen(
        [sys.executable, "-P", "-m", "backstory", "search", "--limit", "30", "--json"], cwd=shell.folder,
        env=environment(shell.home), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert running.stdout
    assert running.stderr
    running.stdout.close()
    assert running.stderr.read() == ""
    running.stderr.close()
    assert running.wait(60) != 0


def test_a_search_that_names_code_is_answered_with_its_versions(
    shell: Shell, git: Git, repo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for wait in (1, 2):
        (repo / "pay.py").write_text(f"def fetch(url):\n    return get(url, wait={wait})\n")
        git(repo, "commit", "-qam", f"wait {wait} s")
    monkeypatch.chdir(repo)
    assert shell("import", "git").code == 0
    asked = "what did we try in fetch() of pay.py?"
    assert "`pay.py::fetch`" in shell("search", asked).out
    assert "`pay.py::fetch`" in shell.json("search", asked)["coding"]["chain_block"]
    assert "`pay.py::fetch`" not in shell("search", "when are releases cut?").out
