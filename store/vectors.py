"""The vectors of memories: which are wanting, how one is kept, and which lie nearest to a question."""

from __future__ import annotations

import json
import math
from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import apsw

from . import jobs, vector_indexes, workspaces
from .clock import SECOND_US
from .errors import BadInput, WrongDimension
from .filters import CONDITION, Filter
from .rows import fetch, first, value
from .vector_indexes import table

# What an embedder sees of a memory, in characters. More costs time (e5: 1.3 s for 800 characters of code) and
# buys nothing: whole messages lost 9 points of recall against their beginnings.
MEMORY_CHARS = 800
# A turn's text grows while the turn goes on; one that never ended is taken as it stands after this long.
OPEN_TURN_S = 1800
# The kind of job row that stands for a memory whose vector could not be made.
STRUCK = "embed"
# The kind of job that looks at what lies near a memory, made when its vector is kept.
NEIGHBOURS = "neighbours"
# Hits asked of the index beyond `k`: a filter that drops a few (expired, retired just now) leaves enough.
SPARE = 24
# vec0 refuses more.
MAX_K = 4096


@dataclass(frozen=True, slots=True)
class Wanting:
    """A memory without a vector of one model. `hash` tells later whether its text has changed since."""

    memory: int
    hash: str
    text: str


def unit(numbers: Iterable[float]) -> bytes:
    """
    The vector at length one, as float32 bytes.

    Raises:
        BadInput: a number is not finite, or all are zero: such a vector lies nowhere.
    """
    vector = array("f", numbers)
    length = math.hypot(*vector)
    if not math.isfinite(length) or length == 0:
        raise BadInput("The embedder answered with a vector that is zero or not finite.")
    if abs(length - 1) > 1e-6:
        vector = array("f", [number / length for number in vector])
    return vector.tobytes()


def wanting(
    con: apsw.Connection, index: int, *, after: int, upto: int, now: int, limit: int
) -> list[Wanting]:
    """
    Live memories among `after` < id <= `upto` that lack a vector and are ready for one, latest first.

    Not ready: the memory of a turn that goes on, and one that was struck and rests (`jobs.strike`).
    """
    rows = fetch(
        con,
        f"""
        select memory.id, memory.hash, substr(memory.text, 1, {MEMORY_CHARS})
        {_WANTING}
        order by memory.id desc
        limit :limit""",
        {**_ready(index, after, upto, now), "limit": limit},
    )
    return [Wanting(*row) for row in rows]


def waiting(con: apsw.Connection, index: int, *, now: int) -> int:
    """How many memories are ready for a vector of that index; with index 0, of a model that has none yet."""
    newest = vector_indexes.newest(con)
    return int(value(con, f"select count(*) {_WANTING}", _ready(index, 0, newest, now)))


# `not in` over the narrow index: a look into the table of vectors for each memory costs six times as much.
_WANTING = f"""
from memory left join turn on memory.kind = 'turn' and turn.id = memory.turn
where memory.id > :after and memory.id <= :upto
  and memory.retired_at is null and memory.archived_at is null
  and memory.id not in (
    select memory from embedding where model = :index and memory > :after and memory <= :upto)
  and (turn.id is null or turn.status <> 'open' or turn.started_at < :patience)
  and not exists (
    select 1 from job
    where job.kind = '{STRUCK}' and job.key = cast(memory.id as text)
      and (job.state = 'failed' or job.not_before_at > :now))"""


def _ready(index: int, after: int, upto: int, now: int) -> dict[str, int]:
    patience = now - OPEN_TURN_S * SECOND_US
    return {"index": index, "after": after, "upto": upto, "now": now, "patience": patience}


def put(con: apsw.Connection, index: int, made_from: Wanting, vector: bytes, *, now: int) -> bool:
    """
    Keep the vector of a memory; False where the memory has been retired, or its text changed, meanwhile.

    Raises:
        WrongDimension: the vector was made by another model.
    """
    _check(con, index, vector)
    con.execute(
        """
        insert into embedding(memory, model, v, created_at)
        select id, ?, ?, ? from memory where id = ? and hash = ? and retired_at is null and archived_at is null
        on conflict(memory, model) do update set v = excluded.v, created_at = excluded.created_at""",
        (index, vector, now, made_from.memory, made_from.hash),
    )
    if not con.changes():
        return False
    vector_indexes.mend(con, index, [made_from.memory])
    jobs.clear(con, STRUCK, str(made_from.memory))
    con.execute(
        f"""
        insert into job(kind, key, created_at)
        select '{NEIGHBOURS}', cast(id as text), ? from memory
        where id = ? and kind in ('profile', 'fact', 'intention', 'experience') and ifnull(slot, '') not glob 'did:*'
        on conflict(kind, key) do nothing""",
        (now, made_from.memory),
    )
    return True


def nearest(
    con: apsw.Connection, vector: bytes, *, index: int, wanted: Filter, k: int
) -> list[tuple[int, float]]:
    """
    The `k` memories nearest to a question among those that are `wanted`, nearest first, each with its cosine.

    Raises:
        WrongDimension: the question was embedded by another model.
    """
    _check(con, index, vector)
    values = {**wanted.values(), "near_vector": vector, "near_workspaces": _searched(wanted)}
    place = "" if wanted.workspaces is None else _IN_WORKSPACES
    reach = min(k + SPARE, MAX_K)
    near = _NEAREST.format(table=table(index), among=place)
    seen = fetch(con, near, {**values, "near_k": reach})
    found = [(int(memory), _cosine(distance)) for memory, distance, fits in seen if fits]
    if len(found) < k and len(seen) >= reach:
        # The filter drops so many that the nearest are not enough: name to the index who may answer.
        near = _NEAREST.format(table=table(index), among=place + _IN_FILTER)
        seen = fetch(con, near, {**values, "near_k": min(k, MAX_K)})
        found = [(int(memory), _cosine(distance)) for memory, distance, fits in seen if fits]
    return found[:k]


# The inner query answers with the nearest of each workspace it searches; the outer one puts them in one
# order, and holds them to the filter: the index only says where to look.
_NEAREST = f"""
with near as materialized (
  select rowid as id, distance
  from {{table}}
  where embedding match :near_vector and k = :near_k and user = :user{{among}})
select memory.id, near.distance, memory.retired_at is null and {CONDITION}
from near join memory on memory.id = near.id
order by near.distance, memory.id desc"""
_IN_WORKSPACES = " and workspace in (select value from json_each(:near_workspaces))"
_IN_FILTER = f" and rowid in (select memory.id from memory where memory.retired_at is null and {CONDITION})"


def _searched(wanted: Filter) -> str:
    return json.dumps([0, *(wanted.workspaces or ())])


def near(con: apsw.Connection, memory: int, *, index: int, k: int) -> list[int]:
    """
    The `k` live memories nearest to one that has a vector, nearest first: of its user, in the workspaces that are one
    with its own, or global as it is.
    """
    row = first(
        con,
        """
        select embedding.v, memory.user, memory.workspace
        from embedding join memory on memory.id = embedding.memory
        where embedding.memory = ? and embedding.model = ?""",
        (memory, index),
    )
    if row is None:
        return []
    vector, user, workspace = row
    among = workspaces.places(con, workspace)
    rows = fetch(
        con,
        f"""
        select rowid from {table(index)}
        where embedding match ? and k = ? and user = ? and workspace in (select value from json_each(?))
        order by distance""",
        (vector, k + 1, user, json.dumps(among)),
    )
    return [int(id_) for (id_,) in rows if id_ != memory][:k]


def cosines(con: apsw.Connection, vector: bytes, *, index: int, memories: Sequence[int]) -> dict[int, float]:
    """The cosine of a question to each of those memories that has a vector."""
    _check(con, index, vector)
    rows = fetch(
        con,
        """
        select embedding.memory, vec_distance_L2(embedding.v, ?)
        from json_each(?) asked
        cross join embedding on embedding.memory = asked.value and embedding.model = ?""",
        (vector, json.dumps(list(memories)), index),
    )
    return {int(memory): _cosine(distance) for memory, distance in rows}


def sample(con: apsw.Connection, index: int, n: int = 256) -> tuple[int, ...]:
    """
    Memories whose vectors stand for all of an index: the same ones each time, and nearly so as it grows.

    They are the `n` least by a fixed scrambling of their ids (Knuth's multiplicative hash). Reads the whole
    index once: keep the answer.
    """
    rows = fetch(
        con,
        """
        select memory from embedding
        where model = ?
        order by (memory * 2654435761) & 4294967295, memory
        limit ?""",
        (index, n),
    )
    return tuple(int(row[0]) for row in rows)


def _cosine(distance: float) -> float:
    # Of unit vectors: |a - b|^2 = 2 - 2 cos.
    return 1 - distance * distance / 2


def _check(con: apsw.Connection, index: int, vector: bytes) -> None:
    dim = value(con, "select dim from vector_index where id = ?", (index,))
    if dim is None:
        raise WrongDimension(f"There is no vector index {index} any more; ask for the indexes again.")
    if len(vector) != 4 * int(dim):
        raise WrongDimension(
            f"The vector has {len(vector) // 4} numbers and the index {dim}: another model made it; "
            "run `backstory reindex`."
        )
