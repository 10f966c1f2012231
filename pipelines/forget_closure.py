"""Conductor: what goes with what is to be forgotten: copies, what was drawn from it, the events behind it, code."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field

import apsw

from ..store import erasing_code, lineage, standing
from ..store.erasing_code import NO_CODE, CodeRows
from ..store.lineage import Leg
from ..store.standing import Reach
from ..store.tombstones import Span
from . import forget_plan
from .blanking import joined, telling
from .forget_plan import LEANS, Plan, Wanted


@dataclass
class _Growing:
    """A plan while it grows."""

    user: str
    memories: set[int] = field(default_factory=set)
    events: set[int] = field(default_factory=set)
    blanks: dict[int, tuple[Span, ...]] = field(default_factory=dict)
    blind: set[int] = field(default_factory=set)
    turns: set[int] = field(default_factory=set)
    stands: dict[int, str] = field(default_factory=dict)

    @property
    def everything(self) -> Reach:
        return Reach(self.user)


def of_memories(con: apsw.Connection, wanted: Wanted) -> Plan:
    """
    Memories with all their versions, every word-for-word copy of what they say and rest on, what was derived from them
    alone, and the events behind them: whole where nobody else rests on them, else their quotes. Of a turn's own
    memory: the turn.
    """
    grown = _Growing(wanted.reach.user, memories=lineage.versions(con, wanted.ids))
    asked = lineage.kept(con, grown.memories)
    grown.turns = {one.turn for one in asked if one.kind == "turn" and one.turn is not None}
    grown.events = lineage.of_turns(con, grown.turns)
    seeds = {one.id for one in asked if one.kind != "turn"}
    legs = lineage.legs_of(con, seeds)
    needles = telling([*(one.text for one in asked if one.id in seeds), *(leg.quote for leg in legs)])
    holding = {id_ for id_, kind in standing.memories(con, needles, grown.everything) if kind != "turn"}
    grown.memories |= lineage.versions(con, holding)
    seeds |= _derived(con, grown, legs)
    _events_behind(con, grown, lineage.legs_of(con, seeds), needles)
    return _settled(con, grown, needles)


def _derived(con: apsw.Connection, grown: _Growing, legs: Sequence[Leg]) -> set[int]:
    """What says that it was drawn from what goes, and rests on nothing else, goes too; what has other legs stands."""
    added = set[int]()
    passages = {(leg.event, leg.start, leg.end) for leg in legs}
    while True:
        fresh = set[int]()
        for holder, sources in lineage.holders(con, grown.memories).items():
            if holder in grown.memories:
                continue
            legs_left = lineage.legs_of(con, [holder])
            if sources <= grown.memories and forget_plan.alone(legs_left, passages, grown.events):
                fresh |= lineage.versions(con, [holder])
            else:
                grown.stands[holder] = LEANS
        if not fresh:
            return added
        grown.memories |= fresh
        added |= fresh


def _events_behind(
    con: apsw.Connection, grown: _Growing, legs: Sequence[Leg], needles: Sequence[str]
) -> None:
    behind = {leg.event for leg in legs} - grown.events
    copied = set(standing.events(con, needles, grown.everything)) - grown.events
    found = forget_plan.copies(lineage.said(con, behind | copied), needles)
    contents = {one.id: one.content for one in lineage.said(con, behind | copied)}
    others = _others(con, grown, behind | copied)
    for event, copies in found.items():
        own = [leg for leg in legs if leg.event == event]
        if event in behind and event not in others:
            grown.events.add(event)
            continue
        spans = forget_plan.spans_of(own, others.get(event, []), copies)
        if event not in others and spans and forget_plan.says_nothing(contents[event], spans):
            grown.events.add(event)
        else:
            grown.blanks[event] = spans


def _others(con: apsw.Connection, grown: _Growing, events: Collection[int]) -> dict[int, list[Leg]]:
    """By event, what else rests on it: not what goes, and not turns' own memories, which are told anew."""
    found: dict[int, list[Leg]] = {}
    for leg in lineage.legs_on(con, events):
        if leg.memory not in grown.memories and leg.kind != "turn":
            found.setdefault(leg.event, []).append(leg)
    return found


def of_words(con: apsw.Connection, wanted: Wanted) -> Plan:
    """
    Words, wherever they stand in the reach: memories that hold them go, events are blanked there, names and code too.
    Of files, beside the words of their paths: what tools did to them, and all of their code history.
    """
    reach = wanted.reach
    needles = words_of(con, wanted)
    grown = _Growing(reach.user)
    holding = standing.memories(con, needles, reach)
    grown.memories = lineage.versions(con, [id_ for id_, kind in holding if kind != "turn"])
    touched = lineage.touching(con, needles, reach) if wanted.paths else set[int]()
    events = lineage.said(con, touched | set(standing.events(con, needles, reach)))
    others = _others(con, grown, [one.id for one in events])
    for one in events:
        spans = forget_plan.copies([one], needles)[one.id]
        if one.id not in others and (one.id in touched or forget_plan.says_nothing(one.content, spans)):
            grown.events.add(one.id)
        elif one.id in touched:
            grown.blind.add(one.id)
            grown.blanks[one.id] = ((0, len(one.content)),)
        else:
            grown.blanks[one.id] = spans
    _derived(con, grown, [])
    told_anew = {id_ for id_, kind in holding if kind == "turn"}
    return _settled(con, grown, needles, code=_code(con, wanted, needles), told_anew=told_anew, names=True)


def words_of(con: apsw.Connection, wanted: Wanted) -> list[str]:
    """The words that are looked for: those that were given, or as what the files are named in what is kept."""
    return [wanted.query] if wanted.query is not None else _path_words(con, wanted)


def _path_words(con: apsw.Connection, wanted: Wanted) -> list[str]:
    """How the files are named in what is kept: from the top of the repository, and in full."""
    folders = lineage.folders(con, wanted.workspaces)
    return [
        *wanted.paths,
        *(f"{folder.rstrip('/')}/{path}" for folder in sorted(folders) for path in wanted.paths),
    ]


def _code(con: apsw.Connection, wanted: Wanted, needles: Sequence[str]) -> CodeRows:
    if wanted.paths:
        at, rounds, files = erasing_code.of_paths(con, wanted.paths, wanted.workspaces, wanted.reach)
        return CodeRows(frozenset(rounds), frozenset(at), frozenset(files))
    if not wanted.reach.is_whole:
        _, within = erasing_code.within(con, wanted.reach)
    else:
        within = None
    at, rounds, files = erasing_code.named(
        con, lambda table, column: standing.distinct(con, needles, table, column), wanted.reach.user
    )
    bodies = set(standing.packed(con, needles, "body", "packed"))
    patches = set(standing.packed(con, needles, "round", "patch"))
    if within is not None:
        patches &= within
        bodies &= erasing_code.bodies_of(con, within)
        rounds &= within
        at, files = set(), set()
    return CodeRows(
        frozenset(rounds),
        frozenset(at),
        frozenset(files),
        bodies=frozenset(bodies),
        patches=frozenset(patches),
    )


def of_reach(con: apsw.Connection, wanted: Wanted) -> Plan:
    """All of a session, of workspaces, of a time: turns, events, memories, code. What has legs elsewhere stands."""
    reach = wanted.reach
    grown = _Growing(reach.user)
    grown.turns = lineage.turns_within(con, reach)
    grown.events = lineage.of_turns(con, grown.turns) | lineage.events_within(con, reach)
    # Where nothing but the workspace was asked for, all that lies in it goes, wherever else it was heard of.
    everything = reach.workspaces is not None and (reach.session, reach.since, reach.until) == (
        None,
        None,
        None,
    )
    within = lineage.memories_within(con, reach)
    legs = _by_memory(lineage.legs_of(con, within))
    for id_ in within:
        if everything or forget_plan.alone(legs.get(id_, []), (), grown.events):
            grown.memories.add(id_)
        else:
            grown.stands[id_] = LEANS
    changes, rounds = erasing_code.within(con, reach)
    code = CodeRows(frozenset(rounds), changes=frozenset(changes))
    workspaces = frozenset(reach.workspaces or ()) - {0} if everything else frozenset[int]()
    return _settled(con, grown, [], code=code, workspaces=workspaces, session=reach.session, names=False)


def _by_memory(legs: Iterable[Leg]) -> dict[int, list[Leg]]:
    found: dict[int, list[Leg]] = {}
    for leg in legs:
        found.setdefault(leg.memory, []).append(leg)
    return found


def _settled(
    con: apsw.Connection,
    grown: _Growing,
    needles: Sequence[str],
    *,
    code: CodeRows = NO_CODE,
    told_anew: Iterable[int] = (),
    workspaces: frozenset[int] = frozenset(),
    session: str | None = None,
    names: bool = True,
) -> Plan:
    """What follows for those that lean on what goes, and for the turns that it was said in."""
    legs = lineage.legs_on(con, grown.events | set(grown.blanks))
    leaning = forget_plan.leaning(legs, grown.memories, grown.events, grown.blanks)
    all_legs = _by_memory(lineage.legs_of(con, leaning))
    for memory, why in leaning.items():
        if forget_plan.alone(all_legs[memory], (), grown.events):
            grown.memories |= lineage.versions(con, [memory])
        else:
            grown.stands.setdefault(memory, why)
    touched = grown.events | set(grown.blanks)
    mirrored = {one.turn for one in lineage.said(con, touched)} - grown.turns
    mirrored |= {one.turn for one in lineage.kept(con, set(told_anew)) if one.turn is not None} - grown.turns
    grown.memories |= lineage.turn_memories(con, grown.turns)
    stands = {id_: why for id_, why in grown.stands.items() if id_ not in grown.memories}
    blanks = {event: joined(spans) for event, spans in grown.blanks.items() if event not in grown.events}
    return Plan(
        frozenset(grown.memories), stands, frozenset(grown.events), blanks, frozenset(grown.blind), tuple(needles),
        frozenset(grown.turns), frozenset(mirrored), code, workspaces, session, names,
    )  # fmt: skip
