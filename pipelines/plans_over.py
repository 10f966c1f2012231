"""Plans that are off, over or on another day: which open plan a statement is about, and how it ends."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import apsw

from ..store import clock, plans
from ..store.cutter import Cut
from ..store.memories import Quote
from ..store.models import Memory, NewMemory
from .placing import Placed, place
from .reconcile import Decision

if TYPE_CHECKING:
    from .extract.drafts import Draft
    from .extract.plan_words import Became, Outcome

# So many of a user's open plans are looked at, the soonest first.
OPEN = 200
OFF, OVER = "it was called off", "it has taken place"


def end(
    con: apsw.Connection, new: NewMemory, quotes: Sequence[Quote], *, cut: Cut | None, now: int
) -> list[Placed]:
    """Let the one plan end that a statement says is off or over; nothing where there is none, or several."""
    from .extract.plan_words import Outcome  # patterns that only this needs

    told = new.data
    became: Became = "off" if told.get("became") == "off" else "over"
    sort = told.get("sort")
    names = tuple(str(name) for name in told.get("names") or ())
    wanted = Outcome(became, str(sort) if sort else None, names, bool(told.get("early")))
    known = _meant(con, new, wanted, days=told.get("days"), now=now)
    if known is None:
        return []
    data = {name: it for name, it in told.items() if name not in ("became", "sort", "names", "early", "days")}
    decision = Decision("update", OFF if became == "off" else OVER, known, "negate")
    said = replace(new, scope=known.scope, data=data)
    return [place(con, said, quotes, cut=cut, now=now, decision=decision)]


def replaced(con: apsw.Connection, new: NewMemory, draft: Draft, *, now: int) -> Memory | None:
    """The open plan, of no slot or another, that a statement puts off or calls off."""
    if draft.kind != "intention":
        return None
    from .extract.plan_words import about, is_moved  # as above

    if draft.polarity != "negated" and not is_moved(new.text):
        return None
    who = str(new.data.get("subject") or "")
    phrase = str(new.data.get("value") or "") if who in ("user", "team") else who
    return _meant(con, new, about(phrase), days=None, now=now)


def _meant(con: apsw.Connection, new: NewMemory, wanted: Outcome, *, days: object, now: int) -> Memory | None:
    from .extract.plan_words import speaks_of  # as above

    at = now if new.valid_from is None else new.valid_from
    found = [
        one
        for one in plans.open_ones(con, new.scope, now=at, limit=OPEN)
        if one.slot != new.slot and one.true_from <= at and speaks_of(one.text, wanted)
    ]
    if isinstance(days, list) and len(days) == 2:
        found = [one for one in found if one.expires_at is not None and days[0] < one.expires_at <= days[1]]
    if wanted.became == "over" and not wanted.early:
        # What is still to come may be another time.
        found = [one for one in found if one.expires_at is not None and one.expires_at - clock.DAY_US <= at]
    return found[0] if len(found) == 1 else None
