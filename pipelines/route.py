"""
Which scene a turn belongs to, by rule, and the bounded view that a judge has of it.

The written boundary: where code or a development artefact is the object or the medium of the work, it is coding; a
deliverable of which code is not the medium is working; reading, searching or browsing alone is neither, so chat, unless
code of this workspace was read to decide something about it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from ..store.models import Scene
from .work_trace import Step, Trace, programs

# What a judge is shown: so many turns, else the first and the last, and of a long text its head and tail.
VIEW_TURNS, VIEW_FIRST, VIEW_LAST = 20, 5, 14
VIEW_CHARS, VIEW_HEAD, VIEW_TAIL = 1_000, 200, 200
VIEW_TOOLS = 12

CODE = frozenset(
    str.split(
        "py pyi pyx ipynb js jsx mjs cjs ts tsx mts cts go rs java kt kts scala groovy c h cc cpp cxx hpp hh cs fs vb rb php"
        " swift m mm dart lua pl pm r jl ex exs erl hs ml mli clj cljs elm zig nim v sv vhd sol cu sh bash zsh fish ps1 bat"
        " sql graphql proto thrift html htm css scss sass less vue svelte astro tf hcl nix bzl cmake mk gradle toml yaml yml"
        " ini cfg conf lock xml json jsonc json5 env dockerfile makefile rst adoc patch diff"
    )
)
CODE_NAMES = re.compile(
    r"(?:^|/)(?:Dockerfile|Makefile|CMakeLists\.txt|Rakefile|Gemfile|Procfile|Jenkinsfile|go\.mod|requirements[\w-]*\.txt"
    r"|\.git\w*|\.eslintrc|\.prettierrc|README[\w.-]*|CHANGELOG[\w.-]*|CONTRIBUTING[\w.-]*|LICENSE|CLAUDE\.md|AGENTS\.md)$",
    re.IGNORECASE,
)
DELIVERABLES = frozenset(
    str.split(
        "doc docx odt rtf pdf ppt pptx odp key pages xls xlsx ods csv tsv numbers eml msg ics txt tex png svg mp4 epub"
    )
)
# Prose: a deliverable, or a part of the code it lies beside.
PROSE = frozenset(("md", "markdown", "mdx", "txt", "tex"))
BUILD = frozenset(
    str.split(
        "pytest tox nox unittest ruff black mypy pyright flake8 pylint isort coverage hatch poetry pdm uv pip pip3 pipx conda"
        " npm pnpm yarn bun npx deno node ts-node tsc tsx eslint prettier jest vitest mocha playwright cypress webpack vite"
        " rollup esbuild next turbo cargo rustc rustfmt clippy go gofmt golangci-lint java javac mvn gradle gradlew kotlinc"
        " sbt gcc g++ clang clang++ make cmake ninja meson bazel ctest gdb lldb valgrind docker docker-compose podman kubectl"
        " helm terraform ansible-playbook swift xcodebuild dotnet msbuild ruby bundle rake rspec rubocop gem php composer"
        " phpunit artisan mix iex elixir ghc cabal stack flutter dart perl lua psql sqlite3 mysql alembic prisma act"
        " pre-commit git gh glab svn hg patch"
    )
)
SCRIPTED = frozenset(("python", "python3", "node", "ruby", "perl", "php", "Rscript", "julia"))
GIT_READS = frozenset(
    ("status", "log", "diff", "show", "blame", "branch", "remote", "ls-files", "grep", "fetch", "rev-parse")
)
OFFICE = frozenset(
    (
        "pandoc",
        "libreoffice",
        "soffice",
        "xelatex",
        "pdflatex",
        "latexmk",
        "mail",
        "mutt",
        "sendmail",
        "msmtp",
        "ffmpeg",
        "marp",
        "typst",
    )
)
OFFICE_TOOLS = re.compile(
    r"mail|gmail|outlook|calendar|slack|teams|notion|confluence|docs?_|document|sheet|spreadsheet|slides?|presentation"
    r"|excel|word|powerpoint|drive|airtable|trello|asana|linear_|jira|feishu|lark|dingtalk|wecom|yuque",
    re.IGNORECASE,
)
ABOUT_CODE = re.compile(
    r"\b(?:function|method|class|module|code|bug|error|exception|stack ?trace|test|refactor|implement|API|endpoint|query"
    r"|schema|migration|dependency|build|compile|merge|branch|commit|review|architecture|design|why does|where is|how does)\b"
    r"|函数|方法|类|模块|代码|报错|异常|测试|重构|实现|接口|查询|依赖|编译|分支|提交|架构|设计|为什么|哪里",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Verdict:
    """The scene a turn belongs to, and why; not `decisive` where a judge may know better."""

    scene: Scene
    decisive: bool
    reason: str


@dataclass(frozen=True, slots=True)
class Glance:
    """What a judge sees of one turn: the user's words, cut, and the names of the tools that were used."""

    words: str
    tools: tuple[str, ...]


def by_rule(turn: Trace) -> Verdict:
    """The scene by what was done, without a model."""
    if not turn.steps:
        return Verdict("chat", decisive=True, reason="no tool was used")
    code = [path for path in turn.edited if is_code(path)]
    prose = [path for path in turn.edited if not is_code(path) and suffix(path) in PROSE]
    made = [path for path in turn.edited if not is_code(path) and suffix(path) in DELIVERABLES]
    built = next((name for step in turn.commands if (name := _builds(step))), None)
    wrote = next(
        (step.tool for step in turn.steps if step.kind == "other" and OFFICE_TOOLS.search(step.tool)), None
    )
    office = next((name for step in turn.commands if (name := _office(step))), None)
    if code:
        return Verdict("coding", decisive=True, reason=f"edited {code[0]}")
    if prose and built:
        return Verdict("coding", decisive=True, reason=f"edited {prose[0]} and ran {built}")
    if made or office or wrote:
        return Verdict("working", decisive=True, reason=f"made {(made or [office or wrote])[0]}")
    if built:
        return Verdict("coding", decisive=True, reason=f"ran {built}")
    if prose:
        return Verdict("working", decisive=False, reason=f"wrote {prose[0]}")
    if turn.edited:
        return Verdict("working", decisive=False, reason=f"edited {turn.edited[0]}")
    looked = [path for path in turn.read if is_code(path) and not path.startswith(("/", "..", "~"))]
    if looked and ABOUT_CODE.search(turn.prompt):
        return Verdict("coding", decisive=True, reason=f"read {looked[0]} to decide about it")
    if looked:
        return Verdict("chat", decisive=False, reason=f"only read {looked[0]}")
    return Verdict("chat", decisive=True, reason="only read, searched or browsed")


def is_code(path: str) -> bool:
    """Whether a file is code or a development artefact, by its name."""
    return suffix(path) in CODE or CODE_NAMES.search(path) is not None


def suffix(path: str) -> str:
    """The ending of a file's name without the dot, in small letters; the whole name where it has none."""
    return path.rsplit("/", 1)[-1].rpartition(".")[2].lower()


def _builds(step: Step) -> str | None:
    for name, *rest in programs(step.command or ""):
        if name == "git" and next((one for one in rest if not one.startswith("-")), "") in GIT_READS:
            continue
        if (
            name in BUILD
            or (name in SCRIPTED and rest and not rest[0].startswith("-c"))
            or name.startswith("./")
        ):
            return " ".join((name, *rest[:1]))
        if is_code(name) and "." in name:
            return name
    return None


def _office(step: Step) -> str | None:
    return next((name for name, *_ in programs(step.command or "") if name in OFFICE), None)


def view(turns: Sequence[Trace]) -> tuple[tuple[Glance | None, ...], int]:
    """
    What a judge sees of those turns, the last of which is to be judged: all, or the first, None for a mark, and the
    last; and how many are left out.
    """
    shown: list[Trace | None] = list(turns)
    left_out = 0
    if len(shown) > VIEW_TURNS:
        left_out = len(shown) - VIEW_FIRST - VIEW_LAST
        shown = [*shown[:VIEW_FIRST], None, *shown[-VIEW_LAST:]]
    return tuple(None if turn is None else glance(turn) for turn in shown), left_out


def glance(turn: Trace) -> Glance:
    """One turn as a judge sees it: no tool's content, and no more of the user's words than the bounds allow."""
    words = turn.prompt
    if len(words) > VIEW_CHARS:
        words = f"{words[:VIEW_HEAD]}\n[…]\n{words[-VIEW_TAIL:]}"
    names = tuple(dict.fromkeys(step.tool[:60] for step in turn.steps))
    return Glance(words, names[:VIEW_TOOLS])
