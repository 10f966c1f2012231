"""What became of the lines of a file that was taken in."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

ANOTHERS = "belongs to another user"
DAMAGED = "damaged"
UNSUPPORTED = "rests on nothing that was said"
# Of damaged lines so many are named.
NAMED = 20


@dataclass
class Imported:
    """
    What became of the lines of a file, by kind: added, known already, and refused, by reason. `damaged` names the
    first lines that could not be read, with what is wrong with them; `gone` counts rows that went because the file
    says that they are forgotten; `whole` is False where the file ended early.
    """

    added: Counter[str] = field(default_factory=Counter)
    known: Counter[str] = field(default_factory=Counter)
    refused: Counter[str] = field(default_factory=Counter)
    damaged: list[tuple[int, str]] = field(default_factory=list)
    users: Counter[str] = field(default_factory=Counter)
    gone: int = 0
    whole: bool = False

    def refuse(self, n: int, why: str) -> None:
        """Note a line that is not as it should be, and why."""
        self.refused[DAMAGED] += 1
        if len(self.damaged) < NAMED:
            self.damaged.append((n, why))
