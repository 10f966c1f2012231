"""What has just gone from one place of the code, or come to one: it may be one thing that was moved in two steps."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

import apsw

from .bodies import Body
from .rows import fetch, value

# A change that is larger than this many symbols is no move by hand.
MOST = 200


@dataclass(frozen=True, slots=True)
class LooseEnd:
    """A round that ended its thread, or began it; `body` is what went or came."""

    round: int
    thread: int
    gone: bool
    path: str
    symbol: str
    body: Body


def recent(
    con: apsw.Connection, user: str, workspaces: Sequence[int], worktree: str, branch: str, *, turn: int | None,
    since: int, at: int,
) -> list[LooseEnd]:  # fmt: skip
    """The symbols that went or came in that turn, where there is none since then; the latest first."""
    when = (
        "change.turn = :turn"
        if turn is not None
        else "change.turn is null and change.happened_at between :since and :at"
        " and change.workspace in (select value from json_each(:workspaces))"
    )
    rows = fetch(
        con,
        f"""
        select round.id, round.thread, round.status = 'deleted', place.path, place.symbol,
               body.hash, body.size, body.packed
        from change
          join round on round.change = change.id
          join thread on thread.id = round.thread
          join place on place.id = round.place
          join body on body.id = iif(round.status = 'deleted', round.before, round.after)
        where {when} and change.user = :user and change.worktree = :worktree
          and coalesce(change.branch, '') = :branch and thread.kind = 'symbol'
          and (round.status = 'deleted' and not exists (
                 select 1 from round later where later.thread = round.thread and later.n > round.n)
               or round.status = 'added' and round.n = 1 and 'deleted' <> (
                 select status from round last where last.thread = round.thread order by n desc limit 1))
        order by round.id desc limit {MOST}""",
        {
            "turn": turn, "since": since, "at": at, "workspaces": json.dumps(list(workspaces)), "user": user,
            "worktree": worktree, "branch": branch,
        },
    )  # fmt: skip
    return [
        LooseEnd(int(id_), int(thread), bool(gone), path, symbol, Body(hash_, size, packed))
        for id_, thread, gone, path, symbol, hash_, size, packed in rows
    ]


def take_back(con: apsw.Connection, gone: LooseEnd) -> None:
    """What was taken for the end of a thread was none; one that a commit holds stays."""
    con.execute(
        "delete from round where id = ? and not exists (select 1 from round_commit where round = ?)",
        (gone.round, gone.round),
    )


def join(con: apsw.Connection, began: LooseEnd, thread: int | None, before: int | None) -> None:
    """
    What began did so with that body, which it had elsewhere before. The thread that it had there, if any, goes on with
    its rounds, which are numbered on.
    """
    if thread is not None:
        last = value(con, "select max(n) from round where thread = ?", (thread,))
        con.execute("update round set thread = ?, n = n + ? where thread = ?", (thread, last, began.thread))
        con.execute("update thread_name set thread = ? where thread = ?", (thread, began.thread))
        con.execute("delete from thread where id = ?", (began.thread,))
    con.execute(
        """
        update round set status = 'moved', before = :before, parent = (
          select old.id from round old
          where old.thread = round.thread and old.n < round.n and old.after is :before
          order by old.n desc limit 1)
        where id = :round""",
        {"before": before, "round": began.round},
    )
