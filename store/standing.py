"""Where words stand in the file: in memories, events, names, code, and any other column that holds text."""

from __future__ import annotations

import json
import string
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import apsw

from .rows import fetch, value
from .wording import Words, longer, texts_of

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


# So many rows are read at a time.
AT_ONCE = 500
# SQLite takes no longer chain of conditions than a thousand.
BATCH = 200


def _batches(wanted: Sequence[str]) -> Iterator[Sequence[str]]:
    for at in range(0, len(wanted), BATCH):
        yield wanted[at : at + BATCH]


def _holding(expression: str, wanted: Sequence[str]) -> tuple[str, dict[str, str]]:
    names = {f"held{n}": form for n, form in enumerate(wanted)}
    return "(" + " or ".join(f"instr(lower({expression}), :{name})" for name in names) + ")", names


@dataclass(frozen=True, slots=True)
class Found:
    """
    Rows in which words stand: `whole` those that have them as whole words, by their kind where they have one; `inside`
    those that have them as part of a longer word, each with such words. A row may be among both.
    """

    whole: Mapping[int, str]
    inside: Mapping[int, tuple[str, ...]]


_TOLD = ("memory.text", "ifnull(memory.line, '')", "ifnull(memory.slot, '')", "memory.data", "memory.meta")
_SAID = ("event.content", "event.data")


def memories(con: apsw.Connection, words: Words, reach: Reach) -> Found:
    """The memories, live or not, in which any of those words stand."""
    return _look(con, words, "memory", "memory", MEMORIES, reach, _TOLD)


def events(con: apsw.Connection, words: Words, reach: Reach) -> Found:
    """The events in whose content or data any of those words stand."""
    return _look(con, words, "event", "event join turn on turn.id = event.turn", EVENTS, reach, _SAID)


def _look(
    con: apsw.Connection, words: Words, table: str, rows: str, within_: str, reach: Reach, told: Sequence[str]
) -> Found:
    whole: dict[int, str] = {}
    inside: dict[int, tuple[str, ...]] = {}
    has_piece, or_more, names = _may_hold(words)
    together = " || ' ' || ".join(told)
    # Put together once, whatever is looked for in it.
    sql = f"""
        select id, kind, raw, {has_piece} from (
          select {table}.id, {table}.kind, {together} as raw, lower({together}) as low
          from {rows} where {within_} limit -1 offset 0)
        where {has_piece} or {or_more}"""
    found = con.execute(sql, {**reach.values(), **names}) if words else ()
    near = {int(id_): kind for id_, kind, raw, has in found if words.may_stand(raw, has_piece=has)}
    texts_of_near = f"select id, {', '.join(told)} from {table} where id in (select value from json_each(?))"
    for id_, *texts in fetch(con, texts_of_near, (json.dumps(list(near)),)):
        # What was said is no JSON, though it may look like it.
        every = [texts[0], *(text for one in texts[1:] for text in texts_of(one))]
        looked = [(text, *words.look(text)) for text in every]
        if any(places for _, places, _ in looked):
            whole[int(id_)] = str(near[id_])
        if longer_ones := tuple(longer(text, one) for text, _, parts in looked for one in parts):
            inside[int(id_)] = longer_ones
    return Found(whole, inside)


def _may_hold(words: Words) -> tuple[str, str, dict[str, str]]:
    """Of `raw` and `low`, which is that in small letters: whether a piece of the words is there; else it may be."""
    if len(words.pieces) > BATCH:
        return "null", "true", {}
    names = {f"held{n}": piece for n, piece in enumerate(words.pieces)}
    has_piece = " or ".join(f"instr(low, :{name}) > 0" for name in names)
    return f"({has_piece})", "length(raw) <> length(cast(raw as blob)) or instr(raw, '\\u') > 0", names


def packed(con: apsw.Connection, words: Words, table: str, column: str) -> Found:
    """The rows of `body` or `round` in whose compressed bytes any of those words stand; reads all of them."""
    whole: dict[int, str] = {}
    inside: dict[int, tuple[str, ...]] = {}
    last = 0
    while words:
        rows = fetch(
            con, f"select id, {column} from {table} where id > ? order by id limit {AT_ONCE}", (last,)
        )
        if not rows:
            break
        last = int(rows[-1][0])
        for id_, blob in rows:
            text = zlib.decompress(blob).decode("utf-8", "surrogateescape")
            places, parts = words.look(text) if words.may_stand(text) else ((), ())
            if places:
                whole[int(id_)] = table
            if parts:
                inside[int(id_)] = tuple(longer(text, one) for one in parts)
    return Found(whole, inside)


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


def distinct(con: apsw.Connection, words: Words, table: str, column: str) -> list[str]:
    """The different values of a column in which any of those words stand whole."""
    if not words:
        return []
    has_piece, or_more, names = _may_hold(words)
    # Taken out before the different ones are told from one another, which costs more.
    sql = f"""
        select distinct raw, {has_piece} from (
          select "{column}" as raw, lower("{column}") as low from "{table}" limit -1 offset 0)
        where raw is not null and ({has_piece} or {or_more})"""
    found = (one for one, has in fetch(con, sql, names) if words.may_stand(one, has_piece=has))
    return [one for one in found if words.whole_in(one)]


def every(con: apsw.Connection, table: str, column: str) -> list[str]:
    """The different values of a column."""
    rows = fetch(con, f'select distinct "{column}" from "{table}" where "{column}" is not null')
    return [str(one) for (one,) in rows]
