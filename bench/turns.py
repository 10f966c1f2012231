"""
How well rules do on labelled turns: scenes, statements, experiences. `python bench/turns.py [--misses]`

Two sets, side by side: the ones that the rules were tuned on, and sixty turns by somebody who had not seen the rules
(tests/data/unseen_turns.jsonl), on which they are not to be tuned.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from backstory.pipelines import route
from backstory.pipelines.extract.chat_rules import drafts
from backstory.pipelines.extract.conditions import Conditions
from backstory.pipelines.extract.drafts import Draft
from backstory.pipelines.extract.experiences import learned
from backstory.pipelines.extract.work_trace import Trace
from backstory.tests.pipelines import chat_turns, work_turns

UNSEEN = Path(__file__).parent.parent / "tests" / "data" / "unseen_turns.jsonl"
# An unseen turn tells no more of an edit than the tool's name.
EDITS = frozenset(
    ("Edit", "Write", "MultiEdit", "NotebookEdit", "edit_file", "apply_patch", "write_file", "replace")
)
EXTERNAL = frozenset(("WebFetch", "WebSearch"))
# Who someone is and what is so lie close together; a label of one is met by a draft of the other.
ALIKE = frozenset(("profile", "fact"))


@dataclass
class Scenes:
    """Of turns with tools: how many are claimed to be certain, and how many of these and of all are right."""

    turns: int = 0
    claimed: int = 0
    right_of_claimed: int = 0
    right: int = 0

    def add(self, turn: Trace, scene: str) -> bool:
        verdict = route.by_rule(turn)
        placed = verdict.scene if verdict.decisive else "chat"
        self.turns += 1
        self.claimed += verdict.decisive
        self.right_of_claimed += verdict.decisive and verdict.scene == scene
        self.right += placed == scene
        return placed == scene

    def __str__(self) -> str:
        claimed, sure = self.claimed / self.turns, self.right_of_claimed / max(self.claimed, 1)
        right = f"right of these {sure:.1%}, right of all {self.right / self.turns:.1%}"
        return f"{self.turns:4} turns: decisive {claimed:.1%}, {right}"


@dataclass
class Found:
    """What was found of what should be."""

    right: int = 0
    wrong: int = 0
    missed: int = 0
    told: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        precision = self.right / max(self.right + self.wrong, 1)
        recall = self.right / max(self.right + self.missed, 1)
        counted = f"{self.right} right, {self.wrong} wrong, {self.missed} missed"
        return f"precision {precision:.2f}, recall {recall:.2f} ({counted})"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--misses", action="store_true", help="what was missed and what was wrong, too")
    misses = parser.parse_args().misses
    scenes, experiences = Scenes(), Found()
    for labelled in work_turns.load():
        if labelled.turn.steps:
            scenes.add(labelled.turn, labelled.scene)
        _count(experiences, bool(labelled.learned()), labelled.experience is not None, labelled.turn.prompt)
    statements = chat_turns.score(chat_turns.load())
    tuned = Found(statements.right, len(statements.wrong), len(statements.missed))
    print(f"scenes       tuned   {scenes}")
    unseen = [json.loads(line) for line in UNSEEN.read_text("utf-8").splitlines()]
    theirs, theirs_learned, theirs_said = Scenes(), Found(), Found()
    for row in unseen:
        turn = work_turns.traced(_as_work(row))
        if turn.steps and not theirs.add(turn, row["scene"]) and misses:
            print(f"    {row['scene']}, not {route.by_rule(turn)}: {row['prompt'][:80]!r}")
        _count(theirs_learned, bool(learned(turn, Conditions())), row["experience"], row["prompt"])
        for said, why in _statements(row):
            setattr(theirs_said, why, getattr(theirs_said, why) + 1)
            theirs_said.told.append(f"{why}: {said[:90]}")
    print(f"             unseen  {theirs}")
    print(f"statements   tuned   {tuned}\n             unseen  {theirs_said}")
    print(f"experiences  tuned   {experiences}\n             unseen  {theirs_learned}")
    if misses:
        print(
            "\n".join(
                f"    {told}"
                for told in (*theirs_said.told, *theirs_learned.told)
                if not told.startswith("right")
            )
        )


def _count(found: Found, is_there: bool, should_be: bool, prompt: str) -> None:
    found.right += is_there and should_be
    found.wrong += is_there and not should_be
    found.missed += should_be and not is_there
    if is_there != should_be:
        found.told.append(f"{'wrong' if is_there else 'missed'} experience: {prompt[:90]!r}")


def _as_work(row: Mapping[str, Any]) -> dict[str, Any]:
    """A line of the unseen set in the form of the tuned one."""
    steps = [
        {
            **{key: value for key, value in step.items() if value is not None},
            "edit": step["tool"] in EDITS,
            "external": step["tool"] in EXTERNAL,
        }
        for step in row["steps"]
    ]
    return {"prompt": row["prompt"], "steps": steps, "reply": row["reply"]}


def _statements(row: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    at = datetime.fromisoformat(row["at"])
    offset_s = int((at.utcoffset() or timedelta()).total_seconds())
    left = list(drafts(row["prompt"], at=int(at.timestamp()) * 1_000_000, utc_offset_s=offset_s))
    for label in row["drafts"]:
        match = next((draft for draft in left if _agrees(draft, label)), None)
        if match is not None:
            left.remove(match)
        yield label["value"], "missed" if match is None else "right"
    for draft in left:
        yield draft.quote, "wrong"


def _agrees(draft: Draft, label: Mapping[str, Any]) -> bool:
    return (
        (label["value"] in str(draft.data["value"]) or label["value"] in draft.text)
        and (draft.asks, draft.polarity) == (label["asks"], label["polarity"])
        and (draft.kind == label["kind"] or {draft.kind, label["kind"]} <= ALIKE)
    )


if __name__ == "__main__":
    main()
