"""A file under another name until it is whole, and what was left of those whose writer was killed."""

from __future__ import annotations

import os
from pathlib import Path


def begun(file: Path, end: str = "part") -> Path:
    """The name beside `file` under which it is written; leftovers of writers that are no more are gone."""
    for left in file.parent.glob(f".{file.name}.*.{end}*"):
        told = left.name.removeprefix(f".{file.name}.").split(".")[0]
        if told.isdigit() and not _lives(int(told)):
            left.unlink(missing_ok=True)
    return file.with_name(f".{file.name}.{os.getpid()}.{end}")


def _lives(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return process != os.getpid()
