"""What a turn of work bears out of a sentence about it: its words, its orders, its commands, its names."""

from __future__ import annotations

import re
from functools import cached_property

from .model_atoms import introduced, same_language
from .model_fence import one_line
from .model_quotes import Source
from .model_telling import MOSTLY, share, words
from .model_windows import Spoken, WindowTurn, step_lines
from .work_text import language, width
from .work_trace import Step

WHY_CHARS = 110
_CODE = re.compile(
    r"```|[{;]\s*(?:\n|$)|=>|\w\([^)]*\)\s*[{:;]|^\s*(?:def|class|function|import|return)\s", re.MULTILINE
)
# What tells somebody how to act, and what cannot be taken back or reaches others: one of a kind must have been said by
# the user or the agent, or been run. What a program printed is none of them.
_GRAVE = tuple(
    re.compile(rf"{english}|{chinese}", re.IGNORECASE)
    for english, chinese in (
        (
            r"\b(?:always|forever|every ?time|each time|at all times|whenever|from now on|going forward)\b",
            "永远|总是|始终|一律|每次|以后|今后|从今",
        ),
        (
            r"\b(?:never|do not|don'?t|must not|mustn'?t|shouldn'?t|should not)\b",
            "不要|别(?![的人处名])|切?勿|禁止|严禁|绝不|千万|不得|不许|不准|不应",
        ),
        (
            r"\b(?:must|should|shall|ought to|ha(?:s|ve) to|mandatory|obligatory)\b",
            "必须|务必|应该|应当|一定要|得先",
        ),
        (
            r"\b(?:(?:delet|remov|eras|wip[ei]|dropp?|purg|truncat|destroy|uninstall|unlink|clean)\w*|rm|rmdir)\b",
            "删|移除|去掉|清[空除理]|卸载|销毁",
        ),
        (r"\b(?:push(?:es|ed|ing)?|force-push\w*)\b", "推送|推到|强推"),
        (r"\b(?:deploy|publish|releas|ship(?:s|ped|ping)?\b)\w*", "部署|发布|上线|发版"),
        (
            r"\b(?:(?:skip|ignor|disabl|bypass|suppress|xfail)\w*|(?:turn|switch|comment)\w* (?:off|out))\b",
            "跳过|忽略|禁用|停用|关[掉闭]|绕[过开]|屏蔽|注释掉",
        ),
        (
            r"\b(?:reset|revert|rol(?:l|ls|led|ling) ?back|undo|undid|undone|restor|discard)\w*",
            "回[滚退]|撤[销回]|重置|还原|恢复|丢弃",
        ),
        (r"\b(?:overwrit|overrid|forc(?:e|ed|ing)\b)\w*", "覆盖|强制"),
        (r"\b(?:instruct|prompt|system message|memor[iy])\w*", "指令|提示词|记忆"),
        (r"\b(?:password|credential|secret|token|private key|api key)s?\b", "密码|密钥|凭据|令牌"),
        (r"\b(?:upload|send(?:s|ing)?|sent|post(?:s|ed|ing)?|email)\b", "上传|发送|外发"),
    )
)
# A program that is named to be run; "make" and "go" are words too.
_PROGRAMS = re.compile(
    r"(?<![\w./-])(?:sudo|rm|rmdir|curl|wget|chmod|chown|dd|mkfs|killall|pkill|npm|npx|pnpm|yarn|pip3?|pipx|uvx?|poetry"
    r"|conda|cargo|docker|podman|kubectl|helm|terraform|brew|apt(?:-get)?|yum|dnf|systemctl|psql|mysql|ssh|scp|rsync|nc|eval"
    r"|bash|pwsh|powershell|iex|crontab"
    r"|git (?:push|reset|clean|checkout|rebase|restore|stash|commit|config|rm|branch|tag))"
    r"(?![\w-])",
    re.IGNORECASE,
)
_FLAG = re.compile(r"(?<![\w-])--?[A-Za-z][\w-]*")
_TICKED = re.compile(r"`([^`\n]+)`")


class Evidence:
    """What a turn gives as evidence: the user's own words, the steps as they are shown, the reply."""

    def __init__(self, turn: WindowTurn) -> None:
        self._turn = turn
        self._own = "\n".join(one.source.shown for one in turn.said if one.by == "user")
        self._steps = "\n".join(step_lines(turn.steps))
        self._commands = "\n".join(step.command for step in turn.steps if step.command)
        self.replies = "\n".join(one.text for one in turn.said if one.by == "agent")
        self.text = f"{self._own}\n{self._steps}\n{self.replies}"
        self.chinese = language(self._own, self.replies) == "zh"

    @cached_property
    def _meant(self) -> str:
        """What somebody said or ran, without what programs printed."""
        return f"{self._own}\n{self._commands}\n{self.replies}"

    def asked(self, sentence: str, most: int, *, before: str = "") -> str | None:
        """The sentence, if the user's own words ask for it; `before` is what they go on with."""
        own = f"{self._own}\n{before}"
        line = self._line(sentence, most)
        if not line or introduced(line, self.text, han_names=False) or is_grave(line, own):
            return None
        return line if (share(line, words(own)) or 0) >= MOSTLY else None

    def holds(self, sentence: str, most: int, *, lesson: bool = False, outcome: bool = False) -> str | None:
        """
        The sentence in one line, if it says nothing that the turn does not.

        Args:
            lesson: it will be read as advice: its links and commands are the user's or were run.
            outcome: it says how something ended, and may have no other words.
        """
        line = self._line(sentence, most)
        # A link that only a program printed, or only the agent repeats, is not one to keep as advice.
        links = f"{self._own}\n{self._commands}" if lesson else None
        if (
            not line
            or introduced(line, self.text, links_from=links, han_names=False)
            or is_grave(line, self._meant)
        ):
            return None
        if lesson and _unrun(line, self._meant):
            return None
        borne = share(line, words(self.text), outcome=outcome)
        return line if (outcome if borne is None else borne >= MOSTLY) else None

    def condition(self, sentence: str, most: int) -> str | None:
        """The sentence, if the turn, or what is known of where it was, has what it names."""
        line = self._line(sentence, most)
        known = "\n".join((self.text, *map(str, self._turn.conditions.values())))
        if (
            not line
            or introduced(line, known, han_names=False)
            or is_grave(line, self._meant)
            or _unrun(line, known)
        ):
            return None
        borne = share(line, words(known))
        return line if borne is None or borne >= MOSTLY else None

    def reason(self, quote: str) -> tuple[str, str] | None:
        """The reason as it was given and by whom, the user's before the agent's; None where nobody gave it."""
        for by in ("user", "agent"):
            for spoken in (one for one in self._turn.said if one.by == by):
                if (span := spoken.source.find(quote)) and spoken.source.is_own(*span):
                    return one_line(spoken.text[slice(*span)], WHY_CHARS), by
        return None

    def quoted(self, quote: str) -> tuple[str, Spoken | None, int, int, int | None] | None:
        """A quote as it stands: verbatim, who said it, where, and the row; among the steps, then the words."""
        for step, line in zip(self._turn.steps, map(_step, self._turn.steps), strict=True):
            if span := Source(line).find(quote):
                return line[slice(*span)], None, 0, 0, step.event
        for by in ("user", "agent"):
            for spoken in (one for one in self._turn.said if one.by == by):
                if (span := spoken.source.find(quote)) and spoken.source.is_own(*span):
                    return spoken.text[slice(*span)], spoken, *span, spoken.event
        return None

    def _line(self, sentence: str, most: int) -> str | None:
        """The sentence in one line, if it is one and in the user's language."""
        line = " ".join(sentence.split())
        if not line or _CODE.search(sentence) or width(line) > most:
            return None
        return line if same_language(line, "中" if self.chinese else "") else None


def is_grave(line: str, meant: str) -> bool:
    """Whether a sentence orders, destroys or sends, where nothing that was meant does."""
    return any(kind.search(line) and not kind.search(meant) for kind in _GRAVE)


def _unrun(line: str, meant: str) -> bool:
    """Whether a sentence names a command that was neither run nor spoken of."""
    plain, low = " ".join(meant.replace("`", " ").split()), meant.casefold()
    ticked = any(" ".join(found[1].split()) not in plain for found in _TICKED.finditer(line))
    named = {" ".join(found[0].casefold().split()) for found in _PROGRAMS.finditer(line)}
    return ticked or any(not _stands(name, low) for name in (*named, *_FLAG.findall(line.casefold())))


def _stands(name: str, low: str) -> bool:
    return re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", low) is not None


def _step(step: Step) -> str:
    return step_lines((step,))[0]
