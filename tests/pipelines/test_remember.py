"""From an occasion to the shelf: what a turn becomes, once, whatever the order and however often it arrives."""

from __future__ import annotations

import itertools
from dataclasses import replace
from typing import Any

import apsw
import pytest
from backstory.pipelines import capture
from backstory.pipelines.occasions import (
    Ignored,
    Occasion,
    PromptSubmitted,
    Replied,
    Sender,
    SessionEnded,
    SessionStarted,
    SubagentFinished,
    ToolUsed,
    TurnEnded,
)
from backstory.pipelines.remember import Kept, Skipped, remember
from backstory.store import cutter, deliveries, events, memories, settings, turns
from backstory.store.db import Database
from backstory.store.models import Located, Memory, Scope

T0 = 1_760_000_000_000_000
SCOPE = Scope("me", None, "s1", "claude-code")


def sender(prompt_id: str | None = "p1", at: int = T0, session: str = "s1") -> Sender:
    return Sender("claude-code", session, prompt_id, "/repo", None, at)


def tool(call: str, name: str = "Bash", *, at: int = T0 + 1, **more: Any) -> ToolUsed:
    given: dict[str, Any] = {
        "input": {"command": "pytest"},
        "result": "3 passed",
        "ok": True,
        "command": "pytest",
    }
    return ToolUsed(sender(at=at), call, name, **(given | more))


PROMPT = PromptSubmitted(sender(), "We deploy with fly from the release branch.")
EDIT = tool(
    "c1", "Edit", input={"file_path": "/repo/app.py"}, paths=("/repo/app.py",), command=None, edits=True
)
REPLY = Replied(sender(at=T0 + 9), "Noted: fly, from the release branch.", ends=True)
TURN = (PROMPT, tool("c0"), EDIT, REPLY)


def keep(db: Database, *occasions: Occasion) -> list[Kept | Skipped]:
    at = [o.sender.session if not isinstance(o, Ignored) else "s1" for o in occasions]
    return [
        remember(o, Located(replace(SCOPE, session=session), "/repo"), db=db, now=T0 + 10, cut=cutter.load())
        for o, session in zip(occasions, at, strict=True)
    ]


def turn_memories(con: apsw.Connection) -> list[Memory]:
    rows = con.execute(f"select {memories.COLUMNS} from memory where kind = 'turn' order by id").fetchall()
    return [memories.from_row(row) for row in rows]


def state(con: apsw.Connection) -> tuple[Any, ...]:
    """All that matters of a turn, without ids and the order of arrival."""
    return (
        sorted((e.key, e.role, e.kind, e.content, e.tool, e.ok) for e in events.of_turn(con, 1)),
        [(m.text, m.line, m.scene, m.data["files"]) for m in turn_memories(con)],
        con.execute("select status from turn").fetchall(),
        con.execute("select main, sub, grams from terms").fetchall(),
    )


def test_a_turn_is_its_events_and_one_searchable_memory(db: Database) -> None:
    keep(db, *TURN)
    (memory,) = db.read(turn_memories)
    assert memory.text == (
        "We deploy with fly from the release branch.\n\nNoted: fly, from the release branch.\n\nFiles: app.py"
    )
    assert (memory.scene, memory.origin, memory.line) == (
        "coding",
        "user",
        "We deploy with fly from the release branch.",
    )
    kinds = [(e.kind, e.origin) for e in db.read(events.of_turn, 1)]
    assert kinds == [("prompt", "user"), ("tool", "tool"), ("edit", "tool"), ("reply", "agent")]
    quotes = [s.quote for s in db.read(memories.evidence, memory.id)]
    assert quotes == ["We deploy with fly from the release branch.", "Noted: fly, from the release branch."]


def test_a_prompt_is_searchable_before_its_turn_ends(db: Database) -> None:
    keep(db, PROMPT)
    assert [m.text for m in db.read(turn_memories)] == ["We deploy with fly from the release branch."]


@pytest.mark.parametrize("order", list(itertools.permutations(range(4))))
def test_the_order_and_number_of_arrivals_make_no_difference(db: Database, order: tuple[int, ...]) -> None:
    for _ in range(2):
        keep(db, *(TURN[i] for i in order))
    arrived = db.read(state)
    straight = Database.open(":memory:")
    keep(straight, *TURN)
    assert arrived == straight.read(state)
    straight.close()


@pytest.mark.parametrize(
    "prompt",
    [
        "",
        "  \n",
        '<backstory-memory nonce="ab">recalled</backstory-memory>',
        '<backstory-memory nonce="ab">cut in half',
        "<system-reminder>be brief</system-reminder>",
        "<local-command-stdout>ok</local-command-stdout>",
    ],
)
def test_what_the_user_did_not_say_makes_no_turn(db: Database, prompt: str) -> None:
    (outcome,) = keep(db, PromptSubmitted(sender(), prompt))
    assert isinstance(outcome, Skipped)
    keep(db, tool("c1"), REPLY)
    assert db.read(lambda con: con.execute("select count(*) from event").fetchall()) == [(0,)]


def test_only_the_users_own_words_are_kept_of_a_prompt_with_more_in_it(db: Database) -> None:
    ours = '<backstory-memory nonce="1">m1: old</backstory-memory>'
    words = f"Fix the <b>header</b>.\n<system-reminder>x</system-reminder>{ours}"
    keep(db, PromptSubmitted(sender(), words))
    assert [m.text for m in db.read(turn_memories)] == ["Fix the <b>header</b>."]


def test_what_follows_a_finished_helpers_notice_belongs_to_the_turn_that_started_it(db: Database) -> None:
    keep(db, *TURN, Ignored("a notice", {"prompt_id": "p2", "session": "s1", "source": "claude-code"}))
    keep(db, Replied(sender("p2", T0 + 20), "The helper is done: 4 files checked.", ends=True))
    (memory,) = db.read(turn_memories)
    assert "The helper is done" in memory.text
    assert db.read(lambda con: con.execute("select count(*) from turn").fetchall()) == [(1,)]


def test_a_subagent_leaves_one_summary(db: Database) -> None:
    done = SubagentFinished(replace(sender(), agent="a1"), "general-purpose", "Checked 4 files.")
    keep(db, PROMPT, done, done)
    assert [(e.kind, e.content) for e in db.read(events.of_turn, 1)][1:] == [("subagent", "Checked 4 files.")]


def test_what_a_subagents_tools_did_is_its_turns_and_not_kept(db: Database) -> None:
    keep(db, *TURN)
    before = db.read(lambda con: con.execute("select count(*) from event").fetchall())
    for named in ("p1", "unknown", None):
        used = replace(EDIT, sender=replace(sender(named), agent="a1"), call_id="c7")
        assert keep(db, used) == [Kept(1)]
    assert db.read(lambda con: con.execute("select count(*) from event").fetchall()) == before
    assert db.read(lambda con: con.execute("select count(*) from turn").fetchall()) == [(1,)]
    other = replace(used, sender=replace(sender(session="s7"), agent="a1"))
    ours = replace(used, tool="mcp__backstory__memory_search")
    assert keep(db, other, ours) == [Skipped("no turn to belong to"), Skipped("our own tool")]


def test_our_own_tools_are_not_captured_but_what_they_showed_is_noted(db: Database) -> None:
    keep(db, *TURN)
    asked = PromptSubmitted(sender("p9", T0 + 50, "s2"), "How do we deploy?")
    ours = ToolUsed(
        sender("p9", T0 + 60, "s2"),
        "c9",
        "mcp__backstory__memory_search",
        {"query": "x"},
        "- [m1 · 2026-05-01] We deploy",
        ok=True,
    )
    keep(db, asked, ours)
    given = db.read(deliveries.given, "claude-code", "s2")
    assert list(given) == [db.read(turn_memories)[0].root]
    assert db.read(
        lambda con: con.execute("select count(*) from event where tool like '%memory%'").fetchall()
    ) == [(0,)]


def test_a_turn_cut_short_is_kept_as_far_as_it_went(db: Database) -> None:
    keep(db, PROMPT, EDIT, SessionEnded(sender(None, T0 + 30), "other"))
    assert db.read(turns.turn, 1).status == "interrupted"  # type: ignore[union-attr]
    assert "Files: app.py" in db.read(turn_memories)[0].text


def test_a_new_prompt_closes_the_one_before_it(db: Database) -> None:
    keep(db, PROMPT, PromptSubmitted(sender("p2", T0 + 100), "And the staging app?"))
    assert [t.status for t in (db.read(turns.turn, 1), db.read(turns.turn, 2)) if t] == [
        "interrupted",
        "open",
    ]


@pytest.mark.parametrize("late", [-200_000, 200_000])
def test_a_prompt_without_an_id_that_was_put_aside_and_heard_is_one(db: Database, late: int) -> None:
    """A hook that has waited in vain puts its event aside, while the server still takes it in."""
    heard = replace(PROMPT, sender=sender(None))
    keep(db, heard, replace(heard, sender=sender(None, at=T0 + late)))
    assert len(db.read(turns.open_turns, source="claude-code", session="s1")) == 1
    keep(
        db, replace(REPLY, sender=sender(None, at=T0 + 9)), replace(heard, sender=sender(None, at=T0 + late))
    )
    assert db.read(lambda con: con.execute("select count(*) from turn").fetchone()) == (1,)
    keep(db, replace(heard, sender=sender(None, at=T0 + 60_000_000)))
    assert db.read(lambda con: con.execute("select count(*) from turn").fetchone()) == (2,)


def test_a_turn_that_was_done_stays_done(db: Database) -> None:
    keep(
        db, *TURN, TurnEnded(sender(at=T0 + 50), "interrupted"), SessionEnded(sender(None, T0 + 60), "other")
    )
    assert db.read(turns.turn, 1).status == "done"  # type: ignore[union-attr]


def test_a_memory_taken_out_of_recall_does_not_come_back_with_a_late_event(db: Database) -> None:
    keep(db, PROMPT)
    db.write(memories.retire, 1, why="asked", now=T0 + 5)
    keep(db, REPLY)
    assert db.read(lambda con: con.execute("select count(*) from terms").fetchall()) == [(0,)]


def test_compaction_forgets_what_the_session_was_given(db: Database) -> None:
    keep(db, SessionStarted(sender(None), "startup"), *TURN)
    db.write(deliveries.give_ids, "claude-code", "s1", [1], how="hook", at=T0)
    keep(db, SessionStarted(sender(None, T0 + 5), "resume"))
    assert len(db.read(deliveries.given, "claude-code", "s1")) == 1
    keep(db, SessionStarted(sender(None, T0 + 6), "compact"))
    assert db.read(deliveries.given, "claude-code", "s1") == {}
    assert db.read(turns.context_began_at, "claude-code", "s1") == T0 + 6


def test_a_pause_keeps_nothing(db: Database) -> None:
    db.write(settings.pause, workspace=None, until=0)
    assert keep(db, *TURN) == [Skipped("paused")] * 4
    db.write(settings.pause, workspace=None, until=None)
    assert isinstance(keep(db, PROMPT)[0], Kept)


SECRET = "ghp_" + "a1B2" * 9


def test_no_secret_reaches_the_file(db: Database) -> None:
    keep(
        db,
        PromptSubmitted(sender(), f"Use {SECRET} for the push. <private>our budget is 5</private>"),
        tool("c1", result=f"token {SECRET}", input={"command": f"curl -H 'Authorization: token {SECRET}'"}),
        tool("c2", "Read", result="DB_PASSWORD=hunter2", paths=("/repo/.env",), command=None),
        replace(REPLY, text=f"I used {SECRET}."),
    )
    path = db.path
    db.checkpoint()
    raw = path.read_bytes()
    assert SECRET.encode() not in raw
    assert b"hunter2" not in raw
    assert b"our budget" not in raw
    assert b"for the push" in raw


@pytest.mark.parametrize("size", [100, 2048, 2049, 50_000, 5_000_000])
def test_a_tools_result_is_cut_to_its_two_ends(db: Database, size: int) -> None:
    text = "S" + "x" * (size - 2) + "E"
    keep(db, PROMPT, tool("c1", result=text))
    kept = db.read(events.of_turn, 1)[1].content
    assert len(kept.encode()) <= capture.RESULT_BYTES
    assert (kept[0], kept[-1]) == ("S", "E")
    assert (kept == text) == (size <= capture.RESULT_BYTES)


def test_what_only_its_key_gives_away_and_what_a_command_reads_stays_out(db: Database) -> None:
    keep(
        db,
        PROMPT,
        tool("c1", "mcp__db__connect", input={"password": "hunter2hunter", "host": "db1"}, command=None),
        tool("c2", input={"command": "cat config/.env"}, command="cat config/.env", result="STRIPE=fox12345"),
    )
    kept = [(e.data, e.content) for e in db.read(events.of_turn, 1)[1:]]
    assert "hunter2hunter" not in str(kept)
    assert "db1" in str(kept)
    assert "fox12345" not in str(kept)


@pytest.mark.parametrize(
    "command", ["backstory search deploy", "cd x && backstory show m1", "sqlite3 {home}/backstory.db .dump"]
)
def test_our_own_memory_is_not_captured_through_a_command(db: Database, command: str) -> None:
    command = command.format(home=db.path.parent)
    keep(db, PROMPT, tool("c1", input={"command": command}, command=command, result="- [m1] an old thing"))
    assert "an old thing" not in str([e.content for e in db.read(events.of_turn, 1)])


@pytest.mark.parametrize("filler", ["x" * 9000, "line\n" * 3000])
def test_a_private_passage_and_our_block_are_gone_from_long_results_too(db: Database, filler: str) -> None:
    ours = '<backstory-memory nonce="1">an old thing</backstory-memory>'
    keep(
        db,
        PROMPT,
        tool("c1", result=f"{filler}<private>budget {filler} plan"),
        tool("c2", result=f"{ours}{filler}{ours}"),
    )
    kept = str([e.content for e in db.read(events.of_turn, 1)])
    assert "plan" not in kept
    assert "an old thing" not in kept


def test_a_turn_of_thousands_of_calls_is_still_mirrored(db: Database) -> None:
    edits = [
        replace(EDIT, call_id=f"e{n}", paths=(f"/repo/f{n}.py",), sender=sender(at=T0 + n))
        for n in range(400)
    ]
    keep(db, PROMPT, *edits, REPLY)
    assert "f399.py" in db.read(turn_memories)[0].text or len(db.read(turn_memories)[0].data["files"]) == 20
