"""
Which scene a turn belongs to, by rule, and the bounded view that a judge has of it.

The written boundary: where code or a development artefact is the object or the medium of the work, it is coding; a
deliverable of which code is not the medium is working; reading, searching or browsing alone is neither, so chat, unless
code of this workspace was read to decide something about it.

Read so: a script that is kept is code, also where a document comes of it; one that lies in a scratch folder, or stands
within a command, is a tool like another, and what it made counts. To explain code decides nothing about it; to review
it, to compare, to look for a cause does.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from ..store.models import Scene
from .extract.work_commands import Program, programs
from .extract.work_files import (
    CODE_NAMES,
    DOCS,
    DOCUMENTS,
    is_code,
    is_deliverable,
    is_outside,
    is_prose,
    is_scratch,
)
from .extract.work_purposes import Purpose, purpose
from .extract.work_trace import Step, Trace

# What a judge is shown: so many turns, else the first and the last, and of a long text its head and tail.
VIEW_TURNS, VIEW_FIRST, VIEW_LAST = 20, 5, 14
VIEW_CHARS, VIEW_HEAD, VIEW_TAIL = 1_000, 200, 200
VIEW_TOOLS, VIEW_TOOL_CHARS = 12, 60
VIEW_MARK = "\n[…]\n"

# Purposes of a program that works on code, whatever it is run on.
_DEVELOPS: frozenset[Purpose] = frozenset(("test", "lint", "install", "build", "ship"))

_OFFICE = re.compile(
    r"mail|outlook|calendar|slack|teams|notion|confluence|google_?(?:docs?|sheets?|slides?|drive)|(?:^|_)docs?(?:_"
    r"|$)"
    r"|document|sheet|slides?(?:_|$)|presentation|excel|powerpoint|word_|airtable|trello|asana|feishu|lark|dingtalk"
    r"|wecom"
    r"|wechat|yuque|tencent_docs|telegram|whatsapp|canva|todoist|contacts|reminders|obsidian",
    re.IGNORECASE,
)
_FORGE = re.compile(
    r"git(?:hub|lab|ea|ee)?(?:_|$)|bitbucket|sentry|jenkins|circleci|vercel|netlify|supabase|figma|xcode|docker",
    re.IGNORECASE,
)
_WRITES = re.compile(
    r"(?:^|_)(?:create|send|update|append|add|insert|write|edit|delete|remove|reply|post|publish|upload|move|set"
    r"|schedule"
    r"|draft|merge|close|push|apply|deploy|comment|forward|duplicate|copy|batch_update|rename|share|invite"
    r"|submit)(?:_|$)"
    r"|(?:create|send|update|append|insert|delete|reply|publish)[A-Z]|(?:append|create|send|update)$",
    re.IGNORECASE,
)

# What is asked of code that is only read: a decision about it, or only what it does.
_DECIDES = re.compile(
    r"\breview|\baudit|\b(?:should|shall|could|can) (?:we|i|it|this)\b|\bis it (?:safe|ok|okay|worth|possible"
    r"|better)|\bsafe to\b"
    r"|\bwhich (?:one|of)|\bcompare\b|\bpropose|\bsuggest|\brecommend|\bdecide|\bdesign\b|\bplan\b|\broot cause"
    r"|\bfind (?:out )?why"
    r"|\bwhy (?:is|are|do|does|did|am|was|were|it)\b.*\b(?:fail\w*|slow\w*|broken?|crash\w*|wrong|leak\w*|hang\w*"
    r"|error\w*|flaky"
    r"|twice|empty|null|nil|missing|red|stuck|not)\b|\bbugs?\b|\bdebug|\bdiagnose|\binvestigate|\bfail(?:s|ing"
    r"|ed)\b|\bvulnerab"
    r"|\brisk|\bdead code|\bunused\b|\bwhat(?:'s| is) (?:wrong|broken)|\bimpact\b|\bestimate\b|\bfix\b|\brefactor"
    r"|\bimprove"
    r"|评审|审查|审一下|审核|复查|检查.{0,12}(?:问题|漏洞|风险|安全|代码|实现|逻辑)|能不能|可不可以|能否|是否"
    r"|该不该|要不要|应不应该"
    r"|该(?:怎么|如何|用|选|保留|删)|哪个(?:好|更|合适)|对比|比较一下|方案|设计|重构|建议|评估|影响|原因"
    r"|为什么.{0,30}(?:慢|错|挂|崩"
    r"|失败|超时|报|不|没|空|卡|泄漏|死)|为何|怎么回事|排查|定位|漏洞|风险|没用到|死代码|修复|优化|哪里(?:有问题|错"
    r"|不对)|有没有(?:问题|bug|隐患)",
    re.IGNORECASE | re.DOTALL,
)
_EXPLAINS = re.compile(
    r"\bexplain|\bhow (?:do|does|is|are|did|can|to)\b|\bwhere\b|\bwhat (?:is|are|does|do|changed|happens)|\bwho\b"
    r"|\bwhen\b|\bshow\b"
    r"|\blist\b|\bsummari[sz]e|\bwalk me|\btell me|\bdescribe|\bdoes (?:it|this|the|our)|\bunderstand|\bread\b"
    r"|\blook ?up|\boverview"
    r"|解释|讲讲|讲一下|介绍|说明|怎么(?:用|走|跑|实现|工作|处理|做|读|写|调)|如何|在哪|哪里|哪个|哪些|什么|看看"
    r"|看一下|列出|列一下|总结|梳理|理解|读一下|查一下",
    re.IGNORECASE,
)
_OF_CODE = re.compile(
    r"\b(?:code|api|endpoint|function|class|module|repo|branch|release|config|install|setup|architecture|readme"
    r"|changelog"
    r"|docs?|schema|sdk|cli|worker|service|deploy\w*|component|library|package|version)\b|代码|接口|函数|模块|仓库"
    r"|分支|发布|配置"
    r"|安装|架构|文档|部署|组件|依赖|版本",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Verdict:
    """The scene a turn belongs to, and why; not `decisive` where a judge may know better."""

    scene: Scene
    decisive: bool
    reason: str


@dataclass(frozen=True, slots=True)
class Glance:
    """What a judge sees of one turn: the user's words, cut, and the names of the tools that were used."""

    words: str
    tools: tuple[str, ...]


@dataclass(frozen=True)
class _Signs:
    """What in a turn speaks for a scene: of each kind, what was met first."""

    turn: Trace

    @cached_property
    def kept(self) -> tuple[str, ...]:
        return tuple(path for path in self.turn.edited if not is_scratch(path))

    @cached_property
    def code(self) -> str | None:
        return next((path for path in self.kept if is_code(path) and not is_deliverable(path)), None)

    @cached_property
    def prose(self) -> str | None:
        return next((path for path in self.kept if is_prose(path)), None)

    @cached_property
    def programs(self) -> tuple[tuple[Step, Program, Purpose], ...]:
        return tuple(
            (step, one, purpose(one)) for step in self.turn.commands for one in programs(step.command or "")
        )

    @cached_property
    def develops(self) -> str | None:
        found = (one for _, one, what in self.programs if what in _DEVELOPS)
        return next((" ".join(one.words[:2]) for one in found), None)

    @cached_property
    def runs(self) -> str | None:
        """A script of the workspace that was run."""
        for _, one, what in self.programs:
            if what == "script" and not one.writes:
                script = one.name if not one.args else next((arg for arg in one.args if is_code(arg)), "")
                if script and not is_scratch(script) and not is_outside(script):
                    return script
        return None

    @cached_property
    def made(self) -> str | None:
        """A deliverable that came of the turn."""
        if found := next((path for path in self.kept if is_deliverable(path)), None):
            return found
        went_well = [(step, one, what) for step, one, what in self.programs if step.ok is not False]
        for _, one, what in went_well:
            if what == "make" and not _only_reads(one):
                return one.name
        for step in dict.fromkeys(step for step, _, what in went_well if what in ("script", "other")):
            if document := DOCUMENTS.search(f"{step.said}\n{step.command}"):
                return document[0]
        return None

    @cached_property
    def office(self) -> str | None:
        return _service(self.turn.steps, _OFFICE)

    @cached_property
    def forge(self) -> str | None:
        return _service(self.turn.steps, _FORGE)

    @cached_property
    def unsure(self) -> str | None:
        """What changed something, and cannot be placed."""
        for step in self.turn.steps:
            if step.kind == "other" and _WRITES.search(step.verb):
                return step.tool
        return next((one.name for _, one, what in self.programs if what in ("other", "script")), None)

    @cached_property
    def looked(self) -> str | None:
        """Code of this workspace that was read; what git shows of it counts."""
        if found := next((path for path in self.turn.read if is_code(path) and not is_outside(path)), None):
            return found
        shown = (
            one
            for _, one, _ in self.programs
            if one.words[:1] == ("git",) and one.verb in ("diff", "show", "blame")
        )
        shown_elsewhere = (
            one for _, one, _ in self.programs if one.name in ("gh", "glab") and "diff" in one.args
        )
        return next((" ".join(one.words[:3]) for one in (*shown, *shown_elsewhere)), None)


def by_rule(turn: Trace) -> Verdict:
    """The scene by what was done, without a model."""
    if not turn.steps:
        return Verdict("chat", decisive=True, reason="no tool was used")
    signs = _Signs(turn)
    return (
        _by_what_was_made(signs)
        or _by_what_was_run(signs)
        or _by_what_was_tried(signs)
        or _by_what_was_read(signs)
    )


def _by_what_was_made(signs: _Signs) -> Verdict | None:
    if signs.code:
        return Verdict("coding", decisive=True, reason=f"edited {signs.code}")
    if made := signs.made or signs.office:
        # Code of the workspace that makes a document is both object and tool; that it ran says not which.
        return Verdict("working", decisive=not signs.develops, reason=f"made {made}")
    if prose := signs.prose:
        return _by_prose(prose, signs)
    if outside := next(iter(signs.turn.edited), None):
        scene: Scene = "coding" if is_code(outside) else "working"
        return Verdict(scene, decisive=False, reason=f"edited {outside}")
    return None


def _by_prose(prose: str, signs: _Signs) -> Verdict:
    """Prose belongs to the code it tells of, or is itself what was to be made."""
    if DOCS.search(prose) and (signs.looked or signs.develops or _OF_CODE.search(signs.turn.prompt)):
        return Verdict("coding", decisive=True, reason=f"edited {prose}, which tells of the code")
    if signs.develops or signs.looked:
        return Verdict(
            "coding", decisive=False, reason=f"edited {prose} beside {signs.develops or signs.looked}"
        )
    sure = not DOCS.search(prose) and not CODE_NAMES.search(prose)
    return Verdict("working", decisive=sure, reason=f"wrote {prose}")


def _by_what_was_run(signs: _Signs) -> Verdict | None:
    if ran := signs.develops or signs.runs:
        return Verdict("coding", decisive=True, reason=f"ran {ran}")
    if signs.forge:
        return Verdict("coding", decisive=True, reason=f"used {signs.forge}")
    if signs.unsure:
        return Verdict("chat", decisive=False, reason=f"nothing says what {signs.unsure} was for")
    return None


def _by_what_was_tried(signs: _Signs) -> Verdict | None:
    """An edit that failed changed nothing, and says all the same what the turn was for."""
    failed = (step for step in signs.turn.steps if step.kind == "edit" and step.ok is False)
    tried = next((path for step in failed for path in step.paths if not is_scratch(path)), None)
    if tried is None:
        return None
    scene: Scene = "coding" if is_code(tried) and not is_deliverable(tried) else "working"
    return Verdict(scene, decisive=not is_outside(tried), reason=f"tried to edit {tried}")


def _by_what_was_read(signs: _Signs) -> Verdict:
    if all(step.kind == "idle" for step in signs.turn.steps):
        return Verdict("chat", decisive=True, reason="only planned, asked or waited")
    prompt = signs.turn.prompt[:VIEW_CHARS]
    if not signs.looked:
        return Verdict("chat", decisive=True, reason="only read, searched or browsed")
    if _DECIDES.search(prompt):
        return Verdict("coding", decisive=True, reason=f"read {signs.looked} to decide about it")
    explained = _EXPLAINS.search(prompt) is not None
    return Verdict("chat", decisive=explained, reason=f"only read {signs.looked}")


def _only_reads(one: Program) -> bool:
    """A converter that prints what it read made nothing."""
    return (
        one.name == "pandoc"
        and "-o" not in one.args
        and not any(arg.startswith("--output") for arg in one.args)
    )


def _service(steps: Iterable[Step], kind: re.Pattern[str]) -> str | None:
    """The first tool of such a service that wrote something there."""
    for step in steps:
        did = step.kind in ("other", "edit") and step.ok is not False and "_" in step.tool
        if did and kind.search(step.tool) and _WRITES.search(step.verb):
            return step.tool
    return None


def view(turns: Sequence[Trace]) -> tuple[tuple[Glance | None, ...], int]:
    """
    What a judge sees of those turns, the last of which is to be judged: all, or the first, None for a mark, and the
    last; and how many are left out.
    """
    if len(turns) <= VIEW_TURNS:
        return tuple(glance(turn) for turn in turns), 0
    first = [glance(turn) for turn in turns[:VIEW_FIRST]]
    last = [glance(turn) for turn in turns[-VIEW_LAST:]]
    return (*first, None, *last), len(turns) - VIEW_FIRST - VIEW_LAST


def glance(turn: Trace) -> Glance:
    """One turn as a judge sees it: no tool's content, and no more of the user's words than the bounds allow."""
    words = turn.prompt
    if len(words) > VIEW_CHARS:
        words = f"{words[:VIEW_HEAD]}{VIEW_MARK}{words[-VIEW_TAIL:]}"
    names = dict.fromkeys(step.tool[:VIEW_TOOL_CHARS] for step in turn.steps)
    return Glance(words, tuple(names)[:VIEW_TOOLS])
