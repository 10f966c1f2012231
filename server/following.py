"""Who follows which worktree: what hooks report, queued for each, so that no hook waits for git."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from ..pipelines.edits import By
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
from ..store.db import Database
from ..store.models import Located
from .work_line import WorkLine

if TYPE_CHECKING:
    from ..pipelines.follow import Follower
    from ..pipelines.follow_tools import ToolFollower
    from .watching import Watcher

# So long is waited for what is queued, when a server ends.
STOP_S = 2.0
# Of the worktrees of this home, so many are watched; and a session that is silent for so long is not at work.
WATCHED, SILENT_S = 8, 600.0
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
        # Turns in which a tool was used that may have changed something, and those of them in which a command ran
        # that nobody has looked after yet.
        self._busy: set[int] = set()
        self._ran: set[int] = set()
        # Sessions with a turn under way by worktree, with the moment of their last sign of life.
        self._at_work: dict[str, dict[tuple[str, str], float]] = {}

    def seen(
        self, occasion: Occasion, where: Located, *, turn: int | None, event: int | None, late: bool = False
    ) -> None:
        """
        Take note of what a hook reported. `late` where it waited in the spool: the files have moved on since, and only
        what the event itself tells is taken for its doing.
        """
        if not late:
            self._note_alive(occasion, where)
        match occasion:
            case PromptSubmitted(sender) | SessionStarted(sender) if late:
                self._begin(where, sender.at)
            case PromptSubmitted(sender) | SessionStarted(sender):
                self._look(where, where.folder, By("human"), sender.at)
            case ToolUsed(sender) if occasion.ok is not False or occasion.command:
                self._used(occasion, where, By("agent", turn, event), sender.at, late=late)
            case Replied(sender) | TurnEnded(sender) | SessionEnded(sender) if not late:
                worked = turn is not None and turn in self._busy
                self._busy.discard(turn or 0)
                by = By("agent", turn) if worked else By("human")
                self._look(where, where.folder, by, sender.at)
            case _:
                pass

    def _used(self, used: ToolUsed, where: Located, by: By, at: int, *, late: bool) -> None:
        if used.tool.lower() not in LOOKING and by.turn is not None:
            self._busy.add(by.turn)
        if used.edits and used.ok is not False:
            between = By("agent", by.turn) if by.turn in self._ran else By("human")
            for root, paths in self._by_root(used.paths).items():
                images = [image for image in used.images if image.path in paths]
                if images:
                    self._line(root, where).put("told", images=images, by=by, between=between, at=at)
                elif not late:
                    self._line(root, where).put("look", by=by, at=at, paths=paths)
            self._without_git(used, where, by, at, late=late)
        elif used.command and not late:
            self._look(where, where.folder, by, at)
        elif used.command and by.turn is not None:
            self._ran.add(by.turn)

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
        from ..pipelines.follow_tools import ToolFollower
        from ..pipelines.observe import Whose

        assert where.scope.workspace is not None
        assert where.folder is not None
        family = tuple(self._db.read(workspaces.family, where.scope.workspace))
        whose = Whose(where.scope.user, where.scope.workspace, family)
        return ToolFollower(self._db, where.folder, whose, now=self._now)

    def _note_alive(self, occasion: Occasion, where: Located) -> None:
        root = self._root(where.folder) if where.folder else None
        session = (where.scope.source or "", where.scope.session or "")
        if root is None:
            return
        sessions = self._at_work.setdefault(root, {})
        if isinstance(occasion, Replied | TurnEnded | SessionEnded | SessionStarted):
            sessions.pop(session, None)
        else:
            sessions[session] = time.monotonic()

    def _saved(self, root: str, paths: list[str] | None) -> None:
        """Somebody saved files: a person, where no turn is under way; else the turn's own looks find them."""
        alive = time.monotonic() - SILENT_S
        if not any(at > alive for at in list(self._at_work.get(root, {}).values())):
            job = "look" if paths is not None else "look_and_fill"
            self._lines[root].put(job, by=By("human"), at=self._now(), paths=paths)

    def _begin(self, where: Located, at: int) -> None:
        root = self._root(where.folder) if where.folder else None
        if root is not None:
            self._line(root, where).put("begin", at=at)

    def _look(self, where: Located, folder: str | None, by: By, at: int) -> None:
        root = self._root(folder) if folder else None
        if root is not None:
            self._line(root, where).put("look_and_fill", by=by, at=at)

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
        from ..pipelines import git_files, identity
        from ..pipelines.follow import Follower
        from ..pipelines.observe import Whose

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
