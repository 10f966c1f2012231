"""What an edit is on the shelf: its bodies named and packed, its patch, with known secrets marked."""

from __future__ import annotations

import hashlib
from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from ...store import bodies
from ...store.bodies import Body
from ...store.models import Confidence, ThreadKind
from ..git.edits import FileEdit
from ..redact import reaches_far
from ..shown import shown, shown_name
from .bounded_cache import BoundedCache
from .regions import Touched
from .symbol_edits import Parts, SymbolEdit

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
    confidence: Confidence = "high"


# What one edit leaves is what the next one finds. With each, whether nothing in it had to be marked.
BODIES: BoundedCache[bytes, tuple[Body, bool]] = BoundedCache(512, 8_000_000)
# A body of more bytes is looked at only near what is new in it, so many lines around: no rule reaches further, but
# those of `reaches_far`.
LOOKED_AT_WHOLE, AROUND = 4_000, 12
# Of a patch, so many lines around those that lie outside the bodies: a name and its value stand no further apart.
NEAR = 3


def body(raw: bytes | None, key: bytes, *, clean: bool = False) -> Body | None:
    """
    What is kept of some bytes: named by what they are, packed as what may be shown. `clean`: they are known to hold
    no secret.
    """
    if raw is None:
        return None
    name = bodies.name(raw, key)
    known = BODIES.get(name)
    if known is None:
        kept = raw if clean else shown(raw, key)
        known = Body(name, len(raw), bodies.pack(kept)), kept == raw
        BODIES.put(name, known, len(known[0].packed))
    return known[0]


def of_symbols(edits: Sequence[SymbolEdit], key: bytes) -> list[Draft]:
    """A draft for each symbol that was touched."""
    clean = _clean([(edit.before, edit.after) for edit in edits], [edit.patch for edit in edits], key)
    return [
        Draft(
            "symbol", *_names(edit, key), edit.status,
            body(edit.before, key, clean=clean), body(edit.after, key, clean=clean),
            packed(edit.patch, key, clean=clean), patch_id(edit.patch), edit.start, edit.end, edit.confidence,
        )
        for edit in edits
    ]  # fmt: skip


def _clean(sides: Sequence[tuple[bytes | None, bytes | None]], patches: Iterable[bytes], key: bytes) -> bool:
    """
    Whether there is nothing to mark, as nearly always. All at once, for a rule costs a line as much as a page; but
    what is known to be clean, and what lies in something larger, need not be looked at again.
    """
    new: set[bytes] = set()
    for before, after in sides:
        known = [raw and BODIES.get(bodies.name(raw, key)) for raw in (before, after)]
        if any(one and not one[1] for one in known):
            return False  # what was marked in a body stands in its patch, too
        if before and not known[0]:
            new.add(before)
        if after and not known[1]:
            new.add(_what_is_new(before, after) if before and known[0] else after)
    whole = b""
    for raw in sorted(new, key=len, reverse=True):
        if raw not in whole:
            whole += b"\n\0\n" + raw
    lines = {line for side in sides for raw in side if raw for line in raw.split(b"\n")}
    whole += b"".join(b"\n\0\n" + _beyond(patch, lines) for patch in patches)
    return shown(whole, key) == whole


def _beyond(patch: bytes, lines: Container[bytes]) -> bytes:
    """The lines of a patch that are of no body, for its context reaches beyond, and those near them; without signs."""
    told = [line[1:] for line in patch.split(b"\n")]
    near = {at for n, line in enumerate(told) if line not in lines for at in range(n - NEAR, n + NEAR + 1)}
    return b"\n".join(line for n, line in enumerate(told) if n in near)


def _what_is_new(before: bytes, after: bytes) -> bytes:
    """The lines of a body that differ from those of the body before, which is clean, and the lines around them."""
    if len(after) < LOOKED_AT_WHOLE or reaches_far(after.decode("utf-8", "surrogateescape")):
        return after
    old, new = before.split(b"\n"), after.split(b"\n")
    top = next((i for i, (a, b) in enumerate(zip(old, new, strict=False)) if a != b), min(len(old), len(new)))
    rest = zip(reversed(old[top:]), reversed(new[top:]), strict=False)
    below = next((i for i, (a, b) in enumerate(rest) if a != b), min(len(old), len(new)) - top)
    return b"\n".join(new[max(0, top - AROUND) : len(new) - below + AROUND])


def _names(edit: SymbolEdit, key: bytes) -> tuple[str, str, str, str]:
    path, symbol = shown_name(edit.path, key), shown_name(edit.symbol, key)
    old_path = shown_name(edit.old_path, key) if edit.old_path else path
    return path, symbol, old_path, shown_name(edit.old_symbol, key) if edit.old_symbol else symbol


def of_regions(edit: FileEdit, touched: Sequence[Touched], key: bytes) -> list[Draft]:
    """A draft for each region that was touched, in their order."""
    sides = [
        (_lines(edit.before, one.old_start, one.old_end), _lines(edit.after, one.start, one.end))
        for one in touched
    ]
    clean = _clean(sides, [one.patch for one in touched], key)
    return [_of_region(edit, one, *side, key, clean=clean) for one, side in zip(touched, sides, strict=True)]


def _of_region(
    edit: FileEdit, one: Touched, before: bytes | None, after: bytes | None, key: bytes, *, clean: bool
) -> Draft:
    status = "deleted" if after is None else "added" if before is None else "modified"
    path, old_path, label = (
        shown_name(name, key) for name in (edit.path, edit.old_path or edit.path, one.label)
    )
    return Draft(
        "region", path, label, old_path, label, status,
        body(before, key, clean=clean), body(after, key, clean=clean), packed(one.patch, key, clean=clean),
        patch_id(one.patch), one.start, one.end, one.confidence,
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
    return bodies.pack(patch if clean else _shown_patch(patch, key))


def _shown_patch(patch: bytes, key: bytes) -> bytes:
    """As `shown`, also where a sign stands between a name and its value on the next line."""
    lines = shown(patch, key).split(b"\n")
    plain = [line[1:] for line in lines]
    marked = shown(b"\n".join(plain), key).split(b"\n")
    if marked == plain:
        return b"\n".join(lines)
    signed = []
    for _, i1, i2, j1, j2 in SequenceMatcher(None, plain, marked, autojunk=False).get_opcodes():
        signs = [line[:1] for line in lines[i1:i2]] or [b" "]
        # Of a secret of several lines one is left.
        signed += [signs[min(n, len(signs) - 1)] + marked[j] for n, j in enumerate(range(j1, j2))]
    return b"\n".join(signed)


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
