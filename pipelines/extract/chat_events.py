"""Events that a plan is about, in English and Chinese, and the slot in which one time of each is current."""

from __future__ import annotations

import re
from typing import NamedTuple

EVENTS = (
    r"demo|release|launch|deadline|freeze|code freeze|feature freeze|meeting|review|interview"
    r"|presentation|exam|migration|cutover|go-live|sprint"
    r"|conference|retro(?:spective)?|audit|standup|handover|workshop|talk|vacation|holiday"
    r"|call|kickoff|kick-off|rollout|maintenance|maintenance window"
    r"|submission|flight|appointment|offsite|hackathon|webinar|training|defen[cs]e|due date"
    r"|trip|dinner|lunch|visit|party|wedding|milestone|move|delivery|beta|trial|licen[cs]e|certificate|contract"
)
_CHINESE_EVENTS = (
    r"(?:发版|发布会?|上线|演示|评审|会议|面试|封版|考试|答辩|年会|团建|例会|周会|复盘|割接|迁移|交付|验收|体检|发布"
    r"|demo|release|deadline|sprint)"
)
_EVENT = re.compile(
    rf"(?:and |but |so |now )*(?:(?:the|our|my)\s)?(?P<event>(?:[\w.&/'-]{{1,30}}\s){{0,3}}?(?:{EVENTS})"
    r"(?:\s(?:for|of|with|at|to)\s(?!(?:is|was|on)\b)[\w.'-]{1,24}(?:\s[\w.'-]{1,24}){0,3}?)?)\s"
    r"(?:(?P<end>ends|closes|expires)|is|starts|begins|takes place|happens|will be|has been|got|was"
    r"|moved|needs to be"
    r"|opens|runs)\b",
    re.IGNORECASE,
)
_CANCELLED = re.compile(
    rf"(?:and |but |so |now )*(?:(?:the|our|my)\s)?(?P<event>(?:[\w.&/'-]{{1,30}}\s){{0,3}}?(?:{EVENTS})"
    r"(?:\s(?:for|of|with|at|to)\s[\w.'-]{1,24}(?:\s[\w.'-]{1,24}){0,3}?)?)\s"
    r"(?:is|was|has been|got|is now)\s(?:just |now )?(?:cancell?ed|called off|off)(?=$|[,.;!]|\sso\b|\sand\b)"
    rf"|(?:我们的?|那个|这次的?)?(?P<chinese>[\w.]{{0,6}}?{_CHINESE_EVENTS})(?:已经|已|又|被|临时)?(?:取消了?|不(?:开|办|搞|做)了|黄了)"
    r"(?=$|[，,。；;！!])",
    re.IGNORECASE,
)
# What may stand around an event and its date in a clause that says no more than when it is.
_FILLERS = re.compile(
    r"我们|咱们|项目|团队|正式|准备|计划|打算|安排在|定在|定于|改到|改成|改为|推迟到|提前到|要|会(?!议)|将|在|是|就|的|上午|下午|早上"
    r"|晚上|中午|[\d一二三四五六七八九十]+点半?|之?前|[\s，,。了]",
)


class Event(NamedTuple):
    """An event that a clause is about: where its name stands, and its slot."""

    start: int
    end: int
    slot: str


def event_slot(name: str) -> str | None:
    """The slot of an event by its name; None for what is none."""
    name = " ".join(name.split()).lower()
    found = re.search(rf"(?:{_CHINESE_EVENTS}|\b(?:{EVENTS}))$", name)
    return f"plans:{name.removeprefix('the ').removeprefix('our ')}" if found else None


def is_event(words: str, start: int) -> bool:
    """Whether a clause begins by saying when an event is."""
    return _EVENT.match(words, start) is not None


def timed(words: str, start: int, end: int, date: tuple[int, int]) -> Event | None:
    """The event that a clause with a date is about, where it says no more than when that is."""
    found = _EVENT.match(words, start, end)
    if found:
        name = " ".join(found["event"].split()).lower()
        return Event(*found.span("event"), f"plans:{name}" + (" end" if found["end"] else ""))
    before, after = words[start : max(date[0], start)], words[date[1] : end]
    rest = _FILLERS.sub("", before) + _FILLERS.sub("", after)
    event = re.fullmatch(rf"(?![给跟和对去做为向])[\w.]{{0,6}}?{_CHINESE_EVENTS}", rest, re.IGNORECASE)
    at = words.find(rest, start, end) if event else -1
    return Event(at, at + len(rest), f"plans:{rest.lower()}") if at >= 0 else None


def cancelled(words: str, start: int) -> tuple[Event, int] | None:
    """The event that a clause says is cancelled, and where that ends."""
    found = _CANCELLED.match(words, start)
    if not found:
        return None
    group = "event" if found["event"] else "chinese"
    name = " ".join(found[group].split()).lower()
    return Event(*found.span(group), f"plans:{name}"), found.end()
