"""What the driver raises, as a caller would treat it: one of our errors, with a sentence that says what to do."""

from __future__ import annotations

from pathlib import Path

import apsw

from .errors import BackstoryError, StoreBusy, StoreDamaged


def full(path: Path) -> StoreDamaged:
    """That there is no room where a file is to be written."""
    return StoreDamaged(f"The disk that holds {path.parent} is full; nothing was written. Free some space.")


def told(e: apsw.Error, path: Path) -> BackstoryError:
    """The driver's error as one of ours, with a sentence that says what to do."""
    match e:
        case apsw.BusyError() | apsw.LockedError():
            return StoreBusy("The memory file is locked by another process; try again in a moment.")
        case apsw.FullError():
            return full(path)
        case apsw.NotADBError() | apsw.CorruptError():
            return StoreDamaged(
                f"{path} is damaged ({e}). `backstory reindex` cures its indexes; if rows are hit, put back the "
                f"latest {path.name}.N.bak, or keep what can be read: sqlite3 {path.name} .recover"
            )
        case apsw.CantOpenError() | apsw.ReadOnlyError() | apsw.IOError() | apsw.PermissionsError():
            return StoreDamaged(
                f"{path} cannot be opened or written ({e}); check the disk and its permissions."
            )
        case _:
            raise e
