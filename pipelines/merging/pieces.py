"""A text cut into what must be compared whole: quotes, links, dates, times, versions, paths, numbers, words."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Literal

from ...store import han
from . import numerals, raised, units

What = Literal["exact", "date", "time", "number", "word", "han", "sign", "end", "quote", "literal"]

# Longer texts are held against nothing: what says one thing is shorter.
CHARS = 600

_MONTHS = str.split("jan feb mar apr may jun jul aug sep oct nov dec")
_MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?"
    r"|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\.?"
)
_YEAR = r"(?:19|20)\d\d"
_HAN_YEAR = rf"(?:{_YEAR}|[一二][〇零一二三四五六七八九]{{3}})"
_N = r"(?:\d{1,2}|[一二三四五六七八九十]{1,3})"
_PART = "(?:凌晨|清晨|早上|上午|中午|下午|傍晚|晚上|夜里)"
_MINUTES = rf"钟|整|(?P<half>半)|(?P<quarter>[一三])刻|(?P<min3>{_N})分"
_MINUTES_ALONE = rf"钟|整|(?P<half_>半)|(?P<quarter_>[一三])刻|(?P<min5>{_N})分"
# Where in a run of characters a day or a time begins: it is no part of the word before it.
_WHEN = re.compile(
    rf"{_HAN_YEAR}\ ?年|{_N}\ ?月\ ?{_N}\ ?[日号]|{_PART}\ ?{_N}\ ?点|{_N}\ ?点(?:钟|整|半|[一三]刻|{_N}分)"
)
_PIECE = rf"""
    (?P<easy>(?<![\w.@/$%\#~'-])(?!{_MONTH}\b|\d)[a-z]{{1,30}}(?=[\ ,;?!]|\.\s|\.?\Z)(?!\ (?:of\ )?{_MONTH}\b))
  | (?P<quote>"[^"\n]{{1,200}}"|[「『][^」』\n]{{1,200}}[」』]|(?<![\w'])'[^'\n]{{1,120}}'(?![\w']))
  | (?P<literal>`[^`\n]{{1,200}}`)
  | (?P<url>[a-z][a-z0-9+.-]{{1,15}}://[^\s"'<>`()\[\]\u3000-\u303f\u3400-\u9fff，]+)
  | (?P<mail>(?<![\w.+-])[\w.+-]{{1,64}}@[\w-]+(?:\.[\w-]+)+)
  | (?P<iso>(?<![\w.-]){_YEAR}[-/]\d{{1,2}}[-/]\d{{1,2}}(?![\w-]))
  | (?P<named>\b(?:(?P<m1>{_MONTH})\ ?(?P<d1>\d{{1,2}})(?:st|nd|rd|th)?
        |(?P<d2>\d{{1,2}})(?:st|nd|rd|th)?(?:\ of)?\ (?P<m2>{_MONTH}))
        (?:,?\ (?P<y1>{_YEAR}))?(?![\w.:]\d))
  | (?P<month_year>\b(?P<m3>{_MONTH})\ (?P<y3>{_YEAR})\b)
  | (?P<in_month>(?<=\bin\ )(?P<m4>{_MONTH})\b|(?<=\bby\ )(?P<m5>{_MONTH})\b|(?<=\bsince\ )(?P<m6>{_MONTH})\b)
  | (?P<han_date>(?:(?P<hy>{_HAN_YEAR})\ ?年\ ?)?(?P<hm>{_N})\ ?月(?:\ ?(?P<hd>{_N})\ ?[日号]|份)?)
  | (?P<han_year>(?P<hy2>{_HAN_YEAR})\ ?年)
  | (?P<host>\b(?:localhost|(?:\d{{1,3}}\.){{3}}\d{{1,3}}
        |[\w-]{{1,40}}(?:\.[\w-]{{1,40}}){{0,5}}\.[a-z]{{2,12}}):\d{{2,5}}\b)
  | (?P<clock>(?<![\w.:])(?P<h1>\d{{1,2}}):(?P<min1>\d\d)(?::\d\d)?(?:\ ?(?P<half1>[ap])\.?m\b\.?)?(?![\w:])
        |(?<![\w.:])(?P<h2>\d{{1,2}})\ ?(?P<half2>[ap])\.?m\b\.?)
  | (?P<han_time>(?P<part>{_PART})\ ?(?:(?P<h3>\d{{1,2}}):(?P<min4>\d\d)(?!\d)|(?P<h4>{_N})\ ?点(?:{_MINUTES})?)
        |(?P<h5>{_N})\ ?点(?:{_MINUTES_ALONE}|(?=[前后之到准触发起开以]|\Z|[^\u3400-\u9fff])))
  | (?P<scoped>@[\w.-]+/[\w.-]+(?:@[\w.^~-]+)?|\b[a-z][\w.-]*@[\^~]?v?\d[\w.-]*)
  | (?P<windows>\b[A-Za-z]:\\[\w\\.-]+)
  | (?P<path>(?<![\w/.])(?:~|\.{{1,2}})?(?:/[\w.@%+*-]+)+/?
        |(?<![\w/.])\.?[\w@.*-]+(?:/[\w.@%+*-]+)+/?|(?<![\w/.])[\w-]+/(?![\w/]))
  | (?P<flag>(?<![\w-])--?[A-Za-z][\w-]*(?:=[\w./:,-]+)?)
  | (?P<var>\$\{{?\w+\}}?|%\w+%)
  | (?P<issue>(?<!\w)\#\d+\b)
  | (?P<version>(?<![\w.])[vV]?\d+(?:\.\d+)+(?:[-.+]?(?:a|b|rc|alpha|beta|dev|post|pre|lts|snapshot)[.\d]*|\.x)?
        (?![\w]|\.\d)
        |(?<![\w.])[vV]\d+(?![\w]|\.\d))
  | (?P<hex>\b0x[0-9a-f]+\b|\b(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{{7,64}}\b)
  | (?P<spaced>\b[A-Za-z]+\d+(?:\.\d+)+\b)
  | (?P<range>(?<![\w.])\d+(?:\.\d+)?\ ?[–~-]\ ?\d+(?:\.\d+)?(?![\w.]\d))
  | (?P<amount>(?P<money>[$¥€£])?(?<![\w.])(?P<minus>-)?(?P<digits>\d{{1,3}}(?:,\d{{3}})+(?!\d)|\d+)(?P<fraction>\.\d+)?
        (?P<zh_scale>\ ?[十百千万亿]+)?(?P<nth>(?:st|nd|rd|th)\b)?(?:(?P<dash>-)?(?P<unit>%|°C|[A-Za-zµμ]+)(?!\w))?)
  | (?P<call>\b[\w.]+\(\))
  | (?P<symbol>\b\w+(?:(?:::|->)\w+)+|\.[A-Za-z][\w-]*(?:\.[\w-]+)*|\b[A-Za-z_][\w-]*(?:\.[A-Za-z_][\w-]*)+
        |\b\w*[A-Za-z0-9]_\w*|(?<!\w)_\w+|\#\w+|(?<!\w)@\w+)
  | (?P<sharp>\b[CcFf](?:\#|\+\+))
  | (?P<tagged>(?<![\w-])[A-Za-z]{{1,30}}(?:-[A-Za-z0-9]{{1,30}}){{0,5}}?-\d[\w.]*(?:-[\w.]+)*)
  | (?P<mixed>\b(?=[A-Za-z]*\d)[A-Za-z0-9]+\b)
  | (?P<word>[A-Za-z\u00c0-\u024f\u0370-\u1fff]+(?:'[A-Za-z]+)*|[\u3041-\u3096\u30a1-\u30ff\uac00-\ud7a3]+)
  | (?P<han>[\u3400-\u9fff\u3007]+)
  | (?P<end>[.,;:!?。，；：！？…\n]+)
  | (?P<skip>[\s"'`()\[\]{{}}、（）“”‘’《》【】「」『』·_—–-])
  | (?P<sign>.)
"""


@cache
def _pattern() -> re.Pattern[str]:
    # In ASCII: \w is what names are made of; Han characters beside them are words of their own.
    return re.compile(_PIECE, re.VERBOSE | re.ASCII | re.IGNORECASE | re.DOTALL)


@dataclass(frozen=True, slots=True)
class Piece:
    """One piece: what it is, the text to compare it by, and the unit of a number."""

    what: What
    text: str
    unit: str = ""


def normal(text: str) -> str:
    """A text in one width and simplified characters, with straight quotes."""
    text = text.encode("utf-8", "replace").decode("utf-8")
    text = unicodedata.normalize("NFKC", raised.spelled(text)) if not text.isascii() else text
    text = han.fold(text).translate(_STRAIGHT)
    text = _BUT.sub(r"除\1", text)
    text = _WHEN.sub(lambda found: f" {found[0]}", text) if not text.isascii() else text
    return _SIGNS.sub(lambda found: f" {_SIGN[found[0]]} ", text)


_STRAIGHT = str.maketrans({"‘": "'", "’": "'", "“": '"', "”": '"', "＇": "'", "−": "-", "‐": "-", "‑": "-"})
# "除了 … 之外" is said in two halves.
_BUT = re.compile(r"除了?([^，。；,;除]{1,20}?)(?:之外|以外|外)(?=[，,的其都也全\s])")
_SIGN = {
    "->": "→",
    "=>": "⇒",
    "<-": "←",
    "<=": "≤",
    ">=": "≥",
    "!=": "≠",
    "==": "＝",
    "&&": "∧",
    " > ": "＞",
    " < ": "＜",
}
_SIGNS = re.compile("(?<![-=<>])(?:->|=>|<=|>=|!=|==|&&)(?![-=<>])| [<>] ")


def cut(text: str) -> Iterator[Piece]:
    """The pieces of a text that is `normal`, in order."""
    for found in _pattern().finditer(text):
        kind = found.lastgroup or ""
        yield from _MADE[kind](found) if kind in _MADE else _plain(kind, found[0])


def _plain(kind: str, text: str) -> Iterator[Piece]:
    match kind:
        case "skip":
            return
        case "end":
            yield Piece("end", text)
        case "word" | "easy":
            yield Piece("word", text)
        case "han":
            yield Piece("han", text)
        case "sign":
            yield Piece("sign", text)
        case "quote":
            yield Piece("quote", text[1:-1].strip())
        case "literal":
            yield Piece("literal", text[1:-1].strip())
        case _:
            yield Piece("exact", text)


def _dated(year: str | int | None, month: int, day: int | None) -> Iterator[Piece]:
    parts = [str(year) if year else "", f"{month:02}", f"{day:02}" if day else ""]
    yield Piece("date", "-".join(parts))


def _iso(found: re.Match[str]) -> Iterator[Piece]:
    year, month, day = re.split("[-/]", found["iso"])
    return _dated(year, int(month), int(day))


def _number_of_month(name: str) -> int:
    return _MONTHS.index(name[:3].casefold()) + 1


def _named(found: re.Match[str]) -> Iterator[Piece]:
    month, day = found["m1"] or found["m2"], found["d1"] or found["d2"]
    return _dated(found["y1"], _number_of_month(month), int(day))


def _month_year(found: re.Match[str]) -> Iterator[Piece]:
    return _dated(found["y3"], _number_of_month(found["m3"]), None)


def _in_month(found: re.Match[str]) -> Iterator[Piece]:
    return _dated(None, _number_of_month(found["m4"] or found["m5"] or found["m6"]), None)


def _number(text: str | None) -> int:
    digits = text if text is None or text.isdigit() else numerals.chinese(text)
    return int(digits or 0)


def _han_date(found: re.Match[str]) -> Iterator[Piece]:
    year = _number(found["hy"]) or None
    return _dated(year, _number(found["hm"]), _number(found["hd"]) or None)


def _han_year(found: re.Match[str]) -> Iterator[Piece]:
    yield Piece("date", f"{_number(found['hy2'])}")


def _clock(found: re.Match[str]) -> Iterator[Piece]:
    hour, minute = int(found["h1"] or found["h2"]), int(found["min1"] or 0)
    half = (found["half1"] or found["half2"] or "").casefold()
    if half:
        hour = hour % 12 + (12 if half == "p" else 0)
    yield Piece("time", f"{hour:02}:{minute:02}")


def _han_time(found: re.Match[str]) -> Iterator[Piece]:
    hour = _number(found["h3"] or found["h4"] or found["h5"])
    quarters = _number(found["quarter"] or found["quarter_"])
    half = found["half"] or found["half_"]
    minute = 30 if half else 15 * quarters or _number(found["min3"] or found["min4"] or found["min5"])
    part = found["part"] or ""
    if (part in ("下午", "傍晚", "晚上") and hour < 12) or (part == "中午" and hour < 3):
        hour += 12
    yield Piece("time", f"{hour:02}:{minute:02}")


def _version(found: re.Match[str]) -> Iterator[Piece]:
    yield Piece("number", found["version"].lstrip("vV").casefold())


def _spaced(found: re.Match[str]) -> Iterator[Piece]:
    letters = re.match("[A-Za-z]+", found["spaced"])
    name = letters[0] if letters else ""
    yield Piece("word", name)
    yield Piece("number", found["spaced"][len(name) :])


def _amount(found: re.Match[str]) -> Iterator[Piece]:
    digits = (found["minus"] or "") + found["digits"].replace(",", "") + (found["fraction"] or "")
    if found["zh_scale"]:
        digits = numerals.chinese(digits.lstrip("-") + found["zh_scale"].strip()) or digits
    if found["nth"]:
        digits = f"#{digits}"
    unit = found["unit"]
    known = units.known(unit) if unit else ""
    if unit and not found["dash"] and not known:
        yield Piece("exact", f"{digits}{unit.casefold() if unit.casefold() in _AS_WORDS else unit}")
        return
    yield Piece("number", digits, _MONEY.get(found["money"] or "", ""))
    if unit:
        yield Piece("word", known or unit)


# Behind a digit these are no unit, and written either way.
_AS_WORDS = frozenset(str.split("fa d p c xx xxx st nd rd th am pm"))
_MONEY = {"$": "usd", "¥": "cny", "€": "eur", "£": "gbp"}


def _path(found: re.Match[str]) -> Iterator[Piece]:
    text = found["path"].rstrip(".")
    text = text.removeprefix("./") if len(text) > 2 else text
    yield Piece("exact", text.rstrip("/") or "/")


def _url(found: re.Match[str]) -> Iterator[Piece]:
    yield Piece("exact", found["url"].rstrip(".,;:!?/"))


def _call(found: re.Match[str]) -> Iterator[Piece]:
    yield Piece("exact", found["call"][:-2])


def _symbol(found: re.Match[str]) -> Iterator[Piece]:
    yield Piece("exact", found["symbol"].rstrip("."))


def _folded(found: re.Match[str]) -> Iterator[Piece]:
    yield Piece("exact", found[0].casefold())


_MADE = {
    "iso": _iso, "named": _named, "month_year": _month_year, "in_month": _in_month, "han_date": _han_date,
    "han_year": _han_year, "clock": _clock, "han_time": _han_time, "version": _version, "spaced": _spaced,
    "amount": _amount, "path": _path, "url": _url, "call": _call, "symbol": _symbol, "hex": _folded,
    "host": _folded, "tagged": _folded,
}  # fmt: skip
