"""What the five tools accept: checked once here, trusted inside; the rest is refused with a sentence."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Annotated, Any, Literal, TypeVar

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError
from pydantic_core import ErrorDetails

from ..store.errors import BadInput, NotYet
from ..store.models import CONTENT_CHARS, MESSAGES, Kind, Mode, Scene, Status
from . import render

QUERY_CHARS = 10_000
META_CHARS = 10_000
NAME_CHARS = 1_000
LIMIT = 50


def clean(value: Any) -> Any:
    """`value` with what no file can hold (NUL, halves of surrogate pairs) replaced, at any depth."""
    if isinstance(value, str):
        if "\0" not in value and value.isascii():
            return value
        return value.replace("\0", "\ufffd").encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, Mapping):
        return {clean(key): clean(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [clean(item) for item in value]
    return value


def _listed(value: Any) -> Any:
    return [value] if isinstance(value, str) else value


def _numbered(value: Any) -> Any:
    # `42` and "42" are the m42 that a model meant.
    if isinstance(value, int) and not isinstance(value, bool):
        return f"m{value}"
    if isinstance(value, str) and (bare := value.strip()).isascii() and bare.isdigit():
        return f"m{bare}"
    return value


def _plain(value: dict[str, Any]) -> dict[str, Any]:
    try:
        length = len(json.dumps(value, ensure_ascii=False, allow_nan=False))
    except (ValueError, RecursionError, TypeError):
        raise ValueError("send plain JSON, without NaN or infinity") from None
    if length > META_CHARS:
        raise ValueError(f"it has {length:,} characters as JSON; {META_CHARS:,} are the limit")
    return value


Name = Annotated[str, Field(max_length=NAME_CHARS)]
Date = Annotated[str, Field(max_length=60)]
Id = Annotated[str, BeforeValidator(_numbered, json_schema_input_type=str), Field(max_length=NAME_CHARS)]
Kinds = Annotated[
    list[Kind], BeforeValidator(_listed, json_schema_input_type=list[Kind]), Field(max_length=7)
]
Meta = Annotated[dict[str, Any], AfterValidator(_plain)]
Names = Annotated[
    list[Name], BeforeValidator(_listed, json_schema_input_type=list[str]), Field(max_length=20)
]


class Input(BaseModel):
    """The arguments of one tool. Unknown ones are refused: a dropped filter would answer another question."""

    model_config = ConfigDict(extra="forbid", frozen=True)


Parsed = TypeVar("Parsed", bound=Input)


class Search(Input):
    """Arguments of memory_search."""

    query: Annotated[
        str | None, Field(description="words, names, paths, a question; empty lists newest first")
    ] = None
    kind: Annotated[Kinds | None, Field(description="only these")] = None
    scene: Scene | None = None
    workspace: Annotated[
        Name | None, Field(description="default this one and global; a name or folder, 'global' or 'all'")
    ] = None
    file: Annotated[
        Name | None, Field(description="code history of a file, path from the repository's top")
    ] = None
    symbol: Annotated[Name | None, Field(description="of a function or class: fetch, Client.send")] = None
    branch: Annotated[Name | None, Field(description="of another branch than this one")] = None
    commit: Annotated[Name | None, Field(description="of a commit")] = None
    since: Annotated[Date | None, Field(description="2026-05-01, 7d, yesterday")] = None
    until: Annotated[Date | None, Field(description="inclusive")] = None
    as_of: Annotated[Date | None, Field(description="what was true by the end of that day, as known now")] = (
        None
    )
    known_as_of: Annotated[
        Date | None,
        Field(description="what would have been said then, right or wrong; with as_of: of that day"),
    ] = None
    sources: Annotated[Names | None, Field(description="clients, e.g. claude-code")] = None
    session: Name | None = None
    status: Status = "live"
    limit: Annotated[int | None, Field(ge=1, le=LIMIT)] = None
    page: Annotated[int, Field(ge=1, le=1_000)] = 1
    budget: Annotated[int, Field(ge=500, le=render.MOST_CHARS, description="characters of the answer")] = (
        render.BUDGET_CHARS
    )
    format: Literal["text", "json"] = "text"
    mode: Annotated[Mode, Field(description="agentic: a model rewrites the question")] = "default"


class Message(Input):
    """One message of a turn."""

    role: Literal["user", "assistant", "tool", "system"]
    content: Annotated[str, Field(max_length=CONTENT_CHARS)]


class Add(Input):
    """Arguments of memory_add."""

    content: Annotated[
        str | None, Field(description="one self-contained statement", max_length=CONTENT_CHARS)
    ] = None
    messages: Annotated[
        list[Message] | None, Field(description="instead of content: a conversation", max_length=MESSAGES)
    ] = None
    kind: Annotated[
        Literal["fact", "profile", "summary", "intention", "experience"] | None,
        Field(
            description="default fact; profile: the user; intention: to do; experience: what worked and why"
        ),
    ] = None
    scene: Scene | None = None
    importance: Annotated[float | None, Field(ge=0, le=1)] = None
    memory_at: Annotated[Date | None, Field(description="true since")] = None
    expires: Annotated[Date | None, Field(description="2026-12-31, 30d")] = None
    workspace: Annotated[
        Name | None, Field(description="default this one; 'global' for what holds everywhere")
    ] = None
    meta: Annotated[Meta | None, Field(description="carried, not searched")] = None


class Get(Input):
    """Arguments of memory_get."""

    id: Annotated[
        Id,
        Field(
            description="m42; or code: src/pay.py::fetch, version 2 of it in full ::fetch@2, "
            "a diff ::fetch@2..3 or @2..now"
        ),
    ]
    view: Annotated[
        Literal["full", "evidence", "history", "code", "explain"],
        Field(
            description="evidence: who said it; history: earlier versions; code: what its turn changed; "
            "explain: why it is there (t7: why a turn left nothing)"
        ),
    ] = "full"


class Update(Input):
    """Arguments of memory_update."""

    id: Annotated[Id, Field(description="m42")]
    content: Annotated[str | None, Field(description="the whole new text", max_length=CONTENT_CHARS)] = None
    importance: Annotated[float | None, Field(ge=0, le=1)] = None
    valid_to: Annotated[Date | None, Field(description="true until")] = None
    feedback: Annotated[
        Literal["helpful", "unhelpful", "wrong"] | None, Field(description="wrong: no longer offered unasked")
    ] = None
    restore: Annotated[bool, Field(description="bring back this version, or a faded memory")] = False


class Delete(Input):
    """Arguments of memory_delete."""

    id: Annotated[Id | None, Field(description="m42; or, instead:")] = None
    query: Annotated[Name | None, Field(description="words, whole ones, however written")] = None
    file: Name | None = None
    session: Name | None = None
    workspace: Name | None = None
    since: Date | None = None
    until: Date | None = None
    forget: Annotated[bool, Field(description="erase for good")] = False
    preview: Annotated[bool, Field(description="only show what would go")] = False


# What the design knows and this version does not act on: named, so that nobody takes silence for an answer.
LATER: Mapping[type[Input], Mapping[str, str]] = {
    Search: {},
    Add: {"branch": "the current branch is recorded by itself"},
    Get: {},
    Update: {},
    Delete: {},
}


def parse(model: type[Parsed], tool: str, arguments: Mapping[str, Any]) -> Parsed:
    """
    The arguments as `model`, with null taken as left out.

    Raises:
        NotYet: an argument or value the design knows and this version does not act on.
        BadInput: anything else that is not accepted.
    """
    given = {name: value for name, value in clean(arguments).items() if value is not None}
    for name, why in LATER[model].items():
        if name in given:
            raise NotYet(f"{tool} does not take `{name}` yet: {why}. Leave `{name}` out.")
    try:
        return model.model_validate(given)
    except ValidationError as e:
        said = [
            _sentence(tool, model, error) for error in e.errors(include_url=False, include_context=True)[:3]
        ]
        raise BadInput(" ".join(said)) from None


def _sentence(tool: str, model: type[Input], error: ErrorDetails) -> str:
    name = ".".join(str(part) for part in error["loc"])[:80]
    match error["type"]:
        case "extra_forbidden":
            return f"{tool} does not take `{name}`; it takes {', '.join(model.model_fields)}."
        case "missing":
            return f"`{name}` is missing."
        case "string_too_long":
            limit = error["ctx"]["max_length"]
            return f"`{name}` has {len(error['input']):,} characters; {limit:,} are the limit."
        case "literal_error":
            return f"`{name}` is {error['ctx']['expected']}, not {_shown(error['input'])}."
        case "value_error":
            return f"`{name}`: {error['msg'].removeprefix('Value error, ')}."
        case _:
            message = error["msg"]
            return f"`{name}`: {message[:1].lower()}{message[1:]} (not {_shown(error['input'])})."


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:60] + "…"


def schema(model: type[Input]) -> dict[str, Any]:
    """The JSON schema of a tool's arguments, without what no model needs: titles, nulls, class names."""
    whole = model.model_json_schema()
    short: dict[str, Any] = _short(whole, whole.get("$defs", {}))
    return short


def _short(node: Any, definitions: Mapping[str, Any], *, names: bool = False) -> Any:
    if isinstance(node, list):
        return [_short(item, definitions) for item in node]
    if not isinstance(node, dict):
        return node
    if names:
        return {key: _short(value, definitions) for key, value in node.items()}
    if "$ref" in node:
        return _short(definitions[node["$ref"].rsplit("/", 1)[1]], definitions)
    if "anyOf" in node:
        (one,) = [option for option in node["anyOf"] if option != {"type": "null"}]
        node = {**one, **{key: value for key, value in node.items() if key != "anyOf"}}
    dropped = {"title", "$defs", "maxItems"}
    if node.get("default", ...) is None:
        dropped.add("default")
    if node.get("maxLength", CONTENT_CHARS) < CONTENT_CHARS:
        dropped.add("maxLength")  # nobody comes near it by honest use
    if node.get("additionalProperties") is True:
        dropped.add("additionalProperties")
    if "properties" in node:
        dropped.add("description")  # the class's docstring, written for us
    return {
        key: _short(value, definitions, names=key == "properties")
        for key, value in node.items()
        if key not in dropped
    }
