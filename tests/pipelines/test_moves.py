from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from backstory.pipelines.git import taking
from backstory.pipelines.git.hands import Split
from backstory.pipelines.git.made_commits import committed
from backstory.pipelines.git.moments import Bulk, Snapshot
from backstory.pipelines.git.moves import Move, moves, net, under_way
from backstory.pipelines.git.snapshots import Snapshots

from .repos import Repo, started
from .test_snapshots import _nobody, between, told  # noqa: F401

NOW = 2_000_000_000_000_000  # after every commit of these tests


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    """On `main`, with a branch `other` that has another b.py, another line in a.py, and no old.py."""
    repo = started(tmp_path)
    repo.write("old.py", "old\n")
    repo.commit("second")
    repo.git("checkout", "-q", "-b", "other")
    repo.write("lib/b.py", "def f():\n    return 'other'\n")
    repo.write("a.py", lines(25, "other 25"))
    repo.write("only_other.py", "o\n")
    (repo.root / "old.py").unlink()
    repo.commit("others")
    repo.git("checkout", "-q", "main")
    return repo


def lines(at: int = 0, text: str = "") -> str:
    return "".join(f"{text}\n" if n == at else f"line {n}\n" for n in range(1, 31))


def done(
    repo: Repo, snapshots: Snapshots, act: Callable[[Repo], object]
) -> tuple[Snapshot, Snapshot, list[Move]]:
    before = snapshots.take(at=1)
    act(repo)
    return before, snapshots.take(at=2), moves(repo.where(), before)


def paths(part: object) -> list[str]:
    assert isinstance(part, list)
    return [edit.path for edit in part]


# ---- what the log tells


def conflict(repo: Repo, command: str) -> None:
    repo.write("lib/b.py", "def f():\n    return 'mine'\n")
    repo.commit("mine")
    repo.git(*command.split(), code=1)


def am(repo: Repo) -> None:
    patch = repo.out("format-patch", "--stdout", "-1", "other")
    repo.write("../p.mbox", patch)
    repo.git("am", "-q", "../p.mbox")


def pull(repo: Repo, *options: str) -> None:
    repo.git("clone", "-q", ".", "../clone")
    repo.git("remote", "add", "origin", "../clone")
    clone = Repo(repo.root.parent / "clone", repo.home)
    clone.write("pulled.py", "p\n")
    clone.commit("pulled")
    if options:
        repo.write("mine.py", "m\n")
        repo.commit("mine")
    repo.git("pull", "-q", *options, "origin", "main")


def commit(repo: Repo) -> None:
    repo.write("a.py", lines(3, "three"))
    repo.commit("mine")


def stash(repo: Repo) -> None:
    repo.write("a.py", lines(3, "three"))
    repo.git("stash", "-q")


def commit_and_rebase(repo: Repo) -> None:
    commit(repo)
    repo.git("rebase", "-q", "other")


def stash_and_pop(repo: Repo) -> None:
    stash(repo)
    repo.git("stash", "pop", "-q")


def merge_in_two_steps(repo: Repo) -> None:
    conflict(repo, "merge -q other")
    repo.commit("m")


def pick_in_two_steps(repo: Repo) -> None:
    conflict(repo, "cherry-pick other")
    repo.commit("m")


ACTS: list[tuple[Callable[[Repo], object], list[str]]] = [
    (lambda repo: repo.git("checkout", "-q", "other"), ["checkout"]),
    (lambda repo: repo.git("switch", "-q", "--detach", "other"), ["checkout"]),
    (lambda repo: repo.git("checkout", "-q", "-b", "third"), ["checkout"]),
    (commit, ["commit"]),
    (lambda repo: repo.git("commit", "-q", "--amend", "-m", "x: y (z)"), ["amend"]),
    (lambda repo: repo.git("reset", "-q", "--hard", "HEAD~"), ["reset"]),
    (lambda repo: repo.git("reset", "-q", "--hard"), ["reset"]),
    (lambda repo: repo.git("merge", "-q", "other"), ["merge"]),
    (lambda repo: repo.git("merge", "-q", "--no-ff", "other"), ["merge"]),
    (lambda repo: repo.git("cherry-pick", "other"), ["cherry-pick"]),
    (lambda repo: repo.git("revert", "--no-edit", "HEAD"), ["revert"]),
    (am, ["am"]),
    (pull, ["pull"]),
    (lambda repo: pull(repo, "--rebase"), ["commit", "pull", "pull", "pull"]),
    (lambda repo: pull(repo, "--no-rebase"), ["commit", "pull"]),
    (commit_and_rebase, ["commit", "rebase", "rebase", "rebase"]),
    (lambda repo: repo.git("branch", "-m", "renamed"), []),
    (stash, ["reset", "stash"]),
    (stash_and_pop, ["reset"]),
    (lambda repo: repo.git("fetch", "-q", ".", "other:third"), []),
    (merge_in_two_steps, ["commit", "merge"]),
    (pick_in_two_steps, ["commit", "cherry-pick"]),
]


@pytest.mark.parametrize(("act", "kinds"), ACTS)
def test_what_git_did_is_read_from_its_log(
    repo: Repo, act: Callable[[Repo], object], kinds: list[str]
) -> None:
    snapshots = repo.snapshots()
    before, after, found = done(repo, snapshots, act)
    assert [move.kind for move in found] == kinds
    reached = [(move.old, move.new) for move in found if move.kind != "stash"]
    assert [old for old, _ in reached[1:]] == [new for _, new in reached[:-1]]
    assert (
        (reached[0][0], reached[-1][1]) == (before.head, repo.head())
        if reached
        else before.head == after.head
    )
    assert moves(repo.where(), after) == []


def test_a_popped_stash_is_told_by_its_log(repo: Repo) -> None:
    stash(repo)
    snapshots = repo.snapshots()
    before, after, found = done(repo, snapshots, lambda repo: repo.git("stash", "pop", "-q"))
    assert [(move.kind, move.old, move.new) for move in found] == [("stash", None, None)]
    assert paths(snapshots.split(before, after, found).by_hand) == ["a.py"]


def test_the_time_and_the_message_are_the_logs(repo: Repo) -> None:
    before = repo.snapshots().take(at=1)
    repo.write("a.py", "x\n")
    repo.git("add", "-A")
    repo.git("commit", "-q", "-m", "数据 > and\ttabs", at="2001-02-03T04:05:06Z")
    (move,) = moves(repo.where(), before)
    assert (move.message, move.at) == ("commit: 数据 > and tabs", 981_173_106_000_000)


def log_off(repo: Repo) -> None:
    repo.git("config", "core.logAllRefUpdates", "false")
    (repo.root / ".git" / "logs" / "HEAD").unlink(missing_ok=True)


def log_expired(repo: Repo) -> None:
    repo.git("reflog", "expire", "--expire=now", "--all")


def log_longer(repo: Repo) -> None:
    """Written anew, and longer than it was."""
    log = repo.root / ".git" / "logs" / "HEAD"
    log.write_bytes(b"%s %s A <a@b> 1 +0000\tcommit: x\n" % (b"1" * 40, b"2" * 40) * 20)


def log_of_nothing(repo: Repo) -> None:
    log = repo.root / ".git" / "logs" / "HEAD"
    log.write_bytes(b"\0" * (log.stat().st_size + 100) + b"\n")


@pytest.mark.parametrize("harm", [log_off, log_expired, log_longer, log_of_nothing])
def test_where_the_log_is_of_no_use_head_is_compared(repo: Repo, harm: Callable[[Repo], None]) -> None:
    snapshots = repo.snapshots()
    before = snapshots.take(at=NOW)
    harm(repo)
    assert moves(repo.where(), before) == []
    repo.git("checkout", "-q", "other")
    harm(repo)
    assert moves(repo.where(), before) == [Move("unknown", before.head, repo.head(), "", NOW)]
    split = snapshots.split(before, snapshots.take(at=NOW), moves(repo.where(), before))
    assert (paths(split.by_git), split.by_hand) == (OTHERS, [])


def test_a_line_that_is_being_written_is_read_the_next_time(repo: Repo) -> None:
    snapshots = repo.snapshots()
    before = snapshots.take(at=1)
    log = repo.root / ".git" / "logs" / "HEAD"
    whole = log.read_bytes()
    repo.git("checkout", "-q", "other")
    repo.git("checkout", "-q", "main")
    later = log.read_bytes()
    log.write_bytes(later[:-10])
    assert [move.kind for move in moves(repo.where(), before)] == ["checkout", "unknown"]
    log.write_bytes(later[: len(whole) + 50])
    assert moves(repo.where(), before) == []


def test_a_log_that_is_ahead_of_head_is_read_up_to_it(repo: Repo) -> None:
    before = repo.snapshots().take(at=1)
    where = repo.where()
    repo.git("checkout", "-q", "other")
    middle = repo.where()
    repo.git("checkout", "-q", "main~")
    assert [move.new for move in moves(middle, before)] == [middle.head]
    assert [move.new for move in moves(where, before)] == [middle.head, repo.head(), where.head]


def test_moves_that_follow_one_another_are_one_and_commits_stand_between() -> None:
    def move(kind: str, old: str, new: str) -> Move:
        return Move(kind, old, new, "", 0)  # type: ignore[arg-type]

    assert net([]) == []
    assert net([move("checkout", "1", "2"), move("reset", "2", "2"), move("reset", "2", "3")]) == [
        ("1", "3", {"checkout", "reset"})
    ]
    assert net([move("checkout", "1", "2"), move("commit", "2", "3"), move("merge", "3", "4")]) == [
        ("1", "2", {"checkout"}), ("3", "4", {"merge"}),
    ]  # fmt: skip
    assert net([move("checkout", "1", "2"), move("checkout", "2", "1")]) == []
    assert net([move("stash", "1", "2"), move("commit", "1", "2")]) == []


# ---- whose hand it was


def split_of(repo: Repo, act: Callable[[Repo], object]) -> tuple[Snapshots, Split, list[Move]]:
    snapshots = repo.snapshots()
    before, after, found = done(repo, snapshots, act)
    return snapshots, snapshots.split(before, after, found), found


OTHERS = ["a.py", "lib/b.py", "old.py", "only_other.py"]
GITS: list[tuple[Callable[[Repo], object], list[str]]] = [
    (lambda repo: repo.git("checkout", "-q", "other"), OTHERS),
    (lambda repo: repo.git("reset", "-q", "--hard", "other"), OTHERS),
    (lambda repo: repo.git("merge", "-q", "--no-ff", "other"), OTHERS),
    (lambda repo: repo.git("rebase", "-q", "other"), OTHERS),
    (lambda repo: repo.git("cherry-pick", "other"), OTHERS),
    (lambda repo: repo.git("revert", "--no-edit", "HEAD"), ["old.py"]),
    (am, OTHERS),
    (pull, ["pulled.py"]),
    (lambda repo: (repo.git("checkout", "-q", "other"), repo.git("checkout", "-q", "main")), []),
    (lambda repo: (repo.git("checkout", "-q", "other"), repo.git("checkout", "-q", "main~")), ["old.py"]),
]


@pytest.mark.parametrize(("act", "expected"), GITS)
def test_what_git_writes_on_its_way_is_gits(
    repo: Repo, act: Callable[[Repo], object], expected: list[str]
) -> None:
    _, split, _ = split_of(repo, act)
    assert (paths(split.by_git), split.by_hand) == (expected, [])


@pytest.mark.parametrize("command", ["merge -q other", "cherry-pick other", "rebase -q other"])
def test_what_a_merge_that_stopped_wrote_is_gits_and_its_solution_is_not(repo: Repo, command: str) -> None:
    snapshots = repo.snapshots()
    repo.write("lib/b.py", "def f():\n    return 'mine'\n")
    repo.commit("mine")
    before, after, found = done(repo, snapshots, lambda repo: repo.git(*command.split(), code=1))
    assert b"<<<<<<<" in (repo.root / "lib" / "b.py").read_bytes()
    assert under_way(repo.where()) == after.doing is not None
    split = snapshots.split(before, after, found)
    assert (set(paths(split.by_git)), split.by_hand) == (set(OTHERS), [])
    repo.write("lib/b.py", "def f():\n    return 'both'\n")
    solved = snapshots.take(["lib/b.py"], at=3)
    split = snapshots.split(after, solved, moves(repo.where(), after))
    assert (split.by_git, paths(split.by_hand)) == ([], ["lib/b.py"])
    repo.git("add", "-A")
    repo.git(command.split(maxsplit=1)[0], "--continue")
    finished = snapshots.take(at=4)
    assert between(snapshots, solved, finished) == []
    # The solution, and what finished it, in one go.
    split = snapshots.split(after, finished, moves(repo.where(), after))
    assert (split.by_git, paths(split.by_hand)) == ([], ["lib/b.py"])


def in_conflict(repo: Repo, command: str) -> None:
    repo.git("checkout", "-q", "-B", "mine", "main")
    repo.write("lib/b.py", "def f():\n    return 'mine'\n")
    repo.commit("mine")
    repo.git(*command.split(), code=1)


GIVEN_UP = [
    ("merge -q other", "merge --abort"),
    ("merge -q other", "reset -q --hard"),
    ("merge -q other", "checkout -q -f main"),
    ("cherry-pick other", "cherry-pick --abort"),
    ("cherry-pick other", "cherry-pick --skip"),
    ("rebase -q other", "rebase --abort"),
    ("rebase -q other", "rebase --skip"),
    ("revert --no-edit main~", "revert --abort"),
]


@pytest.mark.parametrize(("command", "ends"), GIVEN_UP)
@pytest.mark.parametrize("half_solved", [False, True])
def test_a_merge_that_is_given_up_is_no_edit(repo: Repo, command: str, ends: str, half_solved: bool) -> None:
    if command.startswith("revert"):
        repo.write("lib/b.py", "def f():\n    return 2\n")
        repo.commit("two")
        repo.write("lib/b.py", "def f():\n    return 3\n")
        repo.commit("three")
    snapshots = repo.snapshots()
    in_conflict(repo, command)
    if half_solved:
        repo.write("lib/b.py", "def f():\n    return 'half'\n")
    before, after, found = done(repo, snapshots, lambda repo: repo.git(*ends.split()))
    assert before.doing is not None is after.doing
    split = snapshots.split(before, after, found)
    assert "lib/b.py" in paths(split.by_git)
    assert split.by_hand == []


def test_another_conflict_after_one_that_was_given_up_is_gits(repo: Repo) -> None:
    snapshots = repo.snapshots()
    in_conflict(repo, "merge -q other")

    def act(repo: Repo) -> None:
        repo.git("merge", "--abort")
        repo.git("rebase", "-q", "other", code=1)

    before, after, found = done(repo, snapshots, act)
    split = snapshots.split(before, after, found)
    assert (paths(split.by_git), split.by_hand) == (["lib/b.py"], [])


@pytest.mark.parametrize("side", ["--ours", "--theirs"])
def test_a_side_that_is_taken_whole_is_no_edit(repo: Repo, side: str) -> None:
    snapshots = repo.snapshots()
    in_conflict(repo, "merge -q other")

    def take(repo: Repo) -> None:
        repo.git("checkout", "-q", side, "lib/b.py")

    before, after, found = done(repo, snapshots, take)
    split = snapshots.split(before, after, found)
    assert (paths(split.by_git), split.by_hand) == (["lib/b.py"], [])
    repo.commit("merged")
    assert between(snapshots, after, snapshots.take(at=3)) == []


def test_an_edit_that_is_undone_while_a_merge_is_under_way_was_undone_by_hand(repo: Repo) -> None:
    in_conflict(repo, "merge -q other")
    merged = (repo.root / "a.py").read_bytes()
    repo.write("a.py", merged + b"more\n")
    _, split, _ = split_of(repo, lambda repo: repo.write("a.py", merged))
    assert (split.by_git, paths(split.by_hand)) == ([], ["a.py"])


def test_what_a_commit_records_was_done_by_hand(repo: Repo) -> None:
    _, split, found = split_of(repo, commit)
    assert (split.by_git, paths(split.by_hand)) == ([], ["a.py"])
    assert committed(repo.where(), found) == [repo.head()]


def test_a_commit_that_no_log_tells_of_records_what_was_done_by_hand(repo: Repo) -> None:
    log_off(repo)
    snapshots = repo.snapshots()
    before, after, found = done(repo, snapshots, commit)
    assert [move.kind for move in found] == ["unknown"]
    assert paths(snapshots.split(before, after, found).by_hand) == ["a.py"]
    assert committed(repo.where(), found) == [repo.head()]
    # One that is older than the snapshot was moved to.
    later = replace(before, at=NOW)
    assert paths(snapshots.split(later, after, found).by_git) == ["a.py"]


def edit_and_amend(repo: Repo) -> None:
    repo.write("a.py", lines(3, "three"))
    repo.git("commit", "-q", "-a", "--amend", "-m", "amended")


UNDONE: list[tuple[Callable[[Repo], object], Callable[[Repo], object]]] = [
    (lambda repo: None, lambda repo: repo.git("checkout", "-q", "--", "a.py")),
    (lambda repo: None, lambda repo: repo.git("restore", "a.py")),
    (lambda repo: None, lambda repo: repo.git("stash", "-q")),
    (lambda repo: None, lambda repo: repo.git("reset", "-q", "--hard")),
    (lambda repo: repo.git("stash", "-q"), lambda repo: repo.git("stash", "pop", "-q")),
    (lambda repo: repo.git("stash", "-q"), edit_and_amend),
    (lambda repo: None, lambda repo: repo.git("checkout", "-q", "other", "--", "a.py")),
]


@pytest.mark.parametrize(("first", "act"), UNDONE)
def test_a_file_that_goes_back_while_head_stays_was_changed_by_hand(
    repo: Repo, first: Callable[[Repo], object], act: Callable[[Repo], object]
) -> None:
    repo.write("a.py", lines(3, "three"))
    first(repo)
    _, split, _ = split_of(repo, act)
    assert (split.by_git, paths(split.by_hand)) == ([], ["a.py"])


def test_an_edit_after_a_checkout_is_told_from_it_line_by_line(repo: Repo) -> None:
    def act(repo: Repo) -> None:
        repo.git("checkout", "-q", "other")
        repo.write("a.py", lines(25, "other 25").replace("line 3\n", "three\n"))
        repo.write("lib/new.py", "n\n")

    _, split, _ = split_of(repo, act)
    assert paths(split.by_git) == OTHERS
    assert told(split.by_hand)["a.py"] == (  # type: ignore[arg-type]
        "modified", lines(25, "other 25").encode(), lines(25, "other 25").replace("line 3\n", "three\n").encode(),
    )  # fmt: skip
    assert paths(split.by_hand) == ["a.py", "lib/new.py"]


def test_edits_that_are_carried_along_stay_where_they_were(repo: Repo) -> None:
    repo.write("lib/mine.py", "m\n")
    repo.write(".gitignore", "*.log\nbuild/\n*.tmp\n")

    def act(repo: Repo) -> None:
        repo.git("checkout", "-q", "other")
        repo.write(".gitignore", "*.log\n")

    _, split, _ = split_of(repo, act)
    assert (paths(split.by_git), paths(split.by_hand)) == (OTHERS, [".gitignore"])
    assert split.by_hand[0].before == b"*.log\nbuild/\n*.tmp\n"  # type: ignore[index]


def test_what_a_forced_checkout_throws_away_git_wrote_over(repo: Repo) -> None:
    repo.write("a.py", lines(3, "three"))
    _, split, _ = split_of(repo, lambda repo: repo.git("checkout", "-q", "-f", "other"))
    assert (paths(split.by_git), split.by_hand) == (OTHERS, [])


@pytest.mark.parametrize("how", ["--soft", "--mixed"])
def test_a_reset_of_head_alone_writes_nothing(repo: Repo, how: str) -> None:
    repo.write("a.py", lines(25, "committed 25"))
    repo.commit("to be undone")

    def act(repo: Repo) -> None:
        repo.git("reset", "-q", how, "HEAD~")
        repo.write("a.py", lines(25, "committed 25").replace("line 3\n", "three\n"))

    _, split, _ = split_of(repo, act)
    assert (split.by_git, paths(split.by_hand)) == ([], ["a.py"])
    assert split.by_hand[0].before == lines(25, "committed 25").encode()  # type: ignore[index]


def test_an_edit_a_commit_and_a_checkout_in_one_go_leave_what_git_wrote(repo: Repo) -> None:
    def act(repo: Repo) -> None:
        commit(repo)
        repo.git("checkout", "-q", "other")
        repo.write("lib/b.py", "def f():\n    return 'edited'\n")
        repo.git("commit", "-q", "-am", "edited")

    _, split, found = split_of(repo, act)
    assert paths(split.by_git) == OTHERS
    assert paths(split.by_hand) == ["lib/b.py"]
    assert subjects(repo, committed(repo.where(), found)) == ["mine", "edited"]


def test_a_checkout_of_very_many_files_is_counted_and_the_edit_beside_it_is_not(
    repo: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(taking, "MAX_FILES", 5)
    repo.git("checkout", "-q", "other")
    for n in range(501):
        repo.write(f"many/{n}.py", f"{n}\n")
    repo.commit()
    repo.git("checkout", "-q", "main")

    def act(repo: Repo) -> None:
        repo.git("checkout", "-q", "other")
        repo.write("mine.py", "m\n")

    _, split, _ = split_of(repo, act)
    assert (split.by_git, paths(split.by_hand)) == (Bulk(505), ["mine.py"])


def test_a_binary_file_of_the_other_branch_is_gits(repo: Repo) -> None:
    repo.git("checkout", "-q", "other")
    repo.write("logo.png", b"\x89PNG\0\1")
    repo.commit()
    repo.git("checkout", "-q", "main")
    repo.write("logo.png", b"\x89PNG\0\2")
    snapshots = repo.snapshots()
    before, after, found = done(repo, snapshots, lambda repo: repo.git("checkout", "-q", "-f", "other"))
    split = snapshots.split(before, after, found)
    assert (paths(split.by_git), split.by_hand) == (sorted([*OTHERS, "logo.png"]), [])
    before, after, found = done(
        repo,
        snapshots,
        lambda repo: (repo.git("checkout", "-q", "main"), repo.write("logo.png", b"\x89\0mine")),
    )
    assert paths(snapshots.split(before, after, found).by_hand) == ["logo.png"]


def test_in_a_linked_worktree_its_own_log_tells(repo: Repo) -> None:
    repo.git("worktree", "add", "-q", "../linked", "-b", "feat")
    linked = Repo(repo.root.parent / "linked", repo.home)
    _, split, found = split_of(linked, lambda repo: repo.git("checkout", "-q", "--detach", "other"))
    assert ([move.kind for move in found], paths(split.by_git), split.by_hand) == (["checkout"], OTHERS, [])
    assert moves(repo.where(), repo.snapshots().take(at=1)) == []


# ---- commits


def test_the_commits_that_were_made_are_told_and_those_that_came_are_not(repo: Repo) -> None:
    before = repo.snapshots().take(at=1)
    pull(repo)
    repo.git("merge", "-q", "--no-ff", "-m", "joined", "other")
    repo.git("revert", "--no-edit", "-m", "1", "HEAD")
    repo.git("cherry-pick", "-x", "other~2", code=1)
    repo.git("cherry-pick", "--skip")
    am(repo)
    repo.write("数据 \n.py", "x\n")
    repo.git("rm", "-q", "a.py")
    repo.git("-c", "i18n.commitEncoding=latin1", "commit", "-q", "-m", "caf\udce9\nline two\n\nbody")
    repo.commit("last", at="2001-02-03T04:05:06Z")
    found = committed(repo.where(), moves(repo.where(), before))
    assert subjects(repo, found) == ["joined", 'Revert "joined"', "others", "café line two", "last"]


def subjects(repo: Repo, commits: list[str]) -> list[str]:
    return [repo.git("log", "-1", "--format=%s", one) for one in commits]


def test_the_first_commit_of_all_is_told(tmp_path: Path) -> None:
    repo = Repo(tmp_path / "repo", tmp_path / "nobody")
    repo.write("a.py", "1\n")
    snapshots = repo.snapshots()
    before, after, found = done(repo, snapshots, lambda repo: repo.commit("first"))
    assert [(move.kind, move.old) for move in found] == [("commit", None)]
    assert snapshots.split(before, after, found) == Split([], [])
    assert committed(repo.where(), found) == [repo.head()]


def test_no_moves_are_no_commits(repo: Repo) -> None:
    assert committed(repo.where(), []) == []
    gone = Move("commit", "1" * 40, "2" * 40, "commit: x", 0)
    assert committed(repo.where(), [gone]) == []


def test_the_commits_that_a_rebase_made_are_told_one_by_one(repo: Repo) -> None:
    repo.git("checkout", "-q", "-b", "topic")
    for n, text in ((3, "three"), (10, "ten"), (24, "twenty-four")):
        repo.write("a.py", (repo.root / "a.py").read_text().replace(f"line {n}\n", f"{text}\n"))
        repo.commit(f"line {n}")

    def act(repo: Repo) -> None:
        repo.git("rebase", "-q", "other", code=1)  # line 24 stands beside what the other branch changed
        repo.write(
            "a.py", lines(25, "other 25").replace("line 3\n", "three\n").replace("line 10\n", "ten\n") + "x\n"
        )
        repo.git("add", "-A")
        repo.git("rebase", "--continue")

    _, _, found = done(repo, repo.snapshots(), act)
    news = repo.git("rev-list", "--reverse", "other..").split("\n")
    assert committed(repo.where(), found) == news
