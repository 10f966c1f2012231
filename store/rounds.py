"""Code history as it is read: threads by file, symbol, branch, commit or time, and the rounds of a thread."""

# Hooks carry a copy: standard library only, and no dataclass, whose module takes 17 ms to import.

from __future__ import annotations

import json
from typing import TYPE_CHECKING, NamedTuple

from . import bodies, places
from .rows import fetch, first

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence
    from typing import Any

    import apsw

    from .rows import Reading


class Asked(NamedTuple):
    """What is looked for; None asks for anything. Paths are relative to the repository, instants UTC microseconds."""

    user: str
    workspaces: tuple[int, ...]
    path: str | None = None
    symbol: str | None = None
    branch: str | None = None
    commit: str | None = None
    turns: tuple[int, ...] | None = None
    since: int | None = None
    until: int | None = None


class Thread(NamedTuple):
    """The life of a symbol, region or file, under the name that it had last."""

    id: int
    kind: str
    path: str
    symbol: str
    rounds: int
    last_at: int

    @property
    def name(self) -> str:
        """What people call it: `path::symbol`."""
        return f"{self.path}::{self.symbol}" if self.symbol else self.path


class Round(NamedTuple):
    """
    One version of a thread. `before` and `after` are rows of `body`, None where there was nothing; `words` what the
    user said, or a commit's message; `commits` hold it; `base` is the commit that it was made on.
    """

    id: int
    thread: int
    n: int
    parent: int | None
    path: str
    symbol: str
    status: str
    before: int | None
    after: int | None
    start: int
    end: int
    confidence: str
    actor: str
    turn: int | None
    words: str | None
    branch: str | None
    worktree: str
    base: str | None
    happened_at: int
    commits: tuple[str, ...]


def threads(con: Reading, asked: Asked, *, limit: int) -> list[Thread]:
    """The threads with a round that answers, those with the latest one first."""
    # The narrowest condition leads: with no statistics the planner cannot know which that is.
    if asked.path is not None or asked.symbol is not None:
        lead, commit = _BY_PLACE, _HELD if asked.commit else ""
    elif asked.commit is not None:
        lead, commit = _BY_COMMIT, "and lead.commit_id between :commit and :commit || 'g'"
    else:
        lead, commit = _BY_CHANGE, ""
    sql = _THREADS.format(lead=lead, named=places.NAMED, commit=commit)
    return [Thread(*row) for row in fetch(con, sql, _values(asked, limit))]


_BY_PLACE = "place join round on round.place = place.id join change on change.id = round.change"
_BY_COMMIT = (
    "round_commit lead join round on round.id = lead.round join change on change.id = round.change"
    " join place on place.id = round.place"
)
_BY_CHANGE = "change join round on round.change = change.id join place on place.id = round.place"
_HELD = """and exists (
        select 1 from round_commit
        where round_commit.round = round.id and round_commit.commit_id between :commit and :commit || 'g')"""
_THREADS = """
select thread.id, thread.kind, named.path, named.symbol,
       (select count(*) from round where round.thread = thread.id), found.last_at
from (
    select round.thread, max(round.id) as last, max(change.happened_at) as last_at
    from {lead}
    where {named}
      and (:branch is null or change.branch = :branch)
      and (:turns is null or change.turn in (select value from json_each(:turns)))
      and (:since is null or change.happened_at >= :since)
      and (:until is null or change.happened_at <= :until)
      and +change.user = :user
      {commit}
    group by round.thread
    order by last_at desc, last desc
    limit :limit) found
  join thread on thread.id = found.thread
  -- The latest, unless it was imported and is older than what was seen.
  join round newest on newest.id = (
    select one.id
    from round one join change made on made.id = one.change
    where one.thread = thread.id
    order by made.words is not null and made.happened_at < (
      select max(change.happened_at)
      from round join change on change.id = round.change
      where round.thread = one.thread and change.words is null), one.n desc
    limit 1)
  join place named on named.id = newest.place
order by found.last_at desc, found.last desc"""


def _values(asked: Asked, limit: int) -> dict[str, Any]:
    return {
        **places.values(asked.workspaces, asked.path, asked.symbol),
        "user": asked.user,
        "branch": asked.branch,
        "turns": None if asked.turns is None else json.dumps(asked.turns),
        "since": asked.since,
        "until": asked.until,
        "limit": limit,
        **({"commit": asked.commit} if asked.commit else {}),
    }


def of_thread(con: Reading, thread: int) -> list[Round]:
    """All rounds of a thread, oldest first."""
    return _rounds(con, "round.thread = ?", (thread,))


def of_turns(con: Reading, turns: Collection[int]) -> list[tuple[int, int]]:
    """(turn, thread) of what those turns changed."""
    rows = fetch(
        con,
        """
        select distinct change.turn, round.thread
        from change join round on round.change = change.id
        where change.turn in (select value from json_each(?))""",
        (json.dumps(sorted(turns)),),
    )
    return [(int(turn), int(thread)) for turn, thread in rows]


def _rounds(con: Reading, condition: str, values: tuple[Any, ...]) -> list[Round]:
    rows = fetch(
        con,
        f"""
        select round.id, round.thread, round.n, round.parent, place.path, place.symbol, round.status, round.before,
               round.after, round.start_line, round.end_line, round.confidence, change.actor, change.turn,
               coalesce(change.words, (
                 select group_concat(said.content, char(10)) from (
                   select content from event
                   where event.turn = change.turn and event.kind in ('prompt', 'message') and event.role = 'user'
                   order by event.seq) said)),
               change.branch, change.worktree, change.head_before, change.happened_at,
               (select group_concat(commit_id, ' ') from round_commit where round_commit.round = round.id)
        from round join change on change.id = round.change join place on place.id = round.place
        where {condition}
        order by round.thread, round.n""",
        values,
    )
    return [Round(*(*row[:-1], tuple((row[-1] or "").split()))) for row in rows]


def patch(con: Reading, round_: int) -> bytes:
    """The real patch of a round, known secrets marked."""
    row = first(con, "select patch from round where id = ?", (round_,))
    return bodies.unpack(row[0]) if row else b""


def body_row(con: Reading, name: bytes) -> int | None:
    """The row of a body by its name; None where it is not known."""
    row = first(con, "select id from body where hash = ?", (name,))
    return int(row[0]) if row else None


def reachable(con: Reading, head: str, commits: Iterable[str]) -> dict[str, bool]:
    """Whether each of those commits is in the history of `head`; one that was not looked up yet is left out."""
    rows = fetch(
        con,
        """
        select commit_id, reachable from ancestry
        where head = ? and commit_id in (select value from json_each(?))""",
        (head, json.dumps(list(commits))),
    )
    return {str(commit): bool(yes) for commit, yes in rows}


def note_reachable(con: apsw.Connection, head: str, found: dict[str, bool]) -> None:
    """Remember whether commits are in the history of `head`: it never changes."""
    con.executemany(
        "insert into ancestry(head, commit_id, reachable) values (?, ?, ?) on conflict do nothing",
        [(head, commit, yes) for commit, yes in found.items()],
    )


def commits_known(
    con: apsw.Connection, workspaces: Sequence[int], head: str, *, limit: int = 5000
) -> list[str]:
    """The latest commits that changes were made on or are held by, and that `head` was not asked about yet."""
    rows = fetch(
        con,
        """
        select one from (
          select change.head_before as one, change.id as at
          from change where change.workspace in (select value from json_each(:workspaces))
          union all
          select round_commit.commit_id, round.change
          from round_commit join round on round.id = round_commit.round join change on change.id = round.change
          where change.workspace in (select value from json_each(:workspaces)))
        where one is not null and one not in (select commit_id from ancestry where head = :head)
        group by one order by max(at) desc limit :limit""",
        {"workspaces": json.dumps(list(workspaces)), "head": head, "limit": limit},
    )
    return [str(one) for (one,) in rows]
