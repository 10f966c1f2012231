"""How an endpoint wants to be asked for JSON: what it understands differs, and is found out from what it refuses."""

from __future__ import annotations

import json
import re
import threading
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, Literal

from pydantic import BaseModel

Format = Literal["schema", "object", "text"]
# As good as none, where an answer is wanted that does not change; zero itself is refused by some (Zhipu's GLM-4).
TEMPERATURE = 0.1

# Words by which a refusal means this text, its length (although it may name `max_tokens` on the way) or its content.
_ABOUT_WHAT = re.compile(
    r"context.{0,3}(?:length|window|size)|too (?:long|large|many)|at most|exceed|maximum|上下文|过长|超出|超过|最大"
    r"|inappropriate|content.?(?:filter|policy)|inspection|moderation|sensitive|safety|敏感|违规|不安全"
)
_FORMAT = re.compile(
    r"response.?format|json.?schema|json.?object|json.?mode|structured.?output|guided|grammar"
)


@dataclass(frozen=True, slots=True)
class Dialect:
    """What is sent beside the texts."""

    format: Format = "schema"
    limit: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"
    temperature: bool = True
    # Qwen 3 refuses to answer in one piece while it thinks.
    thinking_off: bool = False
    # The schema stands in the system prompt as well: the endpoint takes the format and does not keep to it.
    says_schema: bool = False

    def options(self, shape: type[BaseModel], max_tokens: int) -> dict[str, Any]:
        """The parameters of a request, as the endpoint is known to take them."""
        options: dict[str, Any] = {self.limit: max_tokens}
        if self.temperature:
            options["temperature"] = TEMPERATURE
        if self.format == "schema":
            options["response_format"] = _json_schema(shape)
        elif self.format == "object":
            options["response_format"] = {"type": "json_object"}
        if self.thinking_off:
            options["extra_body"] = {"enable_thinking": False}
        return options

    def system(self, text: str, shape: type[BaseModel]) -> str:
        """The system prompt; the schema stands in it where the request does not carry it."""
        if self.format == "schema" and not self.says_schema:
            return text
        return f"{text}\n\nAnswer with one JSON object and nothing else. It fits this JSON Schema:\n{stated(shape)}"


class Dialects:
    """How each model is known to answer, for as long as this process lives. Callable from any thread."""

    def __init__(self) -> None:
        self._known: dict[str, Dialect] = {}
        self._lock = threading.Lock()

    def get(self, model: str) -> Dialect | None:
        """How that model answered last; None where it never did."""
        with self._lock:
            return self._known.get(model)

    def keep(self, model: str, dialect: Dialect) -> None:
        """Remember how that model answered."""
        with self._lock:
            self._known[model] = dialect


def after_refusal(dialect: Dialect, said: str, *, proven: bool) -> Dialect | None:
    """
    Another way to ask, where the refusal is about how it was asked; None where it is about what was.

    Args:
        said: what the endpoint said, whole.
        proven: it has answered to this dialect before. One that never has may refuse without saying what it
            dislikes (Zhipu: "API 调用参数有误，请检查文档。"); it is asked once more in the plainest way.
    """
    said = said.lower()
    if "enable_thinking" in said or "enable thinking" in said:
        return None if dialect.thinking_off else replace(dialect, thinking_off=True)
    if "temperature" in said and dialect.temperature:
        return replace(dialect, temperature=False)
    if _FORMAT.search(said) and dialect.format != "text":
        return replace(dialect, format="object" if dialect.format == "schema" else "text")
    names_limit = "max_tokens" in said or "max_completion_tokens" in said
    if names_limit and dialect.limit == "max_tokens" and "max_completion_tokens" in said:
        return replace(dialect, limit="max_completion_tokens")
    if _ABOUT_WHAT.search(said):
        return None
    if names_limit:
        return replace(dialect, limit="max_completion_tokens") if dialect.limit == "max_tokens" else None
    plainest = replace(dialect, format="text", temperature=False)
    return None if proven or plainest == dialect else plainest


@cache
def stated(shape: type[BaseModel]) -> str:
    """The shape's JSON Schema as a prompt states it."""
    return json.dumps(_untitled(shape.model_json_schema()), ensure_ascii=False, separators=(",", ":"))


@cache
def _json_schema(shape: type[BaseModel]) -> dict[str, Any]:
    schema = _untitled(shape.model_json_schema())
    strict = _strict(schema)
    name = re.sub(r"[^A-Za-z0-9_-]", "_", shape.__name__)[:64]
    return {
        "type": "json_schema",
        "json_schema": {"name": name, "strict": strict is not None, "schema": strict or schema},
    }


def _untitled(schema: Any) -> Any:
    """The schema without the titles that pydantic makes of names: tokens that tell nothing."""
    if isinstance(schema, list):
        return [_untitled(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    named = ("properties", "$defs")  # below these, keys are names and not words of the schema
    return {
        key: {name: _untitled(part) for name, part in value.items()} if key in named else _untitled(value)
        for key, value in schema.items()
        if not (key == "title" and isinstance(value, str))
    }


# What strict mode knows. Other words would have the whole schema refused; pydantic holds the answer to them anyway.
_STRICT_WORDS = frozenset(
    str.split(
        "type description properties required additionalProperties items enum const anyOf $ref $defs"
        " pattern minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minItems maxItems"
    )
)


def _strict(schema: dict[str, Any]) -> dict[str, Any] | None:
    """The schema as OpenAI's strict mode wants it, every field required and no other; None where that cannot be."""
    if "$ref" in schema:  # a shape that holds itself; the top must be an object
        parts = schema["$defs"]
        schema = {**parts[schema["$ref"].rpartition("/")[2]], "$defs": parts}
    try:
        made = _strict_part(schema)
    except ValueError:
        return None
    return made if made.get("type") == "object" else None


def _strict_part(part: Any) -> dict[str, Any]:
    """A part of the schema; ValueError where strict mode cannot express it: free keys, or anything at all."""
    if not isinstance(part, dict) or part.keys() & {"prefixItems", "allOf"}:
        raise ValueError("anything, or a tuple")
    if "$ref" in part:
        return {"$ref": part["$ref"]}  # nothing may stand beside it
    if "oneOf" in part:
        part = {**part, "anyOf": part["oneOf"]}
    if not part.keys() & {"type", "anyOf", "enum", "const"}:
        raise ValueError("anything")
    made = {key: value for key, value in part.items() if key in _STRICT_WORDS}
    for named in made.keys() & {"properties", "$defs"}:
        made[named] = {name: _strict_part(value) for name, value in made[named].items()}
    if "anyOf" in made:
        made["anyOf"] = [_strict_part(value) for value in made["anyOf"]]
    if made.get("type") == "array":
        made["items"] = _strict_part(made.get("items"))
    if made.get("type") == "object":
        if part.get("additionalProperties") or "properties" not in made:
            raise ValueError("free keys")
        made |= {"required": list(made["properties"]), "additionalProperties": False}
    return made
