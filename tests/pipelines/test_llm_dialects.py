"""Endpoints that understand less than all: how each is asked so that it answers, and that this is found out once."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from typing import Annotated, Any, Literal

import pytest
from backstory.pipelines.llm import Answered, Declined
from backstory.pipelines.llm_dialect import Dialect, after_refusal
from backstory.store.db import Database
from backstory.tests.model_server import Reply, Request, knows_no, knows_no_format, refuses, says
from backstory.tests.pipelines.asking_a_model import ASKED, CHAT, NOW, Verdict, rig
from pydantic import BaseModel, Field


def names(request: Request) -> set[str]:
    return set(request.body) - {"model", "messages"}


def test_an_endpoint_that_knows_schemas_is_given_a_strict_one_and_no_words_about_it(db: Database) -> None:
    with rig(db, [says(CHAT)]) as at:
        assert at.why() == "answered"
        (request,) = at.server.asked
        assert names(request) == {"response_format", "max_tokens", "temperature"}
        assert request.body["response_format"] == {
            "type": "json_schema",
            "json_schema": {
                "name": "Verdict",
                "strict": True,
                "schema": {
                    "type": "object",
                    "description": "What the questions of these tests ask for.",
                    "properties": {
                        "label": {"type": "string", "enum": ["chat", "working", "coding"]},
                        "sure": {"type": "number"},
                    },
                    "required": ["label", "sure"],
                    "additionalProperties": False,
                },
            },
        }
        assert request.text == f"{ASKED.system}\n{ASKED.user}"


Script = Callable[[Request], Reply]


@pytest.mark.parametrize(
    ("script", "first", "later"),
    [
        (knows_no_format("json_schema", answer=CHAT), ["json_schema", "json_object"], "json_object"),
        (
            knows_no_format("json_schema", "json_object", answer=CHAT),
            ["json_schema", "json_object", "text"],
            "text",
        ),
    ],
)
def test_a_format_that_is_refused_is_not_asked_for_again(
    db: Database, script: Script, first: list[str], later: str
) -> None:
    with rig(db, script) as at:
        outcome = at.ask()
        assert isinstance(outcome, Answered)
        assert at.server.formats == first
        # Refused requests cost nothing and are in the ledger all the same.
        assert outcome.spent.calls == len(at.ledger()) == len(first)
        assert (outcome.spent.tokens_in, outcome.spent.tokens_out) == (100, 20)
        assert at.why() == "answered"
        assert at.server.formats == [*first, later]
        said = at.server.asked[-1].body["messages"][0]["content"]
        assert said.startswith(ASKED.system)
        assert "JSON" in said  # json_object is refused by some without the word
        assert '"enum":["chat","working","coding"]' in said


@pytest.mark.parametrize(
    ("script", "gone", "instead"),
    [
        (
            knows_no("max_tokens", answer=CHAT, instead="Use 'max_completion_tokens' instead."),
            "max_tokens",
            {"max_completion_tokens"},
        ),
        (knows_no("max_tokens", answer=CHAT), "max_tokens", {"max_completion_tokens"}),
        (knows_no("temperature", answer=CHAT), "temperature", set()),
        (knows_no("response_format", answer=CHAT), "response_format", set()),
    ],
)
def test_a_parameter_that_is_refused_is_not_sent_again(
    db: Database, script: Script, gone: str, instead: set[str]
) -> None:
    with rig(db, script) as at:
        assert at.why() == "answered"
        requests = len(at.server.asked)
        assert at.why() == "answered"
        assert len(at.server.asked) == requests + 1
        sent = names(at.server.asked[-1])
        assert gone not in sent
        assert instead <= sent


def test_an_endpoint_that_knows_next_to_nothing_is_found_out_step_by_step(db: Database) -> None:
    limits = "Use 'max_completion_tokens' instead."
    script = knows_no("temperature", "max_tokens", "response_format", answer=CHAT, instead=limits)
    with rig(db, script) as at:
        outcome = at.ask()
        assert isinstance(outcome, Answered)
        assert names(at.server.asked[-1]) == {"max_completion_tokens"}
        assert outcome.spent.calls == 5
        assert at.why() == "answered"
        assert len(at.server.asked) == 6


def test_a_model_that_thinks_where_it_may_not_is_told_not_to(db: Database) -> None:
    def script(request: Request) -> Reply:
        if request.body.get("enable_thinking") is not False:
            return refuses(400, "parameter.enable_thinking must be set to false for non-streaming calls")
        return says(CHAT)

    with rig(db, script) as at:
        assert at.why() == "answered"
        assert at.why() == "answered"
        assert len(at.server.asked) == 3


@pytest.mark.parametrize("status", [404, 422, 500])
def test_a_refusal_that_speaks_of_the_format_opens_nothing(db: Database, status: int) -> None:
    def script(request: Request) -> Reply:
        if request.format == "json_schema":
            return refuses(status, "No endpoints found that support response_format")
        return says(CHAT)

    with rig(db, script) as at:
        assert at.why() == "answered"
        assert at.model.state_at(NOW).resting == []


def test_a_refusal_without_a_reason_is_answered_by_asking_in_the_plainest_way(db: Database) -> None:
    def script(request: Request) -> Reply:
        if "response_format" in request.body:
            return refuses(400, "API 调用参数有误，请检查文档。", code="1210")
        return says(f"好的：{CHAT}")

    with rig(db, script) as at:
        assert [at.why(), at.why()] == ["answered", "answered"]
        assert at.server.formats == ["json_schema", "text", "text"]


def test_what_has_answered_before_is_not_asked_otherwise_for_a_refused_text(db: Database) -> None:
    with rig(db, [says(CHAT), refuses(400, "no"), says(CHAT)]) as at:
        assert [at.why(), at.why(), at.why()] == ["answered", "refused", "answered"]
        assert at.server.formats == ["json_schema"] * 3


def test_an_endpoint_that_takes_a_schema_and_ignores_it_gets_to_read_it(db: Database) -> None:
    def script(request: Request) -> Reply:
        return says(CHAT if '"enum"' in request.text else "Paris, of course!")

    with rig(db, script) as at:
        first, second = at.ask(), at.ask()
        assert isinstance(first, Answered) and isinstance(second, Answered)
        assert (first.spent.calls, second.spent.calls) == (2, 1)
        assert at.server.formats == ["json_schema"] * 3


def test_each_model_of_an_endpoint_is_known_by_itself(db: Database) -> None:
    def script(request: Request) -> Reply:
        if request.body["model"] == "old" and request.format != "text":
            return refuses(400, "response_format is not supported")
        return says(CHAT)

    with rig(db, script, model_judge="old") as at:
        at.ask()
        at.ask(type(ASKED)("extract", "s", "u", 9))
        assert at.server.formats == ["json_schema", "json_object", "text", "json_schema"]


def test_an_endpoint_that_refuses_everything_is_left_alone_after_a_few_requests(db: Database) -> None:
    def script(request: Request) -> Reply:
        return refuses(400, f"Unsupported: {', '.join(sorted(request.body))}, max_completion_tokens")

    with rig(db, script) as at:
        outcome = at.ask()
        assert isinstance(outcome, Declined)
        assert outcome.why == "refused"
        assert len(at.server.asked) <= 6


@pytest.mark.parametrize(
    ("said", "otherwise"),
    [
        ("This model's maximum context length is 8192 tokens (max_tokens 50)", None),
        ("max_tokens is too large: 9000. This model supports at most 4096 completion tokens", None),
        ("Range of input length should be [1, 6000], exceeds", None),
        ("输入内容过长", None),
        ("系统检测到输入或生成内容可能包含不安全或敏感内容", None),
        ("temperature参数非法。请检查文档。", Dialect(temperature=False)),
        (
            "Unsupported value: 'temperature' does not support 0.1 with this model.",
            Dialect(temperature=False),
        ),
        (
            "'max_tokens' is not supported. Use 'max_completion_tokens'",
            Dialect(limit="max_completion_tokens"),
        ),
        ("Unrecognized request argument supplied: max_tokens", Dialect(limit="max_completion_tokens")),
        ("parameter.enable_thinking必须设置为false才能进行非流式调用", Dialect(thinking_off=True)),
        ("enable thinking can not be support when `stream=False`", Dialect(thinking_off=True)),
        ("Invalid schema for response_format 'Verdict'", Dialect(format="object")),
        ("'messages' must contain the word 'json' to use 'response_format'", Dialect(format="object")),
        ("structured outputs are not supported by this model", Dialect(format="object")),
        ("json_schema 不支持", Dialect(format="object")),
        ("Bad Request", Dialect(format="text", temperature=False)),
    ],
)
def test_what_endpoints_say_is_understood(said: str, otherwise: Dialect | None) -> None:
    assert after_refusal(Dialect(), said, proven=False) == otherwise


def test_every_refusal_leads_to_an_end() -> None:
    said = "enable_thinking temperature response_format max_tokens max_completion_tokens"
    for words in (said, "Bad Request", "max_tokens", "response_format"):
        dialect: Dialect | None = Dialect()
        for _ in range(8):
            dialect = after_refusal(dialect, words, proven=False) if dialect else None
        assert dialect is None


# --- schemas


class Inner(BaseModel):
    name: str = Field(max_length=9, description="who")
    when: date | None = None


class Outer(BaseModel):
    title: str
    items: list[Inner] = Field(default_factory=list, max_length=3)
    kind: Annotated[Literal["a", 2], Field()] = "a"
    again: Outer | None = None


class Loose(BaseModel):
    data: dict[str, Any]


class Tuples(BaseModel):
    pair: tuple[int, str]


def schema_of(shape: type[BaseModel]) -> dict[str, Any]:
    made = Dialect().options(shape, 5)["response_format"]["json_schema"]
    assert isinstance(made, dict)
    return made


def test_a_strict_schema_requires_every_field_at_every_depth_and_keeps_to_known_words() -> None:
    made = schema_of(Outer)
    assert made["strict"] is True
    outer, inner = made["schema"]["$defs"]["Outer"], made["schema"]["$defs"]["Inner"]
    assert outer["required"] == ["title", "items", "kind", "again"]
    assert outer["additionalProperties"] is False
    assert outer["properties"]["items"] == {
        "type": "array",
        "items": {"$ref": "#/$defs/Inner"},
        "maxItems": 3,
    }
    assert outer["properties"]["again"] == {"anyOf": [{"$ref": "#/$defs/Outer"}, {"type": "null"}]}
    assert inner["properties"]["name"] == {"type": "string", "description": "who"}
    assert inner["required"] == ["name", "when"]


@pytest.mark.parametrize("shape", [Loose, Tuples])
def test_a_shape_that_strict_mode_cannot_express_is_sent_as_it_is(shape: type[BaseModel]) -> None:
    made = schema_of(shape)
    assert made["strict"] is False
    assert made["schema"]["properties"].keys() == shape.model_fields.keys()


def test_the_plain_dialect_states_the_schema(db: Database) -> None:
    said = Dialect(format="text").system("Be brief.", Verdict)
    assert said.startswith("Be brief.\n\nAnswer with one JSON object and nothing else.")
    assert Dialect().system("Be brief.", Verdict) == "Be brief."
