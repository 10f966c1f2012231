"""What was learned in a turn: a failure that was overcome, and a way that was tried and given up."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from .drafts import Draft
from ..route import suffix
from .work_facts import WIDE, narrow
from .work_trace import Step, Trace, programs

ERROR_CHARS, TEXT_CHARS = 160, 600
# Of what a failing command printed, the line that says what is wrong: the last of the most telling kind.
ERRORS = (
    re.compile(r"^(?:E\s+)?((?:[\w.]+(?:Error|Exception|Warning|Panic)|AssertionError)\b.*)$", re.MULTILINE),
    re.compile(r"^\s*(?:[\w./\\-]+:\d+(?::\d+)?:\s*)?((?:fatal |internal )?error(?:\[\w+\]|\s+TS\d+)?[: ].*)$", re.MULTILINE | re.IGNORECASE),
    re.compile(r"^(?:FAILED|FAIL:?|---\s*FAIL:?|panicked at|thread '.*' panicked)\b.*$", re.MULTILINE),
    re.compile(r"^.*(?:not found|No such file|cannot|denied|undefined|unresolved|refused|timed out).*$", re.MULTILINE | re.IGNORECASE),
)  # fmt: skip
# A command is the same though it says more or less, or stops earlier.
LOUDNESS = re.compile(
    r"^(?:-v+|-q+|-x|-s|--verbose|--quiet|--maxfail=\d+|--lf|--ff|-ra?|--tb=\w+|--color\S*|-n\d*|--no-header)$"
)

LANGUAGES: Mapping[str, str] = {
    **dict.fromkeys(("py", "pyi"), "Python"), **dict.fromkeys(("js", "jsx", "mjs", "cjs"), "JavaScript"),
    **dict.fromkeys(("ts", "tsx", "mts"), "TypeScript"), "go": "Go", "rs": "Rust", "java": "Java", "kt": "Kotlin",
    **dict.fromkeys(("c", "h"), "C"), **dict.fromkeys(("cc", "cpp", "cxx", "hpp"), "C++"), "cs": "C#", "rb": "Ruby",
    "php": "PHP", "swift": "Swift", "sql": "SQL", "sh": "Shell",
}  # fmt: skip

_PHRASES = {
    "en": {
        "failed": "`{command}` failed{error}; after editing {files} it passed. Task: {asked}",
        "error": " with “{error}”",
        "undone": "In {place}, “{tried}” was tried and undone{why}.",
        "why": ": “{why}”",
    },
    "zh": {
        "failed": "`{command}` 失败{error}；修改 {files} 之后通过。任务：{asked}",
        "error": "（“{error}”）",
        "undone": "在 {place} 中试过“{tried}”，后来撤销{why}。",
        "why": "：“{why}”",
    },
}


@dataclass(frozen=True, slots=True)
class Conditions:
    """Where something was learned: what must be so again for it to hold. Versions as the tools told them."""

    system: str | None = None
    repository: str | None = None
    versions: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Undone:
    """A version of a place that was tried and undone: its name, the words that asked for it and for its end."""

    place: str
    tried: str
    why: str | None = None


def learned(
    turn: Trace, asked: str, conditions: Conditions, undone: Sequence[Undone] = ()
) -> tuple[Draft, ...]:
    """The experiences of a turn; none where nothing failed that passed later, and nothing was given up."""
    return (*_overcome(turn, asked, conditions), *(_given_up(one, turn, asked, conditions) for one in undone))


def _overcome(turn: Trace, asked: str, conditions: Conditions) -> list[Draft]:
    """From each command that failed, and passed after edits."""
    found: dict[str, Draft] = {}
    failed: dict[str, tuple[Step, list[Step]]] = {}
    for step in turn.steps:
        if step.kind == "edit" and step.ok is not False:
            for _, edits in failed.values():
                edits.append(step)
        if step.kind != "run" or step.ok is None:
            continue
        key = sameness(step.command or "")
        if not step.ok:
            # From the first failure on: the edits between two failures were part of the way.
            failed.setdefault(key, (step, []))
        elif key in failed:
            first, edits = failed.pop(key)
            if edits:
                found[key] = _from_failure(turn, first, edits, asked, conditions)
    return list(found.values())


def _from_failure(
    turn: Trace, first: Step, edits: Sequence[Step], asked: str, conditions: Conditions
) -> Draft:
    words = _PHRASES["zh" if WIDE.search(turn.prompt) else "en"]
    files = list(dict.fromkeys(path for step in edits for path in step.paths))
    command = " ".join((first.command or "").split())[:80]
    error = error_line(first.said)
    text = words["failed"].format(
        command=command,
        error=words["error"].format(error=error) if error else "",
        files=", ".join(files[:4]),
        asked=asked,
    )
    return Draft(
        kind="experience", text=narrow(text, TEXT_CHARS), quote=error or command, start=0, end=0,
        line=narrow(text, 160), importance=0.6, confidence=0.8,
        data={
            "task": asked, "keys": _keys(command, error, files), "solution": f"edit {', '.join(files[:4])}",
            "conditions": _as_data(conditions, files), "command": command, "error": error, "event": first.event,
            "task_key": f"fixed:{sameness(first.command or '')}:{error or ''}"[:200],
        },
    )  # fmt: skip


def _given_up(one: Undone, turn: Trace, asked: str, conditions: Conditions) -> Draft:
    words = _PHRASES["zh" if WIDE.search(one.tried or turn.prompt) else "en"]
    why = words["why"].format(why=one.why) if one.why else ""
    text = words["undone"].format(place=one.place, tried=" ".join(one.tried.split())[:200], why=why)
    return Draft(
        kind="experience", text=narrow(text, TEXT_CHARS), quote=(one.why or asked)[:200], start=0, end=0,
        line=narrow(text, 160), importance=0.6, confidence=0.7 if one.why else 0.5,
        data={
            "task": one.tried, "keys": [one.place], "solution": one.why or "", "place": one.place,
            "conditions": _as_data(conditions, [one.place.partition("::")[0]]),
            "task_key": f"undone:{one.place}:{' '.join(one.tried.split())[:80]}",
        },
    )  # fmt: skip


def sameness(command: str) -> str:
    """What two runs of one command have in common: its programs and their arguments without how loud they are."""
    said = [
        " ".join(word for word in words if not LOUDNESS.match(word))
        for words in programs(command)
        if words[0] not in ("tail", "head", "grep", "tee", "cat", "echo")
    ]
    return " && ".join(filter(None, said))


def error_line(said: str) -> str | None:
    """The line of a failing command's output that says what is wrong; None where none does."""
    for pattern in ERRORS:
        if lines := [m[m.lastindex or 0] for m in pattern.finditer(said)]:
            return " ".join(lines[-1].split())[:ERROR_CHARS]
    return None


def _keys(command: str, error: str | None, files: Sequence[str]) -> list[str]:
    kind = (error or "").partition(":")[0].strip()
    return [one for one in (kind if len(kind) < 60 else "", command.partition(" ")[0], *files[:3]) if one]


def _as_data(conditions: Conditions, files: Sequence[str]) -> dict[str, Any]:
    languages = list(dict.fromkeys(LANGUAGES[suffix(path)] for path in files if suffix(path) in LANGUAGES))
    return {
        "languages": languages, "system": conditions.system, "repository": conditions.repository,
        "versions": dict(conditions.versions),
    }  # fmt: skip
