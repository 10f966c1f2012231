"""Whether the file is sound, ours, of this version, and searchable in full."""

from __future__ import annotations

from dataclasses import dataclass

import apsw

from .migrations import LATEST
from .rows import fetch, value
from .words import VERSION


@dataclass(frozen=True, slots=True)
class Health:
    """`damage`: what SQLite finds wrong, in lines; `lagging`: memories with another tokenizer's tokens."""

    schema: int
    damage: tuple[str, ...]
    memories: int
    lagging: int

    @property
    def newer(self) -> bool:
        """Whether a newer version wrote the file."""
        return self.schema > LATEST


def look(con: apsw.Connection) -> Health:
    """The file's state; reads all of it."""
    schema = int(value(con, "pragma user_version"))
    found = tuple(str(line) for (line,) in fetch(con, "pragma quick_check(3)"))
    damage = () if found == ("ok",) else found
    if not 0 < schema <= LATEST or damage:
        return Health(schema, damage, 0, 0)
    memories, lagging = fetch(
        con,
        """
        select count(*), coalesce(sum(
          iif(retired_at is null and archived_at is null, terms.version, past_terms.version) is not ?), 0)
        from memory
        left join terms on terms.memory = memory.id
        left join past_terms on past_terms.memory = memory.id""",
        (VERSION,),
    )[0]
    return Health(schema, damage, int(memories), int(lagging))
