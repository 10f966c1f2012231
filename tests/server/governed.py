"""A plain model of governed memory, to hold the real one against: what was said when, asked anew each time."""

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

    id: int
    text: str
    known: int
    expires: int | None = None
    gone: int | None = None

    def says(self, valid: int, known: int) -> bool:
        """Whether it holds at one moment, as known at another."""
        held = self.known <= known and (self.gone is None or self.gone > known)
        return held and (self.expires is None or valid < self.expires)


@dataclass
class Fact:
    """A statement that stands by itself, with its wordings; the last one is the current one unless it is gone."""

    since: int
    versions: list[Version] = field(default_factory=list)

    def says(self, valid: int, known: int) -> set[str]:
        """What it says of one moment, as known at another."""
        return {one.text for one in self.versions if valid >= self.since and one.says(valid, known)}

    @property
    def current(self) -> Version | None:
        """Its wording now, where it is in recall."""
        return self.versions[-1] if self.versions[-1].gone is None else None

    def reads(self, id_: int, text: str, now: int, expires: int | None) -> None:
        """From now on it has another wording, or another end."""
        self.goes(now)
        self.versions.append(Version(id_, text, now, expires))

    def goes(self, now: int) -> None:
        """It is out of recall from now on."""
        if self.current is not None:
            self.current.gone = now


class Reference:
    """Of one file: the facts that stand by themselves, and where the user lives."""

    def __init__(self) -> None:
        self.facts: list[Fact] = []
        self.lives: set[Told] = set()

    def version(self, id_: int) -> tuple[Fact, Version] | None:
        """The fact that has a version of that number, which is forgotten with it."""
        found = ((fact, one) for fact in self.facts for one in fact.versions if one.id == id_)
        return next(found, None)

    def known(self, text: str, now: int) -> Fact | None:
        """The live fact that says just this."""
        live = (fact for fact in self.facts if fact.current is not None and fact.current.text == text)
        return next((fact for fact in live if text in fact.says(now, now)), None)

    def forget(self, fact: Fact) -> None:
        """It goes, with all that says the same word for word."""
        texts = {one.text for one in fact.versions}
        self.facts = [one for one in self.facts if not texts & {each.text for each in one.versions}]

    def says(self, valid: int, known: int) -> set[str]:
        """All that holds at one moment as known at another: of homes, the one that began last."""
        found = set[str]().union(*(fact.says(valid, known) for fact in self.facts))
        homes = [one for one in self.lives if one.at <= known and one.since <= valid]
        if homes:
            found.add(max(homes, key=lambda one: (one.since, one.at)).text)
        return found
