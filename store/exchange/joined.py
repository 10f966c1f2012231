"""Threads of code that two files know apart, made one, since they hold the same version of the same code."""

from __future__ import annotations

import json
from collections.abc import Iterable

import apsw

from .. import settings
from ..rows import fetch, first, value
from ..thread_names import place
from ..workspaces import elder

# Which thread goes by another's id since they are one, by ULID: so a file that still has both is known again.
JOINED = "joined_threads"
# Numbers that no round has while it moves.
_ASIDE = 1 << 40


def known(con: apsw.Connection) -> dict[str, int]:
    """The threads that went by another id before they were joined: the row that each is now."""
    told = json.loads(settings.get(con, JOINED) or "{}")
    rows = fetch(
        con,
        "select asked.key, thread.id from json_each(?) asked join thread on thread.ulid = asked.value",
        (json.dumps(told),),
    )
    return {str(ulid): int(id_) for ulid, id_ in rows}


def join(con: apsw.Connection, pairs: Iterable[tuple[int, int]], twins: Iterable[tuple[int, int]]) -> None:
    """
    Let each pair of threads be one, by the elder's id, and of twin rounds only the one that stands first go on. Which
    is the elder does not depend on which file came first.
    """
    begun: dict[int, int] = {}
    for one, other in pairs:
        mine, theirs = sorted((_root(begun, one), _root(begun, other)), key=lambda id_: _ulid(con, id_))
        if mine != theirs:
            begun[theirs] = mine
    told = json.loads(settings.get(con, JOINED) or "{}")
    touched = set()
    for younger in sorted(begun):
        into = _root(begun, younger)
        old, new = _ulid(con, younger), _ulid(con, into)
        told = {ulid: new if to == old else to for ulid, to in told.items()} | {old: new}
        _move(con, younger, into)
        touched.add(into)
    if begun:
        settings.put(con, JOINED, json.dumps(told, sort_keys=True))
    touched |= {thread for keep, drop in sorted(set(twins)) for thread in _merge(con, keep, drop)}
    for thread in sorted(touched):
        renumber(con, thread)


def _root(begun: dict[int, int], id_: int) -> int:
    while id_ in begun:
        id_ = begun[id_]
    return id_


def _ulid(con: apsw.Connection, thread: int) -> str:
    return str(value(con, "select ulid from thread where id = ?", (thread,)))


def _move(con: apsw.Connection, younger: int, into: int) -> None:
    """All that the one thread has, to the other."""
    workspaces = [value(con, "select workspace from thread where id = ?", (id_,)) for id_ in (younger, into)]
    con.execute(
        """
        update thread set workspace = ?, created_at = min(created_at, (select created_at from thread where id = ?))
        where id = ?""",
        (elder(con, *workspaces), younger, into),
    )
    con.execute("update round set thread = ?, n = ? + id where thread = ?", (into, _ASIDE, younger))
    for branch, at, workspace, path, symbol in fetch(
        con,
        """
        select name.branch, name.at, place.workspace, place.path, place.symbol
        from thread_name name join place on place.id = name.place where name.thread = ? order by name.at, name.id""",
        (younger,),
    ):
        call(con, into, branch, workspace, path, symbol, at=at)
    con.execute(
        """
        insert into region(thread, branch, path, start_line, end_line)
        select ?1, branch, path, start_line, end_line from region where thread = ?2
        on conflict(thread, branch) do update set
          path = excluded.path, start_line = excluded.start_line, end_line = excluded.end_line
        where (excluded.path, excluded.start_line, excluded.end_line) > (path, start_line, end_line)""",
        (into, younger),
    )
    con.execute("delete from thread where id = ?", (younger,))


def call(
    con: apsw.Connection, thread: int, branch: str, workspace: int, path: str, symbol: str, *, at: int
) -> bool:
    """Let a thread have gone by a name since then; False where it did already, in that workspace or one with it."""
    row = first(
        con,
        """
        select thread_name.id, place.workspace from thread_name join place on place.id = thread_name.place
        where thread = ? and branch = ? and at = ? and place.path = ? and place.symbol = ?""",
        (thread, branch, at, path, symbol),
    )
    if row is not None:
        theirs = place(con, elder(con, row[1], workspace), path, symbol)
        con.execute("update thread_name set place = ?1 where id = ?2 and place <> ?1", (theirs, row[0]))
        return False
    con.execute(
        "insert into thread_name(thread, branch, place, at) values (?, ?, ?, ?)",
        (thread, branch, place(con, workspace, path, symbol), at),
    )
    return True


def _merge(con: apsw.Connection, keep: int, drop: int) -> list[int]:
    """What goes on from the one round goes on from the other; the threads that this touched."""
    row = first(
        con,
        """
        select one.thread, other.thread, other.parent from round one, round other where one.id = ? and other.id = ?""",
        (keep, drop),
    )
    if row is None:
        return []
    con.execute(
        """
        insert into round_commit(round, commit_id) select ?, commit_id from round_commit where round = ?
        on conflict do nothing""",
        (keep, drop),
    )
    con.execute("update round set parent = ? where parent = ? and id <> ?", (keep, drop, keep))
    con.execute(
        "update round set parent = nullif(?1, id) where id = ?2 and (parent is null or parent = ?3)",
        (row[2], keep, drop),
    )
    con.execute("delete from round where id = ?", (drop,))
    return [int(row[0]), int(row[1])]


def twin(con: apsw.Connection, round_: int, commit: str) -> tuple[int, int] | None:
    """
    Of a round that a commit holds, and another that the same commit holds with the same outcome at the same place, the
    one that stands and the one that goes: what was seen being made stands before what was read from the commit.
    """
    rows = fetch(
        con,
        """
        select other.id,
               coalesce(change.turn, change.event) is null and change.words is not null and change.head_after = :commit,
               coalesce(made.turn, made.event) is null and made.words is not null and made.head_after = :commit,
               change.ulid, made.ulid
        from round
          join change on change.id = round.change
          join place on place.id = round.place
          join thread on thread.id = round.thread
          join round_commit held on held.commit_id = :commit and held.round <> round.id
          join round other on other.id = held.round and other.change <> round.change and other.after is round.after
            and (other.after is not null or other.status = round.status)
          join change made on made.id = other.change
          join place there on there.id = other.place and there.path = place.path and there.symbol = place.symbol
          join thread theirs on theirs.id = other.thread and theirs.user = thread.user and theirs.kind = thread.kind
        where round.id = :round and (
          select coalesce(same_as, id) from workspace where id = place.workspace) = (
          select coalesce(same_as, id) from workspace where id = there.workspace)
        order by made.ulid, other.n""",
        {"round": round_, "commit": commit},
    )
    for other, is_read, others_is, mine, theirs in rows:
        if is_read and (not others_is or theirs < mine):
            return int(other), round_
        if others_is:
            return round_, int(other)
    return None


def thread_of(con: apsw.Connection, round_: int) -> int:
    """The thread of a round."""
    return int(value(con, "select thread from round where id = ?", (round_,)))


def renumber(con: apsw.Connection, thread: int) -> None:
    """Two files went on with one thread, each by itself: its rounds are numbered by the time they were made."""
    order = """
      select round.id as id, row_number() over (order by change.happened_at, change.ulid, round.n) as n
      from round join change on change.id = round.change where round.thread = ?1"""
    # In two steps, since each number is given once.
    con.execute(
        f"update round set n = -1 - (select n from ({order}) ranked where ranked.id = round.id) where thread = ?1",
        (thread,),
    )
    con.execute("update round set n = -1 - n where thread = ?", (thread,))
