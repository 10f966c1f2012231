"""
Statements of how much something is, which have one value at a time: "the API timeout is 30 seconds".

    held("the API timeout is 30 seconds", cut) -> Measure("measure:…", "n:30s")
    held("API timeout: 1 minute", cut)         -> Measure("measure:…", "n:60s")     the same slot, another value

Only of what is so now, with one number that measures: what happened, what is to come, what only bears a number
("bug 45", "Python 3") and what speaks of relative time gives none.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass, replace

from ...store import products, slots
from ...store.cutter import Cut
from ...store.models import NewMemory
from .reading import Reading, Unit, read

# How the slot of a measure begins; what follows is a hash of what is measured.
MEASURE = "measure:"
# What says more is told of more than one thing.
CHARS = 160
_NUMBER = re.compile(r"n:[-+]?\d[\d.,]*(?P<unit>\D*)\Z")
# A second door of the same service, which both are open: they are two measures.
SECOND_PORTS = frozenset(("443", "8443"))
_SENTENCES = re.compile(r"[。；;！!?？\n]|\.\s")
_COUNTS = frozenset(
    (
        "have", "run", "use", "limit", "need", "take", "allow", "hold", "contain", "serve", "accept", "handle", "keep",
        "retry", "retri", "include", "required", "support",
        "限", "有", "需要", "要", "用", "占", "允许", "只有", "共有",
    )
)  # fmt: skip
# What is told as it was, as it will be, or as counted from now.
_ANOTHER_TIME = re.compile(
    r"(?<!is )(?<!are )(?<!'s )(?<!be )\b(?!need|speed|feed|seed|embed|shed|shared|red\b|fixed\b)[a-z]{2,}ed\b"
    r"|\b(?:was|were|had|did|been|ran|kept|left|got|made|found|spent|lost|won|met|saw|went|came|gave|wrote|sent|built|"
    r"held|paid|bought|sold|broke|fell|grew|rose|began|drove|took|slept|will|would|shall|might|could|should|may|going|"
    r"ago|yesterday|today|tonight|tomorrow|last|next|until|remaining|remain|more|another|first|if|when|or)\b"
    r"|\bv\d|\bversions?\b|版本"
    r"|\bin\s+(?:about\s+)?[\d\w]+\s+(?:second|minute|hour|day|week|month|year)s?\b"
    r"|[了曾昨刚将]|过(?![期滤程载多高低大小时去])|(?<![机社])会(?![话议员计])|过去|上次|已经|打算|计划|明天|今天|今年|下[个周月]|还剩|剩下|如果|或者?|第\s?\d"
    r"|(?:\d|[一二两三四五六七八九十])\s?个?(?:秒钟?|分钟|小时|天|周|星期|月|年)[之以]?[后前]",
    re.IGNORECASE,
)
_SAYS_SO = re.compile(r"\b(?:is|are)\b|[=:：为是]", re.IGNORECASE)
# Who these lead names one of many: the next may be another.
ONE_OF_MANY = re.compile(
    r"\s*(?:(?:an?|some|one|another|any|most|many|several|certain|each|every other)\b"
    r"|某|有[些的]|一[些个台种条]|另|其中)",
    re.IGNORECASE,
)
# What a number names, and does not count.
_NAMED = frozenset(
    (
        "id", "number", "code", "error", "status", "issue", "bug", "ticket", "line", "page", "step", "pr", "commit",
        "build", "chapter", "section", "编号", "代码", "号码", "工号", "错误", "页", "行",
    )
)  # fmt: skip
# What was changed now is compared as what it is.
NOW = re.compile(r"(?:\b(?:now|currently|at the moment)\b|现在|目前|如今)[,，]?", re.IGNORECASE)
# A number that stands by itself says how much only as what something is.
_IS = re.compile(
    r"(?:\b(?:is|are|equals?|to|of)\s+|[=:：]\s*|[为是成]\s*)(?:(?:only|just|still)\s+)?[\w.,-]+[\s.。]*\Z",
    re.IGNORECASE,
)
_BYTES = re.compile(r"[kmgt]?i?b\Z", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Measure:
    """What is measured, as a slot, and how much it is, in one form however it was written."""

    slot: str
    value: str


def placed(new: NewMemory, cut: Cut | None) -> NewMemory:
    """A statement that has no slot of a thing's, with the slot and value of what it measures, if it measures."""
    if new.kind not in ("fact", "profile") or slots.is_named(new.slot) or new.origin in ("external", "tool"):
        return new
    found = held(new.text, cut)
    return new if found is None else replace(new, slot=found.slot, data={**new.data, "value": found.value})


def held(text: str, cut: Cut | None) -> Measure | None:
    """What a text measures and how much it is; None where it measures nothing, or more than one thing."""
    text = NOW.sub(" ", text)
    plain = text.strip().rstrip(" .。")
    if (
        len(plain) > CHARS
        or any(one.search(plain) for one in (_SENTENCES, _ANOTHER_TIME))
        or ONE_OF_MANY.match(plain)
    ):
        return None
    reading = read(text, cut)
    if reading.asks or reading.deictic or any(_denied_or_dated(unit) for unit in reading.units):
        return None
    measuring = [at for at in range(len(reading.units)) if _measures(reading, at, plain)]
    if len(measuring) != 1 or not _says_of_what(reading, measuring[0], plain):
        return None
    at = measuring[0]
    value = reading.units[at].name
    rest = [_told(unit) for n, unit in enumerate(reading.units) if n != at]
    # "At least" and "at most" are two measures of one thing.
    rest += sorted((*reading.units[at].bound, *reading.units[at].joins))
    door = "tls" if value.removeprefix("n:") in SECOND_PORTS else ""
    frame = "\0".join((*rest, str(at), dimension(value), door))
    return Measure(MEASURE + hashlib.sha256(frame.encode("utf-8", "replace")).hexdigest()[:20], value)


def amount(text: str) -> str | None:
    """How much a text of one number says, in one form however it was written; None for any other text."""
    units = read(text).units
    if len(units) != 1 or units[0].bound or units[0].joins:
        return None
    return units[0].name if _NUMBER.match(units[0].name) else None


def dimension(value: str) -> str:
    """Of which sort an amount is: another unit of the same sort is another value of the same measure."""
    found = _NUMBER.match(value)
    unit = found["unit"] if found else ""
    return "bytes" if _BYTES.match(unit) else unit


def _says_of_what(reading: Reading, at: int, plain: str) -> bool:
    """Whether what is measured is told by more than a word that may be of anything ("the port")."""
    if len(reading.units) > 2:
        return True
    told = reading.units[0].name.startswith("x:") or bool(dimension(reading.units[at].name))
    return len(reading.units) == 2 and at == 1 and told and _SAYS_SO.search(plain) is not None


def _measures(reading: Reading, at: int, plain: str) -> bool:
    unit = reading.units[at]
    found = _NUMBER.match(unit.name)
    if not found:
        return False
    before = reading.units[at - 1].name if at else ""
    if found["unit"]:
        return True
    if before == "port":
        # What many know by several ports at once.
        return not any(one.name in products.NAMES for one in reading.units)
    if any(one.name in _NAMED for one in reading.units[:at]):
        return False
    if at + 1 == len(reading.units):
        return _IS.search(plain) is not None
    return re.split("[~^]", before)[0] in _COUNTS


def _denied_or_dated(unit: Unit) -> bool:
    return unit.name.startswith(("date:", "time:")) or any(part[0] == "!" for part in unit.bound)


def _told(unit: Unit) -> str:
    # Which of the small words leads a unit makes no difference where the rest is the same.
    written = unit.written.text if unit.written.firm or unit.written.quoted else ""
    return "\1".join((unit.name, written, *unit.joins, *unit.bound))
