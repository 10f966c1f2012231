"""Where a server's log goes: warnings to stderr, all to a rotating file. Nobody's text at INFO."""

from __future__ import annotations

import logging
from logging.handlers import RotatingFileHandler
from pathlib import Path

FILE_BYTES, FILES = 1 << 20, 3
FORM = "%(asctime)s %(process)d %(levelname)s %(name)s: %(message)s"


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
            RotatingFileHandler(
                folder / "server.log", maxBytes=FILE_BYTES, backupCount=FILES, encoding="utf-8"
            )
        )
    except OSError:
        pass
    for handler in handlers:
        handler.setFormatter(logging.Formatter(FORM))
    logging.basicConfig(level=logging.WARNING, handlers=handlers, force=True)
    logging.getLogger(__package__).setLevel(logging.INFO)
