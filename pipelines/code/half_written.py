"""What the parser lost of code that is only half written, or that git could not merge: looked up on the other side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from .conflicts import closed
from .sides import Image, Lines
from .symbol_pairs import Body, Pair


def guessed(paired: Sequence[Pair], before: Image, after: Image, lines: Lines) -> list[Pair]:
    """
    The pairs, and the other side of a symbol that lost it although the line that names it stays: half-written code
    hides it from the parser, but it was not deleted, nor is it new when the parser sees it again. One that ends too
    soon goes on up to the line that is its last on the other side.
    """
    olds, news = {symbol.line for symbol in before.symbols}, {symbol.line for symbol in after.symbols}
    made = []
    for pair in paired:
        old, new = pair.before, pair.after
        if old and new:
            made.append(_whole(old, new, before, after, lines) if before.broken or after.broken else pair)
        elif old:
            other = _elsewhere(old, lines.moved_to, after, news)
            made.append(Pair(old, other, guessed=other is not None))
        else:
            other = new and _elsewhere(new, lines.came_from, before, olds)
            made.append(Pair(other, new, guessed=other is not None))
    return made


def _whole(old: Body, new: Body, before: Image, after: Image, lines: Lines) -> Pair:
    longer_old = _longer(old, lines.came_from.get(new.symbol.end), before)
    longer_new = _longer(new, lines.moved_to.get(old.symbol.end), after)
    return Pair(longer_old or old, longer_new or new, guessed=bool(longer_old or longer_new))


def _longer(body: Body, end: int | None, image: Image) -> Body | None:
    """The symbol with all lines up to that one; None where it needs them not, or they are another's."""
    symbol = body.symbol
    if not image.broken or end is None or end <= symbol.end:
        return None
    if any(symbol.end < other.start <= end for other in image.symbols):
        return None
    return Body(replace(symbol, end=closed(image.lines, symbol.start, end)), image.lines)


def _elsewhere(body: Body, to: Mapping[int, int], image: Image, named: set[int]) -> Body | None:
    symbol = body.symbol
    line = to.get(symbol.line)
    if line is None or line in named:
        return None
    kept = [to[i] for i in range(symbol.start, symbol.end + 1) if i in to]
    start, end = kept[0], kept[-1]
    if symbol.end not in to:
        # Other lines stand for its last ones: up to what came after it, or to a symbol that can be seen.
        after = min((there for here, there in to.items() if here > symbol.end), default=len(image.lines) + 1)
        end = min([after, *(one.start for one in image.symbols if end < one.start < after)]) - 1
        while not image.lines[end - 1].strip():
            end -= 1
    there = replace(symbol, start=start, end=end, line=line)
    return Body(there, image.lines)
