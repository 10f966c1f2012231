"""Conductor: the lines of an export into this file, in pieces each of which is whole; twice is once."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import apsw

from ...store import settings, tombstones
from ...store.cutter import Cut
from ...store.db import Database
from ...store.exchange import gone, joined, supported
from ...store.exchange.arriving import Arrivals
from ...store.progress import Progress
from .. import rate
from . import carry_out
from .imported import UNSUPPORTED, Imported
from .incoming import opened, pieces
from .settle import erase
from .taking import Taker
from .united import unite_lines


def import_(
    db: Database,
    file: Path | None,
    *,
    user: str,
    now: int,
    theirs: str | None = None,
    cut: Cut | None,
    progress: Progress | None = None,
) -> Imported:
    """
    Take in what another file, or this one once, has exported; None: from standard input. What is known is left as it
    is, what was forgotten here stays so, and what the other forgot goes here too. Stopped at any moment, another run
    completes it.

    Args:
        user: whose memory this is; what belongs to another is refused, unless that one is named as `theirs`.

    Raises:
        BadInput: it is no export, or a newer one; nothing was written.
    """
    done, here = Imported(), Arrivals(now, threads=db.read(joined.known))
    with opened(file) as source:
        salt = db.write(_salt, source.head.get("salt"))
        taker = Taker(db, here, user, theirs, salt, cut, done, of=source.head.get("users", ()))
        for piece in pieces(source, done, now=now):
            taker.take(piece)
            if progress and source.size:
                progress(min(source.place(), source.size - 1), source.size)
    done.gone = db.write(carry_out.bereft, here.bereft, now=now, cut=cut)
    bare, new = db.write(_bare, here)
    done.added["memory"] -= new
    done.known["memory"] -= bare - new
    done.refused[UNSUPPORTED] += bare
    done.gone += _carry_out(db, now=now, cut=cut)
    # What a file says of trust is only what it made of what was said; upkeep makes it anew by the settings here.
    rate.fold_all(db)
    if here.same_threads or here.twins:
        db.write(joined.join, here.same_threads, here.twins)
    unite_lines(db, cut=cut)
    for counted in (done.added, done.known, done.refused):
        counted += Counter()  # without what there is none of
    if progress and source.size:
        progress(source.size, source.size)
    return done


def _salt(con: apsw.Connection, theirs: str | None) -> bytes:
    """This file's salt; that of the export where nothing was named with an own one yet."""
    if theirs and settings.get(con, "salt") is None:
        settings.put(con, "salt", theirs)
    return settings.salt(con)


def _bare(con: apsw.Connection, here: Arrivals) -> tuple[int, int]:
    """What came in from a file that does not say what it rests on goes; how many that was, and of those new ones."""
    alone = supported.by_nothing(con, here.taken)
    erase(con, alone)
    return len(alone), len(alone & here.new)


def _carry_out(db: Database, *, now: int, cut: Cut | None) -> int:
    """What the file has forgotten goes here too: looked for without the lock, since every word is; how many rows."""
    if not db.read(gone.pending):
        return 0
    found, renamed = db.read(lambda con: carry_out.find(con, tombstones.every(con)))
    return db.write(carry_out.write, found, renamed, now=now, cut=cut)
