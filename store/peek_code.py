"""What a session knows of code history already, read by a hook that found no server; hooks carry a copy."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    import sqlite3

    from .peek import Place


def given(con: sqlite3.Connection, place: Place) -> dict[str, str]:
    """As `deliveries.given`, but for what the session has forgotten since."""
    rows = con.execute(
        """
        select root, hash from delivery
        where source = :source and session = :session and given_at >= :anew_at""",
        place.values,
    ).fetchall()
    return dict(rows)


def own(con: sqlite3.Connection, place: Place) -> frozenset[int | None]:
    """As `turns.of_session`."""
    rows = con.execute("select id from turn where source = :source and session = :session", place.values)
    return frozenset(id_ for (id_,) in rows.fetchall())
