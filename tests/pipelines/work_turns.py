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
from backstory.pipelines.redact import redact
from backstory.store.models import Event, EventKind, Origin, Role
from hypothesis import strategies as st

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


def turn(prompt: str, *steps: Mapping[str, Any], reply: str = "") -> Trace:
    """A turn of those steps; one that does not say otherwise went well."""
    return traced({"prompt": prompt, "steps": [{"ok": True, **step} for step in steps], "reply": reply})


def edit(path: str = "/repo/src/a.py", tool: str = "Edit", **change: str) -> dict[str, Any]:
    """A step that edits a file; `change` has the `old` text and the `new` one."""
    return {"tool": tool, "paths": [path], "edit": True, **change}


def run(command: str, said: str = "", ok: bool | None = True) -> dict[str, Any]:
    """A step that runs a command."""
    return {"tool": "Bash", "command": command, "said": said, "ok": ok}


def failed(command: str, said: str = "E   KeyError: 'u10'\n1 failed, 2 passed in 1s") -> dict[str, Any]:
    """A step that runs a command that fails."""
    return run(command, f"Exit code 1\n{said}", ok=False)


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


# Each of a kind that is known by its form, by its name, or by what is said of it.
SECRETS = (
    "ghp_abcdefghijklmnopqrstuvwxyz0123456789", "password=Tr0ub4dor3horse", "postgres://admin:Tr0ub4dor3@db/x",
    "sk-ant-api03-AbCdEf0123456789AbCdEf0123456789AbCdEf0123456789", "token: xoxb-123456789012-abcdefGHIJKLmnop",
    "密码是 hunter2horse9",
)  # fmt: skip
# Where a secret stands in a text decides whether it is cut.
with_secrets = st.builds(
    lambda before, secret, after: f"{before} {secret} {after}",
    st.integers(0, 170).map(lambda n: "a" * n) | st.sampled_from(["No, use", "因为", "的" * 60]),
    st.sampled_from(SECRETS),
    st.integers(0, 90).map(lambda n: "y " * n),
)


def is_safe(draft: Draft) -> bool:
    """Whether nothing of a draft that is told would be taken for a secret."""
    return all(redact(text) == text for text in (draft.text, draft.line or ""))
