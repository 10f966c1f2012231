"""
The labelled prompts of `tests/data/chat_turns.jsonl`, and how what is found is held against them.

A line has the prompt, its moment with the zone, its language (en, zh, or mix for Chinese with English in it),
when it was written (before the rules; after them, with a number for a later round; or by someone who set out to
break them), and the drafts that it should give. A label's `value` is a
part of what must be found; `slot`, `polarity`, `asks`, `expires` (the last day) and `since` (the first) are
as in a draft and must be equal, absent ones absent; `old`, `why`, `reach` and `subject` count where given.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

from backstory.pipelines.extract.chat_rules import drafts
from backstory.pipelines.extract.drafts import Draft

PATH = Path(__file__).parent.parent / "data" / "chat_turns.jsonl"
SECOND_US = 1_000_000
# A value that is much longer than what was to be found in it says something else.
LONGEST = 2


@dataclass(frozen=True)
class Labelled:
    """A prompt and what it should give."""

    prompt: str
    lang: str
    written: str
    moment: datetime
    expected: tuple[dict[str, Any], ...]

    @property
    def offset_s(self) -> int:
        """The zone of its moment."""
        return int((self.moment.utcoffset() or timedelta()).total_seconds())

    def found(self) -> list[Draft]:
        """What the rules give; what only ends something else says nothing by itself."""
        at = int(self.moment.timestamp()) * SECOND_US
        return [one for one in drafts(self.prompt, at=at, utc_offset_s=self.offset_s) if one.asks != "end"]


@dataclass(frozen=True)
class Score:
    """How much was found of what should be, what was not, and what should not have been."""

    right: int
    missed: tuple[tuple[str, dict[str, Any]], ...]
    wrong: tuple[tuple[str, Draft], ...]

    @property
    def precision(self) -> float:
        """The share of the drafts that are right."""
        return self.right / max(self.right + len(self.wrong), 1)

    @property
    def recall(self) -> float:
        """The share of what should be found that is."""
        return self.right / max(self.right + len(self.missed), 1)


def load() -> list[Labelled]:
    """All labelled prompts."""
    lines = [json.loads(line) for line in PATH.read_text("utf-8").splitlines()]
    return [
        Labelled(
            line["prompt"],
            line["lang"],
            line["written"],
            datetime.fromisoformat(line["at"]),
            tuple(line["drafts"]),
        )
        for line in lines
    ]


def score(turns: Iterable[Labelled]) -> Score:
    """What the rules find, held against the labels."""
    right = 0
    missed: list[tuple[str, dict[str, Any]]] = []
    wrong: list[tuple[str, Draft]] = []
    for turn in turns:
        left = turn.found()
        for label in turn.expected:
            match = next((draft for draft in left if agrees(draft, label, turn.offset_s)), None)
            if match is None:
                missed.append((turn.prompt, label))
            else:
                left.remove(match)
                right += 1
        wrong += [(turn.prompt, draft) for draft in left]
    return Score(right, tuple(missed), tuple(wrong))


def agrees(draft: Draft, label: dict[str, Any], offset_s: int) -> bool:
    """Whether a draft is what a label asks for."""
    value = str(draft.data["value"])
    told = {
        "kind": draft.kind,
        "asks": draft.asks,
        "slot": draft.slot,
        "polarity": draft.polarity,
        "expires": day(draft.expires_at, offset_s, back=1),
        "since": day(draft.valid_from, offset_s),
    }
    due = {"asks": "keep", "slot": None, "polarity": "affirmed", "expires": None, "since": None}
    return (
        all(told[key] == label.get(key, due.get(key)) for key in told)
        and (label["value"] in value or label["value"] in draft.text)
        and len(value) <= LONGEST * len(label["value"]) + 40
        and label.get("old", "") in draft.data.get("old", "")
        and label.get("why", "") in draft.data["qualifiers"].get("why", "")
        and label.get("reach", draft.reach) == draft.reach
        and label.get("subject", draft.data["subject"]) == draft.data["subject"]
    )


def day(at: int | None, offset_s: int, *, back: int = 0) -> str | None:
    """The local day of an instant, or one before."""
    if at is None:
        return None
    moment = datetime.fromtimestamp(0, UTC) + timedelta(microseconds=at, seconds=offset_s)
    found: date = moment.date() - timedelta(days=back)
    return found.isoformat()
