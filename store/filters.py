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
        }


# One text for all: a value that is not asked for binds null and costs nothing.
CONDITION = """
  memory.user = :user
  and (:workspaces is null or memory.workspace is null
       or memory.workspace in (select value from json_each(:workspaces)))
  and (:scene is null or memory.scene = :scene)
  and (:kinds is null or memory.kind in (select value from json_each(:kinds)))
  and (:sources is null or memory.source in (select value from json_each(:sources)))
  and (:session is null or memory.session = :session)
  and (:since is null or coalesce(memory.valid_from, memory.recorded_at) >= :since)
  and (:until is null or coalesce(memory.valid_from, memory.recorded_at) <= :until)
  and (:status = 'all'
       or (:status = 'live') = (memory.retired_at is null
                                and (memory.valid_to is null or memory.valid_to > :now_at)
                                and (memory.expires_at is null or memory.expires_at > :now_at)))"""
