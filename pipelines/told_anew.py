"""Conductor: turns' own memories told anew from what is left of their events, in the caller's transaction."""

from __future__ import annotations

from collections.abc import Collection

import apsw

from ..store import erasing, erasing_code, lineage, turns
from ..store.cutter import Cut
from . import remember


def tell_anew(con: apsw.Connection, ids: Collection[int], *, now: int, cut: Cut | None) -> list[str]:
    """
    Let turns' own memories say what their events still say. One without the user's words goes, and so does an empty
    turn; the ULIDs of what went.
    """
    if not ids:
        return []
    records = lineage.kept(con, lineage.turn_memories(con, ids))
    erasing.undelivered(con, [one.id for one in records])
    erasing.vectors(con, [one.id for one in records])
    archived = erasing.untell(con, [one.id for one in records])
    gone: list[str] = []
    for id_ in ids:
        turn = turns.turn(con, id_)
        own = [one for one in records if one.turn == id_]
        # What is gone already is not told again.
        if turn is None or not own:
            continue
        if remember.mirror(con, turn, now=now, cut=cut) is None:
            gone += [one.ulid for one in own]
            erasing.memories(con, [one.id for one in own])
    erasing.archive_again(con, archived)
    left = erasing.empty(con, ids)
    gone += erasing_code.turn_ulids(con, left)
    erasing.turns(con, left)
    return gone
