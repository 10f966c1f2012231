"""Code history as a reader gets it: which threads answer, which versions may be shown, and what each is now."""

# Hooks carry a copy: standard library only, and no dataclass, whose module takes 17 ms to import.

from __future__ import annotations

import heapq
from typing import TYPE_CHECKING, Literal, NamedTuple

from ...store import places, rounds
from . import standing

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

    from ...store.rounds import Asked, Round, Thread
    from ...store.rows import Reading
    from .names import Named
    from .standing import Now

# Threads looked at for one question: more are not shown anyway.
POOL = 12
# So many folders deep an absolute path is looked for.
DEEP = 12
Why = Literal["merged", "deleted", "uncommitted", "elsewhere"]


class Here(NamedTuple):
    """
    The place of the reader: its branch (None on a detached HEAD), its commit, the branches that live in the
    repository, as their names are kept, what reads a file of the worktree (None where there is none, or it is not
    there), the commit that a branch is at, and the top of the worktree.

    `body_in` finds the bytes of a symbol in a file, by path, symbol and image. Without it, as where no parser is at
    hand, it is told by the versions there are which of them stands there.
    """

    branch: str | None = None
    head: str | None = None
    branches: frozenset[str] | None = None
    read: Callable[[str], bytes | None] | None = None
    body_in: Callable[[str, str, bytes], bytes | None] | None = None
    tip: Callable[[str], str | None] = lambda _: None
    root: str | None = None


class Away(NamedTuple):
    """How a version hangs on a branch that is not the reader's; None: on a detached HEAD."""

    why: Why
    branch: str | None


class Version(NamedTuple):
    """
    One version of a thread and what it is to the reader: `back_to` the earlier version with the same bytes (0: as it
    was before version 1), `undone` where what is there now is older, `away` how it hangs on another branch.
    """

    round: Round
    back_to: int | None = None
    undone: bool = False
    current: bool = False
    away: Away | None = None


class Chain(NamedTuple):
    """
    A thread with the versions that may be shown, oldest first, and how many lie on which living branches. `restored`:
    what is there now is what was there before the first of them.
    """

    thread: Thread
    versions: tuple[Version, ...]
    elsewhere: Mapping[str, int]
    now: Now
    restored: bool = False

    @property
    def mark(self) -> tuple[str, str]:
        """What a session that was given it is noted to have: the thread, and how far it had come."""
        return (
            f"thread:{self.thread.id}",
            f"round:{self.versions[-1].round.id if self.versions else 0}:{self.now}",
        )


def find(con: Reading, asked: Asked, *, limit: int = POOL) -> list[Thread]:
    """The threads that answer; a base name stands for a path only where it is the only one of that name."""
    found = rounds.threads(con, asked, limit=limit)
    if found or asked.path is None or "/" in asked.path:
        return found
    paths = places.paths_ending(con, asked.workspaces, asked.path)
    return rounds.threads(con, asked._replace(path=paths[0]), limit=limit) if len(paths) == 1 else []


def named_in(con: Reading, named: Named, asked: Asked) -> list[Thread]:
    """The threads of the files and symbols that a question names; none where it names nothing that is known."""
    found: dict[int, Thread] = {}

    def look(path: str | None, symbol: str | None) -> bool:
        if path and (path[0] in "/~" or path[1:2] == ":"):
            path = _in_repository(con, path, asked)
            if path is None:
                return False
        threads = find(con, asked._replace(path=path, symbol=symbol))
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


def _in_repository(con: Reading, path: str, asked: Asked) -> str | None:
    """An absolute path as places have it: its longest end that is one, with a folder at least; None for none."""
    parts = [part for part in path.split("/") if part]
    for at in range(max(1, len(parts) - DEEP), len(parts) - 1):
        below = "/".join(parts[at:])
        if places.known(con, asked.workspaces, [(below, None)]):
            return below
    return None


def fresh(chains: Iterable[Chain], given: Mapping[str, str], own: Collection[int | None]) -> list[Chain]:
    """
    Those that a session does not know: not `given` to it (root to hash) as they are now, and not wholly made by its
    `own` turns.
    """
    return [
        one
        for one in chains
        if given.get(one.mark[0]) != one.mark[1]
        and (any(version.round.turn not in own for version in one.versions) or not one.versions)
    ]


def chain(con: Reading, thread: Thread, here: Here, *, key: bytes, whole: bool = False) -> Chain:
    """The thread as it is to be shown here, or `whole`; `key` is what bodies are named with."""
    every = list(_in_order(rounds.of_thread(con, thread.id)))
    reach = _reach(con, every, here)
    shown: list[Round] = []
    elsewhere: dict[str, int] = {}
    away: dict[int, Away | None] = {}
    for one in every:
        how = _away(one, here, reach)
        if how is not None and how.why == "elsewhere" and how.branch and not whole:
            elsewhere[how.branch] = elsewhere.get(how.branch, 0) + 1
        else:
            shown.append(one)
            away[one.id] = how
    now, body = standing.now(con, thread, shown, every, here, key=key)
    if thread.kind == "file":
        return Chain(thread, tuple(Version(one, away=away[one.id]) for one in shown), elsewhere, now)
    versions = tuple(_versions(shown, away, now, body))
    restored = now == "current" and bool(shown) and shown[0].before == body
    return Chain(thread, versions, elsewhere, now, restored and not any(one.current for one in versions))


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


def _reach(con: Reading, every: Iterable[Round], here: Here) -> Mapping[str, bool]:
    if here.head is None:
        return {}
    branches = {one.branch for one in every if one.branch} - {here.branch}
    commits = {one.base for one in every if one.base} | {commit for one in every for commit in one.commits}
    commits |= {tip for branch in branches if (tip := here.tip(branch))}
    return {here.head: True, **rounds.reachable(con, here.head, commits)}


def _away(one: Round, here: Here, reach: Mapping[str, bool]) -> Away | None:
    """
    How a round hangs on a branch that is not the reader's; None where it is of the reader's, or there are none. Those
    "elsewhere" on a branch that lives are only counted.
    """
    if (here.branch is not None and one.branch == here.branch) or (
        here.branch is None and here.branches is None
    ):
        return None
    if any(reach.get(commit) for commit in one.commits):
        return Away("merged", one.branch) if one.branch else None
    if one.branch and here.branches is not None and one.branch not in here.branches:
        return Away("deleted", one.branch)
    if not one.commits and one.base is not None and reach.get(one.base):
        # What was not committed goes along when a branch begins: then all that its old branch has is in this one.
        tip = here.tip(one.branch) if one.branch and one.worktree == here.root else None
        if one.branch is None or (tip and reach.get(tip)):
            return Away("uncommitted", one.branch)
    if one.branch and one.base is None and not one.commits:
        return Away("uncommitted", one.branch)
    return Away("elsewhere", one.branch)


def _versions(
    shown: Sequence[Round], away: Mapping[int, Away | None], now: Now, body: int | None
) -> Iterable[Version]:
    """Each with what it is: a version is undone where the code went back to what stood before it."""
    seen: dict[int | None, int] = {shown[0].before: 0} if shown else {}
    last = next((one.n for one in reversed(shown) if one.after == body), None)
    for one in shown:
        undone = now in ("current", "gone") and one.after != body and body in seen
        back_to = seen.get(one.after)
        yield Version(one, back_to, undone, now != "changed since" and one.n == last, away.get(one.id))
        seen.setdefault(one.after, one.n)
