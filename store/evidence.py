"""What memories rest on: words of events, and other memories that they were drawn from. See `pipelines/legs.py`."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

import apsw

from .memories import COLUMNS, Quote, from_row, support
from .models import Memory
from .rows import fetch, first
from .slots import IN_WORDS, ON_REQUEST

# How the reason begins of what fell with what it rested on.
FELL = "it rested on "
# Why a memory is gone, and not only history: what rests on it has lost a leg. What newer news replaced was so.
GONE = f"('{ON_REQUEST}', '{IN_WORDS}')"
# The links that are legs. A link that tells how two statements bear on each other holds neither.
LEG = "link.kind in ('derived_from', 'part_of') and json_extract(link.data, '$.relation') is null"
# So many steps of where something was drawn from are told, and so many memories of each.
CHAIN_STEPS, CHAIN_WIDTH = 4, 12


@dataclass(frozen=True, slots=True)
class Lean:
    """
    A live memory that rests on others: by root, those that stand and those that are going now (what has gone before is
    no leg any more); whether it has words of its own, which are not those of what goes.
    """

    memory: int
    root: str
    sources: frozenset[str]
    gone: frozenset[str]
    own: bool


def leans(con: apsw.Connection, going: Sequence[int]) -> list[Lean]:
    """The live memories that rest on those which are going, on what rests on them, and so on; not those themselves."""
    ids = json.dumps(list(going))
    roots = [root for (root,) in fetch(con, f"{_REACHED} select root from reached", {"going": ids})]
    gone = frozenset(
        root for (root,) in fetch(con, f"select root from memory where id in ({_LISTED})", {"going": ids})
    )
    live = fetch(
        con,
        """
        select id, root from memory
        where root in (select value from json_each(?)) and retired_at is null
        order by id""",
        (json.dumps(roots),),
    )
    sources = _sources(con, [root for _, root in live])
    own = _own(con, [id_ for id_, _ in live], sorted(gone))
    found = []
    for id_, root in live:
        if root in gone:
            continue
        legs = sources.get(root, ())
        stand = frozenset(one for one, is_gone in legs if not is_gone) - gone
        found.append(Lean(int(id_), root, stand, frozenset(one for one, _ in legs) & gone, id_ in own))
    return found


_LISTED = "select value from json_each(:going)"
_REACHED = f"""
with recursive reached(root) as (
  select root from memory where id in ({_LISTED})
  union
  select holder.root
  from reached
       join memory source on source.root = reached.root
       join link on link.target = source.id and {LEG}
       join memory holder on holder.id = link.source
  where exists (select 1 from memory live where live.root = holder.root and live.retired_at is null))"""


def rest_on(con: apsw.Connection, memories: Collection[int]) -> dict[int, set[str]]:
    """Of those memories, the ones that were drawn from others, with the roots of those that are not gone."""
    rows = fetch(
        con,
        "select id, root from memory where id in (select value from json_each(?))",
        (json.dumps(list(memories)),),
    )
    sources = _sources(con, sorted({root for _, root in rows}))
    return {
        int(id_): {one for one, is_gone in sources[root] if not is_gone}
        for id_, root in rows
        if root in sources
    }


def _sources(con: apsw.Connection, roots: Sequence[str]) -> dict[str, list[tuple[str, bool]]]:
    """By root, the roots that it was drawn from, in any of its versions, and whether each is gone."""
    rows = fetch(
        con,
        f"""
        with pair(holder, source) as (
          select distinct holder.root, source.root
          from memory holder join link on link.source = holder.id and {LEG}
               join memory source on source.id = link.target
          where holder.root in (select value from json_each(?)) and source.root <> holder.root)
        select holder, source,
          not exists (select 1 from memory live where live.root = pair.source and live.retired_at is null)
          and (select retired_why in {GONE} or retired_why glob '{FELL}*' from memory last
               where last.root = pair.source order by last.retired_at desc, last.id desc limit 1)
        from pair
        order by holder, source""",
        (json.dumps(list(roots)),),
    )
    found: dict[str, list[tuple[str, bool]]] = {}
    for holder, source, is_gone in rows:
        found.setdefault(holder, []).append((source, bool(is_gone)))
    return found


def _own(con: apsw.Connection, memories: Sequence[int], gone: Sequence[str]) -> set[int]:
    """Which memories rest on words that none of those which are gone rests on; half of the shorter one is the same."""
    rows = fetch(
        con,
        """
        select distinct mine.memory from evidence mine
        where mine.memory in (select value from json_each(:memories)) and not exists (
          select 1 from evidence theirs join memory on memory.id = theirs.memory
          where theirs.event = mine.event and memory.root in (select value from json_each(:gone))
            and (mine.start is null or theirs.start is null
                 or (min(mine.end, theirs.end) > max(mine.start, theirs.start)
                     and 2 * (min(mine.end, theirs.end) - max(mine.start, theirs.start))
                         >= min(mine.end - mine.start, theirs.end - theirs.start))))""",
        {"memories": json.dumps(list(memories)), "gone": json.dumps(list(gone))},
    )
    return {int(id_) for (id_,) in rows}


def to_renew(con: apsw.Connection, ids: Sequence[int], *, now: int) -> None:
    """Note of live memories that part of what they rest on is gone."""
    con.execute(
        """
        update memory set renew_at = ?
        where id in (select value from json_each(?)) and retired_at is null and renew_at is null""",
        (now, json.dumps(list(ids))),
    )


def renewed(con: apsw.Connection, id_: int) -> None:
    """Note that a memory was told again, or drawn anew from what is left."""
    con.execute("update memory set renew_at = null where id = ? and renew_at is not null", (id_,))


def whole_again(con: apsw.Connection, root: str) -> list[int]:
    """Take the mark off what rests on that memory and has all its sources; which those were."""
    rows = fetch(
        con,
        f"""
        select distinct live.id, live.root
        from memory source join link on link.target = source.id and {LEG}
             join memory holder on holder.id = link.source
             join memory live on live.root = holder.root and live.retired_at is null and live.renew_at is not null
        where source.root = ?""",
        (root,),
    )
    sources = _sources(con, [one for _, one in rows])
    whole = [int(id_) for id_, one in rows if not any(is_gone for _, is_gone in sources[one])]
    for id_ in whole:
        renewed(con, id_)
    return whole


def fell_with(con: apsw.Connection, root: str, *, at: int | None = None) -> list[Memory]:
    """
    The latest versions of what fell because that memory was gone, without those that stand again; of those that fell
    at that moment, where one is given.
    """
    rows = fetch(
        con,
        f"""
        select distinct {COLUMNS}
        from memory source join link on link.target = source.id and {LEG}
             join memory holder on holder.id = link.source
             join memory on memory.root = holder.root
        where source.root = :root and memory.retired_why glob '{FELL}*' and (:at is null or memory.retired_at = :at)
          and memory.id = (select last.id from memory last where last.root = memory.root
                           order by last.retired_at desc, last.id desc limit 1)
        order by memory.id""",
        {"root": root, "at": at},
    )
    return [from_row(row) for row in rows]


def drawn_from(con: apsw.Connection, root: str) -> list[Memory]:
    """The latest version of each memory that one was drawn from, whatever has become of it."""
    rows = fetch(
        con,
        f"""
        select {COLUMNS} from memory
        where memory.root <> ?1 and memory.root in (
            select source.root from memory holder join link on link.source = holder.id and {LEG}
                   join memory source on source.id = link.target
            where holder.root = ?1)
          and memory.id = (select last.id from memory last where last.root = memory.root
                           order by last.retired_at is null desc, last.retired_at desc, last.id desc limit 1)
        order by memory.id""",
        (root,),
    )
    return [from_row(row) for row in rows]


@dataclass(frozen=True, slots=True)
class Step:
    """A memory that another was drawn from, at that depth below the one that is asked about."""

    depth: int
    memory: Memory
    holder: int


def chain(con: apsw.Connection, memory: Memory) -> list[Step]:
    """What a memory was drawn from, and that from, nearest first, each once; bounded in depth and in width."""
    found: list[Step] = []
    met = {memory.root}
    level = [memory]
    for depth in range(1, CHAIN_STEPS + 1):
        below: list[Memory] = []
        for holder in level:
            for source in drawn_from(con, holder.root)[:CHAIN_WIDTH]:
                if source.root not in met:
                    met.add(source.root)
                    found.append(Step(depth, source, holder.id))
                    below.append(source)
        level = below[:CHAIN_WIDTH]
    return found


def quotes(con: apsw.Connection, memory: int) -> list[Quote]:
    """The spans that a memory rests on."""
    rows = fetch(
        con,
        "select event, start, end from evidence where memory = ? and start is not null order by id",
        (memory,),
    )
    return [Quote(*row) for row in rows]


def anew(con: apsw.Connection, memory: int, quotes: Iterable[Quote]) -> None:
    """Let a memory rest on those words and on no others."""
    con.execute("delete from evidence where memory = ?", (memory,))
    support(con, memory, quotes)


def wanted_gone(con: apsw.Connection, event: int, start: int, end: int) -> bool:
    """Whether a person has taken out what was drawn from those words of an event, and nothing else rests on them."""
    row = first(
        con,
        f"""
        select count(*) filter (where memory.retired_why in {GONE}) > 0
           and count(*) filter (where memory.retired_at is null) = 0
        from evidence join memory on memory.id = evidence.memory
        where evidence.event = :event and evidence.start is not null and memory.kind not in ('turn', 'summary')
          and min(evidence.end, :end) > max(evidence.start, :start)
          and 2 * (min(evidence.end, :end) - max(evidence.start, :start))
              >= min(evidence.end - evidence.start, :end - :start)""",
        {"event": event, "start": start, "end": end},
    )
    return row is not None and bool(row[0])
