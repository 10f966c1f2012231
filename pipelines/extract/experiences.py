"""
What was learned in a turn: a failure that was overcome, another way that worked, a correction, a way that was given up.

An experience has its task, search keys, solution and boundary conditions in `data`, and in `from` what it was drawn
from. Its quote stands at [start:end] in what `quoted` names: the event of a tool call, the prompt, or the reply.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .conditions import Conditions, narrowed
from .drafts import Draft
from .work_commands import programs, shown
from .work_corrections import Correction, correction
from .work_facts import done, gone_on_with
from .work_files import name
from .work_overcome import TURNS, Fixed, OtherWay, files_of, fixed, other_ways
from .work_purposes import purpose, sameness
from .work_restarts import found_out
from .work_solutions import cannot_have_mattered, gave_up_a_test, only_style, own_slip, red_by_design
from .work_text import Language, Said, asked, causes, goes_on, language, narrow, plain, reason
from .work_told import named, quoted, without_secrets
from .work_trace import Trace

TEXT_CHARS, LINE_CHARS, KEYS = 600, 160, 12
SHOWN_FILES, TASK_CHARS, CAUSE_CHARS, COMMAND_CHARS = 4, 120, 220, 120

# Whether an experience is worth being told again. A failure that was overcome counts 0.3; what makes it useful to
# someone else is the error by which it is met again and the cause; a slip of the turn's own, or mere style, is none of
# both. So an error or a cause is enough, and both do not make up for a slip.
BAR = 0.5
OVERCOME, WITH_ERROR, WITH_CAUSE, WITH_TRIES, OWN_SLIP, ONLY_STYLE = 0.3, 0.3, 0.3, 0.1, -0.7, -0.5
# The assertion of a test just written tells nothing but that what it tests was not there, unless a cause is given.
RED_BY_DESIGN = -0.3
CORRECTED, GIVEN_UP, WITH_REASON = 0.8, 0.5, 0.2

_PHRASES: Mapping[Language, Mapping[str, str]] = {
    "en": {
        "failed": "`{command}` failed", "error": " with “{error}”", "instead": "; `{other}` works instead.",
        "cause": " Cause: “{cause}”.", "fixed": " It passed after a change in {files}{change}.",
        "change": " (`{change}`)", "task": " Task: {task}",
        "showed": "`{command}` showed “{error}”", "worked": " It was gone after a change in {files}{change}.",
        "undone": "In {place}, “{tried}” was tried and undone", "why": ": “{why}”.",
        "corrected": "In “{task}” the agent {done}; the user corrected this: “{said}”", "stop": ".", "list": ", ",
    },
    "zh": {
        "failed": "`{command}` 失败", "error": "：“{error}”", "instead": "；改用 `{other}` 可行。",
        "cause": "原因：“{cause}”。", "fixed": "修改 {files} 后通过{change}。", "change": "（`{change}`）",
        "showed": "`{command}` 显示：“{error}”", "worked": "修改 {files} 后不再出现{change}。",
        "task": "任务：{task}", "undone": "在 {place} 中试过“{tried}”，后来撤销", "why": "：“{why}”。",
        "corrected": "在“{task}”中，助手{done}；用户纠正：“{said}”", "stop": "。", "list": "、",
    },
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Undone:
    """A version of a place that was tried and undone: its name, the words that asked for it and for its end."""

    place: str
    tried: str
    why: str | None = None


def learned(
    turn: Trace,
    conditions: Conditions,
    *,
    task: str | None = None,
    undone: Sequence[Undone] = (),
    earlier: Sequence[Trace] = (),
) -> tuple[Draft, ...]:
    """
    The experiences of a turn that are worth being told again; most turns have none.

    Args:
        conditions: what is known of the place: system, repository; what the turn tells is added to each.
        task: what the turn is about, where its prompt only says to go on and it is not in `earlier`.
        undone: the versions of code that this turn undid.
        earlier: the turns of the session before this one, oldest first; the last 5 count.
    """
    earlier = tuple(earlier[-TURNS:])
    about = task or _task((*earlier, turn))
    turns = (*earlier, turn)
    found = [_from_fixed(one, turn, turns, conditions) for one in fixed(turns)]
    found += [_from_fixed(one, turn, turns, conditions, shown_only=True) for one in found_out(turns)]
    found += [_from_other_way(one, turn, about, conditions) for one in other_ways(turn)]
    corrected = correction(turn, earlier[-1] if earlier else None)
    # What was given up because of a correction is that correction.
    if corrected and not undone:
        found.append(_from_correction(corrected, turn, _task(earlier), conditions))
    found += [_from_undone(one, turn, conditions) for one in undone]
    above = (without_secrets(draft, TEXT_CHARS, LINE_CHARS) for draft in found if draft is not None)
    return tuple({draft.data["task_key"]: draft for draft in above}.values())


def _task(turns: Sequence[Trace]) -> str:
    """What the last of those turns is about: its own words, or those that it goes on with."""
    if not turns:
        return ""
    last = turns[-1].prompt
    said = gone_on_with(turns[-1], turns[:-1]) if goes_on(last) else last
    return narrow(plain(asked(said or "").text), TASK_CHARS)


def _from_fixed(
    one: Fixed, turn: Trace, turns: Sequence[Trace], conditions: Conditions, *, shown_only: bool = False
) -> Draft | None:
    if gave_up_a_test(one, turn.reply) or cannot_have_mattered(one):
        return None
    cause = causes(turn.reply, f"{one.error or ''} {' '.join(files_of(one.edits))}")
    worth = (
        OVERCOME + WITH_ERROR * bool(one.error) + WITH_CAUSE * bool(cause) + WITH_TRIES * (one.failures > 1)
    )
    worth += OWN_SLIP * own_slip(one, [each.prompt for each in turns]) + ONLY_STYLE * only_style(one)
    worth += RED_BY_DESIGN * (not cause and red_by_design(one))
    if worth < BAR:
        return None
    task = _task([each for each in turns if each.prompt == one.asked] or turns) or _task(turns)
    words = _PHRASES[language(task or turn.prompt, turn.reply)]
    # The edits since the last failure are those that made the difference, but all were part of the way.
    files = files_of(one.edits)
    change = next((step.change for step in reversed(one.edits) if step.change), None)
    command = shown(one.first.command or "", COMMAND_CHARS)
    said = _cause(cause)
    happened, mended = ("showed", "worked") if shown_only else ("failed", "fixed")
    told_files = words["list"].join(map(named, files[:SHOWN_FILES]))
    parts = (
        words[happened].format(command=command, error=quoted(plain(one.error or "")))
        + (words["error"].format(error=quoted(plain(one.error))) if one.error and not shown_only else "")
        + words["stop"],
        words["cause"].format(cause=quoted(said)) if said else "",
        words[mended].format(
            files=told_files, change=words["change"].format(change=_on_one_line(change)) if change else ""
        ),
        words["task"].format(task=task) if task else "",
    )
    solution = said or words[mended].format(files=told_files, change="").strip()
    data = _data(task, _keys(one.first.command, one.error, files), solution, "fixed")
    data |= {
        "command": command,
        "error": one.error,
        "files": list(files[:12]),
        "change": change,
        "event": one.first.event,
    }
    data["conditions"] = narrowed(conditions, (one.first, one.passed), files, one.error or "").to_data()
    data["task_key"] = f"fixed:{sameness(one.first.command or '') or command}:{one.error or ''}"[:200]
    return _draft(
        "".join(parts), f"{one.error or command} → {solution}", data, one.first.said, one.error or "", worth
    )


def _cause(cause: Said | None) -> str:
    return narrow(plain(cause.text), CAUSE_CHARS).rstrip(" .。；;") if cause else ""


def _on_one_line(change: str) -> str:
    return " ".join(change.replace("`", "'").split())


def _from_other_way(one: OtherWay, turn: Trace, task: str, conditions: Conditions) -> Draft | None:
    cause = causes(turn.reply, one.error)
    worth = OVERCOME + WITH_ERROR + WITH_CAUSE * bool(cause)
    if worth < BAR:
        return None
    words = _PHRASES[language(task or turn.prompt, turn.reply)]
    command, other = (
        shown(one.first.command or "", COMMAND_CHARS),
        shown(one.passed.command or "", COMMAND_CHARS),
    )
    said = _cause(cause)
    parts = (
        words["failed"].format(command=command) + words["error"].format(error=quoted(plain(one.error))),
        words["instead"].format(other=other),
        words["cause"].format(cause=quoted(said)) if said else "",
        words["task"].format(task=task) if task else "",
    )
    data = _data(task, _keys(one.first.command, one.error, ()), f"`{other}`", "other_way")
    data |= {"command": command, "error": one.error, "other": other, "event": one.first.event}
    data["conditions"] = narrowed(conditions, (one.first, one.passed), (), one.error).to_data()
    data["task_key"] = f"instead:{sameness(one.first.command or '')}:{sameness(one.passed.command or '')}"[
        :200
    ]
    return _draft("".join(parts), f"{command} → {other}", data, one.first.said, one.error, worth)


def _from_correction(one: Correction, turn: Trace, task: str, conditions: Conditions) -> Draft:
    words = _PHRASES[language(turn.prompt)]
    way = narrow(done(one.before, language(turn.prompt)), TASK_CHARS)
    said = plain(one.said.text).rstrip(" .。")
    text = words["corrected"].format(task=quoted(task), done=way, said=quoted(said)) + words["stop"]
    data = _data(task, _keys(None, None, one.before.edited), said, "corrected")
    programs_ = [
        each.name
        for step in one.before.commands
        for each in programs(step.command or "")
        if purpose(each) != "read"
    ]
    data["keys"] = list(dict.fromkeys((*data["keys"], *programs_)))[:KEYS]
    data["conditions"] = narrowed(conditions, (), one.before.edited).to_data()
    data["task_key"] = f"corrected:{said}"[:200]
    return Draft(
        kind="experience", text=narrow(text, TEXT_CHARS), quote=one.said.text, start=one.said.start, end=one.said.end,
        line=narrow(said, LINE_CHARS), importance=0.7, confidence=CORRECTED, data={**data, "quoted": "prompt"},
    )  # fmt: skip


def _from_undone(one: Undone, turn: Trace, conditions: Conditions) -> Draft:
    words = _PHRASES[language(one.tried, turn.prompt)]
    tried = narrow(plain(one.tried), CAUSE_CHARS)
    text = words["undone"].format(place=named(one.place), tried=quoted(tried))
    # It may come as the whole prompt that asked for the end of it.
    why = reason(one.why) or asked(one.why) if one.why else None
    said = narrow(plain(why.text), CAUSE_CHARS).rstrip(" .。") if why else ""
    text += words["why"].format(why=quoted(said)) if said else words["stop"]
    path = one.place.partition("::")[0]
    data = _data(tried, [*dict.fromkeys((one.place, name(path)))], said, "undone")
    data |= {"place": one.place, "conditions": narrowed(conditions, (), (path,)).to_data()}
    data["task_key"] = f"undone:{one.place}:{tried}"[:200]
    quote = why.text if why and why.text in turn.prompt else asked(turn.prompt).text
    start = turn.prompt.find(quote)
    return Draft(
        kind="experience", text=narrow(text, TEXT_CHARS), quote=quote, start=start, end=start + len(quote),
        line=narrow(text, LINE_CHARS), importance=0.6, confidence=GIVEN_UP + WITH_REASON * bool(said),
        data={**data, "quoted": "prompt"},
    )  # fmt: skip


def _data(task: str, keys: list[str], solution: str, origin: str) -> dict[str, Any]:
    return {"task": task, "keys": keys, "solution": solution, "from": origin}


def _draft(text: str, line: str, data: dict[str, Any], said: str, error: str, worth: float) -> Draft:
    """An experience that rests on what a command printed: on the line of the error, else on its first line."""
    start = said.find(error) if error else -1
    quote = (
        error if start >= 0 else next((each for each in said.splitlines() if error[:30] in each), "")[:200]
    )
    start = max(start, 0) if start >= 0 else max(said.find(quote), 0)
    return Draft(
        kind="experience", text=narrow(text, TEXT_CHARS), quote=quote, start=start, end=start + len(quote),
        line=narrow(plain(line), LINE_CHARS), importance=0.6, confidence=min(0.4 + worth / 2, 0.9),
        data={**data, "quoted": "event"},
    )  # fmt: skip


def _keys(command: str | None, error: str | None, files: Sequence[str]) -> list[str]:
    """What it will be looked for by: the kind of the error and what it names, the programs, the files."""
    kind, _, rest = (error or "").partition(":")
    spoken = re.findall(r"[A-Za-z_][\w./@-]{2,40}", rest if kind else error or "")
    did = [one for one in programs(command or "") if purpose(one) != "read"]
    found = (
        kind.strip() if 2 < len(kind.strip()) < 60 else "",
        *(" ".join(filter(None, (one.name, one.verb)))[:60] for one in did),
        *(word for word in spoken if re.search(r"[A-Z_.\d-]", word) or len(spoken) <= 3),
        *files[:3],
    )
    return [one for one in dict.fromkeys(found) if one][:KEYS]
