"""
Whole parts of a prompt that the lines around them tell to be another's, blanked as `own_words` blanks.

A mail between its greeting and its name, a talk in a chat, a ticket, a list that is explained afterwards, and
what is to be written in another's voice: a bio, a letter, a part in a play.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import cache
from itertools import pairwise

# A mail has at least its greeting, a line, and its end.
_GREETING = re.compile(
    r"\s*(?:(?:hi|hello|hey|dear|good (?:morning|afternoon|evening))\b(?!.{0,20}\b(?:claude"
    r"|assistant|agent|cursor)\b)"
    r"[^.?!，。]{0,40}[,!:]?|(?:各位|尊敬的|亲爱的|大家|您)[^。？，]{0,12}(?:好|：|:)?[，,！!：:]?)\s*$",
    re.IGNORECASE,
)
_ENDING = re.compile(
    r"\s*(?:best|best regards|kind regards|warm regards|regards|cheers|sincerely|yours(?: sincerely|"
    r" truly)?|thanks"
    r"|many thanks|thank you|br|vg|lg|此致|敬礼|祝好|顺颂商祺|谢谢|多谢|以上)[,.!，。！]?\s*$",
    re.IGNORECASE,
)
_SIGNED = re.compile(r"\s*[-–—~]?\s*[\w\u4e00-\u9fff][\w.\u4e00-\u9fff -]{0,40}\s*$")

# A talk: two lines or more that someone says, in whatever case their names are.
_SAYS = re.compile(
    r"\s*(?:[\[(]?\d\d?[:：]\d\d(?:[:：]\d\d)?(?:\s?[ap]m)?[\])]?\s{0,3})(?:<?@?[\w.\u4e00-\u9fff-]{1,24}>?)\s?[:：]"
    r"|\s*(?:<@?[\w.-]{1,24}>|@[\w.-]{1,24}\s?[:：])\s",
    re.IGNORECASE,
)
_NAME_SAYS = re.compile(r"\s*(?P<name>[a-z][\w.-]{1,15}|[\u4e00-\u9fff]{2,4})\s?[:：]\s?\S", re.IGNORECASE)
# A heading after which a talk, a ticket or a mail stands.
_SOURCE = re.compile(
    r"\s*(?:(?:the |our |a |from (?:the )?|in |on |see )*(?:slack|discord|teams|whatsapp|wechat"
    r"|telegram|irc|chat|thread"
    r"|e?-?mails?|mail|ticket|issue|jira|zendesk|bug report|support|forum|feedback|reviews?|review"
    r" comments?|comments?"
    r"|transcript|minutes|notes from (?!me)[^:]{1,20}|conversation)(?: (?:says?|log|thread|message"
    r"|ticket|comment|from"
    r"|with|#?\d+)\b[^:：\n]{0,30})?"
    r"|(?:群里?|微信|飞书|钉钉)?(?:聊天(?:记录)?|邮件|工单|反馈|对话|评审(?:意见)?|会议纪要|群消息|评论|留言|短信))\s?[:：]\s*$",
    re.IGNORECASE,
)
_TICKET = re.compile(
    r"\s*(?:(?:support |bug |jira )?(?:ticket|issue|case|bug report|incident)\s?(?:#|no\.?|nr\.?)\s?\w+"
    r"|(?:reporter|reported by|submitted by|assignee|priority|severity|labels|ticket id|requester"
    r"|customer)\s?[:：]"
    r"|[A-Z]{2,8}-\d+\s?[:：]|(?:工单|缺陷|需求单)\s?(?:号|编号|#|：)|(?:报告人|提交人|反馈人|优先级)\s?[:：])",
    re.IGNORECASE,
)
# What explains, after it, that all above is someone's or something's.
_EXPLAINS = re.compile(
    r"\s*(?:\^+|(?:these|those|the above|above|all of (?:these|this)|that|this)\s(?:is|are|was"
    r"|were)\s(?:the |a |some |all |from "
    r"|what )?[^.?!\n]{0,30}\b(?:answers?|responses?|e?mails?|messages?|tickets?|comments?|notes of"
    r"|quotes?|reviews?|survey|text"
    r"|letter|transcript|bio|story|lines|sentences|examples?|test data|users?|customers?|he|she|they)\b"
    r"|(?:以上|上面|这些|这是|上述)(?:的)?(?:是|都是|内容)?[^。？！\n]{0,12}(?:问卷|答案|回答|邮件|消息|聊天|评论|反馈|工单|句子|例句|文本|"
    r"台词|对话|用户|客户|简历|文案|数据))",
    re.IGNORECASE,
)
_LINE_CHARS = 400


@cache
def _produced() -> re.Pattern[str]:
    """What asks for words in another's voice, or gives one a part to play."""
    makes = (
        r"(?:write|draft|compose|create|generate|make(?: up)?|invent|give me|come up with|prepare|produce)"
    )
    voices = (
        r"(?:bio(?:graphy)?|persona|cover letter|letter|essay|story|poem|speech|tweet|blog post"
        r"|linkedin post|resume|cv"
        r"|dialog(?:ue)?|monologue|(?:example|sample|test|dummy|fake) (?:sentences?|data|users?"
        r"|inputs?|prompts?|messages?"
        r"|answers?|reviews?|profiles?|strings?)|fixtures?|user stor(?:y|ies)|self[- ]introduction"
        r"|character|testimonials?"
        r"|tagline|slogan|ad copy|out[- ]of[- ]office\w*|placeholder text|(?:welcome |thank[- ]you "
        r"|apology |sick |leave )e?-?mail)"
    )
    mails = r"(?:e-?mail|mail|message|reply|response|answer|note|post|announcement|invitation)"
    chinese_voices = (
        r"(?:自我介绍|简历|故事|文章|信|诗|文案|简介|邮件|请假条|请假邮件|例句|句子|台词|对话|作文|演讲稿|朋友圈|小说|日记"
        r"|用户画像|角色|人设|测试数据|示例|回信|辞职信|求职信|感谢信|检讨|周报范文)"
    )
    return re.compile(
        rf"\b{makes}\b(?: me| us| up)?(?: (?:an?|the|some|my|\d+|two|three|four|five|ten|few|several"
        rf"|short|new|nice|good)\b)"
        rf"{{0,3}}(?: [\w-]{{1,20}}){{0,3}}? {voices}\b"
        rf"|\b(?:write|draft|compose)(?: me)? (?:an?|the|this|my) (?:[\w-]{{1,20}}"
        rf" ){{0,3}}?{mails}\b(?=[^.\n]{{0,80}}[:：])"
        rf"|\b(?:imagine|pretend|suppose|assume)(?: that)? (?:you(?:'re| are)|i(?:'m| am|\swere)"
        rf"|we(?:'re| are)|my name)\b"
        rf"|\broleplay\b|\brole-play\b|\b(?:act|speak|answer|write) as (?:an?|the|if)\b"
        rf"|(?:写|拟|起草|编|生成|造|做|准备|来|给)(?:一?[个篇封段份首条些]|[几两三四五六七八九十\d]+\s?[个篇封段条句])[^，,。：:\n]{{0,10}}?{chinese_voices}"
        rf"|(?:帮我?|给我|请)?(?:写|拟|起草|润色|改写|续写)(?:一下|我的|这)?{chinese_voices}"
        rf"|造句|续写|假装|扮演|(?:假设|想象|假如)(?:一下)?(?:你|我)(?:是|叫|在|住)",
        re.IGNORECASE,
    )


def without_others(text: str) -> str:
    """The text, of the same length, with the lines blanked that those around them tell to be another's."""
    lines = text.split("\n")
    blank: set[int] = set()
    for find in (_mails, _talks, _tickets, _explained):
        blank |= find(lines)
    kept = ["\n" * len(line) if number in blank else line for number, line in enumerate(lines)]
    return _without_produced("\n".join(kept))


def _mails(lines: list[str]) -> set[int]:
    """The lines from a greeting to the name under a mail's end."""
    found: set[int] = set()
    opened: int | None = None
    for number, line in enumerate(lines):
        short = line[:_LINE_CHARS]
        if _GREETING.match(short) and opened is None:
            opened = number
        elif opened is not None and number > opened + 1 and _ENDING.match(short):
            last = number
            for after in (number + 1, number + 2):
                if after < len(lines) and lines[after].strip():
                    last = after if _SIGNED.match(lines[after]) else last
                    break
            found.update(range(opened, last + 1))
            opened = None
    return found


def _talks(lines: list[str]) -> set[int]:
    """The lines of a talk: with times and names, or with names that speak more than once, or under a heading."""
    found: set[int] = set()
    for number, line in enumerate(lines):
        if _SAYS.match(line[:_LINE_CHARS]):
            found.add(number)
        elif _SOURCE.match(line[:_LINE_CHARS]):
            found.update(_paragraph(lines, number))
    names = [_NAME_SAYS.match(line[:_LINE_CHARS]) for line in lines]
    spoken = [match["name"].lower() if match else "" for match in names]
    often = Counter(spoken)
    talking: set[str] = set()
    for one, other in pairwise(spoken):
        if one and other and one != other and max(often[one], often[other]) > 1:
            talking |= {one, other}
    found.update(number for number, name in enumerate(spoken) if name in talking)
    return found


def _paragraph(lines: list[str], number: int) -> range:
    """The lines from one on to the next empty one that does not directly follow it."""
    end = number + 1
    if end < len(lines) and not lines[end].strip():
        end += 1
    while end < len(lines) and lines[end].strip():
        end += 1
    return range(number, end)


def _tickets(lines: list[str]) -> set[int]:
    found: set[int] = set()
    for number, line in enumerate(lines):
        if number not in found and _TICKET.match(line[:_LINE_CHARS]):
            found.update(_paragraph(lines, number))
    return found


def _explained(lines: list[str]) -> set[int]:
    """All lines above the one that says whose they are."""
    for number in range(len(lines) - 1, 0, -1):
        if _EXPLAINS.match(lines[number][:_LINE_CHARS]):
            return set(range(number))
    return set()


def _without_produced(text: str) -> str:
    """Without the rest of a paragraph that asks for words in another's voice; of the prompt, where a colon ends it."""
    pieces: list[str] = []
    at = 0
    for found in _produced().finditer(text):
        if found.start() < at:
            continue
        end = text.find("\n\n", found.end())
        end = len(text) if end < 0 else end
        if text[found.end() : end].rstrip().endswith((":", "：")):
            end = len(text)
        pieces += [text[at : found.end()], "\n" * (end - found.end())]
        at = end
    return "".join([*pieces, text[at:]])
