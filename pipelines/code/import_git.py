"""Conductor: the history of a repository to threads and rounds, with the authors' messages as the words."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, replace
from functools import partial
from itertools import islice
from typing import TypeAlias

import apsw

from ...store import settings
from ...store.clock import SECOND_US
from ...store.db import Database
from ...store.errors import BadInput
from ..git.git_files import Where
from ..git.git_log import Commit, history, listed
from ..git.worktree import run
from ..shown import branch_name
from . import forgotten_code, observe
from .observe import Prepared, Whose
from .symbol_edits import Change
from .syntax import much_to_read

# So many commits are written at once: a commit of the file costs two milliseconds, and what is written shows.
BATCH = 40
# So many a process takes apart in one go: within them what one commit leaves need not be read again for the next.
WORKED_ON = 2 * BATCH


@dataclass(frozen=True, slots=True)
class Progress:
    """How far an import is: commits read of those there are, rounds made, and rounds that were known already."""

    commits: int
    of: int
    rounds: int
    known: int


def import_git(
    db: Database,
    where: Where,
    whose: Whose,
    *,
    now: Callable[[], int],
    since: str | None = None,
    workers: int = 1,
    told: Callable[[Progress], None] = lambda _: None,
) -> Progress:
    """
    Build threads from the commits that HEAD reaches. One that was broken off goes on where it ended, and a later one
    takes only what is new. A change that was seen when it was made is not made again: its commit is noted.

    Args:
        since: only commits younger than this, as git takes a date ("6 months ago", "2026-01-01").
        workers: so many processes take commits apart; more than one only where the main module can be imported again.
        told: called after each batch.

    Raises:
        GitFailed: git cannot read the repository.
        BadInput: `since` is no date to git.
    """
    since_s = None if since is None else _date(where, since, now())
    if where.head is None:
        return Progress(0, 0, 0, 0)
    mark = f"import:git:{whose.workspace}:{since or ''}"
    state = _State.read(db, mark)
    tip = state.tip or where.head
    bases = [base for base in state.bases if _known(where, base)]
    ids = listed(where, [tip, *(f"^{base}" for base in bases)], since_s=since_s)
    # The list may have become another meanwhile ("90 days ago"; a base that was collected). What is read twice is
    # known the second time; what was never read must not be passed over.
    done = ids.index(state.last) + 1 if state.last in ids and len(bases) == len(state.bases) else 0
    progress = Progress(done, len(ids), 0, 0)
    key = settings.salt_of(db)
    make = partial(_prepared, where=where, whose=whose, key=key, main=_main_line(where, since_s))
    for batch in _taken_apart(history(where, ids[done:]), len(ids) - done, make, workers):
        done += len(batch)
        note = replace(state, tip=tip, last=ids[done - 1]).json()
        made, known = db.write(_write, batch, whose, key, mark, note, now=now())
        progress = Progress(done, len(ids), progress.rounds + made, progress.known + known)
        told(progress)
    db.write(settings.put, mark, _State((tip,)).json())
    if tip != where.head:  # it went on with one that was broken off; now for what came since
        rest = import_git(db, where, whose, now=now, since=since, workers=workers, told=told)
        return Progress(
            progress.commits + rest.commits, progress.of + rest.of, progress.rounds + rest.rounds,
            progress.known + rest.known,
        )  # fmt: skip
    return progress


@dataclass(frozen=True, slots=True)
class _State:
    """Where an import stands: all that `bases` reach is in; of what `tip` reaches beyond, all up to `last`."""

    bases: tuple[str, ...] = ()
    tip: str | None = None
    last: str | None = None

    @classmethod
    def read(cls, db: Database, mark: str) -> _State:
        kept = json.loads(db.read(settings.get, mark) or "{}")
        return cls(tuple(kept.get("bases", ())), kept.get("tip"), kept.get("last"))

    def json(self) -> str:
        return json.dumps(asdict(self))


def _date(where: Where, text: str, now: int) -> int:
    """What git takes a date for, in epoch seconds; it takes what it cannot read for this moment."""
    told = run(where, ["rev-parse", f"--since={text}"]).decode().strip().removeprefix("--max-age=")
    if not told.isdigit() or int(told) >= now // SECOND_US - 1:
        raise BadInput(f"git reads no date of the past in {text!r}; say 2026-01-31, or '6 months ago'.")
    return int(told)


def _main_line(where: Where, since_s: int | None) -> tuple[str, frozenset[str]] | None:
    """The branch that the repository goes by, and the commits of it; None where it has none of the usual names."""
    told = run(where, ["symbolic-ref", "--quiet", "--short", "refs/remotes/origin/HEAD"], passing=(0, 1, 128))
    remote = told.decode("utf-8", "replace").strip()
    names = [(remote.partition("/")[2], f"refs/remotes/{remote}")] if remote else []
    for name, ref in [*names, ("main", "refs/heads/main"), ("master", "refs/heads/master")]:
        if _known(where, ref):
            return name, frozenset(listed(where, [ref], since_s=since_s))
    return None


Make: TypeAlias = Callable[[list[Commit]], list[Prepared]]


def _taken_apart(commits: Iterator[Commit], count: int, make: Make, workers: int) -> Iterator[list[Prepared]]:
    """The commits in batches, in their order; the next ones are worked on while one is written."""
    if workers < 2 or count < BATCH:
        with much_to_read():
            while batch := list(islice(commits, BATCH)):
                yield make(batch)
        return
    from concurrent.futures import Future, ProcessPoolExecutor
    from multiprocessing import get_context

    waiting: deque[Future[list[Prepared]]] = deque()
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        while True:
            while len(waiting) <= workers and (batch := list(islice(commits, WORKED_ON))):
                waiting.append(pool.submit(make, batch))
            if not waiting:
                return
            done = waiting.popleft().result()
            yield from (done[at : at + BATCH] for at in range(0, len(done), BATCH))


def _prepared(
    batch: list[Commit], *, where: Where, whose: Whose, key: bytes, main: tuple[str, frozenset[str]] | None
) -> list[Prepared]:
    with much_to_read():
        return [_prepare(one, where, whose, key, main) for one in batch]


def _prepare(
    one: Commit, where: Where, whose: Whose, key: bytes, main: tuple[str, frozenset[str]] | None
) -> Prepared:
    branch = branch_name(main[0] if main and one.id in main[1] else where.branch, key)
    change = Change(
        "human", one.at, where.root, branch, one.parent, one.id, one.files, bulk=one.bulk, count=one.count
    )
    return observe.prepare(change, whose, key, words=one.message, commit=one.id)


def _write(
    con: apsw.Connection,
    prepared: list[Prepared],
    whose: Whose,
    key: bytes,
    mark: str,
    note: str,
    *,
    now: int,
) -> tuple[int, int]:
    made = known = 0
    for one in prepared:
        recorded = observe.write(con, _without_forgotten(con, one, whose, key), whose, key, now=now)
        made += len(recorded.rounds)
        known += len(recorded.known)
    settings.put(con, mark, note)
    return made, known


def _without_forgotten(con: apsw.Connection, prepared: Prepared, whose: Whose, key: bytes) -> Prepared:
    new = prepared.new
    change = Change(
        new.actor, new.happened_at, new.worktree, new.branch, new.head_before, new.head_after,
        tuple(edit for edit, _, _ in prepared.files), new.turn, new.event, new.bulk, new.files,
    )  # fmt: skip
    left, words = forgotten_code.of_commit(con, change, new.words)
    if (left, words) == (change, new.words):
        return prepared
    return observe.prepare(left, whose, key, words=words, commit=prepared.commit)


def _known(where: Where, commit: str) -> bool:
    """Whether the repository has a commit of that id or name; one may have been rebased away and collected since."""
    return run(where, ["cat-file", "-t", commit], passing=(0, 1, 128)).strip() == b"commit"
