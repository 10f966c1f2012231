"""A shell command as the programs it starts, with their arguments, and the files that it writes by hand."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache

from .work_files import name

# A longer command is a script that was pasted in; what it is for is said at its beginning.
COMMAND_CHARS, PROGRAMS = 2_000, 40
# Possessive throughout: each character is looked at once.
_LEX = re.compile(
    r"""(?P<out>\d?&?>>?\|?(?:&\d)?)|(?P<word>(?:[^\s"'\\;&|<>()#]|\\.|"(?:[^"\\]|\\.)*+(?:"|\Z)|'[^']*+(?:'|\Z)|(?<=\S)\#)++)"""
    r"""|(?P<here><<-?\s*(?P<mark>'[^'\n]*'|"[^"\n]*"|[\w-]+)|<<<)|(?P<in><)"""
    r"""|(?P<join>&&|\|\||[;|&\n()])|\#[^\n]*|[^\S\n]+""",
    re.VERBOSE | re.DOTALL,
)
_QUOTES = re.compile(r"""\\(.)|["']""", re.DOTALL)
_ASSIGNED = re.compile(r"[A-Za-z_]\w*=")
_PATCHED = re.compile(r"^\*\*\* (?:Add File|Update File|Delete File|Move to): (.+?)\s*$", re.MULTILINE)
_VERSIONED = re.compile(r"(?<=[a-z])-?\d+(?:\.\d+)*$")
# What stands before the program that counts, and how many words of its own each takes.
_WRAPPERS = {
    "sudo": 0, "doas": 0, "env": 0, "time": 0, "timeout": 1, "nice": 0, "nohup": 0, "command": 0, "exec": 0,
    "xargs": 0, "stdbuf": 0, "then": 0, "do": 0, "else": 0, "if": 0, "while": 0, "!": 0, "{": 0, "npx": 0, "bunx": 0,
    "pnpx": 0, "uvx": 0, "pipx": 0, "corepack": 0, "winpty": 0,
}  # fmt: skip
_RUNS = {
    "uv": "run", "poetry": "run", "pdm": "run", "pipenv": "run", "hatch": "run", "rye": "run", "conda": "run",
    "bundle": "exec", "pnpm": "exec", "yarn": "exec", "npm": "exec", "fvm": "flutter", "pipx": "run",
}  # fmt: skip
_SHELLS = frozenset(("bash", "sh", "zsh", "fish", "dash"))
_NO_PROGRAMS = frozenset(
    str.split(
        """
        cd pushd popd for done fi case esac export set unset source . local true false } [ [[ test
        """
    )
)


@dataclass(frozen=True, slots=True)
class Program:
    """
    One program of a command: its name without folder, its arguments, what was set for it, what it was run by
    ("npx", "python -m"), the files it writes by hand, and its name as it was given.
    """

    name: str
    args: tuple[str, ...]
    sets: tuple[str, ...] = ()
    wraps: tuple[str, ...] = ()
    writes: tuple[str, ...] = ()
    given: str = ""

    @property
    def words(self) -> tuple[str, ...]:
        """Name and arguments."""
        return (self.name, *self.args)

    @property
    def verb(self) -> str:
        """The first argument that is no option: the `commit` of `git -C x commit`."""
        args = iter(self.args)
        for arg in args:
            if arg in ("-C", "-c", "-n", "-f", "--prefix") and self.name in (
                "git",
                "kubectl",
                "npm",
                "docker",
            ):
                next(args, None)
            elif not arg.startswith("-"):
                return arg
        return ""


def programs(command: str) -> tuple[Program, ...]:
    """The programs that a shell command starts, in their order; `cd` and what only wraps another left out."""
    return _programs(command[:COMMAND_CHARS])


@lru_cache(maxsize=512)
def _programs(command: str) -> tuple[Program, ...]:
    found: list[Program] = []
    for words, writes in _simple(command):
        found += _program(words, writes)
    return tuple(found[:PROGRAMS])


def _program(words: list[str], writes: list[str]) -> tuple[Program, ...]:
    sets: list[str] = []
    wraps: list[str] = []
    while words:
        first = name(words[0])
        if _ASSIGNED.match(words[0]):
            sets.append(words[0])
            words = words[1:]
        elif first in _RUNS and words[1:2] == [_RUNS[first]]:
            wraps.append(f"{first} {_RUNS[first]}")
            words = words[2:]
        elif first in _WRAPPERS:
            wraps.append(first)
            words = words[1 + _WRAPPERS[first] :]
        elif wraps and words[0].startswith("-"):
            words = words[1:]
        elif _module(words):
            wraps.append(f"{first} -m")
            words = words[2:]
        else:
            break
    if not words or (first := name(words[0])) in _NO_PROGRAMS:
        return ()
    if first in _SHELLS and len(words) > 2 and words[1] in ("-c", "-lc", "-ic"):
        return _programs(words[2])
    written = (*writes, *_in_place(first, words[1:]))
    return (Program(first, tuple(words[1:]), tuple(sets), tuple(wraps), written, words[0]),)


def _module(words: list[str]) -> bool:
    return len(words) > 2 and words[1] == "-m" and family(name(words[0])) in ("python", "py")


@dataclass(slots=True)
class _Reading:
    """A simple command while it is read: its words, what it redirects into, the marks of the texts it is handed."""

    words: list[str] = field(default_factory=list)
    outs: list[str] = field(default_factory=list)
    marks: list[str] = field(default_factory=list)
    redirect: str = ""

    def take(self, found: re.Match[str]) -> None:
        """Add what was read next."""
        if found["word"]:
            if self.redirect != "in":
                word = _QUOTES.sub(lambda m: m[1] or "", found["word"])
                (self.outs if self.redirect else self.words).append(word)
            self.redirect = ""
        elif found["mark"]:
            self.marks.append(found["mark"].strip("'\""))
        elif found["out"]:
            # `2>&1` names no file.
            self.redirect = "" if found["out"][-2:-1] == "&" else "out"
        elif found["in"] or found["here"]:
            self.redirect = "in"


def _simple(command: str) -> Iterator[tuple[list[str], list[str]]]:
    """Each simple command as its words and the files that it is told to write by hand."""
    now, at = _Reading(), 0
    while at < len(command):
        found = _LEX.match(command, at)
        if found is None:  # a lone backslash
            at += 1
            continue
        at = found.end()
        if not found["join"]:
            now.take(found)
            continue
        body, marks = "", now.marks
        if found["join"] == "\n" and marks:
            at, body = _past_bodies(command, at, marks)
            marks = []
        yield now.words, _by_hand(now.words, now.outs, body)
        now = _Reading(marks=marks)
    yield now.words, _by_hand(now.words, now.outs, "")


def _past_bodies(command: str, at: int, marks: list[str]) -> tuple[int, str]:
    """Where the texts that are handed in after a line end, and the first of them."""
    start = at
    for mark in marks:
        end = re.compile(rf"^\s*{re.escape(mark)}\s*$", re.MULTILINE).search(command, at)
        if end is None:
            return len(command), command[start:]
        at = end.end()
    return at, command[start:at]


def _by_hand(words: list[str], outs: list[str], body: str) -> list[str]:
    """The files that the words themselves fill: what another program prints into a file was not written by hand."""
    if not words:
        return []
    first = name(words[0])
    if first in ("apply_patch", "applypatch"):
        return _PATCHED.findall("\n".join((*words[1:], body)))
    if first in ("cat", "tee") and body:
        named = [word for word in words[1:] if not word.startswith("-")] if first == "tee" else []
        return [*named, *_kept(outs)]
    return _kept(outs) if first in ("echo", "printf") else []


def _kept(outs: list[str]) -> list[str]:
    return [out for out in outs if not out.startswith(("/dev/", "$"))]


def _in_place(first: str, args: list[str]) -> list[str]:
    """The files that `sed -i` and `perl -pi` change."""
    if not (
        first in ("sed", "gsed") and any(re.match(r"-[a-zE]*i|--in-place", arg) for arg in args)
    ) and not (first == "perl" and any(re.match(r"-[a-z]*i", arg) for arg in args)):
        return []
    plain = [arg for arg in args if arg and not arg.startswith("-")]
    return [
        arg
        for arg in plain[0 if "-e" in args and first == "sed" else 1 :]
        if "*" not in arg and "s/" not in arg
    ]


def written(command: str) -> tuple[str, ...]:
    """The files that a command writes by hand: patched, from a text within it, or changed in place."""
    if command.lstrip().startswith(("apply_patch", "applypatch")):
        return tuple(dict.fromkeys(_PATCHED.findall(command)))
    return tuple(dict.fromkeys(path for one in programs(command) for path in one.writes))


def family(program: str) -> str:
    """A program's name without its version: `python` of python3.12, `clang` of clang-18."""
    return _VERSIONED.sub("", program.removesuffix(".exe").removesuffix(".cmd"))


_MOVES = re.compile(r"\A\s*(?:cd\s+(?:\"[^\"\n]*\"|'[^'\n]*'|\S+)\s*(?:&&|;|\n)\s*)+")
_MOVED = re.compile(r"cd\s+(\"[^\"\n]*\"|'[^'\n]*'|\S+)")
_INLINE = re.compile(r"(?<=\s)(-[cer]|-lc|--eval|<<-?)\s*['\"]?\S.*\Z", re.DOTALL)
SHOWN_CHARS = 60


def moved_to(command: str) -> str:
    """The folder that a command goes to before it does anything; "" where it stays."""
    moves = _MOVES.match(command[:COMMAND_CHARS])
    return "/".join(found.strip("'\"") for found in _MOVED.findall(moves[0])) if moves else ""


def shown(command: str, most: int = SHOWN_CHARS) -> str:
    """A command as it is told in a sentence: on one line, without the folder it ran in or a script within it."""
    command = _MOVES.sub("", command[:COMMAND_CHARS]).strip()
    inline = _INLINE.search(command)
    if inline and (len(inline[0]) > SHOWN_CHARS // 2 or "\n" in inline[0]):
        command = f"{command[: inline.start()]}{inline[1]} …"
    first, _, more = command.partition("\n")
    line = " ".join(first.split()).replace("`", "'")
    cut = len(line) > most or (more.strip() and not line.endswith("…"))
    return f"{line[: most - 2].rstrip()} …" if cut else line
