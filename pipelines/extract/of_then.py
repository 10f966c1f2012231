"""
When what is said to be so was so: then and no longer, for a while, or not yet.

    "去年我住在武汉", "2019 年我们用 Trello"              then: history, from and to when
    "小时候我喜欢浅色", "上学时我用 Eclipse"              once, nobody knows when: says nothing of now
    "I switched to Zed for a week", "这个月我住在武汉"    for a while
    "我还没换成 Zed", "我差点改用 Zed"                    not yet
"""

from __future__ import annotations

import re
from dataclasses import replace

from . import calendars
from .chat_rule import Match, until
from .chat_sentence import Said
from .dates import Period

Instants = tuple[int, int]

_HAN = re.compile("[\u4e00-\u9fff]")
_CLAUSE = re.compile(r"[;；。!！?？:：(（\n,，]|\.(?=\s|$)|\s(?:but|because|so)\b")
_SENTENCE = re.compile(r"[;；。!！?？\n]|\.(?=\s|$)")
_ONCE = re.compile(
    r"小时候|早些年|(?:(?<![\u4e00-\u9fff\w])|(?<=我)|(?<=们))(?:原来|以前|从前|早年|当年|当时|那时候?|曾经?|过去|之前)"
    r"|(?:上|读|念)?(?:小学|初中|中学|高中|大学|研究生|上学|读书|念书|实习)(?:的?时候?|期间|那会儿?|那几年)"
    r"|\b(?:back then|back in the day|in those days|as a (?:kid|child|student|teenager))\b",
    re.IGNORECASE,
)
_WHILE = re.compile(
    r"\s(?:for (?:an?|one|two|three|four|five|six|seven|ten|\d+|a few|a couple of|several|some) "
    r"(?:hours?|days?|weeks?|weekends?|sprints?|months?)(?! of\b)|temporarily|and back"
    r"|and (?:then )?(?:went|came|switched|moved) back|(?:this|next) (?:week|weekend|sprint|month))(?=$|[\s,.;!)])"
    r"|(?:[一两二三四五六七八九十几\d]|半)\s?(?:个)?(?:天|周|星期|礼拜|月)(?:试试|看看|而已|就|[，,。]|$)|又换回|又改回|又搬回去",
    re.IGNORECASE,
)
_FOR_WHILE = re.compile(
    r"(?:这|本|下)(?:个|一)?(?:周|星期|礼拜|月|周末)|[明后]年|下半年|下个?季度|临时|暂时"
    r"|\b(?:this|next) (?:week|month|year)\b",
    re.IGNORECASE,
)
_NOT_YET = re.compile(
    r"(?:还没有?|没有?|差一?点(?:儿|就)?|险些|准备|打算|考虑|计划|正在?|快要|马上要?|即将"
    r"|暂不|不会|拒绝|试着|尝试|想过)"
    r"(?:[^，,。；;]{0,6}?)(?:换|改|迁|转|搬|切|跳槽|加入|入职)",
)
# An order of today leaves what always holds.
_TODAY = re.compile(
    r"\b(?:today|tonight|tomorrow|(?:just )?this (?:time|once|week|session)"
    r"|(?:just )?for (?:once|now|today))\b"
    r"|今[天晚]|明天|这[次回周]|本周",
    re.IGNORECASE,
)
_ALWAYS = re.compile(
    r"\b(?:always|never|every|from (?:now|today|tomorrow|this|next)|starting|as of)\b|以后|今后|起|开始|每",
    re.IGNORECASE,
)
_HAS_BEEN = re.compile(r"['’]ve\b|\b(?:have|has|been)\b", re.IGNORECASE)
_BEGINS = re.compile(r"[起始后]|以来|开始")


def spell(sentence: Said, match: Match) -> Instants | None:
    """From and until when something was so, where a time that is over is named and no word says that it goes on."""
    words = sentence.words
    if not _HAN.search(words) or _MOVED.search(words, match.start, match.value[1]):
        return None
    for period in sentence.been:
        near = period.end <= match.value[0] and _joined(words, period.end, match.start)
        if near and period.last < sentence.prompt.today and not _BEGINS.match(words, period.end):
            offset = sentence.prompt.utc_offset_s
            return calendars.midnight(period.first, offset), calendars.after(period.last, offset)
    return None


# What then became so may be so still.
_MOVED = re.compile(
    "搬|换|迁|改用|改成|入职|加入|转|跳槽|开始|成了|成为|当上|升|买|入手|学|养|装|建|生了|结婚|毕业"
)


def _joined(words: str, end: int, start: int) -> bool:
    return end > start or re.fullmatch(r"[\s,，的时候之前为止都请]{0,6}", words[end:start]) is not None


def says_nothing_of_now(sentence: Said, match: Match, *, since: bool) -> bool:
    """Whether something was once so, is for a while, or is not so yet; `since`: it says from when it is so."""
    words = sentence.words
    begin = max((found.end() for found in _CLAUSE.finditer(words, 0, match.start)), default=0)
    if _ONCE.search(words, begin, match.value[0]) or _NOT_YET.search(words, match.start, match.value[0]):
        return True
    if not since and _FOR_WHILE.search(words, begin, match.value[0]):
        return True
    # "I have lived there for two months" says since when.
    lasted = _HAS_BEEN.search(words, begin, match.value[0]) is not None
    return (
        not lasted
        and _WHILE.search(words, match.value[0], until(words, match.value[1], _SENTENCE)) is not None
    )


_UNTIL = re.compile(r"(?:\b(?:until|till|up to|through)\s(?:the\s)?|(?:直到|截至|到|在)\s?)$", re.IGNORECASE)
_ENDS = re.compile(r"\s?(?:之前|以前|前|为止)")


def until_day(sentence: Said, match: Match) -> Period | None:
    """Until when an order holds, from the word that says so; None where it names no day to come."""
    words = sentence.words
    end = until(words, match.value[1], _SENTENCE)
    for period in sentence.to_come:
        led = _UNTIL.search(words, 0, period.start)
        in_han = led is not None and _HAN.search(led.group()) is not None
        if led and (not in_han or _ENDS.match(words, period.end)):
            near = led.start() >= match.start or _joined(words, period.end, match.start)
            if near and period.start < end and period.last >= sentence.prompt.today:
                return replace(period, start=led.start())
    return None


def is_of_today(sentence: Said, match: Match) -> bool:
    """Whether an order is for today, or for this one time."""
    words = sentence.words
    begin = max((found.end() for found in _SENTENCE.finditer(words, 0, match.start)), default=0)
    told = words[begin : until(words, match.value[1], _SENTENCE)]
    return _TODAY.search(told) is not None and _ALWAYS.search(told) is None
