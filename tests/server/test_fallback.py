"""What a hook says and keeps without a server."""

from __future__ import annotations

import json
import re
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import apsw
import pytest
from backstory import configs
from backstory.pipelines import recall
from backstory.pipelines.occasions import Ignored
from backstory.server import fallback, hook_line, scrub, spool
from backstory.server.clients import claude_code, cursor
from backstory.server.desk import Desk
from backstory.server.render import MOST_CHARS
from backstory.server.sender import sender
from backstory.store import memories, words
from backstory.store import settings as kept_settings
from backstory.store.db import Database
from backstory.store.models import NewMemory, Scope
from backstory.store.peek import NUMBERS
from backstory.tests.shelf import add
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

TOKEN = "ghp_" + "a1B2" * 9
PAYLOAD = {
    "session_id": "ed21e624-2561-45bb-b620-9e0ea5124c62",
    "prompt_id": "p1",
    "cwd": "/repo",
    "hook_event_name": "x",
}


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


@pytest.fixture
def db(home: Path) -> Iterator[Database]:
    opened = Database.open(home / "backstory.db")
    yield opened
    opened.close()


def hook(
    home: Path,
    event: str,
    client: str = "claude-code",
    env: Mapping[str, str | None] | None = None,
    **payload: Any,
) -> list[bytes]:
    """What the fallback replies, in this process and without haste; its record waits in the spool."""
    replies: list[bytes] = []
    (home / "spool").mkdir(parents=True, exist_ok=True)
    raw = json.dumps({**PAYLOAD, **payload}).encode()
    bits = json.dumps({"cwd": "/repo", "project": None, "cursor": None, **(env or {})}).encode()
    fallback.run(str(home), client, event, bits, raw, time.monotonic() + 30, replies.append)
    return replies


def run(home: Path, event: str, *args: Any, **payload: Any) -> tuple[list[bytes], list[spool.Record]]:
    """As `hook`, and the record it left in the spool."""
    replies = hook(home, event, *args, **payload)
    kept: list[spool.Record] = []
    spool.drain(home, kept.append)
    return replies, kept


@pytest.mark.parametrize("module", [claude_code, cursor])
@pytest.mark.parametrize("context", [None, "", '记忆 "quoted"\n\ud800'])
def test_its_replies_are_those_of_the_clients_own_modules(module: Any, context: str | None) -> None:
    for event in (*claude_code.HOOK_EVENTS, *cursor.HOOK_EVENTS):
        if event in module.HOOK_EVENTS:
            assert fallback.answer(module.SOURCE, event, context) == module.answer(event, context)


@pytest.mark.parametrize(
    ("client", "event"), [("claude-code", "UserPromptSubmit"), ("cursor", "beforeSubmitPrompt")]
)
def test_a_prompt_is_answered_from_the_file_and_kept_with_what_it_was_given(
    db: Database, home: Path, client: str, event: str
) -> None:
    id_ = add(db, "The parser drops comments because the lexer skips trivia tokens.")
    [reply], [kept] = run(home, event, client, prompt="why does the parser drop comments?")
    said = json.loads(reply)
    context = said.get("additional_context") or said["hookSpecificOutput"]["additionalContext"]
    assert f"[m{id_} · " in context
    assert "the lexer skips trivia tokens." in context
    assert context.startswith("<backstory-memory nonce=")
    assert kept.given == [
        list(row) for row in db.read(lambda con: con.execute("select root, hash from memory").fetchall())
    ]
    assert (kept.client, kept.event, kept.payload["prompt"]) == (
        client,
        event,
        "why does the parser drop comments?",
    )


def test_a_chinese_prompt_is_answered_in_chinese(db: Database, home: Path) -> None:
    add(db, "默认分支改名为 trunk，发布前要先跑集成测试。")
    [reply], _ = run(home, "UserPromptSubmit", prompt="默认分支叫什么？")
    assert "## 事实" in json.loads(reply)["hookSpecificOutput"]["additionalContext"]


def test_a_session_begins_with_the_digest(db: Database, home: Path) -> None:
    add(db, "Prefers pnpm over npm", kind="profile")
    [reply], [kept] = run(home, "SessionStart", source="startup")
    assert "Prefers pnpm over npm" in json.loads(reply)["hookSpecificOutput"]["additionalContext"]
    assert kept.payload["source"] == "startup"


@pytest.mark.parametrize(
    "prompt",
    [
        "<task-notification>the parser drops comments</task-notification>",
        "<command-name>/parser</command-name> comments",
        "<system-reminder>the parser drops comments</system-reminder>",
        '<backstory-memory nonce="1">the parser drops comments</backstory-memory>',
        "",
        ["the parser"],
        None,
    ],
)
def test_what_the_user_did_not_say_is_no_question(db: Database, home: Path, prompt: Any) -> None:
    add(db, "the parser drops comments")
    replies, kept = run(home, "UserPromptSubmit", prompt=prompt)
    assert (replies, len(kept)) == ([], 1)


def test_nothing_relevant_is_silence_and_cursor_goes_on(db: Database, home: Path) -> None:
    add(db, "Lunch is at noon.")
    assert run(home, "UserPromptSubmit", prompt="why does the parser drop comments?")[0] == []
    assert run(home, "beforeSubmitPrompt", "cursor", prompt="why does the parser drop comments?")[0] == [
        b'{"continue": true}'
    ]


def test_captures_say_nothing(db: Database, home: Path) -> None:
    add(db, "the parser drops comments")
    replies, [kept] = run(home, "Stop", last_assistant_message="the parser drops comments")
    assert (replies, kept.payload["last_assistant_message"]) == ([], "the parser drops comments")


def test_cursor_running_claude_codes_hooks_is_asked_for_as_cursor(db: Database, home: Path) -> None:
    add(db, "the parser drops comments", scope=Scope(source="cursor", session="c-1"))
    add(db, "the parser drops comments in tests too")
    [reply], _ = run(
        home,
        "UserPromptSubmit",
        env={"cursor": "3.2"},
        conversation_id="c-1",
        prompt="does the parser drop comments?",
    )
    assert "in tests too" in reply.decode()
    assert "drops comments\\n" not in reply.decode()


@pytest.mark.parametrize("content", [None, b"", b"no database" * 500])
def test_without_a_readable_file_the_event_is_kept_all_the_same(home: Path, content: bytes) -> None:
    home.mkdir()
    if content is not None:
        (home / "backstory.db").write_bytes(content)
    replies, [kept] = run(home, "UserPromptSubmit", prompt="why does the parser drop comments?")
    assert replies == []
    assert kept.payload["prompt"] == "why does the parser drop comments?"
    assert list((home / "spool").iterdir()) == []


def test_paused_it_says_and_keeps_nothing(db: Database, home: Path) -> None:
    add(db, "the parser drops comments")
    db.write(kept_settings.pause, workspace=None, until=0)
    assert run(home, "UserPromptSubmit", prompt="does the parser drop comments") == ([], [])


@pytest.mark.parametrize("raw", [b"no json", b"[]", b'"text"', b"\xff\xfe", b"null"])
def test_what_is_no_payload_is_not_kept(home: Path, raw: bytes) -> None:
    home.mkdir()
    with suppress(ValueError):
        fallback.run(str(home), "claude-code", "Stop", b"{}", raw, time.monotonic(), print)
    assert spool.count(home).waiting == 0


def test_ten_thousand_long_memories_fit_into_the_budget_and_are_counted(db: Database, home: Path) -> None:
    def fill(con: apsw.Connection) -> None:
        for n in range(10_000):
            text = f'The parser drops "comments" {n}\n' + "\\ 记 " * 500
            new = NewMemory("fact", "chat", Scope(), text, "user")
            memories.insert(con, new, words.Tokens(f"parser drop comment n{n}", "", ""), now=n)

    db.write(fill)
    [reply], [kept] = run(home, "UserPromptSubmit", prompt="why does the parser drop comments?")
    said = json.loads(reply)["hookSpecificOutput"]["additionalContext"]
    assert len(reply.decode()) < MOST_CHARS + 200 <= 9000
    named = said.partition("Also: ")[2].partition(".")[0].count("m")
    assert f"+{10_000 - len(kept.given) - named} more" in said


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=20), inner, max_size=4),
    max_leaves=12,
)
NAMES = st.sampled_from(
    ["prompt", "cwd", "session_id", "conversation_id", "workspace_roots", "source", "tool_input", "file_path"]
)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    payload=st.dictionaries(NAMES | st.text(max_size=10), JSON, max_size=6),
    event=st.sampled_from([*claude_code.HOOK_EVENTS, *cursor.HOOK_EVENTS, "other"]),
    client=st.sampled_from(["claude-code", "cursor", "other"]),
)
def test_any_payload_is_kept_and_answered_with_an_object_or_nothing(
    db: Database, home: Path, payload: dict[str, Any], event: str, client: str
) -> None:
    if not db.read(lambda con: con.execute("select 1 from memory").fetchone()):
        add(db, "the parser drops comments 家")
    replies, found = run(home, event, client, **payload)
    if event == "PreToolUse":
        assert (replies, found) == ([], [])  # nothing has happened yet
        return
    [kept] = found
    assert all(isinstance(json.loads(reply), dict) for reply in replies)
    assert len(replies) <= 1
    assert kept.event == event


def test_a_file_locked_by_another_process_costs_the_answer_and_not_the_event(
    db: Database, home: Path
) -> None:
    add(db, "the parser drops comments")
    db.close()
    with closing(sqlite3.connect(home / "backstory.db", isolation_level=None)) as holder:
        holder.execute("pragma locking_mode = exclusive")
        holder.execute("begin exclusive")
        replies, [kept] = run(home, "UserPromptSubmit", prompt="why does the parser drop comments?")
    assert replies == []
    assert kept.payload["prompt"] == "why does the parser drop comments?"


# ---- as the server says it


@pytest.fixture
def desk(db: Database, home: Path) -> Desk:
    return Desk(db, home, configs.load(home, embedder="none"))


def tell(desk: Desk, folder: Path, session: str, event: str, **payload: Any) -> str:
    """What the server hands to a session for one event."""
    raw = {"session_id": session, "prompt_id": "p1", "cwd": str(folder), **payload}
    reply = desk.answer("claude-code", event, {}, json.dumps(raw).encode())
    if reply.once_sent is not None:
        reply.once_sent()
    return said([reply.stdout or b""])


def said(replies: list[bytes]) -> str:
    """The context in a reply, but for its nonce."""
    if replies in ([], [b""]):
        return ""
    return re.sub(
        'nonce="[0-9a-f]+"', "", str(json.loads(replies[0])["hookSpecificOutput"]["additionalContext"])
    )


def crash(desk: Desk, folder: Path, prompt: str) -> None:
    """A session that edits, reads, runs something, and is heard of no more."""
    tell(desk, folder, "crashed", "UserPromptSubmit", prompt=prompt)
    calls: list[tuple[str, str, dict[str, Any]]] = [
        ("PostToolUse", "Edit", {"file_path": str(folder / "src/settings.py")}),
        ("PostToolUse", "Write", {"file_path": "/elsewhere/notes.md", "content": "x"}),
        ("PostToolUse", "Read", {"file_path": str(folder / "README.md")}),
        ("PostToolUse", "Edit", {"file_path": str(folder / "src/settings.py")}),
        ("PostToolUseFailure", "Bash", {"command": "pytest -q\n  tests"}),
    ]
    for number, (event, tool, given_) in enumerate(calls):
        outcome: dict[str, Any] = {"tool_response": {}}
        if event == "PostToolUseFailure":
            outcome = {"error": "Exit code 1:\n2 failed"}
        tell(
            desk, folder, "crashed", event,
            tool_use_id=f"t{number}", tool_name=tool, tool_input=given_, **outcome,
        )  # fmt: skip


def deliveries_of(db: Database, session: str) -> list[list[str]]:
    rows = db.read(
        lambda con: con.execute(
            "select root, hash from delivery where session = ? order by root", (session,)
        ).fetchall()
    )
    return [[str(value) for value in row] for row in rows]


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    folder = tmp_path / "repo"
    folder.mkdir()
    return folder


@pytest.mark.parametrize(
    ("prompt", "words"),
    [
        (
            "Rename the config loader.",
            [
                "## Unfinished", "perhaps still going on in another session", "Asked: Rename the config loader.",
                "Edited so far: src/settings.py, /elsewhere/notes.md",
                "Last: Bash pytest -q tests: failed; Exit code 1: 2 failed",
            ],
        ),
        (
            "把配置加载器改名为设置。",
            [
                "## 未完成", "可能仍在另一个会话中进行", "要求：把配置加载器改名为设置。",
                "已修改：src/settings.py, /elsewhere/notes.md", "最后一步：Bash pytest -q tests: failed",
            ],
        ),
    ],
)  # fmt: skip
def test_after_a_crash_it_says_what_the_server_would(
    desk: Desk, db: Database, home: Path, repo: Path, prompt: str, words: list[str]
) -> None:
    add(db, "Prefers pnpm over npm", kind="profile")
    for number in range(3):
        tell(
            desk,
            repo,
            f"old {number}",
            "UserPromptSubmit",
            prompt=f"Question {number}. " + "long words " * 40,
        )
        tell(desk, repo, f"old {number}", "Stop", last_assistant_message="Answered.")
    crash(desk, repo, prompt)
    replies, [kept] = run(home, "SessionStart", source="startup", session_id="next", cwd=str(repo))
    assert said(replies) == tell(desk, repo, "next", "SessionStart", source="startup")
    assert sorted(kept.given) == deliveries_of(db, "next")
    for word in words:
        assert word in said(replies)
    marks = sorted(hash_.partition(":")[0] for _, hash_ in kept.given)
    assert marks[1:] == ["line"] * 3
    assert len(marks) == 4


def test_a_prompt_is_met_with_the_servers_words(desk: Desk, db: Database, home: Path, repo: Path) -> None:
    tell(desk, repo, "old", "UserPromptSubmit", prompt="The parser drops comments: the lexer skips trivia.")
    tell(desk, repo, "old", "Stop", last_assistant_message="Noted.")
    add(db, "The parser drops comments because the lexer skips trivia tokens.")
    question = {"prompt": "why does the parser drop comments?", "session_id": "new", "cwd": str(repo)}
    replies, [kept] = run(home, "UserPromptSubmit", **question)
    assert "the lexer skips trivia." in said(replies)
    assert said(replies) == tell(desk, repo, "new", "UserPromptSubmit", prompt=question["prompt"])
    assert sorted(kept.given) == deliveries_of(db, "new")


def test_it_tells_as_much_of_a_result_as_the_server() -> None:
    assert fallback.RESULT_CHARS == recall.RESULT_CHARS


def test_after_a_compaction_the_turn_under_way_is_told(desk: Desk, home: Path, repo: Path) -> None:
    crash(desk, repo, "Rename the config loader.")
    tell(desk, repo, "other", "UserPromptSubmit", prompt="Something else, later.")
    start = {"source": "compact", "session_id": "crashed", "cwd": str(repo)}
    context = said(run(home, "SessionStart", **start)[0])
    assert "Asked: Rename the config loader." in context
    assert "perhaps still going on" not in context
    tell(desk, repo, "crashed", "Stop", last_assistant_message="Done.")
    assert "Unfinished" not in said(run(home, "SessionStart", **start)[0])


@pytest.mark.parametrize(
    ("event", "offered", "flagged"),
    [
        (None, True, True),
        ("SessionEnd", True, False),
        ("Stop", False, False),
        ("UserPromptSubmit", False, False),
    ],
)
def test_what_waits_in_the_spool_is_known_of_the_turn(
    desk: Desk, home: Path, repo: Path, event: str | None, offered: bool, flagged: bool
) -> None:
    crash(desk, repo, "Rename the config loader.")
    if event:
        hook(home, event, session_id="crashed", cwd=str(repo), prompt="and now?", reason="other")
    context = said(hook(home, "SessionStart", source="startup", session_id="next", cwd=str(repo)))
    assert ("Asked: Rename" in context, "perhaps still going on" in context) == (offered, flagged)


def test_what_the_spool_knows_to_be_given_is_not_given_again(db: Database, home: Path) -> None:
    add(db, "the parser drops comments because the lexer skips trivia tokens")
    prompt: dict[str, Any] = {"prompt": "why does the parser drop comments?"}
    assert "trivia" in said(hook(home, "UserPromptSubmit", **prompt))
    assert hook(home, "UserPromptSubmit", **prompt) == []
    assert "trivia" in said(hook(home, "UserPromptSubmit", session_id="another", **prompt))
    hook(home, "SessionStart", source="resume")
    assert hook(home, "UserPromptSubmit", **prompt) == []
    hook(home, "SessionStart", source="compact")
    assert "trivia" in said(hook(home, "UserPromptSubmit", **prompt))
    assert hook(home, "UserPromptSubmit", **prompt) == []
    for number, odd in enumerate(
        ('{"event":"Stop"', '{"event":"Stop"}', '{"v":1,"event":"Stop","payload":[]}')
    ):
        (home / f"spool/999999999999999{number}-1-00.json").write_text(odd)
    assert hook(home, "UserPromptSubmit", **prompt) == []


def test_its_own_words_come_back_only_after_a_compaction(desk: Desk, home: Path, repo: Path) -> None:
    fact = "We deploy the payments service with fly, from the release branch."
    tell(desk, repo, "own", "SessionStart", source="startup")
    tell(desk, repo, "own", "UserPromptSubmit", prompt=fact)
    tell(desk, repo, "own", "Stop", last_assistant_message="Noted.")
    asks: dict[str, Any] = {
        "prompt": "How do we deploy the payments service?",
        "session_id": "own",
        "cwd": str(repo),
    }
    assert hook(home, "UserPromptSubmit", **asks) == []
    hook(home, "SessionStart", source="compact", session_id="own", cwd=str(repo))
    assert fact in said(hook(home, "UserPromptSubmit", **asks))


def test_a_folder_not_known_yet_is_not_told_what_belongs_to_none(db: Database, home: Path) -> None:
    add(db, "a turn in no folder", kind="turn", scope=Scope(session="old", source="claude-code"))
    assert hook(home, "SessionStart", source="startup", cwd="/not/known") == []
    start = hook(home, "SessionStart", env={"cwd": None}, source="startup", cwd=None)
    assert "a turn in no folder" in said(start)


# ---- the user's numbers


def put(db: Database, **numbers: object) -> None:
    for name, number in numbers.items():
        db.write(kept_settings.put, name, str(number))


def test_the_numbers_without_the_users_are_the_default_ones(home: Path) -> None:
    options = configs.load(home)
    assert {name: getattr(options, name) for name in NUMBERS} == NUMBERS
    assert options.unfinished_days == 7


def test_the_users_numbers_hold(db: Database, home: Path) -> None:
    for number in range(12):
        add(db, f"the parser drops comments, note {number}: " + "and the lexer is to blame " * 15)
    prompt: dict[str, Any] = {"prompt": "why does the parser drop comments?"}

    def given_now() -> list[list[str]]:
        return run(home, "UserPromptSubmit", **prompt)[1][0].given

    assert len(given_now()) == 8
    put(db, hook_limit=2)
    assert len(given_now()) == 2
    put(db, hook_limit=12, hook_chars=700)
    [reply], [kept] = run(home, "UserPromptSubmit", **prompt)
    assert len(said([reply])) <= 700
    # In one line only, and to be had whole another time.
    assert {hash_.partition(":")[0] for _, hash_ in kept.given} == {"line"}
    put(db, hook_limit="many", hook_chars="")
    assert len(given_now()) == 8


def test_the_digest_is_as_long_as_the_user_wants_it(db: Database, home: Path) -> None:
    for number in range(12):
        add(db, f"Prefers tool {number} " + "over all the other ones " * 15, kind="profile")
    assert 1000 < len(said(run(home, "SessionStart", source="startup")[0])) <= NUMBERS["digest_chars"]
    put(db, digest_chars=900)
    assert 300 < len(said(run(home, "SessionStart", source="startup")[0])) <= 900
    put(db, digest_chars=0)
    replies, [kept] = run(home, "SessionStart", source="startup")
    assert (replies, kept.given) == ([], [])


# ---- who sends


VALUES = st.none() | st.sampled_from(
    ["", " ", "x", "/c:/x", "/home/u/.claude/t.jsonl", "\ud800", 7, True, ["/r"], {}]
)
MARKED = (
    "session_id", "conversation_id", "cursor_version", "prompt_id", "permission_mode", "effort", "cwd",
    "transcript_path", "workspace_roots", "agent_id", "parent_conversation_id",
)  # fmt: skip
MARKS = st.fixed_dictionaries({}, optional=dict.fromkeys(MARKED, VALUES))
ENVS = st.fixed_dictionaries(
    {name: st.sampled_from([None, "", "x"]) for name in ("cursor", "project", "cwd")}
)


@settings(max_examples=400, deadline=None)
@given(payload=MARKS, env=ENVS, module=st.sampled_from([claude_code, cursor]))
def test_the_sender_is_whom_the_server_takes_it_for(
    payload: dict[str, Any], env: dict[str, Any], module: Any
) -> None:
    event = "SessionStart" if module is claude_code else "sessionStart"
    occasion = module.read(event, payload, env, 1)
    source, session, folder = sender(module.SOURCE, payload, env)
    if isinstance(occasion, Ignored):
        assert session is None
    else:
        sent = occasion.sender
        assert (source, session, folder) == (sent.source, sent.session, sent.folder)


def test_a_claude_code_in_cursors_terminal_is_claude_code() -> None:
    env = {"cursor": "3.2"}
    assert sender("claude-code", {"session_id": "s", "prompt_id": "p"}, env)[0] == "claude-code"
    assert sender("claude-code", {"session_id": "s"}, env)[0] == "cursor"
    assert sender("cursor", {"session_id": "s", "prompt_id": "p"}, {})[0] == "cursor"


@pytest.mark.parametrize("mark", [{"agent_id": "a1"}, {"source": "system"}])
def test_a_subagent_and_the_client_itself_are_told_nothing(
    db: Database, home: Path, mark: dict[str, str]
) -> None:
    add(db, "the parser drops comments")
    replies, [kept] = run(home, "UserPromptSubmit", prompt="does the parser drop comments?", **mark)
    assert (replies, kept.given) == ([], [])


# ---- nothing unredacted touches the disk


def bytes_of(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())


def keep(home: Path, **payload: Any) -> str:
    (home / "spool").mkdir(parents=True, exist_ok=True)
    salted = scrub.without_secrets({**PAYLOAD, **payload}, b"salt" * 4)
    spool.put(home, spool.Record("claude-code", "PostToolUse", {}, 1, salted))
    return bytes_of(home).decode()


@pytest.mark.parametrize(
    "payload",
    [
        {"prompt": f"use {TOKEN} please"},
        {"tool_input": {"command": f"curl -H 'Authorization: Bearer {TOKEN}'"}},
        {"tool_response": {"stdout": f"export GITHUB_TOKEN={TOKEN}\n", "nested": [[{"deep": TOKEN}]]}},
        {"tool_input": {TOKEN: 1}},
        {"cwd": f"/tmp/{TOKEN}"},
        {"session_id": TOKEN, "tool_use_id": {"x": TOKEN}},
        {"tool_response": "x" * 1_000_000 + f" {TOKEN} " + "y" * 5_000_000},
        *(
            {"tool_response": "x" * (cut - at) + f" {TOKEN} " + "y" * 100_000}
            for cut in (8_192, 16_384)
            for at in (0, 1, 20, 39, 40)
        ),
        *(
            {"tool_response": "x" * 100_000 + f" {TOKEN} " + "y" * (cut - at)}
            for cut in (8_192, 16_384)
            for at in (0, 1, 20, 39, 40)
        ),
        {"tool_response": "a <private>" + "s3cret " * 50_000 + TOKEN + "</private> b"},
    ],
)
def test_a_secret_is_nowhere_on_the_disk_nor_half_of_it(home: Path, payload: dict[str, Any]) -> None:
    written = keep(home, **payload)
    assert TOKEN not in written
    assert TOKEN[:20] not in written
    assert TOKEN[-20:] not in written
    assert "s3cret" not in written


def test_a_secret_file_leaves_its_name_alone(home: Path) -> None:
    written = keep(
        home,
        tool_name="Read",
        tool_input={"file_path": "/repo/.env"},
        tool_response={"file": {"filePath": "/repo/.env", "content": "DB=hunter2"}},
    )
    assert "/repo/.env" in written
    assert "hunter2" not in written


def test_ids_and_folders_stay_what_they_are() -> None:
    payload = {
        **PAYLOAD,
        "tool_use_id": "toolu_17ff0b839efe415f82e4a271",
        "cwd": "/nix/store/8yxab1vr3sihqs2n9jza1n3cyxkm0xqv-src/家",
        "transcript_path": "/home/u/.claude/projects/-repo/ed21e624-2561-45bb-b620-9e0ea5124c62.jsonl",
        "prompt": "keep me",
        "effort": {"level": "medium"},
        "n": [1, 2.5, None, True],
    }
    assert scrub.without_secrets(payload, b"") == payload


def test_long_texts_keep_their_ends_and_long_lists_too() -> None:
    kept = scrub.without_secrets(
        {"tool_response": {"stdout": "a" * 60_000 + "b" * 60_000, "lines": list(range(5000))}}, b""
    )
    stdout = kept["tool_response"]["stdout"]
    assert stdout == "a" * 8192 + "\n[… 103,616 characters cut …]\n" + "b" * 8192
    assert kept["tool_response"]["lines"] == [*range(150), *range(4850, 5000)]
    prompt = "words " * 20_000
    assert scrub.without_secrets({"prompt": prompt}, b"")["prompt"] == prompt


def test_a_note_of_a_cut_in_the_text_is_no_cut_of_ours() -> None:
    text = "a" * 10_000 + "\n[… 5 characters cut …]\n" + "b" * 10_000
    assert scrub.without_secrets({"x": text}, b"") == {"x": text}


def test_a_long_reply_is_kept_as_the_server_keeps_it() -> None:
    """So that the event's key, made of its words, is the same by both ways."""
    from backstory.pipelines import capture
    from backstory.pipelines.occasions import Replied, Sender

    reply = f"the answer {TOKEN} is long. " * 1500
    sender = Sender("claude-code", "s", "p", None, None, 1)
    spooled = scrub.without_secrets({"last_assistant_message": reply}, b"k" * 16)["last_assistant_message"]
    both = [
        capture.reply_event(Replied(sender, text, ends=True), salt=b"k" * 16) for text in (reply, spooled)
    ]
    assert both[0] == both[1]


def test_the_whole_way_in_its_own_process(db: Database, home: Path) -> None:
    """The files as they lie in the home, with the flags of the line: no site, nothing of ours on the path."""
    hook_line.lay(home)
    add(db, "The parser drops comments because the lexer skips trivia tokens.")
    done = subprocess.run(
        hook_line.command(sys.executable, home, "claude-code", "UserPromptSubmit"),
        input=json.dumps({**PAYLOAD, "prompt": f"why does the parser drop comments? {TOKEN}"}).encode(),
        capture_output=True, check=False, timeout=20,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, b"")
    assert "trivia tokens" in json.loads(done.stdout)["hookSpecificOutput"]["additionalContext"]
    assert TOKEN.encode() not in bytes_of(home)


def test_the_whole_way_of_a_session_that_starts(desk: Desk, home: Path, repo: Path) -> None:
    hook_line.lay(home)
    crash(desk, repo, "Rename the config loader.")
    done = subprocess.run(
        hook_line.command(sys.executable, home, "claude-code", "SessionStart"),
        input=json.dumps({"session_id": "next", "source": "startup", "cwd": str(repo)}).encode(),
        capture_output=True, check=False, timeout=20,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, b"")
    assert "Last: Bash pytest -q tests: failed" in said([done.stdout])
