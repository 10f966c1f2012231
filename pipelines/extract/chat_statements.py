"""What one sentence of a prompt states that lasts, as drafts."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from ..regions import is_region
from . import lasted
from .chat_amends import was_never_so
from .chat_events import event_slot
from .chat_frame import is_labelled, is_of_this_task, limit
from .chat_lifts import is_limited, lift
from .chat_outcomes import become
from .chat_rule import Language, Match, Rule, match, trimmed
from .chat_sentence import (
    Said,
    alone,
    beginnings,
    clause_end,
    due,
    expiry,
    from_then,
    is_ahead,
    is_since,
    languages,
    since,
    within,
)
from .dates import Period
from .drafts import NEVER, WITHIN, Draft, Reach
from .how_far import beside, condition, is_for_now
from .intentions import off, plan
from .of_then import is_of_today, says_nothing_of_now, spell, until_day
from .qualifiers import Limits, limits
from .questions import is_joke, is_question, is_reported, is_supposed, is_unsure
from .recurring import recurring
from .topics import Topic, context, spoken, topic

_USES = re.compile("use|using|用|使用", re.IGNORECASE)
# What others like is told for this one task.
_THIS_TIME = re.compile(r"\b(?:this time|for once|today)\b|这次|这回|今天", re.IGNORECASE)
_FIGURES = re.compile(r"\d")
_NAMES = re.compile("[0-9a-z]", re.IGNORECASE)


def stated(sentence: Said, after: str) -> list[Draft]:
    """What a sentence states that lasts; `after`: the words of the next, which may take it back."""
    words = sentence.words
    if is_joke(words, after):
        return []
    script = next(languages(words))
    found: list[Draft] = []
    free: list[int] = []
    done = 0
    for at, lead in beginnings(sentence):
        if at < done or is_question(words, sentence.mark, at) or is_reported(words, at):
            continue
        if is_unsure(words, at) or is_labelled(words, at, script) or is_of_this_task(words, at, script):
            continue
        supposed = is_supposed(words, at)
        matches = [
            held
            for held in _matches(words, at, follows=bool(found) or words.startswith("我"))
            if held.rule.supposed or not supposed
        ]
        drafts = [
            draft
            for held in matches
            if not _is_task(held, words, after) and (draft := _draft(sentence, held, lead))
        ]
        found += drafts
        if drafts:
            done = max(held.value[1] for held in matches)
        elif not supposed:
            free.append(at)
    return [*found, *_over_or_planned(sentence, free, found)]


def _over_or_planned(sentence: Said, free: Sequence[int], found: Sequence[Draft]) -> list[Draft]:
    """What ends an order, and what is planned, where no rule has found anything."""
    over = [one for at in free if (one := _over(sentence, at)) and not _meets(one, found)]
    planned: list[Draft] = []
    for at in free:
        one = recurring(sentence, at) or off(sentence, at) or plan(sentence, at)
        if one and not _meets(one, [*found, *planned, *over[:1]]):
            planned.append(one)
    return [*over[:1], *planned]


def _over(sentence: Said, at: int) -> Draft | None:
    """That a plan or an order is over; what `off` knows is said of an event, whether or not it was planned."""
    return None if off(sentence, at) else become(sentence, at) or lift(sentence, at)


def _meets(one: Draft, others: Sequence[Draft]) -> bool:
    return any(one.start < other.end and other.start < one.end for other in others)


def _is_task(held: Match, words: str, after: str) -> bool:
    """Whether an order is what the agent is to build: the words after it say so ("…, add that to the hook")."""
    if held.rule.predicate != "asks for":
        return False
    follows = held.language.task_follows
    return follows.search(words, held.value[0]) is not None or follows.match(". " + after) is not None


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


# What is liked less belongs to what is said.
_THAN = re.compile(
    r",?\s(?:over|instead of|rather than)\s[\w.+#'-]+(?:\s[\w.+#'-]+){0,4}"
    r"|[，,]?\s?(?:而不是|而非)\s?[^，。；！？,.;!?\n]{1,20}",
    re.IGNORECASE,
)


def _draft(sentence: Said, held: Match, lead: str) -> Draft | None:
    """A draft of what a rule found; None for a contrast that corrects nothing."""
    rule, words = held.rule, sentence.words
    corrects = _corrects(held, words, lead)
    if _says_nothing(sentence, held, corrects=corrects):
        return None
    never_so = bool(rule.slot or rule.slotted) and was_never_so(sentence, held, lead)
    corrects = (corrects or rule.contrast or never_so) and rule.predicate not in ("asks for", "decided")
    start, end = held.start, max(span[1] for span in (held.value, held.why, held.old) if span)
    end = max(end, held.end or end)
    if rule.predicate == "prefers" and (than := _THAN.match(words, end)):
        end = than.end()
    lasting = rule.predicate not in ("asks for", "decided", "has goal")
    begun = since(sentence, held) if lasting else None
    if rule.predicate == "asks for":
        begun = from_then(sentence, held)
    if rule.since and begun is None:
        return None
    held_now = rule.predicate != "asks for" and bool(rule.slot or rule.slotted)
    if held_now and says_nothing_of_now(sentence, held, since=begun is not None):
        return None
    then = spell(sentence, held) if held_now and begun is None and lasting and not rule.ended else None
    if begun:
        start = min(start, begun[1])
    bounds = limit(words, held.start, held.language)
    if bounds:
        start = min(start, bounds[0])
    period = due(sentence, start, end) if rule.contrast else None
    over = until_day(sentence, held) if rule.predicate == "asks for" else None
    start, end = (start, end) if over is None else (min(start, over.start), max(end, over.end))
    about = _about(held, words)
    bound = _limited(sentence, held, about)
    slot = (
        event_slot(words[slice(*held.who)]) if period and held.who else _slot(held, about, bound.name, words)
    )
    if over is not None:
        slot = None  # what holds for a time leaves what always holds
    if rule.polarity == "affirmed" and (among := beside(words, held.value, start, slot)):
        slot, end = None, max(end, among[1])
        held = replace(held, value=(held.value[0], _until(words, held.value, among[0])))
    start, end = min(start, start if bound.begin is None else bound.begin), max(end, bound.end or 0)
    quote = sentence.text(start, end)
    return Draft(
        "intention" if period else rule.kind,
        _text(sentence, held, (start, end), period or over),
        quote,
        sentence.start + start,
        sentence.start + end,
        asks="correct" if corrects else "keep",
        slot=slot,
        polarity=rule.polarity,
        data=_stated_data(sentence, held, about, bound, corrects=corrects)
        | ({NEVER: True} if corrects and never_so else {}),
        importance=rule.importance,
        confidence=rule.confidence,
        valid_from=begun[0] if begun else then[0] if then else None,
        valid_to=then[1] if then else None,
        expires_at=expiry(sentence, period or over),
        became=begun is not None and not is_since(sentence, held),
        reach="workspace" if bounds else _reach(rule, held.language, words[held.start : held.value[1]]),
    )


def _says_nothing(sentence: Said, held: Match, *, corrects: bool) -> bool:
    """Whether what a rule found is a contrast that corrects nothing, is so still, or is so for this task only."""
    rule, words = held.rule, sentence.words
    if rule.contrast and not (corrects or _contrasts(held, words)):
        return True
    if rule.predicate == "means" and not held.old:
        return True
    if (rule.ended and is_ahead(sentence, held)) or _lifts_in_part(held, words):
        return True
    if rule.slotted == "uses" and rule.polarity == "affirmed" and is_for_now(words, held.start, held.value):
        return True
    if rule.predicate == "asks for" and is_of_today(sentence, held):
        return True
    return rule.whose == "who" and _THIS_TIME.search(words, held.start) is not None


def _until(words: str, value: tuple[int, int], at: int) -> int:
    """Where a value ends that goes no further than an offset behind its beginning."""
    return trimmed(words, value[0], at)[1] if value[0] < at < value[1] else value[1]


def _lifts_in_part(held: Match, words: str) -> bool:
    """Whether an order is withdrawn for some cases only, which leaves it for the rest."""
    if held.rule.slotted != "order":
        return False
    if not held.rule.ended and _ALLOWS.search(words, held.start, held.value[1]) is None:
        return False
    end = _NO_MORE.match(words, held.value[1])
    return is_limited(words, held.start, end.end() if end else held.value[1])


_ALLOWS = re.compile(r"\byou (?:can|may)\b|可以|允许|(?<![不功只才可])能(?!不)", re.IGNORECASE)
_NO_MORE = re.compile(r"\s(?:any\s?more|any longer)\b|了", re.IGNORECASE)


def _text(sentence: Said, held: Match, span: tuple[int, int], period: Period | None) -> str:
    """The statement as a sentence of its own; of "I meant A, not B" what is meant."""
    rule = held.rule
    if rule.predicate == "means":
        return alone(sentence.text(held.value[0], span[1]), period)
    speaks = rule.kind == "profile" and rule.predicate not in ("asks for", "has goal", "has")
    return alone(sentence.text(*span), period, held.language.subject if speaks else "")


def _limited(sentence: Said, held: Match, about: Topic | None) -> Limits:
    """What limits a match, where that makes another slot of it."""
    rule, words = held.rule, sentence.words
    if not (rule.slot or rule.slotted):
        return Limits()
    dates = [(period.start, period.end) for period in (*sentence.been, *sentence.to_come)]
    if (so_long := lasted.told(words, held.value[1], clause_end(words, held.value[1]))) is not None:
        dates.append(so_long.span())
    found = limits(words, held.start, held.value, about=about, slot=rule.slot or "", dates=dates)
    if found.name is None and not found.everywhere and rule.slotted:
        found = Limits(context(words[held.start : clause_end(words, held.value[1])]))
    if rule.slotted == "order" or (about and about.name.endswith(" language")):
        under = condition(words, held.start, held.value)
        name = under.name or ""
        if name and (found.name is None or spoken(name, 0, len(name))):
            return under
    return found


def _stated_data(
    sentence: Said, held: Match, about: Topic | None, bound: Limits, *, corrects: bool
) -> dict[str, Any]:
    rule = held.rule
    old = sentence.text(*held.old) if held.old else None
    qualifiers: dict[str, Any] = {}
    if held.why and not any(
        period.start < held.why[1] and held.why[0] < period.end for period in sentence.been
    ):
        qualifiers["why"] = sentence.text(*held.why)
    if rule.ended:
        qualifiers["ended"] = True
    if bound.name:
        qualifiers["context"] = bound.name
    if bound.everywhere:
        qualifiers["everywhere"] = True
    if rule.slot == "lives:city" and _MOVES_TO.search(sentence.words, held.start, held.value[0]):
        qualifiers["moved"] = True
    if about and rule.slotted:
        qualifiers["topic"] = about.name
    if old and not corrects:
        qualifiers["over"] = old
    subject = sentence.text(*held.who).strip() if held.who else rule.whose
    data = _data(subject, rule.predicate, _value(sentence, held, about), **qualifiers)
    if rule.ended and rule.slot and (until := within(sentence, held)) is not None:
        data |= {WITHIN: until}
    return data | ({"old": old} if old and corrects else {})


def _value(sentence: Said, held: Match, about: Topic | None) -> str:
    """
    What is stated; of an order about a language that language alone, so that what lifts the order meets it.
    """
    start, end = held.value
    if held.rule.slotted == "order" and about and about.name.endswith(" language"):
        found = spoken(sentence.words, start, end)
        if found:
            start, end = found
    return sentence.text(start, _before_its_date(sentence, start, end))


def _before_its_date(sentence: Said, start: int, end: int) -> int:
    """Where a value ends without the date that it ends with: "neovim" of "neovim two weeks ago"."""
    words = sentence.words
    if sentence.been and (told := _SINCE_WHEN.search(words, start + 1, end)):
        return trimmed(words, start, told.start())[1]
    for period in sentence.been:
        if start < period.start < end <= period.end:
            led = _LEADS_DATE.search(words, start, period.start)
            at = led.start() if led else period.start
            return trimmed(words, start, at)[1] if at > start else end
    return end


_SINCE_WHEN = re.compile(r"\s(?:since|as of)\s", re.IGNORECASE)
_LEADS_DATE = re.compile(r"\s(?:from|in|on|at|for)\s?$|(?:自从?|从)\s?$", re.IGNORECASE)


def _corrects(held: Match, words: str, lead: str) -> bool:
    """Whether a statement is led to as a correction."""
    corrects = held.language.corrects
    if corrects.match(lead):
        return True
    found = corrects.match(words) if held.language.subject == "我" else None
    return found is not None and (found.end() <= held.start or held.old is not None or held.rule.contrast)


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


# "My favourite colour is blue": of that there is one, whatever a value is about.
_FAVOURITE = re.compile(
    r"my favou?rite (?P<what>[\w ]{2,30}?) is\s|我最(?:喜欢|爱)的?(?P<chinese>[^，,。；;是]{1,12}?)不?是",
    re.IGNORECASE,
)


_MOVES_TO = re.compile(
    r"\b(?:moved|relocated|returned)\b(?! (?:away|out|from))|搬[到去来回]|迁[到回]", re.IGNORECASE
)


# A part of the city where one lives.
_DISTRICT = re.compile("[\u4e00-\u9fff](?:区|街道|小区|镇|路|新城|湾)$")
_TITLE = re.compile(r"\b(?:job|role|position|title|profession)\b|职[位业务]|岗位|工作是", re.IGNORECASE)
# What one may be beside what one does, and several of.
_POST = re.compile(
    r"\b(?:lead|manager|owner|head|director|c[teof]o|vp|(?:co-?)?founder|scrum master|maintainer|on-call|student"
    r"|intern)\b|负责人|组长|主管|总监|经理|值班|实习生|学生|研究生|博士生|创始人|维护者",
    re.IGNORECASE,
)


def _slot(held: Match, about: Topic | None, limited: str | None, words: str) -> str | None:
    """
    The slot of what a rule found. A dislike and a prohibition take none, since nothing is current by them; of
    languages one is, and the denied one is not.
    """
    rule, at = held.rule, f"@{limited}" if limited else ""
    if rule.slot or rule.whose == "who":
        slot = rule.slot
        if slot == "lives:city" and is_region(words[slice(*held.value)]):
            slot = "lives:country"
        if slot == "lives:city" and _DISTRICT.search(words[slice(*held.value)]):
            slot = "lives:district"
        titled = _TITLE.search(words, held.start, held.value[0])
        if slot == "is:role" and not titled and (post := _POST.search(words, *held.value)):
            slot = f"is:role:{post.group().casefold()}"
        return slot + at if slot else None
    of = _FAVOURITE.match(words, held.start) if rule.slotted == "prefers" else None
    if of and (not about or about.sort == "manner"):
        what = " ".join((of["what"] or of["chinese"]).casefold().split())
        return f"prefers:favourite {what}{at}"
    if not rule.slotted or not about:
        return None
    if rule.polarity == "negated" and not rule.ended and not about.name.endswith(" language"):
        return None
    if rule.slotted == "decided":
        return f"decided:{about.name}{at}"
    if rule.slotted == "order" and about.sort == "tool" and not _USES.match(words, held.value[0]):
        return None
    uses = about.sort == "tool" and rule.slotted != "prefers"
    return f"{'uses' if uses else 'prefers'}:{about.name}{at}"


def _reach(rule: Rule, language: Language, clause: str) -> Reach:
    return "workspace" if rule.kind != "profile" or language.project.search(clause) else "global"


def _data(subject: str, predicate: str, value: str, **qualifiers: Any) -> dict[str, Any]:
    return {"subject": subject, "predicate": predicate, "value": value, "qualifiers": qualifiers}
