"""What the README says is so: its commands, settings, variables and files are real, and none is missing."""

from __future__ import annotations

import argparse
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from backstory import configs
from backstory.server import cli
from backstory.server.memory import Memory
from backstory.server.serve import parser as serve_parser
from backstory.server.tools import TOOLS
from backstory.tests.clients.claude_code import PINNED

ROOT = Path(__file__).parent.parent
ENGLISH, CHINESE = ROOT / "README.md", ROOT / "README.zh-CN.md"
READMES = [ENGLISH, CHINESE]
DOCS = sorted((ROOT / "docs").glob("*.md"))
# Files that a text may name though no clone holds them: they are made when Backstory runs, or are examples.
MADE_LATER = {"config.toml", "backstory.db", "src/app.py", "node_modules", "CLAUDE_CODE"}
SUFFIXES = (".py", ".toml", ".lock", ".md", ".json", ".jsonl", ".sql", ".sh")


def code_lines(path: Path) -> list[str]:
    """The lines of the text's code blocks, without their comments."""
    blocks = re.findall(r"^```sh\n(.*?)^```", path.read_text("utf-8"), re.DOTALL | re.MULTILINE)
    lines = [line for block in blocks for line in block.splitlines()]
    return [" ".join(shlex.split(line, comments=True, posix=False)) for line in lines if line.strip()]


def named_commands(path: Path) -> set[tuple[str, ...]]:
    """Every `backstory …` of the text: its words up to the first that is no plain word or option."""
    text = path.read_text("utf-8")
    spans = [*code_lines(path), *re.findall(r"`([^`\n]+)`", text)]
    found = set()
    for span in spans:
        for said in re.findall(r"(?:^|[\s/=])backstory((?: +[a-z-][\w-]*)+)", span):
            found.add(tuple(said.split()))
    return found


def commands() -> dict[str, argparse.ArgumentParser]:
    actions = cli.parser()._actions
    (choices,) = [a.choices for a in actions if isinstance(a, argparse._SubParsersAction)]
    return {**choices, "serve": serve_parser()}


def options(parser: argparse.ArgumentParser) -> set[str]:
    """The options of a command, and of those below it."""
    below = [action for action in parser._actions if isinstance(action, argparse._SubParsersAction)]
    found = {option for action in parser._actions for option in action.option_strings}
    return found.union(*(options(each) for action in below for each in action.choices.values()))


@pytest.mark.parametrize("path", [*READMES, *DOCS, ROOT / "CHANGELOG.md"], ids=lambda p: p.name)
def test_every_command_and_option_that_is_named_exists(path: Path) -> None:
    known = commands()
    for command, *rest in named_commands(path):
        assert command in known, f"{path.name} names `backstory {command}`"
        for word in rest:
            if word.startswith("--"):
                assert word in options(known[command]), f"{path.name}: `backstory {command} {word}`"


def test_every_command_is_named_in_the_readme() -> None:
    named = {command for command, *_ in named_commands(ENGLISH)}
    assert set(commands()) - named == set()


def test_every_command_stands_in_the_help_of_the_program() -> None:
    help_ = subprocess.run(
        [sys.executable, "-P", "-m", "backstory", "--help"], capture_output=True, text=True, check=True
    ).stdout
    listed = set(re.findall(r"^    ([a-z]+)(?: {2,}|$)", help_, re.MULTILINE))
    assert listed == set(commands())
    grouped = set(re.findall(r"(?:  |, )([a-z]+)", help_[help_.index("first minutes") :]))
    assert grouped >= set(commands())


def test_the_commands_that_are_shown_can_be_read_by_the_parser() -> None:
    for line in code_lines(ENGLISH):
        _, found, rest = f" {line}".partition(" backstory ")
        if found:
            cli.parser().parse_args(shlex.split(rest, comments=True))


def test_both_readmes_show_the_same_commands() -> None:
    def shown(path: Path) -> list[str]:
        # What is asked or told may be in another language; what is typed around it may not.
        return [re.sub(r'"[^"]*"', '"…"', line) for line in code_lines(path)]

    assert shown(ENGLISH) == shown(CHINESE)


def test_both_readmes_name_the_same_commands_tools_and_variables() -> None:
    names = [set(re.findall(r"\b(?:memory|BACKSTORY)_\w+", path.read_text("utf-8"))) for path in READMES]
    assert names[0] == names[1]
    assert {name for name in names[0] if name.startswith("memory_")} == set(TOOLS)
    inline = [
        {re.sub(r"[^\x20-\x7e].*", "", " ".join(words)) for words in named_commands(path)} for path in READMES
    ]
    assert inline[0] == inline[1]


def test_every_setting_is_in_the_default_file_and_every_line_of_it_is_a_setting() -> None:
    assert set(configs.defaults()) == set(configs.Settings.model_fields)
    configs.Settings.model_validate(configs.defaults())


def test_every_setting_is_explained_above_its_line() -> None:
    lines = (ROOT / "configs/default.toml").read_text("utf-8").splitlines()
    for number, line in enumerate(lines):
        if line and not line.startswith("#"):
            above = lines[number - 1]
            # A line may share the comment of the one above it, as a url and its model do.
            assert above.startswith("#") or above.split(" = ")[0].partition("_")[0] in line, line


@pytest.mark.parametrize("path", [*READMES, *DOCS, ROOT / "configs/default.toml"], ids=lambda p: p.name)
def test_every_variable_that_is_named_is_real(path: Path) -> None:
    settings = {configs.PREFIX + name.upper() for name in configs.Settings.model_fields}
    named = set(re.findall(r"BACKSTORY_[A-Z_]+", path.read_text("utf-8")))
    assert named - settings - configs.NOT_SETTINGS == set()


def test_the_variables_shown_do_what_is_said(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for line in code_lines(ENGLISH):
        given = re.findall(r"\b(BACKSTORY_\w+)=(\S+)", line)
        for name, value in given:
            if name not in configs.NOT_SETTINGS:
                setting = name.removeprefix(configs.PREFIX).lower()
                assert str(getattr(configs.load(tmp_path, {name: value}), setting)) == value


def stands(name: str) -> bool:
    """Whether the repository holds it: at that path, or anywhere on a floor where the text gives no folder."""
    floors = ("server", "pipelines", "store", "configs", "prompts", "tests", "bench")
    bare = "/" not in name and any(any((ROOT / floor).rglob(name)) for floor in floors)
    return bare or (ROOT / name).exists() or (ROOT / "docs" / name).exists()


@pytest.mark.parametrize("path", [*READMES, *DOCS, ROOT / "CHANGELOG.md"], ids=lambda p: p.name)
def test_every_file_that_is_named_is_there(path: Path) -> None:
    text = re.sub(r"^```.*?^```", "", path.read_text("utf-8"), flags=re.DOTALL | re.MULTILINE)
    links = [link for link in re.findall(r"\]\(([^)#\s]+)", text) if "://" not in link]
    for link in links:
        assert (path.parent / link).exists(), f"{path.name} links to {link}"
    for span in re.findall(r"`([^`\n]+)`", text):
        for word in span.split():
            name = word.strip(".,;")
            if (name.endswith(SUFFIXES) or name.endswith("/")) and name.partition("/")[0] not in MADE_LATER:
                assert name in MADE_LATER or stands(name), f"{path.name} names {name}"


def test_the_picture_of_the_floors_names_modules_that_are_there() -> None:
    text = (ROOT / "docs/architecture.md").read_text("utf-8")
    picture = text[text.index("┌ server/") : text.index("└─")]
    floor = ""
    for line in picture.splitlines():
        if found := re.search(r"[┌├] (\w+)/", line):
            floor = found[1]
            continue
        for name in NAMED[floor] & set(re.findall(r"[a-z]+", line)):
            there = [ROOT / floor / f"{name}.py", ROOT / floor / name]
            assert any(p.exists() for p in there), f"{floor}/{name}"
    seen = set(re.findall(r"[a-z]+", picture))
    assert set().union(*NAMED.values()) <= seen


NAMED = {
    "server": {
        "hook", "doorway", "desk", "tools", "memory", "cli", "clients", "fallback", "packing", "render", "runtime",
    },
    "pipelines": {
        "remember", "capture", "keep", "correct", "recall", "plan", "retrieve", "rank", "tend", "identity",
    },
    "store": {"db", "migrations", "events", "turns", "memories", "fts", "vectors", "jobs", "deliveries", "runs"},
}  # fmt: skip


def test_plain_sqlite_can_do_what_the_readme_says(tmp_path: Path) -> None:
    import sqlite3

    said = {re.search(r'`sqlite3 backstory\.db "([^"]+)"`', p.read_text("utf-8")) for p in READMES}
    (statement,) = {found[1] for found in said if found}
    with Memory.open(tmp_path / "backstory.db", embedder="none") as memory:
        memory.add("Releases are cut on Thursdays.")
    con = sqlite3.connect(tmp_path / "backstory.db")
    try:
        assert con.execute(statement).fetchall() == [("Releases are cut on Thursdays.",)]
        matched = "select rowid from terms_fts where terms_fts match 'on'"
        assert con.execute(matched).fetchall() == [(1,)]
    finally:
        con.close()


def test_the_client_that_ci_installs_is_the_one_that_tests_are_pinned_to() -> None:
    run = (ROOT / ".ci/run").read_text("utf-8")
    assert re.findall(r"^client=(\S+)", run, re.MULTILINE) == [PINNED]
    for path in (*READMES, *DOCS):
        for version in re.findall(r"claude-code@([\w.]+)", path.read_text("utf-8")):
            assert version == PINNED, path.name


def test_ci_runs_the_two_commands_that_the_readme_shows() -> None:
    run = (ROOT / ".ci/run").read_text("utf-8")
    patterns = re.findall(r"sed -n '/\^(.+?)/p' README\.md", run)
    assert len(patterns) == 2
    for pattern in (p.replace(r"\/", "/") for p in patterns):
        assert re.search(f"^{pattern}", ENGLISH.read_text("utf-8"), re.MULTILINE), pattern
