"""The standard stories of a memory that can be corrected, dated and questioned, in English and in Chinese."""

from __future__ import annotations

from typing import Any

import pytest

from .stories import Story, said_or_added

BOTH = pytest.mark.parametrize


HOW = pytest.mark.parametrize("first", ["said", "added"])
THEN = pytest.mark.parametrize("then", ["said", "added"])
THEME = pytest.mark.parametrize(
    ("dark", "light", "they_dark", "they_light", "question"),
    [
        (
            "I prefer dark mode.", "I prefer light mode.", "The user prefers dark mode",
            "User prefers light mode", "dark or light mode?",
        ),
        ("我喜欢深色模式。", "我喜欢浅色模式。", "用户喜欢深色模式", "用户偏好浅色模式", "深色模式还是浅色模式？"),
    ],
    ids=["en", "zh"],
)  # fmt: skip


@HOW
@THEN
@THEME
def test_dark_mode_then_light(
    story: Story, first: str, then: str, dark: str, light: str, they_dark: str, they_light: str, question: str
) -> None:
    said_or_added(story.on("2026-03-02"), first, dark, they_dark)
    said_or_added(story.on("2026-05-04"), then, light, they_light)
    light_is, dark_was = (
        (light.rstrip(".。") if then == "said" else they_light),
        (dark.rstrip(".。") if first == "said" else they_dark),
    )
    story.on("2026-06-01")
    assert story.lists() == [light_is]
    assert story.finds(question) == [light_is]
    assert story.lists(as_of="2026-04-01") == [dark_was]
    assert story.finds(question, as_of="2026-04-01") == [dark_was]
    assert story.lists(known_as_of="2026-04-01") == [dark_was]


@THEME
def test_a_preference_that_is_changed_and_changed_back(
    story: Story, dark: str, light: str, they_dark: str, they_light: str, question: str
) -> None:
    story.on("2026-01-05").says(dark)
    story.on("2026-03-05").adds(they_light)
    story.on("2026-05-05").says(dark)
    story.on("2026-06-05")
    was = [story.lists(as_of=day) for day in ("2026-02-01", "2026-04-01", "2026-06-01")]
    assert was == [[dark.rstrip(".。")], [they_light], [dark.rstrip(".。")]]
    assert story.lists() == [dark.rstrip(".。")]
    assert story.lists(as_of="2026-01-04") == []


HOME = pytest.mark.parametrize(
    ("hangzhou", "beijing", "question"),
    [
        ("I live in Hangzhou.", "I've been living in Beijing since May.", "where does the user live?"),
        ("I live in Hangzhou.", "Since May I have lived in Beijing.", "where does the user live?"),
        ("我住在杭州。", "我五月份就搬到北京了。", "住在哪里"),
        ("我住在杭州。", "从五月起我住在北京。", "住在哪里"),
    ],
    ids=["en-end", "en-begin", "zh-moved", "zh-since"],
)


@HOME
def test_hangzhou_in_march_and_since_may_beijing_told_in_august(
    story: Story, hangzhou: str, beijing: str, question: str
) -> None:
    story.on("2026-03-10").says(hangzhou)
    story.on("2026-08-10").says(beijing)
    story.on("2026-09-01")

    def where(**asked: Any) -> str:
        listed = story.lists(**asked)
        assert len(listed) == 1, listed
        return "Beijing" if "Beijing" in listed[0] or "北京" in listed[0] else "Hangzhou"

    # What was true, as it is known now; the day on which it became true is one of those days.
    assert [where(as_of=day) for day in ("2026-04-10", "2026-05-01", "2026-06-15")] == [
        "Hangzhou", "Beijing", "Beijing",
    ]  # fmt: skip
    # What would have been said then.
    assert [where(known_as_of=day) for day in ("2026-06-15", "2026-08-09", "2026-08-10")] == [
        "Hangzhou", "Hangzhou", "Beijing",
    ]  # fmt: skip
    # What was held then of another day.
    assert where(as_of="2026-06-15", known_as_of="2026-07-01") == "Hangzhou"
    assert where(as_of="2026-06-15", known_as_of="2026-08-20") == "Beijing"
    assert where(as_of="2026-04-10", known_as_of="2026-08-20") == "Hangzhou"
    assert where() == "Beijing"
    assert story.lists(known_as_of="2026-03-09") == []
    # And by a question, with the mark of its time.
    text = story.tool("memory_search", query=hangzhou, as_of="2026-04-10")
    assert "as of 2026-04-10" in text or "截至 2026-04-10" in text
    assert "Beijing" not in text
    assert "北京" not in text


def test_history_tells_both_clocks(story: Story) -> None:
    story.on("2026-03-10").says("I live in Hangzhou.")
    story.on("2026-08-10").says("I've been living in Beijing since May.")
    found = story.on("2026-09-01").tool("memory_search", as_of="2026-04-10", kind="profile")
    hangzhou = found.split("[")[1].split(" ")[0]
    told = story.tool("memory_get", id=hangzhou, view="history")
    assert (
        "True from 2026-03-10, with no end told; known since 2026-03-10; no longer held since 2026-08-10"
        in told
    )
    assert "another value of the same thing; the newer is current" in told
    assert "True from 2026-03-10 to 2026-05-01; known since 2026-08-10; history, which is still held." in told
    assert "Of other times, what is held of the same thing:" in told
    assert "True from 2026-05-01 on; known since 2026-08-10; held now." in told


@BOTH(
    ("allowed", "denied", "question"),
    [
        (
            "Force pushes to main are allowed.",
            "Force pushes to main are not allowed.",
            "force pushes to main",
        ),
        (
            "Force pushes to main are allowed.",
            "Force pushes to main are forbidden now.",
            "force pushes to main",
        ),
        ("允许强制推送到 main", "不允许强制推送到 main", "强制推送"),
        ("允许强制推送到 main", "禁止强制推送到 main", "强制推送"),
    ],
    ids=["en-not", "en-forbidden", "zh-not", "zh-forbidden"],
)
def test_allowed_then_not_allowed(story: Story, allowed: str, denied: str, question: str) -> None:
    story.on("2026-03-02").adds(allowed)
    story.on("2026-05-02").adds(denied)
    story.on("2026-06-01")
    assert story.lists() == [denied]
    assert story.finds(question) == [denied]
    assert story.lists(as_of="2026-04-01") == [allowed]


@BOTH(
    ("never", "may"),
    [
        ("Never push to main.", "From now on you can push to main."),
        ("以后不要写注释。", "以后都写注释。"),
    ],
    ids=["en", "zh"],
)
def test_a_prohibition_that_is_lifted_by_the_users_own_words(story: Story, never: str, may: str) -> None:
    story.on("2026-03-02").says(never)
    story.on("2026-05-02").says(may)
    assert story.on("2026-06-01").lists() == [may.rstrip(".。")]
    assert story.lists(as_of="2026-04-01") == [never.rstrip(".。")]


@BOTH(
    ("one", "other"),
    [
        ("The billing API of v1.2 answers in XML.", "The billing API of v1.3 answers in JSON."),
        ("v1.2 的计费接口返回 XML", "v1.3 的计费接口返回 JSON"),
        ("Deploys of v1.2 need two approvals.", "Deploys of v1.3 need two approvals."),
    ],
    ids=["en", "zh", "one-atom"],
)
def test_two_versions_both_stand(story: Story, one: str, other: str) -> None:
    story.on("2026-03-02").adds(one)
    story.on("2026-03-03").adds(other)
    assert sorted(story.on("2026-04-01").lists()) == sorted([one, other])


@BOTH(
    ("plan", "question"),
    [("I plan to travel to Tokyo next Friday.", "trip to Tokyo"), ("下周五我要去东京出差。", "东京出差")],
    ids=["en", "zh"],
)
@HOW
def test_a_plan_past_its_date(story: Story, plan: str, question: str, first: str) -> None:
    story.on("2026-03-04")  # a Wednesday
    if first == "said":
        story.says(plan)
    else:
        story.adds(plan)
    intended = story.on("2026-03-10").tool("memory_search", kind="intention")
    assert "Tokyo" in intended or "东京" in intended
    story.on("2026-03-20").idles()
    assert (
        story.lists(kind="intention") == []
        if False
        else "Tokyo" not in story.tool("memory_search", kind="intention")
    )
    # It is history that it was planned; and on the day it was.
    assert any("Tokyo" in text or "东京" in text for text in story.lists())
    past = story.tool("memory_search", kind="intention", as_of="2026-03-10", known_as_of="2026-03-10")
    assert "Tokyo" in past or "东京" in past


@BOTH(
    ("first", "second", "third", "right"),
    [
        (
            "I live in Hangzhou.", "Sorry, I live in Suzhou, not Hangzhou.", "No, I live in Wuxi, not Suzhou.",
            "Wuxi",
        ),
        ("我住在杭州。", "不对，我住在苏州，不是杭州。", "不对，我住在无锡，不是苏州。", "无锡"),
    ],
    ids=["en", "zh"],
)  # fmt: skip
def test_a_correction_of_a_correction(story: Story, first: str, second: str, third: str, right: str) -> None:
    story.on("2026-03-02").says(first)
    story.on("2026-04-02").says(second)
    story.on("2026-05-02").says(third)
    (now,) = story.on("2026-06-01").lists()
    assert right in now
    # What was wrong was never so; what would have been said then is another matter.
    (then,) = story.lists(as_of="2026-03-20")
    assert right in then
    known = [story.lists(known_as_of=day) for day in ("2026-03-20", "2026-04-20")]
    assert [len(one) for one in known] == [1, 1]
    assert "Suzhou" not in known[0][0]
    assert "苏州" not in known[0][0]
    assert "Suzhou" in known[1][0] or "苏州" in known[1][0]


def test_a_correction_by_the_tool_holds_for_the_same_time(story: Story) -> None:
    wrong = story.on("2026-03-02").adds("The user lives in Hangzhou")
    story.on("2026-04-02").tool("memory_update", id=wrong, content="The user lives in Suzhou")
    story.on("2026-05-02").adds("The user lives in Wuxi")
    assert story.on("2026-06-01").lists() == ["The user lives in Wuxi"]
    assert story.lists(as_of="2026-03-20") == ["The user lives in Suzhou"]
    assert story.lists(known_as_of="2026-03-20") == ["The user lives in Hangzhou"]


@BOTH(
    ("march", "may", "april"),
    [
        ("The user lives in Hangzhou", "The user lives in Beijing", "The user lives in Shanghai"),
        ("用户住在杭州", "用户住在北京", "用户住在上海"),
    ],
    ids=["en", "zh"],
)
def test_a_late_import_between_two_known_facts(story: Story, march: str, may: str, april: str) -> None:
    story.on("2026-03-10").adds(march)
    story.on("2026-05-10").adds(may)
    added = story.on("2026-08-10").tool("memory_add", content=april, memory_at="2026-04-15")
    assert "as history" in added
    story.on("2026-09-01")
    was = [story.lists(as_of=day) for day in ("2026-04-01", "2026-04-20", "2026-06-01")]
    assert was == [[march], [april], [may]]
    assert story.lists() == [may]
    assert story.lists(as_of="2026-04-20", known_as_of="2026-06-01") == [march]


@BOTH(
    ("own", "agents", "conflict"),
    [
        ("Since May I have lived in Beijing.", "The user lives in Shanghai", "says otherwise"),
        ("从五月起我住在北京。", "用户住在上海", "说法不同"),
    ],
    ids=["en", "zh"],
)
def test_what_nobody_can_decide_is_shown_as_a_conflict(
    story: Story, own: str, agents: str, conflict: str
) -> None:
    story.on("2026-08-10").says(own)
    added = story.on("2026-08-20").tool("memory_add", content=agents, memory_at="2026-05-01")
    assert "both stand" in added
    story.on("2026-09-01")
    assert sorted(story.lists()) == sorted([own.rstrip(".。"), agents])
    text = story.tool("memory_search", query=own)
    assert text.count(conflict) >= 1
    assert "2026-05-01" in text
    handed = story.hook("SessionStart", source="startup")
    assert conflict in handed
    found = story.adds(agents)
    assert "In conflict" in story.tool("memory_get", id=found)
    # A newer word ends it.
    newer = "I live in Wuxi." if own.isascii() else "我住在无锡。"
    story.on("2026-10-01").says(newer)
    assert story.lists() == [newer.rstrip(".。")]
    assert conflict not in story.tool("memory_search", query=newer)


def test_an_agents_add_in_a_turn_gives_way_to_what_the_user_says_in_it(story: Story) -> None:
    story.on("2026-03-02").asks("I prefer dark mode, keep that in mind for the settings page.")
    story.tool("memory_add", session=story.session, content="The user prefers light mode")
    story.ends()
    assert story.lists() == ["I prefer dark mode"]


def test_the_agents_add_and_the_users_words_are_one_memory(story: Story) -> None:
    story.on("2026-03-02").asks("I prefer dark mode.")
    story.tool("memory_add", session=story.session, content="The user prefers dark mode")
    story.ends()
    assert story.lists() == ["I prefer dark mode"]


def test_what_was_so_for_a_while_by_hand_is_told_of_its_time(story: Story) -> None:
    story.on("2026-03-02").adds("The user lives in Hangzhou")
    moved = story.on("2026-05-02").adds("The user lives in Paris")
    story.on("2026-06-02").tool("memory_update", id=moved, valid_to="2026-06-01")
    story.on("2026-07-01")
    assert story.lists(as_of="2026-05-10") == ["The user lives in Paris"]
    assert story.lists(as_of="2026-04-10") == ["The user lives in Hangzhou"]


def test_what_was_taken_out_is_brought_back_over_what_took_its_place(story: Story) -> None:
    dark = story.on("2026-03-02").adds("The user prefers dark mode")
    story.on("2026-05-02").adds("The user prefers light mode")
    story.on("2026-06-02").tool("memory_update", id=dark, restore=True)
    assert story.lists() == ["The user prefers dark mode"]
    assert story.lists(as_of="2026-05-20") == ["The user prefers light mode"]
    assert story.lists(as_of="2026-04-01") == ["The user prefers dark mode"]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("The user prefers dark mode", "The user prefers light mode"),
        ("用户住在杭州", "用户住在北京"),
        ("The user's editor is Vim", "The user's editor is Zed"),
    ],
)
def test_each_time_of_what_went_to_and_fro_by_hand_is_told(story: Story, first: str, second: str) -> None:
    one = story.on("2026-03-02").adds(first)
    two = story.on("2026-04-02").adds(second)
    story.on("2026-05-02").tool("memory_update", id=one, restore=True)
    story.on("2026-06-02").tool("memory_update", id=two, restore=True)
    story.on("2026-07-02")
    times = ("2026-03-15", "2026-04-15", "2026-05-15", "2026-06-15")
    assert [story.lists(as_of=day) for day in times] == [[first], [second], [first], [second]]
    assert story.lists() == [second]
    assert story.lists(known_as_of="2026-05-15") == [first]
    assert story.lists(as_of="2026-04-15", known_as_of="2026-04-15") == [second]
