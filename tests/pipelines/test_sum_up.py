"""A session that is over is summed up: what was asked, by rule, within bounds; by a model where there is one."""

from __future__ import annotations

import apsw
import pytest
from backstory.pipelines import sum_up
from backstory.pipelines.extract.work_text import width
from backstory.pipelines.llm import Model
from backstory.store import cutter, memories, workspaces
from backstory.store.db import Database
from backstory.store.models import Memory
from backstory.store.rows import fetch

from ..model_server import ModelServer, Reply, refuses, says
from .asking_a_model import KEY, settings
from .clients_at_work import Client

ASKED = (
    "Fix the flaky upload test.",
    "Add a retry loop to the uploader.",
    "Write the changelog entry.",
    "Tag 1.4.0.",
)
CHINESE = ("修复偶发失败的上传测试。", "给上传器加一个重试循环。", "写更新日志。", "打 1.4.0 的标签。")


def summaries(con: apsw.Connection) -> list[Memory]:
    sql = f"select {memories.COLUMNS} from memory where kind = 'summary' and retired_at is null order by id"
    return [memories.from_row(row) for row in fetch(con, sql, ())]


def session(db: Database, *asked: str) -> Client:
    workspace = db.write(workspaces.register, [("folder", "/repo")], "repo", now=1)
    client = Client(db, workspace=workspace)
    for number, words in enumerate(asked):
        client.asks(words)
        client.edits("src/upload.py", f"tests/test_{number}.py")
        client.replies()
        client.rests()
    return client


def ends(client: Client) -> None:
    client.ends()
    client.rests()


@pytest.mark.parametrize(("asked", "head"), [(ASKED, "Session of 4 turns"), (CHINESE, "会话（4 轮）")])
def test_a_session_that_has_ended_is_summed_up(db: Database, asked: tuple[str, ...], head: str) -> None:
    client = session(db, *asked)
    assert db.read(summaries) == []
    ends(client)
    (summary,) = db.read(summaries)
    assert summary.text.startswith(head)
    assert all(words.rstrip(".。") in summary.text for words in asked)
    assert "src/upload.py" in summary.text
    assert [s.quote for s in db.read(memories.evidence, summary.id)] == [
        words.rstrip(".。") for words in asked
    ]


def test_one_that_says_nothing_for_hours_is_over(db: Database) -> None:
    client = session(db, *ASKED)
    client.rests(3_600)
    assert db.read(summaries) == []
    client.rests(2 * 3_600)
    assert len(db.read(summaries)) == 1


def test_one_that_goes_on_later_is_summed_up_again(db: Database) -> None:
    client = session(db, *ASKED)
    ends(client)
    client.asks("Publish the release notes as well.")
    client.edits("notes.md")
    client.replies()
    client.rests()
    ends(client)
    (summary,) = db.read(summaries)
    assert "5 turns" in summary.text
    assert len(db.read(memories.versions, summary.root)) == 2


def test_a_short_session_is_told_by_its_turns(db: Database) -> None:
    client = session(db, *ASKED[:2])
    ends(client)
    assert db.read(summaries) == []


def test_a_long_one_keeps_its_ends_and_stays_within_bounds(db: Database) -> None:
    client = session(
        db, *(f"Request number {n}: {'do something rather particular ' * 2}now." for n in range(30))
    )
    ends(client)
    (summary,) = db.read(summaries)
    assert width(summary.text) <= sum_up.TEXT_WIDTH
    assert "number 0" in summary.text
    assert "number 29" in summary.text
    assert "more" in summary.text


@pytest.mark.parametrize(
    ("reply", "by"),
    [
        (
            says({
                "text": "We fixed the flaky upload test and added a retry loop to the uploader.", "turn": 1,
                "quote": "Fix the flaky upload test", "keys_en": ["upload"], "keys_zh": ["上传"],
            }),
            "model",
        ),
        (says({"text": "We moved to Kubernetes 1.31.", "turn": 1, "quote": "Fix the flaky upload test"}), "rules"),
        (refuses(500), "rules"),
    ],
)  # fmt: skip
def test_a_model_tells_it_better_or_the_rules_do(db: Database, reply: Reply, by: str) -> None:
    client = session(db, *ASKED)
    client.ends()
    client.now += 60_000_000
    with ModelServer([reply]) as server:
        model = Model(settings(server.url), db, key=KEY, chance=lambda: 0.5)
        while sum_up.step(db, model, "me", cut=cutter.load(), now=client.now):
            pass
        model.close()
        assert len(server.asked) == 1
    (summary,) = db.read(summaries)
    assert summary.data["by"] == by
