"""What a question names: the entities it means, under every name that is known to be theirs."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

import apsw

from ..store import english, entities, han, names, names_code, products
from ..store.filters import Filter
from ..store.names import Entity
from ..store.names_people import SURNAMES
from . import joined

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
    """
    Words of a question that are a name only if one is known: of which kinds, folded, where. `words`: the name may be
    joined of these, in any of the ways that names are.
    """

    kinds: tuple[str, ...]
    name: str
    written: str
    start: int
    end: int
    words: tuple[str, ...] = ()

    def looked_up(self) -> Iterator[tuple[str, str]]:
        """Each (kind, folded name) that it may be."""
        for kind in self.kinds:
            ways = joined.ways(kind, self.words) if self.words else [self.name]
            yield from ((kind, names.folded(kind, way)) for way in ways)


@dataclass(frozen=True, slots=True)
class Asked:
    """The names in a question: those that are written as names, and where; and words that may be one."""

    names: tuple[tuple[Entity, str, tuple[tuple[int, int], ...]], ...] = ()
    perhaps: tuple[Perhaps, ...] = ()


NOTHING = Asked()


@dataclass(frozen=True, slots=True)
class Sought:
    """
    One entity that a question means: as it is written there, every folded name it goes by, and its rows.

    `known` is whether any memory in reach names it; `plain` that it is a word like others, known for a name. `words`:
    those of which it is joined, where the question says it in several.
    """

    kind: str
    written: str
    names: tuple[str, ...]
    ids: tuple[int, ...] = ()
    known: bool = False
    plain: bool = False
    words: tuple[str, ...] = ()


def asked(question: str) -> Asked:
    """What a question may name, by its words alone."""
    text = han.normal(question[: names.TEXT_CHARS])
    spans = list(names.spotted(text))
    told: dict[tuple[str, str], tuple[Entity, str, tuple[tuple[int, int], ...]]] = {}
    for span in spans:
        one = names.entity(span)
        before = told.get((one.kind, one.name), (one, "", ()))[2]
        told[one.kind, one.name] = (one, span.written, (*before, (span.start, span.end)))
    if len(told) > NAMES:
        return Asked()
    plain = text
    for span in spans:
        # Chinese words run into one another: a name found there may be longer than what is meant.
        if span.written.isascii():
            plain = plain[: span.start] + "\0" * (span.end - span.start) + plain[span.end :]
    perhaps = _perhaps(text, plain) if len(text) <= PLAIN_CHARS else ()
    return Asked(tuple(told.values()), tuple(perhaps)[:LOOKED_UP])


def _perhaps(text: str, plain: str) -> Iterator[Perhaps]:
    """Runs of words that may be a name, the longest first. `plain`: the text without what is written as a name."""
    of_words = [
        Perhaps(joined.KINDS, " ".join(words), text[start:end], start, end, words)
        for words, start, end in joined.windows(text)
    ]
    found = [*of_words, *_of_letters(plain), *_of_han(plain)]
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
    looked = [name for one in question.perhaps for name in one.looked_up()]
    for entity, _, _ in question.names:
        looked += [(entity.kind, entity.name), *((entity.kind, form.casefold()) for form in entity.forms)]
    by_name: Rows = {}
    for row in entities.known(con, dict.fromkeys(looked)):
        by_name.setdefault((row.kind, row.asked), []).append(row)
    reach = _Reach(con, wanted)
    spoken, taken = _spoken(question, by_name, reach)
    written = _written(question, by_name, taken)
    out = list(dict.fromkeys((*map(reach.whole, written), *spoken)))
    spans = [one for one in out if one.known]
    # Nothing is said of a Chinese run of words that is not known: another reading of it may be.
    unknown = [one for one in out if not one.known and not (spans and not one.written.isascii())]
    return [*spans, *unknown], sorted(reach.memories, reverse=True)[:LINKED]


Rows = dict[tuple[str, str], list[entities.Known]]
Span = tuple[int, int]


@dataclass(slots=True)
class _Reach:
    """What is in reach of a question, and the latest memories there that name what was looked for."""

    con: apsw.Connection
    wanted: Filter
    memories: set[int] = field(default_factory=set)

    def whole(self, one: Sought) -> Sought:
        """What is sought under every name that it has in reach, and whether any memory there names it."""
        whole = _under_every_name(self.con, one, self.wanted)
        theirs = entities.linked(self.con, whole.ids, self.wanted, k=LINKED) if whole.ids else []
        self.memories.update(theirs)
        return replace(whole, known=bool(theirs))


def _written(question: Asked, by_name: Rows, taken: Sequence[Span]) -> Iterator[Sought]:
    """What is written as a name, and not as a part of a longer one."""
    for one, written, spans in question.names:
        if all(any(start <= a and b <= end for start, end in taken) for a, b in spans):
            continue
        rows = {
            row.id: row.name
            for form in (one.name, *(form.casefold() for form in one.forms))
            for row in by_name.get((one.kind, form), ())
            if names.relation(one.kind, one.name, row.name) == "same"
        }
        yield Sought(one.kind, written, tuple(dict.fromkeys((one.name, *rows.values()))), tuple(rows))


def _spoken(question: Asked, by_name: Rows, reach: _Reach) -> tuple[list[Sought], list[Span]]:
    """The longest known names, none within another; and where those stand that are joined of words."""
    found: list[Sought] = []
    taken: list[Span] = []
    put_together: list[Span] = []
    for one in question.perhaps:
        if any(start < one.end and one.start < end for start, end in taken):
            continue
        if one.words:
            named = _joined(one, by_name, reach)
            put_together += [(one.start, one.end)] if named else []
        else:
            named = [reach.whole(sought) for sought in _plainly(one, by_name)]
        if named:
            taken.append((one.start, one.end))
            found += named
    return found, put_together


def _joined(one: Perhaps, by_name: Rows, reach: _Reach) -> list[Sought]:
    """
    A name that is joined of words, as each of its kinds: what could be taken for it may be of another kind. Nothing
    where none is in reach.
    """
    rows: dict[str, list[entities.Known]] = {}
    for kind, name in one.looked_up():
        # The last part of a longer name is not this one.
        rows.setdefault(kind, []).extend(row for row in by_name.get((kind, name), ()) if row.name == name)
    found = {kind: reach.whole(_of_rows(kind, one, own)) for kind, own in rows.items() if own}
    if not any(sought.known for sought in found.values()):
        return []
    said = tuple(word.casefold() for word in one.words)
    return [replace(found.get(kind) or _of_rows(kind, one, ()), known=True, words=said) for kind in one.kinds]


def _of_rows(kind: str, one: Perhaps, rows: Sequence[entities.Known]) -> Sought:
    ways = [name for of, name in one.looked_up() if of == kind]
    all_names = dict.fromkeys((*ways, *(row.name for row in rows)))
    return Sought(kind, one.written, tuple(all_names), tuple(row.id for row in rows))


def _plainly(one: Perhaps, by_name: Rows) -> Iterator[Sought]:
    for kind in one.kinds:
        name = names.folded(kind, one.name)
        # A plain word is a symbol only if it is the whole of its name.
        own = [row for row in by_name.get((kind, name), ()) if kind != "symbol" or row.name == row.asked]
        if own:
            all_names = tuple(dict.fromkeys((name, *(row.name for row in own))))
            yield Sought(kind, one.written, all_names, tuple(row.id for row in own), plain=kind == "symbol")
            return


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
