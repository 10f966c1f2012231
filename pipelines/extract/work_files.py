"""What a file is, by its name: code or a development artefact, a deliverable, prose, or scratch."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

CODE = frozenset(
    str.split(
        """
        py pyi pyx ipynb js jsx mjs cjs ts tsx mts cts go rs java kt kts scala groovy c h cc cpp cxx
        hpp hh cs fs vb rb erb php swift m mm dart lua pl pm r rmd jl ex exs eex heex erl hs ml mli
        clj cljs elm zig nim v sv vhd sol cu asm s sh bash zsh fish ps1 psm1 bat cmd awk sql graphql
        gql proto thrift prisma html htm css scss sass less styl vue svelte astro wxml wxss wxs
        jinja j2 hbs ejs liquid tf tfvars hcl nix bzl bazel cmake mk gradle podspec toml yaml yml
        ini cfg conf lock xml xsd json jsonc json5 ndjson env properties plist dockerfile makefile
        dockerignore gitignore gitattributes editorconfig npmrc nvmrc rst adoc patch diff feature
        csproj sln vcxproj pbxproj xcconfig service
        """
    )
)
# Files without a telling ending, and prose that belongs to the code it lies beside.
CODE_NAMES = re.compile(
    r"(?:^|/)(?:Dockerfile[\w.-]*|Containerfile|Makefile|GNUmakefile|Justfile|Taskfile|CMakeLists\.txt|Rakefile"
    r"|Gemfile"
    r"|Podfile|Brewfile|Vagrantfile|Tiltfile|BUILD|WORKSPACE|Procfile|Jenkinsfile|Caddyfile|go\.(?:mod|sum)"
    r"|(?:requirements|constraints)[\w-]*"
    r"\.txt|\.git\w+|\.env[\w.]*|\.[a-z]+(?:rc|ignore)|README[\w.-]*|CHANGELOG[\w.-]*|CHANGES(?:\.\w+)?"
    r"|CONTRIBUTING[\w.-]*|LICENSE[\w.-]*|SECURITY\.md|CODEOWNERS|CLAUDE\.md|AGENTS\.md|GEMINI\.md|QWEN\.md"
    r"|SKILL\.md)$"
    r"|(?:^|/)(?:adr|rfcs|\.github|\.cursor|\.claude)/",
    re.IGNORECASE,
)
# Prose in such a folder tells of the code, where there is code in the turn.
DOCS = re.compile(r"(?:^|/)(?:docs?|documentation|wiki|specs?)/", re.IGNORECASE)
PROSE = frozenset(str.split("md markdown mdx txt"))
DELIVERABLES = frozenset(
    str.split(
        """
        doc docx odt rtf pdf ppt pptx odp key pages xls xlsx xlsm ods csv tsv numbers eml msg ics
        tex bib epub srt vtt png jpg jpeg gif webp svg drawio mp3 m4a wav mp4 mov mkv zip
        """
    )
)
# Those that are written whole, not as the input of something else.
DOCUMENTS = re.compile(
    r"[\w-]{1,60}\.(?:docx?|odt|rtf|pdf|pptx?|odp|xlsx?|xlsm|ods|epub|mp4|mp3|srt)\b", re.IGNORECASE
)
# Whatever is done in a repository touches them: locks, manifests, change logs, settings at its top.
_SHARED = re.compile(
    r"(?:^|/)(?:package(?:-lock)?\.json|npm-shrinkwrap\.json|[\w.-]*\.lock|[\w.-]*-lock\.\w+"
    r"|bun\.lockb?|pyproject\.toml"
    r"|setup\.(?:py|cfg)|(?:requirements|constraints)[\w.-]*\.(?:txt|in)|Cargo\.toml|go\.(?:mod|sum"
    r"|work)|pom\.xml"
    r"|(?:build|settings)\.gradle(?:\.kts)?|gradle\.properties|Gemfile|composer\.json|Podfile"
    r"|mix\.exs|pubspec\.yaml"
    r"|\w[\w.-]*\.(?:csproj|sln|gemspec)|CHANGE(?:LOG|S)[\w.-]*|HISTORY\.\w+|RELEASE[\w.-]*"
    r"|README[\w.-]*|VERSION"
    r"|(?:CLAUDE|AGENTS|GEMINI|QWEN|TODO)\.md|\.gitignore|\.env[\w.]*)$"
    r"|^\.[\w.-]+$|^(?:\.github|\.vscode|\.claude|\.cursor)/|^[\w.-]+\.(?:toml|ya?ml|json|ini|cfg"
    r"|conf|env|properties)$"
    r"|^[\w-]+\.config\.\w+$|^(?:Makefile|Dockerfile|Justfile|Taskfile[\w.]*|Procfile)$",
    re.IGNORECASE,
)
SCRATCH = re.compile(r"^(?:/private)?/(?:tmp|var/folders|var/tmp|dev/shm)/|[\\/]Temp[\\/]", re.IGNORECASE)

LANGUAGES: Mapping[str, str] = {
    **dict.fromkeys(("py", "pyi", "pyx", "ipynb"), "Python"),
    **dict.fromkeys(("js", "jsx", "mjs", "cjs"), "JavaScript"),
    **dict.fromkeys(("ts", "tsx", "mts", "cts"), "TypeScript"),
    **dict.fromkeys(("kt", "kts"), "Kotlin"), **dict.fromkeys(("c", "h"), "C"),
    **dict.fromkeys(("cc", "cpp", "cxx", "hpp", "hh"), "C++"), **dict.fromkeys(("rb", "erb"), "Ruby"),
    **dict.fromkeys(("sh", "bash", "zsh"), "Shell"), **dict.fromkeys(("ps1", "psm1"), "PowerShell"),
    **dict.fromkeys(("ex", "exs", "heex"), "Elixir"), **dict.fromkeys(("tf", "hcl"), "Terraform"),
    "go": "Go", "rs": "Rust", "java": "Java", "cs": "C#", "php": "PHP", "swift": "Swift", "dart": "Dart",
    "lua": "Lua", "jl": "Julia", "r": "R", "scala": "Scala", "sql": "SQL", "vue": "Vue", "svelte": "Svelte",
}  # fmt: skip


def suffix(path: str) -> str:
    """The ending of a file's name without the dot, in small letters; the whole name where it has none."""
    return name(path).rpartition(".")[2].lower()


def name(path: str) -> str:
    """A path's last part, whichever way its slashes lean."""
    return path.replace("\\", "/").rstrip("/").rpartition("/")[2]


def is_code(path: str) -> bool:
    """Whether a file is code or a development artefact."""
    return suffix(path) in CODE or CODE_NAMES.search(path) is not None


def is_prose(path: str) -> bool:
    """Whether a file is a text that a person reads, and not known to belong to code."""
    return suffix(path) in PROSE and not is_code(path)


def is_deliverable(path: str) -> bool:
    """Whether a file is a document, a sheet, a picture and the like."""
    return suffix(path) in DELIVERABLES


def is_scratch(path: str) -> bool:
    """Whether a file lies where nobody will look for it again."""
    return SCRATCH.search(path) is not None


def is_shared(path: str) -> bool:
    """Whether a file is one that every task in a repository touches, so that it tells no task from another."""
    return _SHARED.search(path) is not None


def is_outside(path: str) -> bool:
    """Whether a path, as told from the turn's folder, leads out of it."""
    return path.startswith(("/", "..", "~")) or path[1:3] in (":\\", ":/")


def is_test(path: str) -> bool:
    """Whether a file holds tests, by its name."""
    return re.search(r"(?:^|[/_.-])(?:tests?|specs?|__tests__)(?:[/_.-]|$)|Tests?\.\w+$", path) is not None


def languages(paths: Iterable[str]) -> tuple[str, ...]:
    """The programming languages of those files, each once, in the order met."""
    return tuple(dict.fromkeys(LANGUAGES[end] for path in paths if (end := suffix(path)) in LANGUAGES))
