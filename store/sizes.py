"""How much the file holds, and how much of it is what."""

from __future__ import annotations

from dataclasses import dataclass

import apsw


@dataclass(frozen=True, slots=True)
class Sizes:
    """Bytes: the file, the words kept, and the search tokens made from them (shadow columns, not the index)."""

    file: int
    words: int
    tokens: int
    vectors: int


def sizes(con: apsw.Connection) -> Sizes:
    """What takes the room."""
    (pages,) = con.execute("pragma page_count").fetchone()
    (page,) = con.execute("pragma page_size").fetchone()
    (memory,) = con.execute("select coalesce(sum(octet_length(text)), 0) from memory").fetchone()
    (event,) = con.execute("select coalesce(sum(octet_length(content)), 0) from event").fetchone()
    (tokens,) = con.execute(
        "select coalesce(sum(octet_length(main) + octet_length(sub) + octet_length(grams)), 0) from terms"
    ).fetchone()
    (vectors,) = con.execute("select coalesce(sum(octet_length(v)), 0) from embedding").fetchone()
    return Sizes(pages * page, memory + event, tokens, vectors)


@dataclass(frozen=True, slots=True)
class Activity:
    """When something was last kept and handed out (UTC microseconds), how many turns there are, how many open."""

    captured_at: int | None
    handed_at: int | None
    turns: int
    open_turns: int


def activity(con: apsw.Connection, user: str) -> Activity:
    """What has been going on."""
    (captured_at,) = con.execute(
        "select max(event.recorded_at) from event where event.id = (select max(id) from event)"
    ).fetchone()
    (handed_at,) = con.execute("select max(given_at) from delivery where how in ('hook', 'digest')").fetchone()
    turns, still_open = con.execute(
        "select count(*), coalesce(sum(status = 'open'), 0) from turn where user = ?", (user,)
    ).fetchone()
    return Activity(captured_at, handed_at, turns, still_open)
