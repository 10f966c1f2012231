"""What someone asks to be kept, corrected, retired: done whole, or refused with nothing written."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from backstory.pipelines.correct import correct, retire
from backstory.pipelines.keep import Added, keep
from backstory.pipelines.occasions import PromptSubmitted, Sender
from backstory.pipelines.remember import remember
from backstory.pipelines.request import Request
from backstory.store import cutter, memories, words
from backstory.store.db import Database
from backstory.store.errors import BadInput, NotFound, NotYet
from backstory.store.models import CONTENT_CHARS, Located, Memory, Scope
from backstory.store.rows import fetch as rows_of
from backstory.store.rows import value

T0 = 1_760_000_000_000_000
SCOPE = Scope("me", None, None, "api")
OTHER = replace(SCOPE, user="you")


def add(db: Database, content: str | None = None, **more: Any) -> list[Added]:
    return keep(Request(more.pop("scope", SCOPE), content, **more), db=db, now=T0, cut=cutter.load())


def change(db: Database, id_: int, **more: Any) -> int:
    return correct(id_, scope=more.pop("scope", SCOPE), db=db, now=T0 + 1, cut=cutter.load(), **more)[0]


def rows(db: Database) -> dict[str, int]:
    tables = ("memory", "event", "turn", "terms", "past_terms", "evidence", "link", "run")
    return {table: int(db.read(value, f"select count(*) from {table}")) for table in tables}


def fetch(db: Database, id_: int) -> Memory:
    return db.read(memories.by_id, id_)


def found(db: Database, word: str) -> list[int]:
    match = words.match(words.query(word, None))[0]
    return [
        row[0] for row in db.read(rows_of, "select rowid from terms_fts where terms_fts match ?", (match,))
    ]


def test_a_text_is_kept_with_the_words_it_rests_on(db: Database) -> None:
    (added,) = add(db, "Releases are cut on Thursdays", importance=0.9, meta={"ticket": 7})
    memory = fetch(db, added.id)
    assert (added.verdict, memory.text, memory.kind, memory.origin) == (
        "stored",
        "Releases are cut on Thursdays",
        "fact",
        "agent",
    )
    assert (memory.importance, memory.meta) == (0.9, {"ticket": 7})
    assert [s.quote for s in db.read(memories.evidence, added.id)] == ["Releases are cut on Thursdays"]
    assert found(db, "thursdays") == [added.id]


def test_the_same_text_twice_is_one_memory_with_two_mentions(db: Database) -> None:
    (first,) = add(db, "Releases are cut on Thursdays")
    (second,) = add(db, " Releases are cut on Thursdays\n")
    assert (second.id, second.verdict) == (first.id, "same")
    assert len(db.read(memories.evidence, first.id)) == 2


def test_the_same_text_of_another_user_or_workspace_is_another_memory(db: Database) -> None:
    ids = {add(db, "Tabs, not spaces", scope=scope)[0].id for scope in (SCOPE, OTHER)}
    assert len(ids) == 2


def test_what_the_agent_adds_is_the_users_only_where_they_said_it(db: Database) -> None:
    said = PromptSubmitted(
        Sender("claude-code", "s", "p", None, None, T0),
        "Remember: the staging database is reset every night.",
    )
    here = Scope("me", None, "s", "claude-code")
    remember(said, Located(here), db=db, now=T0, cut=cutter.load())
    (quoted,) = add(db, "the staging database is reset every night", scope=here)
    (thought,) = add(db, "the staging database is reset every day", scope=here)
    assert (fetch(db, quoted.id).origin, fetch(db, thought.id).origin) == ("user", "agent")


def test_messages_are_the_turns_they_are(db: Database) -> None:
    messages = [
        {"role": "user", "content": "Which port does the API use?"},
        {"role": "tool", "content": "PORT=8377"},
        {"role": "assistant", "content": "8377."},
        {"role": "user", "content": "And the admin page?"},
        {"role": "assistant", "content": "8378."},
    ]
    added = add(db, None, messages=messages)
    assert [fetch(db, a.id).text for a in added] == [
        "Which port does the API use?\n\n8377.",
        "And the admin page?\n\n8378.",
    ]


@pytest.mark.parametrize(
    ("request_", "sentence"),
    [
        ({"content": ""}, "empty"),
        ({"content": " \n\t"}, "empty"),
        ({"content": None}, "either content"),
        ({"content": "x", "messages": [{"role": "user", "content": "y"}]}, "not both"),
        ({"content": "x" * (CONTENT_CHARS + 1)}, "limit"),
        ({"content": "x", "importance": 1.1}, "from 0 to 1"),
        ({"content": "x", "importance": float("nan")}, "from 0 to 1"),
        ({"content": "x", "expires_at": T0 - 1}, "past"),
        ({"content": "x", "scene": "cooking"}, "chat, working or coding"),
        ({"content": "x", "kind": "opinion"}, "use one of"),
        ({"content": None, "messages": []}, "entries"),
        ({"content": None, "messages": [{"role": "assistant", "content": "y"}]}, "user message"),
        ({"content": None, "messages": [{"role": "boss", "content": "y"}]}, "role"),
        ({"content": None, "messages": [{"role": "user", "content": ""}]}, "empty"),
        ({"content": None, "messages": [{"role": "user"}]}, "empty"),
        (
            {"content": None, "messages": [{"role": "user", "content": "half \ud800 a mark"}]},
            "half a character",
        ),
    ],
)
def test_what_cannot_be_kept_is_refused_with_nothing_written(
    db: Database, request_: dict[str, Any], sentence: str
) -> None:
    before = rows(db)
    with pytest.raises(BadInput, match=sentence):
        add(db, **request_)
    assert rows(db) == before


def test_a_turn_is_not_something_to_add(db: Database) -> None:
    with pytest.raises(NotYet, match="messages"):
        add(db, "x", kind="turn")


def test_a_correction_is_a_new_version_and_the_old_one_stays(db: Database) -> None:
    (added,) = add(db, "Releases are cut on Thursdays")
    new = change(db, added.id, content="Releases are cut on Fridays")
    old, current = fetch(db, added.id), fetch(db, new)
    assert (old.retired_why, current.root, current.text) == (
        "corrected",
        old.root,
        "Releases are cut on Fridays",
    )
    assert [v.id for v in db.read(memories.versions, old.root)] == [added.id, new]
    assert (found(db, "thursdays"), found(db, "fridays")) == ([], [new])
    with pytest.raises(BadInput, match="retired"):
        change(db, added.id, content="Releases are cut on Mondays")


def test_a_retired_memory_is_not_found_but_can_be_brought_back(db: Database) -> None:
    (added,) = add(db, "Releases are cut on Thursdays")
    retire(added.id, scope=SCOPE, db=db, now=T0 + 1)
    assert found(db, "thursdays") == []
    with pytest.raises(BadInput, match="already"):
        retire(added.id, scope=SCOPE, db=db, now=T0 + 2)
    back = change(db, added.id, restore=True)
    assert found(db, "thursdays") == [back]
    assert fetch(db, back).retired_at is None


def test_restoring_an_old_version_takes_the_place_of_the_current_one(db: Database) -> None:
    (added,) = add(db, "Releases are cut on Thursdays")
    new = change(db, added.id, content="Releases are cut on Fridays")
    back = change(db, added.id, restore=True)
    live = [v.id for v in db.read(memories.versions, fetch(db, added.id).root) if v.retired_at is None]
    assert (live, found(db, "fridays"), found(db, "thursdays")) == ([back], [], [back])
    assert new != back


@pytest.mark.parametrize(
    ("change_", "sentence"),
    [
        ({}, "what to change"),
        ({"content": "  "}, "empty"),
        ({"importance": -1}, "from 0 to 1"),
        ({"restore": True}, "nothing to restore"),
    ],
)
def test_a_change_that_cannot_be_made_writes_nothing(
    db: Database, change_: dict[str, Any], sentence: str
) -> None:
    (added,) = add(db, "Releases are cut on Thursdays")
    before = rows(db)
    with pytest.raises(BadInput, match=sentence):
        change(db, added.id, **change_)
    assert rows(db) == before


@pytest.mark.parametrize("id_", [0, -1, 999, 2**62])
def test_an_unknown_memory_cannot_be_changed(db: Database, id_: int) -> None:
    with pytest.raises(NotFound, match="a search lists ids"):
        change(db, id_, content="x")


def test_another_users_memory_is_not_there(db: Database) -> None:
    (added,) = add(db, "Releases are cut on Thursdays", scope=OTHER)
    with pytest.raises(NotFound, match="no memory"):
        change(db, added.id, content="x")
    with pytest.raises(NotFound, match="no memory"):
        retire(added.id, scope=SCOPE, db=db, now=T0)


def test_the_file_itself_refuses_to_change_a_memory(db: Database) -> None:
    (added,) = add(db, "Releases are cut on Thursdays")
    import apsw

    with pytest.raises(apsw.ConstraintError, match="never changed"):
        db.write(lambda con: con.execute("update memory set text = 'x' where id = ?", (added.id,)))
    retire(added.id, scope=SCOPE, db=db, now=T0)
    with pytest.raises(apsw.ConstraintError, match="retired once"):
        db.write(lambda con: con.execute("update memory set retired_at = null, retired_why = null"))


def test_what_has_expired_or_ended_may_be_said_again(db: Database) -> None:
    (first,) = add(db, "The theme is dark", expires_at=T0 + 5)
    (again,) = keep(Request(SCOPE, "The theme is dark"), db=db, now=T0 + 10, cut=cutter.load())
    assert (again.verdict, again.id != first.id) == ("stored", True)


@pytest.mark.parametrize(
    "content",
    ["<private>all of it</private>", "\u200b\u200b", '<backstory-memory nonce="1">x</backstory-memory>'],
)
def test_what_says_nothing_of_its_own_is_refused(db: Database, content: str) -> None:
    with pytest.raises(BadInput, match="empty"):
        add(db, content)


def test_a_restored_memory_keeps_its_evidence(db: Database) -> None:
    (added,) = add(db, "Releases are cut on Thursdays")
    retire(added.id, scope=SCOPE, db=db, now=T0 + 1)
    back = change(db, added.id, restore=True)
    assert [s.quote for s in db.read(memories.evidence, back)] == ["Releases are cut on Thursdays"]
