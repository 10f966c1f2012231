"""The vector indexes, one vec0 table a model: begun, serving, leaving, and kept in step with the rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import apsw

from .errors import WrongDimension
from .rows import fetch, first, value

# Rows a chunk. A chunk belongs to one user and workspace, so a small one wastes little on small workspaces
# (200 of them and 10,000 rows: 23 MB against 317 with the default of 1,024) and is given back sooner when its
# rows go; below 32 the scan gets slower and saves little.
CHUNK_ROWS = 32
# Partition keys: a search reads only the chunks of its workspaces (global is 0), and none crowds out another.
DEFINITION = """
user text partition key,
workspace integer partition key,
embedding float[{dim}] distance_metric=l2,
chunk_size={chunk}"""

State = Literal["building", "serving", "leaving"]


@dataclass(frozen=True, slots=True)
class Index:
    """The vectors of one model. `dim` is their length; a building index holds part of the memories."""

    id: int
    model: str
    dim: int
    state: State


@dataclass(frozen=True, slots=True)
class IndexCounts:
    """How far an index has come: `embedded` of `live` memories have their vector."""

    index: Index
    embedded: int
    live: int


@dataclass(frozen=True, slots=True)
class Placed:
    """A vector and the scope it is searched in; `workspace` 0 is global."""

    memory: int
    user: str
    workspace: int
    vector: bytes


def every(con: apsw.Connection) -> list[Index]:
    """All indexes, the serving one first, then the building one."""
    rows = fetch(
        con,
        """
        select id, model, dim, state from vector_index
        order by case state when 'serving' then 0 when 'building' then 1 else 2 end, id""",
    )
    return [Index(*row) for row in rows]


def answering(con: apsw.Connection) -> list[Index]:
    """The indexes a question is put to: the serving one, and beside it the one that will follow it."""
    return [index for index in every(con) if index.state != "leaving"]


def begin(con: apsw.Connection, model: str, dim: int, *, now: int) -> Index:
    """
    The index of that model, made if need be; every other that was building leaves.

    The first one serves at once; a later one builds beside the serving one until `promote`.

    Raises:
        WrongDimension: the model's vectors were of another length before.
    """
    known = {index.model: index for index in every(con)}
    index = known.get(model)
    if index is not None and index.dim != dim:
        raise WrongDimension(
            f"{model} answers with {dim} numbers, but its vectors had {index.dim} before: "
            "give the new model another name."
        )
    con.execute("update vector_index set state = 'leaving' where state = 'building' and model <> ?", (model,))
    if index is not None and index.state != "leaving":
        return index
    serves = any(other.state == "serving" for other in known.values())
    state: State = "building" if serves else "serving"
    id_ = value(
        con,
        """
        insert into vector_index(model, dim, state, created_at) values (?, ?, ?, ?)
        on conflict(model) do update set state = excluded.state
        returning id""",
        (model, dim, state, now),
    )
    made = Index(id_, model, dim, state)
    _create(con, made)
    return made


def promote(con: apsw.Connection, index: int) -> None:
    """Let a complete index serve; the one that served leaves."""
    con.execute("update vector_index set state = 'leaving' where state = 'serving' and id <> ?", (index,))
    con.execute("update vector_index set state = 'serving' where id = ? and state = 'building'", (index,))


def dismantle(con: apsw.Connection, index: int, *, limit: int) -> bool:
    """Take up to `limit` vectors out of a leaving index, and itself after the last; True when it is gone."""
    rows = fetch(
        con,
        """
        select embedding.memory
        from vector_index join embedding on embedding.model = vector_index.id
        where vector_index.id = ? and vector_index.state = 'leaving'
        limit ?""",
        (index, limit),
    )
    for (memory,) in rows:
        con.execute("delete from embedding where memory = ? and model = ?", (memory, index))
        con.execute(f"delete from {table(index)} where rowid = ?", (memory,))
    if len(rows) == limit:
        return False
    con.execute("delete from vector_index where id = ? and state = 'leaving'", (index,))
    if not con.changes():
        return False
    con.execute(f"drop table if exists {table(index)}")
    return True


def rebuild(con: apsw.Connection, index: int) -> None:
    """Empty an index's vec0 table, made anew; `adrift` then names every vector, `mend` puts it in again."""
    row = first(con, "select id, model, dim, state from vector_index where id = ?", (index,))
    if row is not None:
        con.execute(f"drop table if exists {table(index)}")
        _create(con, Index(*row))


def adrift(con: apsw.Connection, index: int, *, after: int, upto: int, limit: int = 100) -> list[int]:
    """
    Memories among `after` < id <= `upto` of which the index says other than the rows.

    A retired one that is still there, a vector that is not, another workspace. A memory whose words changed
    and whose new vector is not made yet keeps its old place.
    """
    rows = fetch(
        con,
        f"""
        select placed.rowid
        from {table(index)}_rowids placed
        join {table(index)}_chunks chunk on chunk.chunk_id = placed.chunk_id
        left join memory on memory.id = placed.rowid
        where placed.rowid > :after and placed.rowid <= :upto
          and (memory.id is null or memory.retired_at is not null or memory.archived_at is not null
               or chunk.partition00 is not memory.user
               or chunk.partition01 is not ifnull(memory.workspace, 0))
        union
        select embedding.memory
        from embedding join memory on memory.id = embedding.memory
        where embedding.model = :index and embedding.memory > :after and embedding.memory <= :upto
          and (memory.retired_at is not null or memory.archived_at is not null
               or embedding.memory not in (
                 select rowid from {table(index)}_rowids where rowid > :after and rowid <= :upto))
        limit :limit""",
        {"index": index, "after": after, "upto": upto, "limit": limit},
    )
    return [row[0] for row in rows]


def mend(con: apsw.Connection, index: int, memories: Sequence[int]) -> None:
    """Bring the index in step with the rows of those memories."""
    for memory in memories:
        row = first(
            con,
            """
            select memory.user, ifnull(memory.workspace, 0), embedding.v
            from memory left join embedding on embedding.memory = memory.id and embedding.model = ?
            where memory.id = ? and memory.retired_at is null and memory.archived_at is null""",
            (index, memory),
        )
        if row is None:
            con.execute("delete from embedding where memory = ? and model = ?", (memory, index))
            con.execute(f"delete from {table(index)} where rowid = ?", (memory,))
            continue
        user, workspace, vector = row
        there = _placed(con, index, memory)
        if vector is None and there is None:
            continue
        if vector is None and there is not None:
            vector = there.vector
        _place(con, index, Placed(memory, user, workspace, vector), there)


def drop(con: apsw.Connection, memory: int) -> None:
    """Take a memory's vectors out of every index, and away."""
    for index in every(con):
        con.execute(f"delete from {table(index.id)} where rowid = ?", (memory,))
    con.execute("delete from embedding where memory = ?", (memory,))


def _place(con: apsw.Connection, index: int, new: Placed, there: Placed | None) -> None:
    if there is not None and (there.user, there.workspace) == (new.user, new.workspace):
        # An update reuses the row's place; delete and insert would leave a hole that vec0 never fills again.
        con.execute(f"update {table(index)} set embedding = ? where rowid = ?", (new.vector, new.memory))
        return
    if there is not None:
        con.execute(f"delete from {table(index)} where rowid = ?", (new.memory,))
    con.execute(
        f"insert into {table(index)}(rowid, user, workspace, embedding) values (?, ?, ?, ?)",
        (new.memory, new.user, new.workspace, new.vector),
    )


def _placed(con: apsw.Connection, index: int, memory: int) -> Placed | None:
    row = first(
        con, f"select rowid, user, workspace, embedding from {table(index)} where rowid = ?", (memory,)
    )
    return Placed(*row) if row else None


def hollow(con: apsw.Connection, index: int, *, limit: int = 100) -> list[int]:
    """
    Rows that lie alone in chunks no longer filled, worth putting elsewhere; none while half of all is in use.

    vec0 fills a partition's latest chunk only and frees a chunk with its last row: after many deletions most
    of what it reads is holes.
    """
    closed = value(
        con,
        f"""
        select (select count(*) from {table(index)}_chunks)
             - (select count(*) from (
                  select distinct partition00, partition01 from {table(index)}_chunks))""",
    )
    if closed * CHUNK_ROWS <= 2 * value(con, f"select count(*) from {table(index)}_rowids"):
        return []
    rows = fetch(
        con,
        f"""
        select placed.rowid
        from (
          select chunk_id
          from {table(index)}_rowids
          where chunk_id not in (
            select max(chunk_id) from {table(index)}_chunks group by partition00, partition01)
          group by chunk_id
          having count(*) <= {CHUNK_ROWS // 2}) sparse
        join {table(index)}_rowids placed using (chunk_id)
        order by placed.chunk_id
        limit ?""",
        (limit,),
    )
    return [row[0] for row in rows]


def close_up(con: apsw.Connection, index: int, memories: Sequence[int]) -> None:
    """Move the vectors of those memories to their partitions' latest chunks."""
    for memory in memories:
        there = _placed(con, index, memory)
        if there is not None:
            con.execute(f"delete from {table(index)} where rowid = ?", (memory,))
            _place(con, index, there, None)


def counts(con: apsw.Connection) -> list[IndexCounts]:
    """How far each index has come, the serving one first."""
    live = value(con, "select count(*) from memory where retired_at is null and archived_at is null")
    return [
        IndexCounts(index, value(con, "select count(*) from embedding where model = ?", (index.id,)), live)
        for index in every(con)
    ]


def newest(con: apsw.Connection) -> int:
    """The row id of the latest memory; 0 where there is none."""
    return int(value(con, "select coalesce(max(id), 0) from memory"))


def table(index: int) -> str:
    """The name of an index's vec0 table."""
    return f"vector_{index:d}"


def _create(con: apsw.Connection, index: Index) -> None:
    con.execute(
        f"create virtual table if not exists {table(index.id)} "
        f"using vec0({DEFINITION.format(dim=index.dim, chunk=CHUNK_ROWS)})"
    )
