"""What a session begins with: profile, plans and where work was left, said alike with a server and without."""

from __future__ import annotations

import json
import re
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from backstory import configs
from backstory.pipelines import recall
from backstory.pipelines.git import git_files
from backstory.server import fallback, packing, spool
from backstory.server.desk import Desk
from backstory.store import clock, digests, memories, peek_start, turns, workspaces
from backstory.store.clock import DAY_US
from backstory.store.db import Database
from backstory.store.models import Memory, Scope
from backstory.tests import shelf
from backstory.tests.conftest import Git

HOUR_US = DAY_US // 24
START = {"session_id": "next", "source": "startup"}


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


@pytest.fixture
def db(home: Path) -> Iterator[Database]:
    opened = Database.open(home / "backstory.db")
    yield opened
    opened.close()


@pytest.fixture
def desk(db: Database, home: Path) -> Desk:
    return Desk(db, home, configs.load(home, embedder="none"))


@pytest.fixture
def repo(tmp_path: Path, git: Git) -> Path:
    folder = tmp_path / "repo"
    folder.mkdir()
    git(folder, "init", "-q", "-b", "main")
    git(folder, "commit", "-q", "--allow-empty", "-m", "first")
    return folder


def tell(desk: Desk, folder: Path, event: str, **payload: Any) -> str:
    """What the server hands to a session, but for the nonce."""
    raw = json.dumps({"prompt_id": "p1", "cwd": str(folder), **payload}).encode()
    reply = desk.answer("claude-code", event, {}, raw)
    if reply.once_sent is not None:
        reply.once_sent()
    return _said(reply.stdout or b"")


def hook(home: Path, folder: Path, event: str, **payload: Any) -> tuple[str, list[list[str]]]:
    """What a hook hands to it without a server, and what that notes as given."""
    replies: list[bytes] = []
    raw = json.dumps({"prompt_id": "p1", "cwd": str(folder), **payload}).encode()
    bits = json.dumps({"cwd": str(folder), "project": None, "cursor": None}).encode()
    (home / "spool").mkdir(parents=True, exist_ok=True)
    fallback.run(str(home), "claude-code", event, bits, raw, time.monotonic() + 30, replies.append)
    kept: list[spool.Record] = []
    spool.drain(home, kept.append)
    return _said(replies[-1] if replies else b""), kept[-1].given


def _said(reply: bytes) -> str:
    context = json.loads(reply)["hookSpecificOutput"]["additionalContext"] if reply else ""
    return re.sub('nonce="[0-9a-f]+"', "", str(context))


def given(db: Database, session: str) -> list[list[str]]:
    rows = db.read(
        lambda con: con.execute("select root, hash from delivery where session = ?", (session,)).fetchall()
    )
    return sorted([str(root), str(hash_)] for root, hash_ in rows)


def does(desk: Desk, folder: Path, session: str, prompt: str) -> Memory:
    """A turn of another session, done; its memory."""
    tell(desk, folder, "UserPromptSubmit", session_id=session, prompt=prompt)
    tell(desk, folder, "Stop", session_id=session, last_assistant_message="Done.")
    return latest(desk, folder)[0]


def latest(desk: Desk, folder: Path) -> list[Memory]:
    located = desk.db.read(workspaces.family, _workspace(desk, folder))
    return desk.db.read(
        digests.latest_work, user="me", workspaces=located, branch=peek_start.branch(str(folder)),
        not_session=None, now=clock.now(),
    )  # fmt: skip


def _workspace(desk: Desk, folder: Path) -> int:
    from backstory.pipelines import identity

    at = identity.locate(desk.db, str(folder), Scope(), now=clock.now())
    assert at.scope.workspace is not None
    return at.scope.workspace


def did(desk: Desk, turn: Memory, text: str, **kw: Any) -> int:
    """The fact that tells what was done in a turn."""
    assert turn.turn is not None
    whole = desk.db.read(turns.turn, turn.turn)
    assert whole is not None
    return shelf.add(
        desk.db, text, scope=turn.scope, turn=turn.turn, slot=f"did:{whole.ulid}", line="asked", **kw
    )


def plans(db: Database, text: str, *, in_us: int | None, **kw: Any) -> int:
    """Something planned, for which there is that much time."""
    until = None if in_us is None else clock.now() + in_us
    return shelf.add(db, text, kind="intention", expires_at=until, **kw)


def day(at: int) -> str:
    return time.strftime("%Y-%m-%d", time.localtime(at / 1e6))


def places(block: str, words: list[str]) -> list[int]:
    """Where each of the words stands; all of them do."""
    assert all(word in block for word in words), block
    return [block.index(word) for word in words]


# ---- the order of it


@pytest.mark.parametrize(
    ("prompt", "headings"),
    [
        (
            "Rename the config loader.",
            ["## Unfinished", "## Profile", "## Plans", "## Where we left off"],
        ),
        ("把配置加载器改名为设置。", ["## 未完成", "## 用户画像", "## 计划", "## 上次进展"]),
    ],
)
def test_it_is_said_in_one_order_and_alike_with_and_without_a_server(
    desk: Desk, db: Database, home: Path, repo: Path, git: Git, prompt: str, headings: list[str]
) -> None:
    shelf.add(db, "Prefers pnpm over npm", kind="profile", importance=0.6)
    shelf.add(db, "Never push to main without asking", kind="profile", importance=0.8)
    plans(db, "Write the release notes", in_us=None)
    plans(db, "Hand in the report", in_us=20 * DAY_US)
    plans(db, "给客户回电话", in_us=HOUR_US)
    told = does(desk, repo, "old 1", "Fix the retry of the fetcher, please.")
    did(desk, told, "Fix the retry of the fetcher: edited fetch.py; ran pytest. Outcome: done.")
    does(desk, repo, "old 2", "Why does the lexer skip trivia? " + "It is a riddle. " * 30)
    git(repo, "switch", "-q", "-c", "fix/x")
    does(desk, repo, "old 3", "Try the other parser.")
    tell(desk, repo, "UserPromptSubmit", session_id="crashed", prompt=prompt)

    block, noted = hook(home, repo, "SessionStart", **START)
    assert block == tell(desk, repo, "SessionStart", **START)
    assert sorted(noted) == given(db, "next")
    words = [
        headings[0], prompt, headings[1], "Never push", "Prefers pnpm", headings[2], "给客户回电话",
        "Hand in the report", "Write the release notes", headings[3], "Try the other parser.",
        "Why does the lexer", "Fix the retry of the fetcher: edited fetch.py",
    ]  # fmt: skip
    found = places(block, words)
    assert found == sorted(found)
    assert "Fix the retry of the fetcher, please." not in block
    assert len(block) <= desk.options.digest_chars


def test_a_long_profile_leaves_room_for_plans_and_for_where_work_was_left(
    desk: Desk, db: Database, home: Path, repo: Path
) -> None:
    for n in range(14):
        shelf.add(db, f"Habit {n}. " + "It is a long story. " * 10, kind="profile", importance=1 - n / 100)
    for n in range(6):
        plans(db, f"Plan {n}. " + "It takes a while. " * 6, in_us=(n + 1) * DAY_US)
        turn = does(desk, repo, f"old {n}", f"Work {n}.")
        did(desk, turn, f"Work {n}: edited pay.py. " + "It took a while. " * 15)
    block, noted = hook(home, repo, "SessionStart", **START)
    assert block == tell(desk, repo, "SessionStart", **START)
    assert sorted(noted) == given(db, "next")
    assert len(block) <= desk.options.digest_chars
    assert len(re.findall(r"\] Habit \d", block)) >= 4
    assert re.findall(r"\] Plan \d", block) == [f"] Plan {n}" for n in range(5)]
    assert re.findall(r"\] Work \d", block)[0] == "] Work 5"


# ---- what is planned


@pytest.mark.parametrize(
    ("text", "until", "said"),
    [
        ("Hand in the report", "2026-03-10T23:59:59", " · due today] Hand in"),
        ("Hand in the report", "2026-03-11T00:00:00", " · due today] Hand in"),
        ("Hand in the report", "2026-03-12T00:00:00", " · due 2026-03-11] Hand in"),
        ("Hand in the report", None, "-10] Hand in"),
        ("提交季度报告", "2026-03-11T00:00:00", " · 今天到期] 提交"),
        ("提交季度报告", "2026-03-12T00:00:00", " · 2026-03-11 到期] 提交"),
    ],
)
def test_each_plan_has_its_day(db: Database, text: str, until: str | None, said: str) -> None:
    now = _local("2026-03-10T12:00:00")
    shelf.add(db, text, at=now - HOUR_US, kind="intention", expires_at=_local(until) if until else None)
    found = recall.digest(
        user="me", workspace=None, source="c", session="s", how="startup", unfinished_days=7, db=db, now=now
    )
    assert said in packing.digest_block(found, budget=2500, now=now).text


def _local(moment: str) -> int:
    return int(time.mktime(time.strptime(moment, "%Y-%m-%dT%H:%M:%S"))) * 1_000_000


def test_only_open_plans_of_this_place_are_told_the_next_ones_first(
    desk: Desk, db: Database, home: Path, repo: Path
) -> None:
    assert tell(desk, repo, "SessionStart", **START) == ""  # from here on it is known whose session it is
    here = Scope(workspace=_workspace(desk, repo))
    for days in (9, 2, 7, 4, 3, 8):
        plans(db, f"Plan for day {days}", in_us=days * DAY_US, scope=here if days % 2 else Scope())
    plans(db, "Plan that is over", in_us=-1)
    plans(db, "Plan of another project", in_us=DAY_US, scope=Scope(workspace=_workspace(desk, repo.parent)))
    plans(db, "Plan of another user", in_us=DAY_US, scope=Scope("you"))
    plans(db, "Plan that was true once", in_us=DAY_US, valid_to=clock.now() - 1)
    plans(db, "Plan without a day", in_us=None)
    block, _ = hook(home, repo, "SessionStart", **START)
    assert block == tell(desk, repo, "SessionStart", **START)
    assert re.findall(r"Plan .*", block) == [f"Plan for day {days}" for days in (2, 3, 4, 7, 8)]


# ---- where work was left


def test_a_turn_is_told_by_its_fact_or_by_itself_and_never_by_both(
    desk: Desk, db: Database, home: Path, repo: Path
) -> None:
    first = does(desk, repo, "old 1", "Rename the loader.")
    second = does(desk, repo, "old 2", "Drop the cache.")
    fact = did(desk, first, "Rename the loader: edited settings.py. Outcome: done.")
    shelf.add(db, "The loader is called settings now.", scope=first.scope, turn=first.turn)
    assert [memory.id for memory in latest(desk, repo)] == [second.id, fact]
    block, _ = hook(home, repo, "SessionStart", **START)
    assert block == tell(desk, repo, "SessionStart", **START)
    assert "Rename the loader: edited settings.py. Outcome: done." in block
    assert "Rename the loader.\n" not in block
    assert "Drop the cache." in block
    db.write(memories.retire, fact, why="test", now=clock.now())
    assert [memory.id for memory in latest(desk, repo)] == [second.id, first.id]


def test_this_branch_comes_first_and_leaves_room_for_the_others(
    desk: Desk, home: Path, repo: Path, git: Git
) -> None:
    for n in range(7):
        does(desk, repo, f"m{n}", f"Main work {n}.")
    git(repo, "switch", "-q", "-c", "fix/x")
    for n in range(3):
        does(desk, repo, f"x{n}", f"Side work {n}.")
    git(repo, "switch", "-q", "main")
    block, _ = hook(home, repo, "SessionStart", **START)
    assert block == tell(desk, repo, "SessionStart", **START)
    told = re.findall(r"\w+ work \d", block)
    assert told == ["Main work 6", "Main work 5", "Main work 4", "Main work 3", "Side work 2", "Side work 1"]
    git(repo, "switch", "-q", "-c", "fix/y")
    assert [memory.text[:11] for memory in latest(desk, repo)] == [
        *(f"Side work {n}" for n in (2, 1, 0)), *(f"Main work {n}" for n in (6, 5, 4)),
    ]  # fmt: skip


def test_another_project_and_the_session_itself_are_not_told(
    desk: Desk, home: Path, repo: Path, tmp_path: Path
) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    does(desk, elsewhere, "old", "Work of another project.")
    does(desk, repo, "next", "Work of this session.")
    assert hook(home, repo, "SessionStart", **START)[0] == tell(desk, repo, "SessionStart", **START) == ""


def test_a_resumed_session_is_told_only_what_is_new(desk: Desk, db: Database, home: Path, repo: Path) -> None:
    plans(db, "Hand in the report", in_us=DAY_US)
    for n in range(8):
        does(desk, repo, f"old {n}", f"Work {n}. " + "It goes on and on. " * 20)
    did(desk, latest(desk, repo)[0], "Work 7: edited pay.py. Outcome: done.")
    start = tell(desk, repo, "SessionStart", **START)
    assert "Hand in the report" in start
    resume = {**START, "source": "resume"}
    assert hook(home, repo, "SessionStart", **resume)[0] == tell(desk, repo, "SessionStart", **resume) == ""
    plans(db, "Water the plants", in_us=DAY_US)
    block, _ = hook(home, repo, "SessionStart", **resume)
    assert "Water the plants" in block
    assert "Hand in the report" not in block
    assert block == tell(desk, repo, "SessionStart", **resume)


def test_a_fact_that_was_told_whole_is_not_handed_again(desk: Desk, repo: Path) -> None:
    turn = does(desk, repo, "old", "Make the fetcher retry on a broken connection.")
    did(desk, turn, "Make the fetcher retry on a broken connection: edited fetch.py. Outcome: done.")
    assert "edited fetch.py" in tell(desk, repo, "SessionStart", **START)
    asked = {"session_id": "next", "prompt": "When does the fetcher retry on a broken connection?"}
    assert "edited fetch.py" not in tell(desk, repo, "UserPromptSubmit", **asked)


# ---- the branch, read by a hook


def test_a_hook_reads_the_branch_as_the_server_does(repo: Path, tmp_path: Path, git: Git) -> None:
    def same() -> str | None:
        read = peek_start.branch(str(repo))
        assert read == git_files.look(str(repo)).branch
        return read

    assert same() == "main"
    git(repo, "switch", "-q", "-c", "功能/x")
    (repo / "a").write_text("1")
    git(repo, "add", "a")
    git(repo, "commit", "-qm", "one")
    assert same() == "功能/x"
    git(repo, "worktree", "add", "-q", str(tmp_path / "tree"), "main")
    assert peek_start.branch(str(tmp_path / "tree")) == "main"
    git(repo, "switch", "-q", "-c", "other", "main~0")
    (repo / "a").write_text("2")
    git(repo, "add", "a")
    git(repo, "commit", "-qm", "two")
    with pytest.raises(subprocess.CalledProcessError):
        git(repo, "rebase", "-q", "功能/x")
    assert same() == "other"
    git(repo, "rebase", "--abort")
    git(repo, "switch", "-q", "--detach")
    assert same() is None
    assert peek_start.branch(str(tmp_path)) is None
    assert peek_start.branch(None) is None
