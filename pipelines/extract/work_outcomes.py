"""How a command ended, from what it printed: its exit status, the tests that it counted, the line that says what is wrong."""

from __future__ import annotations

import re
from dataclasses import dataclass

ERROR_CHARS = 160
LINE_CHARS = 400

# An exit status as a client puts it around an output, not as the output may say of something else.
_STATUS = re.compile(
    r"\A(?:Error: )?(?:Command failed with )?exit(?:ed)?(?: with)?(?: code| status)?[ :]+(\d{1,3})\b"
    r"|\bProcess exited with code (\d{1,3})\b|^Exit Code: (\d{1,3})$(?=[\s\S]{0,400}\Z)"
    r"|\(exit status (\d{1,3})\)\s*\Z",
    re.IGNORECASE | re.MULTILINE,
)

_NUMBER = r"(\d{1,6})"
# Of each runner: what it prints last, how many passed, how many failed; and whether each part of a run prints it.
_SUMMARIES: tuple[tuple[re.Pattern[str], re.Pattern[str], re.Pattern[str], bool], ...] = tuple(
    (re.compile(line, re.MULTILINE), re.compile(passed), re.compile(failed), many)
    for line, passed, failed, many in (
        # cargo
        (r"^test result: .*$", rf"{_NUMBER} passed", rf"{_NUMBER} failed", True),
        # dotnet
        (r"^(?:Passed|Failed)!\s+-.*$", rf"Passed:\s+{_NUMBER}", rf"Failed:\s+{_NUMBER}", True),
        # jest, vitest, Laravel
        (r"^\s*Tests:?\s.*(?:passed|failed).*$", rf"{_NUMBER} passed", rf"{_NUMBER} failed", False),
        # mix, rspec, minitest: what passed is what is left
        (r"^.*\b\d+ (?:tests|examples|runs), .*failure.*$", rf"{_NUMBER} (?:tests|examples|runs)",
         rf"{_NUMBER} (?:failures?|errors?)", False),
        # maven, gradle, swift, phpunit, unittest
        (r"^.*Tests run: \d+.*$", rf"Tests run: {_NUMBER}", r"(?:Failures|Errors): (\d{1,6})", False),
        (r"^.*\d+ tests? completed.*$", rf"{_NUMBER} tests? completed", rf"{_NUMBER} failed", False),
        (r"^.*Executed \d+ tests?, with.*$", rf"Executed {_NUMBER}", rf"{_NUMBER} failures?", False),
        (r"^OK \(\d+ tests?.*$", rf"{_NUMBER} tests?", r"(?!)(x)", False),
        (r"^Tests: \d+, Assertions.*$", rf"Tests: {_NUMBER}", r"(?:Failures|Errors): (\d{1,6})", False),
        (r"^Ran \d+ tests? in [^\n]*\n\s*(?:OK|FAILED)?.*$", rf"Ran {_NUMBER}", r"(?:failures|errors)=(\d{1,6})", False),
        # ctest, flutter, node, bun, mocha
        (r"^.*tests passed, \d+ tests failed out of \d+.*$", rf"out of {_NUMBER}", rf"{_NUMBER} tests failed", False),
        (r"^.*\+\d+(?: ~\d+)?(?: -\d+)?: (?:All|Some) tests.*$", rf"\+{_NUMBER}", rf" -{_NUMBER}:", False),
        (r"^(?:#|ℹ) pass \d+\s+(?:#|ℹ) fail \d+", rf"pass {_NUMBER}", rf"fail {_NUMBER}", False),
        (r"^\s*\d+ pass\n(?:\s*\d+ skip\n)?\s*\d+ fail", rf"{_NUMBER} pass", rf"{_NUMBER} fail", False),
        (r"^\s*\d+ passing\b[^\n]*(?:\n\s*\d+ (?:pending|failing)\b[^\n]*)*", rf"{_NUMBER} passing",
         rf"{_NUMBER} failing", False),
        # pytest, playwright
        (r"^.*\b\d+ (?:passed|failed|errors?)\b.*$", rf"{_NUMBER} passed", rf"{_NUMBER} (?:failed|errors?)", False),
    )
)  # fmt: skip
# They count all that ran, not what passed.
_COUNT_ALL = frozenset((3, 4, 5, 6, 8, 9, 10))

# Of what a failing command printed, the line that says what is wrong; the most telling kind first.
_KIND = r"(?:[A-Za-z_][\w.]{0,80}(?:Error|Exception|Panic|Failure)|Error \[\w+\])"
_ERRORS = (
    re.compile(rf"^(?:E\s+|\*\* \(|Uncaught |Caused by: |Exception in thread \S+ )?(({_KIND})\)?(?::| ).*)$", re.MULTILINE),
    re.compile(r"^\s*(?:[\w./\\@-]{1,200}[:(]\d+(?:[:,]\d+)?\)?:?\s*-?\s*)?((?:fatal |internal )?error(?:\[\w+\]|\s+TS\d+)?[: ].*)$",
               re.MULTILINE | re.IGNORECASE),
    re.compile(r"^\s*((?:\[ERROR\]|npm (?:ERR!|error)|fatal:|panic:|FATAL|thrown:|×|✗|✘|E:) ?.*)$", re.MULTILINE),
    re.compile(r"^(.*(?:panicked at|--- FAIL:|● ).*(?:\n\s*\S.*){0,2})$", re.MULTILINE),
    re.compile(r"^(.*(?:FAILED |No module named|version solving failed).*)$", re.MULTILINE),
    re.compile(r"^(.*(?:not found|No such file|[Cc]annot|[Cc]ould not|denied|undefined|[Uu]nresolved|refused|timed? ?out"
               r"|already in use|no matching|not recognized|invalid|missing|不存在|失败|找不到|错误|无法"
               r"|拒绝).*)$", re.MULTILINE),
)  # fmt: skip
# They say that something failed, and not what.
_EMPTY = re.compile(
    r"(?i)^(?:\W|npm (?:ERR!|error)|\[ERROR\])*(?:error|failed|failure|exit code \d+|code \w+|command failed.*|"
    r"(?:fatal )?error: (?:process completed|command failed|test failed|could not compile).*|a complete log.*"
    r"|build failed.*|"
    r"make: \*\*\*.*|elifecycle.*|errno \d+|see \S+ for.*|to see the full.*|re-run maven.*|\[help \d\].*"
    r"|-> \[help.*"
    r"|failed to execute goal.*|tests? failed.*|assertionerror)\W*$"
)
_WRONG = re.compile(
    r"fail|error|n't |cannot|could not|unable|missing|invalid|denied|refused|conflict", re.IGNORECASE
)
_PLACE = re.compile(r"^(?:\[ERROR\]\s*)?(?:/\S*/)?[\w.-]+\.\w+:\[?\d+[,:]\d+\]?:?\s*")


@dataclass(frozen=True, slots=True)
class Counts:
    """How many tests passed and failed."""

    passed: int
    failed: int


def told_status(said: str) -> int | None:
    """The exit status that a client tells with an output; None where it tells none."""
    found = _STATUS.search(said)
    return next((int(group) for group in found.groups() if group), None) if found else None


def counted(said: str) -> Counts | None:
    """What a test runner says of its run at the end; None where it says nothing of it."""
    if not re.search(r"\d", said):
        return None
    for at, (line, passed, failed, many) in enumerate(_SUMMARIES):
        if not (lines := [found[0] for found in line.finditer(said)]):
            continue
        lines = lines if many else lines[-1:]
        good = sum(int(found[1]) for one in lines if (found := passed.search(one)))
        bad = sum(int(found[1]) for one in lines for found in failed.finditer(one))
        good = max(good - bad, 0) if at in _COUNT_ALL else good
        if good or bad:
            return Counts(good, bad)
    return None


def error_line(said: str) -> str | None:
    """The line of a failing command's output that says what is wrong; None where none does."""
    said = "\n".join(line[:LINE_CHARS] for line in said.splitlines())
    for at, pattern in enumerate(_ERRORS):
        lines = [" ".join(found[1].split()) for found in pattern.finditer(said)]
        telling = [line for line in lines if not _EMPTY.match(line)]
        if telling:
            # Python tells its error last, a compiler or a package manager its first cause first.
            return shortened(_PLACE.sub("", telling[-1 if at == 0 else 0]))
    return None


def shortened(line: str) -> str:
    """A line of output, no longer than can be quoted; of several sentences, from the one that says what is wrong."""
    if len(line) > ERROR_CHARS:
        said = re.split(r"(?<=[.!])\s+", line)
        at = next((at for at, one in enumerate(said) if _WRONG.search(one)), 0)
        line = " ".join(said[at:])
    return line if len(line) <= ERROR_CHARS else line[: ERROR_CHARS - 1].rstrip() + "…"
