"""How a client starts us: which interpreter, kept apart from the project it runs in, and which home."""

from __future__ import annotations

import os
import subprocess
import tempfile
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from ..store.errors import BadInput


@dataclass(frozen=True, slots=True)
class Launch:
    """An absolute interpreter, the flag that keeps a project's own files out of it, and Backstory's home."""

    python: str
    home: Path
    isolation: str = "-I"

    def serve(self, client: str) -> list[str]:
        """The interpreter's arguments for a server that speaks to `client`."""
        return [self.isolation, "-m", "backstory", "serve", "--client", client]


def absolute(python: str) -> str:
    """The interpreter's path, absolute, as it is called: a virtual environment's own link is not followed."""
    return os.path.abspath(python)  # noqa: PTH100 - `Path.absolute` keeps `..`


def tried(home: Path, python: str) -> Launch:
    """
    How to start us with that interpreter, tried out.

    Raises:
        BadInput: it cannot import us, wherever it is started.
    """
    python = absolute(python) if python else ""
    flag = _isolation(python) if python else None
    if flag is None:
        raise BadInput(
            f"{python or 'This interpreter'} cannot import backstory from another folder; "
            "install Backstory into it first (pip install backstory)."
        )
    return Launch(python, home, flag)


@cache
def _isolation(python: str) -> str | None:
    """
    The flag that keeps out what lies in the project and what the environment adds.

    `-I` also keeps out what pip put in the user's own folder; where we are there ourselves, `-PE` does not.
    """
    for flag in ("-I", "-PE"):
        probe = [python, flag, "-c", "import backstory.server"]
        try:
            found = subprocess.run(
                probe, cwd=Path(python).anchor, capture_output=True, timeout=60, check=False
            )
        except (OSError, subprocess.TimeoutExpired):
            return None
        if found.returncode == 0:
            return flag
    return None


def passing(python: str) -> str | None:
    """A warning about an interpreter that will be gone one day."""
    cached = {"archive-v0", "environments-v2"}.intersection(Path(python).parts)
    if cached or python.startswith(tempfile.gettempdir() + os.sep):
        return f"{python} is in a cache or a temporary folder; when it is gone, install again from another."
    return None
