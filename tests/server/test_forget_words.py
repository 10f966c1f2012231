"""Forgetting by words: whole words however they are written; what holds them in longer ones is left, and named."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from backstory import Memory
from backstory.pipelines.forget import Forgotten
from backstory.pipelines.forget_preview import Preview
from backstory.server import forgetting_text
from backstory.store.errors import BadInput

from .forgetting import held, nowhere


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with Memory.open(tmp_path / "home" / "backstory.db", source="test", embedder="hash") as opened:
        yield opened


def forgotten(memory: Memory, words: str) -> Forgotten:
    done = memory.delete(query=words, forget=True)
    assert isinstance(done, Forgotten)
    return done


def texts(memory: Memory) -> set[str]:
    return {one.text for one in memory.list(status="all", limit=200).memories if one.kind != "turn"}


OTHERS = [
    (
        "Anna",
        {
            "Anna leads the payments team.",
            "Mail to anna@acme.com is read daily.",
            "The home is /home/anna/work.",
        },
        {
            "Joanna leads the search team.",
            "The Annapolis office closes at six.",
            "The class AnnaService is old.",
        },
    ),
    (
        "王伟",
        {"王伟是支付组的组长。", "王偉的邮箱每天都看。", "我和王伟一起吃饭。"},
        {"王伟强是搜索组的组长。", "王伟伟负责前端。"},
    ),
]


@pytest.mark.parametrize(("words", "go", "stay"), OTHERS, ids=["en", "zh"])
def test_others_whose_names_begin_or_end_alike_are_left_and_named(
    memory: Memory, words: str, go: set[str], stay: set[str]
) -> None:
    for text in [*go, *stay]:
        memory.add(text)
    shown = memory.delete(query=words, forget=True, preview=True)
    assert isinstance(shown, Preview)
    assert (shown.memories.count, shown.left.count) == (len(go), 2 * len(stay))
    said = forgetting_text.told(shown, preview=True)
    # Each with the event that asked for it.
    assert all(word in said for word in shown.longer)

    done = forgotten(memory, words)

    assert texts(memory) == stay
    assert done.what.left.count == 2 * len(stay)
    answer = forgetting_text.told(done, preview=False)
    assert "part of a longer word" in answer
    assert not any(one in answer for one in shown.longer)
    assert json.loads(forgetting_text.as_json(done, preview=False))["left"]["count"] == 2 * len(stay)


def test_what_was_left_goes_by_its_own_word(memory: Memory) -> None:
    memory.add("Joanna leads the search team.")
    memory.add("王伟强是搜索组的组长。")
    for words in ("Anna", "王伟"):
        done = forgotten(memory, words)
        assert (done.what.empty, done.what.left.count) == (True, 2)
        assert "part of a longer word" in forgetting_text.told(done, preview=False)
    forgotten(memory, "Joanna")
    forgotten(memory, "王伟强")
    assert texts(memory) == set()


def test_an_event_keeps_the_longer_word_and_loses_the_other(memory: Memory, tmp_path: Path) -> None:
    said = "Ask Anna or Joanna about pelican-77. 也可以问王伟或者王伟强。"
    memory.add(messages=[{"role": "user", "content": said}, {"role": "assistant", "content": "Fine."}])
    forgotten(memory, "Anna")
    forgotten(memory, "王伟")
    (turn,) = [one for one in memory.list(limit=20).memories if one.kind == "turn"]
    assert "Ask ████ or Joanna about pelican-77. 也可以问██或者王伟强。" in turn.text
    assert held(tmp_path / "home", "王伟强")


FORMS = [
    ("Zorvanna", "她的代号是Ｚorvanna。"),
    ("Zorvanna", "The code is zor\u200bvanna."),
    ("ｚｏｒｖａｎｎａ", "The code is ZORVANNA."),
    ("Zoë Ketteridge", "Ask Zoe\u0308 KETTERIDGE."),
    ("青瓷灯塔七号", "口令是青瓷燈塔七號。"),
    ("青瓷燈塔七號", "口令是青瓷灯塔\u200b七号。"),
]


@pytest.mark.parametrize(("words", "said"), FORMS)
def test_other_ways_to_write_it_go_too(memory: Memory, tmp_path: Path, words: str, said: str) -> None:
    memory.add(said)
    memory.add("I like herons.")
    memory.add(
        messages=[
            {"role": "user", "content": f"Run the tests. {said} I like herons."},
            {"role": "assistant", "content": f"Done. {said}"},
        ]
    )
    memory.tend()
    written = said.strip("她的代号是口令。. ").removeprefix("The code is ").removeprefix("Ask ")
    assert held(tmp_path / "home", written)

    done = forgotten(memory, words)

    assert not done.wiped.left
    assert nowhere(memory.db, tmp_path / "home", written)
    assert memory.search("herons").hits


def test_a_filter_without_forget_goes_by_whole_words_too(memory: Memory) -> None:
    memory.add("Anna leads the payments team.")
    memory.add("Joanna leads the search team.")
    memory.delete(query="anna")
    assert [one.text for one in memory.list().memories] == ["Joanna leads the search team."]


def test_an_agent_keeps_others_of_a_like_name(memory: Memory) -> None:
    memory.add("Anna leads the payments team.")
    memory.add("王伟是支付组的组长。")
    forgotten(memory, "Anna")
    forgotten(memory, "王伟")
    memory.add("Joanna leads the search team.")
    memory.add("王伟强是搜索组的组长。")
    for again in ("ANNA likes tea.", "The mail is ａｎｎａ@acme.com.", "王偉喜欢喝茶。"):
        with pytest.raises(BadInput, match="was forgotten on"):
            memory.add(again)


@pytest.mark.parametrize(
    ("said", "corrected", "wrong", "right"),
    [
        ("I live in Berlin.", "Sorry, I meant Munich.", "Berlin", "I live in Munich"),
        ("我住在武汉。", "说错了，是无锡。", "武汉", "我住在无锡"),
    ],
)
def test_what_was_corrected_stays_when_the_wrong_word_is_forgotten(
    memory: Memory, tmp_path: Path, said: str, corrected: str, wrong: str, right: str
) -> None:
    for words in (said, corrected):
        memory.add(messages=[{"role": "user", "content": words}, {"role": "assistant", "content": "ok"}])
        memory.tend()
    forgotten(memory, wrong)
    assert texts(memory) == {right}
    assert nowhere(memory.db, tmp_path / "home", wrong)


def test_what_an_agent_corrected_stays_when_the_wrong_word_is_forgotten(
    memory: Memory, tmp_path: Path
) -> None:
    (added,) = memory.add("The zeta host is alpha1")
    memory.update(added.short, content="The zeta host is beta1")
    forgotten(memory, "alpha1")
    assert texts(memory) == {"The zeta host is beta1"}
    assert nowhere(memory.db, tmp_path / "home", "alpha1")


@pytest.mark.parametrize(
    ("said", "news"), [("I live in Berlin.", "I moved to Munich."), ("我用 Vim。", "我改用 Zed 了。")]
)
def test_what_was_said_before_in_the_same_way_is_left_by_an_import_that_follows(
    memory: Memory, tmp_path: Path, said: str, news: str
) -> None:
    for words in (said, news):
        memory.add(messages=[{"role": "user", "content": words}, {"role": "assistant", "content": "ok"}])
        memory.tend()
    (id_,) = (one.short for one in memory.list().memories if one.kind != "turn")
    memory.delete(id_, forget=True)
    left = {one.text for one in memory.list(status="all").memories}
    with Memory.open(tmp_path / "other" / "backstory.db", embedder="none") as other:
        other.add("The API port is 8080")
        other.export(tmp_path / "other.jsonl")
    assert memory.import_(tmp_path / "other.jsonl").gone == 0
    assert left <= {one.text for one in memory.list(status="all").memories}
