"""What an edit did to which symbol: a line that went is looked up in the image before, one that came in that after."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from .edits import FileEdit, Hunk, LooseEdit, Parts, SymbolEdit
from .labels import heading, name, shown
from .outlines import Outline, Symbol, outline, owners
from .pieces import LOOSE, OwnerOf, Piece, first_lines, pieces
from .symbol_moves import moved
from .symbol_pairs import Body, Pair, pairs

__all__ = ["moved", "parts"]
Status: TypeAlias = Literal["added", "modified", "deleted", "renamed", "moved"]


@dataclass(frozen=True, slots=True)
class Image:
    """One side of an edit: its lines without their line feeds, and what they are."""

    lines: list[bytes]
    symbols: tuple[Symbol, ...]

    def text(self, start: int, end: int) -> bytes:
        """The bytes of these lines, without the last line feed."""
        return b"\n".join(self.lines[start - 1 : end])


def parts(edit: FileEdit) -> Parts:
    """Which symbols of one file an edit touched, with what it did to each, and what it did outside of all."""
    if edit.named or (edit.before is None and edit.after is None):
        return Parts()
    was = outline(edit.old_path or edit.path, edit.before) if edit.before is not None else None
    now = outline(edit.path, edit.after, made_by=edit) if edit.after is not None else None
    # A side whose bytes are gone, or that has no outline, says nothing about the other.
    if (was is None and edit.status != "added") or (now is None and edit.status != "deleted"):
        return Parts(loose=_all_loose(edit))
    before, after = _image(edit.before, was), _image(edit.after, now)
    lines = _Lines(edit.hunks, len(before.lines))
    paired = _guessed(_pairs(before, after, lines), before, after, lines)
    language = (now or was or Outline("", ())).language
    patches, loose = _cut(edit, paired, before, after, language)
    renames = {
        pair.before.symbol.name: pair.after.symbol.name for pair in paired if pair.before and pair.after
    }
    found = [
        _symbol_edit(edit, pair, renames, patches.get(key, b""), lines) for key, pair in enumerate(paired)
    ]
    symbols = sorted((made for made in found if made), key=lambda made: (made.start, -made.end))
    return Parts(tuple(symbols), tuple(loose), language)


class _Lines:
    """Which lines with text a patch takes out and puts in, and where those went that it leaves."""

    def __init__(self, hunks: Sequence[Hunk], count: int) -> None:
        self.minus: list[int] = []
        self.plus: list[int] = []
        self.moved_to: dict[int, int] = {}
        old, new = 1, 1
        for hunk in hunks:
            start, _ = first_lines(hunk)
            old, new = self._kept(old, new, start - old)
            for line in hunk.lines:
                if line[:1] == b"-":
                    if line[1:].strip():
                        self.minus.append(old)
                    old += 1
                elif line[:1] == b"+":
                    if line[1:].strip():
                        self.plus.append(new)
                    new += 1
                elif line[:1] != b"\\":
                    old, new = self._kept(old, new, 1)
        self._kept(old, new, count + 1 - old)
        self.came_from = {new: old for old, new in self.moved_to.items()}

    def _kept(self, old: int, new: int, count: int) -> tuple[int, int]:
        self.moved_to.update(zip(range(old, old + count), range(new, new + count), strict=True))
        return old + max(0, count), new + max(0, count)


def _touched(lines: list[int], symbol: Symbol) -> bool:
    return bisect_left(lines, symbol.start) < bisect_right(lines, symbol.end)


def _image(content: bytes | None, made: Outline | None) -> Image:
    lines = content.split(b"\n") if content else []
    if lines and not lines[-1]:
        lines.pop()
    return Image(lines, made.symbols if made else ())


def _pairs(before: Image, after: Image, lines: _Lines) -> list[Pair]:
    olds = [Body(symbol, before.lines) for symbol in before.symbols]
    news = [Body(symbol, after.lines) for symbol in after.symbols]
    there = {(new.symbol.name, new.symbol.start, new.symbol.end): new for new in news}
    same = []
    for old in olds:
        # Of most symbols no line was touched, and nothing of theirs need be compared.
        if _touched(lines.minus, old.symbol) or old.symbol.start not in lines.moved_to:
            continue
        start = lines.moved_to[old.symbol.start]
        end = start + old.symbol.end - old.symbol.start
        new = there.get((old.symbol.name, start, end))
        if new and lines.moved_to.get(old.symbol.end) == end and not _touched(lines.plus, new.symbol):
            same.append((old, new))
    return pairs(olds, news, same)


def _guessed(paired: list[Pair], before: Image, after: Image, lines: _Lines) -> list[Pair]:
    """
    The pairs, and the other side of a symbol that lost it although the line that names it stays: half-written code
    hides it from the parser, but it was not deleted, nor is it new when the parser sees it again.
    """
    olds, news = {symbol.line for symbol in before.symbols}, {symbol.line for symbol in after.symbols}
    made = []
    for pair in paired:
        if pair.before and not pair.after:
            other = _elsewhere(pair.before, lines.moved_to, after, news)
            made.append(Pair(pair.before, other, guessed=other is not None))
        elif pair.after and not pair.before:
            other = _elsewhere(pair.after, lines.came_from, before, olds)
            made.append(Pair(other, pair.after, guessed=other is not None))
        else:
            made.append(pair)
    return made


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


def _cut(
    edit: FileEdit, paired: list[Pair], before: Image, after: Image, language: str
) -> tuple[dict[int, bytes], list[LooseEdit]]:
    """The patch of each pair, by its place, and the edits outside of all."""
    was = _owner_of([pair.before for pair in paired], len(before.lines))
    now = _owner_of([pair.after for pair in paired], len(after.lines))
    patches: dict[int, bytes] = {}
    loose: list[LooseEdit] = []

    def label(made: LooseEdit) -> str:
        if made.start <= made.end:
            return name(language, after.lines, made.start, made.end, lambda line: now(line) == LOOSE)
        return name(language, before.lines, made.old_start, made.old_end, lambda line: was(line) == LOOSE)

    for hunk in edit.hunks:
        for piece in pieces(hunk, was, now):
            if piece.owner != LOOSE:
                patches[piece.owner] = patches.get(piece.owner, b"") + piece.patch
            elif made := _loose(edit, piece, before, after):
                loose.append(replace(made, label=label(made)))
    return patches, loose


def _owner_of(bodies: list[Body | None], count: int) -> OwnerOf:
    places = [(body.symbol, key) for key, body in enumerate(bodies) if body]
    places.sort(key=lambda one: (one[0].start, -one[0].end))
    keys = [*(key for _, key in places), LOOSE]
    owner = [keys[place] for place in owners([symbol for symbol, _ in places], count)]
    return lambda line: owner[line] if line <= count else LOOSE


def _loose(edit: FileEdit, piece: Piece, before: Image, after: Image) -> LooseEdit | None:
    """The lines of nobody; None for those of a whole file that are blank."""
    (old, old_end), (new, new_end) = piece.old, piece.new
    blank = not (before.text(old, old_end - 1) + after.text(new, new_end - 1)).strip()
    if blank and edit.status in ("added", "deleted"):
        return None
    return LooseEdit(edit.path, old, old_end - 1, new, new_end - 1, piece.patch)


def _all_loose(edit: FileEdit) -> tuple[LooseEdit, ...]:
    """The edits of a file without symbols, under its headings or what git shows above each hunk."""
    before, after = _image(edit.before, None), _image(edit.after, None)
    found = []
    for hunk in edit.hunks:
        for piece in pieces(hunk, lambda _: LOOSE, lambda _: LOOSE):
            if made := _loose(edit, piece, before, after):
                image, line = (after, made.start) if made.start <= made.end else (before, made.old_start)
                label = heading(edit.path, image.lines, line) or shown(hunk.section)
                found.append(replace(made, label=label))
    return tuple(found)


def _symbol_edit(
    edit: FileEdit, pair: Pair, renames: Mapping[str, str], patch: bytes, lines: _Lines
) -> SymbolEdit | None:
    """What became of one symbol; None where that is nothing."""
    old, new = pair.before, pair.after
    status = _status(old, new, renames, patch, lines, renamed=edit.old_path is not None)
    body = new or old
    if status is None or body is None:
        return None
    return SymbolEdit(
        path=edit.path,
        symbol=body.symbol.name,
        kind=body.symbol.kind,
        status=status,
        before=old.text if old else None,
        after=new.text if new else None,
        patch=patch,
        start=body.symbol.start,
        end=body.symbol.end,
        old_symbol=old.symbol.name if old and new and old.symbol.name != new.symbol.name else None,
        old_path=edit.old_path if old else None,
        confidence="low" if pair.guessed else "high",
    )


def _status(
    old: Body | None,
    new: Body | None,
    renames: Mapping[str, str],
    patch: bytes,
    lines: _Lines,
    *,
    renamed: bool,
) -> Status | None:
    if old is None:
        return "added" if new and _touched(lines.plus, new.symbol) else None
    if new is None:
        return "deleted" if _touched(lines.minus, old.symbol) else None
    if old.symbol.name != new.symbol.name:
        stayed = new.within in (old.within, renames.get(old.within))
        return "renamed" if stayed else "moved"
    if patch and old.text != new.text:
        return "modified"
    # Under its new path it goes by the same name: whoever follows it needs to hear of that.
    return "moved" if renamed else None
