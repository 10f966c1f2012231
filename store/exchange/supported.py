"""What came in from another file and does not say what it rests on."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Collection

import apsw

from ..evidence import LEG
from ..rows import fetch


def by_nothing(con: apsw.Connection, memories: Collection[int]) -> set[int]:
    """
    Those of the memories that came from a file and have neither words of an event nor, by whatever way, a source that
    has; a ring of memories that hold only each other has none. A turn's memory rests on the turn's events.
    """
    bare = _bare(con, memories)
    rows = fetch(
        con,
        f"select source, target from link where {LEG} and source in (select value from json_each(?))",
        (json.dumps(sorted(bare)),),
    )
    holds: dict[int, set[int]] = defaultdict(set)
    for source, target in rows:
        holds[int(target)].add(int(source))
    standing = {one for target, sources in holds.items() if target not in bare for one in sources}
    while standing:
        bare -= standing
        standing = {one for target in standing for one in holds.get(target, ())} & bare
    return bare


def _bare(con: apsw.Connection, memories: Collection[int]) -> set[int]:
    rows = fetch(
        con,
        """
        select id from memory
        where id in (select value from json_each(?)) and imported_at is not null
          and not exists (select 1 from evidence where evidence.memory = memory.id)
          and (kind <> 'turn' or not exists (select 1 from event where event.turn = memory.turn))""",
        (json.dumps(sorted(memories)),),
    )
    return {int(id_) for (id_,) in rows}
