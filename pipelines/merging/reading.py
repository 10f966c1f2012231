"""What a text says, word by word in one form each, with what binds, denies and joins the words."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import cast

from ...store.cutter import Cut
from . import frames, lexicon, pieces, tokens, written
from .lexicon import Entry
from .token import Token
from .written import NOT_WRITTEN, Written

# Raised whenever the same text would have another key: those of another version are made anew.
VERSION = 2


@dataclass(frozen=True, slots=True)
class Unit:
    """
    One word that counts, and what stands before it.

    `name` is its meaning, `written` how it is written; `joins` who does what to whom, `soft` those that may be left
    out; `bound` what binds, denies or limits it. `core` is its meaning without the side of a switch that it is.
    `protected`: what a text must have to say the same; `behind_be`: it stands behind a form
    of "be".
    """

    name: str
    core: str
    written: Written = NOT_WRITTEN
    protected: bool = False
    behind_be: bool = False
    joins: tuple[str, ...] = ()
    soft: tuple[str, ...] = ()
    bound: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Reading:
    """A text as it is compared: its units in order, whether it asks, whether it speaks of "today" or "next week"."""

    text: str
    units: tuple[Unit, ...]
    asks: bool = False
    deictic: bool = False
    # Where a clause of the text begins: what stands before may stand behind.
    breaks: tuple[int, ...] = field(default=())
    # In Chinese: whether it is to be done ("due"), or was ("done").
    aspect: str = ""
    # The meanings that it has: another that lacks one of them does not say all of it.
    names: frozenset[str] = field(default=frozenset())
    # The same without the sides of switches: of two that lack one of the other's none is the other, nor its opposite.
    cores: frozenset[str] = field(default=frozenset())

    @property
    def key(self) -> str:
        """One short text for all that say the same, or the opposite, of the same things; "" where nothing is said."""
        cores = sorted(part for unit in self.units for part in _parts(unit.core))
        return hashlib.sha256("\0".join(cores).encode("utf-8", "replace")).hexdigest()[:20] if cores else ""


def _parts(core: str) -> Sequence[str]:
    # Character by character, so that a key does not depend on who cuts Chinese into words.
    return core if _HAN.fullmatch(core) else (core,)


# Of what limits a word: that it is denied itself.
UNDER = " denied"
_HAN = re.compile("[\u3400-\u9fff]+")
# In Chinese, small words that elsewhere say nothing tell what is still to be done from what was.
_DUE, _DONE = re.compile("要(?![求是么不点素紧好])"), re.compile("了(?![解如])")
_QUESTION = re.compile(
    r"[?？]\s*\Z|[吗么]\s*[。.]?\s*\Z"
    r"|\A\W*(?:why|how come|(?:who|what|which|when|where|how|whose)(?: \w+)? (?:is|are|was|were|do|does|did|can"
    r"|should|would|will)|is|are|was|were|does|did|do (?:you|we|i|they)|(?:can|could|should|shall) (?:you|we|i|it))\b"
    r"|\A\W*(?:为什么|怎么|如何|谁|哪|是否|什么时候|多少)|\w呢\s*\Z|是不是|有没有|能不能|要不要|可不可以",
    re.IGNORECASE,
)
# Who likes or wants something and is not named is the user.
_WISHES = frozenset(("like~", "want"))


def read(text: str, cut: Cut | None = None) -> Reading:
    """A text as it is compared. `cut` finds the words of Chinese that no table has."""
    return _cached(text, cut)


def read_anew(text: str, cut: Cut | None) -> Reading:
    """As `read`, whether or not the text was read before."""
    if len(text) > pieces.CHARS:
        return Reading(text, ())
    plain = pieces.normal(text)
    asks = _QUESTION.search(plain) is not None
    units, breaks = _units(list(tokens.tokens(plain if asks else frames.recast(plain), cut)))
    deictic = any(unit.name in lexicon.OF_THE_MOMENT for unit in units)
    names, cores = frozenset(unit.name for unit in units), frozenset(unit.core for unit in units)
    due, done = _DUE.search(plain) is not None, _DONE.search(plain) is not None
    aspect = "" if due == done else "due" if due else "done"
    return Reading(text, tuple(units), asks, deictic, breaks, aspect, names, cores)


def _units(read_: Sequence[Token]) -> tuple[list[Unit], tuple[int, ...]]:
    """Tokens as units: what joins, binds and denies is kept with the word it stands before."""
    made = _Making()
    for token in read_:
        made.take(token)
    made.close()
    units = made.units
    led = [bool(unit.joins or unit.soft) for unit in units]
    for at in written.in_code([unit.core for unit in units], [unit.written for unit in units], led):
        units[at] = replace(units[at], written=replace(units[at].written, firm=True))
    for at in range(len(units) - 1):
        if _counts_a_port(units, at):
            number, port = units[at : at + 2]
            units[at : at + 2] = (
                replace(port, soft=number.soft, joins=number.joins),
                replace(number, soft=(), joins=()),
            )
    if units and _unnamed(units):
        units.insert(0, Unit("user", "user", protected=True))
        made.breaks = [at + 1 for at in made.breaks]
    return units, tuple(made.breaks)


def _counts_a_port(units: Sequence[Unit], at: int) -> bool:
    """Whether "8080 端口" stands here, which others call "端口 8080"."""
    before = units[at - 1].name if at else ""
    return units[at].name.startswith("n:") and units[at + 1].name == "port" and before != "port"


def _unnamed(units: Sequence[Unit]) -> bool:
    """Whether a statement leaves its subject out that likes or wants something."""
    return units[0].core in _WISHES and not units[0].joins


# What was read when it was written is asked for when the next one comes.
_cached = cast("Callable[[str, Cut | None], Reading]", lru_cache(maxsize=1024)(read_anew))


@dataclass(slots=True)
class _Making:
    units: list[Unit] = field(default_factory=list)
    joins: list[str] = field(default_factory=list)
    soft: list[str] = field(default_factory=list)
    bound: list[str] = field(default_factory=list)
    clause: int = 0
    breaks: list[int] = field(default_factory=list)

    def take(self, token: Token) -> None:
        if token.end:
            self.close()
            return
        entry = token.entry
        role = entry.role if entry else "word"
        if entry is None or role == "word":
            self._word(token, entry)
        elif role == "join":
            self._join(entry)
        elif role == "binding":
            self.bound.append(f"?{entry.name}")
        elif role == "amount":
            # "Not always" is not "always not".
            under = any(part[0] == "!" for part in self.bound)
            self.bound.append(f"{entry.name}{UNDER if under else ''}")
        elif role == "denying":
            self.bound.append(f"!{entry.name}")

    def _word(self, token: Token, entry: Entry | None) -> None:
        name = entry.name if entry else token.text
        core = name
        if entry and entry.side:
            name = _sided(entry)
            core = entry.name if entry.switch else name
        unit = Unit(
            name, core, token.written,
            token.protected or bool(entry and entry.side) or name in _SUBJECTS, token.behind_be,
            tuple(sorted(self.joins)), tuple(sorted(self.soft)), tuple(sorted(self.bound)),
        )  # fmt: skip
        self.units.append(unit)
        self._clear()

    def _join(self, entry: Entry) -> None:
        name = _sided(entry)
        if entry.after and len(self.units) > self.clause and not self.joins:
            last = self.units[-1]
            if entry.soft:
                self.units[-1] = replace(last, soft=tuple(sorted({*last.soft, name})))
            else:
                self.units[-1] = replace(last, joins=tuple(sorted((*last.joins, name))))
            return
        if entry.soft:
            self.soft.append(name)
        else:
            self.joins.append(name)

    def _clear(self) -> None:
        self.joins, self.soft, self.bound = [], [], []

    def close(self) -> None:
        """The end of a clause: what stands there without a word behind it is said of the clause."""
        if self.bound or self.joins:
            if len(self.units) > self.clause:
                first = self.units[self.clause]
                self.units[self.clause] = replace(
                    first, joins=tuple(sorted((*first.joins, *self.joins))),
                    bound=tuple(sorted((*first.bound, *self.bound))),
                )  # fmt: skip
            else:
                name = " ".join(sorted((*self.joins, *self.bound)))
                self.units.append(Unit(name, name, protected=True))
        self._clear()
        if len(self.units) > self.clause:
            self.clause = len(self.units)
            self.breaks.append(self.clause)


def _sided(entry: Entry) -> str:
    return entry.name + ("" if not entry.side else "+" if entry.side > 0 else "-")


_SUBJECTS = frozenset(("user", "we", "he", "she", "they"))
