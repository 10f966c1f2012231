"""The signs of life of memories: who confirmed them and when, what touched their code since, how loud they are."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

import apsw

from . import ratings
from .models import Memory
from .rows import fetch

# Of a memory about code: so many of its files are looked at, and of each so many of the latest changes. More would cost
# a search milliseconds and change little: what was touched so often is old either way.
FILES, CHANGES = 4, 10


@dataclass(frozen=True, slots=True)
class Signs:
    """
    What speaks for a memory beside itself.

    Attributes:
        confirmed: further turns that said it again, and sessions that rated it helpful.
        alive_at: the latest of these, and of when it was recorded.
        touched: how often its code has changed since then, counted by turn or commit, as far as was looked.
        sessions: how many began since it was recorded; 0 where nobody asked (`busy` in `of`).
    """

    confirmed: int = 0
    alive_at: int = 0
    touched: int = 0
    sessions: int = 0


def of(con: apsw.Connection, memories: Sequence[Memory], *, busy: int) -> dict[int, Signs]:
    """The signs of each of those memories, by id. `busy`: sessions are counted for what was handed out so often."""
    said = _said_again(con, [one.id for one in memories])
    helped = ratings.helpful(con, [one.root for one in memories])
    alive_at = {
        one.id: max(one.recorded_at, said.get(one.id, (0, 0))[1], helped.get(one.root, (0, 0))[1])
        for one in memories
    }
    touched = _touched(con, {one.id: alive_at[one.id] for one in memories if one.data.get("files")})
    found: dict[int, Signs] = {}
    for one in memories:
        confirmed = said.get(one.id, (0, 0))[0] + helped.get(one.root, (0, 0))[0]
        loud = one.uses >= busy and not confirmed
        sessions = _sessions(con, one.scope.user, one.recorded_at) if loud else 0
        found[one.id] = Signs(confirmed, alive_at[one.id], touched.get(one.id, 0), sessions)
    return found


def _said_again(con: apsw.Connection, ids: Sequence[int]) -> dict[int, tuple[int, int]]:
    """Of each memory that rests on several turns: how many beyond the first, and when the latest was kept."""
    rows = fetch(
        con,
        """
        select evidence.memory, count(distinct event.turn) - 1 as further, max(event.recorded_at)
        from json_each(?) asked
        cross join evidence on evidence.memory = asked.value
        cross join event on event.id = evidence.event
        group by evidence.memory
        having further > 0""",
        (json.dumps(list(ids)),),
    )
    return {int(memory): (int(further), int(at)) for memory, further, at in rows}


def _touched(con: apsw.Connection, since: dict[int, int]) -> dict[int, int]:
    """How often the files that a memory names were changed since the moment given with it, by others than its turn."""
    if not since:
        return {}
    rows = fetch(
        con,
        f"""
        select memory.id, count(distinct coalesce(change.turn, change.head_after, change.ulid))
        from json_each(:since) asked
        cross join memory on memory.id = cast(asked.key as integer)
        cross join json_each(memory.data, '$.files') file on file.key < {FILES}
        cross join change_file on change_file.id in (
          select id from change_file where path = file.value order by id desc limit {CHANGES})
        cross join change on change.id = change_file.change
        where change.workspace = memory.workspace and change.happened_at > asked.value
          and (memory.turn is null or change.turn is not memory.turn)
        group by memory.id""",
        {"since": json.dumps(since)},
    )
    return {int(memory): int(times) for memory, times in rows}


def _sessions(con: apsw.Connection, user: str, since: int) -> int:
    ((count,),) = fetch(con, "select count(*) from session where user = ? and started_at >= ?", (user, since))
    return int(count)
