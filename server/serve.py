"""The command `backstory serve`: what a client starts."""

from __future__ import annotations

import argparse
import gc
import logging
import os
import sys
from collections.abc import Sequence
from typing import NoReturn

from . import wire


def main(argv: Sequence[str]) -> NoReturn:
    """Serve until the client goes; the process ends here, whatever its threads are doing."""
    streams = wire.claim()  # first: from here on nothing but MCP reaches the client
    parent = os.getppid()
    # What is imported lives for ever: a collection meanwhile only looks at it. `runtime` turns this on again.
    gc.disable()
    args = parser().parse_args(argv)
    from ..store.errors import BackstoryError
    from . import runtime

    port = args.port if args.http or args.sse else None
    code = 1
    try:
        code = runtime.run(runtime.Options(args.client, args.workspace, parent, port), streams)
    except BackstoryError as e:
        print(f"backstory: {e}", file=sys.stderr)  # noqa: T201
    except BaseException:
        logging.getLogger(__name__).exception("the server has failed")
    finally:
        _leave(code)


def _leave(code: int) -> NoReturn:
    # Not sys.exit: a thread blocked in a read or in a library would hold the process.
    logging.shutdown()
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError):
            continue
    os._exit(code)


def parser() -> argparse.ArgumentParser:
    """The arguments of `serve`."""
    serve = argparse.ArgumentParser(
        prog="backstory serve", description="Serve MCP over stdio, or over HTTP on this machine alone."
    )
    serve.add_argument("--client", help="who starts this: claude-code, cursor, …; recorded as the source")
    serve.add_argument(
        "--workspace", help="the project's folder; default: what the client names, else the current one"
    )
    serve.add_argument(
        "--http", action="store_true", help="one shared server: streamable HTTP at /mcp, SSE at /sse"
    )
    serve.add_argument("--sse", action="store_true", help="the same as --http: both are served on one port")
    serve.add_argument(
        "--port", type=_port, default=8377, help="with --http: 0 takes a free one (default 8377)"
    )
    return serve


def _port(text: str) -> int:
    port = int(text)
    if not 0 <= port <= 65_535:
        raise ValueError(text)
    return port
