"""Conductor: what was said before, told with the word that was meant, in the caller's transaction."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import apsw

from ..store import clock, events, memories, slots, turns, work
from ..store.cutter import Cut
from ..store.memories import Quote
from ..store.models import Memory, NewMemory, Turn
from .placing import Placed, place
from .statements import key, without_time

if TYPE_CHECKING:
    from .extract.drafts import Draft

# What is corrected by a word that it named is looked for in so many turns of the session: there it was about those.
EARLIER = 5
# A prompt so many times as long as its statement is about more.
AROUND = 4


def mend(
    con: apsw.Connection, turn: Turn, draft: Draft, quote: Quote, *, cut: Cut | None, now: int
) -> list[Placed]:
    """What became of what was said before; nothing where nobody can tell what that was."""
    from .extract.drafts import BARE  # here: what answers hooks loads nothing that draws from turns

    meant, old = str(draft.data.get("value") or ""), str(draft.data.get("old") or "")
    known = _named(con, turn, old, bare=bool(draft.data.get(BARE))) if old else _said_last(con, turn, meant)
    if known is None or not meant:
        return []
    new = _on_another_day(known, meant) if known.kind == "intention" else None
    new = new or _with(known, old or str(known.data.get("value", "")), meant)
    if new is None:
        return []
    return [place(con, replace(new, turn=turn.id), [quote], cut=cut, now=now, corrects=known)]


def corrected(con: apsw.Connection, new: NewMemory, draft: Draft, holder: Memory | None) -> Memory | None:
    """The statement that the user says was wrong: what holds its slot, or the latest that says what is named."""
    from .extract.drafts import NEVER  # as above

    if draft.data.get(NEVER) and holder is not None and holder.slot == draft.slot:
        same = str(holder.data.get("value", "")).casefold() == str(new.data.get("value", "")).casefold()
        return holder if not same or holder.data.get("polarity") != draft.polarity else None
    old = str(draft.data.get("old") or "")
    if len(old) < 2:
        return None
    if holder is not None:
        return holder if old.casefold() in holder.text.casefold() else None
    return next(iter(slots.saying(con, new.scope, old)), None)


def _named(con: apsw.Connection, turn: Turn, old: str, *, bare: bool) -> Memory | None:
    """
    What the user said of the word that was wrong, what is so now first; nothing where the session has that word from
    something else, which is then what is corrected. `bare`: no word says that it was wrong, and it may answer to
    something; then it must have been said just before.
    """
    if len(old) < 2:
        return None
    found = slots.saying(con, turn.scope, old)
    plain = old.casefold()
    found.sort(key=lambda one: (one.valid_to is not None, str(one.data.get("value", "")).casefold() != plain))
    known = next(iter(found), None)
    before = turns.before(con, turn, limit=EARLIER)
    heard = [one.id for one in before if plain in events.words_of(con, one.id).casefold()]
    if known is None or not (bare or heard):
        return known
    last = None if before else turns.before_here(con, turn)
    near = {turn.id, *heard, *([last.id] if last is not None else [])}
    return known if known.turn in near else None


def _said_last(con: apsw.Connection, turn: Turn, meant: str) -> Memory | None:
    """
    The one statement of the user's that a word without a subject can be meant for: in the same prompt, else in the one
    before, in the session where it has one.
    """
    before = turns.before(con, turn, limit=1)
    last = before[0] if before else turns.before_here(con, turn)
    for one in (turn, last):
        found = _that_fit(work.drawn(con, one.id), meant) if one is not None else []
        if one is not None and found:
            return found[0] if len(found) == 1 and _is_all(con, one, found[0]) else None
    return None


def _is_all(con: apsw.Connection, turn: Turn, known: Memory) -> bool:
    """Whether a statement is what a prompt was about: of a long one, anything else may be meant."""
    return len(events.words_of(con, turn.id)) <= AROUND * len(known.text)


def _that_fit(drawn: Sequence[Memory], meant: str) -> list[Memory]:
    from .extract.chat_amends import fits  # 0.1 s of patterns that only this needs

    return [
        one
        for one in drawn
        if one.origin in ("user", "agent")
        and one.kind in ("profile", "fact", "intention")
        and one.valid_to is None
        and "value" in one.data
        and fits(one.slot or "", one.kind, str(one.data["value"]), meant)
    ]


def _with(known: Memory, old: str, meant: str) -> NewMemory | None:
    """What is known, with one word for another; None where the word does not stand there."""
    at = known.text.casefold().find(old.casefold()) if old else -1
    if at < 0:
        return None
    text = known.text[:at] + meant + known.text[at + len(old) :]
    data = without_time(known.data)
    value = str(data.get("value", ""))
    if value.casefold() == old.casefold():
        data["value"] = meant
    says = key(data.get("subject"), data.get("predicate"), data.get("value"))
    slot = says if known.slot and not slots.is_named(known.slot) else known.slot
    return replace(memories.as_new(known), text=text, line=None, slot=slot, data={**data, "statement": says})


def _on_another_day(known: Memory, meant: str) -> NewMemory | None:
    """A plan for the day that was meant; None where that is no day, or the plan names several."""
    from .extract.chat_amends import on_another_day  # as above

    at = known.true_from
    draft = on_another_day(known.text, meant, at=at, utc_offset_s=clock.utc_offset_s(at))
    if draft is None:
        return None
    says = key(draft.data["subject"], draft.data["predicate"], draft.data["value"])
    data = without_time(known.data)
    return replace(
        memories.as_new(known), text=draft.text, line=None, expires_at=draft.expires_at, slot=draft.slot or says,
        data={**data, **draft.data, "statement": says},
    )  # fmt: skip
