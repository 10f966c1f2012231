"""Versions that two files bring together: which are displaced by a newer one beside them, and their lines in time."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import apsw

from .. import fts, memories, vector_indexes, workspaces
from ..models import Memory
from ..rows import fetch, value
from .arriving import Line

# Why a version is no longer current where only another file had the newer one. The schema knows these words.
DISPLACED = "another file had a newer one"


@dataclass(frozen=True, slots=True)
class Standing:
    """
    A version beside those that it may displace, or that displace it: of the same memory, or of the same `slot` ("" for
    none; it names the user and the place too). `is_open`: it holds now, as far as it says. `retired_at` is what its own
    file says; `displaced_at` what was found when files were united.
    """

    ulid: str
    root: str
    slot: str
    is_open: bool
    true_from: int
    recorded_at: int
    retired_at: int | None
    displaced_at: int | None = None


def slot_of(con: apsw.Connection, line: Line, workspace: int | None) -> str:
    """What tells which current value the version competes for; "" for none."""
    if line.get("slot") is None or line.get("valid_to") is not None or "rival" in line["data"]:
        return ""
    head = workspaces.places(con, workspace)[0]
    return str(value(con, "select json_array(?, ?, ?)", (line["user"], head, line["slot"])))


_STANDING = f"""
  select memory.ulid,
         -- The pieces of what was cut in time stand beside each other; so do those of which nobody can say which is so.
         iif(memory.valid_to is not null and json_extract(memory.data, '$.stated') is not null,
             memory.ulid, memory.root) as root,
         iif(memory.slot is null or memory.valid_to is not null or json_extract(memory.data, '$.rival') is not null, '',
             json_array(memory.user, ifnull(coalesce(workspace.same_as, workspace.id), 0), memory.slot)) as competes,
         memory.valid_to is null, coalesce(memory.valid_from, memory.recorded_at), memory.recorded_at,
         iif(memory.retired_why is '{DISPLACED}', null, memory.retired_at),
         iif(memory.retired_why is '{DISPLACED}', memory.retired_at, null)
  from memory left join workspace on workspace.id = memory.workspace
  where memory.kind <> 'turn'"""


# In the place that a slot is asked of: that workspace, or one that is the same.
_THERE = """
  ifnull((select coalesce(same_as, id) from workspace where id = one.workspace), 0) = asked.value ->> 1"""


def rivals(con: apsw.Connection, roots: Sequence[str], slots: Sequence[str]) -> list[Standing]:
    """All versions of those memories, and all that compete for those slots and that nobody has retired."""
    told = json.dumps([json.loads(slot) for slot in slots if slot])
    rows = fetch(
        con,
        f"""
        {_STANDING} and memory.root in (select value from json_each(:roots))
        union
        {_STANDING} and memory.slot is not null and memory.id in (
          select one.id from json_each(:slots) asked join memory one
            on one.user = asked.value ->> 0 and one.slot = asked.value ->> 2 and one.retired_at is null
          where {_THERE}
          union all
          select one.id from json_each(:slots) asked join memory one
            on one.user = asked.value ->> 0 and one.slot = asked.value ->> 2 and one.retired_why = '{DISPLACED}'
          where {_THERE})""",
        {"roots": json.dumps(list(roots)), "slots": told},
    )
    return [_standing(*row) for row in rows]


def _standing(ulid: str, root: str, slot: str, is_open: int, *moments: Any) -> Standing:
    return Standing(ulid, root, slot, bool(is_open), *moments)


def of(con: apsw.Connection, ids: Collection[int]) -> list[Standing]:
    """Those memories, as they stand; of turns none."""
    rows = fetch(
        con, f"{_STANDING} and memory.id in (select value from json_each(?))", (json.dumps(sorted(ids)),)
    )
    return [_standing(*row) for row in rows]


def displace(con: apsw.Connection, found: Mapping[str, int | None]) -> None:
    """Note since when versions are displaced by newer ones of another file; None: they are not, any more."""
    for ulid, at in sorted(found.items(), key=lambda one: one[1] is None):
        if at is None:
            con.execute(
                "update memory set retired_at = null, retired_why = null where ulid = ? and retired_why = ?",
                (ulid, DISPLACED),
            )
            tokens_follow(con, ulid)
        else:
            con.execute(
                """
                update memory set retired_at = ?, retired_why = ?
                where ulid = ? and (retired_at is null or retired_why = ?)""",
                (at, DISPLACED, ulid, DISPLACED),
            )
            tokens_follow(con, ulid)


def tokens_follow(con: apsw.Connection, ulid: str) -> None:
    """Let a version's tokens lie in the index that it belongs to."""
    id_, is_past = fetch(
        con,
        "select id, retired_at is not null or archived_at is not null from memory where ulid = ?",
        (ulid,),
    )[0]
    if is_past:
        fts.retire(con, id_)
        vector_indexes.drop(con, id_)
        return
    con.execute(
        """
        insert into terms(memory, main, sub, grams, version)
        select memory, main, sub, grams, version from past_terms where memory = ? on conflict do nothing""",
        (id_,),
    )
    con.execute("delete from past_terms where memory = ?", (id_,))


def to_settle(con: apsw.Connection) -> list[list[int]]:
    """Of each slot that has rows of several files which nobody has retired, those rows: what its line is made of."""
    rows = fetch(
        con,
        f"""
        select json_group_array(memory.id)
        from memory left join workspace on workspace.id = memory.workspace
        where memory.slot is not null and (memory.retired_at is null or memory.retired_why = '{DISPLACED}')
        group by memory.user, ifnull(coalesce(workspace.same_as, workspace.id), 0), memory.slot
        having max(memory.retired_at is not null)
          or (count(*) > 1
              and (count(distinct ifnull(memory.imported_at, 0)) > 1 or count(distinct memory.workspace) > 1))""",
    )
    return [json.loads(str(ids)) for (ids,) in rows]


def as_claimed(con: apsw.Connection, ids: Sequence[int]) -> list[Memory]:
    """Those rows, as if none were displaced."""
    return [
        replace(row, retired_at=None, retired_why=None) if row.retired_why == DISPLACED else row
        for row in memories.by_ids(con, ids).values()
    ]


def settle_row(con: apsw.Connection, ulid: str, *, at: int, why: str) -> None:
    """Let a row be retired from then on for that reason, whether it was displaced before or not."""
    con.execute(
        """
        update memory set retired_at = ?, retired_why = ?
        where ulid = ? and (retired_at is null or retired_why = ?)""",
        (at, why, ulid, DISPLACED),
    )
    tokens_follow(con, ulid)
