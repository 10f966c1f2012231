"""Texts that are nothing to keep: they say nothing, a machine wrote them, or they were an order for one task."""

from __future__ import annotations

import re
import unicodedata
from typing import Literal

from .model_lasting import clause
from .work_text import WIDE, is_assent

Noise = Literal[
    "it says nothing",
    "it is only a number or a letter",
    "it is a nod or a greeting",
    "it is markup without words",
    "it is a stack trace",
    "it is a log",
    "it is encoded data",
]

# Looked at of a long text: what is no prose at its beginning is none.
LOOKED_AT = 8_000
# A text is a trace or a log where so many of its lines are, and no more words are left than a heading has.
MOSTLY, HEADING_WORDS, LINES = 0.8, 8, 3
# A run of letters and digits without a space that is longer is no name, path or commit id.
ENCODED_CHARS = 80

_SAYS = re.compile(r"[^\W_]")
# Numbers, letters and numerals are of something, which is not said.
_SAID = re.compile(r"[^\W_]+")
_OF_NOTHING = re.compile(r"\d+|[^\W\d_]|[第负点个半零〇一二三四五六七八九十百千万亿两]+")
_TAGS = re.compile(
    r"<!--.*?(?:-->|\Z)|</?[A-Za-z][^<>]{0,400}/?>|&[a-z]{2,8};|[`*_#>|~=\-\[\](){}\s:]+", re.DOTALL
)
_TRACE = re.compile(
    r"\s*(?:Traceback \(most recent call last\)|File \"[^\"]+\", line \d+|at (?:async )?[\w$.<>\[\] /\\]{1,200}[(:]"
    r"|at [\w$.]+\(|\.{3} \d+ (?:more|common frames omitted)|Caused by:|[\w.$]*(?:Error|Exception|Panic|Warning)\b[:\s]"
    r"|goroutine \d+ |panic:|thread '[^']*' panicked|stack backtrace:|\s+\d+:\s+0x[0-9a-f]+|#\d+ +0x[0-9a-f]+"
    r"|During handling of the above exception|The above exception was|[~^]+\s*$)"
)
# What a trace quotes of code, under a line that names it.
_QUOTED_CODE = re.compile(r"\s{4,}\S")
_LOG = re.compile(
    r"\s*(?:\[?\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d|\[?\d\d:\d\d:\d\d(?:[.,]\d+)?\]?\s|\[?(?:TRACE|DEBUG|INFO|NOTICE"
    r"|WARN(?:ING)?|ERROR|FATAL|CRITICAL)\]?[\s:]|[A-Z][a-z]{2} +\d{1,2} \d\d:\d\d:\d\d |\d{1,3}(?:\.\d{1,3}){3} - )"
)
_ENCODED = re.compile(rf"(?:data:[\w/+.-]+;base64,)?[A-Za-z0-9+/_-]{{{ENCODED_CHARS},}}={{0,2}}")
_HEX = re.compile(r"[0-9a-f]{7,64}", re.IGNORECASE)
_GREETINGS = re.compile(
    r"(?:hi|hello|hey|yo|good (?:morning|afternoon|evening|night)|bye|goodbye|see you|cheers|thx|ty|thank(?:s| you)"
    r"(?: (?:a lot|so much|very much))?|great (?:job|work)|well done|nice work|much appreciated|never ?mind|hmm+|lol"
    r"|haha+|大家好|早(?:上好)?|晚上好|下午好|再见|拜拜|哈+|呵+|多谢|感谢|谢谢你?|辛苦了?|太(?:好|棒)了|棒|厉害|嗯+|哦+|噢|没事"
    r"|好嘞|好滴|行吧|ok了?|知道了|明白了|收到)[\s,，.。!！~～…]*",
    re.IGNORECASE,
)

# One-off orders. What such an order is about, where it names nothing of its own.
_THIS = re.compile(
    r"\b(?:this|that|these|those|here|now|right away|asap|immediately|again|for me)\b"
    r"|这个|那个|这里|那里|这段|那段|这些|那些|这次|这边|一下|刚才|刚刚|现在|马上|赶紧|立刻|再(?:来|试|跑)",
    re.IGNORECASE,
)
_IT = re.compile(r"\b(?:it|them)\b|它", re.IGNORECASE)
_DO = (
    r"(?:run|rerun|re-run|fix|commit|push|merge|rebase|deploy|build|rebuild|compile|start|stop|restart|install|update"
    r"|upgrade|refactor|rewrite|rename|delete|remove|clean|format|lint|test|check|review|debug|investigate|look"
    r"|open|close|show|print|list|explain|summari[sz]e|translate|continue|retry|revert|undo|implement|add|write"
    r"|create|generate|make|change|move|finish|try|bump|download|upload|copy|fetch|pull|release|publish|reinstall)"
)
_ASKING = r"(?:please|pls|can you|could you|would you|will you|let'?s|go ahead and|i (?:want|need) you to|now|kindly)"
# Who asks for it asks for it once.
_ASKED = re.compile(
    rf"\W*(?:(?:ok(?:ay)?|just|so|then|also|and)[\s,]+)*{_ASKING}[\s,]+(?:(?:{_ASKING}|just|also|quickly)[\s,]+)*"
    rf"(?:{_DO})\b"
    rf"|\W*{_DO}\b.*\b(?:please|pls|for me|now|asap|right away|again)\W*\Z",
    re.IGNORECASE,
)
_CHORE = re.compile(
    rf"\W*(?:(?:ok(?:ay)?|just|so|then|also)[\s,]+)*{_DO}"
    r"(?=$|\W+(?:the|a|an|this|that|these|those|it|them|all|my|our|your|me|some|another|more|again|now|and|up|at|into|out"
    r"|unit|tests?|everything|please|asap|[\w.]+\(\))(?:\W|$))",
    re.IGNORECASE,
)
# With what it is done, each time.
_HOW = re.compile(
    r"\b(?:with|using|via|through|by(?: (?:running|calling|using))?)\s+(?:`|\.{0,2}/\w|(?:make|npm|npx|yarn|pnpm|bun"
    r"|deno|node|pip|pipx|poetry|uv|uvx|hatch|tox|nox|pytest|python3?|ruff|mypy|cargo|rustup|go|docker|podman|kubectl|helm"
    r"|git|gh|gradle|gradlew|mvn|ant|sbt|bazel|cmake|ninja|just|task|bash|sh|zsh|systemctl|service|supervisorctl|pm2|curl"
    r"|wget|rm|cp|mv|rsync|scp|ssh|sed|awk|psql|mysql|redis-cli|flask|django-admin|alembic|rails|rake|bundle|composer|artisan"
    r"|terraform|ansible|ansible-playbook|vagrant|aws|gcloud|az|apt|apt-get|brew|dnf|yum|dotnet|mix|nix|conda)\b)",
    re.IGNORECASE,
)
# A sentence about things, not to somebody.
_TELLS = re.compile(
    r"\b(?:is|are|was|were|has|have|had|lives?|takes?|runs in|does|did|will)\b|[是有很]|(?<![现正])在(?!这|那)|用的"
    r"|(?<!为)了(?!一[下遍次]|\W*$)|[好完掉成]了",
    re.IGNORECASE,
)
_DO_CHINESE = (
    "(?:修|改|删|加|跑|运行|看|检查|生成|更新|重构|提交|部署|执行|清理|重启|回滚|合并|推送|创建|新建|实现|优化|撤销|翻译|总结|解释"
    "|打开|关掉|测试|编译|继续|重试|写|调试|启动|停掉|停止|安装|下载|上传|发布|拉取|复制|移动|重命名)"
)
_CHORE_CHINESE = re.compile(
    r"\W*(?:(?P<asks>(?P<once>麻烦你?|帮我|帮忙|给我|快|赶紧|现在|马上|立刻)|(?P<please>请)|把|将|给)|你|先|再|然后|接着|顺便|就"
    rf"|直接|也){{0,5}}\s*(?(asks)(?P<about>[^，。；]{{0,20}}?)){_DO_CHINESE}(?P<more>.*)"
)
_ASKS_CHINESE = re.compile(r"一[下遍次]|[这那]|它|吧$|^[个掉好完]|刚[才刚]")
_ONCE_CHINESE = re.compile(r"一[下遍]|吧$|刚[才刚]|这次")
# Without a word that asks, an order is this short.
_BARE_CHARS = 6
# What names its object for good, so that an order about it may be looked up later: a path, a flag, an id, a quotation.
_NAMES = re.compile(
    r"[/\\]\w|\w\.\w|\w\(\)|::|--?\w{2,}|[A-Z]{2,}-\d+|#\d+|\b[0-9a-f]{7,40}\b|`[^`]+`|\w_\w|\w[a-z][A-Z]\w"
)
# What tells why, how or when: more than the order.
_MORE = re.compile(
    r"\b(?:because|since|so that|otherwise|unless|whenever|when|before|after|if|every|each|always|never|by|until|via)\b"
    r"|[:：=]|因为|由于|否则|以便|之前|之后|以后|每次|每当|总是|一律|如果|时候|务必|通过|直到|必须|先.{1,14}再|才能|不要|不得|禁止|勿"
    r"|\bin (?:english|chinese|german|french|spanish|japanese|markdown)\b|用[中英]文",
    re.IGNORECASE,
)
# An order that is longer tells something.
_ORDER_WORDS = 9


def noise(text: str) -> Noise | None:
    """Why a text is no memory whoever says it; None where it may be one."""
    head = text[:LOOKED_AT].strip()
    if not _SAYS.search(head):
        return "it says nothing"
    if "<" in head and not _SAYS.search(_TAGS.sub(" ", head)):
        return "it is markup without words"
    if all(map(_OF_NOTHING.fullmatch, _SAID.findall(unicodedata.normalize("NFKC", head)))):
        return "it is only a number or a letter"
    if len(head) <= 60 and (is_assent(head) or _GREETINGS.fullmatch(head)):
        return "it is a nod or a greeting"
    if _is_encoded(head):
        return "it is encoded data"
    return _by_lines(head)


def _is_encoded(text: str) -> bool:
    rest = _ENCODED.sub("", text)
    return rest != text and len(_SAYS.findall(rest)) < 12 and not _HEX.fullmatch(text)


def _by_lines(text: str) -> Noise | None:
    lines = [line for line in text.splitlines() if line.strip()]
    if len(lines) < LINES:
        return None
    traced = logged = words = 0
    in_trace = False
    for line in lines:
        if _TRACE.match(line):
            traced, in_trace = traced + 1, True
        elif _LOG.match(line):
            logged, in_trace = logged + 1, False
        elif in_trace and _QUOTED_CODE.match(line):
            traced += 1
        else:
            words, in_trace = words + _count(line), False
    if words > HEADING_WORDS or traced + logged < MOSTLY * len(lines):
        return None
    return "it is a stack trace" if traced >= logged else "it is a log"


def is_one_off(text: str) -> bool:
    """Whether a text is an order for the task in hand ("run the tests", 把这个改一下), of no use when that is over."""
    said = " ".join(text.split()).strip(" .。!！")
    if not said or _count(said) > _ORDER_WORDS or "?" in said or "？" in said:
        return False
    about = clause(said, 0, len(said))
    if about.is_standing or _MORE.search(said) or _TELLS.search(said):
        return False
    if _ASKED.match(said) or _asked_in_chinese(said):
        return True
    if _HOW.search(said) and not _THIS.search(said):
        return False
    if not _CHORE.match(said) and not _is_chinese_chore(said):
        return False
    return bool(_THIS.search(said) or _IT.search(said)) or not _NAMES.search(said)


def _asked_in_chinese(said: str) -> bool:
    found = _CHORE_CHINESE.match(said) if WIDE.search(said) else None
    if found is None:
        return False
    if found["once"] or _ONCE_CHINESE.search(said):
        return True
    return bool(found["please"]) and not _says_with_what(found)


def _is_chinese_chore(said: str) -> bool:
    found = _CHORE_CHINESE.match(said) if WIDE.search(said) else None
    if found is None or _says_with_what(found):
        return False
    asks = found["asks"] and found["asks"] != "给"
    return bool(asks or _ASKS_CHINESE.search(found["more"]) or len(said) <= _BARE_CHARS)


def _says_with_what(found: re.Match[str]) -> bool:
    """Whether it is said with what to do it: "请用 make 启动服务"."""
    return bool(found["please"]) and "用" in (found["about"] or "")


def _count(text: str) -> int:
    """Words of a text; two Chinese characters are one."""
    return len(re.findall(r"[^\W_][\w'’-]*", WIDE.sub(" ", text))) + (len(WIDE.findall(text)) + 1) // 2
