"""Who follows which worktree: what hooks report, queued for each, so that no hook waits for git."""

from __future__ import annotations

import logging
import os
import threading
import time
from collections import deque
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from ..pipelines import git_files, identity
from ..pipelines.follow import By, Follower
from ..pipelines.follow_tools import ToolFollower
from ..pipelines.observe import Whose
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
from ..store.errors import BackstoryError
from ..store.models import Located
from .watching import Watcher

log = logging.getLogger(__name__)

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
        self._lines: dict[str, _Line] = {}
        self._plain: dict[str, _Line] = {}
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
                    self._line(root, where).put(
                        partial(Follower.told, images=images, by=by, between=between, at=at)
                    )
                elif not late:
                    self._line(root, where).put(partial(Follower.look, by=by, at=at, paths=paths))
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
            line = self._plain.get(where.folder) or _Line(where.folder, lambda: self._tool_follower(where))
            self._plain[where.folder] = line
        images = [image for image in used.images if image.path in inside]
        if images:
            line.put(partial(ToolFollower.told, images=images, by=by, at=at))
        elif used.ok and not late:
            line.put(partial(ToolFollower.used, given=used.input, paths=inside, by=by, at=at))

    def _tool_follower(self, where: Located) -> ToolFollower:
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
            look = Follower.look if paths is not None else _look_and_fill
            self._lines[root].put(partial(look, by=By("human"), at=self._now(), paths=paths))

    def _begin(self, where: Located, at: int) -> None:
        root = self._root(where.folder) if where.folder else None
        if root is not None:
            self._line(root, where).put(partial(Follower.begin, at=at))

    def _look(self, where: Located, folder: str | None, by: By, at: int) -> None:
        root = self._root(folder) if folder else None
        if root is not None:
            self._line(root, where).put(partial(_look_and_fill, by=by, at=at))

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

    def _line(self, root: str, where: Located) -> _Line:
        with self._lock:
            line = self._lines.get(root)
            if line is None:
                line = self._lines[root] = _Line(root, lambda: self._follower(root, where))
            if self._watch:
                self._have_watched(root, line)
            return line

    def _have_watched(self, root: str, line: _Line) -> None:
        """Watch a worktree that is not watched, or no more, as after it was gone for a while."""
        self._watchers = [one for one in self._watchers if one.is_watching]
        if len(self._watchers) < WATCHED and not any(one.root == root for one in self._watchers):
            watcher = Watcher(root, partial(self._saved, root), looked_s=line.took_s)
            self._watchers.append(watcher)
            watcher.start()

    def _follower(self, root: str, where: Located) -> Follower:
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

    def _all(self) -> list[_Line]:
        with self._lock:
            return [*self._lines.values(), *self._plain.values()]


def _look_and_fill(follower: Follower, by: By, *, at: int, paths: list[str] | None = None) -> None:
    follower.look(by, at=at, paths=paths)
    follower.fill()


class _Line:
    """The queue of one worktree, worked off in order by a thread that comes and goes."""

    def __init__(self, root: str, open_: Callable[[], Any]) -> None:
        self._root, self._open = root, open_
        self._follower: Any = None
        self._jobs: deque[Callable[[Any], object]] = deque()
        self._changed = threading.Condition()
        self._working = False
        self._stopped = False
        self._trouble = ""
        self._took_s = 0.0

    def took_s(self) -> float:
        """How long the last job took."""
        return self._took_s

    def put(self, job: Callable[[Any], object]) -> None:
        """Queue a job."""
        with self._changed:
            if self._stopped:
                return
            self._jobs.append(job)
            if not self._working:
                self._working = True
                threading.Thread(target=self._run, name="backstory-follow", daemon=True).start()
            self._changed.notify_all()

    def wait(self, timeout_s: float) -> bool:
        """Whether nothing is left to do within that time."""
        with self._changed:
            return self._changed.wait_for(lambda: not self._jobs and not self._working, timeout_s)

    def close(self) -> None:
        """Take nothing more."""
        with self._changed:
            self._stopped = True

    def drop(self) -> None:
        """Forget what has not begun."""
        with self._changed:
            self._jobs.clear()
            self._changed.notify_all()

    def _run(self) -> None:
        while True:
            with self._changed:
                if not self._jobs:
                    self._working = False
                    self._changed.notify_all()
                    return
                job = self._jobs.popleft()
            try:
                if self._follower is None:
                    self._follower = self._open()
                began = time.monotonic()
                job(self._follower)
                self._took_s, self._trouble = time.monotonic() - began, ""
            except (BackstoryError, OSError) as e:
                self._follower = None  # the next job finds out anew what is there
                trouble = (e.strerror if isinstance(e, OSError) else None) or str(e)
                if trouble != self._trouble:  # once, not at every event
                    self._trouble = trouble
                    log.warning("the code history of %s misses a step: %s", self._root, e)
            except Exception:
                self._follower = None
                log.exception("The code history of %s misses a step", self._root)
