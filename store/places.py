"""Places of code, by name: files and the symbols in them. Standard library only; hooks carry a copy."""

from __future__ import annotations

import json

from .rows import fetch, first

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from .rows import Reading

# A path, or a folder above it; a symbol by its whole name or the last part of it. None asks for any.
NAMED = """
  place.workspace in (select value from json_each(:workspaces))
  and (:path is null or place.path = :path or place.path glob :below)
  and (:symbol is null or place.symbol = :symbol or place.symbol glob :inner)"""


def values(workspaces: Sequence[int], path: str | None, symbol: str | None) -> dict[str, str | None]:
    """What `NAMED` is bound to."""
    path = None if path is None else path.rstrip("/")
    return {
        "workspaces": json.dumps(list(workspaces)),
        "path": path,
        "below": None if path is None else f"{_literal(path)}/*",
        "symbol": symbol,
        "inner": None if symbol is None else f"*.{_literal(symbol)}",
    }


def known(con: Reading, workspaces: Sequence[int], names: Iterable[tuple[str | None, str | None]]) -> bool:
    """Whether any of those (path, symbol) is a place, or a path that is a base name the end of one."""
    return any(
        first(con, f"select 1 from place where {NAMED} limit 1", values(workspaces, path, symbol))
        or (path is not None and "/" not in path and paths_ending(con, workspaces, path, limit=1))
        for path, symbol in names
    )


def paths_ending(con: Reading, workspaces: Sequence[int], name: str, *, limit: int = 3) -> list[str]:
    """The paths with that last part; more than one where the name alone does not say which."""
    rows = fetch(
        con,
        """
        select distinct path from place
        where workspace in (select value from json_each(?)) and (path = ? or path glob ?)
        limit ?""",
        (json.dumps(list(workspaces)), name, "*/" + _literal(name), limit),
    )
    return [str(path) for (path,) in rows]


def _literal(text: str) -> str:
    """The text as `glob` takes it word for word."""
    return "".join(f"[{c}]" if c in "*?[" else c for c in text)
