"""What went from one file to another within a change."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from .edits import FileEdit, Parts, SymbolEdit
from .outlines import Symbol
from .symbol_pairs import ALIKE, Body, likeness

# With fewer tokens two bodies are equal by chance, unless they have one name as well.
TELLING_TOKENS = 12


@dataclass(frozen=True, slots=True)
class End:
    """A symbol that is gone from a file, or new in one, and the places of both in the change."""

    file: int
    place: int
    edit: SymbolEdit
    body: Body


def moved(parts_by_file: Sequence[tuple[FileEdit, Parts]]) -> list[tuple[FileEdit, Parts]]:
    """
    The same parts, a symbol that one file lost and another got standing once: as moved, in the file that has it now.
    It is the same with an equal body (a short one: and an equal name), or with an equal name and a like body.
    """
    gone, new = _ends(parts_by_file, "deleted"), _ends(parts_by_file, "added")
    took: dict[int, End] = {}
    used: set[int] = set()

    def match(key: Callable[[End], object], fits: Callable[[End, End], bool]) -> None:
        waiting: dict[object, list[int]] = {}
        for i, one in enumerate(gone):
            if i not in used:
                waiting.setdefault(key(one), []).append(i)
        for j, other in enumerate(new):
            near = waiting.get(key(other), []) if j not in took else []
            found = next((i for i in near if i not in used and fits(gone[i], other)), None)
            if found is not None:
                used.add(found)
                took[j] = gone[found]

    def elsewhere(one: End, other: End) -> bool:
        return one.file != other.file and one.body.family == other.body.family

    match(lambda end: (end.edit.symbol, end.body.shape), elsewhere)
    match(lambda end: (end.body.leaf, end.body.shape), elsewhere)
    match(
        lambda end: end.body.shape,
        lambda one, other: elsewhere(one, other) and len(one.body.shape) >= TELLING_TOKENS,
    )
    for name in (lambda end: end.edit.symbol, lambda end: end.body.leaf):
        match(name, lambda one, other: elsewhere(one, other) and likeness(one.body, other.body) >= ALIKE)
    changed: dict[tuple[int, int], SymbolEdit | None] = {(gone[i].file, gone[i].place): None for i in used}
    for j, one in took.items():
        changed[new[j].file, new[j].place] = _move(one.edit, new[j].edit)
    return [
        (edit, replace(found, symbols=_changed(file, found.symbols, changed)))
        for file, (edit, found) in enumerate(parts_by_file)
    ]


def _ends(parts_by_file: Sequence[tuple[FileEdit, Parts]], status: str) -> list[End]:
    return [
        End(file, place, edit, _body(edit, text))
        for file, (_, found) in enumerate(parts_by_file)
        for place, edit in enumerate(found.symbols)
        if edit.status == status and (text := edit.after if status == "added" else edit.before) is not None
    ]


def _body(edit: SymbolEdit, text: bytes) -> Body:
    lines = text.split(b"\n")
    return Body(Symbol(edit.symbol, edit.kind, 1, len(lines), 1), lines)


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
