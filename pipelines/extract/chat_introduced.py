"""
What a line introduces as another's text, blanked as `own_words` blanks.

A page's address, a shell command, a file, a person who says something, a prompt, a persona, a form: what such a lead
introduces goes on for the rest of its paragraph, and where it stands alone also for the next paragraph and the
indented or quoted ones after it, up to what plainly speaks to the agent again.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from . import chat_leads_chinese, chat_leads_english

_LINE_CHARS = 1000
# A lead to a quotation introduces that and no more.
_QUOTES = "\"“‘「『'`\ue000"
_COLONS = (":", "：")
_HAN = re.compile("[\u4e00-\u9fff]")
_SET_IN = re.compile(r"[ \t]{2,}\S|\s*[>|]|\t")

_SENTENCE = r"(?:^|(?<=[.!?]\s)|(?<=[。！？；]))\s{0,8}(?:[-*•]\s)?"
_OPENS = (
    r"(?:(?:hey|hi|hello|ok(?:ay)?|so|also|btw|and|now|then|please|well|look|另外|你好|好的|那|请|对了"
    r"|顺便)[,，]?\s?){0,2}"
)
# A command that shows text, and one that may.
_SHOWS = (
    r"(?:(?:curl|wget|http|lynx|w3m)\s(?:-\S|\S{0,200}[./:])|(?:cat|bat|less|more|head|tail|man|type|get-content)\s"
    r"(?:-\S{1,20}\s){0,3}\S{0,200}[\w./~-]+\s*$|git\s(?:-\S{1,30}\s){0,2}(?:log|show|diff|blame|notes|cat-file"
    r"|shortlog)\b"
    r"|gh\s(?:issue|pr|release|gist|api)\s"
    r"|(?:docker|podman|kubectl|heroku)\s(?:logs|describe|get)\b|journalctl\b)"
)
_PROMPT = r"(?:\$|%|❯|PS>|[\w.-]{1,30}@[\w.-]{1,60}[:\s][^$#\n]{0,80}[$#])\s"
# What is no request of the one who pastes it, however it begins.
_ORDERS = r"(?!\s?(?:always|never|do not|don['’]t|from now|以后|永远|别|不要|务必))"


@cache
def _alone() -> tuple[tuple[re.Pattern[str], bool], ...]:
    """Lines that are nothing but a lead, and whether what they show may stand after an empty line."""
    address = r"(?:https?://|www\.)[^\s，。；）]{1,500}"
    sources = (
        (rf"\s*<?{address}>?\s?[:：]?\s*$", True),
        (rf"\s*(?:{_PROMPT})?{_SHOWS}[^。！？]*$", True),
        (r"\s*commit [0-9a-f]{7,40}(?: \(.{1,80}\))?\s*$", True),
        (rf"\s*{_PROMPT}[\w./~-]{{1,60}}(?:\s|$)", False),
        (rf"\s*(?!(?:i|we|my|our)\b)[^.。\n]{{0,60}}?{address}[^.。:：\n]{{0,40}}[:：]\s*$", True),
    )
    return tuple((re.compile(source, re.IGNORECASE), far) for source, far in sources)


@cache
def _leads(*, chinese: bool) -> tuple[re.Pattern[str], ...]:
    """What introduces another's text in a line with a colon or a dash, up to where that text begins."""
    sources = chat_leads_chinese.LEADS if chinese else chat_leads_english.LEADS
    return tuple(re.compile(f"{_SENTENCE}{_OPENS}(?:{one})", re.IGNORECASE) for one in sources)


@cache
def _headings() -> re.Pattern[str]:
    headings = f"{chat_leads_english.HEADING}|{chat_leads_chinese.HEADING}"
    return re.compile(f"{_SENTENCE}{_OPENS}(?:{headings})", re.IGNORECASE)


@cache
def _tells() -> re.Pattern[str]:
    return re.compile(f"{_SENTENCE}(?:{chat_leads_english.TELLS}|{chat_leads_chinese.TELLS})", re.IGNORECASE)


@cache
def _again(*, denied: bool) -> re.Pattern[str]:
    """What plainly speaks to the agent again, or denies what was told, at the beginning of a sentence."""
    both = (chat_leads_english, chat_leads_chinese)
    words = [*(one.SPEAKS for one in both), *(one.DENIES for one in both if denied)]
    begins = r"(?:^|(?<=[.!?:]\s)|(?<=[。！？：]))\s{0,8}"
    return re.compile(f"{begins}(?:{'|'.join(words)})", re.IGNORECASE | re.MULTILINE)


@cache
def _asks() -> re.Pattern[str]:
    asks = f"{chat_leads_english.ASKS}|{chat_leads_chinese.ASKS}"
    return re.compile(rf"\s{{0,8}}(?:{asks}){_ORDERS}", re.IGNORECASE)


class _Lead(NamedTuple):
    """Where a lead ends, whether what it introduces may stand after an empty line, and what else ends that."""

    end: int
    over_a_gap: bool = True
    denied: bool = False
    bare: bool = False


def without_introduced(text: str, source: str) -> str:
    """
    The text, of the same length, with what its lines introduce as another's blanked; `source`: the text before anything
    was blanked, for a lead to a quotation or to code that is gone already introduces nothing more.
    """
    pieces: list[str] = []
    done = 0
    for start, stop in _lines(text, 0):
        if start < done:
            continue
        lead = _lead(text, start, stop)
        span = _introduced(text, source, lead, stop) if lead else None
        if span:
            pieces += [text[done : span[0]], "\n" * (span[1] - span[0])]
            done = span[1]
    return "".join([*pieces, text[done:]])


def _line_end(text: str, at: int) -> int:
    stop = text.find("\n", at)
    return len(text) if stop < 0 else stop


def _lead(text: str, start: int, stop: int) -> _Lead | None:
    """The first lead of a line."""
    line = text[start : min(stop, start + _LINE_CHARS)]
    for pattern, over_a_gap in _alone():
        if pattern.match(line):
            before = text[text.rfind("\n", 0, start - 1) + 1 : start - 1] if start else ""
            far = over_a_gap and (not before.strip() or _is_lead(before))
            return _Lead(stop, far, bare=not line.rstrip().endswith(_COLONS))
    found = [one.end() for pattern in _that_may_lead(line) if (one := pattern.search(line))]
    if found:
        return _Lead(start + min(found))
    told = _tells().search(line)
    return _Lead(start + told.end(), denied=True) if told else None


def _is_lead(line: str) -> bool:
    """Whether a line leads to the address or the command below it."""
    return line.rstrip().endswith(_COLONS) or _is_alone(line)


def _is_alone(line: str) -> bool:
    return any(pattern.match(line[:_LINE_CHARS]) for pattern, _ in _alone())


def _that_may_lead(line: str) -> Iterator[re.Pattern[str]]:
    """The patterns that a line may meet; those of a language are made when it is first seen."""
    if ". " in line or "。" in line:
        yield _headings()
    if any(mark in line for mark in (*_COLONS, " - ", " – ", " — ")):
        yield from _leads(chinese=False)
        if _HAN.search(line):
            yield from _leads(chinese=True)


def _introduced(text: str, source: str, lead: _Lead, stop: int) -> tuple[int, int] | None:
    """What a lead introduces; None where that is nothing."""
    rest = text[lead.end : stop].strip()
    begin = lead.end if rest else min(stop + 1, len(text))
    if rest.startswith(tuple(_QUOTES)):
        return None
    if not rest:
        first = next((at for at, _ in _lines(text, begin)), len(text))
        gap = "\n" in text[begin:first]
        if first >= len(text) or source[begin:first].strip() or (gap and not lead.over_a_gap):
            return None
        if _is_alone(text[first : _line_end(text, first)]):
            return None  # the nearer lead has it
        begin = first
    if lead.bare and _asks().match(text, begin):
        return None
    end = _paragraph_end(source, begin)
    if not rest:
        end = _with_set_in(source, end)
    spoken = _again(denied=lead.denied).search(text, begin, end)
    end = spoken.start() if spoken else end
    if rest and text[begin - 1] in _COLONS:
        begin -= 1  # without its text, the colon would lead to what follows
    return (begin, end) if end > begin + 1 else None


def _lines(text: str, at: int) -> Iterator[tuple[int, int]]:
    while at < len(text):
        stop = _line_end(text, at)
        if text[at:stop].strip():
            yield at, stop
        at = stop + 1


def _paragraph_end(text: str, at: int) -> int:
    """Where the paragraph ends that holds an offset."""
    while True:
        stop = _line_end(text, at)
        if stop >= len(text):
            return stop
        at = stop + 1
        if not text[at : _line_end(text, at)].strip():
            return stop


def _with_set_in(text: str, end: int) -> int:
    """The end of the last of the indented or quoted paragraphs that follow one."""
    while True:
        first = next((at for at, _ in _lines(text, end)), len(text))
        if first >= len(text) or not _SET_IN.match(text, first):
            return end
        end = _paragraph_end(text, first)
