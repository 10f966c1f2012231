"""What went from one file to another within a change."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from ..git.edits import FileEdit
from .outlines import Symbol
from .symbol_edits import Parts, SymbolEdit
from .symbol_pairs import ALIKE, Body, likeness

# With fewer tokens two bodies are equal by chance, unless they have one name as well.
TELLING_TOKENS = 12


@dataclass(frozen=True, eq=False)
class End:
    """A symbol that is gone from a place, or new in one; its kind is "" where that is not known."""

    path: str
    symbol: str
    text: bytes
    kind: str = ""

    @cached_property
    def body(self) -> Body:
        """What it is known again by."""
        lines = self.text.split(b"\n")
        return Body(Symbol(self.symbol, self.kind, 1, len(lines), 1), lines)


Fits = Callable[[End, End], bool]


def matched(gone: Sequence[End], new: Sequence[End], may_be: Fits) -> list[tuple[int, int]]:
    """
    Which of what is gone is which of what is new, by their places. It is the same with an equal body (a short one: and
    an equal name), or with an equal name and a like body.
    """
    used: set[int] = set()
    took: dict[int, int] = {}

    def match(key: Callable[[End], object], fits: Fits = lambda _one, _other: True) -> None:
        waiting: dict[object, list[int]] = {}
        for i, one in enumerate(gone):
            if i not in used:
                waiting.setdefault(key(one), []).append(i)
        for j, other in enumerate(new):
            near = waiting.get(key(other), []) if waiting and j not in took else []
            found = next(
                (i for i in near if i not in used and may_be(gone[i], other) and fits(gone[i], other)), None
            )
            if found is not None:
                used.add(found)
                took[j] = found

    match(lambda end: (end.symbol, end.body.shape))
    match(lambda end: (end.body.leaf, end.body.shape))
    match(lambda end: end.body.shape, lambda one, _: len(one.body.shape) >= TELLING_TOKENS)
    for name in (lambda end: end.symbol, lambda end: end.body.leaf):
        match(name, lambda one, other: likeness(one.body, other.body) >= ALIKE)
    return [(i, j) for j, i in took.items()]


def moved(parts_by_file: Sequence[tuple[FileEdit, Parts]]) -> list[tuple[FileEdit, Parts]]:
    """
    The same parts, a symbol that one file lost and another got standing once: as moved, in the file that has it now.
    """
    gone, new = list(_edits(parts_by_file, "deleted")), list(_edits(parts_by_file, "added"))
    changed: dict[tuple[int, int], SymbolEdit | None] = {}
    ends = [End(str(file), edit.symbol, edit.before or b"", edit.kind) for file, _, edit in gone]
    begun = [End(str(file), edit.symbol, edit.after or b"", edit.kind) for file, _, edit in new]
    for i, j in matched(ends, begun, _elsewhere):
        changed[gone[i][:2]] = None
        changed[new[j][:2]] = _move(gone[i][2], new[j][2])
    if not changed:
        return list(parts_by_file)
    return [
        (edit, replace(found, symbols=_changed(file, found.symbols, changed)))
        for file, (edit, found) in enumerate(parts_by_file)
    ]


def _elsewhere(one: End, other: End) -> bool:
    return one.path != other.path and one.body.family == other.body.family


def _edits(
    parts_by_file: Sequence[tuple[FileEdit, Parts]], status: str
) -> Iterable[tuple[int, int, SymbolEdit]]:
    """Those symbols with the places of their file and of themselves."""
    for file, (_, found) in enumerate(parts_by_file):
        for place, edit in enumerate(found.symbols):
            if edit.status == status:
                yield file, place, edit


def _move(gone: SymbolEdit, new: SymbolEdit) -> SymbolEdit:
    return replace(
        new,
        status="moved",
        before=gone.before,
        old_symbol=gone.symbol if gone.symbol != new.symbol else None,
        old_path=gone.old_path or gone.path,
    )


def _changed(
    file: int, symbols: tuple[SymbolEdit, ...], changed: dict[tuple[int, int], SymbolEdit | None]
) -> tuple[SymbolEdit, ...]:
    now = [changed.get((file, place), edit) for place, edit in enumerate(symbols)]
    return tuple(edit for edit in now if edit is not None)
