"""How strong a memory is: its activation, the trust in it, whether it has faded, and how that nudges an order."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence

from ..configs.strength import Strength
from ..store.clock import DAY_US
from ..store.models import Memory, Origin
from ..store.ratings import Rating, Verdict, counted
from ..store.signs import Signs

# What feedback adds up to is kept between these odds: no vote is ever the last word.
LEAST_ODDS, MOST_ODDS = 1 / 50, 50.0
NOTHING_SAID = 0.5
# Uses only break ties: so much of a score at most, less than two memories that are told apart differ by.
TIE = 0.001
STANDING = "asks for"


def is_standing(memory: Memory) -> bool:
    """Whether it is an order of the user's that holds until it is lifted: it never fades."""
    return memory.data.get("predicate") == STANDING


def earned(given: Sequence[Rating], rules: Strength) -> float:
    """
    The trust that verdicts add up to, 0 to 1; 0.5 where none was given. Always the same for the same verdicts, in
    whichever file they met: a session's last word counts, each after the one before.
    """
    worth: dict[Verdict, float] = {
        "helpful": rules.trust_helpful, "unhelpful": rules.trust_unhelpful, "wrong": rules.trust_wrong,
    }  # fmt: skip
    odds = 1.0
    for one in counted(given):
        odds = min(max(odds * worth[one.verdict], LEAST_ODDS), MOST_ODDS)
    return odds / (1 + odds)


def trust(memory: Memory, rules: Strength) -> float:
    """The trust in a memory, 0 to 1: what its origin is worth, by the odds that feedback earned it."""
    prior = _prior(memory.origin, rules)
    right, wrong = prior * memory.trust, (1 - prior) * (1 - memory.trust)
    return right / (right + wrong) if right + wrong else prior


def _prior(origin: Origin, rules: Strength) -> float:
    match origin:
        case "user":
            return rules.trust_user
        case "agent":
            return rules.trust_agent
        case "tool":
            return rules.trust_tool
        case _:
            return rules.trust_outside


def is_loud(memory: Memory, signs: Signs, rules: Strength) -> bool:
    """Whether it is handed out everywhere, and nobody ever said it again or found it helpful."""
    return (
        memory.kind != "profile"
        and not signs.confirmed
        and memory.uses >= rules.loud_uses
        and memory.uses > rules.loud_share * signs.sessions
    )


def half_life_days(memory: Memory, signs: Signs, rules: Strength) -> float:
    """The days in which it loses half of its activation: longer for what is confirmed and used, within bounds."""
    base = {
        "fact": rules.half_life_fact_days, "experience": rules.half_life_experience_days,
        "profile": rules.half_life_profile_days, "intention": rules.half_life_intention_days,
        "schema": rules.half_life_schema_days, "summary": rules.half_life_summary_days,
        "turn": rules.half_life_turn_days,
    }[memory.kind]  # fmt: skip
    if is_standing(memory):
        base = max(base, rules.half_life_profile_days)
    # To be handed out says less than to be said again, and nothing where it is handed out everywhere.
    used = 0.0 if is_loud(memory, signs, rules) else min(memory.uses, rules.loud_uses) / rules.loud_uses
    slower = 1 + rules.slower_per_confirmation * math.log2(1 + signs.confirmed + used)
    return base * min(slower, rules.slower_at_most)


def age_days(memory: Memory, signs: Signs, rules: Strength, *, now: int) -> float:
    """
    Its age since its last sign of life. To be handed out is a weak one, which makes time pass slower, at most so many
    times; each change to its code counts for days.
    """
    since_sign = max(0, now - max(signs.alive_at, memory.recorded_at))
    aged = float(since_sign)
    if memory.used_at is not None and not is_loud(memory, signs, rules):
        since_use = max(0, now - memory.used_at)
        aged = min(aged, max(since_use, since_sign / rules.slower_at_most))
    return aged / DAY_US + rules.touch_days * min(signs.touched, rules.touches_at_most)


def activation(memory: Memory, signs: Signs, rules: Strength, *, now: int) -> float:
    """How present it is, over 0 up to 1."""
    return float(0.5 ** (age_days(memory, signs, rules, now=now) / half_life_days(memory, signs, rules)))


def faded(memory: Memory, signs: Signs, rules: Strength, *, now: int, worked: int) -> str | None:
    """
    Why a memory is to leave recall at that moment; None where it stays. Its confidence has no part in it. `worked`: on
    how many days since its last sign of life there was work where it belongs.
    """
    if is_standing(memory) or (memory.kind == "intention" and memory.expires_at is not None):
        return None
    age = min(age_days(memory, signs, rules, now=now), rules.work_day_days * worked)
    unimportant = memory.importance < rules.temporary_importance and memory.origin in ("agent", "tool")
    if unimportant and memory.kind in ("fact", "summary") and not signs.confirmed:
        if age <= rules.temporary_days:
            return None
        whose = f"importance {memory.importance:.2g}, by {memory.origin}"
        return f"a temporary note ({whose}), of no use since {age:.0f} days"
    half_life = half_life_days(memory, signs, rules)
    # From half to twice as long, by importance and trust; 1 for 0.5 of each.
    weight = (0.5 + memory.importance) * (0.5 + trust(memory, rules))
    if age <= rules.archive_after_half_lives * weight * half_life:
        return None
    touched = f", its code changed {signs.touched} times" if signs.touched else ""
    return (
        f"faded: as if {age:.0f} days without a sign of life{touched}; half-life {half_life:.0f} days, importance "
        f"{memory.importance:.2g}, trust {trust(memory, rules):.2g}"
    )


def nudge(
    memory: Memory,
    signs: Signs,
    rules: Strength,
    *,
    now: int,
    branch: str | None = None,
    names: Collection[str] = (),
) -> float:
    """
    The factor by which strength moves a score: 1 for a fresh memory of middling importance and trust.

    Args:
        branch: from which the question comes.
        names: the words of the question that may be a file's.
    """
    factor = 1 - rules.nudge_recency * (1 - activation(memory, signs, rules, now=now))
    factor *= 1 + rules.nudge_importance * (memory.importance - 0.5)
    factor *= 1 + rules.nudge_trust * (trust(memory, rules) - rules.trust_agent)
    if branch is not None and memory.scope.branch == branch:
        factor *= 1 + rules.nudge_branch
    if names and _is_about(memory, names):
        factor *= 1 + rules.nudge_file
    factor = min(max(factor, rules.nudge_least), rules.nudge_most)
    used = 0 if is_loud(memory, signs, rules) else min(memory.uses, rules.loud_uses)
    return factor * (1 + TIE * used / rules.loud_uses)


def _is_about(memory: Memory, names: Collection[str]) -> bool:
    files = memory.data.get("files")
    if not isinstance(files, list):
        return False
    paths = [str(path).casefold() for path in files]
    return any(path == name or path.endswith("/" + name) for path in paths for name in names)
