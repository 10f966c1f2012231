"""Where a server's log goes: warnings to stderr, all to a rotating file. Nobody's text at INFO."""

from __future__ import annotations

import logging
import os
from io import FileIO, TextIOWrapper
from logging.handlers import RotatingFileHandler
from pathlib import Path

FILE_BYTES, FILES = 1 << 20, 3
FORM = "%(asctime)s %(process)d %(levelname)s %(name)s: %(message)s"


class PrivateFile(RotatingFileHandler):
    """A rotating file that only its owner may read, from its first byte."""

    def _open(self) -> TextIOWrapper:
        # Opened to append, an existing file would keep the mode that an earlier version gave it.
        fd = os.open(self.baseFilename, os.O_CREAT | os.O_APPEND | os.O_WRONLY, 0o600)
        if hasattr(os, "fchmod"):
            os.fchmod(fd, 0o600)
        return TextIOWrapper(FileIO(fd, "a"), encoding=self.encoding, errors=self.errors, write_through=True)


def start(home: Path) -> None:
    """Log from here on; a home that cannot be written to costs the file, not the server."""
    # A full disk or a closed stderr must not put tracebacks about logging where the log should be.
    logging.raiseExceptions = False
    stderr = logging.StreamHandler()
    stderr.setLevel(logging.WARNING)
    handlers: list[logging.Handler] = [stderr]
    folder = home / "logs"
    try:
        home.mkdir(mode=0o700, parents=True, exist_ok=True)
        folder.mkdir(mode=0o700, exist_ok=True)
        handlers.append(
            PrivateFile(folder / "server.log", maxBytes=FILE_BYTES, backupCount=FILES, encoding="utf-8")
        )
    except OSError:
        pass
    for handler in handlers:
        handler.setFormatter(logging.Formatter(FORM))
    logging.basicConfig(level=logging.WARNING, handlers=handlers, force=True)
    logging.getLogger(__package__).setLevel(logging.INFO)
