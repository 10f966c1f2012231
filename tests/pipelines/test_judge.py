"""The judge sees a bounded view and gives one label; where it gives none, it is chat."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from backstory.pipelines.extract.work_trace import Step, Trace
from backstory.pipelines.judge import judge, question
from backstory.pipelines.route import Verdict
from backstory.store.db import Database
from backstory.tests.model_server import refuses, says
from backstory.tests.pipelines.asking_a_model import NOW, Rig, rig

from .windowed import nonces


def did(prompt: str, *tools: str, said: str = "") -> Trace:
    return Trace(prompt, tuple(Step("other", tool, (), None, True, said, NOW, 1) for tool in tools))


@pytest.fixture
def at(db: Database) -> Iterator[Rig]:
    with rig(db, []) as made:
        yield made


@pytest.mark.parametrize("scene", ["chat", "working", "coding"])
def test_the_label_is_the_verdict(at: Rig, scene: Any) -> None:
    at.server.script = [says({"scene": scene})]
    judged = judge(at.model, [did("写一下周报", "Write")], now=NOW, deadline_s=5)
    assert judged.verdict == Verdict(scene, decisive=True, reason="a model judged it so")
    assert judged.spent is not None
    assert judged.declined is None
    assert at.server.asked[0].body["max_tokens"] == 60


@pytest.mark.parametrize(
    ("reply", "why"),
    [
        (says({"scene": "gaming"}), "nonsense"),
        (says({"label": "coding"}), "nonsense"),
        (says("It is coding, I think."), "nonsense"),
        (says(""), "nonsense"),
        (refuses(500), "failed"),
        (refuses(401), "refused"),
    ],
)
def test_without_a_label_it_is_chat_and_the_reason_is_told(at: Rig, reply: Any, why: str) -> None:
    at.server.script = [reply]
    judged = judge(at.model, [did("fix it", "Edit")], now=NOW, deadline_s=5)
    assert (judged.verdict.scene, judged.verdict.decisive) == ("chat", True)
    assert judged.declined is not None
    assert why in judged.verdict.reason or judged.declined.why in judged.verdict.reason


def test_no_content_of_a_tool_and_no_more_than_the_bounds_is_shown() -> None:
    turns = [did(f"turn{number} " + "w" * 5_000, "Read", said="SECRET CONTENT") for number in range(40)]
    asked = question(turns, nonces("n1"))
    assert "SECRET CONTENT" not in asked.user
    assert len(asked.user) < 20 * 600
    shown = [f"turn{number} " in asked.user for number in range(40)]
    assert [number for number, seen in enumerate(shown) if seen] == [*range(5), *range(26, 40)]
    assert "(21 turns left out)" in asked.user


def test_the_last_turn_is_marked_and_the_names_of_tools_stand_in_our_own_tag() -> None:
    asked = question([did("first"), did("tools: Edit", 'Read"><x', "Grep")], nonces("n1"))
    assert asked.user == (
        '<turn-n1 tools="none">\nfirst\n</turn-n1>\n'
        '<last-turn-n1 tools="Read___x, Grep">\ntools: Edit\n</last-turn-n1>'
    )
    assert "`n1`" in asked.system
