"""
What limits a statement to a place, a time or a purpose: "at home", "for analytics", "工作日", "写后端的时候".

Two statements of one thing with different limits stand beside each other, so a limit is part of the slot, by one
name in both languages where it is a usual one ("at work", "在公司"), else in its own words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from .chat_chinese_words import DOING, INSIDE, PLACES, TIMES_OF_DAY
from .chat_rule import Span, until
from .qualifier_names import TIMES, everywhere, is_usual, name, no_limit
from .topics import Topic, spoken, topic

Kind = Literal["when", "where"]

# A limit is a few words; what is longer tells a story.
_WORDS, _CHARS = 6, 48


@dataclass(frozen=True, slots=True)
class Limits:
    """
    What limits a statement, as one name (None: nothing does), with where that stands: before the statement, and after
    what it states. `everywhere`: it says of itself that nothing does.
    """

    name: str | None = None
    begin: int | None = None
    end: int | None = None
    everywhere: bool = False


@dataclass(frozen=True, slots=True)
class _Piece:
    """One limit: its name, whether it is a time, where it stands, and what it is of."""

    name: str
    kind: Kind
    start: int
    end: int
    what: str = ""


def limits(
    words: str, start: int, value: Span, *, about: Topic | None, slot: str, dates: Sequence[Span] = ()
) -> Limits:
    """
    What limits the statement that begins at `start` and states `value`.

    Args:
        about: the topic of what is stated: words for that are no limit.
        slot: what it would hold: where someone lives or works is limited by times alone.
        dates: where the sentence names days, which limit nothing.
    """
    end = _before_another(words, value[0], until(words, value[1], _ENDS), about)
    found = [
        one
        for one in (
            *_before(words, start),
            *_ahead(words, start, value),
            *_around(words, start, value),
            *_english(words, value[0], end),
            *_ordered(words, value, about),
        )
        if not _is_none(one, about, dates) and not _makes_topic(words[:end], value[0], one, about)
    ]
    found = _of_slot(found, slot)
    if _MOVED.search(words, start, value[0]):
        found = [one for one in found if one.name not in _SEASONS]
    whole = _EVERYWHERE.search(words, start, end) is not None or _takes_in_all(words, value[0], end)
    if not found:
        return Limits(everywhere=whole)
    before = [one.start for one in found if one.end <= start]
    after = [one.end for one in found if one.start >= value[0]]
    named = "+".join(sorted({one.name for one in found}))
    return Limits(named, min(before, default=None), max(after, default=None))


def limited(words: str, about: Topic | None, *, slot: str = "") -> str | None:
    """The name of what limits a statement that is all of a text."""
    end = until(words, 0, _ENDS)
    found = [
        one
        for one in (*_english(words, 0, end), *_around(words, 0, (0, end)))
        if not _is_none(one, about, ()) and not _makes_topic(words[:end], 0, one, about)
    ]
    return "+".join(sorted({one.name for one in _of_slot(found, slot)})) or None


def lead_ends(words: str, at: int) -> int | None:
    """Where a limit that stands at an offset, before a statement, ends: "At home I use …"."""
    found = _LEAD.match(words, at) or _LEAD_CHINESE.match(words, at)
    return found.end() if found else None


_SEASONS = frozenset(("spring", "summer", "autumn", "winter"))
_MOVED = re.compile(
    r"\b(?:moved|relocated|joined|switched|started|migrated|been|ditched|dropped|left|quit|stopped|abandoned"
    r"|was|were|used to|decided|chose|voted)\b|搬|换|改用|入职|弃|决定",
    re.IGNORECASE,
)
_EVERYWHERE = re.compile(
    r"\b(?:everywhere|for everything|across the board|in all cases|no matter (?:where|what|when))\b"
    r"|到处|全都|一律|统一|所有(?:的)?(?:项目|地方|场合|情况|机器|电脑|设备|场景)|(?:干|做|写)什么都|(?:不管"
    r"|无论)[^，,。]{1,10}都",
    re.IGNORECASE,
)
_BY = "for|in|on|at|during|inside|within|whenever|when|while|with|to|over|via"
# Of these only with whom, or over what, is a limit.
_WITH_WHOM = re.compile(
    r"(?:(?:the|my|our|other|external|internal|all)\s)*(?:clients?|customers?|team|teammates?|colleagues?|co-?workers?"
    r"|friends?|family|boss|manager|users?|students?|kids|children|parents|management|strangers|everyone else)$",
    re.IGNORECASE,
)
_OVER = re.compile(r"(?:ssh|vpn|mosh|rdp|a slow (?:connection|link))$", re.IGNORECASE)
_ONLY = {"with": _WITH_WHOM, "to": _WITH_WHOM, "over": _OVER, "via": _OVER}
_SUBJECTS = r"(?:i|i'm|i've|i'd|we|we're|my|our|always|never|please|use|answer|reply|respond|write|call)"
_LEAD = re.compile(
    rf"(?:(?:when|whenever|while)\s[^,;\n]{{2,50}},\s|(?:{_BY})\s[^,;\n]{{2,40}}?,?\s)(?={_SUBJECTS}\b)",
    re.IGNORECASE,
)
_LIMIT_CHINESE = rf"(?:在?(?:{PLACES})|(?:{TIMES_OF_DAY})(?:里|的时候|时|期间)?|{INSIDE}|{DOING})"
_LIMIT_ALONE = re.compile(_LIMIT_CHINESE, re.IGNORECASE)
_LEAD_CHINESE = re.compile(
    rf"{_LIMIT_CHINESE}[\s,，]{{0,2}}(?=我|俺|本人|咱|用|都用|喜欢|住|请|回答|叫我)", re.IGNORECASE
)
_OPENS = re.compile(rf"(?:(?<=\s)|^)(?:(?P<by>{_BY})|from|by|since)\s", re.IGNORECASE)
_ENDS = re.compile(
    r"[,，;；:：!?！？。(（\n]|\sfrom (?:now|here|today|this point)\b|\sgoing forward\b|\.(?=\s|$)"
    r"|\s[-–—]{1,2}\s|\s(?:but|because|since|so|as|over(?! (?:ssh|vpn|mosh|rdp)\b)|instead|rather|than|though"
    r"|although|which|who|unless|if|where|not|and (?:i|i'm|we|my|not|please|then|that|it|in|on|at|for|the user))\b",
    re.IGNORECASE,
)
_MARK = re.compile(r"[,，;；.。!！?？:：(（\n]")


def _before_another(words: str, start: int, end: int, about: Topic | None) -> int:
    """Where a clause ends that goes on with more of its topic: "snake_case in Python and camelCase in TS"."""
    for found in _AND.finditer(words, start, end) if about else ():
        if topic(words[found.end() : end]) == about:
            return found.start()
    return end


_AND = re.compile(r"\sand\s", re.IGNORECASE)


def _before(words: str, start: int) -> Iterator[_Piece]:
    """The limits that stand directly before a statement, as all that stands there."""
    led = words[:start].rstrip(" ,，")
    begin = max((found.end() for found in _MARK.finditer(led)), default=0)
    begin += len(led[begin:]) - len(led[begin:].lstrip())
    if _OPENS.match(words, begin):
        yield from _english(words, begin, len(led))
    elif found := _LIMIT_ALONE.fullmatch(words, begin, len(led)):
        yield from _named_chinese(found.group(), found.start(), found.end())


# Of what something is said, where that stands before who says it: "界面我喜欢深色".
_AHEAD = re.compile(
    r"(?!.*(?:其实|另外|不过|但是?|所以|因为|平时|一般|通常|现在|目前|最近|以后|今后|自从|记住|记得|请|对了|顺便|还有|而且|当然"
    r"|事实上|实话|老实|坦白|讲|总体|整体|本来|相比|个人|总的|首先|然后|好的|你好|大家|这|那|我|你|他|她|如果|如今|今|昨|明|年|月|日|号|天|周|一直|已经|后来|终于|总之"
    r"|反正|毕竟|确实|的确|看来|可能|也许|或许|听说|据说|知道|告诉|注意|提醒|补充|更新|纠正|更正|由于|为了|虽然|尽管|既然|只要|除了|关于"
    r"|说明|信息|背景|时候|之前|之后|完|过|了|吗|呢|吧|啊|是|说))"
    r"(?:[写做搞看改]|处理|开发)?\s?[A-Za-z\u4e00-\u9fff+#. ]{2,10}"
    r"|(?![小那有平随同及按暂临])[^，,。；;\n我你他她]{2,10}(?:的时候|(?<![小平随同及按暂临])时)"
)
# What an order about code is of: "Python 缩进用 4 个空格".
_OF_CODE = re.compile(
    r"(?P<what>[A-Za-z][\w+#.]{0,14}|测试|脚本)\s?(?:代码|文件|项目)?(?:里面?|中)?的?\s?(?=缩进|注释|命名|变量名|引号|换行)"
)


def _ahead(words: str, start: int, value: Span) -> Iterator[_Piece]:
    """Of what something is said, named before who says it."""
    begin = max((found.end() for found in _MARK.finditer(words, 0, start)), default=0)
    who = words.find("我", begin, value[0])
    led = words[begin : max(who, begin)].rstrip(" ,，")
    begin += len(led) - len(led.lstrip())
    if _AHEAD.fullmatch(words, begin, begin + len(led.strip())):
        yield _Piece(name(led.strip()) or "", "where", begin, who)
    for found in _OF_CODE.finditer(words, start, value[1]):
        yield _Piece(name(found["what"]) or "", "where", found.start("what"), found.end("what"))


def _around(words: str, start: int, value: Span) -> Iterator[_Piece]:
    """The limits within a statement: between who speaks and what is stated, and in Chinese in or after that."""
    for found in _WHOSE.finditer(words, start, value[0]):
        yield _Piece(name(found["whose"] or found["chinese"]) or "", "where", start, start)
    for found in _WHERE.finditer(words, start, value[0]):
        yield from _named_chinese(found.group(), found.start(), found.end())
    for found in _CHINESE.finditer(words, start, value[1]):
        if words[found.start() - 1 : found.start()] == "们":  # "我们公司" is who, and not where
            continue
        yield from _named_chinese(found.group(), found.start(), found.end())
    if done := _DONE_WITH.search(words, value[0], value[1]):
        yield from _named_chinese(done["what"], done.start(), done.end())


_WHOSE = re.compile(
    r"\b(?:my|our)\s(?:(?:new|current)\s)?(?P<whose>work|home|office|company|personal|private|business)\s"
    r"|(?P<chinese>公司|工作|家里|家庭|家用|个人|私人)的?(?=(?:的)?(?:电脑|机器|笔记本|系统|编辑器|终端|浏览器"
    r"|主力机|键盘|电子邮件|邮|e-?mail|手机|电话|地址|住址|账号|帐号))",
    re.IGNORECASE,
)
_WHERE = re.compile(
    r"(?:前端|后端|服务端|客户端|线上|(?:测试|生产|预发|开发)环境|服务器|本地)(?=上?(?:的|都|就|一般|一直|现在|目前|统一)*"
    r"(?:是|在用|用|使用|跑|选|采用))"
)
_CHINESE = re.compile(
    rf"(?:在?(?:{PLACES}))(?=里|中|上|都|就|一般|[用使喜偏习爱跑装])|(?:{TIMES_OF_DAY})(?:里|的时候|时|期间)?"
    rf"|{INSIDE}|{DOING}",
    re.IGNORECASE,
)
# "用 Go 写后端": what a tool is used for stands after it.
_DONE_WITH = re.compile(
    r"(?<=[\w\s+#])\s?来?(?:写|编(?!辑|译)|敲|开发|做|管理|跑|画|查|记|打|看|玩)(?P<what>[A-Za-z+# ]{1,16}"
    r"|[\u4e00-\u9fff]{1,6}?)多?$"
)
_MARKS_OF_PLACE = re.compile(
    r"^(?:在|于|写|做|改|看|搞|开发|画|跑|处理|调试|打|玩|编写|编辑)\s?|\s?(?:里面|里|中|上|的时候|时候|时"
    r"|期间|那边|这边)$"
)


def _ordered(words: str, value: Span, about: Topic | None) -> Iterator[_Piece]:
    """The limit that an order in Chinese begins with ("代码评审都用英文回答"), where it is no word for its topic."""
    found = _ORDERED.match(words, *value)
    if (
        found
        and about
        and about.sort == "manner"
        and topic(found["what"] + "用英文") != about
        and topic(found["what"] + "简短") != about
    ):
        yield from _named_chinese(found["what"], *found.span("what"))


_ORDERED = re.compile(
    r"(?P<what>(?:在)?[^，,。；;\n我你他她这那哪都请每所凡]{2,12}?(?:里面?|中|上|的时候|时)?)[，,]?(?:都|请|要"
    r"|就|一律|统一)*(?=[用说讲写])",
    re.IGNORECASE,
)


def _named_chinese(text: str, start: int, end: int) -> Iterator[_Piece]:
    what = text.strip(" ,，")
    for _ in range(2):
        what = what if is_usual(what) else _MARKS_OF_PLACE.sub("", what)
    named = name(what)
    if named and not _POINTS.match(what):
        yield _Piece(named, "when" if named in TIMES else "where", start, end, what)


_POINTS = re.compile(r"这|那|哪|它|他|她|你|什么|一起|一直|现在")


def _english(words: str, start: int, end: int) -> Iterator[_Piece]:
    for by, what, at, ended in _phrases(words, start, end):
        if len(what) > _CHARS or len(what.split()) > _WORDS or everywhere(what) or no_limit(by, what):
            continue
        if (not by.startswith("wh") and _TELLS.search(what)) or (by in _ONLY and not _ONLY[by].match(what)):
            continue
        if named := name(what):
            kind: Kind = (
                "when" if by in ("when", "whenever", "while", "during") or named in TIMES else "where"
            )
            yield _Piece(named, kind, at, ended, what)
    for found in _ADVERBS.finditer(words, start, end):
        yield _Piece(found.group().casefold(), "where", found.start(), found.end(), found.group())


_TELLS = re.compile(r"\b(?:i|i'm|i've|we|you|is|are|was|were|and we|and i)\b", re.IGNORECASE)

_ADVERBS = re.compile(
    r"\b(?:outdoors|indoors|locally|remotely|abroad|professionally|privately|interactively|offline)\b",
    re.IGNORECASE,
)


def _phrases(words: str, start: int, end: int) -> Iterator[tuple[str, str, int, int]]:
    """What stands between two offsets after a preposition: which, the words, and where."""
    opens = list(_OPENS.finditer(words, start, end))
    for place, found in enumerate(opens):
        ended = opens[place + 1].start() if place + 1 < len(opens) else end
        what = _UNDER.split(words[found.end() : ended], maxsplit=1)[0].rstrip(" ,，.")
        if what and found["by"]:
            yield found["by"].lower(), what, found.start(), found.end() + len(what)


_UNDER = re.compile(r"\s(?:if|unless)\s", re.IGNORECASE)


def _takes_in_all(words: str, start: int, end: int) -> bool:
    return any(everywhere(what) for _, what, _, _ in _phrases(words, start, end))


def _makes_topic(words: str, start: int, one: _Piece, about: Topic | None) -> bool:
    """Whether what is stated would be about something else without a piece: "write comments" has no limit."""
    if about is None or one.end <= start or one.start == one.end:
        return False
    without = words[start : max(one.start, start)] + " " + words[one.end :]
    return topic(words[start:]) == about != topic(without)


def _of_slot(found: list[_Piece], slot: str) -> list[_Piece]:
    """Those of the limits that make another slot: where someone lives or works is limited by times alone."""
    timed = slot.startswith(("lives:", "works:", "is:")) and not slot.endswith("name")
    return [one for one in found if one.kind == "when" or not timed]


def _is_none(one: _Piece, about: Topic | None, dates: Sequence[Span]) -> bool:
    """Whether words that look like a limit are a date, or say what is stated itself ("in English")."""
    if one.name not in TIMES and any(start < one.end and one.start < end for start, end in dates):
        return True
    if one.name == "coding" and about is not None and about.sort == "tool":
        return True  # what else would one do with an editor
    found = spoken(one.what, 0, len(one.what))
    if found is not None and found[1] - found[0] >= len(one.what) - 4:
        return True
    return about is not None and topic(one.what) == about
