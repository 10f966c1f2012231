"""
How far a statement goes by its own words: beside others, for now only, or under a condition.

    "I also use Firefox", "I work at Globex two days a week", "我也用 Zed"     beside others: it takes no slot
    "I'm using vim for this task", "I use vim today"                            for now: it says nothing that lasts
    "Answer in German if I write German", "我写英文的时候用英文回答"           under a condition: a limit
"""

from __future__ import annotations

import re

from .chat_rule import Span, until
from .qualifiers import Limits

_NUMBER = r"(?:an?|one|two|three|four|half a|\d|a few|a couple of|some|several)"
_PART_TIME = (
    rf"part[- ]?time|(?:for |on )?{_NUMBER}\s(?:days?|hours?|mornings?|afternoons?|evenings?|half[- ]days?)\s"
    r"(?:a|per|each|every)\s(?:week|month|day)|half (?:of )?(?:the|my) (?:time|week)|on the side"
    r"|as a (?:side|second) (?:job|gig)|freelance"
)
_ALSO_AFTER = re.compile(
    rf"[\s,]{{1,2}}(?:too(?! (?:much|often|many|little|long|late)\b)|as well(?! as\b)|in addition|{_PART_TIME})"
    r"(?=$|[\s,.;!)])|\s?(?:兼职|[，,]?每周[一二两三四五\d]个?[天次])",
    re.IGNORECASE,
)
_ALSO_WITHIN = re.compile(
    r"\b(?:also|additionally|part[- ]time|on the side)\s|也(?!就是|许)|还(?=会?[用使])(?!是|在用)|同时|另外|兼职",
    re.IGNORECASE,
)
# Of these one may have several.
_SEVERAL = ("uses:", "works:employer", "lives:city", "lives:country")

_FOR_NOW = re.compile(
    r"\s(?:right now|just now|for (?:this|the current|today's|that)(?! (?:repo|repository|project|codebase"
    r"|workspace|team"
    r"|company|machine|laptop|computer|year|quarter|kind|sort)\b)(?: \w+)?|for (?:now|today|tonight|once)"
    r"|for (?:a|the)"
    r" (?:moment|while|minute|bit|time being|day)|at the moment|this (?:time|once|morning|afternoon|evening)"
    r"|temporarily|(?<!\bof )(?<!\bfrom )(?<!\bsince )(?<!\bstarting )(?:today|tonight))(?=$|[\s,.;!)])"
    r"|\s?(?:临时|暂时)(?:的)?$",
    re.IGNORECASE,
)
# Who has changed to it today goes on with it.
_CHANGED = re.compile(
    r"\b(?:switched|moved|migrated|changed|started|began|now on)\b|换|改|切|转|迁|开始", re.IGNORECASE
)

_WHEN = r"(?:if|unless|in case|as long as|provided(?: that)?|(?:only )?when(?:ever)?|every time|each time)"
_CONDITION = re.compile(
    rf"\s(?:only |but only )?(?P<what>{_WHEN}\s[^,;\n]{{3,60}})|,\s(?P<apart>unless\s[^,;\n]{{3,60}})",
    re.IGNORECASE,
)
_CONDITION_FIRST = re.compile(
    rf"(?P<what>{_WHEN}\s[^,;\n]{{3,60}}),\s(?:then |please |always )*$", re.IGNORECASE
)
_TO_WHOM = re.compile(
    r"\s(?:to|with|for)\s(?P<what>(?-i:[A-Z])[\w'-]+(?:\s(?-i:[A-Z])[\w'-]+)?)(?=$|[\s,.;!])"
)
_NO_CONDITION = re.compile(
    rf"{_WHEN}\s(?:possible|needed|necessary|in doubt|asked|appropriate|applicable|available|that'?s ok"
    rf"|that is ok|you (?:can|like"
    r"|want|don'?t mind)|i (?:said|say)|it (?:matters|helps)|not)\b",
    re.IGNORECASE,
)
_CHINESE = re.compile(
    r"(?P<what>(?:如果|要是|若|当|每当|凡是|只要|遇到)?[^，,。；;\n]{1,16}?(?:的时候|的话|时)|(?:如果|要是|若"
    r"|每当|凡是|只要)"
    r"[^，,。；;\n]{2,16}?(?=[，,]|就|都)|(?:对|给|跟|和|与)\s?(?!我)[^，,。；;\n用说讲]{1,10}?(?:说话|聊天)?)"
    r"\s?[，,]?\s?(?:你|请|再|就|都|要|则|也)*(?=[用说讲回])"
)
_FROM_NOW = re.compile("^(?:以后|今后|从现在(?:起|开始))")
_NO_CONDITION_CHINESE = re.compile(
    r"回答|回复|回我|说话|答复|交流|以后|今后|平时|随时|同时|任何|每次(?!.{2})"
)


def beside(words: str, value: Span, start: int, slot: str | None) -> Span | None:
    """Where a statement says that it stands beside others of its slot; None where it does not."""
    if slot is None or not slot.startswith(_SEVERAL):
        return None
    return (
        found.span()
        if (found := _ALSO_AFTER.search(words, value[0], until(words, value[1], _CLAUSE)))
        or (found := _ALSO_WITHIN.search(words, start, value[0]))
        else None
    )


def is_for_now(words: str, start: int, value: Span) -> bool:
    """Whether what someone uses is used for this task, or today, and no longer."""
    return (
        _FOR_NOW.search(words, value[0], until(words, value[1], _CLAUSE)) is not None
        and _CHANGED.search(words, start, value[0]) is None
    )


def condition(words: str, start: int, value: Span) -> Limits:
    """Under what condition, or towards whom, an order holds."""
    end = until(words, value[0], _MARK)
    for pattern in (_CONDITION, _TO_WHOM):
        found = pattern.search(
            words, value[0], until(words, end + 1, _MARK) if pattern is _CONDITION else end
        )
        if found and not _NO_CONDITION.match(found[found.lastgroup or "what"]):
            return Limits(_name(found[found.lastgroup or "what"]), end=found.end())
    if (first := _CONDITION_FIRST.search(words, 0, start)) and not _NO_CONDITION.match(first["what"]):
        return Limits(_name(first["what"]), first.start())
    for at in (start, max(words.rfind(mark, 0, max(start - 1, 0)) for mark in "，,。；;") + 1, 0):
        told = _CHINESE.match(words, at, value[1])
        what = _FROM_NOW.sub("", told["what"]) if told else ""
        if told and what and not _NO_CONDITION_CHINESE.search(what):
            return Limits(_name(what), min(told.start(), start))
    return Limits()


def _name(what: str) -> str:
    return " ".join(what.casefold().split())


_MARK = re.compile(r"[,，;；。!！?？:：(（\n]|\.(?=\s|$)")
_CLAUSE = re.compile(
    r"[;；。!！?？:：(（\n]|\.(?=\s|$)|\s(?:but|because|since|so)\b|[,，](?!\s?(?:too|as well|每周)\b)"
)
