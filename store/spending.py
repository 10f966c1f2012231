"""What models cost: tokens reserved before a request, settled after it, and held to a budget for each day."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

import apsw

from .clock import DAY_US, SECOND_US
from .rows import first, value

# What a row weighs against the budget. One that was never settled weighs what it might have cost.
WEIGHS = "case state when 'reserved' then reserved_tokens else tokens_in + tokens_out end"
# More than any request costs; an endpoint that claims more is not believed beyond it.
MOST_TOKENS = 10_000_000


@dataclass(frozen=True, slots=True)
class Cost:
    """What one request came to. `failed` where no answer came of it; `verdict` says in a word what did."""

    tokens_in: int
    tokens_out: int
    estimated: bool
    took_us: int
    verdict: str
    failed: bool = False


def day_of(now: int) -> str:
    """The UTC day of that moment, as 2026-01-31."""
    return datetime.fromtimestamp(now // SECOND_US, UTC).date().isoformat()


def reserve(con: apsw.Connection, *, step: str, model: str, tokens: int, budget: int, now: int) -> int | None:
    """The row of a request that may be sent; None where the day's budget has no room for so many tokens."""
    row = first(
        con,
        f"""
        insert into model_call(day, step, model, reserved_tokens, called_at)
        select :day, :step, :model, :tokens, :now
        where (select coalesce(sum({WEIGHS}), 0) from model_call where day = :day) + :tokens <= :budget
        returning id""",
        {
            "day": day_of(now),
            "step": step,
            "model": model,
            "tokens": tokens,
            "budget": budget,
            "now": now,
        },
    )
    return int(row[0]) if row else None


def settle(con: apsw.Connection, call: int, cost: Cost) -> bool:
    """Put what a request really cost in place of what was reserved; False where that was done before."""
    con.execute(
        """
        update model_call
        set state = ?, tokens_in = ?, tokens_out = ?, estimated = ?, took_us = ?, verdict = ?
        where id = ? and state = 'reserved'""",
        (
            "failed" if cost.failed else "settled",
            min(cost.tokens_in, MOST_TOKENS),
            min(cost.tokens_out, MOST_TOKENS),
            cost.estimated,
            cost.took_us,
            cost.verdict,
            call,
        ),
    )
    return con.changes() > 0


def spent_today(con: apsw.Connection, *, now: int) -> int:
    """Tokens that count against the budget of that moment's day."""
    return int(value(con, f"select coalesce(sum({WEIGHS}), 0) from model_call where day = ?", (day_of(now),)))


def sweep(con: apsw.Connection, *, now: int, days: int) -> int:
    """Drop rows older than that many days; how many went."""
    con.execute("delete from model_call where day < ?", (day_of(now - days * DAY_US),))
    return con.changes()
