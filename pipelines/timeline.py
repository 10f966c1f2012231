"""
One slot's line in time: of all that is held of it, which was true when, and what is to be written so that rows say so.

    settle(rows, affirmed) -> Settled        pure; `rows`: all of one slot that are not retired, of one file or several

A *statement* is what was said once: it holds from its beginning, to its end where one was told. Its *pieces* are the
times at which it is what holds. The rules, in this order:

1. What was said later of a whole time ("since May", said in August) is right about what was said earlier to have begun
   within that time.
2. Of two that begin at the same moment with other values the one that was told later stands, if its word weighs as much
   (the user's own words weigh more than an agent's). Where neither was told later, or the later one weighs less, nobody
   can say: both stay, as *rivals*.
3. What says again what holds already adds to it.
4. At each moment that statement holds which began last, or was said again last, among those that cover the moment. So a
   new value ends the one before it, a late entry ends at what is known to follow, and what was so for a while leaves
   what was so before and after.

A row that says a piece already stays; one that does not is retired at the moment from which it was known better,
and the piece is a new version of it. Such a row carries under `STATED` what it is a piece of, and under `by` which
memories cut it. When those are gone the piece stays as it is: what is taken out gives nothing back to what it replaced.

Everything follows from the rows: moments are theirs, ULIDs are derived from theirs, and `settle` of what it settled has
nothing to do. So files that are put together get the same rows in whatever order, and whoever puts them together.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import combinations, groupby

from ..store.models import Memory
from .statements import (
    CORRECTED,
    HOLDS,
    JOINED,
    Retired,
    Said,
    Settled,
    Statement,
    order,
    same_thing,
    says,
    stated,
)
from .timeline_rows import difference, pieces

# So often rows are settled anew at most: each time something that was cut, or cut, is gone.
ROUNDS = 8


def settle(rows: Sequence[Memory], affirmed: Mapping[str, Iterable[int]] | None = None) -> Settled:
    """
    What is to be retired and written so that the rows of one slot say what was true when.

    Args:
        rows: of one user and one slot, none of them retired, in any order.
        affirmed: by a row's ULID, when it was said (`slots.affirmed`).
    """
    if not any("value" in row.data for row in rows):
        return _told_best(rows)
    said = affirmed or {}
    found = _once(rows, said)
    for _ in range(ROUNDS):
        gone = {one.row.ulid for one in found.retired}
        held = [row for row in rows if row.ulid not in gone] + [row for row, _ in found.written]
        more = _once(held, said)
        if more.nothing:
            break
        # What cut a piece was joined to another itself: the piece is to be looked at again.
        found = _then(found, more)
    return found


def _once(rows: Sequence[Memory], affirmed: Mapping[str, Iterable[int]]) -> Settled:
    statements = sorted(_statements(rows, affirmed), key=order)
    _contradict(statements)
    _weigh(statements)
    standing = _fold([one for one in statements if one.stands])
    return difference(statements, pieces(standing))


def _then(first: Settled, second: Settled) -> Settled:
    """One thing to do in place of two, one after the other; what the first wrote and the second retired never was."""
    made = {row.ulid: of for row, of in first.written}
    gone = {one.row.ulid: one for one in second.retired}
    written = [(row, of) for row, of in first.written if row.ulid not in gone]
    written += [(row, made.get(of.ulid, of)) for row, of in second.written]
    retired = [one for one in second.retired if one.row.ulid not in made]
    for one in first.retired:
        by = tuple(dict.fromkeys(ulid for at in one.by for ulid in (gone[at].by if at in gone else (at,))))
        joined = one.joined or any(gone[at].joined for at in one.by if at in gone)
        retired.append(replace(one, by=by, joined=joined))
    return Settled(tuple(retired), tuple(written), second.rivals)


def _told_best(rows: Sequence[Memory]) -> Settled:
    """Of what has no value but is told, as what was done in a turn, the latest telling stands."""
    if len(rows) < 2:
        return Settled()
    best = max(rows, key=lambda row: (row.recorded_at, row.ulid))
    others = [row for row in rows if row.ulid != best.ulid]
    why = "it is told better since"
    return Settled(tuple(Retired(row, best.recorded_at, why, (best.ulid,)) for row in others))


def _statements(rows: Sequence[Memory], affirmed: Mapping[str, Iterable[int]]) -> list[Statement]:
    """What was said, of the rows that say it; a piece that was cut by what is gone is a statement of its own."""
    roots = {row.root for row in rows}
    pieces: dict[str, list[Memory]] = {}
    for row in rows:
        pieces.setdefault(stated(row).get("ulid", row.ulid), []).append(row)
    made = []
    for ulid, its in pieces.items():
        if all(set(stated(row).get("by", ())) <= roots for row in its):
            made.append(_statement(ulid, its))
        else:
            made += [Statement(row.ulid, [row], row.valid_from, row.valid_to, row.recorded_at) for row in its]
    for one in made:
        said = {at for row in one.rows for at in (*affirmed.get(row.ulid, ()), *stated(row).get("said", ()))}
        one.anchors = sorted({one.start, *(at for at in said if at > one.start and one.covers(at))})
    return made


def _statement(ulid: str, rows: list[Memory]) -> Statement:
    first = min(rows, key=lambda row: (row.recorded_at, row.ulid))
    whole = next((row for row in rows if row.ulid == ulid), None)
    if whole is not None:
        return Statement(ulid, rows, whole.valid_from, whole.valid_to, whole.recorded_at)
    its = stated(first)
    return Statement(ulid, rows, its.get("from"), its.get("to"), int(its.get("at", first.recorded_at)))


def _contradict(statements: Sequence[Statement]) -> None:
    """Let what speaks of a whole time take the place of what was said before to have begun in it."""
    for later in sorted(statements, key=lambda one: (one.told, one.ulid), reverse=True):
        holds_at = later.row.data.get(HOLDS)
        if not later.stands or later.ended is not None or not isinstance(holds_at, int):
            continue
        for one in statements:
            if one.told >= later.told or not one.stands or same_thing(one.row, later.row):
                continue
            if _says_nothing_of(later, one):
                continue
            if later.start < one.start <= holds_at and one.ended is None:
                one.gone = later, CORRECTED
            # What was said again in that time was no more right.
            one.anchors = [at for at in one.anchors if at == one.start or not later.start < at <= holds_at]


def _says_nothing_of(later: Statement, one: Statement) -> bool:
    """Whether it only denies another value: who has left A since May may have come to B in June."""
    mine, theirs = says(later.row), says(one.row)
    return mine[1] == "negated" and mine[0] != theirs[0]


def _weigh(statements: Sequence[Statement]) -> None:
    """Of those that begin at the same moment, which stands; those of which it cannot be told are rivals."""
    together = groupby([one for one in statements if one.stands], key=lambda one: one.start)
    for one, other in (pair for _, group in together for pair in combinations(list(group), 2)):
        if not (one.stands and other.stands):
            continue
        if same_thing(one.row, other.row):
            alike = one.row.root != other.row.root and one.ended == other.ended
            keeps, goes = (one, other) if alike else (other, one)
            if one.weight != other.weight:  # the user's own words for it
                keeps, goes = (one, other) if one.weight else (other, one)
            goes.gone = keeps, JOINED
            keeps.anchors = sorted({*keeps.anchors, *(at for at in goes.anchors if keeps.covers(at))})
        elif one.row.root == other.row.root or (
            one.told < other.told and other.weight >= one.weight and not _imported(one, other)
        ):
            one.gone = other, CORRECTED
        else:
            one.rivals.append(other)
            other.rivals.append(one)


def _imported(one: Statement, other: Statement) -> bool:
    """Whether it says nothing which of two was told later: they came from elsewhere."""
    return "import" in (one.row.origin, other.row.origin)


def _fold(statements: list[Statement]) -> list[Statement]:
    """What stands, in order, with what says again what holds already added to that."""
    kept: list[Statement] = []
    said = Said()
    for one in statements:
        before = [other for other in said.in_force(one.start) if other.start < one.start]
        held = before[0] if len(before) == 1 else _side(before, one)
        within = held is not None and (
            held.ended is None or (one.ended is not None and one.ended <= held.ended)
        )
        alone = not any(rival.stands for rival in one.rivals)
        if held is not None and within and alone and same_thing(one.row, held.row):
            one.gone = held, JOINED
            if len(before) == 1:
                more = {at for at in one.anchors if held.covers(at)} - {*held.anchors}
                held.anchors = sorted({*held.anchors, *more})
                said.add(held, more)
        else:
            kept.append(one)
            said.add(one, one.anchors)
    return kept


def _side(rivals: Sequence[Statement], one: Statement) -> Statement | None:
    """The one of some rivals that is said again by a word that weighs less than another of them: it decides nothing."""
    if one.weight or not any(rival.weight for rival in rivals):
        return None
    return next((rival for rival in rivals if same_thing(rival.row, one.row)), None)
