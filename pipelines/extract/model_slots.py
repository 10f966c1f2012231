"""What a model's predicate is called here, and the slot that follows: by rule, from the words that were quoted."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from .qualifiers import limited
from .topics import Topic, context, topic

Slotted = Literal["prefers", "uses", "decided", "order"]


@dataclass(frozen=True, slots=True)
class Predicate:
    """A predicate as the rules have it: its slot, or how that follows from the topic; `denies` where it says "not"."""

    name: str
    slot: str | None = None
    slotted: Slotted | None = None
    denies: bool = False


_PREFERS, _DISLIKES = (
    Predicate("prefers", slotted="prefers"),
    Predicate("prefers", slotted="prefers", denies=True),
)
_USES, _LEFT = Predicate("uses", slotted="uses"), Predicate("uses", slotted="uses", denies=True)
_ORDER, _BAN = Predicate("asks for", slotted="order"), Predicate("asks for", slotted="order", denies=True)
_ROLE, _TEAM = Predicate("is", slot="is:role"), Predicate("works in", slot="works:team")
_EMPLOYER, _CITY = Predicate("works at", slot="works:employer"), Predicate("lives in", slot="lives:city")
_NAMED = Predicate("is named", slot="is:name")
_KNOWN: dict[str, Predicate] = {
    **dict.fromkeys(
        ("prefers", "prefer", "likes", "like", "loves", "favors", "喜欢", "偏好", "更喜欢"), _PREFERS
    ),
    **dict.fromkeys(("dislikes", "dislike", "hates", "不喜欢", "讨厌"), _DISLIKES),
    **dict.fromkeys(("uses", "use", "switched to", "使用", "用", "改用"), _USES),
    **dict.fromkeys(("stopped using", "no longer uses", "不再使用", "不用"), _LEFT),
    **dict.fromkeys(("asks for", "wants", "requires", "要求", "希望"), _ORDER),
    **dict.fromkeys(("forbids", "avoids", "never wants", "禁止", "不要"), _BAN),
    **dict.fromkeys(("has goal", "wants to", "目标", "目标是"), Predicate("has goal")),
    **dict.fromkeys(("has habit", "习惯"), Predicate("has habit")),
    **dict.fromkeys(("is named", "is called", "名字", "叫", "名叫"), _NAMED),
    **dict.fromkeys(("works as", "has role", "职业", "职位"), _ROLE),
    **dict.fromkeys(("works at", "works for", "就职于", "任职于", "在…工作"), _EMPLOYER),
    **dict.fromkeys(("works in", "works on team"), _TEAM),
    **dict.fromkeys(("lives in", "住在", "居住在"), _CITY),
    **dict.fromkeys(("has time zone", "时区"), Predicate("has time zone", slot="is:time zone")),
    **dict.fromkeys(("speaks", "母语"), Predicate("speaks", slot="is:native language")),
    **dict.fromkeys(("has pronouns",), Predicate("has pronouns", slot="is:pronouns")),
    **dict.fromkeys(("decided", "decided on", "chose", "决定"), Predicate("decided", slotted="decided")),
    **dict.fromkeys(("plans", "plans to", "will", "reminds", "计划", "打算", "提醒"), Predicate("plans")),
    **dict.fromkeys(("notes", "states", "记录"), Predicate("notes")),
}
# Topics that a user may name beside a value the rules do not know: "my editor is Lapce".
HINTS: dict[Topic, re.Pattern[str]] = {
    known: re.compile(words, re.IGNORECASE)
    for known, words in (
        (Topic("theme", "manner"), r"\btheme\b|主题|配色"),
        (Topic("editor", "tool"), r"\beditor\b|\bIDE\b|编辑器"),
        (Topic("shell", "tool"), r"\bshell\b"),
        (Topic("terminal", "tool"), r"\bterminal\b|终端"),
        (Topic("browser", "tool"), r"\bbrowser\b|浏览器"),
        (Topic("operating system", "tool"), r"\b(?:os|operating system)\b|操作系统"),
        (Topic("package manager", "tool"), r"\bpackage manager\b|包管理"),
        (Topic("bundler", "tool"), r"\bbundler\b|打包工具"),
        (Topic("database", "tool"), r"\bdatabase\b|数据库"),
        (Topic("cache", "tool"), r"\bcache\b|缓存"),
        (Topic("message queue", "tool"), r"\b(?:message )?queue\b|消息队列"),
        (Topic("test framework", "tool"), r"\btest (?:framework|runner)\b|测试框架"),
        (Topic("formatter", "tool"), r"\bformatter\b|格式化工具"),
        (Topic("keyboard", "tool"), r"\bkeyboard layout\b|键盘布局"),
    )
}
_FREE = re.compile(r"[^a-z\u4e00-\u9fff ]+")
_FREE_CHARS = 30
_USE_WORDS = re.compile(r"\bus(?:e|ing)\b|用", re.IGNORECASE)
_NATIVE = re.compile(r"native|mother tongue|first language|母语", re.IGNORECASE)
_ENDED = re.compile(
    r"\b(?:no longer|any ?more|used to|stopped|quit|left|dropped|ditched|gave up|switched (?:away )?from"
    r"|moved (?:away )?from)\b|不再|戒|弃|离开|离职|搬走|[不没][^，。,]{1,20}了|换掉",
    re.IGNORECASE,
)


def predicate(said: str) -> Predicate:
    """The predicate under the name that it has here; one that is not known in plain small letters."""
    low = " ".join(_FREE.sub(" ", said.casefold().replace("_", " ")).split())[:_FREE_CHARS].strip()
    return _KNOWN.get(low) or Predicate(low or "notes")


def ended(quote: str) -> bool:
    """Whether words say that something was so and is no longer."""
    return _ENDED.search(quote) is not None


def about(of: Predicate, value: str, quote: str, hint: str) -> Topic | None:
    """The topic of a value, of an order also of all of it; one that only the model names where the words do too."""
    if found := topic(value) or (topic(quote) if of.slotted == "order" else None):
        return found
    wanted = hint.strip().casefold()
    return next(
        (known for known, words in HINTS.items() if known.name == wanted and words.search(quote)), None
    )


def slot(of: Predicate, quote: str, on: Topic | None, *, denied: bool, over: bool) -> str | None:
    """
    The slot of a statement about the user or their team.

    Args:
        denied, over: what is denied has a slot only where it was so and is over.
    """
    if denied and not over:
        return None
    bound = limited(quote, on, slot=of.slot or "")
    if of.slot:
        if of.slot == "is:native language" and not _NATIVE.search(quote):
            return None
        return of.slot + (f"@{bound}" if bound else "")
    if not of.slotted or not on:
        return None
    if of.slotted == "decided":
        return f"decided:{on.name}" + (f"@{bound}" if bound else "")
    if of.slotted == "order" and on.sort == "tool" and not _USE_WORDS.search(quote):
        return None
    bound = bound or context(quote)
    group = "uses" if on.sort == "tool" and of.slotted != "prefers" else "prefers"
    return f"{group}:{on.name}" + (f"@{bound}" if bound else "")
