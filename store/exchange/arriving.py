"""What comes in from another file, row by row: workspaces, sessions, turns and events."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import apsw

from .. import tombstones, turns, workspaces
from ..events import content_hash
from ..rows import fetch, first, value

Line = Mapping[str, Any]
Took = Literal["added", "known"]
Shift = Callable[[int], int]

FORGOTTEN, BROKEN = "forgotten here", "what it refers to is missing"
CONTRADICTS = "contradicts what is known here"
# What stands where words were forgotten.
BLANK = "█"


class Refused(Exception):
    """A line that is not taken; the message is the reason, in words that are counted by."""


@dataclass
class Arrivals:
    """
    What is known of a file while it is taken in: `now`; of its ids, those that are rows here under another one; where
    its bodies lie here; why rows were refused, for those that lean on them; which memories lost support by that; in
    which turns words are blanked.
    """

    now: int
    turns: dict[str, int] = field(default_factory=dict)
    events: dict[str, int] = field(default_factory=dict)
    memories: dict[str, int] = field(default_factory=dict)
    bodies: dict[str, int] = field(default_factory=dict)
    refused: dict[str, str] = field(default_factory=dict)
    blanked: set[int] = field(default_factory=set)
    shifted: dict[str, Shift] = field(default_factory=dict)
    bereft: set[int] = field(default_factory=set)

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
        return self._row(con, {}, "thread", ulid)

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


def _not_forgotten(con: apsw.Connection, ulid: str) -> None:
    if tombstones.row_gone_at(con, ulid) is not None:
        raise Refused(FORGOTTEN)


def workspace(con: apsw.Connection, line: Line, here: Arrivals) -> Took:
    """A workspace, one from now on with those that it shares a key with, unless these are plainly other ones."""
    del here
    _not_forgotten(con, line["ulid"])
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
        _values(line, "ended_at", "end_reason") | {"workspace": workspace_},
    )
    return "known" if row else "added"


# Of a turn that both files know, the one that knows more of it: has it ended, was it looked at, when.
_RANK = """
  case {0}status when 'done' then 2 when 'interrupted' then 1 else 0 end, ifnull({0}refined_at, -1),
  ifnull({0}ended_at, -1), ifnull({0}scene, '')"""


def turn(con: apsw.Connection, line: Line, here: Arrivals) -> Took:
    """A turn; of one that both files know, what the one that knows more of it says."""
    _not_forgotten(con, line["ulid"])
    values = _values(line, "agent", "folder", "branch", "head", "scene", "ended_at", "refined_at")
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


def event(con: apsw.Connection, line: Line, here: Arrivals) -> Took:
    """An event, unless it was forgotten here; passages of it that were are blanked."""
    _not_forgotten(con, line["ulid"])
    turn_ = here.turn(con, line["turn"])
    assert turn_ is not None
    known = first(
        con,
        """
        select id, ulid, content from event
        where ulid = ?1 or (turn = ?2 and key = ?3)
        order by ulid = ?1 desc limit 1""",
        (line["ulid"], turn_, line["key"]),
    )
    if known is not None and (known[1] == line["ulid"] or known[1] < line["ulid"]):
        if known[1] != line["ulid"]:
            here.events[line["ulid"]] = int(known[0])
        if line.get("blanked_at") is not None:
            _blank_too(con, int(known[0]), line, here)
        _note_shift(here, line, str(known[2]))
        return "known"
    at = fetch(con, "select source, session, prompt_id from turn where id = ?", (turn_,))[0]
    if tombstones.any_of(con, "key", "content"):
        gone_at = (
            tombstones.key_gone_at(con, (*at, line["key"])),
            tombstones.key_gone_at(con, (*at[:2], "", line["key"])),
            tombstones.content_gone_at(con, line["content"]),
        )
        if any(gone is not None and line["occurred_at"] < gone for gone in gone_at):
            raise Refused(FORGOTTEN)
    if line.get("blanked_at") is not None:
        here.blanked.add(turn_)
    if known is not None:
        # The same event reached both files: it goes by the elder id, under which the row is written anew.
        con.pragma("defer_foreign_keys", True)
        con.execute("delete from event where id = ?", (known[0],))
    _insert_event(con, line, turn_, None if known is None else int(known[0]))
    _note_shift(here, line, line["content"])
    return "added" if known is None else "known"


def _insert_event(con: apsw.Connection, line: Line, turn_: int, id_: int | None) -> None:
    values = _values(line, "tool", "ok", "blanked_at") | {"turn": turn_, "id": id_}
    content = line["content"]
    values |= {
        "content": content, "hash": content_hash(content), "data": json.dumps(line["data"], ensure_ascii=False),
    }  # fmt: skip
    con.execute(
        """
        insert into event(id, ulid, turn, seq, key, role, kind, content, tool, ok, origin, data, hash, occurred_at,
                          recorded_at, blanked_at)
        values (:id, :ulid, :turn,
                (select iif(exists (select 1 from event where turn = :turn and seq = :seq),
                            (select max(seq) + 1 from event where turn = :turn), :seq)),
                :key, :role, :kind, :content, :tool, :ok, :origin, :data, :hash, :occurred_at, :recorded_at,
                :blanked_at)""",
        values,
    )


def _blank_too(con: apsw.Connection, id_: int, line: Line, here: Arrivals) -> None:
    """What is blanked in either file is blanked in both; what else an event holds, no file can change."""
    row = fetch(con, "select content, data, key, blanked_at, turn from event where id = ?", (id_,))[0]
    content, theirs = str(row[0]), line["content"]
    if len(content) != len(theirs):
        return
    pairs = list(zip(content, theirs, strict=True))
    if any(one not in (other, BLANK) and other != BLANK for one, other in pairs):
        return
    both = "".join(BLANK if BLANK in pair else pair[0] for pair in pairs)
    data = json.dumps(line["data"], ensure_ascii=False)
    later = (line["blanked_at"], data, line["key"]) > (row[3] or 0, row[1], row[2])
    if both == content and not later:
        return
    con.execute(
        "update event set content = ?, hash = ?, data = ?, key = ?, blanked_at = ? where id = ?",
        (
            both, content_hash(both), data if later else row[1], line["key"] if later else row[2],
            max(line["blanked_at"], row[3] or 0), id_,
        ),
    )  # fmt: skip
    here.blanked.add(int(row[4]))


def _note_shift(here: Arrivals, line: Line, kept: str) -> None:
    """Where passages of the event as the file has it lie in what is kept of it here, if that is another text."""
    told = line.get("told", line["content"])
    if told == kept or len(told) == len(kept):
        return
    here.shifted[line["ulid"]] = _shift(told, kept)


def _shift(told: str, kept: str) -> Shift:
    """From a place in one text to that in another, which differ in one stretch: what lies in it, at its ends."""
    most = min(len(told), len(kept))
    head = next((i for i in range(most) if told[i] != kept[i]), most)
    tail = next((i for i in range(most - head) if told[-1 - i] != kept[-1 - i]), most - head)
    end, longer = len(told) - tail, len(kept) - len(told)

    def shift(at: int) -> int:
        if at <= head:
            return at
        return at + longer if at >= end else min(max(head, at + longer), end + longer)

    return shift


def _values(line: Line, *optional: str) -> dict[str, Any]:
    return {**dict.fromkeys(optional), **line}
