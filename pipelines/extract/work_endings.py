"""How a turn ended, as far as anybody saw it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal

from .work_commands import family, programs
from .work_overcome import other_ways
from .work_purposes import Purpose, is_test_run, purpose, sameness
from .work_reruns import runs_again
from .work_text import own_sentences
from .work_trace import Step, Trace

Outcome = Literal["done", "failed", "interrupted", "unknown"]

# A failure of theirs counts until it is overcome, whatever was run after it.
_COUNTS: frozenset[Purpose] = frozenset(("test", "build"))
# What an agent says where it knows that it did not get there.
_GAVE_UP = re.compile(
    r"\b(?:still|keeps?) (?:fail|broken|crash|red\b|not work|does(?:n't| not)|error)"
    r"|\b(?:could ?n[o']t|could not|cannot|can't|was(?:n't| not) able to|unable to|failed to)\b.{0,40}"
    r"\b(?:fix|pass|get|make|build|run|solve|resolve|edit|change|apply|finish|complete|reproduce|install|connect)"
    r"|(?:仍然|依然|还是|依旧|仍)(?:.{0,6})?(?:失败|报错|不行|不通过|没通过|有问题|是红|过不了)|(?:没能|无法|未能|没有办法)"
    r".{0,10}(?:修|通过|解决|完成|编译|运行|改|安装)",
    re.IGNORECASE,
)
# Of a long turn, so many failures are looked at, the last ones.
LOOKED_AT = 40
# So many sentences of a reply say how it ended.
_SENTENCES = 6


def outcome(turn: Trace, *, interrupted: bool = False) -> Outcome:
    """
    Whether a turn got to its end: failed, where a test or a build failed and nothing overcame it; unknown, where it
    was changed after that and not run again, or where nobody said how the last command ended.
    """
    if interrupted:
        return "interrupted"
    # What only looks may find nothing.
    judged = [step for step in turn.steps if step.kind in ("run", "edit", "other") and works(step)]
    if not judged:
        return "done"
    if judged[-1].ok is False:
        return "failed"
    left = _left(turn)
    if any(not edited_since for edited_since in left):
        return "failed"
    runs = [step for step in judged if step.kind == "run"]
    if left or (runs and runs[-1].ok is None):
        gave_up = any(_GAVE_UP.search(one.text) for one in own_sentences(turn.reply, reply=True)[:_SENTENCES])
        return "failed" if gave_up else "unknown"
    return "done"


def works(step: Step) -> bool:
    """Whether a step does something by itself, and not only looks."""
    return step.kind != "run" or bool(purposes(step) - {"read"})


def purposes(step: Step) -> set[Purpose]:
    """What the programs of a command are run for."""
    return {purpose(one) for one in programs(step.command or "")}


def _left(turn: Trace) -> list[bool]:
    """Of each test or build that failed and was not overcome, whether something was edited since."""
    failed: dict[str, int] = {}
    for at, step in enumerate(turn.steps):
        if step.kind == "run" and step.ok is False and purposes(step) & _COUNTS:
            key = sameness(step.command or "")
            failed.pop(key, None)
            failed[key] = at
    others = [way.first.event for way in other_ways(turn)] if failed else []
    last_edit = max((at for at, step in enumerate(turn.steps) if step.edits), default=-1)
    return [
        last_edit > at
        for at in list(failed.values())[-LOOKED_AT:]
        if turn.steps[at].event not in others and not _overcome(turn.steps[at], turn.steps[at + 1 :])
    ]


def _overcome(failed: Step, later: Sequence[Step]) -> bool:
    """Whether something later did what a command could not."""
    passed = (step for step in later if step.kind == "run" and step.ok)
    return any(runs_again(step, failed) or _does_as_much(step, failed) for step in passed)


def _does_as_much(passed: Step, failed: Step) -> bool:
    """Whether a command that passed did the same by another name, or with other options: not fewer of the tests."""
    for old in programs(failed.command or ""):
        if purpose(old) not in _COUNTS:
            continue
        for new in programs(passed.command or ""):
            if is_test_run(old):
                if is_test_run(new) and family(new.name) != family(old.name) and old.verb == new.verb:
                    return True
            elif purpose(new) == purpose(old) and new.verb == old.verb:
                return True
    return False
