"""The protocol's own two streams: taken from everyone else, read without blocking the way out."""

from __future__ import annotations

import os
import re
import sys
import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from anyio.streams.memory import MemoryObjectReceiveStream

_ESCAPE = re.compile(
    r"\\\\|\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[dD][89a-fA-F][0-9a-fA-F]{2}"
)


@dataclass(frozen=True, slots=True)
class Wire:
    """Descriptors that carry MCP and nothing else, both above the standard three."""

    reader: int
    writer: int


def claim() -> Wire:
    """
    The wire, after which fd 0 is empty and fd 1 is stderr, for us, our children and every C library.

    Call it before anything that might print is imported.

    Raises:
        OSError: stdin or stdout was closed by whoever started us.
    """
    try:
        os.fstat(2)
    except OSError:
        _become(2, os.open(os.devnull, os.O_WRONLY))
    # os.dup gives the lowest free number, above 2 as all three are open, closed in children.
    wire = Wire(os.dup(0), os.dup(1))
    _become(0, os.open(os.devnull, os.O_RDONLY))
    os.dup2(2, 1)
    stdout = sys.stdout
    if stdout is not None and hasattr(stdout, "reconfigure"):
        # What is printed by mistake appears beside the log line it belongs to.
        stdout.reconfigure(line_buffering=True)
    return wire


def _become(fd: int, source: int) -> None:
    if source != fd:
        os.dup2(source, fd)
        os.close(source)


def repair(line: str) -> str:
    """
    `line`, with `\\ufffd` for each escaped half of a surrogate pair.

    JavaScript clients may send them (a text cut inside an emoji); the SDK drops such a line unanswered.
    """
    if "\\ud" not in line and "\\uD" not in line:
        return line
    return _ESCAPE.sub(_whole_or_replaced, line)


def _whole_or_replaced(found: re.Match[str]) -> str:
    return found[0] if found[0] == "\\\\" or len(found[0]) == 12 else "\\ufffd"


def lines(fd: int) -> MemoryObjectReceiveStream[str]:
    """
    The lines that arrive at `fd`, as an asynchronous stream that ends with it. Call inside the event loop.

    A daemon thread reads: a blocked read can neither be cancelled nor keep the process from ending.
    """
    import anyio
    import anyio.from_thread
    import anyio.lowlevel

    send, receive = anyio.create_memory_object_stream[str](0)
    token = anyio.lowlevel.current_token()

    def read() -> None:
        with os.fdopen(fd, "rb", closefd=False) as source:
            try:
                for raw in source:
                    anyio.from_thread.run(send.send, repair(raw.decode("utf-8", "replace")), token=token)
            except (OSError, RuntimeError, anyio.BrokenResourceError, anyio.ClosedResourceError):
                return  # The other side, or our event loop, has ended first.
        try:
            anyio.from_thread.run_sync(send.close, token=token)
        except RuntimeError:
            return

    threading.Thread(target=read, name="backstory-stdin", daemon=True).start()
    return receive


def output(fd: int) -> TextIO:
    """A text stream into `fd`: UTF-8, one `\\n` a line on every platform."""
    return os.fdopen(fd, "w", encoding="utf-8", errors="replace", newline="\n", closefd=False)
