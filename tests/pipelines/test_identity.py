from __future__ import annotations

import os
import shutil
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from backstory.pipelines import identity
from backstory.pipelines.git.git_files import Where, local_path, look, look_at, normalised
from backstory.store import workspaces
from backstory.store.db import Database
from backstory.store.folder_key import folded
from backstory.store.models import Scope

from ..conftest import Git

SCOPE = Scope("me", source="claude-code")


@pytest.fixture
def repo(tmp_path: Path, git: Git) -> Path:
    return made(tmp_path / "one" / "shop", git, "https://git.invalid/acme/shop.git")


def made(folder: Path, git: Git, remote: str | None = None) -> Path:
    """A repository with one commit of its own."""
    folder.mkdir(parents=True)
    git(folder, "init", "-q", "-b", "main")
    if remote:
        git(folder, "remote", "add", "origin", remote)
    (folder / "src").mkdir()
    (folder / "src" / "app.py").write_text(f"# {folder} of {remote}\n")
    git(folder, "add", ".")
    git(folder, "commit", "-q", "-m", "first")
    return folder


def cloned(source: Path, target: Path, git: Git, remote: str, *options: str) -> Path:
    """A clone as from that remote: there is no network here, so the remote is named afterwards."""
    target.parent.mkdir(parents=True, exist_ok=True)
    git(source.parent, "clone", "-q", *options, source.as_uri(), str(target))
    git(target, "remote", "set-url", "origin", remote)
    return target


def at(db: Database, folder: Path | str, now: int = 1) -> int:
    """The workspace of a folder, as every event finds it."""
    workspace = identity.locate(db, str(folder), SCOPE, now=now).scope.workspace
    assert workspace is not None
    return workspace


def settled(db: Database, folder: Path | str) -> int | None:
    """The workspace of a folder after what takes git has been done."""
    at(db, folder)
    return identity.settle(db, str(folder), now=2)


def traces(root: Path) -> dict[str, tuple[bytes, int, int]]:
    """Every file below a folder: its bytes, its mode, its time of change."""
    found = {}
    for path in sorted(root.rglob("*")):
        status = path.lstat()
        content = path.read_bytes() if stat.S_ISREG(status.st_mode) else b""
        found[str(path.relative_to(root))] = (content, status.st_mode, status.st_mtime_ns)
    return found


# ---- look


def test_a_repository_is_read(repo: Path, git: Git) -> None:
    head = git(repo, "rev-parse", "HEAD").strip()
    here = Where(
        str(repo), str(repo), str(repo / ".git"), str(repo / ".git"), "main", head,
        {"origin": "https://git.invalid/acme/shop.git"},
    )  # fmt: skip
    assert look(str(repo)) == here
    assert look(str(repo)).is_git
    below = look(str(repo / "src"))
    assert (below.folder, below.root, below.branch, below.head) == (
        str(repo / "src"),
        str(repo),
        "main",
        head,
    )


def test_packed_refs_are_read(repo: Path, git: Git) -> None:
    for n in range(30):
        git(repo, "branch", f"main{n}")
    head = git(repo, "rev-parse", "HEAD").strip()
    git(repo, "pack-refs", "--all")
    assert not (repo / ".git" / "refs" / "heads" / "main").exists()
    assert look(str(repo)).head == head


def test_a_branch_without_commits_has_no_head(tmp_path: Path, git: Git) -> None:
    (tmp_path / "new").mkdir()
    git(tmp_path / "new", "init", "-q", "-b", "feat/起步")
    where = look(str(tmp_path / "new"))
    assert (where.branch, where.head, where.is_git) == ("feat/起步", None, True)


def test_a_detached_head_is_on_no_branch(repo: Path, git: Git) -> None:
    git(repo, "checkout", "-q", "--detach")
    where = look(str(repo))
    assert (where.branch, where.head) == (None, git(repo, "rev-parse", "HEAD").strip())


def test_while_a_rebase_stands_still_its_branch_is_named(repo: Path, git: Git) -> None:
    git(repo, "checkout", "-q", "-b", "topic")
    (repo / "src" / "app.py").write_text("topic\n")
    git(repo, "commit", "-qam", "topic")
    git(repo, "checkout", "-q", "main")
    (repo / "src" / "app.py").write_text("main\n")
    git(repo, "commit", "-qam", "main")
    for backend in ("--merge", "--apply"):
        with pytest.raises(subprocess.CalledProcessError):
            git(repo, "rebase", backend, "main", "topic")
        assert look(str(repo)).branch == "topic"
        git(repo, "rebase", "--abort")


def test_linked_worktrees_share_the_common_dir(repo: Path, tmp_path: Path, git: Git) -> None:
    tree = tmp_path / "elsewhere"
    git(repo, "worktree", "add", "-q", "-b", "side", str(tree))
    main, side = look(str(repo)), look(str(tree / "src"))
    assert (side.common_dir, side.root, side.branch) == (main.common_dir, str(tree), "side")
    assert main.branch == "main"
    git(tree, "commit", "-q", "--allow-empty", "-m", "on side")
    assert look(str(tree)).head == git(tree, "rev-parse", "HEAD").strip() != main.head


def test_a_submodule_is_a_repository_of_its_own(repo: Path, tmp_path: Path, git: Git) -> None:
    inner = made(tmp_path / "lib", git)
    git(repo, "-c", "protocol.file.allow=always", "submodule", "add", "-q", str(inner), "vendor/lib")
    where = look(str(repo / "vendor" / "lib" / "src"))
    assert (where.root, where.common_dir) == (
        str(repo / "vendor" / "lib"),
        str(repo / ".git/modules/vendor/lib"),
    )


def test_a_bare_repository_and_its_worktree_are_one(repo: Path, tmp_path: Path, git: Git) -> None:
    bare, tree = tmp_path / "shop.git", tmp_path / "tree"
    git(tmp_path, "clone", "-q", "--bare", str(repo), str(bare))
    git(bare, "worktree", "add", "-q", str(tree), "main")
    assert look(str(bare)).common_dir == look(str(tree)).common_dir == str(bare)
    assert (look(str(tree)).branch, look(str(tree)).root) == ("main", str(tree))


def test_a_link_leads_where_it_points(repo: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(repo / "src")
    assert look(str(tmp_path / "link")) == look(str(repo / "src"))


def test_what_is_no_repository_is_its_folder(tmp_path: Path) -> None:
    odd, empty = tmp_path / "odd", tmp_path / "empty"
    odd.mkdir()
    (odd / ".git").write_text("nonsense \udcff", "utf-8", "surrogateescape")
    (empty / ".git").mkdir(parents=True)
    for folder in (tmp_path, odd, empty, tmp_path / "gone" / "long ago", tmp_path / "a\nb"):
        assert look(str(folder)) == Where(str(folder), str(folder))
    assert look(f"{tmp_path}\0/etc") == look(str(tmp_path))


def test_a_folder_that_is_gone_is_where_it_was(repo: Path) -> None:
    assert look(str(repo / "deleted" / "deep")).root == str(repo)


def test_reference_tables_are_not_read_but_do_no_harm(repo: Path) -> None:
    # As git writes it with extensions.refStorage=reftable.
    (repo / ".git" / "HEAD").write_text("ref: refs/heads/.invalid\n")
    shutil.rmtree(repo / ".git" / "refs")
    (repo / ".git" / "refs").mkdir()
    (repo / ".git" / "refs" / "heads").write_text("this repository uses the reftable format\n")
    where = look(str(repo))
    assert (where.is_git, where.branch, where.head) == (True, None, None)


def test_remotes_are_read_as_git_writes_them(repo: Path, git: Git) -> None:
    git(repo, "remote", "add", "up.stream", "git@git.invalid:acme/shop.git")
    git(repo, "config", "remote.origin.pushurl", "https://push.invalid/x")
    git(repo, "config", "--add", "remote.origin.url", "https://second.invalid/x")
    git(repo, "config", "remote.hash.url", "https://git.invalid/a#b;c")
    with (repo / ".git" / "config").open("a") as config:
        config.write(
            '[Remote "late"]\n\tURL = https://late.invalid/x   ; where it was\n[core] x = y\nurl = no\n'
        )
    assert look(str(repo)).remotes == {
        "origin": "https://git.invalid/acme/shop.git",
        "up.stream": "git@git.invalid:acme/shop.git",
        "hash": "https://git.invalid/a#b;c",
        "late": "https://late.invalid/x",
    }


# ---- remotes


@pytest.mark.parametrize(
    "url",
    [
        "https://github.com/Acme/Shop.git", "https://github.com/acme/shop/", "http://github.com:80/acme/shop",
        "https:" + "//user:pass@github.com/acme/shop.git", "https://token@GitHub.com/acme/shop",
        "git@github.com:acme/shop.git", "github.com:acme/shop", "ssh://git@github.com/acme/shop.git",
        "ssh://git@ssh.github.com:443/acme/shop.git", "git://github.com/acme/shop.git//",
        "git+ssh://git@github.com:22/acme/shop.git", "https://www.github.com/acme/shop", " git@github.com:/acme/shop ",
    ],
)  # fmt: skip
def test_all_ways_to_a_remote_are_one(url: str) -> None:
    assert normalised(url) == "github.com/acme/shop"


@pytest.mark.parametrize(
    ("url", "key"),
    [
        ("https://git.invalid:8443/Team/App.git", "git.invalid/Team/App"),
        ("ssh://git@git.invalid:2222/Team/App", "git.invalid/Team/App"),
        ("git@git.invalid:Team/App", "git.invalid/Team/App"),
        ("https://git.invalid/a%20b/c.git", "git.invalid/a b/c"),
        ("git@[2001:db8::1]:a/b.git", "2001:db8::1/a/b"),
        ("git@ssh.dev.azure.com:v3/Org/Proj/Repo", "dev.azure.com/org/proj/repo"),
        ("https://org@dev.azure.com/org/proj/_git/repo", "dev.azure.com/org/proj/repo"),
        ("https://git.invalid/", None),
        ("https://[broken/x", None),
        ("", None),
        ("/srv/git/shop.git", None),
        ("../shop", None),
        ("shop", None),
        ("file:///srv/git/shop.git", None),
        ("C:\\code\\shop", None),
        ("~/code/shop", None),
    ],
)
def test_a_remote_has_one_name(url: str, key: str | None) -> None:
    assert normalised(url) == key


@pytest.mark.parametrize(
    ("url", "path"),
    [
        ("/srv/git/a b.git", "/srv/git/a b.git"),
        ("file:///srv/git/a%20b.git", "/srv/git/a b.git"),
        ("../shop", "../shop"),
        ("shop", "shop"),
        ("C:/code/shop", "C:/code/shop"),
        ("\\\\server\\share", "\\\\server\\share"),
        ("git@git.invalid:a/b", None),
        ("https://git.invalid/a", None),
        ("", None),
    ],
)
def test_a_remote_on_this_machine_has_a_path(url: str, path: str | None) -> None:
    assert local_path(url) == path


# ---- one workspace


def test_checkout_worktree_subfolder_link_and_clone_are_one(
    db: Database, repo: Path, tmp_path: Path, git: Git
) -> None:
    tree, other = tmp_path / "two" / "tree", tmp_path / "three" / "renamed"
    git(repo, "worktree", "add", "-q", "-b", "side", str(tree))
    cloned(repo, other, git, "git@git.invalid:acme/shop")
    (tmp_path / "link").symlink_to(repo)
    ours = at(db, repo)
    for folder in (
        repo / "src",
        repo / "gone",
        tree,
        tree / "src",
        tmp_path / "link",
        tmp_path / "link" / "src",
    ):
        assert at(db, folder) == ours
    assert at(db, other) != ours  # known by its place alone, until git has been asked
    assert settled(db, repo) == ours
    assert settled(db, other) == ours == at(db, other)
    assert identity.locate(db, str(tree), SCOPE, now=3).scope.branch == "side"
    assert identity.locate(db, str(repo), SCOPE, now=3).scope.branch == "main"
    assert len(db.read(workspaces.family, ours)) == 2


def test_small_and_capital_letters_are_one_where_the_file_system_says_so(
    tmp_path: Path, db: Database, git: Git, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo = made(tmp_path / "Shop", git)
    swapped = Path(str(repo).swapcase())
    if not swapped.exists():
        assert folded(str(repo)) == str(repo)
        same = os.path.samefile
        monkeypatch.setattr(os.path, "samefile", lambda a, b: a.casefold() == b.casefold() or same(a, b))
    assert folded(str(repo)) == str(repo).casefold()
    assert at(db, repo) == at(db, repo)
    assert {key for _, key in identity.here(look(str(repo)))} == {
        f"common_dir:{str(repo / '.git').casefold()}"
    }


def test_two_repositories_of_one_name_are_two(db: Database, repo: Path, tmp_path: Path, git: Git) -> None:
    other = made(tmp_path / "two" / "shop", git, "https://git.invalid/rival/shop.git")
    local, also = made(tmp_path / "three" / "shop", git), made(tmp_path / "four" / "shop", git)
    ids = [settled(db, folder) for folder in (repo, other, local, also)]
    assert len(set(ids)) == 4
    assert db.read(workspaces.named, "shop") == sorted(id_ for id_ in ids if id_)
    assert all(db.read(workspaces.family, id_) == [id_] for id_ in ids if id_)


def test_a_fork_is_a_workspace_of_its_own(db: Database, repo: Path, tmp_path: Path, git: Git) -> None:
    fork = cloned(repo, tmp_path / "fork", git, "https://git.invalid/me/shop.git")
    assert settled(db, repo) != settled(db, fork)


def test_a_remote_begun_anew_is_another_workspace(db: Database, repo: Path, tmp_path: Path, git: Git) -> None:
    anew = made(tmp_path / "anew", git, "https://git.invalid/acme/shop.git")
    assert settled(db, repo) != settled(db, anew)


def test_a_clone_of_a_repository_on_this_machine_is_that_repository(
    db: Database, repo: Path, tmp_path: Path, git: Git
) -> None:
    git(tmp_path, "clone", "-q", str(repo), "clone")
    git(tmp_path, "clone", "-q", str(tmp_path / "clone"), "clone of it")
    git(tmp_path, "clone", "-q", "--bare", str(repo), "hub.git")
    git(tmp_path, "clone", "-q", (tmp_path / "hub.git").as_uri(), "from the hub")
    elsewhere = cloned(repo, tmp_path / "elsewhere", git, "ssh://git.invalid/acme/shop")
    folders = [tmp_path / "clone of it", tmp_path / "clone", tmp_path / "from the hub", elsewhere, repo]
    assert len({settled(db, folder) for folder in folders}) == 1
    assert len({at(db, folder) for folder in folders}) == 1


def test_a_path_inside_another_repository_is_no_clone_of_it(
    db: Database, repo: Path, tmp_path: Path, git: Git
) -> None:
    git(repo, "bundle", "create", "-q", "backup.bundle", "main")
    inner = made(repo / "inner", git)
    for name, source in (("a", repo / "backup.bundle"), ("b", inner)):
        git(tmp_path, "clone", "-q", str(source), name)
    shutil.rmtree(inner)
    ours = settled(db, repo)
    assert settled(db, tmp_path / "a") != ours
    assert settled(db, tmp_path / "b") != ours
    assert look_at(str(repo / "src")) is None
    assert look_at(str(tmp_path / "one" / "shop" / ".git")) is not None


def test_clones_that_name_each_other_do_not_run_in_a_ring(
    db: Database, repo: Path, tmp_path: Path, git: Git
) -> None:
    git(tmp_path, "clone", "-q", str(repo), "clone")
    git(repo, "remote", "set-url", "origin", str(tmp_path / "clone"))
    assert settled(db, repo) == settled(db, tmp_path / "clone")
    git(repo, "remote", "set-url", "origin", str(repo))
    assert settled(db, repo) == at(db, repo)


def test_a_shallow_clone_joins_the_only_workspace_of_its_remote(
    db: Database, repo: Path, tmp_path: Path, git: Git
) -> None:
    git(repo, "commit", "-q", "--allow-empty", "-m", "second")
    remote = "https://git.invalid/acme/shop.git"
    shallow = cloned(repo, tmp_path / "shallow", git, remote, "--depth=1")
    assert look(str(shallow)).shallow
    assert identity.root_commit(look(str(shallow))) is None
    assert settled(db, repo) == settled(db, shallow)


def test_a_full_clone_meets_the_shallow_one_that_came_first(
    db: Database, repo: Path, tmp_path: Path, git: Git
) -> None:
    git(repo, "commit", "-q", "--allow-empty", "-m", "second")
    remote = "https://git.invalid/acme/shop.git"
    shallow = cloned(repo, tmp_path / "shallow", git, remote, "--depth=1")
    again = cloned(repo, tmp_path / "again", git, remote, "--depth=1")
    first = settled(db, shallow)
    assert settled(db, again) == first
    assert settled(db, repo) == first


def test_a_shallow_clone_that_may_be_either_is_neither(
    db: Database, repo: Path, tmp_path: Path, git: Git
) -> None:
    remote = "https://git.invalid/acme/shop.git"
    other = made(tmp_path / "anew", git, remote)
    git(repo, "commit", "-q", "--allow-empty", "-m", "second")
    shallow = cloned(repo, tmp_path / "shallow", git, remote, "--depth=1")
    assert len({settled(db, folder) for folder in (repo, other, shallow)}) == 3


def test_a_branch_with_a_beginning_of_its_own_is_in_the_same_workspace(
    db: Database, repo: Path, tmp_path: Path, git: Git
) -> None:
    remote = "https://git.invalid/acme/shop.git"
    pages = cloned(repo, tmp_path / "pages", git, remote)
    git(pages, "checkout", "-q", "--orphan", "pages")
    git(pages, "commit", "-q", "-m", "pages")
    assert identity.root_commit(look(str(pages))) == identity.root_commit(look(str(repo)))
    assert settled(db, pages) == settled(db, repo)


def test_an_address_the_user_has_shortened_is_spelt_out(
    db: Database, repo: Path, tmp_path: Path, git: Git, monkeypatch: pytest.MonkeyPatch
) -> None:
    short = cloned(repo, tmp_path / "short", git, "acme:shop.git")
    (tmp_path / "gitconfig").write_text('[url "https://git.invalid/acme/"]\n\tinsteadOf = acme:\n')
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "gitconfig"))
    assert settled(db, repo) == settled(db, short)


def test_a_new_remote_of_the_same_repository_is_another_name_for_it(
    db: Database, repo: Path, tmp_path: Path, git: Git
) -> None:
    ours = settled(db, repo)
    git(repo, "remote", "set-url", "origin", "https://moved.invalid/acme/shop")
    assert settled(db, repo) == ours
    old = cloned(repo, tmp_path / "old", git, "https://git.invalid/acme/shop")
    new = cloned(repo, tmp_path / "new", git, "https://moved.invalid/acme/shop")
    assert settled(db, old) == settled(db, new) == ours


def test_another_repository_at_the_same_path_is_another_workspace(
    db: Database, repo: Path, tmp_path: Path, git: Git
) -> None:
    ours = settled(db, repo)
    shutil.move(repo, tmp_path / "moved")
    made(repo, git, "https://git.invalid/other/thing.git")
    assert identity.unsettled(db, str(repo))
    assert settled(db, repo) not in (ours, None)
    assert settled(db, tmp_path / "moved") == ours
    assert db.read(workspaces.family, ours or 0)[0] == ours
    assert at(db, repo) != ours


def test_a_worktree_that_was_removed_is_remembered(
    db: Database, repo: Path, tmp_path: Path, git: Git
) -> None:
    tree = tmp_path / "tree"
    git(repo, "worktree", "add", "-q", str(tree))
    ours = settled(db, tree)
    git(repo, "worktree", "remove", str(tree))
    assert at(db, tree) == at(db, tree / "src") == ours == at(db, repo) == settled(db, tree)
    tree.mkdir()
    assert at(db, tree) != ours  # a folder that is there is what it is


def test_a_worktree_whose_repository_is_gone_is_remembered(
    db: Database, repo: Path, tmp_path: Path, git: Git
) -> None:
    outer = made(tmp_path / "outer", git)
    tree = outer / "tree"
    git(repo, "worktree", "add", "-q", str(tree))
    ours = at(db, tree)
    shutil.rmtree(repo)
    where = identity.locate(db, str(tree / "src"), SCOPE, now=9)
    assert (where.scope.workspace, where.scope.branch, where.folder) == (ours, None, str(tree))
    assert settled(db, tree) == ours != at(db, outer)


def test_a_repository_made_where_a_worktree_was_is_new(
    db: Database, repo: Path, tmp_path: Path, git: Git
) -> None:
    tree = tmp_path / "tree"
    git(repo, "worktree", "add", "-q", str(tree))
    ours = settled(db, tree)
    git(repo, "worktree", "remove", str(tree))
    made(tree, git)
    assert settled(db, tree) != ours


def test_a_folder_without_git_is_a_workspace(db: Database, tmp_path: Path) -> None:
    one, two = tmp_path / "notes", tmp_path / "other" / "notes"
    one.mkdir()
    two.mkdir(parents=True)
    assert settled(db, one) == at(db, one) != at(db, two)
    located = identity.locate(db, str(one), SCOPE, now=1)
    assert (located.scope.branch, located.head, located.folder) == (None, None, str(one))


def test_settling_is_due_until_it_is_done(db: Database, repo: Path, tmp_path: Path, git: Git) -> None:
    plain, local = tmp_path / "plain", made(tmp_path / "local", git)
    plain.mkdir()
    git(tmp_path, "clone", "-q", str(local), "clone")
    for folder, before in ((repo, True), (tmp_path / "clone", True), (plain, False)):
        at(db, folder)
        assert identity.unsettled(db, str(folder)) is before
        identity.settle(db, str(folder), now=2)
        assert not identity.unsettled(db, str(folder))
    at(db, local)
    assert not identity.unsettled(db, str(local))


def test_keys_are_told_from_the_most_telling_down(repo: Path) -> None:
    where = look(str(repo))
    root = identity.root_commit(where)
    assert identity.keys(where, "git.invalid/acme/shop", root) == [
        ("remote", f"remote:git.invalid/acme/shop#{root}"),
        ("common_dir", f"common_dir:{repo / '.git'}"),
        ("folder", f"worktree:{repo}"),
    ]
    assert identity.keys(look(str(repo.parent)), None, None) == [("folder", f"folder:{repo.parent}")]


# ---- the repository stays as it is


def test_nothing_in_the_repository_changes(db: Database, repo: Path, tmp_path: Path, git: Git) -> None:
    tree = tmp_path / "tree"
    git(repo, "worktree", "add", "-q", "-b", "side", str(tree))
    git(tmp_path, "clone", "-q", str(repo), "clone")
    (repo / "src" / "app.py").write_text("edited\n")  # so that git would like to refresh its index
    (repo / "new.py").write_text("new\n")
    before = [traces(folder) for folder in (repo, tree, tmp_path / "clone")]
    for folder in (repo, tree, tmp_path / "clone"):
        settled(db, folder)
        identity.root_commit(look(str(folder)))
    assert [traces(folder) for folder in (repo, tree, tmp_path / "clone")] == before


def test_a_repository_that_cannot_be_written_is_read(db: Database, repo: Path, git: Git) -> None:
    root = git(repo, "rev-list", "--max-parents=0", "HEAD").strip()
    inside = [repo / ".git", *(repo / ".git").rglob("*")]
    modes = {path: path.stat().st_mode for path in inside}
    for path in inside:
        path.chmod(0o555 if path.is_dir() else 0o444)
    try:
        assert identity.root_commit(look(str(repo))) == root
        assert settled(db, repo) == at(db, repo)
        assert not identity.unsettled(db, str(repo))
    finally:
        for path, mode in modes.items():
            path.chmod(mode)


@pytest.mark.skipif(sys.platform == "win32" or os.geteuid() != 0, reason="only root may give a folder away")
def test_a_repository_of_another_owner_is_read(repo: Path, git: Git) -> None:
    root = git(repo, "rev-list", "--max-parents=0", "HEAD").strip()
    for path in (repo, *repo.rglob("*")):
        os.chown(path, 65534, 65534)
    with pytest.raises(subprocess.CalledProcessError):
        git(repo, "rev-list", "HEAD")
    assert identity.root_commit(look(str(repo))) == root


def test_without_git_the_place_alone_tells(
    db: Database, repo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert identity.root_commit(look(str(repo))) is None
    assert settled(db, repo) == at(db, repo)


def test_gits_own_variables_do_not_lead_elsewhere(
    repo: Path, tmp_path: Path, git: Git, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = made(tmp_path / "other", git)
    root = git(repo, "rev-list", "--max-parents=0", "HEAD").strip()
    monkeypatch.setenv("GIT_DIR", str(other / ".git"))
    monkeypatch.setenv("GIT_WORK_TREE", str(other))
    assert identity.root_commit(look(str(repo))) == root


def test_git_that_takes_too_long_is_stopped(
    repo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    slow = tmp_path / "bin" / "git"
    slow.parent.mkdir()
    slow.write_text("#!/bin/sh\nexec sleep 60\n")
    slow.chmod(0o755)
    monkeypatch.setattr(identity, "GIT_S", 0.2)
    monkeypatch.setenv("PATH", f"{slow.parent}{os.pathsep}{os.environ['PATH']}")
    assert identity.root_commit(look(str(repo))) is None
