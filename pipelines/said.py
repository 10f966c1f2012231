"""What a user said for good, on the shelf: profile, facts and intentions, each in its slot, with the words for it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import apsw

from ..store import runs, slots, words, work
from ..store.cutter import Cut
from ..store.memories import Quote
from ..store.models import Event, Kind, Memory, NewMemory, Origin, Scope, Turn
from . import admitting, amending, leaving, legs, lifting, plans_over
from .admission import RANK
from .denied_value import denies
from .placing import Placed, close, place
from .reconcile import Decision
from .statements import HOLDS, key

if TYPE_CHECKING:
    from .extract.drafts import Draft

# Words that are to be forgotten are looked for in what was drawn; shorter ones would stand in too much of it. (Two
# characters of Chinese are a word.)
FORGET_CHARS = 3
# What began longer ago than this is told of then: nobody knows whether it is so still.
LONG_AGO_US = 300 * 86_400 * 1_000_000

EVERYWHERE = "it is said of everything now"

# Where someone lives is told as a city and as a country.
_COARSER = {"lives:city": ("lives:country",)}

# Of whom "I meant A, not B" speaks, as the rules have it: of what was said before, and of nothing else.
_SAID_BEFORE = frozenset(("who", "我说的"))


# What orders are stated as, and what is allowed or not.
_OF_ORDERS = ("asks for", "is")


def keep(
    con: apsw.Connection,
    turn: Turn,
    event: Event,
    draft: Draft,
    *,
    cut: Cut | None,
    now: int,
    origin: Origin = "user",
) -> list[Placed]:
    """What became of one statement that was made in `event`, in the caller's transaction."""
    admitted = admitting.drawn(con, turn, event, draft, origin=origin, now=now)
    if admitted is None:
        return []
    if draft.asks == "forget":
        return _forget(con, turn, event, draft, now=now, cut=cut)
    known = drawn_before(con, event, draft)
    if known is not None:
        return [Placed(Decision("skip", "it was drawn from these words before", known), known.id)]
    quote = Quote(event.id, draft.start, draft.end)
    if _only_corrects(draft):
        return amending.mend(con, turn, draft, quote, cut=cut, now=now)
    new = admitting.with_authority(memory_of(turn, event, draft), admitted)
    if draft.asks == "end":
        ends = plans_over.end if draft.data.get("predicate") == "plans" else lifting.end
        ended = ends(con, new, [quote], cut=cut, now=now)
        if ended or draft.otherwise is None:
            return ended
        return keep(con, turn, event, draft.otherwise, cut=cut, now=now, origin=origin)
    return [hold(con, new, draft, [quote], cut=cut, now=now)]


def asked(
    con: apsw.Connection,
    new: NewMemory,
    draft: Draft,
    quotes: Sequence[Quote],
    *,
    cut: Cut | None,
    now: int,
) -> Placed | None:
    """What became of a statement that someone wants kept; None where it only ends what is not there."""
    if draft.asks == "end":
        return next(iter(plans_over.end(con, new, quotes, cut=cut, now=now)), None)
    return hold(con, new, draft, quotes, cut=cut, now=now, asked=True)


def hold(
    con: apsw.Connection,
    new: NewMemory,
    draft: Draft,
    quotes: Sequence[Quote],
    *,
    cut: Cut | None,
    now: int,
    asked: bool = False,
) -> Placed:
    """
    A statement beside what is known of its slot, and beside its opposite, which may stand elsewhere. `asked`: someone
    wants it kept, whatever was taken out before.
    """
    holder = _holder(con, new.scope, new.slot, now=now) if new.slot else None
    if holder is not None and RANK[new.origin] < min(RANK[holder.origin], RANK["agent"]):
        # What weighs less stands beside what weighs more; of an agent's word the line in time tells whether it is news.
        new, holder = replace(new, slot=None), None
    if draft.polarity == "negated" and new.slot == draft.slot:
        # Of what it says nothing of, it takes nothing.
        new = leaving.denied(con, new, draft, holder) or replace(new, slot=statement(draft))
        holder = holder if holder is not None and holder.slot == new.slot else None
    for other in _replaced_within(con, new, draft):
        close(con, other, until=new.valid_from, why=EVERYWHERE, cut=cut, now=now)
    corrects = amending.corrected(con, new, draft, holder) if draft.asks == "correct" else None
    opposite = slots.opposite(con, new.scope, statement(draft), draft.polarity)
    if opposite is None and draft.data.get("predicate") in _OF_ORDERS:
        opposite = lifting.against(con, new, cut=cut, now=now)
    if opposite is None and holder is None:
        opposite = plans_over.replaced(con, new, draft, now=now)
    if opposite is not None and RANK[new.origin] < min(RANK[opposite.origin], RANK["agent"]):
        opposite = None
    if opposite is not None and holder is not None and opposite.id != holder.id:
        close(con, opposite, until=new.valid_from, why="the opposite is said now", cut=cut, now=now)
    return place(
        con, new, quotes, cut=cut, now=now, holder=holder or opposite, corrects=corrects, asked=asked
    )


def _holder(con: apsw.Connection, scope: Scope, slot: str, *, now: int) -> Memory | None:
    """What has the slot now; what is to have it from a day to come only where nothing has it yet."""
    last = slots.holder(con, scope, slot)
    if last is None or last.true_from <= now:
        return last
    held = [
        one
        for one in slots.line(con, scope, slot)
        if one.true_from <= now and (one.valid_to is None or one.valid_to > now)
    ]
    return held[-1] if held else last


def _replaced_within(con: apsw.Connection, new: NewMemory, draft: Draft) -> list[Memory]:
    """
    What was said of a limit, and is over by what is said of everything ("for everything", "no longer"). What is said
    without a limit, and not of everything, says nothing of it.
    """
    qualifiers = draft.data.get("qualifiers") or {}
    ended = draft.polarity == "negated" and qualifiers.get("ended")
    if not new.slot or new.slot.startswith(slots.SAYS) or qualifiers.get("context"):
        return []
    if new.slot == "lives:country" and qualifiers.get("moved"):
        held = slots.holders(con, new.scope, "lives:city")  # who moves to a country leaves the city of before
        return [one for one in held if one.true_from <= (new.valid_from or 0)]
    if not (ended or qualifiers.get("everywhere")):
        return []
    value = str(new.data.get("value", ""))
    begun = new.valid_from or 0
    return [
        one
        for one in slots.within(con, new.scope, new.slot)
        if one.true_from <= begun
        and RANK[new.origin] >= min(RANK[one.origin], RANK["agent"])
        and (not ended or denies(value, str(one.data.get("value", ""))))
    ]


def _only_corrects(draft: Draft) -> bool:
    """Whether a draft says what is meant by something said before, and nothing by itself."""
    said_ = draft.data.get("predicate") == "means" or draft.data.get("subject") in _SAID_BEFORE
    return draft.asks == "correct" and said_


def memory_of(turn: Turn, event: Event, draft: Draft, *, origin: Origin = "user") -> NewMemory:
    """The statement as a memory of that turn; what names no day holds from when it was said."""
    return of_statement(draft, turn.scope, turn, said_at=event.occurred_at, origin=origin)


def of_statement(draft: Draft, scope: Scope, turn: Turn, *, said_at: int, origin: Origin) -> NewMemory:
    """As `memory_of`, of what was said at a moment in a scope."""
    scope = scope if draft.reach == "workspace" else replace(scope, workspace=None, branch=None)
    data = {
        **draft.data,
        "polarity": draft.polarity,
        "statement": statement(draft),
        "dated": draft.valid_from is not None,
        "turn": turn.ulid,
    }
    since = draft.valid_from is not None and draft.valid_from <= said_at
    long_ago = draft.valid_from is not None and said_at - draft.valid_from > LONG_AGO_US
    if since and draft.valid_to is None and draft.asks != "correct" and not (long_ago and draft.became):
        data[HOLDS] = said_at  # "since May" speaks of all the time up to when it is said
    # A plan that is off is no plan.
    kind: Kind = "fact" if draft.kind == "intention" and draft.polarity == "negated" else draft.kind
    return NewMemory(
        kind=kind, scene="chat", scope=scope, text=draft.text, origin=origin, line=draft.line, turn=turn.id,
        slot=draft.slot or statement(draft), importance=draft.importance, confidence=draft.confidence,
        valid_from=said_at if draft.valid_from is None else draft.valid_from,
        valid_to=draft.valid_to, expires_at=draft.expires_at, data=data,
    )  # fmt: skip


def statement(draft: Draft) -> str:
    """The slot of what may stand beside others: one statement, whether it is affirmed or denied."""
    value = draft.data.get("value")
    if draft.data.get("predicate") == "asks for":
        from .extract.acts import act  # patterns that only this needs

        done = act(draft.text)
        value = done.words if done is not None else value
    within = (draft.data.get("qualifiers") or {}).get("context")
    if within and str(within) not in str(value).casefold():
        value = f"{value} @{within}"  # allowed at home and not allowed at work are no opposites
    return key(draft.data.get("subject"), draft.data.get("predicate"), value)


def drawn_before(con: apsw.Connection, event: Event, draft: Draft) -> Memory | None:
    """
    What was drawn from the same words of the same event before, and says as much, live or not: what became of it since,
    by other words or by hand, stands.
    """
    found = work.quoting(con, event.id, draft.start, draft.end)
    return next((one for one in found if one.data.get("polarity") == draft.polarity), None)


def _forget(
    con: apsw.Connection, turn: Turn, event: Event, draft: Draft, *, now: int, cut: Cut | None
) -> list[Placed]:
    """
    Retire what the user wants forgotten of all that was said before; what is retired can be brought back, or forgotten
    for good by hand.
    """
    wanted = str(draft.data.get("value") or "").strip()
    found: list[Memory] = []
    slot = str(draft.slot or draft.data.get("slot") or "")
    for one in (slot, *_COARSER.get(slot, ())) if slot else ():
        found += slots.holders(con, turn.scope, one)
        found += slots.holders(con, replace(turn.scope, workspace=None), one)
    if not found and len(wanted) >= FORGET_CHARS - (1 if any(map(words.is_cjk, wanted)) else 0):
        found = slots.saying(con, turn.scope, wanted, said_before=event.occurred_at)
    fallen = legs.retire(con, found, why=slots.IN_WORDS, now=now, cut=cut)
    ids = (*(memory.id for memory in found), *fallen.alone)
    verdict = "retired" if found else "nothing"
    run = runs.Run("forget", verdict, f"asked to forget; {len(found)} memories say it", turn.id, ids)
    runs.log(con, run, at=now)
    return [Placed(Decision("skip", slots.IN_WORDS, memory), memory.id) for memory in found]
