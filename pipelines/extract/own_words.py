"""
A prompt with all blanked that is not the user's own sentence: code, logs, pages, mails, quoted people.

Every character that is blanked stays one character, so offsets hold. Whole lines become line breaks; what is
quoted within a sentence becomes `OPAQUE`, which may be part of a value but starts no statement.
"""

from __future__ import annotations

import re
from functools import cache

from .chat_introduced import without_introduced
from .chat_pasted import without_others

OPAQUE = "\ue000"

# A paragraph with this share of machine-made lines is machine-made.
_LOG_SHARE = 0.5
# What follows a line that only points at something ("this error") is taken for it from so many characters on.
_LONG_PASTE_CHARS = 300

_FENCE = re.compile(r"^[ \t]{0,8}(?:[>*-] ?)?(`{3,}|~{3,})", re.MULTILINE)
_TAGGED = re.compile(r"<([A-Za-z][\w-]{0,30})(?:\s[^<>]{0,200})?>")
_INLINE = re.compile(
    r"""(`{1,2})[^`\n]{1,400}\1|"[^"\n]{1,400}"|“[^”\n]{1,400}(?:”|$)|‘[^’\n]{2,400}’"
    r"|「[^」\n]{1,400}」|『[^』\n]{1,400}』"""
    r"""|《[^》\n]{1,100}》|(?<!\w)'[^'\n]{2,200}'(?!\w)|https?://[^\s，。；）]{0,399}[^\s，。；）.,;:!?]""",
    re.MULTILINE,
)
_MACHINE_LINE = r"""
    \s*(?:>|\|)                                              # quoted, a table
  | \s*[\[(]?\d{4}[-/.]\d\d?[-/.]\d\d?[T\s]\s?\d\d?:\d\d      # a time stamp
  | \s*[\[(]?\d\d?:\d\d:\d\d
  | \s*\S{1,24}(?:\ \S{1,24})?\s{1,4}(?:\d{4}[-/.]\d\d?[-/.]\d\d?\ )?\d\d?:\d\d(?::\d\d)?(?:\ ?[ap]m)?\s*$  # who, when
  | \s*\[?(?:TRACE|DEBUG|INFO|WARN(?:ING)?|ERROR|FATAL|CRITICAL)\b[\]:\s]
  | \s*(?:Traceback\ \(most|Caused\ by:|Exception\ in\ |\w{0,60}(?:Error|Exception|Warning):\s)
  | \s*(?:at\ [\w$.<>]{1,200}\ ?\(|File\ "[^"\n]{1,300}",\ line)
  | \s*(?:\$|%|>>>|\.\.\.|PS\ [A-Z]:[^>]{0,200}>|\w{1,30}@[\w-]{1,60}[:\s][^$#]{0,100}[$#])\s
  | (?:diff\ --git|index\ [0-9a-f]{7}|@@|\+\+\+|---|\+|-(?![\s-]))
  | \s*(?:npm|yarn|pip|cargo|gcc|error|warning|fatal)(?:\[\w+\]|\ (?:ERR!?|WARN))?!?:\s
  | \s*[{}\[\]();]{1,8},?\s*$
  | \s*"[^"\n]{1,80}"\s*:
  | \s*</?[A-Za-z!]
  | \s*(?:import|from(?!\ now)|def|class|function|const|let|var|return|public|private|\#include)\s
        [^。，]{0,300}[;{:()=]\s*$
"""
# Someone's name and a colon: a line of a talk. What may stand so and is the user's own is named.
_SPEAKER = r"""
    \s*(?:[-*]\ )?(?:\[[\d:\s.-]{3,20}\]\s?)?
    (?!(?:notes?|remember|reminder|ps|p\.s\.|fyi|btw|todo|also|important|correction|update|edit|plan|goals?|decision
        |preferences?|my|i|we|our|about|rules?|for|from\ now|one\ more|another|setup|context|background|in)\b
      |[^:：\n]{0,8}(?:记住|记一?下|记得|另外|注意|备注|补充|说明|更正|我|背景|环境|以后|今后|要求|规则|偏好|习惯|决定|结论|计划
        |目标|顺便|还有|提醒|忘))
    (?:[A-Z][\w.'-]{0,20}(?:\ [A-Z][\w.'-]{0,20})?|[\u4e00-\u9fff]{2,4}|@[\w.-]{1,30}
      |user|assistant|human|system|ai|bot)
    (?:\s?[\[(][^\])\n]{1,30}[\])])?\s?[:：](?!//|\d)
"""
# From here on it is a mail, a page or a document that someone else wrote.
_FOREIGN_FROM = r"""
    \s*(?:From|To|Cc|Subject|Sent|Date|Reply-To|发件人|收件人|主题|抄送|发送时间|寄件者|主旨)\s?[:：]
  | .{0,20}(?:Forwarded\ message|Original\ Message|原始邮件|转发的?邮件|转发：)
  | \#{1,6}\s
  | \s*https?://\S{1,500}\s*$
  | (?:---|\+\+\+)\s*$
  | On\ .{5,80}\ wrote:\s*$
"""
_PASTE = (
    r"(?:\b(?:logs?|errors?|output|(?:stack )?traces?|page|website|site|article|posts?"
    r"|e?mails?|messages?|threads?|tickets?|issues?"
    r"|comments?|reviews?|feedback|docs?|documentation|readme|transcript|conversation|chat"
    r"|text|paragraph|snippet|code|diff"
    r"|file|configs?|spec|quote|letter|sentences?|story|prompt|bio|tweet|answer|interview|survey)\b"
    r"|日志|报错|错误|输出|网页|网站|页面|文章|帖子|邮件|消息|评论|反馈|文档|对话|聊天|记录|文字"
    r"|文本|段落|一段|段话|代码|配置|需求|句子|句话"
    r"|原文|译文|公告|通知|采访|简历|自我介绍|讨论|内容|小说|故事|问卷)"
)
_POINTS = (
    r"(?:\b(?:this|these|following|below|here(?:'s|\sis|\sare)|says?|said|wrote|reads|got|see|gives?|sent)\b"
    r"|下面|以下|如下|这[段篇封个条份些]|说|写道)"
)
_WORKS_ON = (
    r"(?:\b(?:translate|rewrite|rephrase|proofread|summari[sz]e|paraphrase|polish"
    r"|correct the grammar|classify|grammar|reply to"
    r"|respond to|extract|label (?:each|these|the following)|sort (?:these|the following)|for"
    r" example|such as|something like"
    r"|along the lines of)\b|翻译|翻成|译成|改写|润色|总结|概括|校对|提取|摘要|纠错|续写|分类|归类|打标签|例如|比如)"
)


@cache
def _line(source: str) -> re.Pattern[str]:
    return re.compile(source, re.VERBOSE | re.IGNORECASE)


@cache
def _speaker() -> re.Pattern[str]:
    # A name has its capital; the words that are none may be written either way.
    return re.compile(_SPEAKER.replace("(?!(?:notes", "(?!(?i:notes"), re.VERBOSE)


@cache
def _introductions() -> tuple[tuple[str, re.Pattern[str]], ...]:
    """What says that the words after it are from elsewhere, surest first."""
    sources = {
        "works": rf"{_WORKS_ON}[^:：\n]{{0,80}}[:：]",
        "says": (
            r"\b(?:says?|said|wrote|writes|reads|posted|sent(?: me| us)?|shared|commented|replied"
            r"|answered|tweeted)\s?:"
        ),
        "colon": rf"(?:{_PASTE}[^:：\n]{{0,60}}|{_POINTS}[^:：\n]{{0,20}}{_PASTE}[^:：\n]{{0,40}})[:：]\s*$",
        "below": r"\b(?:below|following)\b|下面|以下|如下",
        "points": rf"{_POINTS}.{{0,30}}{_PASTE}|{_WORKS_ON}",
    }
    return tuple((name, re.compile(source, re.IGNORECASE)) for name, source in sources.items())


_OWN_LIST = re.compile(
    r"\b(?:about me|my (?:preferences|rules|setup|environment|habits|goals|plans?|stack)"
    r"|remember|keep in mind)\b"
    r"|我的|关于我|记住|记一?下|我喜欢|我们的",
    re.IGNORECASE,
)


def own_words(text: str) -> str:
    """The text, of the same length, with what the user did not write as a sentence of their own blanked."""
    source = text
    text = _without_fences(text)
    text = _without_tagged(text)
    text = _without_quoted_lines(text)
    text = without_others(text)
    text = without_introduced(text, source)
    text = _INLINE.sub(lambda found: OPAQUE * len(found.group()), text)
    return _without_pasted_lines(text)


def _without_fences(text: str) -> str:
    """Without fenced code; a fence that is never closed goes to the end."""
    pieces: list[str] = []
    at = 0
    opened: tuple[int, str] | None = None
    for found in _FENCE.finditer(text):
        if opened is None:
            opened = found.start(), found.group(1)
        elif found.group(1).startswith(opened[1]):
            line_end = text.find("\n", found.end())
            stop = len(text) if line_end < 0 else line_end
            pieces += [text[at : opened[0]], "\n" * (stop - opened[0])]
            at, opened = stop, None
    if opened is not None:
        return "".join([*pieces, text[at : opened[0]], "\n" * (len(text) - opened[0])])
    return "".join([*pieces, text[at:]])


def _without_tagged(text: str) -> str:
    """Without what stands between a tag and its closing one."""
    pieces: list[str] = []
    at = 0
    # Where each name is last closed: a tag without its end costs no search.
    closed: dict[str, int] = {}
    for found in re.finditer(r"</([A-Za-z][\w-]{0,30})\s?>", text):
        closed[found.group(1).lower()] = found.end()
    for found in _TAGGED.finditer(text):
        end = closed.get(found.group(1).lower(), 0)
        if found.start() >= at and end > found.end():
            pieces += [text[at : found.start()], "\n" * (end - found.start())]
            at = end
    return "".join([*pieces, text[at:]])


def _without_quoted_lines(text: str) -> str:
    """Without quotations that begin a line and run over several."""
    for opening, closing in (('"', '"'), ("“", "”"), ("「", "」"), ("'''", "'''")):
        pieces: list[str] = []
        at = 0
        for found in re.finditer("^" + opening, text, re.MULTILINE):
            end = text.find(closing, found.end())
            if end < 0:
                break
            if found.start() >= at and "\n" in text[found.end() : end]:
                pieces += [text[at : found.start()], "\n" * (end + len(closing) - found.start())]
                at = end + len(closing)
        text = "".join([*pieces, text[at:]])
    return text


def _without_pasted_lines(text: str) -> str:
    lines = text.split("\n")
    kept: list[str] = []
    paragraph: list[int] = []
    foreign = False
    rest = len(text)
    for number, line in enumerate(lines):
        rest -= len(line) + 1
        if foreign or _line(_FOREIGN_FROM).match(line):
            foreign = True
            kept.append("\n" * len(line))
            continue
        if not line.strip():
            _settle(kept, lines, paragraph)
            paragraph = []
        else:
            paragraph.append(number)
        introduced = _introduced(line, rest)
        if introduced is not None:
            kept.append(line[:introduced] + "\n" * (len(line) - introduced))
            foreign = True
        else:
            kept.append(line)
    _settle(kept, lines, paragraph)
    return "\n".join(kept)


def _settle(kept: list[str], lines: list[str], paragraph: list[int]) -> None:
    """Blank the machine-made lines and those of a talk in a paragraph; all of it where they are most of it."""
    odd = [
        number
        for number in paragraph
        if _line(_MACHINE_LINE).match(lines[number][:1000]) or _speaker().match(lines[number][:200])
    ]
    if odd and len(odd) >= len(paragraph) * _LOG_SHARE:
        odd = list(range(odd[0], paragraph[-1] + 1))
    for number in odd:
        kept[number] = "\n" * len(lines[number])


def _introduced(line: str, rest: int) -> int | None:
    """From where a line is no longer the user's own, and all after it; None where it is."""
    line = line[:2000]
    said = {name: found.end() for name, pattern in _introductions() if (found := pattern.search(line))}
    for sure in ("works", "says"):
        if sure in said:
            return said[sure]
    own = _OWN_LIST.search(line)
    if not said or rest <= 0 or (own and not re.search(_POINTS, line[: own.start()], re.IGNORECASE)):
        return None
    pasted = re.search(_PASTE + "|" + _WORKS_ON, line, re.IGNORECASE)
    if "colon" in said or ("below" in said and pasted) or ("points" in said and rest >= _LONG_PASTE_CHARS):
        return len(line)
    return None
