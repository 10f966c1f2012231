"""
What is said of a thing to be allowed, switched on or supported, or not: one statement, whichever way it is put.

    "Force pushes are allowed" / "Force pushes are not allowed" / "Force pushes are forbidden"
    "允许强制推送" / "不允许强制推送" / "禁止强制推送"
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from .drafts import Polarity

# By what is said of a thing: the words for it, and those for its opposite.
_ENGLISH = {
    "allowed": ("allowed|permitted|okay|ok|fine", "forbidden|prohibited|banned|disallowed|off limits"),
    "enabled": (
        r"enabled|switched on|turned on|active|on(?=\sby default)",
        r"disabled|switched off|turned off|inactive|deactivated|off(?=\sby default)",
    ),
    "supported": ("supported", "unsupported"),
    "required": ("required|mandatory|obligatory|needed", "optional"),
}
_CHINESE = {
    "allowed": ("允许|准许|可以|许可", "禁止|不准|不许|严禁|不得|不能"),
    "enabled": (
        "启用|开启|打开|开着|(?<=默认)开|(?<=默认是)开",
        "停用|禁用|关闭|关掉|关着|(?<=默认)关|(?<=默认是)关",
    ),
    "supported": ("支持", "不再支持"),
    "required": ("必须|需要|要求", "无需|不必|不用|不需要"),
}
_NOT = r"(?P<not>(?:n't|\s(?:not|never|no longer))\b)?"
_LEAD = r"(?:(?:now|currently|from now on|as of now|by the way|note that)[,:]?\s)?"


@dataclass(frozen=True, slots=True)
class Permission:
    """Of a thing that it is allowed, or not: `thing` and `what` without case and filler, so that opposites meet."""

    thing: str
    what: str
    polarity: Polarity


def permission(text: str) -> Permission | None:
    """What a text says to be allowed, or not, where it says only that."""
    words = " ".join(text.split()).rstrip(" .!。！")
    return _english(words) or _chinese(words)


def _english(words: str) -> Permission | None:
    for what, (yes, no) in _ENGLISH.items():
        found = re.fullmatch(
            rf"{_LEAD}(?P<thing>[^,;:.?!]{{2,80}}?)\s(?:is|are|was|were|has been|have been){_NOT}"
            rf"(?:\s(?:now|again|still|also|always|currently|any\s?more|anymore))*\s(?:(?P<yes>{yes})|(?P<no>{no}))"
            rf"(?P<rest>(?:\s(?:in|on|for|to|with|by|from|after|before|until|during|at)\s[^,;:.?!]{{1,60}})?)"
            rf"(?:\s(?:now|again|any\s?more|from now on))*",
            words,
            re.IGNORECASE,
        )
        if found:
            thing = _plain(found["thing"] + found["rest"])
            return Permission(thing, what, _polarity(bool(found["no"]) != bool(found["not"])))
    return None


def _chinese(words: str) -> Permission | None:
    for what, (yes, no) in _CHINESE.items():
        found = re.fullmatch(
            rf"(?:现在|目前|从现在起|以后|今后)?(?P<where>[^，,。；;：:？?！!]{{0,30}}?)(?:现在|目前|已经?|都|是)*"
            rf"(?:(?P<no>{no})|(?P<not>不再|不|未|没有|没)?(?:被)?(?P<yes>{yes}))"
            rf"(?P<thing>[^，,。；;：:？?！!]{{0,40}}?)(?:了|的)?",
            words,
        )
        if found and len(thing := _plain(found["where"] + found["thing"])) >= 2:
            return Permission(thing, what, _polarity(bool(found["no"] or found["not"])))
    return None


def _polarity(denied: bool) -> Polarity:
    return "negated" if denied else "affirmed"


_FILLER = re.compile(
    r"^(?:the|a|an|all|any|our|your|that|this)\s|^(?:请|我们|你|您)|\b(?:now|still|also)\b|直接",
    re.IGNORECASE,
)


def _plain(text: str) -> str:
    return " ".join(_FILLER.sub("", " ".join(text.split())).casefold().split())
