"""What an edit is on the shelf: its bodies named and packed, its patch, with known secrets marked."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass

from ..store import bodies
from ..store.bodies import Body
from ..store.chains import ThreadKind
from .edits import FileEdit, Parts, SymbolEdit
from .outlines import outline
from .redact import redact
from .regions import Touched

# A longer patch is cut; the bodies on both sides are kept whole.
PATCH_BYTES = 64 << 10


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
    confidence: str = "high"


def body(raw: bytes | None, key: bytes) -> Body | None:
    """What is kept of some bytes: named by what they are, packed as what may be shown."""
    if raw is None:
        return None
    return Body(bodies.name(raw, key), len(raw), bodies.pack(shown(raw, key)))


def shown(raw: bytes, key: bytes) -> bytes:
    """The bytes with each known secret marked; all else byte for byte."""
    text = raw.decode("utf-8", "surrogateescape")
    clean = redact(text, code=True, salt=key)
    return raw if clean == text else clean.encode("utf-8", "surrogateescape")


def find(path: str, symbol: str, image: bytes) -> bytes | None:
    """The bytes of a symbol in a file; None where it is not in there."""
    made = outline(path, image)
    for one in made.symbols if made else ():
        if one.name == symbol:
            return _lines(image, one.start, one.end, feed=False)
    return None


def names(path: str, image: bytes, key: bytes) -> dict[str, bytes]:
    """What each symbol of a file is named by its bytes."""
    made = outline(path, image)
    if made is None:
        return {}
    lines = image.split(b"\n")
    return {one.name: bodies.name(b"\n".join(lines[one.start - 1 : one.end]), key) for one in made.symbols}


def of_symbols(edits: Iterable[SymbolEdit], key: bytes) -> list[Draft]:
    """A draft for each symbol that was touched."""
    return [
        Draft(
            "symbol", edit.path, edit.symbol, edit.old_path or edit.path, edit.old_symbol or edit.symbol, edit.status,
            body(edit.before, key), body(edit.after, key), packed(edit.patch, key), patch_id(edit.patch),
            edit.start, edit.end, edit.confidence,
        )
        for edit in edits
    ]  # fmt: skip


def of_region(edit: FileEdit, touched: Touched, key: bytes) -> Draft:
    """The draft of a region that was touched."""
    before = _lines(edit.before, touched.old_start, touched.old_end)
    after = _lines(edit.after, touched.start, touched.end)
    status = "deleted" if after is None else "added" if before is None else "modified"
    return Draft(
        "region", edit.path, touched.label, edit.old_path or edit.path, touched.label, status,
        body(before, key), body(after, key), packed(touched.patch, key), patch_id(touched.patch),
        touched.start, touched.end,
    )  # fmt: skip


def of_file(edit: FileEdit, parts: Parts, key: bytes) -> Draft | None:
    """The draft for a file of which only the fact of its change is known, or nothing but that it is gone or moved."""
    if edit.named is None and (parts.symbols or parts.loose):
        return None
    return Draft(
        "file", edit.path, "", edit.old_path or edit.path, "", edit.status,
        None, None, packed(edit.patch if edit.named is None else b"", key), None, 0, 0,
    )  # fmt: skip


def packed(patch: bytes, key: bytes) -> bytes:
    """A patch as it is kept: cut where it is very long, known secrets marked, compressed."""
    if len(patch) > PATCH_BYTES:
        head = patch[:PATCH_BYTES].rpartition(b"\n")[0]
        patch = head + b"\n... %d more bytes; both versions are kept whole\n" % (len(patch) - len(head))
    return bodies.pack(shown(patch, key))


def patch_id(patch: bytes) -> bytes | None:
    """What a patch changes, whatever lines it stands on: the same after a rebase. None where it changes nothing."""
    lines = [line for line in patch.split(b"\n") if line[:1] in (b"+", b"-")]
    if not lines:
        return None
    # White space does not count, as in `git patch-id`.
    return hashlib.blake2b(b"\n".join(b"".join(line.split()) for line in lines), digest_size=12).digest()


def _lines(image: bytes | None, start: int, end: int, *, feed: bool = True) -> bytes | None:
    """Those lines of a file, counted from 1, both ends included, with the last one's `feed`; None for none."""
    if image is None or end < start:
        return None
    lines = image.split(b"\n")
    whole = b"\n".join(lines[start - 1 : end])
    return whole + b"\n" if feed and end < len(lines) else whole
