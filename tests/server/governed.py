"""A plain model of governed memory, to hold the real one against: what was said when, replayed anew at each question."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Told:
    """Where the user lives, as one machine was told it: since when, and when it was said."""

    text: str
    since: int
    at: int


@dataclass
class Version:
    """One wording of a fact, from when it was known to when it was not."""

    text: str
    known: int
    gone: int | None = None


@dataclass
class Fact:
    """A statement that stands by itself, with its wordings; the last one is the current one unless it is gone."""

    since: int
    expires: int | None
    versions: list[Version] = field(default_factory=list)

    def says(self, valid: int, known: int) -> set[str]:
        """What it says of one moment, as known at another."""
        if valid < self.since or (self.expires is not None and valid >= self.expires):
            return set()
        return {
            one.text for one in self.versions if one.known <= known and (one.gone is None or one.gone > known)
        }

    @property
    def current(self) -> str | None:
        """Its wording now, where it is in recall."""
        return self.versions[-1].text if self.versions[-1].gone is None else None


class Reference:
    """Of one file: facts by the number under which the real one keeps them, and where the user lives."""

    def __init__(self) -> None:
        self.facts: dict[int, Fact] = {}
        self.lives: set[Told] = set()

    def known(self, text: str, now: int) -> Fact | None:
        """The live fact that says just this."""
        for fact in self.facts.values():
            if fact.current == text and text in fact.says(now, now):
                return fact
        return None

    def says(self, valid: int, known: int) -> set[str]:
        """All that holds at one moment as known at another: of homes, the one that began last."""
        found = set[str]().union(*(fact.says(valid, known) for fact in self.facts.values()))
        homes = [one for one in self.lives if one.at <= known and one.since <= valid]
        if homes:
            found.add(max(homes, key=lambda one: (one.since, one.at)).text)
        return found
