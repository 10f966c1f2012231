"""The same five tools over every transport, in both eras of the protocol, to those who may ask."""

from __future__ import annotations

import http.client
import json
import re
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import anyio
import httpx2
import pytest
from backstory.server.memory import Memory
from mcp import Client, StdioServerParameters
from mcp.client.sse import sse_client
from mcp.client.streamable_http import streamable_http_client

from .serving import COMMAND, INITIALIZE, environment, serving

FIVE = ["memory_search", "memory_add", "memory_get", "memory_update", "memory_delete"]
ERAS = [
    pytest.param({}, "2026-07-28", id="modern"),
    pytest.param({"mode": "legacy"}, "2025-11-25", id="legacy"),
]


@dataclass(frozen=True)
class Http:
    """A running HTTP server: its home, its port, its token."""

    process: subprocess.Popen[str]
    home: Path
    port: int
    token: str

    @property
    def headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.token}"}

    def request(
        self, path: str, body: bytes | None = None, method: str = "POST", **headers: str
    ) -> tuple[int, bytes]:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=10)
        common = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
        try:
            connection.request(method, path, body, {**common, **headers})
            answer = connection.getresponse()
            return answer.status, answer.read()
        finally:
            connection.close()


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Http]:
    """One HTTP server for the tests that do not end it."""
    home = tmp_path_factory.mktemp("shared") / "home"
    with serving(home, "--http", "--port", "0") as process:
        yield started(process, home)


def started(process: subprocess.Popen[str], home: Path) -> Http:
    assert process.stderr is not None
    said = process.stderr.readline()
    found = re.search(r"http://127\.0\.0\.1:(\d+)/mcp", said)
    assert found, said
    token = (home / "run" / "http.token").read_text()
    assert token not in said
    return Http(process, home, int(found[1]), token)


@asynccontextmanager
async def streamable(at: Http) -> AsyncIterator[Any]:
    async with httpx2.AsyncClient(headers=at.headers) as session:
        yield streamable_http_client(f"http://127.0.0.1:{at.port}/mcp", http_client=session)


async def use(target: Any, proto: str, **mode: Any) -> None:
    """Keep something and find it again."""
    with anyio.fail_after(30):
        async with Client(target, **mode) as client:
            assert client.protocol_version == proto
            assert [tool.name for tool in (await client.list_tools()).tools] == FIVE
            assert client.instructions is not None
            assert "memory_search" in client.instructions
            kept = await client.call_tool(
                "memory_add", {"content": f"The {proto} tide tables are in almanac.txt."}
            )
            assert not kept.is_error
            found = await client.call_tool("memory_search", {"query": f"{proto} tide tables almanac.txt"})
            assert f"The {proto} tide tables" in found.content[0].text  # type: ignore[union-attr]


@pytest.mark.parametrize(("mode", "proto"), ERAS)
def test_stdio_serves_a_real_client(tmp_path: Path, mode: dict[str, str], proto: str) -> None:
    server = StdioServerParameters(command=COMMAND[0], args=COMMAND[1:], env=environment(tmp_path / "home"))
    anyio.run(lambda: use(server, proto, **mode))


@pytest.mark.parametrize(("mode", "proto"), ERAS)
def test_streamable_http_serves_a_real_client(shared: Http, mode: dict[str, str], proto: str) -> None:
    async def run() -> None:
        async with streamable(shared) as target:
            await use(target, proto, **mode)

    anyio.run(run)


@pytest.mark.parametrize(("mode", "proto"), ERAS)
def test_sse_serves_a_real_client_on_the_same_port(shared: Http, mode: dict[str, str], proto: str) -> None:
    url = f"http://127.0.0.1:{shared.port}/sse"
    anyio.run(lambda: use(sse_client(url, headers=shared.headers), proto, **mode))


PATHS = [
    ("POST", "/mcp"),
    ("GET", "/sse"),
    ("POST", "/messages/?session_id=0"),
    ("GET", "/mcp"),
    ("DELETE", "/mcp"),
]


@pytest.mark.parametrize(("method", "path"), PATHS)
@pytest.mark.parametrize(
    "wrong",
    [
        {"Host": "evil.example"},
        {"Host": "127.0.0.1.evil.example:{port}"},
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Authorization": "Bearer guess"},
        {"Authorization": ""},
    ],
    ids=lambda wrong: " ".join(wrong) + " " + "".join(wrong.values()),
)
def test_foreign_hosts_foreign_origins_and_callers_without_token_are_refused(
    shared: Http, method: str, path: str, wrong: dict[str, str]
) -> None:
    headers = shared.headers | {name: value.format(port=shared.port) for name, value in wrong.items()}
    status, _ = shared.request(path, json.dumps(INITIALIZE).encode(), method, **headers)
    assert status == 403


def test_a_preflight_from_a_page_gets_no_leave(shared: Http) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", shared.port, timeout=10)
    connection.request(
        "OPTIONS", "/mcp", headers={"Origin": "http://evil.example", "Access-Control-Request-Method": "POST"}
    )
    answer = connection.getresponse()
    answer.read()
    connection.close()
    assert answer.status == 403
    assert not [name for name in answer.headers if name.lower().startswith("access-control")]


@pytest.mark.parametrize("path", ["/mcp", "/messages/?session_id=" + "0" * 32])
def test_a_body_over_the_limit_is_refused(shared: Http, path: str) -> None:
    status, _ = shared.request(path, b'"' + b"x" * (5 << 20) + b'"', **shared.headers)
    assert status == 413


@pytest.mark.parametrize("path", ["/", "/hook", "/status", "/sse/", "/mcp/../mcp2"])
def test_there_is_nothing_else_on_the_port(shared: Http, path: str) -> None:
    assert shared.request(path, None, "GET", **shared.headers)[0] in (404, 405, 307)


def test_without_a_named_workspace_only_global_memory_is_seen_over_http(shared: Http, tmp_path: Path) -> None:
    (tmp_path / "project").mkdir()
    where = str(tmp_path / "project")
    with Memory.open(shared.home / "backstory.db", folder=where, embedder="none") as known:
        known.add("The harbour cranes use grease 7.")

    async def run() -> None:
        async with streamable(shared) as target, Client(target) as client:
            with anyio.fail_after(30):
                kept = await client.call_tool(
                    "memory_add", {"content": "The cranes are red.", "workspace": where}
                )
                alone = await client.call_tool("memory_search", {"query": "harbour cranes grease"})
                named = await client.call_tool(
                    "memory_search", {"query": "harbour cranes", "workspace": where}
                )
        assert not kept.is_error
        assert "cranes" not in alone.content[0].text  # type: ignore[union-attr]
        assert "grease 7" in named.content[0].text  # type: ignore[union-attr]
        assert "are red" in named.content[0].text  # type: ignore[union-attr]

    anyio.run(run)


def test_a_signal_ends_the_server_while_an_sse_client_listens(tmp_path: Path) -> None:
    with serving(tmp_path / "home", "--sse", "--port", "0") as process:
        at = started(process, tmp_path / "home")
        listening = http.client.HTTPConnection("127.0.0.1", at.port, timeout=10)
        listening.request("GET", "/sse", headers=at.headers)
        answer = listening.getresponse()
        assert answer.status == 200
        assert answer.readline() == b"event: endpoint\r\n"
        process.terminate()
        assert process.wait(5) == 0
        answer.close()
        listening.close()


def test_a_port_in_use_is_said_in_a_sentence(shared: Http, tmp_path: Path) -> None:
    done = subprocess.run(
        [*COMMAND, "--http", "--port", str(shared.port)], env=environment(tmp_path / "home"),
        capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip
    assert done.returncode == 1
    assert str(shared.port) in done.stderr
    assert "Traceback" not in done.stderr


def test_the_shared_server_listens_on_loopback_only(shared: Http) -> None:
    if not sys.platform.startswith("linux"):
        pytest.skip("reads /proc/net/tcp")
    listening = [
        line.split()[1]
        for table in ("/proc/net/tcp", "/proc/net/tcp6")
        for line in Path(table).read_text().splitlines()[1:]
        if line.split()[3] == "0A" and line.split()[1].endswith(f":{shared.port:04X}")
    ]
    assert listening == [f"0100007F:{shared.port:04X}"]
