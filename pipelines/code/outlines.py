"""The outline of a file: which of its lines are which function, class or type."""

from __future__ import annotations

import hashlib
import re
import sys
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from ..git.edits import FILE_BYTES, FileEdit
from .bounded_cache import BoundedCache
from .conflicts import Conflict, closed, conflicts, one_side
from .definitions import Found
from .grammars import grammar, language_of
from .syntax import Near, Span, Syntax, read

KEPT_OUTLINES = 512
KEPT_BYTES = 32_000_000
# Of a longer line with several symbols nobody can say which of them an edit touched.
LINE_BYTES = 2_000
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
    """
    The symbols of a file in the order of their first lines, an outer one before what lies in it. `broken`: it does not
    parse, so that a symbol may end too soon. `crowded`: very long lines with several symbols, of which none is told.
    """

    language: str
    symbols: tuple[Symbol, ...]
    broken: bool = False
    crowded: tuple[int, ...] = ()


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


def outline(path: str, content: bytes, *, made_by: FileEdit | None = None) -> Outline | None:
    """
    What the file consists of; None for a language without grammar, more than a megabyte, or no text. `made_by`: the
    edit that it is the outcome of, which makes it faster.
    """
    language = language_of(path)
    if language is None or len(content) > FILE_BYTES or b"\0" in content:
        return None
    if path[-2:].lower() == ".h":
        language = "c/c++"
    key = language, hashlib.sha256(content).digest()
    known = KEPT.get(key)
    if known is None:
        marked = conflicts(content)
        if marked is None:
            known = _read(language, key[1], content, _near(made_by))
        else:
            known = _merging(language, content, marked)
        if known is not None:
            KEPT.put(key, known, len(content))
    return known


def _merging(language: str, content: bytes, marked: Sequence[Conflict]) -> Outline | None:
    """
    The outline of a file that git could not merge: what our side has, each symbol with all of the conflict that begins
    in it. Nothing is made from its tree, nor it from another.
    """
    ours = one_side(content, marked)
    made = _read(language, hashlib.sha256(ours).digest(), ours, None)
    if made is None:
        return None
    lines = content.split(b"\n")
    starts = [symbol.start for symbol in made.symbols]

    def whole(symbol: Symbol) -> Symbol:
        end = closed(lines, symbol.start, symbol.end)
        return symbol if any(symbol.end < start <= end for start in starts) else replace(symbol, end=end)

    return replace(made, symbols=tuple(whole(symbol) for symbol in made.symbols), broken=True)


def _near(edit: FileEdit | None) -> Near | None:
    if edit is None or edit.before is None:
        return None
    return Near(hashlib.sha256(edit.before).digest(), edit.before, edit.hunks)


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


KEPT: BoundedCache[tuple[str, bytes], Outline] = BoundedCache(KEPT_OUTLINES, KEPT_BYTES)


def _read(language: str, digest: bytes, content: bytes, near: Near | None) -> Outline | None:
    if language == "c/c++":
        return _header(digest, content, near)
    known = grammar(language)
    if known is None:
        return None
    return _outline(language, read(known, (language, digest), content, near), content)


def _header(digest: bytes, content: bytes, near: Near | None) -> Outline | None:
    """A `.h` is C, but C++ where it looks so, or where C cannot read it and C++ reads it better."""
    if LOOKS_CPP.search(content):
        return _read("cpp", digest, content, near)
    best: tuple[str, Syntax] | None = None
    for language in ("c", "cpp"):
        known = grammar(language)
        if known is None:
            continue
        syntax = read(known, (language, digest), content, near)
        if best is None or syntax.errors < best[1].errors:
            best = language, syntax
        if syntax.errors == 0:
            break
    return best and _outline(*best, content)


def _outline(language: str, syntax: Syntax, content: bytes) -> Outline:
    above = _above(syntax.above, content)
    symbols = _nested(syntax.found, above, strict=language == "python")
    crowded = _crowded(symbols, content)
    told = tuple(one for one in symbols if one.line not in crowded) if crowded else symbols
    return Outline(language, told, syntax.errors > 0, crowded)


def _crowded(symbols: Sequence[Symbol], content: bytes) -> tuple[int, ...]:
    """The very long lines with several symbols, as in a minified file."""
    shared = [line for line, count in Counter(symbol.line for symbol in symbols).items() if count > 1]
    lines = content.split(b"\n") if shared else []
    return tuple(line for line in shared if len(lines[line - 1]) > LINE_BYTES)


def _above(spans: Sequence[Span], content: bytes) -> dict[int, Above]:
    """By the row they end in: the rows that hold nothing but comments, attributes and decorators."""
    found: dict[int, Above] = {}
    rows: Above | None = None
    last, end = -1, 0

    def close() -> None:
        feed = content.find(b"\n", end)
        if rows and not content[end : feed if feed >= 0 else None].strip():
            found[last] = rows

    for span in spans:
        first, column = span.row, span.column
        if first != last:
            close()
            head = content[span.begins - column : span.begins]
            shebang = first == 0 and content.startswith(b"#!")
            rows = (
                None
                if head.strip(BLANK) or shebang
                else Above(first, column - len(MARK) * (head[:3] == MARK))
            )
        elif content[end : span.begins].strip():
            rows = None
        last, end = span.last, span.ends
        if span.stop == 0:
            # Rust counts the line feed to a doc comment.
            last, end = last - 1, end - 1
    close()
    return found


def _nested(found: Sequence[Found], above: dict[int, Above], *, strict: bool) -> tuple[Symbol, ...]:
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
