"""The act that an order speaks of, in both languages, and whether it must, must not, may or need not be done."""

from __future__ import annotations

import pytest
from backstory.pipelines.extract.acts import ENDS, Act, act


@pytest.mark.parametrize(
    ("text", "force", "words"),
    [
        ("Never deploy on Fridays", "must not", "deploy on Fridays"),
        ("From now on don't deploy on Fridays.", "must not", "deploy on Fridays"),
        ("Deploying on Fridays is no longer allowed", "must not", "Deploying on Fridays"),
        ("Stop using semicolons", "must not", "using semicolons"),
        ("You should never push to main", "must not", "push to main"),
        ("Always use semicolons", "must", "use semicolons"),
        ("Start using semicolons again", "must", "using semicolons"),
        ("You can deploy on Fridays now", "may", "deploy on Fridays"),
        ("It's ok to deploy on Fridays again", "may", "deploy on Fridays"),
        ("Deploying on Fridays is fine again", "may", "Deploying on Fridays"),
        ("Feel free to use emojis", "may", "use emojis"),
        ("You don't need to use semicolons any more", "need not", "use semicolons"),
        ("There's no need to run the tests any more", "need not", "run the tests"),
        ("Running the tests first is no longer necessary", "need not", "Running the tests first"),
        ("以后周五不要部署", "must not", "周五部署"),
        ("永远不要推送到 main", "must not", "推送到 main"),
        ("以后都要加分号", "must", "加分号"),
        ("每次提交前先跑测试", "must", "提交前跑测试"),
        ("以后周五可以部署了", "may", "周五部署"),
        ("周五部署没问题了", "may", "周五部署"),
        ("不用再加分号了", "need not", "加分号"),
        ("以后提交前不用跑测试了", "need not", "提交前跑测试"),
    ],
)
def test_an_order_is_its_act_and_its_force(text: str, force: str, words: str) -> None:
    found = act(text)
    assert found is not None
    assert (found.force, found.words) == (force, words)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "you could use semicolons in SQL",
        "can you deploy on Fridays?",
        "use tabs",
        "The tests fail",
        "周五部署",
        "加分号",
    ],
)
def test_what_orders_nothing_has_no_act(text: str) -> None:
    assert act(text) is None


@pytest.mark.parametrize(
    ("text", "lasting"),
    [
        ("You can push to main now", False),
        ("You can push to main again", True),
        ("From now on you can push to main", True),
        ("You can deploy on Fridays now", True),
        ("You can use emojis now", True),
        ("可以推送到 main 了", False),
        ("以后可以推送到 main 了", True),
        ("周五可以部署了", False),
        ("周五又可以部署了", True),
        ("可以用分号了", True),
    ],
)
def test_what_may_be_allowed_for_one_time_does_not_last(text: str, lasting: bool) -> None:
    found = act(text)
    assert found is not None
    assert found.lasting is lasting


def test_what_need_not_be_done_says_nothing_of_what_must_not_be() -> None:
    assert "must not" not in ENDS["need not"]
    assert "must" not in ENDS["may"]
    assert Act("x", "may") != Act("x", "must")
