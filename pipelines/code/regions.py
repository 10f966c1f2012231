"""Regions: what of a file lies in no symbol, followed through its patches by where it lies."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from ...store.chains import Region
from ...store.models import Confidence
from ..git.edits import FileEdit, Run, runs
from .symbol_edits import LooseEdit

# Edits with no more lines than this between them are of one region, as git's own context shows them together.
NEAR = 3
# A region grows no further: beyond it a new one begins, so that no thread ends up holding a whole file.
LINES = 80


@dataclass(frozen=True, slots=True)
class Touched:
    """
    A region that an edit touched, by its lines in both images; `thread` None where it is new. An empty side has
    its end one before its start.
    """

    thread: int | None
    old_start: int
    old_end: int
    start: int
    end: int
    patch: bytes
    label: str
    confidence: Confidence = "high"


def settle(
    edit: FileEdit, loose: Sequence[LooseEdit], known: Sequence[Region]
) -> tuple[list[Touched], list[Region]]:
    """
    What an edit did to the regions of its file: those that it touched, in order of their lines, and where all that
    it did not touch lie after it. `known` are the regions as they lie in the image before.
    """
    replaced = list(runs(edit.hunks))
    touched: list[Touched] = []
    taken: set[int] = set()
    still = [one for part in loose for one in _split(part)]
    for region in known:
        near = [one for one in still if _near(region.start, region.end, one)]
        grown = _grown(region, near, replaced) if near else None
        if grown is not None:
            touched.append(grown)
            taken.add(region.thread)
            still = [one for one in still if one not in near]
    touched += _new(still)
    rest = [region for region in known if region.thread not in taken and not _is_gone(region, replaced)]
    # What was put in the place of a region's lines is the edit's, which went to the region beside; git's edits are
    # nobody's.
    carried = [Region(region.thread, *_image(region, replaced, grows=not loose)) for region in rest]
    laid = [region for region in carried if region.end >= region.start]
    return sorted(touched, key=lambda one: (one.start, one.old_start)), laid


def _split(one: LooseEdit) -> list[LooseEdit]:
    """Pieces of lines that are new, none longer than a region; a replacement stays in one piece."""
    if one.old_end >= one.old_start or one.end - one.start < LINES:
        return [one]
    lines = one.patch.splitlines(keepends=True)
    added = [line for line in lines if line.startswith(b"+")]
    if len(added) != one.end - one.start + 1:
        return [one]
    return [
        replace(
            one,
            start=one.start + at,
            end=min(one.end, one.start + at + LINES - 1),
            patch=b"@@ -%d,0 +%d,%d @@\n" % (one.old_end, one.start + at, len(added[at : at + LINES]))
            + b"".join(added[at : at + LINES]),
        )
        for at in range(0, len(added), LINES)
    ]


def _near(start: int, end: int, one: LooseEdit) -> bool:
    return one.old_start <= end + NEAR + 1 and one.old_end >= start - NEAR - 1


def _grown(region: Region, near: Sequence[LooseEdit], replaced: Sequence[Run]) -> Touched | None:
    """The region with the edits that touch it; None where that would be too large."""
    start, end = _image(region, replaced)
    old_start = min(region.start, *(one.old_start for one in near))
    old_end = max(region.end, *(one.old_end for one in near))
    start = min(start, *(one.start for one in near))
    end = max(end, *(one.end for one in near))
    if max(old_end - old_start, end - start) >= LINES:
        return None
    last = near[-1]
    return Touched(region.thread, old_start, old_end, start, end, _joined(near), last.label, last.confidence)


def _new(loose: Sequence[LooseEdit]) -> list[Touched]:
    """Regions for edits that touch none, those near each other together."""
    groups: list[list[LooseEdit]] = []
    for one in loose:
        last = groups[-1][-1] if groups else None
        if (
            last
            and one.old_start - last.old_end - 1 <= NEAR
            and one.start - last.end - 1 <= NEAR
            and one.end - groups[-1][0].start < LINES
        ):
            groups[-1].append(one)
        else:
            groups.append([one])
    return [
        Touched(
            None,
            group[0].old_start,
            group[-1].old_end,
            group[0].start,
            group[-1].end,
            _joined(group),
            group[0].label,
            group[0].confidence,
        )
        for group in groups
    ]


def _joined(loose: Sequence[LooseEdit]) -> bytes:
    return b"".join(dict.fromkeys(one.patch for one in loose))


def _is_gone(region: Region, replaced: Sequence[Run]) -> bool:
    """Whether nothing is left of a region: what stands in its place is another's."""
    return any(run.old_start <= region.start and region.end < run.old_start + run.old for run in replaced)


def _image(region: Region, replaced: Sequence[Run], *, grows: bool = True) -> tuple[int, int]:
    """Where the lines of a region lie in the image after; it `grows` by what stands in the place of its own."""

    def shift(line: int) -> int:
        return sum(run.new - run.old for run in replaced if run.old_start + run.old <= line)

    start, end = region.start + shift(region.start), region.end + shift(region.end)
    for run in replaced:
        if run.old_start <= region.start < run.old_start + run.old:
            start = run.start if grows else run.start + run.new
        if run.old_start <= region.end < run.old_start + run.old:
            end = run.start + run.new - 1 if grows else run.start - 1
    return start, end
