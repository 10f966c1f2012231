"""
What a model may say of a turn's work: the sentences of its one fact, and what was learned.

Where it was done (files, commands, tests, branch) and how it ended stay as the rules read them from the trace.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from .drafts import Draft
from .model_atoms import introduced, same_language
from .model_fence import one_line
from .model_keys import keys
from .model_quotes import Source
from .model_results import Refused
from .model_shapes import Lesson, Work
from .model_windows import Spoken, WindowTurn, step_lines
from .work_facts import FACT_CHARS
from .work_text import language, narrow, width

ASKED_WIDTH, DONE_WIDTH, OUTCOME_WIDTH, WHY_CHARS = 160, 200, 100, 110
TASK_WIDTH, SOLUTION_WIDTH, WHEN_WIDTH, LESSON_WIDTH, LINE_WIDTH = 160, 320, 160, 600, 160
LESSONS_AT_MOST = 3
# What a model learned from a trace is its reading of it; from the agent's words, a reading of those.
_FROM_TRACE, _FROM_WORDS = 0.7, 0.5
_CODE = re.compile(
    r"```|[{;]\s*(?:\n|$)|=>|\w\([^)]*\)\s*[{:;]|^\s*(?:def|class|function|import|return)\s", re.MULTILINE
)
_BAD = re.compile(
    r"fail|error|not\b|n't\b|broken|unfinished|interrupted|partly|still|失败|报错|没|未|错|中断|部分|仍",
    re.IGNORECASE,
)
_GOOD = re.compile(r"\b(?:pass(?:ed|es|ing)?|green|succeed\w*|works)\b|通过|成功|正常", re.IGNORECASE)
_PHRASES = {
    "en": {
        "stop": ".", "gap": " ", "list": ", ", "place": " ({})", "said": "Outcome: {}.", "why": "Why: “{}”.",
        "failed": "Ended with a failure.", "interrupted": "Interrupted before it was done.",
    },
    "zh": {
        "stop": "。", "gap": "", "list": "、", "place": "（{}）", "said": "结果：{}。", "why": "原因：“{}”。",
        "failed": "最后没有成功。", "interrupted": "中途被打断，没有做完。",
    },
}  # fmt: skip
_FILES_SHOWN = 3


def told(said: Work, turn: WindowTurn, fact: Draft) -> tuple[Draft, tuple[str, ...]]:
    """The turn's fact in the model's sentences, as far as they hold, and which of them did not."""
    evidence, mended = _Evidence(turn), list[str]()
    data = dict(fact.data)
    for name, given, most in (("asked", said.asked, ASKED_WIDTH), ("done", said.done, DONE_WIDTH)):
        if sentence := evidence.holds(given, most):
            data[name] = sentence
        else:
            mended.append(name)
    outcome = evidence.holds(said.outcome, OUTCOME_WIDTH)
    if outcome and not _contradicts(outcome, data, evidence):
        data["outcome_said"] = outcome
    else:
        mended.append("outcome")
    if said.why.strip():
        if why := evidence.reason(said.why):
            data["why"], data["why_from"] = why
        else:
            mended.append("why")
    if found := keys(said.keys_en, said.keys_zh, evidence.text):
        data["keys"] = found
    if mended == ["asked", "done", "outcome"]:
        # None of the sentences held: the rules' own stands, with its search words.
        return replace(
            fact,
            data={**fact.data, **{name: data[name] for name in ("why", "why_from", "keys") if name in data}},
        ), (*mended,)
    line = narrow(str(data["asked"]), 120)
    return replace(fact, text=_text(data, chinese=evidence.chinese), line=line, data=data), tuple(mended)


def lesson(said: Lesson, turn: WindowTurn) -> Draft | Refused:
    """An experience that rests on the turn's trace or words, or why it is none."""
    task, solution = one_line(said.task, 400), one_line(said.solution, 800)
    if not turn.steps or not task or not solution:
        return _refused(turn, "an experience without a task, a solution or work", said)
    evidence = _Evidence(turn)
    found = evidence.quoted(said.quote)
    if found is None:
        return _refused(turn, "quote not in the source", said)
    if not evidence.holds(task, TASK_WIDTH) or not evidence.holds(solution, SOLUTION_WIDTH, lesson=True):
        return _refused(turn, "says more than its evidence, or too much", said)
    when = evidence.holds(said.conditions, WHEN_WIDTH, lesson=True) or ""
    words = keys(said.keys_en, said.keys_zh, evidence.text)
    held = next((one for one in turn.learned if _same(one, found[0])), None)
    if held is not None:
        return _better(held, solution, when, words)
    quote, spoken, start, end, event = found
    stop = "。" if evidence.chinese else "."
    text = f"{task.rstrip('。. ')}{stop} {solution}" + (f" ({when})" if when else "")
    own = spoken is not None and spoken.by == "user" and spoken is _first(turn)
    sure = (
        min(max(said.confidence, 0.3), _FROM_WORDS if spoken else _FROM_TRACE)
        if said.confidence >= 0
        else 0.3
    )
    data: dict[str, Any] = {
        "task": task, "keys": words, "solution": solution,
        "conditions": {**turn.conditions, **({"when": when} if when else {})},
        "task_key": f"told:{' '.join(task.casefold().split())}"[:200],
    }  # fmt: skip
    if not own and event is not None:
        data["events"] = [event]
    return Draft(
        "experience", narrow(text, LESSON_WIDTH), quote, start if own else 0, end if own else 0,
        line=narrow(solution, LINE_WIDTH), importance=0.6, confidence=round(sure, 2), data=data,
    )  # fmt: skip


def _same(rule: Draft, quote: str) -> bool:
    """Whether a quote is of the failure, or of the place, that a rule's experience tells of."""
    known = (str(rule.data.get(name) or "") for name in ("error", "command", "place"))
    return any(one and (one in quote or quote in one) for one in (*known, rule.quote))


def _better(rule: Draft, solution: str, when: str, words: list[str]) -> Draft:
    """A rule's experience with the conclusion that the model drew from it; its evidence stays."""
    conditions = dict(rule.data.get("conditions") or {}) | ({"when": when} if when else {})
    both = list(dict.fromkeys((*rule.data.get("keys", ()), *words)))
    data = {**rule.data, "solution": solution, "conditions": conditions, "keys": both}
    return replace(
        rule,
        text=narrow(f"{solution} — {rule.text}", LESSON_WIDTH),
        line=narrow(solution, LINE_WIDTH),
        data=data,
    )


def _refused(turn: WindowTurn, reason: str, said: Lesson) -> Refused:
    return Refused(turn.key, reason, one_line(said.solution or said.task or said.quote, 80))


def _contradicts(outcome: str, data: dict[str, Any], evidence: _Evidence) -> bool:
    """Whether an outcome is better than the trace has it."""
    failed = (data.get("tests") or {}).get("failed")
    if data.get("outcome") != "done" or failed:
        return not _BAD.search(outcome)
    return bool(_GOOD.search(outcome)) and not _GOOD.search(evidence.text) and "exit 0" not in evidence.text


def _text(data: dict[str, Any], *, chinese: bool) -> str:
    """The fact in sentences, no wider than `FACT_CHARS`: where and why are the first to go, then the length of each."""
    words = _PHRASES["zh" if chinese else "en"]
    where = [*data.get("files", ())[:_FILES_SHOWN], *filter(None, (data.get("branch"),))]
    place = words["place"].format(words["list"].join(map(str, where))) if where else ""
    asked = str(data["asked"] or data.get("asked_before") or "").rstrip("。. ")
    done, outcome = str(data["done"]).rstrip("。. "), str(data.get("outcome_said") or "").rstrip("。. ")
    done = done[:1].upper() + done[1:]
    why = words["why"].format(data["why"]) if data.get("why") else ""
    for room in (FACT_CHARS, 150, 110, 80):
        head = narrow(asked, room) + words["stop"] if asked else ""
        deed = f"{narrow(done, room)}{{}}{words['stop']}" if done else "{}"
        ended = (
            words["said"].format(narrow(outcome, room))
            if outcome
            else words.get(str(data.get("outcome")), "")
        )
        for at, reason in ((place, why), ("", why), ("", "")):
            text = words["gap"].join(filter(None, (head, deed.replace("{}", at), ended, reason)))
            if width(text) <= FACT_CHARS:
                return text
    return narrow(text, FACT_CHARS)


def _first(turn: WindowTurn) -> Spoken | None:
    """What the user said first, which the rules take for the prompt."""
    return next((spoken for spoken in turn.said if spoken.by == "user"), None)


class _Evidence:
    """What a turn gives as evidence: the user's own words, the steps as they are shown, the reply."""

    def __init__(self, turn: WindowTurn) -> None:
        self._turn = turn
        self._own = "\n".join(one.source.shown for one in turn.said if one.by == "user")
        self._steps = "\n".join(step_lines(turn.steps))
        replies = "\n".join(one.text for one in turn.said if one.by == "agent")
        self.text = f"{self._own}\n{self._steps}\n{replies}"
        self.chinese = language(self._own, replies) == "zh"
        # A link that only a program printed, or only the agent repeats, is not one to keep as advice.
        self._links = "\n".join((self._own, *(step.command or "" for step in turn.steps)))

    def holds(self, sentence: str, most: int, *, lesson: bool = False) -> str | None:
        """The sentence in one line, if it is one, in the user's language and says nothing that the turn does not."""
        line = " ".join(sentence.split())
        if not line or _CODE.search(sentence) or width(line) > most:
            return None
        if not same_language(line, "中" if self.chinese else ""):
            return None
        if introduced(line, self.text, links_from=self._links if lesson else None, han_names=False):
            return None
        return line

    def reason(self, quote: str) -> tuple[str, str] | None:
        """The reason as it was given and by whom, the user's before the agent's; None where nobody gave it."""
        for by in ("user", "agent"):
            for spoken in (one for one in self._turn.said if one.by == by):
                if (span := spoken.source.find(quote)) and spoken.source.is_own(*span):
                    return one_line(spoken.text[slice(*span)], WHY_CHARS), by
        return None

    def quoted(self, quote: str) -> tuple[str, Spoken | None, int, int, int | None] | None:
        """A quote as it stands: verbatim, who said it, where, and the row; among the steps, then the words."""
        for step, line in zip(self._turn.steps, map(_line, self._turn.steps), strict=True):
            if span := Source(line).find(quote):
                return line[slice(*span)], None, 0, 0, step.event
        for by in ("user", "agent"):
            for spoken in (one for one in self._turn.said if one.by == by):
                if (span := spoken.source.find(quote)) and spoken.source.is_own(*span):
                    return spoken.text[slice(*span)], spoken, *span, spoken.event
        return None


def _line(step: Any) -> str:
    return step_lines((step,))[0]
