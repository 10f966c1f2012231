"""
What a sentence tells an agent to do, never to do, or that it may or need not: the act without those words, and which.

    act("Never deploy on Fridays")            must not   "deploy on Fridays"
    act("Deploying on Fridays is fine again") may        "Deploying on Fridays"
    act("不用再加分号了")                      need not   "加分号"
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Literal

Force = Literal["must", "must not", "may", "need not"]

# By what is said now, what it ends of what was said before.
ENDS: dict[Force, tuple[Force, ...]] = {
    "must": ("must not", "need not"),
    "must not": ("must", "may"),
    "may": ("must not",),
    "need not": ("must",),
}


@dataclass(frozen=True, slots=True)
class Act:
    """
    Args:
        words: what is done, as it is said.
        lasting: the words say that it holds from now on, or again: nobody allows a single thing so.
    """

    words: str
    force: Force
    lasting: bool = False


_LEAD = (
    r"(?:(?:ok(?:ay)?|alright|all right|so|and|but|actually|please|now|hey|btw|by the way|update|correction|good news"
    r"|from (?:now|here) on(?: out)?|from today on|going forward|in (?:the )?future|as a (?:general )?rule|henceforth)"
    r"[\s,:.!–—-]{1,3})*"
)
_TAIL = (
    r"(?P<tail>(?:[\s,]{1,2}(?:again|now|any\s?more|any longer|from (?:now|here) on|going forward|in (?:the )?future"
    r"|after all|these days|too|please|though|thanks|always|ever|at all|by the way|btw))*)"
)
_NOT = r"(?:do\s?n[o'’]?t|do not|dont)"
_GERUND = r"[a-z][a-z-]*ing"
_FINE = (
    r"(?:fine|ok(?:ay)?|alright|all right|allowed|permitted|possible|not a problem|no problem|no longer a problem|good"
    r"|acceptable|welcome|no longer (?:forbidden|prohibited|banned|off limits|an issue))"
)
_NO_MORE = r"(?:no longer|not|n['’]t)"
_NOW = r"(?:now\s|again\s|totally\s|perfectly\s|always\s|also\s)*"
_MAY = r"(?:can|may|are (?:now |again )?(?:allowed|free) to|'re (?:now |again )?(?:allowed|free) to)"
_DEEDS = (
    "deploys|deployments|releases|merges|pushes|force[- ]pushes|launches|rollouts|migrations|upgrades|commits"
)
_DOING = rf"(?P<act>{_GERUND}\b.+?|(?:{_DEEDS})\s.+?)\s(?:is|are)"
_ENGLISH: tuple[tuple[Force, str], ...] = (
    (
        "need not",
        rf"you\s(?:{_NOT}\s(?:have|need)\sto|no longer\s(?:have|need)\sto|need\s?n[o'’]?t)\s(?P<act>.+?)",
    ),
    ("need not", r"(?:there(?:'s|\sis)\s)?no\s(?:longer\s(?:any\s)?|more\s)?need\sto\s(?P<act>.+?)"),
    ("need not", rf"{_DOING}\s{_NO_MORE}\s(?:needed|necessary|required|mandatory)"),
    ("need not", rf"(?:i|we)\s(?:no longer|{_NOT})\s(?:need|want|expect|require)\syou\sto\s(?P<act>.+?)"),
    ("must not", r"you\s(?:must|should|may|can)(?:\snot|n['’]?t|not)\s(?:ever\s)?(?P<act>.+?)"),
    ("must not", r"you\s(?:must|should)\snever\s(?P<act>.+?)"),
    ("must not", rf"{_DOING}\s{_NO_MORE}\s(?:allowed|permitted|ok(?:ay)?|fine)"),
    ("must not", rf"{_DOING}\s(?:now\s)?(?:forbidden|prohibited|banned|off limits)"),
    ("may", rf"(?:it|that)(?:'s|\sis)\s{_NOW}{_FINE}\s{_NOW}(?:for you\s)?to\s(?P<act>.+?)"),
    ("may", rf"{_DOING}\s{_NOW}{_FINE}"),
    ("may", rf"you\s?{_MAY}\s{_NOW}(?P<act>.+?)"),
    ("may", r"(?:please\s)?feel free to\s(?P<act>.+?)"),
    ("must not", rf"(?:never(?:\sever)?|{_NOT}(?:\sever)?)\s(?P<act>.+?)"),
    ("must not", rf"(?:stop|quit|avoid|no more)\s(?P<act>{_GERUND}\b.*?)"),
    ("must not", rf"no\s(?P<act>(?:{_DEEDS})\s.*?\b(?:on|over|during|to|into)\s.+?)"),
    ("must", r"(?:you (?:must|should)\s|make sure to\s)?always\s(?P<act>.+?)"),
    ("must", rf"start\s(?P<act>{_GERUND}\b.*?)"),
    ("must", r"(?P<act>(?:use|write|add|include|speak|reply|answer|mention)\s.+?)(?=\sagain\b)"),
)
_LATER = r"(?:以后|今后|往后|之后|将来|从现在(?:开始|起)|从今(?:天|以后|往后)?(?:开始|起)?|现在|如今|目前)"
_YOU = r"(?:请|你|您|麻烦|都|也|就|一律|统一|好的?|行|嗯|对了|另外|，|,|\s)"
_AT = rf"(?P<at>(?:(?!{_YOU}|不|别|勿|可以|能)[^，,。；;\n]){{0,16}}?)"
_NEED_NOT = r"(?:不用|不必|无需|不需要|用不着|没必要|不再需要)"
_CAN = r"(?:又|也|都|就|已经|现在)*(?:可以|(?<![功只才可性智])能(?!用就|不能)|允许|准许)(?:再|直接|随便|随时|正常)*"
_NO_PROBLEM = r"(?:现在|已经|又|也|都|就)*(?:没问题|没关系|可以|不受限制|允许|没事|OK)"
_DO_NOT = r"(?:绝对|千万|永远|从)*(?:不要|不准|不许|不能|不可以|不得|别|勿|禁止|严禁|避免|甭)(?:再|老|总)*"
_ALWAYS = r"(?:都|一律|统一|始终|永远|总是|每次|一定|必须|务必)(?:都|要|得|请|先)*"
_CHINESE: tuple[tuple[Force, str], ...] = (
    ("need not", rf"{_AT}{_YOU}{{0,4}}{_NEED_NOT}(?:再|每次|都)*(?P<act>.+?)"),
    ("may", rf"{_AT}{_YOU}{{0,4}}{_CAN}(?P<act>.+?)"),
    ("may", rf"(?P<act>[^，,。；;\n]{{2,24}}?){_NO_PROBLEM}"),
    ("must not", rf"{_AT}{_YOU}{{0,4}}{_DO_NOT}(?P<act>.+?)"),
    ("must", rf"{_AT}{_YOU}{{0,4}}{_ALWAYS}(?P<act>.+?)"),
)
_AGAIN = re.compile(
    r"\b(?:again|any\s?more|any longer|no longer|from (?:now|here) on|going forward|in (?:the )?future|after all|always"
    r"|at any time|anytime|these days)\b|以后|今后|往后|从现在|从今|又|不再|再也|随时|没问题|没关系|不用再",
    re.IGNORECASE,
)
# What names when or how, or many at once, is no single thing that is allowed: "on Fridays", "use emojis", "周五部署".
_GENERAL = re.compile(
    r"\b(?:mon|tues|wednes|thurs|fri|satur|sun)days\b|\b(?:weekends|every|each|any|whenever)\b|每",
    re.IGNORECASE,
)
# What an agent does over and over: to allow it lasts, that it need not be done is as often said of this time.
_OFTEN = re.compile(
    r"^(?:us(?:e|ing)|writ(?:e|ing)|add(?:ing)?|includ(?:e|ing)|speak(?:ing)?|repl(?:y|ying)|answer(?:ing)?|mention(?:ing)?"
    r"|comment(?:ing)?|log(?:ging)?|mock(?:ing)?|cach(?:e|ing))\b"
    r"|^(?:用|使用|写|加|说|提(?!交|测|审|单|醒))",
    re.IGNORECASE,
)
# "提交前先跑测试": what is done before is done first.
_FIRST = re.compile("^先|(?<=[前后时])先")
# Of deeds in general nobody allows one; that they are "fine" may also say that they work again.
_DEEDS_ALLOWED = re.compile(
    rf"\b(?:{_DEEDS})\s.+\s(?:(?:now|also)\s)?(?:allowed|permitted|no longer (?:forbidden|prohibited|banned))\b",
    re.IGNORECASE,
)
_TAIL_CHINESE = r"(?:了|啦|的|吧|哈|哦|啊)*"
_HAN = re.compile("[\u4e00-\u9fff]")
_CHARS_AT_MOST = 200


@cache
def _patterns(*, chinese: bool) -> tuple[tuple[Force, re.Pattern[str]], ...]:
    if chinese:
        return tuple(
            (
                force,
                re.compile(
                    rf"{_YOU}{{0,4}}(?:{_LATER}{_YOU}{{0,4}}){{0,2}}{source}{_TAIL_CHINESE}", re.IGNORECASE
                ),
            )
            for force, source in _CHINESE
        )
    return tuple((force, re.compile(rf"{_LEAD}{source}{_TAIL}", re.IGNORECASE)) for force, source in _ENGLISH)


# An order is asked for its act when it is drawn, placed, and held against each that it may end.
@lru_cache(256)
def act(text: str) -> Act | None:
    """What a sentence tells to do or not, where it says only that; None where it is another kind of sentence."""
    words = " ".join(text.split()).strip(" .。!！,，;；")
    if not words or len(words) > _CHARS_AT_MOST:
        return None
    for chinese in (True, False) if _HAN.search(words) else (False,):
        for force, pattern in _patterns(chinese=chinese):
            found = pattern.fullmatch(words)
            if found is None:
                continue
            when = (found["at"] or "").strip() if "at" in pattern.groupindex else ""
            done = _FIRST.sub("", when + found["act"].strip()).strip(" ,，")
            often = force != "need not" and _OFTEN.search(done) is not None
            general = _AGAIN.search(words) or _GENERAL.search(done) or _DEEDS_ALLOWED.search(words)
            lasting = often or general is not None
            return Act(done, force, lasting) if done else None
    return None
