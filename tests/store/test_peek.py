"""What a hook reads without a server: the same shelf, read-only, from plain sqlite3."""

from __future__ import annotations

import itertools
import os
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import apsw
import pytest
from backstory.pipelines import identity
from backstory.pipelines.git import git_files
from backstory.store import (
    deliveries,
    events,
    folder_key,
    memories,
    peek,
    peek_start,
    settings,
    turns,
    workspaces,
)
from backstory.store.db import Database
from backstory.store.models import NewEvent, Scope
from backstory.tests import shelf
from hypothesis import given
from hypothesis import strategies as st

Git = Callable[..., str]
NOW = 1_770_000_000_000_000
HOUR = 3_600_000_000
add = partial(shelf.add, at=NOW - HOUR)


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "家 %?#home"


@pytest.fixture
def db(home: Path) -> Iterator[Database]:
    opened = Database.open(home / "backstory.db")
    yield opened
    opened.close()


def workspace(db: Database, name: str, *keys: str, same_as: int | None = None) -> int:
    def put(con: apsw.Connection) -> int:
        id_: int = con.execute(
            "insert into workspace(ulid, name, same_as, created_at) values (?, ?, ?, 0) returning id",
            (name, name, same_as),
        ).get
        for key in keys:
            con.execute("insert into workspace_key values (?, ?, ?, 0)", (key, key.partition(":")[0], id_))
        return id_

    return db.write(put)


def place(here: Sequence[int] = (), session: str = "now", **kw: Any) -> peek.Place:
    return peek.Place("me", list(here), "claude-code", session, NOW, nowhere=not here, **kw)


def look(
    home: Path, question: str, where: peek.Place | None = None, *, limit: int = 8
) -> tuple[list[str], int]:
    con = peek.open_file(str(home), within_s=5)
    try:
        rows, more = peek.search(con, question, where or place(), limit=limit)
    finally:
        con.close()
    return [row.text for row in rows], more


def test_a_question_finds_its_memory_in_english_and_chinese_and_by_name(db: Database, home: Path) -> None:
    texts = [
        "The parser drops comments because the lexer skips trivia tokens.",
        "默认分支改名为 trunk，发布前要先跑集成测试。",
        "TokenStream.next_token was moved to lexer/stream.py in v2.3.1",
        "Lunch is at noon.",
    ]
    for text in texts:
        add(db, text)
    assert look(home, "why does the parser drop comments?")[0] == texts[:1]
    assert look(home, "发布之前要跑什么测试？")[0] == texts[1:2]
    assert look(home, "默认分支叫什么")[0] == texts[1:2]
    assert look(home, "next_token")[0] == texts[2:3]
    assert look(home, "what changed in lexer/stream.py")[0] == texts[2:3]


@pytest.mark.parametrize(
    ("question", "row"),
    [
        ("小王把支付服务怎么了", 0),
        ("谁修复了并发死锁", 1),
        ("最近哪些模块做了异步重构", 2),
        ("订单系统的性能优化是谁做的", 3),
    ],
)
def test_chinese_question_words_do_not_stand_in_the_way(
    db: Database, home: Path, question: str, row: int
) -> None:
    texts = [
        "小王重构了支付服务的重试逻辑",
        "小李修复了缓存层的并发死锁问题",
        "通知模块和搜索模块完成异步重构",
        "小张完成订单系统的性能优化，p95 降到 80ms",
    ]
    for text in [*texts, *(f"第{n}次例会讨论了排期和人员安排" for n in range(30))]:
        add(db, text)
    assert look(home, question)[0][:1] == [texts[row]]


@pytest.mark.parametrize(
    "nothing",
    ["", "hi", "thanks!", "continue", "继续", "好的，谢谢", "what is it about", "yes do it", "?", "\0\ud800"],
)
def test_what_asks_nothing_finds_nothing(db: Database, home: Path, nothing: str) -> None:
    add(db, "We continue to say hi and thanks, 继续, 好的, yes.")
    assert look(home, nothing) == ([], 0)


def test_a_memory_that_covers_too_little_of_the_question_is_no_answer(db: Database, home: Path) -> None:
    for n in range(50):
        add(db, f"The deploy of service {n} waits for the nightly build.")
    assert look(home, "which deploy strategy suits embedded firmware with dual banks and rollback")[0] == []


def test_only_live_memories_of_this_user_and_workspace_are_seen(db: Database, home: Path) -> None:
    here, other = workspace(db, "here", "folder:/here"), workspace(db, "other", "folder:/other")
    alias = workspace(db, "alias", same_as=here)
    fact = "the parser keeps comments {}".format
    kept = [
        add(db, fact("globally")),
        add(db, fact("here"), scope=Scope(workspace=here)),
        add(db, fact("alias"), scope=Scope(workspace=alias)),
    ]
    add(db, fact("elsewhere"), scope=Scope(workspace=other))
    add(db, fact("of another"), scope=Scope(user="you"))
    add(db, fact("closed"), valid_to=NOW - 1)
    add(db, fact("expired"), expires_at=NOW - 1)
    db.write(memories.retire, add(db, fact("retired")), why="test", now=NOW)
    kept.append(add(db, fact("closing later"), valid_to=NOW + HOUR))
    con = peek.open_file(str(home), within_s=5)
    rows, more = peek.search(
        con, "does the parser keep comments", place(peek.workspaces(con, "/here")), limit=10
    )
    con.close()
    assert (sorted(row.id for row in rows), more) == (sorted(kept), 0)


def test_what_the_session_holds_is_not_said_again(db: Database, home: Path) -> None:
    scope = Scope(session="now", source="claude-code")
    db.write(turns.start_session, scope, kind="interactive", at=NOW - 2 * HOUR, fresh_context=True)
    add(db, "the parser keeps comments: said before the compaction", scope=scope, at=NOW - 3 * HOUR)
    add(db, "the parser keeps comments: said since", scope=scope)
    given_id, changed_id = (
        add(db, "the parser keeps comments: given"),
        add(db, "the parser keeps comments: given, then changed"),
    )
    db.write(deliveries.give_ids, "claude-code", "now", [given_id, changed_id], how="hook", at=NOW)
    db.write(
        lambda con: con.execute(
            "update delivery set hash = 'old' where root = (select root from memory where id = ?)",
            (changed_id,),
        )
    )
    assert sorted(look(home, "parser comments keeping")[0]) == [
        "the parser keeps comments: given, then changed",
        "the parser keeps comments: said before the compaction",
    ]
    assert len(look(home, "parser comments keeping", place(session="another"))[0]) == 4


def test_what_is_more_than_the_limit_is_counted(db: Database, home: Path) -> None:
    for n in range(7):
        add(db, f"the parser keeps comments {n}")
    texts, more = look(home, "parser comments", limit=3)
    assert (len(texts), more) == (3, 4)


def test_a_turn_folds_under_what_was_drawn_from_it(db: Database, home: Path) -> None:
    scope = Scope(session="old", source="claude-code")
    turn = db.write(turns.open_turn, scope, "p", at=NOW - HOUR)
    assert turn is not None
    add(db, "parser comments: the whole turn", kind="turn", scope=scope, turn=turn.id)
    add(db, "parser comments: the fact", scope=scope, turn=turn.id)
    assert look(home, "parser comments")[0] == ["parser comments: the fact"]


@given(st.text(max_size=300))
def test_any_text_is_a_safe_question(text: str) -> None:
    con = sqlite3.connect(":memory:")
    from backstory.store.migrations import MIGRATIONS

    for step in MIGRATIONS:
        con.executescript(step.sql)
    assert peek.search(con, text, place(), limit=3) == ([], 0)
    con.close()


def test_a_session_begins_with_the_profile_and_the_latest_turns(db: Database, home: Path) -> None:
    here = workspace(db, "here", "folder:/here")
    add(db, "Prefers pnpm", kind="profile")
    for n in range(9):
        add(db, f"turn {n}", kind="turn", at=NOW - n * HOUR, scope=Scope(workspace=here, session="old"))
    add(db, "turn of now", kind="turn", scope=Scope(workspace=here, session="now"))
    add(db, "global turn", kind="turn")
    con = peek.open_file(str(home), within_s=5)
    found = peek_start.digest(con, place([here]), forget_given=False).rows
    nowhere = peek_start.digest(con, place(), forget_given=False).rows
    con.close()
    assert [row.text for row in found] == ["Prefers pnpm", *(f"turn {n}" for n in range(6))]
    assert [row.text for row in nowhere] == ["Prefers pnpm", "global turn"]


def test_a_resumed_session_is_not_told_again_what_it_holds(db: Database, home: Path) -> None:
    id_ = add(db, "Prefers pnpm", kind="profile")
    db.write(deliveries.give_ids, "claude-code", "now", [id_], how="digest", at=NOW)
    con = peek.open_file(str(home), within_s=5)
    assert [len(peek_start.digest(con, place(), forget_given=forget).rows) for forget in (False, True)] == [
        0,
        1,
    ]
    con.close()


def test_what_was_told_in_one_line_is_not_told_again_but_may_be_found_whole(db: Database, home: Path) -> None:
    here = workspace(db, "here", "folder:/here")
    id_ = add(db, "the parser keeps comments", kind="turn", scope=Scope(workspace=here, session="old"))
    told = db.read(memories.by_id, id_)
    db.write(deliveries.give, "claude-code", "now", [told], how="digest", chars=1, at=NOW, lines=[id_])
    con = peek.open_file(str(home), within_s=5)
    assert peek_start.digest(con, place([here]), forget_given=False).rows == []
    assert [row.id for row in peek.search(con, "parser comments", place([here]), limit=1)[0]] == [id_]
    con.close()


@pytest.mark.parametrize(
    ("what", "found"),
    [
        ({}, []),
        ({"given": True}, []),
        ({"anew_at": NOW - 1}, []),
        ({"anew_at": NOW + 1}, ["the parser keeps comments"]),
        ({"anew_at": NOW + 1, "given": True}, []),
    ],
)
def test_what_the_file_does_not_know_yet_counts(
    db: Database, home: Path, what: dict[str, Any], found: list[str]
) -> None:
    id_ = add(db, "the parser keeps comments")
    db.write(deliveries.give_ids, "claude-code", "now", [id_], how="hook", at=NOW)
    if what.get("given"):
        row = db.read(lambda con: con.execute("select root, hash from memory").fetchall())[0]
        what = {**what, "given": [f"{row[0]} {row[1]}"]}
    assert look(home, "parser comments", place(**what))[0] == found


# ---- the unfinished turn


def begin(db: Database, session: str, *, at: int = NOW - HOUR, here: int | None = None, **kw: Any) -> int:
    """A turn with a prompt, and one edit of `/repo/a.py`."""
    scope = Scope(session=session, source=kw.pop("source", "claude-code"), workspace=here)
    turn = db.write(turns.open_turn, scope, "p", at=at, folder="/repo", **kw)
    assert turn is not None
    happened(db, turn.id, "prompt", f"asked in {session}", at=at)
    happened(db, turn.id, "edit", "", at=at, paths=["/repo/a.py"])
    return turn.id


def happened(
    db: Database, turn: int, kind: Any, content: str, *, at: int, ok: bool | None = True, **data: Any
) -> None:
    role: Any = "user" if kind == "prompt" else "tool"
    tool = None if kind == "prompt" else "Tool"
    db.write(
        events.append,
        turn,
        NewEvent(f"{kind}{next(KEYS)}", role, kind, content, "user", at, tool, ok, data),
        now=at,
    )


KEYS = itertools.count()


def left(home: Path, where: peek.Place, *, compacted: bool = False) -> tuple[str, bool] | None:
    con = peek.open_file(str(home), within_s=5)
    found = peek_start.unfinished(con, where, compacted=compacted)
    con.close()
    return (found.asked, found.elsewhere) if found else None


def test_the_latest_turn_of_the_workspaces_that_are_one_may_be_unfinished(db: Database, home: Path) -> None:
    here, other = workspace(db, "here", "folder:/here"), workspace(db, "other", "folder:/other")
    alias = workspace(db, "alias", same_as=here)
    assert left(home, place([here, alias])) is None
    begin(db, "old", at=NOW - 8 * 24 * HOUR, here=here)
    assert left(home, place([here, alias])) is None
    begin(db, "one", at=NOW - 3 * HOUR, here=here)
    two = begin(db, "two", at=NOW - 2 * HOUR, here=alias)
    begin(db, "elsewhere", here=other)
    begin(db, "nowhere")
    begin(db, "background", at=NOW - 60, here=here, kind="background")
    assert left(home, place([here, alias])) == ("asked in two", False)
    assert left(home, place([other])) == ("asked in elsewhere", False)
    assert left(home, place()) == ("asked in nowhere", False)
    db.write(turns.end_turn, two, "interrupted", at=NOW)
    assert left(home, place([here, alias])) == ("asked in two", False)
    db.write(turns.end_turn, two, "done", at=NOW)
    assert left(home, place([here, alias])) is None


def test_a_folder_not_known_yet_has_no_unfinished_turn(db: Database, home: Path) -> None:
    begin(db, "nowhere")
    assert left(home, peek.Place("me", [], "claude-code", "now", NOW)) is None


def test_after_a_compaction_it_is_the_sessions_own_open_turn(db: Database, home: Path) -> None:
    own = begin(db, "now", at=NOW - 30)
    begin(db, "later", at=NOW - 20)
    assert left(home, place(), compacted=True) == ("asked in now", False)
    db.write(turns.end_turn, own, "interrupted", at=NOW)
    assert left(home, place(), compacted=True) is None
    assert left(home, place(session="unknown"), compacted=True) is None


@pytest.mark.parametrize(
    ("session", "source", "quiet_us", "status", "elsewhere"),
    [
        ("other", "claude-code", 599_999_999, None, True),
        ("other", "claude-code", 600_000_000, None, False),
        ("other", "claude-code", 0, "interrupted", False),
        ("now", "claude-code", 0, None, False),
        ("now", "cursor", 0, None, True),
    ],
)
def test_another_session_may_be_at_it_still(
    db: Database, home: Path, session: str, source: str, quiet_us: int, status: Any, elsewhere: bool
) -> None:
    turn = begin(db, session, source=source)
    happened(db, turn, "tool", "", at=NOW - quiet_us)
    if status:
        db.write(turns.end_turn, turn, status, at=NOW)
    assert left(home, place()) == (f"asked in {session}", elsewhere)


def test_of_an_unfinished_turn_the_files_and_the_last_step_are_told(db: Database, home: Path) -> None:
    turn = begin(db, "old")
    happened(db, turn, "prompt", "x" * 1000, at=NOW - 2 * HOUR)
    happened(db, turn, "edit", "", at=NOW - 2 * HOUR, paths=["/repo/failed.py"], ok=False)
    happened(db, turn, "tool", "", at=NOW - 2 * HOUR, paths=["/repo/read.py"])
    for n in range(14):
        happened(db, turn, "edit", "", at=NOW - 100 + n, paths=["/repo/a.py", f"/repo/{n}.py", "/etc/hosts"])
    con = peek.open_file(str(home), within_s=5)

    def told() -> peek_start.Left:
        found = peek_start.unfinished(con, place(), compacted=False)
        assert found is not None
        return found

    assert told().edited == ["a.py", "0.py", "/etc/hosts", *(f"{n}.py" for n in range(1, 10))]
    assert told().asked == "x" * 600
    assert told().step == ("Tool", "/repo/a.py, /repo/13.py, /etc/hosts", 1, "")
    happened(db, turn, "tool", "2 failed", at=NOW - 10, ok=False, command="pytest")
    assert told().step == ("Tool", "pytest", 0, "2 failed")
    happened(db, turn, "reply", "I think", at=NOW - 9)
    happened(db, turn, "subagent", "It is so.", at=NOW - 8, ok=None)
    assert told().step == ("Tool", "", None, "It is so.")
    con.close()


def test_a_turn_in_which_nothing_was_asked_is_none(db: Database, home: Path) -> None:
    db.write(turns.open_turn, Scope(session="old", source="claude-code"), "p", at=NOW - HOUR)
    assert left(home, place()) is None


def test_the_salt_the_pause_and_the_user_are_read(db: Database, home: Path) -> None:
    con = peek.open_file(str(home), within_s=5)
    assert (peek.salt(con), peek.user(con, "claude-code", "s"), peek.paused(con, [], NOW)) == (
        b"",
        None,
        False,
    )
    salt = db.write(settings.salt)
    add(db, "x y", scope=Scope(user="ann"))
    db.write(settings.pause, workspace=7, until=0)
    assert (peek.salt(con), peek.user(con, "claude-code", "s")) == (salt, "ann")
    assert [peek.paused(con, [id_], NOW) for id_ in (6, 7)] == [False, True]
    add(db, "x y", scope=Scope(user="bob"))
    assert peek.user(con, "claude-code", "s") is None
    db.write(
        turns.start_session,
        Scope(user="bob", session="s", source="claude-code"),
        kind="interactive",
        at=NOW,
        fresh_context=True,
    )
    assert peek.user(con, "claude-code", "s") == "bob"
    con.close()


def names(folder: Path) -> list[str]:
    return sorted(os.listdir(folder))


def test_it_creates_nothing_with_and_without_a_server(db: Database, home: Path, tmp_path: Path) -> None:
    add(db, "the parser keeps comments")
    before = names(home)
    assert look(home, "parser comments")[0]
    assert names(home) == before
    db.close()
    assert names(home) == ["backstory.db"]
    assert look(home, "parser comments")[0]
    assert names(home) == ["backstory.db"]
    (tmp_path / "empty").mkdir()
    with pytest.raises(peek.Error):
        peek.salt(peek.open_file(str(tmp_path / "empty"), within_s=1))
    assert names(tmp_path / "empty") == []


def test_a_writer_does_not_hold_it_up(db: Database, home: Path) -> None:
    add(db, "the parser keeps comments")
    writing, done = threading.Event(), threading.Event()

    def hold(con: apsw.Connection) -> None:
        con.execute("update setting set value = value")
        writing.set()
        assert done.wait(5)

    writer = threading.Thread(target=db.write, args=(hold,))
    writer.start()
    assert writing.wait(5)
    try:
        assert look(home, "parser comments")[0] == ["the parser keeps comments"]
    finally:
        done.set()
        writer.join(5)


@pytest.mark.parametrize("content", [b"", b"not a database" * 400])
def test_a_file_that_is_none_of_ours_is_an_error_of_its_kind(home: Path, content: bytes) -> None:
    home.mkdir()
    (home / "backstory.db").write_bytes(content)
    con = peek.open_file(str(home), within_s=1)
    with pytest.raises(peek.Error):
        peek.salt(con)
    con.close()


def test_a_reading_is_broken_off_in_time(db: Database, home: Path) -> None:
    add(db, "the parser keeps comments")
    con = peek.open_file(str(home), within_s=0)
    with pytest.raises(peek.Error):
        con.execute(
            "with recursive n(i) as (select 1 union all select i + 1 from n) select count(*) from n"
        ).fetchall()
    con.close()
    assert time.monotonic() > 0


def test_a_folder_is_known_as_the_server_knows_it(git: Git, tmp_path: Path) -> None:
    repo, tree, bare = tmp_path / "repo", tmp_path / "tree 家", tmp_path / "bare"
    repo.mkdir()
    git(repo, "init", "-q")
    git(repo, "commit", "-q", "--allow-empty", "-m", "x")
    git(repo, "worktree", "add", "-q", "-b", "side", str(tree))
    git(repo, "clone", "-q", "--bare", str(repo), str(bare))
    (repo / "a" / "b").mkdir(parents=True)
    (tmp_path / "link").symlink_to(repo)
    plain, odd, empty = tmp_path / "plain", tmp_path / "odd", tmp_path / "empty"
    plain.mkdir()
    odd.mkdir()
    (odd / ".git").write_text("nonsense")
    (empty / ".git").mkdir(parents=True)
    one = {
        folder_key.key(str(folder))
        for folder in (repo, repo / "a" / "b", tree, tmp_path / "link" / "a", repo / "gone")
    }
    assert one == {f"common_dir:{os.path.realpath(repo / '.git')}"}
    for folder in (repo, tree, bare, plain, odd, empty, tmp_path / "gone"):
        assert [folder_key.key(str(folder))] == [key for _, key in identity.here(git_files.look(str(folder)))]


def test_united_workspaces_are_one(db: Database, home: Path) -> None:
    one, two = workspace(db, "one", "folder:/one"), workspace(db, "two", "folder:/two")
    db.write(workspaces.unite, one, two)
    con = peek.open_file(str(home), within_s=5)
    assert [peek.workspaces(con, folder) for folder in ("/one", "/two", "/three", None)] == [
        [one, two],
        [one, two],
        [],
        [],
    ]
    con.close()
