"""What stands against a memory that is shown: of the same time, and nobody can say which is so."""

# Hooks without a server read with the standard library's driver; they carry a copy of this file.

from __future__ import annotations

import json

from .rows import fetch

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from .rows import Reading


class Against:
    """
    A memory that says otherwise: what it says in one line, when it is true from (else when it was recorded), by whom,
    and by way of which client.
    """

    __slots__ = ("at", "id", "origin", "says", "source")

    def __init__(self, id: int, says: str, at: int, origin: str, source: str | None) -> None:  # noqa: A002
        self.id, self.says, self.at, self.origin, self.source = id, says, at, origin, source

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Against) and self._whole() == other._whole()

    def __hash__(self) -> int:
        return hash(self._whole())

    def _whole(self) -> tuple[object, ...]:
        return self.id, self.says, self.at, self.origin, self.source


def against(
    con: Reading,
    memories: Sequence[int],
    *,
    now: int,
    true_at: int | None = None,
    known_at: int | None = None,
) -> dict[int, tuple[Against, ...]]:
    """
    For those of the memories that are in conflict, what stands against each, the earliest first; at `now`, or at the
    moments that a reading of the past asks for.
    """
    if not memories:
        return {}
    known = now if known_at is None else known_at
    values = {
        "ids": json.dumps(list(memories)),
        "now": now,
        "past": true_at is not None or known_at is not None,
        "known": known,
        "true": known if true_at is None else true_at,
    }
    found: dict[int, dict[int, Against]] = {}
    for of, *other in fetch(con, _AGAINST, values):
        found.setdefault(int(of), {})[int(other[0])] = Against(*other)
    return {of: tuple(others.values()) for of, others in found.items()}


# By all versions of both: a link is made between two of them, and holds as long as both are held.
_AGAINST = """
with shown as (
  select memory.id, memory.root, memory.user, version.id as version
  from memory join memory version on version.root = memory.root
  where memory.id in (select value from json_each(:ids))),
linked as (
  select shown.id, shown.root, shown.user, link.target as other
  from shown join link on link.source = shown.version and link.kind = 'contradicts'
  union
  select shown.id, shown.root, shown.user, link.source
  from shown join link on link.target = shown.version and link.kind = 'contradicts')
select linked.id, memory.id, coalesce(memory.line, substr(memory.text, 1, 600)),
       coalesce(memory.valid_from, memory.recorded_at), memory.origin, memory.source
from linked
  join memory other on other.id = linked.other
  join memory on memory.root = other.root
where memory.root <> linked.root and memory.user = linked.user
  and case
    when :past then
      memory.recorded_at <= :known and (memory.retired_at is null or memory.retired_at > :known)
      and coalesce(memory.valid_from, memory.recorded_at) <= :true
      and (memory.valid_to is null or memory.valid_to > :true)
      and (memory.expires_at is null or memory.expires_at > :true)
    else
      memory.retired_at is null and memory.archived_at is null
      and (memory.valid_from is null or memory.valid_from <= :now
           or ifnull(json_extract(memory.data, '$.dated'), 0) = 0)
      and (memory.valid_to is null or memory.valid_to > :now)
      and (memory.expires_at is null or memory.expires_at > :now)
  end
order by linked.id, 4, memory.id"""
