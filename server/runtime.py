"""Puts a server together: each part started in order, told of the end, and stopped in the reverse order."""

from __future__ import annotations

import gc
import logging
import threading
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from .. import configs, version
from ..store.errors import BackstoryError, BadInput, StoreDamaged
from . import gate, logs, wire
from .ending import Ending

if TYPE_CHECKING:
    from .memory import Memory

log = logging.getLogger(__name__)

PROJECT_VARIABLES = ("CLAUDE_PROJECT_DIR", "CURSOR_PROJECT_DIR")


@dataclass(frozen=True, slots=True)
class Options:
    """What `serve` was asked for: `port` None is stdio, which ends with the process `parent`."""

    client: str | None
    workspace: str | None
    parent: int
    port: int | None = None


class Shelf:
    """The memory file, opened when first asked for, and tried again after a failure."""

    def __init__(self, open_: Callable[[], Memory]) -> None:
        self._open = open_
        self._lock = threading.Lock()
        self._memory: Memory | None = None
        self._closed = False

    def __call__(self) -> Memory:
        """
        The open memory.

        Raises:
            BackstoryError: it cannot be opened; the sentence says why and what to do.
        """
        with self._lock:
            if self._closed:
                raise StoreDamaged("The server is ending; ask again in a new session.")
            if self._memory is None:
                self._memory = self._open()
            return self._memory

    def close(self) -> None:
        """Let go of the file. A second call does nothing."""
        with self._lock:
            self._closed = True
            memory, self._memory = self._memory, None
        if memory is not None:
            memory.close()


def run(options: Options, streams: wire.Wire) -> int:
    """Serve as asked until the end is asked for; the exit code. The caller ends the process."""
    ending = Ending()
    ending.catch_signals()
    if options.port is None:
        ending.watch_parent(options.parent)
    home = configs.home()
    logs.start(home)
    with ExitStack() as parts:
        shelf = Shelf(lambda: _open(options))
        parts.callback(shelf.close)
        try:
            shelf()
        except (BackstoryError, OSError) as e:
            log.warning("The memory file is not open; tools will say so: %s", e)
        try:
            _serve(options, streams, home, shelf, ending)
        finally:
            ending.ask(
                "the server has failed"
            )  # counts where nothing asked before: from here on the clock runs
    ending.ended()
    return 0


def _open(options: Options) -> Memory:
    from .memory import Memory

    folder = None if options.port is not None else options.workspace or _project()
    return Memory.open(folder=folder, source=options.client or "mcp")


def _project() -> str:
    """The folder the client works in: what it says, else where it started us."""
    named = configs.environment(PROJECT_VARIABLES)
    return next(filter(None, named.values()), None) or str(Path.cwd())


def _serve(options: Options, streams: wire.Wire, home: Path, shelf: Shelf, ending: Ending) -> None:
    """Import the SDK, the heaviest part, and serve."""
    # Its models are made once and live for ever: a collection, now or later, would only look at them.
    gc.disable()
    import anyio

    from . import tools, transports

    gc.freeze()
    gc.enable()
    server = tools.build(shelf, version=version())
    if options.port is None:
        anyio.run(partial(transports.serve_stdio, server, streams, ending, on_first_answer=lambda: None))
        return
    try:
        sock = transports.listen(options.port)
    except OSError as e:
        raise BadInput(
            f"Port {options.port} is not to be had ({e.strerror}); name another, or --port 0."
        ) from e
    port = sock.getsockname()[1]
    token_file = home / "run" / "http.token"
    app = transports.http_app(server, port=port, token=gate.token_at(token_file))
    print(  # noqa: T201 - for the person who started it; stdout is stderr by now
        f"Backstory serves http://{transports.HOST}:{port}{transports.MCP_PATH} and {transports.SSE_PATH}; "
        f"send `Authorization: Bearer` with the token in {token_file}",
    )
    anyio.run(partial(transports.serve_http, app, sock, ending, on_ready=lambda: None))
