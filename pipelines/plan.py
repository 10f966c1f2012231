"""A question as it will be looked for: its words, and whether there is anything to look for."""

from __future__ import annotations

from dataclasses import dataclass

from ..store import words
from ..store.cutter import Cut
from ..store.words import Query


@dataclass(frozen=True, slots=True)
class Plan:
    """What to look for. `text` goes to the embedder, `query` to the words."""

    text: str
    query: Query

    @property
    def empty(self) -> bool:
        """Nothing to look for."""
        return not words.match(self.query)


def plan(question: str, cut: Cut | None) -> Plan:
    """The plan for a question."""
    return Plan(question, words.query(question, cut))
