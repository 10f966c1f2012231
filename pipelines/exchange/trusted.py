"""What the verdicts on a memory add up to, where two files have some each."""

from __future__ import annotations

from collections.abc import Iterable

START = 0.5
# A wrong memory does more harm than a helpful one does good.
STEPS = {"helpful": 0.1, "unhelpful": -0.2, "wrong": -0.4}


def trusted(verdicts: Iterable[str]) -> float:
    """How much a memory is trusted after those verdicts, given in that order."""
    trust = START
    for verdict in verdicts:
        trust = min(1.0, max(0.0, trust + STEPS[verdict]))
    return round(trust, 6)
