"""Who may speak to the HTTP port."""

import stat
from pathlib import Path
from typing import Any

import anyio
import pytest
from backstory.server.gate import Gate, token_at

PORT = 4242
GOOD = {"host": f"127.0.0.1:{PORT}", "authorization": "Bearer secret"}


def ask(headers: list[tuple[str, str]], kind: str = "http") -> tuple[int, bytes]:
    """The status and the body that a request with these headers gets; 200 where it was handed on."""
    sent: list[dict[str, Any]] = []

    async def app(scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"in"})

    async def receive() -> dict[str, Any]:
        raise AssertionError("the gate read the body")

    async def send(message: Any) -> None:
        sent.append(message)

    raw = [(name.encode(), value.encode("latin-1")) for name, value in headers]
    anyio.run(Gate(app, port=PORT, token="secret"), {"type": kind, "headers": raw}, receive, send)
    return int(sent[0].get("status") or sent[0]["code"]), bytes(sent[-1].get("body", b""))


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "LOCALHOST", "[::1]"])
def test_the_holder_of_the_token_is_let_in_by_every_name_of_this_machine(host: str) -> None:
    assert ask([("host", f"{host}:{PORT}"), ("authorization", "Bearer secret")]) == (200, b"in")
    own_page = ("origin", f"http://{host}:{PORT}")
    assert ask([("host", f"{host}:{PORT}"), ("authorization", "Bearer secret"), own_page]) == (200, b"in")


@pytest.mark.parametrize(
    "host",
    ["evil.example", f"evil.example:{PORT}", "127.0.0.1", "localhost:80", f"127.0.0.1.evil.example:{PORT}",
     f"localhost.evil.example:{PORT}", f"127.0.0.1:{PORT}@evil.example", "", f"0.0.0.0:{PORT}", f"127.0.0.2:{PORT}"],
)  # fmt: skip
def test_a_foreign_host_is_refused_even_with_the_token(host: str) -> None:
    assert ask([("host", host), ("authorization", "Bearer secret")])[0] == 403


def test_a_second_host_and_a_missing_one_are_refused() -> None:
    assert ask([("authorization", "Bearer secret")])[0] == 403
    assert ask([*GOOD.items(), ("host", "evil.example")])[0] == 403


@pytest.mark.parametrize(
    "origin",
    [
        "http://evil.example",
        "null",
        f"https://127.0.0.1:{PORT}",
        "http://127.0.0.1",
        "http://localhost:80",
        "",
    ],
)
def test_a_foreign_origin_is_refused_even_with_the_token(origin: str) -> None:
    assert ask([*GOOD.items(), ("origin", origin)])[0] == 403


@pytest.mark.parametrize(
    "credential", [None, "", "Bearer", "Bearer ", "Bearer wrong", "secret", "Basic secret", "Bearer sécret"]
)
def test_without_the_token_nobody_is_let_in(credential: str | None) -> None:
    headers = [("host", GOOD["host"])] + ([] if credential is None else [("authorization", credential)])
    status, body = ask(headers)
    assert status == 403
    assert b"Authorization: Bearer" in body


def test_a_websocket_is_closed() -> None:
    assert ask([("host", GOOD["host"])], kind="websocket")[0] == 1008


def test_the_token_is_made_once_and_private(tmp_path: Path) -> None:
    path = tmp_path / "run" / "http.token"
    token = token_at(path)
    assert token_at(path) == token
    assert len(token) >= 40
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_token_that_others_could_read_is_replaced(tmp_path: Path) -> None:
    path = tmp_path / "http.token"
    token = token_at(path)
    path.chmod(0o644)
    assert token_at(path) != token
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
