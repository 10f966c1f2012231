"""The history of a real repository, taken in: whole, once, under the right branch, and without its secrets."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from backstory.pipelines.code.import_git import Progress, import_git
from backstory.pipelines.code.observe import Whose
from backstory.pipelines.git import git_files
from backstory.store import bodies, clock, workspaces
from backstory.store.db import Database
from backstory.store.errors import BadInput
from backstory.store.rows import fetch

NOW_US = clock.now()  # git reckons "100 days ago" from the real clock
DAY_S = 86_400


class BrokenOffError(Exception):
    """What stops an import in the middle."""


class Repository:
    """A repository with commits of chosen days."""

    def __init__(self, root: Path) -> None:
        self.root = root
        root.mkdir()
        self.git("init", "-qb", "main")

    def git(self, *args: str, at_s: int = NOW_US // 1_000_000) -> str:
        who = {
            f"GIT_{role}_{what}": "t@example.invalid"
            for role in ("AUTHOR", "COMMITTER")
            for what in ("NAME", "EMAIL")
        }
        dates = {"GIT_AUTHOR_DATE": f"{at_s} +0000", "GIT_COMMITTER_DATE": f"{at_s} +0000"}
        env = {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": str(self.root), **who, **dates}
        done = subprocess.run(
            ["git", *args], cwd=self.root, env=env, check=True, capture_output=True, text=True
        )
        return done.stdout

    def commit(self, message: str, files: dict[str, str], *, days_ago: int = 0) -> None:
        for path, content in files.items():
            (self.root / path).write_text(content)
        self.git("add", "-A")
        self.git("commit", "-qm", message, at_s=NOW_US // 1_000_000 - days_ago * DAY_S + 3_600)


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    return Repository(tmp_path / "repository")


@pytest.fixture
def db(tmp_path: Path) -> Iterator[Database]:
    opened = Database.open(tmp_path / "backstory.db")
    yield opened
    opened.close()


Import = Callable[..., Progress]


@pytest.fixture
def imports(db: Database, repository: Repository) -> Import:
    key: workspaces.Key = ("folder", f"folder:{repository.root}")
    workspace = db.write(workspaces.register, [key], "repository", now=1)

    def run(**options: object) -> Progress:
        where = git_files.look(str(repository.root))
        return import_git(db, where, Whose("me", workspace, (workspace,)), now=clock.now, **options)  # type: ignore[arg-type]

    return run


def messages(db: Database) -> list[str]:
    rows = fetch(
        db._reader,
        "select distinct words from change join round on round.change = change.id order by change.id",
    )
    return [str(words) for (words,) in rows]


def many(repository: Repository, count: int, *, days_ago: Callable[[int], int]) -> None:
    for n in range(count):
        repository.commit(f"step {n}", {"a.py": f"def f():\n    return {n}\n"}, days_ago=days_ago(n))


def test_what_a_rename_took_out_of_a_secret_file_is_not_kept(
    db: Database, repository: Repository, imports: Import
) -> None:
    lines = "".join(f"NAME_{n}=hush-hush-{n}\n" for n in range(20))
    repository.commit("settings", {".env": lines})
    repository.git("mv", ".env", "notes.txt")
    repository.commit("notes", {"notes.txt": lines.replace("NAME_7=hush-hush-7\n", "a note\n")})
    imports()
    kept = [
        bodies.unpack(packed)
        for (packed,) in fetch(db._reader, "select packed from body union all select patch from round")
    ]
    assert not [text for text in kept if b"hush" in text]
    named = fetch(db._reader, "select path, old_path, named from change_file order by id")
    assert named == [(".env", None, "secret"), ("notes.txt", ".env", "secret")]


def test_one_that_was_broken_off_goes_on_days_later_and_loses_nothing(
    db: Database, repository: Repository, imports: Import, monkeypatch: pytest.MonkeyPatch
) -> None:
    many(repository, 120, days_ago=lambda n: 120 - n)

    def stop(progress: Progress) -> None:
        raise BrokenOffError

    with pytest.raises(BrokenOffError):
        imports(since="100 days ago", told=stop)
    taken = len(messages(db))
    assert 0 < taken < 100
    monkeypatch.setenv("GIT_TEST_DATE_NOW", str(NOW_US // 1_000_000 + 5 * DAY_S))
    imports(since="100 days ago")  # five fewer of the first ones are of these days
    assert messages(db) == [f"step {n}" for n in range(20, 120)]
    assert len(fetch(db._reader, "select id from round")) == 100


def test_commits_go_by_the_main_branch_where_they_are_of_it(
    db: Database, repository: Repository, imports: Import
) -> None:
    repository.commit("base", {"a.py": "def f():\n    return 1\n"})
    repository.git("checkout", "-qb", "fix/x")
    repository.commit("fix", {"a.py": "def f():\n    return 2\n"})
    imports()
    branches = fetch(db._reader, "select words, branch from change order by id")
    assert branches == [("base", "main"), ("fix", "fix/x")]


def test_what_is_no_date_is_refused(db: Database, repository: Repository, imports: Import) -> None:
    repository.commit("base", {"a.py": "x = 1\n"})
    with pytest.raises(BadInput, match="say 2026-01-31"):
        imports(since="nonsense")
    assert messages(db) == []


def test_several_processes_make_what_one_makes(
    tmp_path: Path, db: Database, repository: Repository, imports: Import
) -> None:
    many(repository, 100, days_ago=lambda _: 1)
    seen: list[int] = []
    imports(workers=2, told=lambda at: seen.append(at.commits))
    assert messages(db) == [f"step {n}" for n in range(100)]
    assert seen == [40, 80, 100]
