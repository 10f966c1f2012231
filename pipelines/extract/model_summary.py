"""What a session was about, in a few sentences, asked of a model: kept only where it says nothing of its own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ... import prompts
from ..llm import Answered, Asked, Declined, Model, Spent
from .drafts import Draft
from .model_atoms import introduced, same_language
from .model_evidence import located
from .model_fence import Fence, Nonce, cut, fence, fresh, one_line
from .model_keys import keys
from .model_results import Refused, Taken
from .model_shapes import Summed
from .model_telling import mostly
from .model_telling import words as words_of
from .model_windows import WindowTurn
from .model_work_evidence import is_grave
from .work_text import width

MAX_TOKENS = 500
TEXT_WIDTH, LINE_CHARS = 700, 160
# Of a long session its beginning and more of its end.
FIRST, LAST, SAID_HEAD, SAID_TAIL, CAME_CHARS = 8, 24, 300, 100, 240


@dataclass(frozen=True, slots=True)
class Summary:
    """The summary of a session; None where there is none worth keeping, and why. What asking for it came to."""

    taken: Taken | None
    why_not: str | None
    spent: Spent | None
    declined: Declined | None = None


def summarise(
    model: Model, turns: Sequence[WindowTurn], *, now: int, deadline_s: float | None = None, nonce: Nonce = fresh
) -> Summary:  # fmt: skip
    """The summary of a session that has ended; it is of the last turn, and quotes the one that it names."""
    if not _kept(turns):
        return Summary(None, "the user asks not to remember it", None)
    answer = model.ask(question(turns, nonce), Summed, now=now, deadline_s=deadline_s)
    if not isinstance(answer, Answered):
        return Summary(None, f"no model summed it up ({answer.why})", answer.spent, answer)
    found = checked(answer.value, turns)
    if isinstance(found, Refused):
        return Summary(None, found.reason, answer.spent)
    return Summary(found, None, answer.spent)


def question(turns: Sequence[WindowTurn], nonce: Nonce = fresh) -> Asked:
    """What is asked: each turn as the user's own words and one line of what came of it."""
    said = {number: _said(turns[number - 1]) for number in _shown(turns)}
    came = {number: _came(turns[number - 1]) for number in said}
    fenced = fence((*said.values(), *came.values()), nonce)
    blocks = [_block(number, said[number], came[number], turns, fenced) for number in said]
    if left_out := len(_kept(turns)) - len(said):
        blocks.insert(FIRST, f"({left_out} turns left out)")
    return Asked("summary", prompts.load("summary", nonce=fenced.nonce), "\n".join(blocks), MAX_TOKENS)


def checked(said: Summed, turns: Sequence[WindowTurn]) -> Taken | Refused:
    """The summary as a draft, or why it is none."""
    text = " ".join(said.text.split())
    shown = frozenset(_shown(turns))
    if not text:
        return Refused(None, "nothing worth a summary", "")
    if said.turn not in shown:
        return Refused(None, "a turn that was not shown", one_line(text, 80))
    key = turns[said.turn - 1].key
    found = located(said.quote, said.turn, turns, shown)
    if isinstance(found, str):
        return Refused(key, found, one_line(text, 80))
    number, spoken, start, end = found
    if spoken.by != "user":
        return Refused(key, "not in the user's words", one_line(text, 80))
    own = "\n".join(_said(turns[at - 1]) for at in sorted(shown))
    evidence = "\n".join((own, *(_came(turns[at - 1]) for at in sorted(shown))))
    if width(text) > TEXT_WIDTH or not same_language(text, own):
        return Refused(key, "too long, or in another language", one_line(text, 80))
    days = [turn.today for turn in turns]
    if (
        introduced(text, evidence, days=days, links_from=own, han_names=False)
        or is_grave(text, evidence)
        or not mostly(text, words_of(evidence))
    ):
        return Refused(key, "says more than its evidence", one_line(text, 80))
    words = keys(said.keys_en, said.keys_zh, evidence)
    draft = Draft(
        "summary", text, spoken.text[start:end], start, end, line=one_line(text, LINE_CHARS), confidence=0.7,
        data={"keys": words, "turns": len(turns)},
    )  # fmt: skip
    return Taken(turns[number - 1].key, spoken.event, "agent", draft)


def _shown(turns: Sequence[WindowTurn]) -> list[int]:
    """The numbers of the turns that are shown."""
    numbers = _kept(turns)
    return numbers if len(numbers) <= FIRST + LAST else [*numbers[:FIRST], *numbers[-LAST:]]


def _kept(turns: Sequence[WindowTurn]) -> list[int]:
    """The numbers of the turns but for those that the user asks not to remember."""
    return [number for number, turn in enumerate(turns, 1) if not turn.is_private]


def _said(turn: WindowTurn) -> str:
    shown = "\n".join(one.source.shown for one in turn.said if one.by == "user")
    return cut(shown, SAID_HEAD, SAID_TAIL)


def _came(turn: WindowTurn) -> str:
    """What came of a turn: its fact, else the beginning of the reply."""
    if turn.fact is not None:
        return one_line(turn.fact.text, CAME_CHARS)
    replies = [one.text for one in turn.said if one.by == "agent"]
    return one_line(replies[-1], CAME_CHARS) if replies else ""


def _block(number: int, said: str, came: str, turns: Sequence[WindowTurn], fenced: Fence) -> str:
    day = turns[number - 1].today.isoformat()
    blocks = [fenced.block("user", said, turn=number, day=day)] if said else []
    return "\n".join([*blocks, *([fenced.block("came-of-it", came, turn=number)] if came else [])])
