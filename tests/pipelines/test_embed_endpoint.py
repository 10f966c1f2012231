"""The OpenAI-compatible endpoint: the real client against a real server on this machine."""

from __future__ import annotations

import json
import math
import socket
import threading
from array import array
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from backstory.pipelines.embed import Endpoint, open_embedder
from backstory.pipelines.embed_endpoint import HARMLESS, REST_S, EndpointEmbedder
from backstory.pipelines.embed_hash import HashEmbedder
from backstory.store.errors import BadInput, EmbedderUnavailable


@dataclass
class Service:
    """An endpoint that hashes, unless `refuses` gives a status and message for a request."""

    url: str = ""
    requests: list[dict[str, Any]] = field(default_factory=list)
    keys: list[str] = field(default_factory=list)
    refuses: Callable[[dict[str, Any]], tuple[int, str] | None] = lambda _request: None
    answer: Callable[[list[dict[str, Any]]], Any] = lambda rows: rows
    page: bytes | None = None


@pytest.fixture
def service() -> Iterator[Service]:
    told = Service()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            request = json.loads(self.rfile.read(int(self.headers["content-length"])))
            told.requests.append(request)
            told.keys.append(self.headers["authorization"])
            refusal = told.refuses(request) if self.path == "/v1/embeddings" else (404, "no such path")
            body: dict[str, Any]
            if refusal:
                status, body = refusal[0], {"error": {"message": refusal[1]}}
            else:
                hashed = HashEmbedder(request.get("dimensions", 8)).passages(request["input"])
                rows = [
                    {"object": "embedding", "index": n, "embedding": [2 * x for x in array("f", v)]}
                    for n, v in enumerate(hashed)
                ]
                status = 200
                usage = {"prompt_tokens": 1, "total_tokens": 1}
                body = {
                    "object": "list",
                    "model": request["model"],
                    "data": told.answer(rows),
                    "usage": usage,
                }
            sent = json.dumps(body).encode() if told.page is None else told.page
            self.send_response(status)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(sent)))
            self.end_headers()
            self.wfile.write(sent)

        def log_message(self, *args: object) -> None:
            """Nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    told.url = f"http://127.0.0.1:{server.server_port}/v1"
    yield told
    server.shutdown()
    server.server_close()
    thread.join(5)


@pytest.fixture
def made(service: Service) -> Iterator[Callable[..., EndpointEmbedder]]:
    opened: list[EndpointEmbedder] = []

    def make(*, monotonic: Callable[[], float] = lambda: 0.0, **more: Any) -> EndpointEmbedder:
        url = more.pop("base_url", service.url)
        embedder = EndpointEmbedder(Endpoint(url, "text-embedding-x", **more), monotonic=monotonic)
        opened.append(embedder)
        return embedder

    yield make
    for embedder in opened:
        embedder.close()


Make = Callable[..., EndpointEmbedder]


def test_vectors_come_back_in_order_and_at_unit_length(service: Service, made: Make) -> None:
    service.answer = lambda rows: rows[::-1]
    embedder = made(batch=3, api_key="secret")
    assert (embedder.name, embedder.dim) == ("endpoint:text-embedding-x", None)
    texts = [f"memory {n}" for n in range(5)]
    vectors = embedder.passages(texts)
    hashed = HashEmbedder(8).passages(texts)
    assert [list(array("f", v)) for v in vectors] == [
        pytest.approx(list(array("f", v)), abs=1e-6) for v in hashed
    ]
    assert [math.hypot(*array("f", v)) for v in vectors] == pytest.approx([1] * 5, abs=1e-6)
    assert [len(request["input"]) for request in service.requests] == [3, 2]
    assert set(service.keys) == {"Bearer secret"}
    assert embedder.dim == 8


def test_asked_for_shorter_vectors_it_sends_the_number_and_is_named_by_it(
    service: Service, made: Make
) -> None:
    embedder = made(dims=4)
    assert (embedder.name, embedder.dim) == ("endpoint:text-embedding-x@4", 4)
    assert len(embedder.queries(["x"])[0]) == 16
    assert service.requests == [
        {"model": "text-embedding-x", "input": ["x"], "encoding_format": "float", "dimensions": 4}
    ]


def test_questions_and_memories_carry_their_prefixes_and_memories_are_cut(
    service: Service, made: Make
) -> None:
    embedder = made(query_prefix="query: ", passage_prefix="passage: ")
    embedder.queries(["where?"])
    embedder.passages(["é" * 5000 + "\ud800"])
    assert [request["input"] for request in service.requests] == [
        ["query: where?"],
        ["passage: " + "é" * 800],
    ]


@pytest.mark.parametrize(
    ("status", "hint"),
    [(401, "Check its key"), (404, "Check its base_url and model"), (429, "slow down"), (500, "slow down")],
)
def test_a_failing_endpoint_is_asked_once_and_named(
    service: Service, made: Make, status: int, hint: str
) -> None:
    service.refuses = lambda _request: (status, "slow down")
    with pytest.raises(EmbedderUnavailable, match=hint) as told:
        made().passages(["x"])
    assert service.url in str(told.value)
    assert len(service.requests) == 1


def test_an_endpoint_that_is_not_there_is_named(made: Make) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        with pytest.raises(EmbedderUnavailable, match="cannot be used"):
            made(base_url=f"http://127.0.0.1:{taken.getsockname()[1]}/v1").passages(["x"])


def test_a_silent_endpoint_is_waited_for_no_longer_than_allowed(made: Make) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        embedder = made(base_url=f"http://127.0.0.1:{silent.getsockname()[1]}/v1", query_timeout_s=0.05)
        with pytest.raises(EmbedderUnavailable, match="timed out"):
            embedder.queries(["x"])


def test_after_a_failure_questions_rest_while_memories_try_again(service: Service, made: Make) -> None:
    moment = [0.0]
    embedder = made(monotonic=lambda: moment[0])
    service.refuses = lambda _request: (503, "down")
    for _ in range(3):
        with pytest.raises(EmbedderUnavailable, match="down"):
            embedder.queries(["x"])
    assert len(service.requests) == 1
    with pytest.raises(EmbedderUnavailable):
        embedder.passages(["x"])
    assert len(service.requests) == 2
    service.refuses = lambda _request: None
    moment[0] = REST_S
    assert len(embedder.queries(["x"])) == 1


def test_a_text_that_is_refused_is_told_from_a_request_that_is(service: Service, made: Make) -> None:
    service.refuses = lambda request: (400, "bad words") if "naughty" in request["input"] else None
    with pytest.raises(BadInput, match="bad words"):
        made().passages(["nice", "naughty"])
    assert service.requests[-1]["input"] == [HARMLESS]
    service.refuses = lambda _request: (400, "this model knows no dimensions")
    with pytest.raises(EmbedderUnavailable, match="knows no dimensions"):
        made().passages(["nice"])


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        (lambda rows: rows[:1], "1 vectors for 2 texts"),
        (lambda rows: [rows[0], {**rows[1], "embedding": [1.0]}], r"vectors of \[1, 8\] numbers"),
    ],
)
def test_a_nonsensical_answer_is_refused(service: Service, made: Make, answer: Any, why: str) -> None:
    service.answer = answer
    with pytest.raises(EmbedderUnavailable, match=why):
        made().passages(["one", "two"])


@pytest.mark.parametrize(
    "page", [b"<html>sign in</html>", b"{}", b'"soon"', b"[]", b'{"data": [{"index": 0}]}', b""]
)
def test_an_answer_of_another_kind_is_refused(service: Service, made: Make, page: bytes) -> None:
    service.page = page
    with pytest.raises(EmbedderUnavailable, match="cannot be used"):
        made().passages(["one"])


def test_a_zero_vector_is_refused_for_its_text(service: Service, made: Make) -> None:
    service.answer = lambda rows: [{**row, "embedding": [0.0] * 8} for row in rows]
    with pytest.raises(BadInput, match="zero"):
        made().passages(["one"])


def test_a_model_that_changes_its_length_is_refused(service: Service, made: Make) -> None:
    embedder = made()
    embedder.passages(["one"])
    service.answer = lambda rows: [{**row, "embedding": [1.0, 2.0]} for row in rows]
    with pytest.raises(EmbedderUnavailable, match="where 8 were expected"):
        embedder.passages(["two"])


def test_the_key_is_in_no_text_about_the_endpoint(service: Service) -> None:
    endpoint = Endpoint(service.url, "m", api_key="very-secret")
    service.refuses = lambda _request: (401, "no")
    embedder = open_embedder("endpoint", endpoint=endpoint)
    assert isinstance(embedder, EndpointEmbedder)
    with pytest.raises(EmbedderUnavailable) as told:
        embedder.queries(["x"])
    embedder.close()
    assert "very-secret" not in repr(endpoint) + str(told.value)
