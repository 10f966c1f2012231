"""The files and symbols that a question names, as it spells them."""

# Hooks carry a copy: standard library only, and no dataclass, whose module takes 17 ms to import.

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from ...store import everyday
from .naming import ABOUT_CODE

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

T = TypeVar("T")

# Of each kind; a pasted log names hundreds, and each is looked up.
MOST = 24

_PLACE = re.compile(r"([^\s`'\"“”《》()（）,，;；]+?)::([\w.~$#<>]+)")
# Where a path may begin, and end: not in the middle of a word. Chinese writes no blank before it.
_BEGINS, _ENDS = r"(?<![A-Za-z0-9_./\\-])(?:[A-Za-z]:)?(?:~?/)?", r"(?![A-Za-z0-9_/])"
_PLAIN, _ANY = r"[A-Za-z0-9_.@+-]", r"[\w.@+-]"
_PATH = re.compile(
    rf"{_BEGINS}(?:{_PLAIN}+/(?:{_ANY}+/)*{_ANY}*|{_PLAIN}*)(?<=[\w@+-])\.[A-Za-z][A-Za-z0-9]{{0,9}}{_ENDS}"
)
_FOLDED = re.compile(rf"{_BEGINS}(?:{_PLAIN}+/)+{_PLAIN}+", re.ASCII)
# Files that go by their whole name.
_FILES = re.compile(
    r"(?<![\w./-])(?:(?:Make|Docker|Rake|Gem|Proc|Jenkins|Vagrant|Just|Brew|Pod)file|CODEOWNERS)(?![\w./-])"
)
_CALL = re.compile(r"(?<![\w.])([A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)*)(?=\s?\(\))", re.ASCII)
_QUOTED = re.compile(r"`([^`\n]{1,120})`")
_WORD = re.compile(r"(?<![\w/$])[A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)*(?![\w/$])", re.ASCII)
_CODED = re.compile(r"_|\$|[a-z][A-Z]|[A-Z][a-z]+[A-Z]|\.|[A-Za-z]\d")
# What stands right beside the word for it is a name, however common: "the get function", "函数 get".
_KIND = r"(?:functions?|methods?|class(?:es)?|structs?|symbols?|variables?|constants?|modules?)"
_CALLED = tuple(
    re.compile(pattern, re.IGNORECASE | re.ASCII)
    for pattern in (
        rf"\b{_KIND}\s+(?:called\s+|named\s+)?[`'\"]?([A-Za-z_$][\w$.]*)",
        rf"(?<![\w.])([A-Za-z_$][\w$.]*)[`'\"]?\s+{_KIND}\b",
        r"(?:函数|方法|类|变量|模块)\s?[`'\"]?([A-Za-z_$][\w$.]*)",
        r"(?<![\w.])([A-Za-z_$][\w$.]*)[`'\"]?\s?(?:这个|那个|的)?(?:函数|方法|类|变量|模块)",
    )
)
_NO_NAMES = frozenset(
    str.split(
        "the a an this that which what any each every all and or of in on for to is was were be are it its our my your"
    )
)
# Words of everyday talk about code, which are names of it too: not by themselves.
_TALK = frozenset(
    str.split(
        "app apps api args assert async await branch bug bugs client commit commits config data debug default deploy"
        " diff docs error errors feature file files fix git http import index info init input install issue items json"
        " lib lint log logs main merge mock model module node output package parser path patch python query refactor"
        " release repo request response review script server setup source src suite task test tests tool tools type"
        " types update user users util utils value values view warning"
    )
)
# So many words lie between a word and what makes it a name of code, at most, in one clause.
_NEAR = 4
_CLAUSES = re.compile(r"[.,;:!?](?=\s|$)|[，。；：！？\n]")
# Endings that are no file names, though they look so.
_NO_FILES = re.compile(r"\.(?:com|org|net|io|dev|g|e|s|md5)$|^(?:e\.g|i\.e|v?\d[\d.]*)$", re.IGNORECASE)


class Named(NamedTuple):
    """
    What a question names, each once, in its own order, the first `MOST` of each kind: `places` as (path, symbol),
    `paths`, and `symbols` that are surely names; `perhaps` are words that may be.
    """

    places: tuple[tuple[str, str], ...] = ()
    paths: tuple[str, ...] = ()
    symbols: tuple[str, ...] = ()
    perhaps: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return any(tuple(self))

    def every(self) -> Iterator[tuple[str | None, str | None]]:
        """Each thing named by itself, as (path, symbol)."""
        yield from self.places
        yield from ((path, None) for path in self.paths)
        yield from ((None, symbol) for symbol in (*self.symbols, *self.perhaps))


def named(question: str) -> Named:
    """The files and symbols that a question names."""
    question = re.sub(r"(?<=\w)\\(?=\w)", "/", question)
    places = [(_path(path), symbol.rstrip(".")) for path, symbol in _PLACE.findall(question)]
    rest = _PLACE.sub(" ", question)
    symbols = [*_CALL.findall(rest)]
    paths = [*_PATH.findall(rest), *_FOLDED.findall(rest), *_FILES.findall(rest)]
    paths = [path for path in paths if path not in symbols and not _NO_FILES.search(path)]
    for quoted in _QUOTED.findall(rest):
        if "/" in quoted or _PATH.fullmatch(quoted):
            paths.append(quoted)
        elif quoted.isascii():
            symbols += _WORD.findall(quoted.removesuffix("()"))
        else:
            symbols.append(quoted.removesuffix("()"))
    for called in _CALLED:
        symbols += [word.rstrip(".") for word in called.findall(rest) if word.lower() not in _NO_NAMES]
    folded = [path for path in paths if "/" in path]

    def is_of_path(word: str) -> bool:
        return any(word in path for path in folded)

    symbols += [word for word in _WORD.findall(rest) if _CODED.search(word) and not is_of_path(word)]
    perhaps = [word for word in _near_code(rest) if not is_of_path(word)]
    # A path is told with its mark (@src/a.py), or is one that begins with it.
    every = [one for path in map(_path, paths) for one in (path, path.removeprefix("@"))]
    return Named(_once(places), _once(every), _once(symbols), _once(perhaps))


def _near_code(text: str) -> Iterator[str]:
    """Plain words that may be names: in one clause with, and near, what is said of code."""
    for clause in _CLAUSES.split(text):
        cues = [found.span() for found in ABOUT_CODE.finditer(clause)]
        for found in _WORD.finditer(clause) if cues else ():
            word = found[0]
            if (
                len(word) < 3
                or word.lower() in everyday.tokens()
                or word.lower() in _TALK
                or _CODED.search(word)
            ):
                continue
            between = min(
                (
                    clause[end : found.start()] if end <= found.start() else clause[found.end() : start]
                    for start, end in cues
                ),
                key=len,
            )
            if len(between.split()) <= _NEAR:
                yield word


def _path(path: str) -> str:
    return path.replace("\\", "/").removeprefix("./")


def _once(found: Iterable[T]) -> tuple[T, ...]:
    return tuple(dict.fromkeys(found))[:MOST]
