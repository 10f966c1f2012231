"""The tables of words as one dictionary: what a phrase of English words, or a Chinese word, does in a sentence."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from typing import Literal

from ...store import english, han
from . import concepts, opposites, particles

Role = Literal["word", "empty", "join", "binding", "denying", "amount"]

# Said of the word that follows: how many, how often, and nothing else than.
AMOUNTS = frozenset(
    str.split(
        "only all some several many most few any both other atleast atmost morethan lessthan roughly always usually"
        " often sometimes formerly again hasbeen"
    )
)
# What may stand anywhere in a sentence that says the same.
ANYWHERE = frozenset(
    str.split(
        "today tomorrow yesterday tonight nextweek lastweek thisweek nextmonth lastmonth monday tuesday wednesday"
        " thursday friday saturday sunday daily weekly monthly nightly noon midnight always usually often sometimes"
        " default directly together separately immediately"
    )
)
# Of which day they speak depends on when they were said.
OF_THE_MOMENT = frozenset(
    str.split("today tomorrow yesterday tonight nextweek lastweek thisweek nextmonth lastmonth")
)


@dataclass(frozen=True, slots=True)
class Entry:
    """
    What a phrase does. `side` is 1 or -1 for one of two opposites, else 0; `switch`: they are both sides of one thing.

    A `soft` join may be left out; one that is `after` stands behind what it joins.
    """

    role: Role
    name: str
    side: int = 0
    switch: bool = False
    soft: bool = False
    after: bool = False


@dataclass(frozen=True, slots=True)
class Lexicon:
    """English phrases by their first word, the longest first; Chinese words, and how long the longest is."""

    english: dict[str, list[tuple[tuple[str, ...], Entry]]]
    chinese: dict[str, Entry]
    longest: int


@cache
def load() -> Lexicon:
    """The tables, read once. Of a word that stands in several, the first counts."""
    phrases: dict[tuple[str, ...], Entry] = {}
    chinese: dict[str, Entry] = {}
    for text, entry in _entries():
        if text.isascii():
            phrases.setdefault(tuple(map(lemma, text.replace("-", " ").split())), entry)
        else:
            chinese.setdefault(han.fold(text), entry)
    by_first: dict[str, list[tuple[tuple[str, ...], Entry]]] = {}
    for phrase, entry in sorted(phrases.items(), key=lambda item: -len(item[0])):
        by_first.setdefault(phrase[0], []).append((phrase, entry))
    return Lexicon(by_first, chinese, max(map(len, chinese)))


def _entries() -> Iterator[tuple[str, Entry]]:
    for name, texts in _lines(particles.DENYING):
        yield from ((text, Entry("denying", name)) for text in texts)
    for name, texts in _lines(particles.BINDING):
        yield from ((text, Entry("binding", name)) for text in texts)
    for text in particles.EMPTY.replace("\n", " ").split(","):
        if text.strip():
            yield text.strip(), Entry("empty", "")
    for name, texts in _lines(particles.JOINS):
        entry = Entry("join", name.removeprefix("-"), soft=name.startswith("-"))
        yield from ((text.lstrip(">"), replace(entry, after=text.startswith(">"))) for text in texts)
    yield from _pairs()
    for name, texts in _lines(concepts.WORDS):
        role: Role = "amount" if name in AMOUNTS else "word"
        yield from ((text, Entry(role, name)) for text in texts)


def _pairs() -> Iterator[tuple[str, Entry]]:
    for line in filter(None, opposites.PAIRS.replace("\n  ", " ").splitlines()):
        name, both = line.split(":", 1)
        for side, texts in zip((1, -1), both.split("|"), strict=True):
            for text in map(str.strip, texts.split(",")):
                joins = text.startswith(("<", ">"))
                switch = not name.startswith("!")
                mark = "~" if switch else "^"
                role: Role = "join" if joins else "word"
                after = text.startswith(">")
                yield text.lstrip("<>"), Entry(role, name.lstrip("!") + mark, side, switch, after=after)


def _lines(table: str) -> Iterator[tuple[str, list[str]]]:
    for line in filter(None, table.replace("\n  ", " ").splitlines()):
        name, texts = line.split(":", 1)
        yield name, [text.strip() for text in texts.split(",")]


# Forms that no ending tells.
_IRREGULAR = dict(
    pair.split(":")
    for pair in str.split(
        """
        used:use using:use uses:use ran:run running:run wrote:write written:write chose:choose chosen:choose
        built:build made:make kept:keep went:go gone:go took:take taken:take gave:give given:give found:find
        broke:break broken:break said:say told:tell sent:send held:hold forgot:forget forgotten:forget bought:buy
        began:begin begun:begin became:become got:get gotten:get had:have has:have having:have did:do does:do done:do
        saw:see seen:see shown:show threw:throw thrown:throw knew:know known:known meant:mean met:meet paid:pay
        rewrote:rewrite rewritten:rewrite spoke:speak spoken:speak spent:spend stood:stand thought:think
        understood:understand woke:wake won:win lost:lose brought:bring taught:teach caught:catch sold:sell felt:feel
        fell:fall fallen:fall grew:grow grown:grow drew:draw drawn:draw drove:drive driven:drive ate:eat eaten:eat
        hid:hide hidden:hidden rose:rise risen:rise slept:sleep stuck:stuck swapped:swap was:was were:was is:is
        added:add adding:add children:child people:people indices:index analyses:analysis data:data dies:die
        lies:lie ties:tie this:this has:have its:its us:us ids:id apis:api prs:pr urls:url dbs:db vars:var libs:lib
        dirs:dir deps:dep envs:env args:arg cmds:cmd devs:dev apps:app docs:doc logs:log keys:key jobs:job bugs:bug
        tabs:tab pods:pod tags:tag rows:row maps:map sets:set bits:bit days:day hours:hour weeks:week lines:line
        going:going does:do settings:settings during:during evening:evening meeting:meeting meetings:meeting
        always:always sometimes:sometimes nothing:nothing anything:anything everything:everything something:something
        shared:shared users:users
        led:lead fed:feed read:read left:left felt:feel rebuilt:rebuild reran:rerun understand:understand
        overrode:override overridden:override undid:undo undone:undo withdrew:withdraw burnt:burn learnt:learn
        series:series news:news aliases:alias buses:bus statuses:status processes:process
        """
    )
)
_PARTICIPLES = frozenset(
    str.split(
        "written chosen built made kept gone taken given found broken said told sent held forgotten bought begun become"
        " got gotten done seen shown thrown known meant met paid put rewritten set spoken spent thought understood won"
        " lost brought caught sold grown drawn driven hidden been rebuilt run split cut read hit overridden undone"
    )
)
_NOT_ISE = frozenset(
    str.split(
        "otherwise exercise promise precise noise raise rise wise expertise enterprise advise revise supervise surprise"
        " compromise concise franchise disguise improvise likewise praise premise demise"
    )
)
_OUR = {
    word.replace("o", "ou", 1) if word != "behavior" else "behaviour": word
    for word in ("color", "honor", "favor", "labor", "harbor")
} | {
    "behaviour": "behavior", "flavour": "flavor", "neighbour": "neighbor", "humour": "humor", "rumour": "rumor",
    "colour": "color", "favour": "favor", "favourite": "favorite", "centre": "center", "metre": "meter",
    "licence": "license", "grey": "gray", "catalogue": "catalog", "dialogue": "dialog", "cancelled": "canceled",
    "cancelling": "canceling", "modelling": "modeling", "labelled": "labeled", "labelling": "labeling",
    "analyse": "analyze", "analysed": "analyzed", "artefact": "artifact", "programme": "program",
    "fulfil": "fulfill", "travelling": "traveling", "judgement": "judgment",
}  # fmt: skip


@cache
def lemma(word: str) -> str:
    """A small-letter English word in one form, however it is bent or spelt."""
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    word = _OUR.get(word) or (_OUR[word[:-1]] + "s" if word.endswith("s") and word[:-1] in _OUR else word)
    for old, new in (
        ("ise", "ize"),
        ("ised", "ized"),
        ("ising", "izing"),
        ("ises", "izes"),
        ("isation", "ization"),
        ("iser", "izer"),
        ("isers", "izers"),
    ):
        if word.endswith(old) and len(word) > len(old) + 3 and word.removesuffix(old) + "ise" not in _NOT_ISE:
            word = word.removesuffix(old) + new
            break
    return english.singular(word)


def is_participle(word: str) -> bool:
    """Whether a small-letter word may follow "has" or "was" in the telling of what was done."""
    return word in _PARTICIPLES or (word.endswith(("ed", "ing")) and len(word) > 4)
