"""A memory in other words: the slot of what these state, and its place beside what says the same or the opposite."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import apsw

from ..store import memories, runs, words
from ..store.cutter import Cut
from ..store.models import KEYS, Memory, NewMemory
from . import lines, said
from .merging import funnel, late, measures
from .placing import has_line
from .statements import HOLDS

if TYPE_CHECKING:
    from .extract.drafts import Draft

# What a statement has in its data; of other words it is another's.
_STATED = ("value", "polarity", "statement", "dated", HOLDS, "subject", "predicate", "qualifiers")
# Kinds that become one another by what is stated.
_KINDS = frozenset(("fact", "profile"))
# What holds a slot by its topic says so in these.
_BY_TOPIC = ("prefers:", "uses:", "decided:")


def restated(old: Memory, new: NewMemory, draft: Draft | None, *, now: int) -> NewMemory:
    """
    A memory that has been given other words, with the slot that they state: its own where they are still of it, the one
    of `draft` where they state something else, none where nobody can tell what they state.
    """
    if old.slot and not has_line(new):
        # What a turn did, or what was learned, is one by what it is drawn from.
        return replace(new, data=_without(new.data, "polarity", "statement"))
    slot = (draft.slot or said.statement(draft)) if draft is not None else None
    if draft is not None and slot == old.slot:
        data = {**_without(new.data, "value", "polarity", "statement"), **_of(draft)}
        if draft.valid_from is None:
            return replace(new, data=data)
        return replace(new, valid_from=draft.valid_from, data={**data, "dated": True})
    if draft is not None and (draft.kind == old.kind or {draft.kind, old.kind} <= _KINDS):
        return _as_statement(new, draft, slot, now=now)
    if old.slot and _is_still_of(old, new.text):
        return replace(new, data={**_without(new.data, "polarity", "statement"), "value": new.text})
    said_before = _STATED if old.slot else ("value", "polarity", "statement")
    return replace(new, slot=None, data=_without(new.data, *said_before))


def _as_statement(new: NewMemory, draft: Draft, slot: str | None, *, now: int) -> NewMemory:
    """What states something else than before: that is so from when it was said, which is now."""
    data = {**_without(new.data, *_STATED), **_of(draft), "dated": draft.valid_from is not None}
    if draft.valid_from is not None and draft.valid_from <= now:
        data[HOLDS] = now
    anywhere = draft.kind == "profile" and draft.reach == "global"
    return replace(
        new, kind=draft.kind, slot=slot, data=data, expires_at=draft.expires_at, valid_to=draft.valid_to,
        valid_from=now if draft.valid_from is None else draft.valid_from,
        scope=replace(new.scope, workspace=None, branch=None) if anywhere else new.scope,
    )  # fmt: skip


def _of(draft: Draft) -> dict[str, Any]:
    return {**draft.data, "polarity": draft.polarity, "statement": said.statement(draft)}


def _without(data: Mapping[str, Any], *names: str) -> dict[str, Any]:
    return {name: it for name, it in data.items() if name not in (*names, KEYS)}


def _is_still_of(old: Memory, text: str) -> bool:
    """Whether words that no rule reads still speak of a memory's slot: they name its value, or its topic."""
    from .extract.topics import topic

    value = str(old.data.get("value") or "").casefold()
    if len(value) > 1 and value in text.casefold():
        return True
    slot = old.slot or ""
    about = topic(text) if slot.startswith(_BY_TOPIC) else None
    return about is not None and slot.partition(":")[2].partition("@")[0] == about.name


def anew(
    con: apsw.Connection,
    old: Memory,
    new: NewMemory,
    *,
    why: str,
    cut: Cut | None,
    now: int,
    other_words: bool,
    keeps_past: bool = False,
) -> int:
    """
    The row id of what stands for a memory once `new` is in place of all its versions: on its slot's line, where it has
    one, and one with what says the same already. What says the opposite is history from now on.

    `other_words`: it is not what was said before, so that what was said before speaks for nothing else. `keeps_past`:
    what it says of a time that is over was so, and stays.
    """
    for version in memories.versions(con, old.root):
        over = keeps_past and version.valid_to is not None and version.valid_to <= now
        if version.retired_at is None and not over:
            memories.retire(con, version.id, why=why, now=now)
    new = measures.placed(new, cut)
    found = funnel.find(con, new, cut=cut, now=now)
    if found.opposed is not None and not new.data.get("dated"):
        new = replace(new, valid_from=now, valid_to=None)
    if has_line(new):
        id_ = lines.join(con, new, [], cut=cut, now=now, version_of=old).memory
    else:
        id_ = memories.renew(con, old, new, words.index(new.searched, cut), now=now)
    other = found.same or found.opposed
    one = memories.by_id(con, id_)
    if other is None or one.root == other.root or memories.by_id(con, other.id).retired_at is not None:
        return id_
    if found.same is None:
        _opposed(con, one, other, found, new, cut=cut, now=now)
        return id_
    if one.expires_at != other.expires_at:
        return id_
    kept, gone = late.which_stays(one, other)
    if kept is None or gone is None:
        return id_
    late.unite(con, kept, gone, found.reason, now=now, supported=not (other_words and gone.id == id_))
    return kept.id


def _opposed(
    con: apsw.Connection,
    one: Memory,
    other: Memory,
    found: funnel.Found,
    new: NewMemory,
    *,
    cut: Cut | None,
    now: int,
) -> None:
    decision = found.decision(new, now=now)
    if decision is not None and decision.relation == "conflict":
        memories.link(con, one.id, other.id, "contradicts", now=now, data={"relation": "conflict"})
        runs.log(con, runs.Run("merge", "conflict", decision.reason, new.turn, (one.id, other.id)), at=now)
    else:
        late.supersede(con, one, other, why=found.reason, cut=cut, now=now)
