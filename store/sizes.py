"""How much the file holds, and how much of it is what."""

from __future__ import annotations

from dataclasses import dataclass

import apsw

from .rows import fetch, value


@dataclass(frozen=True, slots=True)
class Sizes:
    """Bytes: the file, the words kept, and the search tokens made from them (shadow columns, not the index)."""

    file: int
    words: int
    tokens: int
    vectors: int


def sizes(con: apsw.Connection) -> Sizes:
    """What takes the room."""
    pages = value(con, "pragma page_count")
    page = value(con, "pragma page_size")
    memory = value(con, "select coalesce(sum(octet_length(text)), 0) from memory")
    event = value(con, "select coalesce(sum(octet_length(content)), 0) from event")
    tokens = value(
        con,
        "select coalesce(sum(octet_length(main) + octet_length(sub) + octet_length(grams)), 0) from terms",
    )
    vectors = value(con, "select coalesce(sum(octet_length(v)), 0) from embedding")
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
    captured_at = value(
        con, "select max(event.recorded_at) from event where event.id = (select max(id) from event)"
    )
    handed_at = value(con, "select max(given_at) from delivery where how in ('hook', 'digest')")
    turns, still_open = fetch(
        con, "select count(*), coalesce(sum(status = 'open'), 0) from turn where user = ?", (user,)
    )[0]
    return Activity(captured_at, handed_at, turns, still_open)
