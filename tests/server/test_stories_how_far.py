"""The stories of how far a statement goes by its own words: beside others, for now, under a condition, of a region."""

from __future__ import annotations

import pytest

from .stories import Story, told

BESIDE = [
    ("I use Chrome.", "I also use Firefox."),
    ("I use VS Code.", "I use Zed too."),
    ("I use macOS.", "I use Linux as well."),
    ("I work at Acme.", "I work at Globex two days a week."),
    ("I work at Acme.", "I work at Globex on the side."),
    ("User works at Acme", "User works at Globex part-time"),
    ("User works at Acme", "User also works at Globex"),
    ("我用 VS Code。", "我也用 Zed。"),
    ("我用 Chrome。", "我还用 Firefox。"),
    ("用户用 VS Code", "用户也用 Zed"),
]
LIMITED = [
    ("Answer in English.", "Answer in German if I write German."),
    ("Answer in English.", "If I write German, answer in German."),
    ("Answer in English.", "Answer in German to Hans."),
    ("Answer in German if I write German.", "Answer in French if I write French."),
    ("When I write in German, reply in German.", "When I write in French, reply in French."),
    ("I work at Acme.", "On Fridays I work at Globex."),
    ("用中文回答。", "我写英文的时候用英文回答。"),
    ("我写日文的时候用日文回答。", "我写英文的时候用英文回答。"),
]
REGIONS = [
    ("I live in Berlin.", "I live in Germany."),
    ("I live in Germany.", "I live in Berlin."),
    ("我住在杭州。", "我住在浙江。"),
    ("我住在柏林。", "我住在德国。"),
]


@pytest.mark.parametrize(("one", "other"), [*BESIDE, *LIMITED, *REGIONS])
def test_what_says_that_it_stands_beside_others_does(story: Story, one: str, other: str) -> None:
    told(story, "2026-03-02", one)
    first = story.lists()
    told(story, "2026-05-02", other)
    both = story.on("2026-06-02").lists()
    assert len(first) == 1
    assert len(both) == 2
    assert {*first} < {*both}
    assert other.rstrip(".。") in both


@pytest.mark.parametrize(
    ("one", "now"),
    [
        ("I use VS Code.", "I'm using vim for this task."),
        ("I use VS Code.", "I'm using vim right now."),
        ("I use VS Code.", "I use vim today."),
        ("I use VS Code.", "I'm on Zed for the moment."),
        ("我用 VS Code。", "我今天用 vim。"),
        ("我用 VS Code。", "我临时用 vim。"),
        ("我住在杭州。", "我住在三楼。"),
        ("我住在杭州。", "我住在一栋公寓。"),
    ],
)
def test_what_is_so_for_now_or_is_no_place_of_its_kind_is_not_kept(story: Story, one: str, now: str) -> None:
    story.on("2026-03-02").says(one)
    first = story.lists()
    story.on("2026-05-02").says(now)
    assert story.lists() == first != []


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("I use VS Code.", "I switched to vim today."),
        ("I use VS Code.", "I use vim these days."),
        ("Answer in English.", "Answer in German."),
        ("Please answer in English if possible.", "Please answer in German if possible."),
        ("Answer in German if I write German.", "Answer in English if I write German."),
        ("I live in Berlin.", "I moved to Japan."),
        ("I live in Germany.", "I live in Japan."),
        ("I live in Germany.", "I moved to Japan."),
        ("我住在柏林。", "我搬到日本了。"),
        ("我住在德国。", "我搬到日本了。"),
        ("I work at Acme on Fridays.", "On Fridays I work at Globex."),
        ("我用 VS Code。", "我现在用 vim。"),
        ("用中文回答。", "用英文回答。"),
        ("我住在德国。", "我住在日本。"),
    ],
)
def test_what_goes_as_far_takes_the_place_of_what_was_said(story: Story, one: str, other: str) -> None:
    story.on("2026-03-02").says(one)
    first = story.lists()
    story.on("2026-05-02").says(other)
    (now,) = story.lists()
    assert [now] != first


@pytest.mark.parametrize(
    ("one", "other", "left", "stays"),
    [
        ("I use Chrome.", "I also use Firefox.", "I stopped using Firefox.", "I use Chrome"),
        ("I use Chrome.", "I also use Firefox.", "I stopped using Chrome.", "I also use Firefox"),
        ("I work at Acme.", "I work at Globex two days a week.", "I left Globex.", "I work at Acme"),
        ("我用 VS Code。", "我也用 Zed。", "我不用 Zed 了。", "我用 VS Code"),
    ],
)
def test_one_that_stood_beside_another_ends_alone(
    story: Story, one: str, other: str, left: str, stays: str
) -> None:
    story.on("2026-03-02").says(one)
    story.on("2026-05-02").says(other)
    story.on("2026-07-02").says(left)
    assert sorted(story.lists()) == sorted([stays, left.rstrip(".。")])
