"""What models write, and the value that is found in it: mended where that is safe, refused where it is not."""

from __future__ import annotations

import json
import time
from datetime import date
from typing import Literal

import pytest
from backstory.pipelines.llm_answers import Unusable, read
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, Field


class Draft(BaseModel):
    text: str
    importance: float = 0.5


class Drafts(BaseModel):
    drafts: list[Draft] = Field(default_factory=list)
    scene: Literal["chat", "coding"] | None = None
    day: date | None = None


ONE = Drafts(drafts=[Draft(text="likes tea", importance=0.7)])
GOOD = '{"drafts": [{"text": "likes tea", "importance": 0.7}]}'


@pytest.mark.parametrize(
    "answer",
    [
        GOOD,
        f"\ufeff  {GOOD}\n",
        f"```json\n{GOOD}\n```",
        f"```\n{GOOD}\n```",
        f"~~~JSON\n{GOOD}\n~~~",
        f"```json\n{GOOD}",
        f"Sure! Here you go:\n\n```json\n{GOOD}\n```\nAnything else?",
        f"好的，以下是结果：{GOOD} 希望有帮助。",
        f"Here is {{the}} answer {{}}: {GOOD}. Done {{x}}.",
        f'<think>Should it be {{"drafts": []}}? No.</think>{GOOD}',
        f'<think>\n好的，用户说 {{"scene": "chat"}}\n</think>\n\n```json\n{GOOD}\n```',
        f'the template opened the thought {{"drafts": []}} </think> {GOOD}',
        f"<thinking>one</thinking><reasoning>two</reasoning>{GOOD}",
        "{'drafts': [{'text': 'likes tea', 'importance': 0.7}], 'scene': None}",
        '{"drafts": [{"text": "likes tea", "importance": 0.7},], "scene": null,}',
        '{drafts: [{text: "likes tea", importance: 0.7}]}',
        "{“drafts”: [{“text”: “likes tea”, “importance”: 0.7}]}",
        '{"drafts": [{"text": "likes tea", "importance": 0.7}',
        '{"drafts": [{"text": "likes tea", "importance": 0.7}]',
        '{"drafts": [{"text": "likes tea", "importance": 0.7}] // all\n}',
        '{"drafts": [{"text": "likes tea", "importance": "0.7"}]}',
        '{"drafts": [{"text": "likes tea", "importance": 0.7}], "scene": None}',
        f'First try: {{"drafts": []}} On reflection: {GOOD}',
        f'```json\n{{"drafts": []}}\n```\nNo, better:\n```json\n{GOOD}\n```',
    ],
)
def test_the_value_is_found_whatever_stands_around_it(answer: str) -> None:
    assert read(answer, Drafts) == ONE


@pytest.mark.parametrize("around", ["%s", "```json\n%s\n```", "Well: %s."])
def test_a_text_is_kept_to_the_letter(around: str) -> None:
    words = 'He said "yes", then ```json {"drafts": []} ``` and 你好, {curly}, \\ and a tab\t.'
    answer = json.dumps({"drafts": [{"text": words}]})
    assert read(around.replace("%s", answer), Drafts) == Drafts(drafts=[Draft(text=words)])


def test_marks_of_thought_within_a_text_are_its_own() -> None:
    words = "the tags <think> and </think> were printed"
    assert read(json.dumps({"drafts": [{"text": words}]}), Drafts) == Drafts(drafts=[Draft(text=words)])


def test_an_answer_that_was_cut_counts_as_far_as_it_goes() -> None:
    found = read('{"drafts": [{"text": "one"}, {"text": "two is cut in the mid', Drafts)
    assert isinstance(found, Drafts)
    assert [draft.text for draft in found.drafts] == ["one", "two is cut in the mid"]


def test_values_are_read_as_json_has_them() -> None:
    assert read('{"day": "2026-01-31"}', Drafts) == Drafts(day=date(2026, 1, 31))


def test_half_a_character_does_not_pass() -> None:
    found = read('{"drafts": [{"text": "bad \\ud83d end"}]}', Drafts)
    assert isinstance(found, Drafts)
    found.drafts[0].text.encode()


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        ("", "empty"),
        (" \n\t", "empty"),
        ("I cannot do that.", "no JSON"),
        ('<think>only a thought {"drafts": []}', "no JSON"),
        ('<think>only a thought {"drafts": []}</think>', "no JSON"),
        ("Nothing {to see} here {at all}", "no JSON"),
        ("{{{{", "no JSON"),
        ("null", "wrong shape"),
        ("[]", "wrong shape"),
        ('"drafts"', "wrong shape"),
        ('{"drafts": "none"}', "wrong shape"),
        ('{"drafts": [{"importance": 1}]}', "wrong shape"),
        ('{"scene": "poetry"}', "wrong shape"),
        ("{'scene': 'poetry',}", "wrong shape"),
    ],
)
def test_what_is_no_answer_is_said_in_a_word(answer: str, kind: str) -> None:
    found = read(answer, Drafts)
    assert isinstance(found, Unusable)
    assert found.kind == kind


def test_the_problem_names_the_place_and_not_what_stood_there() -> None:
    found = read('{"drafts": [{"importance": "my secret"}]}', Drafts)
    assert found == Unusable(
        "wrong shape",
        "drafts.0.text: Field required; drafts.0.importance: Input should be a valid number, unable to parse string "
        "as a number",
    )


@pytest.mark.parametrize(
    "answer",
    [
        "{" * 60_000,
        '{"a":' * 20_000,
        "[" * 60_000,
        '{"drafts": "' + '"x' * 30_000,
        "{'a" * 20_000,
        "<think>" * 20_000,
        "```" * 20_000,
        "{}" * 30_000,
        '{"drafts": [' + '{"text": "a"},' * 4000,
        "{" + "\\" * 60_000,
        "</think>" * 20_000,
    ],
    ids=lambda answer: answer[:12],
)
def test_no_answer_takes_long_to_read(answer: str) -> None:
    # Of the processor's time, and twenty times what any of these takes: one of them took a minute.
    began = time.process_time()
    read(answer, Drafts)
    assert time.process_time() - began < 5


@given(st.text(alphabet=st.sampled_from(list("{}[]\",:'\\ abdraftsextinull0.5\n`<>/`think好")), max_size=200))
def test_no_text_whatever_raises(answer: str) -> None:
    assert isinstance(read(answer, Drafts), Drafts | Unusable)


@given(
    st.lists(st.text(max_size=30), max_size=4),
    st.sampled_from(["", "Well:\n", "<think>hm</think>\n", "结果：\n"]),
)
def test_whatever_a_model_says_in_json_is_read_back(texts: list[str], before: str) -> None:
    value = Drafts(drafts=[Draft(text=text) for text in texts])
    assert read(before + value.model_dump_json(), Drafts) == value
