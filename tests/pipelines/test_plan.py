"""A plan: what of a question is looked for, and which prompts ask nothing."""

from __future__ import annotations

import pytest
from backstory.pipelines.plan import plan
from backstory.store import cutter
from hypothesis import given
from hypothesis import strategies as st

from .topics import CHATTER, RELATED, UNRELATED_LONG

CUT = cutter.load()


def names(question: str) -> set[str]:
    return {word.text for word in plan(question, CUT).query.words if word.name}


def test_names_are_told_from_words() -> None:
    assert names("why does loadConfig fail in src/app/main.py since v2.1.0?") == {
        "loadconfig", "src/app/main.py", "v2.1.0",
    }  # fmt: skip
    assert names("what did we say about retries") == set()


def test_what_stands_in_quotes_or_backticks_is_a_name() -> None:
    assert names('what is the "blue green" switch?') == {"blue", "green"}
    assert names("where is `rollout` used, and 「灰度」？") == {"rollout", "灰度"}


@pytest.mark.parametrize(
    "prompt", [*CHATTER, "nice work", "keep going", "please continue with the next step", "run the tests"]
)
@pytest.mark.parametrize("cut", [CUT, None], ids=["cut", "uncut"])
def test_greetings_and_nods_ask_nothing(prompt: str, cut: cutter.Cut | None) -> None:
    assert plan(prompt, cut, prompted=True).empty


@pytest.mark.parametrize("prompt", ["database", "数据库", "refactor", "why", "2"])
def test_one_word_asks_nothing_of_an_agents_memory_but_memory_itself_is_asked_by_it(prompt: str) -> None:
    assert plan(prompt, CUT, prompted=True).empty
    assert not plan(prompt, CUT).empty


@pytest.mark.parametrize(
    "prompt", ["orders_open_idx", "src/app/main.py", "why did we drop it?", "数据库死锁"]
)
def test_a_lone_name_or_a_question_asks_something(prompt: str) -> None:
    assert not plan(f"{prompt} deadlock" if "drop" in prompt else prompt, CUT, prompted=True).empty


def test_real_questions_and_long_prompts_ask_something() -> None:
    for prompt in (*(question for question, _ in RELATED), *UNRELATED_LONG):
        assert not plan(prompt, CUT, prompted=True).empty, prompt


@given(st.text())
def test_any_text_can_be_planned(text: str) -> None:
    for prompted in (True, False):
        made = plan(text, CUT, prompted=prompted)
        assert made.text == text
        assert made.empty or made.query.words or made.query.grams


@pytest.mark.parametrize(
    ("question", "scene"),
    [
        ("Why did we drop the retry loop in `net/fetch.py`?", "coding"),
        ("how does parse_config handle comments", "coding"),
        ("上次重构的时候改了什么", "coding"),
        ("Which theme do I prefer?", "chat"),
        ("我喜欢什么主题", "chat"),
        ("When is the dentist?", None),
        ("报告发给谁了", None),
    ],
)
def test_a_question_tells_its_scene_by_its_words_or_not(question: str, scene: str | None) -> None:
    assert plan(question, CUT).scene == scene
