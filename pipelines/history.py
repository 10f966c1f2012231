"""Code history as a reader gets it: which threads answer, which versions may be shown, and what each is now."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import apsw

from ..store import bodies, rounds
from ..store.rounds import Asked, Round, Thread
from . import outlines
from .names import Named
from .rounds import HIDDEN, is_whole
from .rounds import shown as as_shown

# A base name alone may stand for a file, if there is one such file only.
Now = Literal["current", "changed since", "gone", "not looked at"]
# Threads looked at for one question: more are not shown anyway.
POOL = 12


@dataclass(frozen=True, slots=True)
class Here:
    """
    The place of the reader: its branch (None on a detached HEAD), its commit, the branches that live in the
    repository, and what reads a file of the worktree (None where there is none, or it is not there).
    """

    branch: str | None = None
    head: str | None = None
    branches: frozenset[str] | None = None
    read: Callable[[str], bytes | None] | None = None


@dataclass(frozen=True, slots=True)
class Version:
    """
    One version of a thread and what it is to the reader: `back_to` the earlier version with the same bytes (0: as it
    was before version 1), `undone` where what is there now is older, `away` how it hangs on another branch.
    """

    round: Round
    back_to: int | None = None
    undone: bool = False
    current: bool = False
    away: str | None = None


@dataclass(frozen=True, slots=True)
class Chain:
    """A thread with the versions that may be shown, oldest first, and how many lie on which living branches."""

    thread: Thread
    versions: tuple[Version, ...]
    elsewhere: Mapping[str, int]
    now: Now

    @property
    def mark(self) -> tuple[str, str]:
        """What a session that was given it is noted to have: the thread, and how far it had come."""
        return (
            f"thread:{self.thread.id}",
            f"round:{self.versions[-1].round.id if self.versions else 0}:{self.now}",
        )


def find(con: apsw.Connection, asked: Asked, *, limit: int = POOL) -> list[Thread]:
    """The threads that answer; a base name stands for a path only where it is the only one of that name."""
    found = rounds.threads(con, asked, limit=limit)
    if found or asked.path is None or "/" in asked.path:
        return found
    paths = rounds.paths_ending(con, asked.workspaces, asked.path)
    return rounds.threads(con, replace(asked, path=paths[0]), limit=limit) if len(paths) == 1 else []


def named_in(con: apsw.Connection, named: Named, asked: Asked) -> list[Thread]:
    """The threads of the files and symbols that a question names; none where it names nothing that is known."""
    found: dict[int, Thread] = {}

    def look(path: str | None, symbol: str | None) -> bool:
        threads = find(con, replace(asked, path=path, symbol=symbol))
        found.update((thread.id, thread) for thread in threads if thread.id not in found)
        return bool(threads)

    for path, symbol in named.places:
        look(path, symbol)
    symbols = [*named.symbols, *named.perhaps]
    for path in named.paths:
        # A file with one of the symbols beside it: then that symbol of that file.
        if not [symbol for symbol in symbols if look(path, symbol)]:
            look(path, None)
    if not found:
        for symbol in symbols:
            look(None, symbol)
    return list(found.values())


def chain(con: apsw.Connection, thread: Thread, here: Here, *, key: bytes) -> Chain:
    """The thread as it is to be shown here; `key` is what bodies are named with."""
    every = list(_in_order(rounds.of_thread(con, thread.id)))
    reach = _reach(con, every, here)
    shown: list[Round] = []
    elsewhere: dict[str, int] = {}
    away: dict[int, str | None] = {}
    for one in every:
        visible, how = _visible(one, here, reach)
        if visible:
            shown.append(one)
            away[one.id] = how
        else:
            elsewhere[one.branch or "a detached HEAD"] = elsewhere.get(one.branch or "a detached HEAD", 0) + 1
    now, body = _now(con, thread, shown, here, key)
    return Chain(thread, tuple(_versions(shown, away, now, body)), elsewhere, now)


def _in_order(every: Iterable[Round]) -> Iterator[Round]:
    """
    The rounds as they came to be: what an import found is numbered after what was seen before it, and may be older.
    Commits stay in the order of the history, whatever their authors' clocks say.
    """
    seen: list[tuple[int, Round]] = []
    imported: list[tuple[int, Round]] = []
    for one in every:
        among = imported if one.turn is None and one.words is not None else seen
        among.append((max(one.happened_at, among[-1][0] if among else 0), one))
    for _, one in heapq.merge(imported, seen, key=lambda timed: timed[0]):
        yield one


def _reach(con: apsw.Connection, every: Iterable[Round], here: Here) -> Mapping[str, bool]:
    if here.head is None:
        return {}
    commits = {one.base for one in every if one.base} | {commit for one in every for commit in one.commits}
    return {here.head: True, **rounds.reachable(con, here.head, commits)}


def _visible(one: Round, here: Here, reach: Mapping[str, bool]) -> tuple[bool, str | None]:
    """Whether a round is shown in full, and what is to be said of its branch."""
    if here.branch is not None and one.branch == here.branch:
        return True, None
    where = f"on {one.branch}" if one.branch else "on a detached HEAD"
    if any(reach.get(commit) for commit in one.commits):
        return True, f"{where}, merged here" if one.branch else None
    if one.branch and here.branches is not None and one.branch not in here.branches:
        return True, f"{where}, deleted, never merged"
    if not one.commits and one.base is not None and reach.get(one.base):
        living = one.branch and here.branches is not None and one.branch in here.branches
        return (False, None) if living else (True, f"{where}, never committed")
    if here.branch is None and here.branches is None:
        return True, where  # no repository is known: nothing to compare with
    if one.base is None and not one.commits:
        return True, where
    return False, None


def _now(
    con: apsw.Connection,
    thread: Thread,
    shown: Sequence[Round],
    here: Here,
    key: bytes,
) -> tuple[Now, int | None]:
    """How the worktree has it, and the row of that body where it is one we know."""
    if here.read is None or thread.kind == "file" or not is_whole(thread.path):
        return "not looked at", None
    image = here.read(thread.path)
    if thread.kind == "region":
        return _region_now(con, shown, image, key)
    if not is_whole(thread.symbol):
        return "not looked at", None
    raw = None if image is None else body_in(thread.path, thread.symbol, image)
    if raw is None:
        return "gone", None
    for form in _line_ends(raw):
        if known := rounds.body_row(con, bodies.name(form, key)):
            return "current", known
    return "changed since", None


def body_in(path: str, symbol: str, image: bytes) -> bytes | None:
    """The bytes of a symbol in a file; None where it is not in there."""
    return next((body for name, body in outlines.bodies(path, image) if name == symbol), None)


def _line_ends(raw: bytes) -> tuple[bytes, bytes, bytes]:
    """A body as it is and with either kind of line ends: a checkout may turn one into the other."""
    plain = raw.replace(b"\r\n", b"\n").removesuffix(b"\r")
    return raw, plain, plain.replace(b"\n", b"\r\n") + b"\r"


def _region_now(
    con: apsw.Connection, shown: Sequence[Round], image: bytes | None, key: bytes
) -> tuple[Now, int | None]:
    """Which of a region's bodies stands in the file, the latest first: a region has no name to find it by."""
    if image is None:
        return "gone", None
    for row in dict.fromkeys([*(one.after for one in reversed(shown)), *(one.before for one in shown[:1])]):
        body = None if row is None else bodies.read(con, row)
        # A file with a secret is compared as bodies are kept.
        if body is not None and body in (as_shown(image, key) if HIDDEN in body else image):
            return "current", row
    return "changed since", None


def _versions(
    shown: Sequence[Round], away: Mapping[int, str | None], now: Now, body: int | None
) -> Iterable[Version]:
    """Each with what it is: a version is undone where the code went back to what stood before it."""
    seen: dict[int | None, int] = {shown[0].before: 0} if shown else {}
    last = next((one.n for one in reversed(shown) if one.after == body), None)
    for one in shown:
        undone = now in ("current", "gone") and one.after != body and body in seen
        back_to = seen.get(one.after)
        yield Version(one, back_to, undone, now != "changed since" and one.n == last, away.get(one.id))
        seen.setdefault(one.after, one.n)
