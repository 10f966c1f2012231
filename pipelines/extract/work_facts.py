"""The one fact that a turn with tool calls leaves: what was asked, what was done, how it ended, and where."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from ...store.models import Scene
from .drafts import Draft
from .work_commands import programs, shown
from .work_endings import outcome, purposes, works
from .work_files import is_code, is_test
from .work_outcomes import still_runs
from .work_purposes import purpose, sameness
from .work_text import Language, Said, asked, goes_on, language, narrow, plain, reason, told, width
from .work_told import named, quoted, without_secrets
from .work_trace import Step, Trace, tests_of

# Tools that write a file as a whole.
_WHOLE = re.compile(r"write|create", re.IGNORECASE)

# As many characters as a sentence can be read in at a glance; one Chinese character says as much as two others.
FACT_CHARS, LINE_CHARS = 400, 160
FILES, SYMBOLS, COMMANDS, COMMAND_CHARS, METHODS = 12, 12, 8, 200, 8
# Of each, as many as a sentence names.
SHOWN_FILES, SHOWN_SYMBOLS, SHOWN_METHODS, SHOWN_COMMANDS, SHOWN_CHARS = 4, 4, 4, 2, 60

_PHRASES: Mapping[Language, Mapping[str, str]] = {
    "en": {
        "wrote": "wrote {0}", "edited": "edited {0}", "ran": "ran {0}", "used": "used {0}", "read": "read {0}",
        "searched": "searched {0}", "web": "the web", "files": "the files", "more": "{0} more", "on": " (on {0})",
        "passed": "passed", "failed": "failed", "then": "failed, then passed", "status": "exit {0}",
        "tests": "{0} tests", "test": "1 test", "broken": "{0} of {1} tests failed", "ended": " ({0})",
        "tried": "could not edit {0}", "running": "left running",
        "outcome:failed": "Ended with a failure.", "outcome:interrupted": "Interrupted before it was done.",
        "why": "Why: “{0}”", "told": "Result: “{0}”", "symbols": "Touched {0}.", "method": "Method: {0}.",
        "join": "; ", "stop": ".", "list": ", ", "gap": " ",
    },
    "zh": {
        "wrote": "写了 {0}", "edited": "修改了 {0}", "ran": "运行了 {0}", "used": "使用了 {0}", "read": "查看了 {0}",
        "searched": "搜索了{0}", "web": "网页", "files": "文件", "more": "另外 {0} 个", "on": "（分支 {0}）",
        "passed": "通过", "failed": "失败", "then": "先失败，后通过", "status": "退出码 {0}",
        "tests": "{0} 个测试", "test": "1 个测试", "broken": "{1} 个测试中 {0} 个失败", "ended": "（{0}）",
        "tried": "没能修改 {0}", "running": "仍在运行",
        "outcome:failed": "最后没有成功。", "outcome:interrupted": "中途被打断，没有做完。",
        "why": "原因：“{0}”", "told": "结果：“{0}”", "symbols": "涉及 {0}。", "method": "方法：{0}。",
        "join": "，", "stop": "。", "list": "、", "gap": "",
    },
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Around:
    """What is known of a turn beside its events; `asked_before` is the prompt before it."""

    scene: Scene
    branch: str | None = None
    symbols: tuple[str, ...] = ()
    interrupted: bool = False
    asked_before: str | None = None


def fact(turn: Trace, around: Around) -> Draft:
    """
    The fact of a turn with steps: `text` is a note within `FACT_CHARS` in the asker's language, `data` its coordinates.

    Where the prompt only says to go on, `around.asked_before` is the prompt that it goes on with.
    """
    own = asked(turn.prompt)
    before = asked(around.asked_before or "") if goes_on(turn.prompt) else None
    why, origin = _why(turn)
    result = told(turn.reply)
    data: dict[str, Any] = {
        "asked": own.text,
        "done": "",
        "outcome": outcome(turn, interrupted=around.interrupted),
        "files": list(turn.edited[:FILES]),
        "read": list(turn.read[:FILES]),
        "symbols": list(around.symbols[:SYMBOLS]),
        "branch": around.branch,
        "commands": [_coordinates(step) for step in _telling(turn, COMMANDS)],
        "tests": asdict(turn.tests) if turn.tests else None,
        "why": why.text if why else None,
        "why_from": origin,
        "told": result.text if result else None,
        "subject": _subject(turn, around),
    }
    if before and before.text:
        data["asked_before"] = before.text
    if around.scene == "working":
        data["method"] = method(turn)
    words = _PHRASES[language(own.text, before.text if before else "", turn.reply)]
    data["done"] = _done(turn, words)
    text, line = _note(data, around, words)
    draft = Draft(
        kind="fact", text=text, quote=turn.prompt[own.start : own.end], start=own.start, end=own.end, line=line,
        data=data, confidence=0.9,
    )  # fmt: skip
    return without_secrets(draft, FACT_CHARS, LINE_CHARS)


def gone_on_with(turn: Trace, earlier: Sequence[Trace]) -> str | None:
    """
    The prompt that a turn goes on with, of the turns before it, oldest first: the last that asked for something; where
    this one works, the last that worked, too, and not a question put in between.
    """
    acted = any(step.kind in ("edit", "run", "other") and works(step) for step in turn.steps)
    edited = bool(turn.edited)
    worked = [one for one in earlier if (one.edited if edited else acted and _acts(one))]
    for one in reversed(worked or earlier):
        before = earlier[: [id(each) for each in earlier].index(id(one)) + 1]
        if found := next((each.prompt for each in reversed(before) if asks(each.prompt)), None):
            return found
    return None


def asks(prompt: str) -> bool:
    """Whether a prompt asks for something by itself, and not only to go on."""
    return bool(prompt.strip()) and not goes_on(prompt)


def _acts(turn: Trace) -> bool:
    """Whether a turn did something by itself: what it read or fetched may say whatever it likes."""
    return any(step.kind == "edit" or (step.kind == "run" and not _fetches(step)) for step in turn.steps)


def _fetches(step: Step) -> bool:
    return all(one.name in ("curl", "wget", "http", "xh") for one in programs(step.command or ""))


def _why(turn: Trace) -> tuple[Said | None, str | None]:
    """The reason that was given, and by whom: the user's before the agent's."""
    if found := reason(turn.prompt):
        return found, "user"
    found = reason(turn.reply, reply=True) if _acts(turn) else None
    return found, "agent" if found else None


def _subject(turn: Trace, around: Around) -> str | None:
    """What the fact is about: the symbol or file of most weight, else what was read or run."""
    edited = sorted(turn.edited, key=lambda path: (not is_code(path), is_test(path)))
    commands = (shown(step.command or "") for step in _telling(turn, 1))
    return next((one for one in (*around.symbols, *edited, *turn.read, *commands) if one), None)


def method(turn: Trace) -> list[str]:
    """By what the work was done, in the order of first use: programs, and tools by their own names."""
    found: dict[str, None] = {}
    for step in turn.steps:
        if step.kind == "run":
            found |= dict.fromkeys(one.name for one in programs(step.command or "") if purpose(one) != "read")
        elif step.kind in ("edit", "other", "web"):
            server, _, verb = step.tool.removeprefix("mcp__").rpartition("__")
            found[f"{server}: {verb}" if server else verb] = None
    return [name[:SHOWN_CHARS] for name in found][:METHODS]


def _telling(turn: Trace, most: int) -> list[Step]:
    """The last commands that did something; where there are fewer, those that only looked as well."""
    did = [step for step in turn.commands if works(step)][-most:]
    looked = [step for step in turn.commands if not works(step)]
    kept = {id(step) for step in (*did, *looked[-(most - len(did)) :][: most - len(did)])}
    return [step for step in turn.commands if id(step) in kept]


def _coordinates(step: Step) -> dict[str, Any]:
    command = " ".join((step.command or "").split())
    return {"command": command[:COMMAND_CHARS], "status": step.status, "ok": step.ok}


def done(turn: Trace, told_in: Language) -> str:
    """What was done in a turn, as part of a sentence."""
    return _done(turn, _PHRASES[told_in])


def _done(turn: Trace, words: Mapping[str, str]) -> str:
    """What was done, as one clause each: edited, ran; else used, read, searched."""
    said = []
    wrote = {path for step in turn.steps if _WHOLE.match(step.verb) for path in step.paths}
    for verb, files in (
        ("wrote", [path for path in turn.edited if path in wrote]),
        ("edited", [path for path in turn.edited if path not in wrote]),
    ):
        if files:
            said.append(words[verb].format(_listed(_names(files), SHOWN_FILES, words)))
    ran = [step for step in turn.commands if works(step) and not step.edits]
    if ran:
        said.append(words["ran"].format(_runs(ran, words)))
    missed = [path for step in turn.steps if step.kind == "edit" and step.ok is False for path in step.paths]
    if missed := [path for path in dict.fromkeys(missed) if path not in turn.edited]:
        said.append(words["tried"].format(_listed(_names(missed), SHOWN_FILES, words)))
    if others := [
        step.verb
        for step in turn.steps
        if step.kind in ("other", "idle") or (step.kind == "read" and "__" in step.tool)
    ]:
        said.append(words["used"].format(_listed(list(dict.fromkeys(others)), 3, words)))
    if said:
        return words["join"].join(said)
    if turn.read:
        return words["read"].format(_listed(_names(turn.read), SHOWN_FILES, words))
    if turn.commands:
        return words["ran"].format(_runs(turn.commands, words))
    return words["searched"].format(words["web" if any(s.kind == "web" for s in turn.steps) else "files"])


def _runs(steps: Sequence[Step], words: Mapping[str, str]) -> str:
    """The last commands, each once, with how they ended."""
    last: dict[str, Step] = {}
    failed: set[str] = set()
    for step in steps:
        key = sameness(step.command or "") or shown(step.command or "")
        last.pop(key, None)
        last[key] = step
        if step.ok is False:
            failed.add(key)
    told = [
        f"`{shown(step.command or '')}`{_ended(step, key in failed, words)}" for key, step in last.items()
    ]
    # The last are those that tell how it ended.
    more = len(told) - SHOWN_COMMANDS
    return _listed(
        [*told[-SHOWN_COMMANDS:], *([words["more"].format(more)] if more > 0 else [])],
        SHOWN_COMMANDS + 1,
        words,
    )


def _ended(step: Step, failed_before: bool, words: Mapping[str, str]) -> str:
    if still_runs(step.said):
        return words["ended"].format(words["running"])
    if step.ok is None:
        return ""
    counts = tests_of(step)
    if step.ok:
        told = [
            words["then"] if failed_before else words["passed"] if counts or "test" in purposes(step) else ""
        ]
        told += [words["test" if counts.passed == 1 else "tests"].format(counts.passed)] if counts else []
    else:
        # What only looks fails where it finds nothing.
        told = [words["failed"]] if works(step) else []
        if counts and counts.failed:
            told = [words["broken"].format(counts.failed, counts.failed + counts.passed)]
        elif step.status:
            told.append(words["status"].format(step.status))
    told = [one for one in told if one]
    if not told:
        return ""
    return words["ended"].format((words["join"] if not words["gap"] else words["list"]).join(told))


def _note(data: Mapping[str, Any], around: Around, words: Mapping[str, str]) -> tuple[str, str]:
    """The note, and its one-line form: what there is room for, the most telling first."""
    wanted = data.get("asked_before") or data["asked"]
    head = _sentence(plain(wanted), words) if wanted else ""
    done = str(data["done"])
    place = words["on"].format(named(around.branch, SHOWN_CHARS)) if around.branch else ""
    deed = f"{done[:1].upper()}{done[1:]}{place}{words['stop']}"
    ended = words.get(f"outcome:{data['outcome']}", "")
    line = narrow(words["gap"].join(filter(None, (head, deed))), LINE_CHARS)
    parts = [head, narrow(deed, FACT_CHARS - width(head) - width(ended) - 2), ended]
    for extra in _extras(data, head, words):
        if width(words["gap"].join(filter(None, (*parts, extra)))) <= FACT_CHARS:
            parts.append(extra)
    return narrow(_on_one_line(words["gap"].join(filter(None, parts))), FACT_CHARS), _on_one_line(line)


def _on_one_line(text: str) -> str:
    """The text without line breaks and fences, which names may have in them."""
    return " ".join(text.replace("```", "").split())


def _extras(data: Mapping[str, Any], head: str, words: Mapping[str, str]) -> Iterator[str]:
    """What is told where there is room for it, the most telling first; nothing is told twice."""
    why, said = plain(data["why"] or ""), plain(data["told"] or "")
    if why and why not in head:
        yield _quoted("why", why, words)
    if said and not (why and (said in why or why in said)):
        yield _quoted("told", said, words)
    if how := data.get("method"):
        yield words["method"].format(words["list"].join(how[:SHOWN_METHODS]))
    if symbols := data["symbols"]:
        yield words["symbols"].format(
            words["list"].join(f"`{_symbol(one)}`" for one in symbols[:SHOWN_SYMBOLS])
        )


def _symbol(name: str) -> str:
    return named(name, SHOWN_CHARS).strip("`")


def _quoted(name: str, said: str, words: Mapping[str, str]) -> str:
    return words[name].format(quoted(said.rstrip(" .。；;，,"))) + words["stop"]


def _sentence(text: str, words: Mapping[str, str]) -> str:
    text = text.rstrip(" .。，,；;：:")
    return text if text.endswith(("?", "？", "!", "！")) else text + words["stop"]


def _names(paths: Sequence[str]) -> list[str]:
    """Those files as they may be told; no more than are."""
    return [named(path) for path in paths[:SHOWN_FILES]] + list(paths[SHOWN_FILES:])


def _listed(found: Sequence[str], most: int, words: Mapping[str, str]) -> str:
    names = list(found[:most])
    if len(found) > most:
        names.append(words["more"].format(len(found) - most))
    return words["list"].join(names)
