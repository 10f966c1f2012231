"""What a hook says and keeps without a server."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import apsw
import pytest
from backstory.server import fallback, hook_line, scrub, spool
from backstory.server.clients import claude_code, cursor
from backstory.server.render import MOST_CHARS
from backstory.store import cutter, memories, words
from backstory.store import settings as kept_settings
from backstory.store.db import Database
from backstory.store.models import Kind, NewMemory, Scope
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


def add(db: Database, text: str, *, kind: Kind = "fact", scope: Scope | None = None) -> int:
    new = NewMemory(kind, "chat", scope or Scope(), text, "user")
    return db.write(memories.insert, new, words.index(text, cutter.load()), now=time.time_ns() // 1000)


def run(
    home: Path, event: str, client: str = "claude-code", env: dict[str, str] | None = None, **payload: Any
) -> tuple[list[bytes], list[spool.Record]]:
    """What the fallback replies, and the record it left in the spool, in this process and without haste."""
    replies: list[bytes] = []
    (home / "spool").mkdir(parents=True, exist_ok=True)
    raw = json.dumps({**PAYLOAD, **payload}).encode()
    bits = json.dumps(
        {"cwd": "/repo", "project": None, "cursor": None, "off": None, "pid": 1, **(env or {})}
    ).encode()
    fallback.run(str(home), client, event, bits, raw, time.monotonic() + 30, replies.append)
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
    replies, [kept] = run(home, event, client, **payload)
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
