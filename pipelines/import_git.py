"""Conductor: the history of a repository to threads and rounds, with the authors' messages as the words."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice

import apsw

from ..store import settings
from ..store.db import Database
from . import observe
from .edits import Change
from .git_files import Where
from .git_log import Commit, history, listed
from .observe import Prepared, Whose
from .worktree import run

# So many commits are written at once: a commit of the file costs two milliseconds, and what is written shows.
BATCH = 40


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
    """
    if where.head is None:
        return Progress(0, 0, 0, 0)
    mark = f"import:git:{whose.workspace}:{since or ''}"
    state = json.loads(db.read(settings.get, mark) or "{}")
    going_on = state.get("tip") if state.get("done") is not None else None
    tip = going_on or where.head
    done = int(state.get("done") or 0)
    ids = listed(
        where, [tip, *(f"^{base}" for base in state.get("bases", []) if _known(where, base))], since=since
    )
    progress = Progress(min(done, len(ids)), len(ids), 0, 0)
    key = settings.salt_of(db)
    commits = history(where, ids[done:])
    if len(ids) - done < BATCH:
        workers = 1
    for prepared in _taken_apart(commits, where, whose, key, workers):
        done += len(prepared)
        note = json.dumps({**state, "tip": tip, "done": done})
        made, known = db.write(_write, prepared, whose, key, mark, note, now=now())
        progress = Progress(done, len(ids), progress.rounds + made, progress.known + known)
        told(progress)
    db.write(settings.put, mark, json.dumps({"bases": [tip]}))
    if tip != where.head:  # it went on with one that was broken off; now for what came since
        rest = import_git(db, where, whose, now=now, since=since, workers=workers, told=told)
        return Progress(
            progress.commits + rest.commits, progress.of + rest.of, progress.rounds + rest.rounds,
            progress.known + rest.known,
        )  # fmt: skip
    return progress


def _taken_apart(
    commits: Iterator[Commit], where: Where, whose: Whose, key: bytes, workers: int
) -> Iterator[list[Prepared]]:
    """The commits in batches, in their order; the next ones are worked on while one is written."""
    if workers < 2:
        while batch := list(islice(commits, BATCH)):
            yield _prepared(batch, where, whose, key)
        return
    from concurrent.futures import Future, ProcessPoolExecutor
    from multiprocessing import get_context

    waiting: deque[Future[list[Prepared]]] = deque()
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        while True:
            while len(waiting) <= workers and (batch := list(islice(commits, BATCH))):
                waiting.append(pool.submit(_prepared, batch, where, whose, key))
            if not waiting:
                return
            yield waiting.popleft().result()


def _prepared(batch: list[Commit], where: Where, whose: Whose, key: bytes) -> list[Prepared]:
    found = []
    for one in batch:
        change = Change(
            "human",
            one.at,
            where.root,
            where.branch,
            one.parent,
            one.id,
            one.files,
            bulk=one.bulk,
            count=one.count,
        )
        found.append(observe.prepare(change, whose, key, words=one.message, commit=one.id))
    return found


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
        recorded = observe.write(con, one, whose, key, now=now)
        made += len(recorded.rounds)
        known += len(recorded.known)
    settings.put(con, mark, note)
    return made, known


def _known(where: Where, commit: str) -> bool:
    """Whether the repository still has a commit, which may have been rebased away and collected since."""
    return run(where, ["cat-file", "-t", commit], passing=(0, 1, 128)).strip() == b"commit"
