"""What a text says, word by word in one form each, with what binds, denies and joins the words."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cache

from ...store.cutter import Cut
from . import lexicon, numerals, pieces
from .lexicon import Entry
from .pieces import UNITS, Piece


@dataclass(frozen=True, slots=True)
class Unit:
    """
    One word that counts, and what stands before it.

    `name` is its meaning, `exact` how it is written where that counts; `joins` who does what to whom, `soft` those that
    may be left out; `bound` what binds, denies or limits it. `core` is its meaning without the side of a switch that it
    is. `protected`: what a text must have to say the same.
    """

    name: str
    core: str
    exact: str = ""
    protected: bool = False
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

    @property
    def key(self) -> str:
        """One short text for all that say the same, or the opposite, of the same things; "" where nothing is said."""
        cores = sorted(part for unit in self.units for part in _parts(unit.core))
        return hashlib.sha256("\0".join(cores).encode("utf-8", "replace")).hexdigest()[:20] if cores else ""


def _parts(core: str) -> Sequence[str]:
    # Character by character, so that a key does not depend on who cuts Chinese into words.
    return core if _HAN.fullmatch(core) else (core,)


_HAN = re.compile("[\u3400-\u9fff]+")
# Names in which capitals stand inside, and that are written in many ways.
_PRODUCTS = frozenset(
    str.split(
        "github gitlab postgresql mysql sqlite mongodb javascript typescript macos ios ipados fastapi graphql pytorch"
        " tensorflow numpy vscode openai websocket websockets devops rabbitmq nodejs nextjs reactjs vuejs iterm"
        " latex youtube linkedin clickhouse dynamodb cloudflare digitalocean powershell intellij pycharm webstorm"
        " datagrip jetbrains bitbucket oauth webpack opentelemetry graphiql mariadb couchdb kubernetes argocd circleci"
        " sqlalchemy jupyterlab duckdb opensearch activemq rocketmq wechat chatgpt langchain llamaindex tailwindcss"
        " storybook nestjs openapi restful yaml json grpc api apis urls ids prs jpeg png readme hashicorp"
    )
)
_QUESTION = re.compile(
    r"[?？]\s*\Z|[吗么]\s*[。.]?\s*\Z"
    r"|\A\W*(?:why|how come|(?:who|what|which|when|where|how|whose)(?: \w+)? (?:is|are|was|were|do|does|did|can|should|would|will)"
    r"|is|are|was|were|does|do (?:you|we|i|they)|did|can (?:you|we|i)|could (?:you|we|i)|should (?:we|i|it)|shall (?:we|i))\b"
    r"|\A\W*(?:为什么|怎么|如何|谁|哪|是否|什么时候|多少)|\w呢\s*\Z|是不是|有没有|能不能|要不要|可不可以",
    re.IGNORECASE,
)
# Who is not named is the user, who likes, wants, uses.
_OF_USER = frozenset(
    str.split("prefers likes wants uses works lives hates dislikes needs speaks loves enjoys wishes")
)
_WISHES = frozenset(("like~", "want"))
_HAN_DATE_WORDS = frozenset("点")
_HAN_NUMBER = re.compile(
    rf"(?P<percent>百分之)(?P<of>[{numerals.HAN_NUMERALS}]+|\d+)|(?P<ordinal>第)?(?P<number>[{numerals.HAN_NUMERALS}]+)(?P<half>个?半)?"
    rf"(?=(?P<next>[{numerals.MEASURES}]|[^\u3400-\u9fff]|\Z|副本|端口|实例|节点|重试|以上|以下|以内|左右))"
    r"|(?P<one_half>一半)|(?P<only_half>半)(?=个?(?:小时|钟头|天|日|年|月|分钟|秒))"
)


def read(text: str, cut: Cut | None = None) -> Reading:
    """A text as it is compared. `cut` finds the words of Chinese that no table has."""
    plain = pieces.normal(text)
    tokens = list(_tokens(plain, cut))
    units, breaks = _units(tokens)
    deictic = any(unit.name in lexicon.OF_THE_MOMENT for unit in units)
    return Reading(text, tuple(units), _QUESTION.search(plain) is not None, deictic, breaks)


@dataclass(frozen=True, slots=True)
class _Token:
    """A word on its way to a unit: with an entry of the lexicon, or as it is."""

    text: str
    entry: Entry | None = None
    exact: str = ""
    protected: bool = False
    end: bool = False


_LETTER = re.compile(r"(?<![\w'])[B-HJ-Z](?![\w'])", re.ASCII)
# What these words are before a number.
_BEFORE_NUMBER = {
    "about": ("approximately",), "over": ("more", "than"), "above": ("more", "than"), "under": ("less", "than"),
    "below": ("less", "than"), "version": (), "v": (),
}  # fmt: skip
_END = _Token("", end=True)


def _tokens(text: str, cut: Cut | None) -> Iterator[_Token]:
    """Every word, number and name of a text, with what the lexicon has on it."""
    run: list[str] = []
    number: Piece | None = None
    letters = _LETTER.search(text) is not None
    for piece in (*_flat(text), Piece("end", "")):
        if number is not None:
            used, token = _with_unit(number, piece)
            number = None
            yield token
            if used is None:
                continue
            piece = used
        if piece.what == "word":
            run.append(piece.text)
            continue
        if run:
            before = _BEFORE_NUMBER.get(run[-1].casefold()) if piece.what == "number" else None
            yield from _english(run if before is None else [*run[:-1], *before], letters)
            run = []
        if piece.what == "number":
            number = piece
        elif piece.what == "han":
            yield from _chinese(piece.text, cut)
        elif piece.what == "end":
            yield _END
        elif piece.what == "exact":
            yield from _exact(piece.text)
        elif piece.what in ("quote", "literal"):
            yield from _quoted(piece)
        else:
            yield _Token(f"{piece.what}:{piece.text}", protected=True)


def _flat(text: str) -> Iterator[Piece]:
    """The pieces of a text, with the numbers that stand in words taken out of them."""
    words: list[str] = []
    for piece in pieces.cut(text):
        if piece.what == "word" and piece.text.isascii():
            words.append(piece.text)
            continue
        yield from _spelled(words)
        words = []
        if piece.what == "han":
            yield from _han_numbers(piece.text)
        else:
            yield piece
    yield from _spelled(words)


def _spelled(words: Sequence[str]) -> Iterator[Piece]:
    low = [word.casefold() for word in words]
    at = 0
    while at < len(words):
        if found := numerals.english(low[at:]):
            yield Piece("number", found[0])
            at += found[1]
        elif low[at] == "half" and low[at + 1 : at + 2] in (["a"], ["an"]) and at + 2 < len(words):
            yield Piece("number", "0.5")
            at += 2
        elif low[at] == "twice":
            yield from (Piece("number", "2"), Piece("word", "times"))
            at += 1
        elif (nth := numerals.ordinal(low[at])) and low[at] != "second":
            yield Piece("number", f"#{nth}")
            at += 1
        else:
            yield Piece("word", words[at])
            at += 1


def _han_numbers(run: str) -> Iterator[Piece]:
    at = 0
    for found in _HAN_NUMBER.finditer(run):
        number = _value(found, run)
        if number is None:
            continue
        if found.start() > at:
            yield Piece("han", run[at : found.start()])
        yield Piece("number", number)
        at = found.end()
    if at < len(run):
        yield Piece("han", run[at:])


def _value(found: re.Match[str], run: str) -> str | None:
    if found["one_half"] or found["only_half"]:
        return "0.5"
    if found["percent"]:
        of = found["of"] if found["of"].isdigit() else numerals.chinese(found["of"])
        return f"{of}%" if of else None
    around = run[max(0, found.start() - 1) : found.end() + 3]
    if numerals.NO_NUMBER.search(around) and not found["ordinal"]:
        return None
    value = numerals.chinese(found["number"])
    if value is not None and found["half"]:
        value = numerals.plain(Fraction(value) + Fraction(1, 2))
    return f"#{value}" if found["ordinal"] and value else value


def _with_unit(number: Piece, after: Piece) -> tuple[Piece | None, _Token]:
    """A number with the unit that stands behind it, and what is left of the piece behind it."""
    text, unit, left = number.text, number.unit, after
    rest: Piece | None = left
    if text.endswith("%"):
        text, unit = text[:-1], "%"
    elif not unit and after.what == "word":
        word = (
            after.text
            if after.text in UNITS
            else _unit_lemmas().get(lexicon.lemma(after.text.casefold()), "")
        )
        if word and not (len(after.text) == 1 and after.text.isupper()):
            unit, rest = word, None
    elif not unit and after.what == "sign" and after.text == "%":
        unit, rest = "%", None
    elif not unit and after.what == "han":
        run = after.text.removeprefix("个") if len(after.text) > 1 else after.text
        unit = next((run[:n] for n in (3, 2, 1) if run[:n] in UNITS and len(run) >= n), "")
        left_over = run[len(unit) :].removeprefix("钟")
        if not unit and not text.startswith("#"):
            left_over = left_over.removeprefix("版本").removeprefix("版")
        rest = Piece("han", left_over) if left_over and left_over != "个" else None
    return rest, _Token(_quantity(text, unit), protected=True)


@cache
def _unit_lemmas() -> dict[str, str]:
    return {lexicon.lemma(unit): unit for unit in UNITS if unit.isascii()}


def _quantity(text: str, unit: str) -> str:
    if unit == "k" and re.fullmatch(r"\d+(?:\.\d+)?", text):
        text, unit = numerals.plain(Fraction(text) * 1000), ""
    if unit not in UNITS:
        return f"n:{text}{unit}"
    name, factor = UNITS[unit]
    if re.fullmatch(r"-?\d+(?:\.\d+)?", text) and name == "s":
        text = numerals.plain(Fraction(text) * factor)
    return f"n:{text}{name}"


def _exact(text: str) -> Iterator[_Token]:
    low = text.casefold()
    numbered = re.fullmatch(r"([a-z]{3,})(\d{1,2})", low)
    if numbered and (entry := _alone(numbered[1])) and entry.role == "word" and not entry.side:
        yield from (_Token(numbered[1], entry), _Token(f"n:{numbered[2]}", protected=True))
        return
    if low in ("e.g", "i.e", "etc.", "e.g.", "i.e."):
        return
    known = lexicon.load().english.get(low)
    for phrase, entry in known or ():
        if len(phrase) == 1:
            yield _Token(low, entry)
            return
    yield _Token(f"x:{text}", protected=True)


def _quoted(piece: Piece) -> Iterator[_Token]:
    """What is quoted counts as it is written."""
    inner = piece.text
    if piece.what == "quote" and (" " in inner or not inner.isascii()):
        yield _Token(f"q:{' '.join(inner.split())}", protected=True)
        return
    for part in inner.split():
        pieces_ = [one for one in pieces.cut(part) if one.what != "end"]
        if len(pieces_) == 1 and pieces_[0].what == "word":
            word = part.strip(".,;:")
            entry = _alone(word.casefold())
            yield _Token(_word_name(word), entry if entry and entry.role == "word" else None, exact=word)
        else:
            text = next(
                (one.text for one in pieces_ if one.what in ("exact", "number") and len(pieces_) == 1), part
            )
            number = len(pieces_) == 1 and pieces_[0].what == "number"
            yield _Token(f"n:{text}" if number else f"x:{text}", protected=True)


def _alone(word: str) -> Entry | None:
    lemma = lexicon.lemma(word)
    return next(
        (entry for phrase, entry in lexicon.load().english.get(lemma, ()) if phrase == (lemma,)), None
    )


def _word_name(word: str) -> str:
    """The name of a word: as it is written where capitals inside make it a symbol."""
    low = word.casefold()
    if (
        any(char.isupper() for char in word[1:])
        and any(char.islower() for char in word)
        and low not in _PRODUCTS
    ):
        return f"x:{word}"
    return lexicon.lemma(low)


def _english(words: Sequence[str], letters: bool) -> Iterator[_Token]:
    """A run of English words, phrase by phrase. `letters`: things are called by single letters here, A like B."""
    spoken = list(_expanded(words))
    lemmas = [lexicon.lemma(word.casefold()) for word in spoken]
    table = lexicon.load().english
    at = 0
    while at < len(spoken):
        low = spoken[at].casefold()
        name = _word_name(spoken[at])
        if spoken[at] == "A" and (at or letters):
            name = "x:A"
        if name.startswith("x:"):
            yield _Token(name, protected=True)
            at += 1
            continue
        if (helps := _helping(spoken, at)) is not None:
            yield from helps
            at += 1
            continue
        for phrase, entry in table.get(lemmas[at], ()):
            if tuple(lemmas[at : at + len(phrase)]) == phrase:
                yield _Token(" ".join(phrase), entry)
                at += len(phrase)
                break
        else:
            yield _Token(name if low in _PRODUCTS or name else low)
            at += 1


def _expanded(words: Sequence[str]) -> Iterator[str]:
    for word in words:
        low = word.casefold()
        if low in ("can't", "cannot"):
            yield from ("can", "not")
        elif low == "won't":
            yield from ("will", "not")
        elif low == "let's":
            yield "we"
        elif low.endswith("n't"):
            yield from (word[:-3], "not")
        elif "'" in word:
            head, tail = low.split("'", 1)
            yield word[: len(head)]
            yield from {"ll": ("will",), "d": ("would",)}.get(tail, ())
        elif low == "dont":
            yield from ("do", "not")
        else:
            yield word


# After these, "using" says what is done, not with what.
_NOT_WITH = frozenset(
    str.split(
        "am is are be been was were i we he she they you start started stop stopped keep kept avoid for of about not never"
        " recommend prefer prefers like likes by before after when while from user team"
    )
)


def _helping(words: Sequence[str], at: int) -> list[_Token] | None:
    """Of "has", "was", "just": what they are here, helping another word or a word of their own; None for others."""
    word, after = words[at].casefold(), words[at + 1].casefold() if at + 1 < len(words) else ""
    if word in ("has", "have", "had", "having"):
        helps = after in ("not", "already", "just", "been", "never", "also") or lexicon.is_participle(after)
        return [] if helps else None if after == "to" else [_Token("have")]
    if word in ("was", "were"):
        then = (
            words[at + 2].casefold()
            if after in ("not", "already", "never", "also") and at + 2 < len(words)
            else after
        )
        return [] if lexicon.is_participle(then) else [_Token("was", protected=True)]
    if word == "just" and after in (
        "the",
        "a",
        "one",
        "those",
        "these",
        "for",
        "in",
        "on",
        "after",
        "before",
    ):
        return [_Token("only", Entry("amount", "only"))]
    if word == "using" and at and words[at - 1].casefold() not in _NOT_WITH:
        return [_Token("using", Entry("join", "with~", 1, True))]
    if word == "that" and at and words[at - 1].casefold() in ("of", "like", "than"):
        return [_Token("that")]
    if word in ("on", "up", "down") and not after:
        return (
            [_Token(word, _alone(word) if word == "on" else None)]
            if word != "on"
            else [_Token("on", Entry("word", "enable~", 1, True))]
        )
    if word == "off" and after in ("of", "from"):
        return []
    return None


def _chinese(run: str, cut: Cut | None) -> Iterator[_Token]:
    """A run of Han characters, word by word: those of the tables first."""
    table = lexicon.load()
    words = _cut_words(run, cut, table)
    at = 0
    while at < len(words):
        for size in range(min(6, len(words) - at), 0, -1):
            joined = "".join(words[at : at + size])
            entry = table.chinese.get(joined)
            if entry is not None and (size == 1 or len(joined) > 1):
                yield _Token(joined, entry)
                at += size
                break
        else:
            yield _Token(words[at])
            at += 1


def _cut_words(run: str, cut: Cut | None, table: lexicon.Lexicon) -> list[str]:
    """A run in words: each of them whole in the tables, or one that a cutter knows, or what is left between."""
    words: list[str] = []
    for word in _by_cutter(run, cut) if cut else [run]:
        words += [word] if word in table.chinese else _by_table(word, table)
    return words


def _by_cutter(run: str, cut: Cut) -> list[str]:
    words, end = [], 0
    for word, start, stop in sorted(cut(run), key=lambda span: (span[1], -span[2])):
        if start >= end:
            words.append(word)
            end = stop
    return words


def _by_table(word: str, table: lexicon.Lexicon) -> list[str]:
    """A word that is in no table by those in it: the longest first; single characters only where they deny or help."""
    if len(word) < 4 and all(char in table.chinese for char in word):
        return list(word)
    found: list[str] = []
    rest = ""
    at = 0
    while at < len(word):
        for size in range(min(table.longest, len(word) - at), 0, -1):
            part = word[at : at + size]
            entry = table.chinese.get(part)
            if entry is not None and (
                size > 1 or (part in _SINGLE and not _KEPT.match(word, max(0, at - 1)))
            ):
                if rest:
                    found.append(rest)
                found.append(part)
                rest = ""
                at += size
                break
        else:
            rest += word[at]
            at += 1
    return [*found, rest] if rest else found


# Characters that are words of their own wherever they stand, but in a few words.
_SINGLE = frozenset("的了吗呢吧请都也就很不没别勿未把将被从到在和与用我你您他她")
_KEPT = re.compile(
    "[一-鿿]?(?:目的|的确|了解|成就|就绪|就近|区别|级别|类别|识别|分别|性别|别名|个别|不同|不断|不仅|不错|不过|不如|不但|未来|未知"
    "|申请|请求|首都|都市|从库|从节点|到期|到达|达到|遇到|感到|存在|现在|实在|在线|在于|将来|即将|和平|用户|用例|作用|用途|应用|调用"
    "|通用|常用|占用|启用|停用|禁用|参与|与否|他人|其他|自我)"
)


def _units(tokens: Sequence[_Token]) -> tuple[list[Unit], tuple[int, ...]]:
    """Tokens as units: what joins, binds and denies is kept with the word it stands before."""
    made = _Making()
    for token in tokens:
        made.take(token)
    made.close()
    units = made.units
    for at in range(len(units) - 1):
        if _counts_a_port(units, at):
            number, port = units[at : at + 2]
            units[at : at + 2] = (
                replace(port, soft=number.soft, joins=number.joins),
                replace(number, soft=(), joins=()),
            )
    if units and not units[0].joins and _unnamed(tokens, units):
        units.insert(0, Unit("user", "user", protected=True))
        made.breaks = [at + 1 for at in made.breaks]
    return units, tuple(made.breaks)


def _counts_a_port(units: Sequence[Unit], at: int) -> bool:
    """Whether "8080 端口" stands here, which others call "端口 8080"."""
    before = units[at - 1].name if at else ""
    return units[at].name.startswith("n:") and units[at + 1].name == "port" and before != "port"


def _unnamed(tokens: Sequence[_Token], units: Sequence[Unit]) -> bool:
    """Whether a statement leaves its subject out that likes, wants or uses something."""
    first = next(
        (token for token in tokens if not token.end and not (token.entry and token.entry.role == "empty")),
        None,
    )
    return first is not None and units[0].core in _WISHES


@dataclass(slots=True)
class _Making:
    units: list[Unit] = field(default_factory=list)
    joins: list[str] = field(default_factory=list)
    soft: list[str] = field(default_factory=list)
    bound: list[str] = field(default_factory=list)
    clause: int = 0
    breaks: list[int] = field(default_factory=list)

    def take(self, token: _Token) -> None:
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
            self.bound.append(entry.name)
        elif role == "denying":
            self.bound.append(f"!{entry.name}")

    def _word(self, token: _Token, entry: Entry | None) -> None:
        name = entry.name if entry else token.text
        core = name
        if entry and entry.side:
            name = _sided(entry)
            core = entry.name if entry.switch else name
        unit = Unit(
            name, core, token.exact,
            token.protected or bool(entry and entry.side) or name in _SUBJECTS,
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
