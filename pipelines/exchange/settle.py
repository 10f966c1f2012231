"""Which of the versions that two files bring together is current: of one thing one value, whichever file came first."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

from ...store.exchange.arriving_memories import Standing


def settle(among: Sequence[Standing], wanted: Iterable[str]) -> dict[str, int | None]:
    """
    Since when each of the `wanted` versions that nobody has retired is displaced by a newer one beside it; None: it is
    current.

    A version is displaced where a newer one of the same memory (recorded later), or of the same slot (true since
    later; then recorded later), was current while it was. Only what the files themselves say is asked, never what was
    found here before: so that the answer is the same in whatever order files are united.
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
        if one.ulid not in asked or one.retired_at is not None:
            continue
        newer = [other for other in by_root[one.root] if _version(other) > _version(one)]
        newer += [other for other in by_slot.get(one.slot, ()) if _truth(other) > _truth(one)]
        ends = [
            max(one.recorded_at, other.recorded_at)
            for other in newer
            if other.retired_at is None or other.retired_at > one.recorded_at
        ]
        found[one.ulid] = min(ends, default=None)
    return found


def _version(one: Standing) -> tuple[int, str]:
    return one.recorded_at, one.ulid


def _truth(one: Standing) -> tuple[int, int, str]:
    return one.true_from, one.recorded_at, one.ulid
