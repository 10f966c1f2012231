"""
Whether what a user's words say lasts, or is an order for the task in hand, limited to it, or over.

Read in the user's own sentence, around the words that a model quotes: what limits them may stand before or after.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from .chat_english_words import VERBS

Tense = Literal["over", "was"] | None

# What parts the clauses of a sentence.
_PARTS = re.compile(
    r"[,，;；:：。！!\n]|\s-{1,2}\s|[—–]|\b(?:and|but|then|so|although|though)\b|然后|并且|但是?|不过|而且|接着|所以",
    re.IGNORECASE,
)
_BUT = re.compile(r"\b(?:but|although|though|however)\b|但|不过", re.IGNORECASE)
# How much of what opens a sentence may hold for all of it, and of what follows a clause for that clause.
_LEAD_CHARS, _AFTER_CHARS = 40, 40
_FORWARD = re.compile(
    r"\b(?:from (?:now|here|today|this point|here on)(?: on(?:wards?)?| out| forward)?|going forward|in (?:the )?future"
    r"|henceforth|for (?:the )?future|as a (?:general |standing )?rule|in general|generally|by default)\b"
    r"|以后|今后|往后|从今|从现在(?:起|开始)|[今即]日?起|今天起|将来|从此|之后(?=都|一律|统一|请|也)|接下来所有|后面所有",
    re.IGNORECASE,
)
_ALWAYS = re.compile(
    r"\b(?:always|never|ever(?: again)?|whenever|(?:every|each|any) ?time|at all times|forever|permanently|invariably"
    r"|(?:before|after|on|for|in|with) (?:every|each|any|all)"
    r"|in (?:everything|anything|whatever) (?:you|we|i)|(?:your|all) (?:answers?|replies|responses|explanations)"
    r"|no longer|any ?more)\b"
    r"|永远|始终|总是|老是|每[次回当]|每个?[^，,。；;]{1,8}[之]?[前后时]|一律|统一(?!一下|下)|默认|凡是|任何(?:时候|情况)|无论"
    r"|绝对|绝不|千万|从不|平时|一般|通常|不再|(?:别|不要)再"
    r"|(?:^|[，,你])的?(?:回答|回复|解释)(?:时|的时候)?(?:请|都|要|尽量|得|用|别|不要|保持|控制|简)",
    re.IGNORECASE,
)
# What is said of all of a kind is no order for one of them.
_NORM = re.compile(
    r"^\W{0,3}(?!(?:this|these|those|the|i|you|we|it|he|she|they|that|there|some\w*|tests?|please)\b)"
    r"(?:(?:all|our|my|any|every) )?[a-z-]+(?: [a-z-]+)? (?:should|must|need to|ha(?:s|ve) to|are to)"
    r" (?:always |never |not |all )*(?:be|use|have|follow|stay|start|end|go|come|include|contain|carry|keep)\b"
    r"|\bi(?:['’]d| would)? (?:like|want|prefer|need) (?:\w+ ){1,3}(?:answers|replies|responses|explanations|summaries"
    r"|comments|commits|functions|diffs|prs|messages|names)\b"
    r"|^(?:所有|每个|任何|我们的?)[^，,。；;]{1,10}?都?(?:要|得|必须|应该|应当)"
    r"|(?:提交信息|提交说明|注释|变量名|函数名|分支名|文档|回复|回答|代码)(?:都|要|请|得|必须|应该)+(?:用|写|以|保持)"
    r"|[跟和对]我(?:说话|说|讲|聊|解释)",
    re.IGNORECASE,
)
# How to work in a place, said of the place first.
_HOUSE_RULE = re.compile(
    r"^\W{0,3}(?:in|for|within) (?:this|our|the) (?:repo(?:sitory)?|project|codebase|workspace),? ?(?:please |we )?"
    r"(?:use|follow|stick to|keep to|prefer|target|format|indent|name|prefix|write)\b"
    r"|^\W{0,3}(?:这个|本|我们的?)(?:项目|仓库|代码库|工程)(?:里面?|中)?[^，。；]{0,6}(?:用|按|走|遵)",
    re.IGNORECASE,
)
# What ties words to the task in hand.
_HERE = re.compile(
    r"\b(?:for now|this time|(?:just )?this once|right now|temporarily|for the moment|for the time being|meanwhile"
    r"|until (?:then|i|we|you|the|it|tomorrow|next)|(?:just|only) (?:here|once)"
    r"|(?:for|in|on|during|within) (?:just |only )?this(?! (?:i|we|you|is|repo(?:sitory)?|project|codebase|workspace"
    r"|company|team|org\w*|year|quarter|month|country|city|kind|sort|way|regard|respect|industry|field|role|job|machine|computer"
    r"|laptop|house)\b))\b"
    r"|这一?[次回遍轮]|本[次轮]|暂时|临时|先这[样么](?=[^，,。])|眼下|姑且|这个(?:函数|文件|提交|问题|例子|回答|PR|MR|分支|任务|需求|脚本|类|方法|模块)",
    re.IGNORECASE,
)
_TODAY = re.compile(
    r"(?<!from )\b(?:(?:just |only )?(?:today|tonight|this (?:week|morning|afternoon|evening|sprint)))\b(?! on)"
    r"|[今](?:天|晚|早)(?!起|开始|以后)|这(?:周|星期|几天)",
    re.IGNORECASE,
)
# What was so, and by its own words is no longer.
_OVER = re.compile(
    r"(?<!'m )(?<!am )(?<!are )(?<!is )(?<!get )(?<!got )(?<!'re )\bused to\b(?! (?:it|this|that|the|having|using)\b)"
    r"|\b(?:formerly|back then|back when|in the past|years ago|long ago|in those days)\b"
    r"|(?<!at )(?<!only )(?<!just )(?<!this )\bonce\b(?= *(?:[,.;!]|$| (?:lived|worked|used|loved|liked|was|had)\b))"
    r"|(?:^|[我们司队,，。；;\s])(?:以前|从前|曾经|曾|早年|原先|过去)(?!的)|(?:^|[我们司队])之前(?![^，,。]{0,4}[，,])"
    r"(?!先|要|的|都要)"
    r"|那时候?|那会儿|当年|(?:大学|中学|高中|小学|上学|读书|小)时|(?<=[我们])原来(?=在|是|用|住|做|叫|喜欢)|(?<=[住用学养玩待呆])过(?![程来去度期于滤时得不])",
    re.IGNORECASE,
)
_LIVED = re.compile(r"\b(?:lived|resided|worked (?:at|for|as|in|with)|studied)\b", re.IGNORECASE)
# What was so; whether it still is, nothing says.
_WAS = re.compile(
    r"\b(?:was|were|had|used|liked|loved|preferred|wanted|needed|enjoyed|favou?red|hated|disliked|played|spoke"
    r"|owned|tried)\b"
    r"(?! (?:born|named|called|to learn)\b)|previously|当时|那阵子",
    re.IGNORECASE,
)
# "I have always loved", "it is used": no past.
_PERFECT = re.compile(
    r"(?:\b(?:have|has|having|is|are|am|be|been|being|get|gets)|['’](?:ve|s|re|m))\s(?:\w+\s){0,2}$",
    re.IGNORECASE,
)
_NOW = re.compile(
    r"\b(?:now|nowadays|these days|still|since)\b|现在|如今|目前|至今|一直|还在|仍", re.IGNORECASE
)
# What may be, may come, or nearly was.
_MAYBE = re.compile(
    r"\b(?:might|(?-i:may)|could|almost|nearly|maybe|perhaps|possibly|probably|thinking (?:of|about)|consider(?:ing)?"
    r"|(?:not|un)(?: entirely)? sure|tempted|about to|wish|as if|supposed to)\b"
    r"|可能|也许|或许|差一?点|考虑|没准|说不定|大概|好像|似乎|恨不得|要不",
    re.IGNORECASE,
)
_TO_COME = re.compile(
    r"(?:\b(?:would|can|want(?:s|ed)? to|hop(?:e|es|ing) to|plan(?:s|ning)? (?:to|on)|going to|love to|like to"
    r"|should)\b|['’]d)|想(?!法|象)|希望|打算|准备|计划|将来",
    re.IGNORECASE,
)
_WITHOUT = re.compile(r"没|未|从不|从没")
_LEADS = (
    r"(?:(?:please|pls|then|now|also|just|only|and|so|ok(?:ay)?|next|first|finally|instead|btw|but|today|tonight|again"
    r"|for now|this time|go ahead and|(?:can|could|would|will) you|you (?:should|must|need to|have to|can)"
    r"|i (?:want|need|would like|'d like) you to|i'd like you to|make sure (?:to|you)|be sure to|let's"
    r"|remember to|try to"
    r"|(?:in|for|on|during|within|with) (?:this|that|the|my|our|these) \w+(?: \w+)?)[\s,]+)*"
)
_NO = r"(?:(?:do not|don['’]?t|never|no need to|not)\s+)?"
_ORDERS = re.compile(
    rf"(?!.{{0,20}}\b(?:call me|let's (?:go|stick|settle|standardi[sz]e)\b)){_LEADS}{_NO}"
    rf"(?:{VERBS}|finish|implement|optimi[sz]e|investigate|debug|figure out|look)\b"
    # "Build times are long", "name: Ingrid" are no orders.
    r"(?!(?:\s[\w-]+){0,2}\s(?:is|are|was|were|has|have|takes?|goes|runs|will|can|needs?|matters?)\b)(?!\s?[:：])",
    re.IGNORECASE,
)
_ORDERS_CHINESE = re.compile(
    r"(?:请|麻烦你?|帮我|帮忙|给我|你|先|再|然后|接着|顺便|快|赶紧|就|直接|也|今天"
    r"|这次|今晚|暂时|别|不要"
    r"|在?这个?\s?\w{1,12}[里中]){0,4}\s?"
    r"(?:把|将|修[一复改下好]|改[一成下掉]|删[掉除了]|加[一上个]|跑[一下]|运行|忽略|跳过|看[一下]|检查|生成|更新|重构"
    r"|提交(?!信息|记录|说明)"
    r"|部署|执行|清理|重启|回滚|合并|推送|创建|新建|实现|优化|撤销|别管|不用管|翻译|总结)"
    r"|(?:请|帮我|麻烦你?|给我|帮忙)"
)
# What follows a clause and still belongs to it, to the end of its sentence.
_TRAILS = re.compile(
    r"[,，;；]\s{0,2}(?:just |only |and )*(?:for now|this (?:time|once|one)|(?:for )?(?:just )?today|tonight"
    r"|temporarily|until|always|(?:every|each) time|from now on|going forward|for (?:just )?(?:this|today)|in this"
    r"|ever|这次|暂时|以后|今后|仅)[^,，;；]{0,16}$",
    re.IGNORECASE,
)
# Before what opens a sentence.
_OPENING = re.compile(
    r"(?:\W|\b(?:please|ok(?:ay)?|just|only|and|but|so|then|for|well|also|btw|no|yes)\b|请|那|好的?|嗯|另外|在|就)*",
    re.IGNORECASE,
)
_ONLY_LEADS = re.compile(rf"\W*{_LEADS}{_NO}\W*", re.IGNORECASE)
_ONLY_LEADS_CHINESE = re.compile(
    r"\W*(?:请|麻烦你?|帮我|先|再|然后|接着|顺便|就|直接|也|今天|这次|今晚|暂时|别|不要|在?这个?\s?\w{1,12}[里中]){0,4}\W*"
)


@dataclass(frozen=True, slots=True)
class Clause:
    """The words of a sentence about a span of it: its clause, what opens the sentence, and what follows."""

    words: str
    lead: str
    after: str
    # The words of the clause before the span.
    before: str

    @property
    def limit(self) -> str | None:
        """What ties it to the task in hand, as it was said; None where nothing does."""
        return self._found(_HERE)

    @property
    def today(self) -> str | None:
        """What ties it to this day or week."""
        return self._found(_TODAY)

    @property
    def is_standing(self) -> bool:
        """Whether it says that it holds from now on, always or never."""
        lasts = _ALWAYS.search(self.words) or _ALWAYS.search(self.after)
        return bool(
            self._found(_FORWARD)
            or lasts
            or _NORM.search(self.words)
            or _HOUSE_RULE.match(f"{self.lead} {self.words}")
        )

    @property
    def is_order(self) -> bool:
        """Whether it tells somebody to do something."""
        said = self.words[len(self.before) :].lstrip(" \"'“‘`")
        for orders, leads in ((_ORDERS, _ONLY_LEADS), (_ORDERS_CHINESE, _ONLY_LEADS_CHINESE)):
            whole = self.words.lstrip(" \"'“‘`*-•")
            if orders.match(whole) or (leads.fullmatch(self.before) and orders.match(said)):
                return True
        return False

    @property
    def past(self) -> Tense:
        """Whether it tells what was so: "over", where it no longer is."""
        for kind, marks in (("over", _OVER), ("over", _LIVED), ("was", _WAS)):
            for found in marks.finditer(self.words):
                before = self.words[: found.start()]
                if marks is not _OVER and _PERFECT.search(before):
                    continue
                if _NOW.search(self.words, found.end()) or (found[0] == "过" and _WITHOUT.search(before)):
                    continue
                return "over" if kind == "over" else "was"
        return None

    def is_open(self, *, now: bool) -> bool:
        """Whether what leads to the span says that it may be so; with `now` also that it is yet to come."""
        return bool(_MAYBE.search(self.before) or (now and _TO_COME.search(self.before)))

    def _found(self, marks: re.Pattern[str]) -> str | None:
        led = marks.search(self.lead)
        if led and not _OPENING.fullmatch(self.lead, 0, led.start()):
            led = None
        found = marks.search(self.words) or led or marks.search(self.after)
        return found[0].strip() if found else None


def clause(sentence: str, start: int, end: int) -> Clause:
    """What stands about a span of a sentence."""
    end = max(start, min(end, len(sentence)))
    parts = [(found.start(), found.end()) for found in _PARTS.finditer(sentence)]
    begin = max((last for _, last in parts if last <= start), default=0)
    stop = min((first for first, _ in parts if first >= end), default=len(sentence))
    lead = sentence[:begin]
    first = next((place for place, _ in parts if place > 0), len(sentence))
    # What opens a sentence holds for all of it, but for what a "but" turns.
    governs = first <= _LEAD_CHARS and not _BUT.search(lead, 0, begin)
    after = sentence[stop : stop + _AFTER_CHARS]
    trails = _TRAILS.match(after)
    return Clause(
        sentence[begin:stop].strip(),
        sentence[: first if begin else 0] if governs else "",
        trails[0] if trails else "",
        sentence[begin:start].lstrip(),
    )
