"""
A scripted OpenAI-compatible endpoint on one loopback port, over real HTTP: what the product's own client talks to.

It plays a list of replies, one a request, the last for ever; or a function of the request that gives a reply. A
reply is what `says`, `refuses`, `breaks_off` … make. `asked` keeps every request, in order.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

USAGE = {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120}


@dataclass(frozen=True, slots=True)
class Request:
    """One request as it came over the wire."""

    path: str
    headers: Mapping[str, str]
    body: Mapping[str, Any]
    raw: bytes

    @property
    def format(self) -> str:
        """The kind of `response_format` that is asked for; "text" where none is."""
        return str(self.body.get("response_format", {}).get("type", "text"))

    @property
    def text(self) -> str:
        """All that the messages say."""
        return "\n".join(message["content"] for message in self.body.get("messages", []))


@dataclass(frozen=True, slots=True)
class Reply:
    """A status, headers and a body; or a way not to give one."""

    status: int = 200
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)
    # whole; cut: half of it, then the connection is closed; silent: nothing, until the caller is gone; drips: the
    # headers, or the body, a byte at a time for ever; endless: as fast as it goes, for ever; gone: closed at once.
    how: str = "whole"


Script = Sequence[Reply] | Callable[[Request], Reply]


def completion(content: Any, *, usage: Any = USAGE, finish: str = "stop", **message: Any) -> bytes:
    """The body of a chat completion. `usage` None leaves the figures out."""
    body = {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": "scripted",
        "choices": [
            {
                "index": 0,
                "message": {"role": "assistant", "content": content, **message},
                "finish_reason": finish,
            }
        ],
    }
    return json.dumps(body if usage is None else {**body, "usage": usage}).encode()


def says(content: Any, **more: Any) -> Reply:
    """An answer: text as it is, anything else as JSON."""
    text = content if content is None or isinstance(content, str) else json.dumps(content, ensure_ascii=False)
    return Reply(body=completion(text, **more), headers={"content-type": "application/json"})


def refuses(
    status: int, message: str = "no", *, code: str | None = None, param: str | None = None, **headers: str
) -> Reply:
    """An error as OpenAI words it; `retry_after="7"` becomes a header."""
    error = {"error": {"message": message, "type": "invalid_request_error", "code": code, "param": param}}
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Reply(
        status, json.dumps(error, ensure_ascii=False).encode(), {"content-type": "application/json", **named}
    )


def page(body: bytes, *, status: int = 200, **headers: str) -> Reply:
    """Something else than a completion, such as a sign-in page."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Reply(status, body, {"content-type": "text/html", **named})


def breaks_off() -> Reply:
    """An answer of which half arrives."""
    return Reply(body=completion('{"label": "chat"}'), how="cut")


def hangs_up() -> Reply:
    """No answer: the connection is closed."""
    return Reply(how="gone")


def is_silent() -> Reply:
    """No answer for as long as the caller waits."""
    return Reply(how="silent")


def drips(*, headers: bool = False) -> Reply:
    """A byte now and then, for ever, of the body or still of the headers."""
    return Reply(how="drips headers" if headers else "drips")


def never_ends(*, status: int = 200) -> Reply:
    """A body without end, as fast as it is taken."""
    return Reply(status, how="endless")


# --- what an endpoint does not know, as they say it


def knows_no_format(*formats: str, answer: Any) -> Callable[[Request], Reply]:
    """An endpoint that refuses those kinds of `response_format`."""

    def reply(request: Request) -> Reply:
        if request.format in formats:
            return refuses(400, "This response_format type is unavailable now")
        return says(answer)

    return reply


def knows_no(*parameters: str, answer: Any, instead: str = "") -> Callable[[Request], Reply]:
    """An endpoint that refuses those parameters by name."""

    def reply(request: Request) -> Reply:
        for name in parameters:
            if name in request.body:
                told = f"Unsupported parameter: '{name}' is not supported with this model. {instead}"
                return refuses(400, told, param=name, code="unsupported_parameter")
        return says(answer)

    return reply


class ModelServer:
    """The server; `url` is its base URL. Let it go with `with`, or `start` and `stop`."""

    def __init__(self, script: Script = ()) -> None:
        self.script = script
        self.asked: list[Request] = []
        # Set while a request is under way, so that a test can wait for one without sleeping.
        self.busy = threading.Event()
        self._lock = threading.Lock()
        self._ending = threading.Event()
        self._server = _Server(("127.0.0.1", 0), self._handler())
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01})

    @property
    def url(self) -> str:
        """The base URL that a client is given."""
        return f"http://127.0.0.1:{self._server.server_port}/v1"

    @property
    def formats(self) -> list[str]:
        """The `response_format` of each request."""
        return [request.format for request in self.asked]

    def start(self) -> ModelServer:
        """Serve until `stop`."""
        self._thread.start()
        return self

    def stop(self) -> None:
        """Let go of the port and of whoever still waits."""
        self._ending.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(5)

    def __enter__(self) -> ModelServer:
        return self.start()

    def __exit__(self, *_: object) -> None:
        self.stop()

    def reply_to(self, request: Request) -> Reply:
        """What the script has for this request."""
        with self._lock:
            self.asked.append(request)
            number = len(self.asked)
            script = self.script
        self.busy.set()
        if callable(script):
            return script(request)
        return script[min(number, len(script)) - 1] if script else refuses(500, "no script")

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        model = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            # Head and body are two writes; the second would wait 40 ms for the first to be acknowledged.
            disable_nagle_algorithm = True

            def do_POST(self) -> None:
                raw = self.rfile.read(int(self.headers.get("content-length") or 0))
                headers = {name.lower(): value for name, value in self.headers.items()}
                reply = model.reply_to(Request(self.path, headers, json.loads(raw), raw))
                try:
                    self._give(reply)
                except OSError:  # the caller is gone
                    self.close_connection = True

            def log_message(self, *args: object) -> None:
                """Nothing."""

            def _give(self, reply: Reply) -> None:
                if reply.how == "whole":
                    return self._head(reply, len(reply.body), reply.body)
                self.close_connection = True
                if reply.how == "cut":
                    return self._head(reply, len(reply.body), reply.body[: len(reply.body) // 2])
                if reply.how == "drips headers":
                    self.wfile.write(b"HTTP/1.1 200 OK\r\nx-slow: ")
                    return self._while_wanted(b"a", pause_s=0.02)
                if reply.how == "drips":
                    self._head(reply, 1 << 30, b"")
                    return self._while_wanted(b" ", pause_s=0.02)
                if reply.how == "endless":
                    self._head(reply, None, b"")
                    return self._while_wanted(b" " * 65_536, pause_s=0)
                if reply.how == "silent":
                    return self._while_wanted(b"", pause_s=0.02)
                return None

            def _head(self, reply: Reply, length: int | None, body: bytes) -> None:
                self.send_response(reply.status)
                for name, value in reply.headers.items():
                    self.send_header(name, value)
                if length is not None:
                    self.send_header("content-length", str(length))
                self.end_headers()
                self.wfile.write(body)

            def _while_wanted(self, piece: bytes, *, pause_s: float) -> None:
                self.connection.settimeout(0.02)
                while not model._ending.is_set():
                    if piece:
                        self.connection.settimeout(5)
                        self.wfile.write(piece)
                    if pause_s:
                        self.connection.settimeout(pause_s)
                        try:
                            if not self.connection.recv(1):
                                return
                        except TimeoutError:
                            continue

        return Handler


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False

    def handle_error(self, *_: object) -> None:
        """Nothing: callers that go away are part of the play."""
