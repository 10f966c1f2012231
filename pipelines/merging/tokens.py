"""A text as tokens: every word, number and name in it, with what the lexicon has on it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache

from ...store.cutter import Cut
from . import chinese, lexicon, numerals, pieces
from .lexicon import Entry
from .pieces import UNITS, Piece

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
_HAN_NUMBER = re.compile(
    rf"(?P<percent>百分之)(?P<of>[{numerals.HAN_NUMERALS}]+|\d+)|(?P<ordinal>第)?(?P<number>[{numerals.HAN_NUMERALS}]+)(?P<half>个?半)?"
    rf"(?=(?P<next>[{numerals.MEASURES}]|[^\u3400-\u9fff]|\Z|副本|端口|实例|节点|重试|以上|以下|以内|左右))"
    r"|(?P<one_half>一半)|(?P<only_half>半)(?=个?(?:小时|钟头|天|日|年|月|分钟|秒))"
)


@dataclass(frozen=True, slots=True)
class Token:
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
_END = Token("", end=True)


def tokens(text: str, cut: Cut | None) -> Iterator[Token]:
    """Every word, number and name of a text, with what the lexicon has on it."""
    run: list[str] = []
    number: Piece | None = None
    letters = _LETTER.search(text) is not None
    for piece in (*_flat(text), Piece("end", "")):
        left: Piece | None = piece
        if number is not None:
            left, token = _with_unit(number, piece)
            number = None
            yield token
        if left is None:
            continue
        if left.what == "word":
            run.append(left.text)
            continue
        if run:
            before = _BEFORE_NUMBER.get(run[-1].casefold()) if left.what == "number" else None
            yield from _english(run if before is None else [*run[:-1], *before], letters)
            run = []
        if left.what == "number":
            number = left
        else:
            yield from _other(left, cut)


def _other(piece: Piece, cut: Cut | None) -> Iterator[Token]:
    match piece.what:
        case "han":
            for text, entry in chinese.words(piece.text, cut):
                yield Token(text, entry)
        case "end":
            yield _END
        case "exact":
            yield from _exact(piece.text)
        case "quote" | "literal":
            yield from _quoted(piece)
        case _:
            yield Token(f"{piece.what}:{piece.text}", protected=True)


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


def _with_unit(number: Piece, after: Piece) -> tuple[Piece | None, Token]:
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
    return rest, Token(_quantity(text, unit), protected=True)


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


def _exact(text: str) -> Iterator[Token]:
    low = text.casefold()
    numbered = re.fullmatch(r"([a-z]{3,})(\d{1,2})", low)
    if numbered and (entry := _alone(numbered[1])) and entry.role == "word" and not entry.side:
        yield from (Token(numbered[1], entry), Token(f"n:{numbered[2]}", protected=True))
        return
    if low in ("e.g", "i.e", "etc.", "e.g.", "i.e."):
        return
    known = lexicon.load().english.get(low)
    for phrase, entry in known or ():
        if len(phrase) == 1:
            yield Token(low, entry)
            return
    yield Token(f"x:{text}", protected=True)


def _quoted(piece: Piece) -> Iterator[Token]:
    """What is quoted counts as it is written."""
    inner = piece.text
    if piece.what == "quote" and (" " in inner or not inner.isascii()):
        yield Token(f"q:{' '.join(inner.split())}", protected=True)
        return
    for part in inner.split():
        pieces_ = [one for one in pieces.cut(part) if one.what != "end"]
        if len(pieces_) == 1 and pieces_[0].what == "word":
            word = part.strip(".,;:")
            entry = _alone(word.casefold())
            yield Token(_word_name(word), entry if entry and entry.role == "word" else None, exact=word)
        else:
            text = next(
                (one.text for one in pieces_ if one.what in ("exact", "number") and len(pieces_) == 1), part
            )
            number = len(pieces_) == 1 and pieces_[0].what == "number"
            yield Token(f"n:{text}" if number else f"x:{text}", protected=True)


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


def _english(words: Sequence[str], letters: bool) -> Iterator[Token]:
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
            yield Token(name, protected=True)
            at += 1
            continue
        if (helps := _helping(spoken, at)) is not None:
            yield from helps
            at += 1
            continue
        for phrase, entry in table.get(lemmas[at], ()):
            if tuple(lemmas[at : at + len(phrase)]) == phrase:
                yield Token(" ".join(phrase), entry)
                at += len(phrase)
                break
        else:
            yield Token(name if low in _PRODUCTS or name else low)
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
        "am is are be been was were i we he she they you start started stop stopped keep kept avoid for of about not"
        " never recommend prefer prefers like likes by before after when while from user team"
    )
)


def _helping(words: Sequence[str], at: int) -> list[Token] | None:
    """Of "has", "was", "just": what they are here, helping another word or a word of their own; None for others."""
    word, after = words[at].casefold(), words[at + 1].casefold() if at + 1 < len(words) else ""
    if word in ("has", "have", "had", "having"):
        helps = after in ("not", "already", "just", "been", "never", "also") or lexicon.is_participle(after)
        return [] if helps else None if after == "to" else [Token("have")]
    if word in ("was", "were"):
        then = (
            words[at + 2].casefold()
            if after in ("not", "already", "never", "also") and at + 2 < len(words)
            else after
        )
        return [] if lexicon.is_participle(then) else [Token("was", protected=True)]
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
        return [Token("only", Entry("amount", "only"))]
    if word == "using" and at and words[at - 1].casefold() not in _NOT_WITH:
        return [Token("using", Entry("join", "with~", 1, True))]
    if word == "that" and at and words[at - 1].casefold() in ("of", "like", "than"):
        return [Token("that")]
    if word in ("on", "up", "down") and not after:
        return (
            [Token(word, _alone(word) if word == "on" else None)]
            if word != "on"
            else [Token("on", Entry("word", "enable~", 1, True))]
        )
    if word == "off" and after in ("of", "from"):
        return []
    return None
