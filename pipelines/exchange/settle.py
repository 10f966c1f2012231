"""Which of the versions that two files bring together may hold its place, so that there is one at every moment."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence

import apsw

from ...store import erasing
from ...store.exchange import displaced
from ...store.exchange.displaced import Standing


def settle(among: Sequence[Standing], wanted: Iterable[str]) -> dict[str, int | None]:
    """
    Since when each of the `wanted` versions that nobody has retired is displaced by a newer one beside it; None: it
    holds its place.

    Of a slot that is for the time of an import: what was true when, its line in time says when all is in (`united`). Of
    a memory without a slot it stands: the version that was recorded last is current, and one that was recorded while it
    was is not, even where it has been retired since. Only what the files themselves say is asked, never what was found
    here before: so the answer is the same in whatever order files are united.
    """
    by_root: dict[str, list[Standing]] = defaultdict(list)
    by_slot: dict[str, list[Standing]] = defaultdict(list)
    asked = set(wanted)
    for one in among:
        by_root[one.root].append(one)
        if one.slot:
            by_slot[one.slot].append(one)
    found: dict[str, int | None] = {}
    for one in among:
        if one.ulid not in asked or one.retired_at is not None or not one.is_open:
            continue
        newer = [
            other
            for other in by_root[one.root]
            if other.is_open and _version(other) > _version(one) and _was_beside(other, one)
        ]
        newer += [
            other
            for other in by_slot.get(one.slot, ())
            if other.retired_at is None and _truth(other) > _truth(one)
        ]
        ends = [max(one.recorded_at, other.recorded_at) for other in newer]
        found[one.ulid] = min(ends, default=None)
    return found


def resettle(
    con: apsw.Connection, root: str, slot: str, new: Standing | None = None
) -> dict[str, int | None]:
    """Find again what is current among the versions of a memory and those that compete for its slot; of `new`, too."""
    # Those beside it may be versions of other memories, with rivals of their own.
    touched = displaced.rivals(con, [root], [slot])
    beside = displaced.rivals(con, [one.root for one in touched], [one.slot for one in touched])
    among = {one.ulid: one for one in (*touched, *beside)}
    if new is not None:
        among[new.ulid] = new
    wanted = [one.ulid for one in touched] + ([new.ulid] if new else [])
    found = settle(list(among.values()), wanted)
    changed = {
        ulid: at
        for ulid, at in found.items()
        if among[ulid].displaced_at != at and (new is None or ulid != new.ulid)
    }
    displaced.displace(con, changed)
    return found


def erase(con: apsw.Connection, ids: Collection[int]) -> None:
    """Take memories out; what they had displaced may hold its place again."""
    if not ids:
        return
    beside = displaced.of(con, ids)
    erasing.memories(con, ids)
    for root, slot in sorted({(one.root, one.slot) for one in beside}):
        resettle(con, root, slot)


def _was_beside(newer: Standing, one: Standing) -> bool:
    if newer.retired_at is None:
        return True
    return not one.slot and newer.retired_at > one.recorded_at


def _version(one: Standing) -> tuple[int, str]:
    return one.recorded_at, one.ulid


def _truth(one: Standing) -> tuple[int, int, str]:
    return one.true_from, one.recorded_at, one.ulid
