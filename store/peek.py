"""
The file read by a hook that found no server: plain `sqlite3`, read-only, creating nothing, and soon done. A
prompt's question is answered here, the start of a session in `peek_start`.

Standard library only; hooks carry a copy. It sees what `filters.CONDITION` lets a live reading see.
"""

# pathlib takes 24 ms to import, which a hook does not have.
# ruff: noqa: PTH110, PTH118

from __future__ import annotations

import json
import math
import os
import sqlite3
import time

from . import DATABASE, folder_key

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

Error = sqlite3.Error
BUSY_S = 0.05
CANDIDATES, FIRST = 24, 400
# How much of what a question asks (by rarity) a memory must hold; without vectors nothing else speaks for it.
# Finds .79, .69 and .48 of what is there to be found (devmembench, commits-dev, locomo-dev, recall@5) and is
# silent on 95 to 100 % of questions from another set.
COVERED = 0.35
# The share, by weight, of what a question finds in a turn that must stand in what was drawn from the turn for that to
# stand for it; `fold` goes by it, too.
FOLDS = 0.75
# A name weighs more than a word as rare: it is what the question is about.
NAMED = 2.0
# Fewer things asked than this make no question ("continue"), unless one of them is a name.
ASKED = 2
# The user's numbers, which the server keeps in the file; these where it has kept none yet.
NUMBERS = {"hook_limit": 8, "hook_chars": 6000, "hook_code_chars": 3000, "digest_chars": 2500}

# What was rated wrong, or unhelpful by several, has less trust: nobody who did not ask for it is given it.
DOUBTED = 0.2

LIVE = f"""
  memory.user = :user and memory.retired_at is null and memory.archived_at is null and memory.trust >= {DOUBTED}
  and (memory.workspace is null or memory.workspace in (select value from json_each(:workspaces)))
  and (memory.valid_to is null or memory.valid_to > :now)
  and (memory.valid_from is null or memory.valid_from <= :now or ifnull(json_extract(memory.data, '$.dated'), 0) = 0)
  and (memory.expires_at is null or memory.expires_at > :now)"""

COLUMNS = """
  memory.id, memory.root, memory.hash, memory.kind, memory.scene, memory.text, memory.line,
  coalesce(memory.valid_from, memory.recorded_at), memory.branch, memory.origin, memory.turn,
  memory.confidence, memory.expires_at"""

GIVEN = """(
  memory.root || ' ' || {hash} in (select value from json_each(:given))
  or exists (select 1 from delivery
             where delivery.source = :source and delivery.session = :session and delivery.given_at >= :anew_at
               and delivery.root = memory.root and delivery.hash = {hash}))"""
WHOLE = GIVEN.format(hash="memory.hash")


class Row:
    """One memory as the file has it; `at` is when it was true from, else recorded."""

    __slots__ = (  # noqa: RUF023 - in the order of `COLUMNS`
        "id", "root", "hash", "kind", "scene", "text", "line", "at", "branch", "origin", "turn",
        "confidence", "expires_at",
    )  # fmt: skip
    id: int
    root: str
    hash: str
    kind: str
    scene: str
    text: str
    line: str | None
    at: int
    branch: str | None
    origin: str
    turn: int | None
    confidence: float
    expires_at: int | None

    def __init__(self, row: Sequence[object]) -> None:
        for name, value in zip(self.__slots__, row, strict=True):
            setattr(self, name, value)


class Place:
    """
    Who asks, from where: what a reading is limited to. `nowhere` is a session in no folder.

    `branch` is the one checked out there, where that matters. The file may not know yet what the session was given
    ("root hash") and that it forgot all before `anew_at`.
    """

    __slots__ = ("now", "session", "source", "user", "values", "workspaces")

    def __init__(
        self, user: str, workspaces: list[int], source: str, session: str, now: int,
        *, nowhere: bool = False, branch: str | None = None, given: Sequence[str] = (), anew_at: int = 0,
    ) -> None:  # fmt: skip
        self.user, self.workspaces, self.now = user, workspaces, now
        self.source, self.session = source, session
        # The bindings that every reading shares.
        self.values = {
            "user": user, "workspaces": json.dumps(workspaces), "now": now, "source": source, "session": session,
            "nowhere": nowhere, "branch": branch, "given": json.dumps(list(given)), "anew_at": anew_at,
        }  # fmt: skip


def open_file(home: str, *, within_s: float) -> sqlite3.Connection:
    """
    The home's file for reading; its statements are broken off, with an `Error`, after `within_s`.

    Raises:
        Error: there is no file.
    """
    path = os.path.join(home, DATABASE)
    # Without a log nobody writes, and to read past one without being told so would create it.
    how = "mode=ro" if os.path.exists(f"{path}-wal") else "mode=ro&immutable=1"
    con = sqlite3.connect(f"file:{_escaped(path)}?{how}", uri=True, timeout=BUSY_S, isolation_level=None)
    limit(con, within_s=within_s)
    return con


def limit(con: sqlite3.Connection, *, within_s: float) -> None:
    """Break off what is read from now on after that long, with an `Error`."""
    ends = time.monotonic() + within_s
    con.set_progress_handler(lambda: time.monotonic() > ends, 2000)


def salt(con: sqlite3.Connection) -> bytes:
    """The file's salt for keyed hashes; empty where it has none yet."""
    row = con.execute("select value from setting where name = 'salt'").fetchone()
    return bytes.fromhex(row[0]) if row else b""


def numbers(con: sqlite3.Connection) -> dict[str, int]:
    """The user's `NUMBERS`."""
    rows = con.execute(
        "select name, value from setting where name in (select value from json_each(?))",
        (json.dumps(list(NUMBERS)),),
    )
    return NUMBERS | {name: int(value) for name, value in rows.fetchall() if value.isdecimal()}


def paused(con: sqlite3.Connection, workspaces: list[int], now: int) -> bool:
    """Whether memory is paused, everywhere or here."""
    names = json.dumps(["paused", *(f"paused:{id_}" for id_ in workspaces)])
    rows = con.execute(
        "select value from setting where name in (select value from json_each(?))", (names,)
    ).fetchall()
    return any(int(until) == 0 or int(until) > now for (until,) in rows)


def user(con: sqlite3.Connection, source: str, session: str) -> str | None:
    """Whose session it is; of one not met before, the file's only user; None where there are several."""
    known = con.execute(
        "select user from session where source = ? and session = ?", (source, session)
    ).fetchone()
    if known:
        return str(known[0])
    first, last = con.execute(
        """
        select (select user from memory where retired_at is null order by user limit 1),
               (select user from memory where retired_at is null order by user desc limit 1)"""
    ).fetchone()
    return first if first == last else None


def workspaces(con: sqlite3.Connection, folder: str | None) -> list[int]:
    """The row ids of all workspaces that are one with the folder's; empty where it is not known."""
    if not folder:
        return []
    rows = con.execute(
        """
        with head(id) as (
          select coalesce(workspace.same_as, workspace.id)
          from workspace_key join workspace on workspace.id = workspace_key.workspace
          where workspace_key.key = ?)
        select workspace.id
        from head join workspace on workspace.id = head.id or workspace.same_as = head.id
        order by workspace.id""",
        (folder_key.key(folder),),
    ).fetchall()
    return [int(id_) for (id_,) in rows]


def search(con: sqlite3.Connection, question: str, place: Place, *, limit: int) -> tuple[list[Row], int]:
    """
    The memories that answer a question, best first, and how many more passed the floor.

    Without those the session was given and that have not changed, its own, and turns beside what was drawn
    from them.
    """
    from . import words  # 30 ms that a capture does not need

    asked = words.query(question, None)
    units = [(NAMED if word.name else 1.0, word.tokens) for word in asked.words]
    units += [(1.0, (gram,)) for gram in asked.grams]
    if asked.bare or (len(units) < ASKED and not any(word.name for word in asked.words)):
        return [], 0
    found: dict[int, Row] = {}
    enough = max(CANDIDATES, 3 * limit)
    every = ""
    for expression in words.match(asked):
        every = every or expression
        for row in _ranked(con, expression, place, enough):
            found.setdefault(row.id, row)
        if len(found) >= enough:
            break
    held, weights = _held(con, list(found), units)
    whole = sum(weights) or 1.0
    covers = {memory: sum(weights[unit] for unit in its) / whole for memory, its in held.items()}
    passed = [row for row in found.values() if covers[row.id] >= COVERED]
    for turn, over in _folds(passed, held, weights):
        passed.remove(turn)
        covers[over.id] = max(covers[over.id], covers[turn.id])
    passed.sort(key=lambda row: -round(covers[row.id], 1))
    more = max(0, len(passed) - limit)
    if len(passed) >= enough:
        # All that hold every word pass as well.
        (every_word,) = con.execute(_COUNT, {"match": every, **place.values}).fetchone()
        more = max(more, int(every_word) - limit)
    return passed[:limit], more


def _ranked(con: sqlite3.Connection, expression: str, place: Place, k: int) -> list[Row]:
    """The candidates of one expression, best first; of very many matches, those that rank first anywhere."""
    values = {"match": expression, "k": k, "first": FIRST, **place.values}
    rows = con.execute(_SEARCH, values).fetchall()
    if len(rows) < k:
        (matches,) = con.execute(
            "select count(*) from terms_fts where terms_fts match ?", (expression,)
        ).fetchone()
        if matches > FIRST:
            rows = con.execute(_SEARCH, {**values, "first": -1}).fetchall()
    return [Row(row) for row in rows]


_WANTED = f"""
{LIVE}
  and not (memory.source is :source and memory.session is :session
           and memory.recorded_at >= max(:anew_at, coalesce((
             select context_at from session where source = :source and session = :session), 0)))
  and not {WHOLE}"""
# Cross joins: the planner must not go through all memories and ask the index about each.
_COUNT = f"""
select count(*)
from terms_fts cross join memory on memory.id = terms_fts.rowid
where terms_fts match :match and {_WANTED}"""
_SEARCH = f"""
select {COLUMNS}
from (
  select rowid as id, bm25(terms_fts, 1.0, 1.0, 0.5) as score
  from terms_fts
  where terms_fts match :match
  order by score
  limit :first) hit
cross join memory on memory.id = hit.id
where {_WANTED}
order by hit.score, memory.id desc
limit :k"""


def _folds(rows: list[Row], held: dict[int, set[int]], weights: list[float]) -> list[tuple[Row, Row]]:
    """The turns that fold, each with the memory that it folds under; as `fold.folded`."""
    drawn: dict[int, list[Row]] = {}
    for row in rows:
        if row.kind != "turn" and row.turn is not None:
            drawn.setdefault(row.turn, []).append(row)
    folds = []
    for turn in [row for row in rows if row.kind == "turn" and row.turn in drawn]:
        said, ours = held[turn.id], drawn[turn.turn or 0]

        def share(units: set[int], said: set[int] = said) -> float:
            return sum(weights[unit] for unit in units & said)

        if share(set().union(*(held[row.id] for row in ours))) >= FOLDS * share(said):
            folds.append((turn, max(ours, key=lambda row: share(held[row.id]))))
    return folds


def _held(
    con: sqlite3.Connection, memories: list[int], units: list[tuple[float, tuple[str, ...]]]
) -> tuple[dict[int, set[int]], list[float]]:
    """What each memory holds of the units that are asked, by their places, and the weight of each by its rarity."""
    (rows,) = con.execute("select coalesce(max(memory), 0) from terms").fetchone()
    asked = json.dumps(list(dict.fromkeys(tokens[0] for _, tokens in units)))
    held = dict(
        con.execute(
            """
            select asked.value, terms_vocab.doc
            from json_each(?) asked join terms_vocab on terms_vocab.term = asked.value""",
            (asked,),
        ).fetchall()
    )
    # What no memory holds counts as if one did: in a small file it would outweigh everything else.
    weights = [
        factor * math.log((rows + 1) / (max(held.get(tokens[0], 0), 1) + 0.5)) for factor, tokens in units
    ]
    found = con.execute(
        """
        select memory, ' ' || main || ' ' || sub || ' ' || grams || ' ' from terms
        where memory in (select value from json_each(?))""",
        (json.dumps(memories),),
    ).fetchall()
    return {
        memory: {place for place, (_, tokens) in enumerate(units) if _holds(text, tokens)}
        for memory, text in found
    }, weights


def _holds(text: str, tokens: tuple[str, ...]) -> bool:
    """Whether a memory's tokens hold a word, or else all of its parts."""
    word, *parts = tokens
    return f" {word} " in text or bool(parts and all(f" {part} " in text for part in parts))


_PLAIN = b"/._-~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"


def _escaped(path: str) -> str:
    """A path as part of a URI."""
    return "".join(chr(byte) if byte in _PLAIN else f"%{byte:02X}" for byte in os.fsencode(path))
