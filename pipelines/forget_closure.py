"""Conductor: what goes with what is to be forgotten: copies, what was drawn from it, the events behind it, code."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field

import apsw

from ..store import erasing_code, evidence, lineage, memories, standing
from ..store.erasing_code import NO_CODE, CodeRows
from ..store.lineage import Leg
from ..store.standing import Found, Reach
from ..store.tombstones import Span
from ..store.wording import Words, joined
from . import forget_plan
from .blanking import telling
from .forget_plan import LEANS, NOTHING_LEFT, Left, Plan, Wanted


@dataclass
class Growing:
    """A plan while it grows. `passages`: what goes of events that may stand."""

    user: str = ""
    memories: set[int] = field(default_factory=set)
    events: set[int] = field(default_factory=set)
    blanks: dict[int, tuple[Span, ...]] = field(default_factory=dict)
    blind: set[int] = field(default_factory=set)
    turns: set[int] = field(default_factory=set)
    stands: dict[int, str] = field(default_factory=dict)
    passages: set[tuple[int, int, int]] = field(default_factory=set)

    @property
    def everything(self) -> Reach:
        return Reach(self.user)


def of_memories(con: apsw.Connection, wanted: Wanted) -> Plan:
    """
    Memories with all their versions, every word-for-word copy of what they say and rest on, what was derived from them
    alone, and the events behind them: whole where nobody else rests on them, else their quotes. Of a turn's own
    memory: the turn.
    """
    grown = Growing(wanted.reach.user, memories=lineage.versions(con, wanted.ids))
    asked = lineage.kept(con, grown.memories)
    grown.turns = {one.turn for one in asked if one.kind == "turn" and one.turn is not None}
    grown.events = lineage.of_turns(con, grown.turns)
    seeds = {one.id for one in asked if one.kind != "turn"}
    legs = lineage.legs_of(con, seeds)
    words = Words(telling([*(one.text for one in asked if one.id in seeds), *(leg.quote for leg in legs)]))
    copies = standing.memories(con, words, grown.everything)
    grown.memories |= lineage.versions(con, [id_ for id_, kind in copies.whole.items() if kind != "turn"])
    seeds |= {id_ for id_ in grown.memories if copies.whole.get(id_) != "turn"} - _turns_own(con, grown)
    grown.passages = {(leg.event, leg.start, leg.end) for leg in legs}
    _fall(con, grown)
    _events_behind(con, grown, lineage.legs_of(con, seeds), words)
    return settled(con, grown, words)


def _turns_own(con: apsw.Connection, grown: Growing) -> set[int]:
    return {one.id for one in lineage.kept(con, grown.memories) if one.kind == "turn"}


def _fall(con: apsw.Connection, grown: Growing) -> None:
    """
    What was drawn from what goes, or rests on words that go, goes too where it rests on nothing else: no words of an
    event that stand, no memory that does. What has other legs stands, and is to be renewed.
    """
    while True:
        on_words = forget_plan.leaning(
            lineage.legs_on(con, grown.events | set(grown.blanks)), grown.memories, grown.events, grown.blanks
        )
        drawn = set(lineage.holders(con, grown.memories)) - grown.memories
        reached = drawn | set(on_words)
        every = lineage.versions(con, reached)
        root = {one.id: one.root for one in lineage.kept(con, every)}
        legs = _by_memory(lineage.legs_of(con, every))
        sources = evidence.rest_on(con, every)
        gone = {one.root for one in lineage.kept(con, grown.memories)} if sources else set()
        # What one of its versions rests on holds them all.
        held = {
            root[id_]
            for id_ in every - grown.memories
            if not sources.get(id_, set()) <= gone
            or not forget_plan.alone(legs.get(id_, ()), grown.passages if id_ in drawn else (), grown.events)
        }
        fresh = {id_ for id_ in every if root[id_] not in held}
        for id_ in reached - fresh:
            grown.stands.setdefault(id_, on_words.get(id_, LEANS))
        if not fresh - grown.memories:
            return
        grown.memories |= fresh


def _events_behind(con: apsw.Connection, grown: Growing, legs: Sequence[Leg], words: Words) -> None:
    behind = {leg.event for leg in legs} - grown.events
    copied = set(standing.events(con, words, grown.everything).whole) - grown.events
    said = lineage.said(con, behind | copied)
    others = _others(con, grown, behind | copied)
    for event in said:
        own = [leg for leg in legs if leg.event == event.id]
        if event.id in behind and event.id not in others:
            grown.events.add(event.id)
            continue
        spans = forget_plan.spans_of(own, others.get(event.id, []), words.spans(event.content))
        if event.id not in others and spans and forget_plan.says_nothing(event.content, spans):
            grown.events.add(event.id)
        else:
            grown.blanks[event.id] = spans


def _others(con: apsw.Connection, grown: Growing, events: Collection[int]) -> dict[int, list[Leg]]:
    """By event, what else rests on it: not what goes, and not turns' own memories, which are told anew."""
    found: dict[int, list[Leg]] = {}
    for leg in lineage.legs_on(con, events):
        if leg.memory not in grown.memories and leg.kind != "turn":
            found.setdefault(leg.event, []).append(leg)
    return found


def of_words(con: apsw.Connection, wanted: Wanted) -> Plan:
    """
    Words, wherever they stand whole in the reach: memories that hold them go, events are blanked there, names and code
    too. Of files, beside the words of their paths: what tools did to them, and all of their code history.
    """
    reach = wanted.reach
    words = words_of(con, wanted)
    grown = Growing(reach.user)
    holding, said = standing.memories(con, words, reach), standing.events(con, words, reach)
    grown.memories = _worded(con, {id_ for id_, kind in holding.whole.items() if kind != "turn"})
    touched = lineage.touching(con, words.given, reach) if wanted.paths else set[int]()
    events = lineage.said(con, touched | set(said.whole))
    others = _others(con, grown, [one.id for one in events])
    for one in events:
        spans = words.spans(one.content)
        if one.id not in others and (one.id in touched or forget_plan.says_nothing(one.content, spans)):
            grown.events.add(one.id)
        elif one.id in touched:
            grown.blind.add(one.id)
            grown.blanks[one.id] = ((0, len(one.content)),)
        else:
            grown.blanks[one.id] = spans
    _fall(con, grown)
    told_anew = {id_ for id_, kind in holding.whole.items() if kind == "turn"}
    code, code_left = _code(con, wanted, words)
    plan = settled(con, grown, words, code=code, told_anew=told_anew)
    return forget_plan.with_left(plan, _left(holding, said, code_left, plan))


def _worded(con: apsw.Connection, holding: set[int]) -> set[int]:
    """
    Memories that hold the words, with all of their versions; of one that says something else by now only the versions
    that hold them: what was corrected is not forgotten with what it corrects.
    """
    every = lineage.versions(con, holding)
    rows = memories.by_ids(con, sorted(every))
    corrected = {row.root for id_, row in rows.items() if id_ not in holding and row.retired_at is None}
    return {id_ for id_ in every if id_ in holding or rows[id_].root not in corrected}


def _left(memories: Found, events: Found, code: Found, plan: Plan) -> Left:
    """What holds the words as part of longer ones only, or beside what goes."""
    ids = {id_ for id_ in memories.inside if id_ not in plan.memories and memories.whole.get(id_) != "turn"}
    said = set(events.inside) - plan.events - plan.blind
    longer = [
        word
        for found, rows in ((memories.inside, ids), (events.inside, said), (code.inside, set(code.inside)))
        for id_ in sorted(rows)
        for word in found[id_]
    ]
    return Left(frozenset(ids), frozenset(said), len(code.inside), tuple(dict.fromkeys(longer)))


def words_of(con: apsw.Connection, wanted: Wanted) -> Words:
    """The words that are looked for: those that were given, or as what the files are named in what is kept."""
    return Words([wanted.query] if wanted.query is not None else _path_words(con, wanted))


def _path_words(con: apsw.Connection, wanted: Wanted) -> list[str]:
    """How the files are named in what is kept: from the top of the repository, and in full."""
    folders = lineage.folders(con, wanted.workspaces)
    return [
        *wanted.paths,
        *(f"{folder.rstrip('/')}/{path}" for folder in sorted(folders) for path in wanted.paths),
    ]


def _code(con: apsw.Connection, wanted: Wanted, words: Words) -> tuple[CodeRows, Found]:
    """The rows of code history that go or are blanked; the bodies that hold the words as part of longer ones."""
    if wanted.paths:
        at, rounds, files = erasing_code.of_paths(con, wanted.paths, wanted.workspaces, wanted.reach)
        return CodeRows(frozenset(rounds), frozenset(at), frozenset(files)), NOTHING_LEFT
    if not wanted.reach.is_whole:
        _, within = erasing_code.within(con, wanted.reach)
    else:
        within = None
    at, rounds, files = erasing_code.named(
        con, lambda table, column: standing.distinct(con, words, table, column), wanted.reach.user
    )
    in_bodies = standing.packed(con, words, "body", "packed")
    bodies, patches = set(in_bodies.whole), set(standing.packed(con, words, "round", "patch").whole)
    left = in_bodies
    if within is not None:
        there = erasing_code.bodies_of(con, within)
        patches &= within
        bodies &= there
        rounds &= within
        at, files = set(), set()
        left = Found({}, {id_: longer for id_, longer in in_bodies.inside.items() if id_ in there})
    return CodeRows(
        frozenset(rounds),
        frozenset(at),
        frozenset(files),
        bodies=frozenset(bodies),
        patches=frozenset(patches),
    ), left


def of_reach(con: apsw.Connection, wanted: Wanted) -> Plan:
    """All of a session, of workspaces, of a time: turns, events, memories, code. What has legs elsewhere stands."""
    reach = wanted.reach
    grown = Growing(reach.user)
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
    _spare(con, grown, within if not everything else ())
    changes, rounds = erasing_code.within(con, reach)
    code = CodeRows(frozenset(rounds), changes=frozenset(changes))
    workspaces = frozenset(reach.workspaces or ()) - {0} if everything else frozenset[int]()
    return settled(con, grown, Words(), code=code, workspaces=workspaces, session=reach.session, names=False)


def _spare(con: apsw.Connection, grown: Growing, within: Collection[int]) -> None:
    """Of what lies in a reach, what was drawn from a memory that stands does so, too."""
    sources = evidence.rest_on(con, within)
    while sources:
        gone = {one.root for one in lineage.kept(con, grown.memories)}
        stays = {id_ for id_, rests in sources.items() if id_ in grown.memories and not rests <= gone}
        if not stays:
            return
        grown.memories -= stays
        grown.stands |= dict.fromkeys(stays, LEANS)


def _by_memory(legs: Iterable[Leg]) -> dict[int, list[Leg]]:
    found: dict[int, list[Leg]] = {}
    for leg in legs:
        found.setdefault(leg.memory, []).append(leg)
    return found


def settled(
    con: apsw.Connection,
    grown: Growing,
    words: Words,
    *,
    code: CodeRows = NO_CODE,
    told_anew: Iterable[int] = (),
    workspaces: frozenset[int] = frozenset(),
    session: str | None = None,
    names: bool = True,
) -> Plan:
    """What follows for those that lean on what goes, and for the turns that it was said in."""
    _fall(con, grown)
    touched = grown.events | set(grown.blanks)
    mirrored = {one.turn for one in lineage.said(con, touched)} - grown.turns
    mirrored |= {one.turn for one in lineage.kept(con, set(told_anew)) if one.turn is not None} - grown.turns
    grown.memories |= lineage.turn_memories(con, grown.turns)
    stands = {id_: why for id_, why in grown.stands.items() if id_ not in grown.memories}
    blanks = {event: joined(spans) for event, spans in grown.blanks.items() if event not in grown.events}
    return Plan(
        grown.user, frozenset(grown.memories), stands, frozenset(grown.events), blanks, frozenset(grown.blind), words,
        frozenset(grown.turns), frozenset(mirrored), code, workspaces, session, names,
    )  # fmt: skip
