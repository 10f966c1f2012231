"""
What a window of turns leaves, with a model: statements of the user's, and each turn's work told better.

    extract(model, turns, earlier=…, now=…) -> Extraction

One call a piece of the window. The model proposes; what is taken is checked word for word against the turns, and for a
turn that it could not be asked about the rules' own drafts stand.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ... import prompts
from ..llm import Answered, Asked, Declined, Model, Spent
from .drafts import Draft
from .model_fence import Nonce, fence, fresh
from .model_results import Refused, Taken
from .model_shapes import Found
from .model_statements import statement
from .model_windows import (
    EARLIER_CHARS,
    EARLIER_TURNS,
    Part,
    WindowTurn,
    asks_not_to_keep,
    body,
    pieces,
    rules_of,
)
from .model_work import LESSONS_AT_MOST, lesson, told

MAX_TOKENS = 3_000


@dataclass(frozen=True)
class Extraction:
    """
    What a window left.

    `facts` and `learned` hold, by the turn's key, the drafts of each turn that came with a fact: exactly one fact, the
    rules' own where the model said nothing that holds. `left` are the turns of which the model did not read all: the
    rules' statements are to be taken for them. `mended` tells what of a turn's fact was not taken.
    """

    statements: tuple[Taken, ...] = ()
    facts: Mapping[int, Draft] = field(default_factory=dict)
    learned: Mapping[int, tuple[Draft, ...]] = field(default_factory=dict)
    refused: tuple[Refused, ...] = ()
    mended: Mapping[int, tuple[str, ...]] = field(default_factory=dict)
    left: tuple[int, ...] = ()
    calls: tuple[Spent, ...] = ()
    declined: tuple[Declined, ...] = ()
    proposed: int = 0


def extract(
    model: Model, turns: Sequence[WindowTurn], *, earlier: Sequence[str] = (), now: int,
    deadline_s: float | None = None, nonce: Nonce = fresh,
) -> Extraction:  # fmt: skip
    """
    Args:
        turns: of one session, oldest first.
        earlier: what the user said in the turns before, oldest first: read for "it" and "那个" alone.
        deadline_s: of each call.
    """
    if turns:
        earlier = [text for text in earlier if not asks_not_to_keep(rules_of(text, turns[0]))]
    answers: list[tuple[tuple[Part, ...], Found]] = []
    left: set[int] = set()
    calls: list[Spent] = []
    declined: list[Declined] = []
    for piece in pieces(turns):
        if declined and declined[-1].is_of_the_moment:
            # Nor would the next piece be answered.
            left |= {part.number for part in piece}
            continue
        answer = model.ask(question(piece, turns, earlier, nonce), Found, now=now, deadline_s=deadline_s)
        if answer.spent is not None:
            calls.append(answer.spent)
        if isinstance(answer, Answered):
            answers.append((piece, answer.value))
        else:
            declined.append(answer)
            left |= {part.number for part in piece}
    return judged(answers, turns, earlier, left=frozenset(left), calls=tuple(calls), declined=tuple(declined))


def question(
    piece: Sequence[Part], turns: Sequence[WindowTurn], earlier: Sequence[str], nonce: Nonce = fresh
) -> Asked:
    """What is asked about a piece of a window."""
    fenced = fence((*(part.text for part in piece), *earlier), nonce)
    work = prompts.load("extract_work") if any(part.name == "steps" for part in piece) else ""
    system = prompts.load("extract", nonce=fenced.nonce, work=work)
    return Asked("extract", system.strip(), body(piece, turns, earlier, fenced), MAX_TOKENS)


def judged(
    answers: Sequence[tuple[Sequence[Part], Found]], turns: Sequence[WindowTurn], earlier: Sequence[str], *,
    left: frozenset[int] = frozenset(), calls: tuple[Spent, ...] = (), declined: tuple[Declined, ...] = (),
) -> Extraction:  # fmt: skip
    """What is taken of the model's answers to some pieces; nothing is asked."""
    before = [text[:EARLIER_CHARS] for text in earlier[-EARLIER_TURNS:]]
    taken: list[Taken] = []
    refused: list[Refused] = []
    for piece, found in answers:
        shown = frozenset(part.number for part in piece)
        for said in found.statements:
            one = statement(said, turns, shown, before)
            taken.append(one) if isinstance(one, Taken) else refused.append(one)
    facts, mended = _facts(answers, turns)
    learned, odd = _learned(answers, turns)
    return Extraction(
        _once(taken), facts, learned, (*refused, *odd), mended,
        tuple(turns[number - 1].key for number in sorted(left)), calls, declined,
        sum(len(found.statements) + len(found.experiences) for _, found in answers),
    )  # fmt: skip


def _once(taken: Sequence[Taken]) -> tuple[Taken, ...]:
    """Each statement once, of two the surer: pieces overlap, and a model repeats itself."""
    kept: dict[tuple[object, ...], Taken] = {}
    for one in taken:
        said = one.draft.data
        key = (
            one.event,
            said["subject"],
            said["predicate"],
            str(said["value"]).casefold(),
            one.draft.polarity,
        )
        if key not in kept or kept[key].draft.confidence < one.draft.confidence:
            kept[key] = one
    return tuple(sorted(kept.values(), key=lambda one: (one.turn, one.event or 0, one.draft.start)))


def _facts(
    answers: Sequence[tuple[Sequence[Part], Found]], turns: Sequence[WindowTurn]
) -> tuple[dict[int, Draft], dict[int, tuple[str, ...]]]:
    """The one fact of each turn that has one."""
    facts = {turn.key: turn.fact for turn in turns if turn.fact is not None}
    mended: dict[int, tuple[str, ...]] = {}
    for piece, found in answers:
        working = {part.number for part in piece if part.name == "steps"}
        for said in found.work:
            turn = turns[said.turn - 1] if said.turn in working else None
            if turn is None or turn.fact is None or turn.key in mended:
                continue
            facts[turn.key], mended[turn.key] = told(said, turn, turn.fact)
    return facts, mended


def _learned(
    answers: Sequence[tuple[Sequence[Part], Found]], turns: Sequence[WindowTurn]
) -> tuple[dict[int, tuple[Draft, ...]], list[Refused]]:
    """The experiences of each turn: the rules' own, told better where the model can, and a few more."""
    learned = {turn.key: list(turn.learned) for turn in turns if turn.fact is not None}
    refused: list[Refused] = []
    for piece, found in answers:
        working = {part.number for part in piece if part.name == "steps"}
        for said in found.experiences:
            if said.turn not in working:
                refused.append(Refused(None, "a turn that was not shown", said.solution[:80]))
                continue
            turn = turns[said.turn - 1]
            one = lesson(said, turn)
            if isinstance(one, Refused):
                refused.append(one)
            elif turn.key in learned:
                _put(learned[turn.key], one, limit=len(turn.learned) + LESSONS_AT_MOST)
    return {key: tuple(found) for key, found in learned.items()}, refused


def _put(learned: list[Draft], one: Draft, *, limit: int) -> None:
    """In the place of the one about the same, else at the end while there is room."""
    same = next(
        (at for at, held in enumerate(learned) if held.data["task_key"] == one.data["task_key"]), None
    )
    if same is not None:
        learned[same] = one
    elif len(learned) < limit:
        learned.append(one)
