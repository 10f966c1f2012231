"""The stories of orders and plans that are over, in both languages: allowed again, called off, put off, carried out."""

from __future__ import annotations

import json

import pytest

from .stories import Story

# --- standing orders


FRIDAYS, SEMICOLONS, TESTS = (
    "Never deploy on Fridays.",
    "Always use semicolons.",
    "Always run the tests before committing.",
)
EACH_COMMIT = "每次提交前都要跑测试。"


@pytest.mark.parametrize(
    ("order", "over"),
    [
        (FRIDAYS, "You can deploy on Fridays now."),
        (FRIDAYS, "Deploying on Fridays is fine again."),
        (FRIDAYS, "OK, it's fine to deploy on Fridays again."),
        ("Don't deploy on Fridays from now on.", "You can deploy on Fridays again."),
        (SEMICOLONS, "Stop using semicolons."),
        (SEMICOLONS, "You don't need to use semicolons any more."),
        (SEMICOLONS, "Don't use semicolons any more."),
        ("Stop using semicolons.", "You can use semicolons again."),
        (TESTS, "You don't have to run the tests before committing any more."),
        (TESTS, "No need to run tests before commits any more."),
        ("Retry is on by default.", "Retry is off by default."),
        ("以后周五不要部署。", "以后周五可以部署了"),
        ("以后周五不要部署。", "周五部署没问题了"),
        ("以后不要在周五部署。", "周五又可以部署了"),
        ("以后都要加分号。", "不用再加分号了"),
        ("以后都要加分号。", "以后不要加分号"),
        ("每次提交前先跑测试。", "提交前不用再跑测试了"),
        ("重试默认开启。", "重试默认关闭。"),
    ],
)
def test_an_order_that_is_lifted_or_turned_is_history(story: Story, order: str, over: str) -> None:
    story.on("2026-03-02").says(order)
    before = story.lists()
    assert len(before) == 1
    story.on("2026-04-02").says(over)
    (now,) = story.on("2026-05-01").lists()
    assert now not in before
    assert story.lists(as_of="2026-03-10") == before


@pytest.mark.parametrize(
    ("order", "other"),
    [
        (FRIDAYS, "You can deploy on Mondays now."),
        (FRIDAYS, "You can release on Fridays now."),
        (FRIDAYS, "You can deploy on Fridays to staging now."),
        (FRIDAYS, "You can deploy this Friday."),
        (FRIDAYS, "You don't have to deploy on Fridays any more."),
        (FRIDAYS, "can you deploy on Fridays?"),
        (FRIDAYS, 'Bob wrote: "You can deploy on Fridays now"'),
        (FRIDAYS, "If you can deploy on Fridays now, tell me."),
        (SEMICOLONS, "you could use semicolons in SQL"),
        (SEMICOLONS, "You can use semicolons now."),
        (SEMICOLONS, "Why did you stop using semicolons?"),
        (TESTS, "You don't have to run the linter before committing any more."),
        (TESTS, "You don't have to run the tests after committing any more."),
        (TESTS, "You don't have to run the tests this time."),
        ("Retry is on by default.", "Caching is off by default."),
        ("以后周五不要部署。", "以后周一可以部署了"),
        ("以后周五不要部署。", "以后周五可以部署吗？"),
        ("以后周五不要部署。", "这周五可以部署"),
        ("以后周五不要部署。", "以后可以部署了"),
        ("以后都要加分号。", "不用再加注释了"),
        ("以后都要加分号。", "不用再加分号了吗？"),
        ("重试默认开启。", "缓存默认关闭。"),
    ],
)
def test_what_is_near_an_order_leaves_it(story: Story, order: str, other: str) -> None:
    story.on("2026-03-02").says(order)
    (before,) = story.lists()
    story.on("2026-04-02").says(other)
    assert before in story.lists()


@pytest.mark.parametrize(
    ("never", "may", "conflict"),
    [
        ("Never push to main.", "You can push to main now.", "says otherwise"),
        ("永远不要推送到 main。", "可以推送到 main 了", "说法不同"),
        ("永远不要强推 main。", "现在可以强推 main 了。", "说法不同"),
        ("永远不要删除日志。", "现在可以删除日志了。", "说法不同"),
        (TESTS, "No need to run the tests before committing.", "says otherwise"),
        (EACH_COMMIT, "提交前不用跑测试了", "说法不同"),
        ("Always write a changelog entry.", "No need to write a changelog entry.", "says otherwise"),
        ("以后都要写注释。", "不用写注释了", "说法不同"),
    ],
)
def test_what_may_be_allowed_for_one_time_stands_beside_the_order_in_conflict(
    story: Story, never: str, may: str, conflict: str
) -> None:
    story.on("2026-03-02").says(never)
    story.on("2026-04-02").says(may)
    assert len(story.lists()) == 2
    assert conflict in story.tool("memory_search", query=never)


@pytest.mark.parametrize(
    ("order", "once"),
    [
        *(
            ("Never push to main.", once)
            for once in (
                "You can push to main now, just this once.", "You can push to main now - one time only.",
                "You may push to main now (one-off).", "Just this once, you can push to main now.",
                "You can push to main now. Just this once.",
            )
        ),
        ("Never use mocks.", "You can use mocks now, just here."),
        ("Never use mocks.", "You can use mocks, it's only a spike."),
        ("Never use mocks.", "You can use mocks again, just for this test."),
        *(
            (TESTS, once)
            for once in (
                "You don't need to run the tests before committing, just this once.",
                "No need to run the tests before committing, it's only a typo.",
                "It's only a typo. No need to run the tests before committing.",
                "You don't have to run the tests before committing, we're in a hurry.",
            )
        ),
        ("Always ask before deleting files.", "No need to ask before deleting files, go ahead."),
        *(
            (EACH_COMMIT, once)
            for once in (
                "提交前不用跑测试了，就改个错字。", "提交前不用跑测试了，只是改个注释。",
                "就改个错字，提交前不用跑测试了。", "提交前不用跑测试了。就这一次。",
                "提交前不用跑测试了，直接提交吧。", "提交前不用跑测试了，赶时间。",
            )
        ),
        ("Always add type hints.", "You don't need to add type hints, it's a throwaway script."),
        ("以后都要写注释。", "不用写注释了，一次性脚本。"),
        ("永远不要用 mock。", "可以用 mock 了，反正是临时的。"),
        ("以后周五不要部署。", "周五部署没问题了，仅此一次。"),
        ("永远不要强推 main。", "现在可以强推 main 了，就这一次。"),
        ("永远不要强推 main。", "现在可以强推 main 了（仅限本次）。"),
        ("以后都要加分号。", "不用加分号了，就这一个文件。"),
    ],
)  # fmt: skip
def test_what_is_allowed_for_one_time_leaves_the_order_alone(story: Story, order: str, once: str) -> None:
    story.on("2026-03-02").says(order)
    before = story.lists()
    story.on("2026-04-02").says(once)
    assert [one for one in story.lists() if one not in plans(story)] == before


@pytest.mark.parametrize(
    ("order", "over"),
    [
        (FRIDAYS, "You can deploy on Fridays now, it's automated."),
        (FRIDAYS, "You can deploy on Fridays again, go ahead."),
        (TESTS, "You don't need to run the tests before committing any more, it's only slowing us down."),
        ("以后周五不要部署。", "以后周五可以部署了，我们有回滚了。"),
        ("永远不要强推 main。", "以后可以强推 main 了。"),
        ("永远不要删除日志。", "以后可以删除日志了。"),
    ],
)
def test_a_reason_why_an_order_is_over_does_not_make_it_of_one_time(
    story: Story, order: str, over: str
) -> None:
    story.on("2026-03-02").says(order)
    (before,) = story.lists()
    story.on("2026-04-02").says(over)
    (now,) = story.lists()
    assert now != before


# --- plans


MEETING, TRIP = "I'm meeting Anna on Friday.", "I'm flying to Berlin next Tuesday."
WITH_ANNA, BERLIN = "周五我要跟安娜开会。", "下周二我要去柏林出差。"


@pytest.mark.parametrize(
    ("plan", "over"),
    [
        (MEETING, "The meeting with Anna is cancelled."),
        (MEETING, "I'm not meeting Anna on Friday after all."),
        (MEETING, "I cancelled the meeting with Anna."),
        (TRIP, "The trip to Berlin is off."),
        (TRIP, "I'm not going to Berlin any more."),
        ("The demo is on Friday.", "The demo is cancelled."),
        (WITH_ANNA, "取消了跟安娜的会"),
        (WITH_ANNA, "跟安娜的会取消了。"),
        (BERLIN, "柏林不去了"),
        (BERLIN, "去柏林的行程取消了"),
    ],
)
def test_a_plan_that_is_off_is_no_plan(story: Story, plan: str, over: str) -> None:
    story.on("2026-03-04").says(plan)  # a Wednesday
    before = story.lists()
    story.on("2026-03-05").says(over)
    assert plans(story) == []
    assert len(story.lists()) == 1
    assert story.lists(as_of="2026-03-04") == before


@pytest.mark.parametrize(
    ("plan", "done"),
    [
        (MEETING, "I met Anna."),
        (MEETING, "I had the meeting with Anna."),
        (WITH_ANNA, "跟安娜开完会了"),
        (WITH_ANNA, "我见过安娜了"),
    ],
)
def test_a_plan_that_was_carried_out_is_over_on_its_day_and_not_before(
    story: Story, plan: str, done: str
) -> None:
    story.on("2026-03-04").says(plan)
    story.on("2026-03-05").says(done)
    assert len(plans(story)) == 1
    story.on("2026-03-06").says(done)
    assert plans(story) == []


@pytest.mark.parametrize(
    ("plan", "moved", "day"),
    [
        (MEETING, "The meeting with Anna is moved to Monday.", "2026-03-09"),
        (MEETING, "I'm meeting Anna on Monday instead.", "2026-03-09"),
        (TRIP, "The trip to Berlin is postponed to next Thursday.", "2026-03-12"),
        (WITH_ANNA, "跟安娜的会改到下周一了", "2026-03-09"),
        (WITH_ANNA, "跟安娜的会推迟到下周一", "2026-03-09"),
    ],
)
def test_a_plan_that_is_put_off_is_for_the_new_day(story: Story, plan: str, moved: str, day: str) -> None:
    story.on("2026-03-04").says(plan)
    story.on("2026-03-05").says(moved)
    (now,) = plans(story)
    assert day in now


@pytest.mark.parametrize(
    ("plan", "other"),
    [
        (MEETING, "The meeting with Bob is cancelled."),
        (MEETING, "The call with Anna is cancelled."),
        (MEETING, "I'm not meeting Anna on Monday."),
        (MEETING, "Is the meeting with Anna cancelled?"),
        (MEETING, "If the meeting with Anna is cancelled, tell me."),
        (MEETING, "The trip to Berlin is off."),
        (TRIP, "The cache is off."),
        (WITH_ANNA, "取消了跟小王的会"),
        (WITH_ANNA, "跟安娜的会取消了吗？"),
        (WITH_ANNA, "跟安娜的饭局取消了"),
        (BERLIN, "东京不去了"),
    ],
)
def test_what_is_said_of_another_plan_leaves_this_one(story: Story, plan: str, other: str) -> None:
    story.on("2026-03-04").says(plan)
    (before,) = plans(story)
    story.on("2026-03-05").says(other)
    assert before in plans(story)


@pytest.mark.parametrize(
    "two", [(MEETING, "I'm meeting Anna on Monday."), (WITH_ANNA, "下周一我要跟安娜开会。")]
)
def test_of_two_plans_that_may_be_meant_neither_ends(story: Story, two: tuple[str, str]) -> None:
    story.on("2026-03-04").says(two[0])
    story.says(two[1])
    story.on("2026-03-05").says(
        "取消了跟安娜的会" if "安娜" in two[0] else "The meeting with Anna is cancelled."
    )
    assert len(plans(story)) == 2


@pytest.mark.parametrize(
    ("first", "then"),
    [
        ("Standup is every Monday at 9.", "Standup is every Tuesday at 10."),
        ("We have standup every Monday.", "We have standup every Tuesday."),
        ("每周一上午九点站会", "每周二上午十点站会"),
        ("每个月五号发工资", "每个月十号发工资"),
        ("My wife's birthday is May 20.", "My wife's birthday is May 21."),
        ("我妈妈的生日是 3 月 5 日", "我妈妈的生日是 3 月 6 日"),
    ],
)
def test_what_comes_back_is_no_plan_of_one_day(story: Story, first: str, then: str) -> None:
    story.on("2026-03-04").says(first)
    told = [first.rstrip(".")]
    assert plans(story) == []
    story.on("2026-06-20").idles()
    assert story.lists() == told
    story.says(then)
    assert story.lists() == [then.rstrip(".")]
    assert story.lists(as_of="2026-04-01") == told


@pytest.mark.parametrize(
    ("plan", "over"),
    [
        ("The user is flying to Berlin next Tuesday", "The user is not going to Berlin after all"),
        ("User is meeting Anna on Friday", "The meeting with Anna is cancelled"),
        ("用户下周二要去柏林出差", "用户不去柏林了"),
    ],
)
def test_a_plan_is_off_by_an_agents_word_and_an_order_stands_against_it(
    story: Story, plan: str, over: str
) -> None:
    story.on("2026-03-04").adds(plan)
    story.says(FRIDAYS)
    story.on("2026-03-05").adds(over)
    assert plans(story) == []
    story.adds("You can deploy on Fridays now")
    assert FRIDAYS.rstrip(".") in story.lists()


def plans(story: Story) -> list[str]:
    """What is planned, as it is listed."""
    given = json.loads(story.tool("memory_search", format="json", kind="intention"))
    return [one["text"] for one in given["memories"]]


@pytest.mark.parametrize(
    ("plan", "over"),
    [
        ("The Rome trip is in June.", "The Rome trip in June is cancelled."),
        ("My dentist appointment is on May 5.", "My dentist appointment on May 5 is cancelled."),
    ],
)
def test_what_is_cancelled_by_its_date_is_no_plan_again(story: Story, plan: str, over: str) -> None:
    story.on("2026-03-04").says(plan)
    assert len(plans(story)) == 1
    story.on("2026-04-05").says(over)
    assert plans(story) == []
