"""Whether a turn goes on with a task, and what the line of its turns has come to so far, in few words."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..store.clock import DAY_US
from ..store.cutter import Cut
from ..store.models import Memory, Scope
from .extract.work_commands import programs
from .extract.work_files import is_shared, name, suffix
from .extract.work_purposes import purpose
from .plan import telling

# How long a task may rest, and how many of the latest turns are looked at for the one that it goes on with.
REST_US, LATEST = 14 * DAY_US, 40
# A task's line in few words.
SUMMARY_CHARS, STEP_CHARS = 300, 90
# The share of the shorter request's words that the other holds too: by words alone, and with a file in common.
BY_WORDS, BY_FILES = 0.6, 0.25
# Two requests have this many telling words in common before words alone join them; one that says "still" needs fewer.
COMMON_WORDS, COMMON_BACK = 3, 2
# A request with so many words of its own says by itself what it is about.
OWN_WORDS = 2
TRUNKS = frozenset(("main", "master", "trunk", "develop", "dev", "HEAD"))
# What says that it goes on, in the session where it was left, and from any other.
GOES_ON = re.compile(
    r"^\W*(?:(?:ok(?:ay)?|yes|yep|sure|great|good|now|and|please|好的?|行|嗯|可以|请)[\s,，。.!！]+)*"
    r"(?:continue|go on|go ahead|carry on|keep going|proceed|resume|try again|retry|next(?: step)?\b(?!:)|do it"
    r"|继续|接着|往下|再试|重试|下一步(?![：:]))(?: with| on| to)?",
    re.IGNORECASE,
)
LEFT_OFF = re.compile(
    r"where (?:we|I|you) (?:left|stopped)|(?:continue|resume|pick up|finish|carry on)\b.{0,40}"
    r"\b(?:yesterday|earlier|last (?:time|session)|started|unfinished|left)"
    r"|(?:接着|继续)(?:上次|昨天|之前|刚才|前面)|上次(?:的|没|做到|停)|没(?:做|写|改)完",
    re.IGNORECASE,
)
# What says that it was tried before, and is not as it should be.
BACK = re.compile(
    r"\b(?:still|again|once more|yet again|as before|no better|(?:no|not any) (?:change|difference|luck)"
    r"|(?:does|do|did|is|are)(?:n't| not) (?:work|help|fix|change|enough|better|any better)"
    r"|same (?:error|problem|issue|thing))\b"
    r"|还是|仍然?|依然|依旧|又(?!要)|再次|还(?:没|不|有|在|会|报)|没(?:用|变|好|解决|生效|修好)"
    r"|不起作用|一样的(?:错|问题)|同样的(?:错|问题)",
    re.IGNORECASE,
)
# What belongs to whatever was done before it, and to no task of its own.
_FOLLOWS = re.compile(
    r"\b(?:unit |regression |integration |more |some )?tests?\b|\bdoc(?:string|ument(?:ation)?|s)?\b"
    r"|\bcomments?\b|\bcommit\b"
    r"|\bpush\b|\blint|\bformat|\btype hints?\b|\btypes\b|\bedge cases?\b|\breview\b|\brevert\b"
    r"|\bundo\b|\bclean ?up\b"
    r"|测试|单测|用例|文档|注释|提交|推送|格式|类型|边界|撤销|回滚|清理",
    re.IGNORECASE,
)
# How a request begins that is for something by itself.
_BEGINS = re.compile(
    r"^\W*(?:(?:ok(?:ay)?|now|next|then|also|and|please|pls|great|thanks|can you|could you|let'?s"
    r"|好的?|现在|然后|接下来|下一步"
    r"|另外|再|请|帮我|顺便|麻烦你?)[\s,，。.!！:：]*)*"
    r"(?:add|fix|implement|write|create|build|rename|remove|delete|upgrade|update|bump|translate"
    r"|refactor|migrate|move|split"
    r"|extract|convert|replace|introduce|support|port|set up|setup|optimi[sz]e|speed up|document"
    r"|redesign|design|export"
    r"|import|validate|cache|log|show|hide|sort|paginate|integrate|deploy|release|generate|parse"
    r"|handle|enable|disable"
    r"|[\w ]{0,12}feature:|bug:|task:"
    r"|给|把|将|加|添加|新增|增加|修复|修|改|实现|写|创建|新建|重命名|删除|去掉|移除|升级|更新|翻译"
    r"|重构|迁移|拆分|提取|替换|支持"
    r"|接入|优化|部署|发布|生成|解析|处理|导出|导入|做|需求[：:]|任务[：:]|功能[：:])",
    re.IGNORECASE,
)
# How one begins that answers what was done.
_REACTS = re.compile(
    r"^\W*(?:(?:no|nope|yes|ok(?:ay)?|but|it|its|that|this|these|those|the|there|and|hmm|wait"
    r"|actually|instead|looks|why|not"
    r"|don't|you|your|i|we|when|if|make it|now it)\b|不|它|这|那|要|但|还|又|可以|好|嗯|为什么|怎么"
    r"|我|你|如果|当|对)",
    re.IGNORECASE,
)
# Words that say what is done to a thing; two tasks are not one because both fix something.
_DEEDS = frozenset(
    str.split(
        """
        fix add upgrade renam rename remov remove delet delete bug refactor translat implement migrat bump broken
        fail error crash continu finish tri again still 修复 修 升级 翻译 重构 重命名 迁移 删除 优化 报错 继续 还是
        仍然 接着 新增 乱 坏 失败 页面 页
        """
    )
)


@dataclass(frozen=True, slots=True)
class Doing:
    """A turn's work as it is compared: where, at what, from when; `asked` in the user's words."""

    scope: Scope
    asked: str
    files: frozenset[str]
    at: int


@dataclass(frozen=True, slots=True)
class Line:
    """The line that a turn goes on with: its latest fact, why it is the same task, and what to keep of it."""

    latest: Memory
    reason: str
    data: Mapping[str, Any]


def goes_on_with(doing: Doing, lately: Sequence[Memory], cut: Cut | None) -> Line | None:
    """The line of work among the facts of late, latest first, that a turn goes on with; None for a new task."""
    before = [one for one in lately[:LATEST] if doing.at - REST_US <= _at(one) < doing.at]
    said = _telling(doing.asked, cut)
    if going_on := _goes_on(doing, said, before, cut):
        return going_on
    for known in before:
        if reason := _same_task(doing, said, known, cut):
            return Line(known, reason, _data(known))
    return None


def _at(known: Memory) -> int:
    return known.valid_from or known.recorded_at


def _here(known: Memory, doing: Doing) -> bool:
    return (known.scope.source, known.scope.session) == (doing.scope.source, doing.scope.session)


def _goes_on(doing: Doing, said: frozenset[str], before: Sequence[Memory], cut: Cut | None) -> Line | None:
    """The line that the user said to go on with: of what the request names, else the last that worked as it does."""
    here = [one for one in before if _here(one, doing)]
    left = [one for one in before if one.scope.branch == doing.scope.branch]
    back = BACK.search(doing.asked) is not None
    for among, reason in (
        (here if GOES_ON.match(doing.asked) else [], "the user said to go on"),
        (left if LEFT_OFF.search(doing.asked) else [], "the user said to go on with what was left"),
        (here if back else [], "the user said that it is still so"),
    ):
        worked = [one for one in among if _worked(one, edited=bool(doing.files))]
        named = [one for one in worked if said & _telling(_asked(one), cut)]
        # What says what to go on with, and not this, asks for something else.
        rest = _telling(_clause(BACK, doing.asked) if back else _beside(doing.asked), cut)
        if named or (worked and len(rest) < OWN_WORDS) or (among and not worked and not rest):
            latest = (named or worked or among)[0]
            return Line(latest, reason, _data(latest))
    return None


def _beside(asked: str) -> str:
    """What a request says beside that it goes on."""
    return LEFT_OFF.sub("", GOES_ON.sub("", asked))


def _clause(said: re.Pattern[str], asked: str) -> str:
    """The clause of a request that says so."""
    return next((one for one in re.split(r"[,，;；。!！\n]|\.(?=\s|$)", asked) if said.search(one)), asked)


def _worked(known: Memory, *, edited: bool) -> bool:
    """Whether a turn did something, and did not only look: edited, where this one does."""
    if known.data.get("files"):
        return True
    commands = [one.get("command") for one in known.data.get("commands") or () if isinstance(one, Mapping)]
    return not edited and any(purpose(one) != "read" for told in commands for one in programs(str(told)))


def _same_task(doing: Doing, said: frozenset[str], known: Memory, cut: Cut | None) -> str | None:
    theirs = _telling(_asked(known), cut)
    common = said & theirs
    share = len(common) / (min(len(said), len(theirs)) or 1)
    shared = doing.files & frozenset(map(str, known.data.get("files") or ()))
    own = frozenset(path for path in shared if not is_shared(path))
    told = ", ".join(sorted(common)[:3])
    # The name of the file that both touched says nothing of what they did in it.
    beyond = bool(doing.files - shared)
    apart = _is_another(doing, said - _of_names(own), theirs - _of_names(own), beyond=beyond)
    branch = doing.scope.branch
    if own and _here(known, doing) and not apart:
        return f"the same session went on with {min(own)}"
    if own and branch and branch == known.scope.branch and branch not in TRUNKS and not apart:
        return f"{min(own)} again, on {branch}"
    if own and share >= BY_FILES and common - _of_names(own):
        return f"{min(own)} again, and the words {told}"
    if BACK.search(doing.asked) and len(common) >= COMMON_BACK and share >= BY_FILES:
        return f"the user said that it is still so, and the words {told}"
    if shared and share >= BY_WORDS and len(common) >= COMMON_BACK:
        return f"{min(shared)} again, and the words {told}"
    if len(common) >= COMMON_WORDS and share >= BY_WORDS:
        return f"the words {told} again"
    return None


def _is_another(doing: Doing, said: frozenset[str], theirs: frozenset[str], *, beyond: bool) -> bool:
    """
    Whether a request is clearly for something else: it says what, shares no word with the other, and begins a task, or
    was done in other files as well and does not speak of what was done before.
    """
    if said & theirs or not theirs or len(said) < OWN_WORDS or _FOLLOWS.search(doing.asked):
        return False
    return _BEGINS.match(doing.asked) is not None or (beyond and not _REACTS.match(doing.asked))


def _of_names(paths: frozenset[str]) -> frozenset[str]:
    """The words that those files' names are made of."""
    found: set[str] = set()
    for path in paths:
        own = name(path).casefold()
        found |= {own, own.removesuffix(f".{suffix(path)}"), suffix(path), *re.split(r"[\W_]+", own)}
    return frozenset(found)


def _asked(known: Memory) -> str:
    return str(known.data.get("asked_before") or known.data.get("asked") or "")


def _telling(asked: str, cut: Cut | None) -> frozenset[str]:
    """The words of a request that tell what it is about, and not what is to be done to it."""
    return telling(asked, cut) - _DEEDS


def _data(known: Memory) -> Mapping[str, Any]:
    """What a fact keeps of the line it goes on with: the first fact's root, its number, the way so far."""
    before = known.data.get("line") or {}
    steps = [*before.get("steps", ()), _step(known)]
    first, rest = steps[:1], steps[1:]
    while rest and sum(map(len, [*first, *rest])) > SUMMARY_CHARS:
        rest.pop(0)
    return {
        "first": before.get("first", known.root),
        "n": int(before.get("n", 1)) + 1,
        "steps": [*first, *rest],
    }


def _step(known: Memory) -> str:
    asked = " ".join(str(known.data.get("asked") or known.line or known.text).split())
    return asked if len(asked) <= STEP_CHARS else asked[: STEP_CHARS - 1].rstrip() + "…"
