"""A file's text as a tool tells it, turned back into the bytes that lay on the disk."""

from __future__ import annotations

from ..git.compared import changed_blocks, lines_of
from .outlines import MARK


def as_on_disk(text: str | None, *known: bytes | None) -> bytes | None:
    """
    The bytes of a text that a tool tells, None for no file. Tools tell a text without a mark at its start, its lines
    ended by a line feed alone, and with a sign for each byte that is no UTF-8; a file that reads like that is taken as
    it lies there, and of any other the lines that are the same.

    Args:
        known: what lay there at one time or another, the likest first; None for nothing.
    """
    if text is None:
        return None
    told = _plain(text.encode("utf-8", "surrogatepass"))
    there = [one for one in known if one is not None]
    same = next((one for one in there if _plain(one) == told), None)
    if same is not None:
        return same
    return _with_lines_of(there[0], told) if there else text.encode("utf-8", "surrogatepass")


def _plain(raw: bytes) -> bytes:
    """As tools tell it."""
    text = raw.removeprefix(MARK).replace(b"\r\n", b"\n")
    return text.decode("utf-8", "replace").encode()


def _with_lines_of(raw: bytes, told: bytes) -> bytes:
    """
    What is told, but for the lines that are the same in `raw`, which stay as they are there; the others end as those
    that they stand in the place of.
    """
    mark = MARK if raw.startswith(MARK) else b""
    old = lines_of(raw.removeprefix(MARK))
    new = lines_of(told)
    out = [mark]
    at = 0
    blocks = changed_blocks([_plain(line) for line in old], new)
    for i1, i2, j1, j2 in [*blocks, (len(old), len(old), len(new), len(new))]:
        out += old[at:i1]
        for n in range(j1, j2):
            near = min(i1 + n - j1, i2 - 1) if i2 > i1 else i1 - 1
            out.append(new[n].replace(b"\n", _end_at(old, near)))
        at = i2
    return b"".join(out)


def _end_at(lines: list[bytes], n: int) -> bytes:
    """How that line ends, or the nearest one that does."""
    near = [*lines[max(n, 0) :: -1], *lines] if lines else []
    return next(
        (b"\r\n" if line.endswith(b"\r\n") else b"\n" for line in near if line.endswith(b"\n")), b"\n"
    )
