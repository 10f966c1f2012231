from __future__ import annotations

import os
import random

import pytest
from backstory.pipelines.git.edits import Hunk
from backstory.pipelines.git.patches import between, parse
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from .applying import PatchMismatch, apply
from .repos import Repo

# Pieces that make lines of which a parser may think that they are its own.
PIECES = [
    b"a", b"b", b"c", b"", b"--- x", b"+++ y", b"-- ", b"++ z", b"@@ -1,2 +3,4 @@", b"diff --git a/q b/q",
    b"\\ No newline at end of file", b" ", b"\t", b"\r", b"a\r", b"\x0c", b"\xe2\x80\xa8", b"\x85", b"\xff",
]  # fmt: skip
IMAGES = st.lists(st.sampled_from(PIECES), max_size=30).map(b"\n".join)
QUIET = settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
GIT_DIFF = ("diff", "--no-index", "--no-ext-diff", "--no-color", "--src-prefix=a/", "--dst-prefix=b/")

BASE = {
    b"crlf.txt": b"a\r\nb\r\n", b"nonl.txt": b"a\nb", b"latin.txt": b"caf\xe9\n", b"ren.py": b"x = 1\n" * 20,
    b"mode.sh": b"echo\n", b"del.txt": b"gone\n", b"bin": bytes(range(256)),
    b"dashes.sql": b"-- c1\n-- c2\nselect 1;\n",
    b"ff.txt": b"a\x0cb\x0bc\x1c\x85\nq\n", b"u2028.txt": "a\u2028b\n".encode(), b"sp ace.txt": b"s\n",
    "数据.txt".encode(): b"x\n", b"lat\xe9.txt": b"y\n", b"cr.txt": b"a\rb\rc\n", b'quo"te\\.txt': b"q\n",
    b"new\nline.txt": b"n\n", b"tab\tin.txt": b"t\n", b"x b/y.txt": b"z\n", b"rm bin": b"\0\1",
}  # fmt: skip
EDITED = {
    b"crlf.txt": b"a\r\nB\r\n", b"nonl.txt": b"a\nb\n", b"latin.txt": b"caf\xe9s\n", b"ren2 b/x.py": b"x = 1\n" * 20,
    b"mode.sh": b"echo\n", b"bin": bytes(range(255)), b"dashes.sql": b"++ plus\nselect 1;\n",
    b"ff.txt": b"a\x0cb\x0bc\x1c\x85\nQ\n", b"u2028.txt": "a\u2028B\n".encode(), b"sp ace.txt": b"S\n",
    "数据.txt".encode(): b"X\n", b"lat\xe9.txt": b"Y\n", b"cr.txt": b"a\rB\rc\n", b"empty.txt": b"",
    b'quo"te\\.txt': b"Q\n", b"new\nline.txt": b"N\n", b"tab\tin.txt": b"T\n", b"x b/y.txt": b"Z\n",
}  # fmt: skip


def put(repo: Repo, files: dict[bytes, bytes]) -> None:
    for name, content in files.items():
        full = os.path.join(os.fsencode(repo.root), name)
        os.makedirs(os.path.dirname(full), exist_ok=True)
        with open(full, "wb") as file:
            file.write(content)


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> Repo:
    return Repo(tmp_path_factory.mktemp("pair") / "repo")


@pytest.fixture(scope="module")
def odd(tmp_path_factory: pytest.TempPathFactory) -> Repo:
    """A repository of odd files, all of them edited."""
    repo = Repo(tmp_path_factory.mktemp("odd") / "repo")
    put(repo, BASE)
    repo.commit()
    for name in BASE.keys() - EDITED.keys():
        os.unlink(os.path.join(os.fsencode(repo.root), name))
    put(repo, EDITED)
    (repo.root / "mode.sh").chmod(0o755)
    repo.commit()
    return repo


# ---- parse, apply


@QUIET
@given(IMAGES, IMAGES)
@example(b"", b"a")
@example(b"a\nb", b"a\nb\n")
@example(b"a\r\n", b"a\n")
def test_what_git_says_of_two_files_makes_the_one_of_the_other(
    pair: Repo, before: bytes, after: bytes
) -> None:
    put(pair, {b"x": before, b"y": after})
    diff = pair.out(*GIT_DIFF, "x", "y", code=int(before != after))
    found = parse(diff)
    assert [(one.path, one.status, one.binary, one.raw) for one in found] == (
        [("y", "modified", False, diff)] if before != after else []
    )
    assert apply(before, [hunk for one in found for hunk in one.hunks]) == after


def test_every_odd_file_has_its_name_and_its_bytes(odd: Repo) -> None:
    found = {one.path: one for one in parse(odd.out("diff", "-M", "HEAD~", "HEAD"))}
    raw = odd.out("diff", "-M", "--raw", "-z", "HEAD~", "HEAD").split(b"\0")
    paths = set()
    at = 0
    while at < len(raw) - 1:
        at += 1 + (b" R" in raw[at])
        paths.add(raw[at].decode("utf-8", "surrogateescape"))
        at += 1
    assert found.keys() == paths
    for path, one in found.items():
        name = (one.old_path or path).encode("utf-8", "surrogateescape")
        before, after = BASE.get(name, b""), EDITED.get(path.encode("utf-8", "surrogateescape"), b"")
        if not one.binary:
            assert apply(before, one.hunks) == after, path
    kinds = {
        path: (one.status, one.old_path, one.binary, one.old_mode, one.new_mode)
        for path, one in found.items()
    }
    assert kinds["mode.sh"] == ("mode", None, False, "100644", "100755")
    assert kinds["ren2 b/x.py"] == ("renamed", "ren.py", False, None, None)
    assert kinds["del.txt"] == ("deleted", None, False, "100644", None)
    assert kinds["rm bin"] == ("deleted", None, True, "100644", None)
    assert kinds["bin"] == ("modified", None, True, "100644", "100644")
    assert kinds["empty.txt"] == ("added", None, False, None, "100644")


def test_the_sections_are_the_whole_diff(odd: Repo) -> None:
    diff = odd.out("diff", "-M", "--binary", "HEAD~", "HEAD")
    assert b"".join(one.raw for one in parse(diff)) == diff
    assert [one.path for one in parse(diff) if one.binary] == ["bin", "rm bin"]


def test_a_log_of_patches_is_read_without_its_messages(odd: Repo) -> None:
    odd.git("commit", "-q", "--allow-empty", "-m", "--- a/x\n\n@@ -1 +1 @@\n-x\n+y\nBinary files a and b")
    one, two = (
        odd.out("diff-tree", "-p", "-M", "--root", "--no-commit-id", commit) for commit in ("HEAD~", "HEAD~2")
    )
    log = odd.out("log", "-p", "-M", "--root", "-m", "--first-parent")
    assert [file.hunks for file in parse(log)] == [file.hunks for part in (one, two) for file in parse(part)]


def test_a_submodule_is_told_from_a_file() -> None:
    diff = (
        b"diff --git a/sub b/sub\nindex %s..%s 160000\n--- a/sub\n+++ b/sub\n@@ -1 +1 @@\n"
        b"-Subproject commit %s\n+Subproject commit %s\n"
    ) % ((b"1" * 40, b"2" * 40) * 2)
    (found,) = parse(diff)
    assert (found.path, found.status, found.old_mode, found.new_mode) == (
        "sub",
        "submodule",
        "160000",
        "160000",
    )


def test_a_combined_diff_has_a_name_and_no_hunks() -> None:
    diff = (
        b"diff --cc x.py\nindex 1,2..3\n--- a/x.py\n+++ b/x.py\n@@@ -1,1 -1,1 +1,2 @@@\n- a\n -b\n++c\n"
        b"diff --git a/y b/y\n--- a/y\n+++ b/y\n@@ -1 +1 @@\n-1\n+2\n"
    )
    combined, plain = parse(diff)
    assert (combined.path, combined.hunks) == ("x.py", ())
    assert plain.hunks == (Hunk(1, 1, 1, 1, b"", (b"-1", b"+2")),)


def test_context_without_its_blank_is_context() -> None:
    (found,) = parse(b"diff --git a/y b/y\n--- a/y\n+++ b/y\n@@ -1,3 +1,3 @@ f()\n x\n\n-1\n+2\n")
    assert found.hunks[0].section == b"f()"
    assert apply(b"x\n\n1\n", found.hunks) == b"x\n\n2\n"


@pytest.mark.parametrize(
    "text", [b"", b"\n", b"hello\n", b"diff --git", b"diff --git a/x b/x\n@@ -1,9 +1,9 @@\n-x"]
)
def test_what_is_no_whole_diff_is_read_as_far_as_it_goes(text: bytes) -> None:
    assert len(parse(text)) == text.startswith(b"diff --git ")


@pytest.mark.parametrize("before", [b"", b"a\nx\nc\n", b"a\nb\nc", b"a\n"])
def test_a_patch_that_does_not_fit_is_refused(before: bytes) -> None:
    (found,) = parse(between("f", b"a\nb\nc\n", b"a\nB\nc\n"))
    with pytest.raises(PatchMismatch):
        apply(before, found.hunks)


# ---- between


@QUIET
@given(st.none() | IMAGES, st.none() | IMAGES)
@example(None, b"")
@example(b"", None)
@example(b"x", b"x\n")
@example(b"\0", b"a")
def test_a_patch_made_without_git_makes_the_one_image_of_the_other(
    before: bytes | None, after: bytes | None
) -> None:
    diff = between("d/f.py", before, after)
    if before == after:
        assert diff == b""
        return
    (found,) = parse(diff)
    status = "added" if before is None else "deleted" if after is None else "modified"
    assert (found.path, found.status, found.raw) == ("d/f.py", status, diff)
    if not found.binary:
        assert apply(before or b"", found.hunks) == (after or b"")


@QUIET
@given(IMAGES, IMAGES)
def test_git_takes_a_patch_made_without_it(pair: Repo, before: bytes, after: bytes) -> None:
    if before == after:
        return
    put(pair, {b"f": before, b"p": between("f", before, after)})
    pair.git("apply", "--whitespace=nowarn", "--unidiff-zero", "p")
    assert (pair.root / "f").read_bytes() == after


@pytest.mark.parametrize("path", [name.decode("utf-8", "surrogateescape") for name in BASE])
def test_odd_names_are_written_as_git_writes_them(pair: Repo, path: str) -> None:
    (found,) = parse(between(path, b"1\n", b"2\n"))
    assert found.path == path
    names = found.raw.split(b"\n")
    one, two = Repo(pair.root.parent / "one"), path.encode("utf-8", "surrogateescape")
    put(one, {two: b"1\n"})
    one.git("add", "-A")
    put(one, {two: b"2\n"})
    assert one.out("diff", "--full-index").split(b"\n") == names
    one.git("rm", "-rfq", ".")


def test_a_large_rewrite_is_one_block_and_soon_done() -> None:
    chance = random.Random(1)
    before, after = (b"".join(b"%d\n" % chance.randrange(3) for _ in range(5000)) for _ in range(2))
    (found,) = parse(between("f", b"head\n" + before, b"head\n" + after))
    assert len(found.hunks) == 1
    assert apply(b"head\n" + before, found.hunks) == b"head\n" + after
