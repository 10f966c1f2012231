"""What a caller of `Memory` may give for each name, and the sentence for anything else."""

from __future__ import annotations

import json
from collections.abc import Mapping
from os import PathLike
from typing import Any

from ..store.errors import BadInput
from ..store.models import KINDS, SCENES, Scope

_TEXT, _TEXTS, _PATH = (str,), (list, tuple), (str, PathLike)
# By name: the Python types it may have, and what it is to a person.
_SHAPES: Mapping[str, tuple[tuple[type, ...], str]] = {
    "agent": (_TEXT, "an agent's name, as a text"),
    "content": (_TEXT, "a text"),
    "file": (_TEXT, "a file's path, as a text"),
    "folder": (_PATH, "a folder's path"),
    "here": ((bool,), "true or false"),
    "importance": ((int, float), "a number from 0 to 1"),
    "kind": (_TEXT, f"one of {', '.join(KINDS)}"),
    "kinds": (_TEXTS, "a list of names, such as ['fact']"),
    "limit": ((int,), "a whole number"),
    "messages": (_TEXTS, "a list, each with role and content"),
    "meta": ((Mapping,), "a dictionary"),
    "page": ((int,), "a whole number"),
    "path": (_PATH, "a file's path"),
    "query": ((str, *_TEXTS), "a question as a text, or a list of such"),
    "restore": ((bool,), "true or false"),
    "scene": (_TEXT, f"one of {', '.join(SCENES)}"),
    "scope": ((Scope,), "a Scope"),
    "session": (_TEXT, "a session's id, as a text"),
    "source": (_TEXT, "a client's name, as a text"),
    "sources": (_TEXTS, "a list of names, such as ['cursor']"),
    "status": (_TEXT, "live, retired or all"),
    "workspace": (_TEXT, "a folder, a name, `all` or `global`"),
}
_LISTS_OF_TEXT = ("kinds", "query", "sources")
_NEEDED = ("here", "page", "query", "restore", "status")


def check(**given: object) -> None:
    """Refuse what has another type than it must have, or what no file can hold; None is what was left out."""
    for name, value in given.items():
        if value is None and name not in _NEEDED:
            continue
        types, what = _SHAPES[name]
        fits = isinstance(value, types) and (bool in types or not isinstance(value, bool))
        texts = value if isinstance(value, _TEXTS) and name in _LISTS_OF_TEXT else [value]
        if not fits or (texts is value and not all(isinstance(text, str) for text in texts)):
            raise BadInput(f"{name} is {what}, not {_shown(value)}.")
        if not all(_writable(text) for text in texts):
            raise BadInput(f"{name} holds half a character (a lone surrogate); send the text whole.")


def check_meta(meta: Any) -> None:
    """Refuse a meta that JSON, or the file, cannot hold as it was given."""
    check(meta=meta)
    try:
        written = json.dumps(meta, allow_nan=False, ensure_ascii=False)
    except (TypeError, ValueError, RecursionError) as e:
        raise BadInput(f"meta must be what JSON can hold ({e}).") from e
    if not _writable(written):
        raise BadInput("meta holds half a character (a lone surrogate); send its texts whole.")


def _writable(value: object) -> bool:
    """Whether a file can hold it; only a text it may not."""
    try:
        str(value if isinstance(value, str) else "").encode()
    except UnicodeEncodeError:
        return False
    return True


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 40 else text[:40] + "…"
