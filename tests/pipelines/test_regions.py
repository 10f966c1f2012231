"""Regions: what lies in no symbol is followed by where it lies, and never grows into a whole file."""

from __future__ import annotations

from collections.abc import Sequence

from backstory.pipelines.code.regions import LINES, settle
from backstory.pipelines.code.symbol_edits import LooseEdit
from backstory.pipelines.git.edits import FileEdit
from backstory.pipelines.git.patches import between, parse
from backstory.store.chains import Region
from hypothesis import given, settings
from hypothesis import strategies as st

Lines = Sequence[str]


def text(lines: Lines) -> bytes:
    return "".join(f"{line}\n" for line in lines).encode()


def edited(before: Lines | None, after: Lines | None) -> tuple[FileEdit, list[LooseEdit]]:
    """The edit of a file without symbols, and its loose parts: one for each run of changed lines."""
    old = None if before is None else text(before)
    new = None if after is None else text(after)
    patch = between("conf.ini", old, new)
    hunks = parse(patch)[0].hunks if patch else ()
    loose: list[LooseEdit] = []
    for hunk in hunks:
        at_old, at_new = hunk.old_start + (not hunk.old_lines), hunk.new_start + (not hunk.new_lines)
        removed = added = 0
        taken: list[bytes] = []
        for line in (*hunk.lines, b" "):
            if line[:1] in (b"-", b"+"):
                removed, added = removed + (line[:1] == b"-"), added + (line[:1] == b"+")
                taken.append(line)
                continue
            if taken:
                body = b"".join(one + b"\n" for one in taken)
                head = b"@@ -%d,%d +%d,%d @@\n" % (at_old, removed, at_new, added)
                loose.append(
                    LooseEdit(
                        "conf.ini", at_old, at_old + removed - 1, at_new, at_new + added - 1, head + body
                    )
                )
            at_old, at_new, removed, added, taken = at_old + removed + 1, at_new + added + 1, 0, 0, []
    return FileEdit("conf.ini", "modified", before=old, after=new, patch=patch, hunks=hunks), loose


def lines(count: int, mark: str = "line") -> list[str]:
    return [f"{mark} {n}" for n in range(1, count + 1)]


def test_the_first_edit_of_a_place_begins_a_region() -> None:
    before = lines(40)
    touched, laid = settle(*edited(before, [*before[:9], "ten", *before[10:]]), [])
    assert [(one.thread, one.old_start, one.old_end, one.start, one.end) for one in touched] == [
        (None, 10, 10, 10, 10)
    ]
    assert laid == []


def test_an_edit_near_a_region_is_its_next_and_the_region_grows_by_it() -> None:
    before = lines(40)
    touched, _ = settle(*edited(before, [*before[:12], "thirteen", *before[13:]]), [Region(7, 10, 10)])
    assert [(one.thread, one.old_start, one.old_end, one.start, one.end) for one in touched] == [
        (7, 10, 13, 10, 13)
    ]


def test_an_edit_far_from_a_region_leaves_it_where_its_lines_went() -> None:
    before = lines(200)
    edit, loose = edited(before, [*lines(100, "above"), *before])
    touched, laid = settle(edit, loose, [Region(7, 150, 152)])
    assert laid == [Region(7, 250, 252)]
    assert all(one.thread is None for one in touched)


def test_a_region_whose_lines_are_all_removed_is_gone() -> None:
    before = lines(40)
    touched, laid = settle(*edited(before, [*before[:9], *before[12:]]), [Region(7, 10, 12)])
    assert [(one.thread, one.old_start, one.old_end, one.end - one.start) for one in touched] == [
        (7, 10, 12, -1)
    ]
    assert laid == []


def test_a_new_file_is_cut_into_regions_and_no_thread_holds_it_all() -> None:
    touched, _ = settle(*edited(None, lines(3 * LINES + 5)), [])
    assert [one.end - one.start + 1 for one in touched] == [LINES, LINES, LINES, 5]
    assert all(parse(b"diff --git a/f b/f\n--- a/f\n+++ b/f\n" + one.patch)[0].hunks for one in touched)


def test_a_region_does_not_grow_without_bound() -> None:
    before = lines(400)
    known = [Region(7, 100, 100 + LINES - 1)]
    after = [*before[: 100 + LINES], "more", *before[100 + LINES :]]
    touched, laid = settle(*edited(before, after), known)
    assert [one.thread for one in touched] == [None]
    assert laid == known


edits = st.lists(st.tuples(st.integers(0, 59), st.integers(0, 6), st.integers(0, 6)), min_size=1, max_size=6)


@settings(max_examples=200, deadline=None)
@given(edits)
def test_a_region_holds_the_same_lines_after_any_edit_elsewhere(changes: list[tuple[int, int, int]]) -> None:
    before = lines(60)
    after = list(before)
    for number, (at, removed, added) in enumerate(changes):
        after[at : at + removed] = [f"new {number} {n}" for n in range(added)]
    known = [Region(1, 5, 8), Region(2, 30, 30), Region(3, 50, 59)]
    edit, loose = edited(before, after)
    touched, laid = settle(edit, loose, known)
    for region in laid:
        was = next(one for one in known if one.thread == region.thread)
        # All of its lines, but for those that went with an edit of the region beside it.
        left = [line for line in before[was.start - 1 : was.end] if line in after]
        assert after[region.start - 1 : region.end] == left
    # Every changed line is in the region that was touched, on both sides.
    for one in loose:
        assert any(
            t.old_start <= one.old_start
            and one.old_end <= t.old_end
            and t.start <= one.start
            and one.end <= t.end
            for t in touched
        )
    assert {one.thread for one in touched if one.thread} | {region.thread for region in laid} <= {1, 2, 3}
