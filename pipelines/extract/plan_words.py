"""
What a plan is about, and what a sentence says has become of one: it is off, over, or on another day.

    outcome("The trip to Berlin is off")   off    going, Berlin
    outcome("取消了跟安娜的会")              off    meeting, 安娜
    speaks_of("I'm meeting Anna on Friday", meeting, Anna) -> True
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

Became = Literal["off", "over", "moved"]


@dataclass(frozen=True, slots=True)
class Outcome:
    """
    Args:
        sort: the sort of thing it is ("meet", "go"); None where the words name none that is known.
        names: with whom, whereto, about what: each must stand in a plan that is meant.
        early: it is said to be over before its day.
    """

    became: Became
    sort: str | None
    names: tuple[str, ...]
    early: bool = False


# Words that say the same of plans: by sort, in English and Chinese.
_SORTS = {
    "meet": r"\b(?:meet(?:ing|s)?|met|see(?:ing)?|saw|appointment|catch(?:ing)? up|coffee|1:1|one-on-one|sync)\b"
    r"|会议|开(?:个|完|了|过)?会|见(?:个|完|了|过)?面|见过?|碰(?:个)?头|约(?:了|好|会)?|聊|会(?!不|员|话|计)",
    "call": r"\b(?:call(?:ing|s|ed)?|phone|phoning)\b|电话|通话|视频",
    "go": r"\b(?:trips?|travel(?:l?ing|s|l?ed)?|go(?:ing|es)?|went|fly(?:ing)?|flew|flights?|visit(?:ing|s|ed)?|journey"
    r"|vacation|holidays?|been)\b|出差|旅行|旅游|行程|飞|去|航班|机票|之行|度假|休假",
    "eat": r"\b(?:lunch|dinner|breakfast|brunch|drinks|party|eat(?:ing)?|ate)\b|吃(?:个|完|了|过)?饭|聚餐|晚饭|午饭"
    r"|晚餐|午餐|派对|饭局",
    "talk": r"\b(?:talks?|presentation|present(?:ing)?|presented|demo(?:s|ing|ed)?|speech|keynote)\b|演示|演讲|分享"
    r"|汇报",
    "interview": r"\b(?:interview(?:s|ing|ed)?)\b|面试",
    "release": r"\b(?:releas(?:e|es|ing|ed)|launch(?:es|ing|ed)?|ship(?:s|ping|ped)?|deploy(?:s|ing|ed|ment)?)\b"
    r"|rollout|发版|发布|上线",
    "review": r"\b(?:review(?:s|ing|ed)?|retro(?:spective)?|audit)\b|评审|复盘|审查",
    "move": r"\b(?:mov(?:e|ing)|moved)\b|搬家|迁移",
    "exam": r"\bexams?\b|考试|答辩",
    "doctor": r"\b(?:doctor|dentist|check-?up)\b|看牙|看病|体检",
}
_OF_SORT = {name: re.compile(pattern, re.IGNORECASE) for name, pattern in _SORTS.items()}
# Of these one has more than are told: without a name nobody can say which it is.
_MANY = ("meet", "call", "eat", "review")
# What names nothing of a plan.
_EMPTY = re.compile(
    r"\b(?:the|a|an|my|our|your|this|that|with|to|in|at|of|for|about|from|on|and|up|into|over|is|was|were|be|been|i|we|i'm"
    r"|we're|am|are|it|had|have|has|planned|scheduled|upcoming|next|last|week|month|today|tomorrow|yesterday|mon|tues"
    r"|wednes|thurs|fri|satur|sun|\w+day|january|february|march|april|june|july|august|september|october|november"
    r"|december|\d+(?:st|nd|rd|th)?|morning|afternoon|evening|already|finally|just|well|new|big|team)\b"
    r"|这[个次]?|那[个次]?|我们?|跟|和|与|同|的|一起|原定|原来|本来|已经|安排|计划|下个?周|上个?周|周[一二三四五六日天末]|星期[一二三四五六日天]"
    r"|[\d一二三四五六七八九十]+[月号日点]|今天|明天|昨天|后天|上午|下午|晚上|早上|了|过|到|在|个|次|完|好|没|不|别|再",
    re.IGNORECASE,
)
_WORD = re.compile(r"[A-Za-z0-9][\w.+#'-]*|[\u4e00-\u9fff]+")
_HAN = re.compile("[\u4e00-\u9fff]")

_I = r"(?:i|we)(?:'ve|\shave)?\s(?:just\s|already\s|finally\s|now\s)*"
_I_AM = r"(?:i'?m|i am|we'?re|we are)\s"
_END = r"(?:\s(?:after all|any\s?more|any longer|now|today|yesterday|already|then|unfortunately|for good|this week))*"
_WHAT = r"(?P<what>[^,;:.!?\n]{2,70}?)"
_OFF = r"(?:cancell?ed|called off|off|not happening|no longer happening|dropped|scrapped)"
_OVER = r"(?:over|done|behind (?:me|us)|finished|went (?:well|fine|great|ok(?:ay)?|badly)|has taken place|took place)"
_MORE = r"[^,;:.!?\n]{2,60}?"
_DOING = r"(?:meeting|seeing|visiting|flying|travell?ing|going|calling|having|attending|meet|see|visit|fly|travel|call)"
_DO = r"(?:meet|see|visit|fly|travel|go|call|attend)(?:ing)?"
_DID = r"(?:met|saw|visited|called|interviewed|presented|released|launched|shipped)"
_IS = r"(?:is|was|has been|got|'s|is now|won't be)\s(?:just\s|now\s)?"
_ENGLISH: tuple[tuple[Became, str], ...] = (
    ("off", rf"(?:the|our|my)\s{_WHAT}\s{_IS}{_OFF}{_END}"),
    ("off", rf"{_I}(?:cancell?ed|called off|dropped)\s{_WHAT}{_END}"),
    ("off", rf"{_I_AM}(?:not|no longer)\s(?:going to\s)??(?P<what>{_DOING}\b{_MORE}){_END}"),
    ("off", rf"(?:i|we) (?:won't|will not|will no longer)\s(?:be\s)?(?P<what>{_DO}\b{_MORE}){_END}"),
    ("over", rf"(?:the|our|my)\s{_WHAT}\s(?:is\s|was\s|are\s)?{_OVER}{_END}"),
    ("over", rf"{_I}(?P<what>{_DID}\b{_MORE}){_END}"),
    ("over", rf"{_I}(?:had|finished|did|attended|went to)\s(?P<what>(?:the|my|our|a|an)\s{_MORE}){_END}"),
    ("over", rf"(?:{_I_AM}|i've\sbeen\s|we've\sbeen\s)(?:back|home)\sfrom\s(?P<what>{_MORE}){_END}"),
    ("over", rf"{_I}(?P<what>(?:went to|been to|flew to)\s{_MORE}){_END}"),
)
_A = r"(?P<what>[^，,。；;！!？?\n不没]{2,24}?)"
_TEXT = r"[^，,。；;！!？?\n]"
_JUST = r"(?:今天|昨天|刚刚?|已经)*"
_DONE_WITH = r"(?:见过?面|见|开过?会|开完会|聊|吃过?饭|通过?电话|会开|开会)"
_GONE = r"(?:取消|黄|泡汤|作废|不开|不办|不搞|吹|推掉)"
_CHINESE: tuple[tuple[Became, str], ...] = (
    ("off", rf"(?:我们?)?(?:已经|刚|临时)?取消了?{_A}了?"),
    ("off", rf"(?:我们?)?{_A}(?:已经|已|又|被|临时)*{_GONE}了"),
    ("off", rf"(?:我们?)?(?:不|没法|不能)(?P<what>(?:去|飞|跟|和|与|见){_TEXT}{{1,20}}?)了"),
    ("off", rf"(?:我们?)?(?P<verb>去不了|去不成|飞不了)(?P<what>{_TEXT}{{2,16}}?)了"),
    ("off", rf"(?:我们?)?(?P<what>{_TEXT}{{2,16}}?)(?P<verb>(?:我们?)?(?:不去|去不了|去不成))了"),
    ("over", rf"(?:我们?)?{_JUST}(?P<what>(?:跟|和|与|同){_TEXT}{{1,16}}?{_DONE_WITH})(?:过|完|好)?了"),
    ("over", rf"(?:我们?)?{_JUST}(?P<what>见)(?:过|到|完)?了?(?P<more>{_TEXT}{{2,12}}?)了?"),
    ("over", rf"(?:我们?)?{_A}(?:已经|刚)?(?:开完|结束|搞定|办完|做完|考完)了"),
    ("over", rf"(?:我们?)?{_JUST}从(?P<what>{_TEXT}{{2,12}}?)(?:出差)?(?:回来|回到家|返回)了"),
    ("over", rf"(?:我们?)?{_JUST}(?P<what>去)(?:过|完)(?P<more>{_TEXT}{{2,12}}?)了"),
)
_MOVED = re.compile(
    r"\b(?:moved|postponed|rescheduled|pushed|delayed|shifted|brought forward|instead|changed)\b"
    r"|改到|改成|改为|改在|挪到|推迟|延期|延到|提前到|顺延|改期",
    re.IGNORECASE,
)
_BACK = re.compile(r"\b(?:back|home) from\b|从.*回", re.IGNORECASE)
_EARLY = re.compile(r"\b(?:already|earlier|ahead of)\b|已经|提前", re.IGNORECASE)
_LEAD = r"(?:ok(?:ay)?|so|and|but|well|sorry|update|unfortunately|by the way|btw|fyi|actually)[,:]?\s"
_LEAD_CHINESE = r"(?:对了|另外|不过|那个|哦|嗯|好的?|抱歉|不好意思|唉)[，,\s]{0,2}"


def _compiled() -> list[tuple[Became, re.Pattern[str]]]:
    english = [(how, rf"(?:{_LEAD})*{one}") for how, one in _ENGLISH]
    chinese = [(how, rf"(?:{_LEAD_CHINESE})*{one}(?:啦|哈|哦|的)?") for how, one in _CHINESE]
    return [(how, re.compile(one, re.IGNORECASE)) for how, one in (*english, *chinese)]


_PATTERNS = _compiled()


def outcome(clause: str) -> Outcome | None:
    """What has become of a plan, where a clause says only that; None where it says something else."""
    words = " ".join(clause.split()).strip(" .。!！,，;；")
    for became, pattern in _PATTERNS:
        found = pattern.fullmatch(words)
        if found is None:
            continue
        told = found.groupdict()
        what = "".join(f"{told.get(part) or ''} " for part in ("what", "more", "verb")).strip()
        if became == "over" and _BACK.search(words):
            what = f"go {what}"
        made = about(what)
        early = _EARLY.search(words) is not None
        if made.sort:
            return Outcome(became, made.sort, made.names, early)
    return None


def is_moved(text: str) -> bool:
    """Whether a plan is said to be for another time than it was."""
    return _MOVED.search(text) is not None


def about(what: str) -> Outcome:
    """What a phrase names of a plan: its sort, and the names in it."""
    sort = next((name for name, pattern in _OF_SORT.items() if pattern.search(what)), None)
    rest = _OF_SORT[sort].sub(" ", what) if sort else what
    rest = _MOVED.sub(" ", _EMPTY.sub(" ", rest))
    return Outcome("off", sort, tuple(word for word in _WORD.findall(rest) if len(word) > 1))


def speaks_of(plan: str, wanted: Outcome) -> bool:
    """Whether a plan is the one that is meant, by its text: of that sort, with each of the names."""
    if wanted.sort is None or _OF_SORT[wanted.sort].search(plan) is None:
        return False
    if not wanted.names and (wanted.sort in _MANY or wanted.became == "over") and about(plan).names:
        return False
    return all(_stands_in(name, plan) for name in wanted.names)


def _stands_in(name: str, plan: str) -> bool:
    if _HAN.search(name):
        return name in plan
    return re.search(rf"(?<![\w]){re.escape(name)}(?![\w])", plan, re.IGNORECASE | re.ASCII) is not None
