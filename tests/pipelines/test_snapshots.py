from __future__ import annotations

import os
import random
import socket
import zlib
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from pathlib import Path

import pytest
from backstory.pipelines.git import kept, moments, taking
from backstory.pipelines.git.edits import FileEdit, Named
from backstory.pipelines.git.git_files import look
from backstory.pipelines.git.moments import Bulk, Mark, Snapshot
from backstory.pipelines.git.moves import moves
from backstory.pipelines.git.snapshots import Snapshots
from backstory.pipelines.git.trees import Trees
from backstory.store.errors import BadInput, GitFailed

from .applying import apply
from .repos import Repo, started

SECRET = "correct-horse-battery-staple"


@pytest.fixture(autouse=True)
def _nobody(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Git as the product runs it knows nothing of this machine's settings."""
    (tmp_path / "nobody").mkdir()
    for name in [name for name in os.environ if name.startswith("GIT_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(tmp_path / "nobody"))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    return started(tmp_path)


def between(snapshots: Snapshots, before: Snapshot, after: Snapshot) -> list[FileEdit]:
    """The edits, each of whose patches makes the one image of the other."""
    edits = snapshots.changed(before, after)
    assert isinstance(edits, list)
    for edit in edits:
        if edit.hunks and edit.named is None:
            assert apply(edit.before or b"", edit.hunks) == (edit.after or b"")
            assert all(b"\n".join(hunk.lines) in edit.patch for hunk in edit.hunks)
    return edits


def made(folder: Path) -> Path:
    folder.mkdir()
    return folder


def told(edits: list[FileEdit]) -> dict[str, tuple[object, ...]]:
    return {edit.path: (edit.status, edit.before, edit.after) for edit in edits}


def kinds(edits: list[FileEdit]) -> dict[str, tuple[object, ...]]:
    return {edit.path: (edit.status, edit.named) for edit in edits}


def stored(snapshots: Snapshots) -> bytes:
    """All that the folder holds, unpacked."""
    out = b""
    for path in snapshots.folder.rglob("*"):
        if path.is_file():
            content = path.read_bytes()
            try:
                out += zlib.decompress(content)
            except zlib.error:
                out += content
    return out


# ---- what is seen


def test_edits_of_every_kind_are_seen_with_gits_patches(repo: Repo) -> None:
    repo.write("gone.py", "g = 1\n")
    repo.write("old.py", "".join(f"x{n} = {n}\n" for n in range(20)))
    repo.write("run.sh", "echo\n")
    (repo.root / "to").symlink_to("a.py")
    repo.commit()
    snapshots = repo.snapshots()
    one = snapshots.take(at=1)
    repo.write("a.py", (repo.root / "a.py").read_text().replace("line 3\n", "line three\n"))
    repo.write("new/deep.py", "n\n")
    (repo.root / "gone.py").unlink()
    (repo.root / "old.py").rename(repo.root / "lib" / "moved.py")
    repo.write("lib/moved.py", (repo.root / "lib" / "moved.py").read_text() + "more\n")
    (repo.root / "run.sh").chmod(0o755)
    (repo.root / "to").unlink()
    (repo.root / "to").symlink_to("lib/b.py")
    two = snapshots.take(at=2)
    edits = between(snapshots, one, two)
    assert kinds(edits) == {
        "a.py": ("modified", None), "gone.py": ("deleted", None), "lib/moved.py": ("renamed", None),
        "new/deep.py": ("added", None), "run.sh": ("mode", None), "to": ("modified", "link"),
    }  # fmt: skip
    by_path = {edit.path: edit for edit in edits}
    assert by_path["lib/moved.py"].old_path == "old.py"
    assert (by_path["to"].before, by_path["to"].after) == (b"a.py", b"lib/b.py")
    assert by_path["a.py"].patch == repo.out("diff", "--full-index", "a.py")
    assert snapshots.blob(by_path["a.py"].after_id or "") == by_path["a.py"].after
    assert (one.head, one.branch, one.at, two.at, one.bulk) == (repo.head(), "main", 1, 2, False)
    assert between(snapshots, two, two) == []
    assert told(between(snapshots, two, one))["new/deep.py"] == ("deleted", b"n\n", None)


def test_known_paths_tell_what_a_search_tells(repo: Repo, tmp_path: Path) -> None:
    known, searched = repo.snapshots(), repo.snapshots(tmp_path / "other")
    known.take(at=1)
    searched.take(at=1)
    repo.write("a.py", "1\n")
    repo.write("new/x.py", "2\n")
    (repo.root / "lib" / "b.py").unlink()
    (repo.root / "l").symlink_to("a.py")
    repo.write(".env", SECRET)
    repo.write("t.log", "ignored")
    (repo.root / "alias").symlink_to(repo.root)
    given = [
        str(repo.root / "a.py"), "new/x.py", "lib/b.py", "./l", ".env", "t.log", "nowhere", "alias/a.py", "alias",
        str(repo.root.parent / "outside"), ".git/config", "new/../a.py", "a\0b",
    ]  # fmt: skip
    assert (known.take(given, at=2).tree, known.take([], at=3).named) == (
        searched.take(at=2).tree,
        searched.take(at=3).named,
    )


@pytest.mark.parametrize("path", ["new", ".", "lib/"])
def test_of_a_folder_all_is_looked_for(repo: Repo, path: str) -> None:
    snapshots = repo.snapshots()
    one = snapshots.take(at=1)
    repo.write("lib/b.py", "1\n")
    repo.write("new/x.py", "2\n")
    assert kinds(between(snapshots, one, snapshots.take([path], at=2))).keys() == {"lib/b.py", "new/x.py"}


def test_a_folder_that_is_gone_is_looked_for(repo: Repo) -> None:
    snapshots = repo.snapshots()
    one = snapshots.take(at=1)
    (repo.root / "lib" / "b.py").unlink()
    (repo.root / "lib").rmdir()
    assert kinds(between(snapshots, one, snapshots.take(["lib"], at=2))) == {"lib/b.py": ("deleted", None)}


def test_only_the_known_paths_are_looked_at_and_the_others_the_next_time(repo: Repo) -> None:
    snapshots = repo.snapshots()
    one = snapshots.take(at=1)
    repo.write("a.py", "1\n")
    repo.write("lib/b.py", "2\n")
    two = snapshots.take(["a.py"], at=2)
    three = snapshots.take(at=3)
    assert [edit.path for edit in between(snapshots, one, two)] == ["a.py"]
    assert [edit.path for edit in between(snapshots, two, three)] == ["lib/b.py"]


@pytest.mark.parametrize("known", [True, False])
def test_an_edit_within_the_same_second_and_of_the_same_size_is_seen(repo: Repo, known: bool) -> None:
    snapshots = repo.snapshots()
    last = snapshots.take(at=0)
    path = repo.root / "a.py"
    path.write_text("0000\n")
    last, stamp = snapshots.take(at=0), path.stat()
    for n in range(1, 10):
        with path.open("r+") as file:
            file.write(f"{n:04}\n")
        os.utime(path, ns=(stamp.st_atime_ns, stamp.st_mtime_ns))
        now = snapshots.take(["a.py"] if known and n % 3 else None, at=n)
        assert [edit.after for edit in between(snapshots, last, now)] == [f"{n:04}\n".encode()]
        last = now


def test_an_edit_right_after_a_checkout_is_seen(repo: Repo) -> None:
    for n in range(3):
        repo.write("a.py", f"{n}\n")
        repo.commit()
        snapshots = repo.snapshots(repo.root.parent / f"home{n}")
        with (repo.root / "a.py").open("r+") as file:
            file.write("x")
        one = snapshots.take(at=1)
        assert snapshots.blob(repo.git("hash-object", "a.py")) == b"x\n"
        repo.write("a.py", f"{n}\n")
        assert [edit.before for edit in between(snapshots, one, snapshots.take(at=2))] == [b"x\n"]


def test_versions_without_a_commit_stay_readable_after_git_has_thrown_them_away(repo: Repo) -> None:
    snapshots = repo.snapshots()
    shots = [snapshots.take(at=0)]
    repo.git("checkout", "-q", "-b", "fix/x")
    for n in (1, 2, 3):
        repo.write("lib/b.py", f"def f():\n    return {n}0\n")
        shots.append(snapshots.take(at=n))
    repo.git("stash", "-q")
    repo.git("stash", "drop", "-q")
    repo.git("checkout", "-q", "main")
    repo.git("branch", "-D", "fix/x")
    repo.git("gc", "-q", "--prune=now")
    for n, (before, after) in enumerate(pairwise(shots)):
        (edit,) = between(snapshots, before, after)
        assert edit.after == f"def f():\n    return {n + 1}0\n".encode()


# ---- what is not looked at


def test_ignored_files_stay_out(repo: Repo, tmp_path: Path) -> None:
    (tmp_path / "nobody" / ".gitconfig").write_text(f"[core]\n\texcludesFile = {tmp_path}/mine\n")
    (tmp_path / "mine").write_text("*.mine\n")
    (repo.root / ".git" / "info" / "exclude").write_text("*.excluded\n")
    repo.write("lib/.gitignore", "local\n")
    repo.write("forced.log", "1\n")
    repo.git("add", "-f", "forced.log")
    repo.commit()
    snapshots = repo.snapshots()
    one = snapshots.take(at=1)
    ignored = ["t.log", "build/x.py", "x.mine", "x.excluded", "lib/local"]
    for path in [*ignored, "seen.py", ":odd", "lib/seen"]:
        repo.write(path, "x\n")
    repo.write("forced.log", "2\n")
    repo.write("late.log", "3\n")
    repo.git("add", "-f", "late.log")
    two = snapshots.take([*ignored, "late.log", ":odd"], at=2)
    assert kinds(between(snapshots, one, two)).keys() == {"late.log", ":odd"}
    three = snapshots.take(at=3)
    assert kinds(between(snapshots, two, three)).keys() == {"seen.py", "lib/seen", "forced.log"}
    assert b"x.mine" not in stored(snapshots)


NAMED_SECRET = [
    ".env", ".env.local", "deploy/.env.production", "tls/server.pem", "id_rsa", "keys/id_ed25519_work", "id_rsa.old",
    "private.key", "credentials", ".aws/credentials", "credentials.json", ".npmrc", ".netrc", "x.p12", "x.pfx",
    "vault.kdbx", "secrets.yaml", "conf/secrets.toml",
]  # fmt: skip


def test_a_secret_file_is_only_named(repo: Repo) -> None:
    def write(what: str) -> None:
        for path in NAMED_SECRET:
            repo.write(path, f"{what}-{SECRET}\n")

    write("old")
    repo.git("add", "-f", ".")
    repo.git("commit", "-q", "-m", "oh")
    repo.git("checkout", "-q", "-b", "other")
    write("committed")
    repo.git("commit", "-q", "-am", "oh")
    snapshots = repo.snapshots()
    shots = [snapshots.take(at=1)]
    write("new")
    shots.append(snapshots.take(at=2))
    write("newer and longer")
    shots.append(snapshots.take(NAMED_SECRET, at=3))
    repo.git("checkout", "-q", "-f", "main")
    shots.append(snapshots.take(at=4))
    for path in NAMED_SECRET:
        (repo.root / path).unlink()
    shots.append(snapshots.take(at=5))
    found = [between(snapshots, *pair) for pair in [*pairwise(shots), (shots[0], shots[3])]]
    modified, deleted = (
        dict.fromkeys(NAMED_SECRET, (status, "secret")) for status in ("modified", "deleted")
    )
    assert [kinds(edits) for edits in found] == [modified, modified, modified, deleted, modified]
    for edit in (edit for edits in found for edit in edits):
        assert (edit.before, edit.after, edit.patch, edit.hunks) == (None, None, b"", ())
    assert SECRET.encode() not in stored(snapshots)


def test_a_file_that_only_sounds_secret_is_looked_at(repo: Repo) -> None:
    paths = [".env.example", ".env.sample", ".env.template", "id_rsa.pub", "src/secrets.py"]
    snapshots = repo.snapshots()
    one = snapshots.take(at=1)
    for path in paths:
        repo.write(path, "KEY=\n")
    two = snapshots.take(at=2)
    assert told(between(snapshots, one, two)) == dict.fromkeys(paths, ("added", None, b"KEY=\n"))


@pytest.mark.parametrize("known", [True, False])
@pytest.mark.parametrize(
    ("kind", "contents"),
    [
        ("big", [b"a\n" * 600_000, b"b\n" * 600_001, b"c\n" * 600_001]),
        ("binary", [b"\0one", b"\0two2", b"\0three"]),
    ],
)
def test_a_large_or_binary_file_is_only_named(
    repo: Repo, kind: Named, contents: list[bytes], known: bool
) -> None:
    snapshots = repo.snapshots()
    shots = [snapshots.take(at=0)]
    for content in [*contents, b"text\n", contents[0]]:
        repo.write("data", content)
        shots.append(snapshots.take(["data"] if known else None, at=1))
    shots.append(snapshots.take(at=1))
    (repo.root / "data").unlink()
    shots.append(snapshots.take(["data"] if known else None, at=1))
    pairs = pairwise(shots)
    assert [kinds(between(snapshots, *pair)) for pair in pairs] == [
        {"data": ("added", kind)}, {"data": ("modified", kind)}, {"data": ("modified", kind)},
        {"data": ("modified", kind)}, {"data": ("modified", kind)}, {}, {"data": ("deleted", kind)},
    ]  # fmt: skip
    assert contents[0] not in stored(snapshots)
    assert shots[1].named == {"data": Mark(kind, shots[1].named["data"].fingerprint)}


def test_a_committed_binary_file_that_changes_is_named(repo: Repo) -> None:
    repo.write("logo.png", b"\x89PNG\0\1")
    repo.commit()
    snapshots = repo.snapshots()
    one = snapshots.take(at=1)
    repo.write("logo.png", b"\x89PNG\0\2")
    two = snapshots.take(at=2)
    repo.git("checkout", "-q", "--", "logo.png")
    three = snapshots.take(at=3)
    assert kinds(between(snapshots, one, two)) == {"logo.png": ("modified", "binary")}
    assert kinds(between(snapshots, two, three)) == {"logo.png": ("modified", "binary")}
    assert kinds(between(snapshots, one, two))["logo.png"] == ("modified", "binary")


def test_pipes_and_sockets_are_not_opened(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    snapshots = repo.snapshots()
    one = snapshots.take(at=1)
    (repo.root / "a.py").unlink()
    os.mkfifo(repo.root / "a.py")
    monkeypatch.chdir(repo.root)
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind("s")
        two = snapshots.take(["a.py", "s"], at=2)
        assert kinds(between(snapshots, one, two)) == {
            "a.py": ("modified", "unreadable"), "s": ("added", "unreadable"),
        }  # fmt: skip


def test_a_file_that_may_not_be_read_is_named(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    snapshots = repo.snapshots()
    one = snapshots.take(at=1)
    repo.write("a.py", "x")
    real = os.open

    def refused(path: str, *args: int, dir_fd: int | None = None) -> int:
        if str(path).endswith("a.py"):
            raise PermissionError
        return real(path, *args, dir_fd=dir_fd)

    monkeypatch.setattr(os, "open", refused)
    assert kinds(between(snapshots, one, snapshots.take(at=2))) == {"a.py": ("modified", "unreadable")}


# ---- repositories of every kind: nothing of the user's changes, an edit is seen

Kind = Callable[[Repo], "tuple[Repo, dict[str, tuple[object, ...]]]"]
SEEN = {
    "lib/b.py": ("modified", b"def f():\n    return 1\n", b"def f():\n    return 2\n"),
    "new.py": ("added", None, b"n\n"),
}


def edited(repo: Repo) -> None:
    repo.write("lib/b.py", "def f():\n    return 2\n")
    repo.write("new.py", "n\n")


def plain(repo: Repo) -> Repo:
    return repo


def detached(repo: Repo) -> Repo:
    repo.git("checkout", "-q", "--detach")
    return repo


def staged(repo: Repo) -> Repo:
    repo.write("a.py", "staged\n")
    repo.git("add", "a.py")
    repo.write("a.py", "and more\n")
    repo.git("rm", "-q", "--cached", ".gitignore")
    return repo


def linked(repo: Repo) -> Repo:
    repo.git("worktree", "add", "-q", "../linked", "-b", "feat")
    return Repo(repo.root.parent / "linked", repo.home)


def of_bare(repo: Repo) -> Repo:
    repo.git("clone", "-q", "--bare", ".", "../bare.git")
    repo.git("--git-dir=../bare.git", "worktree", "add", "-q", "../linked", "main")
    return Repo(repo.root.parent / "linked", repo.home)


def rebasing(repo: Repo) -> Repo:
    repo.git("checkout", "-q", "-b", "topic")
    repo.write("a.py", "topic\n")
    repo.commit()
    repo.git("checkout", "-q", "main")
    repo.write("a.py", "main\n")
    repo.commit()
    repo.git("checkout", "-q", "topic")
    repo.git("rebase", "-q", "main", code=1)
    return repo


def merging(repo: Repo) -> Repo:
    repo.git("checkout", "-q", "-b", "topic")
    repo.write("a.py", "topic\n")
    repo.commit()
    repo.git("checkout", "-q", "main")
    repo.write("a.py", "main\n")
    repo.commit()
    repo.git("merge", "-q", "topic", code=1)
    return repo


def locked(repo: Repo) -> Repo:
    (repo.root / ".git" / "index.lock").write_bytes(b"")
    return repo


def read_only(repo: Repo) -> Repo:
    for folder, _, names in os.walk(repo.root / ".git", topdown=False):
        for name in names:
            os.chmod(os.path.join(folder, name), 0o444)
        os.chmod(folder, 0o555)
    return repo


def sparse(repo: Repo) -> Repo:
    repo.write("away/x.py", "x\n")
    repo.write("away/y.py", "y\n")
    repo.commit()
    repo.git("sparse-checkout", "set", "lib")
    assert not (repo.root / "away").exists()
    return repo


def sparse_index(repo: Repo) -> Repo:
    repo.git("config", "index.sparse", "true")
    sparse(repo)
    repo.git("sparse-checkout", "reapply", "--sparse-index")
    assert b"sdir" in (repo.root / ".git" / "index").read_bytes()
    return repo


def split_index(repo: Repo) -> Repo:
    repo.git("update-index", "--split-index")
    repo.write("a.py", "split\n")
    repo.git("add", "a.py")
    return repo


def fourth_version(repo: Repo) -> Repo:
    repo.git("update-index", "--index-version", "4")
    return repo


def watched_by_git(repo: Repo) -> Repo:
    repo.git("config", "core.untrackedCache", "true")
    repo.git("config", "core.fsmonitor", "true")
    repo.git("update-index", "--untracked-cache")
    return repo


def without_index(repo: Repo) -> Repo:
    (repo.root / ".git" / "index").unlink()
    return repo


def shallow(repo: Repo) -> Repo:
    repo.write("a.py", "second\n")
    repo.commit()
    repo.git("clone", "-q", "--depth", "1", repo.root.as_uri(), "../shallow")
    return Repo(repo.root.parent / "shallow", repo.home)


def without_blobs(repo: Repo) -> Repo:
    repo.git("config", "uploadpack.allowFilter", "true")
    repo.git("clone", "-q", "--filter=blob:none", repo.root.as_uri(), "../partial")
    return Repo(repo.root.parent / "partial", repo.home)


def with_alternates(repo: Repo) -> Repo:
    repo.git("clone", "-q", "--shared", ".", "../one:two")
    middle = Repo(repo.root.parent / "one:two", repo.home)
    middle.git("clone", "-q", "--shared", ".", "../three")
    for path, up in ((middle.root, "repo"), (repo.root.parent / "three", "one:two")):
        (path / ".git/objects/info/alternates").write_text(f"../../../{up}/.git/objects\n")
    return Repo(repo.root.parent / "three", repo.home)


def behind_colons(repo: Repo) -> Repo:
    target = repo.root.parent / 'a:b"c'
    repo.root.rename(target)
    return Repo(target, repo.home)


def unwatched(repo: Repo) -> Repo:
    repo.git("update-index", "--assume-unchanged", "lib/b.py")
    return repo


def skipped(repo: Repo) -> Repo:
    repo.git("update-index", "--skip-worktree", "lib/b.py")
    return repo


def meant_to_add(repo: Repo) -> Repo:
    repo.write("intended.py", "soon\n")
    repo.git("add", "-N", "intended.py")
    return repo


def with_submodule(repo: Repo) -> Repo:
    other = Repo(repo.root.parent / "other", repo.home)
    other.write("s.py", "s\n")
    other.commit()
    repo.git("submodule", "-q", "add", "../other", "sub")
    repo.commit()
    repo.write("sub/s.py", "dirty\n")
    return repo


def in_submodule(repo: Repo) -> Repo:
    outer = Repo(repo.root.parent / "outer", repo.home)
    outer.git("submodule", "-q", "add", "../repo", "sub")
    return Repo(outer.root / "sub", repo.home)


def with_filters(repo: Repo) -> Repo:
    """Programs of the user's at every place where git might start one: each would leave a mark in the worktree."""
    mark = f"touch {repo.root}/ran; cat"
    for filtered in ("x", "y"):
        repo.git("config", f"filter.{filtered}.clean", mark)
        repo.git("config", f"filter.{filtered}.smudge", mark)
        repo.git("config", f"filter.{filtered}.required", "true")
    repo.git("config", "filter.y.process", f"touch {repo.root}/ran; false")
    repo.git("config", "diff.z.textconv", mark)
    repo.git("config", "diff.z.command", mark)
    repo.git("config", "diff.external", mark)
    repo.git("config", "core.pager", mark)
    repo.git("config", "core.fsmonitor", f"{repo.root}/hook")
    repo.write("hook", f"#!/bin/sh\ntouch {repo.root}/ran\n").chmod(0o755)
    hook = repo.root / ".git" / "hooks" / "post-index-change"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f"#!/bin/sh\ntouch {repo.root}/ran\n")
    hook.chmod(0o755)
    (repo.root / ".git" / "info" / "attributes").write_text("*.py filter=y diff=z\n")
    repo.write(".gitattributes", "*.py filter=x diff=z\n")
    return repo


def with_lfs(repo: Repo) -> Repo:
    repo.git("config", "filter.lfs.clean", "git-lfs clean -- %f")
    repo.git("config", "filter.lfs.smudge", "git-lfs smudge -- %f")
    repo.git("config", "filter.lfs.process", "git-lfs filter-process")
    repo.git("config", "filter.lfs.required", "true")
    repo.write(".gitattributes", "*.bin filter=lfs diff=lfs merge=lfs -text\n")
    repo.write("x.bin", "content\n")
    return repo


def with_line_ends(repo: Repo) -> Repo:
    repo.git("config", "core.autocrlf", "true")
    repo.git("config", "core.safecrlf", "true")
    repo.write("mixed.txt", "a\r\nb\n")
    return repo


def of_another(repo: Repo) -> Repo:
    for path in [repo.root, *repo.root.rglob("*")]:
        os.chown(path, 65534, 65534, follow_symlinks=False)
    return repo


def with_own_worktree(repo: Repo) -> Repo:
    repo.git("config", "core.worktree", str(repo.root))
    return repo


KINDS = [
    plain, detached, staged, linked, of_bare, rebasing, merging, locked, read_only, sparse, sparse_index, split_index,
    fourth_version, watched_by_git, without_index, shallow, without_blobs, with_alternates, behind_colons, unwatched,
    skipped, meant_to_add, with_submodule, in_submodule, with_filters, with_lfs, with_line_ends, with_own_worktree,
]  # fmt: skip
if os.getuid() == 0:
    KINDS.append(of_another)


CASES = [(kind, "sha1") for kind in KINDS] + [
    (kind, "sha256") for kind in (plain, staged, linked, sparse, rebasing)
]


@pytest.mark.parametrize(("kind", "form"), CASES)
def test_an_edit_is_seen_and_nothing_of_the_users_changes(
    tmp_path: Path, kind: Callable[[Repo], Repo], form: str
) -> None:
    repo = kind(started(tmp_path, f"--object-format={form}"))
    sources = {
        path: Repo(path, repo.home).outside() for path in tmp_path.iterdir() if (path / ".git").exists()
    }
    snapshots = repo.snapshots()
    one = snapshots.take(at=1)
    again = snapshots.take(at=2)
    assert {path: Repo(path, repo.home).outside() for path in sources} == sources
    assert again.tree == one.tree
    edited(repo)
    sources = {path: Repo(path, repo.home).outside() for path in sources}
    two = snapshots.take(["lib/b.py", "new.py"], at=3)
    three = snapshots.take(at=4)
    fresh = repo.snapshots(tmp_path / "fresh").take(at=5)
    assert two.tree == three.tree == fresh.tree
    assert told(between(snapshots, one, two)) == SEEN
    assert snapshots.split(one, two, []).by_git == []
    assert len(one.tree) == (64 if form == "sha256" else 40)
    assert {path: Repo(path, repo.home).outside() for path in sources} == sources
    snapshots.drop()
    assert not snapshots.folder.exists()
    assert {path: Repo(path, repo.home).outside() for path in sources} == sources


def test_folders_that_nobody_came_back_to_are_swept(repo: Repo) -> None:
    snapshots = repo.snapshots()
    one = snapshots.take(at=1)
    assert kept.sweep(snapshots.folder.parent.parent, before_s=2) == 0
    os.utime(snapshots.folder / kept.FILE, (1, 1))
    assert kept.sweep(snapshots.folder.parent.parent, before_s=2) == 1
    assert not snapshots.folder.exists()
    assert snapshots.take(at=2).tree == one.tree


def test_what_the_repository_has_already_is_not_written_there_again(repo: Repo) -> None:
    snapshots = repo.snapshots()
    one = snapshots.take(at=1)
    before = (repo.root / "lib" / "b.py").read_bytes()
    edited(repo)
    two = snapshots.take(at=2)
    repo.write("lib/b.py", before)
    (repo.root / "new.py").unlink()
    repo.write("copy.py", before)
    sources = repo.outside()
    assert snapshots.take(["lib/b.py", "new.py"], at=3).tree == one.tree
    three = snapshots.take(at=4)
    assert kinds(between(snapshots, one, three)) == {"copy.py": ("added", None)}
    assert told(between(snapshots, two, one))["lib/b.py"] == ("modified", SEEN["lib/b.py"][2], before)
    assert repo.outside() == sources


@pytest.mark.parametrize("staged", [False, True])
def test_before_the_first_commit_there_are_files(tmp_path: Path, staged: bool) -> None:
    repo = Repo(tmp_path / "repo", tmp_path / "nobody")
    repo.write("a.py", "1\n")
    if staged:
        repo.git("add", "a.py")
    snapshots = repo.snapshots()
    one = snapshots.take(at=1)
    assert (one.head, one.branch) == (None, "main")
    repo.write("a.py", "2\n")
    two = snapshots.take(["a.py"], at=2)
    assert told(between(snapshots, one, two)) == {"a.py": ("modified", b"1\n", b"2\n")}
    head = repo.commit()
    three = snapshots.take(at=3)
    assert (three.tree, three.head) == (two.tree, head)
    (repo.root / "a.py").unlink()
    assert told(between(snapshots, three, snapshots.take(at=4))) == {"a.py": ("deleted", b"2\n", None)}


def test_an_empty_repository_has_an_empty_snapshot(tmp_path: Path) -> None:
    repo = Repo(tmp_path / "repo", tmp_path / "nobody")
    snapshots = repo.snapshots()
    one = snapshots.take(at=1)
    assert one.tree == "4b825dc642cb6eb9a060e54bf8d69288fbee4904"
    repo.write("a", "1\n")
    two = snapshots.take(at=2)
    assert told(between(snapshots, one, two)) == {"a": ("added", None, b"1\n")}
    assert told(between(snapshots, two, one)) == {"a": ("deleted", b"1\n", None)}


ODD = [
    "sp ace.py", 'quo"te.py', "back\\slash.py", "new\nline.py", "tab\t.py", "-dash.py", "数据.py", "😀.py",
    "lat\udce9.py", "d b/x b/y.py", "new\ndir/x.py", ":(glob)x", "*.py", "#x", "!x", " lead", "a.py ", "ends.", "?",
    "[a]", "{a,b}",
]  # fmt: skip


@pytest.mark.parametrize("known", [True, False])
def test_odd_names_are_what_they_are(repo: Repo, known: bool) -> None:
    for path in ODD:
        repo.write(path, f"old {ODD.index(path)}\n")
    repo.commit()
    snapshots = repo.snapshots()
    one = snapshots.take(at=1)
    for path in ODD:
        repo.write(path, f"new {ODD.index(path)}\n")
        repo.write(f"{path}.2", f"other {ODD.index(path)}\n")
    every = [*ODD, *(f"{path}.2" for path in ODD)]
    two = snapshots.take(every if known else None, at=2)
    expected = {
        path: ("modified", f"old {ODD.index(path)}\n".encode(), f"new {ODD.index(path)}\n".encode())
        for path in ODD
    } | {f"{path}.2": ("added", None, f"other {ODD.index(path)}\n".encode()) for path in ODD}
    assert told(between(snapshots, one, two)) == expected
    assert all(edit.hunks for edit in between(snapshots, one, two))
    assert moments.loaded(two.dumped()) == two
    for path in every:
        (repo.root / path).unlink()
    three = snapshots.take(every if known else None, at=3)
    assert {edit.status for edit in between(snapshots, two, three)} == {"deleted"}
    assert len(between(snapshots, two, three)) == len(every)


def test_a_name_that_git_itself_refuses_costs_no_edit(repo: Repo) -> None:
    snapshots = repo.snapshots()
    one = snapshots.take(at=1)
    repo.write("git~1", "x\n")
    two = snapshots.take(at=2)
    repo.write("lib/b.py", "2\n")
    three = snapshots.take(at=3)
    assert told(between(snapshots, one, two)) == {"git~1": ("added", None, b"x\n")}
    assert kinds(between(snapshots, two, three)) == {"lib/b.py": ("modified", None)}


def test_a_name_that_differs_in_case_alone_is_another_name(repo: Repo) -> None:
    snapshots = repo.snapshots()
    one = snapshots.take(at=1)
    (repo.root / "a.py").rename(repo.root / "A.py")
    (edit,) = between(snapshots, one, snapshots.take(at=2))
    assert (edit.status, edit.old_path, edit.path) == ("renamed", "a.py", "A.py")


@pytest.mark.parametrize("known", [True, False])
def test_files_and_folders_and_links_change_places(repo: Repo, known: bool) -> None:
    repo.write("x/1.py", "1\n")
    repo.write("x/deep/2.py", "2\n")
    repo.write("y", "y\n")
    repo.write("z/b.py", "z\n")
    repo.commit()
    snapshots = repo.snapshots()
    one = snapshots.take(at=1)
    for path in ("x/1.py", "x/deep/2.py", "y", "z/b.py"):
        (repo.root / path).unlink()
    for folder in ("x/deep", "x", "z"):
        (repo.root / folder).rmdir()
    repo.write("x", "file\n")
    repo.write("y/now.py", "folder\n")
    (repo.root / "z").symlink_to("lib")
    names = ["x", "x/1.py", "x/deep/2.py", "y", "y/now.py", "z", "z/b.py"] if known else None
    two = snapshots.take(names, at=2)
    expected = {
        "x": ("added", None, b"file\n"), "x/1.py": ("deleted", b"1\n", None), "x/deep/2.py": ("deleted", b"2\n", None),
        "y": ("deleted", b"y\n", None), "y/now.py": ("added", None, b"folder\n"),
        "z": ("added", None, b"lib"), "z/b.py": ("deleted", b"z\n", None),
    }  # fmt: skip
    assert told(between(snapshots, one, two)) == expected
    assert snapshots.take(at=3).tree == two.tree
    (repo.root / "y" / "now.py").unlink()
    (repo.root / "y").rmdir()
    (repo.root / "y").symlink_to("x")
    three = snapshots.take(at=4)
    assert told(between(snapshots, two, three))["y"] == ("added", None, b"x")
    (repo.root / "y").unlink()
    repo.write("y", "again\n")
    four = snapshots.take(["y"], at=5)
    (edit,) = between(snapshots, three, four)
    assert (edit.path, edit.status, edit.named, edit.before, edit.after) == (
        "y",
        "modified",
        "link",
        b"x",
        b"again\n",
    )


def test_submodules_and_nested_repositories_are_the_commits_they_are_at(repo: Repo) -> None:
    with_submodule(repo)
    snapshots = repo.snapshots()
    one = snapshots.take(at=1)
    sub = Repo(repo.root / "sub", repo.home)
    first = sub.head()
    second = sub.commit()
    nested = Repo(repo.root / "tools" / "nested", repo.home)
    nested.write("n.py", f"{SECRET}\n")
    two = snapshots.take(at=2)
    third = nested.commit()
    three = snapshots.take(["tools/nested", "tools/nested/n.py", "sub/s.py"], at=3)
    four = snapshots.take(at=4)
    (edit,) = between(snapshots, one, two)
    assert (edit.path, edit.status, edit.named, edit.before_id, edit.after_id, edit.before) == (
        "sub", "submodule", "submodule", first, second, None,
    )  # fmt: skip
    assert edit.hunks[0].lines == (
        f"-Subproject commit {first}".encode(),
        f"+Subproject commit {second}".encode(),
    )
    (edit,) = between(snapshots, two, three)
    assert (edit.path, edit.named, edit.after_id) == ("tools/nested", "submodule", third)
    assert four.tree == three.tree
    assert SECRET.encode() not in stored(snapshots)
    repo.git("submodule", "-q", "deinit", "-f", "sub")
    assert snapshots.take(at=5).tree == four.tree


def test_files_of_a_folder_that_became_a_repository_are_still_ours(repo: Repo) -> None:
    snapshots = repo.snapshots()
    one = snapshots.take(at=1)
    Repo(repo.root / "lib", repo.home)
    repo.write("lib/b.py", "2\n")
    assert told(between(snapshots, one, snapshots.take(["lib/b.py"], at=2)))["lib/b.py"][2] == b"2\n"


def test_what_a_sparse_checkout_leaves_out_is_not_deleted(repo: Repo) -> None:
    repo.write("away/x.py", "x\n")
    repo.commit()
    snapshots = repo.snapshots()
    one = snapshots.take(at=1)
    repo.git("sparse-checkout", "set", "lib")
    assert snapshots.take(at=2).tree == one.tree
    repo.write("away/x.py", "back by hand\n")
    two = snapshots.take(at=3)
    assert told(between(snapshots, one, two)) == {"away/x.py": ("modified", b"x\n", b"back by hand\n")}
    repo.write("away/x.py", "x\n")
    repo.git("sparse-checkout", "disable")
    assert snapshots.take(at=4).tree == one.tree
    (repo.root / "away" / "x.py").unlink()
    assert kinds(between(snapshots, one, snapshots.take(["away/x.py"], at=5))) == {
        "away/x.py": ("deleted", None)
    }


@pytest.mark.parametrize("kind", ["bare", "no repository", "gone"])
def test_where_there_is_no_worktree_it_is_said(repo: Repo, tmp_path: Path, kind: str) -> None:
    repo.git("clone", "-q", "--bare", ".", "../bare.git")
    where = {"bare": tmp_path / "bare.git", "no repository": tmp_path, "gone": tmp_path / "nowhere"}[kind]
    with pytest.raises(BadInput):
        Snapshots(tmp_path / "backstory", look(str(where)))
    assert not (tmp_path / "backstory").exists()


def test_a_worktree_that_is_gone_is_said(repo: Repo) -> None:
    snapshots = repo.snapshots()
    one = snapshots.take(at=1)
    repo.write("a.py", "2\n")
    two = snapshots.take(at=2)
    repo.root.rename(repo.root.parent / "elsewhere")
    with pytest.raises(GitFailed):
        snapshots.take(at=3)
    assert snapshots.blob(two.tree) is None
    (repo.root.parent / "elsewhere").rename(repo.root)
    assert between(snapshots, one, two)


def test_the_callers_own_git_variables_change_nothing(
    repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = started(made(tmp_path / "other"))
    marked = tmp_path / "marked"
    for name, value in {
        "GIT_DIR": str(other.root / ".git"), "GIT_WORK_TREE": str(other.root), "GIT_INDEX_FILE": str(tmp_path / "ix"),
        "GIT_OBJECT_DIRECTORY": str(tmp_path / "objects"), "GIT_ALTERNATE_OBJECT_DIRECTORIES": str(tmp_path),
        "GIT_COMMON_DIR": str(other.root / ".git"), "GIT_NAMESPACE": "x", "GIT_PREFIX": "lib/",
        "GIT_LITERAL_PATHSPECS": "0",
        "GIT_ICASE_PATHSPECS": "1", "GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "core.excludesFile",
        "GIT_CONFIG_VALUE_0": str(repo.write("../all", "*\n")), "GIT_CONFIG_PARAMETERS": "'core.bare'='true'",
        "GIT_EXTERNAL_DIFF": f"touch {marked}", "GIT_DIFF_OPTS": "-u0", "GIT_TRACE": str(marked),
        "GIT_TRACE2": str(marked),
        "GIT_SHALLOW_FILE": str(tmp_path / "all"), "GIT_ATTR_SOURCE": "nothing", "GIT_OPTIONAL_LOCKS": "1",
        "LC_ALL": "zh_CN",
    }.items():  # fmt: skip
        monkeypatch.setenv(name, value)
    sources = other.outside()
    snapshots = repo.snapshots()
    one = snapshots.take(at=1)
    edited(repo)
    two = snapshots.take(at=2)
    assert told(between(snapshots, one, two)) == SEEN
    assert snapshots.split(one, two, []).by_git == []
    assert other.outside() == sources
    assert not marked.exists()
    assert {path.name for path in tmp_path.iterdir()} == {"nobody", "repo", "other", "backstory", "all"}


def test_settings_of_the_users_change_no_patch(repo: Repo) -> None:
    for key, value in {
        "diff.noprefix": "true", "diff.mnemonicPrefix": "true", "color.ui": "always", "diff.context": "0",
        "diff.suppressBlankEmpty": "true", "diff.renames": "false", "core.quotepath": "true",
        "diff.algorithm": "patience",
        "diff.ignoreSubmodules": "all", "status.showUntrackedFiles": "no", "core.abbrev": "5", "diff.orderFile": "x",
        "diff.renameLimit": "1",
    }.items():  # fmt: skip
        repo.git("config", "--global", key, value)
    snapshots = repo.snapshots()
    one = snapshots.take(at=1)
    edited(repo)
    repo.write("数据.py", "x\n")
    (repo.root / "a.py").rename(repo.root / "c.py")
    edits = {edit.path: edit for edit in between(snapshots, one, snapshots.take(at=2))}
    assert edits["lib/b.py"].patch == (
        b"diff --git a/lib/b.py b/lib/b.py\n"
        b"index b8595995dba30b1cf7ee90f336b3e3356ee99e1b..ea743618ff6e9efc040fe434725239c7c5ebf113 100644\n"
        b"--- a/lib/b.py\n+++ b/lib/b.py\n@@ -1,2 +1,2 @@\n def f():\n-    return 1\n+    return 2\n"
    )
    assert edits["c.py"].status == "renamed"
    assert "数据.py".encode() in edits["数据.py"].patch


# ---- too much


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """Five files are too many."""
    monkeypatch.setattr(taking, "MAX_FILES", 5)


def many(repo: Repo, what: str, folder: str = "many") -> None:
    for n in range(8):
        repo.write(f"{folder}/{n}.py", f"{what} {n}\n")


def test_more_files_than_can_be_taken_apart_are_counted(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    snapshots = repo.snapshots()
    one = snapshots.take(at=1)
    for n in range(501):
        repo.write(f"gen/{n}.py", f"{n}\n")
    two = snapshots.take(at=2)
    assert snapshots.changed(one, two) == Bulk(501)
    repo.write("gen/7.py", "x\n")
    assert told(between(snapshots, two, snapshots.take(at=3))) == {"gen/7.py": ("modified", b"7\n", b"x\n")}


def test_patches_longer_than_can_be_read_are_counted(repo: Repo) -> None:
    snapshots = repo.snapshots()
    one = snapshots.take(at=1)
    for n in range(3):
        repo.write(f"{n}.txt", f"{n}" * 900_000)
    assert snapshots.changed(one, snapshots.take(at=2)) == Bulk(3)


@pytest.mark.usefixtures("few")
def test_a_checkout_of_many_files_leaves_nothing_to_be_told_again(repo: Repo) -> None:
    many(repo, "main")
    repo.commit()
    repo.git("checkout", "-q", "-b", "other")
    many(repo, "other")
    repo.commit()
    snapshots = repo.snapshots()
    one = snapshots.take(at=1)
    repo.git("checkout", "-q", "main")
    two = snapshots.take(at=2)
    assert (two.bulk, two.count, snapshots.changed(one, two)) == (True, 8, Bulk(8))
    repo.write("many/3.py", "edit\n")
    three = snapshots.take(at=3)
    assert (three.bulk, told(between(snapshots, two, three))) == (
        False,
        {"many/3.py": ("modified", b"main 3\n", b"edit\n")},
    )
    assert b"other 4" not in stored(snapshots)


@pytest.mark.usefixtures("few")
def test_many_files_edited_at_once_are_counted_and_their_next_edits_are_not_lost(repo: Repo) -> None:
    many(repo, "first")
    repo.write("many/.env", "first\n")
    repo.commit()
    snapshots = repo.snapshots()
    one = snapshots.take(at=1)
    many(repo, "formatted")
    repo.write("many/.env", SECRET)
    two = snapshots.take(at=2)
    assert (two.bulk, two.count, snapshots.changed(one, two)) == (True, 9, Bulk(9))
    assert snapshots.take(at=3).tree == two.tree
    repo.write("many/3.py", "edit\n")
    three = snapshots.take(at=4)
    (edit,) = between(snapshots, two, three)
    # What it was before is not kept; the file is known to have changed, and what it is now.
    assert (edit.path, edit.status, edit.named, edit.before, edit.after) == (
        "many/3.py", "modified", "unreadable", None, b"edit\n",
    )  # fmt: skip
    repo.write("many/3.py", "edit again\n")
    assert told(between(snapshots, three, snapshots.take(at=5))) == {
        "many/3.py": ("modified", b"edit\n", b"edit again\n")
    }
    assert SECRET.encode() not in stored(snapshots)
    assert b"formatted" not in stored(snapshots)


@pytest.mark.usefixtures("few")
def test_folders_with_too_many_untracked_files_are_left_out(repo: Repo) -> None:
    snapshots = repo.snapshots()
    one = snapshots.take(at=1)
    many(repo, "x", "node_modules/y")
    two = snapshots.take(at=2)
    assert isinstance(snapshots.changed(one, two), Bulk)
    repo.write("lib/new.py", "n\n")
    Repo(repo.root / "nested", repo.home).commit()
    three = snapshots.take(at=3)
    assert kinds(between(snapshots, two, three)) == {
        "lib/new.py": ("added", None),
        "nested": ("submodule", "submodule"),
    }
    repo.write("node_modules/y/1.py", "edit\n")
    four = snapshots.take(["node_modules/y/1.py"], at=4)
    assert kinds(between(snapshots, three, four)) == {"node_modules/y/1.py": ("added", None)}
    repo.write("node_modules/y/1.py", "edit 2\n")
    assert kinds(between(snapshots, four, snapshots.take(at=5))) == {
        "node_modules/y/1.py": ("modified", None)
    }


@pytest.mark.usefixtures("few")
def test_the_first_snapshot_of_a_folder_full_of_new_files_is_taken(repo: Repo) -> None:
    many(repo, "x")
    snapshots = repo.snapshots()
    one = snapshots.take(at=1)
    repo.write("many/1.py", "edit\n")
    repo.write("a.py", "edit\n")
    assert kinds(between(snapshots, one, snapshots.take(at=2))) == {"a.py": ("modified", None)}


# ---- whatever happens


def on_disk(repo: Repo) -> dict[str, tuple[str, bytes]]:
    """Mode and bytes of all files and links that git does not ignore."""
    found = {}
    for path in repo.git("ls-files", "-z", "-c", "-o", "--exclude-standard").split("\0"):
        full = repo.root / path
        if path and full.is_symlink():
            found[path] = ("120000", os.fsencode(full.readlink()))
        elif path and full.is_file():
            found[path] = ("100755" if full.stat().st_mode & 0o100 else "100644", full.read_bytes())
    return found


def in_tree(snapshots: Snapshots, tree: str, above: str = "") -> dict[str, tuple[str, bytes | None]]:
    found: dict[str, tuple[str, bytes | None]] = {}
    with snapshots._beside.objects() as objects:
        for name, entry in Trees(objects)._entries(tree).items():
            if entry.is_tree:
                found |= in_tree(snapshots, entry.id, f"{above}{name}/")
            else:
                found[above + name] = (entry.mode, objects.blob(entry.id))
    return found


OPERATIONS = [
    "add -A", "commit -qam x", "commit -q --allow-empty -m y", "commit -q --amend -m z", "checkout -q -B one",
    "checkout -q two", "checkout -q -f one", "merge -q one", "merge --abort", "rebase -q two", "rebase --abort",
    "stash -q", "stash pop -q", "reset -q --hard", "reset -q --soft HEAD~", "reset -q HEAD~",
    "checkout -q -- .", "gc -q",
    "rm -q --cached lib/b.py", "update-index --assume-unchanged a.py",
]  # fmt: skip


@pytest.mark.parametrize("seed", [1, 2])
def test_whatever_happens_the_snapshot_is_what_is_on_disk(repo: Repo, seed: int) -> None:
    chance = random.Random(seed)
    repo.git("branch", "two")
    snapshots = repo.snapshots()
    before = snapshots.take(at=0)
    for step in range(20):
        for _ in range(chance.randrange(1, 4)):
            path = chance.choice(["a.py", "lib/b.py", "lib/c.py", "new/d.py", "lib"])
            what = chance.randrange(10)
            if what < 5 and not (repo.root / path).is_dir() and (repo.root / path).parent.is_dir():
                repo.write(path, f"line {chance.randrange(5)}\n" * chance.randrange(1, 4))
            elif what == 5 and (repo.root / path).is_file():
                (repo.root / path).unlink()
            elif what == 6 and (repo.root / path).is_file():
                (repo.root / path).chmod(0o755)
            else:
                repo.tried(*chance.choice(OPERATIONS).split())
        outside = repo.outside()
        now = snapshots.take(at=step)
        assert repo.outside() == outside
        assert in_tree(snapshots, now.tree) == on_disk(repo)
        edits = between(snapshots, before, now)
        split = snapshots.split(before, now, moves(repo.where(), before))
        assert isinstance(split.by_git, list) and isinstance(split.by_hand, list)
        whole = {edit.path for edit in edits} | {edit.old_path for edit in edits}
        parts = [*split.by_git, *split.by_hand]
        assert whole - {None} <= {edit.path for edit in parts} | {edit.old_path for edit in parts}
        before = now


# ---- what is kept between two snapshots


@pytest.mark.parametrize(
    "harm", ["nothing", "gone", "no JSON", "other JSON", "index", "no index", "lock", "objects"]
)
def test_what_became_of_the_folder_costs_no_edit(repo: Repo, harm: str) -> None:
    snapshots = repo.snapshots()
    one = snapshots.take(at=1)
    repo.write("a.py", "1\n")
    two = snapshots.take(["a.py"], at=2)
    match harm:
        case "gone":
            snapshots.drop()
        case "no JSON":
            (snapshots.folder / kept.FILE).write_text("{")
        case "other JSON":
            (snapshots.folder / kept.FILE).write_text("[1, 2, 3, 4]")
        case "index":
            (snapshots.folder / "index").write_bytes(b"DIRC none")
        case "no index":
            (snapshots.folder / "index").unlink()
        case "lock":
            (snapshots.folder / "index.lock").write_bytes(b"")
        case "objects":
            (snapshots.folder / "objects" / two.tree[:2] / two.tree[2:]).unlink()
        case _:
            pass
    again = repo.snapshots()
    three = again.take(at=3)
    assert three.tree == two.tree
    repo.write("a.py", "2\n")
    repo.write("lib/b.py", "2\n")
    four = again.take(at=4)
    if harm not in ("gone", "objects"):
        assert told(between(again, one, two))["a.py"][2] == b"1\n"
    assert told(between(again, three, four))["a.py"] == ("modified", b"1\n", b"2\n")
    assert kinds(between(again, three, four)) == {"a.py": ("modified", None), "lib/b.py": ("modified", None)}


def test_a_take_that_broke_off_costs_no_edit(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    snapshots = repo.snapshots()
    one = snapshots.take(at=1)
    repo.write("a.py", "1\n")
    repo.git("checkout", "-q", "-b", "other")
    repo.write("lib/b.py", "other\n")
    repo.git("add", "lib")
    repo.git("commit", "-q", "-m", "other")
    repo.git("checkout", "-q", "main")
    real = kept.save

    def broken(folder: Path, state: kept.Kept) -> None:
        if not state.stale:
            raise OSError
        real(folder, state)

    with monkeypatch.context() as patched:
        patched.setattr(kept, "save", broken)
        with pytest.raises(GitFailed):
            snapshots.take(at=2)
    assert told(between(snapshots, one, snapshots.take(at=3))) == {
        "a.py": ("modified", between(snapshots, one, snapshots.take(at=3))[0].before, b"1\n")
    }


def test_takes_at_the_same_time_wait_for_one_another(repo: Repo) -> None:
    one = repo.snapshots().take(at=0)
    for n in range(8):
        repo.write(f"lib/{n}.py", f"{n}\n")
    with ThreadPoolExecutor(4) as pool:
        shots = list(
            pool.map(lambda n: repo.snapshots().take([f"lib/{n}.py"] if n % 2 else None, at=n), range(8))
        )
    last = repo.snapshots().take(at=9)
    assert kinds(between(repo.snapshots(), one, last)) == {f"lib/{n}.py": ("added", None) for n in range(8)}
    assert all(isinstance(repo.snapshots().changed(one, shot), list) for shot in shots)


def test_a_snapshot_is_made_of_what_a_tool_says(repo: Repo) -> None:
    snapshots = repo.snapshots()
    one = snapshots.take(at=1)
    two = snapshots.written(one, "lib/b.py", b"from a tool\n")
    three = snapshots.written(two, "new/x.py", b"new\n")
    assert told(between(snapshots, one, two)) == {
        "lib/b.py": ("modified", SEEN["lib/b.py"][1], b"from a tool\n")
    }
    assert told(between(snapshots, two, three)) == {"new/x.py": ("added", None, b"new\n")}
    assert (
        snapshots.written(snapshots.written(three, "lib/b.py", SEEN["lib/b.py"][1]), "new/x.py", None) == one
    )
    held = [snapshots.holds(three, path) for path in ("lib/b.py", "new/x.py", "new", "none")]
    assert held == [b"from a tool\n", b"new\n", None, None]
    assert snapshots.take(at=1) == one


def test_a_snapshot_is_the_same_after_it_was_dumped(repo: Repo) -> None:
    repo.write(".env", "x")
    snapshot = repo.snapshots().take(at=7)
    assert moments.loaded(snapshot.dumped()) == snapshot
    assert snapshot.named.keys() == {".env"}
    with pytest.raises(ValueError):
        moments.loaded("[]")


def test_the_folder_is_for_its_owner_alone(repo: Repo) -> None:
    snapshots = repo.snapshots()
    snapshots.take(at=1)
    repo.write("a.py", "1\n")
    snapshots.take(at=2)
    folders = [snapshots.folder.parent, snapshots.folder, *snapshots.folder.rglob("*")]
    assert {path.stat().st_mode & 0o777 for path in folders if path.is_dir()} == {0o700}


def test_each_worktree_has_its_own(repo: Repo) -> None:
    other = linked(repo)
    one, two = repo.snapshots(), other.snapshots()
    assert one.folder != two.folder
    assert one.take(at=1).branch == "main"
    assert two.take(at=1).branch == "feat"
    other.write("a.py", "x\n")
    tree = one.take(at=1).tree
    assert two.take(at=2).tree != tree == one.take(at=2).tree
