"""What people and agents said of memories: helpful, unhelpful or wrong. The rows are the truth, trust their sum."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import apsw

from . import settings
from .clock import DAY_US
from .ids import new_ulid
from .models import Scope
from .rows import fetch

Verdict = Literal["helpful", "unhelpful", "wrong"]
# The setting of the file that says by which rules trust is made.
FOLDED_BY = "trust_folded_by"


@dataclass(frozen=True, slots=True)
class Rating:
    """One verdict on one memory, whichever of its versions was live."""

    ulid: str
    verdict: Verdict
    source: str | None
    session: str | None
    given_at: int


def give(con: apsw.Connection, root: str, verdict: Verdict, scope: Scope, *, now: int) -> None:
    """Keep a verdict."""
    con.execute(
        "insert into feedback(ulid, root, verdict, source, session, given_at) values (?, ?, ?, ?, ?, ?)",
        (new_ulid(now), root, verdict, scope.source, scope.session, now),
    )


def of(con: apsw.Connection, memory: int) -> list[Rating]:
    """
    The verdicts that bear on a version, in order: those given since its text was first so. What was said of another
    text says nothing of this one.
    """
    rows = fetch(
        con,
        """
        select feedback.ulid, feedback.verdict, feedback.source, feedback.session, feedback.given_at
        from memory join feedback on feedback.root = memory.root
        where memory.id = ? and feedback.given_at >= (
          select min(recorded_at) from memory version where version.root = memory.root and version.hash = memory.hash)
        order by feedback.given_at, feedback.ulid""",
        (memory,),
    )
    return [Rating(*row) for row in rows]


def counted(given: Sequence[Rating]) -> list[Rating]:
    """Of verdicts in order the last of each session, of those without a session the last of each client's day."""
    last: dict[tuple[str | None, object], Rating] = {}
    for one in given:
        last[one.source, one.session or one.given_at // DAY_US] = one
    return sorted(last.values(), key=lambda one: (one.given_at, one.ulid))


def helpful(con: apsw.Connection, roots: Sequence[str]) -> dict[str, tuple[int, int]]:
    """Of each memory that was rated helpful: by how many sessions, and when last."""
    rows = fetch(
        con,
        f"""
        select root, count(distinct ifnull(source, '') || ' ' || ifnull(session, given_at / {DAY_US})), max(given_at)
        from feedback
        where root in (select value from json_each(?)) and verdict = 'helpful'
        group by root""",
        (json.dumps(list(roots)),),
    )
    return {str(root): (int(sessions), int(at)) for root, sessions, at in rows}


def set_trust(con: apsw.Connection, memory: int, trust: float) -> None:
    """Keep what verdicts add up to beside the version that they bear on."""
    con.execute("update memory set trust = ? where id = ? and trust is not ?", (trust, memory, trust))


def rated(con: apsw.Connection, *, after: int = 0, limit: int = -1) -> list[int]:
    """
    The next memories that nobody has retired, or only another file's newer version has displaced, and whose trust is
    made of what was said of them, or says that it is: of these it is made anew.
    """
    rows = fetch(
        con,
        """
        select memory.id from memory
        where memory.id > ? and (memory.retired_at is null or memory.retired_why = 'another file had a newer one')
          and (memory.trust <> 0.5 or memory.root in (select root from feedback))
        order by memory.id limit ?""",
        (after, limit),
    )
    return [int(id_) for (id_,) in rows]


def folded_by(con: apsw.Connection) -> str | None:
    """By which rules trust was last made of what was said; None where that is not known."""
    return settings.get(con, FOLDED_BY)


def note_folded(con: apsw.Connection, rules: str | None) -> None:
    """Note by which rules all trust is made; None: not all of it may be."""
    settings.put(con, FOLDED_BY, rules)
