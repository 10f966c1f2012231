"""What comes in from another file, row by row: code history."""

from __future__ import annotations

import base64
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any

import apsw

from .. import bodies, settings, thread_names, tombstones
from ..rows import first, value
from .arriving import BROKEN, CONTRADICTS, FORGOTTEN, Arrivals, Line, Refused, Took
from .leaving_code import plain_ref

# A body's or a patch's bytes with known secrets marked, for what another program may have left in.
Shown = Callable[[bytes, bytes], bytes]


def kept_bytes(line: Line, name: str, as_bytes: str) -> bytes:
    """The bytes of a field that is text where they are, else base64."""
    if name in line:
        return str(line[name]).encode()
    return base64.b64decode(line[as_bytes])


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
    if first(con, "select 1 from thread where ulid = ?", (line["ulid"],)):
        return "known"
    con.execute(
        "insert into thread(ulid, user, workspace, kind, created_at) values (?, ?, ?, ?, ?)",
        (
            line["ulid"],
            line["user"],
            here.workspace(con, line["workspace"]),
            line["kind"],
            line["created_at"],
        ),
    )
    return "added"


def name(con: apsw.Connection, line: Line, here: Arrivals) -> Took:
    """What a thread was called, on which branch, since when."""
    thread_ = here.thread(con, line["thread"])
    workspace = here.workspace(con, line["workspace"])
    assert workspace is not None
    at = thread_names.place(con, workspace, line["path"], line["symbol"])
    values = {"thread": thread_, "branch": line["branch"], "place": at, "at": line["at"]}
    before = con.total_changes()
    con.execute(
        """
        insert into thread_name(thread, branch, place, at)
        select :thread, :branch, :place, :at
        where not exists (
          select 1 from thread_name where thread = :thread and branch = :branch and place = :place and at = :at)""",
        values,
    )
    return "added" if con.total_changes() > before else "known"


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
            _body(here, one.get("before")), _body(here, one.get("after")),
            bodies.pack(shown(kept, settings.salt(con))),
            bytes.fromhex(one["patch_id"]) if "patch_id" in one else None, one["start"], one["end"],
            one["confidence"],
        ),
    )  # fmt: skip
    if taken:
        _renumber(con, thread_)


def _body(here: Arrivals, ref: str | None) -> int | None:
    if ref is None:
        return None
    if ref not in here.bodies:
        raise Refused(BROKEN)
    return here.bodies[ref]


def _renumber(con: apsw.Connection, thread_: int) -> None:
    """Two files went on with one thread, each by itself: its rounds are numbered by the time they were made."""
    order = """
      select round.id as id, row_number() over (order by change.happened_at, change.ulid, round.n) as n
      from round join change on change.id = round.change where round.thread = ?1"""
    # In two steps, since each number is given once.
    con.execute(
        f"update round set n = -1 - (select n from ({order}) ranked where ranked.id = round.id) where thread = ?1",
        (thread_,),
    )
    con.execute("update round set n = -1 - n where thread = ?", (thread_,))


def _round_row(con: apsw.Connection, thread_: str, change_: str, k: int) -> int:
    row = first(
        con,
        """
        select round.id
        from round join thread on thread.id = round.thread join change on change.id = round.change
        where thread.ulid = ? and change.ulid = ?
        order by round.n limit 1 offset ?""",
        (thread_, change_, k),
    )
    if row is None:
        raise Refused(BROKEN)
    return int(row[0])


def parent(con: apsw.Connection, line: Line, here: Arrivals) -> Took:
    """Which round a round goes on from."""
    del here
    round_ = _round_row(con, line["thread"], line["change"], line.get("k", 0))
    older = _round_row(con, line.get("of_thread", line["thread"]), line["of"], line.get("of_k", 0))
    before = con.total_changes()
    con.execute("update round set parent = ? where id = ? and parent is null", (older, round_))
    return "added" if con.total_changes() > before else "known"


def commit(con: apsw.Connection, line: Line, here: Arrivals) -> Took:
    """That a commit holds a round."""
    del here
    round_ = _round_row(con, line["thread"], line["change"], line.get("k", 0))
    before = con.total_changes()
    con.execute(
        "insert into round_commit(round, commit_id) values (?, ?) on conflict do nothing",
        (round_, line["commit"]),
    )
    return "added" if con.total_changes() > before else "known"


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
