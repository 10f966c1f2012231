from __future__ import annotations

import textwrap

import pytest
from backstory.pipelines.code.outlines import Outline, Symbol, innermost, outline, owners
from hypothesis import given, settings
from hypothesis import strategies as st

from .said_by_ast import by_ast

LIMIT = 1_000_000


def listed(path: str, source: str | bytes) -> list[tuple[str, str, int, int]]:
    """Name, kind, first and last line of every symbol; a text is taken without its indentation."""
    content = source if isinstance(source, bytes) else textwrap.dedent(source).lstrip("\n").encode()
    made = outline(path, content)
    assert made is not None
    return [(symbol.name, symbol.kind, symbol.start, symbol.end) for symbol in made.symbols]


def test_a_python_symbol_has_its_decorators_and_the_comment_above_with_it() -> None:
    assert listed(
        "shop/cart.py",
        """
        #!/usr/bin/env python
        def first():
            pass

        # Not glued.

        # What a cart costs.
        @cached(
            60,
        )
        # between
        async def total(cart):
            def line(item):
                return item.price
            return sum(map(line, cart))
            # the end of total


        class Cart(dict):
            # of the class
            limit = 3

            # glued
            def add(self, item): ...

            @property
            def size(self): return len(self)
            @size.setter
            def size(self, value): ...
        # of nobody

        if True:
            def maybe(): ...
        else:
            def maybe(): ...
        """,
    ) == [
        ("first", "function", 2, 3),
        ("total", "function", 7, 16),
        ("total.line", "function", 13, 14),
        ("Cart", "class", 19, 29),
        ("Cart.add", "method", 23, 24),
        ("Cart.size", "method", 26, 27),
        ("Cart.size#2", "method", 28, 29),
        ("maybe", "function", 33, 33),
        ("maybe#2", "function", 35, 35),
    ]


def test_typescript_names_what_is_bound_to_a_name() -> None:
    assert listed(
        "src/app.ts",
        """
        import x from "y";

        /** A page. */
        @Component({ selector: "page" })
        export class Page<T> extends Base {
          static count = 1;
          /** Runs. */
          @Hook()
          private async run(a: string): Promise<void> {
            const inner = (x: number) => {
              return x;
            };
          }
          load(a: string): void;
          load(a: any) {}
          handler = async () => {};
          #secret() {}
        }
        // glued
        export const add = (a: number, b: number) => a + b;
        const limit = 1;
        export default function main() {}
        export interface Shape { area(): number }
        export type Name = { first: string };
        export enum Colour { Red }
        export namespace Geo.Flat { export function area() {} }
        const api = {
          get() {},
          nested: { post: async () => {} },
          plain: 1,
        } as const;
        call({ unbound() {}, b: () => {} });
        module.exports = { x() {} };
        Page.prototype.show = function () {};
        (x as any).hidden = function () {};
        export const View = memo(forwardRef((props) => {
          return 1;
        }));
        """,
    ) == [
        ("Page", "class", 3, 18),
        ("Page.run", "method", 7, 13),
        ("Page.run.inner", "function", 10, 12),
        ("Page.load", "method", 14, 14),
        ("Page.load#2", "method", 15, 15),
        ("Page.handler", "method", 16, 16),
        ("Page.#secret", "method", 17, 17),
        ("add", "function", 19, 20),
        ("main", "function", 22, 22),
        ("Shape", "interface", 23, 23),
        ("Name", "type", 24, 24),
        ("Colour", "enum", 25, 25),
        ("Geo.Flat", "namespace", 26, 26),
        ("Geo.Flat.area", "function", 26, 26),
        ("api.get", "method", 28, 28),
        ("api.nested.post", "method", 29, 29),
        ("module.exports.x", "method", 33, 33),
        ("Page.prototype.show", "function", 34, 34),
        ("View", "function", 36, 38),
    ]


def test_javascript_and_tsx_are_read_with_their_own_grammars() -> None:
    assert listed("a.mjs", "export default { data() {}, methods: { go() {} } };\n") == [
        ("default.data", "method", 1, 1),
        ("default.methods.go", "method", 1, 1),
    ]
    assert listed("a.js", "export default class { m() {} }\nexport default () => {}\nfunction* g() {}\n") == [
        ("default", "class", 1, 1),
        ("default.m", "method", 1, 1),
        ("default#2", "function", 2, 2),
        ("g", "function", 3, 3),
    ]
    assert listed("a.tsx", "const A = (p: P) => <div>{p.x}</div>;\n") == [("A", "function", 1, 1)]


def test_a_go_method_is_named_by_its_receiver() -> None:
    assert listed(
        "tree.go",
        """
        package tree

        // Tree holds.
        type Tree struct {
        \troot *node
        }

        type (
        \t// Key sorts.
        \tKey interface{ Less() bool }
        \tName = string
        )

        // Walk walks.
        func (t *Tree) Walk() error {
        \tvisit := func() {}
        \treturn nil
        }
        func (l List[K, V]) Push(x K) {}
        func Map[T any](x []T) []T { return x }
        var handler = func() {}
        var command = &Command{Run: func() {}}
        """,
    ) == [
        ("Tree", "type", 3, 6),
        ("Key", "type", 9, 10),
        ("Name", "type", 11, 11),
        ("Tree.Walk", "method", 14, 18),
        ("Tree.Walk.visit", "function", 16, 16),
        ("List.Push", "method", 19, 19),
        ("Map", "function", 20, 20),
        ("handler", "function", 21, 21),
    ]


def test_a_rust_impl_lies_under_its_type() -> None:
    assert listed(
        "src/lib.rs",
        """
        //! The crate.

        /// A tree.
        #[derive(Debug)]
        #[serde(default)] // as stored
        pub struct Tree<T> { root: T }

        impl<T> Tree<T> {
            const LIMIT: i32 = 1;
            /// Empty.
            #[inline]
            pub fn new() -> Self { fn helper() {} }
        }
        impl<'a, T: Clone> fmt::Display for &'a mut tree::Tree<T> { fn fmt(&self) {} }
        impl Debug for Tree<u8> { fn fmt(&self) {} }
        pub trait Walk { fn next(&self); fn all(&self) {} }
        mod tests { #[test] fn grows() {} }
        mod other;
        macro_rules! tree { () => {} }
        enum Side { Left }
        union Raw { a: u8 }
        """,
    ) == [
        ("Tree", "struct", 3, 6),
        ("Tree.impl", "impl", 8, 13),
        ("Tree.new", "method", 10, 12),
        ("Tree.new.helper", "function", 12, 12),
        ("Tree.Display", "impl", 14, 14),
        ("Tree.fmt", "method", 14, 14),
        ("Tree.Debug", "impl", 15, 15),
        ("Tree.fmt#2", "method", 15, 15),
        ("Walk", "trait", 16, 16),
        ("Walk.next", "method", 16, 16),
        ("Walk.all", "method", 16, 16),
        ("tests", "module", 17, 17),
        ("tests.grows", "function", 17, 17),
        ("tree", "macro", 19, 19),
        ("Side", "enum", 20, 20),
        ("Raw", "union", 21, 21),
    ]


def test_java_names_nested_classes_and_what_holds_an_anonymous_one() -> None:
    assert listed(
        "Cart.java",
        """
        package shop;
        /** A cart. */
        @Entity
        public class Cart<T> extends Base {
          private int limit = 1;
          static final Adapter<T> ADAPTER = new Adapter<T>() {
            @Override public void write() {}
          }.nullSafe();
          /** Empty. */
          public Cart() {}
          @Override
          public void add(String item) { }
          public void add(int item) {}
          class Line { void price() {} }
          enum State { OPEN { void close() {} }; }
          interface Listener { void changed(); }
          record Size(int n) { Size {} }
        }
        """,
    ) == [
        ("Cart", "class", 2, 18),
        ("Cart.ADAPTER.write", "method", 7, 7),
        ("Cart.Cart", "method", 9, 10),
        ("Cart.add", "method", 11, 12),
        ("Cart.add#2", "method", 13, 13),
        ("Cart.Line", "class", 14, 14),
        ("Cart.Line.price", "method", 14, 14),
        ("Cart.State", "enum", 15, 15),
        ("Cart.State.OPEN.close", "method", 15, 15),
        ("Cart.Listener", "interface", 16, 16),
        ("Cart.Listener.changed", "method", 16, 16),
        ("Cart.Size", "record", 17, 17),
        ("Cart.Size.Size", "method", 17, 17),
    ]


def test_c_names_functions_and_types_that_have_a_body() -> None:
    assert listed(
        "heap.c",
        """
        #include <heap.h>
        /* Takes from the top. */
        static int
        *pop(struct heap *h)
        {
          return 0;
        }
        struct heap { int n; };
        typedef struct { int b; } pair_t;
        typedef struct tag { int b; } tag_t;
        enum side { LEFT };
        enum { ANONYMOUS };
        union raw { int a; };
        int declared(int);
        int (*chosen(int x))(int) { return 0; }
        #ifdef DEBUG
        void dump(void) {}
        #endif
        """,
    ) == [
        ("pop", "function", 2, 7),
        ("heap", "struct", 8, 8),
        ("pair_t", "struct", 9, 9),
        ("tag", "struct", 10, 10),
        ("side", "enum", 11, 11),
        ("raw", "union", 13, 13),
        ("chosen", "function", 15, 15),
        ("dump", "function", 17, 17),
    ]


def test_cpp_names_by_namespace_and_class_inside_and_out_of_line() -> None:
    assert listed(
        "tree.cpp",
        """
        namespace wood::oak {
        class Tree : public Base {
         public:
          Tree() : n(1) {}
          operator bool() const { return n; }
          bool operator==(const Tree& other) const = default;
          void declared();
        };
        }
        namespace wood::oak { void later() {} }
        namespace { void hidden() {} }
        void Tree::grow() {}
        wood::oak::Tree::~Tree() {}
        // The root.
        template <typename T>
        T& wood::Tree<T>::root() { return r; }
        template <>
        struct hash<Tree> { int operator()(int x) { return 1; } };
        TEST(TreeTest, Grows) {}
        TEST(TreeTest, Falls) {}
        """,
    ) == [
        ("wood.oak", "namespace", 1, 9),
        ("wood.oak.Tree", "class", 2, 8),
        ("wood.oak.Tree.Tree", "method", 4, 4),
        ("wood.oak.Tree.operator bool", "method", 5, 5),
        ("wood.oak.Tree.operator==", "method", 6, 6),
        ("wood.oak#2", "namespace", 10, 10),
        ("wood.oak.later", "function", 10, 10),
        ("hidden", "function", 11, 11),
        ("Tree.grow", "method", 12, 12),
        ("wood.oak.Tree.~Tree", "method", 13, 13),
        ("wood.Tree.root", "method", 14, 16),
        ("hash", "struct", 17, 18),
        ("hash.operator()", "method", 18, 18),
        ("TEST(TreeTest, Grows)", "function", 19, 19),
        ("TEST(TreeTest, Falls)", "function", 20, 20),
    ]


@pytest.mark.parametrize(
    ("source", "language"),
    [
        (b"struct a { int b; };\nint f(void);\n", "c"),
        (b"class A { void f() {} };\n", "cpp"),
        (b"namespace a { struct B {}; }\n", "cpp"),
        (b"struct A { A(int n) : n(n) {} int n; bool operator==(const A&) const { return 1; } };\n", "cpp"),
    ],
)
def test_a_header_is_c_unless_cpp_reads_it_better(source: bytes, language: str) -> None:
    made = outline("a.h", source)
    assert made is not None
    assert made.language == language


@pytest.mark.parametrize(
    ("path", "content"),
    [
        ("notes.txt", b"def f(): ..."),
        ("py", b"def f(): ..."),
        ("a.py/notes", b"def f(): ..."),
        ("a.py", b"def f(): ...\0"),
        ("a.py", b"x" * (LIMIT + 1)),
    ],
)
def test_what_is_no_code_that_we_read_has_no_outline(path: str, content: bytes) -> None:
    assert outline(path, content) is None


def test_an_empty_file_has_an_outline_without_symbols() -> None:
    assert outline("a.py", b"") == Outline("python", ())


def test_a_megabyte_on_one_line_is_read() -> None:
    assert listed("a.js", b"function f(){x='" + b"x" * 999_000 + b"'}") == [("f", "function", 1, 1)]


@pytest.mark.parametrize("suffix", ["py", "tsx", "go", "rs", "java", "cpp"])
@pytest.mark.parametrize(
    "nest",
    [
        b"[" * 5000,
        b"(" * 5000 + b")" * 5000,
        b"a = {b: " * 5000,
        b"/* */ " * 5000,
        b"void f() { class A {" * 2000,
    ],
)
def test_deep_nesting_is_read_to_its_end(suffix: str, nest: bytes) -> None:
    made = outline(f"a.{suffix}", nest)
    assert made is not None
    assert [symbol for symbol in made.symbols if (symbol.start, symbol.end) != (1, 1)] == []


def test_a_broken_file_keeps_the_symbols_that_can_be_made_out() -> None:
    assert listed(
        "a.py",
        """
        class A:
            def fine(self):
                return 1

            def broken(self):
                x = call(

            def hidden(self):
                return 3
        """,
    ) == [("A", "class", 1, 9), ("A.fine", "method", 2, 3), ("A.broken", "method", 5, 9)]
    assert listed(
        "a.ts",
        """
        class A {
          fine() { return 1 }
          broken() {
            if (x {
          }
          hidden() {}
        }
        function later() {}
        """,
    ) == [
        ("A", "class", 1, 7),
        ("A.fine", "method", 2, 2),
        ("A.broken", "method", 3, 6),
        ("later", "function", 8, 8),
    ]


@pytest.mark.parametrize("prefix", [b"", b"\xef\xbb\xbf"])
@pytest.mark.parametrize("feed", [b"\n", b"\r\n"])
@pytest.mark.parametrize("end", [b"", b"\n"])
def test_line_ends_marks_and_bytes_that_are_no_text_do_not_move_a_symbol(
    prefix: bytes, feed: bytes, end: bytes
) -> None:
    lines = [
        b"# \xff caf\xe9",
        b"@one",
        b"def f():",
        b"\treturn '\xe9'",
        b"",
        b"class A:",
        b"\tdef m(self): pass",
    ]
    assert listed("a.py", prefix + feed.join(lines) + (feed if end else b"")) == [
        ("f", "function", 1, 4),
        ("A", "class", 6, 7),
        ("A.m", "method", 7, 7),
    ]


def test_the_innermost_symbol_holds_the_line_and_nothing_closer_does() -> None:
    made = outline("a.py", b"x = 1\nclass A:\n    y = 2\n    def m(self):\n        pass\n\ndef f(): ...\n")
    assert made is not None
    a, m, f = made.symbols
    assert [innermost(made, line) for line in range(1, 9)] == [None, a, a, m, m, None, f, None]
    assert owners(made.symbols, 7) == [-1, -1, 0, 0, 1, 1, -1, 2]
    assert a == Symbol("A", "class", 2, 5, 2)


NAMES = st.sampled_from(["alpha", "beta", "gamma", "delta"])
COMMENT = st.sampled_from([[], [], ["# why"], ["# why", "# and how"], ["# apart", ""]])


def indented(lines: list[str]) -> list[str]:
    return [f"    {line}" if line else line for line in lines]


@st.composite
def definitions(draw: st.DrawFn, depth: int = 0) -> list[str]:
    """The lines of a function or class."""
    above = draw(COMMENT) + draw(st.sampled_from([[], ["@one"], ["@two(", "    2)", "# between"]]))
    name = draw(NAMES)
    inner = draw(st.lists(definitions(depth + 1), max_size=2)) if depth < 3 else []
    tail = draw(st.sampled_from([[], ["# the end"], ["", "# the end"]]))
    spaced = [line for lines in inner for line in [*lines, *[""] * draw(st.integers(0, 2))]]
    if draw(st.booleans()):
        return [*above, f"class {name}:", *indented(["x = 1", *spaced, "y = 2", *tail])]
    word = draw(st.sampled_from(["def", "async def"]))
    return [*above, f"{word} {name}(a):", *indented([*spaced, f"return {draw(st.integers(0, 3))}", *tail])]


@settings(max_examples=80, deadline=None)
@given(st.lists(definitions(), max_size=4), st.integers(0, 2))
def test_an_outline_of_python_is_what_ast_says(blocks: list[list[str]], apart: int) -> None:
    source = "\n".join(line for block in blocks for line in [*block, "TOP = 1", *[""] * apart])
    made = outline("a.py", source.encode())
    assert made is not None
    assert [(symbol.name, symbol.start, symbol.end) for symbol in made.symbols] == by_ast(source)
