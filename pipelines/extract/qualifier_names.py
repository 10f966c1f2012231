"""The names of limits: the usual places, times and purposes by one name in both languages, others in their words."""

from __future__ import annotations

import re

# By their name here; each alternative is a whole limit without its preposition.
_TIMES = {
    "weekday": r"weekdays?|work ?days?|working days?|week|business days?|工作日|平日|周中|周一[到至]周?五",
    "weekend": r"weekends?|周末|双休日|休息日",
    "spring": r"spring(?:time)?|春天|春季",
    "summer": r"summers?(?:time)?|夏天|夏季|暑假",
    "autumn": r"autumn|fall|秋天|秋季",
    "winter": r"winters?(?:time)?|冬天|冬季|寒假",
    "night": r"nights?|evenings?|晚上|夜里|夜间|夜晚|晚间|深夜|半夜",
    "day": r"day(?:time)?|days|白天|日间",
    "morning": r"mornings?|早上|早晨|上午|清晨",
    "afternoon": r"afternoons?|下午|午后",
    "travel": r"travel(?:l?ing)?|i(?:'m| am) travell?ing|i travel|trips?|business trips?|(?:the|my) (?:road"
    r"|go)|旅行|旅途|出差|出门",
    "monday": r"mondays|(?:every|each) monday|每个?(?:周|星期|礼拜)一",
    "tuesday": r"tuesdays|(?:every|each) tuesday|每个?(?:周|星期|礼拜)二",
    "wednesday": r"wednesdays|(?:every|each) wednesday|每个?(?:周|星期|礼拜)三",
    "thursday": r"thursdays|(?:every|each) thursday|每个?(?:周|星期|礼拜)四",
    "friday": r"fridays|(?:every|each) friday|每个?(?:周|星期|礼拜)五",
    "saturday": r"saturdays|(?:every|each) saturday|每个?(?:周|星期|礼拜)六",
    "sunday": r"sundays|(?:every|each) sunday|每个?(?:周|星期|礼拜)[日天]",
    "holiday": r"holidays?|vacations?|假期|节假日|放假",
}
_PLACES = {
    "home": r"home(?: office)?|house|my place|家|家里|家中|自己家|家庭|家用",
    "work": r"work|business|office|job|company|day job|公司|公司里|办公室|单位|工作|上班",
    "school": r"school|university|uni|campus|学校|大学",
    "personal": r"(?:personal|side|hobby|private|own) (?:projects?|things|stuff|use|work)|personal|private"
    r"|个人项目|私人项目"
    r"|业余项目|个人|私人",
}
_PURPOSES = {
    "analytics": r"analytics?|data analy(?:sis|tics)|数据分析|分析",
    "web app": r"web ?apps?|web applications?|websites?|web|网站|web\s?应用|网页应用",
    "backend": r"back-?ends?|server[- ]side|后端|服务端",
    "frontend": r"front-?ends?|client[- ]side|前端|客户端",
    "script": r"scripts?|scripting|shell scripts?|脚本",
    "test": r"tests?|testing|unit tests?|测试|测试环境|单测|单元测试",
    "docs": r"docs?|documentation|文档",
    "code review": r"code reviews?|reviews?|代码评审|代码审查|评审|code\s?review",
    "chat": r"chats?|chatting|聊天|对话|闲聊",
    "commit message": r"commits?|commit messages?|提交信息|提交说明|commit",
    "comment": r"comments?|code comments?|注释|代码注释",
    "production": r"prod(?:uction)?|生产|生产环境|线上|线上环境",
    "staging": r"staging|预发|预发环境",
    "development": r"development environment|dev(?: environment)?|开发环境",
    "server": r"servers?|服务器",
    "terminal": r"terminals?|command line|终端|命令行",
    "email": r"e-?mails?|邮件",
    "go": r"go(?:lang)?",
    "javascript": r"js|javascript",
    "typescript": r"ts|typescript",
    "machine learning": r"machine learning|ml|机器学习",
    "gaming": r"gaming|games|游戏",
    "coding": r"coding|programming|development|writing code|i code|i program|写代码|敲代码|编程|写程序",
    "meeting": r"meetings?|会议|开会",
}
TIMES = frozenset(_TIMES)


def _table(*groups: dict[str, str]) -> tuple[tuple[str, re.Pattern[str]], ...]:
    return tuple(
        (named, re.compile(words, re.IGNORECASE)) for group in groups for named, words in group.items()
    )


_KNOWN = _table(_TIMES, _PLACES, _PURPOSES)
_STARTS = re.compile(
    r"(?:(?:the|my|our|a|an|all|any|every|each|most|of|both|some|much|course of the|case of)\s)+",
    re.IGNORECASE,
)
_ROUNDS_OFF = re.compile(
    r"\s(?:now|currently|please|too|again|only|though|anymore|nowadays|these days|as well|instead|always"
    r"|mostly|btw)$",
    re.IGNORECASE,
)
_OF_CODE = re.compile(
    r"(?<=\w)\s(?:code|files?|projects?|codebases?|repos?)$|(?<=[a-z])\s?(?:代码|项目|文件)$", re.IGNORECASE
)


def name(what: str) -> str | None:
    """The name of a limit; None for words that limit nothing."""
    plain = " ".join(what.casefold().split()).strip(" .'\"“”")
    for _ in range(2):
        plain = _ROUNDS_OFF.sub("", plain)
    plain = _STARTS.sub("", plain, count=1) if not _is_known(plain) else plain
    if (known := _is_known(plain)) is not None:
        return known
    short = _OF_CODE.sub("", plain)
    if not short or short in _EMPTY:
        return None
    return _is_known(short) or re.sub(r"(?<=[a-z]{3})(?<!s)s$", "", short)


def _is_known(plain: str) -> str | None:
    return next((named for named, pattern in _KNOWN if pattern.fullmatch(plain)), None)


def is_usual(what: str) -> bool:
    """Whether a limit is a usual one, with a name of its own."""
    return _is_known(what.casefold()) is not None


_EMPTY = frozenset((
    "code", "programs", "files", "projects", "project", "代码", "程序",
    "东西", "项目", "开发", "软件", "文件", "电脑", "电脑上", "电脑里",
))  # fmt: skip


def everywhere(what: str) -> bool:
    """Whether the words after a preposition take in everything."""
    return _ALL.fullmatch(" ".join(what.split())) is not None


_ALL = re.compile(
    r"(?:everything|everywhere|anything|whatever i do|general use|all cases|all purposes|all of (?:it|them)"
    r"|(?:all|every|each)(?: of)?(?: my| our| the)? (?:projects?|repos?|work|things?|machines?|devices?"
    r"|computers?|apps?"
    r"|editors?|code|uses?|tasks?|languages?|jobs?|places?))(?: now| from now on| i do| else)?",
    re.IGNORECASE,
)


def no_limit(by: str, what: str) -> bool:
    """Whether the words after a preposition are a reason, a manner or a time that passes, and no limit."""
    pattern = _NO_LIMITS.get(by)
    return (pattern is not None and pattern.match(what) is not None) or _OF_THIS.match(what) is not None


_OF_THIS = re.compile(
    r"(?:me|us|you|him|her|them|it|this|that|these|those|its|their|his|which|whom|what|how|why)\b"
    r"|(?:the |our |my )?(?:repo(?:sitory)?|codebase|workspace|code base|monorepo)$",
    re.IGNORECASE,
)
_NO_LIMITS = {
    by: re.compile(rf"(?:{words})\b", re.IGNORECASE)
    for which, words in (
        (
            "for",
            (
                r"now|context|what it's worth|reference|the team|good|sure|free|fun|example|instance|real|long"
                r"|ages|some|many|several|\d+|two|three|four|five|six|seven"
                r"|eight|nine|ten|a (?:while|bit|change|start|moment|long|few|couple|year|month|week|day|decade)"
                r"|the (?:moment"
                r"|time|sake|last|past|next|first|rest|record|reason)|years|months|weeks|days|decades|because"
                r"|being|obvious"
                r"|historical|good reasons?|simplicity|speed|performance|reliability|clarity|readability|consistency"
                r"|convenience|comfort|fear|better|short|no|at least|over|nearly|almost|more than|half"
            ),
        ),
        (
            "in within",
            (
                r"general|particular|fact|future|the (?:future|end|meantime|past|long run|first|last|next"
                r"|beginning|middle)"
                r"|my (?:opinion|experience|view|book|case|head)|addition|order|case|place|favou?r|total|practice"
                r"|theory|principle|mind|short|detail|depth|full|parallel|time|turn|\d|one|two|three"
                r"|a (?:row|single|short|few|concise|friendly|formal|nutshell|way|hurry)"
                r"|(?:short|long|brief|full|plain|simple|complete"
                r"|bullet|numbered"
                r"|formal|concise|proper|clear|active|passive|present|past|imperative)\b|bullets?|style"
                r"|lower ?case|upper ?case"
                r"|capitals?|terms|return|advance|line|sync|use|love|touch|charge|front|between"
            ),
        ),
        (
            "on",
            (
                r"average|purpose|top|an? team|the team|our team|the (?:other hand|side|fly|whole|contrary)|my own"
                r"|principle|time|demand|call|behalf"
                r"|occasion|paper|board|track|one"
            ),
        ),
        (
            "at",
            (
                r"all|least|most|first|last|once|present|times|the (?:moment|same|end|beginning|start|top|bottom)"
                r"|this (?:point"
                r"|time|moment)|any rate|\d|hand|heart|ease|some point"
            ),
        ),
        (
            "when while whenever",
            r"possible|needed|necessary|in doubt|asked|you (?:can|like|want)|i (?:said|say)",
        ),
    )
    for by in which.split()
}
