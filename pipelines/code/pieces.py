"""Cut a hunk along who owns its lines, each piece a hunk of its own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import TypeAlias

from ..git.edits import Hunk

CONTEXT_LINES = 3
SIGNS = (b"-", b"+")
# Lines that belong to nobody.
LOOSE = -1
OwnerOf: TypeAlias = Callable[[int], int]


@dataclass(frozen=True, slots=True)
class Piece:
    """
    What a hunk does to one owner, as a hunk. `old` and `new` are the changed lines alone, from the first up to but
    not including the last number; an empty side stands where its lines would.
    """

    owner: int
    patch: bytes
    old: tuple[int, int]
    new: tuple[int, int]


@dataclass(frozen=True, slots=True)
class Block:
    """Changed lines without context between them, after the context that precedes them."""

    above: tuple[bytes, ...]
    minus: tuple[bytes, ...]
    plus: tuple[bytes, ...]
    old: int
    new: int


@dataclass(frozen=True, slots=True)
class Cut:
    """Of a block: these of its minus lines and these of its plus lines, both counted from 0, last not included."""

    block: int
    old: tuple[int, int]
    new: tuple[int, int]


def pieces(hunk: Hunk, before: OwnerOf, after: OwnerOf) -> list[Piece]:
    """
    The hunk in pieces, each of one owner; whole and as it stands where it has but one.

    Args:
        before: who owns a line of the old image, `LOOSE` for nobody.
        after: the same for the new image.

    Blank lines that come or go together with other lines go with them, too.
    """
    blocks, below = _blocks(hunk)
    cuts: dict[int, list[Cut]] = {}
    for index, block in enumerate(blocks):
        for owner, cut in _cuts(index, block, before, after):
            cuts.setdefault(owner, []).append(cut)
    found = [
        _piece(owner, joined, blocks, below)
        for owner, own in cuts.items()
        for joined in _joined(own, blocks, after if owner == LOOSE else None)
    ]
    if len(found) == 1:
        return [Piece(found[0].owner, whole(hunk), found[0].old, found[0].new)]
    return sorted(found, key=lambda piece: (piece.new, piece.old))


def whole(hunk: Hunk) -> bytes:
    """The text of a hunk, as git writes it."""
    return _text(
        (hunk.old_start, hunk.old_lines), (hunk.new_start, hunk.new_lines), hunk.lines, section=hunk.section
    )


def first_lines(hunk: Hunk) -> tuple[int, int]:
    """The numbers of its first lines; an empty side is headed by the line before it."""
    return hunk.old_start + (hunk.old_lines == 0), hunk.new_start + (hunk.new_lines == 0)


def _text(
    old: tuple[int, int], new: tuple[int, int], lines: Sequence[bytes], *, section: bytes = b""
) -> bytes:
    def span(start: int, count: int) -> str:
        return f"{start}" if count == 1 else f"{start},{count}"

    head = f"@@ -{span(*old)} +{span(*new)} @@".encode() + (b" " + section if section else b"")
    return b"\n".join((head, *lines)) + b"\n"


def _blocks(hunk: Hunk) -> tuple[list[Block], tuple[bytes, ...]]:
    """Its blocks, and the context below the last. A line has the mark that it has no line feed with it."""
    marked: list[bytes] = []
    for line in hunk.lines:
        if line.startswith(b"\\") and marked:
            marked[-1] += b"\n" + line
        else:
            marked.append(line)
    blocks: list[Block] = []
    above: tuple[bytes, ...] = ()
    old, new = first_lines(hunk)
    for changed, lines in groupby(marked, key=lambda line: line[:1] in SIGNS):
        if not changed:
            above = tuple(lines)
            old, new = old + len(above), new + len(above)
            continue
        both = tuple(lines)
        minus = tuple(line for line in both if line[:1] == b"-")
        plus = tuple(line for line in both if line[:1] == b"+")
        blocks.append(Block(above, minus, plus, old, new))
        above, old, new = (), old + len(minus), new + len(plus)
    return blocks, above


def _cuts(index: int, block: Block, before: OwnerOf, after: OwnerOf) -> list[tuple[int, Cut]]:
    """The lines of a block by owner, the first run of its minus lines with the first of its plus lines, and so on."""
    minus, plus = _owners(block, before, after)
    olds, news = _runs(minus), _runs(plus)
    found = []
    for owner in dict.fromkeys([*minus, *plus]):
        old, new = olds.get(owner, []), news.get(owner, [])
        for k in range(max(len(old), len(new))):
            a = old[k] if k < len(old) else None
            b = new[k] if k < len(new) else None
            # An empty side stands at the end that the other one touches.
            a = a or ((0, 0) if b and b[0] == 0 else (len(minus), len(minus)))
            b = b or ((0, 0) if a[0] == 0 else (len(plus), len(plus)))
            found.append((owner, Cut(index, a, b)))
    return found


def _owners(block: Block, before: OwnerOf, after: OwnerOf) -> tuple[list[int], list[int]]:
    """Who owns its lines, a blank one with the next that is not, on the same side where there is one."""
    minus = [before(block.old + i) for i in range(len(block.minus))]
    plus = [after(block.new + i) for i in range(len(block.plus))]
    full_minus = [bool(line[1:].strip()) for line in block.minus]
    full_plus = [bool(line[1:].strip()) for line in block.plus]
    below = [owner for owner, full in zip(plus, full_plus, strict=True) if full][:1]
    above = [owner for owner, full in zip(minus, full_minus, strict=True) if full][-1:]
    return _settled(minus, full_minus, below), _settled(plus, full_plus, above)


def _settled(owners: list[int], full: list[bool], elsewhere: list[int]) -> list[int]:
    settled = list(owners)
    for start, end in [span for runs in _runs(full).values() for span in runs if not full[span[0]]]:
        near = [*owners[max(0, start - 1) : start], *owners[end : end + 1]] or elsewhere
        for i in range(start, end):
            if near and owners[i] not in near:
                settled[i] = near[0]
    return settled


def _runs(owners: Sequence[int]) -> dict[int, list[tuple[int, int]]]:
    runs: dict[int, list[tuple[int, int]]] = {}
    start = 0
    for i in range(1, len(owners) + 1):
        if i == len(owners) or owners[i] != owners[start]:
            runs.setdefault(owners[start], []).append((start, i))
            start = i
    return runs


def _joined(cuts: list[Cut], blocks: list[Block], free: OwnerOf | None) -> list[list[Cut]]:
    """Cuts of neighbouring blocks with nothing but context between them; with `free`, context of nobody."""
    joined: list[list[Cut]] = []
    for cut in cuts:
        last = joined[-1][-1] if joined else None
        block = blocks[cut.block]
        if (
            last is not None
            and cut.block == last.block + 1
            and _at_end(last, blocks[last.block])
            and _at_start(cut)
            and (free is None or all(free(block.new - i - 1) == LOOSE for i in range(len(block.above))))
        ):
            joined[-1].append(cut)
        else:
            joined.append([cut])
    return joined


def _at_start(cut: Cut) -> bool:
    return cut.old[0] == 0 and cut.new[0] == 0


def _at_end(cut: Cut, block: Block) -> bool:
    return cut.old[1] == len(block.minus) and cut.new[1] == len(block.plus)


def _piece(owner: int, cuts: list[Cut], blocks: list[Block], below: tuple[bytes, ...]) -> Piece:
    first, last = cuts[0], cuts[-1]
    top, bottom = blocks[first.block], blocks[last.block]
    old = top.old + first.old[0], bottom.old + last.old[1]
    new = top.new + first.new[0], bottom.new + last.new[1]
    above = top.above[-CONTEXT_LINES:] if _at_start(first) else ()
    under: tuple[bytes, ...] = ()
    if _at_end(last, bottom):
        follows = blocks[last.block + 1].above if last.block + 1 < len(blocks) else below
        under = follows[:CONTEXT_LINES]
    lines = list(above)
    for k, cut in enumerate(cuts):
        block = blocks[cut.block]
        lines += block.above if k else ()
        lines += block.minus[slice(*cut.old)] + block.plus[slice(*cut.new)]
    lines += under
    counts = old[1] - old[0] + len(above) + len(under), new[1] - new[0] + len(above) + len(under)
    starts = old[0] - len(above) - (counts[0] == 0), new[0] - len(above) - (counts[1] == 0)
    return Piece(owner, _text((starts[0], counts[0]), (starts[1], counts[1]), lines), old, new)
