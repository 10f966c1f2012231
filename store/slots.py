"""What holds a slot now: of one thing one current value."""

from __future__ import annotations

import json
from collections.abc import Sequence

import apsw

from . import workspaces
from .memories import COLUMNS, from_row
from .models import Memory, Scope
from .rows import fetch, first

# Why something was retired that a person wanted gone: what is drawn again does not bring it back.
ON_REQUEST, IN_WORDS = "retired on request", "the user asked to forget it"
# How the slot of a plain statement begins, which names nothing but the statement.
SAYS = "says:"


def is_named(slot: str | None) -> bool:
    """Whether a slot is one of a thing's, and not only a statement's own."""
    return slot is not None and not slot.startswith(SAYS)


def holder(con: apsw.Connection, scope: Scope, slot: str) -> Memory | None:
    """The live memory that has the slot, of that user and in that workspace (None: global); see `holders`."""
    return next(iter(holders(con, scope, slot)), None)


def holders(con: apsw.Connection, scope: Scope, slot: str) -> list[Memory]:
    """
    The live memories that have the slot, the latest first: more than one where a workspace was found to be the same as
    another, each of which had its own.
    """
    family = workspaces.places(con, scope.workspace)
    rows = fetch(
        con,
        f"""
        select {COLUMNS} from memory
        where user = ? and ifnull(workspace, 0) in (select value from json_each(?)) and slot = ?
          and retired_at is null and valid_to is null
        order by coalesce(valid_from, recorded_at) desc, id desc""",
        (scope.user, json.dumps(family), slot),
    )
    return [from_row(row) for row in rows]


def within(con: apsw.Connection, scope: Scope, slot: str) -> list[Memory]:
    """The live memories that have the slot with a limit ("uses:editor@work"), as `holders` has those without one."""
    family = workspaces.places(con, scope.workspace)
    rows = fetch(
        con,
        f"""
        select {COLUMNS} from memory indexed by memory_slot
        where user = ? and slot > ? and slot < ? and retired_at is null and valid_to is null
          and ifnull(workspace, 0) in (select value from json_each(?))
        order by id""",
        (scope.user, f"{slot}@", f"{slot}A", json.dumps(family)),
    )
    return [from_row(row) for row in rows]


def line(con: apsw.Connection, scope: Scope, slot: str) -> list[Memory]:
    """
    All that is held of a slot, what was true before and what is now, in the workspace and those that are the same: what
    `timeline.settle` takes.
    """
    family = workspaces.places(con, scope.workspace)
    rows = fetch(
        con,
        f"""
        select {COLUMNS} from memory indexed by memory_slot
        where user = ? and slot = ? and retired_at is null
          and ifnull(workspace, 0) in (select value from json_each(?))
        order by coalesce(valid_from, recorded_at), id""",
        (scope.user, slot, json.dumps(family)),
    )
    return [from_row(row) for row in rows]


def affirmed(con: apsw.Connection, rows: Sequence[Memory]) -> dict[str, tuple[int, ...]]:
    """
    By ULID, the moments at which each of those memories was said; what was added of another time counts for that time
    alone.
    """
    found = fetch(
        con,
        """
        select memory.ulid, json_group_array(distinct event.occurred_at)
        from memory join evidence on evidence.memory = memory.id join event on event.id = evidence.event
        where memory.id in (select value from json_each(?)) and json_extract(event.data, '$.memory_at') is null
        group by memory.id""",
        (json.dumps([row.id for row in rows]),),
    )
    return {str(ulid): tuple(json.loads(moments)) for ulid, moments in found}


def of_ulids(con: apsw.Connection, ulids: Sequence[str]) -> dict[str, int]:
    """The row ids of the memories of those ULIDs, live or not; missing ones are left out."""
    rows = fetch(
        con,
        "select ulid, id from memory where ulid in (select value from json_each(?))",
        (json.dumps(list(ulids)),),
    )
    return {str(ulid): int(id_) for ulid, id_ in rows}


def wanted_gone(con: apsw.Connection, scope: Scope, slot: str, *, turn: int | None) -> bool:
    """Whether a person has taken out what held the slot, drawn from that turn, and nothing has come since."""
    row = first(
        con,
        """
        select retired_why in (?, ?) from memory
        where user = ? and slot = ? and turn is ?
        order by retired_at is null desc, id desc limit 1""",
        (ON_REQUEST, IN_WORDS, scope.user, slot, turn),
    )
    return row is not None and bool(row[0])


def opposite(con: apsw.Connection, scope: Scope, statement: str, polarity: str) -> Memory | None:
    """The live memory of the user's that says the same of the same thing with the other polarity."""
    family = workspaces.places(con, scope.workspace)
    row = first(
        con,
        f"""
        select {COLUMNS} from memory
        where user = ? and ifnull(workspace, 0) in (select value from json_each(?))
          and kind in ('profile', 'fact', 'intention') and retired_at is null and valid_to is null
          and json_extract(data, '$.statement') = ? and json_extract(data, '$.polarity') <> ?
        order by id desc limit 1""",
        (scope.user, json.dumps(family), statement, polarity),
    )
    return from_row(row) if row else None


def saying(
    con: apsw.Connection, scope: Scope, words: str, *, said_before: int | None = None, limit: int = 5
) -> list[Memory]:
    """
    Live memories drawn from what the user said, in that workspace or global, in which those words stand, the latest
    first; of those, what was said before a moment, where one is given.
    """
    family: Sequence[int] = () if scope.workspace is None else workspaces.family(con, scope.workspace)
    rows = fetch(
        con,
        f"""
        select {COLUMNS} from memory
        where user = :user and (workspace is null or workspace in (select value from json_each(:family)))
          and kind in ('profile', 'fact', 'intention') and slot is not null and retired_at is null and origin = 'user'
          and instr(lower(text), lower(:words)) > 0
          and (:before is null or exists (
            select 1 from evidence join event on event.id = evidence.event
            where evidence.memory = memory.id and event.occurred_at < :before))
        order by recorded_at desc, id desc limit :limit""",
        {
            "user": scope.user, "family": json.dumps(family), "words": words, "before": said_before,
            "limit": limit,
        },
    )  # fmt: skip
    return [from_row(row) for row in rows]
