"""What each session was given, so that it is not given again unless it changed."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Sequence
from typing import Literal

import apsw

from .models import Memory
from .rows import fetch, value

# No memory is shown at greater length, in one line or in full (server/render.py).
LINE_CHARS, FULL_CHARS = 300, 2000
How = Literal["hook", "digest", "tool", "own"]


def given(con: apsw.Connection, source: str | None, session: str | None) -> dict[str, str]:
    """Root to content hash of everything the session's present context holds of us."""
    rows = fetch(con, "select root, hash from delivery where source = ? and session = ?", (source, session))
    return {str(root): str(hash_) for root, hash_ in rows}


def give(
    con: apsw.Connection,
    source: str,
    session: str,
    memories: Iterable[Memory],
    *,
    how: How,
    chars: int,
    at: int,
    lines: Collection[int] = (),
) -> None:
    """Note that a session was given these memories, those in `lines` in one line; `chars` is their cost together."""
    listed = list(memories)
    each = chars // len(listed) if listed else 0
    con.executemany(
        """
        insert into delivery(source, session, root, hash, how, chars, given_at)
        values (?, ?, ?, ?, ?, ?, ?)
        on conflict(source, session, root) do update set
          hash = excluded.hash, how = excluded.how, chars = chars + excluded.chars, given_at = excluded.given_at""",
        [(source, session, m.root, in_line(m) if m.id in lines else m.hash, how, each, at) for m in listed],
    )


def in_line(memory: Memory) -> str:
    """The mark of a memory that was given in one line only."""
    return f"line:{memory.hash}"


def give_ids(
    con: apsw.Connection, source: str, session: str, ids: Sequence[int], *, how: How, at: int
) -> None:
    """As `give`, for memories named by row id; ids that are not there are passed over."""
    con.execute(
        """
        insert into delivery(source, session, root, hash, how, chars, given_at)
        select ?, ?, root, hash, ?, 0, ? from memory where id in (select value from json_each(?))
        on conflict(source, session, root) do update set hash = excluded.hash, given_at = excluded.given_at""",
        (source, session, how, at, json.dumps(list(ids))),
    )


def characters_since(con: apsw.Connection, at: int) -> int:
    """How many characters were injected since `at`."""
    return int(value(con, "select coalesce(sum(chars), 0) from delivery where given_at >= ?", (at,)))


def sweep(con: apsw.Connection, *, before: int, sessions: int = -1) -> int:
    """
    Forget what was given to sessions that have ended, or been silent, since `before`; how many notes went. Of up to
    so many sessions, where that is said.
    """
    con.execute(
        """
        delete from delivery
        where (source, session) in (
          select old.source, old.session
          from (select distinct source, session from delivery where given_at < :before) old
               left join session using (source, session)
          where max(coalesce(session.ended_at, 0), coalesce((
                  select max(started_at) from turn
                  where turn.source = old.source and turn.session = old.session), 0)) < :before
            and not exists (
              select 1 from delivery later
              where later.source = old.source and later.session = old.session and later.given_at >= :before)
          limit :sessions)""",
        {"before": before, "sessions": sessions},
    )
    return con.changes()


def give_root(con: apsw.Connection, source: str, session: str, root: str, hash_: str, *, at: int) -> None:
    """
    As `give`, for a memory that a hook named by root and hash while the file was out of reach.

    What it cost is estimated from the memory as it is now; a note that is replayed adds nothing.
    """
    con.execute(
        """
        insert into delivery(source, session, root, hash, how, chars, given_at)
        values (:source, :session, :root, :hash, 'hook', coalesce((
          select iif(:hash glob 'line:*', min(:line, length(coalesce(line, text))), min(:full, length(text)))
          from memory
          where ulid = :root or (root = :root and retired_at is null and valid_to is null)
          order by id desc
          limit 1), 0), :at)
        on conflict(source, session, root) do update set
          hash = excluded.hash,
          chars = chars + iif(given_at = excluded.given_at, 0, excluded.chars),
          given_at = excluded.given_at""",
        {
            "source": source,
            "session": session,
            "root": root,
            "hash": hash_,
            "at": at,
            "line": LINE_CHARS,
            "full": FULL_CHARS,
        },
    )
