"""What in a sentence is asked, supposed, told of others or not meant: none of it states a fact of the user's."""

from __future__ import annotations

import re

# A clause that is a question by its own words.
_ASKS = re.compile(
    r"(?:\s|and |but |so |or |also |oh )*(?:(?:who|whom|whose|what|which|when|where|why|how"
    r"|wherefore)(?:'s|'re|\b)(?! ?ever)"
    r"|(?:do|does|did|is|are|am|was|were|can|could|would|should|shall|will|have|has|had|may"
    r"|might|isn't|aren't|don't|doesn't"
    r"|didn't|wasn't|won't|can't|couldn't|wouldn't|shouldn't|haven't|hasn't)"
    r"\s+(?:i|you|we|they|he|she|it|this|that|there|the|my|your|our|his|her|their|anyone"
    r"|someone|everyone|any|these|those|a|an)\b"
    r"|any (?:idea|chance|suggestions?|thoughts|clue)|guess (?:what|who|which))",
    re.IGNORECASE,
)
_ASKS_CHINESE = re.compile(
    r"吗|呢\s*$|是不是|有没有|能不能|会不会|要不要|可不可以|该不该|好不好|行不行|对不对|是否"
    r"|为什么|为啥|怎么|怎样|如何|什么|哪[个些里儿种位]|谁|几个|多少|难道|咋"
)
# Words that ask in other sentences, and not where they stand so.
_NOT_ASKING = re.compile(
    r"(?:问我?|告诉我|说明|解释|说清楚?|写明|注明|确认).{0,6}(?:要不要|为什么|是否|怎么|什么|哪)"
    r"|不管|无论|不论|什么的|没什么|不怎么|怎么都|什么都"
    r"|谁都|whatever|however|no matter",
    re.IGNORECASE,
)
_TAG = re.compile(
    r"(?:^|[,，\s])(?:right|ok(?:ay)?|correct|yes|no|huh|eh|you know|remember|(?:is|are|do|does"
    r"|did|have|has|was)n't (?:it|i|we|that)"
    r"|don't i|对吧|对吗|对不对|是吧|是吗|没错吧|不是吗|吧)\s*$",
    re.IGNORECASE,
)
_SUPPOSES = re.compile(
    r"\b(?:what if|suppose|supposing|imagine|assuming|let's say|hypothetically|pretend|say i were"
    r"|were i|had i"
    r"|if (?!(?:that|it|this) (?:matters|helps|is relevant|makes)|relevant|needed|necessary"
    r"|possible|at all|not\b|anything|only\b))"
    r"|如果|假如|假设|假若|要是|倘若|万一|若是|设想|的话|比方说|打个比方|比如说?我",
    re.IGNORECASE,
)
_EVEN_IF = re.compile(r"even if\b|as if\b|哪怕|就算|即使", re.IGNORECASE)
_ACTS = re.compile(
    r"\b(?:pretend|act as|role-?play|you are (?:a|an|the)|as a (?:user|persona)|user story"
    r"|write (?:a|an|me) .{0,40}(?:bio|story|song|poem|essay))\b"
    r"|假装|扮演|角色扮演|你是一[个名位]|用户故事|为题|作文|造句|第一句"
    r"|写[一个]{0,2}[段篇封首个].{0,6}(?:话|自我介绍|故事|文章|信|诗|文案|简介)",
    re.IGNORECASE,
)
_REPORTS = re.compile(
    r"\b(?!(?:i|we|you|that|as|it|which|what|enough|being|have|have|just|already|not|never)\b)"
    r"(?!(?:i|we)['’])[\w'’]{2,20} (?:(?:always|just|also|once|often|only|have|has|had|recently|usually) )?"
    r"(?:says?|said|told (?:me|us|him|her|them|everyone)|claims?|claimed|thinks?|thought|wrote"
    r"|writes|insists?|insisted|argues?|argued"
    r"|mentioned|suggests?|suggested|recommends?|recommended|asked|reckons?|believes?|replied"
    r"|quotes?|quoted|commented|reads)\b"
    r"|(?<![我再听话据者且是来俗常句要应])(?<!顺便)(?<!跟你)(?<!和你)说(?!明|法|不|实|服|错|好|过"
    r"|定)[^，,:：。]{0,6}[，,:：]?|表示"
    r"|认为|写道|提到过?|回复说|建议说|声称|抱怨|主张|觉得(?<!我觉得)",
    re.IGNORECASE,
)
# Who said it is told after it.
_SAYS_SO = r"(?:said|says|wrote|writes|told me|told us|claims|claimed)"
_SAID_AFTER = re.compile(
    rf"[,，]\s?[\"”]?\s?(?:(?:{_SAYS_SO}|quoth|according to)\s(?!i\b)(?:the\s|my\s|our\s)?\w+(?:\s\w+)?"
    rf"|(?!(?:as\s)?i\b)(?:(?:the|my|our|a)\s)?[\w'’]+(?:\s[\w'’]+)?\s{_SAYS_SO})"
    r"(?=\s*(?:[.!,;\"”]|$)|\s(?:in|on|at|yesterday|today|last)\b)"
    r"|[,，]\s?(?!就?像|如|照|跟|和|之前|以前|上次|刚才|刚刚|前面|早就|都|不|别|你|直接|实话|老实|以后|回头)"
    r"(?:[^，,。我]{1,8}?(?:(?<!再)说的?|这么说的?|写的|讲的|告诉我的?)"
    r"|(?:这|那)?是?[^，,。我]{1,6}?的?(?:原话|话|说法))\s*(?:[。.!！]|$)",
    re.IGNORECASE,
)
# By whose word something is so.
_BY = re.compile(
    r"\b(?:according to|as per|per (?=the|our|his|her|their))\b|(?:根据|按照?|依照"
    r"|据)(?!我的?)[^，,。]{1,20}(?:[，,]|说|讲|要求)",
    re.IGNORECASE,
)
_SHOWS = re.compile(
    r"(?:please |now |then |and |请|帮我|再|在.{0,12})?(?:add|create|write|insert|make|show|print"
    r"|display|render|set|type|label|put|change|output"
    r"|加|写|显示|输出|打印|添加|新增|弹出|文案|标题|提示|把)[^:：]{0,80}[:：]",
    re.IGNORECASE,
)
_JOKES = re.compile(
    r"(?:^|\s)/s\b|\b(?:lol|lmao|rofl|yeah,? right|as if|haha\w*|jk|just kidding|kidding"
    r"|joking|sarcasm|irony|ironically)\b"
    r"|\b(?:just|so|absolutely|really) love (?:it )?(?:when|how|that)\b|\boh (?:great|joy"
    r"|wonderful|fantastic|lovely)\b|🙄|🙃|😏|🤡"
    r"|呵呵|才怪|开玩笑|说笑|反话|讽刺|狗头|doge|真是[太够].{0,10}了|可太.{1,10}了"
    r"|最喜欢.{0,12}(?:bug|加班|报错|故障|崩溃|挂了)|我谢谢|笑死|哈哈",
    re.IGNORECASE,
)
_TAKES_BACK = re.compile(
    r"\b(?:just kidding|jk|only joking|i'm kidding|sarcasm)\b|/s\b|开玩笑|反话|逗你", re.IGNORECASE
)


# What leaves open whether something is so, in its own clause or anywhere after it.
_UNSURE = re.compile(
    r"\b(?:maybe|perhaps|might|possibly|not sure|apparently|supposedly"
    r"|i(?:['’]ve)? heard|rumou?r has it)\b|听说|据说|听人说|好像|似乎|可能|也许|或许|说不定|大概会",
    re.IGNORECASE,
)
_OPEN = re.compile(
    r"\bnot sure yet\b|\bnot decided\b|\bundecided\b|\bmaybe\s*$|还没(?:定|想好|决定|确定)|没想好|不确定|再说吧|未定",
    re.IGNORECASE,
)


def is_question(sentence: str, mark: str, clause: int) -> bool:
    """
    Whether the clause at an offset of a sentence is part of a question.

    A statement before a question of its own in the same sentence ("I use pnpm, why does it fail?") is none.
    """
    end = _clause_end(sentence, clause)
    text = sentence[clause:end]
    if _ASKS.match(text) or (_ASKS_CHINESE.search(text) and not _NOT_ASKING.search(text)):
        return True
    if not ("?" in mark or "？" in mark):
        return bool(_TAG.search(sentence) and re.search(r"(?:吧|吗)\s*$", sentence)) and end == len(sentence)
    if _TAG.search(sentence):
        return True
    last = (
        re.split(r"[,，:：]|\s-\s|\b(?:and|but|so)\b", sentence[end:])[-1].strip()
        if end < len(sentence)
        else ""
    )
    rest = sentence[end:].lstrip(" ,，:：-")
    return not (
        rest
        and (
            _ASKS.match(rest)
            or _ASKS_CHINESE.search(rest)
            or _ASKS.match(last)
            or re.match("帮|能|可以|请", rest)
            or re.search("[吧呢]$", rest)
        )
    )


def is_supposed(sentence: str, clause: int) -> bool:
    """Whether the clause at an offset depends on something supposed before it, or after it in the sentence."""
    found = _SUPPOSES.search(sentence)
    while found and _EVEN_IF.search(sentence, max(found.start() - 5, 0), found.end()):
        found = _SUPPOSES.search(sentence, found.end())
    if not found:
        return bool(_ACTS.search(sentence))
    # "I use tabs, if that helps" aside, what stands before an "if" is conditional only where no comma parts them.
    return found.start() <= clause or not re.search(r"[,，;；]|\bso\b", sentence[clause : found.start()])


def is_reported(sentence: str, clause: int) -> bool:
    """Whether the clause at an offset follows someone else's "said", or is a text that is to be put somewhere."""
    if _REPORTS.search(sentence, 0, clause + 1) or _BY.search(sentence, 0, clause):
        return True
    if _SAID_AFTER.search(sentence, clause):
        return True
    shown = _SHOWS.match(sentence)
    return shown is not None and shown.end() <= clause


def is_unsure(sentence: str, clause: int) -> bool:
    """Whether the clause at an offset, or what follows it, leaves open whether it is so ("maybe", "还没定")."""
    if _OPEN.search(sentence, clause):
        return True
    return _UNSURE.search(sentence, clause, _clause_end(sentence, clause)) is not None


def is_joke(sentence: str, after: str) -> bool:
    """Whether a sentence is not meant: by its own words, or because the next one takes it back."""
    return _JOKES.search(sentence) is not None or _TAKES_BACK.search(after) is not None


def _clause_end(sentence: str, start: int) -> int:
    found = re.compile(
        r"[,，:：]|\s-\s|\s(?:and|but|so)\s(?=(?:can|could|would|how|why|what|please|do|does|is"
        r"|should))"
    ).search(sentence, start)
    return found.start() if found else len(sentence)
