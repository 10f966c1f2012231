"""Where the extension lies that answers for vectors."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

from .errors import StoreDamaged


def vec0_path() -> str:
    """Where sqlite-vec's extension lies. Importing the package would import numpy: 141 ms, 22 MB."""
    spec = find_spec("sqlite_vec")
    if spec is None or not spec.submodule_search_locations:
        raise StoreDamaged("The package sqlite-vec is missing; install Backstory again.")
    return str(Path(spec.submodule_search_locations[0]) / "vec0")
