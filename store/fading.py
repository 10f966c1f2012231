"""Which memories upkeep has to look at: those whose time has passed, and those that may have faded."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

import apsw

from .clock import DAY_US
from .memories import COLUMNS, from_row
from .models import Memory
from .rows import fetch


def ended(con: apsw.Connection, *, now: int, limit: int) -> list[int]:
    """Memories no longer true or of use that still lie among the live ones; not plans, which become facts."""
    rows = fetch(
        con,
        """
        select id from memory indexed by memory_ends
        where valid_to <= :now and retired_at is null and archived_at is null
        union
        select id from memory indexed by memory_expires
        where expires_at <= :now and kind <> 'intention' and retired_at is null and archived_at is null
        order by id
        limit :limit""",
        {"now": now, "limit": limit},
    )
    return [int(id_) for (id_,) in rows]


def old(con: apsw.Connection, *, after: int, before_at: int, limit: int) -> list[Memory]:
    """The next memories after an id that are in recall and were recorded before that moment, in the order of ids."""
    rows = fetch(
        con,
        f"""
        select {COLUMNS} from memory
        where memory.id > ? and memory.retired_at is null and memory.archived_at is null and memory.recorded_at < ?
        order by memory.id
        limit ?""",
        (after, before_at, limit),
    )
    return [from_row(row) for row in rows]


def archived(con: apsw.Connection, *, after: int, limit: int) -> list[Memory]:
    """The next memories after an id that have faded out of recall and are not over, in the order of ids."""
    rows = fetch(
        con,
        f"""
        select {COLUMNS} from memory indexed by memory_archived
        where memory.archived_at is not null and memory.id > ? and memory.retired_at is null
          and memory.valid_to is null and memory.expires_at is null
        order by memory.id
        limit ?""",
        (after, limit),
    )
    return [from_row(row) for row in rows]


@dataclass(frozen=True, slots=True)
class Worked:
    """The days on which there was work, by workspace (those that are one as one) and, under None, anywhere."""

    heads: dict[int, int]
    days: dict[int | None, Sequence[int]]

    def since(self, workspace: int | None, at: int) -> int:
        """On how many days after that moment's own there was work there."""
        days = self.days.get(None if workspace is None else self.heads.get(workspace, workspace), ())
        return len(days) - bisect_right(days, at // DAY_US)


def worked(con: apsw.Connection) -> Worked:
    """When there was work, by the turns that were begun. Reads all of them: keep the answer."""
    heads = dict(fetch(con, "select id, coalesce(same_as, id) from workspace"))
    rows = fetch(con, f"select distinct workspace, started_at / {DAY_US} from turn")
    days: dict[int | None, set[int]] = {None: {day for _, day in rows}}
    for workspace, day in rows:
        if workspace is not None:
            days.setdefault(heads[workspace], set()).add(day)
    return Worked(heads, {where: sorted(those) for where, those in days.items()})
