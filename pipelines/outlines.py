"""The outline of a file: which of its lines are which function, class or type."""

from __future__ import annotations

import hashlib
import re
import sys
from bisect import bisect_right
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from threading import Lock
from typing import TYPE_CHECKING

from .definitions import Found, definitions
from .edits import FILE_BYTES
from .grammars import Grammar, grammar, language_of

if TYPE_CHECKING:
    from tree_sitter import Node, Tree

KEPT_OUTLINES = 512
KEPT_BYTES = 32_000_000
# `class A {` is no error to C: a function whose type is called "class".
LOOKS_CPP = re.compile(
    rb"^[ \t]*(?:class\s+\w|namespace\b|template\s*<|using\s|(?:public|private|protected)\s*:)", re.MULTILINE
)
MARK = b"\xef\xbb\xbf"  # of the byte order
BLANK = b" \t\r\f\v" + MARK
# What a function lies in where it is called a method.
OWNERS = {"class", "struct", "union", "enum", "record", "interface", "trait", "impl", "type"}


@dataclass(frozen=True, slots=True)
class Symbol:
    """
    A named piece of code. `start` to `end` are its lines, with what belongs to it above: decorators, attributes and
    the comment without a blank line between. `line` is the one that its name stands in. `name` is qualified
    ("Class.method") and unique in its file: of the same name the second is "name#2".
    """

    name: str
    kind: str
    start: int
    end: int
    line: int


@dataclass(frozen=True, slots=True)
class Outline:
    """The symbols of a file in the order of their first lines, an outer one before what lies in it."""

    language: str
    symbols: tuple[Symbol, ...]


@dataclass(frozen=True, slots=True)
class Above:
    """Whole lines of comments and attributes, which belong to a symbol that begins right below."""

    first: int
    column: int


@dataclass(slots=True)
class Open:
    """What the next node may lie in: `free` is the first row that no symbol in it has taken."""

    ends: int
    kind: str
    prefix: str
    free: int


def outline(path: str, content: bytes) -> Outline | None:
    """What the file consists of; None for a language without grammar, more than a megabyte, or no text."""
    language = language_of(path)
    if language is None or len(content) > FILE_BYTES or b"\0" in content:
        return None
    if path[-2:].lower() == ".h":
        language = "c/c++"
    key = language, hashlib.sha256(content).digest()
    known = KEPT.get(key)
    if known is None:
        known = _read(language, content)
        if known is not None:
            KEPT.put(key, known, len(content))
    return known


def bodies(path: str, content: bytes) -> Iterator[tuple[str, bytes]]:
    """The name and the bytes of each symbol of a file, without the last line feed; none where there is no outline."""
    made = outline(path, content)
    lines = content.split(b"\n") if made else []
    for one in made.symbols if made else ():
        yield one.name, b"\n".join(lines[one.start - 1 : one.end])


def innermost(outline: Outline, line: int) -> Symbol | None:
    """The symbol that holds this line and holds no other that does."""
    for symbol in reversed(outline.symbols[: bisect_right(outline.symbols, line, key=lambda s: s.start)]):
        if symbol.end >= line:
            return symbol
    return None


def owners(symbols: Sequence[Symbol], lines: int) -> list[int]:
    """For every line of a file of so many lines the place in `symbols` of the innermost that holds it, -1 for none."""
    owner = [-1] * (lines + 1)
    for place, symbol in enumerate(symbols):
        end = min(symbol.end, lines)
        owner[symbol.start : end + 1] = [place] * max(0, end + 1 - symbol.start)
    return owner


class Kept:
    """The outlines made last, bounded by how many they are and by how many bytes they were made from."""

    def __init__(self, outlines: int, size: int) -> None:
        self._outlines, self._size, self._used = outlines, size, 0
        self._kept: OrderedDict[tuple[str, bytes], tuple[Outline, int]] = OrderedDict()
        self._lock = Lock()

    def get(self, key: tuple[str, bytes]) -> Outline | None:
        """The outline under this key, which is now the one used last."""
        with self._lock:
            found = self._kept.get(key)
            if found is None:
                return None
            self._kept.move_to_end(key)
            return found[0]

    def put(self, key: tuple[str, bytes], made: Outline, size: int) -> None:
        """Keep it, and let go of those that were not used for longest."""
        with self._lock:
            if key not in self._kept:
                self._used += size
            self._kept[key] = made, size
            while len(self._kept) > self._outlines or (self._used > self._size and len(self._kept) > 1):
                self._used -= self._kept.popitem(last=False)[1][1]


KEPT = Kept(KEPT_OUTLINES, KEPT_BYTES)


def _read(language: str, content: bytes) -> Outline | None:
    if language == "c/c++":
        return _header(content)
    known = grammar(language)
    if known is None:
        return None
    return Outline(language, _symbols(known, _parse(known, content), content, language))


def _header(content: bytes) -> Outline | None:
    """A `.h` is C, but C++ where it looks so, or where C cannot read it and C++ reads it better."""
    if LOOKS_CPP.search(content):
        return _read("cpp", content)
    best: tuple[int, str, Grammar, Tree] | None = None
    for language in ("c", "cpp"):
        known = grammar(language)
        if known is None:
            continue
        tree = _parse(known, content)
        wrong = _errors(known, tree) if tree.root_node.has_error else 0
        if best is None or wrong < best[0]:
            best = wrong, language, known, tree
        if wrong == 0:
            break
    return best and Outline(best[1], _symbols(best[2], best[3], content, best[1]))


def _parse(known: Grammar, content: bytes) -> Tree:
    from tree_sitter import Parser

    return Parser(known.language).parse(content)


def _errors(known: Grammar, tree: Tree) -> int:
    from tree_sitter import QueryCursor

    return len(QueryCursor(known.errors).captures(tree.root_node).get("error", ()))


def _symbols(known: Grammar, tree: Tree, content: bytes, language: str) -> tuple[Symbol, ...]:
    from tree_sitter import QueryCursor

    matches = [nodes for _, nodes in QueryCursor(known.query).matches(tree.root_node)]
    found = definitions(matches, content)
    above = _above([nodes["above"][0] for nodes in matches if "above" in nodes], content)
    return _nested(found, above, strict=language == "python")


def _above(nodes: list[Node], content: bytes) -> dict[int, Above]:
    """By the row they end in: the rows that hold nothing but comments, attributes and decorators."""
    found: dict[int, Above] = {}
    rows: Above | None = None
    last, end = -1, 0

    def close() -> None:
        feed = content.find(b"\n", end)
        if rows and not content[end : feed if feed >= 0 else None].strip():
            found[last] = rows

    for node in sorted(nodes, key=lambda one: one.start_byte):
        first, column = node.start_point
        if first != last:
            close()
            head = content[node.start_byte - column : node.start_byte]
            shebang = first == 0 and content.startswith(b"#!")
            rows = (
                None
                if head.strip(BLANK) or shebang
                else Above(first, column - len(MARK) * (head[:3] == MARK))
            )
        elif content[end : node.start_byte].strip():
            rows = None
        last, stop = node.end_point
        end = node.end_byte
        if stop == 0:
            # Rust counts the line feed to a doc comment.
            last, end = last - 1, end - 1
    close()
    return found


def _nested(found: list[Found], above: dict[int, Above], *, strict: bool) -> tuple[Symbol, ...]:
    """Name each by what it lies in. `strict`: a comment belongs to what begins in the same column."""
    symbols: list[Symbol] = []
    counts: dict[str, int] = {}
    around = [Open(sys.maxsize, "", "", 0)]
    for one in found:
        while around[-1].ends <= one.begins:
            around.pop()
        within = around[-1]
        name = within.prefix + one.name
        if one.kind:
            counts[name] = counts.get(name, 0) + 1
            name = name if counts[name] == 1 else f"{name}#{counts[name]}"
            first = one.first
            while (rows := above.get(first - 1)) and rows.first >= within.free:
                if strict and rows.column != one.column:
                    break
                first = rows.first
            kind = "method" if one.kind == "function" and within.kind in OWNERS else one.kind
            symbols.append(Symbol(name, kind, first + 1, one.last + 1, one.row + 1))
            within.free = max(within.free, one.last + 1)
        # Without a number: a namespace that is opened twice, an interface beside a value of its name, are one.
        around.append(Open(one.ends, one.kind or within.kind, f"{within.prefix}{one.scope}.", one.first + 1))
    return tuple(sorted(symbols, key=lambda symbol: (symbol.start, -symbol.end)))
