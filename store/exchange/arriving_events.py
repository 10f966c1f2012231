"""What comes in from another file, row by row: events, without what was forgotten here."""

from __future__ import annotations

import json

import apsw

from .. import tombstones
from ..events import content_hash
from ..rows import fetch, first
from ..tombstones import FILLER
from .arriving import FORGOTTEN, Arrivals, Line, Refused, Shift, Took, not_forgotten, values_of


def event(con: apsw.Connection, line: Line, here: Arrivals) -> Took:
    """An event, unless it was forgotten here; passages of it that were are blanked."""
    not_forgotten(con, line["ulid"])
    turn_ = here.turn(con, line["turn"])
    assert turn_ is not None
    known = first(
        con,
        """
        select id, ulid, content from event
        where ulid = ?1 or (turn = ?2 and key = ?3)
        order by ulid = ?1 desc limit 1""",
        (line["ulid"], turn_, line["key"]),
    )
    if known is not None and (known[1] == line["ulid"] or known[1] < line["ulid"]):
        if known[1] != line["ulid"]:
            here.events[line["ulid"]] = int(known[0])
        if line.get("blanked_at") is not None:
            _blank_too(con, int(known[0]), line, here)
        _note_shift(here, line, str(known[2]))
        return "known"
    at = fetch(con, "select source, session, prompt_id from turn where id = ?", (turn_,))[0]
    if tombstones.any_of(con, "key", "content"):
        gone_at = (
            tombstones.key_gone_at(con, (*at, line["key"])),
            tombstones.key_gone_at(con, (*at[:2], "", line["key"])),
            tombstones.content_gone_at(con, line["content"]),
        )
        if any(gone is not None and line["occurred_at"] < gone for gone in gone_at):
            raise Refused(FORGOTTEN)
    if line.get("blanked_at") is not None:
        here.blanked.add(turn_)
    if known is not None:
        # The same event reached both files: it goes by the elder id, under which the row is written anew.
        con.pragma("defer_foreign_keys", True)
        con.execute("delete from event where id = ?", (known[0],))
    _insert_event(con, line, turn_, None if known is None else int(known[0]))
    _note_shift(here, line, line["content"])
    return "added" if known is None else "known"


def _insert_event(con: apsw.Connection, line: Line, turn_: int, id_: int | None) -> None:
    values = values_of(line, "tool", "ok", "blanked_at") | {"turn": turn_, "id": id_}
    content = line["content"]
    values |= {
        "content": content, "hash": content_hash(content), "data": json.dumps(line["data"], ensure_ascii=False),
    }  # fmt: skip
    con.execute(
        """
        insert into event(id, ulid, turn, seq, key, role, kind, content, tool, ok, origin, data, hash, occurred_at,
                          recorded_at, blanked_at)
        values (:id, :ulid, :turn,
                (select iif(exists (select 1 from event where turn = :turn and seq = :seq),
                            (select max(seq) + 1 from event where turn = :turn), :seq)),
                :key, :role, :kind, :content, :tool, :ok, :origin, :data, :hash, :occurred_at, :recorded_at,
                :blanked_at)""",
        values,
    )


def _blank_too(con: apsw.Connection, id_: int, line: Line, here: Arrivals) -> None:
    """What is blanked in either file is blanked in both; what else an event holds, no file can change."""
    row = fetch(con, "select content, data, key, blanked_at, turn from event where id = ?", (id_,))[0]
    content, theirs = str(row[0]), line["content"]
    if len(content) != len(theirs):
        return
    pairs = list(zip(content, theirs, strict=True))
    if any(one not in (other, FILLER) and other != FILLER for one, other in pairs):
        return
    both = "".join(FILLER if FILLER in pair else pair[0] for pair in pairs)
    data = json.dumps(line["data"], ensure_ascii=False)
    later = (line["blanked_at"], data, line["key"]) > (row[3] or 0, row[1], row[2])
    if both == content and not later:
        return
    con.execute(
        "update event set content = ?, hash = ?, data = ?, key = ?, blanked_at = ? where id = ?",
        (
            both, content_hash(both), data if later else row[1], line["key"] if later else row[2],
            max(line["blanked_at"], row[3] or 0), id_,
        ),
    )  # fmt: skip
    here.blanked.add(int(row[4]))


def _note_shift(here: Arrivals, line: Line, kept: str) -> None:
    """Where passages of the event as the file has it lie in what is kept of it here, if that is another text."""
    told = line.get("told", line["content"])
    if told == kept or len(told) == len(kept):
        return
    here.shifted[line["ulid"]] = _shift(told, kept)


def _shift(told: str, kept: str) -> Shift:
    """From a place in one text to that in another, which differ in one stretch: what lies in it, at its ends."""
    most = min(len(told), len(kept))
    head = next((i for i in range(most) if told[i] != kept[i]), most)
    tail = next((i for i in range(most - head) if told[-1 - i] != kept[-1 - i]), most - head)
    end, longer = len(told) - tail, len(kept) - len(told)

    def shift(at: int) -> int:
        if at <= head:
            return at
        return at + longer if at >= end else min(max(head, at + longer), end + longer)

    return shift
