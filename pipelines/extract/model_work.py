"""
What a model may say of a turn's work: the sentences of its one fact, and what was learned.

Where it was done (files, commands, tests, branch) and how it ended stay as the rules read them from the trace.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from .drafts import Draft
from .model_fence import one_line
from .model_keys import keys
from .model_results import Refused
from .model_shapes import Lesson, Work
from .model_windows import Spoken, WindowTurn
from .model_work_evidence import Evidence
from .work_facts import FACT_CHARS
from .work_text import narrow, width

ASKED_WIDTH, DONE_WIDTH, OUTCOME_WIDTH = 160, 200, 100
TASK_WIDTH, SOLUTION_WIDTH, WHEN_WIDTH, LESSON_WIDTH, LINE_WIDTH = 160, 320, 160, 600, 160
LESSONS_AT_MOST = 3
# What a model learned from a trace is its reading of it; from the agent's words, a reading of those.
_FROM_TRACE, _FROM_WORDS = 0.7, 0.5
_BAD = re.compile(
    r"fail|error|not\b|n't\b|broken|unfinished|interrupted|partly|still|失败|报错|没|未|错|中断|部分|仍",
    re.IGNORECASE,
)
# What says of work that it came to its end.
_CLAIMS = re.compile(
    r"\b(?:fixed|solved|resolved|finished|completed)\b|修好|修复了|解决了|搞定|完成了|好了", re.IGNORECASE
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
    evidence, mended = Evidence(turn), list[str]()
    data = dict(fact.data)
    if asked := evidence.asked(said.asked, ASKED_WIDTH, before=str(data.get("asked_before") or "")):
        data["asked"] = asked
    else:
        mended.append("asked")
    done = evidence.holds(said.done, DONE_WIDTH)
    if done and not _claims(done, data, evidence):
        data["done"] = done
    else:
        mended.append("done")
    outcome = evidence.holds(said.outcome, OUTCOME_WIDTH, outcome=True)
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
    if {"asked", "done", "outcome"} <= set(mended):
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
    evidence = Evidence(turn)
    found = evidence.quoted(said.quote)
    if found is None:
        return _refused(turn, "quote not in the source", said)
    if not evidence.holds(task, TASK_WIDTH, lesson=True) or not evidence.holds(
        solution, SOLUTION_WIDTH, lesson=True
    ):
        return _refused(turn, "says more than its evidence, or too much", said)
    when = evidence.condition(said.conditions, WHEN_WIDTH) or ""
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
    data["quoted"] = "prompt" if own else "event"
    if not own:
        data["event"] = event
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


def _claims(done: str, data: dict[str, Any], evidence: Evidence) -> bool:
    """Whether what was done is told as brought to its end, and neither the trace nor the agent says so."""
    failed = data.get("outcome") not in ("done", "unknown") or (data.get("tests") or {}).get("failed")
    return bool(failed and _CLAIMS.search(done)) and not _CLAIMS.search(evidence.replies)


def _contradicts(outcome: str, data: dict[str, Any], evidence: Evidence) -> bool:
    """Whether an outcome is better than the trace has it."""
    failed = (data.get("tests") or {}).get("failed")
    if data.get("outcome") not in ("done", "unknown") or failed:
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
