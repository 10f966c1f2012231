from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from backstory.server import hook_line, install, journal, registration
from backstory.server.clients import CLIENTS, claude_code
from backstory.server.launch import Launch
from backstory.store.errors import BackstoryError, BadInput
from hypothesis import given, settings
from hypothesis import strategies as st

from .registering import OTHERS, World, register, unregister

SETTINGS = {
    "absent": None,
    "empty": b"",
    "blank": b" \n",
    "braces": b"{}",
    "comments": OTHERS.encode(),
    "crlf and tabs": OTHERS.replace("\n", "\r\n").replace("  ", "\t").encode(),
    "bom": b"\xef\xbb\xbf" + OTHERS.encode(),
    "no last newline": OTHERS.rstrip().encode(),
    "four spaces": json.dumps({"a": {"b": [1]}, "hooks": {"Stop": []}}, indent=4).encode(),
    "one line": b'{"hooks":{"SessionStart":[{"hooks":[{"type":"command","command":"x"}]}]},"env":{"A":"b"}}\n',
}


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> World:
    return World(tmp_path / "with space and 中文 'quote'", monkeypatch)


@pytest.fixture
def plain_world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> World:
    return World(tmp_path, monkeypatch)


# Bytes


@pytest.mark.parametrize("name", SETTINGS)
@pytest.mark.parametrize("client", CLIENTS)
def test_uninstall_gives_back_the_very_same_bytes(world: World, client: str, name: str) -> None:
    content = SETTINGS[name]
    hooks, servers = (
        (".claude/settings.json", ".claude.json")
        if client == "claude-code"
        else (".cursor/hooks.json", ".cursor/mcp.json")
    )
    world.put(hooks, content)
    world.put(servers, b'{"mcpServers":{"x":{"command":"y"}}}\n' if name == "one line" else content)
    before, folders = world.files(), world.folders()
    register(client)
    assert world.files() != before
    unregister(client)
    assert (world.files(), world.folders()) == (before, folders)
    assert not (world.home / "install").exists()
    assert not (world.home / "hook").exists()


def test_modes_and_links_stay(plain_world: World) -> None:
    real = plain_world.put("dotfiles/claude settings.json", b'{"a": 1}\n')
    real.chmod(0o640)
    link = plain_world.user / ".claude" / "settings.json"
    link.parent.mkdir()
    link.symlink_to(real)
    register("claude-code")
    assert link.is_symlink()
    assert (real.stat().st_mode & 0o777, "hooks" in json.loads(real.read_bytes())) == (0o640, True)
    assert [p.name for p in real.parent.iterdir()] == [real.name]
    unregister("claude-code")
    assert (link.is_symlink(), real.read_bytes(), real.stat().st_mode & 0o777) == (True, b'{"a": 1}\n', 0o640)


def test_a_new_file_of_servers_is_for_its_owner_alone(plain_world: World) -> None:
    register("claude-code")
    assert (plain_world.user / ".claude.json").stat().st_mode & 0o777 == 0o600
    assert journal.place(plain_world.home, "claude-code").stat().st_mode & 0o777 == 0o600


def test_the_journal_holds_no_copy_of_the_users_keys(plain_world: World) -> None:
    secret = json.dumps(
        {"env": {"KEY": "sk-secret-1"}, "hooks": {"Stop": [{"hooks": []}]}, "last": "sk-secret-2"}, indent=2
    )
    plain_world.put(".claude/settings.json", secret.encode())
    plain_world.put(".claude.json", secret.encode())
    register("claude-code")
    assert b"sk-secret" not in journal.place(plain_world.home, "claude-code").read_bytes()
    unregister("claude-code")
    assert (plain_world.user / ".claude/settings.json").read_text() == secret


DOCUMENTS = st.recursive(
    st.none() | st.booleans() | st.integers(-99, 99) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
HOOKS = st.dictionaries(
    st.sampled_from([*claude_code.HOOK_EVENTS, "PreToolUse"]),
    st.lists(
        st.fixed_dictionaries(
            {"matcher": st.text(max_size=3), "hooks": st.just([{"type": "command", "command": "other"}])}
        ),
        max_size=2,
    ),
)
STYLES = st.sampled_from([{"indent": 2}, {"indent": "\t"}, {}, {"separators": (",", ":")}])


@settings(max_examples=40, deadline=None)
@given(
    st.dictionaries(st.text(max_size=5), DOCUMENTS, max_size=3),
    st.none() | HOOKS,
    STYLES,
    st.dictionaries(st.text(min_size=1, max_size=3), DOCUMENTS, max_size=2),
    STYLES,
)
def test_nothing_but_ours_goes_when_others_wrote_in_between(
    document: dict[str, Any], hooks: Any, style: Any, later: dict[str, Any], later_style: Any
) -> None:
    file = registration.claude_files(
        Launch("/py", Path("/home")), user_home=Path("/nobody"), config_folder=None
    )[1]
    before = {key: value for key, value in document.items() if key != "hooks"} | (
        {} if hooks is None else {"hooks": hooks}
    )
    text = json.dumps(before, **style)
    ours = file.register(text)
    assert file.registered(ours)
    assert not file.registered(text)
    assert journal.undone(ours, journal.undo_of(text, ours)) == text
    # Another tool reads it all and writes it its own way.
    theirs = json.loads(ours) | {f"later {key}": value for key, value in later.items()}
    theirs["hooks"].setdefault("Stop", []).append({"hooks": [{"type": "command", "command": "new"}]})
    left = json.loads(file.clear(json.dumps(theirs, **later_style), file.made(text)))
    want = json.loads(text) | {f"later {key}": value for key, value in later.items()}
    want["hooks"] = {
        **(hooks or {}),
        "Stop": [*(hooks or {}).get("Stop", []), {"hooks": [{"type": "command", "command": "new"}]}],
    }
    assert left == want


# Again, and again


@pytest.mark.parametrize("client", CLIENTS)
def test_installing_again_changes_nothing(world: World, client: str) -> None:
    world.put(".claude/settings.json", OTHERS.encode())
    world.put(".cursor/hooks.json", OTHERS.encode())
    before = world.files()
    register(client)
    once = world.files()
    assert register(client).changes == ()
    assert world.files() == once
    unregister(client)
    assert world.files() == before


def test_another_release_replaces_what_the_last_one_wrote(
    plain_world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain_world.put(".claude/settings.json", OTHERS.encode())
    before = plain_world.files()
    with monkeypatch.context() as patched:
        patched.setattr(hook_line, "FLAGS", ("-I",))
        patched.setattr(claude_code, "HOOK_EVENTS", (*claude_code.HOOK_EVENTS, "Notification"))
        register("claude-code")
        old = plain_world.files()
    register("claude-code")
    text = (plain_world.user / ".claude/settings.json").read_text("utf-8")
    assert plain_world.files() != old
    assert text.count('"claude-code"') == len(claude_code.HOOK_EVENTS)
    assert "Notification" not in text
    unregister("claude-code")
    assert plain_world.files() == before


def test_after_others_edits_only_ours_goes(plain_world: World) -> None:
    settings_ = plain_world.put(".claude/settings.json", OTHERS.encode())
    register("claude-code")
    changed = (
        settings_.read_text("utf-8").replace('"unknownKey"', '"renamedKey"').replace("say done", "say it")
    )
    settings_.write_text(changed, "utf-8")
    servers = plain_world.user / ".claude.json"
    servers.write_text(json.dumps(json.loads(servers.read_bytes()) | {"numStartups": 7}))
    register("claude-code")
    unregister("claude-code")
    assert settings_.read_text("utf-8") == OTHERS.replace('"unknownKey"', '"renamedKey"').replace(
        "say done", "say it"
    )
    assert json.loads(servers.read_bytes()) == {"numStartups": 7}


def test_our_hook_in_anothers_group_goes_alone(plain_world: World) -> None:
    register("claude-code")
    path = plain_world.user / ".claude/settings.json"
    content = json.loads(path.read_bytes())
    content["hooks"]["Stop"][0]["hooks"].insert(0, {"type": "command", "command": "theirs"})
    path.write_text(json.dumps(content))
    unregister("claude-code")
    assert json.loads(path.read_bytes()) == {
        "hooks": {"Stop": [{"hooks": [{"type": "command", "command": "theirs"}]}]}
    }


def test_without_a_journal_ours_is_known_by_what_it_says(plain_world: World) -> None:
    plain_world.put(".cursor/hooks.json", b'{"version": 1, "hooks": {"stop": [{"command": "theirs"}]}}')
    before = plain_world.files()
    register("cursor")
    journal.place(plain_world.home, "cursor").unlink()
    unregister("cursor")
    assert json.loads((plain_world.user / ".cursor/mcp.json").read_bytes()) == {}
    (plain_world.user / ".cursor/mcp.json").unlink()
    assert plain_world.files() == before


def test_cursors_version_stays_where_others_rely_on_it(plain_world: World) -> None:
    register("cursor")
    path = plain_world.user / ".cursor/hooks.json"
    content = json.loads(path.read_bytes())
    content["hooks"]["stop"].append({"command": "theirs"})
    path.write_text(json.dumps(content))
    unregister("cursor")
    assert json.loads(path.read_bytes()) == {"version": 1, "hooks": {"stop": [{"command": "theirs"}]}}


def test_one_client_leaves_the_other_its_hook_files(plain_world: World) -> None:
    register("claude-code")
    register("cursor")
    unregister("cursor")
    assert (plain_world.home / "hook" / "hook.py").exists()
    unregister("claude-code")
    assert not (plain_world.home / "hook").exists()
    assert plain_world.files() == {}


def test_uninstall_where_nothing_is_installed_changes_nothing(plain_world: World) -> None:
    plain_world.put(".claude/settings.json", OTHERS.encode())
    before = plain_world.files()
    assert unregister("claude-code").changes == ()
    assert plain_world.files() == before


# Looking first


@pytest.mark.parametrize("client", CLIENTS)
def test_a_plan_writes_nothing_and_tells_all(world: World, client: str) -> None:
    world.put(".claude/settings.json", OTHERS.encode())
    world.put(".cursor/hooks.json", b'{"version": 1}')
    before, folders = world.files(), world.folders()
    plan = install.plan(client)
    shown = install.diff(plan)
    assert (world.files(), world.folders(), world.home.exists()) == (before, folders, False)
    patched = apply_patch(shown, world.user)
    install.apply(plan)
    assert {name: content for name, (content, _) in world.files().items()} == {
        name: content for name, (content, _) in before.items()
    } | patched


def apply_patch(shown: str, root: Path) -> dict[str, bytes]:
    """What `git apply`, an independent reader of unified diffs, makes of the files."""
    copy = root.parent / "patched"
    copy.mkdir()
    names = [line[4:] for line in shown.splitlines() if line.startswith("+++ ")]
    for name in names:
        target = copy / Path(name).relative_to(root)
        target.parent.mkdir(parents=True, exist_ok=True)
        if Path(name).exists():
            target.write_bytes(Path(name).read_bytes())
    prefix = str(root)[1:] + "/"
    patch = "".join(
        line.replace(f"/{prefix}", "b/" if line.startswith("+++") else "a/")
        if line.startswith(("--- /", "+++ /")) and "/dev/null" not in line
        else line
        for line in shown.splitlines(keepends=True)
    )
    subprocess.run(
        ["git", "apply", "--unidiff-zero", "-"],
        input=patch.encode(),
        cwd=copy,
        check=True,
        env={"PATH": os.environ["PATH"], "GIT_CEILING_DIRECTORIES": str(copy.parent)},
    )
    return {str(p.relative_to(copy)): p.read_bytes() for p in copy.rglob("*") if p.is_file()}


def test_a_shown_diff_holds_no_neighbours_of_a_file_with_keys(plain_world: World) -> None:
    plain_world.put(
        ".claude.json",
        json.dumps({"mcpServers": {"x": {"env": {"TOKEN": "plain-secret"}}}, "k": 1}, indent=2).encode(),
    )
    assert "plain-secret" not in install.diff(install.plan("claude-code"))


# Refusals


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b'{"hooks": ', "line 1 cannot be read as JSON"),
        (b'{\n  "hooks": {,}\n}', "line 2 cannot be read as JSON"),
        (b"[]", "is not an object"),
        (b'{"hooks": []}', "hooks is not an object"),
        (b'{"hooks": {"Stop": {}}}', "hooks.Stop is not a list"),
        ('{"ä": 1}'.encode("latin-1"), "is not UTF-8"),
        ('{"a": 1}'.encode("utf-16"), "is not UTF-8"),
    ],
)
def test_a_file_we_cannot_read_is_refused_and_left(plain_world: World, content: bytes, said: str) -> None:
    plain_world.put(".claude/settings.json", content)
    before = plain_world.files()
    with pytest.raises(BadInput, match=said) as refused:
        install.plan("claude-code")
    assert "settings.json" in str(refused.value)
    assert (plain_world.files(), plain_world.home.exists()) == (before, False)


def test_a_folder_in_a_files_place_is_refused(plain_world: World) -> None:
    (plain_world.user / ".cursor" / "mcp.json").mkdir(parents=True)
    with pytest.raises(BadInput, match="cannot be read"):
        install.plan("cursor")


@pytest.mark.parametrize(
    ("given_", "error"),
    [
        ({"client": "emacs"}, BadInput),
        ({"project": Path("/")}, BadInput),
        ({"python": "/nowhere/python"}, BadInput),
        ({"python": ""}, BadInput),
    ],
)
def test_arguments_without_sense_are_refused(
    plain_world: World, given_: dict[str, Any], error: type[Exception], monkeypatch: pytest.MonkeyPatch
) -> None:
    if given_.get("python") == "":
        monkeypatch.setattr(sys, "executable", "")
    with pytest.raises(error):
        install.plan(**{"client": "claude-code"} | given_)
    assert (plain_world.files(), plain_world.home.exists()) == ({}, False)


def test_a_file_that_changes_meanwhile_is_not_overwritten(plain_world: World) -> None:
    path = plain_world.put(".claude/settings.json", b"{}")
    plan = install.plan("claude-code")
    path.write_bytes(b'{"new": 1}')
    before = plain_world.files()
    with pytest.raises(BadInput, match="has changed meanwhile"):
        install.apply(plan)
    assert plain_world.files() == before


def test_a_write_that_fails_halfway_is_undone(plain_world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    plain_world.put(".claude.json", b'{"a": 1}')
    before, folders = plain_world.files(), plain_world.folders()
    plan = install.plan("claude-code")
    whole: Callable[..., Path] = Path.replace

    def full(self: Path, target: Path) -> Path:
        if target.name == "settings.json":
            raise OSError(28, "No space left on device")
        return whole(self, target)

    monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(BackstoryError, match="No space left"):
        install.apply(plan)
    assert (plain_world.files(), plain_world.folders()) == (before, folders)
    assert journal.load(plain_world.home, "claude-code") is None


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write anything")
def test_a_read_only_file_is_refused(plain_world: World) -> None:
    plain_world.put(".claude/settings.json", b"{}").chmod(0o444)
    with pytest.raises(BadInput, match="read-only"):
        install.plan("claude-code")


@pytest.mark.parametrize(
    "content",
    [b"", b"[]", b"{}", b'{"v": 9}', b'{"v": 1, "client": "x", "release": "1", "files": [{}], "rules": []}'],
)
def test_a_journal_that_cannot_be_read_is_told(plain_world: World, content: bytes) -> None:
    place = journal.place(plain_world.home, "cursor")
    place.parent.mkdir(parents=True)
    place.write_bytes(content)
    with pytest.raises(BackstoryError, match="cursor"):
        install.plan("cursor")


@pytest.mark.parametrize("client", ["claude-code", "cursor"])
def test_somebody_elses_server_under_our_name_is_neither_replaced_nor_removed(
    plain_world: World, client: str
) -> None:
    name = ".claude.json" if client == "claude-code" else ".cursor/mcp.json"
    plain_world.put(name, b'{"mcpServers": {"backstory": {"command": "mine", "args": ["x"]}}}')
    before = plain_world.files()
    with pytest.raises(BadInput, match="another server"):
        register(client)
    unregister(client)
    assert plain_world.files() == before
