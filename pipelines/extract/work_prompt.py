"""
A prompt of work with all blanked that is not the user's own, of the same length, as `own_words` does; but what a label
introduces ("Bug:", "# Task", "需求：") is the user's own request, and a body of code goes with the line that begins it.
"""

from __future__ import annotations

import re

from .own_words import own_words

_TICKET = r"(?:[A-Z][A-Z0-9]{1,9}-\d{1,7}|\#\d{1,7})"
# They say that a request follows, and nothing of it.
_ONLY_LEADS = (
    r"(?i:tasks?|requests?|prompt|ask|query|questions?|instructions?|goals?|objective"
    r"|任务|请求|提问|指令|目标)"
)
_SORTS = r"""(?i:bug(?:\ (?:report|fix))?|issue|feat(?:ure)?(?:\ request)?|refactor(?:ing)?|chore|docs?|documentation
  |tests?|problem(?:\ statement)?|to-?do|(?:hot|bug)?fix|ticket|(?:user\ )?story|epic|requirements?|spec|idea|proposal
  |improvement|enhancement|perf(?:ormance)?|clean-?up|urgent|next(?:\ step)?|follow-?up|(?:step|part)\ \d{1,2}|first
  |then|finally|title|description|summary|expected(?:\ (?:behaviou?r|results?))?|actual(?:\ (?:behaviou?r|results?))?
  |steps(?:\ to\ reproduce)?|repro|acceptance(?:\ criteria)?|constraints?|hints?|security|style|incident|regression
  |crash|defect|changes?(?:\ request)?|migration|release|review|research|scope|wip|p[0-4]|help(?:\ wanted)?|look|now
  |updates?|notes?
  |需求|问题|功能(?:需求)?|缺陷|要求|说明|描述|重构|优化|修复|新增|新功能|待办|工单|标题|(?:复现)?步骤|期望|预期(?:结果)?
  |实际(?:结果)?|现象|约束|限制|疑问|建议|改进|测试|文档|紧急|下一步|第[一二三四五六\d]步|题目|作业|补充)"""
_SCENES = r"(?i:context|background|environment|setup|背景|上下文|环境|前提)"
# A program's own way of speaking, unless a person goes on.
_FAULTS = r"(?i:errors?|warnings?|报错|错误)"
_PERSONAL = re.compile(
    r"\b(?:please|pls|plz|i|we|my|our|me|us|you|fix|why|how|can|could)\b|[?？]|[我你请帮]|怎么|为什么"
    r"|为何|如何|修",
    re.IGNORECASE,
)
_ADDRESSED = (
    r"(?:(?i:hi|hey|hello|dear)\ @?[\w-]{1,20}(?:\ [\w-]{1,20})?"
    r"|(?i:你好|您好)[，, ]?[\w\u4e00-\u9fff]{0,10}|@[\w.-]{1,30})"
)
_LABEL = re.compile(
    rf"""^(?P<mark>[ \t]{{0,8}}(?:\#{{1,6}}[ \t]+|[-*][ \t]+)?(?:\*\*|__)?\[?)
    (?:(?P<lead>{_ONLY_LEADS}|{_ADDRESSED})|(?P<fault>{_FAULTS})|(?P<sort>{_SORTS}|{_SCENES}|{_TICKET}))
    (?P<more>(?:[ \t]{{1,2}}(?:{_TICKET}|\d{{1,6}}))?(?:[ \t]?[(\[（【][^)\]）】\n]{{1,20}}[)\]）】])?\]?(?:\*\*|__)?)
    (?P<colon>[ \t]?[:：](?!//)(?:\*\*|__)?)""",
    re.VERBOSE | re.MULTILINE,
)
_HEADING = re.compile(
    rf"^[ \t]{{0,3}}\#{{1,6}}[ \t]+(?:\*\*)?(?:{_ONLY_LEADS}|{_SORTS}|{_SCENES}"
    rf"|{_FAULTS})(?:\*\*)?[ \t]*[:：]?[ \t]*$",
    re.VERBOSE | re.MULTILINE,
)
_TAG = re.compile(
    r"</?(?:task|request|prompt|question|query|instructions?|issue|bug|goal|user_?(?:query|request"
    r"|message|input)"
    r"|requirements?|ticket|任务|需求|问题)\s?>",
    re.IGNORECASE,
)
# Where nothing else is the user's own: a line with whatever label, one that is quoted or a heading as a whole.
_WHOLE = re.compile(
    r"""[ \t]{0,8}(?:[>\#]{1,6}[ \t]+)?(?:
        @?[^\W\d_][^:：\n"'`]{0,39}[:：](?!//)[ \t]*
      |["“「『'])?
    (?P<said>[^\n]{2,400}?)["”」』']?[ \t]*(?=\n|\Z)""",
    re.VERBOSE,
)
_MARKED = re.compile(r"[ \t]{0,8}(?:[>#]{1,6}[ \t]+|[\"“「『']|@?[^\W\d_][^:：\n\"'`]{0,39}[:：](?!//))")
_NO_LINE = re.compile(
    r"\s*(?:[\d\[(<{|$%]|at\s|File\s|\S{0,80}[\\/]\S{0,80}:\d|(?:[A-Z]{4,8}|\w{0,60}(?:[Ee]rror"
    r"|Exception|Warning))\b\s?:)"
)

# The line that begins a body of code, and what belongs to it without being indented. Sentences begin with the same
# words ("import the users", "for the login page:"), so each has what only code has.
_OPENS = re.compile(
    r"(?:(?:async|export|default|public|private|protected|static|final|abstract|pub|unsafe) )*(?:"
    r"def \w+\(.*|(?:function|func|fn)\b ?(?:\([^)]*\) ?)?[\w<>]*\(.*[{):]"
    r"|(?:class|interface|struct|enum|impl|trait|namespace|object) [\w<>, ]+(?:\(.*\))?(?: (?:extends"
    r"|implements|for) [\w<>., ]+)?\s?[:{]"
    r"|(?:const|let|var) (?:\w+|[{\[].*[}\]])\s?(?::[^=]*)?=.*"
    r"|(?:if|for|while|switch|catch)\s?\(.*\)\s?\{?|(?:if|elif|while) .*(?:[=!<>]=|[()\[\]<>]).*:"
    r"|for \w+(?:, ?\w+)* in \S+:"
    r"|with \S+\(.*:|try\s?[:{]|@\w[\w.]*\(.*\)|#include\s?[<\"].*|package [\w.]+;?|using [\w.]+;"
    r"|from [\w.]+ import .*|import (?:[\w*{}, ]+ from )?['\"].*|import [\w.]+;|[}{\[\]();]+"
    r")\s*(?:#.*|//.*)?"
)
_GOES_WITH = re.compile(
    r"(?:import [\w.]+(?:, ?[\w.]+)*(?: as \w+)?|@[\w.]+"
    r"|[A-Za-z_][\w.\[\]\"']*(?:\s*:\s*[\w\[\], .]+)?\s*[-+*/|&]?=\s?\S.*"
    r"|[A-Za-z_][\w.]*\(.*\)[;:]?|[{}\[\]();,]+|(?:else|try|finally|except|catch|do)\b.*[:{]|return\b.*"
    r"|(?:pass|break|end|fi|esac)\b;?)\s*"
)


def own_prompt(text: str) -> str:
    """The prompt, of the same length, with what is not a sentence of the user's own blanked."""
    opened = _TAG.sub(_blank, text)
    opened = _HEADING.sub(_blank, opened)
    opened = _LABEL.sub(_opened, opened)
    # Before `own_words`, for which the words below a body of code are part of it.
    return own_words(_without_code(opened))


def only_line(text: str) -> tuple[int, int] | None:
    """Where the one line of a prompt stands that is a request under a mark of its own; None where none is."""
    start = len(text) - len(text.lstrip())
    line = text[start : start + 600].partition("\n")[0]
    others = [each for each in text[start + len(line) :].splitlines() if each.strip()]
    if not _MARKED.match(line) or _NO_LINE.match(line) or any(_MARKED.match(each) for each in others[:20]):
        return None
    found = _WHOLE.match(text, start)
    return found.span("said") if found and not _OPENS.fullmatch(found["said"]) else None


def sets_the_scene(sentence: str) -> bool:
    """Whether a sentence stands under a label that says that it is not the request."""
    return re.match(rf"{_SCENES}\s?[:：]", sentence) is not None


def _blank(found: re.Match[str]) -> str:
    return " " * len(found[0])


def _opened(found: re.Match[str]) -> str:
    """A label that no longer looks like a speaker's name: blanked, or only its colon."""
    if found["fault"] and not _PERSONAL.search(found.string, found.end(), found.end() + 400):
        return found[0]
    if found["lead"]:
        return _blank(found)
    return (
        " " * len(found["mark"])
        + found[0][len(found["mark"]) : -len(found["colon"])]
        + ","
        + " " * (len(found["colon"]) - 1)
    )


def _without_code(text: str) -> str:
    """Without a body of code that was pasted without a fence: its first line, and what is indented below or goes on."""
    lines = text.split("\n")
    kept, inside = [], False
    for number, line in enumerate(lines):
        if bare := line.strip()[:1000]:
            inside = _OPENS.fullmatch(bare) is not None or (
                (line[0] in " \t" or _GOES_WITH.fullmatch(bare) is not None)
                if inside
                else _leads_to_code(lines, number)
            )
        kept.append(" " * len(line) if inside and bare else line)
    return "\n".join(kept)


def _leads_to_code(lines: list[str], number: int) -> bool:
    """Whether a line that alone may be words or code stands above another that is code: `import os`."""
    below = [bare for line in lines[number : number + 6] if (bare := line.strip()[:1000])]
    if not _GOES_WITH.fullmatch(below[0]):
        return False
    return any(
        all(_GOES_WITH.fullmatch(one) for one in below[:at])
        for at, one in enumerate(below)
        if at and (_OPENS.fullmatch(one) or _GOES_WITH.fullmatch(one))
    )
