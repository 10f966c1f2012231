"""Which symbol of the image before is which symbol of the image after."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Container, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from .outlines import Symbol

# Of the words of two bodies, the share both have from which they are one symbol that was renamed.
ALIKE = 0.6
# Over so many comparisons a file was rewritten: what became of what is not worth the seconds it would take.
COMPARISONS = 40_000
NUMBER = re.compile(r"#\d+$")
TOKEN = re.compile(rb"[\w$\x80-\xff]+|[^\s\w$\x80-\xff]")
WORD = re.compile(rb"[\w$\x80-\xff]+")


@dataclass(frozen=True, eq=False)
class Body:
    """
    A symbol in the lines of its file, by whose text it is known again. Without slots, since it keeps what is costly
    to compare.
    """

    symbol: Symbol
    lines: Sequence[bytes]

    @cached_property
    def text(self) -> bytes:
        """The bytes of its lines, without the last line feed."""
        return b"\n".join(self.lines[self.symbol.start - 1 : self.symbol.end])

    @cached_property
    def name(self) -> str:
        """Its qualified name without the number that tells it from others of that name."""
        return unnumbered(self.symbol.name)

    @cached_property
    def leaf(self) -> str:
        """Its name without what it lies in."""
        return self.name.rpartition(".")[2]

    @property
    def within(self) -> str:
        """The name of what it lies in, empty at the top."""
        return self.name.rpartition(".")[0]

    @property
    def family(self) -> str:
        """Its kind; a function may become a method."""
        return "function" if self.symbol.kind == "method" else self.symbol.kind

    @cached_property
    def shape(self) -> tuple[bytes, ...]:
        """Its tokens, its own name and those of what it lies in taken out: equal for one that was only renamed."""
        names = WORD.findall(self.name.encode("utf-8", "replace"))
        blank = {name: b"\0%d" % i for i, name in reversed(list(enumerate(reversed(names))))}
        return tuple(blank.get(token, token) for token in TOKEN.findall(self.text))

    @cached_property
    def words(self) -> Counter[bytes]:
        """How often it has each word, its own name left out."""
        own = self.leaf.encode("utf-8", "replace")
        return Counter(word for word in WORD.findall(self.text) if word != own)


@dataclass(frozen=True, slots=True)
class Pair:
    """One symbol on both sides, None where it is not. `guessed`: that side does not parse, so it was looked up."""

    before: Body | None
    after: Body | None
    guessed: bool = False


def unnumbered(name: str) -> str:
    """A symbol's name without the number that tells it from others of that name."""
    return NUMBER.sub("", name) if "#" in name else name


def likeness(a: Body, b: Body) -> float:
    """The share of the words of two bodies that both have, from 0 to 1."""
    least, most = sorted((a.words.total(), b.words.total()))
    if least < ALIKE * most or most == 0:
        return least / most if most else 0.0
    both = (a.words & b.words).total()
    return both / (least + most - both)


def pairs(
    before: Sequence[Body], after: Sequence[Body], same: Iterable[tuple[Body, Body]] = ()
) -> list[Pair]:
    """
    Every symbol of both images once, with what it was or became; both in the order of an outline. `same` are known to
    be pairs.
    """
    made = _Pairing(before, after)
    made.to.update(same)
    made.taken.update(made.to.values())
    made.descend(None, None)
    made.pair_by(lambda body: body.symbol.name)
    made.pair_by(lambda body: (body.leaf, body.shape))
    made.pair_by(lambda body: body.shape)
    made.pair_alike(containers=True)
    made.pair_alike(containers=False)
    both = [Pair(body, made.to.get(body)) for body in before]
    return both + [Pair(None, body) for body in after if body not in made.taken]


class _Pairing:
    """What was paired so far. Two that are one have their inner symbols paired by name at once."""

    def __init__(self, before: Sequence[Body], after: Sequence[Body]) -> None:
        self.before, self.after = before, after
        self.inner: dict[Body, list[Body]] = {}
        self.tops = self._nest(before), self._nest(after)
        self.to: dict[Body, Body] = {}
        self.taken: set[Body] = set()

    def _nest(self, bodies: Sequence[Body]) -> list[Body]:
        tops: list[Body] = []
        around: list[Body] = []
        for body in bodies:
            while around and around[-1].symbol.end < body.symbol.start:
                around.pop()
            (self.inner.setdefault(around[-1], []) if around else tops).append(body)
            around.append(body)
        return tops

    def descend(self, old: Body | None, new: Body | None) -> None:
        open_pairs = [(old, new)]
        while open_pairs:
            old, new = open_pairs.pop()
            olds = _by_name(old, self.inner.get(old, ()) if old else self.tops[0], self.to)
            news = _by_name(new, self.inner.get(new, ()) if new else self.tops[1], self.taken)
            for name in olds.keys() & news.keys():
                for one, other in _same_name(olds[name], news[name]):
                    self.to[one] = other
                    self.taken.add(other)
                    open_pairs.append((one, other))

    def pair(self, old: Body, new: Body) -> None:
        if old not in self.to and new not in self.taken:
            self.to[old] = new
            self.taken.add(new)
            self.descend(old, new)

    def pair_by(self, key: Callable[[Body], object]) -> None:
        """Pair those with equal keys, in their order."""
        waiting: dict[object, list[Body]] = {}
        for new in reversed(self.after):
            if new not in self.taken:
                waiting.setdefault(key(new), []).append(new)
        for old in self.before:
            fits = waiting.get(key(old), []) if old not in self.to else []
            while fits and fits[-1] in self.taken:
                fits.pop()
            if fits and fits[-1].family == old.family:
                self.pair(old, fits[-1])

    def pair_alike(self, *, containers: bool) -> None:
        """Pair the most alike first."""
        olds = [
            body for body in self.before if body not in self.to and (body in self.inner or not containers)
        ]
        news = [
            body for body in self.after if body not in self.taken and (body in self.inner or not containers)
        ]
        if len(olds) * len(news) > COMPARISONS:
            return
        alike = [
            (share, -i, -j)
            for i, old in enumerate(olds)
            for j, new in enumerate(news)
            if old.family == new.family and (share := likeness(old, new)) >= ALIKE
        ]
        for _, i, j in sorted(alike, reverse=True):
            self.pair(olds[-i], news[-j])


def _by_name(around: Body | None, bodies: Iterable[Body], done: Container[Body]) -> dict[str, list[Body]]:
    """Those not done by their names without that of what they lie in, which may have been renamed."""
    # A method lies in `impl Type`, which is called "Type.impl", and is called "Type.method".
    prefixes = (f"{around.name}.", f"{around.within}.") if around else ()
    found: dict[str, list[Body]] = {}
    for body in bodies:
        if body not in done:
            prefix = next((prefix for prefix in prefixes if body.name.startswith(prefix)), "")
            found.setdefault(body.name.removeprefix(prefix), []).append(body)
    return found


def _same_name(olds: list[Body], news: list[Body]) -> list[tuple[Body, Body]]:
    """Pairs of what goes by one name in one place: overloads, setters, an interface beside its value."""
    if len(olds) == len(news) == 1:
        return [(olds[0], news[0])]
    waiting: dict[bytes, list[Body]] = {}
    for new in reversed(news):
        waiting.setdefault(new.text, []).append(new)
    found = [(old, fits.pop()) for old in olds if (fits := waiting.get(old.text))]
    done = {body for pair in found for body in pair}
    left, others = [old for old in olds if old not in done], [new for new in news if new not in done]
    if len(left) * len(others) > COMPARISONS:
        return found + list(zip(left, others, strict=False))
    ranked = sorted(
        (old.family != new.family, -likeness(old, new), i, j)
        for i, old in enumerate(left)
        for j, new in enumerate(others)
    )
    for _, _, i, j in ranked:
        if left[i] not in done and others[j] not in done:
            done |= {left[i], others[j]}
            found.append((left[i], others[j]))
    return found
