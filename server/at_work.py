"""Which sessions are at work in which worktrees, and whose doing it is therefore what is found changed there."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from ..pipelines.code.symbol_edits import By

# A session whose turn has not ended and that is silent for so long is not at work: no command may run for longer.
SILENT_S = 600.0
# Of a session the latest so many worktrees are looked at, and so many sessions are remembered.
ROOTS, SESSIONS = 8, 200

# A client and its name for a session.
Session = tuple[str, str]


@dataclass(slots=True)
class _Doing:
    """What one session does: `used`, where a tool of its turn may have changed files; `helped`, by subagents."""

    roots: dict[str, None] = field(default_factory=dict)
    turn: int | None = None
    alive_s: float = 0.0
    working: bool = False
    used: bool = False
    helped: bool = False


class AtWork:
    """
    Told of what sessions do, it says who made what a look finds. Callable from any thread.

    In doubt it is an agent's: of the session that is at work there; without a turn, where several are.
    """

    def __init__(self, clock_s: Callable[[], float] = time.monotonic) -> None:
        self._clock_s = clock_s
        self._lock = threading.Lock()
        self._sessions: dict[Session, _Doing] = {}
        # By worktree: the turn that may have changed something there at which nobody has looked yet.
        self._left: dict[str, int] = {}

    # What sessions do

    def begins(self, session: Session, turn: int | None) -> None:
        """A turn begins."""
        with self._lock:
            doing = self._alive(session)
            doing.working, doing.used, doing.helped, doing.turn = True, False, False, turn

    def uses(self, session: Session, turn: int | None, *, changing: bool, helper: bool = False) -> None:
        """A tool was used that may have changed files, or only looked; by a `helper`: a subagent."""
        with self._lock:
            doing = self._alive(session)
            if turn is not None and turn != doing.turn:
                doing.turn, doing.used = turn, False
            doing.working = True
            doing.used |= changing
            doing.helped |= helper

    def breathes(self, session: Session) -> None:
        """It gave a sign of life."""
        with self._lock:
            self._alive(session)

    def reaches(self, session: Session, roots: Iterable[str]) -> None:
        """It works in these worktrees."""
        with self._lock:
            doing = self._of(session)
            for root in roots:
                doing.roots.pop(root, None)
                doing.roots[root] = None
            for root in list(doing.roots)[:-ROOTS]:
                del doing.roots[root]

    def leaves(self, roots: Iterable[str], turn: int) -> None:
        """A turn may have changed something there, and no look follows."""
        with self._lock:
            self._left.update(dict.fromkeys(roots, turn))

    def ends(self, session: Session, turn: int | None = None) -> None:
        """Its turn is over: that one, if it is named."""
        with self._lock:
            doing = self._sessions.get(session)
            if doing is not None and turn in (None, doing.turn):
                doing.working = doing.used = doing.helped = False

    def goes(self, session: Session) -> None:
        """The session is over."""
        with self._lock:
            self._sessions.pop(session, None)

    # What is to be known of it

    def roots(self, session: Session) -> list[str]:
        """The worktrees that it works in, the latest first."""
        with self._lock:
            doing = self._sessions.get(session)
            return list(reversed(doing.roots)) if doing is not None else []

    def is_any(self, root: str) -> bool:
        """Whether any session is at work there."""
        with self._lock:
            return bool(self._working(root))

    def found(self, root: str) -> By:
        """Who made what is found there between turns; all of it is looked at now."""
        with self._lock:
            left = self._left.pop(root, None)
            return By("agent", left) if left is not None else _of(self._working(root)) or By("human")

    def found_at_end(self, session: Session, root: str, turn: int | None) -> By:
        """Who made what is found there as the session's turn ends; all of it is looked at now."""
        with self._lock:
            left = self._left.pop(root, None)
            if left is not None:
                return By("agent", left)
            doing = self._sessions.get(session)
            used = doing is not None and doing.used and turn in (None, doing.turn)
            own = By("agent", doing.turn) if doing is not None and used else By("human")
            return _of(self._working(root, session)) or own

    def found_after(self, session: Session, root: str) -> By | None:
        """
        Who made what is found after a command of the session's and was there before it began; None where nobody else
        is at work. All of it is looked at now.
        """
        with self._lock:
            self._left.pop(root, None)
            return _of(self._working(root, session))

    def found_between(self, session: Session, root: str, turn: int | None) -> By:
        """Who made what an edit of the session's found in its file; only that file is looked at."""
        with self._lock:
            left = self._left.get(root)
            if left is not None:
                return By("agent", left)
            doing = self._sessions.get(session)
            helped = doing is not None and doing.helped
            return _of(self._working(root, session)) or (By("agent", turn) if helped else By("human"))

    def _working(self, root: str, but: Session | None = None) -> list[_Doing]:
        """The sessions at work there."""
        since = self._clock_s() - SILENT_S
        return [
            doing
            for session, doing in self._sessions.items()
            if session != but and doing.working and doing.alive_s > since and root in doing.roots
        ]

    def _alive(self, session: Session) -> _Doing:
        doing = self._of(session)
        doing.alive_s = self._clock_s()
        return doing

    def _of(self, session: Session) -> _Doing:
        doing = self._sessions.pop(session, None) or _Doing()
        self._sessions[session] = doing  # the latest last
        while len(self._sessions) > SESSIONS:
            del self._sessions[next(iter(self._sessions))]
        return doing


def _of(working: list[_Doing]) -> By | None:
    """An agent, with its turn where there is only one at work."""
    if not working:
        return None
    return By("agent", working[0].turn if len(working) == 1 else None)
