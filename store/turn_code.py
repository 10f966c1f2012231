"""What a turn did to code, as code history has it: the symbols that it changed, and what it took back."""

from __future__ import annotations

from dataclasses import dataclass

import apsw

from .clock import DAY_US
from .rows import fetch

# What was taken back longer after it came, or over more versions, was not a try.
TRIED_US, TRIED_ROUNDS = 14 * DAY_US, 4


@dataclass(frozen=True, slots=True)
class TakenBack:
    """A place of the code that is again as it was before an earlier turn: its path, its symbol, that turn."""

    path: str
    symbol: str
    turn: int


def symbols(con: apsw.Connection, turn: int) -> list[str]:
    """The symbols that a turn changed, each once, in the order in which it did; files without any are left out."""
    rows = fetch(
        con,
        """
        select place.symbol
        from change join round on round.change = change.id join place on place.id = round.place
        where change.turn = ? and place.symbol <> ''
        group by place.symbol
        order by min(round.id)""",
        (turn,),
    )
    return [str(symbol) for (symbol,) in rows]


def taken_back(con: apsw.Connection, turn: int) -> list[TakenBack]:
    """Where a turn brought code back to what it was before an earlier turn of late, whose versions are gone with it."""
    rows = fetch(
        con,
        """
        select place.path, place.symbol, tried_in.turn, max(tried.n), tried_in.actor, tried_in.happened_at
        from change
        join round on round.change = change.id
        join place on place.id = round.place
        join round tried on tried.thread = round.thread and tried.before is round.after
                        and tried.n < round.n and tried.n >= round.n - :rounds
        join change tried_in on tried_in.id = tried.change
        where change.turn = :turn and tried_in.happened_at >= change.happened_at - :us
          and not exists (
            select 1 from change later join round last on last.change = later.id
            where later.turn = change.turn and last.thread = round.thread and last.n > round.n)
        group by round.thread
        order by min(round.id)""",
        {"turn": turn, "rounds": TRIED_ROUNDS, "us": TRIED_US},
    )
    # Where the latest of these was a person's, or of this very turn, an agent's way before it was not given up here.
    return [TakenBack(*row[:3]) for row in rows if row[4] == "agent" and row[2] not in (None, turn)]
