"""Code history, row by row, as it leaves the file."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Iterator, Mapping
from typing import Any

import apsw

from .. import bodies, settings

Line = dict[str, Any]
Picked = Mapping[str, str]

# What a secret in kept code was replaced by starts so.
MARKED = b"[redacted:"


def text_or_bytes(name: str, kept: bytes, *, as_bytes: str) -> Line:
    """Kept bytes as a field of a line: as text where they are."""
    try:
        return {name: kept.decode()}
    except UnicodeDecodeError:
        return {as_bytes: base64.b64encode(kept).decode()}


def plain_ref(kept: bytes) -> str:
    """What bytes without a marked secret are called in every file."""
    return hashlib.blake2b(kept, digest_size=16).hexdigest()


def refs(con: apsw.Connection, picked: Picked) -> dict[int, str]:
    """
    What each body is called in every file, by its row: by its own bytes; where a secret was marked in it, so that they
    are not the bytes that were on disk, by its name under the salt that it was named with.
    """
    salt = settings.salt_made(con)
    found: dict[int, str] = {}
    for id_, name, salted, packed in con.execute(
        f"select id, hash, salt, packed from body where {picked['body']} order by id"
    ):
        kept = bodies.unpack(packed)
        is_own = salted is None
        if is_own and bodies.name(kept, salt) == name:
            found[id_] = plain_ref(kept)
        else:
            found[id_] = f"{name.hex()}:{salt.hex() if is_own else salted}"
    return found


def each_body(con: apsw.Connection, picked: Picked, called: Mapping[int, str]) -> Iterator[Line]:
    """Every body once, by what `refs` says it is called."""
    rows = con.execute(f"select id, size, packed from body where {picked['body']} order by id")
    for id_, size, packed in rows:
        yield {
            "ref": called[id_], "size": size, **text_or_bytes("text", bodies.unpack(packed), as_bytes="b64"),
        }  # fmt: skip


def threads(con: apsw.Connection, picked: Picked) -> Iterator[Line]:
    """The lives of symbols, regions and files."""
    rows = con.execute(
        f"""
        select thread.ulid, thread.user, workspace.ulid, thread.kind, thread.created_at
        from thread join workspace on workspace.id = thread.workspace
        where {picked["thread"]}
        order by thread.id"""
    )
    return (dict(zip(("ulid", "user", "workspace", "kind", "created_at"), row, strict=True)) for row in rows)


def names(con: apsw.Connection, picked: Picked) -> Iterator[Line]:
    """What threads were called, in the order they were."""
    rows = con.execute(
        f"""
        select thread.ulid, thread_name.branch, workspace.ulid, place.path, place.symbol, thread_name.at
        from thread_name
          join thread on thread.id = thread_name.thread
          join place on place.id = thread_name.place
          join workspace on workspace.id = place.workspace
        where {picked["thread"]}
        order by thread_name.id"""
    )
    told = ("thread", "branch", "workspace", "path", "symbol", "at")
    return (dict(zip(told, row, strict=True)) for row in rows)


_CHANGE = (
    "ulid", "user", "worktree", "actor", "words", "branch", "head_before", "head_after", "bulk", "happened_at",
    "recorded_at",
)  # fmt: skip


def changes(con: apsw.Connection, picked: Picked, called: Mapping[int, str]) -> Iterator[Line]:
    """Changes with their files and the rounds that were made of them: all of a change or none."""
    rows = con.execute(
        f"""
        select change.id, change.files, workspace.ulid, turn.ulid, event.ulid,
               {", ".join(f"change.{name}" for name in _CHANGE)}
        from change
          join workspace on workspace.id = change.workspace
          left join turn on turn.id = change.turn
          left join event on event.id = change.event
        where {picked["change"]}
        order by change.id"""
    )
    for id_, count, workspace, turn, event, *values in rows:
        line = dict(zip(_CHANGE, values, strict=True))
        yield {
            **line, "bulk": bool(line["bulk"]), "count": count, "workspace": workspace, "turn": turn, "event": event,
            "files": _files(con, id_), "rounds": _rounds(con, id_, workspace, called),
        }  # fmt: skip


def _files(con: apsw.Connection, change: int) -> list[list[Any]]:
    rows = con.execute(
        "select path, old_path, status, named, before_id, after_id from change_file where change = ? order by id",
        (change,),
    )
    return [list(row) for row in rows]


def _rounds(con: apsw.Connection, change: int, workspace: str, called: Mapping[int, str]) -> list[Line]:
    rows = con.execute(
        """
        select thread.ulid, round.n, workspace.ulid, place.path, place.symbol, round.status, round.before, round.after,
               round.patch, round.patch_id, round.start_line, round.end_line, round.confidence,
               row_number() over (partition by round.thread order by round.n) - 1
        from round
          join thread on thread.id = round.thread
          join place on place.id = round.place
          join workspace on workspace.id = place.workspace
        where round.change = ?
        order by round.id""",
        (change,),
    )
    made = []
    for (
        thread,
        n,
        at,
        path,
        symbol,
        status,
        before,
        after,
        packed,
        patch_id,
        start,
        end,
        confidence,
        k,
    ) in rows:
        patch = bodies.unpack(packed)
        line = {
            "thread": thread, "n": n, "k": k or None, "workspace": None if at == workspace else at, "path": path,
            "symbol": symbol, "status": status, "before": called.get(before), "after": called.get(after),
            # Made of the bytes that were there: where some are a secret, they could be guessed from it.
            "patch_id": None if patch_id is None or MARKED in patch else patch_id.hex(),
            "start": start, "end": end, "confidence": confidence,
            **text_or_bytes("patch", patch, as_bytes="patch_b64"),
        }  # fmt: skip
        made.append({name: value for name, value in line.items() if value is not None})
    return made


# A round by what every file knows it by: its thread, its change, and which of that change's rounds there, from 0.
_KNOWN_BY = """
  (select ulid from thread where id = {0}.thread), (select ulid from change where id = {0}.change),
  nullif((select count(*) from round same
          where same.thread = {0}.thread and same.change = {0}.change and same.n < {0}.n), 0)"""


def parents(con: apsw.Connection, picked: Picked) -> Iterator[Line]:
    """Which round each round goes on from."""
    rows = con.execute(
        f"""
        select {_KNOWN_BY.format("round")}, {_KNOWN_BY.format("older")}
        from round join change on change.id = round.change join round older on older.id = round.parent
        where {picked["change"]} and {picked["change"].replace("change.id", "older.change")}
        order by round.id"""
    )
    for thread, change, k, of_thread, of, of_k in rows:
        yield {
            "thread": thread, "change": change, "k": k, "of": of, "of_k": of_k,
            "of_thread": None if of_thread == thread else of_thread,
        }  # fmt: skip


def commits(con: apsw.Connection, picked: Picked) -> Iterator[Line]:
    """Which commits hold which rounds."""
    rows = con.execute(
        f"""
        select {_KNOWN_BY.format("round")}, round_commit.commit_id
        from round_commit join round on round.id = round_commit.round join change on change.id = round.change
        where {picked["change"]}
        order by round.id, round_commit.commit_id"""
    )
    return (dict(zip(("thread", "change", "k", "commit"), row, strict=True)) for row in rows)


def regions(con: apsw.Connection, picked: Picked) -> Iterator[Line]:
    """Where regions lie."""
    rows = con.execute(
        f"""
        select thread.ulid, region.branch, region.path, region.start_line, region.end_line
        from region join thread on thread.id = region.thread
        where {picked["thread"]}
        order by region.thread, region.branch"""
    )
    return (dict(zip(("thread", "branch", "path", "start", "end"), row, strict=True)) for row in rows)


def counts(con: apsw.Connection, picked: Picked) -> Mapping[str, int]:
    """How many rows of each chosen table leave, to tell how far an export is."""
    (row,) = con.execute(
        "select json_object("
        + ", ".join(
            f"'{name}', (select count(*) from {name} where {condition})" for name, condition in picked.items()
        )
        + ")"
    ).fetchall()
    counted: Mapping[str, int] = json.loads(str(row[0]))
    return counted
