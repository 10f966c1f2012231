"""What a statement that something is no longer so denies: of the line of its slot, which value, and from when."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import apsw

from ..store import slots
from ..store.models import Memory, NewMemory
from .denied_value import denies

if TYPE_CHECKING:
    from .extract.drafts import Draft

# "I quit my job" denies whichever there is.
_WHICHEVER = re.compile(r"my\s.*|离职|辞职|被?裁员?|失业", re.IGNORECASE)
# One leaves an employer and a city in the same words.
_LIVES = (("lives:city", "lives in"), ("lives:country", "lives in"))
_ALSO = {"works:employer": _LIVES, "lives:city": _LIVES[1:], "lives:country": _LIVES[:1]}


def denied(con: apsw.Connection, new: NewMemory, draft: Draft, holder: Memory | None) -> NewMemory | None:
    """
    A statement that something is not or no longer so, on the line of its slot with the value as that has it; None where
    the line says nothing of that value, and nothing is to be taken from it.
    """
    if holder is None and draft.slot is None:
        return new
    value = str(new.data.get("value") or "")
    for slot, predicate in ((new.slot or "", None), *_ALSO.get(new.slot or "", ())):
        rows = slots.line(con, new.scope, slot)
        row = _meant(rows, value, new)
        if row is None:
            continue
        data = {**new.data, "value": row.data["value"], **({"predicate": predicate} if predicate else {})}
        return replace(new, slot=slot, valid_from=_since(new, row), data=data)
    return None if slots.line(con, new.scope, new.slot or "") else new


def _meant(rows: Sequence[Memory], value: str, new: NewMemory) -> Memory | None:
    """The row of a line that says what is denied: of the moment at which it ends, else the one that is current."""
    from .extract.drafts import WITHIN  # here: what answers hooks loads nothing that draws from turns

    at = new.valid_from or 0
    within = new.data.get(WITHIN)
    until = within if isinstance(within, int) else at
    said = [row for row in rows if row.data.get("polarity") != "negated" and _is_of(row, value)]
    then = [
        row for row in said if row.true_from <= max(at, until) and (row.valid_to is None or row.valid_to > at)
    ]
    now = [row for row in said if row.valid_to is None]
    return next(iter(reversed(then)), None) or next(iter(now), None)


def _since(new: NewMemory, row: Memory) -> int | None:
    """From when it is no longer so: not before it began, where both fell in the time that is named."""
    from .extract.drafts import WITHIN  # as above

    until = new.data.get(WITHIN)
    begun = new.valid_from
    if begun is not None and isinstance(until, int) and begun <= row.true_from < until:
        return row.true_from + 1
    return begun


def _is_of(row: Memory, value: str) -> bool:
    """Whether a row speaks of the value that is denied."""
    return _WHICHEVER.fullmatch(value) is not None or denies(value, str(row.data.get("value", "")))
