"""What someone says of how good a memory is, and what trust in it becomes: in the caller's transaction."""

from __future__ import annotations

from collections.abc import Iterable

import apsw

from ..store import memories, ratings, runs
from ..store.models import Memory, Scope
from ..store.ratings import Verdict
from . import strength, weigh

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
    merged, this makes it the same in both (`ratings.rated` names the memories).
    """
    rules = weigh.rules(con)
    earned = []
    for id_ in ids:
        trust = strength.earned(ratings.of(con, id_), rules)
        ratings.set_trust(con, id_, trust)
        earned.append(trust)
    return earned
