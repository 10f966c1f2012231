"""Code as it may be shown: bytes and names, known secrets marked. Standard library only; hooks carry a copy."""

from __future__ import annotations

import re
from functools import lru_cache

from .redact import redact

# Where a secret stood in what is kept.
HIDDEN = b"[redacted:"
# The names that are looked into for secrets, which costs a third of a millisecond: no format is shorter.
PERHAPS_SECRET = re.compile(r"(?=[^/\\\s]{0,500}\d)[^/\\\s]{16}|[=:@]")


def shown(raw: bytes, key: bytes) -> bytes:
    """The bytes with each known secret marked; all else byte for byte."""
    text = raw.decode("utf-8", "surrogateescape")
    clean = redact(text, code=True, salt=key)
    return raw if clean == text else clean.encode("utf-8", "surrogateescape")


@lru_cache(4096)
def shown_name(name: str, key: bytes) -> str:
    """A path or symbol as it is kept: a known secret in it is marked, and bytes that are no text are replaced."""
    raw = name.encode("utf-8", "surrogateescape")
    return (shown(raw, key) if PERHAPS_SECRET.search(name) else raw).decode("utf-8", "replace")


def branch_name(branch: str | None, key: bytes) -> str | None:
    """A branch's name as it is kept, and to be compared with what is kept; None on a detached HEAD."""
    return None if branch is None else shown_name(branch, key)


def is_whole(name: str) -> bool:
    """Whether a name that is kept is the one on disk: nothing of it was marked or replaced."""
    return HIDDEN.decode() not in name and "\ufffd" not in name
