"""That a standing order ends, in a sentence that says no more: kept only where such an order stands."""

from __future__ import annotations

import re

from .acts import act
from .chat_rule import clause
from .chat_sentence import Said, drafted
from .drafts import Draft
from .for_once import is_for_once, is_so_beside

# Where the clause ends that says so; what follows gives a reason or goes on.
_ENDS = re.compile(
    r"\s?[,，;；:：(（]|\s[—–-]{1,2}\s|\s(?:because|since|as we|but|so|though|and (?:i|we|it|the|please|you))\b"
    r"|因为|但是?|所以",
    re.IGNORECASE,
)
# What is allowed while something lasts, or for this thing, is no order that ends.
_FOR_NOW = re.compile(
    r"\b(?:for now|this|next|coming|last|once|today|tonight|tomorrow|here|it|them|that|these|those|if|when|until|unless"
    r"|while)\b|这|本周|下个?周|下个?星期|上周|今天|今晚|明天|后天|暂时|它|如果|的话|除非",
    re.IGNORECASE,
)

# What turns an order says that it was otherwise.
_NO_MORE = re.compile(
    r"\b(?:again|any\s?more|any longer|no longer|start)\b|再也|不再|别再|(?:不要|不许|不准|不能)再|又",
    re.IGNORECASE,
)


# What stands before or behind it and says when it holds: then it holds for that, and the order for all else.
_ONLY_FOR = re.compile(
    r"(?:(?:and|but|so|also|ok(?:ay)?)\s)*(?:for|in|on|at|with|without|when|whenever|if|unless|during|after|before|except"
    r"|until|while|as long as|only|once|within|under|from|starting|as of|since)\b"
    r"|(?:在|对于?|如果|只有|只要|除了|当|从|等|紧急)|.*(?:时候?|里|中|上|情况下|的话|起|开始)$",
    re.IGNORECASE,
)
_BUT = re.compile(
    r"[\s,，;；:：(（—–-]*(?:but|if|only|unless|except|as long as|provided|when|just not|not|though|for|in|on)\b"
    r"|[\s,，;；:：(（—–-]*(?:但|如果|除非|只要|不过|只限|前提|仅限|除了|只有|当)",
    re.IGNORECASE,
)
_CLAUSE = re.compile("[,，;；.。!！:：]")


def is_limited(words: str, start: int, end: int) -> bool:
    """Whether words around a clause say what it holds for, or for when."""
    led = _CLAUSE.split(words[:start].rstrip(" ,，"))[-1].strip()
    return _BUT.match(words, end) is not None or (bool(led) and _ONLY_FOR.match(led) is not None)


def lift(sentence: Said, at: int) -> Draft | None:
    """That something is allowed, not needed or not wanted any longer; None where a clause says something else."""
    words = sentence.words
    start, end = clause(words, at, _ENDS)
    found = act(words[start:end])
    if found is None or _FOR_NOW.search(found.words) or is_limited(words, start, end):
        return None
    if found.force in ("must", "must not") and not _NO_MORE.search(words[start:end]):
        return None  # an order by itself, which the rules for orders know, or one for this task
    prompt, there = sentence.prompt.words, sentence.start
    if is_for_once(words, start, end) or is_so_beside(prompt[:there], prompt[there + len(words) :], words):
        return None
    return drafted(
        sentence, "profile", (start, end), asks="end",
        polarity="affirmed" if found.force in ("may", "must") else "negated",
        data={
            "subject": "user", "predicate": "asks for", "value": sentence.text(start, end),
            "qualifiers": {"ended": True} if found.force == "need not" else {},
        },
        importance=0.8, reach="workspace",
    )  # fmt: skip
