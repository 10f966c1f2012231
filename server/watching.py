"""A worktree watched for files that somebody saves between turns: by file events, else by looking now and then."""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Callable, Iterable

from ..pipelines.git import git_files
from ..pipelines.git.worktree import run
from ..store.errors import GitFailed

log = logging.getLogger(__name__)

# Files that are saved together come together: what is quiet for this long is looked at.
QUIET_MS, STEP_MS = 800, 200
# Without events it is looked every so often, and never more often than this many times what the last look cost.
POLL_S, TIMES_ITS_COST = 5.0, 100
# Above so many folders no events are asked for: other programs of the user need some of the system's budget, too.
FOLDERS = 5_000
# Of git's own files those that tell of a move.
GIT_FILES = ("HEAD", "logs/HEAD")


class Watcher:
    """
    Watches one worktree in a thread of its own, until it is stopped.

    Args:
        changed: told the absolute paths of what was saved; None where anything may have been.
        looked_s: how long the last look took, for the watch without events.
    """

    def __init__(
        self,
        root: str,
        changed: Callable[[list[str] | None], object],
        *,
        looked_s: Callable[[], float] = lambda: 0.0,
        poll_s: float = POLL_S,
    ) -> None:
        self.root = root
        self._changed, self._looked_s, self._poll_s = changed, looked_s, poll_s
        self._stopping = threading.Event()
        # Folders that git ignores, met on the way.
        self._passed_over: set[str] = set()
        self.ready = threading.Event()
        self._thread = threading.Thread(target=self._run, name="backstory-watch", daemon=True)

    def start(self) -> None:
        """Begin; `ready` is set when changes are seen from now on."""
        self._thread.start()

    def stop(self, timeout_s: float = 1.0) -> None:
        """End it, waiting so long for its thread."""
        self._stopping.set()
        if self._thread.ident is not None:
            self._thread.join(timeout_s)

    @property
    def is_watching(self) -> bool:
        """Whether it has begun and not ended, as it does where the worktree is gone."""
        return self._thread.is_alive()

    def _run(self) -> None:
        again = False
        try:
            while not self._stopping.is_set():
                folders = _folders(self.root)
                if len(folders) > FOLDERS or not self._by_events(folders, again=again):
                    self._by_looking()
                again = True
        except (GitFailed, OSError) as e:
            log.info("%s is watched no more: %s", self.root, e)
        except Exception:
            log.exception("%s is watched no more", self.root)
        finally:
            self.ready.set()

    def _by_events(self, folders: set[str], *, again: bool) -> bool:
        """Watch until the folders are no longer these, or it is stopped; False where there are no events to be had."""
        import watchfiles

        where = git_files.look(self.root)
        told = {os.path.join(where.git_dir or "", *name.split("/")) for name in GIT_FILES}
        for name in {os.path.dirname(path) for path in told}:
            if os.path.isdir(name):
                folders = folders | {name}
        try:
            found = watchfiles.watch(
                *sorted(folders), watch_filter=None, debounce=QUIET_MS, step=STEP_MS, stop_event=self._stopping,
                rust_timeout=0, raise_interrupt=False, force_polling=False, recursive=False,
                ignore_permission_denied=True, yield_on_timeout=False,
            )  # fmt: skip
            threading.Timer(0.05, self._begun, (again,)).start()
            for changes in found:
                paths = [path for _, path in changes]
                self._tell(paths, told, where.git_dir or "")
                new = {path for path in paths if os.path.isdir(path)} - folders - self._passed_over
                if new:
                    self._passed_over |= new - _folders(self.root)
                if new - self._passed_over or not folders.isdisjoint(paths):
                    return True  # to be watched as well, or once more: what comes back under its name is another folder
        except OSError as e:
            log.info("no file events for %s (%s); it is looked at every %s s", self.root, e, self._poll_s)
            return False
        return True

    def _begun(self, again: bool) -> None:
        self.ready.set()
        if again and not self._stopping.is_set():
            self._changed(None)  # what was saved while nobody watched

    def _tell(self, paths: Iterable[str], told: set[str], git_dir: str) -> None:
        inside = [path for path in paths if not path.startswith(git_dir + os.sep)]
        if told.intersection(paths) or any(os.path.isdir(path) for path in inside):
            self._changed(None)
        elif inside:
            self._changed(inside)

    def _by_looking(self) -> None:
        self.ready.set()
        while not self._stopping.wait(max(self._poll_s, TIMES_ITS_COST * self._looked_s())):
            if not os.path.isdir(self.root):
                raise OSError("it is gone")
            self._changed(None)


def _folders(root: str) -> set[str]:
    """The folders that hold files which git does not ignore, and the top."""
    where, listing = git_files.look(root), ["ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    try:
        # A sparse index stays as it is: to expand it, git would renew time stamps in the user's objects.
        out = run(where, [*listing, "--sparse"])
    except GitFailed:  # before git 2.35
        out = run(where, listing)
    found = {root}
    for path in out.decode("utf-8", "surrogateescape").split("\0"):
        above = os.path.dirname(path)
        while above and (folder := os.path.join(root, above)) not in found:
            found.add(folder)
            above = os.path.dirname(above)
    return {folder for folder in found if os.path.isdir(folder)}
