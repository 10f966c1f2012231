"""Prompts are whole: every place is filled, what they show agrees with the code, and they stay short."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from backstory import prompts
from backstory.pipelines import judge, plan_model, reconcile_model, route
from backstory.pipelines.extract import by_model, model_summary
from backstory.pipelines.extract.model_shapes import Found, Summed
from backstory.pipelines.extract.model_windows import pieces
from backstory.pipelines.llm import Asked
from backstory.store.models import NewMemory, Scope
from backstory.tests.pipelines.windowed import AT, edited, ran, turn
from pydantic import BaseModel

FOLDER = Path(__file__).parents[2] / "prompts"
NAMES = sorted(path.stem for path in FOLDER.glob("*.md"))
TOKENS = 900
SHAPES: dict[str, type[BaseModel]] = {
    "judge": judge.Label,
    "extract": Found,
    "extract_work": Found,
    "reconcile": reconcile_model.Opinion,
    "plan": plan_model.Rewrite,
    "summary": Summed,
}


def text(name: str) -> str:
    return (FOLDER / f"{name}.md").read_text("utf-8")


def tokens(said: str) -> float:
    """Roughly: four characters of English to a token, and 1.5 of Chinese."""
    wide = len(re.findall("[\u3000-\u9fff\uff00-\uffef]", said))
    return (len(said) - wide) / 4 + wide / 1.5


def asked() -> dict[str, Asked]:
    """Every question that is asked, with all that its prompt can hold."""
    working = turn("Fix the import.", "Fixed.", steps=(ran("pytest"), edited("a.py")))
    new = NewMemory("fact", "chat", Scope(), "I use tabs.", "user")
    return {
        "judge": judge.question(()),
        "extract": by_model.question(pieces([working])[0], [working], []),
        "reconcile": reconcile_model.question(new, [], now=AT),
        "plan": plan_model.question("what did we decide?", now=AT, utc_offset_s=0),
        "summary": model_summary.question([working]),
    }


def examples(name: str) -> Iterator[dict[str, Any]]:
    """The JSON objects that a prompt shows, without those that only say what may stand where."""
    said = text(name)
    decoder = json.JSONDecoder()
    at = said.find("{")
    while at >= 0:
        try:
            value, end = decoder.raw_decode(said, at)
        except ValueError:
            end = at + 1
        else:
            yield value
        at = said.find("{", end)


def test_the_boundary_that_a_judge_reads_is_the_one_the_rules_are_written_by() -> None:
    rules = route.__doc__ or ""
    written = rules[rules.index("The written boundary:") :]
    assert " ".join(prompts.load("boundary").split()) == " ".join(written.split())
    assert prompts.load("boundary") in asked()["judge"].system


@pytest.mark.parametrize("step", ["judge", "extract", "reconcile", "plan", "summary"])
def test_a_question_has_no_empty_place_and_names_its_own_fence(step: str) -> None:
    question = asked()[step]
    assert question.step == step
    assert "{{" not in question.system
    if question.user:
        nonce = re.match(r"<[a-z-]+-(\w+)[ >]", question.user)
        assert nonce
        assert f"`{nonce[1]}`" in question.system


@pytest.mark.parametrize("name", [name for name in NAMES if name != "boundary"])
def test_a_prompt_is_short_and_says_that_what_it_is_given_is_data(name: str) -> None:
    assert tokens(text(name)) < TOKENS, f"about {tokens(text(name)):.0f} tokens"
    assert "never" in text(name)
    assert "data" in text(name)


@pytest.mark.parametrize("name", SHAPES)
def test_an_example_fits_the_shape_that_its_answer_is_read_by(name: str) -> None:
    shown = list(examples(name))
    assert len(shown) >= (1 if name.startswith("extract") else 2)
    for value in shown:
        read = SHAPES[name].model_validate(value)
        assert set(value) <= set(SHAPES[name].model_fields)
        # Nothing of an example was taken for odd and left out.
        assert json.loads(read.model_dump_json(exclude_unset=True)) == value


@pytest.mark.parametrize("name", SHAPES)
def test_the_examples_are_in_english_and_in_chinese(name: str) -> None:
    said = text(name)
    assert re.search("[\u4e00-\u9fff]{4}", said)
    assert re.search("[a-z]{4}", said)


def test_a_value_is_not_looked_through_for_places() -> None:
    assert "{{nonce}}" in prompts.load("plan", nonce="{{nonce}}", today="a day")


def test_a_value_too_many_or_too_few_is_an_error() -> None:
    with pytest.raises(ValueError, match="nonce"):
        prompts.load("judge", boundary="")
    with pytest.raises(ValueError, match="colour"):
        prompts.load("boundary", colour="red")
