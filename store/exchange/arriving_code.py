"""What comes in from another file, row by row: code history."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any

import apsw

from .. import bodies, settings, thread_names, tombstones, workspaces
from ..rows import first, value
from . import joined, met_changes
from .arriving import BROKEN, CONTRADICTS, FORGOTTEN, Arrivals, Line, Refused, Took
from .leaving_code import plain_ref
from .met_changes import Shown, body_of, kept_bytes


def body(con: apsw.Connection, line: Line, here: Arrivals, *, shown: Shown) -> Took:
    """A body, under the name that its bytes have here; with a secret marked in it, under the one that it came with."""
    told = kept_bytes(line, "text", "b64")
    key = settings.salt(con)
    kept = shown(told, key)
    ref, _, salt = line["ref"].partition(":")
    is_plain = ":" not in line["ref"]
    if is_plain and plain_ref(told) != ref:
        raise Refused(CONTRADICTS)
    if is_plain or kept != told:
        name, salted = bodies.name(told, key), None
    else:
        name, salted = bytes.fromhex(ref), None if salt == key.hex() else salt
    row = first(con, "select id, packed from body where hash = ?", (name,))
    if row is None:
        id_ = value(
            con,
            "insert into body(hash, size, packed, salt) values (?, ?, ?, ?) returning id",
            (name, line["size"], bodies.pack(kept), salted),
        )
        here.bodies[line["ref"]] = int(id_)
        return "added"
    if not is_plain and bodies.unpack(row[1]) != kept and salted is not None:
        raise Refused(CONTRADICTS)
    here.bodies[line["ref"]] = int(row[0])
    return "known"


def thread(con: apsw.Connection, line: Line, here: Arrivals) -> Took:
    """The life of a symbol, a region or a file."""
    if tombstones.row_gone_at(con, line["ulid"]) is not None:
        raise Refused(FORGOTTEN)
    workspace = here.workspace(con, line["workspace"])
    assert workspace is not None
    row = first(
        con,
        "select id, workspace from thread where ulid = ? or id = ?",
        (line["ulid"], here.threads.get(line["ulid"])),
    )
    if row:
        con.execute(
            "update thread set workspace = ?, created_at = min(created_at, ?) where id = ?",
            (workspaces.elder(con, row[1], workspace), line["created_at"], row[0]),
        )
        return "known"
    con.execute(
        "insert into thread(ulid, user, workspace, kind, created_at) values (?, ?, ?, ?, ?)",
        (line["ulid"], line["user"], workspace, line["kind"], line["created_at"]),
    )
    return "added"


def name(con: apsw.Connection, line: Line, here: Arrivals) -> Took:
    """What a thread was called, on which branch, since when."""
    thread_ = here.thread(con, line["thread"])
    workspace = here.workspace(con, line["workspace"])
    assert workspace is not None
    assert thread_ is not None
    new = joined.call(con, thread_, line["branch"], workspace, line["path"], line["symbol"], at=line["at"])
    return "added" if new else "known"


def change(con: apsw.Connection, line: Line, here: Arrivals, *, shown: Shown) -> Took:
    """A change with its files and rounds, whole or not at all; of one that both files know, whose it was."""
    if tombstones.row_gone_at(con, line["ulid"]) is not None:
        raise Refused(FORGOTTEN)
    turn, event = _if_there(here.turn, con, line.get("turn")), _if_there(here.event, con, line.get("event"))
    known = first(con, "select id, actor, turn from change where ulid = ?", (line["ulid"],))
    if known is not None:
        if turn is not None and known[2] is None:
            # It was found by looking, and claimed later by the tool that made it.
            con.execute(
                "update change set actor = ?, turn = ?, event = ? where id = ?",
                (line["actor"], turn, event, known[0]),
            )
        met_changes.meet(con, int(known[0]), line, here, shown=shown)
        return "known"
    workspace = here.workspace(con, line["workspace"])
    names = (
        "worktree",
        "actor",
        "words",
        "branch",
        "head_before",
        "head_after",
        "happened_at",
        "recorded_at",
        "user",
    )
    id_ = value(
        con,
        """
        insert into change(ulid, user, workspace, worktree, actor, turn, event, words, branch, head_before, head_after,
                           bulk, files, happened_at, recorded_at)
        values (:ulid, :user, :workspace, :worktree, :actor, :turn, :event, :words, :branch, :head_before, :head_after,
                :bulk, :count, :happened_at, :recorded_at)
        returning id""",
        {name: line.get(name) for name in names}
        | {
            "ulid": line["ulid"], "workspace": workspace, "turn": turn, "event": event, "bulk": int(line["bulk"]),
            "count": line["count"],
        },
    )  # fmt: skip
    con.executemany(
        """
        insert into change_file(change, path, old_path, status, named, before_id, after_id)
        values (?, ?, ?, ?, ?, ?, ?)""",
        [(id_, *file) for file in line["files"]],
    )
    for one in line["rounds"]:
        _round(con, int(id_), one, workspace, here, shown)
    return "added"


def _if_there(
    find: Callable[[apsw.Connection, str | None], int | None], con: apsw.Connection, ulid: str | None
) -> int | None:
    with suppress(Refused):
        return find(con, ulid)
    return None


def _round(
    con: apsw.Connection,
    change_: int,
    one: Mapping[str, Any],
    workspace: int | None,
    here: Arrivals,
    shown: Shown,
) -> None:
    thread_ = here.thread(con, one["thread"])
    assert thread_ is not None
    at = here.workspace(con, one["workspace"]) if "workspace" in one else workspace
    assert at is not None
    kept = kept_bytes(one, "patch", "patch_b64")
    taken = first(con, "select 1 from round where thread = ? and n = ?", (thread_, one["n"])) is not None
    n = one["n"]
    if taken:
        n = int(value(con, "select max(n) + 1 from round where thread = ?", (thread_,)))
    con.execute(
        """
        insert into round(thread, n, change, place, status, before, after, patch, patch_id, start_line, end_line,
                          confidence)
        values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)""",
        (
            thread_, n, change_, thread_names.place(con, at, one["path"], one["symbol"]), one["status"],
            body_of(here, one.get("before")), body_of(here, one.get("after")),
            bodies.pack(shown(kept, settings.salt(con))),
            bytes.fromhex(one["patch_id"]) if "patch_id" in one else None, one["start"], one["end"],
            one["confidence"],
        ),
    )  # fmt: skip
    if taken:
        joined.renumber(con, thread_)


def _round_row(con: apsw.Connection, here: Arrivals, thread_: str, change_: str, k: int) -> int | None:
    """The row of a round; None where its thread and its change are here and another round says the same."""
    there = {here.threads_met.get(thread_), here.thread(con, thread_)} - {None}
    change_row = first(con, "select id from change where ulid = ?", (change_,))
    if change_row is None:
        raise Refused(here.refused.get(change_, BROKEN))
    row = first(
        con,
        """
        select round.id from round
        where round.thread in (select value from json_each(?)) and round.change = ?
        order by round.n limit 1 offset ?""",
        (json.dumps(sorted(one for one in there if one is not None)), change_row[0], k),
    )
    return int(row[0]) if row else None


_MADE = """
  select change.happened_at, change.ulid, one.n from round one join change on change.id = one.change
  where one.id = {}"""


def parent(con: apsw.Connection, line: Line, here: Arrivals) -> Took:
    """Which round a round goes on from; of two that files tell of, the one that was made later."""
    round_ = _round_row(con, here, line["thread"], line["change"], line.get("k", 0))
    older = _round_row(con, here, line.get("of_thread", line["thread"]), line["of"], line.get("of_k", 0))
    before = con.total_changes()
    con.execute(
        f"""
        update round set parent = :older
        where id = :round and :older is not null and :older <> id
          and (parent is null or parent <> :older and ({_MADE.format(":older")}) > ({_MADE.format("round.parent")}))""",
        {"round": round_, "older": older},
    )
    return "added" if con.total_changes() > before else "known"


def commit(con: apsw.Connection, line: Line, here: Arrivals) -> Took:
    """That a commit holds a round; where it holds one more with the same outcome there, the two are one."""
    round_ = _round_row(con, here, line["thread"], line["change"], line.get("k", 0))
    if round_ is None:
        return "known"
    before = con.total_changes()
    con.execute(
        "insert into round_commit(round, commit_id) values (?, ?) on conflict do nothing",
        (round_, line["commit"]),
    )
    took: Took = "added" if con.total_changes() > before else "known"
    if pair := joined.twin(con, round_, line["commit"]):
        here.twins.add(pair)
        threads = [joined.thread_of(con, one) for one in pair]
        if threads[0] != threads[1]:
            here.same_threads.add((threads[0], threads[1]))
    return took


def region(con: apsw.Connection, line: Line, here: Arrivals) -> Took:
    """Where a region lies; of one that both files know, further down."""
    thread_ = here.thread(con, line["thread"])
    known = first(con, "select 1 from region where thread = ? and branch = ?", (thread_, line["branch"]))
    con.execute(
        """
        insert into region(thread, branch, path, start_line, end_line) values (?, ?, ?, ?, ?)
        on conflict(thread, branch) do update set
          path = excluded.path, start_line = excluded.start_line, end_line = excluded.end_line
        where (excluded.path, excluded.start_line, excluded.end_line) > (path, start_line, end_line)""",
        (thread_, line["branch"], line["path"], line["start"], line["end"]),
    )
    return "known" if known else "added"
