"""Extraction measured on labelled turns: a perfect model scores one, a bad one does not, and a person can read it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from backstory.server.eval_extract import Labelled, evaluate, load, run, table
from backstory.store.db import Database
from backstory.store.errors import BadInput
from backstory.tests.model_server import Reply, Request, refuses, says
from backstory.tests.pipelines.asking_a_model import NOW, Rig, rig

_PREDICATES = {
    "is:name": "is named", "is:role": "works as", "lives:city": "lives in", "uses": "uses", "decided": "decided",
    "prefers": "asks for",
}  # fmt: skip


@pytest.fixture
def at(db: Database) -> Iterator[Rig]:
    with rig(db, [], model_tokens_a_day=1_000_000_000) as made:
        yield made


def perfect(turns: list[Labelled]) -> Any:
    """A model that says what the labels say."""
    known = {turn.prompt: turn for turn in turns}

    def answer(request: Request) -> Reply:
        shown = re.findall(r'<user-\w+ turn="(\d+)"[^>]*>\n(.*?)\n</user-', request.text, re.DOTALL)
        said = []
        for number, text in shown:
            prompt = next((one for one in known if text[:25] in one), None)
            if prompt is not None:
                said += [statement(int(number), prompt, label) for label in known[prompt].expected]
        return says({"statements": said})

    return answer


def statement(number: int, prompt: str, label: Any) -> dict[str, Any]:
    sentence = next(part for part in re.split(r"(?<=[.。？?])\s*", prompt) if label["value"] in part).rstrip(
        ".。"
    )
    clause = next(part for part in re.split(r"[,，;]\s*(?:but |so )?", sentence) if label["value"] in part)
    if not label.keys() & {"why", "since", "expires", "old"}:
        sentence = clause
    slot = label.get("slot", "")
    group = slot.partition(":")[0]
    plain = "plans" if label["kind"] == "intention" else "notes"
    kind = label["kind"]
    return {
        "turn": number, "quote": sentence, "text": sentence, "kind": kind, "value": label["value"],
        "subject": "team" if group == "decided" else "user",
        "predicate": _PREDICATES.get(slot, _PREDICATES.get(group, plain)),
        "denied": label.get("polarity") == "negated", "asks": label.get("asks", "keep"), "old": label.get("old", ""),
        "why": label.get("why", ""), "since": label.get("since", ""), "expires": label.get("expires", ""),
    }  # fmt: skip


def test_a_perfect_model_finds_all_of_our_set_and_nothing_else(at: Rig) -> None:
    turns = load()
    at.server.script = perfect(turns)
    result = evaluate(at.model, turns, now=NOW, deadline_s=5)
    assert result.missed == ()
    assert result.wrong == ()
    assert (result.precision, result.recall, result.evidence) == (1.0, 1.0, 1.0)
    assert result.refused == {}
    assert result.right == result.whole == sum(len(turn.expected) for turn in turns)
    assert (result.calls, result.tokens_in, result.tokens_out) == (8, 800, 160)
    assert len(result.took_ms) == 8


def test_our_set_is_of_both_languages_and_half_of_it_holds_nothing() -> None:
    turns = load()
    for lang in ("en", "zh"):
        mine = [turn for turn in turns if turn.lang == lang]
        assert len(mine) == 20
        assert 6 <= sum(not turn.expected for turn in mine) <= 12
    known = {
        json.loads(line)["prompt"]
        for line in (Path(__file__).parents[1] / "data" / "chat_turns.jsonl").read_text("utf-8").splitlines()
    }
    assert not known & {turn.prompt for turn in turns}


def test_a_model_that_invents_its_quotes_scores_nothing(at: Rig) -> None:
    turns = load()
    at.server.script = [
        says(
            {
                "statements": [
                    {
                        "turn": 1,
                        "quote": "I adore this thing",
                        "text": "I adore this thing.",
                        "kind": "profile",
                    }
                ]
            }
        )
    ]
    result = evaluate(at.model, turns, now=NOW, deadline_s=5)
    assert (result.right, result.wrong, result.recall, result.evidence) == (0, (), 0.0, 0.0)
    assert result.refused == {"quote not in the source": 8}


def test_what_should_not_be_found_counts_against_precision(at: Rig, tmp_path: Path) -> None:
    path = labelled(
        tmp_path,
        {
            "prompt": "I use tabs. I live in Rome.",
            "drafts": [{"kind": "profile", "value": "tabs", "slot": "prefers:indentation"}],
        },
    )
    both = [
        {
            "turn": 1,
            "quote": "I use tabs",
            "text": "I use tabs.",
            "kind": "profile",
            "predicate": "uses",
            "value": "tabs",
        },
        {
            "turn": 1,
            "quote": "I live in Rome",
            "text": "I live in Rome.",
            "kind": "profile",
            "predicate": "lives in",
            "value": "Rome",
        },
    ]
    at.server.script = [says({"statements": both})]
    result = evaluate(at.model, load(path), now=NOW, deadline_s=5)
    assert (result.precision, result.recall, result.whole) == (0.5, 1.0, 1)
    assert [text for _, text in result.wrong] == ["I live in Rome."]


def test_a_model_that_does_not_answer_is_told_as_such(at: Rig) -> None:
    at.server.script = [refuses(401)]
    result = evaluate(at.model, load(), now=NOW, window=5, deadline_s=5)
    assert (result.right, result.proposed) == (0, 0)
    assert sum(result.declined.values()) == 8
    assert "no answer" in table(result)


def labelled(folder: Path, *lines: dict[str, Any]) -> Path:
    path = folder / "set.jsonl"
    path.write_text("\n".join(json.dumps({"at": "2026-03-11T10:00+08:00"} | line) for line in lines), "utf-8")
    return path


@pytest.mark.parametrize(
    "line",
    [
        "not json",
        "{}",
        '{"prompt": "x", "at": "2026-03-11T10:00", "drafts": []}',
        '{"prompt": "x", "at": "2026-03-11T10:00Z", "drafts": [{"kind": "fact"}]}',
    ],
)
def test_a_line_that_is_no_labelled_turn_is_refused_with_its_number(tmp_path: Path, line: str) -> None:
    path = labelled(tmp_path, {"prompt": "Hello.", "drafts": []})
    path.write_text(path.read_text("utf-8") + "\n" + line, "utf-8")
    with pytest.raises(BadInput, match="Line 2"):
        load(path)


def test_a_set_that_is_empty_or_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="cannot be read"):
        load(tmp_path / "none.jsonl")
    (tmp_path / "empty.jsonl").write_text("\n")
    with pytest.raises(BadInput, match="no turn"):
        load(tmp_path / "empty.jsonl")


def test_a_person_reads_figures_and_cost(at: Rig, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = labelled(tmp_path, {"prompt": "I use tabs.", "drafts": [{"kind": "profile", "value": "tabs"}]})
    at.server.script = [says({"statements": []})]
    assert run(at.model, path=path, now=NOW, price_in=2.0, price_out=10.0) == 0
    told = capsys.readouterr().out
    assert "recall          " in told
    assert "0.0%  (0 of 1)" in told
    assert "100 in, 20 out" in told
    assert re.search(r"cost +0\.0004", told)


def test_a_program_reads_json(at: Rig, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = labelled(tmp_path, {"prompt": "I use tabs.", "drafts": [{"kind": "profile", "value": "tabs"}]})
    at.server.script = [says({"statements": []})]
    assert run(at.model, path=path, now=NOW, in_json=True) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["recall"], told["calls"], told["cost"]) == (0.0, 1, None)
    assert told["missed"] == [{"prompt": "I use tabs.", "draft": {"kind": "profile", "value": "tabs"}}]
