"""The definitions in a syntax tree: what a query captured, with names dug out and ranges made whole."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from tree_sitter import Node

Captures: TypeAlias = "dict[str, list[Node]]"
NAME_LIMIT = 200
NAMING = {"name", "path", "declarator", "receiver", "target", "pair"}
RECEIVER = re.compile(r"(\w+)\s*(?:\[.*\])?\s*,?\s*\)$", re.DOTALL)
PATH = re.compile(r"[\w$#]+(?:\.[\w$#]+)*")
MEMBERS = {"pair", "method_definition"}
WORDS = re.compile(r"~?\w+")
MACRO = re.compile(r"[A-Z][A-Z0-9_]+")
RUST_TYPE = re.compile(r"^(?:[&*]|'\w+\b|\bmut\b|\bconst\b|\bdyn\b|\s)*((?:\w+\s*::\s*)*)(\w+)")


@dataclass(frozen=True, slots=True)
class Found:
    """A node that gives a name: bytes say what lies in what, rows (from 0) what is shown. No kind: only a scope."""

    kind: str
    name: str
    scope: str
    begins: int
    ends: int
    first: int
    last: int
    row: int
    column: int


def definitions(matches: list[Captures], content: bytes) -> list[Found]:
    """The nodes with names in their order, an outer one first; none in object literals that are bound to no name."""
    outer: dict[int, Node] = {}
    named: dict[int, tuple[Node, str, Captures]] = {}
    literals: list[Node] = []
    for nodes in matches:
        if "inner" in nodes:
            outer[nodes["inner"][0].id] = nodes["outer"][0]
        elif "literal" in nodes:
            literals += nodes["literal"]
        elif "above" not in nodes:
            kind = "object" if "object" in nodes else next(key for key in nodes if key not in NAMING)
            named.setdefault(nodes[kind][0].id, (nodes[kind][0], kind, nodes))
    unbound = _unbound(literals, named)
    return [
        found
        for node, kind, nodes in sorted(named.values(), key=lambda one: (one[0].start_byte, -one[0].end_byte))
        if node.id not in unbound and (found := _found(node, kind, nodes, outer, content))
    ]


def _unbound(literals: list[Node], named: dict[int, tuple[Node, str, Captures]]) -> set[int]:
    """The members of object literals that no name leads to, and the literals in them."""
    members = [
        (node if kind == "method" else nodes["pair"][0], node.id)
        for node, kind, nodes in named.values()
        if node.type in MEMBERS or "pair" in nodes
    ]
    both = [(node, None) for node in literals] + [(node, of) for node, of in members]
    unbound: set[int] = set()
    around: list[tuple[int, bool]] = []
    for node, member in sorted(both, key=lambda one: (one[0].start_byte, -one[0].end_byte)):
        while around and around[-1][0] <= node.start_byte:
            around.pop()
        if member is None:
            bound = node.type == "class_body" or (node.id in named and node.id not in unbound)
            around.append((node.end_byte, bound))
        elif around and not around[-1][1]:
            unbound.add(member)
    return unbound


def _found(node: Node, kind: str, nodes: Captures, outer: dict[int, Node], content: bytes) -> Found | None:
    """The node with its name and the rows it is shown with; None where the name is missing."""
    name, at = _name(node, nodes, content)
    if not name:
        return None
    scope = name
    if "target" in nodes:
        scope = _rust_type(_text(nodes["target"][0], content))
        name = f"{scope}.{_rust_type(name)}"
    elif kind == "function" and "declarator" in nodes and "." in name:
        kind = "method"
    whole = node
    while whole.id in outer:
        whole = outer[whole.id]
    row, column = whole.start_point
    last, stop = whole.end_point
    kind = "" if kind in ("scope", "object") else kind
    return Found(
        kind, name, scope, node.start_byte, node.end_byte, row, last - (stop == 0), at.start_point.row, column
    )


def _name(node: Node, nodes: Captures, content: bytes) -> tuple[str, Node]:
    """What it is called, and where that stands; empty for a name that is none."""
    if "declarator" in nodes:
        declarator = nodes["declarator"][0]
        name, at = _declared(declarator, content)
        if (
            MACRO.fullmatch(name)
            and node.type == "function_definition"
            and not node.child_by_field_name("type")
        ):
            # TEST(Suite, name) { ... } is one of many, told apart by what it is called with.
            name = _text(declarator, content).replace(".", "")
        return name, at
    if "path" in nodes:
        path = _text(nodes["path"][0], content)
        return path if PATH.fullmatch(path) else "", nodes["path"][0]
    if "name" not in nodes:
        return ("impl", nodes["target"][0]) if "target" in nodes else ("default", node)
    name = _text(nodes["name"][0], content)
    if "receiver" in nodes and (of := RECEIVER.search(_text(nodes["receiver"][0], content))):
        name = f"{of[1]}.{name}"
    return name, nodes["name"][0]


def _text(node: Node, content: bytes) -> str:
    text = " ".join(content[node.start_byte : node.end_byte].decode("utf-8", "replace").split())
    if len(text) > 1 and text[0] in "\"'`" and text[-1] == text[0]:
        text = text[1:-1]
    return text[:NAME_LIMIT]


def _declared(node: Node, content: bytes) -> tuple[str, Node]:
    """The name that a C or C++ declarator declares, `A::f` as `A.f` and without template arguments; where it is."""
    while node.type.endswith("declarator"):
        inner = node.child_by_field_name("declarator") or next(iter(node.named_children[::-1]), None)
        if inner is None:
            return "", node
        node = inner
    parts = []
    while node.type == "qualified_identifier":
        parts.append(node.child_by_field_name("scope"))
        name = node.child_by_field_name("name")
        if name is None:
            return "", node
        node = name
    parts.append(node)
    return ".".join(_plain(part, content) for part in parts if part is not None), node


def _plain(node: Node, content: bytes) -> str:
    if node.type == "operator_cast":
        kind = node.child_by_field_name("type")
        return f"operator {_text(kind, content)}" if kind is not None else ""
    if node.type == "operator_name":
        return _text(node, content)
    if node.type in ("template_type", "template_function", "template_method"):
        node = node.child_by_field_name("name") or node
    return ".".join(WORDS.findall(_text(node, content).partition("(")[0]))


def _rust_type(text: str) -> str:
    """The last word of a type's path, without reference, lifetime and arguments."""
    found = RUST_TYPE.match(text)
    return found[2] if found else text
