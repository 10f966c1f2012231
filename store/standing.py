"""Where words stand in the file: in memories, events, names, code, and any other column that holds text."""

from __future__ import annotations

import json
import string
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import apsw

from .rows import fetch, value

# As SQLite's `lower`: Latin letters only, so that every character keeps its place.
_LOWER = str.maketrans(string.ascii_uppercase, string.ascii_lowercase)


def plain(text: str) -> str:
    """The text with its Latin letters small, of the same length."""
    return text.translate(_LOWER)


@dataclass(frozen=True, slots=True)
class Reach:
    """
    Where something is looked for: everything of a user's, or only of that session, those workspaces (0: what is
    global), and that time (UTC microseconds, both ends inclusive).
    """

    user: str
    session: str | None = None
    workspaces: tuple[int, ...] | None = None
    since: int | None = None
    until: int | None = None

    @property
    def is_whole(self) -> bool:
        """Whether it is everything of the user's."""
        return (self.session, self.workspaces, self.since, self.until) == (None, None, None, None)

    def values(self) -> dict[str, Any]:
        """What the conditions below are bound to."""
        return {
            "user": self.user,
            "session": self.session,
            "workspaces": None if self.workspaces is None else json.dumps(self.workspaces),
            "since": self.since,
            "until": self.until,
        }


def within(table: str, moment: str, *, session: bool = True) -> str:
    """The condition that a row of that table lies in a `Reach`; `moment` is its column of when."""
    of_session = (
        f" and (:session is null or {table}.session = :session)" if session else " and :session is null"
    )
    return f"""
  {table}.user = :user
  and (:workspaces is null or ifnull({table}.workspace, 0) in (select value from json_each(:workspaces)))
  and (:since is null or {moment} >= :since) and (:until is null or {moment} <= :until){of_session}"""


MEMORIES = within("memory", "memory.recorded_at")
TURNS = within("turn", "turn.started_at")
EVENTS = within("turn", "event.occurred_at")
# Of a session are the changes of its turns.
CHANGES = f"""({within("change", "change.happened_at", session=False)}
  or :session is not null and change.turn in (select id from turn where {TURNS}))"""


def forms(needles: Sequence[str]) -> list[str]:
    """The ways in which words may stand in the file, in small letters: as they are, and as JSON writes them."""
    every = [form for one in needles for form in (one, _json(one), _json(one, escaped=True))]
    return [form for form in dict.fromkeys(map(plain, every)) if form]


def _json(text: str, *, escaped: bool = False) -> str:
    return json.dumps(text, ensure_ascii=escaped)[1:-1]


# SQLite takes no longer chain of conditions than a thousand.
BATCH = 200


def _batches(wanted: Sequence[str]) -> Iterator[Sequence[str]]:
    for at in range(0, len(wanted), BATCH):
        yield wanted[at : at + BATCH]


def _holding(expression: str, wanted: Sequence[str]) -> tuple[str, dict[str, str]]:
    names = {f"held{n}": form for n, form in enumerate(wanted)}
    return "(" + " or ".join(f"instr(lower({expression}), :{name})" for name in names) + ")", names


_OF_MEMORY = (
    "memory.text || ' ' || ifnull(memory.line, '') || ' ' || memory.data || memory.meta || ' '"
    " || ifnull(memory.slot, '')"
)


def memories(con: apsw.Connection, needles: Sequence[str], reach: Reach) -> list[tuple[int, str]]:
    """(row, kind) of the memories, live or not, in which any of those words stand."""
    found: dict[int, str] = {}
    for wanted in _batches(forms(needles)):
        held, names = _holding(_OF_MEMORY, wanted)
        sql = f"select id, kind from memory where {MEMORIES} and {held}"
        found |= {int(id_): str(kind) for id_, kind in fetch(con, sql, {**reach.values(), **names})}
    return sorted(found.items())


def events(con: apsw.Connection, needles: Sequence[str], reach: Reach) -> list[int]:
    """The events in whose content or data any of those words stand."""
    found = set[int]()
    for wanted in _batches(forms(needles)):
        held, names = _holding("event.content || ' ' || event.data", wanted)
        sql = f"select event.id from event join turn on turn.id = event.turn where {held} and {EVENTS}"
        found |= {int(id_) for (id_,) in fetch(con, sql, {**reach.values(), **names})}
    return sorted(found)


def packed(con: apsw.Connection, needles: Sequence[str], table: str, column: str) -> Iterator[int]:
    """The rows of `body` or `round` in whose compressed bytes any of those words stand; reads all of them."""
    wanted = [form.encode("utf-8", "replace") for form in map(plain, needles) if form]
    last = 0
    while wanted:
        rows = fetch(con, f"select id, {column} from {table} where id > ? order by id limit 500", (last,))
        if not rows:
            return
        last = int(rows[-1][0])
        for id_, blob in rows:
            # Lower-cases Latin letters alone, as `plain`.
            raw = zlib.decompress(blob).lower()
            if any(form in raw for form in wanted):
                yield int(id_)


def columns(con: apsw.Connection) -> Iterator[tuple[str, str]]:
    """Every (table, column) of ours that holds text: not the shadows of search indexes, which are made from them."""
    virtual = [
        str(name)
        for (name,) in fetch(
            con, "select name from sqlite_schema where type = 'table' and sql like 'create virtual%'"
        )
    ]
    tables = fetch(con, "select name from sqlite_schema where type = 'table' and name not like 'sqlite_%'")
    for (table,) in tables:
        if table in virtual or any(str(table).startswith(f"{one}_") for one in virtual):
            continue
        for name, type_ in fetch(con, "select name, type from pragma_table_info(?)", (table,)):
            if str(type_).lower() == "text":
                yield str(table), str(name)


def left(con: apsw.Connection, needles: Sequence[str]) -> dict[str, int]:
    """How many rows hold any of those words, by "table.column"; whose ever they are. Reads everything."""
    found: dict[str, int] = {}
    for wanted in _batches(forms(needles)):
        for table, column in columns(con):
            held, names = _holding(f'"{table}"."{column}"', wanted)
            if count := int(value(con, f'select count(*) from "{table}" where {held}', names)):
                found[f"{table}.{column}"] = found.get(f"{table}.{column}", 0) + count
    return found


def distinct(con: apsw.Connection, needles: Sequence[str], table: str, column: str) -> list[str]:
    """The different values of a column in which any of those words stand."""
    found: dict[str, None] = {}
    for wanted in _batches(forms(needles)):
        held, names = _holding(f'"{column}"', wanted)
        rows = fetch(con, f'select distinct "{column}" from "{table}" where {held}', names)
        found |= {str(one): None for (one,) in rows}
    return list(found)
