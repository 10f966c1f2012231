"""What the spool knows before the file does, for a hook that found no server."""

# pathlib takes 24 ms to import, which a hook does not have.
# ruff: noqa: PTH118, PTH123, PTH208

from __future__ import annotations

import json
import os
import re

from . import spool
from .sender import ENDS, PROMPTS, STARTS, STOPS, sender

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# So many of the latest events that wait in the spool are looked at: they tell what the file does not know yet.
LOOKED = 200
_TELLING = re.compile(rf'"event":"(?:{"|".join(STARTS + PROMPTS + STOPS + ENDS)})"'.encode())


class Waiting:
    """
    What the spool knows before the file does: what the session was `given` (root to hash) since its context was made
    `anew_at`; the sessions that have `gone_on` to another prompt or to the end of one, and those that have `ended`.
    """

    def __init__(self, home: str, source: str, session: str) -> None:
        self.given: dict[str, str] = {}
        self.anew_at = 0
        self.gone_on: set[tuple[str, str]] = set()
        self.ended: set[tuple[str, str]] = set()
        folder = os.path.join(home, "spool")
        try:
            names = [name for name in os.listdir(folder) if name[:1].isdigit()]
        except OSError:
            return
        for name in sorted(names, reverse=True)[:LOOKED]:
            try:
                record = _telling(os.path.join(folder, name))
                if record:
                    self._take(record, (source, session))
            except (OSError, ValueError, KeyError, TypeError, AttributeError):
                continue  # gone, or not as we write it

    def _take(self, record: dict[str, Any], ours: tuple[str, str]) -> None:
        """Learn from one event; the latest come first."""
        source, session, _ = sender(record["client"], record["payload"], record["env"])
        if session is None:
            return
        if record["event"] in ENDS:
            self.ended.add((source, session))
        elif record["event"] not in STARTS:
            self.gone_on.add((source, session))
        if (source, session) != ours or self.anew_at:
            return
        for root, hash_ in record["given"]:
            self.given.setdefault(root, hash_)
        if record["event"] in STARTS and record["payload"].get("source") in ("compact", "clear"):
            self.anew_at = record["at"]


def _telling(path: str) -> dict[str, Any] | None:
    """The record in a file of the spool, where it may tell what `Waiting` wants to know; its head says so."""
    with open(path, "rb") as file:
        head = file.read(4096)
        record = json.loads(head + file.read()) if _TELLING.search(head) else None
    return record if record and record["v"] == spool.VERSION else None
