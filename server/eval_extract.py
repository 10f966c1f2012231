"""
How well the configured model extracts, on labelled turns: precision, recall, evidence, refusals, tokens and time.

    evaluate(model, turns, now=…) -> Result      asks the model; nothing is kept
    table(result, …) -> str                      the figures for a person
    run(model, …) -> int                         both, for the command line

A line of a labelled set has `prompt`, its moment with the zone as `at`, `lang`, and `drafts`: what is to be found, each
with `kind` and `value` and, where they are not plain, `slot`, `polarity`, `asks`, `expires` (the last day), `since`
(the first), `old`, `why`, `reach`. A turn with `[]` is one in which nothing lasts.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .. import prompts
from ..pipelines.extract.by_model import Extraction, extract
from ..pipelines.extract.model_fence import Nonce, fresh
from ..pipelines.extract.model_results import Taken
from ..pipelines.extract.model_windows import Spoken, WindowTurn
from ..store.clock import SECOND_US
from ..store.errors import BadInput
from ..store.windows import TURNS

if TYPE_CHECKING:
    from ..pipelines.extract.drafts import Draft
    from ..pipelines.llm import Model, Spent

OUR_SET = "eval_turns.jsonl"
# A value much longer than what was to be found in it says something else.
_LONGEST, _SPARE_CHARS = 2, 40
_MILLION = 1_000_000
# No quote, or none that holds: what `evidence` counts against the model.
_BAD_EVIDENCE = frozenset(("no quote", "quote not in the source", "a turn that was not shown"))


@dataclass(frozen=True, slots=True)
class Labelled:
    """A turn and what is to be found in it."""

    prompt: str
    lang: str
    moment: datetime
    expected: tuple[Mapping[str, Any], ...]
    reply: str = ""

    @property
    def utc_offset_s(self) -> int:
        """The zone of its moment."""
        return int((self.moment.utcoffset() or timedelta()).total_seconds())

    def turn(self, key: int) -> WindowTurn:
        """The turn as extraction reads it."""
        said = [Spoken(2 * key, "user", self.prompt)]
        if self.reply:
            said.append(Spoken(2 * key + 1, "agent", self.reply))
        at = int(self.moment.timestamp()) * SECOND_US
        return WindowTurn(key, at, self.utc_offset_s, tuple(said))


@dataclass(frozen=True)
class Result:
    """
    What came of an evaluation.

    `right` were found, of them `whole` also with the slot, the days, and all else that the label names; `wrong` were
    found and should not have been. `proposed` statements came from the model, `unfounded` of them with a quote that
    stands nowhere.
    """

    turns: int
    right: int
    whole: int
    missed: tuple[tuple[str, Mapping[str, Any]], ...]
    wrong: tuple[tuple[str, str], ...]
    proposed: int
    unfounded: int
    refused: Mapping[str, int]
    mended: Mapping[str, int]
    declined: Mapping[str, int]
    calls: int
    tokens_in: int
    tokens_out: int
    estimated: bool
    took_ms: tuple[float, ...] = field(default=())
    causes: tuple[str, ...] = ()

    @property
    def unanswered(self) -> bool:
        """Whether no answer came at all: then the figures say nothing of the model."""
        return bool(self.declined) and not self.proposed

    @property
    def precision(self) -> float:
        """The share of what was taken that is right."""
        return _share(self.right, self.right + len(self.wrong))

    @property
    def recall(self) -> float:
        """The share of what should be found that is."""
        return _share(self.right, self.right + len(self.missed))

    @property
    def evidence(self) -> float:
        """The share of the model's statements whose quote stands in the turn."""
        return _share(self.proposed - self.unfounded, self.proposed)

    def cost(self, price_in: float, price_out: float) -> float:
        """What it cost, by prices for a million tokens."""
        return (self.tokens_in * price_in + self.tokens_out * price_out) / _MILLION


def load(path: Path | None = None) -> list[Labelled]:
    """
    The labelled turns of a file; without one, those that come with Backstory.

    Raises:
        BadInput: the file cannot be read, or a line is no labelled turn.
    """
    try:
        text = prompts.data(OUR_SET) if path is None else path.read_text("utf-8-sig")
    except (OSError, UnicodeDecodeError) as e:
        raise BadInput(f"{path} cannot be read: {e}") from e
    turns = []
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        try:
            turns.append(_labelled(json.loads(line)))
        except (ValueError, KeyError, TypeError) as e:
            raise BadInput(
                f"Line {number} of {path or OUR_SET} is no labelled turn ({type(e).__name__}: {e}); "
                "it needs `prompt`, `at` with its zone, and `drafts`, each with `kind` and `value`."
            ) from e
    if not turns:
        raise BadInput(f"{path or OUR_SET} holds no turn.")
    return turns


def _labelled(line: Mapping[str, Any]) -> Labelled:
    moment = datetime.fromisoformat(line["at"])
    if moment.utcoffset() is None:
        raise ValueError(f"{line['at']!r} has no zone")
    expected = tuple(dict(label) for label in line["drafts"])
    if any(not isinstance(label["kind"], str) or not isinstance(label["value"], str) for label in expected):
        raise TypeError("kind and value are text")
    return Labelled(
        str(line["prompt"]), str(line.get("lang", "")), moment, expected, str(line.get("reply", ""))
    )


def evaluate(
    model: Model, turns: Sequence[Labelled], *, now: int, window: int = TURNS,
    deadline_s: float | None = None, nonce: Nonce = fresh,
) -> Result:  # fmt: skip
    """
    The model's statements held against the labels; nothing is kept.

    Args:
        now: the day that is billed.
        window: how many turns one call sees.
    """
    found: list[Extraction] = []
    for at in range(0, len(turns), window):
        part = [turn.turn(at + number) for number, turn in enumerate(turns[at : at + window])]
        found.append(extract(model, part, now=now, deadline_s=deadline_s, nonce=nonce))
    return scored(turns, found)


def scored(turns: Sequence[Labelled], found: Sequence[Extraction]) -> Result:
    """What was found in the turns, each under its number from 0, held against their labels."""
    taken: dict[int, list[Taken]] = {}
    for one in (one for part in found for one in part.statements):
        taken.setdefault(one.turn, []).append(one)
    right = whole = 0
    missed: list[tuple[str, Mapping[str, Any]]] = []
    wrong: list[tuple[str, str]] = []
    for key, turn in enumerate(turns):
        left = taken.get(key, [])
        for label in turn.expected:
            match = _best(left, label, turn.utc_offset_s)
            if match is None:
                missed.append((turn.prompt, label))
                continue
            left.remove(match)
            right += 1
            whole += fits_whole(match.draft, label, turn.utc_offset_s)
        wrong += [(turn.prompt, one.draft.text) for one in left]
    refused = Counter(one.reason for part in found for one in part.refused)
    spent = [one for part in found for one in part.calls]
    return Result(
        len(turns), right, whole, tuple(missed), tuple(wrong), sum(part.proposed for part in found),
        sum(refused[reason] for reason in _BAD_EVIDENCE), refused,
        Counter(reason for part in found for one in part.statements for reason in one.mended),
        Counter(one.why for part in found for one in part.declined), *_figures(spent),
        tuple(dict.fromkeys(one.reason for part in found for one in part.declined)),
    )  # fmt: skip


def _figures(spent: Sequence[Spent]) -> tuple[int, int, int, bool, tuple[float, ...]]:
    return (
        sum(one.calls for one in spent),
        sum(one.tokens_in for one in spent),
        sum(one.tokens_out for one in spent),
        any(one.estimated for one in spent),
        tuple(sorted(one.took_us / 1000 for one in spent)),
    )


def _best(left: Sequence[Taken], label: Mapping[str, Any], utc_offset_s: int) -> Taken | None:
    """The draft that a label asks for; of several the one that fits as a whole."""
    fitting = [one for one in left if one.origin == "user" and fits(one.draft, label)]
    return next(
        (one for one in fitting if fits_whole(one.draft, label, utc_offset_s)), next(iter(fitting), None)
    )


def fits(draft: Draft, label: Mapping[str, Any]) -> bool:
    """Whether a draft says what a label asks for: the same kind of thing, of the same polarity."""
    value, wanted = str(draft.data.get("value", "")).casefold(), str(label["value"]).casefold()
    same_kind = draft.kind == label["kind"] or {draft.kind, label["kind"]} <= {"profile", "fact"}
    return (
        same_kind
        and draft.polarity == label.get("polarity", "affirmed")
        and (wanted in value or (wanted in draft.text.casefold()))
        and len(value) <= _LONGEST * len(wanted) + _SPARE_CHARS
    )


def fits_whole(draft: Draft, label: Mapping[str, Any], utc_offset_s: int) -> bool:
    """Whether it does so in all that the label names: kind, slot, days, what it corrects, and why."""
    expires = None if draft.expires_at is None else draft.expires_at - SECOND_US
    return (
        draft.kind == label["kind"]
        and draft.asks == label.get("asks", "keep")
        and draft.slot == label.get("slot")
        and _day(expires, utc_offset_s) == label.get("expires")
        and _day(draft.valid_from, utc_offset_s) == label.get("since")
        and label.get("old", "") in draft.data.get("old", "")
        and label.get("why", "") in draft.data["qualifiers"].get("why", "")
        and label.get("reach", draft.reach) == draft.reach
        and label.get("subject", draft.data["subject"]) == draft.data["subject"]
    )


def _day(at: int | None, utc_offset_s: int) -> str | None:
    """The local day of an instant."""
    if at is None:
        return None
    return (date(1970, 1, 1) + timedelta(days=(at // SECOND_US + utc_offset_s) // 86_400)).isoformat()


def table(result: Result, *, price_in: float | None = None, price_out: float | None = None) -> str:
    """The figures as lines for a person; prices are for a million tokens."""
    expected = result.right + len(result.missed)
    precise = _percent(result.right, result.right + len(result.wrong))
    founded = _percent(result.proposed - result.unfounded, result.proposed)
    detailed = _percent(result.whole, result.right)
    rows = [
        ("turns", f"{result.turns:,}"),
        ("precision", f"{precise}  ({result.right} right, {len(result.wrong)} wrong)"),
        ("recall", f"{_percent(result.right, expected)}  ({result.right} of {expected})"),
        ("right in all details", f"{detailed}  ({result.whole} of {result.right})"),
        ("evidence holds", f"{founded}  ({result.unfounded} of {result.proposed} quotes not found)"),
        ("calls", f"{result.calls:,}"),
        ("tokens", f"{'about ' * result.estimated}{result.tokens_in:,} in, {result.tokens_out:,} out"),
        ("tokens a turn", f"{(result.tokens_in + result.tokens_out) / max(result.turns, 1):,.0f}"),
    ]
    if result.took_ms:
        ms, last = result.took_ms, max(round(len(result.took_ms) * 0.95) - 1, 0)
        rows.append(
            (
                "time a call",
                f"{ms[len(ms) // 2]:,.0f} ms in the middle, {ms[last]:,.0f} ms at the 95th of 100",
            )
        )
    if price_in is not None and price_out is not None:
        rows.append(("cost", f"{result.cost(price_in, price_out):.4f}"))
    for name, counted in (
        ("refused", result.refused),
        ("mended", result.mended),
        ("no answer", result.declined),
    ):
        rows += [(name, f"{count} × {reason}") for reason, count in sorted(counted.items(), key=_most_first)]
    rows += [("because", cause) for cause in result.causes]
    wide = max(len(name) for name, _ in rows)
    return "\n".join(f"{name:<{wide}}  {said}" for name, said in rows)


def as_json(
    result: Result, *, price_in: float | None = None, price_out: float | None = None
) -> dict[str, Any]:
    """The figures for a program, with what was missed and what was wrong."""
    cost = None if price_in is None or price_out is None else round(result.cost(price_in, price_out), 6)
    return {
        "turns": result.turns, "precision": round(result.precision, 4), "recall": round(result.recall, 4),
        "right": result.right, "right_in_all_details": result.whole, "evidence": round(result.evidence, 4),
        "proposed": result.proposed, "refused": dict(result.refused), "mended": dict(result.mended),
        "declined": dict(result.declined), "causes": list(result.causes), "calls": result.calls,
        "tokens_in": result.tokens_in,
        "tokens_out": result.tokens_out, "estimated": result.estimated, "took_ms": list(result.took_ms), "cost": cost,
        "missed": [{"prompt": prompt, "draft": dict(label)} for prompt, label in result.missed],
        "wrong": [{"prompt": prompt, "text": text} for prompt, text in result.wrong],
    }  # fmt: skip


def run(
    model: Model, *, path: Path | None, now: int, price_in: float | None = None, price_out: float | None = None,
    in_json: bool = False,
) -> int:  # fmt: skip
    """Evaluate and print; 0, whatever the figures are, which are for a person to judge; 1 where no answer came."""
    result = evaluate(model, load(path), now=now)
    if in_json:
        told = json.dumps(
            as_json(result, price_in=price_in, price_out=price_out), ensure_ascii=False, indent=2
        )
    else:
        told = table(result, price_in=price_in, price_out=price_out)
    sys.stdout.write(told + "\n")
    return int(result.unanswered)


def _percent(part: int, whole: int) -> str:
    return f"{part / whole:.1%}" if whole else "-"


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 1.0


def _most_first(counted: tuple[str, int]) -> tuple[int, str]:
    return -counted[1], counted[0]
