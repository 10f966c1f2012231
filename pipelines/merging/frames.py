"""Sentences that are built in two ways, in one of them: the passive as the active, "there is in it" as "it has"."""

from __future__ import annotations

import re
from collections.abc import Callable

from . import lexicon

# A longer text says more than one thing.
CHARS = 200

# What a statement is led in and out with, and says the same without.
_LED_IN = re.compile(
    r"(?:(?:please )?(?:note|remember|keep in mind|bear in mind|be aware)(?: that)?[,:]? "
    r"|(?:fyi|btw|by the way|for the record)[,:] )+",
    re.IGNORECASE,
)
_LED_OUT = re.compile(r",? (?:please|thanks)\Z", re.IGNORECASE)
_ARTICLE = re.compile(r"(?:the|a|an)\s", re.IGNORECASE)
_MODAL = (
    r"must|should|shall|can|may|will|has to|have to|needs? to|ought to|must not|mustn't|should not|shouldn't"
    r"|can ?not|can't|may not|shall not|will not|won't"
)
_REST = (
    r"(?P<rest>(?:,? (?:on|in|at|for|before|after|during|every|each|when|whenever|if|unless|with|without|from|to"
    r"|until|since|into|within|via|through|because|as|only|per|once)\b.*)?)"
)
_WORDS = r"[^,;:.!?\"]"
# By whom; not by when, by how much or by what means.
_WHOM = (
    r"(?!(?:hand|default|name|date|mistake|accident|design|law|far|then|now|using|means|way|mail|email|phone|half"
    r"|the (?:end|time|way|day|start)|\w+ing|mon|tues|wednes|thurs|fri|satur|sun|tomorrow|today|next|noon|midnight|end)"
    r"\b|\w*day\b|\d)"
)
_PASSIVE = re.compile(
    rf"(?P<what>{_WORDS}{{2,60}}?) (?:(?P<modal>{_MODAL}) be|(?:is|are|was|were|has been|have been|being|gets?|got)"
    rf"(?P<denied> not|n't)?) (?P<verb>\w+) by {_WHOM}(?P<whom>{_WORDS}{{2,40}}?){_REST}\Z",
    re.IGNORECASE,
)
_TO_BE_DONE = re.compile(
    rf"(?P<what>{_WORDS}{{2,60}}?) (?P<modal>{_MODAL}) be (?P<verb>\w+){_REST}\Z", re.IGNORECASE
)
_REQUIRED = re.compile(
    r"(?:it is|it's) (?:required|necessary|mandatory|obligatory) (?:that you|to) (?P<what>.+)\Z",
    re.IGNORECASE,
)
_THERE = re.compile(
    rf"there (?:is|are) (?P<what>(?:(?! (?:in|of|on|at|for|from|to|with|that|which|no)\b){_WORDS}){{2,40}})"
    rf" (?:in|of|on) (?P<where>(?:the|our|my|its|this|each|every) {_WORDS}{{2,30}}|[A-Z][\w-]+)\Z",
    re.IGNORECASE,
)
_PREFERS = re.compile(
    rf"(?P<who>.*?\b)(?:prefers? (?P<a>(?!to\b){_WORDS}{{1,30}}?) (?:to|over|rather than|instead of|above)"
    rf"|(?:likes?|loves?) (?P<b>(?!to\b){_WORDS}{{1,30}}?) (?:more|better) than) (?P<other>[\w.+#-]+){_REST}\Z",
    re.IGNORECASE,
)
_WANTS_SO = re.compile(
    r"(?P<who>.*?\b)(?P<wants>wants?|would like|likes?|prefers?) (?P<what>(?!to\b)(?:(?!to )[\w-]+ ?){1,3}) to be"
    r" (?P<how>[\w-]+)\Z",
    re.IGNORECASE,
)
_DO_NOT = re.compile(
    r"(?:i|the user|user) (?:do not|don't|does not|doesn't) want (?:you|us|agents?|the agent|claude|the assistant) to ",
    re.IGNORECASE,
)
_DO = re.compile(
    r"(?:i|the user|user) (?:wants?|would like|asks?|asked|expects?)"
    r" (?:you|us|agents?|the agent|claude|the assistant) to ",
    re.IGNORECASE,
)

_CHINESE_VERBS = (
    "负责|部署|维护|处理|管理|审批|评审|编写|执行|触发|生成|提供|承担|开发|运行|设计|搭建|审核|撰写"
    "|写|做|修|改|定|审|建|管"
)
_RUN = "[^，。；,;？?由被是]"
_BY_CHINESE = re.compile(
    rf"(?P<what>{_RUN}{{2,20}}?)(?:都|目前|现在|一直)?(?:由|被) ?(?P<whom>{_RUN}{{1,16}}?)"
    rf" ?(?P<verb>{_CHINESE_VERBS})(?:来做|了|的)?\Z"
)
_IS_CHINESE = re.compile(
    rf"(?P<what>{_RUN}{{2,20}}?)是 ?(?P<whom>{_RUN}{{1,16}}?) ?(?P<verb>{_CHINESE_VERBS})的\Z"
)
_WANTS_CHINESE = re.compile(
    r"(?P<who>.{0,6}?)(?P<wants>希望|想要|喜欢|要求)(?P<what>[\u4e00-\u9fff]{2,4}?)(?:要|能|能够|尽量|应该|可以)?"
    r"(?P<how>简短|简洁|详细|简单|精简|清楚|完整)(?:一些|一点|点)?\Z"
)
_OTHER = "[^，,。；]{1,16}?"
_RATHER_CHINESE = re.compile(
    rf"(?P<who>我|用户)更?喜欢(?P<a>{_OTHER}) ?(?:胜过|多于|甚于) ?(?P<than>{_OTHER})\Z"
)
_COMPARED_CHINESE = re.compile(
    rf"(?P<first>我|用户)?(?:比起|相比) ?(?P<than>{_OTHER})[，,]? ?(?P<who>我|用户)?更?喜欢 ?(?P<a>{_OTHER})\Z"
)
_DO_CHINESE = re.compile(r"(?:我|用户)(?P<not>不)?(?:希望|想要|想|要求|要) ?(?:你|助手) ?")


def recast(text: str) -> str:
    """The text (normal, one statement) as it is more plainly said; as it is, where it is not built so."""
    said = text.strip().rstrip(".。!！ ")
    if len(said) > CHARS or "\n" in said:
        return text
    said = _LED_OUT.sub("", _LED_IN.sub("", said, count=1))
    for pattern, recaster in _ENGLISH if said.isascii() else _CHINESE:
        if (found := pattern.match(said)) and (new := recaster(found)) is not None:
            said = new
            text = said
    return text


def _plain(words: str) -> str:
    """Words from the head of a sentence, for within it."""
    words = _ARTICLE.sub("", words.strip(), count=1) if _ARTICLE.match(words.strip()) else words.strip()
    first, gap, rest = words.partition(" ")
    return f"{first.lower() if first.istitle() and gap else first}{gap}{rest}"


def _active(found: re.Match[str]) -> str | None:
    verb, what = found["verb"].casefold(), found["what"]
    # Of "only by", "all … not" and "not … all", what is limited or denied would be another thing.
    if not lexicon.is_participle(verb) or _LIMITED.search(found[0]):
        return None
    if _WHOLE.search(found[0]) and _DENIED.search(found[0]):
        return None
    modal = found["modal"] or ("not" if found["denied"] else "")
    return " ".join(filter(None, (_plain(found["whom"]), modal, verb, _plain(what)))) + found["rest"]


_WHOLE = re.compile(r"\b(?:all|every|each|any|both|always)\b", re.IGNORECASE)
_DENIED = re.compile(r"\bnot\b|n't|\bcannot\b", re.IGNORECASE)
_LIMITED = re.compile(
    r"\b(?:only|just|solely|neither|nor|no|none|and|or|but|which|that|who)\b", re.IGNORECASE
)


def _to_do(found: re.Match[str]) -> str | None:
    verb = found["verb"].casefold()
    if verb == "done" or not lexicon.is_participle(verb) or _LIMITED.search(found[0]):
        return None
    return f"{found['modal']} {found['verb']} {_plain(found['what'])}{found['rest']}"


def _has(found: re.Match[str]) -> str:
    return f"{found['where']} has {found['what']}"


def _prefers(found: re.Match[str]) -> str:
    return f"{found['who']}prefers {found['a'] or found['b']} over {found['other']}{found['rest']}"


def _wants(found: re.Match[str]) -> str:
    return f"{found['who']}{found['wants']} {found['how']} {found['what']}"


def _active_chinese(found: re.Match[str]) -> str | None:
    if re.search("[不没别只仅都和与]", found[0]):
        return None
    return f"{found['whom']} {found['verb']} {found['what']}"


def _rather_chinese(found: re.Match[str]) -> str:
    who = found["who"] or found.groupdict().get("first") or ""
    return f"{who}喜欢 {found['a']} 而不是 {found['than']}"


def _do_chinese(found: re.Match[str]) -> str:
    return ("不要" if found["not"] else "") + found.string[found.end() :]


_Recaster = tuple[re.Pattern[str], Callable[[re.Match[str]], "str | None"]]
_ENGLISH: tuple[_Recaster, ...] = (
    (_DO_NOT, lambda found: f"do not {found.string[found.end() :]}"),
    (_DO, lambda found: found.string[found.end() :]),
    (_REQUIRED, lambda found: f"must {found['what']}"),
    (_PASSIVE, _active),
    (_TO_BE_DONE, _to_do),
    (_THERE, _has),
    (_PREFERS, _prefers),
    (_WANTS_SO, _wants),
)
_CHINESE: tuple[_Recaster, ...] = (
    (_DO_CHINESE, _do_chinese),
    (_IS_CHINESE, _active_chinese),
    (_BY_CHINESE, _active_chinese),
    (_WANTS_CHINESE, lambda found: f"{found['who']}{found['wants']}{found['how']}的{found['what']}"),
    (_RATHER_CHINESE, _rather_chinese),
    (_COMPARED_CHINESE, _rather_chinese),
)
