"""Changes of code that two files know: told as one of them tells it, and which threads are the same by them."""

from __future__ import annotations

import base64
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any

import apsw

from .. import bodies, settings, thread_names, workspaces
from ..rows import fetch, first, value
from .arriving import BROKEN, Arrivals, Line, Refused
from .leaving_code import plain_ref

# A body's or a patch's bytes with known secrets marked, for what another program may have left in.
Shown = Callable[[bytes, bytes], bytes]


def kept_bytes(line: Line, name: str, as_bytes: str) -> bytes:
    """The bytes of a field that is text where they are, else base64."""
    if name in line:
        return str(line[name]).encode()
    return base64.b64decode(line[as_bytes])


def body_of(here: Arrivals, ref: str | None) -> int | None:
    """The row of a body of that file."""
    if ref is None:
        return None
    if ref not in here.bodies:
        raise Refused(BROKEN)
    return here.bodies[ref]


def meet(con: apsw.Connection, change: int, line: Line, here: Arrivals, *, shown: Shown) -> None:
    """A change that both files know: as the one says that kept it first; its rounds tell which threads are the same."""
    workspace = here.workspace(con, line["workspace"])
    ours = int(value(con, "select workspace from change where id = ?", (change,)))
    assert workspace is not None
    con.execute(
        """
        update change set worktree = :worktree, branch = :branch, recorded_at = :recorded_at
        where id = :id and (:recorded_at, :worktree, ifnull(:branch, ''))
          < (recorded_at, worktree, ifnull(branch, ''))""",
        {"id": change, "branch": line.get("branch")}
        | {name: line[name] for name in ("worktree", "recorded_at")},
    )
    if workspaces.elder(con, ours, workspace) != ours:
        _move(con, change, ours, workspace)
    for one in line["rounds"]:
        with suppress(Refused):
            theirs = here.thread(con, one["thread"])
            row = _same(con, change, one, line.get("head_after"), here)
            if row is None:
                continue
            round_, thread, is_here = row
            if is_here:
                _tell(con, round_, one, here, shown)
            if theirs is not None and thread != theirs:
                here.threads_met[one["thread"]] = thread
                here.same_threads.add((theirs, thread))


def _move(con: apsw.Connection, change: int, ours: int, elder: int) -> None:
    """A change and its rounds to the elder of two workspaces that are one."""
    con.execute("update change set workspace = ? where id = ?", (elder, change))
    rows = fetch(
        con,
        """
        select round.id, place.path, place.symbol from round join place on place.id = round.place
        where round.change = ? and place.workspace = ?""",
        (change, ours),
    )
    for round_, path, symbol in rows:
        at = thread_names.place(con, elder, path, symbol)
        con.execute("update round set place = ? where id = ?", (at, round_))


def _same(
    con: apsw.Connection, change: int, one: Mapping[str, Any], commit: str | None, here: Arrivals
) -> tuple[int, int, bool] | None:
    """
    The round here that a round of a change of both files is, and its thread: of that change, of a region the one that
    lies there; else, and then not `is_here`, one that was seen being made before the same commit.
    """
    told = {
        "change": change, "commit": commit, "after": body_of(here, one.get("after")),
        **{name: one[name] for name in ("path", "symbol", "start", "end", "thread")},
    }  # fmt: skip
    row = first(
        con,
        """
        select round.id, round.thread, true
        from round join place on place.id = round.place join thread on thread.id = round.thread
        where round.change = :change and place.path = :path and place.symbol = :symbol
          and (round.after is :after or thread.kind <> 'region'
               or (round.start_line <= :end and round.end_line >= :start))
        order by thread.ulid = :thread desc, round.after is :after desc, abs(round.start_line - :start), round.n
        limit 1""",
        told,
    ) or first(
        con,
        """
        select round.id, round.thread, false
        from round_commit
          join round on round.id = round_commit.round
          join place on place.id = round.place
          join thread on thread.id = round.thread
          join change on change.id = :change
        where round_commit.commit_id = :commit and place.path = :path and place.symbol = :symbol
          and round.after is :after and thread.user = change.user
        order by thread.ulid = :thread desc, round.n limit 1""",
        told,
    )
    return (int(row[0]), int(row[1]), bool(row[2])) if row else None


def _tell(con: apsw.Connection, round_: int, one: Mapping[str, Any], here: Arrivals, shown: Shown) -> None:
    """Of a region that the files cut differently, the wider cut; of equal ones, the same in both files."""
    before, after = body_of(here, one.get("before")), body_of(here, one.get("after"))
    row = fetch(
        con,
        "select before, after, start_line, end_line, status, confidence, patch from round where id = ?",
        (round_,),
    )[0]
    if (before, after, one["start"], one["end"], one["status"], one["confidence"]) == row[:6]:
        return
    patch = shown(kept_bytes(one, "patch", "patch_b64"), settings.salt(con))
    theirs = _wide(con, before, after, one["start"], one["end"], one["status"], one["confidence"], patch)
    ours = _wide(con, *row[:6], bodies.unpack(row[6]))
    if theirs <= ours:
        return
    con.execute(
        """
        update round set before = ?, after = ?, start_line = ?, end_line = ?, status = ?, confidence = ?, patch = ?,
          patch_id = ?
        where id = ?""",
        (
            before, after, one["start"], one["end"], one["status"], one["confidence"], bodies.pack(patch),
            bytes.fromhex(one["patch_id"]) if "patch_id" in one else None, round_,
        ),
    )  # fmt: skip


def _wide(
    con: apsw.Connection, before: int | None, after: int | None, start: int, end: int, *rest: object
) -> tuple[object, ...]:
    def ref(body: int | None) -> str:
        packed = None if body is None else value(con, "select packed from body where id = ?", (body,))
        return "" if packed is None else plain_ref(bodies.unpack(packed))

    return (end - start, start, ref(before), ref(after), *map(str, rest))
