"""
Code history that goes for good, or is blanked.

A file's: its places and all that stands there (rounds, names of threads, regions), its lines in changes; threads
without rounds, changes without files, bodies that nobody names. Words inside code: the body, or patch, is blanked in
place, under another name, so that the round stands and nobody finds the words by trying. A branch, a path or a
message: the name is blanked, or the row goes.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Collection
from dataclasses import dataclass

import apsw

from . import bodies, places
from .rows import fetch, first
from .standing import CHANGES, Reach


@dataclass(frozen=True, slots=True)
class CodeRows:
    """Rows of code history: rounds and places that go, lines in changes that go, bodies and patches to be blanked."""

    rounds: frozenset[int] = frozenset()
    places: frozenset[int] = frozenset()
    files: frozenset[int] = frozenset()
    changes: frozenset[int] = frozenset()
    bodies: frozenset[int] = frozenset()
    patches: frozenset[int] = frozenset()

    def __bool__(self) -> bool:
        return bool(self.rounds or self.places or self.files or self.changes or self.bodies or self.patches)


NO_CODE = CodeRows()
_NO_ROUND = """
  not exists (select 1 from round where round.before = body.id)
  and not exists (select 1 from round where round.after = body.id)"""


def within(con: apsw.Connection, reach: Reach) -> tuple[set[int], set[int]]:
    """The changes that lie in a reach, and their rounds."""
    found = _ids(con, f"select id from change where {CHANGES}", reach.values())
    rounds = _ids(
        con,
        "select id from round where change in (select value from json_each(?))",
        (json.dumps(list(found)),),
    )
    return found, rounds


def of_paths(
    con: apsw.Connection, paths: Collection[str], workspaces: Collection[int], reach: Reach
) -> tuple[set[int], set[int], set[int]]:
    """Of files, or folders, in those workspaces: their places, the rounds there, and their lines in changes."""
    at, there, lines = set[int](), set[int](), set[int]()
    for path in paths:
        given = {**places.values(sorted(workspaces), path, None), **reach.values()}
        given["workspaces"] = json.dumps(sorted(workspaces))
        at |= _ids(con, f"select id from place where {places.NAMED}", given)
        there |= _ids(
            con,
            f"""
            select round.id from place join round on round.place = place.id join change on change.id = round.change
            where {places.NAMED} and {CHANGES}""",
            given,
        )
        lines |= _ids(
            con,
            f"""
            select change_file.id from change_file join change on change.id = change_file.change
            where (change_file.path = :path or change_file.path glob :below
                   or change_file.old_path = :path or change_file.old_path glob :below) and {CHANGES}""",
            given,
        )
    return (
        (at if reach.is_whole or (reach.session is None and reach.since is reach.until is None) else set()),
        there,
        lines,
    )


def named(
    con: apsw.Connection, held: Callable[[str, str], list[str]], user: str | None
) -> tuple[set[int], set[int], set[int]]:
    """As `of_paths`, for places and files in whose names words stand; `held` tells the values of a column that do."""
    names = {column: json.dumps(held("place", column), ensure_ascii=False) for column in ("path", "symbol")}
    at = _ids(
        con,
        """
        select id from place
        where path in (select value from json_each(:path)) or symbol in (select value from json_each(:symbol))""",
        names,
    )
    there = _ids(
        con,
        """
        select round.id from round join change on change.id = round.change
        where change.user = ifnull(?, change.user) and round.place in (select value from json_each(?))""",
        (user, json.dumps(list(at))),
    )
    lines = set[int]()
    for column in ("path", "old_path", "named"):
        listed = json.dumps(held("change_file", column), ensure_ascii=False)
        lines |= _ids(
            con, f"select id from change_file where {column} in (select value from json_each(?))", (listed,)
        )
    return at, there, lines


def worktrees(con: apsw.Connection, rows: CodeRows) -> set[str]:
    """The worktrees in which those rows were made."""
    found = fetch(
        con,
        """
        select worktree from change where id in (select value from json_each(:changes))
        union select worktree from change where id in (
          select change from round
          where id in (select value from json_each(:rounds)) or before in (select value from json_each(:bodies))
             or after in (select value from json_each(:bodies)))
        union select worktree from change where id in (
          select change from change_file where id in (select value from json_each(:files)))""",
        {
            "changes": json.dumps(sorted(rows.changes)), "bodies": json.dumps(sorted(rows.bodies)),
            "rounds": json.dumps(sorted(rows.rounds | rows.patches)), "files": json.dumps(sorted(rows.files)),
        },
    )  # fmt: skip
    return {str(one) for (one,) in found}


def lies_in(con: apsw.Connection, rows: CodeRows) -> set[tuple[str, str]]:
    """(worktree, path) of the files that those rows are of."""
    found = fetch(
        con,
        """
        select change.worktree, place.path
        from round join change on change.id = round.change join place on place.id = round.place
        where round.id in (select value from json_each(:rounds))
           or round.place in (select value from json_each(:places))
           or round.before in (select value from json_each(:bodies))
           or round.after in (select value from json_each(:bodies))
           or round.change in (select value from json_each(:changes))
        union
        select change.worktree, change_file.path
        from change_file join change on change.id = change_file.change
        where change_file.id in (select value from json_each(:files))""",
        {
            "rounds": json.dumps(sorted(rows.rounds | rows.patches)), "places": json.dumps(sorted(rows.places)),
            "bodies": json.dumps(sorted(rows.bodies)), "changes": json.dumps(sorted(rows.changes)),
            "files": json.dumps(sorted(rows.files)),
        },
    )  # fmt: skip
    return {(str(worktree), str(path)) for worktree, path in found}


def ulids(con: apsw.Connection, changes: Collection[int]) -> list[str]:
    """The ids of changes as they stand in exports."""
    rows = fetch(
        con,
        "select ulid from change where id in (select value from json_each(?))",
        (json.dumps(list(changes)),),
    )
    return [str(one) for (one,) in rows]


def turn_ulids(con: apsw.Connection, turns: Collection[int]) -> list[str]:
    """The ids of turns as they stand in exports."""
    rows = fetch(
        con, "select ulid from turn where id in (select value from json_each(?))", (json.dumps(list(turns)),)
    )
    return [str(one) for (one,) in rows]


def packed(con: apsw.Connection, table: str, column: str, ids: Collection[int]) -> dict[int, bytes]:
    """What is kept of bodies, or patches, by row."""
    return {
        id_: bodies.unpack(row[0])
        for id_ in ids
        if (row := first(con, f"select {column} from {table} where id = ?", (id_,))) is not None
    }


def made_by(con: apsw.Connection, rows: CodeRows) -> dict[int, bytes]:
    """What is kept of the bodies that rounds which go have led to, by row."""
    ids = _ids(
        con,
        """
        select after from round
        where after is not null and (
          id in (select value from json_each(:rounds)) or change in (select value from json_each(:changes)))""",
        {"rounds": json.dumps(sorted(rows.rounds)), "changes": json.dumps(sorted(rows.changes))},
    )
    return packed(con, "body", "packed", ids)


def wholly(con: apsw.Connection, hidden: Collection[int]) -> CodeRows:
    """Those bodies, and the patches of the rounds that have one of them on either side."""
    listed = {"ids": json.dumps(sorted(hidden))}
    return CodeRows(
        bodies=frozenset(hidden),
        patches=frozenset(
            _ids(
                con,
                """
                select id from round
                where before in (select value from json_each(:ids)) or after in (select value from json_each(:ids))""",
                listed,
            )
        ),
    )


def loose(con: apsw.Connection) -> set[int]:
    """The bodies that no round leads to or from."""
    return _ids(con, f"select id from body where {_NO_ROUND}", ())


def seen_at(con: apsw.Connection) -> dict[int, int]:
    """When each body was first seen, by row."""
    rows = fetch(
        con,
        """
        select body, min(happened_at) from (
          select before as body, change from round where before is not null
          union all select after, change from round where after is not null) side
        join change on change.id = side.change group by body""",
    )
    return {int(body): int(at) for body, at in rows}


def patched_at(con: apsw.Connection) -> dict[int, int]:
    """When each round was made, by row."""
    rows = fetch(
        con, "select round.id, change.happened_at from round join change on change.id = round.change"
    )
    return {int(id_): int(at) for id_, at in rows}


def blank(con: apsw.Connection, rows: CodeRows, blanked: Callable[[bytes], bytes], key: bytes) -> None:
    """Blank words in bodies and patches; a body goes by the name of what is left then, which tells nothing else."""
    for id_, raw in packed(con, "body", "packed", rows.bodies).items():
        left = blanked(raw)
        name = bodies.name(left, key)
        if first(con, "select 1 from body where hash = ?", (name,)):  # the same but for the words
            name = os.urandom(16)
        con.execute("update body set packed = ?, hash = ? where id = ?", (bodies.pack(left), name, id_))
    for id_, raw in packed(con, "round", "patch", rows.patches).items():
        con.execute(
            "update round set patch = ?, patch_id = null where id = ?", (bodies.pack(blanked(raw)), id_)
        )


def erase(con: apsw.Connection, rows: CodeRows) -> list[str]:
    """Take rounds, places, lines and changes out, and all that then stands for nothing; the ids of what went."""
    for ids, statement in (
        (rows.rounds, "delete from round where id in (select value from json_each(?))"),
        (rows.files, "delete from change_file where id in (select value from json_each(?))"),
        (rows.changes, "delete from change_file where change in (select value from json_each(?))"),
        (rows.places, "delete from thread_name where place in (select value from json_each(?))"),
        (
            rows.places,
            """
            delete from region where exists (
              select 1 from place join thread on thread.id = region.thread
              where place.id in (select value from json_each(?)) and place.path = region.path
                and place.workspace = thread.workspace)""",
        ),
    ):
        if ids:
            con.execute(statement, (json.dumps(sorted(ids)),))
    gone = _hollow(con, rows.changes)
    con.execute(
        "delete from place where id in (select value from json_each(?)) and id not in (select place from round)",
        (json.dumps(sorted(rows.places)),),
    )
    return gone


def _hollow(con: apsw.Connection, changes: Collection[int]) -> list[str]:
    """Take out threads without rounds, changes without files or rounds, bodies without either side of a round."""
    threads = "not exists (select 1 from round where round.thread = thread.id)"
    changed = """
      not exists (select 1 from round where round.change = change.id)
      and (not exists (select 1 from change_file where change_file.change = change.id) and bulk = 0
           or id in (select value from json_each(:changes)))"""
    given = {"changes": json.dumps(list(changes))}
    gone = [str(one) for (one,) in fetch(con, f"select ulid from thread where {threads}")]
    gone += [str(one) for (one,) in fetch(con, f"select ulid from change where {changed}", given)]
    con.execute(f"delete from thread where {threads}")
    con.execute(f"delete from change where {changed}", given)
    con.execute(
        """
        update change set files = (select count(*) from change_file where change_file.change = change.id)
        where bulk = 0 and files <> (select count(*) from change_file where change_file.change = change.id)"""
    )
    con.execute(f"delete from body where {_NO_ROUND}")
    # A place that a name or a round no longer leads to says nothing but that it was there.
    con.execute(
        """
        delete from place
        where not exists (select 1 from round where round.place = place.id)
          and not exists (select 1 from thread_name where thread_name.place = place.id)"""
    )
    return gone


def of_workspaces(con: apsw.Connection, ids: Collection[int]) -> None:
    """Take out what is left of workspaces in code history."""
    for table in ("thread", "change", "place"):
        con.execute(
            f"delete from {table} where workspace in (select value from json_each(?))",
            (json.dumps(list(ids)),),
        )


def unfollow(con: apsw.Connection, worktrees_: Collection[str]) -> None:
    """Let worktrees be looked at anew: what is known of how they were names their files."""
    con.execute(
        "delete from followed where worktree in (select value from json_each(?))",
        (json.dumps(list(worktrees_), ensure_ascii=False),),
    )


def _ids(con: apsw.Connection, sql: str, values: object) -> set[int]:
    return {int(id_) for (id_,) in fetch(con, sql, values)}


def bodies_of(con: apsw.Connection, rounds: Collection[int]) -> set[int]:
    """The bodies on either side of those rounds."""
    return _ids(
        con,
        """
        select before from round where before is not null and id in (select value from json_each(:ids))
        union select after from round where after is not null and id in (select value from json_each(:ids))""",
        {"ids": json.dumps(sorted(rounds))},
    )
