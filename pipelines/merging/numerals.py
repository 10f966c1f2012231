"""Numbers as they are written out, in English and in Chinese, as digits."""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction

_ONES = {
    word: number
    for number, word in enumerate(
        str.split(
            "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen"
            " seventeen eighteen nineteen"
        )
    )
}
_TENS = {
    word: 10 * (number + 2)
    for number, word in enumerate(str.split("twenty thirty forty fifty sixty seventy eighty ninety"))
}
_SCALES = {"hundred": 100, "thousand": 1000, "million": 10**6, "billion": 10**9}
_ORDINALS = {
    word: number + 1
    for number, word in enumerate(
        str.split("first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth")
    )
}

_HAN_DIGITS = {char: value for value, char in enumerate("零一二三四五六七八九")} | {
    "〇": 0, "两": 2, "俩": 2, "仨": 3, "壹": 1, "贰": 2, "叁": 3,
}  # fmt: skip
_HAN_SCALES = {"十": 10, "拾": 10, "百": 100, "千": 1000, "万": 10_000, "亿": 10**8}
HAN_NUMERALS = "".join((*_HAN_DIGITS, *_HAN_SCALES))
# A single Chinese numeral is a number before one of these, and part of a word elsewhere ("统一", "一起").
MEASURES = "个条次天年月日周岁点分秒人台种倍号级层行字版位名项份句遍轮章节页步回小号季毫元块张核倍端"
NO_NUMBER = re.compile(
    "统一|一起|一样|一定|一般|一直|一些|一下|万一|唯一|第一时间|一律|一旦|一点|一边"
    "|三方|十分(?!钟)|每一个|任何一个|另一个|同一|千万别?|万能|一致|一切|一次性|一并|一周年|一份子|一步步"
)
_SCALED = re.compile(r"(\d+(?:\.\d+)?)([十百千万亿]+)\Z")


def english(words: Sequence[str]) -> tuple[str, int] | None:
    """The number that a run of small-letter words begins with, as digits, and how many words it takes."""
    total = section = taken = 0
    last = 0
    for at, word in enumerate(words):
        if word in _ONES and (last == 0 or (last >= 100 or (last >= 20 and _ONES[word] < 10))):
            last = _ONES[word]
            section += last
        elif word in _TENS and (last == 0 or last >= 100):
            last = _TENS[word]
            section += last
        elif word in _SCALES and taken:
            last = _SCALES[word]
            section *= last
            if last >= 1000:
                total, section = total + section, 0
        elif word == "and" and last >= 100 and words[at + 1 : at + 2] and _is_small(words[at + 1]):
            continue
        else:
            break
        taken = at + 1
        if last == 0:  # "zero" goes with nothing
            break
    return (str(total + section), taken) if taken else None


def _is_small(word: str) -> bool:
    return word in _ONES or word in _TENS


def ordinal(word: str) -> str | None:
    """What "third", "3rd" count, as digits."""
    if word in _ORDINALS:
        return str(_ORDINALS[word])
    found = re.fullmatch(r"(\d+)(?:st|nd|rd|th)", word)
    return found[1] if found else None


def chinese(written: str) -> str | None:
    """A number in Chinese numerals, or in digits before 万 and the like, as digits; None where it is none."""
    if scaled := _SCALED.match(written):
        number = Fraction(scaled[1])
        for char in scaled[2]:
            number *= _HAN_SCALES[char]
        return plain(number)
    if not written or any(char not in HAN_NUMERALS for char in written):
        return None
    if not any(char in _HAN_SCALES for char in written):
        return "".join(str(_HAN_DIGITS[char]) for char in written)
    return str(_with_scales(written))


def _with_scales(written: str) -> int:
    # "三千五" is 3500: the last digit is of the next smaller scale, unless a zero stands between.
    total = section = digit = 0
    if len(written) > 2 and written[-1] in _HAN_DIGITS and _HAN_SCALES.get(written[-2], 0) >= 100:
        written += next(char for char, scale in _HAN_SCALES.items() if scale * 10 == _HAN_SCALES[written[-2]])
    for char in written:
        if char in _HAN_DIGITS:
            digit = _HAN_DIGITS[char]
        elif _HAN_SCALES[char] >= 10_000:
            total, section, digit = (total + section + digit) * _HAN_SCALES[char], 0, 0
        else:
            section, digit = section + (digit or 1) * _HAN_SCALES[char], 0
    return total + section + digit


def plain(number: Fraction) -> str:
    """A number without needless digits: 0.5, 90, 1/3."""
    if number.denominator == 1:
        return str(number.numerator)
    as_float = float(number)
    return repr(as_float) if Fraction(repr(as_float)) == number else str(number)
