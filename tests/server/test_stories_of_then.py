"""What was so then, is so for a while, of something else, or by somebody else's word: what is so now stays."""

from __future__ import annotations

import pytest

from .stories import Story

STAYS = [
    # then
    ("I work at Acme.", "In 2019 I joined Globex."),
    ("I work at Acme.", "I joined Globex in 2015."),
    ("I live in Berlin.", "Two years ago I moved from Rome to Milan."),
    ("I use Vim.", "In 2012 I switched to Emacs."),
    ("我住在杭州。", "前年我住在武汉。"),
    ("我住在杭州。", "2019 年到 2021 年我住在武汉。"),
    ("我在阿里上班。", "我去年在腾讯上班。"),
    ("我在阿里上班。", "三年前我加入了腾讯。"),
    ("我用 Vim。", "2019 年我换成 Emacs 了。"),
    ("我们用 Jira。", "去年我们用 Trello。"),
    ("我的经理是李雷。", "去年我的经理是韩梅梅。"),
    ("我喜欢深色模式。", "小时候我喜欢浅色模式。"),
    ("我不喜欢 Java。", "上学时我喜欢 Java。"),
    # to come
    ("My team is Platform.", "Next year my team is Payments."),
    ("我住在杭州。", "下个月我住在武汉。"),
    ("我的职位是架构师。", "明年我的职位是总监。"),
    # for a while
    ("I use Vim.", "I switched to Zed for a week."),
    ("I use Vim.", "I switched to Zed for a day and went back."),
    ("I'm the tech lead.", "I'm the on-call engineer this week."),
    ("我住在杭州。", "这个月我住在武汉。"),
    ("Always answer in English.", "Answer in German today."),
    ("Always answer in English.", "Just this once, answer in German."),
    ("Always answer in English.", "Until Friday, answer in German."),
    ("Always answer in English.", "Always write commit messages in German."),
    ("Always answer in English.", "Always answer support tickets in German."),
    ("Always answer in English.", "Always reply to customers in German."),
    ("以后都用中文回答。", "以后客户邮件都用英文回复。"),
    ("以后都用中文回答。", "以后回复客户邮件都用英文。"),
    ("以后都用中文回答。", "今天用英文回答我。"),
    # not yet
    ("我用 Vim。", "我还没换成 Zed。"),
    ("我用 Vim。", "我差点换成 Zed。"),
    ("我用 Vim。", "我准备改用 Zed。"),
    ("我们用 Jenkins。", "我们正在迁移到 GitHub Actions。"),
    # another's
    ("我用 Vim。", "我同事换成 Zed 了。"),
    ("我用 Vim。", "小李换成 Zed 了。"),
    ("我们用 MySQL。", "我们的分析库换成 ClickHouse 了。"),
    # another's word
    ("I use Vim.", "I switched to Zed, said Bob."),
    ("I work at Acme.", "I work at Globex, he said."),
    ("My manager is Ana.", "My manager is Bob, said Carl."),
    ("我住在杭州。", "我住在上海，小王说。"),
    ("我喜欢深色模式。", "我喜欢浅色模式，这是小王的原话。"),
    # of something else
    ("我平时用 Firefox。", "调试的时候我用 Chrome。"),
    ("我喜欢简短的回答。", "架构问题我喜欢详细的回答。"),
    ("以后回答要简短。", "以后做代码审查时回答要详细。"),
    ("以后缩进用 2 个空格。", "以后 Python 缩进用 4 个空格。"),
    ("写前端我用 WebStorm。", "写后端我用 GoLand。"),
    ("I live in Mexico City.", "I left Mexico in 2010."),
    ("我住在杭州。", "我住在滨江区。"),
    ("My name is Alexander.", "My nickname is Ace."),
    ("我叫王伟。", "我的英文名叫 Wayne。"),
    ("I'm a developer.", "I'm a student at TU Berlin."),
    ("I'm the tech lead.", "I'm the product owner of the search team."),
    ("我的 GitHub 账号是 al42。", "我的 GitLab 账号是 al43。"),
    ("我的老板是李雷。", "我的大老板是王强。"),
    ("My wife is Ana.", "Bea is my wife's sister."),
    ("My manager is Ana.", "Is Bob my manager now?"),
    ("我的地址是文三路 1 号。", "我的收货地址是文二路 9 号。"),
]
CHANGES = [
    ("I use Vim.", "I switched to Zed."),
    ("I live in Berlin.", "I now live in Paris."),
    ("I'm a backend engineer.", "I'm a frontend engineer."),
    ("My timezone is Europe/Berlin.", "My timezone is now Asia/Tokyo."),
    ("My nickname is Ace.", "Call me Al."),
    ("我用 Vim。", "我换成 Zed 了。"),
    ("我用 Vim。", "编辑器换成 Zed 了。"),
    ("我们用 MySQL。", "我们从 MySQL 迁移到 TiDB 了。"),
    ("我住在杭州。", "我搬家到上海了。"),
    ("我的生日是 5 月 3 日。", "我的生日其实是 5 月 4 日。"),
    ("我的职位是架构师。", "我的职位是技术总监。"),
    ("我叫王伟。", "我叫王磊。"),
    ("我叫王伟。", "我改名叫王磊了。"),
    ("My manager is Ana.", "Bob is my manager now."),
    ("我的经理是李雷。", "韩梅梅现在是我的经理。"),
    ("From now on always write commit messages in English.", "以后提交信息都用中文写。"),
    ("以后提交信息都用中文写。", "Write commit messages in German from now on."),
]


@pytest.mark.parametrize(("now", "then"), STAYS)
def test_what_is_so_now_stays(story: Story, now: str, then: str) -> None:
    story.on("2026-03-02").says(now)
    (told,) = story.lists()
    story.on("2026-04-06").says(then)
    assert told in story.lists()


@pytest.mark.parametrize(("before", "now"), CHANGES)
def test_what_has_changed_is_history(story: Story, before: str, now: str) -> None:
    story.on("2026-03-02").says(before)
    (told,) = story.lists()
    story.on("2026-04-06").says(now)
    (current,) = story.lists()
    assert current != told
    assert story.lists(as_of="2026-03-20") == [told]


@pytest.mark.parametrize(
    ("words", "was", "then", "since"),
    [
        ("In 2019 I joined Globex.", "In 2019 I joined Globex", "2020-05-01", "2018-05-01"),
        ("前年我住在武汉。", "我住在武汉", "2024-05-01", "2025-05-01"),
        ("去年我们用 Trello。", "我们用 Trello", "2025-05-01", "2026-02-01"),
    ],
)
def test_what_was_so_is_found_when_it_was(story: Story, words: str, was: str, then: str, since: str) -> None:
    story.on("2026-04-06").says(words)
    story.on("2026-04-20")
    assert was in story.lists(as_of=then)
    assert was not in story.lists(as_of=since)


@pytest.mark.parametrize(
    ("words", "before", "after"),
    [
        ("From July on I live in Paris.", "2026-06-20", "2026-07-02"),
        ("Starting in July, my manager is Carl.", "2026-06-20", "2026-07-02"),
        ("七月起我的经理是王强。", "2026-06-20", "2026-07-02"),
    ],
)
def test_a_month_to_come_is_the_nearer_one(story: Story, words: str, before: str, after: str) -> None:
    story.on("2026-04-06").says(words)
    story.on("2026-04-20")
    assert story.lists(as_of=before) == []
    assert len(story.lists(as_of=after)) == 1


def test_an_order_until_a_day_is_over_after_it(story: Story) -> None:
    story.on("2026-03-02").says("Until March 10, never deploy to production.")
    assert len(story.lists()) == 1
    story.on("2026-03-12").idles()
    assert story.lists() == []


@pytest.mark.parametrize("words", ["Since May I have lived in Paris.", "我从五月起住在上海。"])
def test_what_is_so_since_is_so_now(story: Story, words: str) -> None:
    story.on("2026-03-02").says("我住在杭州。" if words[0] > "z" else "I live in Berlin.")
    story.on("2026-08-06").says(words)
    assert story.lists() == [words.rstrip(".。")]


@pytest.mark.parametrize(
    "words",
    [
        "I've been using Zed for two weeks.",
        "I live in Berlin, my wife wrote the parser.",
        "I prefer dark mode, as I said.",
        "我喜欢深色模式，就像之前说的。",
        "提交之前我喜欢先跑测试。",
    ],
)
def test_what_goes_on_is_kept(story: Story, words: str) -> None:
    story.on("2026-03-02").says(words)
    story.on("2026-04-06")
    assert len(story.lists()) == 1
