"""By which names the threads of code history go, on which branch, since when."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

import apsw

from .models import ThreadKind
from .rows import fetch, first, value


@dataclass(frozen=True, slots=True)
class Called:
    """
    A thread that went by a name. `sure`: it goes by it on that branch then; `knows`: it had that body once; `later`: it
    got the name only after then. `rank`: the less, the likelier it is the one that is meant.
    """

    thread: int
    sure: bool
    knows: bool
    later: bool
    rank: tuple[int, ...]


def place(con: apsw.Connection, workspace: int, path: str, symbol: str) -> int:
    """The row of a symbol's name in a file, made if it is new."""
    con.execute(
        "insert into place(workspace, path, symbol) values (?, ?, ?) on conflict do nothing",
        (workspace, path, symbol),
    )
    return int(
        value(
            con,
            "select id from place where workspace = ? and path = ? and symbol = ?",
            (workspace, path, symbol),
        )
    )


def called(
    con: apsw.Connection, user: str, workspaces: Sequence[int], path: str, symbol: str, branch: str,
    *, kind: ThreadKind, at: int, body: bytes | None,
) -> list[Called]:  # fmt: skip
    """
    The threads that ever went by that name. The likeliest had that body once; then those that went by the name on the
    branch at that moment; then those that did so on others, or had left it.
    """
    rows = fetch(
        con,
        """
        select name.thread, name.branch = :branch,
               case when name.at <= :at then not exists (
                 select 1 from thread_name later
                 where later.thread = name.thread and later.branch = name.branch and later.at <= :at
                   and (later.at, later.id) > (name.at, name.id))
               else not exists (
                 select 1 from thread_name sooner
                 where sooner.thread = name.thread and sooner.branch = name.branch
                   and (sooner.at, sooner.id) < (name.at, name.id)) end,
               name.at
        from place
          join thread_name name on name.place = place.id
          join thread on thread.id = name.thread
        where place.workspace in (select value from json_each(:workspaces)) and place.path = :path
          and place.symbol = :symbol and thread.user = :user and thread.kind = :kind""",
        {
            "user": user, "workspaces": json.dumps(list(workspaces)), "path": path, "symbol": symbol,
            "branch": branch, "kind": kind, "at": at,
        },
    )  # fmt: skip
    found = []
    for thread, here, is_then, since in rows:
        sure = bool(here and is_then)
        # Of one that is the only one it is not asked.
        knows = (len(rows) > 1 or not sure) and had(con, thread, body)
        # An import meets names that were given later than what it reads: of those the first.
        rank = (not knows, not sure, not is_then, since > at, not here, abs(at - since))
        found.append(Called(int(thread), sure, knows, since > at, tuple(int(one) for one in rank)))
    return found


def had(con: apsw.Connection, thread: int, body: bytes | None) -> bool:
    """Whether a thread ever had that body, by its hash."""
    return body is not None and bool(
        value(
            con,
            """
            select exists (select 1 from body join round on round.after = body.id
                           where body.hash = :body and +round.thread = :thread)
                or exists (select 1 from body join round on round.before = body.id
                           where body.hash = :body and +round.thread = :thread)""",
            {"thread": thread, "body": body},
        )
    )


def lives_elsewhere(
    con: apsw.Connection, thread: int, branch: str, path: str, symbol: str, *, at: int
) -> bool:
    """Whether a thread goes on under another name on that branch."""
    row = first(
        con,
        """
        select place.path = ? and place.symbol = ?
        from thread_name name join place on place.id = name.place
        where name.thread = ? and name.branch = ? and name.at <= ?
          and 'deleted' <> (select status from round where round.thread = name.thread order by n desc limit 1)
        order by name.at desc, name.id desc limit 1""",
        (path, symbol, thread, branch, at),
    )
    return row is not None and not row[0]


def take(con: apsw.Connection, thread: int, branch: str, at_place: int, *, at: int) -> None:
    """Note that a thread goes by that name on that branch from then on, unless it does already."""
    con.execute(
        """
        insert into thread_name(thread, branch, place, at)
        select :thread, :branch, :place, :at
        where :place is not (
          select place from thread_name
          where thread = :thread and branch = :branch and at <= :at
          order by at desc, id desc limit 1)""",
        {"thread": thread, "branch": branch, "place": at_place, "at": at},
    )


def renumber(con: apsw.Connection, thread: int, branch: str, old: int, new: int, *, at: int) -> None:
    """
    A thread goes by another place from then on, and did so before: of two symbols with one name only the number was
    another, which is none of their doing.
    """
    take(con, thread, branch, new, at=at)
    con.execute(
        """
        update round set place = :new
        where thread = :thread and place = :old and exists (
          select 1 from change
          where change.id = round.change and coalesce(change.branch, '') = :branch and change.happened_at <= :at)""",
        {"thread": thread, "branch": branch, "old": old, "new": new, "at": at},
    )
