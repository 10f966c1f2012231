"""The symbols of a Python module as `ast` finds them."""

from __future__ import annotations

import ast


def by_ast(source: str) -> list[tuple[str, int, int]]:
    """What `ast` says, with comments counted to what they touch: the first is above, the second indented below."""
    lines, found, seen = source.split("\n"), [], dict[str, int]()

    def walk(node: ast.AST, within: str) -> None:
        for child in ast.iter_child_nodes(node):
            if not isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                continue
            start = min([child.lineno, *(one.lineno for one in child.decorator_list)])
            while start > 1 and lines[start - 2].startswith(" " * child.col_offset + "#"):
                start -= 1
            end = number = child.end_lineno or start
            while number < len(lines) and (
                not lines[number].strip() or lines[number].startswith(" " * child.col_offset + "    #")
            ):
                number += 1
                end = number if lines[number - 1].strip() else end
            name = f"{within}{child.name}"
            seen[name] = seen.get(name, 0) + 1
            found.append((name if seen[name] == 1 else f"{name}#{seen[name]}", start, end))
            walk(child, f"{name}.")

    walk(ast.parse(source), "")
    return found
