"""Two names of one thing, where a text says so; likeness is no evidence."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

_HAN = "\u4e00-\u9fff"


def _latin(group: str) -> str:
    return (
        rf"[`\"'“「]?(?P<{group}>@?[A-Za-z][\w/:#+-]*(?:\.[\w/:#+-]+)*(?:\(\))?(?: [A-Z][\w+-]*)?)[`\"'”」]?"
    )


def _either(group: str) -> str:
    return rf"[`\"'“「《]?(?P<{group}>[A-Za-z@][\w./:+-]*(?:\(\))?|[{_HAN}]{{2,10}}?)[`\"'”」》]?"


_ENGLISH = re.compile(
    _latin("a")
    + r"(?:,? (?:is|was|means|stands)?,? ?"
    + r"(?:short for|an? (?:abbreviation|alias|nickname|shorthand) (?:of|for)|another name (?:of|for)|for short)"
    + r"|,? \(?(?:a\.?k\.?a\.?|also known as|also called|formerly known as|formerly called|formerly"
    + r"|previously called)"
    + r"|,? (?:is|was|are) (?:also called|also known as|now called|now known as|formerly|the same as|the former"
    + r"|the new name (?:of|for))"
    + r"|,? (?:was|has been|is|got|were)? ?renamed (?:to|as|into)|,? stands for|,? \(?(?:we|I) (?:also )?call it) "
    + r"(?:the )?"
    + _latin("b"),
    re.ASCII,
)
_RENAMED = re.compile(
    r"\b[Rr]enam(?:ed|e|ing)\s+(?:the\s+)?(?:\w+\s+)?" + _latin("a") + r"\s+(?:to|as|into)\s+" + _latin("b")
)
_CHINESE = re.compile(
    _either("a")
    + r" ?[（(，,]? ?(?:又叫做?|又称为?|也叫做?|也称为?|简称为?|以下简称为?|下称|也就是|即是|就是指"
    + r"|别名(?:是|为|叫)?|曾用名(?:是|为)?|原名(?:是|叫|为)?|原来叫做?|以前叫做?|改名(?:为|成|叫)"
    + r"|更名(?:为|成)|重命名(?:为|成)|的简称是|的别名是|的全称是|全称(?:是|为)?)[：: ]?"
    + rf"[`\"'“「《]?(?P<b>[A-Za-z@][\w./:+-]*(?:\(\))?|[{_HAN}]{{2,10}})"
    + r"(?=[`\"'”」》）)，,。；;、 \n]|$)"
)
_SHORT_OF = re.compile(
    _either("a") + r" ?是 ?" + _either("b") + r" ?的(?:简称|缩写|别名|新名字|旧名|曾用名|代号)"
)
_CUES = (
    "short for", "for short", "abbreviation", "alias", "aka", "a.k.a",
    "also known", "also called", "formerly", "previously called", "now known", "now called", "renam",
    "stands for", "call it", "new name", "other name", "nickname", "shorthand", "the same as",
    "又叫", "又称", "也叫", "也称", "简称", "下称", "也就是", "即是", "就是指", "别名", "曾用名",
    "原名", "原来叫", "以前叫", "改名", "更名", "重命名", "全称", "缩写", "代号", "新名字", "旧名",
)  # fmt: skip
# Cues before which the short or the old name stands.
_FIRST_IS_ALIAS = re.compile(
    r"short for|stands for|abbreviation|alias|nickname|shorthand|other name|renamed|now called|now known|the same as"
    r"|改名|更名|重命名|全称"
)
# Cues that mostly explain, and name only what is known as a name besides.
_VAGUE = re.compile(r"也就是|即是|就是指|call it|the same as|means")
# What is said of such a word is said of what went before.
_PRONOUN_WORDS = """
    it this that which they he she we i you there one what who the a an them him her and or is was be file
    function branch method class variable service these those
"""
_PRONOUNS = frozenset(_PRONOUN_WORDS.split())
_PRONOUNS_CHINESE = (
    "这个",
    "那个",
    "它",
    "他们",
    "我们",
    "这",
    "那",
    "什么",
    "可以",
    "应该",
    "文件",
    "函数",
    "变量",
    "分支",
    "方法",
)
_LEADING = re.compile(
    "^(?:我们的|我们|他们的|咱们的?|其中的?|把|将|这个|那个|的|以后|以下|今天|昨天|记住|请记住|已经|现在|之前的?|原来的?|老的|旧的|新的)+"
)


class Said(NamedTuple):
    """Two names that a text says are one: `alias` is the short, the old or the further one. With where they end."""

    alias: str
    name: str
    alias_end: int
    name_end: int
    sure: bool


def found(text: str) -> Iterator[Said]:
    """The pairs of names that a text says are one, as they are written; `sure` where nothing else can be meant."""
    low = text.lower()
    if not any(cue in low for cue in _CUES):
        return
    for pattern in (_ENGLISH, _RENAMED, _CHINESE, _SHORT_OF):
        for said in pattern.finditer(text):
            one, other = _name(said["a"]), _name(said["b"])
            if not one or not other or one.casefold() == other.casefold():
                continue
            between = text[said.end("a") : said.start("b")]
            sure = not _VAGUE.search(between)
            if pattern in (_RENAMED, _SHORT_OF) or _FIRST_IS_ALIAS.search(between):
                yield Said(one, other, said.end("a"), said.end("b"), sure)
            else:
                yield Said(other, one, said.end("b"), said.end("a"), sure)


def _name(written: str) -> str:
    name = _LEADING.sub("", written.strip().rstrip(".:/-,"))
    if name.casefold() in _PRONOUNS or name.startswith(_PRONOUNS_CHINESE):
        return ""
    return name if len(name) > 1 else ""
