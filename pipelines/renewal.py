"""Drawing anew what lost a leg, where rules can: a session is summed up again, a wish that was never said recounts."""

from __future__ import annotations

from collections.abc import Sequence

import apsw

from ..store import memories, sessions
from ..store.cutter import Cut
from ..store.evidence import FELL
from ..store.models import Memory
from . import implied

TOO_LITTLE = f"{FELL}more than is left of it"


def begin(
    con: apsw.Connection, ids: Sequence[int], *, cut: Cut | None, now: int, counts: bool = True
) -> list[Memory]:
    """
    Draw memories anew from what is left, at once or by a job; what no rule can draw waits to be told again.

    Args:
        counts: what is counted has lost some of it.

    Returns:
        Those of which too little is left.
    """
    too_little = []
    for memory in memories.by_ids(con, ids).values():
        if _is_summary(memory):
            source, session = str(memory.scope.source), str(memory.scope.session)
            sessions.sum_up_now(con, source, session, now=now, not_before_at=now)
        elif counts and memory.data.get("implied") and not implied.recount(con, memory, cut=cut, now=now):
            too_little.append(memory)
    return too_little


def _is_summary(memory: Memory) -> bool:
    named = (memory.slot or "").startswith("session:")
    return memory.kind == "summary" and named and bool(memory.scope.source and memory.scope.session)
