"""A shell command as the programs it starts: their arguments, what each is for, and the files it writes by hand."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from .work_files import is_code, name

Purpose = Literal["read", "test", "lint", "install", "build", "ship", "script", "make", "other"]

# A longer command is a script that was pasted in; what it is for is said at its beginning.
COMMAND_CHARS = 2_000
# Possessive throughout: each character is looked at once.
_LEX = re.compile(
    r"""(?P<word>(?:[^\s"'\\;&|<>()#]|\\.|"(?:[^"\\]|\\.)*+(?:"|\Z)|'[^']*+(?:'|\Z)|(?<=\S)\#)++)"""
    r"""|(?P<here><<-?\s*(?P<mark>'[^'\n]*'|"[^"\n]*"|[\w-]+)|<<<)|(?P<out>\d?&?>>?\|?(?:&\d)?)|(?P<in><)"""
    r"""|(?P<join>&&|\|\||[;|&\n()])|\#[^\n]*""",
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

READS = frozenset(
    str.split(
        """
        cat bat head tail less more rg grep egrep fgrep ag ack ls ll tree find fd wc sort uniq cut
        tr awk jq yq diff cmp comm file stat du df ps top htop pwd which whereis type env printenv
        echo printf date whoami hostname uname id lsof netstat ss ping dig nslookup curl wget man
        history read sleep seq basename dirname realpath xxd strings Get-ChildItem Get-Content
        Select-String dir findstr sw_vers nvidia-smi free uptime sqlite3 psql mysql duckdb redis-cli
        mongosh
        """
    )
)
TESTS = frozenset(
    str.split(
        """
        pytest py.test tox nox unittest jest vitest mocha ava playwright cypress rspec phpunit pest
        ctest minitest
        """
    )
)
LINTS = frozenset(
    str.split(
        """
        ruff black isort flake8 pylint mypy pyright eslint prettier biome stylelint rubocop gofmt
        goimports golangci-lint rustfmt clang-format clang-tidy shellcheck ktlint swiftlint
        markdownlint pre-commit yapf autopep8 oxlint dprint
        """
    )
)
INSTALLS = frozenset(
    str.split(
        """
        pip pip3 conda mamba gem composer pod bundle bundler nvm pyenv rustup asdf mise fnm cpan
        luarocks
        """
    )
)
BUILDS = frozenset(
    str.split(
        """
        npm pnpm yarn bun deno tsc tsx ts-node webpack vite rollup esbuild next nuxt turbo nx ng
        cargo rustc go javac mvn mvnw gradle gradlew kotlinc sbt gcc g++ cc clang clang++ make cmake
        ninja meson bazel xcodebuild swift dotnet msbuild rake mix iex elixir ghc cabal stack
        flutter dart php artisan rails django-admin manage.py alembic prisma flask uvicorn gunicorn
        protoc buf docker docker-compose podman helm terraform tofu ansible-playbook pulumi uv
        poetry pdm hatch pipenv rye coverage gdb lldb valgrind strace perf nginx systemctl pm2 act
        twine maturin wrangler vercel fly flyctl serverless sam firebase supabase hugo mkdocs
        sphinx-build jupyter nbconvert kubectl virtualenv storybook lerna
        """
    )
)
SHIPS = frozenset(str.split("git gh glab svn hg patch"))
SCRIPTS = frozenset(
    str.split(
        """
        python py node ruby perl Rscript julia lua java php deno bun ts-node tsx
        """
    )
)
MAKES = frozenset(
    str.split(
        """
        pandoc libreoffice soffice xelatex pdflatex lualatex latexmk bibtex tectonic typst marp
        marp-cli mail mutt sendmail msmtp ffmpeg convert magick mogrify exiftool sips whisper dot gs
        qpdf pdftk ocrmypdf wkhtmltopdf drawio inkscape zip mermaid mmdc rclone csvkit xsv mlr
        rename mmv yt-dlp img2pdf weasyprint
        """
    )
)
# What such a program is told where it only looks.
LOOKS = {
    "git": frozenset(
        str.split(
            """
        status log diff show blame remote ls-files grep fetch rev-parse shortlog describe reflog
        help
        """
        )
    ),
    "gh": frozenset(str.split("view list status diff checks search auth browse watch")),
    "glab": frozenset(str.split("view list status diff search")),
    "docker": frozenset(str.split("ps logs images inspect stats version info top events")),
    "docker-compose": frozenset(str.split("ps logs config images top")),
    "podman": frozenset(str.split("ps logs images inspect stats")),
    "kubectl": frozenset(str.split("get describe logs top explain version config")),
    "helm": frozenset(str.split("list status get history")),
    "npm": frozenset(str.split("ls list view outdated info")),
    "pip": frozenset(str.split("list show freeze index")),
    "systemctl": frozenset(str.split("status list-units is-active")),
    "terraform": frozenset(str.split("show output")),
    "nvm": frozenset(str.split("ls list current")),
}
_CHANGES_ROWS = re.compile(
    r"\b(?:insert|update|delete|create|alter|drop|truncate|grant)\b|(?:^|\s)-f\b|<", re.IGNORECASE
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
    return tuple(found)


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
            wraps.append(" ".join((first, "-m")))
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


def _simple(command: str) -> Iterator[tuple[list[str], list[str]]]:
    """Each simple command as its words and the files that it is told to write by hand."""
    words: list[str] = []
    outs: list[str] = []
    bodies: list[str] = []
    at, redirect = 0, ""
    while at < len(command):
        found = _LEX.match(command, at)
        if found is None:  # white space, or a lone backslash
            at += 1
            continue
        at = found.end()
        if found["word"]:
            word = _QUOTES.sub(lambda m: m[1] or "", found["word"])
            if redirect == "out":
                outs.append(word)
            elif not redirect:
                words.append(word)
            redirect = ""
        elif found["mark"]:
            bodies.append(found["mark"].strip("'\""))
        elif found["out"]:
            redirect = "" if found["out"][-2:-1] == "&" else "out"
        elif found["in"] or found["here"]:
            redirect = "in"
        elif found["join"]:
            body = ""
            if found["join"] == "\n" and bodies:
                at, body = _past_bodies(command, at, bodies)
                bodies = []
            yield words, _by_hand(words, outs, body)
            words, outs, redirect = [], [], ""
    yield words, _by_hand(words, outs, "")


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


def family(program: str) -> str:
    """A program's name without its version: `python` of python3.12, `clang` of clang-18."""
    return _VERSIONED.sub("", program.removesuffix(".exe").removesuffix(".cmd"))


def purpose(one: Program) -> Purpose:
    """What a program is run for."""
    first = family(one.name)
    looks = LOOKS.get(first)
    if one.writes or first == "apply_patch":
        return "script"
    if looks is not None and _only_looks(one, first, looks):
        return "read"
    if first in ("psql", "mysql", "sqlite", "sqlite3", "duckdb", "redis-cli", "mongosh"):
        return "build" if _CHANGES_ROWS.search(" ".join(one.args)) else "read"
    if one.args in (("--version",), ("-v",), ("-V",), ("version",), ("--help",)):
        return "read"
    if first in TESTS or (first in BUILDS and is_test_run(one)):
        return "test"
    if first in MAKES:
        return "make"
    if first in ("sed", "perl", "awk") or one.name in READS:
        return "read"
    for known, what in ((LINTS, "lint"), (INSTALLS, "install"), (BUILDS, "build"), (SHIPS, "ship")):
        if first in known or one.name in known:
            return what  # type: ignore[return-value]
    if one.name.startswith("./") or first in SCRIPTS or is_code(one.name):
        return "script"
    return "other"


def _only_looks(one: Program, first: str, looks: frozenset[str]) -> bool:
    said = [arg for arg in one.args if not arg.startswith("-")][:2]
    if first == "git":
        if one.verb in ("branch", "tag", "stash", "config", "worktree"):
            rest = one.args[one.args.index(one.verb) + 1 :]
            return not rest or rest[0] in (
                "list",
                "--list",
                "-a",
                "-r",
                "-v",
                "-vv",
                "--merged",
                "--show-current",
                "-l",
                "--get",
            )
        return one.verb in looks
    if first in ("gh", "glab") or said[:1] in (["compose"], ["container"], ["image"], ["rollout"]):
        # `gh pr view`, `docker compose logs`
        return any(word in looks for word in said)
    return one.verb in looks


def is_test_run(one: Program) -> bool:
    """Whether a program runs tests: itself a runner, or a builder that is told to."""
    first = family(one.name)
    if first in TESTS:
        return True
    return first in BUILDS and any(
        re.fullmatch(
            r"(?:unit|e2e|integration)?[-:_]?(?:test|tests|check|spec)(?:[:\-_]\w+)*|nextest|t",
            arg,
            re.IGNORECASE,
        )
        or arg in TESTS
        for arg in one.args[:6]
    )


# How loud a run is, or where it stops, makes no other command of it.
_LOUDNESS = re.compile(
    r"-v+|-q+|-x|-s|-i|--verbose|--quiet|--silent|--maxfail=\d+|--lf|--ff|-r[a-zA-Z]*|--tb=\w+|--colou?r\S*|-n\d*"
    r"|--no-header|--no-cov|--bail|--nocapture|--show-output|--stacktrace|--watch=false|--run|--reporter=\w+|--"
)


@lru_cache(maxsize=512)
def sameness(command: str) -> str:
    """What two runs of one command have in common: its programs and arguments, without how loud they are."""
    said = []
    for one in programs(command):
        if purpose(one) == "read":
            continue
        words = [word for word in one.words if not _LOUDNESS.fullmatch(word)]
        said.append(" ".join((*one.sets, *words)))
    return " && ".join(said)


_MOVES = re.compile(r"\A\s*(?:cd\s+(?:\"[^\"\n]*\"|'[^'\n]*'|\S+)\s*(?:&&|;|\n)\s*)+")
_INLINE = re.compile(r"(?<=\s)(-[cer]|-lc|--eval|<<-?)\s*['\"]?\S.*\Z", re.DOTALL)
SHOWN_CHARS = 60


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
