"""What each session was given, so that it is not given again unless it changed."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Sequence
from typing import Literal

import apsw

from .models import Memory
from .rows import fetch, value

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


def give_root(con: apsw.Connection, source: str, session: str, root: str, hash_: str, *, at: int) -> None:
    """As `give`, for a memory that a hook named by root and hash while the file was out of reach."""
    con.execute(
        """
        insert into delivery(source, session, root, hash, how, chars, given_at)
        values (?, ?, ?, ?, 'hook', 0, ?)
        on conflict(source, session, root) do update set hash = excluded.hash, given_at = excluded.given_at""",
        (source, session, root, hash_, at),
    )
