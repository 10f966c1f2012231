"""What a model wrote, as a checked value: JSON is found in it, mended where that is safe, and validated."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal, TypeVar

from pydantic import BaseModel, ValidationError

T = TypeVar("T", bound=BaseModel)

# Mending takes longer than in proportion to what is mended (0.4 s for 60,000 odd quotes, 9 s for as many braces), and
# no step asks for an answer of this length.
MEND_CHARS = 32_768
MEND_DEPTH = 60
# Places in a text where an object may begin; prose around an answer has a few.
MOST_STARTS = 64
PROBLEMS = 8

_THOUGHT = re.compile(r"<(/?)(?:think|thinking|thought|reasoning)>", re.IGNORECASE)
_BRACKET = re.compile(r"[\[{}\]]")
# An object, and not a word in braces.
_BEGINS = re.compile(r"""\{\s*["'“]""")
_FENCE = re.compile(r"(?:```|~~~)[ \t]*[\w+-]*[ \t]*\r?\n?(.*?)(?:```|~~~|\Z)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Unusable:
    """Why no value came of an answer: a word for the log, and the sentence that is shown to the model."""

    kind: Literal["empty", "no JSON", "wrong shape"]
    problem: str


def read(text: str, shape: type[T]) -> T | Unusable:
    """
    The value that the answer holds.

    Of several objects that fit, the last: a model that thinks aloud ends with its answer. An answer that was cut
    off counts as far as it goes, so a last text in it may be short.
    """
    if not text.strip():
        return Unusable("empty", "The answer was empty.")
    wrong: Unusable | None = None
    for found in _objects(text, shape):
        value = _validated(found, shape)
        if not isinstance(value, Unusable):
            return value
        wrong = wrong or value
    for found in _mended(text):
        if not _speaks_of(found, shape):
            continue
        value = _validated(found, shape)
        if not isinstance(value, Unusable):
            return value
        wrong = wrong or value
    return wrong or Unusable("no JSON", "There is no JSON object in the answer.")


def _objects(text: str, shape: type[BaseModel]) -> Iterator[Any]:
    """What stands in the text as flawless JSON, the likeliest first."""
    for page in _pages(text):
        try:
            yield json.loads(page)
        except (ValueError, RecursionError):
            yield from (found for found in reversed(_embedded(page)) if _speaks_of(found, shape))


def _pages(text: str) -> list[str]:
    """The text, without thoughts, and its fenced parts from the last to the first."""
    whole = text.strip().lstrip("\ufeff")
    pages = [whole]
    bare = _without_thoughts(whole)
    if bare != whole:
        pages = [bare]  # what was only thought of is no answer
    pages += [part.strip() for part in reversed(_FENCE.findall(bare)) if part.strip()]
    return pages


def _without_thoughts(text: str) -> str:
    if text.startswith("{"):  # marks inside of it are somebody's words
        return text
    kept: list[str] = []
    at, thinking = 0, False
    for mark in _THOUGHT.finditer(text):
        if mark[1]:
            if not thinking:  # some chat templates put the opening mark into the prompt
                kept.clear()
            thinking = False
        elif not thinking:
            kept.append(text[at : mark.start()])
            thinking = True
        at = mark.end()
    if not thinking:
        kept.append(text[at:])
    return "".join(kept).strip()


def _embedded(text: str) -> list[Any]:
    """Objects that stand in prose, in their order; none that lies within another, sound or not."""
    decoder = json.JSONDecoder()
    found = []
    at = text.find("{")
    for _ in range(MOST_STARTS):
        if at < 0:
            break
        try:
            value, end = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            end = _end_of(text, at) if _BEGINS.match(text, at) else at + 1
        else:
            found.append(value)
        at = text.find("{", end)
    return found


def _end_of(text: str, start: int) -> int:
    """Where the brackets that open at `start` are closed again; the text's end where they are not."""
    depth = 0
    for mark in _BRACKET.finditer(text, start):
        depth += 1 if mark[0] in "[{" else -1
        if depth == 0:
            return mark.end()
    return len(text)


def _mended(text: str) -> Iterator[Any]:
    """Objects in the text that only careful reading shows: Python literals, commas too many, an end cut off."""
    for page in _pages(text):
        start = page.find("{")
        part = page[start : start + MEND_CHARS] if start >= 0 else ""
        if not part or _depth(part) > MEND_DEPTH:
            continue
        for cut in (part, part[: part.rfind("}") + 1]):
            try:
                yield ast.literal_eval(cut)
            except (ValueError, SyntaxError, RecursionError, MemoryError):
                continue
        import json_repair

        try:
            yield json_repair.loads(part, skip_json_loads=True)
        except (ValueError, RecursionError, IndexError, TypeError):
            continue


def _depth(text: str) -> int:
    """How deep brackets go, at most, those in strings counted too."""
    deepest = depth = 0
    for mark in _BRACKET.findall(text):
        depth += 1 if mark in "[{" else -1
        deepest = max(deepest, depth)
    return deepest


def _speaks_of(found: Any, shape: type[BaseModel]) -> bool:
    """Whether it names a field of the shape: else anything in braces would pass for an answer that is empty."""
    names = {field.alias or name for name, field in shape.model_fields.items()} | set(shape.model_fields)
    return isinstance(found, dict) and any(name in names for name in found)


def _validated(found: Any, shape: type[T]) -> T | Unusable:
    try:
        # As text, once more: dates and tuples are then read as JSON has them, and half characters cannot pass.
        text = json.dumps(found, ensure_ascii=False, default=str).encode("utf-8", "replace")
        return shape.model_validate_json(text)
    except ValidationError as e:
        return Unusable("wrong shape", _problems(e))
    except (ValueError, TypeError, RecursionError):
        return Unusable("no JSON", "The answer is not JSON that can be read.")


def _problems(error: ValidationError) -> str:
    """What does not fit and where, without what stood there."""
    lines = []
    for problem in error.errors(include_url=False, include_context=False, include_input=False)[:PROBLEMS]:
        place = ".".join(str(part) for part in problem["loc"])
        lines.append(f"{place}: {problem['msg']}" if place else problem["msg"])
    return "; ".join(lines)
