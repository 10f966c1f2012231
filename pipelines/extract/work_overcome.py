"""Failures that were overcome: a command that passed after edits, and another command that did what one could not."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from .work_commands import Program, family, programs
from .work_outcomes import error_line
from .work_purposes import Purpose, is_test_run, purpose, sameness, without_folder
from .work_reruns import folder, runs_again
from .work_trace import Step, Trace

# A failure is remembered over so many turns of its session, and another way counts within so many commands.
TURNS, COMMANDS_LATER = 5, 3
# Failures that wait for their solution; of more, the first are forgotten.
OPEN_AT_MOST = 40

# A failure of such a program says something about the code or the machine.
_MATTERS: frozenset[Purpose] = frozenset(("test", "lint", "install", "build", "script", "make"))
# Looked for as they stand, in small letters: many words as one expression take a hundred times as long.
_ABSENT = (
    "command not found", ": not found", "not recognized as", "executable file not found", "enoent", "未找到命令",
    "找不到命令", "不是内部或外部命令",
)  # fmt: skip
_MISTYPED = (
    "missing script", "unknown command", "no such command", "no such option", "no such subcommand", "unrecognized ",
    "unknown flag", "unknown option", "unknown shorthand", "invalid choice", "invalid option", "usage:",
    "file or directory not found: ", "no rule to make target", "did you mean",
)  # fmt: skip
# It passes the next time without anything learned.
_PASSING = (
    "econnreset", "etimedout", "eai_again", "temporary failure", "timed out after", "timed out waiting",
    "timeout waiting", "connection reset", "connection aborted", "rate limit", "429 too many", "503 service", "502 bad",
    "nothing to commit", "up-to-date", "up to date", "interrupted by the user", "(interrupted)", "sigint",
    "keyboardinterrupt", "still running in the background",
)  # fmt: skip


def _says(said: str, any_of: Iterable[str]) -> bool:
    lower = said.lower()
    return any(words in lower for words in any_of)


# What was only just written does not yet hold together.
SLIPS = re.compile(
    r"SyntaxError|IndentationError|TabError|NameError|UnboundLocalError|unused (?:import|variable)"
    r"|unexpected (?:token|indent)|Parse ?Error|parse error|expected `?;|Unterminated",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Fixed:
    """
    A command that failed, what was edited and run since, and the run that passed. Where it failed in several ways, one
    after the other, it is the last of them.
    """

    first: Step
    edits: tuple[Step, ...]
    passed: Step
    failures: int
    asked: str
    error: str | None
    # Edits of the same turn before the failure: what failed may have been their slip.
    before: tuple[Step, ...]
    # What else was run since.
    between: tuple[Step, ...] = ()


@dataclass(frozen=True, slots=True)
class OtherWay:
    """A command that failed, and the other that did what was wanted."""

    first: Step
    passed: Step
    asked: str
    error: str


@dataclass(slots=True, eq=False)
class _Failure:
    first: Step
    turn: int
    before: tuple[Step, ...]
    edits: list[Step]
    runs: list[Step]
    times: int = 1


def fixed(turns: Sequence[Trace]) -> list[Fixed]:
    """The commands that failed in one of those turns and passed, after edits, in the last of them."""
    found: list[Fixed] = []
    open_: list[_Failure] = []
    for number, turn in enumerate(turns):
        edits: list[Step] = []
        for step in turn.steps:
            if step.edits:
                edits.append(step)
                for failure in open_:
                    failure.edits.append(step)
            if step.kind != "run" or step.ok is None or not sameness(step.command or ""):
                continue
            if step.ok:
                overcome = [one for one in open_ if runs_again(step, one.first)]
                open_ = [one for one in open_ if one not in overcome]
                if number == len(turns) - 1:
                    found += [_fixed(one, step, turns) for one in overcome if one.edits]
            else:
                _fails(step, number, edits, open_)
            for failure in open_:
                failure.runs.append(step)
    # A part of the tests and all of them fail by the same error: told is what failed first.
    latest_first = sorted(found, key=lambda one: one.first.event, reverse=True)
    return list({one.error or one.first.event: one for one in latest_first}.values())[::-1]


def _fails(step: Step, turn: int, edits: list[Step], open_: list[_Failure]) -> None:
    """Note that a command failed: again, in another way, or for the first time."""
    known = next((one for one in open_ if _is_same(step, one.first)), None)
    if known is None:
        if _tells(step):
            open_[:] = [*open_[1 - OPEN_AT_MOST :], _Failure(step, turn, tuple(edits), [], [])]
        return
    known.times += 1
    if _tells(step) and not SLIPS.search(step.said) and _alike(step) not in ("", _alike(known.first)):
        # What came before is overcome; what is told is this one, with what was edited since.
        known.first, known.before, known.edits = step, tuple(edits), []


def _is_same(step: Step, other: Step) -> bool:
    return sameness(step.command or "") == sameness(other.command or "") and folder(step) == folder(other)


def _alike(step: Step) -> str:
    """What a failure says is wrong, whatever numbers it names."""
    return re.sub(r"\d+", "#", error_line(step.said) or "")


def _fixed(failure: _Failure, passed: Step, turns: Sequence[Trace]) -> Fixed:
    return Fixed(
        failure.first, tuple(failure.edits), passed, failure.times, turns[failure.turn].prompt,
        error_line(failure.first.said), failure.before, tuple(failure.runs),
    )  # fmt: skip


def _tells(step: Step) -> bool:
    """Whether a failure is of lasting interest: of a program that works on code, and no mistyped command."""
    purposes = {purpose(one) for one in programs(step.command or "")}
    return (
        bool(purposes & _MATTERS) and not _says(step.said, (*_MISTYPED, *_PASSING)) and not _is_absent(step)
    )


def _is_absent(step: Step) -> bool:
    """Whether the shell did not find the program."""
    return _says(step.said[:400], _ABSENT)


def other_ways(turn: Trace) -> list[OtherWay]:
    """The commands that failed in a turn, and were followed by another that did the same."""
    found: list[OtherWay] = []
    runs = [step for step in turn.commands if programs(step.command or "")]
    for at, step in enumerate(runs):
        if step.ok is not False or _says(step.said, _PASSING) or any(way.passed is step for way in found):
            continue
        error = error_line(step.said)
        if error is None:
            continue
        for later in runs[at + 1 : at + 1 + COMMANDS_LATER]:
            if later.ok and _does_the_same(step, later):
                found.append(OtherWay(step, later, turn.prompt, error))
                break
            if later.ok and sameness(later.command or "") == sameness(step.command or ""):
                break
    return found


def _does_the_same(failed: Step, passed: Step) -> bool:
    olds = [one for one in programs(failed.command or "") if purpose(one) != "read"]
    news = [one for one in programs(passed.command or "") if purpose(one) != "read"]
    if len(olds) != 1 or not news:
        return False
    old, new = olds[0], news[-1]
    # What is told where to run is no other way than to go there.
    if _whole(without_folder(old)) == _whole(without_folder(new)):
        return False
    if _is_absent(failed):
        return _replaces(old, new) and not _mistyped(_called(old), _called(new))
    if purpose(old) not in _MATTERS - {"lint", "script"} or _says(failed.said, _MISTYPED):
        return False
    return _names(failed.said, old, new) or _adds(old, new) or _substitutes(old, new)


def _called(one: Program) -> str:
    """The program that the shell looks for: `python` of `python -m pytest`."""
    first = next((wrap for wrap in one.wraps if wrap.endswith(("-m", "run", "exec"))), "")
    return first.partition(" ")[0] or one.name


def _whole(one: Program) -> tuple[str, ...]:
    return (*one.sets, *one.wraps, one.given, *one.args)


def _arguments(one: Program) -> set[str]:
    return {arg for arg in one.args if not re.fullmatch(r"-[vqsx]+|--verbose|--quiet", arg)}


def _replaces(old: Program, new: Program) -> bool:
    """Another program with the same arguments, or the same one by another way in."""
    if old.name == new.name:
        return _arguments(old) == _arguments(new)
    return bool(old.args) and _arguments(old) == _arguments(new)


def _mistyped(old: str, new: str) -> bool:
    """Whether a name is another with one slip of the hand in it; `python3` for `python` is none."""
    if new.startswith(old) or abs(len(old) - len(new)) > 1:
        return False
    if len(old) == len(new):
        return (
            sorted(old) == sorted(new)
            or sum(left != right for left, right in zip(old, new, strict=True)) == 1
        )
    short, long = sorted((old[:40], new[:40]), key=len)
    return any(long[:at] + long[at + 1 :] == short for at in range(len(long)))


def _names(said: str, old: Program, new: Program) -> bool:
    """Whether what failed names the program that did it: "Use pnpm instead"."""
    return (
        old.name != new.name
        and old.verb == new.verb
        and re.search(rf"\b{re.escape(family(new.name))}\b", said.replace(old.name + " ", "")) is not None
    )


def _adds(old: Program, new: Program) -> bool:
    """Whether the same was run with an option or a setting more, or by another way in, that is no narrowing of it."""
    if old.name != new.name:
        return False
    more = _arguments(new) - _arguments(old)
    less = _arguments(old) - _arguments(new)
    if less:
        return False
    # In a virtual environment it is another program by the same name.
    if set(new.sets) - set(old.sets) or (new.wraps, new.given) != (old.wraps, old.given):
        return not more or all(one.startswith("-") for one in more)
    return (
        bool(more) and not is_test_run(old) and all(one.startswith("-") or _follows(one, new) for one in more)
    )


def _follows(value: str, one: Program) -> bool:
    """Whether an argument is the value of an option before it."""
    return any(left.startswith("-") and right == value for left, right in pairwise(one.args))


def _substitutes(old: Program, new: Program) -> bool:
    """Whether one package was installed in place of another of its kind: `psycopg2-binary` for `psycopg2`."""
    if old.name != new.name or old.verb != new.verb or old.verb not in ("install", "add", "i"):
        return False
    less, more = _arguments(old) - _arguments(new), _arguments(new) - _arguments(old)
    return (
        bool(less)
        and all(any(one.startswith(base.rstrip("0123456789.=")) for base in less) for one in more)
        and bool(more)
    )


def files_of(steps: Iterable[Step]) -> tuple[str, ...]:
    """The files that those steps edited, each once."""
    return tuple(dict.fromkeys(path for step in steps for path in step.paths))
