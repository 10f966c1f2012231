"""The pieces of time that statements hold for, and the rows that are to say so: what is to be retired and written."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from ..store.ids import derived_ulid
from ..store.models import Memory
from .statements import (
    BETTER,
    JOINED,
    NEGATED,
    OTHERWISE,
    RIVAL,
    STATED,
    Retired,
    Said,
    Settled,
    Statement,
    says,
    stated,
    without_time,
)

Always = tuple[int, int | None]


def pieces(statements: Sequence[Statement]) -> dict[str, list[tuple[Always, tuple[str, ...]]]]:
    """By statement, the times at which it is what holds, each with the roots of those that cut it there."""
    moments = sorted(
        {at for one in statements for at in (*one.anchors, *([one.ended] if one.ended is not None else []))}
    )
    said = Said()
    for one in statements:
        said.add(one, one.anchors)
    holding = [(at, said.in_force(at)) for at in moments]
    found: dict[str, list[tuple[Always, tuple[str, ...]]]] = {}
    for one in statements:
        times: list[tuple[Always, tuple[str, ...]]] = []
        begun: int | None = None
        cut: set[str] = set()
        previous: list[Statement] = []
        for at, now in holding:
            if begun is None and one in now:
                begun, cut = at, set() if at == one.start else {other.row.root for other in previous}
            elif begun is not None and one not in now:
                after = set() if at == one.ended else {other.row.root for other in now}
                times.append(((begun, at), tuple(sorted(cut | after))))
                begun = None
            previous = now
        if begun is not None:
            times.append(((begun, None), tuple(sorted(cut))))
        found[one.ulid] = times
    return found


def difference(
    statements: Sequence[Statement], times: Mapping[str, Sequence[tuple[Always, tuple[str, ...]]]]
) -> Settled:
    """What the rows do not say yet of what stands, and say of what does not."""
    told = {one.row.root: one for one in statements}
    retired: list[Retired] = []
    written: list[tuple[Memory, Memory]] = []
    shown: dict[str, list[Memory]] = {}
    for one in statements:
        if not one.stands:
            continue
        spare = sorted(one.rows, key=lambda row: (row.recorded_at, row.ulid))
        shown[one.ulid] = []
        new: list[Memory] = []
        for time, cut in times[one.ulid]:
            beside = _is_beside(one, time)
            shown_by = next((row for row in spare if _is_said(row, one, time, beside=beside)), None)
            if shown_by is not None:
                spare.remove(shown_by)
            else:
                shown_by = _piece(one, time, cut, told, beside=beside)
                new.append(shown_by)
                written.append((shown_by, one.row))
            shown[one.ulid].append(shown_by)
        known_at = min((row.recorded_at for row in new), default=one.told)
        by = tuple(row.ulid for row in shown[one.ulid])
        retired += [
            Retired(
                row, max(row.recorded_at, known_at), _why(row, new, told), by, joined=row.ulid != one.row.ulid
            )
            for row in spare
        ]
    for one in statements:
        if one.gone is None:
            continue
        last, how = one.gone
        stands = last
        while stands.gone is not None:
            stands = stands.gone[0]
        by = tuple(row.ulid for row in shown[stands.ulid])
        retired += [Retired(row, max(row.recorded_at, last.told), how, by, how == JOINED) for row in one.rows]
    return Settled(tuple(retired), tuple(written), _rivals(statements, shown))


def _is_beside(one: Statement, time: Always) -> bool:
    """Whether it holds its slot now beside a rival that was told first."""
    first = min(
        [one, *(other for other in one.rivals if other.stands)], key=lambda each: (each.told, each.ulid)
    )
    return time[1] is None and first is not one


def _is_said(row: Memory, one: Statement, time: Always, *, beside: bool) -> bool:
    """Whether a row says that piece already."""
    begun = one.start if row.valid_from is None else row.valid_from
    return (begun, row.valid_to) == time and (not beside or bool(row.data.get(RIVAL)))


def _piece(
    one: Statement, time: Always, cut: tuple[str, ...], told: Mapping[str, Statement], *, beside: bool
) -> Memory:
    """A row that says when a statement holds; known since the last of it and of those that cut it was told."""
    row, (begun, ended) = one.row, time
    known_at = max([one.told, *(told[root].told for root in cut if root in told)])
    whole = begun == one.start and ended == one.ended
    data = without_time(row.data)
    if not whole:
        said = one.anchors[1:]
        data[STATED] = {
            "ulid": one.ulid, "from": one.start, "to": one.ended, "at": one.told, "by": list(cut), "said": said,
        }  # fmt: skip
    if beside:
        data[RIVAL] = row.root
    return replace(
        row,
        id=0,
        ulid=derived_ulid(
            known_at, "timeline", one.ulid, begun, ended, known_at, *(["beside"] if beside else [])
        ),
        valid_from=begun,
        valid_to=ended,
        recorded_at=known_at,
        retired_at=None,
        retired_why=None,
        data=data,
    )


def _why(row: Memory, new: Sequence[Memory], told: Mapping[str, Statement]) -> str:
    """Why a row of a statement that stands is no longer how it is told."""
    if row.valid_to is not None or not new or any(piece.valid_to is None for piece in new):
        return BETTER
    mine = says(row)
    followed = [
        says(told[root].row)
        for piece in new
        for root in stated(piece).get("by", ())
        if root in told and told[root].start == piece.valid_to
    ]
    opposite = any(one[0] == mine[0] and one[1] != mine[1] for one in followed)
    return NEGATED if opposite else OTHERWISE


def _rivals(
    statements: Sequence[Statement], shown: Mapping[str, Sequence[Memory]]
) -> tuple[tuple[str, str], ...]:
    pairs = set()
    for one in statements:
        for other in one.rivals:
            if one.stands and other.stands:
                pairs |= {
                    (min(mine.ulid, theirs.ulid), max(mine.ulid, theirs.ulid))
                    for mine in shown[one.ulid]
                    for theirs in shown[other.ulid]
                    if _overlap(mine, theirs)
                }
    return tuple(sorted(pairs))


def _overlap(row: Memory, other: Memory) -> bool:
    latest = max(row.true_from, other.true_from)
    return all(each.valid_to is None or each.valid_to > latest for each in (row, other))
