"""What someone says of how good a memory is, and what trust in it becomes: in the caller's transaction."""

from __future__ import annotations

from collections.abc import Iterable

import apsw

from ..store import memories, ratings, runs
from ..store.db import Database
from ..store.models import Memory, Scope
from ..store.ratings import Verdict
from . import strength, weigh

# So many memories in one transaction.
AT_ONCE = 100
VERDICTS: tuple[Verdict, ...] = ("helpful", "unhelpful", "wrong")


def said(con: apsw.Connection, memory: Memory, verdict: Verdict, scope: Scope, *, now: int) -> None:
    """
    Keep a verdict on an unretired memory. A session's last word counts, and each session once.

    What is helpful comes back where it had faded; what is wrong is from now on given to nobody who did not ask for it.
    """
    ratings.give(con, memory.root, verdict, scope, now=now)
    (trust,) = settle(con, [memory.id])
    back = verdict == "helpful" and memories.revive(con, memory.id)
    reason = f"feedback adds up to a trust of {trust:.2f}" + ("; it is recalled again" if back else "")
    runs.log(con, runs.Run("feedback", verdict, reason, memory.turn, (memory.id,)), at=now)


def settle(con: apsw.Connection, ids: Iterable[int]) -> list[float]:
    """
    Bring trust in step with the verdicts on those memories, and return it. The verdicts are the truth: where files were
    merged, this makes it the same in both.
    """
    rules = weigh.rules(con)
    earned = []
    for id_ in ids:
        trust = strength.earned(ratings.of(con, id_), rules)
        ratings.set_trust(con, id_, trust)
        earned.append(trust)
    return earned


def fold(db: Database, after: int, *, limit: int) -> tuple[int, int | None]:
    """
    Make trust anew where it was made by other rules than those that hold now, or came from another file; how many
    memories were looked at, and how far that was, None at the end.
    """
    rules = db.read(_rules)
    if after == 0 and db.read(ratings.folded_by) == rules:
        return 0, None
    ids = db.read(ratings.rated, after=after, limit=limit)
    if ids:
        db.write(settle, ids)
    if len(ids) == limit:
        return len(ids), ids[-1]
    db.write(ratings.note_folded, rules)
    return len(ids), None


def fold_all(db: Database) -> None:
    """Make all trust anew, whatever it was made by: as when a file was taken in that says what it makes of it."""
    db.write(ratings.note_folded, None)
    after: int | None = 0
    while after is not None:
        _, after = fold(db, after, limit=AT_ONCE)


def _rules(con: apsw.Connection) -> str:
    """What trust is made by, in words."""
    rules = weigh.rules(con)
    return f"{rules.trust_helpful:g} {rules.trust_unhelpful:g} {rules.trust_wrong:g}"
