"""Which rows leave: all, or those of a workspace or since a moment, with what they rest on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import apsw

# Tables of rows that are chosen by themselves; all else goes with them.
CHOSEN = ("workspace", "session", "turn", "event", "memory", "change", "thread", "body")
EVERYTHING: Mapping[str, str] = dict.fromkeys(CHOSEN, "true")


def everything() -> Mapping[str, str]:
    """A condition for each table that all of its rows pass."""
    return EVERYTHING


def some(con: apsw.Connection, workspaces: Sequence[int], *, since: int | None) -> Mapping[str, str]:
    """
    A condition for each table: what belongs to those workspaces (none: to any) and is not older, with the turns,
    events and sessions that it rests on. The choice is held in temporary tables of the connection.
    """
    for name in CHOSEN:
        con.execute(f"create temp table if not exists chosen_{name}(id integer primary key)")
        con.execute(f"delete from temp.chosen_{name}")
    con.execute("create temp table if not exists wanted_workspace(id integer primary key)")
    con.execute("delete from temp.wanted_workspace")
    con.executemany("insert into wanted_workspace values (?)", [(one,) for one in workspaces])
    values = {"any": not workspaces, "since": since}
    for statement in _STATEMENTS:
        con.execute(statement, values if ":" in statement else None)
    chosen = {name: f"{name}.id in (select id from temp.chosen_{name})" for name in CHOSEN}
    chosen["session"] = (
        "(session.source, session.session) in (select turn.source, turn.session from turn"
        " join temp.chosen_turn on chosen_turn.id = turn.id)"
    )
    return chosen


_STATEMENTS = (
    """
    insert into temp.chosen_memory
    select id from memory
    where (:any or workspace in (select id from temp.wanted_workspace))
      and (:since is null or recorded_at >= :since)""",
    """
    insert into temp.chosen_change
    select id from change
    where (:any or workspace in (select id from temp.wanted_workspace))
      and (:since is null or happened_at >= :since)""",
    """
    insert into temp.chosen_turn
    select id from turn
    where (:any or workspace in (select id from temp.wanted_workspace))
      and (:since is null or started_at >= :since)""",
    """
    insert into temp.chosen_event
    select event.id from event join temp.chosen_turn on chosen_turn.id = event.turn
    union select evidence.event from evidence join temp.chosen_memory on chosen_memory.id = evidence.memory
    union select change.event from change join temp.chosen_change on chosen_change.id = change.id
    where change.event is not null""",
    """
    insert or ignore into temp.chosen_turn
    select event.turn from event join temp.chosen_event on chosen_event.id = event.id
    union select memory.turn from memory join temp.chosen_memory on chosen_memory.id = memory.id
    where memory.turn is not null
    union select change.turn from change join temp.chosen_change on chosen_change.id = change.id
    where change.turn is not null""",
    """
    insert into temp.chosen_thread
    select distinct round.thread from round join temp.chosen_change on chosen_change.id = round.change""",
    """
    insert into temp.chosen_body
    select before from round join temp.chosen_change on chosen_change.id = round.change where before is not null
    union select after from round join temp.chosen_change on chosen_change.id = round.change
    where after is not null""",
    """
    insert into temp.chosen_workspace
    select workspace from (
      select workspace from memory where id in (select id from temp.chosen_memory)
      union select workspace from turn where id in (select id from temp.chosen_turn)
      union select workspace from change where id in (select id from temp.chosen_change)
      union select workspace from thread where id in (select id from temp.chosen_thread)
      union select place.workspace from round join place on place.id = round.place
      where round.change in (select id from temp.chosen_change)
      union select session.workspace from session join turn using (source, session)
      where turn.id in (select id from temp.chosen_turn)
      union select id from temp.wanted_workspace)
    where workspace is not null""",
    """
    insert or ignore into temp.chosen_workspace
    select id from workspace
    where coalesce(same_as, id) in (
      select coalesce(same_as, id) from workspace where id in (select id from temp.chosen_workspace))""",
)
