"""What an edit did to which symbol: a line that went is looked up in the image before, one that came in that after."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from ..git.edits import FileEdit
from .conflicts import OPENS
from .half_written import guessed
from .labels import header, heading, name
from .outlines import Outline, outline, owners
from .pieces import LOOSE, OwnerOf, Piece, pieces
from .sides import Image, Lines, image, touched
from .symbol_edits import LooseEdit, Parts, SymbolEdit, SymbolStatus
from .symbol_moves import moved
from .symbol_pairs import Body, Pair, pairs, unnumbered

__all__ = ["moved", "parts"]


def parts(edit: FileEdit) -> Parts:
    """Which symbols of one file an edit touched, with what it did to each, and what it did outside of all."""
    if edit.named or (edit.before is None and edit.after is None):
        return Parts()
    was = outline(edit.old_path or edit.path, edit.before) if edit.before is not None else None
    now = outline(edit.path, edit.after, made_by=edit) if edit.after is not None else None
    # A side whose bytes are gone, or that has no outline, says nothing about the other.
    if (was is None and edit.status != "added") or (now is None and edit.status != "deleted"):
        return Parts(loose=_all_loose(edit))
    before, after = image(edit.before, was), image(edit.after, now)
    lines = Lines(edit.hunks, len(before.lines))
    paired = guessed(_pairs(before, after, lines), before, after, lines)
    language = (now or was or Outline("", ())).language
    patches, loose = _cut(edit, paired, before, after, language)
    renames = {
        pair.before.symbol.name: pair.after.symbol.name for pair in paired if pair.before and pair.after
    }
    found = [
        _symbol_edit(edit, pair, renames, patches.get(key, b""), lines) for key, pair in enumerate(paired)
    ]
    symbols = sorted((made for made in found if made), key=lambda made: (made.start, -made.end))
    told = {made.symbol for made in symbols}
    renumbered = tuple(
        (old.symbol.name, new.symbol.name, new.text)
        for pair in paired
        if (old := pair.before) and (new := pair.after)
        if old.symbol.name != new.symbol.name and new.symbol.name not in told
    )
    return Parts(tuple(symbols), tuple(loose), language, renumbered)


def _pairs(before: Image, after: Image, lines: Lines) -> list[Pair]:
    olds = [Body(symbol, before.lines) for symbol in before.symbols]
    news = [Body(symbol, after.lines) for symbol in after.symbols]
    # Whatever its number: where one of its name was put before it, it got another.
    there = {(unnumbered(new.symbol.name), new.symbol.start, new.symbol.end): new for new in reversed(news)}
    same = []
    for old in olds:
        # Of most symbols no line was touched, and nothing of theirs need be compared.
        if touched(lines.minus, old.symbol) or old.symbol.start not in lines.moved_to:
            continue
        start = lines.moved_to[old.symbol.start]
        end = start + old.symbol.end - old.symbol.start
        new = there.pop((unnumbered(old.symbol.name), start, end), None)
        if new and lines.moved_to.get(old.symbol.end) == end and not touched(lines.plus, new.symbol):
            same.append((old, new))
    return pairs(olds, news, same)


def _cut(
    edit: FileEdit, paired: list[Pair], before: Image, after: Image, language: str
) -> tuple[dict[int, bytes], list[LooseEdit]]:
    """The patch of each pair, by its place, and the edits outside of all."""
    was = _owner_of([pair.before for pair in paired], len(before.lines))
    now = _owner_of([pair.after for pair in paired], len(after.lines))
    patches: dict[int, bytes] = {}
    loose: list[LooseEdit] = []

    def labelled(made: LooseEdit) -> LooseEdit:
        is_there = made.start <= made.end
        side, owner = (after, now) if is_there else (before, was)
        start, end = (made.start, made.end) if is_there else (made.old_start, made.old_end)
        if any(start <= line <= end for line in side.crowded):
            return replace(made, confidence="low")
        label = name(language, side.lines, start, end, lambda line: owner(line) == LOOSE)
        return replace(made, label=label)

    for hunk in edit.hunks:
        for piece in pieces(hunk, was, now):
            if piece.owner != LOOSE:
                patches[piece.owner] = patches.get(piece.owner, b"") + piece.patch
            elif made := _loose(edit, piece, before, after):
                loose.append(labelled(made))
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
    """The edits of a file without symbols, under its headings or what looks like the name of what they lie in."""
    before, after = image(edit.before, None), image(edit.after, None)
    found = []
    for hunk in edit.hunks:
        for piece in pieces(hunk, lambda _: LOOSE, lambda _: LOOSE):
            if made := _loose(edit, piece, before, after):
                side, line = (after, made.start) if made.start <= made.end else (before, made.old_start)
                found.append(_headed(made, side.lines, line))
    return tuple(found)


def _headed(made: LooseEdit, lines: Sequence[bytes], line: int) -> LooseEdit:
    if label := heading(made.path, lines, line):
        return replace(made, label=label)
    label = header(lines, line)
    return replace(made, label=label, confidence="low" if label else "high")


def _symbol_edit(
    edit: FileEdit, pair: Pair, renames: Mapping[str, str], patch: bytes, lines: Lines
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
        confidence="low" if pair.guessed or any(OPENS in one.text for one in (old, new) if one) else "high",
    )


def _status(
    old: Body | None,
    new: Body | None,
    renames: Mapping[str, str],
    patch: bytes,
    lines: Lines,
    *,
    renamed: bool,
) -> SymbolStatus | None:
    if old is None:
        return "added" if new and touched(lines.plus, new.symbol) else None
    if new is None:
        return "deleted" if touched(lines.minus, old.symbol) else None
    if old.name != new.name:
        stayed = new.within in (old.within, renames.get(old.within))
        return "renamed" if stayed else "moved"
    if patch and old.text != new.text:
        return "modified"
    # Under its new path it goes by the same name: whoever follows it needs to hear of that.
    return "moved" if renamed else None
