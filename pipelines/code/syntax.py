"""
The definitions in a file, read with tree-sitter. The tree of an edited file is made from the one of the image before
it, and what of its top level stayed as it was is not looked through again: with both an import takes half the time.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING, TypeVar

from ..git.edits import Hunk, runs
from .bounded_cache import BoundedCache
from .definitions import Found, definitions
from .grammars import Grammar

if TYPE_CHECKING:
    from tree_sitter import Node, Tree

S = TypeVar("S", Found, "Span")
Key = tuple[str, bytes]


@dataclass(frozen=True, slots=True)
class Near:
    """The image that another was made from: the hash of its bytes, the bytes, and the patch between the two."""

    digest: bytes
    content: bytes
    hunks: Sequence[Hunk]


@dataclass(frozen=True, slots=True)
class Span:
    """Where a comment, attribute or decorator stands: bytes, and rows and columns from 0; the end not included."""

    begins: int
    ends: int
    row: int
    column: int
    last: int
    stop: int


@dataclass(frozen=True, slots=True)
class Syntax:
    """
    What of a syntax tree is needed: the nodes with names, an outer one first, what may belong to one below it, and
    in how many places the parser could not go on.
    """

    found: tuple[Found, ...]
    above: tuple[Span, ...]
    errors: int = 0


@dataclass(frozen=True, slots=True)
class Piece:
    """What lies in one node of the top level, and where that node began in its file."""

    begins: int
    row: int
    syntax: Syntax


@dataclass(frozen=True, slots=True)
class Read:
    """A tree, and what lies in the nodes of its top level, by their type, column and bytes."""

    tree: Tree
    pieces: dict[tuple[str, int, bytes], Piece]


# A tree takes 35 times the bytes that it was made from: few are kept, and more while much is read in a row.
READ: BoundedCache[Key, Read] = BoundedCache(24, 300_000)


@contextmanager
def much_to_read() -> Iterator[None]:
    """Within it the trees of more files are kept at hand, in some 70 MB."""
    with READ.holding(64, 2_000_000):
        yield


def read(known: Grammar, key: Key, content: bytes, near: Near | None = None) -> Syntax:
    """What the file holds; `key` is its language and the hash of its bytes. `near` makes it faster, not different."""
    last = READ.get((key[0], near.digest)) if near else None
    tree = _again(known, content, last, near) or _parse(known, content)
    root = tree.root_node
    if root.has_error:
        READ.put(key, Read(tree, {}), len(content))
        found, above = _looked_through(known, root, content)
        return Syntax(found, above, _errors(known, root))
    pieces = _pieces(known, root, content, last.pieces if last else {})
    READ.put(key, Read(tree, dict(pieces)), len(content))
    return Syntax(
        tuple(one for _, piece in pieces for one in piece.syntax.found),
        tuple(one for _, piece in pieces for one in piece.syntax.above),
    )


def _parse(known: Grammar, content: bytes, old: Tree | None = None) -> Tree:
    from tree_sitter import Parser

    parser = Parser(known.language)
    return parser.parse(content) if old is None else parser.parse(content, old)


def _again(known: Grammar, content: bytes, last: Read | None, near: Near | None) -> Tree | None:
    """The tree, made from the last one; None where that does not help."""
    if last is None or near is None:
        return None
    old = _edited(last.tree, near.content, content, near.hunks)
    tree = old and _parse(known, content, old)
    # Where a parser gives up depends on how it got there: such a file is read as if for the first time.
    return None if tree is None or tree.root_node.has_error else tree


def _edited(tree: Tree, old: bytes, new: bytes, hunks: Sequence[Hunk]) -> Tree | None:
    """The old tree, told what was edited; None where the patch does not lead from the one image to the other."""
    if old[-1:] != b"\n" or new[-1:] != b"\n":
        return None
    olds, news = _starts(old), _starts(new)
    edited = tree.copy()
    old_end, new_end = len(old), len(new)
    # From the last to the first, so that each is told in the lines of the old image.
    for run in reversed(list(runs(hunks))):
        top, end = run.old_start - 1, run.old_start - 1 + run.old
        new_top, new_last = run.start - 1, run.start - 1 + run.new
        if end >= len(olds) or new_last >= len(news):
            return None
        if old[olds[end] : old_end] != new[news[new_last] : new_end]:
            return None
        grown = news[new_last] - news[new_top]
        edited.edit(olds[top], olds[end], olds[top] + grown, (top, 0), (end, 0), (top + run.new, 0))
        old_end, new_end = olds[top], news[new_top]
    return edited if old[:old_end] == new[:new_end] else None


def _starts(content: bytes) -> list[int]:
    """Where each line begins, and where one after the last would; the last has its line feed."""
    if b"\r" not in content:
        return list(accumulate(map(len, content.splitlines(keepends=True)), initial=0))
    return list(accumulate((len(line) + 1 for line in content.split(b"\n")[:-1]), initial=0))


def _looked_through(
    known: Grammar, root: Node, content: bytes, within: tuple[int, int] | None = None
) -> tuple[tuple[Found, ...], tuple[Span, ...]]:
    from tree_sitter import QueryCursor

    cursor = QueryCursor(known.query)
    if within:
        cursor.set_byte_range(*within)
    matches = [nodes for _, nodes in cursor.matches(root)]
    above = sorted((_span(nodes["above"][0]) for nodes in matches if "above" in nodes), key=_begins)
    return tuple(definitions(matches, content)), tuple(above)


def _span(node: Node) -> Span:
    return Span(node.start_byte, node.end_byte, *node.start_point, *node.end_point)


def _errors(known: Grammar, root: Node) -> int:
    from tree_sitter import QueryCursor

    return len(QueryCursor(known.errors).captures(root).get("error", ()))


def _begins(one: Found | Span) -> int:
    return one.begins


def _pieces(
    known: Grammar, root: Node, content: bytes, old: dict[tuple[str, int, bytes], Piece]
) -> list[tuple[tuple[str, int, bytes], Piece]]:
    """The nodes of the top level in order, each with what lies in it."""
    made: list[tuple[tuple[str, int, bytes], Piece]] = []
    new: list[tuple[int, Node]] = []
    for node in root.named_children:
        row, column = node.start_point
        key = node.type, column, content[node.start_byte : node.end_byte]
        was = old.get(key)
        if was is None:
            new.append((len(made), node))
            was = Piece(node.start_byte, row, Syntax((), ()))
        made.append((key, _laid(was, node.start_byte, row)))
    for (first, node), (last, end) in _together(new):
        found, above = _looked_through(known, root, content, (node.start_byte, end.end_byte))
        for at in range(first, last + 1):
            key, piece = made[at]
            stop = piece.begins + len(key[2])
            inner = Syntax(_within(found, piece.begins, stop), _within(above, piece.begins, stop))
            made[at] = key, Piece(piece.begins, piece.row, inner)
    return made


def _together(new: Iterable[tuple[int, Node]]) -> Iterator[tuple[tuple[int, Node], tuple[int, Node]]]:
    """The first and the last of each run of nodes that follow each other."""
    first = last = None
    for one in new:
        if first is None or last is None or one[0] != last[0] + 1:
            if first and last:
                yield first, last
            first = one
        last = one
    if first and last:
        yield first, last


def _within(every: tuple[S, ...], begins: int, ends: int) -> tuple[S, ...]:
    return every[bisect_left(every, begins, key=_begins) : bisect_left(every, ends, key=_begins)]


def _laid(piece: Piece, begins: int, row: int) -> Piece:
    """The same piece at another place."""
    by, down = begins - piece.begins, row - piece.row
    if not by and not down:
        return piece
    found = tuple(
        Found(
            one.kind, one.name, one.scope, one.begins + by, one.ends + by, one.first + down, one.last + down,
            one.row + down, one.column,
        )
        for one in piece.syntax.found
    )  # fmt: skip
    above = tuple(
        Span(one.begins + by, one.ends + by, one.row + down, one.column, one.last + down, one.stop)
        for one in piece.syntax.above
    )
    return Piece(begins, row, Syntax(found, above))
