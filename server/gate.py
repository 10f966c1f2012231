"""Who may speak to the local HTTP port: our own address, no web page, and the holder of the token."""

from __future__ import annotations

import hmac
import logging
import os
import secrets
import stat
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send

log = logging.getLogger(__name__)

LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
TOKEN_BYTES = 32


def token_at(path: Path) -> str:
    """
    The token kept in `path`, made on first use, readable by its owner alone.

    One that others could read is replaced: it may be known.
    """
    try:
        if not stat.S_IMODE(path.stat().st_mode) & 0o077 and (kept := path.read_text("ascii").strip()):
            return kept
        log.warning("The token in %s was readable by others or empty; it has been replaced.", path)
    except FileNotFoundError:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    token = secrets.token_urlsafe(TOKEN_BYTES)
    partial = path.with_name(f"{path.name}.{os.getpid()}")
    with os.fdopen(
        os.open(partial, os.O_CREAT | os.O_WRONLY | os.O_TRUNC, 0o600), "w", encoding="ascii"
    ) as f:
        f.write(token)
    partial.replace(path)
    return token


class Gate:
    """
    An ASGI application that hands on what may pass and answers 403 to the rest, before a body is read.

    The checks stand against web pages (a foreign Origin), rebinding (a foreign Host) and other users of this
    machine (no token). There are no CORS headers: no page is ever let in.
    """

    def __init__(self, app: ASGIApp, *, port: int, token: str) -> None:
        self._app = app
        self._hosts = {f"{name}:{port}".encode() for name in LOOPBACK}
        self._origins = {b"http://" + host for host in self._hosts}
        self._credential = b"Bearer " + token.encode("ascii")

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
        elif reason := self._objection(scope):
            log.info("refused a request: %s", reason)
            await _refuse(scope, send, reason)
        else:
            await self._app(scope, receive, send)

    def _objection(self, scope: Scope) -> str | None:
        headers: list[tuple[bytes, bytes]] = scope["headers"]
        hosts = [value for name, value in headers if name == b"host"]
        if len(hosts) != 1 or hosts[0].lower() not in self._hosts:
            return "This port answers to 127.0.0.1 and localhost only."
        if any(value.lower() not in self._origins for name, value in headers if name == b"origin"):
            return "Web pages of other origins are not served."
        given = [value for name, value in headers if name == b"authorization"]
        if len(given) != 1 or not hmac.compare_digest(given[0], self._credential):
            return "Send the token as `Authorization: Bearer …`; `backstory serve` says where it is kept."
        return None


async def _refuse(scope: Scope, send: Send, reason: str) -> None:
    if scope["type"] == "websocket":
        await send({"type": "websocket.close", "code": 1008})
        return
    body = reason.encode()
    headers = [(b"content-type", b"text/plain; charset=utf-8"), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": 403, "headers": headers})
    await send({"type": "http.response.body", "body": body})
