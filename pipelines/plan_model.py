"""A question as a model would put it to a memory: its scene, other wordings, the days it names; None keeps the plan."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date, timedelta

from .. import prompts
from ..store.models import SCENES, Scene
from .extract import calendars, dates
from .extract.model_atoms import names, numbers
from .extract.model_fence import Nonce, cut, fence, fresh, harmless
from .extract.model_shapes import Forgiving
from .extract.work_text import width
from .llm import Answered, Asked, Declined, Model, Spent

MAX_TOKENS = 300
QUESTION_HEAD, QUESTION_TAIL = 1_200, 400
QUERIES, QUERY_CHARS = 3, 200
_BACK = timedelta(days=366 * 30)
_HAN = re.compile("[\u3400-\u9fff]")
_ODD = re.compile(r"https?:|[<>{}]|\[redacted")
# What names a time without a date of its own.
_TIME = re.compile(
    r"\b(?:ago|lately|recent(?:ly)?|past|last|previous|yesterday|today|since|until|before|after|during|between|week|month"
    r"|quarter|year|day|morning|spring|summer|autumn|fall|winter|\d{4}|january|february|march|april|may|june|july|august"
    r"|september|october|november|december)s?\b|最近|近来|前几|这几|以来|之前|之后|[今昨前]天|[上这本去前今]个?[周月年季]|刚才|早上|\d+[月日号]",
    re.IGNORECASE,
)


class Rewrite(Forgiving):
    """What a model makes of a question."""

    scene: str | None = None
    queries: list[str]
    since: str | None = None
    until: str | None = None


@dataclass(frozen=True, slots=True)
class Rewritten:
    """
    What to look for beside the question itself. `since` and `until` are UTC microseconds, the last within; None where
    the question names no time. `dropped` says what of the answer was not taken.
    """

    scene: Scene | None
    queries: tuple[str, ...]
    since: int | None
    until: int | None
    dropped: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Replanned:
    """The rewriting, None where the plain plan stands; and what asking for it came to."""

    rewritten: Rewritten | None
    spent: Spent | None
    declined: Declined | None = None


def rewrite(
    model: Model, asked: str, *, now: int, utc_offset_s: int, deadline_s: float | None = None, nonce: Nonce = fresh
) -> Replanned:  # fmt: skip
    """The question as a model would search for it; `utc_offset_s` is the asker's zone, from which days are counted."""
    answer = model.ask(
        question(asked, nonce, now=now, utc_offset_s=utc_offset_s), Rewrite, now=now, deadline_s=deadline_s
    )
    if not isinstance(answer, Answered):
        return Replanned(None, answer.spent, answer)
    return Replanned(checked(answer.value, asked, now=now, utc_offset_s=utc_offset_s), answer.spent)


def question(asked: str, nonce: Nonce = fresh, *, now: int, utc_offset_s: int) -> Asked:
    """What is asked about a question; of a long one its ends are shown."""
    shown = cut(harmless(asked), QUESTION_HEAD, QUESTION_TAIL)
    fenced = fence((shown,), nonce)
    today = calendars.today(now, utc_offset_s).strftime("%Y-%m-%d, a %A")
    system = prompts.load("plan", nonce=fenced.nonce, today=today)
    return Asked("plan", system, fenced.block("question", shown), MAX_TOKENS)


def checked(said: Rewrite, asked: str, *, now: int, utc_offset_s: int) -> Rewritten | None:
    """What of a rewriting holds; None where nothing does."""
    dropped: list[str] = []
    queries = _queries(said.queries, asked, dropped)
    scene = next((one for one in SCENES if one == (said.scene or "").strip().casefold()), None)
    today = calendars.today(now, utc_offset_s)
    since, until = _days(said, asked, today, dropped)
    if not queries and scene is None and since is None and until is None:
        return None
    return Rewritten(
        scene, queries,
        calendars.midnight(since, utc_offset_s) if since else None,
        calendars.after(until, utc_offset_s) - 1 if until else None,
        tuple(dropped),
    )  # fmt: skip


def _queries(given: list[str], asked: str, dropped: list[str]) -> tuple[str, ...]:
    """The wordings that add nothing to the question, each once; a name or number in one must be the question's own."""
    found: dict[str, str] = {" ".join(asked.casefold().split()): ""}
    low, counted = asked.casefold(), numbers(asked)
    for one in given:
        query = " ".join(one.split())
        if not (width(query) > 1 and len(query) <= QUERY_CHARS) or _ODD.search(query):
            dropped.append("a query out of bounds")
        elif numbers(query) - counted:
            dropped.append("a query with a number of its own")
        elif any(name not in low for name in names(query) if not name.isalpha()):
            dropped.append("a query with a name of its own")
        elif query.casefold() not in found and len(found) <= QUERIES:
            found[query.casefold()] = query
    return tuple(query for query in found.values() if query)


def _days(said: Rewrite, asked: str, today: date, dropped: list[str]) -> tuple[date | None, date | None]:
    """First and last day, where the question names a time and the days are of this world."""
    since, until = _day(said.since, today), _day(said.until, today)
    if since is None and until is None:
        if said.since or said.until:
            dropped.append("a day out of reach")
        return None, None
    if not _TIME.search(asked) and not dates.periods(asked, today, past=True):
        dropped.append("days for a question that names none")
        return None, None
    if (since and until and until < since) or (since and since > today):
        dropped.append("days in the wrong order")
        return None, None
    return since, until


def _day(text: str | None, today: date) -> date | None:
    try:
        found = date.fromisoformat((text or "").strip()[:10])
    except ValueError:
        return None
    in_reach = today - _BACK <= found <= today + timedelta(days=366)
    return found if in_reach and found.year >= calendars.FIRST_YEAR else None
