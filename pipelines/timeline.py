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

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations, groupby
from typing import Any

from ..store.ids import derived_ulid
from ..store.models import Memory

# In `memory.data`: the statement that a row is a piece of; that it holds a slot beside others; that its words spoke of
# the whole time up to a moment.
STATED, RIVAL, HOLDS = "stated", "rival", "holds_at"
BETTER = "it is known better now when it was so"
OTHERWISE, NEGATED = (
    "another value of the same thing; the newer is current",
    "the opposite of what was said before; the newer is current",
)
CORRECTED = "told otherwise later, of the same time"
JOINED = "it says the same; what supports it was joined"

# So often rows are settled anew at most: each time something that was cut, or cut, is gone.
ROUNDS = 8
Always = tuple[int, int | None]


@dataclass(frozen=True, slots=True)
class Retired:
    """
    A row that no longer says what is known, from when and why. `by`: the ULIDs of the rows that stand in its place;
    `joined`: what supports it supports them from now on.
    """

    row: Memory
    at: int
    why: str
    by: tuple[str, ...] = ()
    joined: bool = False


@dataclass(frozen=True, slots=True)
class Settled:
    """
    What is to be done, retirements first: two that hold one slot would clash.

    Args:
        written: rows as they are to be written, each with the row that it is a version of, whose evidence it has.
        rivals: pairs of ULIDs, of rows that stay or are written, of which nobody can say which is so.
    """

    retired: tuple[Retired, ...] = ()
    written: tuple[tuple[Memory, Memory], ...] = ()
    rivals: tuple[tuple[str, str], ...] = ()

    @property
    def nothing(self) -> bool:
        """Whether the rows are settled already."""
        return not self.retired and not self.written


@dataclass(slots=True, eq=False)
class Statement:
    """What was said once, with the rows that say it, and what becomes of it."""

    ulid: str
    rows: list[Memory]
    begun: int | None
    ended: int | None
    told: int
    anchors: list[int] = field(default_factory=list)
    # What it gave way to, and how; None while it stands.
    gone: tuple[Statement, str] | None = None
    rivals: list[Statement] = field(default_factory=list)

    @property
    def row(self) -> Memory:
        """The latest row that says it."""
        return max(self.rows, key=lambda row: (row.recorded_at, row.ulid))

    @property
    def start(self) -> int:
        """From when it holds."""
        return self.told if self.begun is None else self.begun

    @property
    def weight(self) -> bool:
        """Whether it is the user's own word."""
        return self.row.origin == "user"

    @property
    def stands(self) -> bool:
        """Whether nothing has taken its place."""
        return self.gone is None

    def covers(self, moment: int) -> bool:
        """Whether it speaks of that moment."""
        return self.start <= moment and (self.ended is None or moment < self.ended)


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
    statements = sorted(_statements(rows, affirmed), key=_order)
    _contradict(statements)
    _weigh(statements)
    standing = _fold([one for one in statements if one.stands])
    return _difference(statements, _pieces(standing))


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


def same_thing(row: Memory, other: Memory) -> bool:
    """Whether two rows of a slot say the same of it; a plan for another day is another."""
    return _says(row) == _says(other)


def _says(row: Memory) -> tuple[object, ...]:
    value = row.data.get("value", row.text)
    plain = " ".join(value.casefold().split()) if isinstance(value, str) else value
    return plain, row.data.get("polarity") or "affirmed", row.expires_at if row.kind == "intention" else None


def _order(one: Statement) -> tuple[int, int, str]:
    return one.start, one.told, one.ulid


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
        pieces.setdefault(_stated(row).get("ulid", row.ulid), []).append(row)
    made = []
    for ulid, its in pieces.items():
        if all(set(_stated(row).get("by", ())) <= roots for row in its):
            made.append(_statement(ulid, its))
        else:
            made += [Statement(row.ulid, [row], row.valid_from, row.valid_to, row.recorded_at) for row in its]
    for one in made:
        said = {at for row in one.rows for at in (*affirmed.get(row.ulid, ()), *_stated(row).get("said", ()))}
        one.anchors = sorted({one.start, *(at for at in said if at > one.start and one.covers(at))})
    return made


def _statement(ulid: str, rows: list[Memory]) -> Statement:
    first = min(rows, key=lambda row: (row.recorded_at, row.ulid))
    whole = next((row for row in rows if row.ulid == ulid), None)
    if whole is not None:
        return Statement(ulid, rows, whole.valid_from, whole.valid_to, whole.recorded_at)
    stated = _stated(first)
    return Statement(
        ulid, rows, stated.get("from"), stated.get("to"), int(stated.get("at", first.recorded_at))
    )


def _stated(row: Memory) -> Mapping[str, Any]:
    found = row.data.get(STATED)
    return found if isinstance(found, Mapping) else {}


def _contradict(statements: Sequence[Statement]) -> None:
    """Let what speaks of a whole time take the place of what was said before to have begun in it."""
    for later in sorted(statements, key=lambda one: (one.told, one.ulid), reverse=True):
        holds_at = later.row.data.get(HOLDS)
        if not later.stands or later.ended is not None or not isinstance(holds_at, int):
            continue
        for one in statements:
            if one.told >= later.told or not one.stands or same_thing(one.row, later.row):
                continue
            if later.start < one.start <= holds_at and one.ended is None:
                one.gone = later, CORRECTED
            # What was said again in that time was no more right.
            one.anchors = [at for at in one.anchors if at == one.start or not later.start < at <= holds_at]


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
    said = _Said()
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


class _Said:
    """When statements began or were said again, in order: what holds at a moment is found from there backwards."""

    def __init__(self) -> None:
        self._when: list[tuple[int, tuple[int, int, str]]] = []
        self._what: list[Statement] = []

    def add(self, one: Statement, moments: Iterable[int]) -> None:
        for at in moments:
            place = bisect_right(self._when, (at, _order(one)))
            self._when.insert(place, (at, _order(one)))
            self._what.insert(place, one)

    def in_force(self, moment: int) -> list[Statement]:
        """What holds at a moment: one, or rivals, or nothing."""
        last = bisect_right(self._when, moment, key=lambda entry: entry[0])
        for place in range(last - 1, -1, -1):
            best = self._what[place]
            if best.covers(moment):
                return [best, *(one for one in best.rivals if one.stands and one.covers(moment))]
        return []


def _pieces(statements: Sequence[Statement]) -> dict[str, list[tuple[Always, tuple[str, ...]]]]:
    """By statement, the times at which it is what holds, each with the roots of those that cut it there."""
    moments = sorted(
        {at for one in statements for at in (*one.anchors, *([one.ended] if one.ended is not None else []))}
    )
    said = _Said()
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


def _difference(
    statements: Sequence[Statement], pieces: Mapping[str, Sequence[tuple[Always, tuple[str, ...]]]]
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
        for time, cut in pieces[one.ulid]:
            beside = _is_beside(one, time)
            says = next((row for row in spare if _is_said(row, one, time, beside=beside)), None)
            if says is not None:
                spare.remove(says)
            else:
                says = _piece(one, time, cut, told, beside=beside)
                new.append(says)
                written.append((says, one.row))
            shown[one.ulid].append(says)
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
    data = {name: value for name, value in row.data.items() if name not in (STATED, RIVAL)}
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
    mine = _says(row)
    followed = [
        _says(told[root].row)
        for piece in new
        for root in _stated(piece).get("by", ())
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
    latest = max(each.recorded_at if each.valid_from is None else each.valid_from for each in (row, other))
    return all(each.valid_to is None or each.valid_to > latest for each in (row, other))
