"""The one fact that a turn with tool calls leaves: what was asked, what was done, how it ended, and where."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from ...store.models import Scene
from .drafts import Draft
from .work_trace import Step, Trace, programs

# As many characters as a sentence can be read in at a glance; one Chinese character says as much as two others.
FACT_CHARS = 400
WIDE = re.compile(r"[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef]")
ASKED_CHARS, COMMAND_CHARS, WHY_CHARS = 160, 60, 110
FILES, SYMBOLS, COMMANDS = 12, 12, 8
FENCE = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)
WHY = re.compile(
    r"(?:\bbecause\b|\bsince it\b|\bso that\b|\bin order to\b|\bdue to\b|\binstead of\b|\bthe reason\b|\bas it\b"
    r"|因为|由于|为了|以免|否则|原因是|免得|这样)[^.!?。！？\n]{4,}",
    re.IGNORECASE,
)
# What test runners print of their outcome: pytest and jest, cargo, go, unittest.
PASSED = re.compile(
    r"\b(\d+) (?:passed|passing|tests? passed)\b|\bRan (\d+) tests?\b|test result: ok\. (\d+) passed"
)
FAILED = re.compile(r"\b(\d+) (?:failed|failing|failures?|errors?)\b|failures=(\d+)")
RUNNERS = frozenset(
    str.split(
        "pytest tox nox jest vitest mocha rspec phpunit ctest unittest go cargo mvn gradle gradlew npm pnpm yarn make"
    )
)

_PHRASES: dict[Literal["en", "zh"], dict[str, str]] = {
    "en": {
        "edited": "edited {files}", "ran": "ran {commands}", "used": "used {tools}", "read": "read {files}",
        "more": "{n} more", "done": "done", "failed": "the last command failed", "interrupted": "interrupted",
        "passed": "{n} tests passed", "broken": "{n} tests failed", "on": "on {branch}", "join": "; ", "stop": ". ",
        "list": ", ", "outcome": "Outcome: {outcome}.", "why": "Why: “{why}”.",
    },
    "zh": {
        "edited": "修改了 {files}", "ran": "运行了 {commands}", "used": "使用了 {tools}", "read": "查看了 {files}",
        "more": "另有 {n} 个", "done": "完成", "failed": "最后一条命令失败", "interrupted": "中断",
        "passed": "{n} 个测试通过", "broken": "{n} 个测试失败", "on": "分支 {branch}", "join": "；", "stop": "。",
        "list": "、", "outcome": "结果：{outcome}。", "why": "原因：“{why}”。",
    },
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Around:
    """What is known of a turn beside its events: scene, branch, the symbols that it changed, whether it ended."""

    scene: Scene
    branch: str | None = None
    symbols: tuple[str, ...] = ()
    interrupted: bool = False


def fact(turn: Trace, around: Around) -> Draft:
    """The fact of a turn; `data` has its coordinates, `text` says it within `FACT_CHARS`, in the asker's language."""
    words = _PHRASES["zh" if WIDE.search(turn.prompt) else "en"]
    asked, start = _asked(turn.prompt)
    outcome = _outcome(turn, around)
    why = _why(turn)
    data: dict[str, Any] = {
        "asked": asked,
        "done": _done(turn, words),
        "outcome": outcome,
        "files": list(turn.edited[:FILES]),
        "symbols": list(around.symbols[:SYMBOLS]),
        "branch": around.branch,
        "commands": [_command(step) for step in turn.commands[-COMMANDS:]],
        "tests": tests(turn),
        "why": why,
    }
    if around.scene == "working":
        data["method"] = list(dict.fromkeys(step.tool for step in turn.steps if step.kind != "read"))[:8]
    return Draft(
        kind="fact", text=_text(asked, data, around, words), quote=turn.prompt[start : start + len(asked)] or asked,
        start=start, end=start + len(asked), line=_cut(asked, 120), data=data, confidence=0.9,
    )  # fmt: skip


def _asked(prompt: str) -> tuple[str, int]:
    """The first sentence of what was asked that is not pasted, verbatim, and where it stands."""
    plain = FENCE.sub(lambda m: "\n" * len(m[0]), prompt)
    for line in re.finditer(r"[^\n]+", plain):
        text = line[0].strip()
        if len(text) < 3:
            continue
        start = line.start() + line[0].index(text)
        ends = re.search(r"(?<=[.!?])\s|(?<=[。！？])", text)
        said = text[: ends.start()] if ends and ends.start() >= 12 else text
        return _cut(said, ASKED_CHARS, mark=""), start
    return _cut(prompt.strip(), ASKED_CHARS, mark=""), len(prompt) - len(prompt.lstrip())


def _outcome(turn: Trace, around: Around) -> str:
    if around.interrupted:
        return "interrupted"
    last = turn.commands[-1] if turn.commands else None
    return "failed" if last is not None and last.ok is False else "done"


def _why(turn: Trace) -> str | None:
    """The reason that was given, in the words in which it was: the user's before the agent's."""
    for text in (FENCE.sub("\n", turn.prompt), FENCE.sub("\n", turn.reply)):
        if found := WHY.search(text):
            return _cut(" ".join(found[0].split()), WHY_CHARS)
    return None


def _done(turn: Trace, words: dict[str, str]) -> str:
    said = []
    if turn.edited:
        said.append(words["edited"].format(files=_listed(turn.edited, 4, words)))
    if commands := list(dict.fromkeys(_shown(step) for step in turn.commands)):
        said.append(words["ran"].format(commands=_listed(commands[-3:], 3, words)))
    others = [step.tool for step in turn.steps if step.kind in ("other", "web")]
    if others and not said:
        said.append(words["used"].format(tools=_listed(list(dict.fromkeys(others)), 4, words)))
    if not said and turn.read:
        said.append(words["read"].format(files=_listed(turn.read, 4, words)))
    return words["join"].join(said)


def _shown(step: Step) -> str:
    command = _cut(" ".join((step.command or "").split()), COMMAND_CHARS)
    return f"`{command}`" if step.status is None else f"`{command}` (exit {step.status})"


def _command(step: Step) -> dict[str, Any]:
    return {
        "command": _cut(" ".join((step.command or "").split()), 200),
        "status": step.status,
        "ok": step.ok,
    }


def tests(turn: Trace) -> dict[str, int] | None:
    """What the last test run said: how many passed and failed; None where none was run."""
    for step in reversed(turn.commands):
        if not any(
            name in RUNNERS or "test" in " ".join((name, *rest))
            for name, *rest in programs(step.command or "")
        ):
            continue
        passed = [int(n) for found in PASSED.finditer(step.said) for n in found.groups() if n]
        failed = [int(n) for found in FAILED.finditer(step.said) for n in found.groups() if n]
        if passed or failed:
            return {"passed": sum(passed), "failed": sum(failed)}
    return None


def _text(asked: str, data: dict[str, Any], around: Around, words: dict[str, str]) -> str:
    outcome = words[data["outcome"]]
    if found := data["tests"]:
        told = [words["broken"].format(n=found["failed"])] if found["failed"] else []
        told += [words["passed"].format(n=found["passed"])] if found["passed"] else []
        outcome = words["list"].join([outcome, *told])
    parts = [asked.rstrip(" .。") + words["stop"].rstrip()]
    if data["done"]:
        place = f" ({words['on'].format(branch=around.branch)})" if around.branch else ""
        parts.append(data["done"][:1].upper() + data["done"][1:] + place + words["stop"].rstrip())
    if data["symbols"]:
        parts.append(", ".join(f"`{name}`" for name in data["symbols"][:4]) + words["stop"].rstrip())
    parts.append(words["outcome"].format(outcome=outcome))
    if data["why"]:
        parts.append(words["why"].format(why=data["why"]))
    # What is asked, done and how it ended comes before the symbols and the reason.
    while width(" ".join(parts)) > FACT_CHARS and len(parts) > 3:
        parts.pop(-1 if data["why"] and len(parts) > 3 and parts[-1].startswith(words["why"][:3]) else 2)
    text = " ".join(parts)
    return text if width(text) <= FACT_CHARS else narrow(text, FACT_CHARS)


def width(text: str) -> int:
    """Characters, a Chinese one counted as two."""
    return len(text) + len(WIDE.findall(text))


def narrow(text: str, most: int) -> str:
    """The text's beginning that is no wider than that, with a mark where it was cut."""
    if width(text) <= most:
        return text
    room = most - 1
    for at, char in enumerate(text):
        room -= 2 if WIDE.match(char) else 1
        if room < 0:
            return text[:at].rstrip() + "…"
    return text


def _listed(found: Sequence[str], most: int, words: dict[str, str]) -> str:
    shown = list(found[:most])
    if len(found) > most:
        shown.append(words["more"].format(n=len(found) - most))
    return words["list"].join(shown)


def _cut(text: str, most: int, mark: str = "…") -> str:
    return text if len(text) <= most else text[: most - len(mark)].rstrip() + mark
