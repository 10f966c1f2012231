"""The files and symbols that a question names, as it spells them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeVar

from ..store import everyday

T = TypeVar("T")

_PLACE = re.compile(r"([^\s`'\"“”《》()（）,，;；]+?)::([\w.~$#<>]+)")
_PATH = re.compile(
    r"(?<![\w./\\-])(?:[\w.@+-]+/)*[\w.@+-]*[\w@+-]\.[A-Za-z][A-Za-z0-9]{0,9}(?![\w/])", re.ASCII
)
_FOLDED = re.compile(r"(?<![\w./\\-])(?:[\w.@+-]+/)+[\w.@+-]+", re.ASCII)
_CALL = re.compile(r"(?<![\w.])([A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)*)(?=\s?\(\))", re.ASCII)
_QUOTED = re.compile(r"`([^`\n]{1,120})`")
_WORD = re.compile(r"(?<![\w/$])[A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)*(?![\w/$])", re.ASCII)
_CODED = re.compile(r"_|\$|[a-z][A-Z]|[A-Z][a-z]+[A-Z]|\.|[A-Za-z]\d")
# Words by which a question says that the plain word in it is a name of code.
_ABOUT_CODE = re.compile(
    r"\b(?:function|method|class|struct|symbol|version|versions|tried|undone|undid|reverted|changed|signature|history)\b"
    r"|函数|方法|类|版本|改|撤|试过|回滚|历史",
    re.IGNORECASE,
)
# Endings that are no file names, though they look so.
_NO_FILES = re.compile(r"\.(?:com|org|net|io|dev|g|e|s|md5)$|^(?:e\.g|i\.e|v?\d[\d.]*)$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Named:
    """
    What a question names, each once, in its own order: `places` as (path, symbol), `paths`, and `symbols` that are
    surely names; `perhaps` are words that may be.
    """

    places: tuple[tuple[str, str], ...] = ()
    paths: tuple[str, ...] = ()
    symbols: tuple[str, ...] = ()
    perhaps: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.places or self.paths or self.symbols or self.perhaps)


def named(question: str) -> Named:
    """The files and symbols that a question names."""
    places = [(_path(path), symbol.rstrip(".")) for path, symbol in _PLACE.findall(question)]
    rest = _PLACE.sub(" ", question)
    paths = [path for path in [*_PATH.findall(rest), *_FOLDED.findall(rest)] if not _NO_FILES.search(path)]
    symbols, perhaps = [*_CALL.findall(rest)], []
    paths = [path for path in paths if path not in symbols]
    for quoted in _QUOTED.findall(rest):
        symbols += _WORD.findall(quoted.removesuffix("()")) if quoted not in paths else []
    for word in _WORD.findall(rest):
        if any(word in path and "/" in path for path in paths):
            continue
        if _CODED.search(word):
            symbols.append(word)
        elif len(word) >= 3 and word.lower() not in everyday.tokens() and _ABOUT_CODE.search(rest):
            perhaps.append(word)
    return Named(_once(places), _once(map(_path, paths)), _once(symbols), _once(perhaps))


def _path(path: str) -> str:
    return path.replace("\\", "/").removeprefix("./")


def _once(found: Iterable[T]) -> tuple[T, ...]:
    return tuple(dict.fromkeys(found))
