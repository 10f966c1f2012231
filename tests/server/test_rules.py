from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from backstory.server import install, rules
from backstory.store.errors import BadInput

Git = Callable[..., str]


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, git: Git) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path / "user"))
    monkeypatch.setenv("USERPROFILE", str(tmp_path / "user"))
    folder = tmp_path / "项目 one"
    folder.mkdir()
    git(folder, "init", "-q", "-b", "main")
    (folder / "app.py").write_text("x = 1\n")
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", "first")
    return folder


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


def opt_in(project: Path) -> install.Plan:
    plan = install.plan("cursor", project=project)
    install.apply(plan)
    return plan


def inside_git(project: Path) -> dict[str, bytes]:
    return {str(p): p.read_bytes() for p in (project / ".git").rglob("*") if p.is_file()}


def test_a_rules_file_is_applied_to_every_conversation() -> None:
    head, _, body = rules.rules_file("- m7 deploys run from main\n").decode().partition("---\n\n")
    assert head.startswith("---\ndescription: Backstory memory")
    assert "alwaysApply: true\n" in head
    assert body == "- m7 deploys run from main\n"
    assert rules.rules_file(" \n").decode().endswith(f"{rules.NOTHING}\n")
    assert rules.rules_file("半 \ud83d").endswith("半 ?\n".encode())


def test_only_a_project_named_by_its_user_gets_one_and_git_sees_nothing(
    project: Path, home: Path, git: Git
) -> None:
    install.apply(install.plan("cursor"))
    assert not (project / ".cursor").exists()
    before = inside_git(project)
    plan = opt_in(project)
    path = project / ".cursor/rules/backstory.mdc"
    assert [change.path for change in plan.changes] == [path, path.with_name(".gitignore")]
    assert rules.refresh_rules(home, str(project), "第一次") == path
    assert path.read_bytes() == rules.rules_file("第一次")
    assert git(project, "status", "--porcelain", "--untracked-files=all") == ""
    assert {k: v for k, v in inside_git(project).items() if not k.endswith("/index")} == {
        k: v for k, v in before.items() if not k.endswith("/index")
    }
    assert opt_in(project).changes == ()


def test_a_sub_folder_and_a_link_belong_to_the_project(project: Path, home: Path, tmp_path: Path) -> None:
    opt_in(project)
    (project / "src").mkdir()
    link = tmp_path / "link"
    link.symlink_to(project)
    path = project / ".cursor/rules/backstory.mdc"
    assert [rules.refresh_rules(home, str(folder), "x") for folder in (project / "src", link, tmp_path)] == [
        path,
        path,
        None,
    ]


def test_nobody_elses_folder_is_written_to(project: Path, home: Path) -> None:
    assert rules.refresh_rules(home, str(project), "x") is None
    install.apply(install.plan("cursor"))
    assert rules.refresh_rules(home, str(project), "x") is None
    assert not (project / ".cursor").exists()


def test_a_rules_file_that_its_user_removed_or_made_their_own_stays_so(project: Path, home: Path) -> None:
    opt_in(project)
    path = project / ".cursor/rules/backstory.mdc"
    path.write_text("mine")
    assert rules.refresh_rules(home, str(project), "x") is None
    assert path.read_text() == "mine"
    path.unlink()
    assert rules.refresh_rules(home, str(project), "x") is None
    assert not path.exists()


def test_uninstall_takes_the_rules_files_of_all_projects(project: Path, home: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    (other / ".cursor/rules").mkdir(parents=True)
    (other / ".cursor/rules/.gitignore").write_text("mine\n")
    opt_in(project)
    assert any("add a line backstory.mdc" in note for note in opt_in(other).notes)
    install.apply(install.plan("cursor"))
    for folder in (project, other):
        assert rules.refresh_rules(home, str(folder), "later") is not None
    install.apply(install.plan_uninstall("cursor"))
    assert not (project / ".cursor").exists()
    assert [p.name for p in (other / ".cursor/rules").iterdir()] == [".gitignore"]
    assert (other / ".cursor/rules/.gitignore").read_text() == "mine\n"


def test_a_rules_file_that_is_not_ours_is_refused(project: Path, home: Path) -> None:
    path = project / ".cursor/rules/backstory.mdc"
    path.parent.mkdir(parents=True)
    path.write_text("---\nalwaysApply: true\n---\nmine\n")
    with pytest.raises(BadInput, match="is not Backstory's"):
        install.plan("cursor", project=project)
    with pytest.raises(BadInput, match="is not a folder"):
        install.plan("cursor", project=project / "nowhere")
    assert not home.exists()
