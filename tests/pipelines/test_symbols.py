from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Iterable
from pathlib import Path

import pytest
from backstory.pipelines.code.symbol_edits import LooseEdit, Parts, SymbolEdit
from backstory.pipelines.code.symbols import moved, parts
from backstory.pipelines.git.edits import FileEdit, Hunk, Status
from backstory.pipelines.git.patches import parse
from hypothesis import given, settings
from hypothesis import strategies as st

from .applying import apply
from .said_by_ast import by_ast

ENV = {"PATH": os.environ["PATH"], "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
Lines = str | bytes | None


def patch_of(before: bytes | None, after: bytes | None) -> bytes:
    """Git's own patch between two contents."""
    with tempfile.TemporaryDirectory() as folder:
        names = []
        for name, content in (("a", before), ("b", after)):
            if content is not None:
                (Path(folder) / name).write_bytes(content)
            names.append(os.devnull if content is None else name)
        done = subprocess.run(
            ["git", "diff", "--no-index", "--no-color", "--no-ext-diff", *names],
            cwd=folder,
            env=ENV,
            capture_output=True,
            check=False,
        )
        assert done.returncode in (0, 1), done.stderr
        return done.stdout


def edit(path: str, before: Lines, after: Lines, *, old_path: str | None = None) -> FileEdit:
    """The edit that makes `after` of `before`, None for a file that is not there."""
    was, now = (text.encode() if isinstance(text, str) else text for text in (before, after))
    patch = patch_of(was, now)
    hunks = parse(patch)[0].hunks if patch else ()
    status: Status = "added" if was is None else "deleted" if now is None else "modified"
    return FileEdit(path, "renamed" if old_path else status, old_path, was, now, patch=patch, hunks=hunks)


def hunks(patch: bytes) -> tuple[Hunk, ...]:
    return parse(b"diff --git a/f b/f\n--- a/f\n+++ b/f\n" + patch)[0].hunks if patch else ()


def told(found: Parts) -> list[tuple[str, str]]:
    return [(made.symbol, made.status) for made in found.symbols]


def body(*lines: str) -> bytes:
    return "\n".join(lines).encode()


def file(*lines: str) -> str:
    return "".join(f"{line}\n" for line in lines)


ALPHA = ("def alpha():", "    return 1")
BETA = ("def beta():", "    return 2")


def test_an_edited_function_has_its_whole_text_before_and_after_and_gits_own_hunk() -> None:
    before = file(
        "import os", "", "", "# Adds.", "@cached", "def add(a, b):", "    return a - b", "", "", *ALPHA
    )
    made = edit("sums.py", before, before.replace("a - b", "a + b"))
    hunk = (
        b"@@ -4,7 +4,7 @@ import os\n # Adds.\n @cached\n def add(a, b):\n-    return a - b\n+    return a + b\n"
        b" \n \n def alpha():\n"
    )
    assert made.patch.endswith(hunk)
    assert parts(made) == Parts(
        symbols=(
            SymbolEdit(
                path="sums.py",
                symbol="add",
                kind="function",
                status="modified",
                before=body("# Adds.", "@cached", "def add(a, b):", "    return a - b"),
                after=body("# Adds.", "@cached", "def add(a, b):", "    return a + b"),
                patch=hunk,
                start=4,
                end=7,
            ),
        ),
        language="python",
    )


def test_the_edit_of_a_small_function_is_not_the_one_that_git_shows_above_it() -> None:
    before = file(*ALPHA, "", *BETA, "", "x = 1")
    made = edit("small.py", before, before.replace("return 2", "return 22"))
    assert told(parts(made)) == [("beta", "modified")]


def test_methods_of_one_name_in_two_classes_are_two_symbols() -> None:
    before = file(
        "class A:", "    def run(self):", "        return 'a'", *["    # more"] * 12,
        "class B:", "    def run(self):", "        return 'b'",
    )  # fmt: skip
    found = parts(edit("two.py", before, before.replace("'a'", "'aa'").replace("'b'", "'bb'")))
    assert told(found) == [("A.run", "modified"), ("B.run", "modified")]
    assert [made.after for made in found.symbols] == [
        body("    def run(self):", "        return 'aa'"),
        body("    def run(self):", "        return 'bb'"),
    ]


@pytest.mark.parametrize(
    ("path", "method"),
    [
        ("a.go", "func (x *{}) Run() int {{\n\treturn {}\n}}\n"),
        ("a.cc", "int {}::Run() {{\n  return {};\n}}\n"),
        ("a.rs", "impl {} {{\n    fn Run() -> i32 {{ {} }}\n}}\n"),
    ],
)
def test_methods_outside_of_their_type_are_told_apart_by_it(path: str, method: str) -> None:
    before = method.format("A", 1) + method.format("B", 2)
    after = method.format("A", 2) + method.format("B", 1)
    found = parts(edit(path, before, after))
    assert [made.symbol for made in found.symbols if made.symbol.endswith("Run")] == ["A.Run", "B.Run"]
    assert {made.status for made in found.symbols} == {"modified"}


def test_two_hundred_lines_above_do_not_make_another_symbol() -> None:
    before = file(*ALPHA, "", *BETA)
    after = file(*[f"x{i} = {i}" for i in range(200)], *ALPHA, "", "def beta():", "    return 22")
    found = parts(edit("far.py", before, after))
    assert [(made.symbol, made.status, made.start, made.end) for made in found.symbols] == [
        ("beta", "modified", 204, 205)
    ]
    assert [(made.old_start, made.old_end, made.start, made.end) for made in found.loose] == [(1, 0, 1, 200)]


def test_symbols_that_only_went_to_other_lines_are_not_edited() -> None:
    before = file("import os", "", *ALPHA, "", *BETA)
    assert parts(edit("lines.py", before, "import re\n\n\n" + before)).symbols == ()


def test_a_hunk_over_two_functions_is_cut_and_each_part_has_its_own_header() -> None:
    before = file("import os", "", *ALPHA, "", *BETA, "", "x = 1")
    after = file(
        "import os",
        "",
        "def alpha():",
        "    return 11",
        "",
        "def beta():",
        "    return 22",
        "    # !",
        "",
        "x = 1",
    )
    found = parts(edit("both.py", before, after))
    assert [(made.symbol, made.patch) for made in found.symbols] == [
        (
            "alpha",
            b"@@ -1,6 +1,6 @@\n import os\n \n def alpha():\n-    return 1\n+    return 11\n \n def beta():\n",
        ),
        ("beta", b"@@ -5,5 +5,6 @@\n \n def beta():\n-    return 2\n+    return 22\n+    # !\n \n x = 1\n"),
    ]


def test_neighbouring_lines_of_two_functions_are_told_apart() -> None:
    before = file("def a(): return 1", "def b(): return 2", "def c(): return 3")
    after = file("def a(): return 10", "def b(): return 20", "def c(): return 3")
    found = parts(edit("close.py", before, after))
    assert [(made.symbol, made.patch) for made in found.symbols] == [
        ("a", b"@@ -1 +1 @@\n-def a(): return 1\n+def a(): return 10\n"),
        ("b", b"@@ -2,2 +2,2 @@\n-def b(): return 2\n+def b(): return 20\n def c(): return 3\n"),
    ]


def test_the_class_has_the_lines_that_lie_in_none_of_its_methods() -> None:
    before = file("class A:", "    x = 1", "", "    def run(self):", "        return 1")
    method = edit("a.py", before, before.replace("return 1", "return 2"))
    assert told(parts(method)) == [("A.run", "modified")]
    field = edit("a.py", before, before.replace("x = 1", "x = 2"))
    assert told(parts(field)) == [("A", "modified")]
    assert parts(field).symbols[0].after == body(
        "class A:", "    x = 2", "", "    def run(self):", "        return 1"
    )


def test_a_method_that_is_added_takes_the_blank_line_before_it_from_the_class() -> None:
    before = file("class A:", "    def run(self):", "        return 1")
    found = parts(edit("a.py", before, before + file("", "    def stop(self):", "        return 2")))
    assert told(found) == [("A.stop", "added")]
    assert found.symbols[0].patch == (
        b"@@ -1,3 +1,6 @@\n class A:\n     def run(self):\n         return 1\n"
        b"+\n+    def stop(self):\n+        return 2\n"
    )


def test_a_class_that_comes_or_goes_does_so_with_each_of_its_methods() -> None:
    text = file(
        "class A:",
        "    x = 1",
        "    def run(self):",
        "        def inner():",
        "            pass",
        "        return 1",
    )
    names = ["A", "A.run", "A.run.inner"]
    assert told(parts(edit("a.py", "import os\n", "import os\n" + text))) == [
        (name, "added") for name in names
    ]
    gone = parts(edit("a.py", "import os\n" + text, "import os\n"))
    assert told(gone) == [(name, "deleted") for name in names]
    assert [(made.before, made.after, made.start, made.end) for made in gone.symbols] == [
        (text.encode()[:-1], None, 2, 7),
        (
            body("    def run(self):", "        def inner():", "            pass", "        return 1"),
            None,
            4,
            7,
        ),
        (body("        def inner():", "            pass"), None, 5, 6),
    ]


def test_an_equal_body_under_another_name_was_renamed() -> None:
    before = file(*ALPHA, "", "def fold(items):", "    return fold(items[1:])")
    found = parts(edit("a.py", before, before.replace("fold", "reduce")))
    assert [(made.symbol, made.old_symbol, made.status) for made in found.symbols] == [
        ("reduce", "fold", "renamed")
    ]
    assert found.symbols[0].before == body("def fold(items):", "    return fold(items[1:])")


def test_a_like_body_under_another_name_was_renamed_and_an_unlike_one_is_another_symbol() -> None:
    lines = [f"    total += price_{i} * count_{i}" for i in range(9)]
    before = file("def total_of(cart):", "    total = 0", *lines, "    return total")
    after = file("def price(cart):", "    total = 1", *lines[1:], "    return total")
    assert [
        (made.symbol, made.old_symbol, made.status) for made in parts(edit("a.py", before, after)).symbols
    ] == [("price", "total_of", "renamed")]
    other = file("def price(cart):", "    return sum(line.price for line in cart)")
    assert sorted(told(parts(edit("a.py", before, other)))) == [("price", "added"), ("total_of", "deleted")]


def test_a_class_takes_its_methods_along_to_its_new_name() -> None:
    before = file("class Cart:", "    limit = 3", "    def add(self):", "        return self.limit")
    after = before.replace("Cart", "Basket").replace("return self.limit", "return self.limit + 1")
    found = parts(edit("a.py", before, after))
    assert [(made.symbol, made.old_symbol, made.status) for made in found.symbols] == [
        ("Basket", "Cart", "renamed"),
        ("Basket.add", "Cart.add", "renamed"),
    ]
    untouched = parts(edit("a.py", before, before.replace("Cart", "Basket")))
    assert [(made.symbol, made.status, made.patch == b"") for made in untouched.symbols] == [
        ("Basket", "renamed", False),
        ("Basket.add", "renamed", True),
    ]


def test_a_function_that_becomes_a_method_has_moved() -> None:
    before = file(
        "def area(shape):", "    return shape.width * shape.height", "", "class Shape:", "    x = 1"
    )
    after = file(
        "class Shape:", "    x = 1", "    def area(shape):", "        return shape.width * shape.height"
    )
    found = parts(edit("a.py", before, after))
    assert [(made.symbol, made.old_symbol, made.status) for made in found.symbols] == [
        ("Shape.area", "area", "moved")
    ]


def test_overloads_keep_their_threads_when_one_comes_before_them() -> None:
    first, second = (
        "  void add(String item) { list.add(item); }",
        "  void add(int item) { numbers.add(item); }",
    )
    before = file("class Cart {", first, second, "}")
    after = file("class Cart {", "  void add() { }", first, second.replace("numbers", "ints"), "}")
    found = parts(edit("Cart.java", before, after))
    assert [(made.symbol, made.old_symbol, made.status) for made in found.symbols] == [
        ("Cart.add", None, "added"),
        ("Cart.add#3", "Cart.add#2", "modified"),
    ]
    assert found.renumbered == (("Cart.add", "Cart.add#2", first.encode()),)


def test_a_function_that_changes_places_in_its_file_is_not_edited() -> None:
    big = ("def big():", *[f"    step_{i}()" for i in range(9)])
    found = parts(edit("a.py", file(*ALPHA, "", *big), file(*big, "", *ALPHA)))
    assert found.symbols == ()


def test_lines_in_no_symbol_are_loose_under_the_name_they_give_a_value_to() -> None:
    before = file(
        "import os", "", "LIMITS = {", "    'a': 1,", "    'b': 2,", "}", "", *ALPHA, "", "x = 1", "y = 2"
    )
    after = (
        before.replace("'b': 2", "'b': 3")
        .replace("y = 2\n", "")
        .replace("import os\n", "import os\nimport re\n")
    )
    found = parts(edit("a.py", before, after))
    assert found == Parts(
        loose=(
            LooseEdit(
                "a.py", 2, 5, 2, 6,
                b"@@ -1,8 +1,9 @@\n import os\n+import re\n \n LIMITS = {\n     'a': 1,\n-    'b': 2,\n+    'b': 3,\n"
                b" }\n \n def alpha():\n",
                "LIMITS",
            ),
            LooseEdit("a.py", 12, 12, 13, 12, b"@@ -9,4 +10,3 @@\n     return 1\n \n x = 1\n-y = 2\n", "y"),
        ),
        language="python",
    )  # fmt: skip


def test_loose_lines_on_both_sides_of_a_symbol_are_two_edits() -> None:
    before = file("x = 1", *ALPHA, "y = 2")
    found = parts(edit("a.py", before, file("x = 10", *ALPHA, "y = 20")))
    assert found.symbols == ()
    assert [(made.start, made.end, made.label, made.patch) for made in found.loose] == [
        (1, 1, "x", b"@@ -1,3 +1,3 @@\n-x = 1\n+x = 10\n def alpha():\n     return 1\n"),
        (4, 4, "y", b"@@ -2,3 +2,3 @@\n def alpha():\n     return 1\n-y = 2\n+y = 20\n"),
    ]


@pytest.mark.parametrize(
    ("path", "before", "change", "label"),
    [
        ("a.ts", "import a;\nexport const LIMITS = {\n  a: 1,\n};\n", ("a: 1", "a: 2"), "LIMITS"),
        ("a.go", "package a\n\nvar limits = []int{\n\t1,\n}\n", ("\t1", "\t2"), "limits"),
        ("a.rs", "pub const LIMITS: [u8; 1] = [\n  1,\n];\n", ("  1", "  2"), "LIMITS"),
        ("a.c", "#include <a.h>\nstatic const int limits[] = {\n  1,\n};\n", ("  1", "  2"), "limits"),
        ("a.c", "#define LIMIT 1\n", ("LIMIT 1", "LIMIT 2"), "LIMIT"),
        ("a.py", "limit: int = 1\n", ("= 1", "= 2"), "limit"),
        ("a.py", "if x:\n    y = 1\n", ("y = 1", "y = 2"), ""),
        ("a.md", "# One\n\n## Two ##\n```sh\n# no heading\n```\nold\n", ("old", "new"), "Two"),
        ("a.toml", "[tool.x]\na = 1\n[[more]]\nb = 1\n", ("b = 1", "b = 2"), "more"),
        ("a.yml", "on: push\njobs:\n  test:\n    steps: 1\n", ("steps: 1", "steps: 2"), "jobs"),
        ("a.rb", "def run\n  1\n  2\n  3\n  old\nend\n", ("old", "new"), "def run"),
        ("a.txt", "one\n", ("one", "two"), ""),
    ],
)
def test_a_label_names_what_loose_lines_stand_under(
    path: str, before: str, change: tuple[str, str], label: str
) -> None:
    found = parts(edit(path, before, before.replace(*change)))
    assert found.symbols == ()
    assert [made.label for made in found.loose] == [label]


def test_a_language_without_grammar_has_only_loose_edits_labelled_by_the_line_that_they_lie_under() -> None:
    long = "function " + "x" * 200
    before = file(long, *["  --"] * 5, "  one", *["  --"] * 9, "  two")
    made = edit("a.lua", before, before.replace("one", "1").replace("two", "2"))
    assert parts(made) == Parts(
        loose=(
            LooseEdit("a.lua", 7, 7, 7, 7, hunk_text(made, 0), long[:80].strip(), "low"),
            LooseEdit("a.lua", 17, 17, 17, 17, hunk_text(made, 1), long[:80].strip(), "low"),
        )
    )


def hunk_text(made: FileEdit, place: int) -> bytes:
    return b"@@ " + made.patch.split(b"\n@@ ")[place + 1].removesuffix(b"\n") + b"\n"


def test_a_new_file_has_every_symbol_added_and_no_blank_lines() -> None:
    found = parts(
        edit(
            "a.py", None, file("import os", "", "", *ALPHA, "", "", "class A:", "    x = 1", "", "", "x = 1")
        )
    )
    assert told(found) == [("alpha", "added"), ("A", "added")]
    assert [(made.start, made.end, made.label) for made in found.loose] == [(1, 3, ""), (10, 12, "x")]
    assert found.symbols[0].patch == b"@@ -0,0 +4,4 @@\n+def alpha():\n+    return 1\n+\n+\n"


def test_a_deleted_file_has_every_symbol_deleted() -> None:
    found = parts(edit("a.py", file("import os", "", *ALPHA, "", *BETA), None))
    assert told(found) == [("alpha", "deleted"), ("beta", "deleted")]
    assert [(made.old_start, made.old_end, made.start, made.end) for made in found.loose] == [(1, 2, 1, 0)]


def test_an_empty_file_comes_and_goes_without_parts() -> None:
    assert parts(edit("a.py", None, "")) == Parts(language="python")
    assert parts(edit("a.py", "", None)) == Parts(language="python")
    assert told(parts(edit("a.py", "", file(*ALPHA)))) == [("alpha", "added")]


def test_a_file_that_is_only_named_has_no_parts() -> None:
    assert parts(FileEdit(".env", "modified", named="secret")) == Parts()
    assert parts(FileEdit("a.py", "mode", before=b"x = 1\n", after=b"x = 1\n")) == Parts(language="python")


def test_a_side_whose_bytes_are_gone_makes_all_lines_loose() -> None:
    made = edit("a.py", file(*ALPHA), file(*BETA))
    gone = FileEdit("a.py", "modified", before=None, after=made.after, patch=made.patch, hunks=made.hunks)
    assert told(parts(gone)) == []
    assert [(loose.start, loose.end) for loose in parts(gone).loose] == [(1, 2)]


def test_a_renamed_file_takes_every_symbol_along() -> None:
    text = file(*ALPHA, "", *BETA)
    pure = parts(edit("new.py", text, text, old_path="old.py"))
    assert pure == Parts(
        symbols=(
            SymbolEdit(
                "new.py", "alpha", "function", "moved", body(*ALPHA), body(*ALPHA), b"", 1, 2, None, "old.py"
            ),
            SymbolEdit(
                "new.py", "beta", "function", "moved", body(*BETA), body(*BETA), b"", 4, 5, None, "old.py"
            ),
        ),
        language="python",
    )
    edited = parts(edit("new.py", text, text.replace("return 2", "return 22"), old_path="old.py"))
    assert [(made.symbol, made.status, made.old_path) for made in edited.symbols] == [
        ("alpha", "moved", "old.py"),
        ("beta", "modified", "old.py"),
    ]


def test_a_symbol_that_goes_to_another_file_is_moved() -> None:
    cart = ("class Cart:", "    def total(self):", "        return sum(line.price for line in self.lines)")
    changed = (*cart[:2], "        return sum(line.price for line in self.lines if line)")
    old, new = edit("a.py", file("x = 1", *cart), file("x = 1")), edit("b.py", None, file("y = 2", *changed))
    found = moved([(old, parts(old)), (new, parts(new))])
    assert [(made, told(its)) for made, its in found] == [
        (old, []),
        (new, [("Cart", "moved"), ("Cart.total", "moved")]),
    ]
    total = found[1][1].symbols[1]
    assert total == SymbolEdit(
        path="b.py",
        symbol="Cart.total",
        kind="method",
        status="moved",
        before=body(*cart[1:]),
        after=body(*changed[1:]),
        patch=total.patch,
        start=3,
        end=4,
        old_path="a.py",
    )
    assert total.patch == b"".join(b"+%s\n" % line.encode() for line in changed[1:]).join(
        [b"@@ -0,0 +3,2 @@\n", b""]
    )


def test_a_symbol_may_get_another_name_on_its_way_unless_it_is_too_short_to_be_known_again() -> None:
    long = ("def {}(cart):", "    return [line for line in cart if line.price > 0]")
    for text, expected in ((long, [("sieve", "moved", "pick")]), (ALPHA, [("sieve", "added", None)])):
        was = file(*text).replace("{}", "pick").replace("alpha", "pick")
        now = file(*text).replace("{}", "sieve").replace("alpha", "sieve")
        old, new = edit("a.py", was, ""), edit("b.py", "", now)
        found = moved([(new, parts(new)), (old, parts(old))])
        assert [(made.symbol, made.status, made.old_symbol) for made in found[0][1].symbols] == expected
        assert told(found[1][1]) == ([] if expected[0][1] == "moved" else [("pick", "deleted")])


def test_of_two_that_left_the_one_of_the_same_name_has_moved() -> None:
    first = edit("a.py", file("class A:", "    def run(self): return self.step(1, 2, 3)"), "")
    second = edit("b.py", file("class B:", "    def run(self): return self.step(1, 2, 3)"), "")
    new = edit("c.py", None, file("class B:", "    def run(self): return self.step(1, 2, 3)"))
    found = moved([(made, parts(made)) for made in (first, second, new)])
    assert [told(its) for _, its in found] == [
        [("A", "deleted"), ("A.run", "deleted")],
        [],
        [("B", "moved"), ("B.run", "moved")],
    ]
    assert [made.old_path for made in found[2][1].symbols] == ["b.py", "b.py"]


def test_half_written_code_neither_deletes_nor_adds_what_the_parser_cannot_see() -> None:
    whole = file(
        "class A:", "    def one(self):", "        x = call(1)", "", "    def two(self):", "        return 2"
    )
    half = whole.replace("call(1)", "call(").replace("return 2", "return 22")
    breaking = parts(edit("a.py", whole, half))
    assert [(made.symbol, made.status, made.confidence) for made in breaking.symbols] == [
        ("A.one", "modified", "high"),
        ("A.two", "modified", "low"),
    ]
    assert breaking.symbols[1].after == body("    def two(self):", "        return 22")
    mended = parts(edit("a.py", half, whole))
    assert [(made.symbol, made.status, made.confidence) for made in mended.symbols] == [
        ("A.one", "modified", "high"),
        ("A.two", "modified", "low"),
    ]


OURS, THEIRS = "    z = y * 3", "    z = y * 5"
MARKS = ("<<<<<<< HEAD", "=======", ">>>>>>> side")


def conflicting(*, last: bool = False, base: bool = False) -> str:
    """A class with a conflict in its first method, at its end or before, and a method below."""
    middle = ["||||||| 1a2b3c4", "    z = y * 2", MARKS[1]] if base else [MARKS[1]]
    block = [MARKS[0], *indented([OURS]), *middle, *indented([THEIRS]), MARKS[2]]
    rest = [] if last else ["        return z"]
    return file(
        "class A:",
        "    def one(self):",
        "        y = 1",
        *block,
        *rest,
        "",
        "    def two(self):",
        "        pass",
    )


@pytest.mark.parametrize("last", [True, False])
@pytest.mark.parametrize("base", [True, False])
@pytest.mark.parametrize("side", [OURS, THEIRS])
def test_a_conflict_belongs_to_the_symbol_that_it_began_in(last: bool, base: bool, side: str) -> None:
    marked = conflicting(last=last, base=base)
    start = marked.index(MARKS[0])
    end = marked.index(MARKS[2]) + len(MARKS[2]) + 1
    clean = marked[:start] + file(*indented([side])) + marked[end:]
    for before, after in ((clean, marked), (marked, clean)):
        found = parts(edit("a.py", before, after))
        assert [(made.symbol, made.status, made.confidence) for made in found.symbols] == [
            ("A.one", "modified", "low")
        ]
        assert found.loose == ()
        text = after[after.index("    def one") : after.index("\n\n    def two")]
        assert found.symbols[0].after == text.encode()


def test_a_conflict_between_symbols_is_of_none() -> None:
    clean = file(*ALPHA, "", *BETA)
    marked = file(*ALPHA, "", MARKS[0], "def ours():", "    return 3", "", MARKS[1], "x = 5", MARKS[2], *BETA)
    found = parts(edit("a.py", clean, marked))
    assert told(found) == [("ours", "added")]
    assert [made.start for made in found.loose] == [4, 7]
    assert told(parts(edit("a.py", marked, file(*ALPHA, "", "x = 5", *BETA)))) == [("ours", "deleted")]


def test_a_marker_that_was_left_behind_hides_nothing() -> None:
    clean = file("def alpha():", "    one()", "    return 1", "", *BETA)
    left = clean.replace("    return 1", f"{MARKS[2]}\n    return 1")
    found = parts(edit("a.py", left, left.replace("return 1", "return 11")))
    assert [(made.symbol, made.after) for made in found.symbols] == [
        ("alpha", body("def alpha():", "    one()", MARKS[2], "    return 11"))
    ]


def test_what_half_written_code_cuts_off_stays_its_symbols_own() -> None:
    before = file("def alpha(x):", "    for i in x:", "        one(i)", "    return 1", "", *BETA)
    half = before.replace("in x:", "in (x:")
    for was, now in ((before, half), (half, before)):
        found = parts(edit("a.py", was, now))
        assert [(made.symbol, made.status, made.confidence, made.end) for made in found.symbols] == [
            ("alpha", "modified", "low", 4)
        ]
        assert found.loose == ()


def test_of_a_very_long_line_with_many_symbols_it_is_said_only_that_it_changed() -> None:
    line = "var a=function(){return 1+1};" + ";".join(f"function f{n}(){{return {n}}}" for n in range(200))
    text = file("function big() {", "  return 1;", "}", line)
    found = parts(edit("a.js", text, text.replace("1+1", "1+2").replace("return 1;", "return 2;")))
    assert told(found) == [("big", "modified")]
    assert [(made.start, made.end, made.label, made.confidence) for made in found.loose] == [
        (4, 4, "", "low")
    ]


def test_overloads_that_change_places_are_renumbered_and_not_edited() -> None:
    first, second = (
        "  void add(String item) { list.add(item); }",
        "  void add(int item) { numbers.add(item); }",
    )
    found = parts(
        edit("C.java", file("class C {", first, second, "}"), file("class C {", second, first, "}"))
    )
    assert (found.symbols, set(found.renumbered)) == (
        (),
        {("C.add", "C.add#2", first.encode()), ("C.add#2", "C.add", second.encode())},
    )


@pytest.mark.parametrize(
    ("path", "text", "label"),
    [
        ("a.kt", "class A {\n  fun one(): Int {\n  }\n\n  fun two(): Int {\n    OLD\n  }\n}\n", "fun two(): Int {"),
        ("a.kt", "class A {\n  fun one(): Int {\n    return 1\n  }\n\n  OLD\n}\n", "class A {"),
        ("a.kt", "class A {\n  fun one(\n    a: Int,\n  ): Int {\n    OLD\n  }\n}\n", "fun one("),
        ("a.rb", "class A\n  def one\n    1\n  end\n\n  def two\n    OLD\n  end\nend\n", "def two"),
        ("a.rb", "def one\n  1\nend\n\nOLD\n", ""),
        ("a.php", "<?php\nfunction one() {\n}\n\nfunction two() {\n  if (x) {\n    OLD\n  }\n}\n", "function two() {"),
        ("a.cs", "class A {\n    int One() {\n    }\n\n    int Two()\n    {\n        OLD\n    }\n}\n", "int Two()"),
        ("a.swift", "class A {\n  func one() {\n  }\n  func two() -> Int {\n    OLD\n  }\n}\n", "func two() -> Int {"),
        ("a.sql", "CREATE VIEW one AS\n1;\n\nCREATE FUNCTION two() AS $$\nOLD\n$$;\n", "CREATE FUNCTION two() AS $$"),
        ("a.vue", "export default {\n  methods: {\n    two() {\n      OLD;\n    },\n  },\n};\n", "two() {"),
        ("a.sh", "one() {\n  1\n}\n\ntwo() {\n  OLD\n}\n", "two() {"),
        ("Makefile", "all: one two\n\nclean:\n\trm OLD\n", "clean:"),
        ("a.txt", "one\ntwo\nOLD\n", ""),
    ],
)  # fmt: skip
def test_without_a_grammar_the_label_is_the_line_that_the_edit_lies_under_and_uncertain(
    path: str, text: str, label: str
) -> None:
    (made,) = parts(edit(path, text, text.replace("OLD", "NEW"))).loose
    assert (made.label, made.confidence) == (label, "low" if label else "high")


def test_line_ends_are_part_of_a_symbol() -> None:
    text = file(*ALPHA, "", *BETA)
    found = parts(edit("a.py", text, text.replace("def alpha():\n", "def alpha():\r\n")))
    assert [(made.symbol, made.before, made.after) for made in found.symbols] == [
        ("alpha", body(*ALPHA), b"def alpha():\r\n    return 1")
    ]


def test_bytes_that_are_no_text_stay_what_they_are() -> None:
    before = b"# \xff\xfe\r\ndef caf\xe9():\r\n\treturn '\xe9'\r\n"
    found = parts(edit("a.py", before, before.replace(b"'\xe9'", b"'\x80'")))
    assert [(made.start, made.end, made.after) for made in found.symbols] == [
        (1, 3, b"# \xff\xfe\r\ndef caf\xe9():\r\n\treturn '\x80'\r")
    ]


def test_a_last_line_without_its_feed_keeps_gits_mark() -> None:
    found = parts(edit("a.py", file(*ALPHA) + "def beta(): pass", file(*ALPHA) + "def beta(): return"))
    assert told(found) == [("beta", "modified")]
    assert found.symbols[0].patch == (
        b"@@ -1,3 +1,3 @@\n def alpha():\n     return 1\n-def beta(): pass\n\\ No newline at end of file\n"
        b"+def beta(): return\n\\ No newline at end of file\n"
    )


def test_a_line_feed_that_the_last_line_gets_from_the_next_symbol_is_no_edit_of_it() -> None:
    found = parts(edit("a.py", "def alpha(): pass", "def alpha(): pass\n\ndef beta(): pass\n"))
    assert told(found) == [("beta", "added")]


@pytest.mark.parametrize(
    ("path", "before", "change", "expected"),
    [
        ("a.go", "func (t *T) Run() {\n\tone()\n}\n", ("one", "two"), ("T.Run", "method")),
        ("a.ts", "const api = {\n  get() {\n    one();\n  },\n};\n", ("one", "two"), ("api.get", "method")),
        ("a.rs", "impl T {\n    fn run() {\n        one();\n    }\n}\n", ("one", "two"), ("T.run", "method")),
        (
            "A.java",
            "class A {\n  class B {\n    void run() {}\n  }\n}\n",
            ("{}", "{ two(); }"),
            ("A.B.run", "method"),
        ),
        ("a.c", "int run(void)\n{\n  one();\n}\n", ("one", "two"), ("run", "function")),
        ("a.cc", "void A::run() {\n  one();\n}\n", ("one", "two"), ("A.run", "method")),
        (
            "a.jsx",
            "export default function () {\n  return <p>one</p>;\n}\n",
            ("one", "two"),
            ("default", "function"),
        ),
    ],
)
def test_each_language_puts_an_edit_under_its_qualified_name(
    path: str, before: str, change: tuple[str, str], expected: tuple[str, str]
) -> None:
    found = parts(edit(path, before, before.replace(*change)))
    assert [(made.symbol, made.kind) for made in found.symbols] == [expected]
    assert found.loose == ()


def test_git_itself_can_apply_the_parts(tmp_path: Path) -> None:
    before = file(
        "import os", "", *ALPHA, "", *BETA, "", "class A:", "    x = 1", "", "    def run(self): pass"
    )
    after = (
        before.replace("import os", "import re").replace("return 1", "return 11").replace("x = 1", "x = 2")
    )
    after = after.replace("def beta():\n    return 2\n\n", "")
    found = parts(edit("f", before, after)).loose + parts(edit("f.py", before, after)).symbols
    for made in found:
        (tmp_path / "f").write_bytes(before.encode())
        patch = b"diff --git a/f b/f\n--- a/f\n+++ b/f\n" + made.patch
        ran = ["git", "apply", "--unidiff-zero", "-"]
        subprocess.run(ran, cwd=tmp_path, env=ENV, input=patch, check=True, capture_output=True)


Module = list[list[str]]
NAMES = st.sampled_from(["alpha", "beta", "gamma", "delta"])
STATEMENTS = st.lists(
    st.sampled_from(["one()", "two()", "three()", "four(1)", "five(2)", "# note", "x = 1"]),
    min_size=1,
    max_size=4,
)


def indented(lines: Iterable[str]) -> list[str]:
    return [f"    {line}" if line else line for line in lines]


@st.composite
def functions(draw: st.DrawFn) -> list[str]:
    above = draw(st.sampled_from([[], [], ["# why"], ["# why", "@one"], ["@two"], ["# apart", ""]]))
    word, inner = draw(st.sampled_from(["def", "def", "async def"])), []
    if draw(st.integers(0, 4)) == 0:
        inner = [f"def {draw(NAMES)}():", *indented(draw(STATEMENTS)), "    pass"]
    return [*above, f"{word} {draw(NAMES)}(a):", *indented([*inner, *draw(STATEMENTS), "return a"])]


@st.composite
def classes(draw: st.DrawFn) -> list[str]:
    methods = [["", *lines] for lines in draw(st.lists(functions(), max_size=3))]
    return [
        f"class {draw(NAMES)}:",
        *indented(["x = 1", *[line for lines in methods for line in lines], "y = 2"]),
    ]


BLOCKS = st.one_of(functions(), functions(), classes(), STATEMENTS, st.just(["# alone"]))


@st.composite
def edits(draw: st.DrawFn) -> tuple[Module, Module]:
    """A module and what a few insertions, deletions, moves and changed lines made of it."""
    before = draw(st.lists(BLOCKS, max_size=7))
    after = [list(block) for block in before]
    for _ in range(draw(st.integers(1, 4))):
        what = draw(st.sampled_from(["insert", "delete", "move", "line", "line", "rename"]))
        if what == "insert" or not after:
            after.insert(draw(st.integers(0, len(after))), draw(BLOCKS))
            continue
        block = list(after.pop(draw(st.integers(0, len(after) - 1))))
        if what == "delete":
            continue
        if what == "line":
            place = draw(st.integers(0, len(block) - 1))
            if (
                block[place].strip()
                and not block[place].endswith(":")
                and not block[place].strip().startswith("@")
            ):
                indent = block[place][: len(block[place]) - len(block[place].lstrip())]
                block[place : place + 1] = [indent + line for line in draw(STATEMENTS)]
        elif what == "rename":
            block = [line.replace("(a):", "(b):").replace("alpha", "omega") for line in block]
        after.insert(draw(st.integers(0, len(after))), block)
    return before, after


def owners(source: str) -> list[tuple[str, bytes]]:
    """For each line, from 1, the name and text of the innermost symbol that `ast` says it lies in."""
    lines = source.split("\n")
    owner = [("", b"")] * (len(lines) + 1)
    for name, start, end in by_ast(source):
        text = "\n".join(lines[start - 1 : end]).encode()
        owner[start : end + 1] = [(name, text)] * (end + 1 - start)
    return owner


def unnumbered(owner: tuple[str, bytes]) -> tuple[str, bytes]:
    return owner[0].partition("#")[0], owner[1]


def changed(found: Iterable[Hunk]) -> list[tuple[bytes, int, bytes]]:
    """Sign, number and text of each line that comes or goes, without blank ones."""
    lines = []
    for hunk in found:
        old, new = hunk.old_start + (not hunk.old_lines), hunk.new_start + (not hunk.new_lines)
        for line in hunk.lines:
            sign = line[:1]
            if sign in (b"-", b"+") and line[1:].strip():
                lines.append((sign, old if sign == b"-" else new, line[1:]))
            old, new = old + (sign in (b"-", b" ")), new + (sign in (b"+", b" "))
    return lines


@settings(max_examples=120, deadline=None)
@given(edits(), st.integers(0, 2), st.booleans())
def test_every_edited_line_is_put_where_ast_says_it_lies(
    modules: tuple[Module, Module], apart: int, ends: bool
) -> None:
    before, after = (
        "\n".join(line for block in module for line in [*block, *[""] * apart]) + ("\n" if ends else "")
        for module in modules
    )
    made = edit("module.py", before, after)
    found = parts(made)
    was, now = owners(before), owners(after)
    # Of one name the second has a number, which is another when one is put before it.
    stayed = {unnumbered(owner) for owner in was} & {unnumbered(owner) for owner in now}
    named: dict[tuple[bytes, int], str] = {}
    for symbol in found.symbols:
        for body_, image in ((symbol.before, before), (symbol.after, after)):
            assert body_ is None or body_ in image.encode()
        if symbol.after is not None:
            assert symbol.after == b"\n".join(after.encode().split(b"\n")[symbol.start - 1 : symbol.end])
        for sign, number, _ in changed(hunks(symbol.patch)):
            assert (sign, number) not in named
            named[sign, number] = (symbol.old_symbol or symbol.symbol) if sign == b"-" else symbol.symbol
    for loose in found.loose:
        for sign, number, _ in changed(hunks(loose.patch)):
            assert (sign, number) not in named
            named[sign, number] = ""
    for sign, number, _ in changed(made.hunks):
        owner = (was if sign == b"-" else now)[number]
        # What is byte for byte what it was is not edited, wherever the diff went through it.
        assert named.get((sign, number)) == owner[0] or (
            (sign, number) not in named and unnumbered(owner) in stayed
        )


@settings(max_examples=80, deadline=None)
@given(edits(), st.booleans())
def test_the_patch_of_each_part_fits_both_images(modules: tuple[Module, Module], ends: bool) -> None:
    before, after = (
        "\n".join(line for block in module for line in block) + "\n" * ends for module in modules
    )
    made = edit("module.py", before, after)
    found = parts(made)
    patches = [part.patch for part in found.symbols] + [part.patch for part in found.loose]
    for patch in patches:
        its = hunks(patch)
        apply(before.encode(), its)
        apply(after.encode(), [reverse(hunk) for hunk in its])
    if patches and len(changed(made.hunks)) == len(changed(hunks(patches[0]))):
        # All that was edited lies in one symbol, or in none.
        assert made.patch.endswith(patches[0])


def reverse(hunk: Hunk) -> Hunk:
    sign = {b"-": b"+", b"+": b"-"}
    lines = tuple(sign.get(line[:1], line[:1]) + line[1:] for line in hunk.lines)
    return Hunk(hunk.new_start, hunk.new_lines, hunk.old_start, hunk.old_lines, b"", lines)
