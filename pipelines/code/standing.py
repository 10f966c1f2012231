"""Which version of a thread stands in the worktree at this moment."""

# Hooks carry a copy: standard library only.

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal

from ...store import bodies, rounds
from ..shown import HIDDEN, is_whole, shown

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from ...store.rounds import Round, Thread
    from ...store.rows import Reading
    from .history import Here

Now = Literal["current", "changed since", "gone", "not looked at"]


def now(
    con: Reading, thread: Thread, seen: Sequence[Round], every: Sequence[Round], here: Here, *, key: bytes
) -> tuple[Now, int | None]:
    """
    How the worktree has a thread, and the row of that body where it is one we know; `seen` are those of its rounds
    that are shown `here`, of `every` one.
    """
    if here.read is None or thread.kind == "file" or not is_whole(thread.path):
        return "not looked at", None
    image = here.read(thread.path)
    latest = [*(one.after for one in reversed(seen)), *(one.before for one in seen[:1])]
    if thread.kind == "region":
        return _region(con, latest, image, key)
    if not is_whole(thread.symbol):
        return "not looked at", None
    if image is None:
        return "gone", None
    if here.body_in is None:
        # Also what stands there of another branch is known.
        others = [row for one in reversed(every) for row in (one.after, one.before)]
        return _symbol(con, thread, [*latest, *others], image, key)
    raw = here.body_in(thread.path, thread.symbol, image)
    if raw is None:
        return "gone", None
    for form in _line_ends(raw):
        if known := rounds.body_row(con, bodies.name(form, key)):
            return "current", known
    return "changed since", None


def _line_ends(raw: bytes) -> tuple[bytes, bytes, bytes]:
    """A body as it is and with either kind of line ends: a checkout may turn one into the other."""
    plain = _plain(raw)
    return raw, plain, plain.replace(b"\n", b"\r\n") + b"\r"


def _plain(raw: bytes) -> bytes:
    return raw.replace(b"\r\n", b"\n").removesuffix(b"\r")


def _region(
    con: Reading, rows: Iterable[int | None], image: bytes | None, key: bytes
) -> tuple[Now, int | None]:
    """Which of a region's bodies stands in the file, the first first: a region has no name to find it by."""
    if image is None:
        return "gone", None
    for row, body in _bodies(con, rows):
        # A file with a secret is compared as bodies are kept.
        if body in (shown(image, key) if HIDDEN in body else image):
            return "current", row
    return "changed since", None


def _symbol(
    con: Reading, thread: Thread, rows: Iterable[int | None], image: bytes, key: bytes
) -> tuple[Now, int | None]:
    """The same of a symbol, where nobody can tell which lines it has; it is gone where its name is."""
    every = list(_bodies(con, rows))
    marked = shown(image, key) if any(HIDDEN in body for _, body in every) else image
    for form in (bytes, _plain):  # with its own line ends, then with any
        where, where_marked = form(image), form(marked)
        for row, body in every:
            if _stands(form(body), where_marked if HIDDEN in body else where):
                return "current", row
    name = re.escape(thread.symbol.rpartition(".")[2].partition("#")[0])
    there = re.search(rf"(?<!\w){name}(?!\w)", image.decode("utf-8", "replace"))
    return ("changed since" if there else "gone"), None


def _bodies(con: Reading, rows: Iterable[int | None]) -> Iterator[tuple[int, bytes]]:
    for row in dict.fromkeys(rows):
        if row is not None:
            yield row, bodies.read(con, row)


def _stands(body: bytes, image: bytes) -> bool:
    """Whether those lines stand in a file, whole, and none below them goes on where they end, being deeper."""
    indent = _indent(body)
    at = image.find(body)
    while at >= 0:
        end = at + len(body)
        whole = image[at - 1 : at] in (b"", b"\n") and image[end : end + 1] in (b"", b"\n")
        if whole and _indent(_below(image, end + 1)) <= indent:
            return True
        at = image.find(body, at + 1)
    return False


def _indent(line: bytes) -> int:
    return len(line) - len(line.lstrip(b" \t"))


def _below(image: bytes, at: int) -> bytes:
    """The next line that is neither blank nor a comment."""
    while at < len(image):
        end = image.find(b"\n", at)
        line = image[at : end if end >= 0 else len(image)]
        if line.strip() and not line.lstrip().startswith((b"#", b"//")):
            return line
        at += len(line) + 1
    return b""
