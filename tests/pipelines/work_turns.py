"""
The labelled turns of `tests/data/work_turns.jsonl`, as the events that capture would have stored.

A line has the prompt, its language, whether it was written before the rules or after, the steps (`tool`, `paths`,
`command`, `edit`, `ok`, `said`, and for an edit the texts `old` and `new`), the reply, and `earlier` turns of the same
session. Its labels are the `scene` by the written boundary; the `experience` that should come of it: from what it
comes (`fixed`, `other_way`, `corrected`, `undone`), and what its text `says`; and the `coordinates` of its fact: the
files, the commands with their exit status, the tests that passed and failed, a part of the reason given.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from backstory.pipelines.extract.conditions import Conditions
from backstory.pipelines.extract.drafts import Draft
from backstory.pipelines.extract.experiences import Undone, learned
from backstory.pipelines.extract.work_trace import Trace, trace
from backstory.store.models import Event, EventKind, Origin, Role

PATH = Path(__file__).parent.parent / "data" / "work_turns.jsonl"
FOLDER = "/repo"
T0 = 1_760_000_000_000_000


@dataclass(frozen=True)
class Labelled:
    """A turn, and what should come of it."""

    turn: Trace
    earlier: tuple[Trace, ...]
    undone: tuple[Undone, ...]
    lang: str
    written: str
    scene: str
    experience: Mapping[str, Any] | None
    coordinates: Mapping[str, Any]

    def learned(self) -> tuple[Draft, ...]:
        """The experiences that the rules draw from it."""
        return learned(self.turn, Conditions(), undone=self.undone, earlier=self.earlier)


def load() -> list[Labelled]:
    """All labelled turns."""
    return [_labelled(json.loads(line)) for line in PATH.read_text("utf-8").splitlines()]


def _labelled(row: Mapping[str, Any]) -> Labelled:
    return Labelled(
        turn=traced(row),
        earlier=tuple(traced(one) for one in row.get("earlier", ())),
        undone=tuple(Undone(**one) for one in row.get("undone", ())),
        lang=row["lang"],
        written=row["written"],
        scene=row["scene"],
        experience=row["experience"],
        coordinates=row["coordinates"],
    )


def traced(row: Mapping[str, Any]) -> Trace:
    """The trace of a line's turn, read from its events."""
    return trace(as_events(row), FOLDER)


def as_events(row: Mapping[str, Any]) -> list[Event]:
    """The events of a line's turn, in their order."""
    found = [event(1, "user", "prompt", row["prompt"], "user")]
    for at, step in enumerate(row["steps"], 2):
        given = {"old_string": step["old"], "new_string": step["new"]} if "old" in step else {}
        data: dict[str, Any] = {"input": given}
        data |= {key: step[key] for key in ("paths", "command") if key in step}
        kind: EventKind = "edit" if step.get("edit") else "tool"
        origin: Origin = "external" if step.get("external") else "tool"
        found.append(
            event(at, "tool", kind, step.get("said", ""), origin, tool=step["tool"], ok=step["ok"], data=data)
        )
    if row["reply"]:
        found.append(event(len(found) + 1, "assistant", "reply", row["reply"], "agent"))
    return found


def event(
    id_: int,
    role: Role,
    kind: EventKind,
    content: str,
    origin: Origin,
    *,
    tool: str | None = None,
    ok: bool | None = None,
    data: Mapping[str, Any] | None = None,
) -> Event:
    """A stored event, with that id and a second after the one before it."""
    at = T0 + id_ * 1_000_000
    return Event(id_, f"E{id_}", 1, id_, f"k{id_}", role, kind, content, origin, at, at, tool, ok, data or {})
