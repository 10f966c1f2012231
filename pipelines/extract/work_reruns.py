"""Whether a later command is another run of an earlier one: the same, or a wider run of the same tests."""

from __future__ import annotations

import posixpath
import re
from functools import lru_cache

from .work_commands import Program, family, moved_to, programs
from .work_purposes import TESTS, folder_of, is_loudness, is_test_run, purpose, sameness, without_folder
from .work_trace import Step

# What narrows a test run to some of its tests, with the value that follows.
_FILTERS = frozenset(
    str.split(
        """
        -k -t -m -g -run --run --filter --grep --testNamePattern --test-name-pattern --tests --test --only-testing
        --testPathPattern --gtest_filter -R --example -e --lf --ff --last-failed --failed-first --sw --stepwise
        """
    )
)
_BARE = frozenset(("--lf", "--ff", "--last-failed", "--failed-first", "--sw", "--stepwise"))
_LEAVES_OUT = re.compile(r"--?(?:ignore|deselect|exclude|skip|short|no-|without|only|changed|affected|x[^-])")
_JOINED = re.compile(r"(-D(?:test|it\.test)|--?[\w-]+)=")


def runs_again(later: Step, earlier: Step) -> bool:
    """Whether what an earlier command tried was tried again by a later one, with all that belonged to it."""
    return _runs_again(later.command or "", earlier.command or "")


@lru_cache(maxsize=4096)
def _runs_again(later: str, earlier: str) -> bool:
    one, other = sameness(later), sameness(earlier)
    if not one or not _in_one_folder(_folder(later), _folder(earlier)):
        return False
    return one == other or _is_wider(later, earlier)


def folder(step: Step) -> str:
    """The folder that a command runs in, as far as it says so; from the turn's folder, or absolute."""
    return _folder(step.command or "")


@lru_cache(maxsize=1024)
def _folder(command: str) -> str:
    moved = moved_to(command)
    told = next((where for one in programs(command) if (where := folder_of(one))), "")
    found = posixpath.normpath(posixpath.join(moved, told)) if moved or told else ""
    return "" if found == "." else found


def _in_one_folder(one: str, other: str) -> bool:
    """Whether two folders may be one; a command that does not say may have run anywhere."""
    if not one or not other or one == other:
        return True
    long, short = (one, other) if len(one) > len(other) else (other, one)
    return long.startswith("/") and not short.startswith("/") and long.endswith(f"/{short}")


def _is_wider(later: str, earlier: str) -> bool:
    wide, narrow = _tests(later), _tests(earlier)
    return wide is not None and narrow is not None and _includes(wide, narrow)


@lru_cache(maxsize=1024)
def _tests(command: str) -> Program | None:
    """The one test run of a command; None where it does something else as well."""
    did = [one for one in programs(command) if purpose(one) != "read"]
    return without_folder(did[0]) if len(did) == 1 and is_test_run(did[0]) else None


def _includes(wide: Program, narrow: Program) -> bool:
    """Whether a test run has all the tests of another: the same runner, and nothing that leaves one of them out."""
    if family(wide.name) != family(narrow.name) or set(wide.sets) - set(narrow.sets):
        return False
    verbs, options, filters, places = _taken_apart(wide)
    narrow_verbs, narrow_options, narrow_filters, narrow_places = _taken_apart(narrow)
    leaves_out = any(_LEAVES_OUT.match(one) for one in options - narrow_options)
    if verbs != narrow_verbs or leaves_out or filters - narrow_filters:
        return False
    return not places or (bool(narrow_places) and all(_lies_in(one, places) for one in narrow_places))


@lru_cache(maxsize=1024)
def _taken_apart(one: Program) -> tuple[tuple[str, ...], frozenset[str], frozenset[str], frozenset[str]]:
    """A test run's verbs, its options, what filters its tests by name, and the places whose tests it runs."""
    verbs: list[str] = []
    options, filters, places = set[str](), set[str](), set[str]()
    args = list(one.args)
    own = family(one.name) in TESTS
    while args:
        arg = args.pop(0)
        joined = _JOINED.match(arg)
        if arg in _FILTERS or (joined and (joined[1] in _FILTERS or joined[1].startswith("-D"))):
            value = args.pop(0) if not joined and arg not in _BARE and args else ""
            filters.add(f"{arg} {value}")
        elif arg.startswith("-"):
            options |= set() if is_loudness(arg) else {arg}
        elif not places and _is_verb(arg, own=own, verbs=verbs):
            verbs.append(arg)
        else:
            places.add(arg)
    return tuple(verbs), frozenset(options), frozenset(filters), frozenset(places)


def _is_verb(arg: str, *, own: bool, verbs: list[str]) -> bool:
    if own:
        return arg in ("run", "test") and not verbs
    return not any(re.search(r"test|check|spec|^t$|nextest", verb) for verb in verbs)


def _lies_in(place: str, places: frozenset[str]) -> bool:
    for whole in places:
        base = whole.removesuffix("...").rstrip("/")
        if (
            base in ("", ".")
            or place == whole
            or place.startswith((f"{base}/", f"{base}::", f"{base}[", f"{base}:"))
        ):
            return True
        if place.removesuffix("...").rstrip("/") == base and whole.endswith("..."):
            return True
    return False
