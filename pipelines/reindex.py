"""Conductor: search tokens, links to entities and vector indexes made anew from the rows, a piece at a time."""

from __future__ import annotations

import threading
from dataclasses import dataclass

import apsw

from ..store import entities, jobs, names, terms, vector_indexes, vectors, words
from ..store.cutter import Cut
from ..store.db import Database
from ..store.progress import Progress
from .merging import late

# Rows one read looks over, and rows one write changes: a few milliseconds each, nobody waits behind them.
WINDOW = 500
BATCH = 50
BREATH_S = 0.02


@dataclass(frozen=True, slots=True)
class Reindexed:
    """
    How many memories got new search tokens, how many vectors were put into their index again, and how many memories
    were read for what they name.
    """

    words: int
    vectors: int
    named: int = 0


def reindex(
    db: Database, cut: Cut | None, *, stop: threading.Event | None = None, progress: Progress | None = None
) -> Reindexed:
    """
    Make every search index anew, and let memories whose vector was given up be tried again. What an interrupted
    one left, the next or the server's worker does.

    Until it is done, words answer from old and new tokens alike, and vectors from those that are back.
    """
    stop = stop or threading.Event()
    if not db.read(terms.sound):
        db.write(terms.rebuild)
    db.write(jobs.retry, vectors.STRUCK)
    retokenized = retokenize(db, cut, stop=stop, progress=progress, everything=True)
    named = name(db, stop=stop, progress=progress, everything=True)
    while not stop.is_set() and late.keep_up(db, cut):
        stop.wait(BREATH_S)
    refilled = 0
    for index in db.read(vector_indexes.answering):
        if stop.is_set():
            break
        db.write(vector_indexes.rebuild, index.id)
        refilled += refill(db, index.id, stop=stop, progress=progress)
    return Reindexed(retokenized, refilled, named)


def retokenize(
    db: Database,
    cut: Cut | None,
    *,
    stop: threading.Event,
    progress: Progress | None = None,
    everything: bool = False,
) -> int:
    """Bring the tokens of memories (`everything`: of all) to this version of the tokenizer; how many."""
    done = after = 0
    newest = db.read(vector_indexes.newest)
    while after < newest and not stop.is_set():
        upto = min(after + WINDOW, newest)
        rows = db.read(terms.outdated, after=after, upto=upto, limit=BATCH, everything=everything)
        if rows:
            # The slow part is outside the transaction.
            made = [(id_, text, words.index(searched, cut)) for id_, text, searched in rows]
            db.write(_renew, made)
            done += len(made)
        after = rows[-1][0] if rows else upto
        stop.wait(BREATH_S)
        if progress:
            progress(after, newest)
    return done


def _renew(con: apsw.Connection, made: list[tuple[int, str, words.Tokens]]) -> None:
    for memory, text, tokens in made:
        terms.renew(con, memory, text, tokens)


def name(
    db: Database, *, stop: threading.Event, progress: Progress | None = None, everything: bool = False
) -> int:
    """Link memories that were written before this reading of names (`everything`: all) to what they name; how many."""
    done = after = 0
    newest = db.read(vector_indexes.newest) if progress else 0
    while not stop.is_set():
        rows = db.read(entities.unread, limit=BATCH, after=after if everything else None)
        if not rows:
            break
        made = [(one, names.named(one.text, one.data, one.branch)) for one in rows]
        done += db.write(_link, made)
        after = rows[-1].id
        if progress:
            progress(after, max(newest, after))
        stop.wait(BREATH_S)
    return done


def _link(con: apsw.Connection, made: list[tuple[entities.Unread, names.Named]]) -> int:
    return sum(entities.renew(con, one.id, one.text, named) for one, named in made)


def refill(db: Database, index: int, *, stop: threading.Event, progress: Progress | None = None) -> int:
    """Put every kept vector that an index lacks into it, and take out what does not belong; how many."""
    done = after = 0
    newest = db.read(vector_indexes.newest)
    while after < newest and not stop.is_set():
        upto = min(after + WINDOW, newest)
        drifted = db.read(vector_indexes.adrift, index, after=after, upto=upto, limit=BATCH * 4)
        if drifted:
            db.write(vector_indexes.mend, index, drifted)
            done += len(drifted)
        else:
            after = upto
        stop.wait(BREATH_S)
        if progress:
            progress(after, newest)
    return done
