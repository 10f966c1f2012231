"""A slot's line in time in the file: a new statement joins it, and what `timeline` settled is carried out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import apsw

from ..store import memories, slots, words
from ..store.cutter import Cut
from ..store.events import content_hash
from ..store.ids import derived_ulid, new_ulid
from ..store.memories import Quote
from ..store.models import Memory, NewMemory
from .reconcile import Decision, Relation
from .statements import JOINED, NEGATED, Settled, same_thing
from .timeline import settle

WRONG_CLOCK = "it was told by a clock that was wrong"
LONGER = "it has been so for longer than was known"
AGAIN = "it says the same in other words"
CONFLICT = "another value of the same time, and neither is known to be the newer; both stand"
PAST, BETWEEN = "it was true before what is current", "nothing was known of it"


@dataclass(frozen=True, slots=True)
class Arriving:
    """
    A statement that is not in the file yet: as a row, the words for it, and what it is told anew of, retired by now.
    """

    row: Memory
    quotes: Sequence[Quote]
    version_of: Memory | None = None


@dataclass(frozen=True, slots=True)
class Joined:
    """What became of a statement: the decision, and the memory that says it (now, where it holds now)."""

    decision: Decision
    memory: int


def join(
    con: apsw.Connection,
    new: NewMemory,
    quotes: Sequence[Quote],
    *,
    cut: Cut | None,
    now: int,
    version_of: Memory | None = None,
) -> Joined:
    """
    Put a statement where it belongs on the line of its slot, in its workspace and those that are the same.

    `version_of`: the memory, retired by now, that it is told anew of: it goes on with its identity and its evidence.
    """
    rows = _without_wrong_clocks(con, slots.line(con, new.scope, new.slot or ""), new, now=now)
    affirmed = slots.affirmed(con, rows)
    # What is told in one breath is told in its order.
    told_at = max([now, *(row.recorded_at + 1 for row in rows if row.recorded_at == now)])
    row = _as_row(new, told_at, root=version_of.root if version_of else None)
    found = settle([*rows, row], affirmed)
    if version_of is None and (longer := _same_for_longer(found, row)) is not None:
        version_of, row = longer, replace(row, root=longer.root)
        found = settle([*rows, row], affirmed)
    ids = carry_out(con, found, Arriving(row, quotes, version_of), cut=cut)
    decision = _decision(found, row, rows)
    says = [ulid for ulid in _stands_for(found, row) if ulid in ids]
    memory = ids[says[-1]] if says else (decision.old.id if decision.old else 0)
    if decision.old is not None and memory != decision.old.id and decision.verb == "update":
        data = {"relation": decision.relation}
        memories.link(con, memory, decision.old.id, "supersedes", now=now, data=data)
    return Joined(decision, memory)


def carry_out(
    con: apsw.Connection, found: Settled, arriving: Arriving | None = None, *, cut: Cut | None
) -> dict[str, int]:
    """
    Write what was settled, and what arrives with it; the row ids, by ULID, of what stands in place of what does not and
    of what was written. Rows that were settled are in the file, but for the one that arrives.
    """
    ids: dict[str, int] = {}
    new = arriving.row if arriving else None
    gone = {one.row.ulid for one in found.retired}
    for one in found.retired:
        if one.row is not new:
            memories.retire(con, one.row.id, why=one.why, now=one.at)
    written = [*found.written, *([(new, new)] if new is not None and new.ulid not in gone else [])]
    for row, of in written:
        ids[row.ulid] = _write(con, row, of, arriving, cut=cut)
    named = {ulid for one in found.retired for ulid in one.by} | {
        ulid for pair in found.rivals for ulid in pair
    }
    ids |= slots.of_ulids(con, [ulid for ulid in named if ulid not in ids])
    for one in found.retired:
        for ulid in one.by if one.joined else ():
            if arriving is not None and one.row is new:
                memories.support(con, ids[ulid], arriving.quotes)
                memories.revive(con, ids[ulid])  # said again
            else:
                memories.inherit(con, ids[ulid], one.row.id)
    for pair in found.rivals:
        mine, theirs = sorted(ids[ulid] for ulid in pair)
        at = (
            max(one.at for one in found.retired)
            if found.retired
            else written[-1][0].recorded_at
            if written
            else 0
        )
        memories.link(con, theirs, mine, "contradicts", now=at, data={"relation": "conflict"})
    return ids


def _write(
    con: apsw.Connection, row: Memory, of: Memory, arriving: Arriving | None, *, cut: Cut | None
) -> int:
    """The row id of a row: a version of what it is a piece of, or of what it is told anew of, or a first one."""
    again, ulid = memories.as_new(row), row.ulid
    tokens = words.index(again.searched, cut)
    while slots.of_ulids(con, [ulid]):  # it was written before, for the same reason, and is retired by now
        ulid = derived_ulid(row.recorded_at, "again", ulid)  # the same in every file
    at = row.recorded_at
    if arriving is None or of is not arriving.row:
        return memories.renew(con, of, again, tokens, now=at, ulid=ulid)
    if arriving.version_of is not None:
        id_ = memories.renew(con, arriving.version_of, again, tokens, now=at, ulid=ulid)
        memories.support(con, id_, arriving.quotes)
        return id_
    return memories.insert(con, again, tokens, now=at, evidence=arriving.quotes, root=row.root, ulid=ulid)


def _without_wrong_clocks(
    con: apsw.Connection, rows: Sequence[Memory], new: NewMemory, *, now: int
) -> list[Memory]:
    """The rows but for those that claim to be from later than now, and of no day that was named."""
    begun = now if new.valid_from is None else new.valid_from
    wrong = [
        row
        for row in rows
        if row.valid_from is not None and row.valid_from > max(now, begun) and not row.data.get("dated")
    ]
    for row in wrong:
        memories.retire(con, row.id, why=WRONG_CLOCK, now=now)
    return [row for row in rows if row not in wrong]


def _as_row(new: NewMemory, at: int, *, root: str | None) -> Memory:
    ulid = new_ulid(at)
    return Memory(
        id=0, ulid=ulid, root=root or ulid, kind=new.kind, scene=new.scene, scope=new.scope, text=new.text,
        line=new.line, turn=new.turn, origin=new.origin, slot=new.slot, importance=new.importance,
        confidence=new.confidence, trust=new.trust, valid_from=new.valid_from, valid_to=new.valid_to,
        recorded_at=at, retired_at=None, retired_why=None, expires_at=new.expires_at, archived_at=None,
        renew_at=None, uses=0, used_at=None, hash=content_hash(new.text), data=new.data, meta=new.meta,
    )  # fmt: skip


def _same_for_longer(found: Settled, row: Memory) -> Memory | None:
    """What says the same as the new one and was known since later, where that is one memory."""
    folded = [
        one.row for one in found.retired
        if one.joined and one.why == JOINED and one.row.ulid != row.ulid and row.ulid in one.by
    ]  # fmt: skip
    return folded[0] if len({one.root for one in folded}) == 1 else None


def _stands_for(found: Settled, row: Memory) -> list[str]:
    """The ULIDs of what says a statement that arrived, in order."""
    gone = next((one for one in found.retired if one.row.ulid == row.ulid), None)
    return [row.ulid] if gone is None else list(gone.by)


def _decision(found: Settled, row: Memory, rows: Sequence[Memory]) -> Decision:
    """What was done with the one that arrived, as it is logged."""
    says = _stands_for(found, row)
    written = {one.ulid: one for one, of in found.written if of.ulid == row.ulid}
    gone = next((one for one in found.retired if one.row.ulid == row.ulid), None)
    if gone is not None and not written:
        held = next((one for one in rows if one.ulid in says), None) or next(
            (one for one in rows if same_thing(one, row)), None
        )
        return Decision("skip", AGAIN if gone.joined else gone.why, held)
    mine = [written.get(ulid, row) for ulid in says]
    pairs = {ulid for pair in found.rivals for ulid in pair if {*pair} & {one.ulid for one in mine}}
    rival = next((one for one in rows if one.ulid in pairs), None)
    if rival is not None:
        return Decision("add", CONFLICT, rival, "conflict")
    replaced = [one for one in found.retired if one.row is not row]
    if mine and mine[-1].valid_to is not None and row.valid_to is None:
        current = next((one for one in rows if one.valid_to is None), None)
        return Decision("past", PAST, current, "temporal")
    if not replaced:
        return Decision("add", BETWEEN)
    last = max(
        replaced, key=lambda one: (one.row.valid_to is None, one.row.valid_from or one.row.recorded_at)
    )
    if last.joined and same_thing(last.row, row):
        return Decision("version", LONGER, last.row, "supplement")
    relation: Relation = "negate" if last.why == NEGATED else "override"
    return Decision("update", last.why, last.row, relation)
