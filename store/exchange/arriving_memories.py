"""What comes in from another file, row by row: memories with all their versions."""

from __future__ import annotations

import json
from typing import Any

import apsw

from .. import entities, fts, passage_marks, tombstones, vector_indexes
from ..events import content_hash
from ..names import VERSION as NAMES_VERSION
from ..names import Named
from ..rows import fetch, first, value
from ..words import VERSION, Tokens
from .arriving import CONTRADICTS, FORGOTTEN, Arrivals, Line, Refused
from .displaced import DISPLACED, tokens_follow


def check(con: apsw.Connection, line: Line, here: Arrivals) -> None:
    """
    Raise `Refused` for a memory that was forgotten here. A version that only ends what an earlier one says is as old as
    that: nobody has said it again.
    """
    said_at = here.said_at(line)
    if tombstones.row_gone_at(con, line["ulid"]) is not None:
        raise Refused(FORGOTTEN)
    if line["kind"] == "turn" or not tombstones.any_of(con, "content"):
        return
    whole, stated = (
        tombstones.content_gone_at(con, line["text"]),
        tombstones.statement_gone_at(con, line["text"]),
    )
    if any(
        gone_at is not None and said_at < gone_at for gone_at in (whole, stated)
    ) or passage_marks.passages(con, line["text"], before=said_at):
        raise Refused(FORGOTTEN)


# What no file can change of a version that another knows.
_FIXED = (
    "root", "scene", "kind", "origin", "slot", "importance", "confidence", "valid_from", "valid_to", "recorded_at",
    "expires_at",
)  # fmt: skip


def known(con: apsw.Connection, line: Line) -> tuple[int, str] | None:
    """
    The row of that version, and its text, where it is here.

    Raises:
        Refused: another one goes by its id.
    """
    row = first(con, f"select id, text, {', '.join(_FIXED)} from memory where ulid = ?", (line["ulid"],))
    if row is None:
        return None
    id_, text, *fixed = row
    if line["kind"] != "turn" and any(
        line.get(name) != value for name, value in zip(_FIXED, fixed, strict=True)
    ):
        raise Refused(CONTRADICTS)
    return int(id_), str(text)


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
    tokens_follow(con, line["ulid"])


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
