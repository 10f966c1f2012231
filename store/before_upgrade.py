"""The copy of the file that is kept beside it before its schema changes."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import apsw

from .errors import StoreDamaged


def keep(path: Path, version: int, connect: Callable[..., apsw.Connection]) -> None:
    """A copy of the file as it is, made under the lock that the upgrade holds; an existing one stands."""
    target = path.with_name(f"{path.name}.{version}.bak")
    if target.exists():
        return
    partial = target.with_suffix(".part")
    if shutil.disk_usage(path.parent).free < 2 * path.stat().st_size:
        raise StoreDamaged(
            f"No room for a copy of {path} before its upgrade; free {path.stat().st_size:,} bytes."
        )
    partial.unlink(missing_ok=True)
    os.close(os.open(partial, os.O_CREAT | os.O_RDWR, 0o600))
    # From a connection of its own: the one that holds the lock cannot be read from.
    whole, copy = connect(path, readonly=True), apsw.Connection(str(partial))
    try:
        with copy.backup("main", whole, "main") as backup:
            backup.step()
    finally:
        copy.close()
        whole.close()
    partial.replace(target)
