"""
How long something has been so, and since when that is; about, as such words are.

    "I have lived in Paris for six months"        since the day six months ago
    "我在杭州住了三年了", "我用 Vim 五年了"          since the days three and five years ago
"""

from __future__ import annotations

import re
from datetime import date

from . import dates_chinese, dates_english

_ABOUT = r"(?:about |almost |nearly |over |more than |at least |around |roughly |some |the (?:last|past) )*"
_ENGLISH_UNIT = "(?:day|week|month|year)s?"
# So many that no day can be told.
_VAGUE = r"(?:[几数]十[多几]?|[一二两三四五六七八九]?十[多几]|好?几|[好很]?多)"
_UNIT = "(?:天|周|星期|礼拜|月|年)"
_CHINESE_TIME = (
    rf"\s?(?:已经|都|快|有){{0,2}}(?:{_VAGUE}|{dates_chinese.NUMBER}|半)\s?多?个?{_UNIT}(?:多|半)?"
)
# Such words for the rules, and where a value ends that they follow.
ENGLISH = rf"for {_ABOUT}(?:{dates_english.NUMBER}|many|several|so many) {_ENGLISH_UNIT}"
CHINESE = rf"{_CHINESE_TIME}了"
CHINESE_END = rf"{_CHINESE_TIME}了?$"

_ENGLISH = re.compile(
    rf"\sfor {_ABOUT}(?P<number>{dates_english.NUMBER}) (?P<unit>day|week|month|year)s?\b(?! of\b)",
    re.IGNORECASE,
)
# A while without 了 may be over.
_CHINESE = re.compile(
    rf"(?<![几数好\d])(?P<number>{dates_chinese.NUMBER}|半)\s?多?个?(?P<unit>{_UNIT})(?:多|半)?了(?=呢?\s*(?:$|[，,。；;]))"
)
_HAS_BEEN = re.compile(r"['’]ve\b|\b(?:have|has|been)\b", re.IGNORECASE)
# Half of a unit, in the next smaller one; of the others it is one.
_HALF = {"月": ("天", 15), "年": ("月", 6)}


def told(words: str, at: int, end: int) -> re.Match[str] | None:
    """The words between two offsets that say how long, as `number` and `unit`."""
    return _ENGLISH.search(words, at, end) or _CHINESE.search(words, at, end)


def since(words: str, start: int, value_end: int, end: int, today: date) -> tuple[date, int] | None:
    """
    The day since when a statement holds that begins at `start`, and where the words for it stand, between the end of
    its value and that of its clause; None where nothing says how long it has been so.
    """
    found = told(words, value_end, end)
    if found is None:
        return None
    try:
        if found.re is _CHINESE:
            day = dates_chinese.moved(*_chinese(found["number"], found["unit"]), today)[0]
        elif _HAS_BEEN.search(words, start, value_end):
            count = dates_english.number(found["number"].lower())
            day = dates_english.moved(found["unit"].lower(), -count, today)[0]
        else:
            return None
    except (ValueError, OverflowError):
        return None
    return (day, found.start()) if day <= today else None


def _chinese(number: str, unit: str) -> tuple[str, int]:
    """The unit, and how many of it back."""
    unit, count = _HALF.get(unit, (unit, 1)) if number == "半" else (unit, dates_chinese.number_of(number))
    return unit, -count
