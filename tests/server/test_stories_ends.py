"""The stories of what ends or was never so, in both languages: who left, what was meant, what is allowed again."""

from __future__ import annotations

import pytest

from .stories import Story

# --- what is no longer so


@pytest.mark.parametrize(
    ("was", "left", "now"),
    [
        ("I work at Google.", "I left Google in June.", "I left Google"),
        ("I work at Acme.", "I quit my job at Acme in June.", "I quit my job at Acme"),
        ("I work at Initech.", "In June I resigned from Initech.", "In June I resigned from Initech"),
        ("I work at Google.", "I quit my job in June.", "I quit my job"),
        ("I live in Wuhan.", "I left Wuhan in June.", "I left Wuhan"),
        ("I use vim.", "I stopped using vim in June.", "I stopped using vim"),
        ("我在阿里上班。", "我六月从阿里离职了", "我六月从阿里离职了"),
        ("我在阿里巴巴上班。", "六月我从阿里辞职了。", "六月我从阿里辞职了"),
        ("我在腾讯上班。", "我六月离职了。", "我六月离职了"),
        ("我住在上海。", "我六月就搬离上海了", "我六月就搬离上海了"),
        ("我用 vim。", "我六月就不用 vim 了", "我六月就不用 vim 了"),
    ],
)
def test_what_was_left_in_june_ended_in_june(story: Story, was: str, left: str, now: str) -> None:
    story.on("2026-03-02").says(was)
    before = story.lists()
    story.on("2026-08-10").says(left)
    assert story.on("2026-09-01").lists() == [now]
    assert story.lists(as_of="2026-05-20") == before
    assert story.lists(as_of="2026-07-01") == [now]
    assert story.lists(known_as_of="2026-07-01") == before


@pytest.mark.parametrize(
    ("was", "ended"),
    [
        ("I work at Google.", "I no longer work at Google."),
        ("I live in Wuhan.", "I no longer live in Wuhan."),
        ("I use vim.", "I no longer use vim."),
        ("我在阿里上班。", "我不在阿里了"),
        ("我在阿里上班。", "我从阿里离职了"),
        ("我住在武汉。", "我不住武汉了"),
        ("我用 vim。", "我不用 vim 了"),
    ],
)
def test_what_names_no_day_ends_when_it_is_said(story: Story, was: str, ended: str) -> None:
    story.on("2026-03-02").says(was)
    before = story.lists()
    story.on("2026-08-10").says(ended)
    (now,) = story.on("2026-09-01").lists()
    assert now not in before
    assert story.lists(as_of="2026-08-01") == before


@pytest.mark.parametrize(
    ("uses", "ended"),
    [
        ("I use GitHub.", "I stopped using GitHub Copilot."),
        ("I use GitHub.", "I stopped using GitHub issues."),
        ("I use Chrome.", "I don't use Chrome extensions anymore."),
        ("I use Slack.", "I don't use Slack huddles anymore."),
        ("I use vim.", "I don't use vim's netrw anymore."),
        ("I use VS Code.", "I no longer use VS Code Insiders."),
        ("I use macOS.", "I no longer use macOS Ventura."),
        ("I use Emacs.", "I no longer use Emacs Lisp."),
        ("I use VS Code for work.", "I no longer use VS Code Insiders."),
        ("I work at Acme.", "I left Acme Payments."),
        ("我用 Postgres。", "我不用 Postgres 14 了。"),
        ("我用飞书。", "我不用飞书文档了。"),
        ("我用 GitHub。", "我不用 GitHub Copilot 了。"),
        ("我用 Chrome。", "我不用 Chrome 插件了。"),
        ("我用 Vim。", "我不用 Vim 的插件了。"),
        ("我在阿里工作。", "我离开阿里云了。"),
    ],
)
def test_the_end_of_a_part_is_not_the_end_of_the_whole(story: Story, uses: str, ended: str) -> None:
    story.on("2026-03-02").says(uses)
    (known,) = story.lists()
    story.on("2026-08-10").says(ended)
    assert known in story.lists()


@pytest.mark.parametrize(
    ("uses", "ended"),
    [
        ("I use Zed.", "I no longer use the Zed editor."),
        ("I use the Zed editor.", "I no longer use Zed."),
        ("I use VS Code.", "I stopped using Visual Studio Code."),
        ("I use Postgres 14.", "I no longer use PostgreSQL 14."),
        ("I work at Acme.", "I left Acme Corp."),
        ("我用 Zed。", "我不用 Zed 编辑器了。"),
        ("我用 Postgres 14。", "我不用 Postgres 了。"),
        ("我在阿里巴巴工作。", "我离开阿里了。"),
        ("我在字节工作。", "我离开字节跳动了。"),
    ],
)
def test_a_value_ends_by_its_other_names_too(story: Story, uses: str, ended: str) -> None:
    story.on("2026-03-02").says(uses)
    known = story.lists()
    story.on("2026-08-10").says(ended)
    assert known and not {*known} & {*story.lists()}


@pytest.mark.parametrize(
    ("first", "then", "back", "place"),
    [
        ("I live in Hangzhou.", "I live in Beijing.", "I moved back to Hangzhou.", "Hangzhou"),
        ("I live in Hangzhou.", "I live in Beijing.", "I live in Hangzhou again.", "Hangzhou"),
        ("我住在杭州。", "我搬到北京了。", "我又搬回杭州了", "杭州"),
        ("我住在杭州。", "我搬到北京了。", "我回杭州定居了", "杭州"),
    ],
)
def test_who_moves_back_lives_there_again(story: Story, first: str, then: str, back: str, place: str) -> None:
    story.on("2026-03-02").says(first)
    story.on("2026-04-02").says(then)
    story.on("2026-08-10").says(back)
    (now,) = story.on("2026-09-01").lists()
    assert place in now
    was = [story.lists(as_of=day) for day in ("2026-03-20", "2026-05-01")]
    assert [place in one[0] for one in was] == [True, False]


@pytest.mark.parametrize(
    "left", ["I left Google in June.", "I quit my job at Acme.", "我六月从阿里离职了", "我从腾讯辞职了。"]
)
def test_what_ends_nothing_that_is_known_is_kept_by_itself(story: Story, left: str) -> None:
    story.on("2026-08-10").says(left)
    assert len(story.lists()) == 1
    assert "intention" not in story.tool("memory_search", kind="intention")


@pytest.mark.parametrize(
    ("was", "since", "left"),
    [
        ("I work at Google.", "I joined Meta.", "I left Google in June."),
        ("我在阿里上班。", "我加入了腾讯。", "我六月从阿里离职了"),
    ],
)
def test_who_has_a_new_employer_keeps_it_when_the_old_one_is_said_to_be_left(
    story: Story, was: str, since: str, left: str
) -> None:
    story.on("2026-03-02").says(was)
    story.on("2026-07-10").says(since)
    new = story.lists()
    story.on("2026-08-10").says(left)
    assert story.on("2026-09-01").lists() == new
    assert len(story.lists(as_of="2026-06-15")) == 1
    assert story.lists(as_of="2026-06-15") not in (new, story.lists(as_of="2026-04-01"))


@pytest.mark.parametrize(
    ("was", "other"),
    [
        ("I use vim.", "I no longer use Emacs."),
        ("I work at Google.", "I left Meta in June."),
        ("I work at Google.", "My brother left Google in June."),
        ("I work at Google.", "I'm leaving Google in September."),
        ("I work at Google.", "Did I say that I left Google?"),
        ("I use Slack.", "I left Slack running overnight."),
        ("我用 vim。", "我不用 Emacs 了"),
        ("我在阿里上班。", "我下个月从阿里离职"),
        ("我在阿里上班。", "他从阿里离职了"),
        ("我在阿里上班。", "我打算从阿里离职了"),
        ("我住在杭州。", "我不住上海了"),
    ],
)
def test_what_is_said_of_another_or_is_still_to_come_ends_nothing(story: Story, was: str, other: str) -> None:
    story.on("2026-03-02").says(was)
    (before,) = story.lists()
    story.on("2026-08-10").says(other)
    assert before in story.lists()


def test_an_agents_word_ends_it_too(story: Story) -> None:
    story.on("2026-03-02").adds("The user works at Google")
    story.on("2026-08-10").adds("User left Google in June 2026")
    assert story.on("2026-09-01").lists() == ["User left Google in June 2026"]
    assert story.lists(as_of="2026-05-01") == ["The user works at Google"]
    story.on("2026-10-01").adds("用户在阿里上班")
    story.on("2026-11-01").adds("用户十月从阿里离职了")
    assert story.on("2026-11-02").lists() == ["用户十月从阿里离职了"]


# --- what was never so


@pytest.mark.parametrize(
    ("wrong", "right", "place"),
    [
        *(
            ("I live in Wuhan.", right, "Wuxi")
            for right in (
                "I actually live in Wuxi.", "Actually, I live in Wuxi.", "Sorry, I meant Wuxi.", "No, I said Wuxi.",
                "Not Wuhan, Wuxi.", "Oops, that should be Wuxi.", "No, I live in Wuxi.",
            )
        ),
        *(
            ("我住在武汉。", right, "无锡")
            for right in (
                "不对，我住无锡", "说错了，是无锡", "我的意思是无锡", "不是武汉，是无锡", "我其实住在无锡。",
                "抱歉，我说的是无锡",
            )
        ),
        ("I work at Google.", "Sorry, I meant Meta.", "Meta"),
        ("I use vim.", "Sorry, I meant Emacs.", "Emacs"),
        ("我用 vim。", "说错了，是 Emacs", "Emacs"),
    ],
)  # fmt: skip
def test_what_was_meant_was_always_so(story: Story, wrong: str, right: str, place: str) -> None:
    story.on("2026-03-02").says(wrong)
    said = story.lists()
    story.on("2026-04-02").says(right)
    (now,) = story.on("2026-05-01").lists()
    assert place in now
    assert story.lists(as_of="2026-03-10") == [now]
    assert story.lists(known_as_of="2026-03-10") == said


@pytest.mark.parametrize("prompt", ["I live in Wuhan. Sorry, I meant Wuxi.", "我住在武汉。说错了，是无锡。"])
def test_a_word_is_taken_back_in_the_same_breath(story: Story, prompt: str) -> None:
    story.on("2026-03-02").says(prompt)
    (now,) = story.lists()
    assert "Wuxi" in now or "无锡" in now


@pytest.mark.parametrize(
    ("wrong", "right", "day"),
    [
        ("I'm meeting Anna on Friday.", "Sorry, I meant Thursday.", "2026-03-05"),
        ("周五我要跟安娜开会。", "说错了，是周四", "2026-03-05"),
    ],
)
def test_a_plan_is_for_the_day_that_was_meant(story: Story, wrong: str, right: str, day: str) -> None:
    story.on("2026-03-02").says(wrong)
    story.on("2026-03-03").says(right)
    (plan,) = story.lists()
    assert day in plan
    assert story.on("2026-03-06").tool("memory_search", kind="intention").count("Anna") == 0


@pytest.mark.parametrize(
    ("was", "between", "then"),
    [
        ("I live in Wuhan.", "Show me the weather there.", "Sorry, I meant Wuxi."),
        ("I live in Wuhan.", None, "Sorry, I meant Postgres."),
        ("I live in Wuhan.", None, "Sorry, I meant the other one."),
        ("I live in Wuhan.", None, "Did I say Wuxi?"),
        ("I work at Google.", None, "Sorry, I meant Friday."),
        ("我住在武汉。", "看一下天气", "说错了，是无锡"),
        ("我住在武汉。", None, "我的意思是先跑测试"),
        ("我住在武汉。", None, "不是这个，是那个"),
    ],
)
def test_what_is_meant_of_something_else_corrects_nothing(
    story: Story, was: str, between: str | None, then: str
) -> None:
    story.on("2026-03-02").says(was)
    (before,) = story.lists()
    if between is not None:
        story.on("2026-03-03").says(between)
    story.on("2026-04-02").says(then)
    assert story.lists() == [before]


@pytest.mark.parametrize(
    ("was", "now"),
    [
        ("I live in Wuhan.", "Actually, I live in Wuxi now."),
        ("I prefer dark mode.", "Actually, I prefer light mode."),
        ("我住在武汉。", "其实我已经搬到无锡了"),
    ],
)
def test_what_has_changed_is_no_correction(story: Story, was: str, now: str) -> None:
    story.on("2026-03-02").says(was)
    before = story.lists()
    story.on("2026-04-02").says(now)
    assert len(story.lists()) == 1
    assert story.lists(as_of="2026-03-10") == before
