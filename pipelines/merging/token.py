"""A word of a text on its way to be compared."""

from __future__ import annotations

from dataclasses import dataclass

from .lexicon import Entry
from .written import NOT_WRITTEN, Written


@dataclass(frozen=True, slots=True)
class Token:
    """A word on its way to a unit: with an entry of the lexicon, or as it is."""

    text: str
    entry: Entry | None = None
    written: Written = NOT_WRITTEN
    protected: bool = False
    behind_be: bool = False
    end: bool = False
