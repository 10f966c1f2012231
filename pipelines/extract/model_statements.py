"""
From what a model says a user stated to a draft, or a reason why not.

What is taken of a statement rests on the quote: where it stands, whose words they are, what they deny and which days
they name is found out here by rule. The model's own sentence is kept only while it says nothing that its quote does
not.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from ...store import han
from . import dates
from . import model_standing as standing
from .chat_rule import trimmed
from .chat_sentence import alone, languages
from .drafts import Asks, Draft, DraftKind, Polarity, Reach
from .model_atoms import denies, introduced, same_language
from .model_evidence import located
from .model_fence import one_line
from .model_keys import keys
from .model_lasting import Tense
from .model_quotes import folded
from .model_results import Refused, Taken
from .model_shapes import Statement
from .model_slots import Predicate, about, ended, predicate, slot
from .model_telling import mostly, words
from .model_times import Times, times
from .model_windows import Spoken, WindowTurn
from .topics import context
from .work_text import width

TEXT_WIDTH, VALUE_CHARS, QUALIFIER_CHARS, SUBJECT_CHARS = 400, 200, 160, 60
_SURE, _IMPLIED, _HEARD = 0.9, 0.4, 0.4
_REMINDS = re.compile(
    r"\b(?:remind|reminder|don'?t (?:let me )?forget|to-?do|later|next time|some ?day|soon)\b"
    r"|提醒|别忘|待办|下次|改天|回头|之后再",
    re.IGNORECASE,
)
_CORRECTS = re.compile(
    r"\b(?:actually|wrong|mistake|correction|not|sorry|i meant|rather)\b|不对|不是|错|更正|其实|应该是|而是|纠正",
    re.IGNORECASE,
)
# What speaks of the user, or tells somebody what to do, is no fact that a reply could bear out.
_PERSONAL = re.compile(
    r"\b(?:users?|remember|memor(?:y|ies|i[sz]e)|always|never|from now on|must|should|i|we|my|our|you|your)\b"
    r"|用户|记住|记得|记忆|以后|今后|一律|总是|必须|应该|不要|别|我|你|您",
    re.IGNORECASE,
)


def statement(
    said: Statement, turns: Sequence[WindowTurn], shown: frozenset[int], earlier: Sequence[str]
) -> Taken | Refused:
    """
    A draft of one statement, or why it is none.

    Args:
        turns: the window; the model counts them from 1.
        shown: the numbers of those that the model saw.
        earlier: what the user said before, from where names may come and nothing else.
    """
    if said.turn not in shown:
        return Refused(None, "a turn that was not shown", one_line(said.text or said.quote, 80))
    found = located(said.quote, said.turn, turns, shown)
    if isinstance(found, str):
        return Refused(turns[said.turn - 1].key, found, one_line(said.quote or said.text, 80))
    number, spoken, start, end = found
    turn = turns[number - 1]
    mended = () if number == said.turn else ("turn number",)
    near = "\n".join(
        (
            *earlier,
            *(
                one.source.shown
                for other in turns[:number]
                for one in other.said
                if one.by == "user" and not other.is_private
            ),
        )
    )
    result = (
        _of_user(said, turn, spoken, start, end, near)
        if spoken.by == "user"
        else _heard(said, turn, spoken, start, end)
    )
    if isinstance(result, str):
        return Refused(turn.key, result, one_line(said.quote, 80))
    draft, more = result
    return Taken(turn.key, spoken.event, "user" if spoken.by == "user" else "agent", draft, (*mended, *more))


def _of_user(
    said: Statement, turn: WindowTurn, spoken: Spoken, start: int, end: int, near: str
) -> tuple[Draft, list[str]] | str:
    source, quote, of = spoken.source, spoken.text[start:end], predicate(said.predicate)
    subject = _subject(said.subject)
    kind = _kind(said, of, subject)
    if introduced(subject, quote, near) and subject not in ("user", "team"):
        return "a subject that was not named"
    own = subject in ("user", "team")
    why_not = source.not_meant(start, order=of.slotted == "order" or kind == "intention", of_others=not own)
    if why_not or (why_not := standing.passing(of, turn, spoken, start, end, kind)):
        return why_not
    mended: list[str] = []
    value, denied = _value(said, of, quote, mended)
    tense = standing.tense(spoken, start, quote, value)
    state = own and standing.is_state(of, kind)
    if why_not := standing.unsaid(of, spoken, start, end, value, tense=tense, state=state, denied=denied):
        return why_not
    over = state and tense == "over"
    denied = denied or over
    sentence = source.sentence(start)
    when = _when(said, kind, turn, quote, sentence)
    planned = kind == "intention" and not _REMINDS.search(sentence)
    if planned and (when.expires_at is None or standing.is_order_for_today(spoken, start, end)):
        return "a plan without a time" if when.expires_at is None else "an order for this task"
    text = _text(said, of, quote, near, when, denied=denied, over=over, past=tense, mended=mended)
    data = _data(said, of, subject, value, quote, ended_=denied and (over or ended(sentence)))
    if limit := standing.limit(spoken, start, end, kind):
        data["qualifiers"].setdefault("context", limit)
        text = _limited(text, limit)
    if found := keys(said.keys_en, said.keys_zh, f"{quote}\n{near}"):
        data["keys"] = found
    asks = _asks(said, quote, sentence, data)
    on = about(of, han.fold(value), han.fold(quote), said.topic)
    current = slot(of, han.fold(quote), on, denied=denied, over=over or ended(sentence))
    return Draft(
        kind, text, quote, start, end, asks=asks,
        slot=current if own and not said.implied and not limit else None,
        polarity=_polarity(denied=denied), data=data, importance=_within(said.importance, 0.1, 0.9),
        confidence=_IMPLIED if said.implied else _within(said.confidence, 0.3, _SURE),
        valid_from=when.valid_from, valid_to=when.valid_to, expires_at=when.expires_at if kind == "intention" else None,
        reach=_reach(kind, sentence),
    ), mended  # fmt: skip


def _heard(
    said: Statement, turn: WindowTurn, spoken: Spoken, start: int, end: int
) -> tuple[Draft, list[str]] | str:
    """A fact from the assistant's reply: nothing about the user, never current over anything the user said."""
    subject = _subject(said.subject)
    if turn.steps or turn.fact:
        return "what was done is told by its own fact"
    quote = spoken.text[start:end]
    if (
        said.kind != "fact"
        or subject in ("user", "team")
        or _PERSONAL.search(f"{subject} {quote} {said.text} {said.value}")
        or not spoken.source.is_own(start, end)
        or spoken.source.clause(start, end).is_order
    ):
        return "from a reply, and more than a plain fact"
    of, mended = predicate(said.predicate), list[str]()
    value, denied = _value(said, of, quote, mended)
    if denied and not denies(quote):
        return "denied without a word that denies"
    text = _text(said, of, quote, spoken.text, Times(), denied=denied, mended=mended)
    data = _data(said, of, subject, value, quote, ended_=denied and ended(quote))
    if found := keys(said.keys_en, said.keys_zh, quote):
        data["keys"] = found
    # A slot of its own: else its contrary would take the place of what the user said.
    heard = "heard:" + ":".join(" ".join(part.casefold().split()) for part in (subject, of.name, value))
    return Draft(
        "fact", text, quote, start, end, slot=heard[:300], polarity=_polarity(denied=denied), data=data,
        importance=_within(said.importance, 0.1, 0.5), confidence=min(_within(said.confidence, 0.1, 1.0), _HEARD),
    ), mended  # fmt: skip


def _subject(said: str) -> str:
    """Whose statement it is, by the names that the rules have for the user and for those they speak for."""
    subject = one_line(said, SUBJECT_CHARS)
    low = subject.casefold().removeprefix("the ")
    if low in ("", "user", "i", "me", "person", "用户", "我", "本人"):
        return "user"
    return "team" if low in ("team", "we", "us", "our team", "我们", "我们团队", "团队", "咱们") else subject


def _kind(said: Statement, of: Predicate, subject: str) -> DraftKind:
    if said.kind == "intention" or of.name == "plans":
        return "intention"
    if said.kind == "profile" and subject == "user" and of.name != "decided":
        return "profile"
    return "fact"


def _when(said: Statement, kind: DraftKind, turn: WindowTurn, quote: str, sentence: str) -> Times:
    """The days that the words name; of a plan a model may leave the day to us, of nothing else."""
    return times(
        quote if dates.periods(quote, turn.today) else sentence,
        today=turn.today,
        utc_offset_s=turn.utc_offset_s,
        since=said.since,
        until=said.until,
        expires=said.expires or ("plan" if kind == "intention" else ""),
    )


def _limited(text: str, limit: str) -> str:
    """A sentence with what limits it, where that stands beside its quote."""
    if limit.casefold() in text.casefold():
        return text
    return f"{text}（{limit}）" if not limit.isascii() else f"{text} ({limit[:1].lower()}{limit[1:]})"


def _value(said: Statement, of: Predicate, quote: str, mended: list[str]) -> tuple[str, bool]:
    """What is stated, verbatim from the quote, and whether it is denied."""
    low, wanted = quote.casefold(), folded(said.value)[0].strip().casefold()
    at = low.find(wanted) if wanted else -1
    if at < 0 or len(wanted) > VALUE_CHARS:
        if wanted:
            mended.append("value")
        start, end = trimmed(quote, 0, len(quote), polite=True)
        return quote[start:end][:VALUE_CHARS], said.denied or of.denies
    denied = said.denied or of.denies
    if not denied and standing.turned(quote[:at]):
        mended.append("polarity")
        denied = True
    start, end = trimmed(quote, at, at + len(wanted), polite=True)
    return quote[start:end] or quote[at : at + len(wanted)], denied


def _text(
    said: Statement, of: Predicate, quote: str, near: str, when: Times, *, denied: bool, mended: list[str],
    over: bool = False, past: Tense = None,
) -> str:  # fmt: skip
    """The model's sentence, else the quote as one that stands alone."""
    text = " ".join(said.text.split())
    wrong = (
        "no text" if not text
        else "text too long" if width(text) > TEXT_WIDTH
        else "text lost the not" if denied and not over and not denies(text)
        else "text lost the past" if standing.lost(past, text)
        else "text in another language" if not same_language(text, quote)
        else "text says more than its quote" if introduced(text, quote, near, when.days, links_from=quote)
        else "text in other words" if not mostly(text, words(f"{quote}\n{near}"))
        else None
    )  # fmt: skip
    if wrong is None:
        return alone(text, when.due)
    mended.append(wrong)
    speaks = next(languages(quote)).subject if of.slotted in ("prefers", "uses") else ""
    return alone(quote, when.due, speaks)


def _data(
    said: Statement, of: Predicate, subject: str, value: str, quote: str, *, ended_: bool
) -> dict[str, Any]:
    qualifiers: dict[str, Any] = {}
    stands = folded(quote)[0].casefold()
    for name, given in (("why", said.why), ("context", said.context)):
        if given.strip() and folded(given)[0].strip().casefold() in stands:
            qualifiers[name] = one_line(given, QUALIFIER_CHARS)
    if limited := context(han.fold(quote)):
        qualifiers["context"] = limited
    if ended_:
        qualifiers["ended"] = True
    on = about(of, han.fold(value), han.fold(quote), said.topic)
    if on and of.slotted:
        qualifiers["topic"] = on.name
    data: dict[str, Any] = {
        "subject": subject,
        "predicate": of.name,
        "value": value,
        "qualifiers": qualifiers,
    }
    return data | ({"implied": True} if said.implied else {})


def _asks(said: Statement, quote: str, sentence: str, data: dict[str, Any]) -> Asks:
    """Whether the user corrects something: in their words, with what was wrong as they named it."""
    if said.asks != "correct" or not _CORRECTS.search(sentence):
        return "keep"
    old = folded(said.old)[0].strip()
    if old and old.casefold() in folded(f"{quote}\n{sentence}")[0].casefold():
        data["old"] = old[:VALUE_CHARS]
    return "correct"


def _polarity(*, denied: bool) -> Polarity:
    return "negated" if denied else "affirmed"


def _reach(kind: DraftKind, sentence: str) -> Reach:
    here = any(language.project.search(sentence) for language in languages(sentence))
    return "workspace" if kind != "profile" or here else "global"


def _within(value: float, least: float, most: float) -> float:
    return round(min(max(value, least), most), 2) if value == value else least  # noqa: PLR0124 - NaN
