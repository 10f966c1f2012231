"""How a command ended, from what it printed: its exit status, the tests counted, the line that says what is wrong."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from .work_orders import gives_orders

ERROR_CHARS = 160
# What is looked at of an output, and of one line in it.
READ_CHARS, LINE_CHARS = 8_000, 400
_COLOURS = re.compile(r"\x1b\[[\d;]{0,20}m|\r")

# An exit status as a client puts it around an output, not as the output may say of something else.
_STATUS = re.compile(
    r"\A(?:Error: )?(?:Command failed with )?exit(?:ed)?(?: with)?(?: code| status)?[ :]+(\d{1,3})\b"
    r"|\bProcess exited with code (\d{1,3})\b|^Exit Code: (\d{1,3})$(?=[\s\S]{0,400}\Z)"
    r"|\(exit status (\d{1,3})\)\s*\Z",
    re.IGNORECASE | re.MULTILINE,
)


@dataclass(frozen=True, slots=True)
class Counts:
    """How many tests passed and failed."""

    passed: int
    failed: int


@dataclass(frozen=True, slots=True)
class _Summary:
    """
    What a runner prints at the end: the line, and in it how many passed and failed. `parts`: each part of a run prints
    one; `ran`: it counts all that ran, not what passed.
    """

    line: re.Pattern[str]
    passed: re.Pattern[str]
    failed: re.Pattern[str]
    parts: bool = False
    ran: bool = False

    def counts(self, said: str) -> Counts | None:
        lines = [found[0] for found in self.line.finditer(said)]
        lines = lines if self.parts else lines[-1:]
        good = sum(int(found[1]) for one in lines if (found := self.passed.search(one)))
        bad = sum(int(found[1]) for one in lines for found in self.failed.finditer(one))
        good = max(good - bad, 0) if self.ran else good
        return Counts(good, bad) if good or bad else None


def _summary(line: str, passed: str, failed: str, *, parts: bool = False, ran: bool = False) -> _Summary:
    """As `_Summary`, of patterns in which `#` stands for a number."""
    found, good, bad = (
        re.compile(one.replace("#", r"(\d{1,6})") if one is not line else one, re.MULTILINE)
        for one in (line, passed, failed)
    )
    return _Summary(found, good, bad, parts=parts, ran=ran)


_FAULTS = r"(?:Failures|Errors): #"
_SUMMARIES = (
    # cargo; dotnet
    _summary(r"^test result: .*$", r"# passed", r"# failed", parts=True),
    _summary(r"^(?:Passed|Failed)!\s+-.*$", r"Passed:\s+#", r"Failed:\s+#", parts=True),
    # jest, vitest, Laravel
    _summary(r"^[ \t]*Tests:?[ \t].*(?:passed|failed).*$", r"# passed", r"# failed"),
    # mix, rspec, minitest; maven; gradle; swift
    _summary(
        r"^.*\b\d+ (?:tests|examples|runs), .*failure.*$",
        r"# (?:tests|examples|runs)",
        r"# (?:failure|error)",
        ran=True,
    ),
    _summary(r"^.*Tests run: \d+.*$", r"Tests run: #", _FAULTS, ran=True),
    _summary(r"^.*\d tests? completed.*$", r"# tests? completed", r"# failed", ran=True),
    _summary(r"^.*Executed \d+ tests?, with.*$", r"Executed #", r"# failure", ran=True),
    # phpunit; unittest
    _summary(r"^OK \(\d+ tests?.*$", r"# test", r"# failed"),
    _summary(r"^Tests: \d+, Assertions.*$", r"Tests: #", _FAULTS, ran=True),
    _summary(
        r"^Ran \d+ tests? in .*\n\s{0,4}(?:OK|FAILED)?.*$", r"Ran #", r"(?:failures|errors)=#", ran=True
    ),
    # ctest; flutter; node; bun; mocha
    _summary(r"^.*tests passed, \d+ tests failed out of \d+.*$", r"out of #", r"# tests failed", ran=True),
    _summary(r"^.*\+\d+(?: ~\d+)?(?: -\d+)?: (?:All|Some) tests.*$", r"\+#", r" -#:"),
    _summary(r"^[#ℹ] pass \d+\n[#ℹ] fail \d+", r"pass #", r"fail #"),
    _summary(r"^ *\d+ pass\n(?: *\d+ skip\n)? *\d+ fail", r"# pass", r"# fail"),
    _summary(r"^ *\d+ passing\b.*(?:\n *\d+ (?:pending|failing)\b.*)*", r"# passing", r"# failing"),
    # pytest, playwright
    _summary(r"^.*\b\d+ (?:passed|failed|errors?)\b.*$", r"# passed", r"# (?:failed|error)"),
)
_MAY_COUNT = ("pass", "Pass", "fail", "error", "tests", "Tests", "Ran ", "OK (")


# Of what a failing command printed, the line that says what is wrong; the most telling kind first.
_KIND = r"(?:[A-Za-z_][\w.]{0,80}(?:Error|Exception|Panic|Failure)|Error \[\w+\])"
_BEFORE = r"(?:E +|\*\* \(|Uncaught |Caused by: |Exception in thread \S+ )?"
_SPOT = r"(?:[\w./\\@-]{1,200}[:(]\d+(?:[:,]\d+)?\)?:? *-? *)?"
_SIGNS = (
    r"not found|no such file|cannot|could not|denied|undefined|unresolved|refused|timed? ?out|already in use"
    r"|no matching|not recognized|invalid|missing"
)
_ERRORS = tuple(
    re.compile(pattern, re.MULTILINE)
    for pattern in (
        rf"^{_BEFORE}(({_KIND})\)?(?::| ).*)$",
        rf"^[ \t]*{_SPOT}((?i:(?:fatal |internal )?error(?:\[\w+\]|\s+TS\d+)?[: ]).*)$",
        rf"^[ \t]*{_SPOT}(TS\d{{4,5}}: .*)$",
        r"^[ \t]*((?:\[ERROR\]|npm (?:ERR!|error)|fatal:|panic:|FATAL|thrown:|×|✗|✘|E:) ?.*)$",
        r"^(.*(?:panicked at|--- FAIL:|● ).*(?:\n[ \t]*\S.*){0,2})$",
        r"^(.*(?:FAILED |No module named|version solving failed).*)$",
        rf"^(.*(?i:{_SIGNS}).*)$",
        r"^(.*(?:不存在|失败|找不到|错误|无法|拒绝).*)$",
    )
)
# They say that something failed, and not what.
_EMPTY = re.compile(
    r"(?:npm (?:ERR!|error)|\[ERROR\]|\W)*"
    r"(?:error|failed|failure|exit code \d+|code \w+|command failed.*|errno \d+|elifecycle.*|assertionerror"
    r"|(?:fatal )?error: (?:process completed|command failed|test failed|could not compile).*|build failed.*"
    r"|make: \*\*\*.*|a complete log.*|see \S+ for.*|to see the full.*|re-run maven.*|\[help \d\].*|-> \[help.*"
    r"|failed to execute goal.*|tests? failed.*)\W*\Z",
    re.IGNORECASE,
)
_WRONG = re.compile(
    r"fail|error|n't |cannot|could not|unable|missing|invalid|denied|refused|conflict", re.IGNORECASE
)
_CLASS = re.compile(
    r"[A-Za-z_][\w.]{1,60}(?:Error|Exception|Panic|Failure)(?![\w.])|TS\d{3,5}|E\d{4}(?!\w)|E[A-Z]{5,16}\b"
)
_PLACE = re.compile(r"^(?:\[ERROR\]\s*)?(?:/\S*/)?[\w.-]+\.\w+:\[?\d+[,:]\d+\]?:?\s*")


def told_status(said: str) -> int | None:
    """The exit status that a client tells with an output; None where it tells none."""
    if "xit" not in said:
        return None
    found = _STATUS.search(said if len(said) <= READ_CHARS else f"{said[:200]}\n{said[-400:]}")
    return next((int(group) for group in found.groups() if group), None) if found else None


# As capture notes it, and as clients say it.
_RUNNING = re.compile(
    r"\(still running in the background\)|\A\s*Command (?:is )?running in (?:the )?background\b"
    r"|\bIs running in background\b",
    re.IGNORECASE,
)
# What only a run that failed prints; a log or a test's own output may have some of it in a line that it quotes.
_FAILED = re.compile(
    r"^(?:make|gmake|mingw32-make|ninja)(?:\[\d+\])?: (?:\*\*\* .*(?:Error|Stop|failed)|build stopped)"
    r"|^npm (?:ERR!|error) (?:code|errno|Test failed|missing script)|^\s?ELIFECYCLE\b"
    r"|^error Command failed with exit code [1-9]"
    r"|^.{0,200}\berror TS\d{3,5}:|^Found [1-9]\d* errors?\b|^✖ \d+ problems? \([1-9]"
    r"|^error(?:\[E\d{4}\])?: (?:could not compile|aborting due to|linking with)"
    r"|^(?:> Task \S+ FAILED|BUILD FAILED|FAILURE: Build failed|\[ERROR\] BUILD FAILURE|\[INFO\] BUILD FAILURE"
    r"|\*\* (?:BUILD|TEST|ARCHIVE) FAILED \*\*|Build FAILED\.|Failed to compile\b)"
    r"|^FAIL(?:\t\S+|$)|^--- FAIL:|^test result: FAILED"
    r"|^collect2: error: ld returned|^.{1,200}:\d+:\d+: (?:fatal )?error: |^.{0,60}: command not found$"
    r"|^(?:fatal:|FATAL\b|ERROR: failed to solve|Error: Process completed with exit code [1-9])"
    r"|^Traceback \(most recent call last\):|^panic: |^(?:sh|bash|zsh): .{0,80}: not found$"
    r"|^.{0,100}(?:编译失败|构建失败|测试失败|找不到命令|未找到命令)",
    re.MULTILINE,
)


def still_runs(said: str) -> bool:
    """Whether a command was left running, so that what it printed is not how it ended."""
    return _RUNNING.search(said[-400:] if len(said) > 400 else said) is not None


def says_failed(said: str) -> bool:
    """Whether an output is that of a run that failed, where no exit status is known."""
    return _FAILED.search(_readable(said)) is not None


@lru_cache(maxsize=256)
def counted(said: str) -> Counts | None:
    """What a test runner says of its run at the end; None where it says nothing of it."""
    if not any(word in said for word in _MAY_COUNT):
        return None
    said = _readable(said)
    return next((counts for summary in _SUMMARIES if (counts := summary.counts(said))), None)


def error_line(said: str) -> str | None:
    """
    The line of a failing command's output that says what is wrong; None where none does. Of one that gives orders only
    the class of the error, where it has a telling one.
    """
    said = _readable(said)
    kind: str | None = None
    for at, pattern in enumerate(_ERRORS):
        lines = [" ".join(found[1].split()) for found in pattern.finditer(said)]
        telling = [line for line in lines if not _EMPTY.match(line)]
        # Python tells its error last, a compiler or a package manager its first cause first.
        for line in reversed(telling) if at == 0 else telling:
            if not gives_orders(line):
                return shortened(_PLACE.sub("", line))
            kind = kind or next((found[0] for found in _CLASS.finditer(line)), None)
    return kind


def _readable(said: str) -> str:
    """An output's both ends, without colours, no line longer than a reader would look at."""
    if len(said) > READ_CHARS:
        said = f"{said[: READ_CHARS // 2]}\n{said[-READ_CHARS // 2 :]}"
    return "\n".join(line[:LINE_CHARS] for line in _COLOURS.sub("", said).splitlines())


def shortened(line: str) -> str:
    """A line of output, no longer than can be quoted; of several sentences, from the one that says what is wrong."""
    if len(line) > ERROR_CHARS:
        said = re.split(r"(?<=[.!])\s+", line)
        at = next((at for at, one in enumerate(said) if _WRONG.search(one)), 0)
        line = " ".join(said[at:])
    return line if len(line) <= ERROR_CHARS else line[: ERROR_CHARS - 1].rstrip() + "…"
