"""What comes in from another file, row by row: memories with all versions, what they rest on, what joins them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import apsw

from .. import entities, fts, memories, tombstones, vector_indexes, workspaces
from ..events import content_hash
from ..models import Memory
from ..names import VERSION as NAMES_VERSION
from ..names import Named
from ..rows import fetch, first, value
from ..words import VERSION, Tokens
from .arriving import BROKEN, FORGOTTEN, Arrivals, Line, Refused, Took

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


def check(con: apsw.Connection, line: Line) -> None:
    """Raise `Refused` for a memory that was forgotten here."""
    if tombstones.row_gone_at(con, line["ulid"]) is not None:
        raise Refused(FORGOTTEN)
    if line["kind"] == "turn" or not tombstones.any_of(con, "content"):
        return
    whole, stated = (
        tombstones.content_gone_at(con, line["text"]),
        tombstones.statement_gone_at(con, line["text"]),
    )
    if any(
        gone_at is not None and line["recorded_at"] < gone_at for gone_at in (whole, stated)
    ) or tombstones.passages(con, line["text"], before=line["recorded_at"]):
        raise Refused(FORGOTTEN)


def is_known(con: apsw.Connection, ulid: str) -> bool:
    """Whether that version is here."""
    return first(con, "select 1 from memory where ulid = ?", (ulid,)) is not None


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
    return [
        Standing(ulid, root, slot, bool(is_open), since, recorded_at, retired_at, displaced_at)
        for ulid, root, slot, is_open, since, recorded_at, retired_at, displaced_at in rows
    ]


def displace(con: apsw.Connection, found: Mapping[str, int | None]) -> None:
    """Note since when versions are displaced by newer ones of another file; None: they are not, any more."""
    for ulid, at in sorted(found.items(), key=lambda one: one[1] is None):
        if at is None:
            con.execute(
                "update memory set retired_at = null, retired_why = null where ulid = ? and retired_why = ?",
                (ulid, DISPLACED),
            )
            _tokens_follow(con, ulid)
        else:
            con.execute(
                """
                update memory set retired_at = ?, retired_why = ?
                where ulid = ? and (retired_at is null or retired_why = ?)""",
                (at, DISPLACED, ulid, DISPLACED),
            )
            _tokens_follow(con, ulid)


def _tokens_follow(con: apsw.Connection, ulid: str) -> None:
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


def memory(
    con: apsw.Connection,
    line: Line,
    tokens: Tokens,
    named: Named,
    here: Arrivals,
    *,
    displaced_at: int | None,
) -> int:
    """A version that is not known here, `displaced_at` by a newer one that was found beside it."""
    values = _values(line, here) | {
        "turn": here.turn(con, line.get("turn")), "workspace": here.workspace(con, line.get("workspace")),
    }  # fmt: skip
    if displaced_at is not None and values["retired_at"] is None:
        values |= {"retired_at": displaced_at, "retired_why": DISPLACED}
    id_ = int(value(con, _INSERT, values))
    is_live = values["retired_at"] is None and values["archived_at"] is None
    index = "terms" if is_live else "past_terms"
    con.execute(
        f"insert into {index}(memory, main, sub, grams, version) values (?, ?, ?, ?, ?)",
        (id_, *tokens, VERSION),
    )
    entities.put(con, id_, named)
    return id_


_COLUMNS = (
    "ulid", "root", "turn", "scene", "kind", "user", "agent", "session", "source", "workspace", "branch", "origin",
    "text", "line", "data", "slot", "importance", "confidence", "trust", "valid_from", "valid_to", "recorded_at",
    "imported_at", "retired_at", "retired_why", "expires_at", "hash", "uses", "used_at", "meta", "archived_at",
    "renew_at", "named",
)  # fmt: skip
_INSERT = f"""
insert into memory({", ".join(_COLUMNS)})
values ({", ".join(f":{name}" for name in _COLUMNS)})
returning id"""


def _values(line: Line, here: Arrivals) -> dict[str, Any]:
    return {
        **dict.fromkeys(_COLUMNS), **line, "data": json.dumps(line["data"], ensure_ascii=False),
        "meta": json.dumps(line["meta"], ensure_ascii=False), "hash": content_hash(line["text"]),
        "imported_at": here.now, "named": NAMES_VERSION,
    }  # fmt: skip


def meet(con: apsw.Connection, line: Line) -> None:
    """
    A version that both files know: used as late and as often as either says; the earlier day of its end stands; faded
    where the file that used it last says so.
    """
    values = {
        **dict.fromkeys(("retired_at", "retired_why", "used_at", "archived_at", "renew_at")), **line,
        "displaced": DISPLACED,
    }  # fmt: skip
    con.execute(
        """
        update memory set
          archived_at = case
            when ifnull(:used_at, 0) > ifnull(used_at, 0) then :archived_at
            when ifnull(:used_at, 0) < ifnull(used_at, 0) then archived_at
            else coalesce(min(archived_at, :archived_at), archived_at, :archived_at) end,
          renew_at = coalesce(min(renew_at, :renew_at), renew_at, :renew_at),
          uses = max(uses, :uses), used_at = nullif(max(ifnull(used_at, 0), ifnull(:used_at, 0)), 0)
        where ulid = :ulid""",
        values,
    )
    if values["retired_at"] is not None and values["retired_why"] != DISPLACED:
        con.execute(
            """
            update memory set retired_at = :retired_at, retired_why = :retired_why
            where ulid = :ulid and (
              retired_at is null or retired_why = :displaced
              or (retired_at, retired_why) > (:retired_at, :retired_why))""",
            values,
        )
    _tokens_follow(con, line["ulid"])


def turn_memory(con: apsw.Connection, line: Line, here: Arrivals) -> int | None:
    """The row of the memory of that turn, if there is one already, under whichever id; the elder id stands."""
    turn = here.turn(con, line["turn"])
    row = first(
        con,
        """
        select id, ulid from memory
        where ulid = ?1 or (kind = 'turn' and turn = ?2 and retired_at is null and ?3)
        order by ulid = ?1 desc limit 1""",
        (line["ulid"], turn, line.get("retired_at") is None),
    )
    if row is None:
        return None
    id_, ulid = int(row[0]), row[1]
    if ulid != line["ulid"]:
        here.memories[line["ulid"]] = id_
        elder = min(ulid, line["ulid"])
        con.execute(
            "update memory set ulid = ?1, root = iif(root = ulid, ?1, root) where id = ?2", (elder, id_)
        )
    return id_


def tell_turn(con: apsw.Connection, id_: int, line: Line, tokens: Tokens, named: Named) -> None:
    """The text of a turn's memory as the file has it, which knows more of the turn."""
    con.execute(
        """
        update memory set text = :text, line = :line, data = :data, hash = :hash, scene = :scene, branch = :branch,
          valid_from = :valid_from, origin = :origin
        where id = :id""",
        {
            **dict.fromkeys(("line", "branch", "valid_from")), **line, "id": id_, "hash": content_hash(line["text"]),
            "data": json.dumps(line["data"], ensure_ascii=False),
        },
    )  # fmt: skip
    vector_indexes.drop(con, id_)
    entities.put(con, id_, named)
    if first(con, "select 1 from terms where memory = ?", (id_,)):
        fts.put(con, id_, tokens)


def told(con: apsw.Connection, id_: int) -> tuple[str, str, str, str]:
    """What a turn's memory says: text, line, data and scene."""
    return fetch(con, "select text, ifnull(line, ''), data, scene from memory where id = ?", (id_,))[0]


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
    length = value(con, "select length(content) from event where id = ?", (event,))
    if end is not None and end > length:
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
    """What joins two memories; of one that both files know, the elder."""
    values = {
        "source": here.memory(con, line["from"]), "target": here.memory(con, line["to"]), "kind": line["kind"],
        "data": json.dumps(line["data"], ensure_ascii=False), "at": line["created_at"],
    }  # fmt: skip
    known = first(
        con,
        "select 1 from link where source = :source and target = :target and kind = :kind",
        _only(values, 3),
    )
    con.execute(
        """
        insert into link(source, target, kind, data, created_at) values (:source, :target, :kind, :data, :at)
        on conflict do update set data = excluded.data, created_at = excluded.created_at
        where (excluded.created_at, excluded.data) < (created_at, data)""",
        values,
    )
    return "known" if known else "added"


def _only(values: dict[str, Any], n: int) -> dict[str, Any]:
    return dict(list(values.items())[:n])


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


def to_settle(con: apsw.Connection) -> list[list[int]]:
    """Of each slot that has rows of several files which nobody has retired, those rows: what its line is made of."""
    rows = fetch(
        con,
        f"""
        select json_group_array(memory.id)
        from memory left join workspace on workspace.id = memory.workspace
        where memory.slot is not null and (memory.retired_at is null or memory.retired_why = '{DISPLACED}')
        group by memory.user, ifnull(coalesce(workspace.same_as, workspace.id), 0), memory.slot
        having count(*) > 1
          and (count(distinct ifnull(memory.imported_at, 0)) > 1 or count(distinct memory.workspace) > 1
               or max(memory.retired_at is not null))""",
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
    _tokens_follow(con, ulid)
