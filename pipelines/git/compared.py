"""A patch of two images of a file, made without git."""

from __future__ import annotations

import difflib
import hashlib
from collections import Counter
from collections.abc import Iterator

from .quoting import quoted

CONTEXT = 3
# Pairs of equal lines up to which difflib is asked, whose time grows with them; above, it is one block.
PAIRS = 200_000
LINES = 20_000
# As git does, a file with a NUL in so many first bytes is no text.
SNIFFED_BYTES = 8_000
NO_NEWLINE = b"\\ No newline at end of file\n"


def between(path: str, before: bytes | None, after: bytes | None) -> bytes:
    """
    A patch of two images of a file, as git would write one: for folders without git. Empty where nothing changed.

    Args:
        before: None where the file was not there; `after` likewise.
    """
    if before == after:
        return b""
    name = path.encode("utf-8", "surrogateescape")
    a, b = quoted(b"a/" + name), quoted(b"b/" + name)
    head = b"diff --git %s %s\n" % (a, b)
    ids = f"index {_blob_id(before)}..{_blob_id(after)}".encode()
    if before is None:
        head += b"new file mode 100644\n" + ids + b"\n"
    elif after is None:
        head += b"deleted file mode 100644\n" + ids + b"\n"
    else:
        head += ids + b" 100644\n"
    old, new = before or b"", after or b""
    if b"\0" in old[:SNIFFED_BYTES] + new[:SNIFFED_BYTES]:
        a, b = (a if before is not None else b"/dev/null"), (b if after is not None else b"/dev/null")
        return head + b"Binary files %s and %s differ\n" % (a, b)
    hunks = b"".join(_hunks(lines_of(old), lines_of(new)))
    if not hunks:
        return head
    tab = b"\t" if b" " in name and not a.startswith(b'"') else b""
    a, b = (a + tab if before is not None else b"/dev/null"), (b + tab if after is not None else b"/dev/null")
    return head + b"--- %s\n+++ %s\n%s" % (a, b, hunks)


def _blob_id(image: bytes | None) -> str:
    return "0" * 40 if image is None else hashlib.sha1(b"blob %d\0" % len(image) + image).hexdigest()  # noqa: S324, as git's


def changed_blocks(old: list[bytes], new: list[bytes]) -> list[tuple[int, int, int, int]]:
    """
    Which lines became which others: (from, to) of the old and (from, to) of the new, counted from 0, the end not
    included. Where too much lies between what begins and ends alike, it is one block.
    """
    start = 0
    while start < min(len(old), len(new)) and old[start] == new[start]:
        start += 1
    end = 0
    while end < min(len(old), len(new)) - start and old[-1 - end] == new[-1 - end]:
        end += 1
    middle = old[start : len(old) - end], new[start : len(new) - end]
    counts = Counter(middle[1])
    if sum(counts[line] for line in middle[0]) > PAIRS or max(map(len, middle)) > LINES:
        return [(start, len(old) - end, start, len(new) - end)]
    codes = difflib.SequenceMatcher(None, *middle, autojunk=False).get_opcodes()
    return [
        (i1 + start, i2 + start, j1 + start, j2 + start) for tag, i1, i2, j1, j2 in codes if tag != "equal"
    ]


def _hunks(old: list[bytes], new: list[bytes]) -> Iterator[bytes]:
    blocks = changed_blocks(old, new)
    while blocks:
        near = 1
        while near < len(blocks) and blocks[near][0] - blocks[near - 1][1] <= 2 * CONTEXT:
            near += 1
        yield _printed(old, new, blocks[:near])
        blocks = blocks[near:]


def _printed(old: list[bytes], new: list[bytes], blocks: list[tuple[int, int, int, int]]) -> bytes:
    i1, j1 = blocks[0][0], blocks[0][2]
    lead = min(CONTEXT, i1)
    i2, j2 = blocks[-1][1], blocks[-1][3]
    trail = min(CONTEXT, len(old) - i2)
    signed: list[tuple[bytes, bytes]] = []
    at = i1 - lead
    for old_from, old_to, new_from, new_to in blocks:
        signed += [(b" ", line) for line in old[at:old_from]]
        signed += [(b"-", line) for line in old[old_from:old_to]]
        signed += [(b"+", line) for line in new[new_from:new_to]]
        at = old_to
    signed += [(b" ", line) for line in old[at : i2 + trail]]
    head = b"@@ -%s +%s @@\n" % (
        _range(i1 - lead, i2 + trail),
        _range(j1 - lead, j2 + trail),
    )
    ended = (sign + (line if line.endswith(b"\n") else line + b"\n" + NO_NEWLINE) for sign, line in signed)
    return head + b"".join(ended)


def _range(start: int, end: int) -> bytes:
    count = end - start
    first = start + (1 if count else 0)
    return b"%d" % first if count == 1 else b"%d,%d" % (first, count)


def lines_of(image: bytes) -> list[bytes]:
    """The lines with their line feeds, which alone end a line."""
    lines = image.split(b"\n")
    return [line + b"\n" for line in lines[:-1]] + ([lines[-1]] if lines[-1] else [])
