"""A turn with tool calls leaves one fact, in the line of its task, and an experience where something was learned."""

from __future__ import annotations

import apsw
import pytest
from backstory.pipelines import correct
from backstory.store import memories, workspaces
from backstory.store.clock import DAY_US
from backstory.store.db import Database
from backstory.store.models import Memory, Scope
from backstory.store.rows import fetch

from .clients_at_work import Client, take_out

ERROR = "E       ModuleNotFoundError: No module named 'tomli'"


def live(con: apsw.Connection, kind: str = "fact", *, slot: str = "did:*") -> list[Memory]:
    sql = f"select {memories.COLUMNS} from memory where kind = ? and slot glob ? and retired_at is null order by id"
    return [memories.from_row(row) for row in fetch(con, sql, (kind, slot))]


@pytest.fixture
def workspace(db: Database) -> int:
    return db.write(workspaces.register, [("folder", "/repo")], "repo", now=1)


def test_a_turn_with_tool_calls_leaves_one_fact_with_its_coordinates(db: Database, workspace: int) -> None:
    client = Client(db, workspace=workspace, branch="fix/upload")
    client.asks("Fix the flaky upload test.")
    client.edits("tests/test_upload.py")
    client.runs("pytest tests/test_upload.py", "12 passed in 0.1s")
    client.replies()
    client.rests()
    (did,) = db.read(live)
    assert did.scene == "coding"
    assert (did.data["files"], did.data["branch"]) == (["tests/test_upload.py"], "fix/upload")
    assert did.data["commands"][0]["command"] == "pytest tests/test_upload.py"
    assert did.data["tests"] == {"passed": 12, "failed": 0}
    assert "Fix the flaky upload test" in did.text
    assert did.text.count("tests/test_upload.py") >= 1
    assert db.read(memories.evidence, did.id)[0].quote == "Fix the flaky upload test"


def test_a_turn_without_tool_calls_leaves_none(db: Database, workspace: int) -> None:
    client = Client(db, workspace=workspace)
    client.asks("What does an upload test look like?")
    client.replies("Like this.")
    client.rests()
    assert db.read(live) == []


def test_drawn_from_twice_a_turn_leaves_the_same(db: Database, workspace: int) -> None:
    client = Client(db, workspace=workspace)
    client.asks("Fix the flaky upload test.")
    client.edits("a.py")
    turn = client.replies()
    client.rests()
    before = [(m.id, m.text) for m in db.read(live)]
    client.again(turn)
    assert [(m.id, m.text) for m in db.read(live)] == before


def test_what_is_told_after_the_end_of_a_turn_makes_its_fact_better(db: Database, workspace: int) -> None:
    client = Client(db, workspace=workspace)
    client.asks("Fix the flaky upload test.")
    client.edits("a.py")
    client.replies()
    client.rests()
    client.edits("b.py")
    client.rests()
    (did,) = db.read(live)
    assert did.data["files"] == ["a.py", "b.py"]
    assert [m.data["files"] for m in db.read(memories.versions, did.root)] == [["a.py"], ["a.py", "b.py"]]


def test_a_failure_that_was_overcome_is_an_experience_linked_to_the_fact(
    db: Database, workspace: int
) -> None:
    client = Client(db, workspace=workspace)
    client.asks("Make the config loader tests pass.")
    client.runs("pytest tests/test_config.py", ERROR, ok=False)
    client.edits("pyproject.toml")
    client.runs("pytest tests/test_config.py", "4 passed in 0.2s")
    client.replies("The tests need tomli on Python 3.10, so I added it to the dev extra.")
    client.rests()
    (did,), (learned,) = db.read(live), db.read(live, "experience", slot="learned:*")
    assert "No module named 'tomli'" in learned.text
    assert "pyproject.toml" in learned.text
    links = db.read(fetch, "select source, target, kind from link", ())
    assert (learned.id, did.id, "derived_from") in links
    assert any(ERROR.strip()[8:30] in s.quote for s in db.read(memories.evidence, learned.id))


def test_the_same_failure_again_makes_the_experience_better(db: Database, workspace: int) -> None:
    for number, fix in enumerate(("pyproject.toml", "requirements.txt")):
        client = Client(db, session=f"s{number}", workspace=workspace)
        client.now += number * DAY_US
        client.asks("Make the config loader tests pass.")
        client.runs("pytest tests/test_config.py", ERROR, ok=False)
        client.edits(fix)
        client.runs("pytest tests/test_config.py", "4 passed in 0.2s")
        client.replies()
        client.rests()
    (learned,) = db.read(live, "experience", slot="learned:*")
    assert "requirements.txt" in learned.text
    assert len(db.read(memories.versions, learned.root)) == 2
    turns = {s.turn for s in db.read(memories.evidence, learned.id)}
    assert len(turns) == 2


def test_the_same_task_in_another_client_is_one_line(db: Database, workspace: int) -> None:
    first = Client(db, source="claude-code", session="a", workspace=workspace, branch="feat/retry")
    first.asks("Add a retry loop to the fetch function.")
    first.edits("net/fetch.py")
    first.replies()
    first.rests()
    second = Client(db, source="cursor", session="b", workspace=workspace, branch="feat/retry")
    second.now = first.now + DAY_US
    second.asks("The retry loop should back off exponentially.")
    second.edits("net/fetch.py", "tests/test_fetch.py")
    second.replies()
    second.rests()
    before, after = db.read(live)
    assert db.read(fetch, "select source, target from link where kind = 'same_task'", ()) == [
        (after.id, before.id)
    ]
    line = after.data["line"]
    assert (line["first"], line["n"]) == (before.root, 2)
    assert line["steps"] == ["Add a retry loop to the fetch function"]


def test_another_task_is_another_line(db: Database, workspace: int) -> None:
    client = Client(db, workspace=workspace)
    client.asks("Add a retry loop to the fetch function.")
    client.edits("net/fetch.py")
    client.replies()
    client.rests()
    other = Client(db, session="s2", workspace=workspace)
    other.now = client.now + DAY_US
    other.asks("Rename the settings page to preferences.")
    other.edits("ui/settings.tsx")
    other.replies()
    other.rests()
    assert db.read(fetch, "select 1 from link where kind = 'same_task'", ()) == []


def test_a_long_line_stays_short_and_keeps_where_it_began(db: Database, workspace: int) -> None:
    client = Client(db, workspace=workspace)
    for number in range(12):
        client.asks(f"Step {number} of the migration of the billing tables to the new schema, please do it.")
        client.edits("db/billing.sql")
        client.replies()
        client.rests()
    line = db.read(live)[-1].data["line"]
    assert line["n"] == 12
    assert line["steps"][0].startswith("Step 0")
    assert line["steps"][-1].startswith("Step 10")
    assert sum(map(len, line["steps"])) <= 400


def test_a_scheduled_run_leaves_what_it_did_and_nobodys_preference(db: Database, workspace: int) -> None:
    client = Client(db, workspace=workspace, kind="scheduled")
    client.asks("I prefer tabs over spaces. Update the lock file.")
    client.runs("uv lock", "")
    client.replies()
    client.rests()
    assert len(db.read(live)) == 1
    assert db.read(live, "profile", slot="*") == []


def test_a_preference_changed_in_another_client_takes_the_place_of_the_old(db: Database) -> None:
    one, other = Client(db, source="claude-code"), Client(db, source="cursor", session="s2")
    one.asks("I prefer dark mode.")
    one.replies()
    one.rests()
    other.now = one.now + DAY_US
    other.asks("I prefer light mode now.")
    other.replies()
    other.rests()
    current = [m for m in db.read(live, "profile", slot="*") if m.valid_to is None]
    assert [(m.scope.source, m.data["value"]) for m in current] == [("cursor", "light mode")]


@pytest.mark.parametrize("words", ["Remind me to renew the certificate tomorrow.", "提醒我明天更新证书。"])
def test_a_plan_is_a_plain_fact_once_its_day_is_over(db: Database, words: str) -> None:
    client = Client(db)
    client.asks(words)
    client.replies()
    client.rests()
    (plan,) = db.read(live, "intention", slot="*")
    client.rests(3 * 86_400)
    assert db.read(live, "intention", slot="*") == []
    (fact,) = db.read(live, "fact", slot="*")
    assert (fact.root, fact.text, fact.expires_at) == (plan.root, plan.text, None)


@pytest.mark.parametrize(
    ("tasks", "corrections"),
    [
        (
            ("Install the date library.", "Install the chart library."),
            ("No, use pnpm, not npm.", "No, use pnpm instead of npm."),
        ),
        (
            ("安装日期库。", "安装图表库。"),
            ("不对，应该用 pnpm，不要用 npm。", "不对，要用 pnpm，别用 npm。"),
        ),
    ],
)
def test_the_same_correction_twice_is_a_wish_held_with_little_confidence(
    db: Database, workspace: int, tasks: tuple[str, ...], corrections: tuple[str, ...]
) -> None:
    for number, (task, correction) in enumerate(zip(tasks, corrections, strict=True)):
        client = Client(db, session=f"s{number}", workspace=workspace)
        client.now += number * DAY_US
        client.asks(task)
        client.runs("npm install dayjs", "added 1 package")
        client.replies()
        client.asks(correction)
        client.runs("pnpm add dayjs", "done")
        client.replies()
        client.rests()
        wishes = db.read(live, "profile", slot="implied:*")
        assert len(wishes) == number
    (wish,) = wishes
    assert wish.confidence <= 0.5
    assert "pnpm" in wish.text
    assert {s.turn for s in db.read(memories.evidence, wish.id)}


@pytest.mark.parametrize("how", ["by hand", "in words", "closed"])
def test_what_was_taken_out_does_not_come_back_when_the_turn_is_drawn_from_again(
    db: Database, how: str
) -> None:
    client = Client(db)
    client.asks("I prefer dark mode.")
    turn = client.replies()
    client.rests()
    (made,) = db.read(live, "profile", slot="*")
    take_out(db, client, made, how)
    client.again(turn)
    assert [m for m in db.read(live, "profile", slot="*") if m.valid_to is None] == []


def test_nothing_is_drawn_from_a_turn_that_was_taken_out(db: Database) -> None:
    client = Client(db)
    client.asks("I prefer dark mode.")
    turn = client.replies()
    (record,) = db.read(live, "turn", slot="*") or db.read(turn_memory, turn)
    take_out(db, client, record, "by hand")
    client.rests()
    assert db.read(live, "profile", slot="*") == []


def turn_memory(con: apsw.Connection, turn: int) -> list[Memory]:
    sql = f"select {memories.COLUMNS} from memory where kind = 'turn' and turn = ?"
    return [memories.from_row(row) for row in fetch(con, sql, (turn,))]


def test_a_fact_of_work_that_was_taken_out_stays_out(db: Database, workspace: int) -> None:
    client = Client(db, workspace=workspace)
    client.asks("Fix the flaky upload test.")
    client.edits("a.py")
    client.replies()
    client.rests()
    take_out(db, client, db.read(live)[0], "by hand")
    client.edits("b.py")
    client.rests()
    assert db.read(live) == []


def test_to_forget_touches_only_what_was_said_before(db: Database) -> None:
    client = Client(db)
    client.asks("Forget what I said about dark mode.")
    turn = client.replies()
    client.rests()
    client.asks("I prefer dark mode.")
    client.replies()
    client.rests()
    client.again(turn)
    assert len(db.read(live, "profile", slot="*")) == 1


def test_what_is_drawn_again_adds_no_history(db: Database) -> None:
    client = Client(db)
    turns = []
    for mode in ("dark", "light", "dark"):
        client.asks(f"I prefer {mode} mode.")
        turns.append(client.replies())
        client.rests()
    before = db.read(fetch, "select count(*) from memory", ())
    for turn in (*turns, turns[1]):
        client.again(turn)
    assert db.read(fetch, "select count(*) from memory", ()) == before


def test_a_clock_that_went_back_does_not_make_the_newer_older(db: Database) -> None:
    client = Client(db, now=Client(db).now + 3_600_000_000)
    client.asks("I prefer dark mode.")
    client.replies()
    client.rests()
    client.now -= 3_600_000_000
    client.asks("I prefer light mode.")
    client.replies()
    client.rests()
    current = [m.data["value"] for m in db.read(live, "profile", slot="*") if m.valid_to is None]
    assert current == ["light mode"]


def test_two_workspaces_that_are_found_to_be_one_have_one_value(db: Database, workspace: int) -> None:
    other = db.write(workspaces.register, [("folder", "/clone")], "clone", now=1)
    for number, (place, tool) in enumerate(((workspace, "npm"), (other, "yarn"))):
        client = Client(db, session=f"s{number}", workspace=place)
        client.now += number * DAY_US
        client.asks(f"This project uses {tool}.")
        client.replies()
        client.rests()
    db.write(workspaces.unite, workspace, other)
    client = Client(db, session="s9", workspace=workspace)
    client.now += 9 * DAY_US
    client.asks("This project uses pnpm.")
    client.replies()
    client.rests()
    said = [m for kind in ("fact", "profile") for m in db.read(live, kind, slot="*")]
    tools = [m.data["value"] for m in said if m.valid_to is None and m.slot == said[0].slot]
    assert tools == ["pnpm"]


def test_what_was_corrected_by_hand_is_met_by_what_is_said_later(db: Database) -> None:
    client = Client(db)
    client.asks("I prefer tabs over spaces.")
    client.replies()
    client.rests()
    (made,) = db.read(live, "profile", slot="*")
    scope = Scope("me", None, client.session, client.source)
    correct.correct(
        made.id, scope=scope, db=db, now=client.now, cut=None, content="I prefer two spaces, never tabs."
    )
    client.asks("I prefer tabs over spaces again.")
    client.replies()
    client.rests()
    (current,) = [m for m in db.read(live, "profile", slot="*") if m.valid_to is None]
    assert current.data["value"] == "tabs"


@pytest.mark.parametrize(
    "words", ["My PIN is on the fridge, don't remember this.", "我的密码贴在冰箱上，别记住这个。"]
)
def test_a_turn_that_is_not_to_be_remembered_leaves_nothing_in_recall(
    db: Database, workspace: int, words: str
) -> None:
    client = Client(db, workspace=workspace)
    client.asks(words)
    client.runs("ls", "pay.py")
    client.replies()
    client.rests()
    assert db.read(fetch, "select kind from memory where retired_at is null", ()) == []


def says(db: Database, *prompts: str) -> list[Memory]:
    """What is live of a user's statements after these prompts, a day between them."""
    client = Client(db)
    for words in prompts:
        client.asks(words)
        client.replies()
        client.rests()
        client.now += DAY_US // 4
    kinds = ("profile", "fact", "intention")
    return [m for kind in kinds for m in db.read(live, kind, slot="*") if m.valid_to is None]


@pytest.mark.parametrize(
    ("prompts", "values"),
    [
        (("I don't like tabs.", "I like tabs."), [("tabs", "affirmed")]),
        (("I like tabs.", "I don't like tabs."), [("tabs", "negated")]),
        (
            (
                "From now on, always write comments in English.",
                "From now on, always write comments in Chinese.",
            ),
            1,
        ),
        (("Always answer in German.", "Stop answering in German."), [("German", "negated")]),
        (("I live in Lyon.", "Sorry, I meant Nice, not Lyon."), [("Nice", "affirmed")]),
        (("我住在成都。", "不对，我说的是重庆，不是成都。"), [("重庆", "affirmed")]),
    ],
)
def test_what_is_said_later_of_the_same_thing_stands_alone(
    db: Database, prompts: tuple[str, ...], values: list[tuple[str, str]] | int
) -> None:
    found = [(str(m.data["value"]), m.data["polarity"]) for m in says(db, *prompts)]
    assert found == values if isinstance(values, list) else len(found) == values


def test_a_plan_that_is_moved_is_one_plan(db: Database) -> None:
    moved = ("The release is on Friday.", "The release is on Monday instead.")
    (plan,) = says(db, *moved)
    assert plan.kind == "intention"
    assert "Monday" in plan.text


def test_a_plan_that_is_called_off_is_a_plain_fact(db: Database) -> None:
    (off,) = says(db, "The release is on Friday.", "The release was cancelled.")
    assert (off.kind, off.data["polarity"]) == ("fact", "negated")


def test_what_nobody_said_is_not_corrected(db: Database) -> None:
    assert says(db, "Sorry, I meant Nice, not Lyon.") == []
