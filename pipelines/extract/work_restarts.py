"""Faults that a log told, and that were gone after edits and a restart: no command failed, the reply says why."""

from __future__ import annotations

import re
from collections.abc import Sequence

from .work_commands import Program, programs
from .work_outcomes import error_line
from .work_overcome import Fixed
from .work_purposes import purpose
from .work_text import causes
from .work_trace import Step, Trace

_LOGS = re.compile(r"^(?:logs?|--log(?:-failed)?|--logs)$|\.log(?:\.\d+)?$|(?:^|/)(?:logs?|log)/")
_READERS = frozenset(("cat", "tail", "head", "less", "more", "grep", "rg", "bat"))
_STARTS = re.compile(r"^(?:restart|up|start|rollout|apply|deploy|reload|redeploy|upgrade|serve|run|dev)$")
_NAMED = re.compile(r"[A-Za-z_][\w.-]{3,}|[\u4e00-\u9fff]{2,}")
# Every error has them.
_COMMON = frozenset(
    str.split("error exception failed failure fatal cannot could with from that this file line not")
)


def found_out(turns: Sequence[Trace]) -> list[Fixed]:
    """The faults that a log told in one of those turns, where the last restarts and says what was the matter."""
    told: tuple[int, Step, str] | None = None
    edits: list[Step] = []
    for number, turn in enumerate(turns):
        for step in turn.steps:
            if step.edits:
                edits.append(step)
            elif _shows_a_log(step) and (error := error_line(step.said)):
                told, edits = (number, step, error), []
            elif told and edits and number == len(turns) - 1 and step.ok and _starts(step):
                asked, shown, error = turns[told[0]].prompt, told[1], told[2]
                if not _is_explained(turn.reply, error):
                    return []
                return [Fixed(shown, tuple(edits), step, 1, asked, error, ())]
    return []


def _shows_a_log(step: Step) -> bool:
    if step.kind != "run" or step.ok is False:
        return False
    return any(_is_of_logs(one) for one in programs(step.command or ""))


def _is_of_logs(one: Program) -> bool:
    if one.name in ("journalctl", "stern", "dmesg"):
        return True
    if one.name in _READERS:
        return any(_LOGS.search(arg) for arg in one.args if not arg.startswith("-"))
    return purpose(one) in ("read", "other", "build") and any(_LOGS.match(arg) for arg in one.args[:6])


def _starts(step: Step) -> bool:
    started = (
        one
        for one in programs(step.command or "")
        if purpose(one) in ("build", "script", "ship", "other")
        and any(_STARTS.match(arg) for arg in one.args[:4])
    )
    return step.kind == "run" and any(started)


def _is_explained(reply: str, error: str) -> bool:
    """Whether a reply says what was the matter, in words of the error."""
    cause = causes(reply, error)
    named = {word.lower() for word in _NAMED.findall(error)} - _COMMON
    return cause is not None and any(word in cause.text.lower() for word in named)
