"""A text as tokens: every word, number and name in it, with what the lexicon has on it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cache

from ...store.cutter import Cut
from . import chinese, english, lexicon, numerals, pieces, units
from .pieces import Piece
from .token import Token
from .units import UNITS
from .written import Written

_HAN_NUMBER = re.compile(
    rf"(?P<percent>百分之)(?P<of>[{numerals.HAN_NUMERALS}]+|\d+)|(?P<ordinal>第)?(?P<number>[{numerals.HAN_NUMERALS}]+)(?P<half>个?半)?"
    rf"(?=(?P<next>[{numerals.MEASURES}]|[^\u3400-\u9fff]|\Z|副本|端口|实例|节点|重试|以上|以下|以内|左右))"
    r"|(?P<one_half>一半)|(?P<only_half>半)(?=个?(?:小时|钟头|天|日|年|月|分钟|秒))"
)


# What ends a sentence, or goes before one.
_BEGINS = re.compile(r"[.!?:。！？：…\n]")
# Before these an English word stands in no English sentence.
_NO_PROSE = ("han", "sign")
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
    begins = head = True
    for piece in (*_flat(text), Piece("end", "")):
        left: Piece | None = piece
        if number is not None:
            left, token = _with_unit(number, piece)
            number = None
            yield token
        if left is None:
            continue
        if left.what == "word":
            head = head if run else begins
            begins = False
            run.append(left.text)
            continue
        if run:
            before = _BEFORE_NUMBER.get(run[-1].casefold()) if left.what == "number" else None
            yield from english.words(
                run if before is None else [*run[:-1], *before],
                letters=letters,
                head=head and left.what not in _NO_PROSE,
            )
            run = []
        begins = _BEGINS.search(left.text) is not None if left.what == "end" else False
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
        if word := units.known(after.text) or _unit_of(after.text):
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


def _unit_of(word: str) -> str:
    """The unit that a word of prose is: "Seconds"."""
    return _unit_lemmas().get(lexicon.lemma(word.casefold()), "") if len(word) > units.SHORT_CHARS else ""


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
    if numbered and (entry := english.alone(numbered[1])) and entry.role == "word" and not entry.side:
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
            entry = english.alone(word.casefold())
            yield Token(
                english.word_name(word),
                entry if entry and entry.role == "word" else None,
                Written(word, firm=True, quoted=True),
            )
        else:
            text = next(
                (one.text for one in pieces_ if one.what in ("exact", "number") and len(pieces_) == 1), part
            )
            number = len(pieces_) == 1 and pieces_[0].what == "number"
            yield Token(f"n:{text}" if number else f"x:{text}", protected=True)
