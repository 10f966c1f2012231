"""The commands that take a memory out, in, along and back: what they print, their exit codes, what they leave."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from backstory import Memory

from .shells import Shell


def test_a_memory_goes_to_another_machine_and_comes_back(
    shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shell("add", "Releases are cut on Thursdays.")
    shell("add", "缓存三秒后变热。", "--everywhere")
    file = tmp_path / "memory.jsonl.gz"
    ran = shell("export", str(file))
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith("2 events, 2 memories, 2 turns, ")
    monkeypatch.setenv("BACKSTORY_HOME", str(tmp_path / "other"))
    done = shell.json("import", str(file))
    assert (done["added"]["memory"], done["refused"], done["whole"]) == (2, {}, True)
    again = shell("import", str(file))
    assert (again.code, again.out) == (0, "nothing added; 9 lines known already.\n")
    with Memory.open(tmp_path / "other" / "backstory.db", embedder="none") as memory:
        assert {one.text for one in memory.list(workspace="all").memories} == {
            "Releases are cut on Thursdays.",
            "缓存三秒后变热。",
        }


def test_a_part_is_exported_by_workspace_and_time(shell: Shell, tmp_path: Path) -> None:
    shell("add", "Here.")
    shell("add", "Everywhere.", "--everywhere")
    told = shell.json("export", str(tmp_path / "here.jsonl"), "--workspace", ".")
    assert told["lines"]["memory"] == 1
    assert (
        "memory" not in shell.json("export", str(tmp_path / "late.jsonl"), "--since", "2999-01-01")["lines"]
    )
    assert shell("export", str(tmp_path / "x"), "--workspace", "nowhere").code == 2


def test_standard_output_holds_the_export_alone(
    tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    with Memory.open(tmp_path / "home" / "backstory.db", embedder="none") as memory:
        memory.add("One.")
        memory.export(None)
    told = [json.loads(line) for line in capfdbinary.readouterr().out.splitlines()]
    assert (told[0]["backstory"], told[-1]["type"]) == ("export", "end")


def test_a_damaged_file_is_told_by_line_and_fails(shell: Shell, tmp_path: Path) -> None:
    shell("add", "One.")
    file = tmp_path / "memory.jsonl"
    shell("export", str(file))
    whole = file.read_text("utf-8").splitlines()
    file.write_text("\n".join([whole[0], "nonsense", *whole[1:-1]]) + "\n", "utf-8")
    ran = shell("import", str(file))
    assert ran.code == 1
    assert "line 2: it is no JSON" in ran.out
    assert "ends early" in ran.out
    assert shell("import", str(tmp_path / "nowhere")).code == 2
    assert shell("import", "git", "--user", "me").code == 2
    assert shell("import", str(file), "--since", "2026-01-01").code == 2


def test_what_is_another_users_is_said_with_the_way_to_take_it(shell: Shell, tmp_path: Path) -> None:
    with Memory.open(tmp_path / "theirs" / "backstory.db", user="bob", embedder="none") as memory:
        memory.add("Bob's.")
        memory.export(tmp_path / "bob.jsonl.gz")
    assert gzip.decompress((tmp_path / "bob.jsonl.gz").read_bytes()).count(b'"user":"bob"') == 2
    assert "--user bob" in shell("import", str(tmp_path / "bob.jsonl.gz")).out
    assert shell("import", str(tmp_path / "bob.jsonl.gz"), "--user", "bob").out.startswith(
        "1 events, 1 memories"
    )


def test_a_backup_is_made_and_put_back(shell: Shell) -> None:
    shell("add", "Before.")
    saved = shell.json("backup")["file"]
    shell("add", "After.")
    refused = shell("restore", saved)
    assert refused.code == 2
    assert "--yes" in refused.err
    ran = shell("restore", saved, "--yes")
    assert ran.code == 0
    assert ran.out.startswith("Restored. The file that was there: ")
    assert "After." not in shell("search").out
    assert "Before." in shell("search").out
    assert shell("backup", saved).code == 2
