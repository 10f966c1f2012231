"""Those of the user's git settings that bear on which files there are and whether they have changed."""

from __future__ import annotations

from pathlib import Path

from .git_files import Where
from .worktree import EMPTY_TREE, run

THEIRS = (
    r"^(core\.(excludesfile|ignorecase|filemode|symlinks|precomposeunicode|trustctime|checkstat|sparsecheckout)"
    r"|extensions\.objectformat)$"
)
FALSE = ("false", "no", "off", "0")


class TheirSettings:
    """Read by git when first needed, and again when the repository's configuration has been written."""

    def __init__(self, where: Where) -> None:
        self._where = where
        self._files = (Path(f"{where.common_dir}/config"), Path(f"{where.git_dir}/config.worktree"))
        self._known: tuple[list[tuple[int, int]], dict[str, str]] | None = None

    @property
    def sha256(self) -> bool:
        """Whether ids are of that hash."""
        return self._all().get("extensions.objectformat") == "sha256"

    @property
    def sparse(self) -> bool:
        """Whether files may be missing on purpose."""
        return self._all().get("core.sparsecheckout", "false").lower() not in FALSE

    @property
    def file_modes(self) -> bool:
        """Whether it means anything that a file may be executed."""
        return self._all().get("core.filemode", "true").lower() not in FALSE

    @property
    def empty_tree(self) -> str:
        """The id of a tree without entries."""
        return EMPTY_TREE[64 if self.sha256 else 40]

    def given(self) -> list[str]:
        """As git's `-c` takes them."""
        return [f"{key}={value}" for key, value in self._all().items() if key.startswith("core.")]

    def _all(self) -> dict[str, str]:
        stamps = [_stamp(path) for path in self._files]
        if self._known is None or self._known[0] != stamps:
            out = run(self._where, ["config", "--null", "--get-regexp", THEIRS], passing=(0, 1))
            lines = out.decode("utf-8", "surrogateescape").split("\0")
            found = {key.lower(): value for key, _, value in (line.partition("\n") for line in lines if line)}
            self._known = stamps, found
        return self._known[1]


def _stamp(path: Path) -> tuple[int, int]:
    try:
        status = path.stat()
    except OSError:
        return (0, 0)
    return status.st_mtime_ns, status.st_size
