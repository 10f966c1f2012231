"""What the programs of a command are run for, and when two commands are the same."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import lru_cache
from typing import Literal

from .work_commands import Program, family, programs
from .work_files import is_code

Purpose = Literal["read", "test", "lint", "install", "build", "ship", "script", "make", "other"]

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


_KNOWN: tuple[tuple[Purpose, frozenset[str]], ...] = (
    ("make", MAKES), ("read", READS | {"sed", "perl"}), ("lint", LINTS), ("install", INSTALLS), ("build", BUILDS),
    ("ship", SHIPS),
)  # fmt: skip


@lru_cache(maxsize=1024)
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
    if is_test_run(one):
        return "test"
    for what, known in _KNOWN:
        if first in known or one.name in known:
            return what
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


def is_loudness(arg: str) -> bool:
    """Whether an option only says how loud a run is, or where it stops."""
    return _LOUDNESS.fullmatch(arg) is not None


@lru_cache(maxsize=512)
def sameness(command: str) -> str:
    """What two runs of one command have in common: its programs and arguments, without how loud they are."""
    said = []
    for one in programs(command):
        if purpose(one) == "read":
            continue
        words = [word for word in without_folder(one).words if not is_loudness(word)]
        said.append(" ".join((*one.sets, *words)))
    return " && ".join(said)


# How a program is told in which folder to run, instead of going there.
_IN_FOLDER = {
    "npm": ("--prefix", "-C"), "pnpm": ("-C", "--dir", "--prefix"), "yarn": ("--cwd",), "bun": ("--cwd",),
    "make": ("-C", "--directory"), "gmake": ("-C", "--directory"), "ninja": ("-C",), "go": ("-C",), "git": ("-C",),
    "cargo": ("-C",), "uv": ("--directory", "--project"), "poetry": ("-C", "--directory"), "terraform": ("-chdir",),
    "tofu": ("-chdir",), "composer": ("-d", "--working-dir"), "deno": ("--cwd",),
}  # fmt: skip


def without_folder(one: Program) -> Program:
    """The program without the option that says in which folder it runs: `npm run build` of `npm --prefix web …`."""
    return _folder(one)[0]


def folder_of(one: Program) -> str:
    """The folder that an option says a program runs in; "" for none."""
    return _folder(one)[1]


def _folder(one: Program) -> tuple[Program, str]:
    options = _IN_FOLDER.get(family(one.name), ())
    for at, arg in enumerate(one.args[:8]):
        head, sign, value = arg.partition("=")
        if head not in options:
            continue
        if sign:
            return replace(one, args=(*one.args[:at], *one.args[at + 1 :])), value
        if at + 1 < len(one.args):
            return replace(one, args=(*one.args[:at], *one.args[at + 2 :])), one.args[at + 1]
    return one, ""
