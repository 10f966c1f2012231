"""What comes in from another file, row by row: workspaces, sessions and turns."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import apsw

from .. import tombstones, turns, workspaces
from ..rows import first, value

Line = Mapping[str, Any]
Took = Literal["added", "known"]
Shift = Callable[[int], int]

FORGOTTEN, BROKEN = "forgotten here", "what it refers to is missing"
CONTRADICTS = "contradicts what is known here"


class Refused(Exception):
    """A line that is not taken; the message is the reason, in words that are counted by."""


@dataclass
class Arrivals:
    """
    What is known of a file while it is taken in: `now`; of its ids, those that are rows here under another one; where
    its bodies lie here; why rows were refused, for those that lean on them; which memories lost support by that; in
    which turns words are blanked; which of
    its threads are the same as others here, and of which rounds that say the same only one stands; the memories that it
    tells of, and those of them that are `new` here.
    """

    now: int
    turns: dict[str, int] = field(default_factory=dict)
    events: dict[str, int] = field(default_factory=dict)
    memories: dict[str, int] = field(default_factory=dict)
    bodies: dict[str, int] = field(default_factory=dict)
    threads: dict[str, int] = field(default_factory=dict)
    threads_met: dict[str, int] = field(default_factory=dict)
    same_threads: set[tuple[int, int]] = field(default_factory=set)
    twins: set[tuple[int, int]] = field(default_factory=set)
    refused: dict[str, str] = field(default_factory=dict)
    blanked: set[int] = field(default_factory=set)
    shifted: dict[str, Shift] = field(default_factory=dict)
    bereft: set[int] = field(default_factory=set)
    said: dict[tuple[str, str], int] = field(default_factory=dict)
    taken: set[int] = field(default_factory=set)
    new: set[int] = field(default_factory=set)

    def said_at(self, line: Line) -> int:
        """Since when a memory's line of that file, what it is a piece of, or an earlier version says what it says."""
        stated = (line.get("data") or {}).get("stated")
        whole = stated.get("at") if isinstance(stated, dict) else None
        at = min(line["recorded_at"], whole) if isinstance(whole, int) else line["recorded_at"]
        key = line["root"], line["text"]
        self.said[key] = min(at, self.said.get(key, at))
        return self.said[key]

    def turn(self, con: apsw.Connection, ulid: str | None) -> int | None:
        """The row of a turn of that file. Raises `Refused` where there is none."""
        return self._row(con, self.turns, "turn", ulid)

    def event(self, con: apsw.Connection, ulid: str | None) -> int | None:
        """The row of an event of that file. Raises `Refused` where there is none."""
        return self._row(con, self.events, "event", ulid)

    def memory(self, con: apsw.Connection, ulid: str | None) -> int | None:
        """The row of a memory of that file. Raises `Refused` where there is none."""
        return self._row(con, self.memories, "memory", ulid)

    def workspace(self, con: apsw.Connection, ulid: str | None) -> int | None:
        """The row of a workspace of that file. Raises `Refused` where there is none."""
        return self._row(con, {}, "workspace", ulid)

    def thread(self, con: apsw.Connection, ulid: str | None) -> int | None:
        """The row of a thread of that file. Raises `Refused` where there is none."""
        return self._row(con, self.threads, "thread", ulid)

    def _row(
        self, con: apsw.Connection, others: Mapping[str, int], table: str, ulid: str | None
    ) -> int | None:
        if ulid is None:
            return None
        if (known := others.get(ulid)) is not None:
            return known
        row = first(con, f"select id from {table} where ulid = ?", (ulid,))
        if row is None:
            raise Refused(self.refused.get(ulid, BROKEN))
        return int(row[0])


def is_here(con: apsw.Connection, table: str, ulid: str) -> bool:
    """Whether that row is here."""
    return first(con, f"select 1 from {table} where ulid = ?", (ulid,)) is not None


def not_forgotten(con: apsw.Connection, ulid: str) -> None:
    if tombstones.row_gone_at(con, ulid) is not None:
        raise Refused(FORGOTTEN)


def workspace(con: apsw.Connection, line: Line, here: Arrivals) -> Took:
    """A workspace, one from now on with those that it shares a key with, unless these are plainly other ones."""
    del here
    not_forgotten(con, line["ulid"])
    row = first(con, "select id from workspace where ulid = ?", (line["ulid"],))
    took: Took = "known" if row else "added"
    id_ = int(
        row[0]
        if row
        else value(
            con,
            "insert into workspace(ulid, name, created_at) values (?, ?, ?) returning id",
            (line["ulid"], line["name"], line["created_at"]),
        )
    )
    remotes = {key for key, kind, _ in line["keys"] if kind == "remote"}
    for key, kind, created_at in line["keys"]:
        _key(con, id_, (key, kind, created_at), remotes)
    if line.get("same_as"):
        other = first(con, "select id from workspace where ulid = ?", (line["same_as"],))
        if other is not None:
            workspaces.unite(con, id_, int(other[0]))
    return took


def _key(con: apsw.Connection, id_: int, key: tuple[str, str, int], remotes: set[str]) -> None:
    name, kind, created_at = key
    known = first(con, "select workspace from workspace_key where key = ?", (name,))
    if known is None:
        con.execute(
            "insert into workspace_key(key, kind, workspace, created_at) values (?, ?, ?, ?)",
            (name, kind, id_, created_at),
        )
        return
    if int(known[0]) == id_:
        con.execute(
            "update workspace_key set created_at = min(created_at, ?) where key = ?", (created_at, name)
        )
        return
    theirs = set(workspaces.remotes(con, int(known[0])))
    if kind != "remote" and theirs and remotes and not _related(theirs, remotes):
        return  # on two machines, or at two times, another repository lay at that path
    # Whichever file comes first: the key leads to the oldest of those that are one.
    oldest = value(
        con,
        "select id from workspace where id in (?, ?) order by created_at, ulid limit 1",
        (id_, known[0]),
    )
    con.execute(
        "update workspace_key set workspace = ?, created_at = min(created_at, ?) where key = ?",
        (oldest, created_at, name),
    )
    workspaces.unite(con, id_, int(known[0]))


def _related(one: set[str], other: set[str]) -> bool:
    """Whether a remote, or a first commit, is the same in both."""

    def parts(keys: set[str]) -> set[str]:
        pairs = [key.removeprefix("remote:").rpartition("#") for key in keys]
        return {remote for remote, _, _ in pairs if remote} | {f"#{root}" for _, mark, root in pairs if mark}

    return bool(parts(one) & parts(other))


def session(con: apsw.Connection, line: Line, here: Arrivals) -> Took:
    """A session; of one that both files know, what the later of them knows."""
    workspace_ = here.workspace(con, line.get("workspace"))
    row = first(
        con, "select 1 from session where source = ? and session = ?", (line["source"], line["session"])
    )
    con.execute(
        """
        insert into session(source, session, user, workspace, kind, started_at, context_at, ended_at, end_reason)
        values (:source, :session, :user, :workspace, :kind, :started_at, :context_at, :ended_at, :end_reason)
        on conflict(source, session) do update set
          started_at = min(started_at, excluded.started_at), context_at = max(context_at, excluded.context_at),
          workspace = case
            when workspace is null then excluded.workspace
            when excluded.workspace is null then workspace
            when (select ulid from workspace where id = session.workspace)
              > (select ulid from workspace where id = excluded.workspace) then excluded.workspace
            else workspace end,
          kind = min(kind, excluded.kind),
          end_reason = case
            when ifnull(excluded.ended_at, 0) > ifnull(ended_at, 0) then excluded.end_reason
            when ifnull(excluded.ended_at, 0) < ifnull(ended_at, 0) then end_reason
            else coalesce(max(end_reason, excluded.end_reason), end_reason, excluded.end_reason) end,
          ended_at = nullif(max(ifnull(ended_at, 0), ifnull(excluded.ended_at, 0)), 0)""",
        values_of(line, "ended_at", "end_reason") | {"workspace": workspace_},
    )
    return "known" if row else "added"


# Of a turn that both files know, the one that knows more of it: has it ended, was it looked at, when.
_RANK = """
  case {0}status when 'done' then 2 when 'interrupted' then 1 else 0 end, ifnull({0}refined_at, -1),
  ifnull({0}ended_at, -1), ifnull({0}scene, '')"""


def turn(con: apsw.Connection, line: Line, here: Arrivals) -> Took:
    """A turn; of one that both files know, what the one that knows more of it says."""
    not_forgotten(con, line["ulid"])
    values = values_of(line, "agent", "folder", "branch", "head", "scene", "ended_at", "refined_at")
    values["workspace"] = here.workspace(con, line.get("workspace"))
    known = first(
        con,
        """
        select id, ulid from turn
        where ulid = :ulid or (source = :source and session = :session and prompt_id = :prompt_id)
        order by ulid = :ulid desc limit 1""",
        values,
    )
    if known is None:
        id_ = value(
            con,
            """
            insert into turn(ulid, user, agent, source, session, prompt_id, session_kind, workspace, folder, branch,
                             head, scene, status, started_at, ended_at, refined_at, utc_offset_s)
            values (:ulid, :user, :agent, :source, :session, :prompt_id, :session_kind, :workspace, :folder, :branch,
                    :head, :scene, :status, :started_at, :ended_at, :refined_at, :utc_offset_s)
            returning id""",
            values,
        )
        if line.get("undrawn"):
            turns.distill_later(con, int(id_), now=here.now)
        return "added"
    id_, ulid = int(known[0]), known[1]
    if ulid != line["ulid"]:
        # The same prompt reached both: it goes by the elder id.
        here.turns[line["ulid"]] = id_
        con.execute("update turn set ulid = min(ulid, ?) where id = ?", (line["ulid"], id_))
    con.execute(
        f"""
        update turn set scene = :scene, status = :status, ended_at = :ended_at, refined_at = :refined_at
        where id = :id and ({_RANK.format(":")}) > ({_RANK.format("turn.")})""",
        values | {"id": id_},
    )
    con.execute(
        """
        update turn set
          workspace = coalesce(workspace, :workspace), branch = coalesce(branch, :branch),
          folder = coalesce(folder, :folder), head = coalesce(head, :head), agent = coalesce(agent, :agent),
          started_at = min(started_at, :started_at)
        where id = :id""",
        values | {"id": id_},
    )
    return "known"


def alias(con: apsw.Connection, line: Line, here: Arrivals) -> Took:
    """A prompt id that leads to another turn, or to none."""
    id_ = here.turn(con, line.get("turn"))
    values = {
        "source": line["source"],
        "session": line["session"],
        "prompt_id": line["prompt_id"],
        "turn": id_,
    }
    before = con.total_changes()
    con.execute(
        """
        insert into turn_alias(source, session, prompt_id, turn) values (:source, :session, :prompt_id, :turn)
        on conflict do update set turn = excluded.turn where turn is null and excluded.turn is not null""",
        values,
    )
    return "added" if con.total_changes() > before else "known"


def values_of(line: Line, *optional: str) -> dict[str, Any]:
    return {**dict.fromkeys(optional), **line}
