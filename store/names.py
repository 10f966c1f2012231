"""
The entities that a text names: symbols, files, branches, versions, people, things, and what it says of their names.

    named(text, data, branch) -> Named    what a memory is linked to
    relation(kind, asked, held)           whether one name is another, may be, could be taken for it, or is none of that
    VERSION                               raised whenever the same text would give others: rows of another version are
                                          read again in the background

Precision comes first: a name counts where it is written as only names are, or where words say that it is one. Names
are folded by their kind (case, width, simplified characters, a version's "v", a path's "./").
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any, Literal, NamedTuple

from . import han, names_code, names_people, names_said, names_things, products
from .names_code import Found

VERSION = 2
# What is read of a text, and what is kept of it.
TEXT_CHARS, NAMES = 6_000, 64
Relation = Literal["same", "vague", "alike", "other"]
# Of the parts of two names so many must be shared for one to be taken for the other.
ALIKE = 0.5


_OWN = re.compile(r"^(?:self|this|cls)\.")
_FROM_ROOT = re.compile(r"^(?:[a-z]:)?(?:(?:\.{1,2}|~)?/)+")
_OF_REMOTE = re.compile(r"^(?:refs/(?:heads|remotes)/)?(?:origin/)?")


class Entity(NamedTuple):
    """One entity: its kind, its folded name, and the `forms` that name it, too, among others perhaps."""

    kind: str
    name: str
    forms: tuple[str, ...] = ()


class Alias(NamedTuple):
    """Another name of an entity, folded, that a text gives it."""

    kind: str
    alias: str
    name: str


class Named(NamedTuple):
    """What a text names, each once, and which names it says are one."""

    entities: tuple[Entity, ...] = ()
    aliases: tuple[Alias, ...] = ()


def named(text: str, data: Mapping[str, Any] | None = None, branch: str | None = None) -> Named:
    """The entities that a memory of that text and data names; `branch`: on which it was made."""
    text = han.normal(text[:TEXT_CHARS])
    spans = list(spotted(text))
    entities = {(one.kind, one.name): one for one in map(entity, spans)}
    for one in _of_data(data or {}, branch, text):
        entities.setdefault((one.kind, one.name), one)
    aliases = list(_aliases(text, spans))
    for alias in aliases:
        for name in (alias.name, alias.alias):
            entities.setdefault((alias.kind, name), Entity(alias.kind, name, _forms(alias.kind, name)))
    return Named(tuple(entities.values())[:NAMES], tuple(dict.fromkeys(aliases)))


def spotted(text: str) -> Iterator[Found]:
    """The names in a normal text and where they stand."""
    yield from names_code.found(text)
    yield from names_people.found(text)
    yield from names_things.found(text)


def entity(found: Found) -> Entity:
    """The entity of a name in a text."""
    return _entity(found.kind, found.written)


@lru_cache(maxsize=4096)
def _entity(kind: str, written: str) -> Entity:
    name = folded(kind, written)
    forms = _forms(kind, name)
    if kind == "symbol" and written != written.lower():
        forms = (*forms, written.removesuffix("()"))
    return Entity(kind, name, forms)


def folded(kind: str, written: str) -> str:
    """A name as it is looked up."""
    name = written.strip().casefold()
    match kind:
        case "symbol":
            name = name.removesuffix("()").replace("::", ".").replace("#", ".").replace("->", ".")
            return _OWN.sub("", name.strip("."))
        case "file":
            return _FROM_ROOT.sub("", name.replace("\\", "/"))
        case "branch":
            return _OF_REMOTE.sub("", name)
        case "version":
            owner, _, number = name.rpartition(" ")
            return f"{owner} {number.removeprefix('v')}".strip()
        case "person":
            return re.sub(r"\s+", " ", name.removeprefix("@"))
        case _:
            return re.sub(r"[\s_]+", "-", name)


def _forms(kind: str, name: str) -> tuple[str, ...]:
    """What may stand for a name: the last part of one that is put together."""
    match kind:
        case "symbol" if "." in name:
            return (name.rsplit(".", 1)[1],)
        case "file" if "/" in name:
            return (name.rsplit("/", 1)[1],)
        case "version" if " " in name:
            return (name.rsplit(" ", 1)[1],)
        case "person" if " " in name:
            return (name.split(" ", 1)[0],)
        case "thing" if not name.isascii() and len(name) > 5 and not name[0].isascii():
            return (name[2:],)
    return ()


def _of_data(data: Mapping[str, Any], branch: str | None, text: str) -> Iterator[Entity]:
    for kind, key in (("file", "files"), ("symbol", "symbols")):
        listed = data.get(key)
        for written in listed if isinstance(listed, (list, tuple)) else ():
            if isinstance(written, str) and 1 < len(written) <= 300:
                yield entity(Found(kind, han.normal(written), 0, 0))
    for on in (branch, data.get("branch")):
        if isinstance(on, str) and on and on.casefold() not in names_code.TRUNKS:
            yield entity(Found("branch", han.normal(on), 0, 0))
    for key in ("subject", "value"):
        said = data.get(key)
        if isinstance(said, str) and len(said) <= 300 and said not in text:
            yield from map(entity, spotted(han.normal(said)))


def _aliases(text: str, spans: Iterable[Found]) -> Iterator[Alias]:
    """What a text says of names: at least one of the two is known for a name, or both are written as names are."""
    said = list(names_said.found(text))
    if not said:
        return
    ending = {found.end: found for found in spans}
    for one in said:
        alias, name = _known(one.alias_end, ending), _known(one.name_end, ending)
        kinds = {found.kind for found in (alias, name) if found}
        if len(kinds) > 1 or not (kinds or (one.sure and _proper(one.alias) and _proper(one.name))):
            continue
        kind = kinds.pop() if kinds else "thing"
        short = folded(kind, alias.written if alias else one.alias)
        long = folded(kind, name.written if name else one.name)
        if short != long:
            yield Alias(kind, short, long)


def _known(end: int, ending: Mapping[int, Found]) -> Found | None:
    """The name that ends where a passage does; a quotation mark or brackets may follow it."""
    return next((ending[end - n] for n in range(3) if end - n in ending), None)


def _proper(written: str) -> bool:
    """Whether a word is written as a name: with a capital, a digit or a joint; in Chinese short and of one piece."""
    if written.isascii():
        return bool(re.search(r"[A-Z0-9_.-]", written)) and not names_code.common(written)
    return len(written) <= 6


def relation(kind: str, asked: str, held: str) -> Relation:  # noqa: C901  one case a kind
    """What a name that a memory holds is to the one that was asked for, both folded."""
    if asked == held:
        return "same"
    match kind:
        case "symbol" if held.endswith(f".{asked}") or held.startswith(f"{asked}."):
            return "same"
        case "symbol" if asked.endswith(f".{held}") or asked.startswith(f"{held}."):
            return "vague"
        case "file" if held.endswith(f"/{asked}"):
            return "same"
        case "file" if asked.endswith(f"/{held}"):
            return "same" if "/" in held else "vague"
        case "version":
            return _of_version(asked, held)
        case "person" if held.startswith(f"{asked} "):
            return "same"
        case "person":
            return "vague" if asked.startswith(f"{held} ") else "alike"
        case "thing" if not asked.isascii() and held.endswith(asked):
            return "same"
        case "thing" if not held.isascii() and asked.endswith(held):
            return "vague"
    return "alike" if _alike(kind, asked, held) else "other"


def _of_version(asked: str, held: str) -> Relation:
    owner, _, number = asked.rpartition(" ")
    whose, _, other = held.rpartition(" ")
    if owner != whose and (whose or number != other):
        # Of another product, or of one for which the question does not ask.
        return "same" if number == other and not owner else "other"
    if number == other:
        return "same" if owner == whose else "vague"
    return (
        "vague" if f"{other}.".startswith(f"{number}.") or f"{number}.".startswith(f"{other}.") else "alike"
    )


def _alike(kind: str, asked: str, held: str) -> bool:
    """Whether one name could be taken for the other: they share their parts, or one is in the other."""
    one, other = _parts(kind, asked), _parts(kind, held)
    shared = len(one & other)
    if shared >= ALIKE * max(len(one), len(other)) or (kind == "thing" and products.same_class(asked, held)):
        return True
    return kind in ("symbol", "file") and any(
        len(short) > 3 and short in long for short, long in ((asked, held), (held, asked))
    )


@lru_cache(maxsize=4096)
def _parts(kind: str, name: str) -> frozenset[str]:
    match kind:
        case "symbol":
            name = name.rsplit(".", 1)[-1]
        case "file":
            name = name.rsplit("/", 1)[-1].split(".", 1)[0]
    pieces = re.findall(r"[a-z]+|\d+", name)
    # A Chinese compound goes by pairs, counted from its end.
    run = "".join(re.findall("[\u4e00-\u9fff]", name))
    pieces += [run[max(0, end - 2) : end] for end in range(len(run), 0, -2)]
    return frozenset(piece.removesuffix("s") or piece for piece in pieces) or frozenset((name,))
