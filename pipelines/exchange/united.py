"""Slots that several files have something of: their lines in time, settled once all evidence is in."""

from __future__ import annotations

import apsw

from ...store import slots
from ...store.cutter import Cut
from ...store.db import Database
from ...store.exchange import displaced
from .. import lines, timeline

# So many slots in one transaction: a few milliseconds each where anything is to be done.
BATCH = 50


def unite_lines(db: Database, *, cut: Cut | None) -> None:
    """
    Let each slot that rows of several files compete for say what was true when. Until then one of them held it and the
    others were displaced, so that a reader saw one value at any moment of an import.
    """
    waiting = db.read(displaced.to_settle)
    for start in range(0, len(waiting), BATCH):
        db.write(_unite, waiting[start : start + BATCH], cut=cut)


def _unite(con: apsw.Connection, waiting: list[list[int]], *, cut: Cut | None) -> None:
    for ids in waiting:
        rows = displaced.as_claimed(con, ids)
        found = timeline.settle(rows, slots.affirmed(con, rows))
        gone = {one.row.ulid for one in found.retired}
        for one in found.retired:
            displaced.settle_row(con, one.row.ulid, at=one.at, why=one.why)
        displaced.displace(con, {row.ulid: None for row in rows if row.ulid not in gone})
        lines.carry_out(con, found, cut=cut)
