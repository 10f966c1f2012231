"""What comes in from another file, row by row: what memories rest on, what joins them, what was thought of them."""

from __future__ import annotations

import json
from typing import Any

import apsw

from .. import tombstones
from ..rows import fetch, first, value
from ..tombstones import FILLER
from .arriving import BROKEN, FORGOTTEN, Arrivals, Line, Refused, Took
from .displaced import DISPLACED

# Links of what was drawn from what; they go one way.
DRAWN = ("derived_from", "part_of")
ROUND = "is drawn from itself"


def evidence(con: apsw.Connection, line: Line, here: Arrivals) -> Took:
    """What a memory rests on, each passage once."""
    memory_ = here.memory(con, line["memory"])
    assert memory_ is not None
    try:
        event = here.event(con, line["event"])
    except Refused as e:
        if str(e) == FORGOTTEN or tombstones.row_gone_at(con, line["event"]) is not None:
            here.bereft.add(memory_)
            raise Refused(FORGOTTEN) from e
        raise
    start, end = line.get("start"), line.get("end")
    if start is not None and end is not None and (shift := here.shifted.get(line["event"])):
        start, end = shift(start), shift(end)
    content = str(value(con, "select content from event where id = ?", (event,)))
    quote = line.get("quote")
    if (end is not None and end > len(content)) or start == end is not None:
        raise Refused(BROKEN)
    if start is None and quote is not None and quote not in content and FILLER not in content:
        raise Refused(BROKEN)
    values = {"memory": memory_, "event": event, "quote": line.get("quote"), "start": start, "end": end}
    before = con.total_changes()
    con.execute(
        """
        insert into evidence(memory, event, quote, start, end)
        select :memory, :event, :quote, :start, :end
        where not exists (
          select 1 from evidence
          where memory = :memory and event = :event and quote is :quote and start is :start and end is :end)""",
        values,
    )
    return "added" if con.total_changes() > before else "known"


def link(con: apsw.Connection, line: Line, here: Arrivals) -> Took:
    """
    What joins two memories; of one that both files know, the elder. What was drawn from something is no source of that.
    """
    values = {
        "source": here.memory(con, line["from"]), "target": here.memory(con, line["to"]), "kind": line["kind"],
        "data": json.dumps(line["data"], ensure_ascii=False), "at": line["created_at"],
    }  # fmt: skip
    if values["source"] == values["target"] or _goes_round(con, values):
        raise Refused(ROUND)
    known = first(
        con,
        "select 1 from link where source = :source and target = :target and kind = :kind",
        values,
    )
    con.execute(
        """
        insert into link(source, target, kind, data, created_at) values (:source, :target, :kind, :data, :at)
        on conflict do update set data = excluded.data, created_at = excluded.created_at
        where (excluded.created_at, excluded.data) < (created_at, data)""",
        values,
    )
    return "known" if known else "added"


def _goes_round(con: apsw.Connection, values: dict[str, Any]) -> bool:
    """Whether the one memory is drawn from the other already, by whatever way."""
    if values["kind"] not in DRAWN:
        return False
    return (
        first(
            con,
            f"""
            with recursive source(id) as (
              select ?1
              union
              select link.target from source join link on link.source = source.id
              where link.kind in {DRAWN})
            select 1 from source where id = ?2""",
            (values["target"], values["source"]),
        )
        is not None
    )


def feedback(con: apsw.Connection, line: Line, here: Arrivals) -> Took:
    """What someone thought of a memory. What its trust is then, is for the caller to say."""
    if first(con, "select 1 from feedback where ulid = ?", (line["ulid"],)):
        return "known"
    if tombstones.row_gone_at(con, line["ulid"]) is not None:
        raise Refused(FORGOTTEN)
    if not first(con, "select 1 from memory where root = ? limit 1", (line["root"],)):
        raise Refused(here.refused.get(line["root"], BROKEN))
    con.execute(
        "insert into feedback(ulid, root, verdict, source, session, given_at) values (?, ?, ?, ?, ?, ?)",
        (
            line["ulid"],
            line["root"],
            line["verdict"],
            line.get("source"),
            line.get("session"),
            line["given_at"],
        ),
    )
    return "added"


def unretired(con: apsw.Connection, root: str) -> list[int]:
    """The versions of a memory that nobody has retired, be they displaced by another file's or not."""
    rows = fetch(
        con,
        "select id from memory where root = ? and (retired_at is null or retired_why = ?)",
        (root, DISPLACED),
    )
    return [int(id_) for (id_,) in rows]
