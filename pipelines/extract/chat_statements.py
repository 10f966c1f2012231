"""What one sentence of a prompt states or asks to be kept, as drafts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from .chat_rule import MARKS, Language, Match, Rule, match, trimmed
from .chat_sentence import Said, alone, beginnings, clause_end, due, expiry, languages, said, since
from .drafts import Draft, Reach
from .intentions import plan
from .questions import is_joke, is_question, is_reported, is_supposed
from .sentences import starts
from .topics import Topic, context, topic

# What was asked for in so many words.
_REMEMBERED_IMPORTANCE = 0.8
_THIS_PROMPT = re.compile(
    r"(?:any of )?(?:this|that|these|it)(?: \w{1,20})?|这[个些条段句]?(?:话|内容|信息)?|上面(?:的"
    r"|这些)?.{0,4}",
    re.IGNORECASE,
)
_USES = re.compile("use|using|用|使用", re.IGNORECASE)
_FIGURES = re.compile(r"\d")
_NAMES = re.compile("[0-9a-z]", re.IGNORECASE)


def explicit(sentence: Said, after: str) -> list[Draft]:
    """What a sentence asks in so many words to remember or forget, and what it states before; [] for nothing."""
    words = sentence.words
    for at, _ in () if is_joke(words, after) else starts(words):
        for language in languages(words):
            if is_reported(words, at):
                continue
            asked = language.forget.match(words, at)
            if asked and not is_supposed(words, at):
                return [*_before(sentence, at, after), _forgetting(sentence, asked)]
            asked = language.remember.match(words, at)
            found = remembered(_from(sentence, asked.end()), after) if asked else []
            if found:
                return [*_before(sentence, at, after), *found]
    return []


def _from(sentence: Said, at: int) -> Said:
    """The rest of a sentence, as one that is no question."""
    return said(sentence.prompt, sentence.start + at, sentence.start + len(sentence.words))


def _before(sentence: Said, at: int, after: str) -> list[Draft]:
    return stated(said(sentence.prompt, sentence.start, sentence.start + at), after) if at else []


def _forgetting(sentence: Said, asked: re.Match[str]) -> Draft:
    start, end = trimmed(sentence.words, *asked.span("value"))
    value = sentence.text(start, end)
    begin, end = asked.start(), max(end, asked.start("value"))
    this = not value or _THIS_PROMPT.fullmatch(value)
    data = _data("user", "forget", value, **({"target": "turn"} if this else {}))
    quote = sentence.text(begin, end)
    return Draft(
        "fact",
        value or quote,
        quote,
        sentence.start + begin,
        sentence.start + end,
        asks="forget",
        data=data,
        importance=0.9,
    )


def remembered(content: Said, after: str) -> list[Draft]:
    """What is to be remembered: the statements in it where rules know any, else its words as a plain fact."""
    language = next(languages(content.words))
    if any(kind.no_remembering.match(content.words.lstrip(MARKS)) for kind in languages(content.words)):
        return []
    found = stated(content, after)
    if found and found[0].start <= content.start + len(content.words) // 3:
        return [
            replace(draft, importance=max(draft.importance, _REMEMBERED_IMPORTANCE), confidence=1.0)
            for draft in found
        ]
    start, end = trimmed(content.words, 0, len(content.words))
    value = content.text(start, end)
    if len(value.strip("\"'`“”‘’「」『』《》 ")) < 2:
        return []
    why = language.why.search(content.words, start, end)
    qualifiers = {"why": content.text(*trimmed(content.words, *why.span("why")))} if why else {}
    return [
        Draft(
            "fact",
            " ".join(value.split()),
            value,
            content.start + start,
            content.start + end,
            data=_data("user", "notes", value, **qualifiers),
            importance=_REMEMBERED_IMPORTANCE,
        )
    ]


def stated(sentence: Said, after: str) -> list[Draft]:
    """What a sentence states that lasts; `after`: the words of the next, which may take it back."""
    words = sentence.words
    if is_joke(words, after):
        return []
    found: list[Draft] = []
    free: list[int] = []
    done = 0
    for at, lead in beginnings(sentence):
        if at < done or is_question(words, sentence.mark, at) or is_reported(words, at):
            continue
        supposed = is_supposed(words, at)
        matches = [
            held
            for held in _matches(words, at, follows=bool(found) or words.startswith("我"))
            if held.rule.supposed or not supposed
        ]
        drafts = [draft for held in matches if (draft := _draft(sentence, held, lead))]
        found += drafts
        if drafts:
            done = max(held.value[1] for held in matches)
        elif not supposed:
            free.append(at)
    for at in free:
        planned = plan(sentence, at)
        if planned and not any(planned.start < other.end and other.start < planned.end for other in found):
            found.append(planned)
    return found


def _matches(words: str, at: int, *, follows: bool) -> Iterator[Match]:
    """The first rule that holds at a start, and those that hold beside it."""
    taken = False
    for language in languages(words):
        for rule in language.rules:
            if (taken and not rule.beside) or (rule.follows and not follows):
                continue
            if held := match(rule, language, words, at):
                yield held
                taken = taken or not rule.beside


def _draft(sentence: Said, held: Match, lead: str) -> Draft | None:
    """A draft of what a rule found; None for a contrast that corrects nothing."""
    rule, words = held.rule, sentence.words
    corrects = _corrects(held, words, lead)
    if rule.contrast and not (corrects or _contrasts(held, words)):
        return None
    corrects = (corrects or rule.contrast) and rule.predicate not in ("asks for", "decided")
    start, end = held.start, max(span[1] for span in (held.value, held.why, held.old) if span)
    lasting = rule.predicate not in ("asks for", "decided", "has goal")
    begun = since(sentence, held) if lasting else None
    if begun:
        start = min(start, begun[1])
    period = due(sentence, start, end) if rule.contrast else None
    about = _about(held, words)
    limited = context(words[held.start : clause_end(words, held.value[1])])
    quote = sentence.text(start, end)
    speaks = rule.kind == "profile" and rule.predicate not in ("asks for", "has goal", "has")
    return Draft(
        "intention" if period else rule.kind,
        alone(quote, period, held.language.subject if speaks else ""),
        quote,
        sentence.start + start,
        sentence.start + end,
        asks="correct" if corrects else "keep",
        slot=_slot(held, about, limited, words),
        polarity=rule.polarity,
        data=_stated_data(sentence, held, about, limited, corrects=corrects),
        importance=rule.importance,
        confidence=rule.confidence,
        valid_from=begun[0] if begun else None,
        expires_at=expiry(sentence, period),
        reach=_reach(rule, held.language, words[held.start : held.value[1]]),
    )


def _stated_data(
    sentence: Said, held: Match, about: Topic | None, limited: str | None, *, corrects: bool
) -> dict[str, Any]:
    rule = held.rule
    old = sentence.text(*held.old) if held.old else None
    qualifiers: dict[str, Any] = {}
    if held.why:
        qualifiers["why"] = sentence.text(*held.why)
    if rule.ended:
        qualifiers["ended"] = True
    if limited and rule.slotted in ("prefers", "uses", "order"):
        qualifiers["context"] = limited
    if about and rule.slotted:
        qualifiers["topic"] = about.name
    if old and not corrects:
        qualifiers["over"] = old
    subject = sentence.text(*held.who).strip() if held.who else rule.whose
    data = _data(subject, rule.predicate, sentence.text(*held.value), **qualifiers)
    return data | ({"old": old} if old and corrects else {})


def _corrects(held: Match, words: str, lead: str) -> bool:
    """Whether a statement is led to as a correction."""
    corrects = held.language.corrects
    return corrects.match(lead) is not None or (
        held.language.subject == "我" and corrects.match(words) is not None
    )


def _contrasts(held: Match, words: str) -> bool:
    """Whether "X is A, not B" corrects something without saying so: A and B are figures or names; or X has changed."""
    value = words[slice(*held.value)]
    old = words[slice(*held.old)] if held.old else ""
    if "改" in words[held.start : held.value[0]] or held.rule.predicate == "means":
        return bool(old) or held.rule.predicate != "means"
    who = words[slice(*held.who)].strip().lower() if held.who else ""
    kind = _NAMES if held.language.subject == "我" else _FIGURES
    return who not in ("it", "that") and bool(kind.search(value) and kind.search(old))


def _about(held: Match, words: str) -> Topic | None:
    """What a match is about: by its value, and for an order by all of it ("keep answers short")."""
    about = topic(words[slice(*held.value)])
    return about or (topic(words[held.start : held.value[1]]) if held.rule.slotted == "order" else None)


def _slot(held: Match, about: Topic | None, limited: str | None, words: str) -> str | None:
    """The slot of what a rule found; a dislike and a prohibition take none, since nothing is current by them."""
    rule = held.rule
    if rule.slot or rule.whose == "who":
        return rule.slot
    if not rule.slotted or not about or (rule.polarity == "negated" and not rule.ended):
        return None
    if rule.slotted == "decided":
        return f"decided:{about.name}"
    if rule.slotted == "order" and about.sort == "tool" and not _USES.match(words, held.value[0]):
        return None
    uses = about.sort == "tool" and rule.slotted != "prefers"
    return f"{'uses' if uses else 'prefers'}:{about.name}" + (f"@{limited}" if limited else "")


def _reach(rule: Rule, language: Language, clause: str) -> Reach:
    return "workspace" if rule.kind != "profile" or language.project.search(clause) else "global"


def _data(subject: str, predicate: str, value: str, **qualifiers: Any) -> dict[str, Any]:
    return {"subject": subject, "predicate": predicate, "value": value, "qualifiers": qualifiers}
