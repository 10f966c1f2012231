"""What is done with a memory's file as a whole: out, in, copied and put back. `Memory` has all of it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from .. import configs
from ..store import DATABASE, clock, cutter
from ..store.errors import BadInput
from . import reach
from .asked import check_moments

if TYPE_CHECKING:
    from ..configs import Settings
    from ..pipelines.code.import_git import Progress as ImportProgress
    from ..pipelines.exchange.backup import Backup
    from ..pipelines.exchange.export import Exported
    from ..pipelines.exchange.imported import Imported
    from ..pipelines.exchange.restore import Restored
    from ..store.db import Database
    from ..store.models import Located
    from ..store.progress import Progress


class WholeFile:
    """An open memory file as a thing that is carried about."""

    db: Database
    home: Path
    options: Settings
    at: Located
    now: Callable[[], int]

    @property
    def _family(self) -> tuple[int, ...]:
        raise NotImplementedError

    def export(
        self,
        file: Path | str | None,
        *,
        workspace: str | None = None,
        since: int | None = None,
        progress: Progress | None = None,
    ) -> Exported:
        """
        Write the whole file, as it is now, as JSON lines (docs/export-format.md); None: to standard output.

        Args:
            file: a name that ends in `.gz` is compressed.
            workspace: only what belongs to that folder or name.
            since: only what was recorded or happened then or later (UTC microseconds).
        """
        from ..pipelines.exchange.export import export

        check_moments(since=since)
        return export(
            self.db, None if file is None else Path(file), user=self.at.scope.user, now=self.now(), since=since,
            progress=progress,
            workspace=None if workspace is None else reach.only(self.db, self.at.scope, workspace),
        )  # fmt: skip

    def import_(
        self, file: Path | str | None, *, user: str | None = None, progress: Progress | None = None
    ) -> Imported:
        """
        Take in what this file or another has exported; None: from standard input. Twice is once.

        Args:
            user: of whose rows ours are to be made, where the export is another user's.

        Raises:
            BadInput: it is no export, or a newer one; nothing was written.
        """
        from ..pipelines.exchange.import_ import import_

        return import_(
            self.db, None if file is None else Path(file), user=self.options.user, theirs=user, now=self.now(),
            cut=cutter.load(), progress=progress,
        )  # fmt: skip

    def backup(self, file: Path | str | None = None, *, progress: Progress | None = None) -> Backup:
        """Copy the file while others write; None: into the home's `backups/`, under its date."""
        from ..pipelines.exchange.backup import backup

        where = None if file is None else Path(file)
        return backup(self.db, where, home=self.home, now=self.now(), progress=progress)

    @staticmethod
    def restore(
        backup: Path | str, path: Path | str | None = None, *, progress: Progress | None = None
    ) -> Restored:
        """
        Let the memory in `path` (default: the home's), which nobody may have open, be what a backup is. What has been
        forgotten since stays so, and the file that was there is kept beside it.
        """
        from ..pipelines.exchange.restore import restore

        file = Path(path) if path is not None else configs.home() / DATABASE
        return restore(Path(backup), file, now=clock.now(), progress=progress)

    def import_git(
        self,
        *,
        since: str | None = None,
        workers: int = 1,
        told: Callable[[ImportProgress], None] = lambda _: None,
    ) -> ImportProgress:
        """Build code history from the commits of this repository. Raises BadInput where this is none."""
        from ..pipelines.code.import_git import import_git
        from ..pipelines.code.observe import Whose
        from ..pipelines.git import git_files

        where = git_files.look(self.at.folder) if self.at.folder else None
        workspace = self.at.scope.workspace
        if where is None or where.git_dir is None or workspace is None:
            raise BadInput("This folder is in no git repository; go to one and import again.")
        whose = Whose(self.at.scope.user, workspace, self._family)
        return import_git(self.db, where, whose, now=self.now, since=since, workers=workers, told=told)
