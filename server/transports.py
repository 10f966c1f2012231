"""The same MCP server over stdio, SSE and streamable HTTP."""

from __future__ import annotations

import socket
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TextIO, cast

import anyio
import anyio.to_thread
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server

from . import wire
from .ending import Ending

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send

HOST = "127.0.0.1"
MCP_PATH = "/mcp"
SSE_PATH = "/sse"
MESSAGES_PATH = "/messages/"
# Ten times the longest content in its widest JSON escape; the SDK answers 413 above it.
MAX_BODY_BYTES = 4 << 20
MAX_SESSIONS = 64
DRAIN_S = 1
BACKLOG = 64


async def serve_stdio(
    server: Server[Any], streams: wire.Wire, ending: Ending, *, on_first_answer: Callable[[], None]
) -> None:
    """
    Serve one client over `streams`, until its input ends or the end is asked for; then the end is asked for.

    `on_first_answer` is called once, in the event loop, when the first answer has been written.
    """
    output = _Output(wire.output(streams.writer), on_first_answer)
    # The SDK asks for anyio files and uses no more of them than line iteration, write and flush.
    source = cast("Any", wire.lines(streams.reader))
    async with anyio.create_task_group() as tasks:

        async def serve() -> None:
            try:
                async with stdio_server(source, cast("Any", output)) as (read, write):
                    await server.run(read, write, server.create_initialization_options())
            except* BrokenPipeError:
                pass  # The client closed our stdout: the same end as closing our stdin.
            ending.ask("the client has closed its side")

        tasks.start_soon(serve)
        await ending.heard()
        tasks.cancel_scope.cancel()


class _Output:
    """Lines to the client, each written and flushed on a thread."""

    def __init__(self, stream: TextIO, on_first_answer: Callable[[], None]) -> None:
        self._stream = stream
        self._on_first_answer: Callable[[], None] | None = on_first_answer

    async def write(self, text: str) -> None:
        await anyio.to_thread.run_sync(self._write, text)

    async def flush(self) -> None:
        if self._on_first_answer is not None:
            call, self._on_first_answer = self._on_first_answer, None
            call()

    def _write(self, text: str) -> None:
        self._stream.write(text)
        self._stream.flush()


def listen(port: int) -> socket.socket:
    """A socket bound to loopback; `port` 0 takes a free one."""
    sock = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        sock.bind((HOST, port))
        sock.listen(BACKLOG)
    except OSError:
        sock.close()
        raise
    return sock


def http_app(server: Server[Any], *, port: int, token: str) -> ASGIApp:
    """
    Both HTTP transports behind one gate: streamable HTTP at `/mcp`, SSE at `/sse`.

    The SDK's own Host and Origin checks are off: the gate's are stricter and come first.
    """
    from mcp.server.sse import SseServerTransport
    from mcp.server.transport_security import TransportSecuritySettings
    from starlette.responses import Response
    from starlette.routing import Mount, Route

    from .gate import Gate

    open_ = TransportSecuritySettings(enable_dns_rebinding_protection=False)
    app = server.streamable_http_app(
        streamable_http_path=MCP_PATH,
        max_request_body_size=MAX_BODY_BYTES,
        max_sessions=MAX_SESSIONS,
        transport_security=open_,
    )
    sse = SseServerTransport(MESSAGES_PATH, security_settings=open_, max_request_body_size=MAX_BODY_BYTES)

    class Stream:
        """One SSE client, for as long as it listens."""

        async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
            if scope["method"] != "GET":
                await Response(status_code=405, headers={"Allow": "GET"})(scope, receive, send)
                return
            async with sse.connect_sse(scope, receive, send) as (read, write):
                await server.run(read, write, server.create_initialization_options())

    app.router.routes.append(Route(SSE_PATH, endpoint=Stream()))
    app.router.routes.append(Mount(MESSAGES_PATH, app=sse.handle_post_message))
    return Gate(app, port=port, token=token)


async def serve_http(
    app: ASGIApp, sock: socket.socket, ending: Ending, *, on_ready: Callable[[], None]
) -> None:
    """Serve `app` on `sock` until the end is asked for; open streams get a second to finish."""
    import uvicorn

    config = uvicorn.Config(
        app, log_config=None, access_log=False, lifespan="on", timeout_graceful_shutdown=DRAIN_S, ws="none"
    )
    server = uvicorn.Server(config)
    async with anyio.create_task_group() as tasks:

        async def stop_when_asked() -> None:
            await ending.heard()
            server.should_exit = True

        tasks.start_soon(stop_when_asked)
        on_ready()
        await server.serve(sockets=[sock])
        ending.ask("the HTTP server has ended")
        tasks.cancel_scope.cancel()
