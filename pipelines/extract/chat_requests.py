"""What a sentence asks in so many words to remember or to forget, as drafts."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from .attributes import attribute
from .chat_frame import is_labelled
from .chat_rule import MARKS, Language, trimmed
from .chat_sentence import Said, languages, said
from .chat_statements import stated
from .drafts import Draft
from .questions import is_joke, is_reported, is_supposed
from .sentences import starts

# What was asked for in so many words.
_REMEMBERED_IMPORTANCE = 0.8
_THIS_PROMPT = re.compile(
    r"(?:any of )?(?:this|that|these|it)(?: \w{1,20})?|这[个些条段句]?(?:话|内容|信息)?|上面(?:的"
    r"|这些)?.{0,4}",
    re.IGNORECASE,
)
# What leads to a statement, and to nothing else.
_LEADS = re.compile(r"(?:[:：]|\bthat)\s*$", re.IGNORECASE)
_ENDS_WITH_MARK = re.compile(r"[:：,，\s]\s*$")
# Around the topic of what is to be forgotten, and no part of it.
_BEFORE_TOPIC = re.compile(
    r"(?:(?:this|that|it|these|the following)(?: (?:in|to|into) (?:your )?memory)?\s?[:：]\s?"
    r"|that (?:i|we)(?:'ve| have)? (?:just |once |ever )?(?:said|told you|mentioned|wrote)(?:"
    r" that)?\s|that (?=i\b|i'm|my|we|our)"
    r"|(?:about|on)\s|(?:everything|all|anything|what(?:ever)?)\s(?:about\s)?"
    r"|(?:这个|这件事|这点|下面(?:的|这个|这条)?|以下(?:的|内容)?)\s?[:：，,]\s?|下面这个|下面的|我(?:之前|以前|刚才|上次|昨天)?(?:跟你|和你|对你"
    r"|告诉你?)?(?:说|讲|提)过?的(?:那个|那些|关于)?|(?:所有)?关于)*",
    re.IGNORECASE,
)
_DETERMINERS = re.compile(
    r"(?:(?:the|my|our|a|an|those|these|your|all|any)\s|我的|我们的|我(?=[之以]?前?的)|那个|那些|这个|这些|的)*",
    re.IGNORECASE,
)
_AFTER_TOPIC = re.compile(
    r"(?:\s(?:any\s?more|any longer|again|please|thing|things|stuff|entirely|completely)|(?:(?:都"
    r"|给)?(?:忘掉|忘了|忘记)|了?这件事情?|这回事|这个事情?|那件事"
    r"|的?事情?|的?事儿|的东西|的内容|的信息|的话|这一?点|了|吧|好吗))$",
    re.IGNORECASE,
)
# Before what is to be remembered in another language than it is asked for in ("remember that 王芳 …").
_THAT = re.compile(r"that\s+(?!one\b|is\b|was\b)", re.IGNORECASE)
# What is asked for by what it is of the user, and not by its value ("where I live").
_OF_THE_USER = {
    "lives:city": r"where (?:i|we) live|(?:home )?address|home(?:town)?|city"
    r"|住址|地址|住哪[里儿]?|住的?地方|(?:所在)?城市|家在哪里?",
    "is:name": r"(?:first |last |full )?name|what i(?:'m| am) called|名字|姓名|叫什么",
    "is:nickname": r"nickname|昵称|外号",
    "is:english name": r"english name|英文名",
    "works:employer": r"(?:job|employer|company|workplace)|where (?:i|we) work"
    r"|工作单位|公司|单位|在哪[里儿]?(?:工作|上班)",
    "works:team": r"team|which team i(?:'m| am) (?:in|on)|团队|部门",
    "is:role": r"role|position|job title|title|profession|what i do|职业|职位|岗位",
    "is:time zone": r"time ?zone|时区",
    "is:pronouns": r"pronouns|人称代词|代词",
    "is:native language": r"(?:native language|mother tongue)|母语",
    "uses:editor": r"editor|ide|编辑器",
    "uses:operating system": r"os|operating system|操作系统|系统",
    "uses:shell": r"shell",
    "uses:browser": r"browser|浏览器",
    "uses:machine": r"(?:laptop|computer|machine)|电脑|笔记本",
    "prefers:theme": r"theme|主题",
}


def explicit(sentence: Said, after: str) -> list[Draft]:
    """What a sentence asks in so many words to remember or forget, and what it states around; [] for nothing."""
    words = sentence.words
    for at, _ in () if is_joke(words, after) else starts(words):
        for language in languages(words):
            if is_reported(words, at) or is_labelled(words, at, language):
                continue
            asked = language.forget.match(words, at)
            if asked and not is_supposed(words, at):
                return [*_before(sentence, at, after), *_forgetting(sentence, asked, language, after)]
            asked = language.remember.match(words, at)
            if asked and not _is_recalled(sentence, asked, language):
                led = _LEADS.search(asked.group()) is not None
                found = remembered(_part(sentence, asked.end(), len(words)), after, led=led)
                if found:
                    return [*_before(sentence, at, after), *found]
    return []


def remembered(content: Said, after: str, *, led: bool) -> list[Draft]:
    """
    What is to be remembered: the statements in it where rules know any, else its words as a plain fact; as that too
    where they would only end what may not be there. `led`: what leads to it says that it is a statement.
    """
    for kind in languages(content.words):
        unfit = kind.no_remembering.match(content.words.lstrip(MARKS))
        if unfit and not (led and unfit["unled"]):
            return []
    found = stated(content, after)
    if not found or found[0].start > content.start + len(content.words) // 3:
        return _noted(content)
    note = next(iter(_noted(content)), None)
    return [
        replace(
            draft,
            importance=max(draft.importance, _REMEMBERED_IMPORTANCE),
            confidence=1.0,
            otherwise=note if draft.asks == "end" else None,
        )
        for draft in found
    ]


def _noted(content: Said) -> list[Draft]:
    """All the words of what is to be remembered, as a plain fact."""
    language = next(languages(content.words))
    start, end = trimmed(content.words, 0, len(content.words))
    if that := _THAT.match(content.words, start, end):
        start = that.end()
    value = content.text(start, end)
    if len(value.strip("\"'`“”‘’「」『』《》 ")) < 2:
        return []
    why = language.why.search(content.words, start, end)
    qualifiers = {"why": content.text(*trimmed(content.words, *why.span("why")))} if why else {}
    asks = language.no_remembering.match(value)
    one = None if asks and asks["unled"] else attribute(value)  # "if CI is red" says nothing of CI
    of = _data("notes", value, **qualifiers)
    if one is not None:
        of = {"subject": one.thing, "predicate": "is", "value": one.value, "qualifiers": qualifiers}
    return [
        Draft(
            "fact",
            " ".join(value.split()),
            value,
            content.start + start,
            content.start + end,
            slot=one.slot if one else None,
            data=of,
            importance=_REMEMBERED_IMPORTANCE,
        )
    ]


def _is_recalled(sentence: Said, asked: re.Match[str], language: Language) -> bool:
    """
    Whether "remember" asks for nothing to be kept: it reminds of something for this task ("remember that bug?"),
    or is part of a name ("记住密码的功能").
    """
    words = sentence.words
    content = words[asked.end() :]
    if ("?" in sentence.mark or "？" in sentence.mark) and not language.asks_politely.match(asked.group()):
        return True
    marked = _ENDS_WITH_MARK.search(asked.group()) and (":" in asked.group() or "：" in asked.group())
    recalled = language.recalled.match(content)
    if recalled and not (marked and recalled["unled"]):
        return True
    if marked:
        return False
    if language.reminds.search(asked.group()) and not language.lasting.search(content):
        return True
    return not language.verbs.search(content)


def _part(sentence: Said, start: int, end: int) -> Said:
    """A part of a sentence, as one that is no question."""
    return said(sentence.prompt, sentence.start + start, sentence.start + end)


def _before(sentence: Said, at: int, after: str) -> list[Draft]:
    return stated(_part(sentence, 0, at), after) if at else []


def _forgetting(sentence: Said, asked: re.Match[str], language: Language, after: str) -> list[Draft]:
    """The request to forget, with the bare topic as its value, and what is stated after it."""
    words = sentence.words
    start, end = trimmed(words, *asked.span("value"))
    more = language.another.search(words, start, end)
    rest = stated(_part(sentence, more.end(), len(words)), after) if more else []
    if more:
        start, end = trimmed(words, start, more.start())
    content = sentence.text(start, end)
    begin, stop = asked.start(), max(end, asked.start("value"))
    quote = sentence.text(begin, stop)
    this = not content or _THIS_PROMPT.fullmatch(content)
    if this:
        data = _data("forget", content, target="turn")
    else:
        value, slot = _topic(sentence, start, end, after)
        data = _data("forget", value) | ({"slot": slot} if slot else {})
    forget = Draft(
        "fact",
        content or quote,
        quote,
        sentence.start + begin,
        sentence.start + stop,
        asks="forget",
        data=data,
        importance=0.9,
    )
    return [forget, *rest]


def _topic(sentence: Said, start: int, end: int, after: str) -> tuple[str, str | None]:
    """The bare words of what is to be forgotten and, where they name a slot or a statement in one, that slot."""
    words = sentence.words
    start = _end_of(_BEFORE_TOPIC, words, start, end)
    for _ in range(3):
        ends = _AFTER_TOPIC.search(words, start + 1, end)
        end = ends.start() if ends else end
    # "忘记我喜欢 vim": the subject has been read with the request.
    from_me = start - 1 if words[max(start - 1, 0) : start] == "我" else start
    for draft in stated(_part(sentence, from_me, end), after):
        return str(draft.data["value"]), None
    start = _end_of(_DETERMINERS, words, start, end)
    bare = words[start:end].strip()
    for slot, names in _OF_THE_USER.items():
        if re.fullmatch(rf"(?:我|的)*(?:{names})", bare, re.IGNORECASE):
            return sentence.text(start, end).strip(), slot
    return sentence.text(start, end).strip() or sentence.text(from_me, end), None


def _end_of(pattern: re.Pattern[str], words: str, start: int, end: int) -> int:
    found = pattern.match(words, start, end)
    return found.end() if found and found.end() < end else start


def _data(predicate: str, value: str, **qualifiers: Any) -> dict[str, Any]:
    return {"subject": "user", "predicate": predicate, "value": value, "qualifiers": qualifiers}
