"""Names that code has: symbols, files, branches and versions, as they stand in a text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from . import english, everyday, products


class Found(NamedTuple):
    """A name in a text: of which kind, as it is written, and where it stands."""

    kind: str
    written: str
    start: int
    end: int


# A run that may be a name; a call's brackets belong to it.
_RUN = re.compile(r"@?[A-Za-z0-9_~.][A-Za-z0-9_~./\\:@#$+-]*(?:\(\))?", re.ASCII)
_TICKED = re.compile(r"`([^`\n]{1,120})`")
_FILE = re.compile(r"^(?:[^\s:*?\"<>|]*/)?[\w.@+~-]*\w\.([A-Za-z][A-Za-z0-9]{0,7})$", re.ASCII)
_LINE = re.compile(r"(\.[A-Za-z]\w{0,7})[:#]L?\d+(?:[-:]L?\d+)*$", re.ASCII)
_IDENTIFIER = re.compile(r"[A-Za-z_$][\w$]*$", re.ASCII)
_HUMPS = re.compile(r"[a-z0-9][A-Z]|[A-Z]{2}[a-z]", re.ASCII)
_SNAKE = re.compile(r"[A-Za-z0-9]_+[A-Za-z0-9]", re.ASCII)
_VERSION = re.compile(
    r"(?P<v>[vV])?(?P<numbers>\d{1,4}(?:\.\d{1,5})*(?:\.x)?)(?P<more>[-.]?(?:a|b|rc|alpha|beta|dev|post|preview)[.-]?\d*)?$",
    re.ASCII,
)
_BEFORE_VERSION = re.compile(r"(?:([A-Za-z][A-Za-z.+#]*)|版本(?:号)?)[ :：]*$", re.ASCII)
_BRANCH = re.compile(
    r"(?:feature|feat|fix|bugfix|hotfix|release|releases|chore|refactor|experiment|spike|wip|dependabot)"
    r"/[\w.#-]+(?:/[\w.#-]+)*$",
    re.ASCII | re.IGNORECASE,
)
# A call with its arguments; not "file(s)", nor a translation in brackets.
_CALLED = re.compile(r"[a-z_][\w.]{2,}\((?!s\))[\w\"'\[{*&)-]", re.ASCII)
# Words that say of their neighbour that it is a branch, or a symbol.
_CALLED_BRANCH = re.compile(
    r"\b(?:branch|branches)\s+(?:named\s+|called\s+)?[`'\"]?(?P<after>[\w./#-]+)"
    r"|(?P<before>[\w./#-]+)[`'\"]?\s+branch\b|分支\s*[`「“]?(?P<zh>[A-Za-z][\w./#-]*)|(?P<hz>[A-Za-z][\w./#-]*)[`」”]?\s*分支",
    re.ASCII | re.IGNORECASE,
)
_SYMBOL_CUE = re.compile(
    r"\b(?P<en>function|method|class|struct|func|def|fn|variable|constant|hook)\b|(?P<zh>函数|方法|类|变量|常量|接口)"
)
_AFTER_CUE = re.compile(r"\s+([A-Za-z_]\w*)", re.ASCII)
_AFTER_CUE_CHINESE = re.compile(r"\s*([A-Za-z_]\w*)", re.ASCII)
_BEFORE_CUE = re.compile(r"([A-Za-z_]\w*)\s*(?:这个)?$", re.ASCII)
# Every repository has them, so that they tell nothing apart.
TRUNKS = frozenset(("main", "master", "develop", "dev", "trunk", "head", "origin"))
_NO_BRANCH_WORDS = """
    a an the this that my our your new other same current another each every any default feature release
    remote local protected git which what old wrong right from to on in for and or of is was merged merge
    main-line name names first second last next base topic stale separate long-lived
"""
_NO_BRANCH = frozenset(_NO_BRANCH_WORDS.split())
_EXTENSIONS_WORDS = """
    py pyi pyx ipynb js jsx mjs cjs ts tsx mts vue svelte go rs java kt kts scala groovy c h cc cpp cxx hpp hh
    cs fs rb php swift m mm dart lua pl r jl ex exs erl hs ml clj sql sh bash zsh ps1 bat fish toml yaml yml
    json jsonl json5 ini cfg conf env lock xml html htm css scss sass less md mdx rst txt csv tsv proto
    graphql gql tf hcl gradle properties plist xlsx xls docx doc pptx ppt pdf png jpg jpeg svg gif log patch
    diff db sqlite wasm so dll
"""
EXTENSIONS = frozenset(_EXTENSIONS_WORDS.split())
_PLAIN_FILES = frozenset(
    (
        "Makefile",
        "Dockerfile",
        "Jenkinsfile",
        "Vagrantfile",
        "Gemfile",
        "Procfile",
        "CMakeLists.txt",
        "Rakefile",
    )
)
_DOMAINS_WORDS = """
    com org net io dev cn edu gov app ai co uk de jp
"""
_DOMAINS = frozenset(_DOMAINS_WORDS.split())
# Of code, but the name of nothing in particular.
_LITERALS_WORDS = """
    true false none null nil undefined self this cls super return import from def class async await yield
    lambda git npm npx pip yarn pnpm make cargo go node python bash sh curl docker kubectl uv pytest ruff mypy
    main master int str bool float dict list tuple set string number object array any void char long double
    get post put patch delete head options todo fixme ok yes no and or not if else for while in is the a an
    e.g i.e etc vs a.m p.m
"""
_LITERALS = frozenset(_LITERALS_WORDS.split())
_DECORATORS_WORDS = """
    property staticmethod classmethod override overload deprecated dataclass cached cache pytest app router
    click test before after media import types param return returns throws see since author todo angular babel
    vue nestjs component injectable autowired service controller bean entity table column data getter setter
    slf4j transactional here all everyone channel wraps lru_cache contextmanager abstractmethod final
"""
_DECORATORS = frozenset(_DECORATORS_WORDS.split())
PRODUCT_FILES = frozenset(name for name in products.NAMES if "." in name)


def found(text: str) -> Iterator[Found]:
    """The names in a text, longest runs first seen; `@name` is a person's handle."""
    for run in _RUN.finditer(text):
        written = run.group()
        if (
            text[run.end() : run.end() + 1] == "("
            and _CALLED.match(text, run.start())
            and not common(written)
        ):
            yield Found("symbol", written, run.start(), run.end())
        elif not written.isalpha() or not (written.islower() or written.istitle() or written.isupper()):
            yield from _of_run(written, run.start(), text)
    for ticked in _TICKED.finditer(text) if "`" in text else ():
        inner = ticked.group(1).strip()
        if _IDENTIFIER.match(inner) and len(inner) > 2 and inner.casefold() not in _LITERALS:
            yield Found("symbol", inner, ticked.start(1), ticked.end(1))
    yield from _called(text)


def _called(text: str) -> Iterator[Found]:
    if "branch" in text or "分支" in text or "Branch" in text:
        for said in _CALLED_BRANCH.finditer(text):
            group = said.lastgroup or ""
            name = said.group(group).strip(".-/#")
            marked = bool(re.search(r"[-/._#0-9]", name)) or group in ("zh", "hz")
            if name and marked and name.casefold() not in _NO_BRANCH | TRUNKS and not _is_file(name):
                yield Found("branch", name, said.start(group), said.end(group))
    for cue in _SYMBOL_CUE.finditer(text):
        after = (_AFTER_CUE_CHINESE if cue["zh"] else _AFTER_CUE).match(text, cue.end())
        before = None
        if cue["zh"] or cue["en"] in ("function", "method"):
            before = _BEFORE_CUE.search(text, max(0, cue.start() - 40), cue.start())
        for name in filter(None, (before, after)):
            if len(name[1]) > 2 and not common(name[1]):
                yield Found("symbol", name[1], name.start(1), name.end(1))


def _of_run(run: str, start: int, text: str) -> Iterator[Found]:  # noqa: C901  one case a kind
    call = run.endswith("()")
    name = run[:-2] if call else run
    name = name.rstrip(".:/\\-+#@~$")
    if "://" in name or not 0 < len(name) <= 200 or (len(name) == 1 and not name.isdigit()):
        return
    end = start + len(name)
    if name[0] == "@" or "@" in name:
        if _is_handle(name, start, text, call=call):
            yield Found("person", name, start, end)
        return
    if "::" in name:
        yield from _placed(name, start)
        return
    if ":" in name or "#" in name:
        name = _LINE.sub(r"\1", name)
    if "/" in name or "\\" in name:
        if _BRANCH.match(name) and not _is_file(name):
            yield Found("branch", name, start, end)
        elif _is_file(name):
            yield Found("file", name, start, end)
    elif name[0].isdigit() or (name[0] in "vV" and name[1:2].isdigit()):
        yield from _version(name, start, text)
    elif _is_file(name) and name.casefold() not in PRODUCT_FILES:
        yield Found("file", name, start, end)
    elif call or _is_symbol(name):
        yield Found("symbol", name, start, end)


def _placed(name: str, start: int) -> Iterator[Found]:
    """A symbol after "::", and before it the file that it is in, or what else it belongs to."""
    path, _, symbol = name.partition("::")
    end = start + len(name)
    if _is_file(path):
        yield Found("file", path, start, start + len(path))
        yield Found("symbol", symbol, end - len(symbol), end)
    else:
        yield Found("symbol", name, start, end)


@lru_cache(maxsize=4096)
def _is_file(name: str) -> bool:
    name = name.replace("\\", "/")
    last = name.rsplit("/", 1)[-1]
    if last.rpartition(".")[2].casefold() not in EXTENSIONS:
        return last in _PLAIN_FILES
    return _FILE.match(name) is not None


def _is_handle(name: str, start: int, text: str, *, call: bool) -> bool:
    if name[0] != "@" or call or not re.fullmatch(r"@[A-Za-z][\w-]{1,38}", name, re.ASCII):
        return False
    before = text[start - 1] if start else " "
    return not (before.isascii() and before.isalnum()) and name[1:].casefold() not in _DECORATORS


@lru_cache(maxsize=4096)
def _is_symbol(name: str) -> bool:
    """Whether a word is written as only code is: snake, camel, or dotted with such a part."""
    if name.casefold() in products.NAMES or name.casefold() in _LITERALS:
        return False
    parts = name.split(".")
    if not all(map(_IDENTIFIER.match, parts)) or (len(parts) > 1 and min(map(len, parts)) < 2):
        return False
    if len(parts) > 1 and parts[-1] in _DOMAINS:
        return False
    if any(_SNAKE.search(part) or (_HUMPS.search(part) and part[1:].lower() != part[1:]) for part in parts):
        return not _is_plural_acronym(name)
    # Client.send, but not "done.Then".
    return len(parts) > 1 and parts[0][0].isupper() and parts[-1][0].islower() and len(parts[0]) > 2


def _is_plural_acronym(name: str) -> bool:
    return len(name) > 2 and name[:-1].isupper() and name[-1] == "s"  # APIs, URLs


def _version(name: str, start: int, text: str) -> Iterator[Found]:
    told = _VERSION.match(name)
    if told is None:
        return
    numbers = told["numbers"].split(".")
    before = _BEFORE_VERSION.search(text, max(0, start - 24), start)
    owner = (before.group(1) or "版本").casefold() if before else ""
    said = (
        owner in ("version", "release", "版本", "tag") or owner in products.NAMES or owner in products.CAPITAL
    )
    if owner in products.NUMBERED and (len(numbers) > 1 or len(numbers[0]) <= 2):
        assert before is not None
        yield Found("version", f"{before.group(1)} {name}", before.start(1), start + len(name))
    elif told["v"] or (said and len(numbers) > 1) or (len(numbers) == 3 and _plausible(numbers)):
        yield Found("version", name, start, start + len(name))


def _plausible(numbers: list[str]) -> bool:
    return not 1900 <= int(numbers[0]) <= 2100  # else a date


@lru_cache(maxsize=4096)
def common(word: str) -> bool:
    """Whether an English word is one of everyday talk."""
    low = word.casefold()
    return low in english.STOP or low in _LITERALS or english.stem(low) in everyday.tokens()
