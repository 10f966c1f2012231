"""Which memories a reading may see: the one SQL condition that every arm and every listing enforces."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from .models import Kind, Scene, Status


@dataclass(frozen=True, slots=True)
class Filter:
    """
    What a reading may see. Instants are UTC microseconds, compared with when a memory was true from, else recorded.

    `workspaces` None: every workspace; empty: what is global only; else what is global and what is theirs.
    `now_at` is the moment of the reading: what had expired by then is not live.

    `as_of`: what was true then, as it is known now. `known_as_of`: what would have been said then, true or not. Both:
    what was held then of the other moment. Either reads the past, whatever the status.

    `branch` is where the reading is made from: it limits nothing; what was kept there comes a little sooner.
    """

    user: str
    now_at: int
    workspaces: tuple[int, ...] | None = ()
    scene: Scene | None = None
    kinds: tuple[Kind, ...] | None = None
    sources: tuple[str, ...] | None = None
    session: str | None = None
    since: int | None = None
    until: int | None = None
    status: Status = "live"
    as_of: int | None = None
    known_as_of: int | None = None
    branch: str | None = None

    @property
    def live(self) -> bool:
        """Whether only what is in recall now can answer."""
        return self.status == "live" and not self.of_the_past

    @property
    def of_the_past(self) -> bool:
        """Whether it reads what was, and not what is in recall now."""
        return self.as_of is not None or self.known_as_of is not None

    def values(self) -> dict[str, Any]:
        """The bindings of `CONDITION`."""
        return {
            "user": self.user,
            "now_at": self.now_at,
            "workspaces": None if self.workspaces is None else json.dumps(self.workspaces),
            "scene": self.scene,
            "kinds": None if self.kinds is None else json.dumps(self.kinds),
            "sources": None if self.sources is None else json.dumps(self.sources),
            "session": self.session,
            "since": self.since,
            "until": self.until,
            "status": self.status,
            "valid_at": self.known_as_of if self.as_of is None else self.as_of,
            "known_at": self.now_at if self.known_as_of is None else self.known_as_of,
        }


# What is said of a day to come is not so yet; of what names no day, the clock that told it may have been ahead.
BEGUN = """
  (memory.valid_from is null or memory.valid_from <= {at} or ifnull(json_extract(memory.data, '$.dated'), 0) = 0)"""

# One text for all: a value that is not asked for binds null and costs nothing.
CONDITION = f"""
  memory.user = :user
  and (:workspaces is null or memory.workspace is null
       or memory.workspace in (select value from json_each(:workspaces)))
  and (:scene is null or memory.scene = :scene)
  and (:kinds is null or memory.kind in (select value from json_each(:kinds)))
  and (:sources is null or memory.source in (select value from json_each(:sources)))
  and (:session is null or memory.session = :session)
  and (:since is null or coalesce(memory.valid_from, memory.recorded_at) >= :since)
  and (:until is null or coalesce(memory.valid_from, memory.recorded_at) <= :until)
  and case
    when :valid_at is not null then
      memory.recorded_at <= :known_at
      and (memory.retired_at is null or memory.retired_at > :known_at)
      and coalesce(memory.valid_from, memory.recorded_at) <= :valid_at
      and (memory.valid_to is null or memory.valid_to > :valid_at)
      and (memory.expires_at is null or memory.expires_at > :valid_at)
    when :status = 'all' then true
    when :status = 'archived' then
      memory.retired_at is null and memory.archived_at is not null and {BEGUN.format(at=":now_at")}
      and (memory.valid_to is null or memory.valid_to > :now_at)
      and (memory.expires_at is null or memory.expires_at > :now_at)
    when :status = 'live' then
      memory.retired_at is null and memory.archived_at is null and {BEGUN.format(at=":now_at")}
      and (memory.valid_to is null or memory.valid_to > :now_at)
      and (memory.expires_at is null or memory.expires_at > :now_at)
    else
      memory.retired_at is not null or memory.valid_to <= :now_at or memory.expires_at <= :now_at
  end"""
