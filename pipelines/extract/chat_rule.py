"""What a rule for statements is, in either language, and where it holds in a sentence."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from .drafts import DraftKind, Polarity
from .topics import topic

# Whose statement it is: of the user, of the user and others ("we"), or of whom the pattern's `who` names.
Whose = Literal["user", "team", "who"]
# How the slot follows from the value's topic: as a preference, a tool in use, a decision, or as an order would.
Slotted = Literal["prefers", "uses", "decided", "order"]
Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Rule:
    """
    One way to state something.

    Args:
        pattern: matched at a start; `value` is what is stated, `old` what it takes the place of, `who` the
            subject, where they are groups of it.
        slot: where one value is current whatever it is; `slotted` where its topic decides.
        check: whether a value, without the marks around it, is one.
        needs_topic: a value without a topic is no match.
        ended: what was so and is no longer.
        long: the value is a clause of its own, with commas, and not a name or a thing.
        supposed: holds also in a sentence with "if": an order may have a condition.
        follows: the subject is left out, and stands earlier in the sentence.
        beside: may hold at the same start as another rule.
        contrast: "A, not B": kept only where it corrects something.
        whole: what is said goes on behind the value, to where the pattern ends ("从 A 离职了").
        since: holds now only where the sentence says since when ("I have lived in A since May").
    """

    predicate: str
    pattern: re.Pattern[str]
    kind: DraftKind = "profile"
    whose: Whose = "user"
    polarity: Polarity = "affirmed"
    slot: str | None = None
    slotted: Slotted | None = None
    check: Callable[[str], bool] | None = None
    needs_topic: bool = False
    ended: bool = False
    long: bool = False
    supposed: bool = False
    follows: bool = False
    beside: bool = False
    contrast: bool = False
    since: bool = False
    whole: bool = False
    importance: float = 0.6
    confidence: float = 0.9


@dataclass(frozen=True, slots=True)
class Language:
    """
    A language's rules, the first that holds first, and what else is read by its words.

    Args:
        remember, forget: what asks for it, up to what is to be remembered, or with it as `value`.
        no_remembering: what after `remember` shows that it asks for something else; `unled`, where nothing says that
            a statement comes.
        asks_politely: a request to remember in the form of a question.
        recalled: what after `remember` shows that it reminds of something and asks to keep nothing; `unled`, as above.
        reminds: the requests that as often remind for this task; `lasting` what then shows that it lasts.
        verbs: what makes words a statement, and not the name of a thing.
        another: where, after what is to be forgotten, something else is said.
        corrects: what leads to a correction; `not_old` what a correction says was wrong, as `old`.
        one_off: what ties words to this one task; `project` what ties them to this one project.
        limits: what limits a statement after it to a project, as a clause or without a comma.
        of_task: a clause that limits the one after it to something in this task.
        task_follows: what after an order shows that it tells what is to be built.
        own_labels: what the user writes before a colon and a statement of their own.
        why: a reason, as `why`, after what it is given for.
        short_end, long_end: where a value ends: a name or thing, and a clause of its own.
        plans: where a plan begins: its words as `value`; `reminder` where it is asked for.
        since, since_after: before and after a date from which something holds.
        subject: the word for the user where a statement leaves it out.
    """

    rules: tuple[Rule, ...]
    remember: re.Pattern[str]
    no_remembering: re.Pattern[str]
    forget: re.Pattern[str]
    asks_politely: re.Pattern[str]
    recalled: re.Pattern[str]
    reminds: re.Pattern[str]
    lasting: re.Pattern[str]
    verbs: re.Pattern[str]
    another: re.Pattern[str]
    corrects: re.Pattern[str]
    not_old: re.Pattern[str]
    one_off: re.Pattern[str]
    project: re.Pattern[str]
    limits: re.Pattern[str]
    of_task: re.Pattern[str]
    task_follows: re.Pattern[str]
    own_labels: re.Pattern[str]
    why: re.Pattern[str]
    short_end: re.Pattern[str]
    long_end: re.Pattern[str]
    plans: re.Pattern[str]
    since: re.Pattern[str]
    since_after: re.Pattern[str]
    subject: str


@dataclass(frozen=True, slots=True)
class Match:
    """A rule that holds in a sentence, and where in it its parts stand."""

    rule: Rule
    language: Language
    start: int
    value: Span
    old: Span | None = None
    why: Span | None = None
    who: Span | None = None
    end: int | None = None


def match(rule: Rule, language: Language, words: str, at: int) -> Match | None:
    """The rule where it holds at a start in a sentence and its value is one that lasts; None where not."""
    found = rule.pattern.match(words, at)
    if not found:
        return None
    ends = language.long_end if rule.long else language.short_end
    start, end = found.span("value")
    cut = ends.search(words, start, end)
    # What ends a value does not stand before it.
    while cut and cut.start() == start:
        cut = ends.search(words, max(cut.end(), start + 1), end)
    start, end = trimmed(words, start, cut.start() if cut else end, polite=True)
    value = words[start:end]
    if not value or (rule.check and not rule.check(value)) or (rule.needs_topic and not topic(value)):
        return None
    if language.one_off.search(language.project.sub("", words[at:end])):
        return None
    groups = rule.pattern.groupindex
    why = language.why.match(words, end) if rule.slotted else None
    return Match(
        rule,
        language,
        at,
        (start, end),
        old=_old(found, language, words, end),
        why=trimmed(words, *why.span("why")) if why else None,
        who=found.span("who") if "who" in groups and found["who"] else None,
        end=trimmed(words, start, found.end())[1] if rule.whole else None,
    )


def _old(found: re.Match[str], language: Language, words: str, end: int) -> Span | None:
    if "old" in found.re.groupindex and found["old"]:
        return trimmed(words, *found.span("old"))
    said = language.not_old.match(words, end)
    return trimmed(words, *said.span("old")) if said else None


MARKS = " \t\r\n,，.。、;；:：!！~～"
_POLITE = re.compile(
    r"(?:[\s,，]{1,3}(?:please|pls|thanks?|thank you|ok(?:ay)?|btw|though|now|anymore|again|too"
    r"|really|actually|谢谢|好吗|吧|哈|哦|啦|喔)){1,3}$"
    r"|(?<=.)(?:吧|哦|啦|喔|哈)$",
    re.IGNORECASE,
)


def until(words: str, at: int, ends: re.Pattern[str]) -> int:
    """Where the first of some ends stands from an offset on; the end of the words where there is none."""
    found = ends.search(words, at)
    return found.start() if found else len(words)


def clause(words: str, at: int, ends: re.Pattern[str], *, polite: bool = False) -> Span:
    """The clause that begins at an offset and goes to the first of some ends, `trimmed`."""
    return trimmed(words, at, until(words, at + 1, ends), polite=polite)


def trimmed(words: str, start: int, end: int, *, polite: bool = False) -> Span:
    """A span without the marks around what it says, and with `polite` without the words that only round it off."""
    for _ in range(2):
        while end > start and words[end - 1] in MARKS:
            end -= 1
        if polite and (found := _POLITE.search(words, max(start, end - 60), end)):
            end = found.start()
    while start < end and words[start] in MARKS:
        start += 1
    return start, end
