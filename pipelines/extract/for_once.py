"""Whether something is allowed, or need not be done, for one time: by the words around it that say so, or say why."""

from __future__ import annotations

import re

# It is for one time, whatever else is said.
_ONCE = re.compile(
    r"\b(?:(?:just|only|for)\s(?:this|that|now|once|here|today|tonight|tomorrow|a (?:moment|minute|while))"
    r"|(?:just|only)\s(?:for|in|on|at|with|until|while)|this (?:time|once)|one[\s-](?:time|off)|once only"
    r"|a single time|today only|temporar(?:y|ily)|(?:as )?an exception|exceptionally|for the (?:moment|time being))\b"
    r"|[这那]一?[次回]|[就只仅]\s?(?:这|此|限|今天|一[次回])|只限|仅此|下不为例|破例|例外|特例|本次|暂时|[就只]在?这里",
    re.IGNORECASE,
)
# What makes little of the thing at hand, is in a hurry or goes on to what is to be done now: it is, unless the words
# say that it lasts.
_SMALL = re.compile(
    r"(?:(?:because|since|as|so|and|but)\s)?"
    r"(?:(?:it|that|this)(?:['’]?s|\sis|\swas)\s(?:just|only|merely|an?\s(?:typo|quick|tiny|small|trivial|minor|emergency)"
    r"|an?\s(?:[\w-]+\s){0,2}(?:typo|fix|spike|prototype|script|draft|experiment|hotfix|demo|change|toy|hack|one-liner)"
    r"|throwaway|temporary|trivial|tiny|urgent|nothing|fine|ok(?:ay)?|all right|safe)\b"
    r"|(?:i|we)(?:['’]?(?:m|re)|\s(?:am|are))\s(?:just|only|in a (?:hurry|rush)|late|out of time)\b"
    r"|(?:i|we)(?:['’]?ve|\shave)?\s(?:just|only|already)\b"
    r"|(?:just|only)\sa\b|go (?:ahead|for it|on)\b|do it\b|let['’]?s\b|please\b|proceed\b|skip\b|be quick|hurry"
    r"|(?:commit|push|merge|deploy|ship|delete|remove)\s(?:it|them|this|that|now|away|right)\b)"
    r"|(?:因为|毕竟|反正|所以)?(?:[这那它我])?(?:就是?|只是?|不过是?)(?:改|修|加|删|动|换|写|个|一|几|这)"
    r"|(?:因为)?(?:我|我们)?(?:已经|刚刚?|赶时间|来不及|没时间|着急|很急)|小改|改个|(?:反正|毕竟)?[这那它]?(?:就?是)?个?(?:一次性|临时|试验|原型|草稿)|直接[\u4e00-\u9fff]{1,4}(?:吧|就行|就好)?$"
    r"|快点?[\u4e00-\u9fff]{0,3}吧?$|今天|今晚|先[\u4e00-\u9fff]{1,3}吧$|[\u4e00-\u9fff]{1,3}吧$",
    re.IGNORECASE,
)
_LASTS = re.compile(
    r"\b(?:again|any\s?more|any longer|no longer|from (?:now|here|today) on|going forward|in (?:the )?future|always)\b"
    r"|以后|今后|往后|从现在|从今|再也|不再|不用再|又",
    re.IGNORECASE,
)
_MARKS = " \t\n,，;；:：(（)）—–-.。!！~"
_CLAUSE = re.compile(r"[,，;；:：(（)）]|\s[—–-]{1,2}\s")
_END = re.compile(r"[.。!！?？\n]")
# A longer sentence beside it speaks of something else.
_BESIDE_AT_MOST = 60


def is_for_once(words: str, start: int, end: int) -> bool:
    """Whether a sentence allows what the clause at a span names for one time."""
    led = _CLAUSE.split(words[:start].rstrip(_MARKS))[-1].strip(_MARKS)
    follows = words[end:].strip(_MARKS)
    if _ONCE.match(led) or _ONCE.search(follows):
        return True
    return not _LASTS.search(words) and any(_SMALL.match(one) for one in (led, follows))


def is_so_beside(before: str, after: str, clause: str) -> bool:
    """Whether the sentence before or after a clause says so."""
    last = _END.split(before.rstrip(_MARKS))[-1].strip(_MARKS)
    follows = _END.split(after.lstrip(_MARKS), maxsplit=1)[0].strip(_MARKS)
    lasts = _LASTS.search(clause) is not None
    return any(
        _ONCE.match(one) is not None or (not lasts and _SMALL.match(one) is not None)
        for one in (last, follows)
        if 0 < len(one) <= _BESIDE_AT_MOST
    )
