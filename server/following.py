"""Who follows which worktree: what hooks report, queued for each, so that no hook waits for git."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from ..pipelines.code.symbol_edits import By
from ..pipelines.occasions import (
    Occasion,
    PromptSubmitted,
    Replied,
    SessionEnded,
    SessionStarted,
    ToolUsed,
    TurnEnded,
)
from ..store import folder_key, workspaces
from ..store.clock import SECOND_US
from ..store.db import Database
from ..store.models import Located
from .at_work import AtWork, Session
from .work_line import WorkLine

if TYPE_CHECKING:
    from ..pipelines.code.follow import Follower
    from ..pipelines.code.follow_tools import ToolFollower
    from .watching import Watcher

# So long is waited for what is queued, when a server ends.
STOP_S = 2.0
# Of the worktrees of this home, so many are watched.
WATCHED = 8
# A hook is heard this much after its command has ended, at most.
HEARD_US = 2 * SECOND_US
# Tools that only look; after any other, what has changed by the end of a turn is the agent's.
LOOKING = frozenset(
    (
        "read", "grep", "glob", "ls", "list_dir", "webfetch", "websearch", "codebase_search", "semanticsearch",
        "file_search", "notebookread", "todowrite", "bashoutput", "read_file",
    )
)  # fmt: skip


class Following:
    """The worktrees that sessions of this home work in. Callable from any thread; nothing here is waited for."""

    def __init__(self, db: Database, home: Path, *, now: Callable[[], int], watch: bool = True) -> None:
        self._db, self._home, self._now, self._watch = db, home, now, watch
        self._lock = threading.Lock()
        # By worktree, and by folder without git.
        self._lines: dict[str, WorkLine] = {}
        self._plain: dict[str, WorkLine] = {}
        self._watchers: list[Watcher] = []
        self._work = AtWork()

    def is_cold(self, occasion: Occasion, where: Located) -> bool:
        """
        Whether what a tool tells of its edits waits behind the first look at a worktree, and is lost with this process
        if that ends before.
        """
        if not isinstance(occasion, ToolUsed) or not occasion.images or occasion.ok is False:
            return False
        return any(not self._line(root, where).begun for root in self._by_root(occasion.paths))

    def seen(
        self, occasion: Occasion, where: Located, *, turn: int | None, event: int | None, late: bool = False
    ) -> None:
        """
        Take note of what a hook reported. `late` where it waited in the spool: the files have moved on since, and only
        what the event itself tells is taken for its doing.
        """
        session = (where.scope.source or "", where.scope.session or "")
        root = self._root(where.folder) if where.folder else None
        self._work.reaches(session, [root] if root is not None else [])
        match occasion:
            case PromptSubmitted(sender) | SessionStarted(sender) if late:
                if root is not None:
                    self._line(root, where).put("begin", at=sender.at)
            case PromptSubmitted(sender) | SessionStarted(sender):
                self._look(session, where, self._work.found, sender.at)
                self._began(occasion, session, turn)
            case ToolUsed(sender):
                self._used(occasion, where, session, By("agent", turn, event), late=late)
            case Replied() | TurnEnded() | SessionEnded() if late:
                self._work.ends(session, turn)
            case Replied(sender) | TurnEnded(sender) | SessionEnded(sender):
                found = partial(self._work.found_at_end, session, turn=turn)
                self._look(session, where, found, sender.at)
                self._ended(occasion, session)
            case _:
                if not late:
                    self._work.breathes(session)

    def _began(self, occasion: PromptSubmitted | SessionStarted, session: Session, turn: int | None) -> None:
        if isinstance(occasion, PromptSubmitted):
            self._work.begins(session, turn)
        elif occasion.how == "compact":
            self._work.breathes(session)  # amid a turn
        else:
            self._work.ends(session)

    def _ended(self, occasion: Replied | TurnEnded | SessionEnded, session: Session) -> None:
        if isinstance(occasion, SessionEnded):
            self._work.goes(session)
        elif isinstance(occasion, TurnEnded) or occasion.ends:
            self._work.ends(session)
        else:
            self._work.breathes(session)

    def _used(self, used: ToolUsed, where: Located, session: Session, by: By, *, late: bool) -> None:
        edits = used.edits and used.ok is not False
        changing = used.tool.lower() not in LOOKING and (used.ok is not False or not used.edits)
        edited = self._by_root(used.paths) if edits else {}
        self._work.reaches(session, edited)
        if not late:
            self._work.uses(session, by.turn, changing=changing, helper=used.sender.agent is not None)
        if edits:
            self._edited(used, edited, where, session, by, late=late)
        elif (used.command or used.interrupted) and not late:
            self._ran(used, where, session, by)
        elif changing and by.turn is not None:
            self._work.leaves(self._work.roots(session), by.turn)
        if used.interrupted and not late:
            self._work.ends(session)

    def _ran(self, used: ToolUsed, where: Located, session: Session, by: By) -> None:
        """Look at what a command did; what was there before it began is another's, where others are at work."""
        at, took_ms = used.sender.at, used.took_ms
        for root in self._followed(session):
            other = self._work.found_after(session, root)
            earlier = None
            if other is not None and took_ms is not None:
                earlier = (other, at - took_ms * 1_000 - HEARD_US)
            self._line(root, where).put("look_and_fill", by=by, at=at, earlier=earlier)

    def _edited(
        self, used: ToolUsed, edited: dict[str, list[str]], where: Located, session: Session, by: By, *, late: bool
    ) -> None:  # fmt: skip
        at = used.sender.at
        for root, paths in edited.items():
            images = [image for image in used.images if image.path in paths]
            if images:
                between = self._work.found_between(session, root, by.turn)
                self._line(root, where).put("told", images=images, by=by, between=between, at=at)
            elif not late:
                self._line(root, where).put("look", by=by, at=at, paths=paths)
            elif by.turn is not None:
                self._work.leaves([root], by.turn)
        self._without_git(used, where, by, at, late=late)

    def _without_git(self, used: ToolUsed, where: Located, by: By, at: int, *, late: bool) -> None:
        """A folder without a repository: what the tool tells whole, else what its texts and the disk tell together."""
        inside = [path for path in used.paths if self._root(os.path.dirname(path)) is None]
        workspace = where.scope.workspace
        if not inside or where.folder is None or workspace is None or self._root(where.folder) is not None:
            return
        with self._lock:
            line = self._plain.get(where.folder) or WorkLine(where.folder, lambda: self._tool_follower(where))
            self._plain[where.folder] = line
        images = [image for image in used.images if image.path in inside]
        if images:
            line.put("told", images=images, by=by, at=at)
        elif used.ok and not late:
            line.put("used", given=used.input, paths=inside, by=by, at=at)

    def _tool_follower(self, where: Located) -> ToolFollower:
        from ..pipelines.code.follow_tools import ToolFollower
        from ..pipelines.code.observe import Whose

        assert where.scope.workspace is not None
        assert where.folder is not None
        family = tuple(self._db.read(workspaces.family, where.scope.workspace))
        whose = Whose(where.scope.user, where.scope.workspace, family)
        return ToolFollower(self._db, where.folder, whose, now=self._now)

    def _saved(self, root: str, paths: list[str] | None) -> None:
        """Somebody saved files: a person, where no turn is under way; else the turn's own looks find them."""
        if not self._work.is_any(root):
            job = "look" if paths is not None else "look_and_fill"
            self._lines[root].put(job, by=self._work.found(root), at=self._now(), paths=paths)

    def _look(self, session: Session, where: Located, found: Callable[[str], By], at: int) -> None:
        """Look at all worktrees that the session works in; `found` says whose it is what has changed there."""
        for root in self._followed(session):
            self._line(root, where).put("look_and_fill", by=found(root), at=at)

    def _followed(self, session: Session) -> list[str]:
        """The worktrees that it works in and that are still there."""
        return [root for root in self._work.roots(session) if self._root(root) == root]

    def _by_root(self, paths: tuple[str, ...]) -> dict[str, list[str]]:
        """The files by the worktree that each lies in, which need not be the session's."""
        found: dict[str, list[str]] = {}
        for path in paths:
            root = self._root(os.path.dirname(path))
            if root is not None:
                found.setdefault(root, []).append(path)
        return found

    def _root(self, folder: str) -> str | None:
        """The top of the worktree that a folder lies in; None where there is none that can be followed."""
        found = folder_key.repository(folder_key.real(folder))
        if found is None or found[1] is None or found[1] == found[0]:
            return None
        return found[0]

    def _line(self, root: str, where: Located) -> WorkLine:
        with self._lock:
            line = self._lines.get(root)
            if line is None:
                line = self._lines[root] = WorkLine(root, lambda: self._follower(root, where))
            if self._watch:
                self._have_watched(root, line)
            return line

    def _have_watched(self, root: str, line: WorkLine) -> None:
        """Watch a worktree that is not watched, or no more, as after it was gone for a while."""
        from .watching import Watcher

        self._watchers = [one for one in self._watchers if one.is_watching]
        if len(self._watchers) < WATCHED and not any(one.root == root for one in self._watchers):
            watcher = Watcher(root, partial(self._saved, root), looked_s=line.took_s)
            self._watchers.append(watcher)
            watcher.start()

    def _follower(self, root: str, where: Located) -> Follower:
        from ..pipelines import identity
        from ..pipelines.code.follow import Follower
        from ..pipelines.code.observe import Whose
        from ..pipelines.git import git_files

        at = identity.locate(self._db, root, where.scope, now=self._now())
        workspace = at.scope.workspace
        assert workspace is not None  # `locate` makes it known
        family = tuple(self._db.read(workspaces.family, workspace))
        whose = Whose(where.scope.user, workspace, family)
        return Follower(self._db, self._home, git_files.look(root), whose, now=self._now)

    def settle(self, timeout_s: float) -> bool:
        """Wait until nothing is queued; False where that takes longer."""
        return not [line for line in self._all() if not line.wait(timeout_s)]

    def stop(self) -> None:
        """Take nothing more, and finish what is queued if that is soon done: it is the end of somebody's turn."""
        ends = time.monotonic() + STOP_S
        for watcher in self._watchers:
            watcher.stop(0.0)
        lines = self._all()
        for line in lines:
            line.close()
        for line in lines:
            if not line.wait(max(0.0, ends - time.monotonic())):
                line.drop()

    def _all(self) -> list[WorkLine]:
        with self._lock:
            return [*self._lines.values(), *self._plain.values()]
