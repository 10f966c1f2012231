"""Puts a server together: each part started in order, told of the end, and stopped in the reverse order."""

from __future__ import annotations

import gc
import json
import logging
import os
import sys
import threading
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from .. import configs, version
from ..store import clock
from ..store.errors import BadInput, StoreBusy, StoreDamaged
from . import gate, logs, wire
from .ending import Ending
from .sender import PROMPTS, STARTS

if TYPE_CHECKING:
    from .desk import Desk
    from .doorway import Env
    from .following import Following
    from .memory import Memory

log = logging.getLogger(__name__)

SWITCH_S = 0.0005

PROJECT_VARIABLES = ("CLAUDE_PROJECT_DIR", "CURSOR_PROJECT_DIR")


@dataclass(frozen=True, slots=True)
class Options:
    """What `serve` was asked for: `port` None is stdio, which ends with the process `parent`."""

    client: str | None
    workspace: str | None
    parent: int
    port: int | None = None


class Shelf:
    """
    The memory file and the desk that answers hooks over it.

    Opened by the first hook, else after the first answer to the client: the client's start waits for neither. After
    a failure it is tried again.
    """

    def __init__(
        self, open_: Callable[[], Memory], *, health: Callable[[], str | None] = lambda: None
    ) -> None:
        self._open, self._health = open_, health
        self._lock = threading.Lock()
        self._opened: tuple[Memory, Desk] | None = None
        self._following: Following | None = None
        self._is_warm = threading.Event()
        self._closed = False

    def memory(self) -> Memory:
        """
        The open file.

        Raises:
            BackstoryError: it cannot be opened; the sentence says why and what to do.
        """
        return self._both()[0]

    def warm(self) -> None:
        """Load what only some answers need, where nobody waits."""
        from ..pipelines import surroundings
        from . import edit_notice, tool_calls

        del edit_notice, surroundings, tool_calls
        self._is_warm.set()

    def here(self) -> Memory:
        """The open file, asked from where the workspace stands at this moment: its branch may have changed."""
        memory = self.memory()
        if memory.at.folder is None:
            return memory
        from .memory import Memory, locate

        at = locate(memory.db, memory.at.folder, memory.at.scope, now=clock.now())
        return Memory(
            memory.db, home=memory.home, options=memory.options, at=at, vectors=memory.vectors, model=memory.model
        )  # fmt: skip

    def desk(self) -> Desk:
        """What answers hooks. Raises as `memory` does."""
        return self._both()[1]

    @property
    def opened(self) -> Memory | None:
        """The file, if it is open already."""
        opened = self._opened
        return opened[0] if opened else None

    def close(self) -> None:
        """Let go of the file. A second call does nothing."""
        with self._lock:
            self._closed = True
            opened, self._opened = self._opened, None
        if self._following is not None:
            self._following.stop()
        if opened is not None:
            opened[0].close()

    def _both(self) -> tuple[Memory, Desk]:
        with self._lock:
            if self._closed:
                raise StoreBusy("This server is ending; ask again in a new session.")
            if self._opened is None:
                from .desk import Desk
                from .following import Following

                memory = self._open()
                self._following = Following(
                    memory.db, memory.home, now=memory.now, watch=memory.options.watch
                )
                desk = Desk(
                    memory.db, memory.home, memory.options, ask=memory.vectors.ask, health=self._health,
                    following=self._following, warm=self._is_warm.is_set,
                )  # fmt: skip
                self._opened = (memory, desk)
            return self._opened


def run(options: Options, streams: wire.Wire) -> int:
    """Serve as asked until the end is asked for; the exit code. The caller ends the process."""
    # A hook's answer hands the interpreter over at every statement to SQLite, some thirty times; to get it back from
    # what is being imported or embedded meanwhile takes this long each time, and the hook waits 150 ms in all.
    sys.setswitchinterval(SWITCH_S)
    ending = Ending()
    ending.catch_signals()
    if options.port is None:
        ending.watch_parent(options.parent)
    home = configs.home()
    logs.start(home)
    log.info("serving %s, version %s", options.client or "any client", version())
    with ExitStack() as parts:
        answered = _furnish(options, home, parts)
        try:
            _serve(options, streams, home, *answered, ending=ending)
        finally:
            # Counts where nothing asked before; either way the clock runs for what follows.
            ending.ask("the server has failed")
    ending.ended()
    log.info("ended: %s", ending.reason)
    return 0


def _furnish(options: Options, home: Path, parts: ExitStack) -> tuple[Shelf, Callable[[], None]]:
    """The shelf, its doorway open before anything heavy is imported, and what to call at the first answer."""
    from .background import Background, Work
    from .doorway import Doorway, Reply

    background: Background
    shelf = Shelf(partial(_open, options, home), health=lambda: background.health())  # noqa: PLW0108
    parts.callback(shelf.close)

    def work() -> Work:
        memory = shelf.memory()
        desk = shelf.desk()
        shelf.warm()
        return Work(
            memory.db, memory.vectors, memory.model, desk.drain, memory.settle, desk.settle, memory.upkeep_place()
        )  # fmt: skip

    background = Background(work)
    began_at = clock.now()

    def status(_: bytes) -> bytes:
        server = {"pid": os.getpid(), "version": version(), "source": options.client, "began_at": began_at}
        return json.dumps({**server, **background.status()}).encode()

    def embed(question: bytes) -> bytes | None:
        return shelf.opened.vectors.answer(question) if shelf.opened else None

    def answer(client: str, event: str, env: Env, raw: bytes) -> Reply:
        told = (client, event, env, raw)
        if shelf.opened is None or (background.loading and event in (*STARTS, *PROMPTS)):
            # The answer would be late, and made of words alone as the hook's own is; so the hook is sent away at once.
            # What it tells is taken in here too, for what is done when a turn begins is not to wait for the spool;
            # twice is once.
            return Reply(None, lambda: shelf.desk().answer(*told))
        return shelf.desk().answer(*told)

    door = Doorway(home, answer, ops={"embed": embed, "status": status}, changed=background.held)
    parts.callback(door.stop)
    parts.callback(background.stop)
    try:
        door.open()
    except OSError as e:
        log.warning("There is no doorway; hooks read the file and write the spool themselves: %s", e)
    background.start()
    return shelf, background.answered


def _open(options: Options, home: Path) -> Memory:
    from ..store import DATABASE
    from ..store.db import Database
    from ..store.models import Located, Scope
    from .configured import model_of, share_settings
    from .memory import Memory, locate
    from .vectors import Vectors

    settings = configs.load(home)
    folder = None if options.port is not None else _project(options.workspace)
    try:
        db = Database.open(home / DATABASE)
    except OSError as e:
        raise StoreDamaged(f"{home} cannot be used ({e.strerror}); is it a folder of yours?") from e
    share_settings(db, settings)
    # Only the holder of the doorway loads an embedder, in the background; until then and elsewhere, words do.
    vectors = Vectors(db, home, settings, lazily=False)
    scope = Scope(settings.user, None, None, options.client or "mcp")
    at = Located(scope) if folder is None else locate(db, folder, scope, now=clock.now())
    return Memory(db, home=home, options=settings, at=at, vectors=vectors, model=model_of(settings, db))


def _project(given: str | None) -> str | None:
    """The folder the client works in: what it says, else where it started us; None where it has none open."""
    if given and not given.startswith("${"):
        return given
    named = next(filter(None, configs.environment(PROJECT_VARIABLES).values()), None)
    # A placeholder that the client left as it is: it has no folder open, and where it started us means nothing.
    return named or (None if given else configs.here())


def _serve(
    options: Options,
    streams: wire.Wire,
    home: Path,
    shelf: Shelf,
    answered: Callable[[], None],
    *,
    ending: Ending,
) -> None:
    """Import the SDK, the heaviest part, and serve."""
    import anyio

    from . import mcp_server, transports

    # What has been imported stays: a collection need not look at it again. (`serve` has kept it off so far.)
    gc.freeze()
    gc.enable()
    server = mcp_server.build(shelf.here, version=version())
    if options.port is None:
        anyio.run(partial(transports.serve_stdio, server, streams, ending, on_first_answer=answered))
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
    anyio.run(partial(transports.serve_http, app, sock, ending, on_ready=answered))
