"""What an edit is on the shelf: its bodies named and packed, its patch, with known secrets marked."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from ..store import bodies
from ..store.bodies import Body
from ..store.chains import ThreadKind
from .edits import Confidence, FileEdit, Parts, SymbolEdit
from .redact import redact
from .regions import Touched

# A longer patch is cut; the bodies on both sides are kept whole.
PATCH_BYTES = 64 << 10
# The names that are looked into for secrets, which costs a third of a millisecond: no format is shorter.
PERHAPS_SECRET = re.compile(r"(?=[^/\\\s]{0,500}\d)[^/\\\s]{16}|[=:@]")


@dataclass(frozen=True, slots=True)
class Draft:
    """A round before its thread is known; `old_path` and `old_symbol` are what it was called before."""

    kind: ThreadKind
    path: str
    symbol: str
    old_path: str
    old_symbol: str
    status: str
    before: Body | None
    after: Body | None
    patch: bytes
    patch_id: bytes | None
    start: int
    end: int
    confidence: Confidence = "high"


def body(raw: bytes | None, key: bytes, *, clean: bool = False) -> Body | None:
    """
    What is kept of some bytes: named by what they are, packed as what may be shown. `clean`: they are known to hold
    no secret.
    """
    return None if raw is None else _body(raw, key, clean)


@lru_cache(512)
def _body(raw: bytes, key: bytes, clean: bool) -> Body:
    # What one edit leaves is what the next one finds.
    return Body(bodies.name(raw, key), len(raw), bodies.pack(raw if clean else shown(raw, key)))


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


# Where a secret stood in what is kept.
HIDDEN = b"[redacted:"


def is_whole(name: str) -> bool:
    """Whether a name that is kept is the one on disk: nothing of it was marked or replaced."""
    return HIDDEN.decode() not in name and "\ufffd" not in name


def of_symbols(edits: Sequence[SymbolEdit], key: bytes) -> list[Draft]:
    """A draft for each symbol that was touched."""
    # All at once, for nearly always there is nothing to mark, and each rule costs as much for a line as for a page.
    whole = b"\n\0\n".join(part for edit in edits for part in (edit.before, edit.after, edit.patch) if part)
    clean = shown(whole, key) == whole
    return [
        Draft(
            "symbol", *_names(edit, key), edit.status,
            body(edit.before, key, clean=clean), body(edit.after, key, clean=clean),
            packed(edit.patch, key, clean=clean), patch_id(edit.patch), edit.start, edit.end, edit.confidence,
        )
        for edit in edits
    ]  # fmt: skip


def _names(edit: SymbolEdit, key: bytes) -> tuple[str, str, str, str]:
    path, symbol = shown_name(edit.path, key), shown_name(edit.symbol, key)
    old_path = shown_name(edit.old_path, key) if edit.old_path else path
    return path, symbol, old_path, shown_name(edit.old_symbol, key) if edit.old_symbol else symbol


def of_region(edit: FileEdit, touched: Touched, key: bytes) -> Draft:
    """The draft of a region that was touched."""
    before = _lines(edit.before, touched.old_start, touched.old_end)
    after = _lines(edit.after, touched.start, touched.end)
    status = "deleted" if after is None else "added" if before is None else "modified"
    path, old_path, label = (
        shown_name(name, key) for name in (edit.path, edit.old_path or edit.path, touched.label)
    )
    return Draft(
        "region", path, label, old_path, label, status,
        body(before, key), body(after, key), packed(touched.patch, key), patch_id(touched.patch),
        touched.start, touched.end,
    )  # fmt: skip


def of_file(edit: FileEdit, parts: Parts, key: bytes) -> Draft | None:
    """The draft for a file of which only the fact of its change is known, or nothing but that it is gone or moved."""
    if edit.named is None and (parts.symbols or parts.loose):
        return None
    path, old_path = (shown_name(name, key) for name in (edit.path, edit.old_path or edit.path))
    return Draft(
        "file", path, "", old_path, "", edit.status,
        None, None, packed(edit.patch if edit.named is None else b"", key), None, 0, 0,
    )  # fmt: skip


def packed(patch: bytes, key: bytes, *, clean: bool = False) -> bytes:
    """A patch as it is kept: cut where it is very long, known secrets marked, compressed."""
    if len(patch) > PATCH_BYTES:
        head = patch[:PATCH_BYTES].rpartition(b"\n")[0]
        patch = head + b"\n... %d more bytes; both versions are kept whole\n" % (len(patch) - len(head))
    return bodies.pack(patch if clean else shown(patch, key))


def patch_id(patch: bytes) -> bytes | None:
    """What a patch changes, whatever lines it stands on: the same after a rebase. None where it changes nothing."""
    lines = [line for line in patch.split(b"\n") if line[:1] in (b"+", b"-")]
    if not lines:
        return None
    # White space does not count, as in `git patch-id`.
    return hashlib.blake2b(b"\n".join(b"".join(line.split()) for line in lines), digest_size=12).digest()


def _lines(image: bytes | None, start: int, end: int) -> bytes | None:
    """Those lines of a file with their line feeds, counted from 1, both ends included; None for none."""
    if image is None or end < start:
        return None
    lines = image.split(b"\n")
    whole = b"\n".join(lines[start - 1 : end])
    return whole + b"\n" if end < len(lines) else whole
