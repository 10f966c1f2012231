"""What git converts on checkout is not taken for an edit."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

import pytest
from backstory.pipelines.git.edits import FileEdit
from backstory.pipelines.git.moments import Snapshot
from backstory.pipelines.git.moves import moves
from backstory.pipelines.git.snapshots import Snapshots

from .applying import apply
from .repos import Repo
from .test_snapshots import _nobody, between  # noqa: F401

LINES = "".join(f"line {n}\n" for n in range(1, 21))
CRLF = LINES.replace("\n", "\r\n").encode()


def checked_out(tmp_path: Path, how: str) -> Repo:
    """Files with line feeds in git and, by one way or another, other line ends on disk."""
    repo = Repo(tmp_path / "repo", tmp_path / "nobody")
    repo.write("a.txt", LINES)
    repo.write("lf.sh", LINES)
    repo.write("both.txt", CRLF[:90] + LINES.encode())
    repo.write("raw.txt", CRLF)
    attributes = {
        "attribute": "* text=auto\n*.txt eol=crlf\nraw.txt -text\nboth.txt -text\n*.sh eol=lf\n",
        "autocrlf": "*.sh eol=lf\nboth.txt -text\nraw.txt -text\n",
        "setting": "* text=auto\n*.sh eol=lf\nboth.txt -text\nraw.txt -text\n",
    }[how]
    repo.write(".gitattributes", attributes)
    repo.commit()
    repo.git(
        "config",
        *({"autocrlf": ["core.autocrlf", "true"], "setting": ["core.eol", "crlf"]}.get(how, ["x.y", "z"])),
    )
    for path in ("a.txt", "lf.sh", "both.txt", "raw.txt"):
        (repo.root / path).unlink()
    repo.git("checkout", "-q", "--", ".")
    if how == "autocrlf":
        settled(repo)
    assert (repo.root / "a.txt").read_bytes() == CRLF
    assert (repo.root / "lf.sh").read_bytes() == LINES.encode()
    assert repo.git("status", "--porcelain") == ""
    return repo


def settled(repo: Repo) -> None:
    """All of it long ago, so that git trusts its index without looking."""
    for path in repo.root.glob("*.*"):
        if path.is_file():
            os.utime(path, (1_000_000_000, 1_000_000_000))
    repo.git("update-index", "-q", "--refresh")


def changed_lines(edit: FileEdit) -> list[bytes]:
    return [line for hunk in edit.hunks for line in hunk.lines if line[:1] in b"+-"]


def edit(snapshots: Snapshots, before: Snapshot, after: Snapshot) -> FileEdit:
    (found,) = between(snapshots, before, after)
    return found


HOWS = pytest.mark.parametrize("how", ["attribute", "autocrlf"])


@pytest.mark.parametrize(("how", "known"), [("attribute", True), ("autocrlf", False), ("setting", True)])
def test_only_the_edited_lines_are_in_the_patch(tmp_path: Path, how: str, known: bool) -> None:
    repo = checked_out(tmp_path, how)
    snapshots = repo.snapshots()
    one = snapshots.take(at=1)
    sources = repo.outside()
    assert snapshots.take(at=2).tree == one.tree
    assert repo.outside() == sources
    repo.write("a.txt", CRLF.replace(b"line 7\r\n", b"line seven\r\n").replace(b"line 12\r\n", b""))
    repo.write("lf.sh", LINES.replace("line 3\n", "line three\n"))
    names = ["a.txt", "lf.sh"] if known else None
    two = snapshots.take(names, at=3)
    found = {one.path: one for one in between(snapshots, one, two)}
    assert found.keys() == {"a.txt", "lf.sh"}
    assert changed_lines(found["a.txt"]) == [b"-line 7\r", b"+line seven\r", b"-line 12\r"]
    assert (found["a.txt"].before, found["a.txt"].after) == (CRLF, (repo.root / "a.txt").read_bytes())
    assert changed_lines(found["lf.sh"]) == [b"-line 3", b"+line three"]
    # An editor that writes line feeds into it: the file is mixed now, and that line alone is new.
    repo.write("a.txt", (repo.root / "a.txt").read_bytes().replace(b"line 2\r\n", b"line two\n"))
    three = snapshots.take(names, at=4)
    assert changed_lines(edit(snapshots, two, three)) == [b"-line 2\r", b"+line two"]
    back = {one.path: one for one in between(snapshots, three, one)}
    assert changed_lines(back["a.txt"])[:2] == [b"-line two", b"+line 2\r"]
    # Back to what git has: nothing is left of it.
    repo.write("a.txt", CRLF)
    repo.write("lf.sh", LINES)
    assert between(snapshots, one, snapshots.take(names, at=5)) == []


@HOWS
def test_a_first_edit_that_mixes_line_ends_shows_its_lines_alone(tmp_path: Path, how: str) -> None:
    repo = checked_out(tmp_path, how)
    snapshots = repo.snapshots()
    one = snapshots.take(at=1)
    repo.write("a.txt", CRLF.replace(b"line 7\r\nline 8\r\n", b"line seven\nline 8\n"))
    found = edit(snapshots, one, snapshots.take(at=2))
    assert changed_lines(found) == [b"-line 7\r", b"-line 8\r", b"+line seven", b"+line 8"]


@HOWS
def test_a_line_end_that_changes_later_is_an_edit(tmp_path: Path, how: str) -> None:
    repo = checked_out(tmp_path, how)
    snapshots = repo.snapshots()
    snapshots.take(at=1)
    repo.write("a.txt", CRLF + b"more\r\n")
    two = snapshots.take(at=2)
    repo.write("a.txt", CRLF.replace(b"line 2\r\n", b"line 2\n") + b"more\r\n")
    assert changed_lines(edit(snapshots, two, snapshots.take(at=3))) == [b"-line 2\r", b"+line 2"]


@HOWS
def test_a_renamed_file_is_known_again(tmp_path: Path, how: str) -> None:
    repo = checked_out(tmp_path, how)
    snapshots = repo.snapshots()
    one = snapshots.take(at=1)
    (repo.root / "a.txt").rename(repo.root / "b.txt")
    repo.write("b.txt", CRLF.replace(b"line 7\r\n", b"seven\r\n"))
    found = edit(snapshots, one, snapshots.take(at=2))
    assert (found.status, found.old_path, found.path) == ("renamed", "a.txt", "b.txt")
    assert changed_lines(found) == [b"-line 7\r", b"+seven\r"]
    assert found.before == CRLF


@HOWS
def test_changing_the_line_ends_is_an_edit_of_every_line(tmp_path: Path, how: str) -> None:
    repo = checked_out(tmp_path, how)
    snapshots = repo.snapshots()
    one = snapshots.take(at=1)
    repo.write("a.txt", LINES)
    repo.write("lf.sh", CRLF)
    two = snapshots.take(at=2)
    found = {one.path: one for one in between(snapshots, one, two)}
    assert len(changed_lines(found["lf.sh"])) == 40
    assert found["lf.sh"].after == CRLF


def test_lines_that_git_had_mixed_are_told_from_the_edited_ones(tmp_path: Path) -> None:
    repo = Repo(tmp_path / "repo", tmp_path / "nobody")
    repo.git("config", "core.autocrlf", "true")
    mixed = b"a\r\nb\nc\r\nd\ne\nf\r\n"
    repo.write("m.txt", mixed)
    repo.git("-c", "core.safecrlf=false", "add", "-A")
    repo.git("commit", "-q", "-m", "1")
    assert repo.out("cat-file", "blob", "HEAD:m.txt") == mixed.replace(b"\r\n", b"\n")
    snapshots = repo.snapshots()
    one = snapshots.take(at=1)
    repo.write("m.txt", mixed.replace(b"d\n", b"D\n"))
    found = edit(snapshots, one, snapshots.take(["m.txt"], at=2))
    assert changed_lines(found) in ([b"-d", b"+D"], [b"-d\r", b"+D"])
    assert apply(found.before or b"", found.hunks) == mixed.replace(b"d\n", b"D\n")


def test_a_patch_shows_what_git_has_and_not_what_it_made_of_it(tmp_path: Path) -> None:
    repo = checked_out(tmp_path, "autocrlf")
    snapshots = repo.snapshots()
    one = snapshots.take(at=1)
    repo.git("rm", "-q", "a.txt")
    repo.git("commit", "-q", "-m", "gone")
    two = snapshots.take(at=2)
    repo.git("reset", "-q", "--hard", "HEAD~")
    settled(repo)
    three = snapshots.take(at=3)
    assert (repo.root / "a.txt").read_bytes() == CRLF
    found = edit(snapshots, two, three)
    assert (found.after, found.status, len(changed_lines(found))) == (LINES.encode(), "added", 20)
    assert apply(b"", found.hunks) == LINES.encode()
    assert between(snapshots, one, three) == []


@HOWS
def test_what_git_does_with_converted_files_is_gits(tmp_path: Path, how: str) -> None:
    repo = checked_out(tmp_path, how)
    repo.git("checkout", "-q", "-b", "other")
    repo.write("a.txt", CRLF.replace(b"line 7\r\n", b"other 7\r\n"))
    repo.commit()
    repo.git("checkout", "-q", "main")
    snapshots = repo.snapshots()
    one = snapshots.take(at=1)
    repo.write("a.txt", CRLF.replace(b"line 2\r\n", b"mine 2\r\n"))
    two = snapshots.take(["a.txt"], at=2)
    repo.git("commit", "-q", "-am", "mine")
    three = snapshots.take(at=3)
    assert between(snapshots, two, three) == []
    repo.git("checkout", "-q", "other")
    four = snapshots.take(at=4)
    split = snapshots.split(three, four, moves(repo.where(), three))
    assert split.by_hand == []
    assert [one.path for one in split.by_git] == ["a.txt"]  # type: ignore[union-attr]
    repo.git("checkout", "-q", "main")
    five = snapshots.take(at=5)
    assert between(snapshots, three, five) == []
    repo.write("a.txt", CRLF.replace(b"line 2\r\n", b"mine again\r\n"))
    six = snapshots.take(["a.txt"], at=6)
    assert changed_lines(edit(snapshots, five, six)) == [b"-mine 2\r", b"+mine again\r"]
    assert changed_lines(edit(snapshots, one, six)) == [b"-line 2\r", b"+mine again\r"]


def test_files_that_lfs_has_put_there_are_not_compared_with_its_pointers(tmp_path: Path) -> None:
    repo = Repo(tmp_path / "repo", tmp_path / "nobody")
    content = b"col\n1\n2\n"
    pointer = b"version https://git-lfs.github.com/spec/v1\noid sha256:%s\nsize %d\n" % (
        hashlib.sha256(content).hexdigest().encode(),
        len(content),
    )
    repo.write("data.csv", pointer)
    repo.write("plain.csv", pointer)
    repo.commit()
    snapshots = repo.snapshots()
    one = snapshots.take(at=1)
    repo.write("data.csv", content)  # as git-lfs does it
    assert snapshots.take(at=2).tree == one.tree
    repo.write("data.csv", content + b"3\n")
    three = snapshots.take(at=3)
    found = edit(snapshots, one, three)
    assert (found.status, found.named, found.before, found.after) == (
        "modified",
        "unreadable",
        None,
        content + b"3\n",
    )
    repo.write("data.csv", content + b"4\n")
    assert changed_lines(edit(snapshots, three, snapshots.take(at=4))) == [b"-3", b"+4"]
