"""What is learned of a workspace by a quick look, and whether an experience of another place holds in it."""

from __future__ import annotations

import platform
from pathlib import Path

import pytest
from backstory.pipelines import surroundings
from backstory.pipelines.extract.conditions import Conditions


def test_a_look_tells_languages_and_the_versions_that_files_name(tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "main.py").write_text("")
    (tmp_path / "web.ts").write_text("")
    (tmp_path / "node_modules").mkdir()
    (tmp_path / "node_modules" / "x.rb").write_text("")
    (tmp_path / ".python-version").write_text("3.12.1\n")
    (tmp_path / "go.mod").write_text("module x\n\ngo 1.22\n")
    (tmp_path / ".tool-versions").write_text("nodejs 20.1.0\nruby 3.3.0\n")
    here = surroundings.here(str(tmp_path))
    assert here.languages == frozenset(("Python", "TypeScript"))
    assert here.versions == {"python": "3.12.1", "go": "1.22", "node": "20.1.0", "ruby": "3.3.0"}
    assert here.system == platform.system()


def test_of_a_large_workspace_it_is_not_known_what_it_lacks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(surroundings, "ENTRIES", 3)
    for number in range(5):
        (tmp_path / f"{number}.py").write_text("")
    assert surroundings.here(str(tmp_path)).languages is None


def test_a_folder_that_is_gone_is_one_not_looked_at(tmp_path: Path) -> None:
    here = surroundings.here(str(tmp_path / "gone"))
    assert (here.languages, here.versions) == (None, {})


@pytest.mark.parametrize(
    ("wanted", "met"), [("3.9", "not_met"), (">=3.10", "met"), ("3.12", "met"), ("", "met")]
)
def test_an_experience_is_held_against_the_version_here(tmp_path: Path, wanted: str, met: str) -> None:
    (tmp_path / "a.py").write_text("")
    (tmp_path / ".python-version").write_text("3.12")
    learned = Conditions(languages=("Python",), tools={"python": wanted}).to_data()
    assert surroundings.checked(learned, str(tmp_path)).met == met


def test_what_is_for_another_language_is_not_met(tmp_path: Path) -> None:
    (tmp_path / "a.go").write_text("")
    assert surroundings.checked({"languages": ["Python"]}, str(tmp_path)).met == "not_met"
