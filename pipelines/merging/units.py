"""Units of what is counted, by every name they go by; where it makes another unit, capitals count."""

from __future__ import annotations

import re
from fractions import Fraction

# A unit's name, and how many of the next it is: one length of time is written in several.
UNITS: dict[str, tuple[str, Fraction]] = {
    word: (name, Fraction(factor))
    for name, factor, words in (
        ("s", "1/1000000", "us µs μs microsecond 微秒"),
        ("s", "1/1000", "ms msec millisecond 毫秒"),
        ("s", "1", "s sec second 秒 秒钟"),
        ("s", "60", "min minute 分钟 分"),
        ("s", "3600", "h hr hour 小时 钟头"),
        ("s", "86400", "d day 天 日"),
        ("s", "604800", "w week wk 周 星期 礼拜"),
        ("month", "1", "month 月"),
        ("year", "1", "year yr 年"),
        ("byte", "1", "B byte 字节"), ("bit", "1", "b bit 比特"),
        ("kb", "1", "kb kilobyte"),
        ("mb", "1", "mb megabyte 兆"),
        ("gb", "1", "gb gigabyte"),
        ("tb", "1", "tb terabyte"),
        ("kib", "1", "kib"), ("mib", "1", "mib"), ("gib", "1", "gib"),
        ("%", "1", "% percent pct"),
        ("usd", "1", "usd dollar 美元 美金"),
        ("cny", "1", "cny rmb yuan 元 块 块钱 人民币"),
        ("eur", "1", "eur euro 欧元"),
        ("time", "1", "time 次 遍 回"),
        ("fold", "1", "x fold 倍"),
        ("person", "1", "people person 人 位 名"),
        ("px", "1", "px pixel 像素"), ("em", "1", "em"), ("rem", "1", "rem"), ("pt", "1", "pt"),
        ("k", "1", "k"), ("m", "1", "m"), ("g", "1", "g"), ("w", "1", "kw"),
        ("qps", "1", "qps"), ("rps", "1", "rps"), ("fps", "1", "fps"),
        ("hz", "1", "hz"), ("mhz", "1", "mhz"), ("ghz", "1", "ghz"),
        ("line", "1", "line loc 行"), ("char", "1", "char character 字符"), ("core", "1", "core vcpu 核"),
        ("°c", "1", "°c"),
    )
    for word in words.split()
}  # fmt: skip
_PREFIXED = re.compile(r"(?P<many>[KkMGTP])(?P<binary>i?)(?P<of>[Bb])(?P<per>ps|/s)?")
# In a longer one capitals make no difference; of the shorter these are written as one likes.
SHORT_CHARS = 3
_LOOSE = frozenset(
    str.split("qps rps fps loc kib mib gib sec min hr px rem pct usd cny eur rmb k x hz em pt")
)
_HERTZ = re.compile(r"[kKMG]?[Hh][Zz]|GHZ|MHZ|ghz|mhz")


def known(unit: str) -> str:
    """The unit that is written so, as it stands in `UNITS`; "" where there is none, or may be another one."""
    if unit in UNITS:
        return unit
    low = unit.casefold()
    if found := _PREFIXED.fullmatch(unit):
        # A small "b" behind a capital is a bit.
        return low if found["of"] == "B" and low in UNITS else ""
    if _HERTZ.fullmatch(unit):
        return low if low in UNITS else ""
    return low if low in UNITS and (low in _LOOSE or len(low) > SHORT_CHARS) else ""
