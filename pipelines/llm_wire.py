"""One request to an OpenAI-compatible endpoint: bounded in time and bytes, and whatever happens is a value."""

from __future__ import annotations

import logging
import threading
from collections.abc import AsyncIterator, Mapping
from concurrent.futures import CancelledError
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    import openai
    from anyio.from_thread import BlockingPortal

# What an answer may weigh. The longest a step asks for is a fiftieth of it; thoughts that some send along count, too.
MOST_BYTES = 1 << 20
# What is read of a refusal; it is a sentence.
REFUSAL_BYTES = 16 << 10
# A connection that is not made by then will not be; nothing was sent yet, so nothing is spent.
CONNECT_S = 10.0
# How much longer than a request may take its caller waits for the loop to say that it was cut.
GRACE_S = 2.0

# Before anything is sent: the key is not what a header may hold, or the address not one that can be asked.
_WRONG = frozenset({"UnicodeEncodeError", "LocalProtocolError", "InvalidURL", "UnsupportedProtocol"})
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Reply:
    """The body of an answer with status 200."""

    body: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class Refused:
    """Any other status. `said` is the endpoint's text, which may repeat ours: it is matched, never shown."""

    status: int
    said: str = field(repr=False)
    code: str = ""
    retry_after: str | None = None


@dataclass(frozen=True, slots=True)
class Cut:
    """No whole answer came; `reason` goes after "the model endpoint"."""

    why: Literal["late", "broken", "unreachable", "closed"]
    reason: str


class Wire:
    """
    The client, on an event loop in a thread of its own: nowhere else can a request be cut whatever it waits for
    (a name, a connection, a header sent byte by byte). Callable from any thread; nothing is imported or started
    before the first request.
    """

    def __init__(self, base_url: str, key: str | None) -> None:
        self._base_url = base_url
        self._key = (key or "").strip()  # one read from a file ends in a newline, which no header may hold
        self._lock = threading.Lock()
        self._portal: BlockingPortal | None = None
        self._client: openai.AsyncOpenAI | None = None
        self._thread: threading.Thread | None = None
        self._closed = False

    def start(self) -> bool:
        """
        Import the client and start its thread, once; False after `close`. The first time takes about a second.

        Raises:
            Exception: whatever the client thinks of such an address, or its absence.
        """
        with self._lock:
            if self._closed:
                return False
            if self._thread is None:
                import anyio

                self._client = self._made()
                ready = threading.Event()
                thread = threading.Thread(
                    target=anyio.run, args=(self._serve, ready), name="model", daemon=True
                )
                thread.start()
                if not ready.wait(GRACE_S):
                    raise TimeoutError("the event loop did not start")
                self._thread = thread
            return True

    def send(self, request: Mapping[str, Any], *, within_s: float) -> Reply | Refused | Cut:
        """What came of one request; never raises, and is back when its time is up."""
        try:
            self.start()
        except Exception as e:  # noqa: BLE001 - what a setting says must not stop a turn
            return Cut("unreachable", f"cannot be asked as it is set ({type(e).__name__}); check model_url")
        portal = self._portal
        if portal is None:
            return Cut("closed", "is no longer asked: this server is closing")
        try:
            future = portal.start_task_soon(self._sent, request, within_s)
        except RuntimeError:
            return Cut("closed", "is no longer asked: this server is closing")
        try:
            came: Reply | Refused | Cut = future.result(within_s + GRACE_S)
        except TimeoutError:
            future.cancel()
            return Cut("late", "did not answer in time")
        except CancelledError:
            return Cut("closed", "was not waited for: this server is closing")
        return came

    def close(self) -> None:
        """Cut what is under way and let go of the connections. A second call does nothing."""
        with self._lock:
            self._closed = True
            portal, thread = self._portal, self._thread
            self._portal = self._thread = None
        if portal is not None and thread is not None:
            portal.start_task_soon(portal.stop, True)
            thread.join(GRACE_S)

    def _made(self) -> openai.AsyncOpenAI:
        import openai

        http = openai.DefaultAsyncHttpxClient(
            # The texts go where the settings say and nowhere else.
            follow_redirects=False,
            event_hooks={"response": [_bound_refusal]},
        )
        client = openai.AsyncOpenAI(
            base_url=self._base_url,
            # The package insists on a key, and looks for OpenAI's own where none is given.
            api_key=self._key or "none",
            max_retries=0,
            http_client=http,
            # What is packed can be any size unpacked.
            default_headers={"Accept-Encoding": "identity"},
        )
        # Found in the environment, they name somebody's account at OpenAI: nothing for another endpoint.
        client.organization = client.project = None
        return client

    async def _serve(self, ready: threading.Event) -> None:
        from anyio.from_thread import BlockingPortal

        async with BlockingPortal() as portal:
            self._portal = portal
            ready.set()
            await portal.sleep_until_stopped()
        if self._client is not None:
            await self._client.close()

    async def _sent(self, request: Mapping[str, Any], within_s: float) -> Reply | Refused | Cut:
        import anyio
        import openai

        with anyio.move_on_after(within_s):
            try:
                return await self._answer(request, within_s)
            except openai.APIStatusError as e:
                return self._refused(e)
            except Exception as e:  # noqa: BLE001 - what a foreign server does must not stop a turn
                # Its message may hold a URL or a text; its kind tells enough.
                cause = e.__cause__ if isinstance(e, openai.APIConnectionError) and e.__cause__ else e
                kind = type(cause).__name__
                _log.debug("The model endpoint's answer was cut: %s", kind)
                if kind in ("ConnectError", "ConnectTimeout"):
                    return Cut("unreachable", "cannot be reached")
                if kind in _WRONG:
                    return Cut(
                        "unreachable", f"cannot be asked as it is set ({kind}); check the key and model_url"
                    )
                if isinstance(e, openai.APITimeoutError):
                    return Cut("late", "did not answer in time")
                return Cut("broken", f"broke off in the middle ({kind})")
        return Cut("late", f"did not answer within {within_s:.3g} s")

    async def _answer(self, request: Mapping[str, Any], within_s: float) -> Reply | Cut:
        assert self._client is not None
        import openai

        ask = self._client.chat.completions.with_streaming_response.create
        patience = openai.Timeout(within_s, connect=min(within_s, CONNECT_S))
        async with ask(**request, timeout=patience) as response:
            body = bytearray()
            async for piece in response.iter_bytes():
                body += piece
                if len(body) > MOST_BYTES:
                    return Cut("broken", f"sent more than {MOST_BYTES >> 10:,} KiB for one answer")
            return Reply(bytes(body))

    def _refused(self, e: openai.APIStatusError) -> Refused:
        said = str(e.body if e.body is not None else e.message)[:REFUSAL_BYTES]
        code = str(e.code or "")
        if self._key and self._key in code:
            code = ""
        return Refused(e.status_code, said, code, _retry_after(e.response.headers))


def _retry_after(headers: Mapping[str, str]) -> str | None:
    if asked := headers.get("retry-after"):
        return asked
    milliseconds = headers.get("retry-after-ms")
    try:
        return str(float(milliseconds) / 1000) if milliseconds else None
    except ValueError:
        return None


async def _bound_refusal(response: Any) -> None:
    """Let the client read no more than a sentence or two of a refusal, which it would read to its end."""
    if response.status_code < 300:
        return
    import httpx2

    class Bounded(httpx2.AsyncByteStream):
        def __init__(self, whole: Any) -> None:
            self._whole = whole

        async def __aiter__(self) -> AsyncIterator[bytes]:
            size = 0
            async for piece in self._whole:
                yield piece[: REFUSAL_BYTES - size]
                size += len(piece)
                if size >= REFUSAL_BYTES:
                    return

        async def aclose(self) -> None:
            await self._whole.aclose()

    response.stream = Bounded(response.stream)
