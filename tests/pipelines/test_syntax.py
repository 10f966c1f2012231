"""An image read after the one before it has the very outline that it has when it is read alone."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest
from backstory.pipelines.code import outlines, syntax
from backstory.pipelines.code.bounded_cache import BoundedCache
from backstory.pipelines.code.outlines import Outline, outline
from backstory.pipelines.git.edits import FileEdit
from backstory.pipelines.git.patches import between, parse
from hypothesis import given
from hypothesis import strategies as st

PIECES = {
    "a.py": """import os|# why|@cached|def f(a):|    return a||class A:|    x = 1|    def m(self):
        def inner(): ...|        return inner|async def g(): pass|\"\"\"|x = {|}|é = '好'""",
    "a.ts": """// why|export function f() {|}|const g = () => {|};|class A {|  m() {|  }|interface B {|export default {
  k: function () { return 1; },|const o = {|  h() {},|namespace N {|`|""",
    "a.go": "package a|// why|func F() {|}|func (t *T) M() int {|type T struct {|var h = func() {||\t",
    "a.rs": "/// why|fn f() {|}|impl A {|    fn m(&self) {|mod m {|#[x]|struct A;||/*|*/",
    "a.cpp": "namespace n {|}|template <class T>|class A {|};|int f() {|#ifdef X|#endif|// why|",
}


@pytest.fixture(autouse=True)
def _nothing_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    fresh(monkeypatch)


def fresh(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outlines, "KEPT", BoundedCache(9, 10**6))
    monkeypatch.setattr(syntax, "READ", BoundedCache(9, 10**6))


def both(path: str, images: list[bytes]) -> tuple[list[Outline | None], list[Outline | None]]:
    """The outlines of images that follow one another, each after the one before it, and each alone."""
    with pytest.MonkeyPatch.context() as monkeypatch:
        fresh(monkeypatch)
        after = [outline(path, images[0])]
        for old, new in pairwise(images):
            found = parse(between(path, old, new))
            hunks = found[0].hunks if found else ()
            edit = FileEdit(path, "modified", None, old, new, hunks=hunks)
            after.append(outline(path, new, made_by=edit))
        alone = []
        for image in images:
            fresh(monkeypatch)
            alone.append(outline(path, image))
    return after, alone


@st.composite
def histories(draw: st.DrawFn) -> tuple[str, list[bytes]]:
    path = draw(st.sampled_from(sorted(PIECES)))
    line = st.sampled_from(re.split(r"[|\n]", PIECES[path]))
    lines = draw(st.lists(line, min_size=4, max_size=30))
    images = []
    end = draw(st.sampled_from(["\n", "\r\n"]))
    for _ in range(draw(st.integers(2, 5))):
        images.append((end.join(lines) + draw(st.sampled_from([end, end, end, ""]))).encode())
        for _ in range(draw(st.integers(1, 3))):
            at = draw(st.integers(0, len(lines)))
            lines[at : at + draw(st.integers(0, 4))] = draw(st.lists(line, max_size=4))
    return path, images


@given(histories())
def test_what_was_read_before_changes_nothing(history: tuple[str, list[bytes]]) -> None:
    path, images = history
    after, alone = both(path, images)
    assert after == alone


def test_what_stayed_is_not_looked_through_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """The functions that were not touched: only what was is asked of tree-sitter again."""
    asked: list[tuple[int, int] | None] = []
    through = syntax._looked_through

    def counted(known: object, root: object, content: bytes, within: tuple[int, int] | None = None) -> object:
        asked.append(within)
        return through(known, root, content, within)  # type: ignore[arg-type]

    monkeypatch.setattr(syntax, "_looked_through", counted)
    old = b"\n\n".join(b"def f%d():\n    return %d\n" % (n, n) for n in range(50))
    new = old.replace(b"return 25", b"return 99 * 2")
    edit = FileEdit("a.py", "modified", None, old, new, hunks=parse(between("a.py", old, new))[0].hunks)
    outline("a.py", old)
    made = outline("a.py", new, made_by=edit)
    assert made is not None
    assert [symbol.name for symbol in made.symbols] == [f"f{n}" for n in range(50)]
    (first, second) = asked
    assert first == (0, len(old) - 1)
    assert second is not None
    assert new[slice(*second)] == b"def f25():\n    return 99 * 2"


def test_a_patch_of_another_image_does_no_harm() -> None:
    old = b"def f():\n    return 1\n\n\ndef g():\n    return 2\n"
    other = b"import os\n\n\ndef f():\n    return 1\n"
    new = other + b"\n\ndef h():\n    return 3\n"
    outline("a.py", old)
    hunks = parse(between("a.py", other, new))[0].hunks
    made = outline("a.py", new, made_by=FileEdit("a.py", "modified", None, old, new, hunks=hunks))
    assert made is not None
    assert [symbol.name for symbol in made.symbols] == ["f", "h"]
