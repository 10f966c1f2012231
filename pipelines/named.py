"""What a question names: the entities it means, under every name that is known to be theirs."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import apsw

from ..store import english, entities, han, names, names_code, products
from ..store.filters import Filter
from ..store.names import Entity
from ..store.names_people import SURNAMES

# A longer text is no question that names one thing: in it only what is written as a name counts.
PLAIN_CHARS = 400
# So many words in a row may be one name, in letters and in Chinese characters.
WORDS, HAN_CHARS, LOOKED_UP = 3, 8, 500
# From one name to another that a text or code history says is the same: so often.
STEPS = 4
# Of one question so many names are looked for; more is a list of things, not a question about them.
NAMES = 8
# So many memories of the entities that a question names come into consideration, the latest.
LINKED = 40

_WORD = re.compile(r"[A-Za-z][A-Za-z0-9_.+#-]*", re.ASCII)
_BETWEEN = re.compile(r"[ \t]+$")
_HAN_RUN = re.compile("[\u4e00-\u9fff]{2,}")
_HEAD = re.compile(r"(?:^|[.!?。！？]\s*)$")


@dataclass(frozen=True, slots=True)
class Perhaps:
    """Words of a question that are a name only if one is known: of which kinds, folded, where."""

    kinds: tuple[str, ...]
    name: str
    written: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Asked:
    """The names in a question: those that are written as names, and words that may be one."""

    names: tuple[tuple[Entity, str], ...] = ()
    perhaps: tuple[Perhaps, ...] = ()


NOTHING = Asked()


@dataclass(frozen=True, slots=True)
class Sought:
    """
    One entity that a question means: as it is written there, every folded name it goes by, and its rows.

    `known` is whether any memory in reach names it; `plain` that it is a word like others, known for a name.
    """

    kind: str
    written: str
    names: tuple[str, ...]
    ids: tuple[int, ...] = ()
    known: bool = False
    plain: bool = False


def asked(question: str) -> Asked:
    """What a question may name, by its words alone."""
    text = han.normal(question[: names.TEXT_CHARS])
    spans = list(names.spotted(text))
    told = {(one.kind, one.name): (one, span.written) for span in spans for one in (names.entity(span),)}
    if len(told) > NAMES:
        return Asked()
    plain = text
    for span in spans:
        # Chinese words run into one another: a name found there may be longer than what is meant.
        if span.written.isascii():
            plain = plain[: span.start] + "\0" * (span.end - span.start) + plain[span.end :]
    perhaps = _perhaps(plain) if len(text) <= PLAIN_CHARS else ()
    return Asked(tuple(told.values()), tuple(perhaps)[:LOOKED_UP])


def _perhaps(text: str) -> Iterator[Perhaps]:
    """Runs of words that may be a name, the longest first."""
    found = [*_of_letters(text), *_of_han(text)]
    return iter(sorted(found, key=lambda one: one.start - one.end))


def _of_letters(text: str) -> Iterator[Perhaps]:
    said = list(_WORD.finditer(text))
    for first in range(len(said)):
        for last in range(first, min(first + WORDS, len(said))):
            if last > first and not _BETWEEN.fullmatch(text, said[last - 1].end(), said[last].start()):
                break
            start, end = said[first].start(), said[last].end()
            written = text[start:end].rstrip(".-")
            if last > first:
                if any(said[n].group().casefold() in english.STOP for n in (first, last)):
                    continue
                kinds: tuple[str, ...] = ("thing", "person")
            elif names_code.common(written) or len(written) < 2:
                continue
            elif written.casefold() in products.CAPITAL:
                kinds = () if _HEAD.search(text, 0, start) or not written[0].isupper() else ("thing",)
            else:
                kinds = ("thing", "person", "symbol")
            if "person" in kinds and not written[0].isupper():
                kinds = tuple(kind for kind in kinds if kind != "person")
            yield Perhaps(kinds, written, written, start, end)
            if last > first or written.endswith("s"):
                yield Perhaps(("thing",), written.rstrip("s"), written, start, end)


def _of_han(text: str) -> Iterator[Perhaps]:
    for run in _HAN_RUN.finditer(text):
        for start in range(run.start(), run.end() - 1):
            for end in range(start + 2, min(start + HAN_CHARS, run.end()) + 1):
                written = text[start:end]
                person = end - start <= 4 and (written[0] in SURNAMES or written[0] in "小老阿")
                yield Perhaps(("thing", "person") if person else ("thing",), written, written, start, end)


def sought(con: apsw.Connection, question: Asked, wanted: Filter) -> tuple[list[Sought], list[int]]:
    """
    The entities that a question means, and the latest memories in reach that name one of them.

    What is written as a name is sought though nothing is known of it; words that may be one only where it is.
    """
    if not question.names and not question.perhaps:
        return [], []
    looked = [(kind, names.folded(kind, one.name)) for one in question.perhaps for kind in one.kinds]
    for one, _ in question.names:
        looked += [(one.kind, one.name), *((one.kind, form.casefold()) for form in one.forms)]
    by_name: dict[tuple[str, str], list[entities.Known]] = {}
    for row in entities.known(con, dict.fromkeys(looked)):
        by_name.setdefault((row.kind, row.asked), []).append(row)
    found = dict.fromkeys((*_written(question, by_name), *_spoken(question, by_name)))
    out: list[Sought] = []
    memories: dict[int, None] = {}
    for meant in found:
        whole = _under_every_name(con, meant, wanted)
        theirs = entities.linked(con, whole.ids, wanted, k=LINKED) if whole.ids else []
        memories.update(dict.fromkeys(theirs))
        out.append(replace(whole, known=bool(theirs)))
    spans = [one for one in out if one.known]
    # Nothing is said of a Chinese run of words that is not known: another reading of it may be.
    unknown = [one for one in out if not one.known and not (spans and not one.written.isascii())]
    return [*spans, *unknown], sorted(memories, reverse=True)[:LINKED]


def _written(question: Asked, by_name: dict[tuple[str, str], list[entities.Known]]) -> Iterator[Sought]:
    for one, written in question.names:
        rows = {
            row.id: row.name
            for form in (one.name, *(form.casefold() for form in one.forms))
            for row in by_name.get((one.kind, form), ())
            if names.relation(one.kind, one.name, row.name) == "same"
        }
        yield Sought(one.kind, written, tuple(dict.fromkeys((one.name, *rows.values()))), tuple(rows))


def _spoken(question: Asked, by_name: dict[tuple[str, str], list[entities.Known]]) -> Iterator[Sought]:
    """The longest known names, none within another."""
    taken: list[tuple[int, int]] = []
    for one in question.perhaps:
        if any(start < one.end and one.start < end for start, end in taken):
            continue
        for kind in one.kinds:
            rows = by_name.get((kind, names.folded(kind, one.name)), ())
            # A plain word is a symbol only if it is the whole of its name.
            own = [row for row in rows if kind != "symbol" or row.name == row.asked]
            if own:
                taken.append((one.start, one.end))
                name = names.folded(kind, one.name)
                all_names = tuple(dict.fromkeys((name, *(row.name for row in own))))
                yield Sought(
                    kind, one.written, all_names, tuple(row.id for row in own), plain=kind == "symbol"
                )
                break


def _under_every_name(con: apsw.Connection, one: Sought, wanted: Filter) -> Sought:
    """What is sought with the other names that texts in reach, or code history, say are its own."""
    known = dict.fromkeys(one.names)
    for _ in range(STEPS):
        further = [*_said(con, one.kind, list(known), wanted), *_in_code(con, one, wanted)]
        new = [name for name in further if name not in known]
        if not new:
            break
        known.update(dict.fromkeys(new))
    if len(known) == len(one.names):
        return one
    ids = dict.fromkeys(
        (*one.ids, *(row.id for row in entities.own(con, ((one.kind, name) for name in known))))
    )
    return replace(one, names=tuple(known), ids=tuple(ids))


def _said(con: apsw.Connection, kind: str, known: Sequence[str], wanted: Filter) -> list[str]:
    """The names one step on; an alias that two entities claim leads to neither of them, nor they to it."""
    pairs = entities.said_aliases(con, kind, known, wanted)
    if not pairs:
        return []
    aliases = list(dict.fromkeys(alias for alias, _ in pairs))
    claims: dict[str, set[str]] = {}
    for alias, name in entities.said_aliases(con, kind, aliases, wanted):
        claims.setdefault(alias, set()).add(name)
    return [name for pair in pairs if len(claims[pair[0]]) == 1 for name in pair]


def _in_code(con: apsw.Connection, one: Sought, wanted: Filter) -> Iterable[str]:
    """Names of the same life in code history, where neither name is another's, too."""
    written = one.written.removesuffix("()").replace("::", ".")
    if one.kind == "symbol":
        others = entities.renamed(con, written, wanted)
        sure = [other for other in others if written in entities.renamed(con, other, wanted)]
    elif one.kind == "file":
        sure = entities.moved(con, written.replace("\\", "/").removeprefix("./"), wanted)
    else:
        return []
    return [names.folded(one.kind, other) for other in sure]
